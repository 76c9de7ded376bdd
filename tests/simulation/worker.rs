//! A worker's process: the real hall, with what its link does around it, and an outbox that outlives it.

use std::collections::{BTreeMap, VecDeque};

use rookery_proto::v1::{self, attach_request::Message, attach_response};
use rookery_worker::hall::{Effect, End, GameKey, Hall, Input, SlotShape};

use crate::{
    slot::Game,
    world::{Event, MS, SECOND, StreamId, World},
};

const BACK_OFF_LEAST: u64 = 50 * MS;
const BACK_OFF_MOST: u64 = 3 * SECOND;
/// How long acknowledgements are waited for once nothing is played any more.
const FAREWELL: u64 = 3 * SECOND;

/// What reaches a worker's process.
#[derive(Debug)]
pub(crate) enum WorkerIn {
    Connect(u64),
    NotConnected,
    Beat(u64),
    Said(StreamId, Box<v1::AttachResponse>),
    Gone(StreamId),
    /// A slot's thread: the serial number of its game.
    Slot(usize, u64),
    /// It heeds an interruption.
    Heeds(usize, u64),
    GraceOver(u64),
    Leave(u64),
    Exit,
}

pub(crate) struct Worker {
    pub(crate) name: String,
    pub(crate) boot: u64,
    pub(crate) alive: bool,
    pub(crate) paused: bool,
    pub(crate) inbox: VecDeque<WorkerIn>,
    pub(crate) hall: Hall,
    pub(crate) slots: Vec<Option<Game>>,
    /// Outlives the process.
    pub(crate) outbox: BTreeMap<GameKey, Message>,
    store_id: String,
    pub(crate) men: u32,
    pub(crate) connection: Option<StreamId>,
    connect_at: u64,
    back_off: u64,
    leader: Option<usize>,
    next: usize,
    beat_every: u64,
    beat_at: u64,
    grace_over_at: u64,
    pub(crate) leaving: bool,
    pub(crate) serial: u64,
}

fn shapes(slots: usize) -> Vec<SlotShape> {
    vec![SlotShape { class: 0, cores: 1, memory_bytes: 4 << 30, gpus: 0 }; slots]
}

impl Worker {
    pub(crate) fn new(name: String, slots: usize, men: u32) -> Self {
        Self {
            name,
            boot: 0,
            alive: false,
            paused: false,
            inbox: VecDeque::new(),
            hall: Hall::new(shapes(slots), BTreeMap::new(), String::new()),
            slots: (0..slots).map(|_| None).collect(),
            outbox: BTreeMap::new(),
            store_id: String::new(),
            men,
            connection: None,
            connect_at: 0,
            back_off: BACK_OFF_LEAST,
            leader: None,
            next: 0,
            beat_every: 2 * SECOND,
            beat_at: 0,
            grace_over_at: 0,
            leaving: false,
            serial: 0,
        }
    }

    fn hello(&self) -> v1::Hello {
        let entry = |name: &str| v1::CatalogueEntry { name: name.to_owned(), digest: format!("sha256:{name}") };
        let (store_id, leader_revision) = self.hall.obeyed();
        v1::Hello {
            worker: self.name.clone(),
            boot: format!("{}-{}", self.name, self.boot),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            slots: vec![v1::SlotClass { count: self.slots.len() as u32, cores: 1, memory_bytes: 4 << 30, gpus: 0 }],
            memory_bytes: 64 << 30,
            tablebase_men: self.men,
            protocols: vec!["uci".to_owned()],
            engines: ["a", "b", "c", "d", "e", "f", "g", "h"].map(entry).to_vec(),
            leader_revision,
            store_id: store_id.to_owned(),
            calibration: 1.0,
            ..v1::Hello::default()
        }
    }

    /// Whether nothing is played and nothing waits to be acknowledged.
    pub(crate) fn is_idle(&self) -> bool {
        self.outbox.is_empty() && self.hall.is_empty() && self.slots.iter().all(Option::is_none)
    }
}

