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
