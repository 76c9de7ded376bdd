//! One event: `fold(spec as frozen, log, results)`.

use rookery_game::setup::GameKind;

use crate::{
    Fact, GameId, LoggedFact, ResultEntry,
    format::{Assignment, DueGame, Held, Status, Want},
    spec::Spec,
    standings::{Crosstable, Standings},
};

/// The state of an event. Pure: the same spec, log and results give the same state, whatever the order of results.
pub struct Event {
    spec: Spec,
}

/// How far an event is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Games are due or in play.
    Running,
    /// A person paused it.
    Paused,
    /// A person must answer.
    Asking(Vec<String>),
    /// All that was due is on record, or its stop rule decided.
    Finished,
    /// A person closed it.
    Stopped,
}

/// Numbers for a progress line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games that count, on record.
    pub done: u64,
    /// Games in all, as far as it can be said.
    pub total: u64,
    /// Games on record that lie beyond a stop: counted nowhere.
    pub surplus: u64,
    /// Takes on record that were voided.
    pub voided: u64,
}

impl Event {
    /// An event before its first fact.
    #[must_use]
    pub fn new(spec: Spec) -> Self {
        Self { spec }
    }

    /// The spec as amended.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Which game is played.
    #[must_use]
    pub fn kind(&self) -> GameKind {
        unimplemented!()
    }

    /// Takes a fact into account.
    pub fn fold_fact(&mut self, _fact: &LoggedFact) {
        unimplemented!()
    }

    /// Takes a result into account. The same result again changes nothing.
    pub fn fold_result(&mut self, _result: &ResultEntry) {
        unimplemented!()
    }

    /// Facts that follow from what is on record and must be put there before more is handed out: draws, stops,
    /// setting aside by the crash limits. Asked again after each fact and result; empty when nothing follows.
    #[must_use]
    pub fn facts_due(&self) -> Vec<Fact> {
        unimplemented!()
    }

    /// At most `limit` assignments that may be handed out now, in starting order; those ahead of a possible stop last.
    /// `slots` is how many slots the event can have at most, which bounds what is played ahead.
    #[must_use]
    pub fn due(&self, _held: &Held, _limit: usize, _slots: usize) -> Vec<Assignment> {
        unimplemented!()
    }

    /// What a game is: who sits where, which opening.
    #[must_use]
    pub fn game(&self, _id: &GameId) -> Option<DueGame> {
        unimplemented!()
    }

    /// Whether a game that is running or waiting still matters.
    #[must_use]
    pub fn wants(&self, _id: &GameId) -> Want {
        unimplemented!()
    }

    /// How far it is.
    #[must_use]
    pub fn phase(&self) -> Phase {
        let _ = Status::Running;
        unimplemented!()
    }

    /// Numbers for a progress line.
    #[must_use]
    pub fn progress(&self) -> Progress {
        unimplemented!()
    }

    /// The state of the stop rule, one line: `SPRT llr 1.23 (-2.94, 2.94)`; empty without one.
    #[must_use]
    pub fn stop_line(&self) -> String {
        unimplemented!()
    }

    /// The score table.
    #[must_use]
    pub fn standings(&self) -> Standings {
        unimplemented!()
    }

    /// Points of each against each.
    #[must_use]
    pub fn crosstable(&self) -> Crosstable {
        unimplemented!()
    }
}
