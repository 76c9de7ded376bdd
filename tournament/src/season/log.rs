//! What is on record of a season beside its events: its own log, and how its events ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A fact of a season's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SeasonFact {
    /// The season was applied, or what is free in it was changed.
    Applied {
        /// The digest of the spec.
        spec: String,
        /// Everything random of its events comes from it.
        seed: u64,
    },
    /// An event has nothing to decide: it is over without a game.
    Skipped {
        /// Its name in the season.
        event: String,
        /// One line.
        why: String,
    },
    /// A person passed the gate behind an event.
    Advanced {
        /// Its name in the season.
        event: String,
    },
    /// A person's numbers for an event, in place of those that follow from vacancies.
    Numbers {
        /// Its name in the season.
        event: String,
        /// How many go up; `None`: as the rules say.
        promote: Option<u32>,
        /// How many go down; `None`: as the rules say.
        relegate: Option<u32>,
    },
    /// How an engine answered its invitation.
    Invitation {
        /// Who.
        engine: String,
        /// What.
        answer: Invitation,
    },
    /// The test match of an engine with another program is over.
    Tested {
        /// Who.
        engine: String,
        /// The event that it is to play in with it.
        event: String,
        /// The digest of its program.
        program: String,
        /// Games that it played.
        games: u32,
        /// How many of them it lost by a fault of its own: a crash, a stall, on time, by an illegal move.
        faults: u32,
    },
    /// A person lets an engine's program be another one from here on; behind a test match with faults, also so.
    Updated {
        /// Who.
        engine: String,
        /// The first event in which it plays so.
        event: String,
    },
}

/// Where an invitation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Invitation {
    /// Not answered yet: the events in which the engine has a place wait for it.
    Invited,
    /// It plays. So does an engine of which nothing is said.
    Accepted,
    /// It does not; its place stays vacant.
    Declined,
}

/// A fact with who and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedSeasonFact {
    /// Its number in the log, from 1.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub at_unix_ms: u64,
    /// A person's or a program's name; `rookery` where the program itself decided.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
    /// The client's request id; empty where the program itself decided.
    #[serde(default)]
    pub request_id: String,
    /// What.
    pub fact: SeasonFact,
}

/// How an event of the season ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// Its name in the season.
    pub event: String,
    /// Best first; those of one group share a place.
    pub order: Vec<Vec<String>>,
    /// Half points.
    pub half_points: BTreeMap<String, u32>,
    /// Crashes and stalls, of those who had any.
    pub crashes: BTreeMap<String, u32>,
    /// The digest of each engine's program, where known.
    pub digests: BTreeMap<String, String>,
}

impl Closed {
    /// As a table of the tournament says it.
    #[must_use]
    pub fn from_standings(event: &str, standings: &crate::standings::Standings) -> Self {
        let mut closed = Self { event: event.to_owned(), ..Self::default() };
        for lines in standings.lines.chunk_by(|a, b| a.place == b.place) {
            closed.order.push(lines.iter().map(|line| line.engine.clone()).collect());
        }
        for line in &standings.lines {
            closed.half_points.insert(line.engine.clone(), line.half_points);
            if line.crashes > 0 {
                closed.crashes.insert(line.engine.clone(), line.crashes);
            }
        }
        closed
    }

    /// All who played, best first.
    pub fn engines(&self) -> impl Iterator<Item = &String> {
        self.order.iter().flatten()
    }

    /// An engine's points, doubled; 0 where it did not play.
    #[must_use]
    pub fn points(&self, engine: &str) -> u32 {
        self.half_points.get(engine).copied().unwrap_or(0)
    }
}

/// The log as it stands, the newest word of each kind.
#[derive(Debug, Default)]
pub(super) struct Said<'l> {
    pub(super) advanced: Vec<&'l str>,
    pub(super) skipped: Vec<&'l str>,
    pub(super) numbers: BTreeMap<&'l str, (Option<u32>, Option<u32>)>,
    pub(super) invitations: BTreeMap<&'l str, Invitation>,
    pub(super) updated: Vec<(&'l str, &'l str, u64)>,
    /// Engine, event and program; the entry's number, games and faults.
    pub(super) tested: BTreeMap<(&'l str, &'l str, &'l str), (u64, u32, u32)>,
}

impl<'l> Said<'l> {
    pub(super) fn of(log: &'l [LoggedSeasonFact]) -> Self {
        let mut said = Self::default();
        for logged in log {
            match &logged.fact {
                SeasonFact::Applied { .. } => {}
                SeasonFact::Skipped { event, .. } => said.skipped.push(event),
                SeasonFact::Advanced { event } => said.advanced.push(event),
                SeasonFact::Numbers { event, promote, relegate } => {
                    said.numbers.insert(event, (*promote, *relegate));
                }
                SeasonFact::Invitation { engine, answer } => {
                    said.invitations.insert(engine, *answer);
                }
                SeasonFact::Tested { engine, event, program, games, faults } => {
                    said.tested.insert((engine, event, program), (logged.seq, *games, *faults));
                }
                SeasonFact::Updated { engine, event } => said.updated.push((engine, event, logged.seq)),
            }
        }
        said
    }

    pub(super) fn declined(&self, engine: &str) -> bool {
        self.invitations.get(engine) == Some(&Invitation::Declined)
    }
}