impl World {
    pub(crate) fn start_worker(&mut self, worker: usize) {
        let now = self.now;
        let known = &mut self.workers[worker];
        if known.alive {
            return;
        }
        known.alive = true;
        known.paused = false;
        known.boot += 1;
        known.hall = Hall::new(shapes(known.slots.len()), known.outbox.clone(), known.store_id.clone());
        known.slots.iter_mut().for_each(|slot| *slot = None);
        (known.connection, known.leader, known.leaving) = (None, None, false);
        (known.connect_at, known.back_off, known.beat_at) = (now + 1, BACK_OFF_LEAST, 0);
        self.note(|| format!("w{worker} starts"));
        self.watch.started(worker);
        self.worker_soon(worker, 1, WorkerIn::Connect(now + 1));
    }

    /// Kill -9, or the end of the process.
    pub(crate) fn end_worker(&mut self, worker: usize) {
        self.note(|| format!("w{worker} ends"));
        if let Some(stream) = self.workers[worker].connection.take() {
            self.end_up(stream);
        }
        let known = &mut self.workers[worker];
        known.alive = false;
        known.paused = false;
        known.inbox.clear();
        known.slots.iter_mut().for_each(|slot| *slot = None);
    }

    pub(crate) fn worker_in(&mut self, worker: usize, boot: u64, input: WorkerIn) {
        let known = &mut self.workers[worker];
        if !known.alive || known.boot != boot {
            return;
        }
        if known.paused {
            known.inbox.push_back(input);
            return;
        }
        self.worker_takes(worker, input);
    }

    pub(crate) fn wake_worker(&mut self, worker: usize) {
        if !self.workers[worker].alive || !self.workers[worker].paused {
            return;
        }
        self.note(|| format!("w{worker} goes on"));
        self.workers[worker].paused = false;
        while let Some(input) = self.workers[worker].inbox.pop_front() {
            if !self.workers[worker].alive {
                return;
            }
            self.worker_takes(worker, input);
        }
    }

    fn worker_takes(&mut self, worker: usize, input: WorkerIn) {
        match input {
            WorkerIn::Connect(at) => {
                if self.workers[worker].connect_at == at && self.workers[worker].connection.is_none() {
                    self.workers[worker].connect_at = 0;
                    self.connect(worker);
                }
            }
            WorkerIn::NotConnected => self.connect_later(worker, false),
            WorkerIn::Beat(at) => {
                if self.workers[worker].beat_at == at && self.workers[worker].connection.is_some() {
                    self.beat_later(worker);
                    self.hall(worker, Input::Beat);
                }
            }
            WorkerIn::Said(stream, response) => {
                if self.workers[worker].connection == Some(stream) {
                    self.note(|| format!("w{worker} hears {}", crate::brief::down(&response)));
                    if let Some(attach_response::Message::Welcome(welcome)) = &response.message {
                        self.welcomed(worker, welcome);
                    }
                    self.hall(worker, Input::Said(response));
                }
            }
            WorkerIn::Gone(stream) => {
                if self.workers[worker].connection == Some(stream) {
                    self.note(|| format!("w{worker}'s stream is gone"));
                    self.connect_later(worker, false);
                    self.hall(worker, Input::Disconnected);
                }
            }
            WorkerIn::Slot(slot, serial) => self.slot_moves(worker, slot, serial),
            WorkerIn::Heeds(slot, serial) => self.slot_heeds(worker, slot, serial),
            WorkerIn::GraceOver(at) => {
                if self.workers[worker].grace_over_at == at {
                    self.hall(worker, Input::GraceOver);
                }
            }
            WorkerIn::Leave(grace_ms) => {
                self.workers[worker].leaving = true;
                self.note(|| format!("w{worker} is asked to leave within {grace_ms} ms"));
                self.worker_soon(worker, grace_ms * MS + FAREWELL, WorkerIn::Exit);
                self.hall(worker, Input::Leave { grace_ms });
            }
            WorkerIn::Exit => self.end_worker(worker),
        }
    }

    fn connect(&mut self, worker: usize) {
        let node = self.workers[worker].leader.unwrap_or(self.workers[worker].next % self.nodes.len());
        let known = &self.nodes[node];
        let cut = self.net.is_cut(worker, node, self.now);
        if !known.alive || known.paused || cut {
            let after =
                if known.alive { self.dice.between(3 * SECOND, 6 * SECOND) } else { self.dice.between(MS, 50 * MS) };
            return self.worker_soon(worker, after, WorkerIn::NotConnected);
        }
        let stream = self.open_stream(worker, node);
        self.workers[worker].connection = Some(stream);
        let hello = Message::Hello(self.workers[worker].hello());
        self.note(|| format!("w{worker} connects to n{node}"));
        self.send_up(stream, Box::new(hello));
    }

