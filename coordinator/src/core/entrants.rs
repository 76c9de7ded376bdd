//! Who is in an event: engines join and leave, and the programs of all are frozen before they play.

use std::{collections::BTreeMap, fmt::Write as _};

use rookery_tournament::{
    EntrantId, Event, Fact, LoggedFact,
    event::{MAX_GAMES, Phase},
    fact::RosterEntry,
    spec::{Distinct, EngineSpec, FormatSpec, OpeningSource},
};

use super::{
    Answer, AskId, Change, Core, Denied, Effect,
    done::own_change,
    hand_out::Needs,
    limits,
    operator::{Repeated, closed, fact_write},
    state::{BookState, EventState},
    writes::Write,
};

/// Hexadecimal digits by which a digest is shown, and by which it may be named: more than enough to tell builds apart.
const SHOWN: usize = 12;
/// The fewest by which it may be named.
const NAMED: usize = 4;

/// Digests of a program, and the workers whose catalogues name them so.
type Builds = BTreeMap<String, Vec<String>>;

impl Core {
    /// Engines join: they meet who is there, after all that was due before.
    pub(super) fn join(
        &mut self,
        ask: AskId,
        event: &str,
        engines: Vec<EngineSpec>,
        digests: &[(String, String)],
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        let Some(state) = self.events.get(&uid) else { return Err(closed(event)) };
        let mut newcomers = Vec::new();
        for engine in engines {
            let name = &engine.setup.name;
            let known = state.event.spec().engines.iter().find(|known| known.setup.name == *name);
            if known.is_some_and(|known| *known != engine) {
                return Err(Denied::Precondition(format!(
                    "`{name}` is in event `{event}` already, and is another engine"
                )));
            }
            if state.left(name) {
                return Err(Denied::Precondition(format!(
                    "`{name}` has left event `{event}`: it joins under another name"
                )));
            }
            if known.is_none() {
                newcomers.push(engine);
            }
        }
        if newcomers.is_empty() {
            return self.answer_event(&uid).map(Some);
        }
        let (mut facts, _) = self.joining(state, &newcomers, digests)?;
        let Some(last) = facts.pop() else { return self.answer_event(&uid).map(Some) };
        for fact in facts {
            self.write_fact(&uid, fact, Change { request_id: String::new(), ..change.clone() });
        }
        self.write(Write::Fact(Box::new(fact_write(ask, &uid, last, change))));
        Ok(None)
    }

    /// The facts by which engines join, and how many games the event then has.
    pub(super) fn joining(
        &self,
        state: &EventState,
        newcomers: &[EngineSpec],
        digests: &[(String, String)],
    ) -> Result<(Vec<Fact>, u64), Denied> {
        let name = state.name();
        if matches!(state.event.spec().event.format, FormatSpec::Match { .. }) {
            let why = format!("event `{name}` is a match between two: nobody joins it; a new event, or a round robin");
            return Err(Denied::Precondition(why));
        }
        if let Err(why) = state.event.may_join() {
            return Err(Denied::Precondition(format!("nobody joins event `{name}`: {why}")));
        }
        if state.event.phase() == Phase::Stopped {
            return Err(closed(name));
        }
        // Its games are drawn round by round.
        let later = matches!(state.event.spec().event.format, FormatSpec::Swiss { .. });
        // On a copy without results: how large the event is follows from the facts alone.
        let mut trial = Event::new(state.meta.spec.clone());
        state.facts.iter().for_each(|fact| trial.fold_fact(fact));
        let mut facts = Vec::new();
        for engine in newcomers {
            let engine_name = engine.setup.name.clone();
            let given = digests.iter().find(|(of, _)| *of == engine_name).map(|(_, digest)| digest.clone());
            let digest = given.unwrap_or_else(|| self.catalogue_digest(&engine.setup.program, &mut Vec::new()));
            let spec = serde_json::to_string(engine).map_err(|error| Denied::Invalid(error.to_string()))?;
            let fact = Fact::Joined { entry: RosterEntry { engine: engine_name.clone(), digest }, spec };
            let before = trial.games_scheduled();
            trial.fold_fact(&unlogged(fact.clone()));
            if trial.games_scheduled() == before && state.event.games_scheduled() > 0 && !later {
                return Err(Denied::Invalid(format!(
                    "`{engine_name}` would meet nobody, or the event would have more than {MAX_GAMES} games"
                )));
            }
            facts.push(fact);
        }
        let openings = &state.event.spec().event.openings;
        if let BookState::Ready(book) = &state.book
            && openings.distinct != Distinct::No
            && openings.source != OpeningSource::Start
            && trial.openings_needed() > book.len() as u64
        {
            let (needed, has) = (trial.openings_needed(), book.len());
            return Err(Denied::Precondition(format!(
                "the book of event `{name}` is too small for that: it has {has} openings, and {needed} would be needed \
                 that do not come again"
            )));
        }
        Ok((facts, trial.games_scheduled()))
    }

