//! Moves as text.

use shakmaty::{CastlingMode, Chess, Move, Position, Role, Square, san::SanPlus, uci::UciMove};

use crate::pgn::{MoveFault, read_san as read_word};

/// What a text is at a position.
pub(super) enum Found {
    Legal(Move),
    Illegal,
    NotAMove,
}

/// Reads coordinates. Castling is `e1g1` or `e1h1` in `Standard` (the latter can mean nothing else there), and king
/// takes rook alone in `Chess960`, where the king's destination could be a step of the king. The promotion letter may
/// be in either case: it can mean nothing else.
pub(super) fn read_uci(position: &Chess, legal: &[Move], mode: CastlingMode, text: &str) -> Found {
    let text = text.trim_ascii();
    let (Some(from), Some(to)) = (square(text, 0), square(text, 2)) else { return Found::NotAMove };
    let promotion = match text.as_bytes().get(4..) {
        Some([]) => None,
        Some([letter]) => match letter.to_ascii_lowercase() {
            b'n' => Some(Role::Knight),
            b'b' => Some(Role::Bishop),
            b'r' => Some(Role::Rook),
            b'q' => Some(Role::Queen),
            _ => return Found::NotAMove,
        },
        _ => return Found::NotAMove,
    };
    let found = legal.iter().copied().find(|mv| match *mv {
        Move::Castle { king, rook } => {
            let short = position.castles().mode() == CastlingMode::Standard
                && mode == CastlingMode::Standard
                && UciMove::from_standard(*mv) == (UciMove::Normal { from, to, promotion: None });
            king == from && promotion.is_none() && (rook == to || short)
        }
        _ => mv.from() == Some(from) && mv.to() == to && mv.promotion() == promotion,
    });
    found.map_or(Found::Illegal, Found::Legal)
}

fn square(text: &str, at: usize) -> Option<Square> {
    Square::from_ascii(text.as_bytes().get(at..at + 2)?).ok()
}

/// Reads SAN as tolerantly as PGN is read: check and mate marks, `!?`, `e.p.`, zeros in castling, a missing `=` or `x`,
/// more squares than needed (`Ng1-f3`); what fits two moves is not legal.
pub(super) fn read_san(position: &Chess, text: &str) -> Found {
    let text = text.trim_ascii();
    let text = text.strip_suffix("e.p.").unwrap_or(text).trim_ascii_end();
    match read_word(position, text.as_bytes()) {
        Ok(mv) => Found::Legal(mv),
        Err(MoveFault::Illegal | MoveFault::Ambiguous) => Found::Illegal,
        Err(MoveFault::NotAMove | MoveFault::Null) => Found::NotAMove,
    }
}

/// SAN with its check or mate mark.
pub(super) fn write_san(position: &Chess, mv: Move) -> String {
    SanPlus::from_move(position.clone(), mv).to_string()
}
