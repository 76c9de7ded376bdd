//! What any game tells the table.

use std::time::Duration;

use crate::{
    Ending, Outcome, Seat,
    chess::ChessBoard,
    chinese_checkers::ChineseCheckers,
    setup::{GameKind, GameRules, Start},
};

/// Plies that a game may have. No game of chess can be longer: 50 moves at most between the 30 captures and 96 moves of
/// pawns (of which 8 captures do both) are 11,797 plies.
pub const MAX_PLIES: usize = 12_000;

/// Characters of foreign text that an error or a detail carries.
const MAX_SHOWN: usize = 64;

/// A move, opaque outside of the board that made it. Equal moves on equal positions are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) u64);

/// How a move is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `e2e4`, `e7e8q`, castling `e1g1`.
    Uci,
    /// As `Uci`, castling as king takes rook: `e1h1`.
    Uci960,
    /// `Nf3`, `O-O`, `exd8=Q#`.
    San,
    /// Shogi by USI.
    Usi,
    /// Shogi by CSA.
    Csa,
    /// Chinese checkers: `4-15-28`.
    Cells,
}

/// Why a text is not a move here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// Not a move in this form at all: `(none)`, `0000`, an empty text.
    #[error("`{text}` is not a move")]
    NotAMove {
        /// The text, cleaned of control characters and cut to 64 characters.
        text: String,
    },
    /// Well formed, but not legal here.
    #[error("illegal move {text}")]
    Illegal {
        /// The text, cleaned of control characters and cut to 64 characters.
        text: String,
    },
    /// Well formed, but not legal here, and the board can say why.
    #[error("illegal move {text}: {why}")]
    Because {
        /// The text, cleaned of control characters and cut to 64 characters.
        text: String,
        /// For people.
        why: String,
    },
}

/// A position as text, with what kind of text it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// Six clean fields; castling rights by X-FEN, or by Shredder-FEN where X-FEN is ambiguous.
    Fen(String),
    /// Shogi.
    Sfen(String),
    /// Chinese checkers: `cells CELLS player 0 ply 4`.
    Cells(String),
}

/// A declaration that the rules of a game know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declaration {
    /// Shogi's entering king (`%KACHI`).
    EnteringKing,
}

/// A game on the board, with its whole history. It is rebuilt from its start and its moves.
pub trait Board: Send {
    /// Which game.
    fn kind(&self) -> GameKind;
    /// Who moves.
    fn to_move(&self) -> Seat;
    /// Plies played since the start position, opening included.
    fn ply(&self) -> u32;
    /// The full-move number of the move to be made now, as the start position counts it.
    fn move_number(&self) -> u32;
    /// Reads a legal move. Blanks around it do not count.
    ///
    /// `Uci` on a chess board takes castling as `e1g1` and as `e1h1`, which can mean nothing else there; on a Chess960
    /// board `Uci` is `Uci960`, king takes rook alone. A promotion's letter may be in either case. `San` is read as
    /// tolerantly as it stays unambiguous.
    ///
    /// # Errors
    /// When the text is no move, or not a legal one here.
    fn parse(&self, text: &str, form: Form) -> Result<Move, IllegalMove>;
    /// Writes a move that is legal here; of any other, an empty text.
    fn write(&self, mv: Move, form: Form) -> String;
    /// Plays a move that `parse` of this position gave; any other is ignored.
    fn play(&mut self, mv: Move);
    /// How the game ended by its rules alone, after the last move; `None` where it goes on.
    fn ending(&self) -> Option<Outcome>;
    /// Judges a declaration by the side to move with `left` on its clock.
    fn declare(&self, what: Declaration, left: Duration) -> Outcome;
    /// Whether any sequence of legal moves could let `seat` win.
    fn can_win(&self, seat: Seat) -> bool;
    /// Number of legal moves.
    fn legal_count(&self) -> u32;
    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;
    /// The position now.
    fn notation(&self) -> Notation;
    /// A copy to look ahead with.
    fn fork(&self) -> Box<dyn Board>;
    /// The chess position, for what is chess alone.
    fn as_chess(&self) -> Option<&shakmaty::Chess>;
}

/// Why a game cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// This game is not played here.
    #[error("no board for {kind:?}")]
    Unsupported {
        /// Which.
        kind: GameKind,
    },
    /// The position's text is wrong.
    #[error("start position `{text}`: {why}")]
    Position {
        /// The text, cleaned of control characters and cut to 200 characters.
        text: String,
        /// What is wrong and what was expected.
        why: String,
    },
    /// A move of the opening is wrong.
    #[error("opening, ply {ply}: {source}")]
    Move {
        /// Which, from 1.
        ply: usize,
        /// Why.
        source: IllegalMove,
    },
    /// The rules end the game before anybody can think.
    #[error("the game is over after {plies} plies of its opening: {ending}")]
    Over {
        /// Plies of the opening before that.
        plies: usize,
        /// How.
        ending: Ending,
    },
    /// The opening has more moves than a game.
    #[error("an opening of {plies} plies, at most {MAX_PLIES} expected")]
    TooLong {
        /// How many.
        plies: usize,
    },
}

/// The form in which an engine and the record write moves of a game: `Uci960` in Chess960, where castling is king takes
/// rook, `Uci` in chess.
#[must_use]
pub const fn protocol_form(kind: GameKind) -> Form {
    match kind {
        GameKind::Chess => Form::Uci,
        GameKind::Chess960 => Form::Uci960,
        GameKind::Shogi => Form::Usi,
        GameKind::ChineseCheckers => Form::Cells,
    }
}

/// A board at a start position alone: `position` is empty for the game's own. It may be over already. The game's rules
/// are those that nobody chose otherwise.
///
/// # Errors
/// When the text is not a position of this game.
pub fn at(kind: GameKind, position: &str) -> Result<Box<dyn Board>, StartError> {
    under(kind, &GameRules::default(), position)
}

/// As [`at`], under chosen rules.
///
/// # Errors
/// When the text is not a position of this game.
pub fn under(kind: GameKind, rules: &GameRules, position: &str) -> Result<Box<dyn Board>, StartError> {
    match kind {
        GameKind::Chess | GameKind::Chess960 => Ok(Box::new(ChessBoard::new(kind, position)?)),
        GameKind::ChineseCheckers => Ok(Box::new(ChineseCheckers::new(position, rules.chinese_checkers)?)),
        GameKind::Shogi => Err(StartError::Unsupported { kind }),
    }
}

/// A board at the end of an opening, its moves played.
///
/// # Errors
/// When the position or a move is wrong, or the rules have ended the game by then.
pub fn start(kind: GameKind, start: &Start) -> Result<Box<dyn Board>, StartError> {
    if start.moves.len() > MAX_PLIES {
        return Err(StartError::TooLong { plies: start.moves.len() });
    }
    let mut board = at(kind, &start.position)?;
    for plies in 0..=start.moves.len() {
        if let Some(outcome) = board.ending() {
            return Err(StartError::Over { plies, ending: outcome.ending });
        }
        let Some(text) = start.moves.get(plies) else { break };
        let mv =
            board.parse(text, protocol_form(kind)).map_err(|source| StartError::Move { ply: plies + 1, source })?;
        board.play(mv);
    }
    Ok(board)
}

/// Foreign text made fit to show: control characters replaced, at most 64 characters.
#[must_use]
pub fn clean(text: &str) -> String {
    clean_to(text, MAX_SHOWN)
}

/// Foreign text made fit to show: control characters replaced, at most `most` characters.
#[must_use]
pub fn clean_to(text: &str, most: usize) -> String {
    text.chars().take(most).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
