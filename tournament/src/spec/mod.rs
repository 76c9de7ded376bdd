//! What people write, read and checked. Every default is filled in.

mod change;
mod defaults;
mod error;
mod explain;
mod flags;
mod list;
mod read;
mod season;
mod set;
mod tie_break;
mod tree;
mod unit;
mod walk;

pub use change::{Class, Difference, differences};
pub(crate) use defaults::margin as margin_of;
pub use error::{MAX_ERRORS, SpecError, SpecErrors, nearest};
pub use explain::explain;
pub use flags::{FlagEngine, Flags, from_flags};
pub use list::{ListSpec, Publish, explain_list, is_list, parse_list};
pub use read::{ListChoice, Parsed, chooses_by, parse, ratings_of};
pub use season::{ParsedSeason, explain_season, is_season, parse_season};
pub use set::{SetError, set};
pub use tie_break::{TIE_BREAK_PRESETS, TIE_BREAKS, asks_about_ties, is_tie_break};
pub(crate) use tree::quoted;

use std::{collections::BTreeMap, time::Duration};

use rookery_game::{
    TimeControl,
    adjudicate::Adjudication,
    prediction::Predictions,
    setup::{EngineSetup, GameKind, GameRules, Killed, Limits, Restart},
};
use serde::{Deserialize, Serialize};

use crate::{format::AtOnce, interruption::InterruptionRule};

/// A spec of one event with all defaults filled in. Its JSON is what an event freezes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spec {
    /// The event's name; unique among those that are open.
    pub name: String,
    /// Who plays, in the spec's order.
    pub engines: Vec<EngineSpec>,
    /// What is played.
    pub event: EventSpec,
}

/// One engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineSpec {
    /// How to start it; its name is `setup.name`, its protocol is filled in.
    pub setup: EngineSetup,
    /// Its own time control (odds), in place of the event's.
    pub time_control: Option<TimeControl>,
    /// What its own time control is scaled by.
    #[serde(default)]
    pub time_scale: Option<TimeScale>,
    /// How late is not yet late, where it has a time control or a margin of its own; `None`: the event's.
    #[serde(default)]
    pub margin: Option<Duration>,
    /// Its rating, for seeding and nearest opponents.
    pub rating: Option<f64>,
    /// Its name without a version.
    pub family: Option<String>,
    /// An option that takes a seed, filled in for each game.
    pub seed_option: Option<String>,
    /// CPU features or levels that it needs, e.g. `x86-64-v3`.
    pub cpu_features: Vec<String>,
    /// GPUs that it needs.
    pub gpus: u32,
}

/// Who plays whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatSpec {
    /// Two engines.
    Match {
        /// Openings; each gives `games_per_pair` games.
        pairs: u32,
        /// Who begins, and when it is over.
        #[serde(default)]
        rules: MatchRules,
    },
    /// Each against each.
    RoundRobin {
        /// How often each meets each.
        cycles: u32,
        /// Openings of each meeting.
        pairs: u32,
        /// Whether entrants are shuffled by the event's seed before the schedule is made.
        shuffled: bool,
        /// Whether of two the one that is lower in the order has `First` in the first game of each pair (TCEC FRC).
        #[serde(default)]
        lower_first: bool,
    },
    /// One or more against all others.
    Gauntlet {
        /// Who meets all others; not each other.
        engines: Vec<String>,
        /// Openings of each meeting.
        pairs: u32,
        /// How often each meets each.
        cycles: u32,
    },
    /// Who loses is out. Seeds in the spec's order.
    Knockout {
        /// Pairs of a meeting in round 1, 2, …; the last number holds for all rounds after it.
        pairs: Vec<u32>,
        /// Pairs of the match for the third place; `None`: none.
        bronze: Option<u32>,
        /// So many are placed by their seeds, the others are drawn; `None`: all by their seeds.
        seeded: Option<u32>,
        /// Whether a meeting stops once it is decided.
        stop: bool,
        /// How much of it is handed out at once.
        at_once: AtOnce,
    },
    /// Rounds between those who stand alike.
    Swiss {
        /// How they are paired.
        system: SwissSystem,
        /// So many.
        rounds: u32,
        /// Pairs of a meeting.
        pairs: u32,
        /// Groups of like strength, the spec's first engines in the first; seeds go to the first of each group, then to
        /// the second of each. 1: seeds as listed.
        groups: u32,
        /// Whether the order within a group is drawn.
        shuffled: bool,
    },
    /// Double round robins among engines that are level, until the places are settled (TCEC §6).
    ConditionalTieBreak {
        /// Places at stake.
        spots: u32,
    },
    /// The last challenges the one above; who loses is out.
    Ladder {
        /// Pairs of a match.
        pairs: u32,
        /// How much of it is handed out at once.
        at_once: AtOnce,
    },
}

