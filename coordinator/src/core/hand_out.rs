//! What is due goes to workers that can play it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rookery_game::setup::EngineSetup;
use rookery_proto::v1;
use rookery_tournament::{
    PairId,
    event::Phase,
    format::{Assignment, Held},
};

use super::{
    Core, limits,
    state::{EventState, Hand, Worker},
    writes::Write,
};

/// What a pair's games need of a worker.
pub(super) struct Needs<'a> {
    pub(super) cores: u32,
    pub(super) memory: u64,
    pub(super) gpus: u32,
    /// No more of them either: the event states the resources of its engines.
    pub(super) exact: bool,
    pub(super) labels: &'a BTreeMap<String, String>,
    pub(super) cpu_features: BTreeSet<&'a str>,
    pub(super) men: u32,
    pub(super) engines: Vec<(&'a EngineSetup, &'a str)>,
}

impl Needs<'_> {
    pub(super) fn message(&self) -> v1::SlotNeeds {
        v1::SlotNeeds {
            cores: self.cores,
            memory_bytes: self.memory,
            gpus: self.gpus,
            labels: self.labels.clone(),
            cpu_features: self.cpu_features.iter().map(|&feature| feature.to_owned()).collect(),
            tablebase_men: self.men,
            exact: self.exact,
        }
    }
}

/// One event in a round of handing out.
struct Turn {
    uid: String,
    priority: i32,
    in_hand: usize,
    applied: u64,
    due: VecDeque<Assignment>,
    unplaceable: BTreeSet<PairId>,
    asks: usize,
}

/// Why a worker cannot play an event at all.
pub(super) fn bad_key(uid: &str, engine: &str) -> String {
    format!("{uid}/{engine}")
}

/// Whether a worker has an engine; else what it lacks.
fn has_engine(worker: &Worker, engine: &EngineSetup, digest: &str) -> Result<(), String> {
    let hello = &worker.hello;
    let protocol = if engine.protocol.is_empty() { "uci" } else { &engine.protocol };
    if !hello.protocols.iter().any(|p| p == protocol) {
        return Err(format!("does not speak `{protocol}`"));
    }
    if hello.paths_allowed {
        return Ok(());
    }
    let digest = if digest.is_empty() { engine.digest.as_str() } else { digest };
    let digest = if digest.is_empty() { engine.artifact.as_str() } else { digest };
    let named = |entry: &v1::CatalogueEntry| engine.program.is_empty() || entry.name == engine.program;
    let same = |entry: &v1::CatalogueEntry| digest.is_empty() || entry.digest == digest;
    if hello.engines.iter().any(|entry| named(entry) && same(entry)) {
        return Ok(());
    }
    let what = if engine.program.is_empty() { digest } else { engine.program.as_str() };
    if hello.engines.iter().any(named) {
        return Err(format!("has another build of `{what}` than {digest}"));
    }
    Err(format!("does not have engine `{what}`"))
}

impl Worker {
    /// Classes of slots on which a pair's games fit, or why there is none.
    pub(super) fn fits(&self, uid: &str, needs: &Needs<'_>) -> Result<Vec<usize>, String> {
        if self.session.is_none() {
            return Err("is not attached".to_owned());
        }
        for (key, value) in needs.labels {
            if self.hello.labels.get(key) != Some(value) {
                return Err(format!("lacks label {key}={value}"));
            }
        }
        for feature in &needs.cpu_features {
            if !self.hello.cpu_features.iter().any(|f| f == feature) {
                return Err(format!("lacks CPU feature {feature}"));
            }
        }
        if self.hello.tablebase_men < needs.men {
            return Err(format!("has tables of {} men, {} are needed", self.hello.tablebase_men, needs.men));
        }
        for (engine, digest) in &needs.engines {
            has_engine(self, engine, digest)?;
            if let Some(why) = self.bad_engines.get(&bad_key(uid, &engine.name)) {
                return Err(format!("could not start {}: {why}", engine.name));
            }
        }
        if self.bad_events.contains(uid) {
            return Err("does not understand its games".to_owned());
        }
        let wide = |class: &v1::SlotClass| {
            let fits = class.cores >= needs.cores && class.memory_bytes >= needs.memory && class.gpus >= needs.gpus;
            fits && (!needs.exact || (class.cores == needs.cores && class.gpus == needs.gpus))
        };
        let classes: Vec<usize> =
            self.hello.slots.iter().enumerate().filter(|(_, class)| wide(class)).map(|(i, _)| i).collect();
        if classes.is_empty() {
            return Err(format!(
                "has no slot of {}{} cores, {} MiB and {} GPUs{}",
                if needs.exact { "exactly " } else { "" },
                needs.cores,
                needs.memory >> 20,
                needs.gpus,
                if needs.exact { ", as the event's `resources` say" } else { "" },
            ));
        }
        Ok(classes)
    }

