//! The model of BayesElo (R. Coulom): ratings with an advantage of the first seat and a draw parameter.
//!
//! `P(first wins) = f(d + A - D)`, `P(second wins) = f(-d - A - D)`, a draw is the rest, with `f(x) = 1 / (1 + 10^(-x/400))`. The
//! maximum is the one that minorization-maximization (Hunter 2004) climbs to; it is found by Newton's method, which takes
//! five steps where that takes hundreds.

use super::{
    Games,
    error::{self, Covariance},
    solve::{Point, Problem, Term, f},
};

/// Natural units of one Elo.
pub(super) const UNIT: f64 = std::f64::consts::LN_10 / 400.0;

/// A parameter of the model, Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// It has this value.
    Fixed(f64),
    /// The games say what it is. Where they cannot, it stays at BayesElo's default, and a warning says so.
    Fitted,
}

/// What the fit takes for given.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Elo that the first seat is worth.
    pub advantage: Parameter,
    /// Elo by which a side must be better for a win to be as likely as not: more, more draws.
    pub draw: Parameter,
    /// Virtual draws of each player, spread over its opponents.
    pub prior: f64,
}

/// BayesElo's own advantage.
pub const ADVANTAGE: f64 = 32.8;
/// BayesElo's own draw parameter.
pub const DRAW: f64 = 97.3;
/// BayesElo's own prior.
pub const PRIOR: f64 = 2.0;

impl Default for Options {
    fn default() -> Self {
        Self { advantage: Parameter::Fixed(ADVANTAGE), draw: Parameter::Fixed(DRAW), prior: PRIOR }
    }
}

/// The most likely ratings.
#[derive(Debug, Clone)]
pub struct Fit {
    /// By player, Elo, mean 0, not scaled.
    pub ratings: Vec<f64>,
    /// Elo.
    pub advantage: f64,
    /// Elo.
    pub draw: f64,
    /// False where the likelihood has no maximum in reach.
    pub converged: bool,
    /// What could not be done as asked, one line each.
    pub warnings: Vec<String>,
    problem: Problem,
    point: Point,
    /// The games' own part of the likelihood of cell k is term k.
    games: usize,
}

/// BayesElo's own scale at a draw parameter: as steep as the logistic curve for equal players.
#[must_use]
pub fn scale(draw: f64) -> f64 {
    let x = 10f64.powf(-draw / 400.0);
    4.0 * x / ((1.0 + x) * (1.0 + x))
}

/// TCEC's scale: the same, with the advantage.
#[must_use]
pub fn scale_with_advantage(advantage: f64, draw: f64) -> f64 {
    let (won, lost) = (f(UNIT * (advantage - draw)), f(UNIT * (-advantage - draw)));
    2.0 * (won * (1.0 - won) + lost * (1.0 - lost))
}

/// Fits the ratings. `start` is where the search begins (ratings of an earlier fit, by player, for what has changed little);
/// the result does not depend on it.
#[must_use]
pub fn fit(games: &Games, options: &Options, start: Option<&Fit>) -> Fit {
    fit_with(games, options, start, &[])
}

/// The same with the ratings of the first players held where they are, for ratings that are to change nobody else's.
pub(super) fn fit_with(games: &Games, options: &Options, start: Option<&Fit>, held: &[f64]) -> Fit {
    let mut warnings = Vec::new();
    let (mut first_wins, mut draws, mut second_wins) = (0, 0, 0);
    for cell in games.cells() {
        first_wins += u64::from(cell.wins);
        draws += u64::from(cell.draws);
        second_wins += u64::from(cell.losses);
    }
    let mut value = |parameter: Parameter, default: f64, bounded: bool, name: &str| match parameter {
        Parameter::Fixed(value) if value.is_finite() => (value, false),
        Parameter::Fixed(_) => (default, false),
        Parameter::Fitted if bounded => (default, true),
        Parameter::Fitted => {
            warnings.push(format!("the games do not bound the {name}: it stays at {default}"));
            (default, false)
        }
    };
    // Without a win of one seat, or without a draw, the likelihood rises for ever along the parameter.
    let (advantage, fit_advantage) =
        value(options.advantage, ADVANTAGE, first_wins > 0 && second_wins > 0, "advantage");
    let decided = first_wins + second_wins > 0 && (fit_advantage || (first_wins > 0 && second_wins > 0));
    let (draw, fit_draw) = value(options.draw, DRAW, draws > 0 && decided, "draw parameter");
    let draw = draw.max(if fit_draw { 1.0 } else { 0.0 });
    let problem = Problem { fit_advantage, fit_draw, ..problem(games, options.prior, held.len()) };
    let mut point = Point { ratings: vec![0.0; games.names().len()], advantage: UNIT * advantage, draw: UNIT * draw };
    if let Some(start) = start {
        for (rating, known) in point.ratings.iter_mut().zip(&start.point.ratings) {
            *rating = *known;
        }
        if fit_advantage {
            point.advantage = start.point.advantage;
        }
        if fit_draw {
            point.draw = start.point.draw.max(UNIT);
        }
    }
    for (rating, held) in point.ratings.iter_mut().zip(held) {
        *rating = UNIT * held;
    }
    let converged = problem.climb(&mut point);
    if !converged {
        warnings.push("the likelihood has no maximum: some ratings are where the search ended".to_owned());
    }
    let connected = games.components();
    if connected.iter().any(|&group| group != 0) {
        warnings.push("not all players are connected by games: ratings of different groups do not compare".to_owned());
    }
    if held.is_empty() {
        let mean = point.ratings.iter().sum::<f64>() / point.ratings.len().max(1) as f64;
        point.ratings.iter_mut().for_each(|rating| *rating -= mean);
    }
    Fit {
        ratings: point.ratings.iter().map(|rating| rating / UNIT).collect(),
        advantage: point.advantage / UNIT,
        draw: point.draw / UNIT,
        converged,
        warnings,
        games: games.cells().len(),
        problem,
        point,
    }
}

