//! From what an engine says to a string that can be played.

use super::{MAX_STRING, OnIllegal, Predictions};
use crate::{
    Board, Form, IllegalMove, Move, Seat,
    board::{clean, protocol_form},
    setup::GameKind,
};

/// Something to say about a string; it never costs the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    /// A move of it is not legal.
    Illegal {
        /// Whose string.
        by: Seat,
        /// The number of the move that it came with.
        number: u32,
        /// Which move of it, from 0.
        index: usize,
        /// Its text, cleaned.
        text: String,
    },
    /// It ended with a foreseen move that had no reply.
    Dangling {
        /// Whose string.
        by: Seat,
        /// The number of the move that it came with.
        number: u32,
        /// The move that was dropped.
        text: String,
    },
    /// One was due.
    Missing {
        /// Who owed it.
        by: Seat,
        /// The number of the move that came without.
        number: u32,
    },
}

impl Remark {
    /// One line for the record.
    #[must_use]
    pub fn text(&self) -> String {
        let side = |seat: &Seat| if *seat == Seat::First { "first" } else { "second" };
        match self {
            Self::Illegal { by, number, text, .. } => {
                format!("move {number}: `{text}` in the string of {} is not legal", side(by))
            }
            Self::Dangling { by, number, text } => {
                format!("move {number}: {text} at the end of the string of {} has no reply", side(by))
            }
            Self::Missing { by, number } => format!("move {number}: no string from {}", side(by)),
        }
    }
}

/// A move in the form of the game's protocol, in chess also in SAN.
pub(super) fn read(board: &dyn Board, text: &str) -> Result<Move, IllegalMove> {
    let chess = matches!(board.kind(), GameKind::Chess | GameKind::Chess960);
    board
        .parse(text, protocol_form(board.kind()))
        .or_else(|error| if chess { board.parse(text, Form::San).map_err(|_| error) } else { Err(error) })
}

/// What of a string can be played after the move that it came with: foreseen move, reply, foreseen move, … `after` is the
/// position after that move, `by` who made it, `number` its number.
pub fn checked<'a>(
    rules: &Predictions,
    after: &dyn Board,
    by: Seat,
    number: u32,
    line: impl Iterator<Item = &'a str>,
) -> (Vec<Move>, Vec<Remark>) {
    let mut board = after.fork();
    let mut moves = Vec::new();
    let mut remarks = Vec::new();
    let mut last = String::new();
    for (index, text) in line.take(MAX_STRING).enumerate() {
        if board.ending().is_some() {
            break;
        }
        let Ok(mv) = read(&*board, text) else {
            remarks.push(Remark::Illegal { by, number, index, text: clean(text) });
            if rules.on_illegal == OnIllegal::Void {
                moves.clear();
            }
            break;
        };
        last = board.write(mv, protocol_form(board.kind()));
        board.play(mv);
        moves.push(mv);
    }
    if moves.len() % 2 == 1 && !(rules.terminal_tail && board.ending().is_some()) {
        moves.pop();
        remarks.push(Remark::Dangling { by, number, text: last });
    }
    if let Some(pairs) = rules.max_pairs {
        moves.truncate(2 * pairs as usize);
    }
    (moves, remarks)
}

/// The string that a principal variation gives: what follows the move that was played, in whole pairs, at most `pairs` of
/// them. Empty where the variation is of another move. `before` is the position before the move.
#[must_use]
pub fn from_pv<'a>(before: &dyn Board, played: Move, pv: &'a str, pairs: u32) -> Vec<&'a str> {
    let mut words = pv.split_ascii_whitespace();
    let same = words.next().is_some_and(|first| read(before, first) == Ok(played));
    if !same {
        return Vec::new();
    }
    let most = (2 * pairs as usize).min(MAX_STRING);
    let mut line: Vec<&str> = words.take(most).collect();
    line.truncate(line.len() / 2 * 2);
    line
}