    /// Whether it takes anything now; else why not.
    pub(super) fn takes(&self) -> Result<(), &'static str> {
        if self.draining {
            Err("is draining")
        } else if self.refused {
            Err("refused for want of room")
        } else {
            Ok(())
        }
    }

    /// Assignments that may still be handed to it: one for each free slot, and one ahead for each slot. What it has
    /// played to the end holds no slot while it is recorded, up to a bound, and unless the archive `lags`.
    fn room(&self, lags: bool) -> usize {
        let slots = self.slots() as usize;
        if self.session.is_none() || self.takes().is_err() || self.played.len() >= limits::UNRECORDED * slots {
            return 0;
        }
        let played = if lags { 0 } else { self.played.len() };
        (2 * slots).saturating_sub(self.hands.len() - played)
    }
}

impl Core {
    pub(super) fn needs<'a>(&self, state: &'a EventState, pair: PairId) -> Option<Needs<'a>> {
        let event = &state.event.spec().event;
        let engines = [state.engine(pair.a)?, state.engine(pair.b)?];
        Some(Needs {
            cores: event.slot.cores,
            memory: event.slot.memory,
            gpus: event.slot.gpus.max(engines.iter().map(|(engine, _)| engine.gpus).sum()),
            exact: event.exact_slots(),
            labels: &event.slot.labels,
            cpu_features: engines.iter().flat_map(|(e, _)| &e.cpu_features).map(String::as_str).collect(),
            men: event.adjudicate.tablebases.map_or(0, |rule| rule.men),
            engines: engines.iter().map(|(engine, digest)| (&engine.setup, *digest)).collect(),
        })
    }

    /// Slots on which games of any event can be played at once.
    pub(super) fn all_slots(&self) -> usize {
        self.workers.values().filter(|worker| worker.session.is_some()).map(|worker| worker.slots() as usize).sum()
    }

    /// Short cuts are for what is usual: now and then every worker and every pair is looked at.
    pub(super) fn look_at_all(&mut self) {
        self.roomy.extend(self.workers.keys().cloned());
        self.events.values_mut().for_each(|state| state.held.from = 0);
    }

    pub(super) fn try_engines_again(&mut self) {
        let now = self.now.mono_ns;
        for worker in self.workers.values_mut().filter(|worker| worker.bad_until_ns <= now) {
            self.offer |= !std::mem::take(&mut worker.bad_engines).is_empty();
        }
    }

    /// Hands out what is due, by priority, then to the event with the least in hand, then to the oldest.
    pub(super) fn hand_out(&mut self) {
        if !self.offer || self.writes.full_until_ns > self.now.mono_ns || self.writes.len() >= limits::QUEUE_WRITES {
            return;
        }
        self.offer = false;
        self.freeze_due();
        let now_ms = self.now.unix_ms;
        let begun = self.events.iter().filter(|(_, state)| state.begins_after(now_ms).is_none());
        let mut turns: Vec<Turn> = begun.filter_map(|(uid, state)| turn(uid, state)).collect();
        // Where nothing is due no worker is looked at.
        turns.retain_mut(|turn| {
            self.next_due(turn, 1).is_some_and(|first| {
                turn.due.push_front(first);
                true
            })
        });
        if turns.is_empty() {
            return;
        }
        let mut places = self.places();
        while places.room > 0 {
            turns.sort_by_key(|turn| (-i64::from(turn.priority), turn.in_hand, turn.applied));
            let Some(turn) = turns.first_mut() else { break };
            let Some(assignment) = self.next_due(turn, places.room) else {
                turns.remove(0);
                continue;
            };
            if self.place(&turn.uid, &assignment, &mut places) {
                turn.in_hand += 1;
            } else {
                turn.unplaceable.insert(assignment.pair);
                // Others of this event with the same two engines fare no better.
                let same = (assignment.pair.a, assignment.pair.b);
                let (out, left) = turn.due.drain(..).partition(|a| (a.pair.a, a.pair.b) == same);
                turn.due = left;
                let out: VecDeque<Assignment> = out;
                turn.unplaceable.extend(out.iter().map(|a| a.pair));
            }
        }
    }

    /// Where something can be placed now: of workers that may have room, those that do.
    fn places(&mut self) -> Places {
        let mut places = Places { lags: self.outgoing.lags(), ..Places::default() };
        let (workers, fleet) = (&self.workers, &self.fleet);
        self.roomy.retain(|id| {
            let Some(worker) = workers.get(id).filter(|_| fleet.get(id).is_none_or(|entry| entry.over)) else {
                return false;
            };
            let room = worker.room(places.lags);
            places.room += room;
            places.put(id, worker);
            room > 0
        });
        places
    }

    fn next_due(&mut self, turn: &mut Turn, room: usize) -> Option<Assignment> {
        if let Some(next) = turn.due.pop_front() {
            return Some(next);
        }
        if turn.asks >= limits::ASKS {
            return None;
        }
        turn.asks += 1;
        let slots = if self.events.get(&turn.uid)?.event.spec().event.stop.is_some() { self.all_slots() } else { 0 };
        let state = self.events.get_mut(&turn.uid)?;
        let due = if turn.unplaceable.is_empty() {
            let due = state.event.due(&state.held, room, slots);
            let spec = &state.event.spec().event;
            if spec.format.stops() {
                // What is passed over now is due once a result is there.
                state.held.from = 0;
            } else if let Some(order) = due.first().and_then(|first| state.event.order(&first.games.first()?.id)) {
                state.held.from = order;
            } else if spec.stop.is_none() && !spec.one_at_a_time {
                // Only a fact, or a pair that is let go, makes more due.
                state.held.from = u64::MAX;
            }
            due
        } else if state.roster.len() <= 2 {
            // All pairs are of the same two engines.
            return None;
        } else {
            let mut held: Held = state.held.clone();
            held.pairs.extend(turn.unplaceable.iter().copied());
            state.event.due(&held, room, slots)
        };
        // By cycles a pair comes again later, and it is in one worker's hands at a time.
        let mut given = BTreeSet::new();
        turn.due = due.into_iter().filter(|assignment| given.insert(assignment.pair)).collect();
        turn.due.pop_front()
    }

    /// The worker and the class of slot for a pair: a free slot before one ahead, the smallest that fits, the least
    /// loaded.
    fn best(&self, uid: &str, needs: &Needs<'_>, places: &Places) -> Option<Rank> {
        let fits = |(_, _, _, id, class): &&Rank| {
            let classes = self.workers.get(id).and_then(|worker| worker.fits(uid, needs).ok());
            classes.is_some_and(|classes| classes.contains(class))
        };
        places.ranks.iter().find(fits).cloned()
    }

    fn place(&mut self, uid: &str, assignment: &Assignment, places: &mut Places) -> bool {
        let Some(state) = self.events.get(uid) else { return false };
        if [assignment.pair.a, assignment.pair.b].iter().any(|entrant| state.asked.contains_key(entrant)) {
            return false;
        }
        let Some(needs) = self.needs(state, assignment.pair) else { return false };
        let Some((_, _, _, worker, class)) = self.best(uid, &needs, places) else { return false };
        if let Some(known) = self.workers.get(&worker) {
            places.take(&worker, known);
        }
        let boot = self.workers.get(&worker).map(|known| known.boot.clone()).unwrap_or_default();
        let pair = assignment.pair;
        let hand = Hand {
            worker: worker.clone(),
            boot,
            class,
            attempt: 0,
            games: assignment.games.clone(),
            ask_between: assignment.ask_between,
            handed_ms: self.now.unix_ms,
            told: None,
            seen: false,
            asked_back: false,
            asked_in: None,
            after: None,
            ending: false,
            recording: BTreeSet::new(),
            running: BTreeMap::new(),
            back: None,
            not_started: false,
            last: Vec::new(),
            moved_ns: self.now.mono_ns,
        };
        self.put_hand(uid, pair, hand);
        self.write(Write::HandOut { uid: uid.to_owned(), pair });
        places.room -= 1;
        if let Some(known) = self.workers.get(&worker) {
            places.put(&worker, known);
        }
        true
    }
}

