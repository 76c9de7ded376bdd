//! Positions and moves as text.

use super::{
    geometry::PIECES,
    position::{MAX_PATH, Path, PathFault, Position},
};
use crate::{
    IllegalMove, Seat,
    board::{StartError, clean, clean_to},
};

/// Characters of a wrong position that an error shows: all of a right one.
const SHOWN: usize = 200;

/// Reads a start position: `cells CELLS player 0 ply 4`, or `CELLS 0 4`; player and ply may be missing. An empty text is
/// the clean start. Ten pieces a side are needed.
pub(super) fn read_start(text: &str) -> Result<(Position, u32), StartError> {
    let mut words = text.split_ascii_whitespace().filter(|word| !matches!(*word, "cells" | "player" | "ply"));
    let error = |why: &str| StartError::Position { text: clean_to(text, SHOWN), why: why.to_owned() };
    let Some(cells) = words.next() else {
        return if text.trim_ascii().is_empty() {
            Ok((Position::START, 0))
        } else {
            Err(error("expected `cells CELLS player 0 ply 0`"))
        };
    };
    let seat = match words.next() {
        None | Some("0") => Seat::First,
        Some("1") => Seat::Second,
        Some(_) => return Err(error("expected `player 0` or `player 1`")),
    };
    let ply = match words.next().map(str::parse) {
        None => 0,
        Some(Ok(ply)) => ply,
        Some(Err(_)) => return Err(error("expected a ply, e.g. `ply 4`")),
    };
    if words.next().is_some() {
        return Err(error("more words than cells, player and ply"));
    }
    let position = Position::read(cells, seat).ok_or_else(|| error("expected 121 characters of `.`, `0` and `1`"))?;
    for seat in Seat::BOTH {
        let pieces = position.pieces(seat).count_ones();
        if pieces != PIECES {
            return Err(error(&format!("player {} has {pieces} pieces, expected {PIECES}", seat.index())));
        }
    }
    Ok((position, ply))
}

/// The position with its words, as the protocol writes it behind `position`.
pub(super) fn write_start(position: &Position, ply: u32) -> String {
    format!("cells {} player {} ply {ply}", position.cells(), position.to_move().index())
}

/// Reads a move: ids with `-` or `,` between them. Two ids are the ends of a move, more are a whole path, which must be
/// legal in itself.
pub(super) fn read_move(position: &Position, text: &str) -> Result<(u8, u8), IllegalMove> {
    let illegal = |why: PathFault| IllegalMove::Because { text: clean(text), why: why.to_string() };
    let mut ids = [0_u8; MAX_PATH];
    let mut len = 0;
    for word in text.trim_ascii().split(['-', ',']) {
        if word.is_empty() || word.len() > 3 || !word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(IllegalMove::NotAMove { text: clean(text) });
        }
        let Some(place) = ids.get_mut(len) else { return Err(illegal(PathFault::TooLong)) };
        // Three digits that are no id are an id that no hole has.
        *place = word.parse().unwrap_or(u8::MAX);
        len += 1;
    }
    match ids[..len] {
        [] | [_] => Err(IllegalMove::NotAMove { text: clean(text) }),
        [from, to] => position.check(from, to).map(|()| (from, to)).map_err(illegal),
        [from, .., to] => position.check_path(&ids[..len]).map(|()| (from, to)).map_err(illegal),
    }
}

/// `4-15-28`.
pub(super) fn write_path(path: &Path) -> String {
    let ids: Vec<String> = path.ids().iter().map(u8::to_string).collect();
    ids.join("-")
}
