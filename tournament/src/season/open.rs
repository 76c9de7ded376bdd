//! Opening an event of a season: who plays, and what must be answered first.

use super::{
    line,
    log::{Closed, Invitation, LoggedSeasonFact, Said},
    numbers::{Numbers, numbers},
    question::Question,
    spec::{Move, SeasonEvent, SeasonSpec},
};
use crate::spec::{EngineSpec, EventSpec, Gate, Spec, margin_of};

/// An event that can be opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// Who plays, in the order of seeding: who was in it, then who came, by place.
    pub roster: Vec<String>,
    /// What is to be applied; `None` where nothing is left to decide and no game is played.
    pub spec: Option<Box<Spec>>,
    /// One line for the record.
    pub why: String,
}

/// The name under which an event of a season is applied.
#[must_use]
pub fn event_name(season: &str, event: &str) -> String {
    format!("{season} {event}")
}

/// What is known of a season at a moment.
pub(super) struct Known<'a> {
    pub(super) season: &'a SeasonSpec,
    pub(super) closed: &'a [Closed],
    pub(super) said: Said<'a>,
    pub(super) numbers: std::collections::BTreeMap<String, Numbers>,
}

impl<'a> Known<'a> {
    pub(super) fn new(season: &'a SeasonSpec, closed: &'a [Closed], log: &'a [LoggedSeasonFact]) -> Self {
        Self { season, closed, said: Said::of(log), numbers: numbers(season, log) }
    }

    pub(super) fn closed(&self, event: &str) -> Result<&'a Closed, Question> {
        let found = self.closed.iter().find(|closed| closed.event == event);
        found.ok_or_else(|| Question::Earlier { event: event.to_owned() })
    }

    fn is_over(&self, event: &str) -> bool {
        self.said.skipped.contains(&event) || self.closed.iter().any(|closed| closed.event == event)
    }

    pub(super) fn numbers(&self, event: &str) -> Numbers {
        self.numbers.get(event).copied().unwrap_or_default()
    }

    /// Who leaves an event upwards, best first.
    pub(super) fn up(
        &self,
        from: &SeasonEvent,
        to: &Move,
        count: u32,
        line: &'static str,
    ) -> Result<Vec<String>, Question> {
        let closed = self.closed(&from.name)?;
        if !to.places.is_empty() {
            return line::at(closed, &to.places, line);
        }
        let Some(decider) = &to.played_off else {
            let free = |engine: &String| !to.unplaced || !self.season.is_placed(engine);
            return line::first_of(closed, count, line, free);
        };
        let off = line::play_off(closed, count);
        if off.spots == 0 {
            return Ok(off.direct);
        }
        let played = self.closed(decider)?;
        // Who came through together is ordered by the table that the play-off followed.
        let won = line::first(played, off.spots, line)?;
        let mut places: Vec<(usize, usize, String)> = Vec::new();
        for engine in won {
            let group = played.order.iter().position(|group| group.contains(&engine)).unwrap_or(usize::MAX);
            let before = closed.engines().position(|other| *other == engine).unwrap_or(usize::MAX);
            places.push((group, before, engine));
        }
        places.sort();
        Ok(off.direct.into_iter().chain(places.into_iter().map(|(_, _, engine)| engine)).collect())
    }

    /// Who is promoted out of an event.
    pub(super) fn promoted(&self, from: &SeasonEvent) -> Result<Vec<String>, Question> {
        match &from.promote {
            Some(to) => self.up(from, to, self.numbers(&from.name).promote, "promotion"),
            None => Ok(Vec::new()),
        }
    }

    /// Who is relegated out of an event.
    pub(super) fn relegated(&self, from: &SeasonEvent) -> Result<Vec<String>, Question> {
        if from.relegate.is_none() {
            return Ok(Vec::new());
        }
        line::last(self.closed(&from.name)?, self.numbers(&from.name).relegate, "relegation")
    }

    /// Who comes into an event during the season, by the event that they come from.
    pub(super) fn newcomers(&self, event: &str) -> Result<Vec<String>, Vec<Question>> {
        let (mut engines, mut questions) = (Vec::new(), Vec::new());
        // Who come by their places: the first of each event before the second of any.
        let mut placed: Vec<(u32, String)> = Vec::new();
        for from in &self.season.events {
            let mut take = |who: Result<Vec<String>, Question>| match who {
                Ok(who) => engines.extend(who),
                Err(question) => questions.push(question),
            };
            if from.promote.as_ref().is_some_and(|to| to.to == event) {
                take(self.promoted(from));
            }
            for to in from.qualify.iter().filter(|to| to.to == event) {
                match self.up(from, to, to.count, "qualification") {
                    Ok(who) if !to.places.is_empty() => placed.extend(to.places.iter().copied().zip(who)),
                    other => take(other),
                }
            }
        }
        placed.sort_by_key(|(place, _)| *place);
        engines.extend(placed.into_iter().map(|(_, engine)| engine));
        if questions.is_empty() { Ok(engines) } else { Err(questions) }
    }
}