impl FormatSpec {
    /// How much of a meeting that may stop early is handed out at once.
    #[must_use]
    pub const fn at_once(&self) -> AtOnce {
        match self {
            Self::Match { rules, .. } => rules.at_once,
            Self::Knockout { at_once, .. } | Self::Ladder { at_once, .. } => *at_once,
            _ => AtOnce::Needed,
        }
    }

    /// Whether meetings may stop early, so that a result alone can make more due.
    #[must_use]
    pub const fn stops(&self) -> bool {
        match self {
            Self::Match { rules, .. } => rules.stop,
            Self::Knockout { stop, .. } => *stop,
            Self::Ladder { .. } => true,
            _ => false,
        }
    }

    /// Whether more pairs may be added while it runs.
    #[must_use]
    pub fn widens(&self) -> bool {
        match self {
            Self::Match { rules, .. } => !rules.stop && rules.when_level.is_none(),
            Self::RoundRobin { .. } | Self::Gauntlet { .. } => true,
            _ => false,
        }
    }
}

/// Who begins in a match, and when it is over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct MatchRules {
    /// The engine that is listed second has `First` in the first game of each pair.
    pub second_begins: bool,
    /// Stop once it is decided.
    pub stop: bool,
    /// How much of a match that may stop is handed out at once.
    pub at_once: AtOnce,
    /// Where the two are level at the end: so many pairs more, then single pairs until one is decided. `None`: they
    /// stay level.
    pub when_level: Option<u32>,
}

/// How a Swiss is paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwissSystem {
    /// The first against the next that fits (TCEC Swiss).
    Tcec,
    /// Within score groups the upper half against the lower one, colours balanced (after FIDE C.04).
    Fide,
}

impl FormatSpec {
    /// How many places a play-off is about, where the format is one.
    pub(crate) const fn set_spots(&mut self, at_stake: u32) {
        if let Self::ConditionalTieBreak { spots } = self {
            *spots = at_stake;
        }
    }
}

/// What a time control is scaled by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeScale {
    /// Each worker's calibration, in nodes a second.
    Nps,
}

/// Who says that the next event may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// Nobody: it starts by itself.
    Auto,
    /// A person.
    Organiser,
}

/// Whether the games of a pair follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Play {
    /// The return game follows at once.
    Pairs,
    /// The return game comes a cycle later.
    Cycles,
}

/// Where openings come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpeningSource {
    /// The project's own small book.
    Own,
    /// A file: EPD, PGN, Polyglot, also zipped.
    Book(String),
    /// The start position alone.
    Start,
    /// Chess960 starts, drawn from the seed.
    Chess960,
    /// Two different back ranks, drawn from the seed.
    DoubleChess960,
    /// A file of positions, JSONL, each a row that is played twice with the engines exchanged.
    Schedule(String),
    /// The books of these events, earlier in the season, each opening once.
    UsedIn(Vec<String>),
}

impl OpeningSource {
    /// The file that it names.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        match self {
            Self::Book(name) | Self::Schedule(name) => Some(name),
            Self::Own | Self::Start | Self::Chess960 | Self::DoubleChess960 | Self::UsedIn(_) => None,
        }
    }
}

/// How many pairs share an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// Each pair has its own.
    Pair,
    /// All pairs of a round have one.
    Round,
    /// All pairs of an encounter have one.
    Encounter,
}

/// Within what an opening does not come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distinct {
    /// It may.
    No,
    /// Between the same two engines.
    Encounter,
    /// In the event.
    Event,
}

/// Openings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OpeningsSpec {
    /// Where from.
    pub source: OpeningSource,
    /// Shuffled by the event's seed, or as they stand in the book.
    pub random: bool,
    /// How many pairs share one.
    pub per: Per,
    /// Within what one does not come again.
    pub distinct: Distinct,
    /// The first to be used, from 0.
    pub start: u64,
    /// At most so many plies of a book's line; `None`: all.
    pub plies: Option<u32>,
    /// Whether a broken line of the book is passed over with a warning; else it is an error.
    pub skip_broken: bool,
    /// Of what is played after a level match, drawn at random; `None`: what comes next in the event's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_level: Option<Box<OpeningsSpec>>,
}

