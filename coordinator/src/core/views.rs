//! What operators see: events, games, workers.

use rookery_proto::v1;
use rookery_tournament::{
    Fact, GameId,
    event::Phase,
    format::{DueGame, Want},
};

use super::{
    Answer, Core, Denied, InPlay, Place,
    state::{BookState, EventState, Worker},
    stored::FleetEntry,
};
use crate::wire;

/// Plies of a running game as others may see them: strings of conditional moves are hidden until the game is over.
pub(super) fn hidden(mut plies: Vec<v1::Ply>) -> Vec<v1::Ply> {
    plies.iter_mut().for_each(|ply| ply.conditional = String::new());
    plies
}

impl EventState {
    pub(super) fn in_play(&self, game: &GameId) -> bool {
        let hand = self.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        !self.results.contains_key(game) && hand.is_some_and(|hand| hand.games.iter().any(|g| g.id == *game))
    }

    /// The other game of its pair, where that is at the board and this one waits behind it: both would be taken back.
    pub(super) fn partner_in_play(&self, game: &GameId) -> Option<String> {
        let hand = self.pairs.get(&game.pair)?.hand.as_ref().filter(|_| self.in_play(game))?;
        let plays = |id: &GameId| {
            hand.running.get(id).is_some_and(|running| running.phase == v1::AttemptPhase::Playing)
                && !self.results.contains_key(id)
                && !hand.recording.contains(id)
        };
        let mut others = hand.games.iter().filter(|other| other.id != *game);
        others.find(|other| plays(&other.id) && !plays(game)).map(|other| other.round.clone())
    }

    pub(super) fn running_plies(&self, game: &GameId) -> Vec<v1::Ply> {
        let hand = self.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        let plies = hand.and_then(|hand| hand.running.get(game)).map_or_else(Vec::new, |running| running.plies.clone());
        hidden(plies)
    }

    /// What is known of a game without a result on record.
    pub(super) fn in_play_of(&self, game: &GameId) -> InPlay {
        if self.results.contains_key(game) {
            return InPlay::default();
        }
        let hand = self.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        let running = hand.and_then(|hand| hand.running.get(game));
        let began = self.kept.get(game).map(|kept| kept.began_unix_ms).filter(|&began| began > 0);
        InPlay {
            setup: self.event.game(game).and_then(|due| self.setup(&due)),
            plies: self.running_plies(game),
            began_unix_ms: began.or(running.map(|running| running.started_unix_ms)).unwrap_or(0),
        }
    }

    /// Whether a fact took this game's result away, and no later one gave it back.
    pub(super) fn voided(&self, game: &GameId) -> bool {
        self.event.is_voided(game)
    }

    pub(super) fn fact_list(&self) -> Vec<v1::Fact> {
        let list = self.facts.iter().map(|logged| {
            let json = serde_json::to_value(&logged.fact).unwrap_or_default();
            let kind = json.get("kind").and_then(|kind| kind.as_str()).unwrap_or_default();
            v1::Fact {
                seq: logged.seq,
                at_unix_ms: logged.at_unix_ms,
                by: logged.by.clone(),
                reason: logged.reason.clone(),
                kind: camel(kind),
                json: json.to_string(),
            }
        });
        list.collect()
    }

    pub(super) fn game_phase(&self, game: &GameId) -> v1::GamePhase {
        if self.voided(game) {
            return v1::GamePhase::Voided;
        }
        let on_record = self.results.contains_key(game);
        if on_record || self.event.ruling(game).is_some() {
            let stopped =
                self.facts.iter().any(|fact| matches!(fact.fact, Fact::Stopped { .. } | Fact::Decided { .. }));
            // What is on record and not wanted lies beyond a stop; a stop by a person has nothing beyond it.
            let surplus = on_record && stopped && matches!(self.event.wants(game), Want::No(_));
            return if surplus { v1::GamePhase::Surplus } else { v1::GamePhase::Finished };
        }
        let hand = self.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        if let Some(hand) = hand.filter(|hand| hand.games.iter().any(|g| g.id == *game)) {
            let playing = hand.running.get(game).is_some_and(|r| r.phase == v1::AttemptPhase::Playing || r.ply > 0);
            return if playing { v1::GamePhase::Playing } else { v1::GamePhase::HandedOut };
        }
        if self.set_aside.contains_key(&game.pair) {
            return v1::GamePhase::SetAside;
        }
        v1::GamePhase::Waiting
    }