    /// An engine leaves: nothing more of it is played; what it played counts, or does not.
    pub(super) fn withdraw(
        &mut self,
        ask: AskId,
        event: &str,
        engine: &str,
        keep_games: bool,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        let entrant = self.entrant(&uid, engine)?;
        let Some(state) = self.events.get(&uid) else { return Err(closed(event)) };
        if state.event.phase() == Phase::Stopped {
            return Err(closed(event));
        }
        if state.event.field().get(entrant).and_then(|entrant| entrant.withdrawn) == Some(keep_games) {
            return self.answer_event(&uid).map(Some);
        }
        self.write(Write::Fact(Box::new(fact_write(ask, &uid, Fact::Withdrawn { entrant, keep_games }, change))));
        Ok(None)
    }

    /// A person says which of several builds plays.
    pub(super) fn freeze(
        &mut self,
        ask: AskId,
        event: &str,
        engine: &str,
        digest: &str,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        let entrant = self.entrant(&uid, engine)?;
        let Some(state) = self.events.get(&uid) else { return Err(closed(event)) };
        let frozen = state.engine(entrant).map_or("", |(_, digest)| digest);
        if !frozen.is_empty() {
            return Err(Denied::Precondition(format!(
                "`{engine}` plays event `{event}` with {frozen}, for good; another build joins as another engine"
            )));
        }
        let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
        let builds = self.builds(&uid, state, entrant);
        let mut named = builds.keys().filter(|known| {
            let known = known.strip_prefix("sha256:").unwrap_or(known);
            known == hex || (hex.len() >= NAMED && known.starts_with(hex))
        });
        let (Some(found), None) = (named.next().cloned(), named.next()) else {
            return Err(Denied::Invalid(format!(
                "`{digest}` names none, or several, of the builds of `{engine}` that workers have: {}",
                listed(&builds)
            )));
        };
        self.write(Write::Fact(Box::new(fact_write(
            ask,
            &uid,
            Fact::Froze { engines: vec![(entrant, found)] },
            change,
        ))));
        Ok(None)
    }

    fn entrant(&self, uid: &str, engine: &str) -> Result<EntrantId, Denied> {
        let field = self.events.get(uid).map(|state| state.event.field());
        if let Some(found) = field.and_then(|field| field.find(engine)) {
            return Ok(found);
        }
        let names = field.into_iter().flat_map(|field| &field.entrants).map(|entrant| entrant.engine.as_str());
        let mut names: Vec<&str> = names.collect();
        names.sort_by_key(|name| strsim::osa_distance(&name.to_lowercase(), &engine.to_lowercase()));
        names.truncate(5);
        Err(Denied::NotFound(format!("no engine `{engine}` in this event; there are: {}", names.join(", "))))
    }

    /// Freezes the programs of entrants that are not frozen yet: the one that all catalogues agree on. Where they do
    /// not, a person is asked.
    pub(super) fn freeze_due(&mut self) {
        let open: Vec<String> = self
            .events
            .iter()
            .filter(|(_, state)| state.unfrozen().next().is_some())
            .map(|(uid, _)| uid.clone())
            .collect();
        for uid in open {
            let Some(state) = self.events.get(&uid) else { continue };
            let runs = matches!(state.event.phase(), Phase::Running | Phase::Asking(_));
            if state.facts_pending > 0 || !runs || state.begins_after(self.now.unix_ms).is_some() {
                continue;
            }
            let (mut agreed, mut asked) = (Vec::new(), BTreeMap::new());
            for entrant in state.unfrozen() {
                let builds = self.builds(&uid, state, entrant);
                match builds.len() {
                    0 => {}
                    1 => agreed.extend(builds.into_keys().map(|digest| (entrant, digest))),
                    _ => {
                        let name = state.engine_name(entrant);
                        asked.insert(entrant, question(state.name(), name, &builds));
                    }
                }
            }
            let Some(state) = self.events.get_mut(&uid) else { continue };
            if state.asked != asked {
                state.asked = asked;
                self.out.push(Effect::Changed { event_uid: uid.clone() });
            }
            if !agreed.is_empty() {
                self.write_fact(&uid, Fact::Froze { engines: agreed }, own_change());
            }
        }
    }

    /// The builds of an entrant's program on workers that could play it but for that.
    fn builds(&self, uid: &str, state: &EventState, entrant: EntrantId) -> Builds {
        let mut builds = Builds::new();
        let Some((engine, _)) = state.engine(entrant) else { return builds };
        let event = &state.event.spec().event;
        let needs = Needs {
            cores: event.slot.cores,
            memory: event.slot.memory,
            gpus: event.slot.gpus.max(engine.gpus),
            exact: event.exact_slots(),
            labels: &event.slot.labels,
            cpu_features: engine.cpu_features.iter().map(String::as_str).collect(),
            men: event.adjudicate.tablebases.map_or(0, |rule| rule.men),
            engines: Vec::new(),
        };
        for (id, worker) in &self.workers {
            let out = worker.hello.paths_allowed || self.drained(id).is_some();
            if out || worker.session.is_none() || worker.fits(uid, &needs).is_err() {
                continue;
            }
            let entries = worker.hello.engines.iter();
            for entry in entries.filter(|entry| entry.name == engine.setup.program && !entry.digest.is_empty()) {
                builds.entry(entry.digest.clone()).or_default().push(id.clone());
            }
        }
        builds
    }

