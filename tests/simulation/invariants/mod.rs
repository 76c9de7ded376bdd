//! What must hold, one thought a file. What is watched is what was done to the store, said to workers, and played; the
//! invariants know nothing of how the core came to it.

mod answers;
mod archived;
mod attempts;
mod blame;
mod checkpoints;
mod clean;
mod clocks;
mod fenced;
mod gates;
mod justified;
mod kept;
mod ledger;
mod obeyed;
mod once;
mod outcome;
mod recovered;

use std::collections::BTreeMap;

use rookery_coordinator::{
    core::keys::{self, Parsed},
    store::{Op, Revision, Txn},
};
use rookery_proto::v1;
use rookery_tournament::{Event, Fact, spec::Spec};
use rookery_worker::hall::{Effect, End, Input};

use crate::{
    operator::UID,
    world::{StreamId, World},
};

use ledger::Ledger;

/// `Err`: the invariant's name and what is wrong.
pub(crate) type Holds = Result<(), String>;

/// What a worker's process saw and owes.
#[derive(Debug, Default)]
struct Seen {
    /// The highest leader's revision.
    highest: Revision,
    debts: kept::Debts,
}

/// An event as it was lived through.
pub(crate) struct Lived {
    pub(crate) ledger: Ledger,
    pub(crate) event: Event,
}

pub(crate) struct Watch {
    pub(crate) ledger: Ledger,
    /// The event as it was lived through; of a season the newest.
    pub(crate) event: Event,
    /// Its uid.
    pub(crate) uid: String,
    /// A season's events before, by uid.
    pub(crate) past: BTreeMap<String, Lived>,
    seeds: BTreeMap<String, u64>,
    /// The event is over, and all was looked at.
    pub(crate) ended: bool,
    workers: Vec<Seen>,
}

impl Watch {
    pub(crate) fn new(workers: usize, spec: Spec) -> Self {
        let workers = (0..workers).map(|_| Seen::default()).collect();
        let (past, seeds) = (BTreeMap::new(), BTreeMap::new());
        let (ledger, event, uid) = (Ledger::default(), Event::new(spec), UID.to_owned());
        Self { ledger, event, uid, past, seeds, ended: false, workers }
    }

    /// The ledger of an event; `None`: there is no such event.
    pub(crate) fn ledger_of(&self, uid: &str) -> Option<&Ledger> {
        if uid == self.uid { Some(&self.ledger) } else { self.past.get(uid).map(|lived| &lived.ledger) }
    }

    /// An event as it was lived through; `None`: there is no such event.
    pub(crate) fn event_of(&self, uid: &str) -> Option<&Event> {
        if uid == self.uid { Some(&self.event) } else { self.past.get(uid).map(|lived| &lived.event) }
    }

    fn ledgers(&self) -> impl Iterator<Item = &Ledger> {
        std::iter::once(&self.ledger).chain(self.past.values().map(|lived| &lived.ledger))
    }

    /// From where all that is random of an event comes, once it is open.
    pub(crate) fn seed_of(&self, uid: &str) -> Option<u64> {
        self.seeds.get(uid).copied()
    }

    /// Another event of a season opened.
    fn opened(&mut self, uid: String, value: &[u8]) {
        let json: serde_json::Value = serde_json::from_slice(value).unwrap_or_default();
        let Ok(spec) = serde_json::from_value(json["spec"].clone()) else { return };
        let lived = Lived {
            ledger: std::mem::take(&mut self.ledger),
            event: std::mem::replace(&mut self.event, Event::new(spec)),
        };
        let before = std::mem::replace(&mut self.uid, uid);
        // Before the first event of a season there was none.
        if !lived.ledger.facts.is_empty() {
            self.past.insert(before, lived);
        }
    }

