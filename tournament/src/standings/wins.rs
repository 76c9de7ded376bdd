//! Games won: all of them, those as the second seat (black wins), and pairs in which both games were won (§11.1.4: both
//! have the same opening).

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
