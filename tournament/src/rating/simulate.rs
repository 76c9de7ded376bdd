//! Errors of Ordo's model by simulation: the same games are played again by chance, and rated.

use super::{
    Games,
    error::Covariance,
    games::Cell,
    ordo::{self, Anchor, Fit, Options, Standing, outcomes},
};

/// What the simulations say.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// How ratings vary together, Elo squared.
    pub covariance: Covariance,
    /// Standard error of the advantage, Elo.
    pub advantage: f64,
    /// Standard error of the draw rate.
    pub draw_rate: f64,
}

/// Rates `count` simulations of the same games, at least two. Against [`Anchor::Player`] errors are relative to that player;
/// `relative_to_mean`: to the mean of the list all the same.
#[must_use]
pub fn simulate(
    games: &Games,
    options: &Options,
    fit: &Fit,
    count: u32,
    seed: u64,
    relative_to_mean: bool,
) -> Simulated {
    let players = games.names().len();
    let mut random = Random(seed);
    let mut sums = vec![0.0; players];
    let mut products = vec![0.0; players * players];
    let (mut advantages, mut rates) = ([0.0; 2], [0.0; 2]);
    let count = count.max(2);
    let cells: Vec<(Cell, u64, u64)> = games
        .cells()
        .iter()
        .filter(|cell| fit.is_rated(cell.first) && fit.is_rated(cell.second))
        .map(|cell| {
            let [win, draw, _] = outcomes(fit.expected(cell.first, cell.second), fit.draw_rate);
            (*cell, threshold(win), threshold(win + draw))
        })
        .collect();
    // What is known of players bounds their ratings too.
    let known = !matches!(options.anchor, Anchor::Average(_) | Anchor::Player(..)) || !options.relations.is_empty();
    let options = match (&options.anchor, relative_to_mean) {
        (Anchor::Player(..), true) => Options { anchor: Anchor::Average(0.0), ..options.clone() },
        _ => options.clone(),
    };
    let mut played = games.clone();
    for _ in 0..count {
        let mut again = fit.clone();
        for _ in 0..TRIES {
            play(&cells, &mut random, &mut played);
            again = ordo::fit(&played, &options, Some(fit));
            if again.converged && (known || played.is_bounded(|player| again.is_rated(player))) {
                break;
            }
        }

        // Far from the true ratings the squares would lose digits.
        let off: Vec<f64> = (0..players)
            .map(|player| match again.standings[player] {
                Standing::Fitted | Standing::WonAll | Standing::LostAll if fit.is_rated(player as u32) => {
                    again.ratings[player] - fit.ratings[player]
                }
                _ => 0.0,
            })
            .collect();
        for (a, &x) in off.iter().enumerate() {
            sums[a] += x;
            for (product, &y) in products[a * players..(a + 1) * players].iter_mut().zip(&off) {
                *product += x * y;
            }
        }
        for (sum, value) in
            [(&mut advantages, again.advantage - fit.advantage), (&mut rates, again.draw_rate - fit.draw_rate)]
        {
            sum[0] += value;
            sum[1] += value * value;
        }
    }
    let n = f64::from(count);
    for a in 0..players {
        for b in 0..players {
            products[a * players + b] = (products[a * players + b] - sums[a] * sums[b] / n) / n;
        }
    }
    let deviation = |sum: [f64; 2]| ((sum[1] - sum[0] * sum[0] / n) / n).max(0.0).sqrt();
    Simulated {
        covariance: Covariance::new(players, products),
        advantage: deviation(advantages),
        draw_rate: deviation(rates),
    }
}

/// Few games may fall so that they bound no ratings: such a simulation is played again, so often at most.
const TRIES: u32 = 100;

/// Plays every game again.
fn play(cells: &[(Cell, u64, u64)], random: &mut Random, games: &mut Games) {
    let drawn = cells.iter().map(|&(cell, win, not_lost)| {
        let mut again = Cell { first: cell.first, second: cell.second, ..Cell::default() };
        for _ in 0..cell.games() {
            let at = random.next();
            if at < win {
                again.wins += 1;
            } else if at < not_lost {
                again.draws += 1;
            } else {
                again.losses += 1;
            }
        }
        again
    });
    games.replace_cells(drawn.collect());
}

fn threshold(probability: f64) -> u64 {
    // The cast saturates.
    (probability.clamp(0.0, 1.0) * 18_446_744_073_709_551_616.0) as u64
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough for errors, and two nanoseconds a game.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
