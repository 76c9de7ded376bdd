//! Moves as text.

use shakmaty::{
    CastlingMode, Chess, Move, Position, Role, Square,
    san::{San, SanPlus},
    uci::UciMove,
};

/// Longest text that can be a move: `Ng1xf3=Q#!?` with suffixes, and some room.
const MAX_MOVE: usize = 16;

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

/// Reads SAN as books and programs write it: check and mate marks, `!?`, `e.p.`, zeros in castling, a missing `=` or
/// `x`, and more squares than needed (`Ng1-f3`) are all taken; what fits two moves is not legal.
pub(super) fn read_san(position: &Chess, text: &str) -> Found {
    let text = text.trim_ascii();
    if text.len() > MAX_MOVE || !text.is_ascii() {
        return Found::NotAMove;
    }
    let body = text.trim_end_matches(['+', '#', '!', '?', ' ']);
    let body = body.strip_suffix("e.p.").unwrap_or(body).trim_end();
    let mut plain: Vec<u8> = if body.starts_with(['O', '0', 'o']) {
        body.bytes().map(|b| if b == b'-' { b } else { b'O' }).collect()
    } else {
        body.bytes().filter(|b| !matches!(b, b'-' | b'(' | b')' | b'/' | b':')).collect()
    };
    if let [.., rank @ (b'1' | b'8'), letter] = plain.as_slice()
        && matches!(letter.to_ascii_lowercase(), b'n' | b'b' | b'r' | b'q')
    {
        let (rank, letter) = (*rank, *letter);
        plain.truncate(plain.len() - 2);
        plain.extend([rank, b'=', letter]);
    }
    let Ok(san) = San::from_ascii(&plain) else { return Found::NotAMove };
    let other = match san {
        San::Normal { role, file, rank, capture, to, promotion } => {
            San::Normal { role, file, rank, capture: !capture, to, promotion }
        }
        San::Castle(_) => san,
        San::Put { .. } | San::Null => return Found::NotAMove,
    };
    san.to_move(position).or_else(|_| other.to_move(position)).map_or(Found::Illegal, Found::Legal)
}

/// SAN with its check or mate mark.
pub(super) fn write_san(position: &Chess, mv: Move) -> String {
    SanPlus::from_move(position.clone(), mv).to_string()
}
