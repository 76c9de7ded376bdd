//! Writes to the store: gathered, sent in batches, repeated until their fate is known.
//!
//! A write is turned into comparisons and operations at the moment it leaves, from what is known then. What it touches
//! is locked from then until it is known whether it happened, so that a pair has one transaction in flight.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use rookery_game::opening::Book;
use rookery_proto::v1;
use rookery_tournament::{
    Fact, GameId, LoggedFact, PairId,
    season::{LoggedSeasonFact, SeasonFact},
};

use super::{
    AskId, Change, Core, Effect, Ticket, limits,
    lists::ListChange,
    stored::{Checkpoint, FleetEntry, Meta, SeasonMeta, StoredResult},
};
use crate::store::{CommitError, Compare, KeyValue, Op, Revision, Txn};

/// One thing to be put on record.
#[derive(Debug, Clone)]
pub(super) enum Write {
    /// Hand a pair out: the hand waits for it with attempt 0.
    HandOut { uid: String, pair: PairId },
    /// Record a game whose record is in the archive.
    Record { uid: String, game: GameId, attempt: Revision, stored: Box<StoredResult> },
    /// End an attempt; the pair is due again.
    TakeBack { uid: String, pair: PairId, attempt: Revision, broken: bool, error: String, reply: Reply },
    /// End an attempt of a pair that is not wanted any more, or delete what an ended one left.
    Drop { uid: String, pair: PairId, revision: Revision, reason: String },
    /// Keep what happened in a running game.
    Checkpoint { uid: String, game: GameId, attempt: Revision, built: Option<Box<(u32, Checkpoint)>> },
    /// A fact, and the leases that it takes back.
    Fact(Box<FactWrite>),
    /// A new event.
    Create(Box<Create>),
    /// A season, or a fact of one.
    Season(Box<SeasonWrite>),
    /// A rating list, or games that are brought into one.
    List(Box<ListWrite>),
    /// A worker is drained or set aside, or that is over.
    Fleet { worker: String, entry: FleetEntry, asks: Vec<AskId> },
}

/// A fact on its way.
#[derive(Debug, Clone)]
pub(super) struct FactWrite {
    pub(super) uid: String,
    pub(super) fact: Fact,
    pub(super) change: Change,
    pub(super) asks: Vec<AskId>,
    /// The game that the answer is about; `None`: the event.
    pub(super) game: Option<GameId>,
    /// Pairs whose attempts end with it.
    pub(super) take_back: Vec<PairId>,
    pub(super) logged: Option<LoggedFact>,
    pub(super) applied: Option<Box<v1::ApplyResponse>>,
    /// What is in play is asked back once it is on record.
    pub(super) hand_back: bool,
}

/// A new event on its way.
#[derive(Debug, Clone)]
pub(super) struct Create {
    pub(super) meta: Meta,
    pub(super) facts: Vec<LoggedFact>,
    /// `None`: it is to be loaded.
    pub(super) books: Option<[Arc<Book>; 2]>,
    pub(super) asks: Vec<AskId>,
    pub(super) response: v1::ApplyResponse,
}

/// A season's fact on its way; with it the season itself, where it is new or changed.
#[derive(Debug, Clone)]
pub(super) struct SeasonWrite {
    pub(super) uid: String,
    pub(super) fact: SeasonFact,
    pub(super) change: Change,
    pub(super) asks: Vec<AskId>,
    /// The season as it is from here on, its count of facts aside.
    pub(super) meta: Option<Box<SeasonMeta>>,
    pub(super) response: Option<Box<v1::ApplyResponse>>,
    pub(super) logged: Option<LoggedSeasonFact>,
}

/// A change of a list on its way.
#[derive(Debug, Clone)]
pub(super) struct ListWrite {
    pub(super) list: String,
    pub(super) change: ListChange,
    pub(super) asks: Vec<AskId>,
}

/// What the worker is told when an attempt was ended.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// Nothing: it is gone, or has nothing of it.
    None,
    /// Its hand-back is on record.
    Recorded(Option<v1::GameId>),
    /// What it said was not taken.
    Discarded(Option<v1::GameId>, v1::DiscardReason, String),
    /// It is to stop.
    Cancel(String),
}

/// What a write locks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    Pair(String, PairId),
    Event(String),
    Name(String),
    Season(String),
    List(String),
    Worker(String),
}

/// A write as a part of a transaction.
pub(super) struct Built {
    pub(super) compare: Vec<Compare>,
    pub(super) ops: Vec<Op>,
    pub(super) proof: Proof,
}

/// By what a write that happened is recognised when its answer was lost.
#[derive(Debug, Clone)]
pub(super) enum Proof {
    /// This value is there.
    Put(String, Bytes),
    /// This key is gone.
    Gone(String),
}