/// A slot class of a worker, the best first: whether it would wait for a slot, cores, load, worker, class.
type Rank = (bool, u32, u32, String, usize);

/// Where something can be placed.
#[derive(Default)]
struct Places {
    ranks: BTreeSet<Rank>,
    room: usize,
    lags: bool,
}

fn ranks(id: &str, worker: &Worker) -> impl Iterator<Item = Rank> {
    worker.hello.slots.iter().enumerate().filter_map(move |(class, shape)| {
        let load = worker.load(class);
        let share = load.saturating_mul(1_000) / shape.count.max(1);
        let rank = (load >= shape.count, shape.cores, share, id.to_owned(), class);
        (load < shape.count.saturating_mul(2)).then_some(rank)
    })
}

impl Places {
    /// A worker's classes with room, by what they carry now.
    fn put(&mut self, id: &str, worker: &Worker) {
        if worker.room(self.lags) > 0 {
            self.ranks.extend(ranks(id, worker));
        }
    }

    /// Takes a worker out, before what it carries changes.
    fn take(&mut self, id: &str, worker: &Worker) {
        for rank in ranks(id, worker) {
            self.ranks.remove(&rank);
        }
    }
}

fn turn(uid: &str, state: &EventState) -> Option<Turn> {
    let ready = state.has_books() && state.facts_pending == 0;
    if !ready || state.waits_for_builds() || !matches!(state.event.phase(), Phase::Running | Phase::Asking(_)) {
        return None;
    }
    Some(Turn {
        uid: uid.to_owned(),
        priority: state.event.spec().event.priority,
        // Each is in hand for both entrants.
        in_hand: state.held.entrants.values().sum::<u32>() as usize / 2,
        applied: state.meta.applied_unix_ms,
        due: VecDeque::new(),
        unplaceable: BTreeSet::new(),
        asks: 0,
    })
}
