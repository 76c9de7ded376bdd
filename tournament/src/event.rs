//! One event: `fold(spec as frozen, log, results)`.

mod answer;
mod crashes;
mod decide;
mod due;
mod intervals;
mod order;
mod record;
mod run;
mod size;
mod view;

use std::collections::BTreeMap;

use rookery_game::setup::GameKind;

use self::{crashes::CrashRun, decide::Verdict, intervals::Intervals, record::Record, run::Run};
use crate::{
    EntrantId, Fact, GameId, LoggedFact, PairId, ResultEntry,
    format::{self, Entrant, Field, Format, Place, Schedule},
    spec::{EngineSpec, Spec},
    standings::{Ruling, Tally},
};

pub use crate::format::MAX_GAMES;
pub(crate) use record::Counted;
pub use size::{expected, games_total, openings_needed};
pub use view::{Score, View};

/// The state of an event. Pure: the same spec, log and results give the same state, whatever the order of results.
///
/// All facts of a log are folded first, then its results; or each as it comes, a fact before the results that it led to.
#[derive(Debug)]
pub struct Event {
    spec: Spec,
    format: Box<dyn Format>,
    field: Field,
    seed: u64,
    /// The book for what is played after a level match: its digest, and how many openings it has.
    level_book: (String, u64),
    schedule: Schedule,
    record: Record,
    /// Places in starting order of games that are finished for good.
    done: Intervals,
    /// The same, and those that are set aside: what is not in it may be due.
    closed: Intervals,
    tally: Tally,
    surplus: u64,
    excluded: u64,
    aside_pairs: BTreeMap<PairId, String>,
    aside_engines: BTreeMap<EntrantId, Aside>,
    /// Where, in starting order, the counting of an engine's crashes begins.
    forgiven: BTreeMap<EntrantId, u64>,
    crash_runs: BTreeMap<EntrantId, CrashRun>,
    run: Run,
    stops: Vec<Stop>,
    rulings: Vec<Ruling>,
    /// Meetings that are decided, by their first pair, and with which game.
    verdicts: BTreeMap<u64, Verdict>,
    /// The same, of those on record.
    decided: BTreeMap<u64, Verdict>,
    paused: bool,
}

/// An engine that reached a limit of crashes.
#[derive(Debug, Clone)]
struct Aside {
    error: String,
    event: bool,
}

/// A stop on record.
#[derive(Debug, Clone)]
struct Stop {
    encounter: Option<(EntrantId, EntrantId)>,
    /// The last pair that counts; `None`: all on record do.
    last: Option<u64>,
    why: String,
}

impl Stop {
    fn touches(&self, pair: &PairId) -> bool {
        self.encounter.is_none_or(|(a, b)| (pair.a, pair.b) == (a, b) || (pair.a, pair.b) == (b, a))
    }
}

/// How far an event is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Games are due or in play.
    Running,
    /// A person paused it.
    Paused,
    /// A person must answer, one line each. Other games may still be due: ask [`Event::due`].
    Asking(Vec<String>),
    /// All that was due is on record, or its stop rule decided.
    Finished,
    /// A person closed it.
    Stopped,
}

/// Numbers for a progress line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games that count, on record.
    pub done: u64,
    /// Games in all, as far as it can be said.
    pub total: u64,
    /// Games on record that lie beyond a stop: counted nowhere.
    pub surplus: u64,
    /// Takes on record that were voided, and games of who left without them: counted nowhere.
    pub voided: u64,
}

impl Event {
    /// An event before its first fact.
    #[must_use]
    pub fn new(spec: Spec) -> Self {
        Self {
            format: format::of(&spec.event.format),
            schedule: Schedule::new(&spec.event),
            spec,
            field: Field::default(),
            seed: 0,
            level_book: (String::new(), 0),
            record: Record::default(),
            done: Intervals::default(),
            closed: Intervals::default(),
            tally: Tally::default(),
            surplus: 0,
            excluded: 0,
            aside_pairs: BTreeMap::new(),
            aside_engines: BTreeMap::new(),
            forgiven: BTreeMap::new(),
            crash_runs: BTreeMap::new(),
            run: Run::default(),
            stops: Vec::new(),
            rulings: Vec::new(),
            verdicts: BTreeMap::new(),
            decided: BTreeMap::new(),
            paused: false,
        }
    }

