//! What any game tells the table.

use std::time::Duration;

use crate::{Outcome, Seat, setup::GameKind};

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
}

/// A position as text, with what kind of text it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notation {
    /// Six clean fields; castling rights by X-FEN, or by Shredder-FEN where X-FEN is ambiguous.
    Fen(String),
    /// Shogi.
    Sfen(String),
    /// Chinese checkers.
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
    /// Reads a legal move.
    ///
    /// # Errors
    /// When the text is no move, or not a legal one here.
    fn parse(&self, text: &str, form: Form) -> Result<Move, IllegalMove>;
    /// Writes a move that is legal here.
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