    fn connect_later(&mut self, worker: usize, known_leader: bool) {
        if let Some(stream) = self.workers[worker].connection.take() {
            self.end_up(stream);
        }
        let now = self.now;
        let known = &mut self.workers[worker];
        if !known_leader {
            known.leader = None;
            known.next = known.next.wrapping_add(1);
        }
        let after = known.back_off;
        known.back_off = (known.back_off * 2).min(BACK_OFF_MOST);
        known.connect_at = now + after;
        self.worker_soon(worker, after, WorkerIn::Connect(now + after));
    }

    fn welcomed(&mut self, worker: usize, welcome: &v1::Welcome) {
        let known = &mut self.workers[worker];
        known.back_off = BACK_OFF_LEAST;
        known.beat_every = welcome.beat_ms * MS;
        known.store_id.clone_from(&welcome.store_id);
        known.slots.iter_mut().flatten().for_each(|game| game.retell = true);
        self.beat_later(worker);
    }

    fn beat_later(&mut self, worker: usize) {
        let after = self.workers[worker].beat_every;
        self.workers[worker].beat_at = self.now + after;
        self.worker_soon(worker, after, WorkerIn::Beat(self.now + after));
    }

    pub(crate) fn hall(&mut self, worker: usize, input: Input) {
        let effects = self.workers[worker].hall.handle(input.clone());
        self.watch_hall(worker, &input, &effects);
        for effect in effects {
            self.hall_effect(worker, effect);
        }
        self.watch_outbox(worker);
    }

    fn hall_effect(&mut self, worker: usize, effect: Effect) {
        match effect {
            Effect::Send(message) => {
                if let Some(stream) = self.workers[worker].connection {
                    self.note(|| format!("w{worker} says {}", crate::brief::up(&message)));
                    self.send_up(stream, message);
                }
            }
            Effect::Keep(key, message) => {
                self.workers[worker].outbox.insert(key, *message);
            }
            Effect::Forget(key) => {
                self.workers[worker].outbox.remove(&key);
            }
            Effect::Start { slot, game, attempt, every_ply, .. } => {
                self.slot_starts(worker, slot, *game, attempt, every_ply);
            }
            Effect::Interrupt { slot, reason } => self.slot_interrupt(worker, slot, reason),
            Effect::Follow { .. } => {}
            Effect::Probe(probe) => {
                let result = self.library.tables.get(&probe.position).copied();
                let known = result.is_some() && !self.dice.one_in(10);
                let result =
                    result.filter(|_| known).map_or(v1::GameResult::Unspecified, rookery_coordinator::wire::result);
                let probed = v1::Probed { probe: probe.probe, known, result: result.into(), detail: String::new() };
                self.hall_effect(worker, Effect::Send(Box::new(Message::Probed(probed))));
            }
            Effect::WakeAfter(ms) => {
                let at = self.now + ms * MS;
                self.workers[worker].grace_over_at = at;
                self.worker_soon(worker, ms * MS, WorkerIn::GraceOver(at));
            }
            Effect::Reconnect { leader, why, fatal } => {
                if fatal {
                    self.fail(format!("taken: w{worker} is refused for good: {why}"));
                }
                let leader = leader.and_then(|leader| leader.parse().ok());
                self.workers[worker].leader = leader;
                self.connect_later(worker, leader.is_some());
            }
            Effect::Exit => {
                let boot = self.workers[worker].boot;
                self.push(self.now, Event::Worker(worker, boot, WorkerIn::Exit));
            }
        }
    }

    /// A slot's game ended: its thread reports it.
    pub(crate) fn slot_ended(&mut self, worker: usize, slot: usize, end: End) {
        self.workers[worker].slots[slot] = None;
        self.watch_ended(worker, &end);
        self.hall(worker, Input::Ended { slot, end });
    }
}