impl OpeningsSpec {
    /// These and those after a level match.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.when_level.as_deref())
    }

    /// The files that they name.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.all().filter_map(|openings| openings.source.file())
    }
}

/// What happens to a game that a machine broke.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Interruption {
    /// From the opening.
    Replay,
    /// From the last position.
    Restart,
    /// TCEC's rule (§14.1).
    Tcec,
    /// From the last move made, each one stored, with the clocks as they stood (Computer Shogi Association).
    Csa,
    /// Its own, from a table.
    Rule(InterruptionRule),
}

impl Interruption {
    /// Its word; `own` for a table.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Replay => "replay",
            Self::Restart => "restart",
            Self::Tcec => "tcec",
            Self::Csa => "csa",
            Self::Rule(_) => "own",
        }
    }

    /// The rule that the word or the table stands for.
    #[must_use]
    pub const fn rule(&self) -> InterruptionRule {
        match self {
            Self::Replay => InterruptionRule::REPLAY,
            Self::Restart => InterruptionRule::RESTART,
            Self::Tcec => InterruptionRule::TCEC,
            Self::Csa => InterruptionRule::CSA,
            Self::Rule(rule) => *rule,
        }
    }
}

/// What is done when a limit of crashes is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrashesThen {
    /// The engine's pairs wait for a person.
    SetAside,
    /// The games go on.
    Continue,
    /// The event waits for a person.
    Stop,
}

/// Limits of crashes and stalls, an engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CrashLimits {
    /// So many in a row, in starting order.
    pub in_a_row: Option<u32>,
    /// This share of its games, 0 to 1, after at least 20 games.
    pub of_games: Option<f64>,
    /// What then.
    pub then: CrashesThen,
}

/// What each game needs of a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SlotSpec {
    /// Whole cores.
    pub cores: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// GPUs.
    pub gpus: u32,
    /// Labels that the worker must carry.
    pub labels: BTreeMap<String, String>,
}

/// What engines may use, as rating lists class it. The class is stated with the event; the slot keeps to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceClass {
    /// So many simulations (nodes) a move.
    FixedSimulations,
    /// 8 cores, 16 GiB, no GPU.
    FixedCpu,
    /// One GPU at least.
    FixedGpu,
    /// Whatever there is.
    OpenHardware,
}

impl ResourceClass {
    /// All.
    pub const ALL: [Self; 4] = [Self::FixedSimulations, Self::FixedCpu, Self::FixedGpu, Self::OpenHardware];

    /// Its name in a spec.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FixedSimulations => "fixed-simulations",
            Self::FixedCpu => "fixed-cpu",
            Self::FixedGpu => "fixed-gpu",
            Self::OpenHardware => "open-hardware",
        }
    }
}

/// A model of ratings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RatingModel {
    /// BayesElo's, its parameters as they come.
    Bayeselo,
    /// Ordo's.
    Ordo,
    /// BayesElo's with TCEC's parameters.
    Tcec,
    /// Of maximum likelihood on the logistic scale, a draw half a win (Bradley and Terry).
    BradleyTerry,
}

impl RatingModel {
    /// All.
    pub const ALL: [Self; 4] = [Self::Bayeselo, Self::Ordo, Self::Tcec, Self::BradleyTerry];

    /// Its name in a spec.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bayeselo => "bayeselo",
            Self::Ordo => "ordo",
            Self::Tcec => "tcec",
            Self::BradleyTerry => "bradley-terry",
        }
    }
}

/// How an event's rating list is made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct RatingsSpec {
    /// Which model; `None`: by the game, BayesElo's, of Chinese checkers Bradley and Terry's.
    pub model: Option<RatingModel>,
    /// The engine whose rating is given; `None`: the mean of the list is.
    pub anchor: Option<String>,
    /// Its rating.
    pub rating: f64,
}

impl EventSpec {
    /// Whether slots have exactly the cores and GPUs that are asked for: engines of `fixed-cpu` have eight cores and no
    /// GPU, and not what a larger slot would give them.
    #[must_use]
    pub fn exact_slots(&self) -> bool {
        self.resources == Some(ResourceClass::FixedCpu)
    }

    /// The model of its list, where nobody asks for another one.
    #[must_use]
    pub fn rating_model(&self) -> RatingModel {
        self.ratings.as_ref().and_then(|ratings| ratings.model).unwrap_or(match self.game {
            GameKind::ChineseCheckers => RatingModel::BradleyTerry,
            GameKind::Chess | GameKind::Chess960 | GameKind::Shogi => RatingModel::Bayeselo,
        })
    }