    /// The game in short; `due` where it is known already.
    pub(super) fn summary_of(&self, uid: &str, game: &GameId, due: Option<&DueGame>) -> v1::GameSummary {
        let found = if due.is_none() { self.event.game(game) } else { None };
        let due = due.or(found.as_ref());
        let stored = self.results.get(game).map(|stored| stored.entry);
        let hand = self.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        let hand = hand.filter(|_| self.in_play(game));
        let running = hand.and_then(|hand| hand.running.get(game));
        let mut outcome = stored.as_ref().map(|entry| v1::Outcome {
            result: wire::result(entry.result).into(),
            ending: wire::ending(entry.ending).into(),
            fault: entry.fault.map_or(v1::Seat::Unspecified, wire::seat).into(),
            detail: String::new(),
        });
        if let Some(result) = self.event.ruling(game) {
            outcome = Some(v1::Outcome {
                result: wire::result(result).into(),
                ending: v1::Ending::Ruling.into(),
                ..v1::Outcome::default()
            });
        }
        v1::GameSummary {
            id: Some(wire::game_id(uid, game)),
            event: self.name().to_owned(),
            round: due.map_or_else(String::new, |due| due.round.clone()),
            first: due.map_or("", |due| self.engine_name(due.first)).to_owned(),
            second: due.map_or("", |due| self.engine_name(due.second)).to_owned(),
            phase: self.game_phase(game).into(),
            outcome,
            plies: stored.as_ref().map(|entry| entry.plies).or(running.map(|running| running.ply)).unwrap_or(0),
            worker: stored.map(|entry| entry.worker).or(hand.map(|hand| hand.worker.clone())).unwrap_or_default(),
            name: game.to_string(),
        }
    }
}

/// `by ann: the disk is new`.
fn signed(entry: &FleetEntry) -> String {
    let by = if entry.by.is_empty() { "someone" } else { &entry.by };
    if entry.reason.is_empty() { format!("by {by}") } else { format!("by {by}: {}", entry.reason) }
}

/// `set-aside` → `SetAside`.
fn camel(kebab: &str) -> String {
    let mut text = String::new();
    for part in kebab.split('-') {
        let mut chars = part.chars();
        text.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(chars.as_str());
    }
    text
}

impl Core {
    /// Games of an event that are played now: a worker plays what it was handed first, one game on each slot; the rest
    /// waits there for a slot.
    fn games_in_play(&self, uid: &str) -> u64 {
        let of = |worker: &Worker| {
            let unplayed = worker.hands.keys().filter(|key| !worker.played.contains(*key));
            let attempt = |(event, pair): &(String, rookery_tournament::PairId)| {
                self.hand(event, *pair).map_or(0, |hand| hand.attempt)
            };
            // What is still being handed out comes last.
            let mut order: Vec<_> = unplayed.map(|key| (attempt(key).wrapping_sub(1) as u64, key.0 == uid)).collect();
            order.sort_unstable();
            // Of a worker that has not come back yet the slots are not known.
            let slots = if worker.hello.slots.is_empty() { usize::MAX } else { worker.slots() as usize };
            order.iter().take(slots).filter(|(_, of_event)| *of_event).count() as u64
        };
        self.workers.values().map(of).sum()
    }

    pub(super) fn event_summary(&self, uid: &str, state: &EventState) -> v1::EventSummary {
        let progress = state.event.progress();
        let phase = state.event.phase();
        let mut questions = Vec::new();
        let shown = match &phase {
            Phase::Running if !state.asked.is_empty() => v1::EventPhase::Asking,
            Phase::Running => v1::EventPhase::Running,
            Phase::Paused => v1::EventPhase::Paused,
            Phase::Asking(asked) => {
                questions.clone_from(asked);
                v1::EventPhase::Asking
            }
            Phase::Finished => v1::EventPhase::Finished,
            Phase::Stopped => v1::EventPhase::Stopped,
        };
        if !state.closed() {
            questions.extend(state.asked.values().cloned());
        }
        v1::EventSummary {
            event: state.name().to_owned(),
            event_uid: uid.to_owned(),
            phase: shown.into(),
            games_done: progress.done,
            games_running: self.games_in_play(uid),
            games_total: progress.total,
            games_surplus: progress.surplus,
            questions,
            stop: state.event.stop_line(),
            applied_unix_ms: state.meta.applied_unix_ms,
            waits_for: self.waits_for(uid, state, &phase),
            spec_digest: state.meta.spec_digest.clone(),
            priority: state.event.spec().event.priority,
        }
    }

