//! Sonneborn-Berger (§11.1.2): the sum, over each game, of the own result times the opponent's final points.

use super::tally::Table;

/// In quarters of a point.
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    let of =
        |(other, counts): &(usize, super::Counts)| i64::from(counts.half_points()) * i64::from(table.points[*other]);
    table.against[entrant].iter().map(of).sum()
}

/// Points with two decimals.
pub(super) fn text(value: i64) -> String {
    format!("{}.{:02}", value / 4, value % 4 * 25)
}
