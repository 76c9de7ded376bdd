//! What workers say about games: finished, handed back, moved on, refused.

use rookery_game::{Ending, GameRecord, Seat, prediction, record::Interrupted};
use rookery_proto::v1::{self, DiscardReason, HandBackReason, RefusalReason, attach_response::Message};
use rookery_tournament::{
    EntrantId, GameId, PairId, ResultEntry,
    fact::Location,
    format::{DueGame, Want},
};

use super::{
    Core, Effect,
    archive_out::Game,
    hand_out::bad_key,
    kept::Back,
    limits,
    pace::charged_ms,
    state::{EventState, Running},
    stored::{FleetEntry, cut, encode},
    views::hidden,
    writes::{Reply, Write},
};
use crate::{store::Revision, wire};

/// What is to become of a finished game.
enum Verdict {
    Take(Box<GameRecord>, Box<ResultEntry>),
    /// Its answer is under way.
    Wait,
    /// It cannot be judged now; the worker says it again.
    Later,
    Recorded {
        go_on: bool,
    },
    Discard(DiscardReason, String),
    /// It does not replay: the attempt is spent.
    Broken(String),
}

impl Core {
    pub(super) fn finished(&mut self, worker: &str, finished: v1::Finished) {
        let v1::Finished { attempt, record } = finished;
        let record = record.unwrap_or_default();
        let echo = record.id.clone();
        let (uid, game) = match wire::read_game_id(&record.id.clone().unwrap_or_default()) {
            Ok(id) => id,
            Err(error) => {
                let reply = Reply::Discarded(echo, DiscardReason::DoesNotReplay, error.to_string());
                self.reply(worker, attempt, reply);
                return;
            }
        };
        match self.judge(worker, attempt, &uid, &game, record) {
            Verdict::Wait => {}
            Verdict::Later => {
                self.outgoing.turned_away.insert(worker.to_owned());
            }
            Verdict::Recorded { go_on } => {
                self.tell_over(worker, attempt, Message::Recorded(v1::Recorded { attempt, game: echo, go_on }));
            }
            Verdict::Discard(reason, detail) => {
                self.reply(worker, attempt, Reply::Discarded(echo, reason, detail));
            }
            Verdict::Broken(why) => {
                let error = format!("worker {worker}: {why}");
                let reply = Reply::Discarded(echo, DiscardReason::DoesNotReplay, why);
                self.end_attempt(&uid, game.pair, true, &error, reply);
            }
            Verdict::Take(mut record, entry) => {
                record.interrupted = self.last_lines.of(&uid, &game);
                record.nth = self.nth(&uid, game.pair);
                let charged = charged_ms(record.plies.iter().map(|ply| ply.time_ns));
                let bytes = encode(&record);
                if !self.outgoing.has_room(bytes.len()) {
                    self.outgoing.turned_away.insert(worker.to_owned());
                    return;
                }
                if let Some(hand) = self.hand_mut(&uid, game.pair) {
                    hand.recording.insert(game);
                }
                self.note_played(worker, &uid, game.pair);
                let Some(state) = self.events.get_mut(&uid) else { return };
                state.lengths.add(charged);
                let stored = state.ends(*entry, attempt, self.now.unix_ms);
                self.archive_game(&bytes, Game { uid, game, attempt, stored });
            }
        }
    }

    /// A pair whose games are all played frees its slot before they are on record.
    fn note_played(&mut self, worker: &str, uid: &str, pair: PairId) {
        let Some(state) = self.events.get(uid) else { return };
        let Some(hand) = self.hand(uid, pair) else { return };
        let over = |game: &DueGame| state.results.contains_key(&game.id) || hand.recording.contains(&game.id);
        if hand.games.iter().all(over)
            && let Some(known) = self.workers.get_mut(worker)
            && known.played.insert((uid.to_owned(), pair))
        {
            self.offer_to(worker);
        }
    }

