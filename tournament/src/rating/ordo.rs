//! The model of Ordo (M. Ballicora): ratings with which everyone's expected points are the points made.
//!
//! `P = 1 / (1 + e^(-b d))`, with `b` such that 202 Elo make 76 %.

use super::{
    Games,
    error::{self, Covariance},
    solve::{Point, Prior, Problem, Term, f},
};

/// Elo that make an expectation of 76 %.
pub const SCALE: f64 = 202.0;
/// Ordo's own mean of a list.
pub const AVERAGE: f64 = 2300.0;
/// Ordo's own draw rate of equal opponents.
pub const DRAW_RATE: f64 = 0.5;

/// A value, given or fitted.
pub use super::bayeselo::Parameter;

/// Where a list stands on its scale.
#[derive(Debug, Clone, PartialEq)]
pub enum Anchor {
    /// The mean of all fitted ratings.
    Average(f64),
    /// One player's rating: all others move with it.
    Player(String, f64),
    /// Several players' ratings: they stay, the others are fitted between them.
    Players(Vec<(String, f64)>),
    /// What is known of some players: rating and its standard error.
    Loose(Vec<(String, f64, f64)>),
}

/// What the fit takes for given.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Where the list stands.
    pub anchor: Anchor,
    /// Elo that the first seat is worth.
    pub advantage: Parameter,
    /// Draws between equal opponents, 0 to 1. Ratings do not depend on it, simulated errors do.
    pub draw_rate: Parameter,
    /// What is known of two players' difference: first, second, difference, its standard error.
    pub relations: Vec<(String, String, f64, f64)>,
    /// Elo that make an expectation of 76 %.
    pub scale: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            anchor: Anchor::Average(AVERAGE),
            advantage: Parameter::Fixed(0.0),
            draw_rate: Parameter::Fixed(DRAW_RATE),
            relations: Vec::new(),
            scale: SCALE,
        }
    }
}

/// How a player came to its rating.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// By the fit.
    #[default]
    Fitted,
    /// It was given.
    Anchored,
    /// It won all games: where winning them all is as likely as not.
    WonAll,
    /// It lost all games: where losing them all is as likely as not.
    LostAll,
}

/// The ratings.
#[derive(Debug, Clone)]
pub struct Fit {
    /// By player, Elo.
    pub ratings: Vec<f64>,
    /// How each came to it.
    pub standings: Vec<Standing>,
    /// Elo.
    pub advantage: f64,
    /// Draws between equal opponents, 0 to 1.
    pub draw_rate: f64,
    /// False where there is no solution in reach.
    pub converged: bool,
    /// What could not be done as asked, one line each.
    pub warnings: Vec<String>,
    pub(super) unit: f64,
    pub(super) problem: Problem,
    pub(super) point: Point,
}

