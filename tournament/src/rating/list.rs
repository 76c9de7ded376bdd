//! A rating list as people read it.

use serde::Serialize;

/// Something to know about a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// The rating was given.
    Anchor,
    /// From test games alone (TCEC §13.5): no official game is in it.
    Provisional,
    /// It won all games; the rating is a guess.
    WonAll,
    /// It lost all games; the rating is a guess.
    LostAll,
}

impl Mark {
    /// As CSV and the wire write it; empty for nothing.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Anchor => "anchor",
            Self::Provisional => "provisional",
            Self::WonAll => "won-all",
            Self::LostAll => "lost-all",
        }
    }
}

/// One player. What cannot be said is `None`; nothing is NaN or infinite.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Row {
    /// 1 is best.
    pub rank: u32,
    /// Its name.
    pub name: String,
    /// Rating.
    pub elo: f64,
    /// Half the width of the interval.
    pub error: Option<f64>,
    /// Played.
    pub games: u64,
    /// Points made.
    pub points: f64,
    /// Mean rating of the opponents, by games.
    pub opponents: Option<f64>,
    /// Share of draws, 0 to 1.
    pub draws: Option<f64>,
    /// Likelihood of being better than the next row, 0 to 1.
    pub superiority: Option<f64>,
    /// Something to know.
    pub mark: Mark,
}

impl Row {
    /// Points made of points played for, 0 to 1.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.games > 0).then(|| self.points / self.games as f64)
    }
}

/// The list, best first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct List {
    /// `bayeselo`, `ordo` or `bradley-terry`.
    pub model: String,
    /// What the errors are: `model`, `covariance`, `pairs`, `simulated` or `none`.
    pub errors: String,
    /// The confidence of intervals, 0 to 1.
    pub confidence: f64,
    /// Games in it.
    pub games: u64,
    /// Of them in whole pairs.
    pub paired: u64,
    /// Elo that the first seat is worth.
    pub advantage: f64,
    /// Its standard error, where it was simulated.
    pub advantage_error: Option<f64>,
    /// BayesElo's model: the draw parameter, Elo.
    pub draw_elo: Option<f64>,
    /// Ordo's model: draws between equal opponents, 0 to 1.
    pub draw_rate: Option<f64>,
    /// Its standard error, where it was simulated.
    pub draw_rate_error: Option<f64>,
    /// BayesElo's model: by how much ratings were multiplied.
    pub scale: Option<f64>,
    /// Best first.
    pub rows: Vec<Row>,
    /// What could not be done as asked, one line each.
    pub warnings: Vec<String>,
}
