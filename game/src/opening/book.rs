//! A book in memory.

use std::sync::Arc;

use memchr::memchr;
use shakmaty::{Chess, EnPassantMode, Position, zobrist::Zobrist64};

use super::{BookOptions, EntryFault, Opening, fischer, load, polyglot, position, rows};
use crate::{
    board::MAX_PLIES,
    pgn::{self, RawGame},
    setup::{GameKind, Start},
};

/// A book: its openings in the file's order. A clone shares the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    pub(super) source: Source,
    pub(super) kind: Kind,
    pub(super) max_plies: Option<u32>,
}

/// Whose openings they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Chess,
    Chess960,
    ChineseCheckers,
}

impl From<Kind> for GameKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Chess => Self::Chess,
            Kind::Chess960 => Self::Chess960,
            Kind::ChineseCheckers => Self::ChineseCheckers,
        }
    }
}

/// Where the openings come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Source {
    /// None at all.
    #[default]
    Nothing,
    /// The start position alone.
    Start,
    /// Lines of FEN or EPD.
    Lines(Arc<Text>),
    /// PGN games.
    Games(Arc<Text>),
    /// Rows of a position schedule.
    Rows(Arc<Text>),
    /// Lines of a Polyglot book.
    Moves(Arc<Vec<polyglot::Line>>),
    /// The start positions of Chess960.
    Fischer,
    /// Those with two different back ranks as well.
    DoubleFischer,
}

/// A file and its entries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) bytes: Box<[u8]>,
    pub(super) entries: Box<[Entry]>,
}

/// Where an entry begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// In bytes; [`super::MAX_BYTES`] fits.
    pub(super) at: u32,
    /// From 1.
    pub(super) line: u32,
}

impl Book {
    /// Reads a book from a file's bytes; `name` is for messages and, with the content, tells the format: FEN or EPD lines,
    /// PGN, Polyglot (`.bin`), or a zip archive with one of them in it; of Chinese checkers, a position schedule in JSONL.
    /// Every entry is looked at.
    ///
    /// # Errors
    /// All broken entries, the first [`super::MAX_ERRORS`] of them in full (unless `skip_broken`), or what is wrong with
    /// the whole.
    pub fn parse(
        name: &str,
        bytes: Vec<u8>,
        kind: GameKind,
        options: &BookOptions,
    ) -> Result<(Self, Vec<super::BookWarning>), super::BookErrors> {
        load::parse(name, bytes, kind, options)
    }

    /// The file of the project's own small book, PGN: balanced openings of two to four moves, for chess.
    pub const OWN: &[u8] = include_bytes!("own.pgn");

    /// The project's own small book ([`Self::OWN`]), read.
    #[must_use]
    pub fn own() -> Self {
        match Self::parse("own.pgn", Self::OWN.to_vec(), GameKind::Chess, &BookOptions::default()) {
            Ok((book, _)) => book,
            // A test holds the file to be clean.
            Err(_) => Self::start(),
        }
    }

    /// The start position of chess alone.
    #[must_use]
    pub fn start() -> Self {
        Self { source: Source::Start, ..Self::default() }
    }

    /// The 960 start positions of Chess960, by Scharnagl's number.
    #[must_use]
    pub fn chess960() -> Self {
        Self { source: Source::Fischer, kind: Kind::Chess960, max_plies: None }
    }

    /// The 921,600 start positions with a back rank of its own for each side: index = 960 × White's number + Black's.
    #[must_use]
    pub fn double_chess960() -> Self {
        Self { source: Source::DoubleFischer, kind: Kind::Chess960, max_plies: None }
    }

    /// How many openings.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Nothing => 0,
            Source::Start => 1,
            Source::Lines(text) | Source::Games(text) | Source::Rows(text) => text.entries.len(),
            Source::Moves(lines) => lines.len(),
            Source::Fischer => fischer::RANKS,
            Source::DoubleFischer => fischer::RANKS * fischer::RANKS,
        }
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One opening; `None` beyond the end.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Opening> {
        if index >= self.len() {
            return None;
        }
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let kind = self.kind.into();
        match &self.source {
            Source::Nothing => None,
            Source::Start => Some(Opening { start: Start::default(), name: String::new(), line: 1 }),
            Source::Lines(text) => {
                let entry = text.entries.get(index)?;
                let placed = from_line(line(&text.bytes, *entry), kind).ok()?;
                let start = Start { position: position::fen(&placed.chess), moves: Vec::new() };
                Some(Opening { start, name: placed.name, line: entry.line })
            }
            Source::Games(text) => {
                let entry = text.entries.get(index)?;
                let raw = pgn::headers(text.bytes.get(entry.at as usize..)?).next()?;
                from_game(&raw, kind, self.max_plies).ok().map(|(opening, _)| Opening { line: entry.line, ..opening })
            }
            Source::Rows(text) => {
                let entry = text.entries.get(index)?;
                rows::opening(line(&text.bytes, *entry), entry.line)
            }
            Source::Moves(lines) => lines.get(index)?.opening(kind, number),
            Source::Fischer => Some(fischer_opening(index, index, number, format!("Chess960 {index}"))),
            Source::DoubleFischer => {
                let (white, black) = (index / fischer::RANKS, index % fischer::RANKS);
                Some(fischer_opening(white, black, number, format!("Chess960 {white}/{black}")))
            }
        }
    }
}

