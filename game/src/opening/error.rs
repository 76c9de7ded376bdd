//! What is wrong with a book.

use std::fmt;

use super::position::{PositionFault, Repair};
use crate::{chinese_checkers::schedule::RowFault, pgn, setup::GameKind};

/// Errors of one book that are listed; the rest are counted.
pub const MAX_ERRORS: usize = 50;

/// What is wrong with one entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryFault {
    /// The position of a FEN or EPD line.
    #[error("{0}")]
    Position(PositionFault),
    /// A game of a PGN book.
    #[error("{0}")]
    Game(pgn::Fault),
    /// A row of a position schedule.
    #[error("{0}")]
    Row(RowFault),
    /// More plies than a game has.
    #[error("more than {limit} plies")]
    TooLong {
        /// [`crate::board::MAX_PLIES`].
        limit: usize,
    },
    /// Nothing is left to play.
    #[error("the game is already over: {how}")]
    Over {
        /// Checkmate, stalemate, …
        how: &'static str,
    },
}

/// What is wrong with one book, as a whole or at one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookError {
    /// An entry.
    #[error("{file}:{line}: {fault}")]
    Entry {
        /// The book; for an archive `archive/member`.
        file: String,
        /// From 1.
        line: u32,
        /// What is wrong.
        fault: EntryFault,
    },
    /// Not one opening in it.
    #[error("{file}: no opening in it: expected EPD or FEN lines, PGN games, a Polyglot book, or rows of a schedule")]
    Empty {
        /// The book.
        file: String,
    },
    /// Not a book by its bytes.
    #[error(
        "{file}: not a book: expected EPD or FEN lines, PGN games, a Polyglot book, or one of them in a zip archive ({why})"
    )]
    NotABook {
        /// The book.
        file: String,
        /// What was seen.
        why: String,
    },
    /// Beyond the limit on its unpacked size.
    #[error("{file}: larger than {limit} bytes unpacked")]
    TooLarge {
        /// The book.
        file: String,
        /// [`super::MAX_BYTES`].
        limit: u64,
    },
    /// There are no books of this game.
    #[error("{file}: books are read for chess and Chess960, schedules for Chinese checkers, not for {kind:?}")]
    Kind {
        /// The book.
        file: String,
        /// The event's game.
        kind: GameKind,
    },
}

/// All that is wrong with a book, at most [`MAX_ERRORS`] listed, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BookErrors {
    /// In the file's order.
    pub errors: Vec<BookError>,
    /// How many more there are.
    pub more: usize,
}

impl BookErrors {
    pub(super) fn push(&mut self, error: BookError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        } else {
            self.more += 1;
        }
    }

    /// How many in all.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.errors.len() + self.more
    }
}

impl From<BookError> for BookErrors {
    fn from(error: BookError) -> Self {
        Self { errors: vec![error], more: 0 }
    }
}

impl fmt::Display for BookErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, error) in self.errors.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{error}")?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for BookErrors {}

/// What a person should know of a book that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookWarning {
    /// Broken entries that were skipped, as asked for.
    #[error("{} broken entries skipped:\n{}", .0.count(), .0)]
    Skipped(BookErrors),
    /// Games without moves and without a position of their own.
    #[error("{file}: {count} empty games skipped")]
    EmptyGames {
        /// The book.
        file: String,
        /// How many.
        count: usize,
    },
    /// Positions that were set right.
    #[error("{file}:{line}: {} ({count} such positions in all)", .repair.as_str())]
    Repaired {
        /// The book.
        file: String,
        /// The first of them.
        line: u32,
        /// What was done.
        repair: Repair,
        /// How many.
        count: usize,
    },
    /// A Polyglot book has more lines than are kept: they end earlier.
    #[error("{file}: lines end after {plies} plies: one more would make over {limit} of them")]
    Cut {
        /// The book.
        file: String,
        /// Plies of each line.
        plies: usize,
        /// [`super::MAX_LINES`].
        limit: usize,
    },
}
