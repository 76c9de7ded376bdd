//! How sure ratings are.

use super::{
    Games,
    linear::{inverse, product},
    solve::{Point, Problem},
};
use crate::statistics::normal;

/// Players for whom matrices are made: 2,000 squared are 32 MB.
pub const MAX_DENSE: usize = 2000;

/// How ratings vary together.
#[derive(Debug, Clone, PartialEq)]
pub struct Covariance {
    players: usize,
    /// Row by row; fixed players have zeros.
    values: Vec<f64>,
}

impl Covariance {
    pub(super) const fn new(players: usize, values: Vec<f64>) -> Self {
        Self { players, values }
    }

    /// Of two players.
    #[must_use]
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.values.get(a * self.players + b).copied().unwrap_or(0.0)
    }

    /// The standard error of one rating; `None` where nothing is known of it.
    #[must_use]
    pub fn deviation(&self, player: usize) -> Option<f64> {
        let variance = self.of(player, player);
        (variance > 0.0 && variance.is_finite()).then(|| variance.sqrt())
    }

    /// The likelihood that `a` is better than `b`, who is `ahead` Elo behind; `None` where it cannot be said.
    #[must_use]
    pub fn superiority(&self, a: usize, b: usize, ahead: f64) -> Option<f64> {
        let variance = self.of(a, a) + self.of(b, b) - 2.0 * self.of(a, b);
        (variance > 0.0 && variance.is_finite()).then(|| normal::cdf(ahead / variance.sqrt()))
    }
}

/// The half width of an interval in standard errors, for a confidence between 0 and 1.
#[must_use]
pub fn quantile(confidence: f64) -> f64 {
    let wanted = 0.5 + confidence.clamp(0.0, 0.999_999_999) / 2.0;
    let (mut low, mut high) = (0.0, 8.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if normal::cdf(middle) < wanted { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

pub(super) fn deviations(problem: &Problem, point: &Point, unit: f64) -> Vec<Option<f64>> {
    let diagonal = problem.diagonal(point);
    let deviation = |(player, h): (usize, f64)| {
        let free = !problem.fixed.get(player).copied().unwrap_or(false);
        (free && h > 0.0).then(|| 1.0 / (h.sqrt() * unit))
    };
    diagonal.into_iter().enumerate().map(deviation).collect()
}

/// The inverse of the curvature among free players; where all may shift together, that direction is left out.
fn bread(problem: &Problem, point: &Point) -> Option<(Vec<usize>, Vec<f64>)> {
    let players = point.ratings.len();
    let free = problem.free(players);
    let n = free.len();
    if n == 0 || players > MAX_DENSE {
        return None;
    }
    let dense = problem.dense(point);
    let mut h: Vec<f64> = free
        .iter()
        .flat_map(|&row| free.iter().map(move |&column| (row, column)))
        .map(|(row, column)| dense[row * players + column])
        .collect();
    let anchored = n < players || problem.priors.iter().any(|prior| prior.j.is_none());
    let lift = (0..n).map(|at| h[at * (n + 1)]).sum::<f64>() / (n * n) as f64;
    if !anchored {
        h.iter_mut().for_each(|value| *value += lift);
    }
    let mut inverse = inverse(h, n)?;
    if !anchored {
        let less = 1.0 / (lift * (n * n) as f64);
        inverse.iter_mut().for_each(|value| *value -= less);
    }
    Some((free, inverse))
}

fn spread(players: usize, free: &[usize], values: &[f64], unit: f64) -> Covariance {
    let mut whole = vec![0.0; players * players];
    for (row, &a) in free.iter().enumerate() {
        for (column, &b) in free.iter().enumerate() {
            whole[a * players + b] = values[row * free.len() + column] / (unit * unit);
        }
    }
    Covariance::new(players, whole)
}

pub(super) fn covariance(problem: &Problem, point: &Point, unit: f64) -> Option<Covariance> {
    let (free, inverse) = bread(problem, point)?;
    Some(spread(point.ratings.len(), &free, &inverse, unit))
}

/// The sandwich estimate: curvature inverted, times the spread of what each pair (or single game) pulls at the ratings, times
/// the same again. `score` gives, for a rating difference of the first seat, the pull of a win, a draw and a loss.
pub(super) fn pair_covariance(
    problem: &Problem,
    point: &Point,
    unit: f64,
    games: &Games,
    score: impl Fn(f64) -> [f64; 3],
) -> Option<Covariance> {
    let players = point.ratings.len();
    let (free, inverse) = bread(problem, point)?;
    let mut place = vec![None; players];
    for (at, &player) in free.iter().enumerate() {
        place[player] = Some(at);
    }
    let n = free.len();
    let mut pull = vec![0.0; n * n];
    let mut add = |i: u32, j: u32, weight: f64| {
        let (i, j) = (place[i as usize], place[j as usize]);
        for at in [i, j].into_iter().flatten() {
            pull[at * n + at] += weight;
        }
        if let (Some(i), Some(j)) = (i, j) {
            pull[i * n + j] -= weight;
            pull[j * n + i] -= weight;
        }
    };
    let ahead = |i: u32, j: u32| point.ratings[i as usize] - point.ratings[j as usize];
    let mut single: std::collections::BTreeMap<(u32, u32), [u32; 3]> =
        games.cells().iter().map(|cell| ((cell.first, cell.second), [cell.wins, cell.draws, cell.losses])).collect();
    for pair in games.pairs() {
        let (one, two) = (score(ahead(pair.low, pair.high)), score(ahead(pair.high, pair.low)));
        for (at, &count) in pair.counts.iter().enumerate() {
            let pull = one[at / 3] - two[at % 3];
            add(pair.low, pair.high, f64::from(count) * pull * pull);
            for (key, outcome) in [((pair.low, pair.high), at / 3), ((pair.high, pair.low), at % 3)] {
                if let Some(counts) = single.get_mut(&key) {
                    counts[outcome] = counts[outcome].saturating_sub(count);
                }
            }
        }
    }
    for ((i, j), counts) in single {
        let pulls = score(ahead(i, j));
        let weight = counts.iter().zip(pulls).map(|(&count, pull)| f64::from(count) * pull * pull).sum();
        add(i, j, weight);
    }
    let values = product(&product(&inverse, &pull, n), &inverse, n);
    Some(spread(players, &free, &values, unit))
}
