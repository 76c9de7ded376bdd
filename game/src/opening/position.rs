//! A position as books and PGN tags write it: FEN with six, five or four fields, EPD with opcodes.

use shakmaty::{
    CastlingMode, Chess, EnPassantMode, FromSetup, Position, PositionError, PositionErrorKinds, Setup,
    fen::{Fen, ParseFenError},
};

use crate::setup::GameKind;

/// The longest game on record has 269 moves and the longest possible one under 9,000: a higher number is a slip.
const MAX_MOVE_NUMBER: i64 = 9_999;

/// A clock of reversible half-moves beyond this is a slip; from 100 on the game is over anyway.
const MAX_HALFMOVES: i64 = 9_999;

/// Characters of foreign text that a message repeats.
const QUOTED: usize = 64;

/// Why a text is not a position to play from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionFault {
    /// Too few fields.
    #[error("expected a board, the side to move, castling rights and an en passant square, found {found} of the four")]
    Fields {
        /// How many there are.
        found: usize,
    },
    /// A field that does not read.
    #[error("`{text}` is not {expected}")]
    Field {
        /// What it should be, with its article.
        expected: &'static str,
        /// The field, cleaned and cut.
        text: String,
    },
    /// It reads, but cannot be played from.
    #[error("not a legal position: {why}")]
    Illegal {
        /// What is wrong with it.
        why: &'static str,
    },
    /// Castling rights that chess does not have.
    #[error(
        "castling rights of Chess960 in a book for chess: expected king on e1 or e8 and rook in a corner, or `game = \"chess960\"`"
    )]
    Chess960,
}

/// What was set right in a position that is otherwise clear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// A castling right without its king or rook was dropped.
    CastlingRight,
    /// An en passant square that no pawn can just have passed was dropped.
    EnPassant,
    /// A counter out of its range became 0 or 1.
    Counter,
}

impl Repair {
    /// For people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CastlingRight => "a castling right without its king or rook was dropped",
            Self::EnPassant => "an impossible en passant square was dropped",
            Self::Counter => "a counter out of range was set to its start",
        }
    }
}

/// A position that was read.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// To play from.
    pub(crate) chess: Chess,
    /// Chess or Chess960.
    pub(crate) kind: GameKind,
    /// The operand of `id`.
    pub(crate) name: String,
    /// What was set right.
    pub(crate) repairs: Vec<Repair>,
}

/// Six clean fields.
pub(crate) fn fen(chess: &Chess) -> String {
    let setup = chess.to_setup(EnPassantMode::Always);
    Fen::try_from_setup(setup).unwrap_or_else(shakmaty::fen::LossyFenError::ignore).to_string()
}

/// Castling as the game has it.
pub(crate) const fn castling_mode(kind: GameKind) -> CastlingMode {
    match kind {
        GameKind::Chess960 => CastlingMode::Chess960,
        _ => CastlingMode::Standard,
    }
}

/// Foreign text for a message: one line, no control characters, not long.
pub(crate) fn quote(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Reads a FEN or an EPD line. `kind` `None`: chess, or Chess960 where chess cannot have the castling rights.
pub(crate) fn read(line: &[u8], kind: Option<GameKind>) -> Result<Placed, PositionFault> {
    let mut rest = line;
    let mut fields: [&[u8]; 4] = [b""; 4];
    for (found, field) in fields.iter_mut().enumerate() {
        *field = word(&mut rest);
        if field.is_empty() {
            return Err(PositionFault::Fields { found });
        }
    }
    let mut counters = Counters::default();
    counters.plain(&mut rest);
    let name = opcodes(rest, &mut counters)?;
    let (halfmoves, fullmoves, counted) = counters.values();
    let mut repairs = Vec::new();
    if !counted {
        repairs.push(Repair::Counter);
    }
    // A pocket or a ninth rank belongs to other games, and shakmaty would read it.
    if fields[0].contains(&b'[') || fields[0].iter().filter(|&&b| b == b'/').count() != 7 {
        return Err(field_fault("a board of eight ranks", fields[0]));
    }
    let text = [fields[0], fields[1], fields[2], fields[3]].join(&b' ');
    let mut setup = Fen::from_ascii(&text).map_err(|error| parse_fault(&error, &fields))?.into_setup();
    setup.promoted = shakmaty::Bitboard::EMPTY;
    setup.halfmoves = halfmoves;
    setup.fullmoves = fullmoves.try_into().unwrap_or(std::num::NonZeroU32::MIN);
    let (chess, kind) = place(setup, kind, &mut repairs)?;
    Ok(Placed { chess, kind, name, repairs })
}

fn place(setup: Setup, kind: Option<GameKind>, repairs: &mut Vec<Repair>) -> Result<(Chess, GameKind), PositionFault> {
    let first = kind.unwrap_or(GameKind::Chess);
    let error = match Chess::from_setup(setup.clone(), castling_mode(first)) {
        Ok(chess) => return Ok((chess, first)),
        Err(error) => error,
    };
    let castling = error.kinds().contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS);
    if castling && first == GameKind::Chess {
        let other = Chess::from_setup(setup, CastlingMode::Chess960).or_else(PositionError::ignore_invalid_ep_square);
        match (other, kind) {
            (Ok(_), Some(_)) => return Err(PositionFault::Chess960),
            (Ok(chess), None) => return Ok((chess, GameKind::Chess960)),
            (Err(_), _) => {}
        }
    }
    if castling {
        repairs.push(Repair::CastlingRight);
    }
    if error.kinds().contains(PositionErrorKinds::INVALID_EP_SQUARE) {
        repairs.push(Repair::EnPassant);
    }
    error
        .ignore_invalid_castling_rights()
        .or_else(PositionError::ignore_invalid_ep_square)
        .map(|chess| (chess, first))
        .map_err(|error| PositionFault::Illegal { why: reason(error.kinds()) })
}

