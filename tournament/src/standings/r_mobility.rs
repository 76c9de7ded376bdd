//! r-mobility (TCEC §11.1.3): in a drawn game the holder of the smallest G gets `1/2 + 1/2^(1+2G)` and the other
//! `1/2 - 1/2^(1+2G)`; in a decided game 1 and 0. An event's value is the sum over all games.
//!
//! 2G reaches 437, beyond what floating point resolves, so sums are kept as signed counts per 2G and compared exactly.

use std::{cmp::Ordering, collections::BTreeMap};

use super::tally::Table;

/// Signed counts of draws held, by 2G. The half points are counted elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mobility {
    counts: BTreeMap<u16, i64>,
}

/// Beyond this many units of one place, lower places cannot turn the sign: fewer than 2^32 games are counted.
const DECIDED: i64 = 1 << 40;

impl Mobility {
    /// Adds a draw (`sign` 1) or takes it away (-1); `held` is twice G, negative where the other side holds it.
    pub(super) fn add(&mut self, held: i16, sign: i64) {
        let step = if held >= 0 { sign } else { -sign };
        let count = self.counts.entry(held.unsigned_abs()).or_insert(0);
        *count += step;
        if *count == 0 {
            self.counts.remove(&held.unsigned_abs());
        }
    }

    /// The sum's part beyond half points, for people.
    fn value(&self) -> f64 {
        self.counts.iter().map(|(&twice, &count)| count as f64 * 0.5f64.powi(i32::from(twice) + 1)).sum()
    }
}

/// Which of two sums is larger, exactly: each is half points / 2 + Σ count / 2^(1+2G).
fn compare(a: (u32, &Mobility), b: (u32, &Mobility)) -> Ordering {
    let mut places: BTreeMap<u16, i64> = a.1.counts.clone();
    for (&twice, &count) in &b.1.counts {
        *places.entry(twice).or_insert(0) -= count;
    }
    // In halves: a half point is one unit of place 0.
    let mut sum = i64::from(a.0) - i64::from(b.0);
    let mut place = 0;
    for (twice, count) in places {
        for _ in place..twice {
            sum = sum.saturating_mul(2);
            if sum.abs() > DECIDED {
                return sum.cmp(&0);
            }
        }
        place = twice;
        sum += count;
    }
    sum.cmp(&0)
}

/// Which of two entrants has the larger sum.
pub(super) fn order(table: &Table, a: usize, b: usize) -> Ordering {
    let side = |e: usize| (table.points[e], &table.own[e].mobility);
    compare(side(a), side(b))
}

/// An entrant's sum, for people.
pub(super) fn text(table: &Table, entrant: usize) -> String {
    let points = f64::from(table.points[entrant]) / 2.0;
    format!("{:.6}", points + table.own[entrant].mobility.value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(held: &[i16]) -> Mobility {
        let mut sum = Mobility::default();
        held.iter().for_each(|&h| sum.add(h, 1));
        sum
    }

    #[track_caller]
    fn check(a: (u32, &[i16]), b: (u32, &[i16]), expected: Ordering) {
        assert_eq!(compare((a.0, &sum(a.1)), (b.0, &sum(b.1))), expected, "{a:?} {b:?}");
        assert_eq!(compare((b.0, &sum(b.1)), (a.0, &sum(a.1))), expected.reverse(), "{b:?} {a:?}");
    }

    #[test]
    fn compared_exactly_where_floating_point_sees_no_difference() {
        check((10, &[437]), (10, &[]), Ordering::Greater);
        check((10, &[436]), (10, &[437]), Ordering::Greater);
        check((10, &[437, 437]), (10, &[436]), Ordering::Equal);
        check((10, &[-437]), (10, &[]), Ordering::Less);
        check((11, &[-1, -437]), (10, &[1]), Ordering::Less);
        check((11, &[-1]), (10, &[1, -437]), Ordering::Greater);
        check((2, &[]), (1, &[0]), Ordering::Equal);
        check((3, &[]), (1, &[0]), Ordering::Greater);
    }

    #[test]
    fn shares_as_published() {
        for (twice, share) in [(1, 0.75), (2, 0.625), (3, 0.5625), (4, 0.53125), (5, 0.515625), (8, 0.501_953_125)] {
            assert_eq!(0.5 + sum(&[twice]).value(), share);
            assert_eq!(0.5 + sum(&[-twice]).value(), 1.0 - share);
        }
    }
}
