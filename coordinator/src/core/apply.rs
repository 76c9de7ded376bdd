//! Applying a spec: a new event, the same one again, or an amendment of a running one.

use rookery_proto::v1;
use rookery_tournament::{
    Event, Fact, LoggedFact,
    event::Phase,
    fact::RosterEntry,
    spec::{Class, EngineSpec, Spec, differences},
};

use super::{
    Answer, Apply, AskId, Change, Core, Denied, limits,
    state::EventState,
    stored::Meta,
    writes::{Create, FactWrite, Write},
};

/// The version of the rules that this program plays by.
pub const RULES_VERSION: u32 = 1;

impl Core {
    pub(super) fn apply(&mut self, ask: AskId, mut apply: Apply) -> Result<Option<Answer>, Denied> {
        if self.writes.join(&apply.change.request_id, ask) {
            return Ok(None);
        }
        if let Some(answer) = self.applied_before(&apply.change.request_id) {
            return Ok(Some(answer));
        }
        self.is_free(&apply.spec.name)?;
        if self.lists.contains_key(&apply.spec.name) {
            let name = &apply.spec.name;
            return Err(Denied::Precondition(format!("a list is named `{name}`: give the event another name")));
        }
        if self.writes.creating(&apply.spec.name) {
            let name = &apply.spec.name;
            return Err(Denied::Unavailable(format!("event `{name}` is being made; ask again")));
        }
        let named = self.events.iter().filter(|(_, state)| state.name() == apply.spec.name);
        let newest = named.max_by_key(|(_, state)| state.meta.applied_unix_ms).map(|(uid, _)| uid.clone());
        let Some(uid) = newest else { return self.create(ask, apply, Vec::new()) };
        let Some(state) = self.events.get(&uid) else { return self.create(ask, apply, Vec::new()) };
        let phase = state.event.phase();
        if apply.ladder.is_some() && !matches!(phase, Phase::Stopped | Phase::Finished) {
            return Err(super::ladders::is_there(&apply.spec.name));
        }
        let mut response = response(&uid, state);
        response.expected_ms = self.expected_ms(state.event.spec(), &state.roster, response.games);
        keep_who_left(state, &mut apply.spec);
        let found = differences(state.event.spec(), &apply.spec);
        if phase == Phase::Stopped {
            let differences = found.iter().map(ToString::to_string).collect();
            return self.create(ask, apply, differences);
        }
        if apply.ladder.is_some() {
            let differences = found.iter().map(ToString::to_string).collect();
            return self.create(ask, apply, differences);
        }
        if state.meta.spec_digest == apply.spec_digest || found.is_empty() {
            return Ok(Some(Answer::Applied(Box::new(response))));
        }
        response.differences = found.iter().map(ToString::to_string).collect();
        let free = |class: Class| class == Class::Free || (apply.ruling && class == Class::Ruling);
        let locked: Vec<String> = found.iter().filter(|one| !free(one.class)).map(ToString::to_string).collect();
        if !locked.is_empty() {
            if phase == Phase::Finished {
                return self.create(ask, apply, response.differences);
            }
            return Err(Denied::Precondition(refusal(&apply.spec.name, &locked)));
        }
        let known = &state.event.spec().engines;
        let newcomers: Vec<EngineSpec> = (apply.spec.engines.iter())
            .filter(|engine| known.iter().all(|known| known.setup.name != engine.setup.name))
            .cloned()
            .collect();
        let mut facts = Vec::new();
        if !newcomers.is_empty() {
            (facts, response.games) = self.joining(state, &newcomers, &apply.digests)?;
            response.expected_ms = self.expected_ms(&apply.spec, &state.roster, response.games);
        }
        if apply.dry_run {
            return Ok(Some(Answer::Applied(Box::new(response))));
        }
        // Who joined is on record before the spec that names it, so that a crash between the two is mended by applying
        // again.
        for fact in facts {
            self.write_fact(&uid, fact, Change { request_id: String::new(), ..apply.change.clone() });
        }
        let json = serde_json::to_string(&apply.spec).map_err(|error| Denied::Invalid(error.to_string()))?;
        let write = FactWrite {
            uid,
            fact: Fact::Amended { spec: apply.spec_digest, json },
            change: apply.change,
            asks: vec![ask],
            game: None,
            take_back: Vec::new(),
            logged: None,
            applied: Some(Box::new(response)),
            hand_back: false,
        };
        self.write(Write::Fact(Box::new(write)));
        Ok(None)
    }

    /// The answer to a request id that is on record.
    fn applied_before(&self, request_id: &str) -> Option<Answer> {
        if request_id.is_empty() {
            return None;
        }
        let (uid, state, fact) = self.events.iter().find_map(|(uid, state)| {
            let fact = state.facts.iter().find(|fact| fact.request_id == request_id)?;
            Some((uid, state, fact))
        })?;
        let mut response = response(uid, state);
        response.created = matches!(fact.fact, Fact::Opened { .. });
        Some(Answer::Applied(Box::new(response)))
    }

