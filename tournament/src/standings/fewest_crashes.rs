//! Fewest crashes and stalls of its own.

use super::tally::Table;

/// Negative, so that fewer is more.
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    -i64::from(table.own[entrant].crashes)
}

/// How many.
pub(super) fn text(value: i64) -> String {
    value.abs().to_string()
}