    /// The engine whose rating is given, and its rating.
    #[must_use]
    pub fn rating_anchor(&self) -> Option<(String, f64)> {
        let ratings = self.ratings.as_ref()?;
        ratings.anchor.clone().map(|anchor| (anchor, ratings.rating))
    }
}

/// A model of the SPRT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SprtModel {
    /// Normalised Elo, pentanomial (trinomial without pairs).
    Normalized,
    /// Logistic Elo, pentanomial (trinomial without pairs).
    Logistic,
    /// BayesElo, trinomial.
    Bayesian,
}

/// When to stop before all is played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopSpec {
    /// A sequential probability ratio test of the first engine against the second.
    Sprt {
        /// Elo of the null hypothesis.
        elo0: f64,
        /// Elo of the other.
        elo1: f64,
        /// False positives.
        alpha: f64,
        /// False negatives.
        beta: f64,
        /// The model.
        model: SprtModel,
        /// Trinomial (games), although pairs are there.
        trinomial: bool,
    },
}

/// What is played, with all defaults filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct EventSpec {
    /// A title for people; the name where none is given.
    pub title: String,
    /// Which game.
    pub game: GameKind,
    /// What was chosen of its own rules.
    pub rules: GameRules,
    /// The resources that engines have by the event's word; `None`: it says nothing.
    pub resources: Option<ResourceClass>,
    /// Who plays whom.
    pub format: FormatSpec,
    /// 2: colours exchanged; 1: one game an opening, colours by turns.
    pub games_per_pair: u8,
    /// Whether the games of a pair follow each other.
    pub play: Play,
    /// At most one game of the event at a time.
    pub one_at_a_time: bool,
    /// Of both sides, but for engines with their own.
    pub time_control: TimeControl,
    /// What the time control is scaled by; `None`: nothing.
    pub time_scale: Option<TimeScale>,
    /// How late is not yet late.
    pub margin: Duration,
    /// Whether engines ponder.
    pub ponder: bool,
    /// Openings.
    pub openings: OpeningsSpec,
    /// What may end a game before its rules do.
    pub adjudicate: Adjudication,
    /// How predictions are scored; `None`: they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictions: Option<Predictions>,
    /// How its rating list is made; `None`: by the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratings: Option<RatingsSpec>,
    /// What happens to a game that a machine broke.
    pub interruption: Interruption,
    /// Limits of crashes.
    pub crashes: CrashLimits,
    /// What becomes of a game whose engine was killed, nobody knows by whom.
    pub killed: Killed,
    /// When processes are started anew, but for engines with their own.
    pub restart: Restart,
    /// Limits off the clock.
    pub limits: Limits,
    /// What each game needs of a worker.
    pub slot: SlotSpec,
    /// Higher is handed out first.
    pub priority: i32,
    /// When to stop before all is played.
    pub stop: Option<StopSpec>,
    /// Everything random comes from it; `None`: drawn at apply.
    pub seed: Option<u64>,
    /// Order of criteria after points.
    pub tie_breaks: Vec<String>,
    /// Where `rookery run` writes; `None`: a folder with the event's name.
    pub output: Option<String>,
    /// Whether the protocol of every game is kept.
    pub transcripts: bool,
    /// `rookery run`: folders of endgame tables.
    pub tablebases: Vec<String>,
    /// `rookery run`: games at once; `None`: from the machine.
    pub concurrency: Option<u32>,
    /// The site's name, for the PGN.
    pub site: String,
    /// `rookery run`: a file for its log; `None`: in its output folder.
    pub log: Option<String>,
    /// Whether its games count beyond it: for ratings, promotion, and what engines may be updated.
    pub official: bool,
    /// Who says that the next event may start.
    pub gate: Gate,
    /// No game starts before.
    pub not_before: Option<jiff::Timestamp>,
    /// Between a game's end and the next one's start, where one is played at a time.
    #[serde(rename = "break")]
    pub pause: Duration,
}

impl Spec {
    /// A text that is the same for the same spec and another for another one: what the spec's digest is made of.
    ///
    /// Its parts are in the order of the fields; maps are sorted.
    #[must_use]
    pub fn digest_input(&self) -> String {
        // Texts, numbers, lists and maps with text keys: nothing that JSON refuses.
        serde_json::to_string(self).unwrap_or_default()
    }
}
