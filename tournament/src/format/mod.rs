//! Formats: who plays whom, given all that is on record. To add a format is to add one file.

use std::collections::{BTreeMap, BTreeSet};

use crate::{EntrantId, Fact, GameId, LoggedFact, PairId, ResultEntry};

/// What is on record, one at a time.
#[derive(Debug, Clone, Copy)]
pub enum Entry<'a> {
    /// A fact.
    Fact(&'a LoggedFact),
    /// A result.
    Result(&'a ResultEntry),
}

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

/// How far a format is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Games are due or in play.
    Running,
    /// A person must answer; one line each.
    Asking(Vec<String>),
    /// All that was due is on record.
    Finished,
}

/// A format: who plays whom, given all that is on record.
pub trait Format: Send {
    /// Takes one fact or one result into account. Cheap: it is called for each game of a million.
    fn fold(&mut self, entry: Entry<'_>);
    /// A draw that must be put on record before more can be due, if one is needed now.
    fn draw(&self, seed: u64) -> Option<Fact>;
    /// At most `limit` assignments that may be handed out now, in starting order.
    fn due(&self, held: &Held, limit: usize) -> Vec<Assignment>;
    /// What a game is, whether or not it is due: who sits where, which opening. `None`: no such game here.
    fn game(&self, id: &GameId) -> Option<DueGame>;
    /// Whether a game that is running or waiting still matters.
    fn wants(&self, game: &GameId) -> Want;
    /// Games in all, as far as it can be said.
    fn games_total(&self) -> u64;
    /// How far it is.
    fn status(&self) -> Status;
}