/// Each player's `prior` virtual draws are spread over its opponents by games played, half of them with each colour, and
/// half of them count for each of the two.
fn problem(games: &Games, prior: f64, held: usize) -> Problem {
    let players = games.names().len();
    let mut terms: Vec<Term> = games
        .cells()
        .iter()
        .map(|cell| {
            let (wins, draws, losses) = (f64::from(cell.wins), f64::from(cell.draws), f64::from(cell.losses));
            Term { i: cell.first, j: cell.second, a: wins + draws, c: losses + draws }
        })
        .collect();
    let mut draws: f64 = games.cells().iter().map(|cell| f64::from(cell.draws)).sum();
    if prior > 0.0 && prior.is_finite() {
        let totals = games.totals();
        let mut virtual_draws = Vec::with_capacity(terms.len());
        for cell in games.cells() {
            // Of all games of the two; the cell with the seats exchanged brings the rest.
            let share = |player: u32| f64::from(cell.games()) / totals[player as usize].games.max(1) as f64;
            virtual_draws.push(0.25 * prior * (share(cell.first) + share(cell.second)));
        }
        draws += 2.0 * virtual_draws.iter().sum::<f64>();
        let (real, mut back) = (terms.len(), Vec::new());
        for at in 0..real {
            let (cell, extra) = (games.cells()[at], virtual_draws[at]);
            terms[at].a += extra;
            terms[at].c += extra;
            let other = terms[..real].binary_search_by_key(&(cell.second, cell.first), |term| (term.i, term.j));
            match other {
                Ok(other) => {
                    terms[other].a += extra;
                    terms[other].c += extra;
                }
                Err(_) => back.push(Term { i: cell.second, j: cell.first, a: extra, c: extra }),
            }
        }
        terms.extend(back);
    }
    Problem { terms, draws, fixed: (0..players).map(|player| player < held).collect(), ..Problem::default() }
}

impl Fit {
    /// The logarithm of the likelihood, virtual draws included.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.problem.log_likelihood(&self.point)
    }

    /// Standard errors as if all other ratings were known (BayesElo's `variance`), Elo, not scaled.
    #[must_use]
    pub fn deviations(&self) -> Vec<Option<f64>> {
        error::deviations(&self.problem, &self.point, UNIT)
    }

    /// How the ratings vary together, Elo squared, not scaled: the inverse of the likelihood's curvature. `None` where it has
    /// none, or for more than [`error::MAX_DENSE`] players.
    #[must_use]
    pub fn covariance(&self) -> Option<Covariance> {
        error::covariance(&self.problem, &self.point, UNIT)
    }

    /// The same from what the games' own spread says, whole pairs taken as one: robust against openings that decide games.
    #[must_use]
    pub fn pair_covariance(&self, games: &Games) -> Option<Covariance> {
        let score = |ahead: f64| {
            let (x, y) =
                (ahead + self.point.advantage - self.point.draw, -ahead - self.point.advantage - self.point.draw);
            let (gx, gy) = (1.0 - f(x), 1.0 - f(y));
            [gx, gx - gy, -gy]
        };
        error::pair_covariance(&self.problem, &self.point, UNIT, games, score)
    }

    /// Ratings of players who have played too little to be on the list: those of `games` that the fit does not know, with
    /// everyone else held at its rating. `games` names the fit's players first, in its order.
    #[must_use]
    pub fn provisional(&self, games: &Games, prior: f64) -> Self {
        let options = Options { advantage: Parameter::Fixed(self.advantage), draw: Parameter::Fixed(self.draw), prior };
        fit_with(games, &options, Some(self), &self.ratings)
    }

    /// Cells whose games made the fit.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.games
    }
}