    /// A new event. `differences` are those from the event of the same name that is over, if there is one.
    fn create(&mut self, ask: AskId, apply: Apply, differences: Vec<String>) -> Result<Option<Answer>, Denied> {
        let Apply {
            spec,
            spec_digest,
            book,
            level_book,
            uid,
            seed,
            digests,
            dry_run,
            paused,
            ruling: _,
            ladder,
            chosen,
            change,
        } = apply;
        if self.events.len() >= limits::EVENTS {
            return Err(Denied::Unavailable(format!("{} events are known already", limits::EVENTS)));
        }
        if self.events.contains_key(&uid) || uid.is_empty() || uid.contains('/') {
            return Err(Denied::Invalid(format!("`{uid}` cannot be a new event's uid")));
        }
        let (book_digest, book) = book;
        let (level_digest, level_book) = level_book;
        let mut warnings = Vec::new();
        let roster: Vec<RosterEntry> = spec
            .engines
            .iter()
            .map(|engine| {
                let name = engine.setup.name.clone();
                let known = digests.iter().find(|(of, _)| *of == name).map(|(_, digest)| digest.clone());
                let digest = known.unwrap_or_else(|| self.catalogue_digest(&engine.setup.program, &mut warnings));
                RosterEntry { engine: name, digest }
            })
            .collect();
        let logged = |seq: u64, fact: Fact| LoggedFact {
            seq,
            at_unix_ms: self.now.unix_ms,
            by: change.by.clone(),
            reason: change.reason.clone(),
            request_id: if seq == 1 { change.request_id.clone() } else { String::new() },
            fact,
        };
        let opened_roster = roster.clone();
        let opened = Fact::Opened {
            roster,
            book: book_digest.clone(),
            book_openings: book.len() as u64,
            seed: spec.event.seed.unwrap_or(seed),
            opening_offset: spec.event.openings.start,
            spec: spec_digest.clone(),
            rules_version: RULES_VERSION,
            level_book: level_digest.clone(),
            level_openings: level_book.len() as u64,
        };
        let imported = match ladder {
            None => None,
            Some(ladder) => {
                let (fact, more) = super::ladders::imported(&ladder.0, ladder.1, &spec, &opened)?;
                warnings.extend(more);
                Some(fact)
            }
        };
        let facts = [Some(opened), chosen.map(|fact| *fact), imported, paused.then_some(Fact::Paused)];
        let facts: Vec<_> = (1..).zip(facts.into_iter().flatten()).map(|(seq, fact)| logged(seq, fact)).collect();
        let mut event = Event::new((*spec).clone());
        facts.iter().for_each(|fact| event.fold_fact(fact));
        let response = v1::ApplyResponse {
            event: spec.name.clone(),
            event_uid: uid.clone(),
            created: true,
            games: event.progress().total,
            expected_ms: self.expected_ms(&spec, &opened_roster, event.progress().total),
            warnings,
            differences,
            ..v1::ApplyResponse::default()
        };
        if dry_run {
            return Ok(Some(Answer::Applied(Box::new(response))));
        }
        let meta = Meta {
            uid,
            name: spec.name.clone(),
            phase: "open".to_owned(),
            book: book_digest,
            level_book: level_digest,
            spec: *spec,
            spec_digest,
            applied_unix_ms: self.now.unix_ms,
            facts: facts.len() as u64,
            season: None,
        };
        let create = Create { meta, facts, books: Some([book, level_book]), asks: vec![ask], response };
        self.write(Write::Create(Box::new(create)));
        Ok(None)
    }

    /// The digest that all attached catalogues name for a program; empty where none does, or where they differ.
    pub(super) fn catalogue_digest(&self, program: &str, warnings: &mut Vec<String>) -> String {
        let attached = self.workers.values().filter(|worker| worker.session.is_some());
        let entries = attached.flat_map(|worker| &worker.hello.engines).filter(|entry| entry.name == program);
        let mut digests: Vec<&str> = entries.map(|entry| entry.digest.as_str()).filter(|d| !d.is_empty()).collect();
        digests.sort_unstable();
        digests.dedup();
        match digests.as_slice() {
            [one] => (*one).to_owned(),
            [] => String::new(),
            _ => {
                warnings.push(format!("workers have {} builds of `{program}`: {}", digests.len(), digests.join(", ")));
                String::new()
            }
        }
    }
}

/// A spec need not name who left: what they played still stands on it.
fn keep_who_left(state: &EventState, spec: &mut Spec) {
    for (at, engine) in state.event.spec().engines.iter().enumerate() {
        let name = &engine.setup.name;
        if state.left(name) && spec.engines.iter().all(|one| one.setup.name != *name) {
            spec.engines.insert(at.min(spec.engines.len()), engine.clone());
        }
    }
    // Who joined stands behind who opened the event, in order of joining, wherever the spec names it.
    let opened = state.facts.iter().find_map(|fact| match &fact.fact {
        Fact::Opened { roster, .. } => Some(roster.len()),
        _ => None,
    });
    spec.engines.sort_by_key(|engine| {
        let at = state.roster.iter().position(|entry| entry.engine == engine.setup.name);
        at.map_or(usize::MAX, |at| if at < opened.unwrap_or(0) { 0 } else { at })
    });
}

fn response(uid: &str, state: &EventState) -> v1::ApplyResponse {
    v1::ApplyResponse {
        event: state.name().to_owned(),
        event_uid: uid.to_owned(),
        games: state.event.progress().total,
        ..v1::ApplyResponse::default()
    }
}

fn refusal(name: &str, locked: &[String]) -> String {
    format!(
        "event `{name}` runs, and these keys are locked:\n  {}\nways out: apply it under another name, or stop `{name}` \
         and apply again",
        locked.join("\n  ")
    )
}
