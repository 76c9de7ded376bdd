//! Statistics of a score: Elo difference with its error, likelihood of superiority, normalised Elo, ratios.
//!
//! What cannot be computed is `None`; nothing is ever NaN, and infinity has a name of its own.

mod elo;
pub(crate) mod normal;

pub use elo::{Elo, elo_of_score, score_of_elo};

use crate::standings::Counts;

/// Normalised Elo of one standard deviation of a game: `800 / ln 10`.
pub const NORMALIZED_ELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// The 97.5 % quantile of the normal distribution: half of a 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;

/// What a score says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Elo difference, logistic.
    pub elo: Elo,
    /// Half the width of its 95 % interval.
    pub elo_error: Option<f64>,
    /// Likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
    /// Normalised Elo.
    pub normalized_elo: Option<f64>,
    /// Share of draws, 0 to 1.
    pub draw_ratio: Option<f64>,
    /// Pairs won to pairs lost.
    pub pair_ratio: Option<f64>,
}

/// Mean and variance of one unit (a game, or the mean of a pair), and how many units there are.
struct Moments {
    mean: f64,
    variance: f64,
    units: f64,
    /// Games in a unit.
    games: f64,
}

fn moments<const N: usize>(counts: [u32; N], games: f64) -> Option<Moments> {
    let units: f64 = counts.iter().copied().map(f64::from).sum();
    if units == 0.0 {
        return None;
    }
    let score = |at: usize| at as f64 / (N - 1) as f64;
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
        counts.iter().enumerate().map(|(at, &count)| f64::from(count) * f(score(at))).sum::<f64>() / units
    };
    let mean = sum(&|s| s);
    let variance = sum(&|s| (s - mean) * (s - mean));
    Some(Moments { mean, variance, units, games })
}

/// What a score says. Errors come from whole pairs (pentanomial), where there are some; else from games (trinomial).
#[must_use]
pub fn summary(counts: &Counts) -> Summary {
    let games = moments([counts.losses, counts.draws, counts.wins], 1.0);
    let spread = moments(counts.pairs, 2.0).or_else(|| moments([counts.losses, counts.draws, counts.wins], 1.0));
    Summary {
        elo: games.as_ref().map_or(Elo::Unknown, |m| elo_of_score(m.mean)),
        elo_error: spread.as_ref().and_then(elo_error),
        los: los(counts, spread.as_ref()),
        normalized_elo: spread.as_ref().and_then(normalized_elo),
        draw_ratio: (counts.games() > 0).then(|| f64::from(counts.draws) / f64::from(counts.games())),
        pair_ratio: pair_ratio(counts.pairs),
    }
}

fn elo_error(m: &Moments) -> Option<f64> {
    if m.variance <= 0.0 {
        return None;
    }
    let error = Z_95 * (m.variance / m.units).sqrt();
    let (high, low) = (elo_of_score(m.mean + error).finite()?, elo_of_score(m.mean - error).finite()?);
    Some((high - low) / 2.0)
}

fn normalized_elo(m: &Moments) -> Option<f64> {
    let sigma = (m.games * m.variance).sqrt();
    finite(NORMALIZED_ELO_PER_SIGMA * (m.mean - 0.5) / sigma).filter(|_| m.variance > 0.0)
}

fn los(counts: &Counts, spread: Option<&Moments>) -> Option<f64> {
    let (wins, losses) = (f64::from(counts.wins), f64::from(counts.losses));
    if wins + losses == 0.0 {
        return None;
    }
    let m = spread?;
    let z = if m.variance > 0.0 {
        (m.mean - 0.5) / (m.variance / m.units).sqrt()
    } else {
        // Without any spread the games that were decided still say something.
        (wins - losses) / (wins + losses).sqrt()
    };
    finite(normal::cdf(z))
}

fn pair_ratio(pairs: [u32; 5]) -> Option<f64> {
    let (lost, won) = (pairs[0] + pairs[1], pairs[3] + pairs[4]);
    (lost > 0).then(|| f64::from(won) / f64::from(lost))
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests;
