//! PGN in.

use shakmaty::{Chess, Position};

use super::{
    annotation,
    lex::{Lexer, Token},
    san::{self, MoveFault},
    split::{Headers, RawGame, headers},
    tag,
};
use crate::{
    GameResult, Ply, Seat,
    board::MAX_PLIES,
    opening::{PositionFault, castling_mode, position},
    record::Note,
    setup::GameKind,
};

/// What stopped a game's reading.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its `FEN` tag.
    #[error("FEN tag: {0}")]
    Position(PositionFault),
    /// A game that is not chess.
    #[error("variant `{text}`: expected chess or Chess960")]
    Variant {
        /// The tag's value.
        text: String,
    },
    /// More plies than a game has.
    #[error("more than {limit} plies")]
    TooLong {
        /// [`crate::board::MAX_PLIES`].
        limit: usize,
    },
    /// A move.
    #[error("move {number} `{text}` is {fault}")]
    Move {
        /// `12.` or `12...`.
        number: String,
        /// The word.
        text: String,
        /// What is wrong with it.
        fault: MoveFault,
    },
}

/// A fault and the line on which it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct Problem {
    /// From 1.
    pub line: u32,
    /// What it is.
    pub fault: Fault,
}

/// A game from a PGN file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Game {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Its tags in order.
    pub tags: Vec<(String, String)>,
    /// Chess or Chess960: by the `Variant` tag, else by castling rights that only Chess960 has.
    pub kind: GameKind,
    /// FEN of the start; empty: that of chess.
    pub position: String,
    /// The main line up to its end or to `problem`, as UCI (Chess960: king takes rook); what the comments say of score,
    /// depth, time and clock is in them, scores from the mover's own view.
    pub plies: Vec<Ply>,
    /// What else the comments say, by ply.
    pub notes: Vec<Note>,
    /// By the `Result` tag, else by the word at the end; `None` is `*`.
    pub result: Option<GameResult>,
    /// Why it ends before its time.
    pub problem: Option<Problem>,
}

impl Game {
    /// The first tag of this name.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The games of a text. Never fails and never panics: what cannot be read of a game is its `problem`, and the next game
/// is read all the same. Nothing but the game at hand is held in memory.
#[must_use]
pub const fn games(text: &[u8]) -> Games<'_> {
    Games(headers(text))
}

/// See [`games`].
#[derive(Debug, Clone)]
pub struct Games<'a>(Headers<'a>);

impl Iterator for Games<'_> {
    type Item = Game;

    fn next(&mut self) -> Option<Game> {
        self.0.next().map(|raw| raw.read())
    }
}

/// Where a game starts, by its tags.
pub(crate) struct Begin {
    pub(crate) chess: Chess,
    pub(crate) kind: GameKind,
    pub(crate) position: String,
    pub(crate) repairs: Vec<position::Repair>,
}

