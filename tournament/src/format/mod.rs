//! Formats: who plays whom, given the facts on record. To add a format is to add one file.
//!
//! A format turns facts into meetings, which it adds at the end of the [`Schedule`]; what is due, what counts and how far
//! an event is follows from the schedule and the results in one place, [`crate::Event`], for all formats alike.

mod berger;
mod gauntlet;
mod round_robin;
mod schedule;
mod seed;
mod two;

use std::collections::{BTreeMap, BTreeSet};

pub use schedule::{Layout, MAX_CYCLES, MAX_ENTRANTS, MAX_GAMES, MAX_PAIRS, Place, Schedule};

use crate::{
    EntrantId, Fact, GameId, PairId,
    spec::{EventSpec, FormatSpec},
};

/// One game that may be handed out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueGame {
    /// Which game and take.
    pub id: GameId,
    /// Who sits at `First`.
    pub first: EntrantId,
    /// Who sits at `Second`.
    pub second: EntrantId,
    /// The pair's opening number, counted in starting order from 0, offset not yet added.
    pub opening: u64,
    /// `ROUND.GAME` for people and the PGN.
    pub round: String,
}

/// What may be handed out at once: both games of a pair, or one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The pair.
    pub pair: PairId,
    /// Its games that are due, in the order to play them. Never empty.
    pub games: Vec<DueGame>,
    /// Whether the worker asks before it goes on to the second game.
    pub ask_between: bool,
    /// Beyond what is surely needed: played ahead of a stop that may come.
    pub ahead: bool,
}

/// What must not be handed out now. `due` skips all of it.
#[derive(Debug, Clone, Default)]
pub struct Held {
    /// Pairs that are handed out, set aside, or cannot be placed now.
    pub pairs: BTreeSet<PairId>,
    /// Assignments in hand for each entrant, for formats that bound it.
    pub entrants: BTreeMap<EntrantId, u32>,
    /// No game before this place in starting order is due: so many may be in hand that looking at each of them anew would
    /// be felt. Whoever lets a pair go whose games are not all on record, or folds a fact, sets it to 0.
    pub from: u64,
}

/// Whether a game that is running or waiting still matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// It counts.
    Yes,
    /// It may turn out to be surplus.
    Ahead,
    /// It does not; the reason, one line.
    No(String),
}

/// One entrant of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entrant {
    /// The engine's name.
    pub engine: String,
    /// Set when it left: whether its games still count.
    pub withdrawn: Option<bool>,
}

/// Who is in the event. Entrant 1 is the first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// In order of joining.
    pub entrants: Vec<Entrant>,
}

impl Field {
    /// One entrant.
    #[must_use]
    pub fn get(&self, id: EntrantId) -> Option<&Entrant> {
        self.entrants.get((id.0 as usize).checked_sub(1)?)
    }

    /// Numbers of all entrants.
    pub fn ids(&self) -> impl Iterator<Item = EntrantId> + use<> {
        (1..=self.entrants.len() as u32).map(EntrantId)
    }

    /// Numbers of those that have not left.
    pub fn present(&self) -> impl Iterator<Item = EntrantId> + '_ {
        self.ids().filter(|&id| self.get(id).is_some_and(|e| e.withdrawn.is_none()))
    }

    /// An engine's number.
    #[must_use]
    pub fn find(&self, engine: &str) -> Option<EntrantId> {
        self.ids().find(|&id| self.get(id).is_some_and(|e| e.engine == engine))
    }
}

/// A format: who plays whom, given the facts on record.
pub trait Format: std::fmt::Debug + Send + Sync {
    /// Adds to the schedule's end what becomes due by a fact. The field already knows of it; `spec` is the newest.
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &EventSpec, schedule: &mut Schedule);
    /// A draw that must be put on record before more can be due, if one is needed now.
    fn draw(&self, field: &Field, seed: u64) -> Option<Fact>;
}

/// The format that a spec names.
#[must_use]
pub fn of(spec: &FormatSpec) -> Box<dyn Format> {
    match spec {
        FormatSpec::Match { .. } => Box::new(two::Match),
        FormatSpec::RoundRobin { .. } => Box::new(round_robin::RoundRobin::default()),
        FormatSpec::Gauntlet { .. } => Box::new(gauntlet::Gauntlet),
    }
}

/// The newest number of pairs of a meeting.
const fn pairs(spec: &FormatSpec) -> u32 {
    match spec {
        FormatSpec::Match { pairs } | FormatSpec::RoundRobin { pairs, .. } | FormatSpec::Gauntlet { pairs, .. } => {
            *pairs
        }
    }
}
