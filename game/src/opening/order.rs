//! Which opening a pair gets: a permutation that is the same on every machine, for ever.

use sha2::{Digest, Sha256};

/// Rounds of the Feistel network. Four make a random permutation of a large domain (Luby and Rackoff 1988); eight leave
/// room for the tiny halves of small books.
const ROUNDS: usize = 8;

/// Goes into the keys, so that another scheme may one day stand beside this one.
const SCHEME: &[u8] = b"rookery opening order 1";

/// A permutation of `0..n`, drawn by a seed and a book's digest. It needs no table, and its values never change: they are
/// on record only as the seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permutation {
    keys: [u64; ROUNDS],
    n: u64,
    half_bits: u32,
}

impl Permutation {
    /// The permutation of `0..n` that `seed` and `digest` draw; `n` 0 counts as 1.
    #[must_use]
    pub fn new(seed: u64, digest: &str, n: u64) -> Self {
        let mut keys = [0; ROUNDS];
        for (block, chunk) in (0_u8..).zip(keys.chunks_mut(4)) {
            let mut hash = Sha256::new();
            hash.update(SCHEME);
            hash.update([block]);
            hash.update(seed.to_be_bytes());
            hash.update(digest.as_bytes());
            for (key, bytes) in chunk.iter_mut().zip(hash.finalize().chunks(8)) {
                *key = bytes.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            }
        }
        let n = n.max(1);
        let bits = u64::BITS - (n - 1).leading_zeros();
        Self { keys, n, half_bits: bits.div_ceil(2).max(1) }
    }

    /// Where `place` goes, for `place` below `n`; a larger one wraps around.
    #[must_use]
    pub fn at(&self, place: u64) -> u64 {
        // Cycle walking: the network permutes a domain of less than 4n; what falls outside is sent on until it is inside.
        let mut value = place % self.n;
        loop {
            value = self.network(value);
            if value < self.n {
                return value;
            }
        }
    }

    fn network(&self, value: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (value >> self.half_bits, value & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood 2014).
const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The index of a pair's opening: `permutation(seed, digest)[(offset + number) mod n]`, or without the permutation
/// where `random` is false. A number beyond the book wraps around. `n` must not be 0 (it gives 0).
#[must_use]
pub fn index(seed: u64, digest: &str, random: bool, offset: u64, number: u64, n: u64) -> u64 {
    if n == 0 {
        return 0;
    }
    let place = (u128::from(offset) + u128::from(number)) % u128::from(n);
    let place = u64::try_from(place).unwrap_or(0);
    if random { Permutation::new(seed, digest, n).at(place) } else { place }
}