    fn judge(&self, worker: &str, attempt: Revision, uid: &str, game: &GameId, record: v1::GameRecord) -> Verdict {
        let Some(state) = self.events.get(uid) else {
            return Verdict::Discard(DiscardReason::NoEvent, format!("no event {uid}"));
        };
        if let Some(recorded) = state.results.attempt(game) {
            return if recorded == attempt {
                Verdict::Recorded { go_on: state.goes_on(game.pair, attempt) }
            } else {
                let detail = format!("by attempt {recorded}");
                Verdict::Discard(DiscardReason::AlreadyRecorded, detail)
            };
        }
        let hand = state.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        let Some(hand) = hand.filter(|hand| hand.attempt == attempt && hand.worker == worker) else {
            return Verdict::Discard(DiscardReason::AttemptOver, String::new());
        };
        let Some(ordered) = hand.games.iter().find(|ordered| ordered.id == *game) else {
            return Verdict::Discard(DiscardReason::AttemptOver, "not a game of this attempt".to_owned());
        };
        if hand.ending || hand.recording.contains(game) {
            return Verdict::Wait;
        }
        // Without the book nothing can be checked.
        let Some(setup) = state.setup(ordered) else { return Verdict::Later };
        match checked(state, setup, ordered, record, worker) {
            Ok((record, entry)) => Verdict::Take(Box::new(record), Box::new(entry)),
            Err(why) => Verdict::Broken(why),
        }
    }

    pub(super) fn handed_back(&mut self, worker: &str, back: v1::HandedBack) {
        let attempt = back.attempt;
        let reason = back.reason();
        let Some((uid, pair)) = self.attempt_of(worker, attempt) else {
            self.reply(worker, attempt, Reply::Discarded(back.game, DiscardReason::AttemptOver, String::new()));
            return;
        };
        if self.outgoing.turned_away.contains(worker) {
            // Its attempt may have a finished game that could not be taken: the worker says both again.
            return;
        }
        let evidence = cut(&back.evidence, limits::ERROR_BYTES);
        let what = match reason {
            HandBackReason::Drained => "drained",
            HandBackReason::Paused => "paused",
            HandBackReason::Lag => "a flag by the host's lag",
            HandBackReason::HostFault => "host fault",
            HandBackReason::NotStarted => "an engine did not start",
            HandBackReason::Cancelled => "cancelled",
            HandBackReason::Unspecified => "handed back",
        };
        let plies = back.plies.len();
        self.comes_back(&uid, pair, &back);
        // What waited for a slot comes back without plies; a board tells all of them.
        let not_started = reason == HandBackReason::NotStarted || plies == 0;
        if let Some(hand) = self.hand_mut(&uid, pair).filter(|_| not_started) {
            hand.not_started = true;
        }
        let evidence_too = if evidence.is_empty() { String::new() } else { format!(": {evidence}") };
        let why = format!("{what} at ply {plies}{evidence_too}");
        if let Some(Ok((of, game))) = back.game.as_ref().map(wire::read_game_id)
            && of == uid
            && game.pair == pair
        {
            let came = Interrupted {
                attempt,
                nth: self.nth(&uid, pair),
                worker: worker.to_owned(),
                why: why.clone(),
                at_unix_ms: self.now.unix_ms,
                transcripts: back.transcripts.into_iter().filter_map(wire::read_transcript).collect(),
            };
            self.last_lines.keep(&uid, game, came);
        }
        let error = format!("worker {worker}: {why}");
        let broken = reason == HandBackReason::HostFault;
        if broken {
            self.host_fault(worker, &evidence);
        }
        self.end_attempt(&uid, pair, broken, &error, Reply::Recorded(back.game));
        if reason == HandBackReason::NotStarted {
            self.not_started(worker, &uid, pair, &back.engine, &evidence);
        }
    }

    /// What was played of a game that comes back is stored with the end of its attempt.
    fn comes_back(&mut self, uid: &str, pair: PairId, back: &v1::HandedBack) {
        let Some(Ok((of, game))) = back.game.as_ref().map(wire::read_game_id) else { return };
        let stores = self.events.get(uid).is_some_and(|state| state.rule().stores());
        let long = back.plies.len() > limits::RUNNING_PLIES;
        let Some(hand) = self.hand_mut(uid, pair).filter(|_| stores && !long && of == uid) else { return };
        if !hand.ending && hand.games.iter().any(|ordered| ordered.id == game) && !back.plies.is_empty() {
            hand.back = Some(Box::new(Back {
                game,
                plies: back.plies.iter().cloned().map(wire::read_ply).collect(),
                clocks: [back.first_clock_ns, back.second_clock_ns],
                started_unix_ms: back.started_unix_ms,
            }));
        }
    }

