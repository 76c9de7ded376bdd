//! What operators see of seasons.

use rookery_proto::v1;
use rookery_tournament::{
    LoggedFact,
    fact::RosterEntry,
    season::{self, Closed, SeasonFact, TestMatch, next_rosters, next_season},
};

use super::{SeasonState, line, test_event};
use crate::core::{Answer, Core, Denied};

impl Core {
    /// A season's uid, by uid or name (of several the newest); an empty text is the only one there is.
    pub(in crate::core) fn find_season(&self, season: &str) -> Result<String, Denied> {
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

    pub(in crate::core) fn list_seasons(&self) -> Answer {
        let mut seasons: Vec<_> = self.seasons.values().map(|state| self.season_summary(state)).collect();
        seasons.sort_by_key(|season| std::cmp::Reverse(season.applied_unix_ms));
        Answer::Seasons(seasons)
    }

    pub(in crate::core) fn answer_season(&self, uid: &str) -> Result<Answer, Denied> {
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
