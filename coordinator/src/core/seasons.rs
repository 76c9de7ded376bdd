//! Seasons: what their events wait for, and opening them.
//!
//! A season's state is its spec as applied, its log, and its events, which name it. An event's uid follows from the
//! season's and its name there, so that it is opened once, whoever leads.

use std::collections::BTreeMap;

use rookery_proto::v1;
use rookery_tournament::{
    Fact, LoggedFact,
    fact::RosterEntry,
    season::{
        self, Closed, LoggedSeasonFact, Opened, Question, SeasonEvent, SeasonFact, SeasonSpec, TestMatch, UpdateTest,
        event_name, next_rosters, next_season,
    },
    spec::Spec,
};

use super::{
    Answer, AskId, Change, Core, Denied, Effect,
    apply::RULES_VERSION,
    done::own_change,
    keys, limits,
    state::EventState,
    stored::{Meta, SeasonMeta, encode},
    writes::{Built, Create, Proof, SeasonWrite, Write},
};
use crate::store::{Compare, Op, Revision};

/// One season.
pub(super) struct SeasonState {
    pub(super) meta: SeasonMeta,
    pub(super) revision: Revision,
    pub(super) log: Vec<LoggedSeasonFact>,
    /// Facts that are queued or on their way; nothing is opened before they are there.
    pub(super) pending: u32,
    /// What each event that is not open waits for, as it was last asked.
    waits: BTreeMap<String, Vec<Question>>,
}

impl SeasonState {
    pub(super) fn new(meta: SeasonMeta, revision: Revision) -> Self {
        Self { meta, revision, log: Vec::new(), pending: 0, waits: BTreeMap::new() }
    }

    fn skipped(&self, event: &str) -> bool {
        self.log.iter().any(|logged| matches!(&logged.fact, SeasonFact::Skipped { event: of, .. } if of == event))
    }
}

/// As [`super::Request::ApplySeason`].
pub(super) struct ApplySeason {
    pub(super) season: Box<SeasonSpec>,
    pub(super) spec_digest: String,
    pub(super) books: BTreeMap<String, (String, u64)>,
    pub(super) level_books: BTreeMap<String, (String, u64)>,
    pub(super) uid: String,
    pub(super) seed: u64,
    pub(super) digests: Vec<(String, String)>,
    pub(super) dry_run: bool,
    pub(super) change: Change,
}

fn event_uid(season: &str, event: &str) -> String {
    format!("{season}-{event}")
}

/// A test match by its event and what is tried. No event's name has a dot.
fn test_event(event: &str, engine: &str, program: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in [engine, "\n", program].concat().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{event}.test.{hash:016x}")
}

/// The line of a question, its name in front.
fn line(question: &Question) -> String {
    format!("{}: {question}", question.name())
}

impl Core {
    fn event_of(&self, season: &str, event: &str) -> Option<(String, &EventState)> {
        let uid = event_uid(season, event);
        self.events.get(&uid).map(|state| (uid, state))
    }

    /// A name that no season has taken for one of its events.
    pub(super) fn is_free(&self, name: &str) -> Result<(), Denied> {
        let taken = self.seasons.values().find(|state| {
            let over = self.is_over(state);
            !over && state.meta.spec.events.iter().any(|event| event_name(&state.meta.name, &event.name) == name)
        });
        match taken {
            Some(state) => {
                let season = &state.meta.name;
                Err(Denied::Precondition(format!("`{name}` is an event of the season `{season}`: apply the season")))
            }
            None => Ok(()),
        }
    }

    /// How the season's events ended that are over, in its order.
    fn closed_events(&self, state: &SeasonState) -> Vec<Closed> {
        let of = |event: &SeasonEvent| {
            let (_, known) = self.event_of(&state.meta.uid, &event.name)?;
            if !known.closed() {
                return None;
            }
            let mut closed = Closed::from_standings(&event.name, &known.event.standings());
            closed.digests = known.roster.iter().map(|e| (e.engine.clone(), e.digest.clone())).collect();
            Some(closed)
        };
        state.meta.spec.events.iter().filter_map(of).collect()
    }

    fn is_over(&self, state: &SeasonState) -> bool {
        state.meta.spec.events.iter().all(|event| {
            let known = self.event_of(&state.meta.uid, &event.name);
            state.skipped(&event.name) || known.is_some_and(|(_, known)| known.closed())
        })
    }