fn fischer_opening(white: usize, black: usize, line: u32, name: String) -> Opening {
    Opening { start: Start { position: fischer::fen(white, black), moves: Vec::new() }, name, line }
}

/// The text of a line entry.
pub(super) fn line(bytes: &[u8], entry: Entry) -> &[u8] {
    let rest = bytes.get(entry.at as usize..).unwrap_or_default();
    &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// Reads a FEN or EPD line.
pub(super) fn from_line(text: &[u8], kind: GameKind) -> Result<position::Placed, EntryFault> {
    let placed = position::read(text, Some(kind)).map_err(EntryFault::Position)?;
    going_on(&placed.chess)?;
    Ok(placed)
}

/// Reads a game of a PGN book, its first `limit` plies at most, and says what was set right.
pub(super) fn from_game(
    raw: &RawGame<'_>,
    kind: GameKind,
    limit: Option<u32>,
) -> Result<(Opening, Vec<position::Repair>), EntryFault> {
    from_game_at(raw, kind, limit).map_err(|(fault, _)| fault)
}

/// As [`from_game`], with the line of a fault, counted as the raw game counts.
pub(super) fn from_game_at(
    raw: &RawGame<'_>,
    kind: GameKind,
    limit: Option<u32>,
) -> Result<(Opening, Vec<position::Repair>), (EntryFault, u32)> {
    let begin = raw.begin(Some(kind)).map_err(|fault| (EntryFault::Game(fault), raw.line))?;
    let limit = limit.map_or(usize::MAX, |limit| limit as usize);
    let mut going = Going::default();
    going.on(&begin.chess).map_err(|fault| (fault, raw.line))?;
    let mut steps = raw.steps(begin.chess);
    let mut moves = Vec::new();
    while moves.len() < limit {
        let Some(step) = steps.next() else { break };
        moves.push(step.map_err(|problem| (EntryFault::Game(problem.fault), problem.line))?);
        if moves.len() > MAX_PLIES {
            return Err((EntryFault::TooLong { limit: MAX_PLIES }, steps.line()));
        }
        if let Err(fault) = going.on(&steps.chess) {
            return Err((fault, steps.line()));
        }
    }
    let mode = position::castling_mode(kind);
    let moves = moves.iter().map(|mv| mv.to_uci(mode).to_string()).collect();
    let position = if begin.position.is_empty() && kind == GameKind::Chess960 {
        // Chess960 has no start position of its own: say which.
        pgn::CLASSIC.to_owned()
    } else {
        begin.position
    };
    let opening = Opening { start: Start { position, moves }, name: name(raw), line: raw.line };
    Ok((opening, begin.repairs))
}

fn name(raw: &RawGame<'_>) -> String {
    let opening = raw.tag("Opening").unwrap_or_default();
    let variation = raw.tag("Variation").unwrap_or_default();
    let name = match (opening.is_empty(), variation.is_empty()) {
        (false, false) => format!("{opening}: {variation}"),
        (false, true) => opening,
        (true, _) => ["ECO", "Eco"].iter().find_map(|name| raw.tag(name)).unwrap_or_default(),
    };
    if name == "?" { String::new() } else { name }
}

pub(super) fn going_on(chess: &Chess) -> Result<(), EntryFault> {
    position::over(chess).map_or(Ok(()), |how| Err(EntryFault::Over { how }))
}

/// Whether a game goes on, ply by ply, repetitions included.
#[derive(Default)]
struct Going {
    /// Positions since the last capture or pawn's move.
    keys: Vec<u64>,
}

impl Going {
    fn on(&mut self, chess: &Chess) -> Result<(), EntryFault> {
        going_on(chess)?;
        if chess.halfmoves() == 0 {
            self.keys.clear();
        }
        let key = chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        self.keys.push(key);
        if self.keys.iter().filter(|&&other| other == key).count() >= 3 {
            return Err(EntryFault::Over { how: "threefold repetition" });
        }
        Ok(())
    }
}