struct Queued {
    write: Write,
    at_ns: u64,
    /// Not with others: a batch that it was in was refused.
    alone: bool,
}

struct Sent {
    writes: Vec<(Write, Proof)>,
    txn: Txn,
    tries: u32,
    /// It may have happened.
    unknown: bool,
    retry_ns: Option<u64>,
}

/// All writes that are not known to have happened.
#[derive(Default)]
pub(super) struct Writes {
    queue: VecDeque<Queued>,
    sent: BTreeMap<Ticket, Sent>,
    nonce: u64,
    hold_ns: u64,
    pub(super) full_until_ns: u64,
    wake_ns: Option<u64>,
}

impl Write {
    pub(super) fn locks(&self) -> Vec<Lock> {
        match self {
            Self::HandOut { uid, pair } | Self::TakeBack { uid, pair, .. } | Self::Drop { uid, pair, .. } => {
                vec![Lock::Pair(uid.clone(), *pair)]
            }
            Self::Record { uid, game, .. } | Self::Checkpoint { uid, game, .. } => {
                vec![Lock::Pair(uid.clone(), game.pair)]
            }
            Self::Fact(fact) => {
                let pairs = fact.take_back.iter().map(|pair| Lock::Pair(fact.uid.clone(), *pair));
                std::iter::once(Lock::Event(fact.uid.clone())).chain(pairs).collect()
            }
            Self::Create(create) => {
                vec![Lock::Name(create.meta.name.clone()), Lock::Event(create.meta.uid.clone())]
            }
            Self::Season(season) => vec![Lock::Season(season.uid.clone())],
            Self::List(list) => vec![Lock::List(list.list.clone())],
            Self::Fleet { worker, .. } => vec![Lock::Worker(worker.clone())],
        }
    }

    pub(super) fn asks(&self) -> &[AskId] {
        match self {
            Self::Fact(fact) => &fact.asks,
            Self::Create(create) => &create.asks,
            Self::Season(season) => &season.asks,
            Self::List(list) => &list.asks,
            Self::Fleet { asks, .. } => asks,
            _ => &[],
        }
    }

    fn asks_mut(&mut self, request: &str) -> Option<&mut Vec<AskId>> {
        match self {
            Self::Fact(fact) if fact.change.request_id == request => Some(&mut fact.asks),
            Self::Create(create) if create.facts.first().is_some_and(|f| f.request_id == request) => {
                Some(&mut create.asks)
            }
            Self::Season(season) if season.change.request_id == request => Some(&mut season.asks),
            Self::List(list) if list.change.request_id() == request => Some(&mut list.asks),
            Self::Fleet { entry, asks, .. } if entry.request_id == request => Some(asks),
            _ => None,
        }
    }

    /// Whether it is given up, not repeated, when the store has no space.
    const fn can_wait(&self) -> bool {
        matches!(self, Self::HandOut { .. } | Self::Checkpoint { .. })
    }
}

impl Writes {
    pub(super) fn len(&self) -> usize {
        self.queue.len() + self.sent.values().map(|sent| sent.writes.len()).sum::<usize>()
    }

    pub(super) fn next_nonce(&mut self) -> u64 {
        self.nonce += 1;
        self.nonce
    }

    /// Joins a question to a write with the same request id that is still on its way.
    pub(super) fn join(&mut self, request: &str, ask: AskId) -> bool {
        if request.is_empty() {
            return false;
        }
        let queued = self.queue.iter_mut().map(|queued| &mut queued.write);
        let sent = self.sent.values_mut().flat_map(|sent| sent.writes.iter_mut().map(|(write, _)| write));
        let Some(asks) = queued.chain(sent).find_map(|write| write.asks_mut(request)) else { return false };
        asks.push(ask);
        true
    }

    /// A new event of this name that is on its way.
    pub(super) fn creating(&self, name: &str) -> bool {
        let sent = self.sent.values().flat_map(|sent| sent.writes.iter().map(|(write, _)| write));
        let mut all = self.queue.iter().map(|queued| &queued.write).chain(sent);
        all.any(|write| match write {
            Write::Create(create) => create.meta.name == name,
            Write::Season(season) => season.meta.as_ref().is_some_and(|meta| meta.name == name),
            _ => false,
        })
    }

