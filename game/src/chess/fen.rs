//! Reading a start position.

use shakmaty::{CastlingMode, Chess, Position, PositionErrorKinds, Square, fen::Fen};

use crate::{
    GameKind,
    board::{StartError, clean, clean_to},
};

/// Longest FEN that is read; the longest possible one has about 100 characters.
const MAX_FEN: usize = 200;

/// Largest counter in a FEN that is believed. Far above any real game, far below where adding plies could overflow.
const MAX_COUNTER: usize = 5;

/// Reads 4 to 6 fields; a missing half-move clock is 0, a missing or zero full-move number is 1. Castling rights by
/// X-FEN or Shredder-FEN.
pub(super) fn read(kind: GameKind, text: &str) -> Result<Chess, StartError> {
    let wrong = |why: String| StartError::Position { text: clean_to(text, MAX_FEN), why };
    if text.len() > MAX_FEN {
        return Err(wrong(format!("longer than {MAX_FEN} characters")));
    }
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    check_fields(&fields).map_err(wrong)?;
    let fen = Fen::from_ascii(fields.join(" ").as_bytes()).map_err(|error| wrong(error.to_string()))?;
    let mode = if kind == GameKind::Chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    fen.into_position(mode).map_err(|error| wrong(explain(error.kinds(), mode)))
}

/// shakmaty reads more than FEN (pockets, remaining checks, promoted men); none of it means anything here.
fn check_fields(fields: &[&str]) -> Result<(), String> {
    let [men, turn, _, en_passant, counters @ ..] = fields else {
        return Err(format!("{} of at least 4 fields (men, side to move, castling, en passant)", fields.len()));
    };
    if counters.len() > 2 {
        return Err(format!("{} fields, at most 6 expected", fields.len()));
    }
    let ranks: Vec<&str> = men.split('/').collect();
    if ranks.len() != 8 {
        return Err(format!("{} ranks, 8 expected", ranks.len()));
    }
    for (rank, text) in (1..=8).rev().zip(&ranks) {
        let mut files = 0;
        for c in text.chars() {
            files += match c {
                '1'..='8' => c.to_digit(10).unwrap_or(0),
                'p' | 'n' | 'b' | 'r' | 'q' | 'k' | 'P' | 'N' | 'B' | 'R' | 'Q' | 'K' => 1,
                _ => return Err(format!("`{}` on rank {rank} is no man", c.escape_default())),
            };
        }
        if files != 8 {
            return Err(format!("rank {rank} has {files} squares, 8 expected"));
        }
    }
    if !matches!(*turn, "w" | "b") {
        return Err(format!("side to move `{}`, `w` or `b` expected", clean(turn)));
    }
    if *en_passant != "-" && Square::from_ascii(en_passant.as_bytes()).is_err() {
        return Err(format!("en passant `{}`, `-` or a square expected", clean(en_passant)));
    }
    for (name, text) in ["half-move clock", "full-move number"].iter().zip(counters) {
        if text.len() > MAX_COUNTER || !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(format!("{name} `{}`, a number of at most {MAX_COUNTER} digits expected", clean(text)));
        }
    }
    Ok(())
}

/// Everything that keeps a well-formed text from being a position, in words. Too much material is refused as well: it
/// is what bounds the number of legal moves, and engines are not made for it.
fn explain(kinds: PositionErrorKinds, mode: CastlingMode) -> String {
    let castling = match mode {
        CastlingMode::Standard => "castling rights without king and rook in place (a Chess960 position?)",
        CastlingMode::Chess960 => "castling rights without king and rook in place",
    };
    let words = [
        (PositionErrorKinds::EMPTY_BOARD, "no men"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "too many kings"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "pawns on the first or last rank"),
        (PositionErrorKinds::INVALID_CASTLING_RIGHTS, castling),
        (PositionErrorKinds::INVALID_EP_SQUARE, "an en passant square that no pawn has just passed"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side that does not move is in check"),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, "a check that no move can have given"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "more men than promotions can give"),
    ];
    let found: Vec<&str> = words.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, word)| *word).collect();
    if found.is_empty() { "not a position of chess".to_owned() } else { found.join(", ") }
}

/// The position as six clean fields. The en passant square is there only where the capture is legal.
pub(super) fn write(position: &Chess) -> String {
    Fen::try_from_setup(position.to_setup(shakmaty::EnPassantMode::Legal))
        .unwrap_or_else(shakmaty::fen::LossyFenError::ignore)
        .to_string()
}