    /// Opens what can be opened, and notes what the others wait for.
    pub(super) fn settle_season(&mut self, uid: &str) {
        let Some(state) = self.seasons.get(uid).filter(|state| state.pending == 0) else { return };
        let closed = self.closed_events(state);
        let mut waits = BTreeMap::new();
        let mut writes = Vec::new();
        for event in &state.meta.spec.events {
            let name = event_name(&state.meta.name, &event.name);
            if self.event_of(uid, &event.name).is_some() || state.skipped(&event.name) || self.writes.creating(&name) {
                continue;
            }
            let digests = self.digests_of(state, &state.meta.spec);
            for test in season::update_tests(&state.meta.spec, &event.name, &digests, &closed, &state.log) {
                writes.extend(self.try_program(state, event, &test, &digests));
            }
            match season::open(&state.meta.spec, &event.name, &closed, &state.log, state.meta.seed) {
                Err(questions) => {
                    waits.insert(event.name.clone(), questions);
                }
                Ok(Opened { spec: None, why, .. }) => {
                    let fact = SeasonFact::Skipped { event: event.name.clone(), why };
                    writes.push(season_write(uid, fact, own_change(), Vec::new()));
                    // What comes after it is looked at once that is on record.
                    break;
                }
                Ok(Opened { spec: Some(spec), roster, .. }) => {
                    let asked = season::programs(&state.meta.spec, &event.name, &roster, &digests, &closed, &state.log);
                    if asked.is_empty() && self.events.len() < limits::EVENTS {
                        let opening = self.opening(state, event, &event.name, *spec, &digests);
                        writes.push(Write::Create(Box::new(opening)));
                    } else {
                        waits.insert(event.name.clone(), asked);
                    }
                }
            }
        }
        if let Some(state) = self.seasons.get_mut(uid) {
            state.waits = waits;
        }
        for write in writes {
            self.write(write);
        }
        self.out.push(Effect::Changed { event_uid: uid.to_owned() });
    }

    /// The programs of a spec's engines as they are now: what the fleet says, else what was known when the season was
    /// applied.
    fn digests_of(&self, state: &SeasonState, spec: &SeasonSpec) -> BTreeMap<String, String> {
        let of = |engine: &rookery_tournament::spec::EngineSpec| {
            let setup = &engine.setup;
            let stated = [&setup.digest, &setup.artifact].into_iter().find(|digest| !digest.is_empty()).cloned();
            let known =
                || state.meta.digests.iter().find(|(of, _)| *of == setup.name).map(|(_, digest)| digest.clone());
            let fleet = || Some(self.catalogue_digest(&setup.program, &mut Vec::new())).filter(|d| !d.is_empty());
            (setup.name.clone(), stated.or_else(fleet).or_else(known).unwrap_or_default())
        };
        spec.engines.iter().map(of).collect()
    }

    /// What is to be done about a test match that is not on record: it begins, or what came of it is put there.
    fn try_program(
        &self,
        state: &SeasonState,
        event: &SeasonEvent,
        test: &UpdateTest,
        digests: &BTreeMap<String, String>,
    ) -> Option<Write> {
        let name = test_event(&event.name, &test.engine, &test.program);
        let Some((_, known)) = self.event_of(&state.meta.uid, &name) else {
            let spec = season::update_test(&state.meta.spec, &event.name, test, state.meta.seed)?;
            let room = self.events.len() < limits::EVENTS && !self.writes.creating(&spec.name);
            return room.then(|| Write::Create(Box::new(self.opening(state, event, &name, spec, digests))));
        };
        if !known.closed() {
            return None;
        }
        let entrant = known.event.field().find(&test.engine)?;
        let (games, faults) = known.results.faults_of(entrant);
        let fact = SeasonFact::Tested {
            engine: test.engine.clone(),
            event: event.name.clone(),
            program: test.program.clone(),
            games,
            faults,
        };
        Some(season_write(&state.meta.uid, fact, own_change(), Vec::new()))
    }

