//! What operators say about a season, on its way to the store.

use rookery_proto::v1;
use rookery_tournament::{
    season::{self, LoggedSeasonFact, Question, SeasonEvent, SeasonFact, SeasonSpec},
    spec::Spec,
};

use super::SeasonState;
use crate::{
    core::{
        Answer, ApplySeason, AskId, Change, Core, Denied, Effect, keys,
        stored::{SeasonMeta, encode},
        writes::{Built, Proof, SeasonWrite, Write},
    },
    store::{Compare, Op, Revision},
};

impl Core {
    pub(in crate::core) fn apply_season(&mut self, ask: AskId, apply: ApplySeason) -> Result<Option<Answer>, Denied> {
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

    pub(in crate::core) fn season_fact(
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

    pub(in crate::core) fn build_season(&mut self, write: &mut SeasonWrite) -> Option<Built> {
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

    pub(in crate::core) fn season_done(&mut self, write: SeasonWrite, revision: Revision) {
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
}

pub(super) fn season_write(uid: &str, fact: SeasonFact, change: Change, asks: Vec<AskId>) -> Write {
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