/// Fits the ratings; `start` as in [`super::bayeselo::fit`].
#[must_use]
pub fn fit(games: &Games, options: &Options, start: Option<&Fit>) -> Fit {
    let players = games.names().len();
    let unit = (0.76f64 / 0.24).ln() / if options.scale > 0.0 { options.scale } else { SCALE };
    let mut warnings = Vec::new();
    let mut at = |name: &str| {
        let found = games.find(name);
        if found.is_none() {
            warnings.push(format!("no games of `{name}`, an anchor"));
        }
        found
    };
    let mut given: Vec<(u32, f64)> = Vec::new();
    let mut priors: Vec<Prior> = Vec::new();
    let weight = |deviation: f64| 1.0 / (unit * deviation.max(1e-6)).powi(2);
    match &options.anchor {
        Anchor::Average(_) => {}
        Anchor::Player(name, rating) => given.extend(at(name).map(|player| (player, *rating))),
        Anchor::Players(anchors) => {
            given.extend(anchors.iter().filter_map(|(name, rating)| at(name).map(|player| (player, *rating))));
        }
        Anchor::Loose(known) => priors.extend(known.iter().filter_map(|(name, rating, deviation)| {
            at(name).map(|i| Prior { i, j: None, mean: unit * rating, weight: weight(*deviation) })
        })),
    }
    for (first, second, ahead, deviation) in &options.relations {
        if let (Some(i), Some(j)) = (at(first), at(second)) {
            priors.push(Prior { i, j: Some(j), mean: unit * ahead, weight: weight(*deviation) });
        }
    }
    let known = |player: u32| {
        given.iter().any(|(anchor, _)| *anchor == player)
            || priors.iter().any(|prior| prior.i == player || prior.j == Some(player))
    };
    let standings = standings(
        games,
        |player| known(player as u32),
        |player| given.iter().any(|(anchor, _)| *anchor as usize == player),
    );
    let rated = |player: u32| matches!(standings[player as usize], Standing::Fitted | Standing::Anchored);
    let fit_advantage = options.advantage == Parameter::Fitted;
    let advantage = if let Parameter::Fixed(value) = options.advantage { value } else { 0.0 };
    let terms = terms(games, rated, fit_advantage || advantage != 0.0);
    let fixed =
        (0..players).map(|player| !matches!(standings[player], Standing::Fitted) || !rated(player as u32)).collect();
    let problem = Problem { terms, priors, fixed, fit_advantage, ..Problem::default() };
    // What is far from zero converges worse: given ratings are moved there, and back at the end.
    let base = match &options.anchor {
        Anchor::Average(mean) => *mean,
        Anchor::Player(_, rating) => *rating,
        _ => mean(
            given
                .iter()
                .map(|(_, rating)| *rating)
                .chain(problem.priors.iter().filter(|p| p.j.is_none()).map(|p| p.mean / unit)),
        ),
    };
    let mut problem = problem;
    problem.priors.iter_mut().filter(|prior| prior.j.is_none()).for_each(|prior| prior.mean -= unit * base);
    let mut point = Point { ratings: vec![0.0; players], advantage: unit * advantage, draw: 0.0 };
    if let Some(start) = start {
        point.ratings.iter_mut().zip(&start.ratings).for_each(|(rating, known)| *rating = unit * (known - base));
        if fit_advantage {
            point.advantage = unit * start.advantage;
        }
    }
    for &(player, rating) in &given {
        point.ratings[player as usize] = unit * (rating - base);
    }
    let converged = problem.climb(&mut point);
    let mut ratings: Vec<f64> = point.ratings.iter().map(|rating| rating / unit + base).collect();
    let advantage = point.advantage / unit;
    if given.is_empty() && !problem.priors.iter().any(|prior| prior.j.is_none()) {
        let wanted = if let Anchor::Average(mean) = options.anchor { mean } else { AVERAGE };
        let off =
            wanted - mean(ratings.iter().zip(&standings).filter(|(_, s)| **s == Standing::Fitted).map(|(r, _)| *r));
        ratings.iter_mut().for_each(|rating| *rating += off);
    }
    let draw_rate = match options.draw_rate {
        Parameter::Fixed(rate) => rate.clamp(0.0, 1.0),
        Parameter::Fitted => draw_rate(games, &ratings, advantage, unit, rated),
    };
    if !converged {
        warnings.push("no ratings explain these games: some are where the search ended".to_owned());
    }
    let groups = games.components();
    if groups.iter().any(|&group| group != 0) {
        warnings.push("not all players are connected by games: ratings of different groups do not compare".to_owned());
    }
    let mut fit = Fit { ratings, standings, advantage, draw_rate, converged, warnings, unit, problem, point };
    fit.rate_perfect(games);
    fit
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Who won or lost everything has no rating of its own, and without it others may have none: until nobody is left.
fn standings(games: &Games, known: impl Fn(usize) -> bool, anchored: impl Fn(usize) -> bool) -> Vec<Standing> {
    let players = games.names().len();
    let mut standings: Vec<Standing> =
        (0..players).map(|player| if anchored(player) { Standing::Anchored } else { Standing::Fitted }).collect();
    loop {
        let mut totals = vec![(0u64, 0u64); players];
        for cell in games.cells() {
            let (i, j) = (cell.first as usize, cell.second as usize);
            let perfect = |s: Standing| matches!(s, Standing::WonAll | Standing::LostAll);
            if perfect(standings[i]) || perfect(standings[j]) {
                continue;
            }
            for (player, wins) in [(i, cell.wins), (j, cell.losses)] {
                totals[player].0 += u64::from(cell.games());
                totals[player].1 += 2 * u64::from(wins) + u64::from(cell.draws);
            }
        }
        let mut changed = false;
        for (player, &(played, half_points)) in totals.iter().enumerate() {
            if standings[player] != Standing::Fitted || known(player) || played == 0 {
                continue;
            }
            let perfect = match half_points {
                0 => Standing::LostAll,
                all if all == 2 * played => Standing::WonAll,
                _ => continue,
            };
            standings[player] = perfect;
            changed = true;
        }
        if !changed {
            return standings;
        }
    }
}

fn terms(games: &Games, rated: impl Fn(u32) -> bool, seats_matter: bool) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::with_capacity(games.cells().len());
    for cell in games.cells().iter().filter(|cell| rated(cell.first) && rated(cell.second)) {
        let half = f64::from(cell.draws) / 2.0;
        let (a, c) = (f64::from(cell.wins) + half, f64::from(cell.losses) + half);
        if !seats_matter && cell.first > cell.second {
            // Without an advantage both seats of an encounter are one term.
            if let Ok(at) = terms.binary_search_by_key(&(cell.second, cell.first), |term| (term.i, term.j)) {
                terms[at].a += c;
                terms[at].c += a;
                continue;
            }
        }
        terms.push(Term { i: cell.first, j: cell.second, a, c });
    }
    terms
}