    fn opening(
        &self,
        state: &SeasonState,
        event: &SeasonEvent,
        in_season: &str,
        spec: Spec,
        digests: &BTreeMap<String, String>,
    ) -> Create {
        let entry = |engine: &rookery_tournament::spec::EngineSpec| {
            let engine = engine.setup.name.clone();
            RosterEntry { digest: digests.get(&engine).cloned().unwrap_or_default(), engine }
        };
        let (book, book_openings) = state.meta.books.get(&event.name).cloned().unwrap_or_default();
        // A test match has no openings after it.
        let level = state.meta.level_books.get(&event.name).filter(|_| spec.event.openings.when_level.is_some());
        let (level_book, level_openings) = level.cloned().unwrap_or_default();
        let opened = Fact::Opened {
            roster: spec.engines.iter().map(entry).collect(),
            book: book.clone(),
            book_openings,
            seed: spec.event.seed.unwrap_or(state.meta.seed),
            opening_offset: spec.event.openings.start,
            spec: state.meta.spec_digest.clone(),
            rules_version: RULES_VERSION,
            level_book: level_book.clone(),
            level_openings,
        };
        let change = own_change();
        let facts = vec![LoggedFact {
            seq: 1,
            at_unix_ms: self.now.unix_ms,
            by: change.by,
            reason: format!("the season `{}` came to it", state.meta.name),
            request_id: String::new(),
            fact: opened,
        }];
        let meta = Meta {
            uid: event_uid(&state.meta.uid, in_season),
            name: spec.name.clone(),
            phase: "open".to_owned(),
            book,
            level_book,
            spec,
            spec_digest: state.meta.spec_digest.clone(),
            applied_unix_ms: self.now.unix_ms,
            facts: 1,
            season: Some((state.meta.uid.clone(), in_season.to_owned())),
        };
        Create { meta, facts, books: None, asks: Vec::new(), response: v1::ApplyResponse::default() }
    }

    pub(super) fn apply_season(&mut self, ask: AskId, apply: ApplySeason) -> Result<Option<Answer>, Denied> {
        let ApplySeason { season, spec_digest, books, level_books, uid, seed, digests, dry_run, change } = apply;
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        if self.writes.creating(&season.name) {
            return Err(Denied::Unavailable(format!("season `{}` is being made; ask again", season.name)));
        }
        let named = self.seasons.values().filter(|state| state.meta.name == season.name);
        let known = named.max_by_key(|state| state.meta.applied_unix_ms);
        // One that is over is as it was where nothing changed, as an event is; another spec makes a new season.
        let same = |state: &&SeasonState| state.meta.spec_digest == spec_digest && state.meta.digests == digests;
        let known = known.filter(|state| !self.is_over(state) || same(state));
        let mut response = v1::ApplyResponse {
            event: season.name.clone(),
            event_uid: known.map_or_else(|| uid.clone(), |state| state.meta.uid.clone()),
            created: known.is_none(),
            games: games(&season),
            ..v1::ApplyResponse::default()
        };
        let mut meta = SeasonMeta {
            uid,
            name: season.name.clone(),
            seed: season.seed.unwrap_or(seed),
            spec: *season,
            spec_digest: spec_digest.clone(),
            books,
            level_books,
            digests,
            applied_unix_ms: self.now.unix_ms,
            facts: 0,
        };
        if let Some(state) = known {
            if state.meta.spec_digest == spec_digest && state.meta.digests == meta.digests {
                return Ok(Some(Answer::Applied(Box::new(response))));
            }
            let locked = self.locked(state, &meta.spec);
            if !locked.is_empty() {
                let why = format!("season `{}`: events that are open do not change: {}", meta.name, locked.join(", "));
                return Err(Denied::Precondition(why));
            }
            if meta.spec.seed.is_some_and(|seed| seed != state.meta.seed) {
                let why = format!("season `{}` has begun with seed {}: it does not change", meta.name, state.meta.seed);
                return Err(Denied::Precondition(why));
            }
            meta.uid.clone_from(&state.meta.uid);
            (meta.seed, meta.facts) = (state.meta.seed, state.meta.facts);
            if state.meta.spec_digest != spec_digest {
                response.differences.push("events that are not open are as written now".to_owned());
            }
        } else if meta.uid.is_empty() || meta.uid.contains('/') || self.seasons.contains_key(&meta.uid) {
            return Err(Denied::Invalid(format!("`{}` cannot be a new season's uid", meta.uid)));
        }
        if dry_run {
            return Ok(Some(Answer::Applied(Box::new(response))));
        }
        let fact = SeasonFact::Applied { spec: spec_digest, seed: meta.seed };
        self.write(Write::Season(Box::new(SeasonWrite {
            uid: meta.uid.clone(),
            fact,
            change,
            asks: vec![ask],
            meta: Some(Box::new(meta)),
            response: Some(Box::new(response)),
            logged: None,
        })));
        Ok(None)
    }

