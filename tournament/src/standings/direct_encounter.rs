//! Direct encounter (§11.1.1): points in the games among those who are tied.
//!
//! Comparing two at a time is not transitive for three and more, so the whole group gets a table of its own. A part that
//! is still tied, and smaller than the group it came from, gets a fresh one; one that does not split is left to the next
//! criterion.

use super::tally::Table;

/// Half points of an entrant in its games against the others of the group.
pub(super) fn value(table: &Table, group: &[usize], entrant: usize) -> i64 {
    let among = table.against[entrant].iter().filter(|(other, _)| group.contains(other));
    among.map(|(_, counts)| i64::from(counts.half_points())).sum()
}

/// The group in parts, best first; those of one part stay tied.
pub(super) fn split(table: &Table, group: Vec<usize>) -> Vec<Vec<usize>> {
    let parts = super::rank::split_by(group.clone(), |a, b| value(table, &group, a).cmp(&value(table, &group, b)));
    if parts.len() < 2 {
        return parts;
    }
    parts.into_iter().flat_map(|part| if part.len() < 2 { vec![part] } else { split(table, part) }).collect()
}
