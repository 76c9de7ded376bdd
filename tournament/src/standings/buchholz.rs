//! Buchholz (FIDE C.07): the sum of the opponents' final points, one term a game; and its relatives, which leave the
//! weakest, or the weakest and the strongest, opponents out. An opponent is left out with all its games, so that a Swiss
//! of double rounds cuts whole rounds.

use super::tally::Table;

/// In half points, without the `low` opponents of fewest points and the `high` of most.
fn cut(table: &Table, entrant: usize, low: usize, high: usize) -> i64 {
    let mut terms: Vec<(u32, i64)> = table.against[entrant]
        .iter()
        .map(|(other, counts)| {
            let points = table.points[*other];
            (points, i64::from(points) * i64::from(counts.games()))
        })
        .collect();
    // Of opponents with equal points the one with fewer games goes first, so that the order of entrants says nothing.
    terms.sort_unstable();
    let last = terms.len().saturating_sub(high);
    terms.get(low..last).unwrap_or_default().iter().map(|(_, term)| term).sum()
}

/// All opponents.
pub(super) fn value(table: &Table, entrant: usize) -> i64 {
    cut(table, entrant, 0, 0)
}

/// Without the weakest.
pub(super) fn cut_1(table: &Table, entrant: usize) -> i64 {
    cut(table, entrant, 1, 0)
}

/// Without the two weakest.
pub(super) fn cut_2(table: &Table, entrant: usize) -> i64 {
    cut(table, entrant, 2, 0)
}

/// Without the weakest and the strongest.
pub(super) fn median_1(table: &Table, entrant: usize) -> i64 {
    cut(table, entrant, 1, 1)
}

/// Without the two weakest and the two strongest.
pub(super) fn median_2(table: &Table, entrant: usize) -> i64 {
    cut(table, entrant, 2, 2)
}
