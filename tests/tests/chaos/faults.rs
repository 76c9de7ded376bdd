//! The faults of a round, in an order and with victims that follow from its seed.

use std::{fmt, fs, io::Write as _, path::PathBuf, time::Instant};

use rustix::process::Signal;

use crate::{
    audit,
    events::{self, Event},
    rig::{COORDINATORS, Rig, SMALL, STORES, WORKERS},
};

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    LeaderKilled,
    LeaderPaused,
    WorkerKilled,
    WorkerPaused,
    /// It comes back where clocks show another time.
    WorkerElsewhen,
    LeaderElsewhen,
    MemberKilled,
    MemberCut,
    QuorumLost,
    WorkerCut,
    WorkerUnheard,
    WorkerDeaf,
    LeaderCut,
    LeaderUnheardByStore,
    LeaderDeafToStore,
    OutboxFull,
    ArchiveFull,
}

const ALL: [Fault; 17] = [
    Fault::LeaderKilled,
    Fault::LeaderPaused,
    Fault::WorkerKilled,
    Fault::WorkerPaused,
    Fault::WorkerElsewhen,
    Fault::LeaderElsewhen,
    Fault::MemberKilled,
    Fault::MemberCut,
    Fault::QuorumLost,
    Fault::WorkerCut,
    Fault::WorkerUnheard,
    Fault::WorkerDeaf,
    Fault::LeaderCut,
    Fault::LeaderUnheardByStore,
    Fault::LeaderDeafToStore,
    Fault::OutboxFull,
    Fault::ArchiveFull,
];

/// What happened when.
pub(crate) struct Log {
    seed: u64,
    begun: Instant,
    lines: Vec<String>,
}

impl Log {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, begun: Instant::now(), lines: Vec::new() }
    }

    pub(crate) fn say(&mut self, what: &str) {
        self.lines.push(format!("{:8.3} {what}", self.begun.elapsed().as_secs_f64()));
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "chaos, seed {}:", self.seed)?;
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Splitmix64: the same numbers for a seed on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % sides as u64).unwrap()
    }
}

/// Each fault once, healed before the next one; between them a game is recorded.
pub(crate) fn all(rig: &mut Rig, events: &mut Vec<Event>, log: &mut Log) {
    let mut dice = Dice(log.seed);
    let mut order = ALL.to_vec();
    for i in (1..order.len()).rev() {
        order.swap(i, dice.roll(i + 1));
    }
    for fault in order {
        let victim = dice.roll(3);
        match fault {
            Fault::WorkerKilled => events::more(rig, log.seed, events),
            _ => events::enough(rig, log.seed, events),
        }
        log.say(&format!("{fault:?} {victim}"));
        fault.happens(rig, victim, events, log);
        let done = rig.done();
        log.say(&format!("healed, {done} games"));
        recorded(rig, done, log.seed, events);
    }
}

/// Waits until more than `done` games are on record. There is always one to come: more begin where few are left.
pub(crate) fn recorded(rig: &Rig, done: u64, seed: u64, events: &mut Vec<Event>) {
    events::enough(rig, seed, events);
    rig.until("a game is recorded", |rig| {
        rig.answer();
        (rig.done() > done).then_some(())
    });
}

/// Everybody but one.
fn others(host: &str) -> Vec<&'static str> {
    COORDINATORS.iter().copied().filter(|other| *other != host).collect()
}