    /// Why nothing more is handed out now; empty where something is, or nothing is due.
    fn waits_for(&self, uid: &str, state: &EventState, phase: &Phase) -> String {
        match phase {
            Phase::Paused => return "a person: it is paused".to_owned(),
            Phase::Asking(_) if state.pairs.values().all(|pair| pair.hand.is_none()) => {
                return "a person: see the questions".to_owned();
            }
            Phase::Stopped | Phase::Finished => return String::new(),
            _ if state.waits_for_builds() => return "a person: see the questions".to_owned(),
            _ => {}
        }
        if let Some(why) = state.waits_for_start(self.now.unix_ms) {
            return why;
        }
        let due = state.event.due(&state.held, 1, self.all_slots().max(1));
        let Some(first) = due.first() else { return String::new() };
        let reasons = self.why_not_placed(uid, state, first.pair);
        reasons.into_iter().next().unwrap_or_default()
    }

    pub(super) fn answer_event(&self, uid: &str) -> Result<Answer, Denied> {
        let state = self.events.get(uid).ok_or_else(|| Denied::NotFound(format!("no event `{uid}`")))?;
        Ok(Answer::Event(Box::new(self.event_summary(uid, state)), Box::new(state.event.spec().clone())))
    }

    pub(super) fn list_events(&self) -> Answer {
        let mut events: Vec<v1::EventSummary> =
            self.events.iter().map(|(uid, state)| self.event_summary(uid, state)).collect();
        events.sort_by(|a, b| b.applied_unix_ms.cmp(&a.applied_unix_ms).then(a.event.cmp(&b.event)));
        Answer::Events(events)
    }

    pub(super) fn answer_game(&self, uid: &str, game: &GameId) -> Result<Answer, Denied> {
        let state = self.events.get(uid).ok_or_else(|| Denied::NotFound(format!("no event `{uid}`")))?;
        let location = state.results.location(game);
        let summary = Box::new(state.summary_of(uid, game, None));
        Ok(Answer::Game(summary, location, Box::new(state.in_play_of(game))))
    }

    pub(super) fn list_games(
        &self,
        event: &str,
        after: Option<GameId>,
        limit: usize,
        phase: Option<v1::GamePhase>,
        engine: Option<&str>,
    ) -> Result<Answer, Denied> {
        let uid = self.find_event(event)?;
        let state = self.events.get(&uid).ok_or_else(|| Denied::NotFound(format!("no event `{event}`")))?;
        let mut order = after.as_ref().and_then(|after| state.event.order(after)).unwrap_or(0);
        let mut games = Vec::new();
        let mut last: Option<GameId> = None;
        while let Some(due) = state.event.game_at(order) {
            // Takes that were voided stand before the one that counts.
            for take in 1..=due.id.take {
                let id = GameId { take, ..due.id };
                let told = after.is_some_and(|after| state.event.order(&after) == Some(order) && take <= after.take);
                if told {
                    continue;
                }
                let same = DueGame { id, ..due.clone() };
                let summary = state.summary_of(&uid, &id, Some(&same));
                let wanted = phase.is_none_or(|phase| summary.phase() == phase)
                    && engine.is_none_or(|engine| summary.first == engine || summary.second == engine);
                if !wanted {
                    continue;
                }
                if games.len() == limit {
                    return Ok(Answer::Games(games, last));
                }
                games.push(summary);
                last = Some(id);
            }
            order += 1;
        }
        Ok(Answer::Games(games, None))
    }

