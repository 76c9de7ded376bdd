//! r-mobility (§11.1.3, after Aloril): how much the side that has just moved restricted the other.

use shakmaty::Position;

use crate::{Board, Seat};

/// Twice G of the position on `board`: two for each legal move of the side to move, and one more where it is not in
/// check. It belongs to the side that has just moved. Mate is 0, stalemate 1. Castling is one legal move a side.
#[must_use]
pub fn twice_g(board: &dyn Board) -> u32 {
    board.legal_count().saturating_mul(2).saturating_add(u32::from(!board.in_check()))
}

/// The smallest G of a game since its last capture or pawn's move. Told every ply, opening included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mobility {
    best: Option<(u32, Seat)>,
}

impl Mobility {
    /// Takes the ply that led to `board` into account. A capture or a pawn's move starts afresh, and its own position
    /// is the first to count. On an equal G the first one keeps it. Nothing happens in games other than chess.
    pub fn after(&mut self, board: &dyn Board) {
        let Some(position) = board.as_chess() else { return };
        if position.halfmoves() == 0 {
            self.best = None;
        }
        let g = twice_g(board);
        if self.best.is_none_or(|(smallest, _)| g < smallest) {
            self.best = Some((g, board.to_move().other()));
        }
    }

    /// Twice the smallest G, and who holds it; `None` before the first ply.
    #[must_use]
    pub const fn best(self) -> Option<(u32, Seat)> {
        self.best
    }

    /// Twice the smallest G, positive where `First` holds it, negative where `Second` does. Mate is 0 either way; a
    /// decisive game needs no holder.
    #[must_use]
    pub fn signed(self) -> Option<i32> {
        let (g, holder) = self.best?;
        let g = i32::try_from(g).unwrap_or(i32::MAX);
        Some(if holder == Seat::First { g } else { -g })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Form, GameKind, board};

    #[test]
    fn known_positions_have_their_g() {
        for (position, g) in [
            ("5k2/5Q2/5K2/8/8/8/8/8 b - - 0 1", 0),
            ("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", 1),
            ("8/8/7k/5B2/6K1/8/8/8 b - - 0 1", 3),
            ("8/8/4k3/5q2/6K1/8/8/8 w - - 0 1", 4),
            ("8/8/8/8/8/4k3/8/4K3 w - - 0 1", 5),
            ("8/8/8/8/8/8/4k3/K7 w - - 0 1", 7),
            ("", 41),
        ] {
            let board = board::at(GameKind::Chess, position).unwrap();
            assert_eq!(twice_g(board.as_ref()), g, "{position}");
        }
    }

    fn play(position: &str, moves: &str) -> Option<i32> {
        let mut board = board::at(GameKind::Chess, position).unwrap();
        let mut mobility = Mobility::default();
        for text in moves.split_whitespace() {
            let mv = board.parse(text, Form::San).unwrap();
            board.play(mv);
            mobility.after(board.as_ref());
        }
        mobility.signed()
    }

    #[test]
    fn a_capture_starts_afresh_and_the_first_of_equals_keeps_it() {
        assert_eq!(play("", ""), None);
        // White leaves Black 20 moves, Black leaves White more.
        assert_eq!(play("", "Nf3 Nf6"), Some(41));
        // Five moves for each king: the first one keeps it.
        assert_eq!(play("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "Kd1 Kd8"), Some(11));
        assert_eq!(play("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "Kd8 Kd1"), Some(-11));
        // 1. e4 leaves Black 20 moves, 1... e5 leaves White 29: only the last pawn's move counts.
        assert_eq!(play("", "e4 e5"), Some(-59));
        assert_eq!(play("", "f3 e5 g4 Qh4#"), Some(0));
        // The check restricts more than the quiet move after it.
        assert_eq!(play("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "Ra8+ Kd7 Ra7+ Kd6"), Some(6));
    }
}
