//! What an event of a season waits for.

use std::fmt;

/// Why an event cannot be opened yet. Each has a name, so that a ruling can say what it answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// An event before it is not over. Nobody is asked.
    Earlier {
        /// Which.
        event: String,
    },
    /// The gate behind an event is shut until a person says that the season goes on.
    Gate {
        /// The event that is over.
        event: String,
    },
    /// Engines share places, and a line goes through them.
    Tie {
        /// Where.
        event: String,
        /// `promotion`, `relegation` or `qualification`.
        line: &'static str,
        /// Who, in the order of the roster.
        engines: Vec<String>,
        /// How many of them stand above the line.
        above: u32,
    },
    /// An engine that has a place did not answer its invitation.
    Invitation {
        /// Who.
        engine: String,
    },
    /// An engine's program is another than in an event before.
    Program {
        /// Who.
        engine: String,
        /// Where it played with the other.
        before: String,
        /// What is allowed, one line.
        rule: String,
    },
    /// An engine with another program than before plays its test match. Nobody is asked.
    Trying {
        /// Who.
        engine: String,
        /// Against whom.
        opponent: String,
    },
    /// An engine with another program than before lost games of its test match by faults of its own.
    Faulty {
        /// Who.
        engine: String,
        /// Games of its test match.
        games: u32,
        /// So many of them.
        faults: u32,
    },
    /// There are too few to play.
    TooFew {
        /// Who there is.
        engines: Vec<String>,
    },
    /// The season knows no such engine or event.
    Unknown {
        /// Its name.
        name: String,
    },
}

impl Question {
    /// Whether a person can answer it.
    #[must_use]
    pub const fn asks_a_person(&self) -> bool {
        !matches!(self, Self::Earlier { .. } | Self::Trying { .. })
    }

    /// Its name within the season: `el/promotion`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Earlier { event } => format!("{event}/over"),
            Self::Gate { event } => format!("{event}/gate"),
            Self::Tie { event, line, .. } => format!("{event}/{line}"),
            Self::Invitation { engine } => format!("invitation/{engine}"),
            Self::Program { engine, .. } => format!("program/{engine}"),
            Self::Trying { engine, .. } | Self::Faulty { engine, .. } => format!("test/{engine}"),
            Self::TooFew { .. } => "entrants".to_owned(),
            Self::Unknown { name } => format!("unknown/{name}"),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Earlier { event } => write!(f, "`{event}` is not over"),
            Self::Gate { event } => write!(f, "`{event}` is over: `advance` lets the season go on"),
            Self::Tie { event, line, engines, above } => {
                let (who, n) = (engines.join(", "), engines.len());
                write!(
                    f,
                    "{who} share a place of `{event}`, and the line of {line} goes through them ({above} of {n} \
                     stand above it): `rank` says in which order they are"
                )
            }
            Self::Invitation { engine } => {
                write!(f, "`{engine}` has not answered its invitation: `invite` says how it did")
            }
            Self::Program { engine, before, rule } => {
                write!(f, "the program of `{engine}` is another than in `{before}`: {rule}; `update` allows it")
            }
            Self::Trying { engine, opponent } => {
                write!(f, "`{engine}`, whose program is another than before, plays a test match against `{opponent}`")
            }
            Self::Faulty { engine, games, faults } => write!(
                f,
                "`{engine}` lost {faults} of {games} games of its test match by faults of its own: another program is \
                 tried anew, `update` lets it play all the same"
            ),
            Self::TooFew { engines } => write!(
                f,
                "too few entrants: {}",
                if engines.is_empty() { "none".to_owned() } else { engines.join(", ") }
            ),
            Self::Unknown { name } => write!(f, "the season has no `{name}`"),
        }
    }
}
