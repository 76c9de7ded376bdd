//! The one virtual world: its time, its processes, and all that is on its way between them.

use std::{cmp::Reverse, collections::BinaryHeap};

use bytes::Bytes;
use rookery_coordinator::{
    archive::ArchiveError,
    core::{Answer, Denied, SessionId, Ticket},
    store::CommitError,
};
use rookery_proto::v1::{self, attach_request};
use rookery_worker::hall::{Effect as HallEffect, End, Input as HallInput};

use crate::{
    archive::Archive,
    dice::Dice,
    faults::{Fault, Faults},
    history::History,
    invariants::Watch,
    net::Net,
    node::{Call, Node, NodeIn},
    operator::Operator,
    script::{Library, library},
    shape::Shape,
    store::Store,
    worker::{Worker, WorkerIn},
};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MS;

/// A call's deadline.
const DEADLINE: u64 = 3 * SECOND;

pub(crate) type StreamId = usize;

/// What is going to happen.
#[derive(Debug)]
pub(crate) enum Event {
    Node(usize, u64, NodeIn),
    Worker(usize, u64, WorkerIn),
    /// A call of a node's process reaches the store; whether its answer finds the way back.
    Store(usize, u64, Call, bool),
    Up(StreamId, Box<attach_request::Message>),
    Down(StreamId, Box<v1::AttachResponse>),
    /// The worker's end of a stream closed; the node's did; the link between broke.
    EndUp(StreamId),
    EndDown(StreamId),
    Break(StreamId),
    Answered(usize, Box<Result<Answer, Denied>>),
    Operate,
    Fault(Fault),
    Strike,
    Look,
}

struct Queued {
    at: u64,
    seq: u64,
    event: Event,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.seq == other.seq
    }
}
impl Eq for Queued {}
impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Queued {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.seq).cmp(&(other.at, other.seq))
    }
}

/// One worker's stream to one coordinator's process.
pub(crate) struct Stream {
    pub(crate) worker: usize,
    pub(crate) worker_boot: u64,
    pub(crate) node: usize,
    pub(crate) node_boot: u64,
    pub(crate) session: Option<SessionId>,
    /// When the last message of each direction arrives: a stream keeps its order.
    up_at: u64,
    down_at: u64,
    /// Nothing more arrives.
    cut: bool,
}

pub(crate) struct World {
    pub(crate) now: u64,
    /// Since when all is done.
    pub(crate) over_since: Option<u64>,
    seq: u64,
    queue: BinaryHeap<Reverse<Queued>>,
    pub(crate) seed: u64,
    pub(crate) dice: Dice,
    pub(crate) history: History,
    pub(crate) library: &'static Library,
    pub(crate) shape: Shape,
    pub(crate) store: Store,
    pub(crate) archive: Archive,
    pub(crate) net: Net,
    pub(crate) nodes: Vec<Node>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) operator: Operator,
    pub(crate) faults: Faults,
    pub(crate) watch: Watch,
    /// What was broken, once something is.
    pub(crate) broken: Option<String>,
}

impl World {
    pub(crate) fn new(seed: u64, kept: bool) -> Self {
        let mut dice = Dice::new(seed);
        let shape = Shape::of(&mut dice, seed);
        let nodes = (0..dice.between(2, 4)).map(|_| Node::down(0)).collect();
        let workers = (0..dice.between(2, 5)).map(|index| {
            let (slots, men) = (dice.between(1, 4) as usize, *dice.pick(&[0, 0, 7]));
            Worker::new(format!("w{index}"), slots, men)
        });
        let workers: Vec<Worker> = workers.collect();
        let faults = Faults::of(&mut dice);
        let library = library();
        let operator = Operator::of(&mut dice, &shape, library, seed, workers.len(), faults.until);
        let watch = Watch::new(workers.len(), shape.spec.clone());
        Self {
            over_since: None,
            now: SECOND,
            seq: 0,
            queue: BinaryHeap::new(),
            seed,
            dice,
            history: History::new(kept),
            library,
            shape,
            store: Store::default(),
            archive: Archive::default(),
            net: Net::default(),
            nodes,
            workers,
            streams: Vec::new(),
            operator,
            faults,
            watch,
            broken: None,
        }
    }

    /// From where all that is random of the newest event comes.
    pub(crate) fn event_seed(&self) -> u64 {
        self.watch.seed_of(&self.watch.uid).unwrap_or(self.seed)
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        self.history.note(self.now, line);
    }

    /// An invariant does not hold: the first one is what is told.
    pub(crate) fn fail(&mut self, what: String) {
        self.note(|| format!("BROKEN {what}"));
        self.broken.get_or_insert(what);
    }

    pub(crate) fn check(&mut self, outcome: Result<(), String>) {
        if let Err(what) = outcome {
            self.fail(what);
        }
    }

    pub(crate) fn push(&mut self, at: u64, event: Event) {
        self.seq += 1;
        self.queue.push(Reverse(Queued { at, seq: self.seq, event }));
    }