    /// Events that are open and would be others, by their names in the season.
    fn locked(&self, state: &SeasonState, new: &SeasonSpec) -> Vec<String> {
        let old = &state.meta.spec;
        let same = |event: &SeasonEvent| {
            let Some((_, known)) = self.event_of(&state.meta.uid, &event.name) else { return true };
            // What is over is as it was: engines may be others from then on, as the gates say.
            if known.closed() {
                return new.event(&event.name) == Some(event);
            }
            let engine = |spec: &SeasonSpec, name: &str| spec.engines.iter().find(|e| e.setup.name == *name).cloned();
            let engines = known.roster.iter().all(|entry| engine(old, &entry.engine) == engine(new, &entry.engine));
            engines && new.event(&event.name) == Some(event)
        };
        old.events.iter().filter(|event| !same(event)).map(|event| event.name.clone()).collect()
    }

    pub(super) fn season_fact(
        &mut self,
        ask: AskId,
        season: &str,
        fact: SeasonFact,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        let uid = self.find_season(season)?;
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        let Some(state) = self.seasons.get(&uid) else { return Err(Denied::NotFound(format!("no season `{season}`"))) };
        let repeated =
            |logged: &LoggedSeasonFact| !change.request_id.is_empty() && logged.request_id == change.request_id;
        if state.log.iter().any(repeated) {
            return self.answer_season(&uid).map(Some);
        }
        let fact = self.checked(state, fact)?;
        let write = season_write(&uid, fact, change, vec![ask]);
        self.write(write);
        Ok(None)
    }

    /// Whether a person's word makes sense now.
    fn checked(&self, state: &SeasonState, fact: SeasonFact) -> Result<SeasonFact, Denied> {
        let spec = &state.meta.spec;
        let known = |event: &str| {
            let names: Vec<&str> = spec.events.iter().map(|event| event.name.as_str()).collect();
            let missing =
                || Denied::NotFound(format!("the season has no event `{event}`; it has {}", names.join(", ")));
            spec.event(event).map(|_| ()).ok_or_else(missing)
        };
        let engine = |name: &str| match spec.engines.iter().any(|engine| engine.setup.name == name) {
            true => Ok(()),
            false => Err(Denied::NotFound(format!("the season has no engine `{name}`"))),
        };
        match &fact {
            SeasonFact::Advanced { event } if event.is_empty() => {
                let shut = state.waits.values().flatten().find_map(|question| match question {
                    Question::Gate { event } => Some(event.clone()),
                    _ => None,
                });
                let shut = shut.ok_or_else(|| Denied::Precondition("no gate of this season is shut".to_owned()))?;
                return Ok(SeasonFact::Advanced { event: shut });
            }
            SeasonFact::Advanced { event } => {
                known(event)?;
                let over = self.event_of(&state.meta.uid, event).is_some_and(|(_, known)| known.closed());
                if !over && !state.skipped(event) {
                    return Err(Denied::Precondition(format!("`{event}` is not over")));
                }
            }
            SeasonFact::Numbers { event, .. } => {
                known(event)?;
                if self.event_of(&state.meta.uid, event).is_some() {
                    let why = format!("`{event}` has begun: its numbers were to be said before");
                    return Err(Denied::Precondition(why));
                }
            }
            SeasonFact::Updated { engine: name, event } => {
                known(event)?;
                engine(name)?;
                if self.event_of(&state.meta.uid, event).is_some() {
                    return Err(Denied::Precondition(format!("`{event}` has begun: its engines are frozen")));
                }
            }
            SeasonFact::Invitation { engine: name, .. } => engine(name)?,
            SeasonFact::Applied { .. } | SeasonFact::Skipped { .. } | SeasonFact::Tested { .. } => {}
        }
        Ok(fact)
    }

