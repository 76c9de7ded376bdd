//! Whether a principal variation can be played.

use rookery_game::{Board, Form};
use shakmaty::{Chess, Position, uci::UciMove};

/// Moves of a variation that are looked at; what follows is dropped. No engine searches deeper than it prints.
const LOOK: usize = 256;

/// The bytes of `pv` whose moves are legal one after the other from the position on `board`, and the first move that is
/// not.
pub(super) fn legal_part<'a>(board: &dyn Board, form: Form, pv: &'a str) -> (&'a str, Option<&'a str>) {
    if let Some(position) = board.as_chess() {
        return of_chess(position, pv);
    }
    let mut board = board.fork();
    walk(pv, |word| {
        let mv = board.parse(word, form).ok()?;
        board.play(mv);
        Some(())
    })
}

/// As [`legal_part`], without a board's history: it is asked for each move of each game of chess.
fn of_chess<'a>(position: &Chess, pv: &'a str) -> (&'a str, Option<&'a str>) {
    let mut position = position.clone();
    walk(pv, |word| {
        let mv = UciMove::from_ascii(word.as_bytes()).ok()?.to_move(&position).ok()?;
        position.play_unchecked(mv);
        Some(())
    })
}

fn walk(pv: &str, mut play: impl FnMut(&str) -> Option<()>) -> (&str, Option<&str>) {
    let mut end = 0;
    for (n, word) in pv.split(' ').enumerate() {
        if n >= LOOK || play(word).is_none() {
            return (pv[..end].trim_end(), (n < LOOK).then_some(word));
        }
        end = (end + word.len() + 1).min(pv.len());
    }
    (pv, None)
}

#[cfg(test)]
mod tests {
    use rookery_game::{GameKind, board};

    use super::*;

    #[test]
    fn the_legal_part_is_kept() {
        for (kind, form, pv, expected) in [
            (GameKind::Chess, Form::Uci, "e2e4 e7e5 g1f3", ("e2e4 e7e5 g1f3", None)),
            (GameKind::Chess, Form::Uci, "e2e4 e2e4 g1f3", ("e2e4", Some("e2e4"))),
            (GameKind::Chess, Form::Uci, "0000", ("", Some("0000"))),
            (GameKind::Chess, Form::Uci, "x", ("", Some("x"))),
            (GameKind::Chess, Form::Uci, "e2e4 é", ("e2e4", Some("é"))),
            (GameKind::ChineseCheckers, Form::Cells, "3-14 111-102 14-15", ("3-14 111-102 14-15", None)),
            (GameKind::ChineseCheckers, Form::Cells, "3-14 3-16", ("3-14", Some("3-16"))),
        ] {
            let board = board::at(kind, "").unwrap();
            assert_eq!(legal_part(board.as_ref(), form, pv), expected, "{pv}");
        }
    }
}