    pub(crate) fn node_soon(&mut self, node: usize, after: u64, input: NodeIn) {
        let boot = self.nodes[node].boot;
        self.push(self.now + after, Event::Node(node, boot, input));
    }

    pub(crate) fn worker_soon(&mut self, worker: usize, after: u64, input: WorkerIn) {
        let boot = self.workers[worker].boot;
        self.push(self.now + after, Event::Worker(worker, boot, input));
    }

    /// The next thing happens. False: nothing is left, or something is broken.
    pub(crate) fn step(&mut self) -> bool {
        if self.broken.is_some() {
            return false;
        }
        let Some(Reverse(Queued { at, event, .. })) = self.queue.pop() else { return false };
        self.now = self.now.max(at);
        self.history.digest = crate::dice::mix(self.history.digest ^ at);
        match event {
            Event::Node(node, boot, input) => self.node_in(node, boot, input),
            Event::Worker(worker, boot, input) => self.worker_in(worker, boot, input),
            Event::Store(node, boot, call, answers) => self.store_call(node, boot, call, answers),
            Event::Up(stream, message) => self.arrives_up(stream, message),
            Event::Down(stream, response) => {
                let Stream { worker, worker_boot, cut, .. } = self.streams[stream];
                if !cut {
                    self.worker_in(worker, worker_boot, WorkerIn::Said(stream, response));
                }
            }
            Event::EndUp(stream) => {
                let Stream { node, node_boot, .. } = self.streams[stream];
                self.node_in(node, node_boot, NodeIn::Gone(stream));
            }
            Event::EndDown(stream) => {
                let Stream { worker, worker_boot, .. } = self.streams[stream];
                self.worker_in(worker, worker_boot, WorkerIn::Gone(stream));
            }
            Event::Break(stream) => self.break_stream(stream),
            Event::Answered(task, answer) => self.answered(task, *answer),
            Event::Operate => self.operate(),
            Event::Fault(fault) => self.strike(fault),
            Event::Strike => self.strike_some(),
            Event::Look => self.look_around(),
        }
        true
    }

    /// Nothing more happens.
    pub(crate) fn stop(&mut self) {
        self.queue.clear();
    }

    // --- streams

    pub(crate) fn open_stream(&mut self, worker: usize, node: usize) -> StreamId {
        self.streams.push(Stream {
            worker,
            worker_boot: self.workers[worker].boot,
            node,
            node_boot: self.nodes[node].boot,
            session: None,
            up_at: self.now,
            down_at: self.now,
            cut: false,
        });
        self.streams.len() - 1
    }

    pub(crate) fn send_up(&mut self, stream: StreamId, message: Box<attach_request::Message>) {
        let delay = self.net.delay(&mut self.dice, self.now);
        let Stream { worker, node, up_at, .. } = self.streams[stream];
        let free = self.net.free_up(worker, node);
        let at = (self.now + delay).max(free).max(up_at + 1);
        self.streams[stream].up_at = at;
        self.push(at, Event::Up(stream, message));
    }

    pub(crate) fn send_down(&mut self, stream: StreamId, response: Box<v1::AttachResponse>) {
        let delay = self.net.delay(&mut self.dice, self.now);
        let Stream { worker, node, down_at, .. } = self.streams[stream];
        let free = self.net.free_down(worker, node);
        let at = (self.now + delay).max(free).max(down_at + 1);
        self.streams[stream].down_at = at;
        self.push(at, Event::Down(stream, response));
    }

    /// The worker closed its end: the node learns it after what is on its way.
    pub(crate) fn end_up(&mut self, stream: StreamId) {
        let delay = self.net.delay(&mut self.dice, self.now);
        let at = (self.now + delay).max(self.streams[stream].up_at + 1);
        self.push(at, Event::EndUp(stream));
    }

    /// The node closed its end.
    pub(crate) fn end_down(&mut self, stream: StreamId) {
        let delay = self.net.delay(&mut self.dice, self.now);
        let at = (self.now + delay).max(self.streams[stream].down_at + 1);
        self.push(at, Event::EndDown(stream));
    }

    /// The link broke: what is on its way is lost, and each end learns it by itself.
    pub(crate) fn break_stream(&mut self, stream: StreamId) {
        if std::mem::replace(&mut self.streams[stream].cut, true) {
            return;
        }
        let (up, down) = (self.dice.roll(15 * SECOND), self.dice.roll(15 * SECOND));
        self.push(self.now + up, Event::EndUp(stream));
        self.push(self.now + down, Event::EndDown(stream));
    }

    fn arrives_up(&mut self, stream: StreamId, message: Box<attach_request::Message>) {
        let Stream { node, node_boot, cut, .. } = self.streams[stream];
        if cut {
            return;
        }
        let input = match *message {
            attach_request::Message::Hello(hello) => NodeIn::Hello(stream, Box::new(hello)),
            _ => NodeIn::Said(stream, message),
        };
        self.node_in(node, node_boot, input);
    }