    /// An engine did not start on a worker. Where no other can play the pair, it waits for a person.
    fn not_started(&mut self, worker: &str, uid: &str, pair: PairId, engine: &str, evidence: &str) {
        let names: Vec<String> = self.events.get(uid).map_or_else(Vec::new, |state| {
            [pair.a, pair.b].iter().map(|entrant| state.engine_name(*entrant).to_owned()).collect()
        });
        // A worker that does not name the engine leaves both in doubt.
        let blamed: Vec<String> = if names.iter().any(|name| name == engine) { vec![engine.to_owned()] } else { names };
        let until_ns = self.now.mono_ns + limits::BAD_ENGINE_MS * 1_000_000;
        if let Some(known) = self.workers.get_mut(worker) {
            known.bad_until_ns = until_ns;
            for name in &blamed {
                known.bad_engines.insert(bad_key(uid, name), evidence.to_owned());
            }
        }
        let elsewhere = self
            .events
            .get(uid)
            .and_then(|state| self.needs(state, pair))
            .is_some_and(|needs| self.workers.values().any(|worker| worker.fits(uid, &needs).is_ok()));
        if !elsewhere {
            let error = format!("{} does not start: {evidence}", blamed.join(" or "));
            self.set_aside(uid, pair, error);
        }
    }

    fn host_fault(&mut self, worker: &str, evidence: &str) {
        let drained = self.drained(worker).is_some();
        let Some(known) = self.workers.get_mut(worker) else { return };
        known.faults += 1;
        let faults = known.faults;
        if faults < limits::WORKER_FAULTS || drained {
            return;
        }
        // It is told once that is on record.
        known.drain_told = Some(true);
        let entry = FleetEntry {
            by: "rookery".to_owned(),
            reason: format!("{faults} host faults in a row; the last: {evidence}"),
            request_id: String::new(),
            at_unix_ms: self.now.unix_ms,
            over: false,
            grace_ms: 0,
        };
        // Known at once, so that nothing more is handed out while it is written.
        self.fleet.insert(worker.to_owned(), entry.clone());
        self.write(Write::Fleet { worker: worker.to_owned(), entry, asks: Vec::new() });
    }

