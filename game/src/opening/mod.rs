//! Opening books and which opening a pair gets.
//!
//! A [`Book`] keeps the file's text and where each entry begins, and reads an entry when it is asked for; so a book of a
//! quarter of a million positions costs little more than its file. [`Book::parse`] looks at every entry once, and tells
//! all that is wrong. [`index`] says which opening a pair gets.

mod book;
mod error;
mod fischer;
mod load;
mod order;
mod polyglot;
pub(crate) mod position;
mod rows;
mod together;

pub use book::Book;
pub use error::{BookError, BookErrors, BookWarning, EntryFault, MAX_ERRORS};
pub use load::{BookOptions, MAX_BYTES};
pub use order::{Permutation, index};
pub use polyglot::{DEFAULT_PLIES, MAX_LINES};
pub(crate) use position::castling_mode;
pub use position::{PositionFault, Repair};
pub use together::{MAX_TOGETHER, together};

use crate::setup::Start;

/// One opening of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Where the game starts.
    pub start: Start,
    /// Its name, where the book gives one.
    pub name: String,
    /// The line of the file on which it begins, from 1; its number, from 1, where the book has no lines.
    pub line: u32,
}
