//! What operators ask and order.

use std::{collections::BTreeMap, sync::Arc};

use rookery_game::opening::Book;
use rookery_proto::v1;
use rookery_tournament::{
    Fact, GameId, ladder,
    season::{SeasonFact, SeasonSpec},
    spec::{ListSpec, Spec},
};

use super::Behind;

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
    /// Make an event, or change what is free in one.
    Apply(Box<Apply>),
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
    /// Make a season, or change what is free in one.
    ApplySeason(Box<ApplySeason>),
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

/// Make an event, or change what is free in one. The shell has parsed and checked the spec, kept its files, and
/// drawn what is random.
#[derive(Debug, Clone)]
pub struct Apply {
    /// All defaults filled in.
    pub spec: Box<Spec>,
    /// The spec's digest.
    pub spec_digest: String,
    /// The openings with their digest: a file's `sha256:…`, `chess960` or `double-chess960`; empty, with an empty
    /// book, where the start position is all.
    pub book: (String, Arc<Book>),
    /// The same of those for what is played after a level match; empty where it goes on in the event's own.
    pub level_book: (String, Arc<Book>),
    /// A uid for a new event.
    pub uid: String,
    /// A seed for a new event whose spec gives none.
    pub seed: u64,
    /// Digests of engines, by name, where known; the roster freezes them.
    pub digests: Vec<(String, String)>,
    /// Only say what would happen.
    pub dry_run: bool,
    /// Store it paused.
    pub paused: bool,
    /// Whether it is a ruling: it may change tie-breaks and the rule for interruptions.
    pub ruling: bool,
    /// A ladder's state that a new event goes on with, and the digest of its file.
    pub ladder: Option<Box<(ladder::State, String)>>,
    /// What is on record of opponents that a list chose, where it did.
    pub chosen: Option<Box<Fact>>,
    /// Who and why.
    pub change: Change,
}

/// Make a season, or change what is free in one. The shell has kept its files and drawn what is random.
#[derive(Debug, Clone)]
pub struct ApplySeason {
    /// All defaults filled in.
    pub season: Box<SeasonSpec>,
    /// Its digest.
    pub spec_digest: String,
    /// The openings of each event, by its name in the season: digest, and how many there are.
    pub books: BTreeMap<String, (String, u64)>,
    /// The same of those for what is played after a level match, where an event has them.
    pub level_books: BTreeMap<String, (String, u64)>,
    /// A uid for a new season.
    pub uid: String,
    /// A seed for a new season.
    pub seed: u64,
    /// Digests of engines, by name, where known.
    pub digests: Vec<(String, String)>,
    /// Only say what would happen.
    pub dry_run: bool,
    /// Who and why.
    pub change: Change,
}