    pub(super) fn locations(&self, event: &str, all: bool) -> Result<Answer, Denied> {
        let uid = self.find_event(event)?;
        let state = self.events.get(&uid).ok_or_else(|| Denied::NotFound(format!("no event `{event}`")))?;
        let mut places = Vec::new();
        for (game, location) in state.results.locations() {
            let mark = match state.game_phase(game) {
                v1::GamePhase::Voided => "voided",
                v1::GamePhase::Surplus => "surplus",
                _ => "",
            };
            if all || mark.is_empty() {
                places.push(Place { game: *game, location, mark, ruled: state.event.ruling(game) });
            }
        }
        places.sort_by_cached_key(|place| (state.event.order(&place.game), place.game.take));
        Ok(Answer::Locations(places))
    }

    pub(super) fn list_workers(&self) -> Answer {
        let mut workers: Vec<v1::WorkerSummary> =
            self.workers.iter().map(|(id, worker)| self.worker_summary(id, worker)).collect();
        let away = |id: &&String| !self.workers.contains_key(*id) && self.drained(id).is_some();
        let absent = self.fleet.keys().filter(away);
        workers.extend(absent.map(|id| self.absent(id)));
        workers.sort_by(|a, b| a.worker.cmp(&b.worker));
        Answer::Workers(workers)
    }

    pub(super) fn answer_worker(&self, id: &str) -> Result<Answer, Denied> {
        let summary = self.workers.get(id).map_or_else(|| self.absent(id), |known| self.worker_summary(id, known));
        Ok(Answer::Workers(vec![summary]))
    }

    fn set_aside_text(&self, id: &str) -> String {
        self.drained(id).map_or_else(String::new, signed)
    }

    /// Who ended the last drain, and why.
    fn released_text(&self, id: &str) -> String {
        self.fleet.get(id).filter(|entry| entry.over).map_or_else(String::new, signed)
    }

    fn absent(&self, id: &str) -> v1::WorkerSummary {
        v1::WorkerSummary { worker: id.to_owned(), set_aside: self.set_aside_text(id), ..v1::WorkerSummary::default() }
    }

    fn worker_summary(&self, id: &str, worker: &Worker) -> v1::WorkerSummary {
        let hello = &worker.hello;
        v1::WorkerSummary {
            worker: id.to_owned(),
            boot: worker.boot.clone(),
            version: hello.version.clone(),
            attached: worker.session.is_some(),
            set_aside: self.set_aside_text(id),
            released: self.released_text(id),
            slots: hello.slots.clone(),
            free: worker.free.clone(),
            attempts: worker.told.clone(),
            labels: hello.labels.clone(),
            last_beat_unix_ms: worker.beat_unix_ms,
            engines: hello.engines.clone(),
            tablebase_men: hello.tablebase_men,
            cage: hello.cage.clone(),
        }
    }
}

impl EventState {
    /// The moment before which nothing is handed out, where it is still to come: its own time, or the end of a break.
    pub(super) fn begins_after(&self, now_unix_ms: u64) -> Option<String> {
        let event = &self.event.spec().event;
        let now = i64::try_from(now_unix_ms).unwrap_or(i64::MAX);
        if let Some(at) = event.not_before.filter(|at| at.as_millisecond() > now) {
            return Some(format!("its time: not before {at}"));
        }
        let pause = u64::try_from(event.pause.as_millis()).unwrap_or(u64::MAX);
        if pause == 0 || self.ended_unix_ms == 0 {
            return None;
        }
        let over = i64::try_from(self.ended_unix_ms.saturating_add(pause)).unwrap_or(i64::MAX);
        let at = jiff::Timestamp::from_millisecond(over).unwrap_or(jiff::Timestamp::MAX);
        (over > now).then(|| format!("the break between games: not before {at:.0}"))
    }

    /// What an event waits for before its first game.
    pub(super) fn waits_for_start(&self, now_unix_ms: u64) -> Option<String> {
        if let Some(why) = self.begins_after(now_unix_ms) {
            return Some(why);
        }
        self.books().into_iter().find_map(|(_, book)| match book {
            BookState::Ready(_) => None,
            BookState::Asked | BookState::Wanted => Some("its book to be loaded".to_owned()),
            BookState::Failed { error, .. } => Some(format!("its book: {error}")),
        })
    }
}
