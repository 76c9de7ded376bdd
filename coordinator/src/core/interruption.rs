//! Games that stopped without a result: what becomes of them, by the event's rule.
//!
//! A pair whose attempt ended with a game in it is held until it is decided what becomes of the game. What is decided
//! follows from what the store has alone, so that another leader decides the same.

use rookery_game::{Ending, GameRecord, GameResult, GameSetup, Outcome, Seat, board::Notation, prediction, record};
use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{
    Fact, GameId, PairId, ResultEntry,
    fact::Location,
    format::{DueGame, Want},
    interruption::{InterruptionRule, Verdict, decide},
};

use super::{
    Core,
    archive_out::Game,
    kept::{Kept, Plan, opening_plies},
    limits,
    state::{EventState, Hand, Running},
    stored::{Checkpoint, cut, encode},
    writes::Write,
};
use crate::{store::Revision, wire};

/// Tables that were asked about a broken game.
pub(super) struct Probing {
    uid: String,
    game: GameId,
    worker: String,
    pub(super) until_ns: u64,
}

/// What was done about a broken game.
enum Step {
    /// It waits for an answer: of the tables, of the archive, of a person.
    Waits,
    /// It is decided.
    Done,
}

impl EventState {
    /// The event's rule for interruptions.
    pub(super) fn rule(&self) -> InterruptionRule {
        self.event.spec().event.interruption.rule()
    }

    fn kept_games(&self, pair: PairId) -> Vec<GameId> {
        let from = GameId { pair, game: 0, take: 0 };
        let to = GameId { pair, game: u8::MAX, take: u32::MAX };
        self.kept.range(from..=to).map(|(game, _)| *game).collect()
    }

    /// Whether a game of a pair is there to go on from its last position, as often as its rule allows.
    pub(super) fn goes_on_anew(&self, pair: PairId) -> bool {
        let played = |game: &GameId| self.kept.get(game).is_some_and(Kept::played);
        self.rule().restart && self.kept_games(pair).iter().any(played)
    }

    /// Holds a pair in nobody's hands until it is decided what becomes of its broken games.
    pub(super) fn hold_broken(&mut self, pair: PairId) {
        if self.rule().stores() && !self.kept_games(pair).is_empty() {
            self.undecided.insert(pair);
            self.held.pairs.insert(pair);
        }
    }

    /// Nothing is kept of a pair any more.
    pub(super) fn forget_broken(&mut self, pair: PairId) {
        for game in self.kept_games(pair) {
            self.kept.remove(&game);
        }
        if self.undecided.remove(&pair) {
            self.held.pairs.remove(&pair);
            self.held.from = 0;
        }
    }

    /// Games were handed out: those with a plan go on, of the others nothing is kept any more.
    pub(super) fn begun(&mut self, games: &[GameId]) {
        for game in games {
            let planned = self.kept.get(game).and_then(|kept| Some((kept.next, kept.restart(game)?)));
            match (planned, self.kept.get_mut(game)) {
                (Some((seq, checkpoint)), Some(kept)) => {
                    kept.plan = None;
                    kept.table = None;
                    kept.fold(seq, checkpoint);
                }
                _ => {
                    let of_any_take = self.kept_games(game.pair).into_iter().filter(|kept| kept.game == game.game);
                    for gone in of_any_take.collect::<Vec<_>>() {
                        self.kept.remove(&gone);
                    }
                }
            }
        }
    }

    /// What is stored of an attempt's games with its end: what came back, and that a game did not begin again.
    pub(super) fn last_of(&self, hand: &Hand) -> Vec<(GameId, u32, Checkpoint)> {
        let mut last = Vec::new();
        let none = Kept::default();
        for game in hand.games.iter().map(|game| game.id).filter(|game| !self.results.contains_key(game)) {
            let kept = self.kept.get(&game).unwrap_or(&none);
            let phase = hand.running.get(&game).map(|running| running.phase);
            use v1::AttemptPhase::{Asking, Starting, Waiting};
            // What a worker did before this process led is not known.
            let unknown = hand.told.is_some() && phase.is_none();
            let waited = unknown || matches!(phase, Some(Waiting | Starting | Asking));
            let undone = if waited || hand.not_started || !hand.seen { kept.undone(&game) } else { None };
            let back = hand.back.as_ref().filter(|back| back.game == game);
            let back = back.and_then(|back| kept.handed_back(back, &hand.worker));
            last.extend(undone.or(back).map(|checkpoint| (game, kept.next, checkpoint)));
        }
        last
    }