    /// When [`Core::flush`] has something to do that no answer brings about.
    pub(super) fn wake_at(&self) -> Option<u64> {
        let retry = self.sent.values().filter_map(|sent| sent.retry_ns).min();
        match (self.wake_ns, retry) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// Drops everything; answers the questions that are left without one.
    pub(super) fn clear(&mut self) -> Vec<AskId> {
        let sent = std::mem::take(&mut self.sent).into_values().flat_map(|sent| sent.writes).map(|(write, _)| write);
        let queued = std::mem::take(&mut self.queue).into_iter().map(|queued| queued.write);
        self.wake_ns = None;
        self.hold_ns = 0;
        self.full_until_ns = 0;
        sent.chain(queued).flat_map(|write| write.asks().to_vec()).collect()
    }
}

/// The wait before try number `tries + 1`, nanoseconds.
pub(super) fn back_off_ns(tries: u32) -> u64 {
    let ms = limits::RETRY_MIN_MS.saturating_mul(1 << tries.min(16));
    ms.min(limits::RETRY_MAX_MS) * 1_000_000
}

impl Core {
    pub(super) fn write(&mut self, write: Write) {
        let at_ns = self.now.mono_ns;
        if let Write::Fact(fact) = &write
            && let Some(state) = self.events.get_mut(&fact.uid)
        {
            state.facts_pending += 1;
        }
        if let Write::Season(season) = &write
            && let Some(state) = self.seasons.get_mut(&season.uid)
        {
            state.pending += 1;
        }
        self.writes.queue.push_back(Queued { write, at_ns, alone: false });
    }

    /// Sends what may be sent now: at once where nothing is on its way, else after a short gathering.
    pub(super) fn flush(&mut self) {
        let now = self.now.mono_ns;
        self.resend(now);
        self.writes.wake_ns = None;
        while self.writes.sent.len() < self.config.in_flight {
            let Some(first) = self.writes.queue.front() else { return };
            let due = if self.writes.sent.is_empty() { 0 } else { first.at_ns + self.config.batch_ms * 1_000_000 };
            let due = due.max(self.writes.hold_ns);
            if due > now {
                self.writes.wake_ns = Some(due);
                return;
            }
            if !self.send_batch() {
                return;
            }
        }
    }

    fn resend(&mut self, now: u64) {
        let due = |sent: &Sent| sent.retry_ns.is_some_and(|at| at <= now);
        let tickets: Vec<Ticket> = self.writes.sent.iter().filter(|(_, s)| due(s)).map(|(t, _)| *t).collect();
        for old in tickets {
            let Some(mut sent) = self.writes.sent.remove(&old) else { continue };
            sent.retry_ns = None;
            let ticket = self.ticket();
            self.out.push(Effect::Commit { ticket, txn: sent.txn.clone() });
            self.writes.sent.insert(ticket, sent);
        }
    }

    /// Gathers one transaction from the front of the queue; false where all of it is locked.
    fn send_batch(&mut self) -> bool {
        let locked = self.writes.sent.values().flat_map(|sent| sent.writes.iter().flat_map(|(write, _)| write.locks()));
        let mut locked: BTreeSet<Lock> = locked.collect();
        let mut workers = BTreeSet::new();
        let (mut txn, mut writes, mut bytes) = (Txn::default(), Vec::new(), 0);
        let mut left = VecDeque::new();
        let mut queue = std::mem::take(&mut self.writes.queue);
        while let Some(mut queued) = queue.pop_front() {
            let locks = queued.write.locks();
            let full = writes.len() >= limits::BATCH_WRITES || (queued.alone && !writes.is_empty());
            // An attempt's number is its transaction's revision, so that one worker gets one in a transaction.
            let worker = self.handed_to(&queued.write);
            let again = worker.as_ref().is_some_and(|worker| workers.contains(worker));
            if full || again || locks.iter().any(|lock| locked.contains(lock)) {
                locked.extend(locks);
                left.push_back(queued);
                if full {
                    break;
                }
                continue;
            }
            let Some(built) = self.build(&mut queued.write) else {
                self.moot(queued.write);
                continue;
            };
            let size = size(&built);
            let fits = txn.compare.len() + built.compare.len() <= limits::BATCH_OPS
                && txn.ops.len() + built.ops.len() <= limits::BATCH_OPS
                && bytes + size <= limits::BATCH_BYTES;
            if !fits && !writes.is_empty() {
                left.push_back(queued);
                break;
            }
            bytes += size;
            workers.extend(worker);
            locked.extend(locks);
            txn.compare.extend(built.compare);
            txn.ops.extend(built.ops);
            writes.push((queued.write, built.proof));
            if queued.alone {
                break;
            }
        }
        left.append(&mut queue);
        // What `moot` queued meanwhile comes last.
        left.append(&mut self.writes.queue);
        self.writes.queue = left;
        if writes.is_empty() {
            return false;
        }
        let ticket = self.ticket();
        self.out.push(Effect::Commit { ticket, txn: txn.clone() });
        self.writes.sent.insert(ticket, Sent { writes, txn, tries: 0, unknown: false, retry_ns: None });
        true
    }

