//! What goes wrong, and when: a seed has some kinds of faults, at a rate of its own.

use crate::{
    dice::Dice,
    worker::WorkerIn,
    world::{Event, MS, SECOND, World},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    KillNode,
    PauseNode,
    ResignNode,
    KillWorker,
    PauseWorker,
    LeaveWorker,
    BreakStream,
    CutUp,
    CutDown,
    CutBoth,
    CutAll,
    SlowNetwork,
    StoreAway,
    StoreSlow,
    StoreLossy,
    StoreFull,
    StoreTight,
    CutCalls,
    CutAnswers,
    ArchiveAway,
    ArchiveFlaky,
    ClockJump,
}

const KINDS: [Kind; 22] = [
    Kind::KillNode,
    Kind::PauseNode,
    Kind::ResignNode,
    Kind::KillWorker,
    Kind::PauseWorker,
    Kind::LeaveWorker,
    Kind::BreakStream,
    Kind::CutUp,
    Kind::CutDown,
    Kind::CutBoth,
    Kind::CutAll,
    Kind::SlowNetwork,
    Kind::StoreAway,
    Kind::StoreSlow,
    Kind::StoreLossy,
    Kind::StoreFull,
    Kind::StoreTight,
    Kind::CutCalls,
    Kind::CutAnswers,
    Kind::ArchiveAway,
    Kind::ArchiveFlaky,
    Kind::ClockJump,
];

/// What ends a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    StartNode(usize),
    WakeNode(usize),
    StartWorker(usize),
    WakeWorker(usize),
    StoreBack,
    StoreRoom,
    Heal,
}

pub(crate) struct Faults {
    kinds: Vec<Kind>,
    /// Mean time between two, nanoseconds.
    every: u64,
    /// When all is healed.
    pub(crate) until: u64,
    /// Machines fail games.
    pub(crate) machines: bool,
}

impl Faults {
    pub(crate) fn of(dice: &mut Dice) -> Self {
        let share = dice.between(1, 5);
        let mut kinds: Vec<Kind> = KINDS.into_iter().filter(|_| dice.roll(4) < share).collect();
        if kinds.is_empty() {
            kinds = KINDS.to_vec();
        }
        let every = *dice.pick(&[SECOND, 2 * SECOND, 4 * SECOND, 8 * SECOND]);
        let until = dice.between(30, 110) * SECOND;
        Self { kinds, every, until, machines: dice.one_in(3) }
    }
}

impl World {
    /// All begins.
    pub(crate) fn begin(&mut self) {
        for node in 0..self.nodes.len() {
            self.start_node(node);
        }
        for worker in 0..self.workers.len() {
            let at = self.now + self.dice.roll(4 * SECOND);
            self.push(at, Event::Fault(Fault::StartWorker(worker)));
        }
        self.push(self.now, Event::Operate);
        self.push(self.now + 2 * SECOND, Event::Strike);
        self.push(self.faults.until, Event::Fault(Fault::Heal));
        self.push(self.now + SECOND, Event::Look);
    }

    pub(crate) fn strike_some(&mut self) {
        if self.now >= self.faults.until {
            return;
        }
        let kind = *self.dice.pick(&self.faults.kinds);
        self.note(|| format!("FAULT {kind:?}"));
        self.one(kind);
        let after = self.dice.roll(2 * self.faults.every);
        self.push(self.now + after, Event::Strike);
    }

    /// A time, mostly short.
    fn while_(&mut self, most: u64) -> u64 {
        let most = if self.dice.one_in(3) { most } else { most / 5 };
        self.now + self.dice.between(100 * MS, most * SECOND)
    }

