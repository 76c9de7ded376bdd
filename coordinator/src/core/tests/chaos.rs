//! A match over eight workers and a network that loses, repeats and reorders: each game is recorded exactly once.

use std::collections::{BTreeMap, BTreeSet};

use rookery_proto::v1::{self, AttemptPhase, EventPhase, attach_request, attach_response::Message};

use super::{super::*, world::*};
use crate::store::{CommitError, Revision};

/// Xorshift: the same seed, the same faults.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }
}

/// A worker as the link has it: attempts in hand, and an outbox that is said again after a reconnect.
struct Model {
    hello: v1::Hello,
    session: Option<u64>,
    last_order: u64,
    attempts: BTreeMap<Revision, (v1::Play, usize)>,
    outbox: BTreeMap<(Revision, String), attach_request::Message>,
}

impl Model {
    fn new(index: u64) -> Self {
        Self {
            hello: hello(&format!("w{index}"), 2),
            session: None,
            last_order: 0,
            attempts: BTreeMap::new(),
            outbox: BTreeMap::new(),
        }
    }

    fn obey(&mut self, response: v1::AttachResponse) {
        self.last_order = self.last_order.max(response.order);
        let forget = |outbox: &mut BTreeMap<(Revision, String), _>, attempt, game: &Option<v1::GameId>| {
            outbox.retain(|(of, name): &(Revision, String), _| {
                *of != attempt || game.as_ref().is_some_and(|game| *name != format!("{game:?}"))
            });
        };
        match response.message {
            Some(Message::Play(play)) => {
                self.attempts.entry(play.attempt).or_insert((play, 0));
            }
            Some(Message::Cancel(cancel)) => {
                self.attempts.remove(&cancel.attempt);
            }
            Some(Message::Recorded(recorded)) => forget(&mut self.outbox, recorded.attempt, &recorded.game),
            Some(Message::Discarded(discarded)) => {
                forget(&mut self.outbox, discarded.attempt, &discarded.game);
                self.attempts.remove(&discarded.attempt);
            }
            _ => {}
        }
    }

    /// Ends the game of one attempt.
    fn finish_one(&mut self, dice: &mut Dice) -> Option<attach_request::Message> {
        let at = dice.roll(self.attempts.len().max(1) as u64) as usize;
        let attempt = *self.attempts.keys().nth(at)?;
        let (play, next) = self.attempts.get_mut(&attempt)?;
        let order = play.games.get(*next)?.clone();
        *next += 1;
        if *next == play.games.len() {
            self.attempts.remove(&attempt);
        }
        let message = finished(attempt, &order, dice.roll(3));
        self.outbox.insert((attempt, format!("{:?}", order.id)), message.clone());
        Some(message)
    }

    fn beat(&self) -> attach_request::Message {
        let mut attempts: Vec<v1::AttemptState> = Vec::new();
        for (attempt, (play, next)) in &self.attempts {
            let game = play.games.get(*next).and_then(|order| order.id.clone());
            attempts.push(v1::AttemptState { attempt: *attempt, game, ply: 0, phase: AttemptPhase::Playing.into() });
        }
        for ((attempt, _), message) in &self.outbox {
            let attach_request::Message::Finished(finished) = message else { continue };
            let game = finished.record.as_ref().and_then(|record| record.id.clone());
            attempts.push(v1::AttemptState { attempt: *attempt, game, ply: 0, phase: AttemptPhase::Outbox.into() });
        }
        attach_request::Message::Beat(v1::Beat { last_order: self.last_order, attempts, ..v1::Beat::default() })
    }
}

struct Chaos {
    world: World,
    dice: Dice,
    workers: Vec<Model>,
    sessions: u64,
    faults: bool,
    /// Another coordinator takes over once in so many steps.
    restarts: u64,
}

impl Chaos {
    fn step(&mut self) {
        let index = self.dice.roll(self.workers.len() as u64) as usize;
        self.world.now.mono_ns += 3_000_000;
        self.world.now.unix_ms += 3;
        match self.workers[index].session {
            None => self.attach(index),
            // The stream breaks; what is on its way is lost.
            Some(session) if self.faults && self.dice.one_in(60) => {
                self.world.sent.remove(&SessionId(session));
                self.workers[index].session = None;
                self.world.put(Input::Gone { session: SessionId(session) });
            }
            Some(session) => self.live(index, session),
        }
        self.world.put(Input::Tick);
        self.serve();
        if self.faults && self.dice.one_in(self.restarts) {
            // The coordinator dies in the middle and another takes over.
            self.world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
            self.workers.iter_mut().for_each(|worker| worker.session = None);
        }
    }

