//! What operators are told.

use rookery_proto::v1;
use rookery_tournament::{
    GameId,
    fact::Location,
    ladder,
    rating::Games,
    spec::{RatingModel, Spec},
    standings::{Crosstable, Standings},
};

use super::{Behind, Story};

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
    /// To `Follow`: the event's uid and the game, for [`super::Effect::Moved`].
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
