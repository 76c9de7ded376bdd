//! Moves as files have them.

use shakmaty::{
    Chess, Move, Role,
    san::{San, SanError},
    uci::UciMove,
};

/// Why a word is not a move here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveFault {
    /// It does not read as a move.
    #[error("not a move")]
    NotAMove,
    /// No legal move is written so.
    #[error("an illegal move")]
    Illegal,
    /// More than one legal move is written so.
    #[error("an ambiguous move")]
    Ambiguous,
    /// A null move: no game has one.
    #[error("a null move")]
    Null,
}

/// Reads a legal move: SAN, also with zeros in castling, without `=` or `x`, with `e.p.`; long algebraic; UCI.
pub(crate) fn read(chess: &Chess, word: &[u8]) -> Result<Move, MoveFault> {
    if let Ok(san) = San::from_ascii(word)
        && let Ok(mv) = san.to_move(chess)
    {
        return Ok(mv);
    }
    sloppy(chess, word)
}

/// Longer words are no moves.
const LONGEST: usize = 16;

fn sloppy(chess: &Chess, word: &[u8]) -> Result<Move, MoveFault> {
    if word.len() > LONGEST || !word.is_ascii() {
        return Err(MoveFault::NotAMove);
    }
    let mut word = word.to_vec();
    for suffix in [b"e.p.".as_slice(), b"ep", b"e.p"] {
        if word.len() > suffix.len() && word.ends_with(suffix) {
            word.truncate(word.len() - suffix.len());
        }
    }
    while matches!(word.last(), Some(b'+' | b'#' | b'!' | b'?' | b'.' | b',')) {
        word.pop();
    }
    if matches!(word.as_slice(), b"--" | b"Z0" | b"0000" | b"null" | b"@@@@") {
        return Err(MoveFault::Null);
    }
    if let Some(castling) = castling(&word) {
        return castling.to_move(chess).map_err(|_| MoveFault::Illegal);
    }
    if let Ok(uci) = UciMove::from_ascii(&word.to_ascii_lowercase())
        && uci != UciMove::Null
        && let Ok(mv) = uci.to_move(chess)
    {
        return Ok(mv);
    }
    // `Ng1-f3`, `e7-e8=Q`, `exd5`, `ed5:`: the signs between say nothing that the squares do not.
    word.retain(|b| !matches!(b, b'-' | b'x' | b':' | b'(' | b')' | b'/' | b'='));
    if let [.., b'1' | b'8', promotion] = word.as_slice()
        && let Some(role) = Role::from_char(char::from(*promotion))
        && role != Role::Pawn
    {
        let at = word.len() - 1;
        word.insert(at, b'=');
    }
    let mut fault = MoveFault::NotAMove;
    for capture in [false, true] {
        let Some(san) = with_capture(&word, capture) else { continue };
        match san.to_move(chess) {
            Ok(mv) => return Ok(mv),
            Err(SanError::AmbiguousSan) => return Err(MoveFault::Ambiguous),
            Err(SanError::IllegalSan) => fault = MoveFault::Illegal,
        }
    }
    Err(fault)
}

fn castling(word: &[u8]) -> Option<San> {
    let letters: Vec<u8> =
        word.iter().filter(|&&b| b != b'-').map(|b| if *b == b'0' || *b == b'o' { b'O' } else { *b }).collect();
    match letters.as_slice() {
        b"OO" => Some(San::Castle(shakmaty::CastlingSide::KingSide)),
        b"OOO" => Some(San::Castle(shakmaty::CastlingSide::QueenSide)),
        _ => None,
    }
}

fn with_capture(word: &[u8], taken: bool) -> Option<San> {
    match San::from_ascii(word).ok()? {
        San::Normal { role, file, rank, to, promotion, .. } => {
            Some(San::Normal { role, file, rank, capture: taken, to, promotion })
        }
        other => Some(other),
    }
}
