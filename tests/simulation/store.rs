//! A store in memory with a real one's semantics: revisions, comparisons, the leader's key with its lease.

use std::collections::BTreeMap;

use bytes::Bytes;
use rookery_coordinator::store::{CommitError, Compare, KeyValue, MAX_BYTES, MAX_COMPARES, MAX_OPS, Op, Revision, Txn};

/// How long a leader's lease lasts without being kept.
pub(crate) const LEASE_NS: u64 = 5_000_000_000;

/// The leader's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leader {
    pub(crate) node: usize,
    pub(crate) since: Revision,
    expires_ns: u64,
}

#[derive(Default)]
pub(crate) struct Store {
    keys: BTreeMap<String, (Bytes, Revision)>,
    pub(crate) revision: Revision,
    pub(crate) leader: Option<Leader>,
    /// It takes nothing that makes it larger.
    pub(crate) full: bool,
}

impl Store {
    pub(crate) fn get(&self, key: &str) -> Option<(&Bytes, Revision)> {
        self.keys.get(key).map(|(value, revision)| (value, *revision))
    }

    pub(crate) fn range(&self, prefix: &str) -> impl Iterator<Item = (&String, &Bytes)> {
        let range = self.keys.range(prefix.to_owned()..);
        let end = prefix.to_owned();
        range.take_while(move |(key, _)| key.starts_with(&end)).map(|(key, (value, _))| (key, value))
    }

    pub(crate) fn load(&self) -> Vec<KeyValue> {
        self.keys.keys().filter_map(|key| self.key_value(key)).collect()
    }

    fn key_value(&self, key: &str) -> Option<KeyValue> {
        let (value, modified) = self.get(key)?;
        Some(KeyValue { key: key.to_owned(), value: value.clone(), modified })
    }

    /// A lease that ended takes the leader's key with it.
    pub(crate) fn expire(&mut self, now: u64) {
        if self.leader.is_some_and(|leader| leader.expires_ns <= now) {
            self.leader = None;
            self.revision += 1;
        }
    }

    /// While no majority is there leases do not end; afterwards they begin anew.
    pub(crate) fn came_back(&mut self, now: u64) {
        if let Some(leader) = &mut self.leader {
            leader.expires_ns = now + LEASE_NS;
        }
    }

    /// Puts the leader's key where none is.
    pub(crate) fn stand(&mut self, node: usize, now: u64) -> Option<Revision> {
        self.expire(now);
        if self.leader.is_some() {
            return None;
        }
        self.revision += 1;
        self.leader = Some(Leader { node, since: self.revision, expires_ns: now + LEASE_NS });
        Some(self.revision)
    }

    /// Keeps a leader's lease; false where it is gone.
    pub(crate) fn keep(&mut self, since: Revision, now: u64) -> bool {
        self.expire(now);
        match &mut self.leader {
            Some(leader) if leader.since == since => {
                leader.expires_ns = now + LEASE_NS;
                true
            }
            _ => false,
        }
    }

    pub(crate) fn resign(&mut self, since: Revision) {
        if self.leader.is_some_and(|leader| leader.since == since) {
            self.leader = None;
            self.revision += 1;
        }
    }

    /// What a transaction of the leader since `since` would be answered; it changes nothing yet.
    pub(crate) fn judge(&mut self, since: Revision, txn: &Txn, now: u64) -> Result<(), CommitError> {
        self.expire(now);
        check(txn)?;
        if self.leader.is_none_or(|leader| leader.since != since) {
            return Err(CommitError::Deposed);
        }
        let grows = txn.ops.iter().any(|op| matches!(op, Op::Put(..)));
        if self.full && grows {
            return Err(CommitError::Full);
        }
        let holds = |compare: &Compare| match compare {
            Compare::Absent(key) => !self.keys.contains_key(key),
            Compare::Modified(key, revision) => self.keys.get(key).is_some_and(|(_, at)| at == revision),
        };
        if !txn.compare.iter().all(holds) {
            let there = txn.compare.iter().filter_map(|compare| self.key_value(compare.key()));
            return Err(CommitError::Conflict(there.collect()));
        }
        Ok(())
    }

    /// Carries out what [`Self::judge`] found good.
    pub(crate) fn carry_out(&mut self, txn: &Txn) -> Revision {
        self.revision += 1;
        for op in &txn.ops {
            match op {
                Op::Put(key, value) => {
                    self.keys.insert(key.clone(), (value.clone(), self.revision));
                }
                Op::Delete(key) => {
                    self.keys.remove(key);
                }
                Op::DeleteRange(from, to) => {
                    let range = self.keys.range(from.clone()..to.clone());
                    let gone: Vec<String> = range.map(|(key, _)| key.clone()).collect();
                    gone.iter().for_each(|key| drop(self.keys.remove(key)));
                }
            }
        }
        self.revision
    }
}

fn check(txn: &Txn) -> Result<(), CommitError> {
    let size = |op: &Op| match op {
        Op::Put(key, value) => key.len() + value.len(),
        Op::Delete(key) => key.len(),
        Op::DeleteRange(from, to) => from.len() + to.len(),
    };
    let bytes: usize = txn.ops.iter().map(size).sum();
    if txn.ops.len() > MAX_OPS || txn.compare.len() > MAX_COMPARES || bytes > MAX_BYTES {
        return Err(CommitError::TooLarge(format!("{} operations, {bytes} bytes", txn.ops.len())));
    }
    let mut puts: Vec<&str> =
        txn.ops.iter().filter_map(|op| if let Op::Put(key, _) = op { Some(key.as_str()) } else { None }).collect();
    puts.sort_unstable();
    if puts.windows(2).any(|two| two[0] == two[1]) {
        return Err(CommitError::TooLarge("a key is written twice".to_owned()));
    }
    let hit = |op: &Op| match op {
        Op::Put(..) => false,
        Op::Delete(key) => puts.binary_search(&key.as_str()).is_ok(),
        Op::DeleteRange(from, to) => puts.iter().any(|key| *key >= from.as_str() && *key < to.as_str()),
    };
    if txn.ops.iter().any(hit) {
        return Err(CommitError::TooLarge("a key is written and deleted".to_owned()));
    }
    Ok(())
}
