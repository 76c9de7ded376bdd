use proptest::prelude::*;
use rookery_game::opening::{Permutation, index};

#[test]
fn every_opening_once_before_any_twice() {
    for n in (1..70).chain([96, 255, 256, 257, 960, 1000, 4096, 4097]) {
        for seed in [0, 1, u64::MAX] {
            let mut all: Vec<u64> = (0..n).map(|number| index(seed, "sha256:ab", true, 5, number, n)).collect();
            assert_eq!(index(seed, "sha256:ab", true, 5, n, n), all[0], "wraps around");
            all.sort_unstable();
            assert!(all.into_iter().eq(0..n), "n {n}, seed {seed}");
        }
    }
}

/// These values are on record as seeds in every event ever opened: they may never change.
#[test]
fn pinned_for_ever() {
    let row = |seed, digest: &str, n| (0..8).map(|number| index(seed, digest, true, 0, number, n)).collect::<Vec<_>>();
    assert_eq!(row(1, "sha256:00", 8), PINNED[0]);
    assert_eq!(row(2, "sha256:00", 8), PINNED[1]);
    assert_eq!(row(1, "sha256:01", 8), PINNED[2]);
    assert_eq!(row(1, "sha256:00", 241_670), PINNED[3]);
    assert_eq!(row(u64::MAX, "", u64::MAX), PINNED[4]);
}

const PINNED: [[u64; 8]; 5] = [
    [2, 1, 6, 7, 5, 0, 4, 3],
    [5, 1, 0, 2, 7, 3, 6, 4],
    [7, 4, 2, 6, 5, 0, 1, 3],
    [159_489, 18_776, 35_893, 89_321, 156_663, 5822, 115_963, 178_214],
    [
        12_991_436_356_236_486_673,
        11_927_034_783_536_978_275,
        10_947_359_913_864_169_914,
        10_586_382_738_801_458_176,
        1_994_084_353_939_518_152,
        12_671_523_147_877_255_793,
        10_762_334_828_494_985_021,
        1_135_289_029_351_501_177,
    ],
];

#[test]
fn in_order_unless_asked() {
    assert_eq!(
        (0..10).map(|number| index(7, "x", false, 6, number, 8)).collect::<Vec<_>>(),
        [6, 7, 0, 1, 2, 3, 4, 5, 6, 7]
    );
    assert_eq!(index(7, "x", false, u64::MAX, u64::MAX, 10), 0, "no overflow: 2 × (2⁶⁴ − 1) mod 10");
    assert_eq!(index(7, "x", true, 3, 4, 0), 0);
}

/// No opening sits more often at the front than chance allows.
#[test]
fn seeds_shuffle() {
    let mut first = [0_u32; 8];
    for seed in 0..8000 {
        first[usize::try_from(index(seed, "x", true, 0, 0, 8)).expect("below 8")] += 1;
    }
    // 1000 expected each, standard deviation 30.
    assert!(first.iter().all(|count| (850..1150).contains(count)), "{first:?}");
}

proptest! {
    #[test]
    fn a_permutation_stays_inside(seed: u64, n in 1_u64.., a: u64, b: u64) {
        let permutation = Permutation::new(seed, "d", n);
        let (a, b) = (a % n, b % n);
        prop_assert!(permutation.at(a) < n);
        prop_assert_eq!(permutation.at(a) == permutation.at(b), a == b);
    }
}
