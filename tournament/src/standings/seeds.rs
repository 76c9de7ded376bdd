//! The seeding: who stands earlier in the roster stands above. It splits every tie.

use super::tally::Table;

/// Negative, so that an earlier one is more.
pub(super) fn value(_table: &Table, entrant: usize) -> i64 {
    -(entrant as i64) - 1
}

/// The number in the roster, from 1.
pub(super) fn text(value: i64) -> String {
    value.abs().to_string()
}
