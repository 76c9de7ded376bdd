//! Opening a season's events, and what the others wait for.

use std::collections::BTreeMap;

use rookery_proto::v1;
use rookery_tournament::{
    Fact, LoggedFact,
    fact::RosterEntry,
    season::{self, Opened, SeasonEvent, SeasonFact, SeasonSpec, UpdateTest, event_name},
    spec::Spec,
};

use super::{SeasonState, event_uid, orders::season_write, test_event};
use crate::core::{
    Core, Effect,
    apply::RULES_VERSION,
    done::own_change,
    limits,
    stored::Meta,
    writes::{Create, Write},
};

impl Core {
    /// Opens what can be opened, and notes what the others wait for.
    pub(in crate::core) fn settle_season(&mut self, uid: &str) {
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
}
