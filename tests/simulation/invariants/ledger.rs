//! What was put on record, kept apart from the store: what the invariants are held against.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use rookery_coordinator::{
    core::keys::{self, Parsed},
    store::{Op, Revision, Txn},
    wire,
};
use rookery_proto::v1;
use rookery_tournament::{EntrantId, Fact, GameId, LoggedFact, PairId, ResultEntry};

use crate::operator::REASON;

/// A lease as it was written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lease {
    pub(crate) revision: Revision,
    /// Empty: taken back.
    pub(crate) worker: String,
    pub(crate) games: Vec<GameId>,
    /// Games that go on from a position.
    pub(crate) from: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// All leases there ever were, by pair.
    leases: BTreeMap<PairId, Vec<Lease>>,
    /// Those that stand.
    now: BTreeMap<PairId, Lease>,
    pub(crate) results: BTreeMap<GameId, (Revision, ResultEntry)>,
    pub(crate) facts: Vec<LoggedFact>,
    /// Who left, and with which revision.
    pub(crate) left: Vec<(EntrantId, Revision)>,
    /// Since when the event is over by a person's word.
    pub(crate) stopped: Option<Revision>,
    /// Attempts by which a game began on a slot, or of which a new leader cannot know.
    pub(crate) begun: BTreeSet<(GameId, Revision)>,
    /// How many plies an attempt's board has.
    pub(crate) reached: BTreeMap<(GameId, Revision), usize>,
}

/// The event that an operation changes something of.
pub(crate) fn event_of(op: &Op) -> Option<String> {
    let (Op::Put(key, _) | Op::Delete(key)) = op else { return None };
    match keys::parse(key) {
        Parsed::Meta(uid)
        | Parsed::Log(uid, _)
        | Parsed::Result(uid, _)
        | Parsed::Lease(uid, _)
        | Parsed::Checkpoint(uid, ..) => Some(uid),
        _ => None,
    }
}

pub(crate) fn read_lease(value: &Bytes, revision: Revision) -> Lease {
    let value: serde_json::Value = serde_json::from_slice(value).unwrap_or_default();
    let list = |key: &str| value[key].as_array().cloned().unwrap_or_default();
    Lease {
        revision,
        worker: value["worker"].as_str().unwrap_or_default().to_owned(),
        games: list("games").iter().filter_map(|game| game.as_str()?.parse().ok()).collect(),
        from: list("from").iter().filter_map(|from| Some(from[0].as_u64()? as u8)).collect(),
    }
}

pub(crate) fn read_result(value: &Bytes) -> Option<(Revision, ResultEntry)> {
    let json: serde_json::Value = serde_json::from_slice(value).ok()?;
    Some((json["a"].as_i64()?, serde_json::from_slice(value).ok()?))
}

impl Ledger {
    pub(crate) fn lease(&self, pair: &PairId) -> Option<&Lease> {
        self.now.get(pair)
    }

    /// The lease that an attempt had.
    pub(crate) fn attempt(&self, pair: &PairId, attempt: Revision) -> Option<&Lease> {
        self.leases.get(pair)?.iter().find(|lease| lease.revision == attempt)
    }

    pub(crate) fn leases_of(&self, pair: &PairId) -> &[Lease] {
        self.leases.get(pair).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn is_over(&self, pair: &PairId, attempt: Revision) -> bool {
        self.now.get(pair).is_none_or(|lease| lease.revision != attempt)
    }

    /// An attempt by its number and worker alone.
    pub(crate) fn attempt_of(&self, worker: &str, attempt: Revision) -> Option<(PairId, &Lease)> {
        self.leases.iter().find_map(|(pair, leases)| {
            let lease = leases.iter().find(|lease| lease.revision == attempt && lease.worker == worker)?;
            Some((*pair, lease))
        })
    }

    pub(crate) fn did_not_begin(&mut self, order: &v1::GameOrder, attempt: Revision) {
        if let Some(Ok((_, game))) = order.id.as_ref().map(wire::read_game_id) {
            self.begun.remove(&(game, attempt));
        }
    }

    /// Another leads: what stands may have begun.
    pub(crate) fn another_leads(&mut self) {
        for lease in self.now.values() {
            self.begun.extend(lease.games.iter().map(|game| (*game, lease.revision)));
        }
    }

    /// What a transaction did to the event that the ledger is of.
    pub(crate) fn executed(&mut self, txn: &Txn, event: &str, revision: Revision) {
        for op in txn.ops.iter().filter(|op| event_of(op).as_deref() == Some(event)) {
            match op {
                Op::Put(key, value) => match keys::parse(key) {
                    Parsed::Lease(_, pair) => {
                        let lease = read_lease(value, revision);
                        self.leases.entry(pair).or_default().push(lease.clone());
                        self.now.insert(pair, lease);
                    }
                    Parsed::Result(_, game) => {
                        if let Some(result) = read_result(value) {
                            self.results.insert(game, result);
                        }
                    }
                    Parsed::Log(..) => {
                        self.facts.extend(serde_json::from_slice::<LoggedFact>(value));
                        match self.facts.last().map(|logged| &logged.fact) {
                            Some(Fact::Withdrawn { entrant, .. }) => self.left.push((*entrant, revision)),
                            Some(Fact::Stopped { encounter: None, why, .. }) if why == REASON => {
                                self.stopped = Some(revision)
                            }
                            _ => {}
                        }
                    }
                    _ => {}
                },
                Op::Delete(key) => {
                    if let Parsed::Lease(_, pair) = keys::parse(key) {
                        self.now.remove(&pair);
                    }
                }
                Op::DeleteRange(..) => {}
            }
        }
    }

    /// How often a person had a pair tried again.
    pub(crate) fn retried(&self, pair: &PairId) -> u32 {
        let facts = self.facts.iter();
        facts.filter(|fact| matches!(&fact.fact, Fact::Retried { pairs } if pairs.contains(pair))).count() as u32
    }
}
