//! Polyglot books.
//!
//! A Polyglot book holds weighted moves by position. It becomes a list of lines: from the start position, ply by ply, each
//! line goes on with every book move of its last position, the heaviest first (equal weights by the move's code), and ends
//! at the limit of plies, where the book ends, or where other lines have already reached all that follows: no position is
//! passed through twice. Moves of weight 0 are not played, as Polyglot does not play them. Lines that end early stand
//! before those that are cut by the limit. So the list depends on the file and the limit alone.

use std::{cmp::Reverse, collections::BTreeSet};

use shakmaty::{CastlingMode, Chess, EnPassantMode, File, Move, Position, Rank, Role, Square, zobrist::Zobrist64};

use super::{Opening, book::going_on, position};
use crate::{
    pgn,
    setup::{GameKind, Start},
};

/// Plies of a line where no limit is given.
pub const DEFAULT_PLIES: u32 = 12;

/// Lines that a Polyglot book is turned into at most: it bounds the memory.
pub const MAX_LINES: usize = 50_000;

/// The moves of a line, as the file encodes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line(Box<[u16]>);

impl Line {
    pub(super) fn opening(&self, kind: GameKind, line: u32) -> Option<Opening> {
        let mode = position::castling_mode(kind);
        let mut chess = Chess::default();
        let mut moves = Vec::with_capacity(self.0.len());
        for &code in &self.0 {
            let mv = decode(&chess, code)?;
            moves.push(mv.to_uci(mode).to_string());
            chess.play_unchecked(mv);
        }
        let position = if mode == CastlingMode::Chess960 { pgn::CLASSIC.to_owned() } else { String::new() };
        Some(Opening { start: Start { position, moves }, name: String::new(), line })
    }
}

/// A legal move by its code: to and from in six bits each, promotion in three; castling is king takes rook.
fn decode(chess: &Chess, code: u16) -> Option<Move> {
    let square = |bits: u16| {
        let file = File::new(u32::from(bits & 7));
        Square::from_coords(file, Rank::new(u32::from(bits >> 3 & 7)))
    };
    let (to, from) = (square(code), square(code >> 6));
    let promotion = match code >> 12 & 7 {
        1 => Some(Role::Knight),
        2 => Some(Role::Bishop),
        3 => Some(Role::Rook),
        4 => Some(Role::Queen),
        _ => None,
    };
    chess.legal_moves().into_iter().find(|mv| match *mv {
        // Some books write the king's step instead.
        Move::Castle { king, rook } => {
            king == from
                && (rook == to
                    || mv.to_uci(CastlingMode::Standard)
                        == shakmaty::uci::UciMove::Normal { from, to, promotion: None })
        }
        _ => mv.from() == Some(from) && mv.to() == to && mv.promotion() == promotion,
    })
}

struct Open {
    chess: Chess,
    codes: Vec<u16>,
}

/// All lines, and at how many plies they were cut because there would be too many.
pub(super) fn lines(bytes: Vec<u8>, max_plies: Option<u32>) -> (Vec<Line>, Option<usize>) {
    let book = Entries::new(bytes);
    let mut seen = BTreeSet::from([key(&Chess::default())]);
    let mut done = Vec::new();
    let mut open = vec![Open { chess: Chess::default(), codes: Vec::new() }];
    for ply in 0..max_plies.unwrap_or(DEFAULT_PLIES) as usize {
        let mut next = Vec::new();
        let mut ended = Vec::new();
        for line in &open {
            let before = next.len();
            for code in book.moves(key(&line.chess)) {
                let Some(mv) = decode(&line.chess, code) else { continue };
                let mut chess = line.chess.clone();
                chess.play_unchecked(mv);
                if going_on(&chess).is_ok() && seen.insert(key(&chess)) {
                    let mut codes = line.codes.clone();
                    codes.push(code);
                    next.push(Open { chess, codes });
                }
            }
            if next.len() == before && !line.codes.is_empty() {
                ended.push(Line(line.codes.clone().into()));
            }
            if done.len() + ended.len() + next.len() > MAX_LINES {
                done.extend(open.into_iter().map(|line| Line(line.codes.into())));
                return (done, Some(ply));
            }
        }
        done.extend(ended);
        open = next;
    }
    done.extend(open.into_iter().filter(|line| !line.codes.is_empty()).map(|line| Line(line.codes.into())));
    (done, None)
}

fn key(chess: &Chess) -> u64 {
    chess.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0
}

/// Moves of one position that are looked at: more than any position has.
const MAX_MOVES: usize = 256;

/// The entries, in the order of their keys.
struct Entries(Vec<u8>);

impl Entries {
    /// The format asks for the order; a file without it is put in order.
    fn new(mut bytes: Vec<u8>) -> Self {
        let (entries, _) = bytes.as_chunks_mut::<16>();
        if !entries.is_sorted_by_key(entry_key) {
            entries.sort_unstable();
        }
        Self(bytes)
    }

    /// The codes of the moves that may be played here, the heaviest first.
    fn moves(&self, key: u64) -> Vec<u16> {
        let (entries, _) = self.0.as_chunks::<16>();
        let first = entries.partition_point(|entry| entry_key(entry) < key);
        let here = entries[first..].iter().take_while(|entry| entry_key(entry) == key);
        let number = |high: u8, low: u8| u16::from(high) << 8 | u16::from(low);
        let mut moves: Vec<(u16, u16)> = here
            .map(|entry| (number(entry[10], entry[11]), number(entry[8], entry[9])))
            .filter(|&(weight, _)| weight > 0)
            .collect();
        // Of two entries for one move the heavier counts.
        moves.sort_unstable_by_key(|&(weight, code)| (code, Reverse(weight)));
        moves.dedup_by_key(|&mut (_, code)| code);
        moves.sort_unstable_by_key(|&(weight, code)| (Reverse(weight), code));
        moves.truncate(MAX_MOVES);
        moves.into_iter().map(|(_, code)| code).collect()
    }
}

fn entry_key(entry: &[u8; 16]) -> u64 {
    entry[..8].iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}