    /// The spec as amended.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Which game is played.
    #[must_use]
    pub const fn kind(&self) -> GameKind {
        self.spec.event.game
    }

    /// Whether somebody can join now; else why not.
    ///
    /// # Errors
    ///
    /// One line for people.
    pub fn may_join(&self) -> Result<(), String> {
        self.format.closed_to_newcomers().map_or(Ok(()), |why| Err(why.to_owned()))
    }

    /// Who is in it; entrant 1 is the first.
    #[must_use]
    pub const fn field(&self) -> &Field {
        &self.field
    }

    /// Takes a fact into account. A game or pair that the schedule does not have is passed over.
    pub fn fold_fact(&mut self, logged: &LoggedFact) {
        let LoggedFact { by, reason, fact, .. } = logged;
        match fact {
            Fact::Opened { roster, seed, level_book, level_openings, .. } => {
                self.seed = *seed;
                self.level_book = (level_book.clone(), *level_openings);
                self.field.entrants = roster.iter().map(|e| entrant(&e.engine)).collect();
                self.tally.resize(self.field.entrants.len());
            }
            Fact::Joined { entry, spec } => {
                // One that cannot be read was never logged.
                if let Ok(engine) = serde_json::from_str::<EngineSpec>(spec)
                    && self.spec.engines.iter().all(|known| known.setup.name != engine.setup.name)
                {
                    self.spec.engines.push(engine);
                }
                self.field.entrants.push(entrant(&entry.engine));
                self.tally.resize(self.field.entrants.len());
            }
            Fact::Withdrawn { entrant, keep_games } => {
                let at = (entrant.0 as usize).wrapping_sub(1);
                if let Some(entrant) = self.field.entrants.get_mut(at) {
                    entrant.withdrawn = Some(*keep_games);
                }
                self.rebuild();
            }
            Fact::Amended { json, .. } => {
                // What cannot be read was refused before it was logged; the spec stays as it was.
                if let Ok(spec) = serde_json::from_str(json) {
                    self.spec = spec;
                }
            }
            Fact::Ruled { game, result } => {
                let (take, result) = (game.take, *result);
                self.change_game(game, |record, order| record.rule(order, take, result));
            }
            Fact::Voided { games } => {
                for game in games {
                    self.change_game(game, |record, order| record.void(order, game.take, false));
                }
            }
            Fact::Replay { games } => {
                for game in games {
                    self.change_game(game, |record, order| record.void(order, game.take, true));
                }
            }
            Fact::SetAside { pairs, error } => {
                for pair in pairs {
                    self.aside_pairs.insert(*pair, error.clone());
                    self.change_pair(pair, |_| {});
                }
            }
            Fact::Retried { pairs } => {
                for pair in pairs {
                    self.aside_pairs.remove(pair);
                    self.change_pair(pair, |_| {});
                }
            }
            Fact::EngineSetAside { engine, at, event, error } => {
                self.forgive(*engine, at);
                self.aside_engines.insert(*engine, Aside { error: error.clone(), event: *event });
                self.rebuild();
            }
            Fact::EngineRetried { engine, after } => {
                if let Some(after) = after {
                    self.forgive(*engine, after);
                }
                self.aside_engines.remove(engine);
                self.rebuild();
            }
            Fact::Paused => self.paused = true,
            Fact::Resumed => self.paused = false,
            Fact::Stopped { encounter, at, why } => {
                let last = at.and_then(|pair| self.schedule.find(&pair)).map(|place| place.index);
                self.stops.push(Stop { encounter: *encounter, last, why: why.clone() });
                self.rebuild();
            }
            Fact::Ranked { order } => {
                self.rulings.push(Ruling { order: order.clone(), by: by.clone(), reason: reason.clone() });
            }
            Fact::Decided { pair, game, why } => self.decide(pair, *game, why),
            Fact::Imported { facts, .. } => {
                for inner in facts.iter().filter(|inner| !matches!(inner, Fact::Imported { .. })) {
                    let (by, reason, request_id) = (by.clone(), reason.clone(), String::new());
                    let LoggedFact { seq, at_unix_ms, .. } = *logged;
                    self.fold_fact(&LoggedFact { seq, at_unix_ms, by, reason, request_id, fact: inner.clone() });
                }
            }
            Fact::Drawn { .. } | Fact::Gated | Fact::Froze { .. } | Fact::Chosen { .. } => {}
        }
        let before = self.schedule.pairs();
        self.format.fold(fact, &self.field, &self.spec, &mut self.schedule);
        self.tally.set_byes(self.format.byes());
        if self.schedule.pairs() != before && self.is_restricted() {
            // What was added may be set aside or stopped already.
            self.rebuild();
        }
        if matches!(fact, Fact::Amended { .. }) {
            self.recount_crashes();
            self.advance_run(0);
        }
    }

