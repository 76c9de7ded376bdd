//! A slot's thread: it plays by the script.

use rookery_game::{GameResult, Seat};
use rookery_proto::v1::{self, HandBackReason};
use rookery_worker::hall::{End, Input};

use crate::{
    script::{BASE_NS, INCREMENT_NS, Plan},
    worker::WorkerIn,
    world::{MS, SECOND, World},
};

/// Thinking after which plies are told without being asked for.
const TELL_AFTER_MS: u64 = 5_000;

/// The game on a slot.
pub(crate) struct Game {
    pub(crate) attempt: i64,
    pub(crate) serial: u64,
    order: v1::GameOrder,
    plan: Plan,
    plies: Vec<v1::Ply>,
    clocks: [u64; 2],
    /// Plies there were when it began here.
    first: usize,
    told: usize,
    thinking_ms: u64,
    every_ply: bool,
    pub(crate) retell: bool,
    /// It is to come back.
    back: Option<HandBackReason>,
    /// The machine fails it at this ply.
    fault: Option<(usize, HandBackReason)>,
}

fn score(cp: i32) -> Option<v1::Score> {
    Some(v1::Score { value: Some(v1::score::Value::Centipawns(cp)) })
}

impl World {
    pub(crate) fn slot_starts(
        &mut self,
        worker: usize,
        slot: usize,
        order: v1::GameOrder,
        attempt: i64,
        every_ply: bool,
    ) {
        let (id, setup) = (order.id.clone().unwrap_or_default(), order.setup.clone().unwrap_or_default());
        let Some(opening) = self.library.opening_of(&setup.start, &setup.opening_moves) else {
            return self.fail(format!("outcome: {}/{} has no opening of the book", id.pair, id.game));
        };
        let seed = self.watch.seed_of(&id.event_uid).unwrap_or(self.seed);
        let plan = self.library.plan(seed, &id.pair, id.game as u8, opening, self.shape.crashes);
        let point = order.resume.clone();
        let book = |mv: &String| v1::Ply { r#move: mv.clone(), book: true, ..v1::Ply::default() };
        let plies = point.as_ref().map_or_else(|| plan.opening.iter().map(book).collect(), |point| point.plies.clone());
        let clocks = point.map_or([BASE_NS; 2], |point| {
            [point.first_clock_ns.unwrap_or(BASE_NS), point.second_clock_ns.unwrap_or(BASE_NS)]
        });
        if plies.len() >= plan.plies() && plan.fault.is_none() && plan.ending != rookery_game::Ending::Resignation {
            return self.fail(format!("outcome: {}/{} goes on after its end", id.pair, id.game));
        }
        let fault = self.slot_fault(plan.plies());
        self.slot_has(&order, attempt, plies.len());
        let known = &mut self.workers[worker];
        known.serial += 1;
        let serial = known.serial;
        let (first, told) = (plies.len(), plies.len());
        let game = Game {
            attempt,
            serial,
            order,
            plan,
            plies,
            clocks,
            first,
            told,
            thinking_ms: 0,
            every_ply,
            retell: false,
            back: None,
            fault,
        };
        if known.slots[slot].replace(game).is_some() {
            self.fail(format!("slots: w{worker} starts a game on slot {slot}, which has one"));
        }
        let think = self.workers[worker].slots[slot].as_ref().map_or(0, |game| game.plan.time_ns(game.first));
        let after = self.dice.between(20 * MS, 400 * MS) + think;
        self.worker_soon(worker, after, WorkerIn::Slot(slot, serial));
    }

    /// An attempt's board stands at a ply.
    fn slot_has(&mut self, order: &v1::GameOrder, attempt: i64, plies: usize) {
        if let Some(Ok((_, game))) = order.id.as_ref().map(rookery_coordinator::wire::read_game_id) {
            self.watch.ledger.begun.insert((game, attempt));
            self.watch.ledger.reached.insert((game, attempt), plies);
        }
    }

    /// What the machine does to the next game.
    fn slot_fault(&mut self, plies: usize) -> Option<(usize, HandBackReason)> {
        if !self.faults.machines || !self.dice.one_in(12) {
            return None;
        }
        let reasons = [HandBackReason::Lag, HandBackReason::HostFault, HandBackReason::Lag, HandBackReason::NotStarted];
        let reason = *self.dice.pick(&reasons);
        let ply = if reason == HandBackReason::NotStarted { 0 } else { self.dice.roll(plies as u64) as usize };
        Some((ply, reason))
    }

    /// A ply was thought out, or the game is over.
    pub(crate) fn slot_moves(&mut self, worker: usize, slot: usize, serial: u64) {
        let Some(game) = self.workers[worker].slots[slot].as_mut().filter(|game| game.serial == serial) else { return };
        if game.fault.is_some_and(|(ply, _)| game.plies.len() >= ply) {
            let reason = game.fault.map(|(_, reason)| reason).unwrap_or_default();
            return self.slot_comes_back(worker, slot, reason);
        }
        if game.plies.len() >= game.plan.plies() {
            return self.slot_finishes(worker, slot);
        }
        let ply = game.plies.len();
        let seat = ply % 2;
        let time_ns = game.plan.time_ns(ply);
        game.clocks[seat] = game.clocks[seat].saturating_sub(time_ns) + INCREMENT_NS;
        game.plies.push(v1::Ply {
            r#move: game.plan.mv(ply).to_owned(),
            score: score(game.plan.score(ply)),
            time_ns,
            clock_ns: Some(game.clocks[seat]),
            ..v1::Ply::default()
        });
        game.thinking_ms += time_ns / MS;
        if std::mem::take(&mut game.retell) {
            game.told = game.first;
        }
        let tells = game.every_ply || game.thinking_ms >= TELL_AFTER_MS;
        let progress = tells.then(|| {
            let progress = v1::Progress {
                attempt: game.attempt,
                game: game.order.id.clone(),
                first_ply: game.told as u32,
                plies: game.plies[game.told..].to_vec(),
                notes: Vec::new(),
                first_clock_ns: Some(game.clocks[0]),
                second_clock_ns: Some(game.clocks[1]),
                thinking_ms: game.thinking_ms,
                started_unix_ms: 1,
            };
            (game.told, game.thinking_ms) = (game.plies.len(), 0);
            progress
        });
        let next = game.plies.len();
        let (order, attempt) = (game.order.clone(), game.attempt);
        let after = if next < game.plan.plies() { game.plan.time_ns(next) } else { 30 * MS };
        self.slot_has(&order, attempt, next);
        self.worker_soon(worker, after, WorkerIn::Slot(slot, serial));
        if let Some(progress) = progress {
            self.hall(worker, Input::Progress(Box::new(progress)));
        }
    }

    pub(crate) fn slot_interrupt(&mut self, worker: usize, slot: usize, reason: HandBackReason) {
        let Some(game) = self.workers[worker].slots[slot].as_mut() else { return };
        game.back = Some(reason);
        let serial = game.serial;
        let after = self.dice.between(MS, SECOND);
        self.worker_soon(worker, after, WorkerIn::Heeds(slot, serial));
    }

    pub(crate) fn slot_heeds(&mut self, worker: usize, slot: usize, serial: u64) {
        let Some(game) = self.workers[worker].slots[slot].as_ref().filter(|game| game.serial == serial) else { return };
        if let Some(reason) = game.back {
            self.slot_comes_back(worker, slot, reason);
        }
    }

    fn slot_comes_back(&mut self, worker: usize, slot: usize, reason: HandBackReason) {
        let Some(game) = &self.workers[worker].slots[slot] else { return };
        let (order, attempt) = (game.order.clone(), game.attempt);
        if reason == HandBackReason::NotStarted {
            self.watch.ledger.did_not_begin(&order, attempt);
        }
        let Some(game) = &self.workers[worker].slots[slot] else { return };
        // An engine that did not start is told before anything is played; else all of it is told.
        let bare = reason == HandBackReason::NotStarted && game.first == game.plan.opening.len();
        let engine = if reason == HandBackReason::NotStarted {
            self.shape.spec.engines[0].setup.name.clone()
        } else {
            String::new()
        };
        let back = v1::HandedBack {
            attempt: game.attempt,
            game: game.order.id.clone(),
            reason: reason.into(),
            evidence: format!("w{worker} slot {slot}"),
            plies: if bare { Vec::new() } else { game.plies.clone() },
            first_clock_ns: Some(game.clocks[0]).filter(|_| !bare),
            second_clock_ns: Some(game.clocks[1]).filter(|_| !bare),
            transcripts: Vec::new(),
            engine,
            started_unix_ms: 1,
        };
        // One whose engine would not have started, called off before that showed, is told like one in play.
        if reason != HandBackReason::NotStarted
            && let Some((_, id)) = back.game.as_ref().and_then(|id| rookery_coordinator::wire::read_game_id(id).ok())
        {
            self.watch.ledger.begun.insert((id, back.attempt));
        }
        self.slot_ended(worker, slot, End::HandedBack(Box::new(back)));
    }

    fn slot_finishes(&mut self, worker: usize, slot: usize) {
        let Some(game) = &self.workers[worker].slots[slot] else { return };
        let point = game.order.resume.clone().unwrap_or_default();
        let outcome = v1::Outcome {
            result: rookery_coordinator::wire::result(game.plan.result).into(),
            ending: rookery_coordinator::wire::ending(game.plan.ending).into(),
            fault: game.plan.fault.map_or(v1::Seat::Unspecified, rookery_coordinator::wire::seat).into(),
            detail: String::new(),
        };
        debug_assert!(game.plan.fault.is_none_or(|seat| game.plan.result == GameResult::win(Seat::other(seat))));
        let record = v1::GameRecord {
            id: game.order.id.clone(),
            setup: game.order.setup.clone(),
            plies: game.plies.clone(),
            outcome: Some(outcome),
            started_unix_ms: 1,
            ended_unix_ms: 2,
            worker: self.workers[worker].name.clone(),
            notes: point.notes,
            restarts: point.restarts,
            attempt: game.attempt,
            ..v1::GameRecord::default()
        };
        let finished = v1::Finished { attempt: game.attempt, record: Some(record) };
        self.slot_ended(worker, slot, End::Finished(Box::new(finished)));
    }
}