    pub(super) fn build_season(&mut self, write: &mut SeasonWrite) -> Option<Built> {
        let known = self.seasons.get(&write.uid);
        let mut meta = match (&write.meta, known) {
            (Some(meta), _) => (**meta).clone(),
            (None, Some(state)) => state.meta.clone(),
            (None, None) => return None,
        };
        let before = known.map_or(0, |state| state.meta.facts);
        meta.facts = before + 1;
        let logged = LoggedSeasonFact {
            seq: meta.facts,
            at_unix_ms: self.now.unix_ms,
            by: write.change.by.clone(),
            reason: write.change.reason.clone(),
            request_id: write.change.request_id.clone(),
            fact: write.fact.clone(),
        };
        let (key, log) = (keys::season(&write.uid), keys::season_log(&write.uid, logged.seq));
        let value = encode(&logged);
        let compare = match known {
            Some(state) => Compare::Modified(key.clone(), state.revision),
            None => Compare::Absent(key.clone()),
        };
        write.logged = Some(logged);
        let built = Built {
            compare: vec![compare, Compare::Absent(log.clone())],
            ops: vec![Op::Put(log.clone(), value.clone()), Op::Put(key, encode(&meta))],
            proof: Proof::Put(log, value),
        };
        write.meta = Some(Box::new(meta));
        Some(built)
    }

