//! What makes two positions the same one (FIDE 9.2.3).

use shakmaty::{Chess, Color, Position};

/// All that counts for a repetition: the men on their squares, who moves, castling rights, and the en passant square
/// only where the capture is legal. It is the whole truth in 48 bytes and no hash of it, so keys never collide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    /// Each square's man in three bits, plane by plane, and the white men.
    planes: [u64; 4],
    /// The rooks that may still castle.
    castling: u64,
    /// 64 without a legal en passant capture, else its square; 128 more where Black moves.
    rest: u64,
}

impl Key {
    pub(super) fn of(position: &Chess) -> Self {
        let board = position.board();
        let en_passant = position.legal_ep_square().map_or(64, u64::from);
        let turn = if position.turn() == Color::Black { 128 } else { 0 };
        Self {
            planes: [
                (board.pawns() | board.bishops() | board.queens()).0,
                (board.knights() | board.bishops() | board.kings()).0,
                (board.rooks() | board.queens() | board.kings()).0,
                board.white().0,
            ],
            castling: position.castles().castling_rights().0,
            rest: en_passant | turn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Board, GameKind, chess::ChessBoard};

    fn key(position: &str) -> Key {
        Key::of(ChessBoard::new(GameKind::Chess960, position).unwrap().as_chess().unwrap())
    }

    #[test]
    fn each_difference_makes_another_key() {
        let one = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
        // The counters are no part of the position.
        assert_eq!(key(one), key("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 9 9"));
        assert_ne!(key(one), key("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1"));
        assert_ne!(key(one), key("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQk - 0 1"));
        // The colours of two men, and the roles, each against each on one square.
        assert_ne!(key("4k3/8/8/r6R/8/8/8/4K3 w - - 0 1"), key("4k3/8/8/R6r/8/8/8/4K3 w - - 0 1"));
        let keys: Vec<Key> = ["P", "N", "B", "R", "Q", "1", "p", "n", "b", "r", "q"]
            .iter()
            .map(|man| key(&format!("1k6/8/8/8/3{man}4/8/8/7K w - - 0 1")))
            .collect();
        for (index, one) in keys.iter().enumerate() {
            assert!(!keys[index + 1..].contains(one), "{index}");
        }
        // En passant counts where the capture is legal, not where it is only written.
        let legal = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_ne!(key(legal), key("4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"));
        assert_eq!(key("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1"), key("4k3/8/8/3p4/8/8/8/4K3 w - - 0 1"));
    }
}
