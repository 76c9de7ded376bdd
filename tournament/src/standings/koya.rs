//! Koya (FIDE C.07): points against those who have at least half of the points of their games.

use super::tally::Table;

/// In half points.
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    table.against[entrant]
        .iter()
        .filter(|(other, _)| table.total[*other].half_points() >= table.total[*other].games())
        .map(|(_, counts)| i64::from(counts.half_points()))
        .sum()
}
