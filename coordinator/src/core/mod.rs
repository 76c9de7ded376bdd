//! The coordinator's core: a state machine without I/O. `handle(now, Input)` gives effects; around it, the shell feeds
//! it and carries them out. It never awaits, reads no clock and draws nothing at random.

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

pub use apply::RULES_VERSION;
pub use limits::Config;
pub use loaded::Loaded;
pub use schedule::Behind;
pub use state::Core;
pub use story::{Story, attempt_words};

use std::sync::Arc;

use bytes::Bytes;
use rookery_game::opening::Book;
use rookery_proto::v1;
use rookery_tournament::{
    Fact, GameId,
    fact::Location,
    ladder,
    rating::Games,
    season::{SeasonFact, SeasonSpec},
    spec::{ListSpec, RatingModel, Spec},
    standings::{Crosstable, Standings},
};

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

/// Who changes something, and why.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Change {
    /// A person's or a program's name.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Drawn by the client.
    pub request_id: String,
}

/// What operators ask and order. Events are named by name or uid.
#[derive(Debug, Clone)]
pub enum Request {
    /// Make an event, or change what is free in one. The shell has parsed and checked the spec, kept its files, and
    /// drawn what is random.
    Apply {
        /// All defaults filled in.
        spec: Box<Spec>,
        /// The spec's digest.
        spec_digest: String,
        /// The openings with their digest: a file's `sha256:…`, `chess960` or `double-chess960`; empty, with an empty
        /// book, where the start position is all.
        book: (String, Arc<Book>),
        /// The same of those for what is played after a level match; empty where it goes on in the event's own.
        level_book: (String, Arc<Book>),
        /// A uid for a new event.
        uid: String,
        /// A seed for a new event whose spec gives none.
        seed: u64,
        /// Digests of engines, by name, where known; the roster freezes them.
        digests: Vec<(String, String)>,
        /// Only say what would happen.
        dry_run: bool,
        /// Store it paused.
        paused: bool,
        /// Whether it is a ruling: it may change tie-breaks and the rule for interruptions.
        ruling: bool,
        /// A ladder's state that a new event goes on with, and the digest of its file.
        ladder: Option<Box<(ladder::State, String)>>,
        /// What is on record of opponents that a list chose, where it did.
        chosen: Option<Box<Fact>>,
        /// Who and why.
        change: Change,
    },
    /// Engines join an event.
    Join {
        /// Which event.
        event: String,
        /// Who, as the event's spec would have them.
        engines: Vec<rookery_tournament::spec::EngineSpec>,
        /// Digests of their programs, by name, where known.
        digests: Vec<(String, String)>,
        /// Who and why.
        change: Change,
    },
    /// An engine leaves an event.
    Withdraw {
        /// Which event.
        event: String,
        /// Which engine.
        engine: String,
        /// Whether its games still count.
        keep_games: bool,
        /// Who and why.
        change: Change,
    },
    /// A person says with which build of its program an engine plays.
    Freeze {
        /// Which event.
        event: String,
        /// Which engine.
        engine: String,
        /// The digest, or the beginning of it.
        digest: String,
        /// Who and why.
        change: Change,
    },
    /// Make a season, or change what is free in one. The shell has kept its files and drawn what is random.
    ApplySeason {
        /// All defaults filled in.
        season: Box<SeasonSpec>,
        /// Its digest.
        spec_digest: String,
        /// The openings of each event, by its name in the season: digest, and how many there are.
        books: std::collections::BTreeMap<String, (String, u64)>,
        /// The same of those for what is played after a level match, where an event has them.
        level_books: std::collections::BTreeMap<String, (String, u64)>,
        /// A uid for a new season.
        uid: String,
        /// A seed for a new season.
        seed: u64,
        /// Digests of engines, by name, where known.
        digests: Vec<(String, String)>,
        /// Only say what would happen.
        dry_run: bool,
        /// Who and why.
        change: Change,
    },
    /// Make a list, or change one.
    ApplyList {
        /// What it joins.
        list: Box<ListSpec>,
        /// Only say what would happen.
        dry_run: bool,
        /// Who and why.
        change: Change,
    },
    /// Bring a file's games into a list. The shell has kept the file and read its games.
    Import {
        /// Which list; empty: the only one.
        list: String,
        /// `sha256:…` of the file.
        digest: String,
        /// How it was named.
        file_name: String,
        /// Games that count.
        games: u64,
        /// Who and why.
        change: Change,
    },
    /// All lists, or one of them.
    Lists(Option<String>),
    /// Where the records of a list's games are.
    ListLocations(String),
    /// Seasons, newest first.
    Seasons,
    /// One season, by name or uid; with its history and what it leaves to the next.
    Season(String),
    /// A person's word about a season.
    SeasonFact {
        /// Which.
        season: String,
        /// What; an empty event of a gate is the one that is shut.
        fact: SeasonFact,
        /// Who and why.
        change: Change,
    },
    /// Events, newest first.
    Events,
    /// One event.
    Event(String),
    /// Its score table.
    Standings(String),
    /// Points of each against each.
    Crosstable(String),
    /// Its games, for ratings.
    Ratings(String),
    /// A ladder's state.
    Ladder(String),
    /// Its log.
    Facts(String),
    /// Pause; `now` hands running games back.
    Pause {
        /// Which event.
        event: String,
        /// Whether running games are handed back.
        now: bool,
        /// Who and why.
        change: Change,
    },
    /// End a pause.
    Resume {
        /// Which event.
        event: String,
        /// Who and why.
        change: Change,
    },
    /// Close with what is on record.
    Stop {
        /// Which event.
        event: String,
        /// Who and why.
        change: Change,
    },
    /// Games in starting order, after `after`.
    Games {
        /// Which event.
        event: String,
        /// The page before ended with this one.
        after: Option<GameId>,
        /// At most so many.
        limit: usize,
        /// Only of this phase.
        phase: Option<v1::GamePhase>,
        /// Only of this engine.
        engine: Option<String>,
    },
    /// Games that are not finished, in starting order.
    Schedule {
        /// Which event.
        event: String,
        /// Where the page before ended.
        behind: Option<Behind>,
        /// At most so many.
        limit: usize,
        /// Only of this engine.
        engine: Option<String>,
    },
    /// One game.
    Game {
        /// Which event.
        event: String,
        /// Which game; the newest take where the take is 0.
        game: String,
    },
    /// Where the records of all games on record are, in starting order; for exports.
    Locations {
        /// Which event.
        event: String,
        /// Also surplus and voided ones.
        all: bool,
    },
    /// Why a game waits, runs or ended.
    Explain {
        /// Which event.
        event: String,
        /// Which game.
        game: String,
    },
    /// Void a game and play it again.
    Replay {
        /// Which event.
        event: String,
        /// Which game.
        game: String,
        /// Who and why.
        change: Change,
    },
    /// Void a game.
    Void {
        /// Which event.
        event: String,
        /// Which game.
        game: String,
        /// Who and why.
        change: Change,
    },
    /// A person's result.
    Rule {
        /// Which event.
        event: String,
        /// Which game.
        game: String,
        /// Who gets the points.
        result: rookery_game::GameResult,
        /// Who and why.
        change: Change,
    },
    /// A person's order of engines that are level.
    Rank {
        /// Which event.
        event: String,
        /// Their names, best first.
        engines: Vec<String>,
        /// Who and why.
        change: Change,
    },
    /// The fleet.
    Workers,
    /// Give a worker nothing more.
    Drain {
        /// Which worker.
        worker: String,
        /// How long running games may go on.
        grace_ms: u64,
        /// Who and why.
        change: Change,
    },
    /// End that.
    Undrain {
        /// Which worker.
        worker: String,
        /// Who and why.
        change: Change,
    },
    /// Follow a running game.
    Follow {
        /// Which event.
        event: String,
        /// Which game.
        game: String,
    },
    /// What is degraded.
    Alarms,
}

