//! Whether a principal variation can be played.

use shakmaty::{Chess, Position, uci::UciMove};

/// Moves of a variation that are looked at; what follows is dropped. No engine searches deeper than it prints.
const LOOK: usize = 256;

/// The bytes of `pv` whose moves are legal one after the other from `position`, and the first move that is not.
pub(super) fn legal_part<'a>(position: &Chess, pv: &'a str) -> (&'a str, Option<&'a str>) {
    let mut position = position.clone();
    let mut end = 0;
    for (n, word) in pv.split(' ').enumerate() {
        let legal = UciMove::from_ascii(word.as_bytes()).ok().and_then(|uci| uci.to_move(&position).ok());
        let Some(mv) = legal.filter(|_| n < LOOK) else {
            return (pv[..end].trim_end(), (n < LOOK).then_some(word));
        };
        position.play_unchecked(mv);
        end = (end + word.len() + 1).min(pv.len());
    }
    (pv, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legal_part_is_kept() {
        let start = Chess::default();
        assert_eq!(legal_part(&start, "e2e4 e7e5 g1f3"), ("e2e4 e7e5 g1f3", None));
        assert_eq!(legal_part(&start, "e2e4 e2e4 g1f3"), ("e2e4", Some("e2e4")));
        assert_eq!(legal_part(&start, "0000"), ("", Some("0000")));
        assert_eq!(legal_part(&start, "x"), ("", Some("x")));
        assert_eq!(legal_part(&start, "e2e4 é"), ("e2e4", Some("é")));
    }
}
