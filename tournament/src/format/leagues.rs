//! Leagues of one event in several groups, and who meets whom after them (TCEC FRC and DFRC): pure lists, for who opens
//! the events.

/// Seeds in groups of equal strength: seed 1 to the first group, seed 2 to the second, …, and again from the first. A
/// group's order is its seeding.
#[must_use]
pub fn deal<T: Clone>(seeds: &[T], groups: usize) -> Vec<Vec<T>> {
    let groups = groups.max(1);
    let mut dealt = vec![Vec::new(); groups];
    for (at, seed) in seeds.iter().enumerate() {
        dealt[at % groups].push(seed.clone());
    }
    dealt
}

/// Two semi-leagues from the best of four leagues A to D, each best first: A1, B1, C2, D2 and C1, D1, A2, B2; with a third
/// of each also A3, B3 and C3, D3. So nobody meets the next one of its own league before the final league.
#[must_use]
pub fn semi_leagues<T: Clone>(leagues: &[Vec<T>; 4]) -> [Vec<T>; 2] {
    let pick = |places: &[(usize, usize)]| -> Vec<T> {
        places.iter().filter_map(|&(league, place)| leagues[league].get(place).cloned()).collect()
    };
    [pick(&[(0, 0), (1, 0), (2, 1), (3, 1), (0, 2), (1, 2)]), pick(&[(2, 0), (3, 0), (0, 1), (1, 1), (2, 2), (3, 2)])]
}

/// Sizes of `groups` of like strength among `n`: as equal as can be, the larger ones first.
#[must_use]
pub fn sizes(n: usize, groups: usize) -> Vec<usize> {
    let mut left = n;
    (0..groups)
        .map(|at| {
            let size = left.div_ceil(groups - at);
            left -= size;
            size
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_dealt_at_equal_distance() {
        let seeds: Vec<u32> = (1..=10).collect();
        assert_eq!(deal(&seeds, 4), [vec![1, 5, 9], vec![2, 6, 10], vec![3, 7], vec![4, 8]]);
    }

    #[test]
    fn semi_leagues_cross() {
        let league = |name: &str| (1..=3).map(|n| format!("{name}{n}")).collect::<Vec<_>>();
        let three = semi_leagues(&[league("A"), league("B"), league("C"), league("D")]);
        assert_eq!(three, [["A1", "B1", "C2", "D2", "A3", "B3"], ["C1", "D1", "A2", "B2", "C3", "D3"]]);
        let two = ["A", "B", "C", "D"].map(|name| league(name)[..2].to_vec());
        assert_eq!(semi_leagues(&two), [["A1", "B1", "C2", "D2"], ["C1", "D1", "A2", "B2"]]);
    }

    #[test]
    fn forty_four_in_ten_groups() {
        assert_eq!(sizes(44, 10), [5, 5, 5, 5, 4, 4, 4, 4, 4, 4]);
        assert_eq!(sizes(42, 6), [7; 6]);
    }
}