/// Probabilities of a win, a draw and a loss where `expected` points are expected and equal opponents draw at `rate`:
/// `draw² = (2 rate / (1 - rate))² win · loss`.
#[must_use]
pub fn outcomes(expected: f64, rate: f64) -> [f64; 3] {
    let k = 2.0 * rate / (1.0 - rate).max(1e-12);
    let (square, even) = (k * k, expected * (1.0 - expected));
    // draw² (1 - k²/4) + draw k²/2 - k² even = 0, divided by k² so that it stays finite.
    let draw = if square > 0.0 {
        let (a, b) = (1.0 / square - 0.25, 0.5);
        2.0 * even / (b + (b * b + 4.0 * a * even).max(0.0).sqrt())
    } else {
        0.0
    };
    let draw = draw.clamp(0.0, 2.0 * expected.min(1.0 - expected));
    [expected - draw / 2.0, draw, 1.0 - expected - draw / 2.0]
}

/// The rate at which as many draws are expected as there were.
fn draw_rate(games: &Games, ratings: &[f64], advantage: f64, unit: f64, rated: impl Fn(u32) -> bool) -> f64 {
    let cells: Vec<(f64, f64)> = games
        .cells()
        .iter()
        .filter(|cell| rated(cell.first) && rated(cell.second))
        .map(|cell| {
            let ahead = ratings[cell.first as usize] - ratings[cell.second as usize] + advantage;
            (f(unit * ahead), f64::from(cell.games()))
        })
        .collect();
    let wanted: f64 =
        games.cells().iter().filter(|c| rated(c.first) && rated(c.second)).map(|cell| f64::from(cell.draws)).sum();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let rate = (low + high) / 2.0;
        let draws: f64 = cells.iter().map(|&(expected, count)| count * outcomes(expected, rate)[1]).sum();
        if draws < wanted { low = rate } else { high = rate }
    }
    (low + high) / 2.0
}

impl Fit {
    /// Whether two players are on the scale by the fit or as anchors.
    pub(super) fn is_rated(&self, player: u32) -> bool {
        matches!(self.standings[player as usize], Standing::Fitted | Standing::Anchored)
    }

    /// Points that the first is expected to make against the second.
    #[must_use]
    pub fn expected(&self, first: u32, second: u32) -> f64 {
        f(self.unit * (self.ratings[first as usize] - self.ratings[second as usize] + self.advantage))
    }

    fn rate_perfect(&mut self, games: &Games) {
        for player in 0..self.ratings.len() as u32 {
            let won = match self.standings[player as usize] {
                Standing::WonAll => true,
                Standing::LostAll => false,
                _ => continue,
            };
            let met: Vec<(f64, f64)> = games
                .cells()
                .iter()
                .filter_map(|cell| match (cell.first == player, cell.second == player) {
                    (true, _) => Some((self.ratings[cell.second as usize] - self.advantage, f64::from(cell.games()))),
                    (_, true) => Some((self.ratings[cell.first as usize] + self.advantage, f64::from(cell.games()))),
                    _ => None,
                })
                .collect();
            let (mut low, mut high) = met.iter().fold((f64::MAX, f64::MIN), |(l, h), (r, _)| (l.min(*r), h.max(*r)));
            (low, high) = (low - 4000.0, high + 4000.0);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                let chance: f64 = met
                    .iter()
                    .map(|&(rating, count)| {
                        let [win, _, loss] = outcomes(f(self.unit * (middle - rating)), self.draw_rate);
                        count * if won { win } else { loss }.max(1e-300).ln()
                    })
                    .sum();
                // The chance of winning all rises with the rating, that of losing all falls.
                if (chance < 0.5f64.ln()) == won { low = middle } else { high = middle }
            }
            self.ratings[player as usize] = (low + high) / 2.0;
        }
    }

    /// The inverse of the information matrix (a draw half a win), relative to who is given.
    #[must_use]
    pub fn covariance(&self) -> Option<Covariance> {
        error::covariance(&self.problem, &self.point, self.unit)
    }

    /// As [`super::bayeselo::Fit::pair_covariance`].
    #[must_use]
    pub fn pair_covariance(&self, games: &Games) -> Option<Covariance> {
        let score = |ahead: f64| {
            let expected = f(ahead + self.point.advantage);
            [1.0 - expected, 0.5 - expected, -expected]
        };
        error::pair_covariance(&self.problem, &self.point, self.unit, games, score)
    }
}
