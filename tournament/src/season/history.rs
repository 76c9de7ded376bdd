//! A season's history as one document: what happened, and who ruled what.

use super::{
    log::{Closed, LoggedSeasonFact, SeasonFact},
    spec::SeasonSpec,
};
use crate::{EntrantId, Fact, LoggedFact};

/// A test match of an engine whose program is another than before, as far as it was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestMatch {
    /// The event before which it is played, by its name in the season.
    pub event: String,
    /// Whose program is tried.
    pub engine: String,
    /// The digest of that program.
    pub program: String,
    /// Against whom.
    pub opponent: String,
    /// Games on record.
    pub games: u64,
    /// Games to play.
    pub of: u64,
    /// Half points of the engine in them.
    pub half_points: u32,
    /// Games that it lost by faults of its own.
    pub faults: u32,
}

impl TestMatch {
    fn line(&self) -> String {
        let Self { engine, program, opponent, games, of, half_points, faults, .. } = self;
        let points = format!("{}.{}", half_points / 2, half_points % 2 * 5);
        let faults = match faults {
            0 => String::new(),
            1 => ", one game lost by a fault of its own".to_owned(),
            n => format!(", {n} games lost by faults of its own"),
        };
        format!("- {engine} with program {program} against {opponent}: {points} of {games}, of {of} games{faults}\n")
    }
}

/// The document, Markdown. `events` are the logs of the events that were opened, by their names in the season; `tests` the
/// test matches, in the order in which they began.
#[must_use]
pub fn history(
    season: &SeasonSpec,
    log: &[LoggedSeasonFact],
    closed: &[Closed],
    events: &[(String, Vec<LoggedFact>)],
    tests: &[TestMatch],
) -> String {
    let mut text = format!("# {}\n\n## What was decided for the season\n\n", season.name);
    for logged in log {
        line(&mut text, logged.at_unix_ms, &logged.by, &logged.reason, &of_season(&logged.fact));
    }
    for event in &season.events {
        let facts = events.iter().find(|(name, _)| *name == event.name).map(|(_, facts)| facts.as_slice());
        let over = closed.iter().find(|closed| closed.event == event.name);
        let tests: Vec<&TestMatch> = tests.iter().filter(|test| test.event == event.name).collect();
        if facts.is_none() && over.is_none() && tests.is_empty() {
            continue;
        }
        let title = if event.event.title.is_empty() { &event.name } else { &event.event.title };
        let official = if event.event.official { "" } else { ", not official" };
        text.push_str(&format!("\n## {title} (`{}`{official})\n\n", event.name));
        if !tests.is_empty() {
            text.push_str("Test matches before it, which count nowhere:\n\n");
            tests.iter().for_each(|test| text.push_str(&test.line()));
            if facts.is_some() {
                text.push('\n');
            }
        }
        let mut names: Vec<&str> = Vec::new();
        for logged in facts.unwrap_or_default() {
            match &logged.fact {
                Fact::Opened { roster, .. } => names = roster.iter().map(|entry| entry.engine.as_str()).collect(),
                Fact::Joined { entry, .. } => names.push(&entry.engine),
                _ => {}
            }
            if let Some(what) = of_event(&logged.fact, &names) {
                line(&mut text, logged.at_unix_ms, &logged.by, &logged.reason, &what);
            }
        }
        if let Some(over) = over {
            text.push('\n');
            let mut place = 1;
            for group in &over.order {
                for engine in group {
                    let points = over.points(engine);
                    text.push_str(&format!("{place}. {engine} {}.{}\n", points / 2, points % 2 * 5));
                }
                place += group.len();
            }
        }
    }
    text
}

fn line(text: &mut String, at_unix_ms: u64, by: &str, reason: &str, what: &str) {
    let at = i64::try_from(at_unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    let at = at.map_or_else(String::new, |at| format!("{at:.0}"));
    let why = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    text.push_str(&format!("- {at} {what} ({by}{why})\n"));
}

fn of_season(fact: &SeasonFact) -> String {
    let number = |n: &Option<u32>| n.map_or_else(|| "by the rules".to_owned(), |n| n.to_string());
    match fact {
        SeasonFact::Applied { seed, .. } => format!("applied, seed {seed}"),
        SeasonFact::Skipped { event, why } => format!("`{event}` needs no games: {why}"),
        SeasonFact::Advanced { event } => format!("the gate behind `{event}` passed"),
        SeasonFact::Numbers { event, promote, relegate } => {
            format!("`{event}`: promoted {}, relegated {}", number(promote), number(relegate))
        }
        SeasonFact::Invitation { engine, answer } => format!("{engine}: {answer:?}").to_lowercase(),
        SeasonFact::Tested { engine, event, program, games, faults } => {
            format!("{engine} was tried for `{event}` with program {program}: {games} games, {faults} faults")
        }
        SeasonFact::Updated { engine, event } => format!("{engine} may be another program from `{event}` on"),
    }
}

/// What of an event's log belongs into the history: what people decided, and what ended it.
fn of_event(fact: &Fact, names: &[&str]) -> Option<String> {
    let name = |id: &EntrantId| (id.0 as usize).checked_sub(1).and_then(|at| names.get(at)).copied().unwrap_or("?");
    Some(match fact {
        Fact::Opened { seed, .. } => format!("began, seed {seed}: {}", names.join(", ")),
        Fact::Joined { entry, .. } => format!("{} joined", entry.engine),
        Fact::Withdrawn { entrant, keep_games } => {
            format!("{} was withdrawn, its games {}", name(entrant), if *keep_games { "count" } else { "do not count" })
        }
        Fact::Ruled { game, result } => format!("game {game} was ruled {result:?}"),
        Fact::Imported { .. } => "went on with the state of a ladder that was begun elsewhere".to_owned(),
        Fact::Voided { games } => format!("{} games were voided", games.len()),
        Fact::Replay { games } => format!("{} games are played again", games.len()),
        Fact::Stopped { why, .. } => format!("stopped: {why}"),
        Fact::Ranked { order } => {
            let order: Vec<&str> = order.iter().map(name).collect();
            format!("level, and ranked: {}", order.join(" above "))
        }
        Fact::Amended { .. } => "the spec was changed in what is free".to_owned(),
        Fact::EngineSetAside { engine, error, .. } => format!("{} was set aside: {error}", name(engine)),
        _ => return None,
    })
}
