//! One game's strings and points.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    OnMissing, Predictions, Remark, Zone,
    strings::{checked, read},
};
use crate::{Board, GameSetup, Move, Ply, Seat, board, board::protocol_form};

/// A move that was foreseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// By whom.
    pub by: Seat,
    /// Whether it brought a point: its number is in the zone.
    pub counted: bool,
}

/// The score of a game's predictions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Points, by [`Seat::index`].
    pub points: [u32; 2],
    /// Who cannot win, as a string was missing and the rules say so.
    #[serde(default)]
    pub forfeited: [bool; 2],
}

impl Tally {
    /// Who won the prediction: more points, else the second seat (Black), also at 0:0.
    #[must_use]
    pub const fn winner(&self) -> Seat {
        match self.forfeited {
            [true, false] => Seat::Second,
            [false, true] => Seat::First,
            _ if self.points[0] > self.points[1] => Seat::First,
            _ => Seat::Second,
        }
    }
}

/// The strings of a game in play. For each move: [`Series::played`], then the board plays it, then, where a player made it,
/// [`Series::attach`]; then [`Series::reply`] says whether the table has a move to play.
///
/// A draw that was offered with a foreseen move pauses the series: the point stands, and the table asks the owner before it
/// plays the reply. Accepted, the game is over; declined, the reply is played as if nothing had been offered.
#[derive(Debug, Clone)]
pub struct Series {
    rules: Predictions,
    open: [VecDeque<Move>; 2],
    /// The reply at the head of a string may be played.
    due: [bool; 2],
    /// The number of each side's last move.
    number: [u32; 2],
    tally: Tally,
}

impl Series {
    /// Before the first move.
    #[must_use]
    pub fn new(rules: Predictions) -> Self {
        Self { rules, open: Default::default(), due: [false; 2], number: [0; 2], tally: Tally::default() }
    }

    /// A move is made on `before`; `auto`: it is the reply that [`Series::reply`] gave. Whether it was foreseen.
    pub fn played(&mut self, before: &dyn Board, mv: Move, auto: bool) -> Option<Hit> {
        let by = before.to_move();
        let number = before.move_number();
        let own = &mut self.open[by.index()];
        if !auto || own.pop_front() != Some(mv) {
            // A move of one's own takes the place of what was stored.
            own.clear();
        }
        self.due[by.index()] = false;
        self.number[by.index()] = number;
        let owner = by.other();
        let stored = &mut self.open[owner.index()];
        if stored.front() != Some(&mv) {
            stored.clear();
            return None;
        }
        stored.pop_front();
        self.due[owner.index()] = !stored.is_empty();
        let zone = match self.rules.zone {
            Zone::Predicted => number,
            Zone::Anchor => self.number[owner.index()],
        };
        let counted = self.rules.counts(zone);
        self.tally.points[owner.index()] += u32::from(counted);
        Some(Hit { by: owner, counted })
    }

    /// Stores the string that came with the move just made by a player; `after` is the position after it. Where none is left
    /// although one was due, that is a remark too. Moves of a string are in the form of the protocol, in chess also in SAN.
    pub fn attach<'a>(&mut self, after: &dyn Board, line: impl Iterator<Item = &'a str>) -> Vec<Remark> {
        let by = after.to_move().other();
        if after.ending().is_some() {
            return Vec::new();
        }
        let number = self.number[by.index()];
        let (moves, mut remarks) = checked(&self.rules, after, by, number, line);
        if moves.is_empty() && self.rules.mandatory && self.rules.counts(number) {
            remarks.push(Remark::Missing { by, number });
            self.tally.forfeited[by.index()] |= self.rules.on_missing == OnMissing::ForfeitPrediction;
        }
        self.open[by.index()] = moves.into();
        remarks
    }

    /// The stored reply of the side to move, where the move before was foreseen. It stays until it is played.
    #[must_use]
    pub fn reply(&self, board: &dyn Board) -> Option<Move> {
        let seat = board.to_move().index();
        self.open[seat].front().copied().filter(|_| self.due[seat])
    }

    /// The string of `by` as it is stored, in the form of the protocol; `board` is the position that it begins on.
    #[must_use]
    pub fn stored(&self, board: &dyn Board, by: Seat) -> String {
        let mut board = board.fork();
        let form = protocol_form(board.kind());
        let mut text = String::new();
        for &mv in &self.open[by.index()] {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&board.write(mv, form));
            board.play(mv);
        }
        text
    }

    /// Plies that are stored of `by`; 0 once the game is over.
    #[must_use]
    pub fn open(&self, by: Seat) -> usize {
        self.open[by.index()].len()
    }

    /// The game is over: what is stored is void.
    pub fn close(&mut self) {
        self.open.iter_mut().for_each(VecDeque::clear);
        self.due = [false; 2];
    }

    /// The score so far.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// The state after plies on record, strings included: how a game goes on after an interruption, and how points are
    /// counted anew. The board stands before the first of them and is played on; a ply that is not legal ends it.
    pub fn replay(&mut self, board: &mut dyn Board, plies: &[Ply]) {
        for ply in plies {
            let Ok(mv) = read(board, &ply.mv) else { return };
            let auto = ply.auto && self.reply(board) == Some(mv);
            self.played(board, mv, auto);
            board.play(mv);
            if !auto && !ply.book {
                self.attach(board, ply.conditional.split_ascii_whitespace());
            }
        }
    }
}

/// Counts a game's points anew from its record. `None` where its event does not score predictions, or nobody moved.
#[must_use]
pub fn count(setup: &GameSetup, plies: &[Ply]) -> Option<Tally> {
    let rules = setup.predictions.clone()?;
    if plies.iter().all(|ply| ply.book) {
        return None;
    }
    let mut board = board::under(setup.kind, &setup.rules, &setup.start.position).ok()?;
    let mut series = Series::new(rules);
    series.replay(&mut *board, plies);
    Some(series.tally())
}