    /// Slots on which any game of a spec's engines could be played now.
    pub(super) fn slots_for(&self, spec: &rookery_tournament::spec::Spec, roster: &[RosterEntry]) -> u32 {
        let event = &spec.event;
        let digest = |name: &str| roster.iter().find(|entry| entry.engine == name).map_or("", |entry| &entry.digest);
        let mut gpus: Vec<u32> = spec.engines.iter().map(|engine| engine.gpus).collect();
        gpus.sort_unstable_by(|a, b| b.cmp(a));
        let needs = Needs {
            cores: event.slot.cores,
            memory: event.slot.memory,
            gpus: event.slot.gpus.max(gpus.iter().take(2).sum()),
            exact: event.exact_slots(),
            labels: &event.slot.labels,
            cpu_features: spec.engines.iter().flat_map(|e| &e.cpu_features).map(String::as_str).collect(),
            men: event.adjudicate.tablebases.map_or(0, |rule| rule.men),
            engines: spec.engines.iter().map(|engine| (&engine.setup, digest(&engine.setup.name))).collect(),
        };
        let workers = self.workers.iter().filter(|(id, worker)| self.drained(id).is_none() && worker.takes().is_ok());
        workers
            .filter_map(|(_, worker)| Some((worker, worker.fits("", &needs).ok()?)))
            .flat_map(|(worker, classes)| classes.into_iter().filter_map(|class| worker.hello.slots.get(class)))
            .fold(0_u32, |sum, class| sum.saturating_add(class.count))
    }

    /// A rough guess of the time for so many games on the fleet as it is, milliseconds; 0 where it cannot be said.
    pub(super) fn expected_ms(&self, spec: &rookery_tournament::spec::Spec, roster: &[RosterEntry], games: u64) -> u64 {
        let slots = self.slots_for(spec, roster);
        let slots = if event_is_serial(spec) { slots.min(1) } else { slots };
        if slots == 0 {
            return 0;
        }
        let expected = rookery_tournament::event::expected(spec, games, slots);
        let breaks = spec.event.pause.saturating_mul(u32::try_from(games.saturating_sub(1)).unwrap_or(u32::MAX));
        let expected = expected.map(|time| time.saturating_add(breaks));
        expected.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }
}

const fn event_is_serial(spec: &rookery_tournament::spec::Spec) -> bool {
    spec.event.one_at_a_time
}

impl EventState {
    /// Entrants of whose program no digest is known, and none is stated.
    pub(super) fn unfrozen(&self) -> impl Iterator<Item = EntrantId> + '_ {
        let entrants = (1_u32..).map(EntrantId).zip(&self.roster);
        let open = entrants.filter(|(_, entry)| entry.digest.is_empty()).map(|(entrant, _)| entrant);
        open.filter(|&entrant| {
            let left = self.event.field().get(entrant).is_some_and(|entrant| entrant.withdrawn.is_some());
            !left
                && self.engine(entrant).is_some_and(|(engine, digest)| {
                    let setup = &engine.setup;
                    digest.is_empty()
                        && setup.digest.is_empty()
                        && setup.artifact.is_empty()
                        && !setup.program.is_empty()
                })
        })
    }

    /// Whether an engine has left.
    pub(super) fn left(&self, engine: &str) -> bool {
        let field = self.event.field();
        field.find(engine).and_then(|entrant| field.get(entrant)).is_some_and(|entrant| entrant.withdrawn.is_some())
    }

    /// Whether nothing was played yet, and a person must first say with which builds.
    pub(super) fn waits_for_builds(&self) -> bool {
        !self.asked.is_empty() && self.results.is_empty() && self.pairs.values().all(|pair| pair.hand.is_none())
    }
}

fn question(event: &str, engine: &str, builds: &Builds) -> String {
    format!(
        "which build of {engine} plays? workers have {}; ways out: `rookery freeze {event:?} {engine:?} DIGEST`, or \
         drain the workers with another one",
        listed(builds)
    )
}

/// `0123456789ab (w1, w2) and ba9876543210 (w3)`.
fn listed(builds: &Builds) -> String {
    /// Workers that are named of each build.
    const WORKERS: usize = 5;
    let mut text = String::new();
    for (number, (digest, workers)) in builds.iter().take(WORKERS).enumerate() {
        let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
        let hex = hex.get(..SHOWN).unwrap_or(hex);
        let mut names = workers.iter().take(WORKERS).cloned().collect::<Vec<_>>().join(", ");
        if workers.len() > WORKERS {
            names.push_str(", …");
        }
        let and = if number == 0 { "" } else { " and " };
        // A text takes all that is written to it.
        let _ = write!(text, "{and}{hex} ({names})");
    }
    if text.is_empty() { "none".to_owned() } else { super::stored::cut(&text, limits::ERROR_BYTES) }
}

fn unlogged(fact: Fact) -> LoggedFact {
    let empty = String::new;
    LoggedFact { seq: 0, at_unix_ms: 0, by: empty(), reason: empty(), request_id: empty(), fact }
}
