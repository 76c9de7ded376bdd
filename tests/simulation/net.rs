//! What is wrong with the network, the store and the archive at the moment.

use std::collections::BTreeMap;

use crate::{
    dice::Dice,
    world::{MS, SECOND},
};

#[derive(Default)]
pub(crate) struct Net {
    /// Until when what a worker says does not reach a node, and what a node says does not reach a worker.
    pub(crate) up: BTreeMap<(usize, usize), u64>,
    pub(crate) down: BTreeMap<(usize, usize), u64>,
    /// Until when a node's calls do not reach the store; its answers do not reach the node.
    pub(crate) calls: BTreeMap<usize, u64>,
    pub(crate) answers: BTreeMap<usize, u64>,
    pub(crate) slow_until: u64,
    pub(crate) store_away_until: u64,
    pub(crate) store_slow_until: u64,
    pub(crate) store_lossy_until: u64,
    pub(crate) archive_flaky_until: u64,
    /// Until when the store is nearly full.
    pub(crate) tight_until: u64,
}

impl Net {
    /// Everything is well again.
    pub(crate) fn heal(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn free_up(&self, worker: usize, node: usize) -> u64 {
        self.up.get(&(worker, node)).copied().unwrap_or(0)
    }

    pub(crate) fn free_down(&self, worker: usize, node: usize) -> u64 {
        self.down.get(&(worker, node)).copied().unwrap_or(0)
    }

    pub(crate) fn is_cut(&self, worker: usize, node: usize, now: u64) -> bool {
        self.free_up(worker, node).max(self.free_down(worker, node)) > now
    }

    pub(crate) fn delay(&self, dice: &mut Dice, now: u64) -> u64 {
        if self.slow_until > now && dice.one_in(3) {
            return dice.between(50 * MS, 4 * SECOND);
        }
        dice.between(MS, 15 * MS)
    }

    pub(crate) fn store_is_away(&self, node: usize, now: u64) -> bool {
        self.store_away_until > now || self.calls.get(&node).is_some_and(|until| *until > now)
    }

    pub(crate) fn answers_are_cut(&self, node: usize, now: u64) -> bool {
        self.answers.get(&node).is_some_and(|until| *until > now)
    }

    pub(crate) fn store_delay(&self, dice: &mut Dice, now: u64) -> u64 {
        if self.store_slow_until > now {
            return dice.between(50 * MS, 1_400 * MS);
        }
        dice.between(MS, 8 * MS)
    }
}
