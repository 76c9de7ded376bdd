//! The logistic Elo scale.

use std::fmt;

/// An Elo difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Elo {
    /// Finite.
    Finite(f64),
    /// All was won; written `inf`.
    Infinite,
    /// All was lost; written `-inf`.
    MinusInfinite,
    /// No game is there; written `n/a`.
    Unknown,
}

impl Elo {
    /// The number, where it is one.
    #[must_use]
    pub const fn finite(self) -> Option<f64> {
        match self {
            Self::Finite(elo) => Some(elo),
            _ => None,
        }
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Never `-0.00`.
            Self::Finite(elo) => write!(f, "{:.2}", if elo.abs() < 0.005 { 0.0 } else { *elo }),
            Self::Infinite => f.write_str("inf"),
            Self::MinusInfinite => f.write_str("-inf"),
            Self::Unknown => f.write_str("n/a"),
        }
    }
}

/// The Elo difference at which a mean score is expected.
#[must_use]
pub fn elo_of_score(score: f64) -> Elo {
    if score.is_nan() {
        Elo::Unknown
    } else if score <= 0.0 {
        Elo::MinusInfinite
    } else if score >= 1.0 {
        Elo::Infinite
    } else {
        // `+ 0.0` turns -0 into 0.
        Elo::Finite(-400.0 * (1.0 / score - 1.0).log10() + 0.0)
    }
}

/// The mean score that is expected at an Elo difference.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}