impl Fault {
    fn happens(self, rig: &mut Rig, victim: usize, events: &mut Vec<Event>, log: &mut Log) {
        let (member, worker) = (STORES[victim], WORKERS[victim]);
        let leader = rig.led(&COORDINATORS);
        rig.until("all workers are there", |rig| WORKERS.iter().all(|host| attached(rig, host)).then_some(()));
        match self {
            Self::LeaderKilled => {
                rig.kill(leader);
                let next = rig.led(&others(leader));
                log.say(&format!("{leader} is dead, {next} leads"));
                rig.start_again(leader);
            }
            Self::LeaderPaused => {
                rig.process(leader).signal(Signal::STOP);
                let next = rig.led(&others(leader));
                log.say(&format!("{leader} is paused, {next} leads"));
                rig.process(leader).signal(Signal::CONT);
                rig.until("it knows that it does not lead", |rig| rig.leader(&[leader]).is_none().then_some(()));
            }
            Self::WorkerKilled => {
                // Whom it hits is not left to chance: this is the fault after which a game must go on.
                let playing = rig.until("a game has a checkpoint", audit::playing);
                let worker = WORKERS.iter().find(|host| **host == playing).unwrap();
                rig.kill(worker);
                log.say(&format!("{worker} is dead"));
                rig.start_again(worker);
            }
            Self::WorkerPaused => {
                rig.process(worker).signal(Signal::STOP);
                gone(rig, worker);
                rig.process(worker).signal(Signal::CONT);
            }
            Self::WorkerElsewhen => {
                rig.kill(worker);
                rig.start_in_another_time(worker, 40_000_000);
            }
            Self::LeaderElsewhen => {
                rig.kill(leader);
                let next = rig.led(&others(leader));
                rig.start_in_another_time(leader, 100_000);
                // So that it is the one who counts the time.
                rig.kill(next);
                rig.led(&others(next));
                rig.start_again(next);
            }
            Self::MemberKilled => {
                rig.kill(member);
                recorded(rig, rig.done(), log.seed, events);
                rig.start_again(member);
            }
            Self::MemberCut => {
                rig.net.cut(member);
                recorded(rig, rig.done(), log.seed, events);
                rig.net.join(member);
            }
            Self::QuorumLost => {
                let two = [STORES[victim], STORES[(victim + 1) % 3]];
                two.iter().for_each(|host| rig.net.cut(host));
                rig.until("nobody leads", |rig| rig.leader(&COORDINATORS).is_none().then_some(()));
                log.say("nobody leads");
                two.iter().for_each(|host| rig.net.join(host));
                rig.led(&COORDINATORS);
            }
            Self::WorkerCut => {
                rig.net.cut(worker);
                gone(rig, worker);
                rig.net.join(worker);
            }
            Self::WorkerUnheard => {
                rig.net.lose(worker, leader);
                gone(rig, worker);
                rig.net.carry(worker, leader);
            }
            Self::WorkerDeaf => {
                rig.net.lose(leader, worker);
                gone(rig, worker);
                rig.net.carry(leader, worker);
            }
            Self::LeaderCut => {
                rig.net.cut(leader);
                let next = rig.led(&others(leader));
                log.say(&format!("{leader} is cut off, {next} leads"));
                rig.net.join(leader);
            }
            Self::LeaderUnheardByStore => {
                STORES.iter().for_each(|host| rig.net.lose(leader, host));
                let next = rig.led(&others(leader));
                log.say(&format!("{leader} is not heard, {next} leads"));
                STORES.iter().for_each(|host| rig.net.carry(leader, host));
            }
            Self::LeaderDeafToStore => {
                STORES.iter().for_each(|host| rig.net.lose(host, leader));
                // What it says arrives, so that only itself can know.
                rig.until("it leads no longer", |rig| rig.leader(&[leader]).is_none().then_some(()));
                let next = rig.led(&others(leader));
                log.say(&format!("{leader} hears nothing, {next} leads"));
                STORES.iter().for_each(|host| rig.net.carry(host, leader));
            }
            Self::OutboxFull => {
                let filled = fill(rig, SMALL);
                rig.process(SMALL).line("the outbox cannot be written");
                recorded(rig, rig.done(), log.seed, events);
                fs::remove_file(filled).unwrap();
            }
            Self::ArchiveFull => {
                let filled = fill(rig, "archive");
                let leader = rig.led(&COORDINATORS);
                let full = rig.process(leader).line("records not written");
                log.say(&format!("{leader}: {full}"));
                fs::remove_file(filled).unwrap();
            }
        }
    }
}

/// Whether the leader hears a worker.
fn attached(rig: &Rig, worker: &str) -> bool {
    let workers = rig.json(&["workers"]);
    workers.as_array().unwrap().iter().any(|found| found["worker"] == worker && found["attached"] == true)
}

/// Waits until a worker is known to be gone.
fn gone(rig: &Rig, worker: &str) {
    rig.until("the worker is missed", |rig| (!attached(rig, worker)).then_some(()));
}

/// Fills a disk to the last byte; the file that did it.
fn fill(rig: &Rig, disk: &str) -> PathBuf {
    let path = rig.folder.path().join(disk).join("fill");
    let mut file = fs::File::create(&path).unwrap();
    for block in [64 << 10, 1] {
        let bytes = vec![0; block];
        while file.write_all(&bytes).is_ok() {}
    }
    path
}