impl RawGame<'_> {
    /// Replays the game.
    #[must_use]
    pub fn read(&self) -> Game {
        let mut game = Game {
            line: self.line,
            tags: self.tags(),
            kind: GameKind::Chess,
            position: String::new(),
            plies: Vec::new(),
            notes: Vec::new(),
            result: None,
            problem: None,
        };
        let tag_result =
            game.tag("Result").and_then(|text| super::split::result_word(text.trim().as_bytes())).flatten();
        let mut word_result = None;
        match self.begin(None) {
            Ok(begin) => {
                game.kind = begin.kind;
                game.position = begin.position;
                word_result = self.replay(begin.chess, &mut game);
            }
            Err(fault) => game.problem = Some(Problem { line: self.line, fault }),
        }
        game.result = tag_result.or(word_result);
        game
    }

    /// The start position; `kind` `None`: by the tags. A game that the tags call neither chess nor Chess960 is a fault in
    /// any case.
    pub(crate) fn begin(&self, kind: Option<GameKind>) -> Result<Begin, Fault> {
        let tagged = self.variant()?;
        let kind = kind.or(tagged);
        let fen = self.tag("FEN").filter(|fen| !fen.trim().is_empty());
        let Some(fen) = fen else {
            let kind = kind.unwrap_or(GameKind::Chess);
            return Ok(Begin { chess: Chess::default(), kind, position: String::new(), repairs: Vec::new() });
        };
        let placed = position::read(fen.as_bytes(), kind).map_err(Fault::Position)?;
        let position = position::fen(&placed.chess);
        let classic = placed.kind == GameKind::Chess && position == CLASSIC;
        let position = if classic { String::new() } else { position };
        Ok(Begin { chess: placed.chess, kind: placed.kind, position, repairs: placed.repairs })
    }

    fn variant(&self) -> Result<Option<GameKind>, Fault> {
        let Some(text) = self.tag("Variant") else { return Ok(None) };
        let name: String = text.to_ascii_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
        match name.as_str() {
            "" | "standard" | "chess" | "normal" | "fromposition" | "none" => Ok(None),
            "chess960" | "fischerandom" | "fischerrandom" | "fischerrandomchess" | "frc" | "dfrc" | "960"
            | "doublefischerandom" | "freestyle" | "freestylechess" => Ok(Some(GameKind::Chess960)),
            _ => Err(Fault::Variant { text: position::quote(text.as_bytes()) }),
        }
    }

    fn replay(&self, mut chess: Chess, game: &mut Game) -> Option<GameResult> {
        let mode = castling_mode(game.kind);
        let mut before = chess.clone();
        let mut words = Lexer::new(self.movetext, self.movetext_line);
        let mut first = true;
        while let Some(token) = words.next() {
            match token {
                Token::Result(result) => return result,
                Token::Comment(bytes) => {
                    comment(&tag::text(bytes), first, &before, game);
                    first = false;
                }
                Token::Move(_) if game.plies.len() >= MAX_PLIES => {
                    let fault = Fault::TooLong { limit: MAX_PLIES };
                    game.problem = Some(Problem { line: words.line(), fault });
                    break;
                }
                Token::Move(word) => match step(&chess, word, words.line()) {
                    Ok(mv) => {
                        game.plies.push(Ply { mv: mv.to_uci(mode).to_string(), ..Ply::default() });
                        before.clone_from(&chess);
                        chess.play_unchecked(mv);
                        first = true;
                    }
                    Err(problem) => {
                        game.problem = Some(problem);
                        break;
                    }
                },
            }
        }
        // The result word is still of use after a bad move.
        words.find_map(|token| if let Token::Result(result) = token { Some(result) } else { None }).flatten()
    }

    /// The moves of the main line, one after the other.
    pub(crate) fn steps(&self, chess: Chess) -> Steps<'_> {
        Steps { chess, words: Lexer::new(self.movetext, self.movetext_line) }
    }
}

/// The main line, move by move.
pub(crate) struct Steps<'a> {
    /// The position after the last move.
    pub(crate) chess: Chess,
    words: Lexer<'a>,
}

impl Steps<'_> {
    /// The line of the last move.
    pub(crate) fn line(&mut self) -> u32 {
        self.words.line()
    }
}

impl Iterator for Steps<'_> {
    type Item = Result<shakmaty::Move, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.words.next()? {
                Token::Result(_) => return None,
                Token::Comment(_) => {}
                Token::Move(word) => {
                    let line = self.words.line();
                    let step = step(&self.chess, word, line);
                    if let Ok(mv) = step {
                        self.chess.play_unchecked(mv);
                    }
                    return Some(step);
                }
            }
        }
    }
}

/// The start position of chess.
pub(crate) const CLASSIC: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Notes of a game that are kept: two a ply.
const MAX_NOTES: usize = 2 * MAX_PLIES;

fn step(chess: &Chess, word: &[u8], line: u32) -> Result<shakmaty::Move, Problem> {
    san::read(chess, word).map_err(|fault| {
        let dots = if chess.turn().is_white() { "." } else { "..." };
        let number = format!("{}{dots}", chess.fullmoves());
        Problem { line, fault: Fault::Move { number, text: position::quote(word), fault } }
    })
}

fn comment(text: &str, first: bool, before: &Chess, game: &mut Game) {
    let left = match game.plies.last_mut() {
        Some(ply) => {
            let mover = if before.turn().is_white() { Seat::First } else { Seat::Second };
            if first {
                annotation::read(text, mover, before, game.kind, ply)
            } else {
                annotation::commands(text, mover, ply)
            }
        }
        None => text.to_owned(),
    };
    let left = left.split_whitespace().collect::<Vec<_>>().join(" ");
    if !left.is_empty() && game.notes.len() < MAX_NOTES {
        game.notes.push(Note { ply: u32::try_from(game.plies.len()).unwrap_or(u32::MAX), text: left });
    }
}
