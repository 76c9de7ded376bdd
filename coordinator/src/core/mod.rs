//! The coordinator's core: a state machine without I/O. `handle(now, Input)` gives effects; around it, the shell feeds
//! it and carries them out. It never awaits, reads no clock and draws nothing at random.

mod answer;
mod apply;
mod archive_out;
mod build;
mod done;
mod entrants;
mod events;
mod explain;
mod fleet;
mod hand_out;
mod interruption;
mod kept;
pub mod keys;
mod ladders;
mod last_lines;
mod lead;
pub mod limits;
mod lists;
mod loaded;
mod machine;
mod operator;
mod pace;
mod patience;
mod record;
mod request;
mod results;
mod schedule;
mod seasons;
mod setup;
mod state;
pub(crate) mod stored;
mod story;
#[cfg(test)]
mod tests;
mod views;
mod writes;

pub use answer::{Answer, Denied, Explained, InPlay, Place, Rated};
pub use apply::RULES_VERSION;
pub use limits::Config;
pub use loaded::Loaded;
pub use request::{Apply, ApplySeason, Change, Request};
pub use schedule::Behind;
pub use state::Core;
pub use story::{Story, attempt_words};

use std::sync::Arc;

use bytes::Bytes;
use rookery_game::opening::Book;
use rookery_proto::v1;
use rookery_tournament::{GameId, fact::Location};

use crate::{
    archive::ArchiveError,
    store::{CommitError, Revision, Txn},
};

/// A point in time, as the shell counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now {
    /// Nanoseconds of a clock that only rises.
    pub mono_ns: u64,
    /// Milliseconds since 1970, for people.
    pub unix_ms: u64,
}

/// Joins an effect to the input that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// One attached worker's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u64);

/// One question or order of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId(pub u64);

/// What happened outside.
#[derive(Debug)]
pub enum Input {
    /// This process leads since `since`; `loaded` is all that is in the store.
    Lead {
        /// The revision at which it began.
        since: Revision,
        /// The store's id.
        store_id: String,
        /// All keys under `/rookery/v1/`.
        loaded: Box<Loaded>,
    },
    /// It does not lead any more.
    Deposed,
    /// A worker opened its stream.
    Attached {
        /// The stream, new.
        session: SessionId,
        /// Its first message.
        hello: Box<v1::Hello>,
    },
    /// A worker said something.
    Said {
        /// Its stream.
        session: SessionId,
        /// What.
        message: Box<v1::attach_request::Message>,
    },
    /// A worker's stream ended.
    Gone {
        /// Which.
        session: SessionId,
    },
    /// The store answered [`Effect::Commit`].
    Committed {
        /// Which.
        ticket: Ticket,
        /// What it answered.
        outcome: Result<Revision, CommitError>,
    },
    /// The archive answered [`Effect::Archive`].
    Archived {
        /// Which.
        ticket: Ticket,
        /// Where the records are, in order.
        outcome: Result<Vec<Location>, ArchiveError>,
    },
    /// The answer to [`Effect::LoadBook`].
    BookLoaded {
        /// The digest that was asked for.
        digest: String,
        /// The book, or why there is none.
        outcome: Result<Arc<Book>, String>,
    },
    /// How full the store is, told every few seconds where it is known.
    Space {
        /// Bytes in use.
        used: u64,
        /// Bytes that it may use.
        quota: u64,
    },
    /// An operator asks.
    Asked {
        /// Which question.
        ask: AskId,
        /// What.
        request: Box<Request>,
    },
    /// Time passed.
    Tick,
}

/// What is to be done outside, in this order.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Carry out a transaction.
    Commit {
        /// Joins it to its answer.
        ticket: Ticket,
        /// What.
        txn: Txn,
    },
    /// Write records.
    Archive {
        /// Joins it to its answer.
        ticket: Ticket,
        /// One line of JSON each: a [`rookery_game::GameRecord`] with its result, or another line of [`crate::journal`].
        records: Vec<Bytes>,
    },
    /// Load the openings of an event. What is read is the same at every time: the file by its digest, its entries as
    /// the frozen spec says.
    LoadBook {
        /// As `Apply` gave it.
        digest: String,
        /// Which game its lines are of.
        kind: rookery_game::setup::GameKind,
        /// Under which of its rules the entries must be playable.
        rules: rookery_game::setup::GameRules,
        /// Where from, and which entries and plies are left out.
        openings: rookery_tournament::spec::OpeningsSpec,
    },
    /// Say something to a worker.
    Send {
        /// Its stream.
        session: SessionId,
        /// What.
        message: Box<v1::AttachResponse>,
    },
    /// End a worker's stream.
    Close {
        /// Which.
        session: SessionId,
    },
    /// Answer an operator.
    Answer {
        /// Which question.
        ask: AskId,
        /// What.
        answer: Result<Answer, Denied>,
    },
    /// Something that watchers of this event see has changed.
    Changed {
        /// The event's uid.
        event_uid: String,
    },
    /// A running game moved on.
    Moved {
        /// The event's uid.
        event_uid: String,
        /// Which game.
        game: GameId,
        /// The index of the first ply told.
        first_ply: u32,
        /// The plies.
        plies: Vec<v1::Ply>,
    },
}