    pub(super) fn season_done(&mut self, write: SeasonWrite, revision: Revision) {
        let SeasonWrite { uid, asks, meta, response, logged, .. } = write;
        if let Some(meta) = meta {
            let state = self.seasons.entry(uid.clone()).or_insert_with(|| SeasonState::new((*meta).clone(), revision));
            state.meta = *meta;
            state.revision = revision;
            state.pending = state.pending.saturating_sub(1);
            state.log.extend(logged);
        }
        self.settle_season(&uid);
        for ask in asks {
            let answer = match &response {
                Some(response) => Ok(Answer::Applied(response.clone())),
                None => self.answer_season(&uid),
            };
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    /// A season's uid, by uid or name (of several the newest); an empty text is the only one there is.
    pub(super) fn find_season(&self, season: &str) -> Result<String, Denied> {
        if self.seasons.contains_key(season) {
            return Ok(season.to_owned());
        }
        let named = self.seasons.values().filter(|state| season.is_empty() || state.meta.name == season);
        if season.is_empty() && self.seasons.len() > 1 {
            let names: Vec<&str> = self.seasons.values().map(|state| state.meta.name.as_str()).take(5).collect();
            return Err(Denied::Invalid(format!("which season? there are: {}", names.join(", "))));
        }
        let newest = named.max_by_key(|state| state.meta.applied_unix_ms);
        newest.map(|state| state.meta.uid.clone()).ok_or_else(|| Denied::NotFound(format!("no season `{season}`")))
    }

    pub(super) fn list_seasons(&self) -> Answer {
        let mut seasons: Vec<_> = self.seasons.values().map(|state| self.season_summary(state)).collect();
        seasons.sort_by_key(|season| std::cmp::Reverse(season.applied_unix_ms));
        Answer::Seasons(seasons)
    }

    pub(super) fn answer_season(&self, uid: &str) -> Result<Answer, Denied> {
        let state = self.seasons.get(uid).ok_or_else(|| Denied::NotFound(format!("no season `{uid}`")))?;
        let closed = self.closed_events(state);
        let logs: Vec<(String, Vec<LoggedFact>)> = state
            .meta
            .spec
            .events
            .iter()
            .filter_map(|event| Some((event.name.clone(), self.event_of(uid, &event.name)?.1.facts.clone())))
            .collect();
        let events = state.meta.spec.events.iter();
        let tests: Vec<TestMatch> =
            events.flat_map(|event| self.tests_of(state, &event.name)).map(|(_, test)| test).collect();
        let history = season::history(&state.meta.spec, &state.log, &closed, &logs, &tests);
        let next = next_rosters(&state.meta.spec, &closed, &state.log).map(|rosters| next_season(&rosters));
        Ok(Answer::Season(Box::new(self.season_summary(state)), history, next.unwrap_or_default()))
    }

    /// The test matches before an event, in the order in which they began.
    fn tests_of(&self, season: &SeasonState, event: &str) -> Vec<(v1::EventSummary, TestMatch)> {
        // Those that are over in the order of the log, for two may have begun in one millisecond.
        let noted = |test: &TestMatch| {
            let of = |fact: &SeasonFact| {
                matches!(fact, SeasonFact::Tested { engine, event, program, .. }
                    if *engine == test.engine && *event == test.event && *program == test.program)
            };
            season.log.iter().position(|logged| of(&logged.fact)).unwrap_or(usize::MAX)
        };
        let mut tests: Vec<(u64, v1::EventSummary, TestMatch)> = Vec::new();
        for (uid, known) in &self.events {
            let Some((_, name)) = known.meta.season.as_ref().filter(|(of, _)| *of == season.meta.uid) else { continue };
            let tried = |entry: &&RosterEntry| test_event(event, &entry.engine, &entry.digest) == *name;
            let Some(tried) = known.roster.iter().find(tried) else { continue };
            let opponent = known.roster.iter().find(|entry| entry.engine != tried.engine);
            let summary = self.event_summary(uid, known);
            let faults =
                known.event.field().find(&tried.engine).map_or(0, |entrant| known.results.faults_of(entrant).1);
            let test = TestMatch {
                event: event.to_owned(),
                engine: tried.engine.clone(),
                program: tried.digest.clone(),
                opponent: opponent.map_or_else(String::new, |entry| entry.engine.clone()),
                games: summary.games_done,
                of: summary.games_total,
                half_points: Closed::from_standings(event, &known.event.standings()).points(&tried.engine),
                faults,
            };
            tests.push((known.meta.applied_unix_ms, summary, test));
        }
        tests.sort_by_key(|(began, _, test)| (*began, noted(test), test.engine.clone()));
        tests.into_iter().map(|(_, summary, test)| (summary, test)).collect()
    }

    fn season_summary(&self, state: &SeasonState) -> v1::SeasonSummary {
        let numbers = season::numbers(&state.meta.spec, &state.log);
        let mut questions: Vec<String> = Vec::new();
        let mut ask = |line: String| {
            if !questions.contains(&line) {
                questions.push(line);
            }
        };
        let mut events = Vec::new();
        for event in &state.meta.spec.events {
            let waits = state.waits.get(&event.name).map_or(&[][..], Vec::as_slice);
            waits.iter().filter(|question| question.asks_a_person()).for_each(|question| ask(line(question)));
            let n = numbers.get(&event.name).copied().unwrap_or_default();
            let mut summary = v1::SeasonEventSummary {
                name: event.name.clone(),
                title: event.event.title.clone(),
                skipped: state.skipped(&event.name),
                playing: n.playing,
                promote: n.promote,
                relegate: n.relegate,
                waits_for: waits.iter().map(line).collect(),
                tests: self.tests_of(state, &event.name).into_iter().map(test_message).collect(),
                ..v1::SeasonEventSummary::default()
            };
            if let Some((uid, known)) = self.event_of(&state.meta.uid, &event.name) {
                let of = self.event_summary(&uid, known);
                of.questions.iter().for_each(|question| ask(format!("{}: {question}", event.name)));
                summary.event.clone_from(&of.event);
                summary.phase = of.phase;
                summary.event_uid = uid;
                summary.roster = known.roster.iter().map(|entry| entry.engine.clone()).collect();
            }
            events.push(summary);
        }
        let over = self.is_over(state);
        if over && let Err(open) = next_rosters(&state.meta.spec, &self.closed_events(state), &state.log) {
            open.iter().for_each(|question| ask(line(question)));
        }
        v1::SeasonSummary {
            season: state.meta.name.clone(),
            season_uid: state.meta.uid.clone(),
            over,
            events,
            questions,
            applied_unix_ms: state.meta.applied_unix_ms,
        }
    }
}

fn test_message((of, test): (v1::EventSummary, TestMatch)) -> v1::TestMatch {
    v1::TestMatch {
        event: of.event,
        event_uid: of.event_uid,
        engine: test.engine,
        program: test.program,
        opponent: test.opponent,
        phase: of.phase,
        games: test.games,
        games_total: test.of,
        half_points: test.half_points,
        faults: test.faults,
    }
}

fn season_write(uid: &str, fact: SeasonFact, change: Change, asks: Vec<AskId>) -> Write {
    let uid = uid.to_owned();
    Write::Season(Box::new(SeasonWrite { uid, fact, change, asks, meta: None, response: None, logged: None }))
}

/// Games of all events as planned, where nothing is vacant and nothing is played off.
fn games(season: &SeasonSpec) -> u64 {
    let numbers = season::numbers(season, &[]);
    let of = |event: &SeasonEvent| {
        let playing = numbers.get(&event.name).map_or(0, |n| n.playing);
        let spec = Spec { name: String::new(), engines: Vec::new(), event: event.event.clone() };
        rookery_tournament::event::games_total(&spec, playing)
    };
    season.events.iter().map(of).sum()
}