    /// A transaction happened.
    pub(crate) fn executed(&mut self, txn: &Txn, revision: Revision) {
        for op in &txn.ops {
            if let Op::Put(key, value) = op
                && let Parsed::Meta(uid) = keys::parse(key)
                && self.ledger_of(&uid).is_none()
            {
                self.opened(uid, value);
            }
        }
        let mut events: Vec<String> = txn.ops.iter().filter_map(ledger::event_of).collect();
        events.dedup();
        for uid in events {
            let (ledger, event) = match self.past.get_mut(&uid) {
                Some(lived) => (&mut lived.ledger, &mut lived.event),
                None => (&mut self.ledger, &mut self.event),
            };
            let facts = ledger.facts.len();
            ledger.executed(txn, &uid, revision);
            for fact in &ledger.facts[facts..] {
                event.fold_fact(fact);
                if let Fact::Opened { seed, .. } = fact.fact {
                    self.seeds.insert(uid.clone(), seed);
                }
            }
            for op in txn.ops.iter().filter(|op| ledger::event_of(op).as_deref() == Some(uid.as_str())) {
                if let Op::Put(key, value) = op
                    && matches!(keys::parse(key), Parsed::Result(..))
                    && let Some((_, entry)) = ledger::read_result(value)
                {
                    event.fold_result(&entry);
                }
            }
        }
    }

    /// A worker's process began; what it owes outlives it.
    pub(crate) fn started(&mut self, worker: usize) {
        self.workers[worker].highest = 0;
    }

    pub(crate) fn hall(&mut self, worker: usize, input: &Input, effects: &[Effect]) -> Holds {
        let seen = &mut self.workers[worker];
        obeyed::check(&mut seen.highest, input, effects)?;
        seen.debts.heard(input);
        Ok(())
    }

    pub(crate) fn ended(&mut self, worker: usize, end: &End) {
        self.workers[worker].debts.ended(end);
    }
}

impl World {
    /// A transaction is about to happen.
    pub(crate) fn watch_txn(&mut self, node: usize, since: Revision, txn: &Txn) {
        let outcome = self.txn_holds(node, since, txn);
        self.check(outcome);
    }

    fn txn_holds(&self, node: usize, since: Revision, txn: &Txn) -> Holds {
        fenced::check(&self.store, node, since)?;
        for op in &txn.ops {
            let Op::Put(key, value) = op else { continue };
            match keys::parse(key) {
                Parsed::SeasonLog(..) => gates::said_once(self, value)?,
                Parsed::Meta(uid) if self.store.get(key).is_none() => gates::opened(self, &uid)?,
                _ => {}
            }
            let Some(ledger) = ledger::event_of(op).and_then(|uid| self.watch.ledger_of(&uid)) else { continue };
            let parsed = keys::parse(key);
            if let Parsed::Result(uid, _) | Parsed::Checkpoint(uid, ..) = &parsed
                && *uid != self.watch.uid
            {
                return Err(format!("once: {key} is written after its event ended"));
            }
            match parsed {
                Parsed::Result(_, game) => {
                    let (attempt, entry) =
                        ledger::read_result(value).ok_or_else(|| format!("archived: {game}: it does not read"))?;
                    once::recorded(ledger, &game)?;
                    attempts::check(ledger, &game, attempt, &entry)?;
                    let record = archived::check(&self.archive, &game, &entry)?;
                    blame::check(self, &game, &entry)?;
                    clocks::record(self, &game, &record)?;
                }
                Parsed::Checkpoint(_, pair, game, seq) => {
                    checkpoints::check(self, txn, &pair, game, seq, value)?;
                }
                Parsed::Log(..) => once::said(ledger, value)?,
                Parsed::Lease(_, pair) => {
                    once::handed_out(ledger, &pair, &ledger::read_lease(value, 0), since)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// An order leaves a coordinator.
    pub(crate) fn watch_order(&mut self, node: usize, stream: StreamId, response: &v1::AttachResponse) {
        let worker = self.streams[stream].worker;
        let outcome = justified::check(&self.watch, &self.workers[worker].name, response)
            .and_then(|()| clocks::order(self, response));
        self.check(outcome.map_err(|what| format!("{what} (n{node} to w{worker})")));
    }

    pub(crate) fn watch_outbox(&mut self, worker: usize) {
        let outcome = self.watch.workers[worker].debts.check(&self.workers[worker].outbox);
        self.check(outcome.map_err(|what| format!("{what} (w{worker})")));
    }

    /// All that must hold once an event is over.
    pub(crate) fn watch_end(&mut self) {
        let outcome = clean::check(self)
            .and_then(|()| once::all(self))
            .and_then(|()| outcome::check(self))
            .and_then(|()| recovered::check(self));
        self.check(outcome);
    }
}