    fn attach(&mut self, index: usize) {
        self.sessions += 1;
        let worker = &mut self.workers[index];
        worker.session = Some(self.sessions);
        worker.last_order = 0;
        let hello = Box::new(worker.hello.clone());
        let session = self.sessions;
        let (beat, outbox) = (worker.beat(), worker.outbox.values().cloned().collect::<Vec<_>>());
        self.world.put(Input::Attached { session: SessionId(session), hello });
        self.world.say(session, beat);
        for message in outbox {
            self.world.say(session, message);
        }
    }

    fn live(&mut self, index: usize, session: u64) {
        if self.world.closed.iter().rev().take(1_000).any(|closed| *closed == SessionId(session)) {
            self.workers[index].session = None;
            return;
        }
        while let Some(response) =
            self.world.sent.get_mut(&SessionId(session)).and_then(std::collections::VecDeque::pop_front)
        {
            self.workers[index].obey(response);
        }
        if let Some(message) = self.workers[index].finish_one(&mut self.dice) {
            // Lost on the way, told twice, or told once.
            let times = if self.faults { self.dice.roll(4).min(2) } else { 1 };
            for _ in 0..times {
                self.world.say(session, message.clone());
            }
            if times == 0 {
                // Only a stream that breaks loses anything.
                self.workers[index].session = None;
                self.world.put(Input::Gone { session: SessionId(session) });
                return;
            }
        }
        let beat = self.workers[index].beat();
        self.world.say(session, beat);
    }

    /// Store and archive answer some of what they were asked, some of it badly.
    fn serve(&mut self) {
        for _ in 0..4 {
            if !self.world.archives.is_empty() {
                self.world.archive_away = self.faults && self.dice.one_in(10);
                self.world.archive_one();
            }
            let Some((ticket, txn)) = self.world.commits.pop_front() else { continue };
            let fault = if self.faults { self.dice.roll(20) } else { 9 };
            let outcome = match fault {
                0 => {
                    let _ = self.world.store.commit(&txn);
                    Err(CommitError::Unknown("lost".to_owned()))
                }
                1 => Err(CommitError::Unknown("lost".to_owned())),
                2 => Err(CommitError::Unavailable("away".to_owned())),
                _ => self.world.store.commit(&txn),
            };
            self.world.put(Input::Committed { ticket, outcome });
        }
        while let Some(digest) = self.world.books.pop() {
            self.world.put(Input::BookLoaded { digest, outcome: Ok(std::sync::Arc::default()) });
        }
    }
}

fn play(seed: u64, pairs: u32, steps: usize, restarts: u64) {
    let mut world = World::leading();
    world.apply(&spec("m", pairs, ""));
    let workers = (0..8).map(Model::new).collect();
    let mut chaos = Chaos { world, dice: Dice(seed), workers, sessions: 0, faults: true, restarts };
    for step in 0..steps {
        // Faults, then healing, then everything due gets done.
        chaos.faults = step < steps / 2;
        chaos.step();
        if !chaos.faults && step % 500 == 0 && chaos.world.store.count("/results/") == 2 * pairs as usize {
            break;
        }
    }
    chaos.world.archive_away = false;
    chaos.world.run();
    let results: BTreeSet<&String> = chaos.world.store.keys.keys().filter(|key| key.contains("/results/")).collect();
    assert_eq!(results.len(), 2 * pairs as usize, "seed {seed}");
    assert!(results.iter().all(|key| key.ends_with("/1")), "seed {seed}: one take each");
    let summary = chaos.world.summary();
    assert_eq!(summary.phase(), EventPhase::Finished, "seed {seed}");
    assert_eq!(summary.games_done, 2 * u64::from(pairs), "seed {seed}");
    chaos.world.pass(40_000);
    assert_eq!(chaos.world.store.count("/live/"), 0, "seed {seed}: nothing is left in hand");
}

#[test]
fn each_game_is_recorded_exactly_once() {
    for seed in 1..=6 {
        play(seed * 0x9e37_79b9, 40, 10_000, 500);
    }
}

#[test]
#[ignore = "a minute without optimisation; for the long run"]
fn a_thousand_pairs() {
    play(42, 1_000, 30_000, 5_000);
}