    fn handed_to(&self, write: &Write) -> Option<String> {
        let Write::HandOut { uid, pair } = write else { return None };
        self.hand(uid, *pair).map(|hand| hand.worker.clone())
    }

    /// The store's answer.
    pub(super) fn committed(&mut self, ticket: Ticket, outcome: Result<Revision, CommitError>) {
        let Some(mut sent) = self.writes.sent.remove(&ticket) else { return };
        match outcome {
            Ok(revision) => self.happened(sent, revision),
            Err(CommitError::Conflict(there)) => self.conflict(sent, &there),
            Err(CommitError::Deposed) => {
                self.writes.sent.insert(ticket, sent);
                self.step_down();
            }
            Err(error @ (CommitError::Unknown(_) | CommitError::Unavailable(_))) => {
                self.alarm("store", error.to_string());
                sent.unknown |= matches!(error, CommitError::Unknown(_));
                self.later(ticket, sent);
            }
            Err(CommitError::Full) => {
                let text = "the store is full: results are kept by the workers, nothing is handed out";
                self.alarm("store", text.to_owned());
                self.writes.full_until_ns = self.now.mono_ns + limits::FULL_MS * 1_000_000;
                self.give_up_what_can_wait(ticket, sent);
            }
            Err(error @ CommitError::TooLarge(_)) => {
                if sent.writes.len() > 1 {
                    self.one_by_one(sent.writes);
                } else if let Some((write, _)) = sent.writes.pop() {
                    self.alarm("store", error.to_string());
                    self.failed(write, None, &error.to_string());
                }
            }
        }
    }

    fn happened(&mut self, sent: Sent, revision: Revision) {
        self.alarms.remove("store");
        let lines = self.journal_lines(&sent.txn, sent.writes.iter().map(|(write, _)| write));
        let from = self.out.len();
        for (write, _) in sent.writes {
            self.done(write, revision);
        }
        self.journal(lines, from);
    }

    fn later(&mut self, ticket: Ticket, mut sent: Sent) {
        sent.retry_ns = Some(self.now.mono_ns + back_off_ns(sent.tries));
        sent.tries += 1;
        self.writes.sent.insert(ticket, sent);
    }

    fn conflict(&mut self, mut sent: Sent, there: &[KeyValue]) {
        if sent.unknown
            && let Some(revision) = proven_batch(&sent.writes, there)
        {
            self.happened(sent, revision);
        } else if sent.writes.len() > 1 {
            self.one_by_one(sent.writes);
        } else if let Some((write, _)) = sent.writes.pop() {
            self.failed(write, Some(there), "something else is on record");
        }
    }

    fn one_by_one(&mut self, writes: Vec<(Write, Proof)>) {
        let at_ns = self.now.mono_ns;
        for (write, _) in writes.into_iter().rev() {
            self.writes.queue.push_front(Queued { write, at_ns, alone: true });
        }
    }

    fn give_up_what_can_wait(&mut self, ticket: Ticket, sent: Sent) {
        // What may have happened is asked again until it is known.
        if sent.unknown || sent.writes.iter().all(|(write, _)| !write.can_wait()) {
            self.later(ticket, sent);
            return;
        }
        let at_ns = self.now.mono_ns;
        self.writes.hold_ns = at_ns + back_off_ns(4);
        for (write, _) in sent.writes.into_iter().rev() {
            if write.can_wait() {
                self.failed(write, None, "the store is full");
            } else {
                self.writes.queue.push_front(Queued { write, at_ns, alone: false });
            }
        }
    }
}

fn size(built: &Built) -> usize {
    let put = |op: &Op| match op {
        Op::Put(key, value) => key.len() + value.len(),
        Op::Delete(key) => key.len(),
        Op::DeleteRange(from, to) => from.len() + to.len(),
    };
    built.ops.iter().map(put).sum()
}

/// The revision at which a transaction happened, where what is there proves it. A deleted key has no revision, so that
/// it is asked only where nothing was put.
fn proven_batch(writes: &[(Write, Proof)], there: &[KeyValue]) -> Option<Revision> {
    let put = |proof: &Proof| matches!(proof, Proof::Put(..));
    let puts = writes.iter().any(|(_, proof)| put(proof));
    writes.iter().filter(|(_, proof)| put(proof) == puts).find_map(|(_, proof)| proven(proof, there))
}

/// The revision at which a write happened, where what is there proves it.
fn proven(proof: &Proof, there: &[KeyValue]) -> Option<Revision> {
    match proof {
        Proof::Put(key, value) => there.iter().find(|kv| kv.key == *key && kv.value == *value).map(|kv| kv.modified),
        // A deleted key has no revision; nothing rests on it.
        Proof::Gone(key) => there.iter().all(|kv| kv.key != *key).then_some(0),
    }
}