    /// Whether all games of a pair but this one are on record.
    pub(super) fn all_recorded_but(&self, game: &GameId) -> bool {
        (1..=self.event.spec().event.games_per_pair)
            .filter(|number| *number != game.game)
            .all(|number| self.on_record(game.pair, number))
    }

    /// Whether the newest take of a pair's game is on record and counts.
    fn on_record(&self, pair: PairId, game: u8) -> bool {
        self.results.newest(pair, game).is_some_and(|id| !self.voided(&id))
    }

    /// The plies with which a game is known before its worker says anything.
    pub(super) fn known_plies(&self, game: &DueGame) -> Option<Vec<v1::Ply>> {
        if let Some(kept) = self.kept.get(&game.id).filter(|kept| !kept.plies.is_empty()) {
            return Some(kept.plies.iter().map(wire::ply).collect());
        }
        self.setup(game).map(|setup| opening_plies(&setup))
    }

    /// The rule as it stands for a pair: each time that a person had it retried gives as many restarts again.
    fn rule_for(&self, pair: PairId) -> InterruptionRule {
        let rule = self.rule();
        let retried = |fact: &Fact| matches!(fact, Fact::Retried { pairs } if pairs.contains(&pair));
        let times = self.facts.iter().filter(|fact| retried(&fact.fact)).count();
        let times = u32::try_from(times).unwrap_or(u32::MAX).saturating_add(1);
        InterruptionRule { max_restarts: rule.max_restarts.saturating_mul(times), ..rule }
    }

    fn decided(&mut self, game: GameId, line: String) {
        let lines = self.decisions.entry(game).or_default();
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        if lines.len() > limits::DECISIONS {
            lines.remove(0);
        }
    }
}