fn reason(kinds: PositionErrorKinds) -> &'static str {
    const TABLE: [(PositionErrorKinds, &str); 8] = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or the last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side not to move is in check"),
        (PositionErrorKinds::IMPOSSIBLE_CHECK, "no move can have given this check"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "a side has more pieces than pawns could become"),
        (PositionErrorKinds::VARIANT, "the rules of the game do not allow it"),
    ];
    TABLE.iter().find(|(kind, _)| kinds.contains(*kind)).map_or("it cannot be reached", |(_, why)| why)
}

fn parse_fault(error: &ParseFenError, fields: &[&[u8]; 4]) -> PositionFault {
    match error {
        ParseFenError::InvalidTurn => field_fault("a side to move, `w` or `b`", fields[1]),
        ParseFenError::InvalidCastling => field_fault("castling rights", fields[2]),
        ParseFenError::InvalidEpSquare => field_fault("an en passant square or `-`", fields[3]),
        _ => field_fault("a board of eight ranks", fields[0]),
    }
}

fn field_fault(expected: &'static str, text: &[u8]) -> PositionFault {
    PositionFault::Field { expected, text: quote(text) }
}

/// Takes the next word off the front; empty at the end.
fn word<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let text = rest.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, tail) = text.split_at(end);
    *rest = tail;
    word
}

#[derive(Default)]
struct Counters {
    halfmoves: Option<i64>,
    fullmoves: Option<i64>,
}

impl Counters {
    /// The fifth and sixth field, where they are numbers; a semicolon may follow.
    fn plain(&mut self, rest: &mut &[u8]) {
        for counter in [&mut self.halfmoves, &mut self.fullmoves] {
            let mut tail = *rest;
            let Some(value) = number(word(&mut tail)) else { return };
            *counter = Some(value);
            *rest = tail;
        }
    }

    /// Both, and whether they were in range.
    fn values(&self) -> (u32, u32, bool) {
        let halfmoves = self.halfmoves.unwrap_or(0);
        let fullmoves = self.fullmoves.unwrap_or(1);
        let half_fits = (0..=MAX_HALFMOVES).contains(&halfmoves);
        // Move number 0 is common and means 1: no word about it.
        let full_fits = (0..=MAX_MOVE_NUMBER).contains(&fullmoves);
        let half = if half_fits { u32::try_from(halfmoves).unwrap_or(0) } else { 0 };
        let full = if full_fits { u32::try_from(fullmoves).unwrap_or(1).max(1) } else { 1 };
        (half, full, half_fits && full_fits)
    }
}

fn number(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word.strip_suffix(b";").unwrap_or(word)).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // A number too long for its type is out of any range.
    Some(text.parse().unwrap_or(i64::MAX))
}

/// Reads `hmvc`, `fmvn` and `id` among the opcodes, passes over all others, and gives the name.
fn opcodes(mut rest: &[u8], counters: &mut Counters) -> Result<String, PositionFault> {
    let mut name = String::new();
    loop {
        rest = rest.trim_ascii_start();
        match rest.first() {
            None | Some(b'#') => return Ok(name),
            Some(b';') => {
                rest = &rest[1..];
                continue;
            }
            Some(first) if first.is_ascii_alphabetic() => {}
            Some(_) => return Err(field_fault("a counter or an opcode", word(&mut rest))),
        }
        let end = rest.iter().position(|&b| b.is_ascii_whitespace() || b == b';').unwrap_or(rest.len());
        let (opcode, tail) = rest.split_at(end);
        let operand;
        (operand, rest) = until_semicolon(tail);
        match opcode {
            b"hmvc" => counters.halfmoves = number(operand).or(counters.halfmoves),
            b"fmvn" => counters.fullmoves = number(operand).or(counters.fullmoves),
            b"id" => {
                let bare = operand.strip_prefix(b"\"").unwrap_or(operand);
                name = quote(bare.strip_suffix(b"\"").unwrap_or(bare)).trim().to_owned();
            }
            _ => {}
        }
    }
}

/// The operands up to the semicolon that is not in quotes, and what follows it.
fn until_semicolon(text: &[u8]) -> (&[u8], &[u8]) {
    let mut quoted = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => return (text[..at].trim_ascii(), &text[at + 1..]),
            _ => {}
        }
    }
    (text.trim_ascii(), b"")
}

/// Why nothing can be played from here; `None` where the game goes on.
pub(crate) fn over(chess: &Chess) -> Option<&'static str> {
    if chess.is_checkmate() {
        Some("checkmate")
    } else if chess.is_stalemate() {
        Some("stalemate")
    } else if chess.is_insufficient_material() {
        Some("insufficient material")
    } else if chess.halfmoves() >= 100 {
        Some("fifty moves without a capture or a pawn move")
    } else {
        None
    }
}
