//! Stop rules: the sequential probability ratio test.

mod bayesian;
mod gsprt;

use std::fmt;

use crate::{
    spec::{SprtModel, StopSpec},
    statistics::score_of_elo,
};

/// What a test counts: games, and whole pairs where there are two games a pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Games lost, drawn, won.
    pub games: [u64; 3],
    /// Pairs with 0, ½, 1, 1½, 2 points.
    pub pairs: [u64; 5],
}

impl Counts {
    /// Adds a pair of `games` games with these half points.
    pub fn add(&mut self, half_points: [u32; 2], games: u8) {
        for points in half_points.into_iter().take(usize::from(games)) {
            self.games[points.min(2) as usize] += 1;
        }
        if games == 2 {
            self.pairs[(half_points[0] + half_points[1]).min(4) as usize] += 1;
        }
    }
}

/// A bound was reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Whether H1 is accepted; else H0.
    pub accepted_h1: bool,
    /// The log-likelihood ratio.
    pub llr: f64,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SPRT accepted {}, llr {:.2}", if self.accepted_h1 { "H1" } else { "H0" }, self.llr)
    }
}

/// A sequential probability ratio test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: SprtModel,
    trinomial: bool,
}

impl Sprt {
    /// The test that a spec asks for.
    #[must_use]
    pub const fn new(spec: &StopSpec) -> Self {
        let StopSpec::Sprt { elo0, elo1, alpha, beta, model, trinomial } = spec;
        Self { elo0: *elo0, elo1: *elo1, alpha: *alpha, beta: *beta, model: *model, trinomial: *trinomial }
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945).
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        let (alpha, beta) = (self.alpha.clamp(1e-9, 0.5), self.beta.clamp(1e-9, 0.5));
        ((beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln())
    }

    /// The log-likelihood ratio; always finite, 0 without games.
    #[must_use]
    pub fn llr(&self, counts: &Counts) -> f64 {
        let pentanomial = !self.trinomial && counts.pairs.iter().any(|&n| n > 0);
        let llr = match self.model {
            SprtModel::Normalized if pentanomial => gsprt::normalized(&counts.pairs, 2.0, self.elo0, self.elo1),
            SprtModel::Normalized => gsprt::normalized(&counts.games, 1.0, self.elo0, self.elo1),
            SprtModel::Logistic if pentanomial => {
                gsprt::logistic(&counts.pairs, score_of_elo(self.elo0), score_of_elo(self.elo1))
            }
            SprtModel::Logistic => gsprt::logistic(&counts.games, score_of_elo(self.elo0), score_of_elo(self.elo1)),
            SprtModel::Bayesian => bayesian::llr(&counts.games, self.elo0, self.elo1),
        };
        if llr.is_finite() { llr } else { 0.0 }
    }

    /// Whether a bound is reached.
    #[must_use]
    pub fn decide(&self, counts: &Counts) -> Option<Decision> {
        let llr = self.llr(counts);
        let (low, high) = self.bounds();
        if llr >= high {
            Some(Decision { accepted_h1: true, llr })
        } else if llr <= low {
            Some(Decision { accepted_h1: false, llr })
        } else {
            None
        }
    }

    /// One line for people: `SPRT llr 1.23 (-2.94, 2.94)`.
    #[must_use]
    pub fn line(&self, counts: &Counts) -> String {
        let (low, high) = self.bounds();
        // `+ 0.0` after rounding: never `-0.00`.
        let llr = (self.llr(counts) * 100.0).round() / 100.0 + 0.0;
        format!("SPRT llr {llr:.2} ({low:.2}, {high:.2})")
    }
}

#[cfg(test)]
mod tests;
