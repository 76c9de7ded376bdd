//! Workers: they attach, beat, fall silent, and are drained.

use std::collections::BTreeMap;

use rookery_proto::v1::{self, AttemptPhase, DiscardReason, RejectReason, attach_request, attach_response::Message};
use rookery_tournament::PairId;

use super::{
    Core, Effect, SessionId, limits,
    state::{Hand, Worker},
    stored::FleetEntry,
    writes::Reply,
};
use crate::{store::Revision, wire};

/// Whether a worker's version can be served: ours or the minor one before.
fn serves(ours: &str, theirs: &str) -> bool {
    let minor = |text: &str| -> Option<(u64, u64)> {
        let mut parts = text.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    match (minor(ours), minor(theirs)) {
        (Some((a, b)), Some((c, d))) => a == c && (b == d || b == d + 1),
        _ => false,
    }
}

fn well_formed(hello: &v1::Hello) -> Result<(), String> {
    let name = |text: &str| {
        !text.is_empty()
            && text.len() <= limits::WORKER_ID_BYTES
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-:@".contains(&b))
    };
    if !name(&hello.worker) {
        let most = limits::WORKER_ID_BYTES;
        return Err(format!("worker id `{}`: expected 1 to {most} of a-z A-Z 0-9 . _ - : @", hello.worker));
    }
    if hello.boot.is_empty() || hello.boot.len() > 64 {
        return Err("boot id: expected 1 to 64 bytes".to_owned());
    }
    let slots = hello.slots.iter().fold(0_u32, |sum, class| sum.saturating_add(class.count));
    if slots > limits::WORKER_SLOTS {
        return Err(format!("{slots} slots; at most {} are taken", limits::WORKER_SLOTS));
    }
    Ok(())
}

impl Core {
    pub(super) fn attached(&mut self, session: SessionId, hello: v1::Hello) {
        if let Err((reason, detail)) = self.may_attach(&hello) {
            let rejected = v1::Rejected { reason: reason.into(), leader: String::new(), detail };
            let message = Box::new(v1::AttachResponse {
                order: 0,
                leader_revision: self.since(),
                message: Some(Message::Rejected(rejected)),
            });
            self.out.push(Effect::Send { session, message });
            self.out.push(Effect::Close { session });
            return;
        }
        let id = hello.worker.clone();
        self.close_worker(&id);
        let now_ns = self.now.mono_ns;
        let worker = self.workers.entry(id.clone()).or_insert_with(|| Worker::expected(hello.boot.clone(), now_ns));
        if worker.boot != hello.boot {
            worker.boot.clone_from(&hello.boot);
            worker.bad_engines.clear();
            worker.bad_events.clear();
        }
        worker.session = Some(session);
        worker.heard_ns = now_ns;
        worker.former = false;
        worker.draining = false;
        worker.drain_told = None;
        worker.refused = false;
        worker.order = 0;
        worker.closed.clear();
        worker.told.clear();
        worker.free = hello.slots.iter().map(|class| class.count).collect();
        worker.hello = hello;
        self.sessions.insert(session, id.clone());
        let welcome = v1::Welcome {
            session: format!("{}-{}", self.since(), session.0),
            beat_ms: self.config.beat_ms,
            grace_ms: self.config.grace_ms,
            store_id: self.lead.as_ref().map(|lead| lead.store_id.clone()).unwrap_or_default(),
            coordinator_version: self.config.version.clone(),
        };
        let message = Box::new(v1::AttachResponse {
            order: 0,
            leader_revision: self.since(),
            message: Some(Message::Welcome(welcome)),
        });
        self.out.push(Effect::Send { session, message });
        self.offer_to(&id);
        // It may bring other programs, which seasons look at between their events.
        self.dirty.extend(self.seasons.keys().cloned());
    }

    fn may_attach(&self, hello: &v1::Hello) -> Result<(), (RejectReason, String)> {
        if self.lead.is_none() {
            return Err((RejectReason::NotLeader, String::new()));
        }
        well_formed(hello).map_err(|detail| (RejectReason::Invalid, detail))?;
        if !serves(&self.config.version, &hello.version) {
            let detail = format!(
                "worker {} and coordinator {}: the same minor version or the last one is served",
                hello.version, self.config.version
            );
            return Err((RejectReason::Version, detail));
        }
        match self.workers.get(&hello.worker) {
            Some(known) if known.boot != hello.boot && self.alive(known) => {
                let detail = format!("a worker `{}` is attached already", hello.worker);
                Err((RejectReason::SecondBoot, detail))
            }
            None if self.workers.len() >= limits::WORKERS => {
                Err((RejectReason::Invalid, format!("{} workers are known already", limits::WORKERS)))
            }
            _ => Ok(()),
        }
    }

    fn alive(&self, worker: &Worker) -> bool {
        worker.session.is_some() && self.silence_ns(worker) <= self.config.grace_ms * 1_000_000
    }

    fn silence_ns(&self, worker: &Worker) -> u64 {
        self.now.mono_ns.saturating_sub(worker.heard_ns)
    }

    /// Ends a worker's stream; what it has in hand stays with it.
    pub(super) fn close_worker(&mut self, id: &str) {
        let session = self.workers.get_mut(id).and_then(|worker| worker.session.take());
        if let Some(session) = session {
            self.sessions.remove(&session);
            self.out.push(Effect::Close { session });
        }
    }

    pub(super) fn gone(&mut self, session: SessionId) {
        let Some(id) = self.sessions.remove(&session) else { return };
        if let Some(worker) = self.workers.get_mut(&id)
            && worker.session == Some(session)
        {
            worker.session = None;
            worker.heard_ns = self.now.mono_ns;
            // What differed may agree now.
            self.offer = true;
        }
    }

    pub(super) fn said(&mut self, session: SessionId, message: attach_request::Message) {
        let Some(id) = self.sessions.get(&session).cloned() else { return };
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.heard_ns = self.now.mono_ns;
        }
        match message {
            attach_request::Message::Beat(beat) => self.beat(&id, session, beat),
            attach_request::Message::Progress(progress) => self.progress(&id, progress),
            attach_request::Message::Finished(finished) => self.finished(&id, finished),
            attach_request::Message::HandedBack(back) => self.handed_back(&id, back),
            attach_request::Message::Refused(refused) => self.refused(&id, &refused),
            attach_request::Message::Probed(probed) => self.probed(&id, &probed),
            // A second hello changes nothing.
            attach_request::Message::Hello(_) => {}
        }
    }

    /// What the worker has is compared with what it should have, and it is told the difference.
    fn beat(&mut self, id: &str, session: SessionId, beat: v1::Beat) {
        let unix_ms = self.now.unix_ms;
        let drained = self.drained(id).is_some();
        let Some(worker) = self.workers.get_mut(id) else { return };
        // The word was lost with an earlier stream. A worker that leaves by itself drains on.
        let tell_drain = beat.draining != drained && worker.drain_told != Some(drained);
        let changed = worker.refused || worker.draining != beat.draining || !beat.engines.is_empty();
        worker.beat_unix_ms = unix_ms;
        worker.refused = false;
        worker.draining = beat.draining;
        worker.free.clone_from(&beat.free);
        worker.told.clone_from(&beat.attempts);
        worker.told.truncate(4 * limits::WORKER_SLOTS as usize);
        for entry in beat.engines {
            worker.hello.engines.retain(|known| known.name != entry.name);
            if worker.hello.engines.len() < 4_096 {
                worker.hello.engines.push(entry);
            }
            worker.bad_engines.clear();
        }
        if changed {
            self.offer_to(id);
        }
        let Some(worker) = self.workers.get(id) else { return };
        // An attempt can be there twice: a game in play, and one in the outbox.
        let mut listed: BTreeMap<Revision, Vec<v1::AttemptState>> = BTreeMap::new();
        for state in beat.attempts {
            listed.entry(state.attempt).or_default().push(state);
        }
        let hands: Vec<(String, PairId)> = worker.hands.keys().cloned().collect();
        for (uid, pair) in hands {
            let Some(hand) = self.hand(&uid, pair).filter(|hand| hand.attempt > 0 && !hand.ending) else { continue };
            let attempt = hand.attempt;
            match listed.get(&attempt) {
                Some(states) => states.iter().for_each(|state| self.has(id, session, &uid, pair, state)),
                None => self.has_not(id, session, beat.last_order, &uid, pair),
            }
        }
        for (attempt, states) in listed {
            let told = self.workers.get(id).and_then(|worker| worker.closed.get(&attempt));
            let on_its_way = told.is_some_and(|order| *order > beat.last_order);
            if !on_its_way && self.attempt_of(id, attempt).is_none() {
                states.into_iter().for_each(|state| self.should_not_have(id, state));
            }
        }
        if let Some(worker) = self.workers.get_mut(id) {
            worker.closed.retain(|_, order| *order > beat.last_order);
        }
        if tell_drain {
            self.tell_drain(id);
        }
    }

    /// Tells a worker whether it is drained.
    pub(super) fn tell_drain(&mut self, id: &str) {
        let entry = self.drained(id);
        let left = |entry: &FleetEntry| (entry.at_unix_ms + entry.grace_ms).saturating_sub(self.now.unix_ms);
        // A clock that was set back gives no more time than was given.
        let grace_ms = entry.map_or(0, |entry| left(entry).min(entry.grace_ms));
        let undo = entry.is_none();
        if self.tell(id, Message::Drain(v1::Drain { grace_ms, exit: false, undo })) > 0
            && let Some(worker) = self.workers.get_mut(id)
        {
            worker.drain_told = Some(!undo);
        }
    }

    fn has(&mut self, id: &str, session: SessionId, uid: &str, pair: PairId, told: &v1::AttemptState) {
        let now = self.now.mono_ns;
        let Some(state) = self.events.get_mut(uid) else { return };
        let Some(hand) = state.pairs.get_mut(&pair).and_then(|known| known.hand.as_mut()) else { return };
        hand.seen = true;
        if let Some(Ok((_, game))) = told.game.as_ref().map(wire::read_game_id)
            && hand.games.iter().any(|ordered| ordered.id == game)
        {
            let running = hand.running.entry(game).or_default();
            if running.phase != told.phase() || running.ply != told.ply {
                hand.moved_ns = now;
            }
            running.phase = told.phase();
            running.ply = told.ply;
        }
        let again = hand.asked_back && hand.asked_in != Some(session);
        let recorded = hand.games.iter().find(|game| state.results.contains_key(&game.id)).map(|game| game.id);
        let attempt = hand.attempt;
        if again {
            self.tell_asked_back(uid, pair);
        } else if told.phase() == AttemptPhase::Asking
            && let Some(game) = recorded
        {
            let go_on = self.events.get(uid).is_some_and(|state| state.goes_on(pair, attempt));
            let game = Some(wire::game_id(uid, &game));
            self.tell(id, Message::Recorded(v1::Recorded { attempt, game, go_on }));
        }
    }

    fn has_not(&mut self, id: &str, session: SessionId, last_order: u64, uid: &str, pair: PairId) {
        let Some(hand) = self.hand(uid, pair) else { return };
        let on_its_way = hand.told.is_some_and(|(told, order)| told == session && order > last_order);
        if on_its_way || !hand.recording.is_empty() {
            return;
        }
        // An order that was lost on its way broke nothing.
        let Hand { seen, .. } = *hand;
        let error = format!("worker {id} does not have it any more");
        self.end_attempt(uid, pair, seen, if seen { &error } else { "" }, Reply::None);
    }

    fn should_not_have(&mut self, id: &str, state: v1::AttemptState) {
        let attempt = state.attempt;
        let over = "the attempt is over".to_owned();
        if state.phase() != AttemptPhase::Outbox {
            self.reply(id, attempt, Reply::Cancel(over));
            return;
        }
        let on_record =
            state.game.as_ref().and_then(|game| wire::read_game_id(game).ok()).is_some_and(|(uid, game)| {
                self.events.get(&uid).and_then(|event| event.results.attempt(&game)) == Some(attempt)
            });
        let reply = if on_record {
            Reply::Recorded(state.game)
        } else {
            Reply::Discarded(state.game, DiscardReason::AttemptOver, over)
        };
        self.reply(id, attempt, reply);
    }

    /// Workers that were silent for too long lose what they have in hand.
    pub(super) fn watch_workers(&mut self) {
        let now = self.now.mono_ns;
        let gap = now.saturating_sub(self.last_tick_ns);
        if self.last_tick_ns > 0 && gap > limits::LATE_TICK_MS * 1_000_000 {
            for worker in self.workers.values_mut() {
                worker.heard_ns = worker.heard_ns.saturating_add(gap).min(now);
            }
        }
        self.last_tick_ns = now;
        let grace_ns = self.config.grace_ms * 1_000_000;
        let silent = |worker: &&Worker| self.silence_ns(worker) > grace_ns;
        let attached = self.workers.values().filter(|worker| !worker.former).count();
        let lost = self.workers.values().filter(|worker| !worker.former).filter(silent).count();
        // More than half at once: the fault is more likely ours, or the network's.
        let ours = attached >= 3 && lost * 2 > attached;
        let factor = if ours { 3 } else { 1 };
        if ours {
            self.alarm("workers", format!("{lost} of {attached} workers fell silent at once: waiting longer"));
        } else {
            self.alarms.remove("workers");
        }
        let over = |worker: &Worker| {
            let grace = if worker.former { self.config.former_grace_ms * 1_000_000 } else { grace_ns * factor };
            self.silence_ns(worker) > grace
        };
        let gone: Vec<String> = self.workers.iter().filter(|(_, w)| over(w)).map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.lose(&id, true);
        }
    }

    /// A worker is given up: what it has in hand is interrupted.
    pub(super) fn lose(&mut self, id: &str, broken: bool) {
        self.close_worker(id);
        let Some(worker) = self.workers.get(id) else { return };
        let hands: Vec<(String, PairId)> = worker.hands.keys().cloned().collect();
        if hands.is_empty() {
            self.workers.remove(id);
            self.offer = true;
            return;
        }
        let error = format!("worker {id} fell silent");
        for (uid, pair) in hands {
            self.end_attempt(&uid, pair, broken, &error, Reply::None);
        }
    }
}
