//! Games won: all of them, those as the second seat (black wins), pairs in which both games were won (§11.1.4: both have
//! the same opening), and pairs that gave more than one point.

use super::tally::Table;

/// All games won, by crash, time and adjudication too (§11.2.3).
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    i64::from(table.total[entrant].wins)
}

/// Games won as the second seat.
pub(super) fn as_second(table: &Table, entrant: usize) -> i64 {
    i64::from(table.own[entrant].wins_as_second)
}

/// Pairs won by 2-0.
pub(super) fn double(table: &Table, entrant: usize) -> i64 {
    i64::from(table.total[entrant].pairs[4])
}

/// Pairs won by 2-0 or 1½-½.
pub(super) fn pairs(table: &Table, entrant: usize) -> i64 {
    let pairs = &table.total[entrant].pairs;
    i64::from(pairs[3]) + i64::from(pairs[4])
}
