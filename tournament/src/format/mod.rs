//! Formats: who plays whom, given the facts on record. To add a format is to add one file.
//!
//! A format turns facts into meetings, which it adds at the end of the [`Schedule`]; what is due, what counts and how far
//! an event is follows from the schedule and the results in one place, [`crate::Event`], for all formats alike.

mod berger;
mod conditional;
mod gauntlet;
mod knockout;
mod ladder;
pub mod leagues;
mod matching;
mod round_robin;
mod schedule;
mod seed;
mod swiss;
mod two;

use std::collections::{BTreeMap, BTreeSet};

pub use conditional::{Entry, Step, entry, step};
pub(crate) use knockout::{pairs_of, rounds_of};
pub(crate) use ladder::by_rating;
pub use schedule::{Batch, Layout, MAX_CYCLES, MAX_ENTRANTS, MAX_GAMES, MAX_PAIRS, Place, Schedule};

use serde::{Deserialize, Serialize};

use crate::{
    EntrantId, Fact, GameId, PairId,
    event::View,
    spec::{FormatSpec, Spec},
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
    /// The index of its opening in the book for level matches, where one was drawn there; `opening` then says nothing.
    pub level_opening: Option<u64>,
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

/// What is to be put on record before more can be due.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draw {
    /// The next draw.
    pub fact: Option<Fact>,
    /// What only a person can say, one line. Games that are due go on.
    pub question: Option<String>,
}

impl Draw {
    /// A draw for a round of a stage.
    #[must_use]
    pub const fn of(stage: u8, round: u16, order: Vec<EntrantId>) -> Self {
        Self::with_openings(stage, round, order, Vec::new())
    }

    /// The same, with openings drawn from the book for level matches.
    #[must_use]
    pub const fn with_openings(stage: u8, round: u16, order: Vec<EntrantId>, openings: Vec<u64>) -> Self {
        Self { fact: Some(Fact::Drawn { stage, round, order, openings }), question: None }
    }

    fn ask(question: impl Into<String>) -> Self {
        Self { fact: None, question: Some(question.into()) }
    }
}

/// How much of a meeting that may stop early is handed out at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtOnce {
    /// One pair after the other.
    One,
    /// All pairs that are surely needed.
    #[default]
    Needed,
    /// All; what finishes beyond the decision is surplus.
    All,
}

/// A format: who plays whom, given what is on record.
///
/// `fold` sees facts alone, so that all facts folded first and then all results in any order give what was lived
/// through. What depends on results is drawn: `draw` says it, it is put on record as [`Fact::Drawn`], and `fold` turns
/// the fact into games. The same record gives the same draw, whoever asks and however often; what was drawn stays,
/// whatever becomes of the results that led to it.
pub trait Format: std::fmt::Debug + Send + Sync {
    /// Adds to the schedule's end what becomes due by a fact. The field already knows of it; `spec` is the newest.
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &Spec, schedule: &mut Schedule);
    /// A draw that must be put on record before more can be due, if one is needed now.
    fn draw(&self, _view: &View<'_>) -> Draw {
        Draw::default()
    }
    /// The order of the table where points do not make it: groups that share a place, best first.
    fn ranking(&self, _view: &View<'_>) -> Option<Vec<Vec<EntrantId>>> {
        None
    }
    /// Half points for rounds without an opponent.
    fn byes(&self) -> BTreeMap<EntrantId, u32> {
        BTreeMap::new()
    }
    /// Games that will be drawn yet, as far as it can be said.
    fn games_to_come(&self, _view: &View<'_>) -> u64 {
        0
    }
    /// Why nobody can join any more; `None`: somebody can.
    fn closed_to_newcomers(&self) -> Option<&'static str> {
        None
    }
}

/// The format that a spec names.
#[must_use]
pub fn of(spec: &FormatSpec) -> Box<dyn Format> {
    match spec {
        FormatSpec::Match { .. } => Box::new(two::Match::default()),
        FormatSpec::RoundRobin { .. } => Box::new(round_robin::RoundRobin::default()),
        FormatSpec::Gauntlet { .. } => Box::new(gauntlet::Gauntlet),
        FormatSpec::Knockout { .. } => Box::new(knockout::Knockout::default()),
        FormatSpec::Swiss { .. } => Box::new(swiss::Swiss::default()),
        FormatSpec::ConditionalTieBreak { .. } => Box::new(conditional::Conditional::default()),
        FormatSpec::Ladder { .. } => Box::new(ladder::Ladder::default()),
    }
}

/// The newest number of pairs of a meeting, where all have the same.
fn pairs(spec: &FormatSpec) -> u32 {
    match spec {
        FormatSpec::Match { pairs, .. }
        | FormatSpec::RoundRobin { pairs, .. }
        | FormatSpec::Gauntlet { pairs, .. }
        | FormatSpec::Swiss { pairs, .. }
        | FormatSpec::Ladder { pairs, .. } => *pairs,
        FormatSpec::Knockout { .. } | FormatSpec::ConditionalTieBreak { .. } => 1,
    }
}

/// Meetings as a draw lists them: two by two.
fn meetings(order: &[EntrantId]) -> Vec<(EntrantId, EntrantId)> {
    order.chunks_exact(2).map(|two| (two[0], two[1])).collect()
}

/// Those of them that are played.
fn played(meetings: &[(EntrantId, EntrantId)]) -> Vec<(EntrantId, EntrantId)> {
    let both = |&&(a, b): &&(EntrantId, EntrantId)| a != EntrantId::NOBODY && b != EntrantId::NOBODY;
    meetings.iter().filter(both).copied().collect()
}

/// Rounds of a stage at most: four digits of a [`PairId`].
const MAX_ROUNDS: u16 = 9_999;
