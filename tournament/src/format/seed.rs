//! What is drawn from an event's seed. A draw is put on record, so that this code may change without renaming anything.

/// A permutation of `items`, the same for the same seed (Fisher and Yates, over `SplitMix64`).
pub(super) fn shuffled<T: Clone>(items: &[T], seed: u64) -> Vec<T> {
    let mut items = items.to_vec();
    let mut state = seed;
    for at in (1..items.len()).rev() {
        let other = below(&mut state, at as u64 + 1);
        items.swap(at, other as usize);
    }
    items
}

/// An unbiased number below `bound`, which is not 0.
fn below(state: &mut u64, bound: u64) -> u64 {
    let unbiased = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = next(state);
        if drawn < unbiased {
            return drawn % bound;
        }
    }
}

/// `SplitMix64` (Steele, Lea, Flood 2014).
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