    pub(super) fn progress(&mut self, worker: &str, progress: v1::Progress) {
        let Some(Ok((uid, game))) = progress.game.as_ref().map(wire::read_game_id) else { return };
        let now = self.now.mono_ns;
        let Some(state) = self.events.get(&uid) else { return };
        let rule = state.rule();
        let hand = state.pairs.get(&game.pair).and_then(|known| known.hand.as_ref());
        let Some(hand) = hand.filter(|hand| hand.attempt == progress.attempt && hand.worker == worker) else { return };
        let Some(ordered) = hand.games.iter().find(|ordered| ordered.id == game) else { return };
        let begins = hand.running.get(&game).is_none_or(|running| running.plies.is_empty());
        let known = if begins { state.known_plies(ordered) } else { None };
        let Some(hand) = self.hand_mut(&uid, game.pair) else { return };
        hand.seen = true;
        hand.moved_ns = now;
        let running = hand.running.entry(game).or_default();
        if let Some(known) = known {
            running.plies = known;
        }
        let first = progress.first_ply as usize;
        // A gap heals when the worker attaches anew and tells all of it; until then only what is whole is kept.
        if first > running.plies.len() || first + progress.plies.len() > limits::RUNNING_PLIES {
            return;
        }
        let same = running.plies[first..].iter().zip(&progress.plies).take_while(|(a, b)| a.r#move == b.r#move).count();
        if same < progress.plies.len() {
            running.plies.truncate(first + same);
            running.plies.extend(progress.plies.iter().skip(same).cloned());
        }
        running.phase = v1::AttemptPhase::Playing;
        running.started_unix_ms = progress.started_unix_ms;
        if first + progress.plies.len() == running.plies.len() {
            running.ply = running.plies.len() as u32;
            running.clocks = [progress.first_clock_ns, progress.second_clock_ns];
        }
        running.thinking_ms = running.thinking_ms.saturating_add(progress.thinking_ms);
        let first_ply = progress.first_ply;
        let running = self.hand(&uid, game.pair).and_then(|hand| hand.running.get(&game));
        // A piece of a long telling has no clocks; they come with its last one.
        let timed = |running: &Running| {
            running.clocks.iter().any(Option::is_some) || running.plies.last().is_none_or(|ply| ply.clock_ns.is_none())
        };
        let due = running.is_some_and(|running| timed(running) && self.stores_now(rule, running));
        self.out.push(Effect::Moved { event_uid: uid.clone(), game, first_ply, plies: hidden(progress.plies) });
        if due {
            if let Some(running) = self.hand_mut(&uid, game.pair).and_then(|hand| hand.running.get_mut(&game)) {
                running.checkpointing = true;
            }
            self.write(Write::Checkpoint { uid, game, attempt: progress.attempt, built: None });
        }
    }

    pub(super) fn refused(&mut self, worker: &str, refused: &v1::Refused) {
        let Some((uid, pair)) = self.attempt_of(worker, refused.attempt) else { return };
        let detail = cut(&refused.detail, limits::ERROR_BYTES);
        let error = format!("worker {worker} refused: {detail}");
        self.end_attempt(&uid, pair, false, &error, Reply::None);
        let Some(known) = self.workers.get_mut(worker) else { return };
        match refused.reason() {
            RefusalReason::Engine => self.not_started(worker, &uid, pair, "", &detail),
            RefusalReason::Draining => known.draining = true,
            RefusalReason::NotUnderstood => {
                known.bad_events.insert(uid);
            }
            RefusalReason::NoCredit | RefusalReason::OldLeader | RefusalReason::Unspecified => known.refused = true,
        }
    }
}

impl EventState {
    /// Whether an attempt goes on to the game that it still has to play.
    pub(super) fn goes_on(&self, pair: PairId, attempt: Revision) -> bool {
        let hand = self.pairs.get(&pair).and_then(|known| known.hand.as_ref());
        let Some(hand) = hand.filter(|hand| hand.attempt == attempt && !hand.asked_back && !hand.ending) else {
            return false;
        };
        let left = hand.games.iter().find(|game| !self.results.contains_key(&game.id));
        left.is_some_and(|left| !matches!(self.event.wants(&left.id), Want::No(_)))
    }
}

/// Replays a finished game as it was ordered.
fn checked(
    state: &EventState,
    setup: rookery_game::GameSetup,
    ordered: &DueGame,
    record: v1::GameRecord,
    worker: &str,
) -> Result<(GameRecord, ResultEntry), String> {
    let mut record =
        wire::read_record(record, setup, state.name(), &ordered.id, worker).map_err(|error| error.to_string())?;
    // How often it went on is known here.
    let kept = state.kept.get(&ordered.id).filter(|kept| kept.restarts > 0);
    record.restarts = kept.map_or(0, |kept| kept.restarts);
    // Clocks of machines differ: no game began after its last attempt did.
    record.began_unix_ms = kept.map_or(0, |kept| kept.began_unix_ms.min(record.started_unix_ms));
    let restarts = record.restarts;
    if let Some(kept) = kept {
        let before = kept.plies.get(..kept.from).unwrap_or_default();
        let same = record.plies.iter().zip(before).take_while(|(a, b)| a.mv == b.mv).count();
        if same < before.len() {
            return Err(format!("it does not go on from the {} plies that were played before", before.len()));
        }
    }
    let replayed = record.replay().map_err(|error| error.to_string())?;
    let outcome = record.outcome.as_ref().ok_or("no outcome")?;
    if matches!(outcome.ending, Ending::Ruling | Ending::InterruptionRule) {
        return Err(format!("a game ends by {} here, never on a worker", outcome.ending));
    }
    let fault: Option<Seat> = outcome.fault;
    let seats: [EntrantId; 2] = [ordered.first, ordered.second];
    let entry = ResultEntry {
        game: ordered.id,
        first: seats[0],
        second: seats[1],
        result: outcome.result,
        ending: outcome.ending,
        fault,
        plies: replayed.plies,
        opening: state.opening(ordered).map_or(0, |(index, _)| index),
        r_mobility: replayed.mobility,
        prediction: prediction::count(&record.setup, &record.plies).map(|tally| tally.winner()),
        restarts,
        worker: cut(worker, limits::WORKER_ID_BYTES),
        location: Location::default(),
    };
    Ok((record, entry))
}
