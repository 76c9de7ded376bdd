//! Whose program may be another than before (§1.7, §12, §14.3), and who must play a test match with it first.

use std::collections::BTreeMap;

use super::{
    log::{Closed, LoggedSeasonFact},
    open::{Known, known_roster},
    question::Question,
    spec::{SeasonEvent, SeasonSpec, Updates},
};

/// A test match that is to be played before an event: of an engine whose program is another than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateTest {
    /// Whose.
    pub engine: String,
    /// The digest of its program.
    pub program: String,
    /// Against whom: the first of the event that plays as before, where there is one.
    pub opponent: String,
    /// Pairs.
    pub pairs: u32,
}

/// What an event that is to open waits for as to its engines' programs. `roster` is who plays in it, `digests` what each
/// of them is now.
#[must_use]
pub fn programs(
    season: &SeasonSpec,
    event: &str,
    roster: &[String],
    digests: &BTreeMap<String, String>,
    closed: &[Closed],
    log: &[LoggedSeasonFact],
) -> Vec<Question> {
    let known = Known::new(season, closed, log);
    let Some(this) = season.event(event) else { return Vec::new() };
    let judged = judge(&known, this, roster, digests);
    let due = due(&known, this, roster, &judged);
    let mut questions: Vec<Question> = Vec::new();
    for changed in &judged {
        if let Some(rule) = &changed.forbidden {
            let (engine, before) = (changed.engine.to_owned(), changed.before.to_owned());
            questions.push(Question::Program { engine, before, rule: rule.clone() });
        } else if let Some(test) = due.iter().find(|test| test.engine == changed.engine) {
            let (engine, opponent) = (test.engine.clone(), test.opponent.clone());
            questions.push(Question::Trying { engine, opponent });
        } else if let Some((seq, games, faults)) = known.said.tested.get(&(changed.engine, event, changed.now)).copied()
            && faults > 0
            && !known.said.updated.iter().any(|&(who, of, said)| who == changed.engine && of == event && said > seq)
        {
            questions.push(Question::Faulty { engine: changed.engine.to_owned(), games, faults });
        }
    }
    questions
}

/// Test matches that are to be played before an event, once it is known who plays in it; its gate may be shut still.
/// `digests` is what each engine is now.
#[must_use]
pub fn update_tests(
    season: &SeasonSpec,
    event: &str,
    digests: &BTreeMap<String, String>,
    closed: &[Closed],
    log: &[LoggedSeasonFact],
) -> Vec<UpdateTest> {
    let Some(this) = season.event(event).filter(|this| this.update_test.is_some()) else { return Vec::new() };
    let known = Known::new(season, closed, log);
    let Some(roster) = known_roster(&known, this) else { return Vec::new() };
    due(&known, this, &roster, &judge(&known, this, &roster, digests))
}

/// An engine whose program is another than in the season's events before.
struct Changed<'a> {
    engine: &'a str,
    now: &'a str,
    /// The event in which it played last.
    before: &'a str,
    /// The rule by which it may not.
    forbidden: Option<String>,
}

fn judge<'a>(
    known: &Known<'a>,
    this: &SeasonEvent,
    roster: &'a [String],
    digests: &'a BTreeMap<String, String>,
) -> Vec<Changed<'a>> {
    let (season, closed) = (known.season, known.closed);
    let came = known.newcomers(&this.name).unwrap_or_default();
    // Test games are there to try other programs.
    let official = |c: &&Closed| season.event(&c.event).is_none_or(|event| event.event.official);
    let mut judged = Vec::new();
    for engine in roster {
        let Some(now) = digests.get(engine).filter(|digest| !digest.is_empty()) else { continue };
        let known_in = |c: &&Closed| c.digests.get(engine).is_some_and(|digest| !digest.is_empty());
        let last = closed.iter().rev().filter(official).find(known_in);
        let Some(last) = last.filter(|last| last.digests.get(engine) != Some(now)) else { continue };
        let promoted = came.contains(engine);
        // A person's word holds for the event it names and for all after it.
        let allowed = known.said.updated.iter().any(|(who, from, _)| {
            let at = |name: &str| season.events.iter().position(|event| event.name == name);
            who == engine && at(from) <= at(&this.name)
        });
        let crashes = last.crashes.get(engine).copied().unwrap_or(0);
        let forbidden = match this.updates {
            _ if allowed => None,
            Updates::All => None,
            Updates::Promoted if promoted => None,
            // Who crashed more than once, and came up all the same, may mend that and nothing else.
            Updates::None if promoted && crashes > 1 => {
                Some(format!("it crashed {crashes} times and came up: a fix of that alone is allowed"))
            }
            Updates::Promoted => Some("only who came up may be updated".to_owned()),
            Updates::None => Some("nobody may be updated here".to_owned()),
        };
        judged.push(Changed { engine, now, before: &last.event, forbidden });
    }
    judged
}

fn due(known: &Known<'_>, this: &SeasonEvent, roster: &[String], judged: &[Changed<'_>]) -> Vec<UpdateTest> {
    let Some(pairs) = this.update_test else { return Vec::new() };
    let is_changed = |engine: &String| judged.iter().any(|changed| changed.engine == engine);
    let of = |changed: &Changed<'_>| {
        let others = || roster.iter().filter(|other| *other != changed.engine);
        let opponent = others().find(|other| !is_changed(other)).or_else(|| others().next())?.clone();
        let (engine, program) = (changed.engine.to_owned(), changed.now.to_owned());
        Some(UpdateTest { engine, program, opponent, pairs })
    };
    let tested = |c: &&Changed<'_>| known.said.tested.contains_key(&(c.engine, this.name.as_str(), c.now));
    judged.iter().filter(|c| c.forbidden.is_none() && !tested(c)).filter_map(of).collect()
}
