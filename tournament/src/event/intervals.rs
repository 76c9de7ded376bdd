//! A set of numbers as runs: games finish nearly in starting order, so a million of them are a few runs.

use std::collections::BTreeMap;

/// A set of numbers; consecutive ones take the room of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Intervals {
    /// Start to end (exclusive); runs neither touch nor overlap.
    runs: BTreeMap<u64, u64>,
    len: u64,
}

impl Intervals {
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    fn run(&self, value: u64) -> Option<(u64, u64)> {
        self.runs.range(..=value).next_back().map(|(&start, &end)| (start, end)).filter(|&(_, end)| value < end)
    }

    pub(crate) fn contains(&self, value: u64) -> bool {
        self.run(value).is_some()
    }

    pub(crate) fn insert(&mut self, value: u64) {
        if self.contains(value) {
            return;
        }
        self.len += 1;
        let end = self.runs.remove(&(value + 1)).unwrap_or(value + 1);
        match self.runs.range_mut(..=value).next_back() {
            Some((_, before)) if *before == value => *before = end,
            _ => {
                self.runs.insert(value, end);
            }
        }
    }

    pub(crate) fn remove(&mut self, value: u64) {
        let Some((start, end)) = self.run(value) else { return };
        self.len -= 1;
        if start < value {
            self.runs.insert(start, value);
        } else {
            self.runs.remove(&start);
        }
        if value + 1 < end {
            self.runs.insert(value + 1, end);
        }
    }

    /// The smallest number from `from` on that is not in the set.
    pub(crate) fn next_absent(&self, from: u64) -> u64 {
        self.run(from).map_or(from, |(_, end)| end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_as_a_set(steps in prop::collection::vec((any::<bool>(), 0u64..40), 0..200)) {
            let (mut runs, mut set) = (Intervals::default(), BTreeSet::new());
            for (insert, value) in steps {
                if insert {
                    runs.insert(value);
                    set.insert(value);
                } else {
                    runs.remove(value);
                    set.remove(&value);
                }
                prop_assert_eq!(runs.len(), set.len() as u64);
                for value in 0..42 {
                    prop_assert_eq!(runs.contains(value), set.contains(&value));
                    let absent = (value..).find(|v| !set.contains(v)).unwrap();
                    prop_assert_eq!(runs.next_absent(value), absent);
                }
                let ends: Vec<_> = runs.runs.iter().collect();
                prop_assert!(ends.windows(2).all(|w| w[0].1 < w[1].0), "{ends:?}");
            }
        }
    }
}