    /// Takes a result into account. The same result again changes nothing; one of a game that the schedule does not have
    /// is passed over.
    pub fn fold_result(&mut self, result: &ResultEntry) {
        self.change_game(&result.game, |record, order| record.put(order, result));
    }

    fn forgive(&mut self, engine: EntrantId, at: &GameId) {
        if let Some((_, order)) = self.locate(at) {
            let since = self.forgiven.entry(engine).or_insert(0);
            *since = (*since).max(order + 1);
        }
    }

    /// A game's pair and its place in starting order.
    fn locate(&self, game: &GameId) -> Option<(Place, u64)> {
        if game.game == 0 || game.game > self.schedule.games_per_pair() {
            return None;
        }
        let place = self.schedule.find(&game.pair)?;
        Some((place, self.schedule.order(&place, game.game)))
    }

    fn change_game(&mut self, game: &GameId, change: impl FnOnce(&mut Record, u64)) {
        let Some((place, order)) = self.locate(game) else { return };
        self.change_place(&place, |event| change(&mut event.record, order));
        let (first, second) = self.schedule.seats(&place, game.game);
        let counted = self.record.counted(order);
        for (entrant, seat) in [(first, rookery_game::Seat::First), (second, rookery_game::Seat::Second)] {
            self.count_crashes(entrant, order, counted.is_some_and(|c| c.crashed(seat)));
        }
        self.advance_run(place.index);
    }

    fn change_pair(&mut self, pair: &PairId, change: impl FnOnce(&mut Self)) {
        let Some(place) = self.schedule.find(pair) else { return };
        self.change_place(&place, change);
        for game in 1..=self.schedule.games_per_pair() {
            let order = self.schedule.order(&place, game);
            self.count_crashes(pair.a, order, false);
            self.count_crashes(pair.b, order, false);
        }
        self.advance_run(place.index);
    }

    /// Changes something about a pair, and all that was derived from it.
    fn change_place(&mut self, place: &Place, change: impl FnOnce(&mut Self)) {
        self.contribute(place, -1);
        change(self);
        self.contribute(place, 1);
        self.refresh(place);
        self.judge(place);
    }

    /// Adds what a pair contributes to the tables, or takes it away.
    fn contribute(&mut self, place: &Place, sign: i64) {
        let mut games = [None; 2];
        let (mut count, mut surplus) = (0, 0);
        for (at, slot) in games.iter_mut().enumerate().take(usize::from(self.schedule.games_per_pair())) {
            let game = at as u8 + 1;
            let Some(counted) = self.record.counted(self.schedule.order(place, game)) else { continue };
            if self.is_surplus(place, game) {
                surplus += sign;
            } else {
                *slot = Some((self.schedule.seats(place, game), counted));
                count += sign;
            }
        }
        self.surplus = self.surplus.wrapping_add_signed(surplus);
        if count == 0 {
            return;
        }
        if self.is_excluded(&place.pair) {
            self.excluded = self.excluded.wrapping_add_signed(count);
        } else {
            self.tally.add(&games, sign);
        }
    }

