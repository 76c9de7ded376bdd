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
mod justified;
mod kept;
mod ledger;
mod obeyed;
mod once;
mod outcome;
mod recovered;

use rookery_coordinator::{
    core::keys::{self, Parsed},
    store::{Op, Revision, Txn},
};
use rookery_proto::v1;
use rookery_tournament::{Event, spec::Spec};
use rookery_worker::hall::{Effect, End, Input};

use crate::world::{StreamId, World};

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

pub(crate) struct Watch {
    pub(crate) ledger: Ledger,
    /// The event as it was lived through.
    pub(crate) event: Event,
    /// The event is over, and all was looked at.
    pub(crate) ended: bool,
    workers: Vec<Seen>,
}

impl Watch {
    pub(crate) fn new(workers: usize, spec: Spec) -> Self {
        let workers = (0..workers).map(|_| Seen::default()).collect();
        Self { ledger: Ledger::default(), event: Event::new(spec), ended: false, workers }
    }

    /// A transaction happened.
    pub(crate) fn executed(&mut self, txn: &Txn, revision: Revision) {
        let (facts, results) = (self.ledger.facts.len(), self.ledger.results.len());
        self.ledger.executed(txn, revision);
        self.ledger.facts[facts..].iter().for_each(|fact| self.event.fold_fact(fact));
        if self.ledger.results.len() > results {
            for op in &txn.ops {
                if let Op::Put(key, value) = op
                    && matches!(keys::parse(key), Parsed::Result(..))
                    && let Some((_, entry)) = ledger::read_result(value)
                {
                    self.event.fold_result(&entry);
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
        let ledger = &self.watch.ledger;
        fenced::check(&self.store, node, since)?;
        for op in &txn.ops {
            let Op::Put(key, value) = op else { continue };
            match keys::parse(key) {
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
        let outcome = justified::check(&self.watch.ledger, &self.workers[worker].name, response)
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