/// What an event of a season is, once it can begin. `closed` are the events that are over, `seed` the season's.
///
/// # Errors
/// All that it waits for. [`Question::asks_a_person`] says which of it only time answers.
pub fn open(
    season: &SeasonSpec,
    event: &str,
    closed: &[Closed],
    log: &[LoggedSeasonFact],
    seed: u64,
) -> Result<Opened, Vec<Question>> {
    let known = Known::new(season, closed, log);
    let Some(this) = season.event(event) else { return Err(vec![Question::Unknown { name: event.to_owned() }]) };
    let earlier: Vec<Question> = this
        .after
        .iter()
        .filter(|before| !known.is_over(before))
        .map(|before| Question::Earlier { event: before.clone() })
        .collect();
    if !earlier.is_empty() {
        return Err(earlier);
    }
    let mut questions: Vec<Question> = this
        .after
        .iter()
        .filter(|before| gate_is_shut(&known, before))
        .map(|before| Question::Gate { event: before.clone() })
        .collect();
    let (roster, spots) = match roster(&known, this) {
        Ok(found) => found,
        Err(more) => {
            questions.extend(more);
            return Err(questions);
        }
    };
    if spots == Some(0) {
        if !questions.is_empty() {
            return Err(questions);
        }
        return Ok(Opened { roster: Vec::new(), spec: None, why: "the places are settled on points".to_owned() });
    }
    let asked = roster.iter().filter(|e| known.said.invitations.get(e.as_str()) == Some(&Invitation::Invited));
    questions.extend(asked.map(|engine| Question::Invitation { engine: engine.clone() }));
    if roster.len() < 2 {
        questions.push(Question::TooFew { engines: roster.clone() });
    }
    if !questions.is_empty() {
        return Err(questions);
    }
    let spec = spec(season, this, &roster, spots, seed);
    let why = format!("{} entrants", roster.len());
    Ok(Opened { roster, spec: Some(Box::new(spec)), why })
}

/// Who would play in an event as things stand; `None` where what comes before it is not over, or asks.
pub(super) fn known_roster(known: &Known<'_>, event: &SeasonEvent) -> Option<Vec<String>> {
    let over = event.after.iter().all(|before| known.is_over(before));
    roster(known, event).ok().filter(|_| over).map(|(roster, _)| roster)
}

fn gate_is_shut(known: &Known<'_>, event: &str) -> bool {
    let gate = known.season.event(event).map(|event| event.event.gate);
    gate == Some(Gate::Organiser) && !known.said.advanced.contains(&event) && !known.said.skipped.contains(&event)
}

/// Who plays; and, where it is a play-off, for how many places.
fn roster(known: &Known<'_>, event: &SeasonEvent) -> Result<(Vec<String>, Option<u32>), Vec<Question>> {
    if let Some((from, to)) = known.season.played_off_in(&event.name) {
        let closed = known.closed(&from.name).map_err(|question| vec![question])?;
        let promoting = from.promote.as_ref().is_some_and(|up| up == to);
        let count = if promoting { known.numbers(&from.name).promote } else { to.count };
        let off = line::play_off(closed, count);
        return Ok((off.level, Some(off.spots)));
    }
    let here = event.entrants.iter().filter(|engine| !known.said.declined(engine)).cloned();
    let newcomers = known.newcomers(&event.name)?;
    let mut roster: Vec<String> = here.collect();
    let here = roster.len() as u32;
    for engine in newcomers {
        if !roster.contains(&engine) {
            roster.push(engine);
        }
    }
    // Who comes into a cup fills its places behind those who are in it.
    if let Some(places) = event.places.filter(|_| !event.is_league()) {
        roster.truncate(places.max(here) as usize);
    }
    Ok((roster, None))
}

fn spec(season: &SeasonSpec, this: &SeasonEvent, roster: &[String], spots: Option<u32>, seed: u64) -> Spec {
    let mut event = this.event.clone();
    event.title = format!("{} - {}", season.name, event.title);
    if event.seed.is_none() {
        event.seed = Some(seed_of(seed, &this.name));
    }
    if let Some(spots) = spots {
        event.format.set_spots(spots);
    }
    of_engines(season, event_name(&season.name, &this.name), event, roster)
}

/// The spec of an event between these engines.
pub(super) fn of_engines(season: &SeasonSpec, name: String, event: EventSpec, roster: &[String]) -> Spec {
    let engines = roster
        .iter()
        .filter_map(|name| season.engines.iter().find(|engine| engine.setup.name == *name))
        .map(|engine| finished(engine, &event))
        .collect();
    Spec { name, engines, event }
}

/// What an engine takes from its event.
fn finished(engine: &EngineSpec, event: &EventSpec) -> EngineSpec {
    let mut engine = engine.clone();
    if let (Some(control), None) = (&engine.time_control, engine.margin) {
        engine.margin = Some(margin_of(control));
    }
    if engine.setup.restart == rookery_game::setup::Restart::Never {
        engine.setup.restart = event.restart;
    }
    engine
}

/// A seed of its own for each event (FNV-1a over its name), below 2⁵³: TOML and JSON carry it unchanged.
pub(super) fn seed_of(seed: u64, event: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ seed;
    for byte in event.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 29)) >> 11
}