/// A game without a result on record, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InPlay {
    /// What is to be played; `None` while the book is not loaded, and for a game on record.
    pub setup: Option<rookery_game::GameSetup>,
    /// The plies told so far.
    pub plies: Vec<v1::Ply>,
    /// When it began, milliseconds since 1970, in its first attempt that counts; 0: not yet, or not known.
    pub began_unix_ms: u64,
}

/// Where a game's record is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which game.
    pub game: GameId,
    /// Its record.
    pub location: Location,
    /// Empty, `surplus` or `voided`.
    pub mark: &'static str,
    /// A person's result, which counts in place of the record's.
    pub ruled: Option<rookery_game::GameResult>,
}

/// What an event's rating list, or one of many events, is made of.
#[derive(Debug, Clone)]
pub struct Rated {
    /// The event.
    pub uid: String,
    /// Its name.
    pub event: String,
    /// Its own model.
    pub model: RatingModel,
    /// The engine whose rating its spec gives, and that rating.
    pub anchor: Option<(String, f64)>,
    /// All games that count.
    pub games: Games,
    /// Digests of files of games that count besides.
    pub files: Vec<String>,
}

/// What operators are told.
#[derive(Debug, Clone)]
pub enum Answer {
    /// To `Apply`; `explained`, `file` warnings and such are the shell's to add.
    Applied(Box<v1::ApplyResponse>),
    /// To `Events`.
    Events(Vec<v1::EventSummary>),
    /// To `Event`, `Pause`, `Resume`, `Stop`, `Rank`.
    Event(Box<v1::EventSummary>, Box<Spec>),
    /// To `Seasons`.
    Seasons(Vec<v1::SeasonSummary>),
    /// To `Season` and `SeasonFact`: in short, its history, the beginning of the next season's file.
    Season(Box<v1::SeasonSummary>, String, String),
    /// To `Standings`: event, table, the stop rule's line, whether ratings belong to it.
    Standings(String, Box<Standings>, String, bool),
    /// To `Crosstable`.
    Crosstable(String, Box<Crosstable>),
    /// To `Ratings`.
    Ratings(Box<Rated>),
    /// To `Ladder`: event, state.
    Ladder(String, Box<ladder::State>),
    /// To `Lists` and `Import`.
    Lists(Vec<v1::ListSummary>),
    /// To `ListLocations`: event by event, and the digests of files that count besides.
    ListLocations(Vec<Place>, Vec<String>),
    /// To `Facts`.
    Facts(Vec<v1::Fact>),
    /// To `Games`, with the last one where more follow.
    Games(Vec<v1::GameSummary>, Option<GameId>),
    /// To `Schedule`, with where the next page begins.
    Schedule(Box<v1::GetScheduleResponse>, Option<Behind>),
    /// To `Game`, `Replay`, `Void`, `Rule`; where its record is, or the plies told so far of a running one.
    Game(Box<v1::GameSummary>, Option<Location>, Box<InPlay>),
    /// To `Locations`.
    Locations(Vec<Place>),
    /// To `Explain`; with its lines as far as they are known without the game's record.
    Explained(Box<Explained>, Vec<String>),
    /// To `Workers`, `Drain`, `Undrain`.
    Workers(Vec<v1::WorkerSummary>),
    /// To `Follow`: the event's uid and the game, for [`Effect::Moved`].
    Following(String, GameId, Box<v1::GameSummary>, Box<InPlay>),
    /// To `Alarms`, one line each.
    Alarms(Vec<String>),
}

/// Why a game waits, runs or ended.
#[derive(Debug, Clone)]
pub struct Explained {
    /// In short.
    pub summary: v1::GameSummary,
    /// What became of it; its record and the attempts complete it.
    pub story: Story,
    /// Where its record is.
    pub location: Option<Location>,
    /// Attempts that ended without a result, of a game that is not on record.
    pub interrupted: Vec<rookery_game::record::Interrupted>,
}

/// Why an operator does not get it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// There is no such event, game or worker; the nearest names.
    #[error("{0}")]
    NotFound(String),
    /// It makes no sense as asked.
    #[error("{0}")]
    Invalid(String),
    /// It makes sense, but not now: a locked key, a closed event.
    #[error("{0}")]
    Precondition(String),
    /// This process does not lead.
    #[error("another coordinator leads")]
    NotLeader,
    /// The store or the archive does not answer now.
    #[error("{0}")]
    Unavailable(String),
}