impl Core {
    /// A checkpoint is on record.
    pub(super) fn checkpointed(
        &mut self,
        uid: &str,
        game: GameId,
        attempt: Revision,
        built: Option<Box<(u32, Checkpoint)>>,
    ) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let rule = state.rule();
        if let Some(built) = built {
            let (seq, checkpoint) = *built;
            state.kept.entry(game).or_default().fold(seq, checkpoint);
        }
        let kept = state.kept.get(&game).map_or(0, |kept| kept.plies.len());
        let Some(running) = self.hand_mut(uid, game.pair).and_then(|hand| hand.running.get_mut(&game)) else { return };
        running.checkpointing = rule.every_ply && running.plies.len() > kept;
        running.thinking_ms = 0;
        if running.checkpointing {
            self.write(Write::Checkpoint { uid: uid.to_owned(), game, attempt, built: None });
        }
    }

    /// Whether what was played since the last checkpoint is to be stored now. Where the rule does not restart from the
    /// last ply, all games together stay under their share of the store.
    pub(super) fn stores_now(&self, rule: InterruptionRule, running: &Running) -> bool {
        const BURST_NS: u64 = 1_000_000_000;
        let room = self.writes.full_until_ns <= self.now.mono_ns;
        let paced =
            || running.thinking_ms >= limits::CHECKPOINT_MS && self.checkpoints_ns <= self.now.mono_ns + BURST_NS;
        rule.stores() && room && !running.checkpointing && (rule.every_ply || paced())
    }

    /// An attempt has ended: what was stored with its end is kept.
    pub(super) fn keep_back(&mut self, uid: &str, pair: PairId) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let hand = state.pairs.get_mut(&pair).and_then(|known| known.hand.as_mut());
        let last = hand.map(|hand| std::mem::take(&mut hand.last)).unwrap_or_default();
        for (game, seq, checkpoint) in last {
            state.kept.entry(game).or_default().fold(seq, checkpoint);
        }
    }

    /// An attempt has ended, and the pair is in nobody's hands.
    pub(super) fn interrupted(&mut self, uid: &str, pair: PairId) {
        if let Some(state) = self.events.get_mut(uid) {
            state.hold_broken(pair);
        }
    }

    /// Looks at broken games again, where something was missing to decide.
    pub(super) fn decide_again(&mut self) {
        let uids = self.events.iter().filter(|(_, state)| !state.undecided.is_empty()).map(|(uid, _)| uid.clone());
        self.dirty.extend(uids);
    }

    /// Decides what becomes of an event's broken games.
    pub(super) fn decide_broken(&mut self, uid: &str) {
        let Some(state) = self.events.get(uid) else { return };
        if state.undecided.is_empty() || state.closed() || !state.has_books() {
            return;
        }
        let pairs: Vec<PairId> = state.undecided.iter().copied().collect();
        for pair in pairs {
            self.decide_pair(uid, pair);
        }
    }

    fn decide_pair(&mut self, uid: &str, pair: PairId) {
        let Some(state) = self.events.get(uid).filter(|state| state.undecided.contains(&pair)) else { return };
        if state.set_aside.contains_key(&pair) {
            return;
        }
        let mut waits = false;
        for game in state.kept_games(pair) {
            waits |= matches!(self.decide_game(uid, game), Step::Waits);
        }
        if waits {
            return;
        }
        if let Some(state) = self.events.get_mut(uid) {
            state.undecided.remove(&pair);
            state.held.pairs.remove(&pair);
            state.held.from = 0;
        }
        self.offer = true;
    }

    fn decide_game(&mut self, uid: &str, game: GameId) -> Step {
        let Some(state) = self.events.get_mut(uid) else { return Step::Done };
        let due = state
            .event
            .game(&game)
            .filter(|due| due.id == game && !state.voided(&game) && !matches!(state.event.wants(&game), Want::No(_)));
        let (Some(due), false) = (due, state.results.contains_key(&game)) else {
            state.kept.remove(&game);
            return Step::Done;
        };
        if state.scoring.contains(&game) || self.probes.values().any(|asked| asked.uid == uid && asked.game == game) {
            return Step::Waits;
        }
        let (Some(kept), Some(setup)) = (state.kept.get(&game), state.setup(&due)) else { return Step::Done };
        if kept.plan.is_some() {
            return Step::Done;
        }
        let position = match kept.position(&setup) {
            Ok(position) => position,
            Err(why) => {
                state.decided(game, format!("played again from the opening: {why}"));
                state.kept.remove(&game);
                return Step::Done;
            }
        };
        if let Some(over) = position.over {
            return self.score(uid, &due, setup, over, None);
        }
        let decision = decide(&state.rule_for(game.pair), &position.broken);
        state.decided(game, decision.reason.clone());
        match decision.verdict {
            Verdict::Score(result) => {
                let outcome = Outcome { detail: decision.reason.clone(), ..by_rule(result) };
                self.score(uid, &due, setup, outcome, Some(decision.reason))
            }
            Verdict::AskTables => {
                let men = position.broken.men.unwrap_or(u32::MAX);
                self.ask_tables(uid, game, &setup, men, position.notation)
            }
            Verdict::Restart { clocks } => {
                let nanos = |clock: std::time::Duration| u64::try_from(clock.as_nanos()).unwrap_or(u64::MAX);
                if let Some(kept) = state.kept.get_mut(&game) {
                    kept.plan = Some(Plan { clocks: clocks.map(|clock| clock.map(nanos)), note: decision.reason });
                }
                Step::Done
            }
            Verdict::Replay => {
                state.kept.remove(&game);
                Step::Done
            }
            Verdict::AskPerson => {
                self.set_aside(uid, game.pair, decision.reason);
                Step::Waits
            }
        }
    }

    /// A broken game gets its result: its record goes to the archive, then to the store.
    fn score(&mut self, uid: &str, due: &DueGame, setup: GameSetup, outcome: Outcome, note: Option<String>) -> Step {
        let unix_ms = self.now.unix_ms;
        let Some(state) = self.events.get_mut(uid) else { return Step::Done };
        let Some(known) = state.pairs.get(&due.id.pair) else { return Step::Done };
        let attempt = known.revision;
        let Some(kept) = state.kept.get(&due.id) else { return Step::Done };
        let mut notes = kept.notes.clone();
        let ply = u32::try_from(kept.plies.len()).unwrap_or(u32::MAX);
        notes.extend(note.map(|text| record::Note { ply, text }));
        let engines = Seat::BOTH.map(|seat| {
            let engine = &setup.side(seat).engine;
            record::EngineIdentity {
                name: engine.name.clone(),
                digest: engine.digest.clone(),
                ..record::EngineIdentity::default()
            }
        });
        let game = GameRecord {
            event: state.name().to_owned(),
            name: due.id.to_string(),
            setup,
            engines,
            plies: kept.plies.clone(),
            outcome: Some(outcome.clone()),
            started_unix_ms: kept.began_unix_ms,
            began_unix_ms: 0,
            ended_unix_ms: unix_ms,
            worker: kept.worker.clone(),
            notes,
            transcripts: Vec::new(),
            warnings: std::collections::BTreeMap::new(),
            restarts: kept.restarts,
            nth: 0,
            interrupted: self.last_lines.of(uid, &due.id),
        };
        let replayed = match game.replay() {
            Ok(replayed) => replayed,
            Err(why) => {
                state.decided(due.id, format!("played again from the opening: {why}"));
                state.kept.remove(&due.id);
                return Step::Done;
            }
        };
        let entry = ResultEntry {
            game: due.id,
            first: due.first,
            second: due.second,
            result: outcome.result,
            ending: outcome.ending,
            fault: outcome.fault,
            plies: replayed.plies,
            opening: state.opening(due).map_or(0, |(index, _)| index),
            r_mobility: replayed.mobility,
            prediction: prediction::count(&game.setup, &game.plies).map(|tally| tally.winner()),
            restarts: kept.restarts,
            worker: cut(&kept.worker, limits::WORKER_ID_BYTES),
            location: Location::default(),
        };
        let bytes = encode(&game);
        if self.outgoing.has_room(bytes.len()) {
            state.scoring.insert(due.id);
            let stored = state.ends(entry, attempt, unix_ms);
            self.archive_game(&bytes, Game { uid: uid.to_owned(), game: due.id, attempt, stored });
        }
        // Where there is no room it is looked at again once the archive has taken something.
        Step::Waits
    }

    /// The result of a game that the rule scored is on record.
    pub(super) fn scored(&mut self, uid: &str, game: GameId) {
        let Some(state) = self.events.get_mut(uid) else { return };
        if state.all_recorded_but(&game) {
            state.pairs.remove(&game.pair);
        }
        self.offer = true;
        self.changed(uid);
    }

    fn ask_tables(&mut self, uid: &str, game: GameId, setup: &GameSetup, men: u32, position: Notation) -> Step {
        let Notation::Fen(position) = position else { return self.no_table(uid, game) };
        let able =
            self.workers.iter().find(|(_, worker)| worker.session.is_some() && worker.hello.tablebase_men >= men);
        let Some(worker) = able.map(|(id, _)| id.clone()) else { return self.no_table(uid, game) };
        self.probed += 1;
        let probe = self.probed;
        let until_ns = self.now.mono_ns + limits::PROBE_MS * 1_000_000;
        let kind = wire::kind(setup.kind).into();
        self.tell(&worker, Message::Probe(v1::Probe { probe, kind, position, fifty_moves: true }));
        self.probes.insert(probe, Probing { uid: uid.to_owned(), game, worker, until_ns });
        Step::Waits
    }

    fn no_table(&mut self, uid: &str, game: GameId) -> Step {
        let kept = self.events.get_mut(uid).and_then(|state| state.kept.get_mut(&game));
        let Some(kept) = kept.filter(|kept| kept.table.is_none()) else { return Step::Done };
        kept.table = Some(None);
        self.decide_game(uid, game)
    }

    /// A worker looked into its tables.
    pub(super) fn probed(&mut self, worker: &str, probed: &v1::Probed) {
        if self.probes.get(&probed.probe).is_none_or(|asked| asked.worker != worker) {
            return;
        }
        let Some(asked) = self.probes.remove(&probed.probe) else { return };
        let result = if probed.known { wire::read_result(probed.result()) } else { None };
        self.table_says(&asked, result);
    }

    fn table_says(&mut self, asked: &Probing, result: Option<GameResult>) {
        if let Some(kept) = self.events.get_mut(&asked.uid).and_then(|state| state.kept.get_mut(&asked.game)) {
            kept.table = Some(result);
        }
        self.dirty.insert(asked.uid.clone());
    }

    /// A table that does not answer in time says nothing.
    pub(super) fn watch_probes(&mut self) {
        let now = self.now.mono_ns;
        let late: Vec<u64> = self.probes.iter().filter(|(_, p)| p.until_ns <= now).map(|(id, _)| *id).collect();
        for id in late {
            if let Some(asked) = self.probes.remove(&id) {
                self.table_says(&asked, None);
            }
        }
    }
}

fn by_rule(result: GameResult) -> Outcome {
    Outcome::new(result, Ending::InterruptionRule)
}
