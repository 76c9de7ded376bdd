//! Berger tables in closed form (FIDE Handbook C.05 Annex 1): who meets whom on which board of which round, without a
//! list of it. Positions count from 0 here and from 1 in the handbook.

/// Where two positions meet, and which of them has `First`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meeting {
    /// The round, from 0.
    pub(super) round: u32,
    /// The board, from 0, byes not counted.
    pub(super) board: u32,
    /// The position that has `First`.
    pub(super) first: u32,
    /// The other.
    pub(super) second: u32,
}

/// Rounds of a table for `n` entrants.
#[must_use]
pub(super) const fn rounds(n: u32) -> u32 {
    if n < 2 { 0 } else { even(n) - 1 }
}

/// Boards of each round for `n` entrants: with an odd number one of them has a bye.
#[must_use]
pub(super) const fn boards(n: u32) -> u32 {
    n / 2
}

/// Who meets on a board. `round < rounds(n)`, `board < boards(n)`.
#[must_use]
pub(super) fn at(n: u32, round: u32, board: u32) -> Meeting {
    let circle = even(n) - 1;
    // On board 0 of the full table the last position meets the one that the circle turns about; in an odd field that
    // one has the bye.
    let step = if n.is_multiple_of(2) { board } else { board + 1 };
    let pivot = pivot(circle, round);
    let (one, other) =
        if step == 0 { (pivot, circle) } else { ((pivot + step) % circle, (pivot + circle - step) % circle) };
    let (first, second) = colours(n, one, other);
    Meeting { round, board, first, second }
}

/// Where two different positions below `n` meet.
#[must_use]
pub(super) fn find(n: u32, one: u32, other: u32) -> Meeting {
    let circle = even(n) - 1;
    let (low, high) = (one.min(other), one.max(other));
    // In 1-based numbers the sum of two that meet is the round + 1, modulo the circle.
    let sum = if high == circle { 2 * low + 2 } else { low + high + 2 };
    let round = (sum % circle + 2 * circle - 2) % circle;
    let pivot = pivot(circle, round);
    let step = if high == circle {
        0
    } else {
        let distance = (low + circle - pivot) % circle;
        distance.min(circle - distance)
    };
    let board = if n.is_multiple_of(2) { step } else { step - 1 };
    let (first, second) = colours(n, one, other);
    Meeting { round, board, first, second }
}

const fn even(n: u32) -> u32 {
    n + n % 2
}

/// The position that meets the last one in this round: `2p ≡ round` in 0-based numbers.
const fn pivot(circle: u32, round: u32) -> u32 {
    let half = circle.div_ceil(2);
    ((round as u64 * half as u64) % circle as u64) as u32
}

const fn colours(n: u32, one: u32, other: u32) -> (u32, u32) {
    let last = even(n) - 1;
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    let low_first = if high == last { low < even(n) / 2 } else { (low + high) % 2 == 1 };
    if low_first { (low, high) } else { (high, low) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(n: u32) -> Vec<Vec<(u32, u32)>> {
        (0..rounds(n))
            .map(|r| (0..boards(n)).map(|b| at(n, r, b)).map(|m| (m.first + 1, m.second + 1)).collect())
            .collect()
    }

    #[test]
    fn six_as_in_the_handbook() {
        let expected = vec![
            vec![(1, 6), (2, 5), (3, 4)],
            vec![(6, 4), (5, 3), (1, 2)],
            vec![(2, 6), (3, 1), (4, 5)],
            vec![(6, 5), (1, 4), (2, 3)],
            vec![(3, 6), (4, 2), (5, 1)],
        ];
        assert_eq!(table(6), expected);
    }

    #[test]
    fn an_odd_field_is_the_even_one_without_the_last() {
        let expected: Vec<Vec<_>> =
            table(6).into_iter().map(|round| round.into_iter().filter(|&(a, b)| a != 6 && b != 6).collect()).collect();
        assert_eq!(table(5), expected);
    }

    #[test]
    fn finding_is_the_inverse_and_each_two_meet_once() {
        for n in 2..40 {
            let mut met = std::collections::BTreeSet::new();
            for round in 0..rounds(n) {
                let mut busy = std::collections::BTreeSet::new();
                for board in 0..boards(n) {
                    let m = at(n, round, board);
                    assert!(busy.insert(m.first) && busy.insert(m.second), "n {n} round {round} {m:?}");
                    assert!(m.first < n && m.second < n);
                    assert_eq!(find(n, m.first, m.second), m, "n {n}");
                    assert_eq!(find(n, m.second, m.first), m, "n {n}");
                    met.insert((m.first.min(m.second), m.first.max(m.second)));
                }
            }
            assert_eq!(met.len() as u32, n * (n - 1) / 2);
        }
    }
}