    fn refresh(&mut self, place: &Place) {
        let aside = self.is_aside(&place.pair);
        for game in 1..=self.schedule.games_per_pair() {
            let order = self.schedule.order(place, game);
            let done =
                self.is_gone(place, game) || self.record.is_closed(order) || self.record.counted(order).is_some();
            if done {
                self.done.insert(order)
            } else {
                self.done.remove(order)
            }
            if done || aside { self.closed.insert(order) } else { self.closed.remove(order) }
        }
    }

    /// Derives all anew, after a fact that touches many pairs.
    fn rebuild(&mut self) {
        self.tally = Tally::default();
        self.tally.resize(self.field.entrants.len());
        self.tally.set_byes(self.format.byes());
        (self.surplus, self.excluded) = (0, 0);
        (self.done, self.closed) = (Intervals::default(), Intervals::default());
        self.verdicts.clear();
        for index in 0..self.schedule.pairs() {
            let Some(place) = self.schedule.at(index) else { break };
            self.contribute(&place, 1);
            self.refresh(&place);
            if place.index + 1 == place.meeting + place.meeting_pairs {
                self.judge(&place);
            }
        }
        self.recount_crashes();
        self.run = Run::default();
        self.advance_run(0);
    }

    /// Whether a pair that has nothing on record may be due no more.
    fn is_restricted(&self) -> bool {
        !self.stops.is_empty()
            || !self.aside_engines.is_empty()
            || !self.aside_pairs.is_empty()
            || self.field.entrants.iter().any(|e| e.withdrawn.is_some())
    }

    fn is_withdrawn(&self, entrant: EntrantId) -> Option<bool> {
        self.field.get(entrant).and_then(|e| e.withdrawn)
    }

    /// Whether what is on record of a pair counts nowhere, as one of the two left without its games.
    fn is_excluded(&self, pair: &PairId) -> bool {
        [pair.a, pair.b].into_iter().any(|e| self.is_withdrawn(e) == Some(false))
    }

    /// Whether a game lies beyond the last one that counts.
    fn is_surplus(&self, place: &Place, game: u8) -> bool {
        self.stops.iter().any(|s| s.touches(&place.pair) && s.last.is_some_and(|last| place.index > last))
            || self.decided.get(&place.meeting).is_some_and(|verdict| verdict.is_before(place, game))
    }

    /// Why a game behind a stop on record is not wanted.
    fn stop_of(&self, place: &Place, game: u8) -> Option<&str> {
        let stop = self.stops.iter().find(|s| s.touches(&place.pair) && s.last.is_none_or(|last| place.index > last));
        let decided = || self.decided.get(&place.meeting).filter(|verdict| verdict.is_before(place, game));
        stop.map(|stop| stop.why.as_str()).or_else(|| decided().map(|verdict| verdict.why.as_str()))
    }

    /// Whether a game is not due any more, whatever is on record.
    fn is_gone(&self, place: &Place, game: u8) -> bool {
        let left = [place.pair.a, place.pair.b].into_iter().any(|e| self.is_withdrawn(e).is_some());
        left || self.stop_of(place, game).is_some()
    }

    fn is_aside(&self, pair: &PairId) -> bool {
        self.aside_pairs.contains_key(pair)
            || self.aside_engines.contains_key(&pair.a)
            || self.aside_engines.contains_key(&pair.b)
    }

    /// The last pair that counts, where the event was stopped by its rule.
    fn stopped_at(&self) -> Option<u64> {
        self.stops.iter().filter(|s| s.encounter.is_none()).map(|s| s.last.unwrap_or(u64::MAX)).min()
    }
}

fn entrant(engine: &str) -> Entrant {
    Entrant { engine: engine.to_owned(), withdrawn: None }
}
