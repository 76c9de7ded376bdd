//! Direct encounter (§11.1.1): points in the games among those who are tied.
//!
//! Comparing two at a time is not transitive for three and more, so the whole group gets a table of its own. A part that
//! is still tied, and smaller than the group it came from, gets a fresh one; one that does not split is left to the next
//! criterion.

use super::tally::Table;

/// Half points of each of the group in its games against the others of it, in the group's order.
pub(super) fn values(table: &Table, group: &[usize]) -> Vec<i64> {
    let mut inside = vec![false; table.total.len()];
    for &entrant in group {
        inside[entrant] = true;
    }
    let of = |&entrant: &usize| {
        let among = table.against[entrant].iter().filter(|(other, _)| inside[*other]);
        among.map(|(_, counts)| i64::from(counts.half_points())).sum()
    };
    group.iter().map(of).collect()
}