    // --- the store and the archive

    /// A node asks the store: the call may be lost, late, or its answer lost.
    pub(crate) fn call(&mut self, node: usize, call: Call) {
        let boot = self.nodes[node].boot;
        let now = self.now;
        let away = self.net.store_is_away(node, now);
        let delay = self.net.store_delay(&mut self.dice, now);
        if away {
            // Refused at once, or nobody answers.
            if self.dice.one_in(2) {
                let after = self.dice.between(MS, 100 * MS);
                self.refuse_call(node, call, after, false);
            } else {
                self.refuse_call(node, call, DEADLINE, true);
            }
            return;
        }
        let cut = self.net.answers_are_cut(node, now);
        let lossy = self.net.store_lossy_until > now;
        let chance = if lossy { self.dice.roll(8) } else { 7 };
        match if cut { 2 } else { chance } {
            0 => self.refuse_call(node, call, DEADLINE, true),
            1 => {
                // It happens after its caller gave it up.
                let after = DEADLINE + self.dice.roll(6 * SECOND);
                self.give_up(node, &call, DEADLINE);
                self.push(now + after, Event::Store(node, boot, call, false));
            }
            2 | 3 => {
                self.give_up(node, &call, DEADLINE);
                self.push(now + delay, Event::Store(node, boot, call, false));
            }
            4 => self.refuse_call(node, call, 20 * MS, false),
            _ => self.push(now + delay, Event::Store(node, boot, call, true)),
        }
    }

    fn give_up(&mut self, node: usize, call: &Call, after: u64) {
        if let Call::Commit(epoch, _, ticket, _) = call {
            let outcome = Err(CommitError::Unknown("no answer".to_owned()));
            self.node_soon(node, after, NodeIn::Committed(*epoch, *ticket, outcome));
        }
    }

    fn refuse_call(&mut self, node: usize, call: Call, after: u64, unknown: bool) {
        if let Call::Commit(epoch, _, ticket, _) = call {
            let what = if unknown { CommitError::Unknown } else { CommitError::Unavailable };
            self.node_soon(node, after, NodeIn::Committed(epoch, ticket, Err(what("away".to_owned()))));
        }
    }

    fn store_call(&mut self, node: usize, boot: u64, call: Call, answers: bool) {
        let now = self.now;
        let answer = match call {
            Call::Stand(asked) => NodeIn::Stood(self.store.stand(node, now), asked),
            Call::Keep(since, asked) => NodeIn::Kept(since, self.store.keep(since, now), asked),
            Call::Resign(since) => return self.store.resign(since),
            Call::Load(since) => {
                self.store.expire(now);
                NodeIn::Loaded(since, self.store.load())
            }
            Call::Commit(epoch, since, ticket, txn) => {
                let judged = self.store.judge(since, &txn, now);
                let outcome = match judged {
                    Ok(()) => {
                        self.watch_txn(node, since, &txn);
                        Ok(self.store.carry_out(&txn))
                    }
                    Err(error) => Err(error),
                };
                let word = || match &outcome {
                    Ok(revision) => format!("store: n{node} {} is revision {revision}", ticket.0),
                    Err(error) => format!("store: n{node} {}: {error}", ticket.0),
                };
                self.history.note(now, word);
                if let Ok(revision) = &outcome {
                    self.watch.executed(&txn, *revision);
                    self.follow_season();
                }
                NodeIn::Committed(epoch, ticket, outcome)
            }
        };
        if answers {
            let delay = self.net.store_delay(&mut self.dice, now);
            self.push(now + delay, Event::Node(node, boot, answer));
        }
    }

    pub(crate) fn archive_call(&mut self, node: usize, epoch: u64, since: i64, ticket: Ticket, records: Vec<Bytes>) {
        let away = self.archive.away_until > self.now;
        let flaky = self.net.archive_flaky_until > self.now && self.dice.one_in(3);
        let after = self.dice.between(MS, 30 * MS);
        // A write that fails may have left something behind.
        let written = if !away || self.dice.one_in(4) { Some(self.archive.append(since, &records)) } else { None };
        let outcome = match written {
            Some(locations) if !away && !flaky => Ok(locations),
            _ => Err(ArchiveError::Unavailable("away".to_owned())),
        };
        self.node_soon(node, after, NodeIn::Archived(epoch, ticket, outcome));
    }

    /// The newest event of a season is the one that is played.
    fn follow_season(&mut self) {
        if self.shape.season.is_some() && self.watch.uid != self.operator.event {
            self.shape.spec = self.watch.event.spec().clone();
            self.operator.event.clone_from(&self.watch.uid);
        }
    }

    // --- what is watched

    pub(crate) fn watch_hall(&mut self, worker: usize, input: &HallInput, effects: &[HallEffect]) {
        let outcome = self.watch.hall(worker, input, effects);
        self.check(outcome);
    }

    pub(crate) fn watch_ended(&mut self, worker: usize, end: &End) {
        self.watch.ended(worker, end);
    }
}