    fn one(&mut self, kind: Kind) {
        // The leader is hit more often than the others.
        let leader = self.nodes.iter().position(super::node::Node::leads);
        let node = leader.filter(|_| !self.dice.one_in(3)).unwrap_or(self.dice.roll(self.nodes.len() as u64) as usize);
        let worker = self.dice.roll(self.workers.len() as u64) as usize;
        match kind {
            Kind::KillNode if self.nodes[node].alive => {
                self.kill_node(node);
                let at = self.while_(20);
                self.push(at, Event::Fault(Fault::StartNode(node)));
            }
            Kind::PauseNode if self.nodes[node].alive && !self.nodes[node].paused => {
                self.note(|| format!("n{node} stands still"));
                self.nodes[node].paused = true;
                let at = self.while_(30);
                self.push(at, Event::Fault(Fault::WakeNode(node)));
            }
            Kind::ResignNode if self.nodes[node].leads() => self.stand_down(node, "it was asked to"),
            Kind::KillWorker if self.workers[worker].alive => {
                self.end_worker(worker);
                let at = self.while_(60);
                self.push(at, Event::Fault(Fault::StartWorker(worker)));
            }
            Kind::PauseWorker if self.workers[worker].alive && !self.workers[worker].paused => {
                self.note(|| format!("w{worker} stands still"));
                self.workers[worker].paused = true;
                let at = self.while_(60);
                self.push(at, Event::Fault(Fault::WakeWorker(worker)));
            }
            Kind::LeaveWorker if self.workers[worker].alive && !self.workers[worker].leaving => {
                let grace_ms = *self.dice.pick(&[0, 2_000, 15_000]);
                self.worker_soon(worker, 0, WorkerIn::Leave(grace_ms));
                let at = self.while_(40) + (grace_ms + 4_000) * MS;
                self.push(at, Event::Fault(Fault::StartWorker(worker)));
            }
            Kind::BreakStream => {
                if let Some(stream) = self.workers[worker].connection {
                    self.break_stream(stream);
                }
            }
            Kind::CutUp | Kind::CutDown | Kind::CutBoth => {
                let until = self.while_(60);
                self.cut(worker, node, until, kind != Kind::CutDown, kind != Kind::CutUp);
            }
            Kind::CutAll => {
                let until = self.while_(60);
                for worker in 0..self.workers.len() {
                    for node in 0..self.nodes.len() {
                        self.cut(worker, node, until, true, true);
                    }
                }
            }
            Kind::SlowNetwork => self.net.slow_until = self.while_(30),
            Kind::StoreAway => {
                let until = self.while_(20);
                self.net.store_away_until = until;
                self.push(until, Event::Fault(Fault::StoreBack));
            }
            Kind::StoreSlow => self.net.store_slow_until = self.while_(30),
            Kind::StoreLossy => self.net.store_lossy_until = self.while_(20),
            Kind::StoreFull => {
                self.store.full = true;
                let until = self.while_(40);
                self.push(until, Event::Fault(Fault::StoreRoom));
            }
            Kind::StoreTight => self.net.tight_until = self.while_(40),
            Kind::CutCalls => {
                let until = self.while_(20);
                self.net.calls.insert(node, until);
            }
            Kind::CutAnswers => {
                let until = self.while_(20);
                self.net.answers.insert(node, until);
            }
            Kind::ArchiveAway => self.archive.away_until = self.while_(30),
            Kind::ArchiveFlaky => self.net.archive_flaky_until = self.while_(30),
            Kind::ClockJump => {
                let skew = self.dice.roll(7_200_000) as i64 - 3_600_000;
                self.nodes[node].skew_ms = skew;
            }
            _ => {}
        }
    }

    fn cut(&mut self, worker: usize, node: usize, until: u64, up: bool, down: bool) {
        if up {
            self.net.up.insert((worker, node), until);
        }
        if down {
            self.net.down.insert((worker, node), until);
        }
        // A dead peer is found by its pings.
        let found = self.now + 15 * SECOND;
        if until > found
            && let Some(stream) = self.workers[worker].connection
            && self.streams[stream].node == node
        {
            self.push(found, Event::Break(stream));
        }
    }

    pub(crate) fn strike(&mut self, fault: Fault) {
        match fault {
            Fault::StartNode(node) => self.start_node(node),
            Fault::WakeNode(node) => self.wake_node(node),
            Fault::StartWorker(worker) => self.start_worker(worker),
            Fault::WakeWorker(worker) => self.wake_worker(worker),
            Fault::StoreBack => self.store.came_back(self.now),
            Fault::StoreRoom => self.store.full = false,
            Fault::Heal => self.heal(),
        }
    }

    fn heal(&mut self) {
        self.note(|| "HEAL".to_owned());
        self.net.heal();
        self.store.full = false;
        self.store.came_back(self.now);
        self.archive.away_until = 0;
        self.faults.machines = false;
        for node in 0..self.nodes.len() {
            self.start_node(node);
            self.wake_node(node);
        }
        for worker in 0..self.workers.len() {
            self.start_worker(worker);
            self.wake_worker(worker);
        }
        self.operator.heal();
    }
}
