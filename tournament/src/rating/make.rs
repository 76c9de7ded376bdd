//! From games to a list.

use super::{
    Games, List, Mark, Row,
    bayeselo::{self, Parameter},
    bradley_terry,
    error::{self, Covariance},
    ordo::{self, Anchor, Standing},
    simulate,
};

/// Which model rates.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// BayesElo's.
    BayesElo {
        /// What is given.
        options: bayeselo::Options,
        /// By how much ratings are multiplied; `None`: BayesElo's own.
        scale: Option<f64>,
        /// With `None` above: TCEC's scale, which takes the advantage into account.
        tcec_scale: bool,
        /// A player's rating, or all are around this mean (`None`).
        offset: (f64, Option<String>),
    },
    /// Ordo's.
    Ordo(ordo::Options),
    /// Of maximum likelihood on the logistic scale, a draw half a win.
    BradleyTerry {
        /// A player and its rating; `None`: the mean of the list is 0.
        anchor: Option<(String, f64)>,
    },
}

/// How errors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// [`Errors::Pairs`] where at least half of the games come in pairs, else the model's own.
    Auto,
    /// BayesElo: as if all other ratings were known. Bradley and Terry: as [`Errors::Covariance`]. Ordo has none of its own.
    Model,
    /// BayesElo, Bradley and Terry: with all ratings uncertain (the inverse of the information matrix).
    Covariance,
    /// From the games' own spread, pairs taken as one.
    Pairs,
    /// Ordo: by simulations, with a seed.
    Simulated {
        /// How many.
        count: u32,
        /// Their seed.
        seed: u64,
        /// Relative to the mean of the list, not to the anchor.
        to_mean: bool,
    },
    /// None.
    None,
}

/// What list is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Which model.
    pub model: Model,
    /// How errors are found.
    pub errors: Errors,
    /// Of intervals, 0 to 1.
    pub confidence: f64,
    /// Test games: players who have no others get provisional ratings from them (TCEC §13.5).
    pub testing: Option<Games>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            model: Model::BayesElo {
                options: bayeselo::Options::default(),
                scale: None,
                tcec_scale: false,
                offset: (0.0, None),
            },
            errors: Errors::Auto,
            confidence: 0.95,
            testing: None,
        }
    }
}

/// What a model says, before it is a list.
struct Rated {
    ratings: Vec<f64>,
    deviations: Vec<Option<f64>>,
    covariance: Option<Covariance>,
    marks: Vec<Mark>,
    list: List,
}

/// An earlier fit, where the next one begins.
#[derive(Debug, Clone)]
pub(super) enum Known {
    BayesElo(bayeselo::Fit),
    Ordo(ordo::Fit),
}

/// Rates games.
#[must_use]
pub fn list(games: &Games, request: &Request) -> List {
    list_from(games, request, None).0
}

pub(super) fn list_from(games: &Games, request: &Request, start: Option<&Known>) -> (List, Known) {
    let (games, known) = match &request.testing {
        Some(testing) => (joined(games, testing), games.names().len()),
        None => (games.clone(), games.names().len()),
    };
    let official = if known < games.names().len() { official(&games, known) } else { games.clone() };
    let (rated, shift, fit) = match &request.model {
        Model::BayesElo { options, scale, tcec_scale, offset } => {
            let start = if let Some(Known::BayesElo(fit)) = start { Some(fit) } else { None };
            let fit = bayeselo::fit(&official, options, start);
            let (rated, shift) =
                bayes_elo(&official, &games, &fit, options.prior, (*scale, *tcec_scale), offset, request);
            (rated, shift, Known::BayesElo(fit))
        }
        Model::Ordo(options) => {
            let start = if let Some(Known::Ordo(fit)) = start { Some(fit) } else { None };
            let fit = ordo::fit(&official, options, start);
            (ordo_list(&official, &fit, options, request), 0.0, Known::Ordo(fit))
        }
        Model::BradleyTerry { anchor } => {
            let start = if let Some(Known::Ordo(fit)) = start { Some(fit) } else { None };
            let options = bradley_terry::options(&official, anchor.as_ref());
            let fit = ordo::fit(&official, &options, start);
            let mut rated = ordo_list(&official, &fit, &options, request);
            rated.list.model = "bradley-terry".to_owned();
            rated.list.draw_rate = None;
            if let Some((name, _)) = anchor.as_ref().filter(|(name, _)| official.find(name).is_none()) {
                rated.list.warnings.push(format!("no games of `{name}`, the anchor: the mean of the list is 0"));
            }
            (rated, 0.0, Known::Ordo(fit))
        }
    };
    (into_list(&games, known, rated, shift, request), fit)
}

/// The official games, then of test games those that a newcomer played.
fn joined(official: &Games, testing: &Games) -> Games {
    let mut games = official.clone();
    let newcomers: Vec<bool> = testing.names().iter().map(|name| official.find(name).is_none()).collect();
    let wanted = |a: u32, b: u32| newcomers[a as usize] || newcomers[b as usize];
    let cells = testing.cells().iter().filter(|cell| wanted(cell.first, cell.second));
    for cell in cells {
        let (first, second) =
            (games.player(&testing.names()[cell.first as usize]), games.player(&testing.names()[cell.second as usize]));
        use rookery_game::GameResult::{Draw, FirstWins, SecondWins};
        for (result, count) in [(FirstWins, cell.wins), (Draw, cell.draws), (SecondWins, cell.losses)] {
            (0..count).for_each(|_| games.add(first, second, result));
        }
    }
    games
}

/// Games among the first `known` players.
fn official(games: &Games, known: usize) -> Games {
    let mut official = games.clone();
    let cells = games.cells().iter().filter(|cell| cell.first.max(cell.second) < known as u32).copied();
    official.replace_cells(cells.collect());
    official.truncate(known);
    official
}

fn bayes_elo(
    official: &Games,
    games: &Games,
    fit: &bayeselo::Fit,
    prior: f64,
    (scale, tcec_scale): (Option<f64>, bool),
    offset: &(f64, Option<String>),
    request: &Request,
) -> (Rated, f64) {
    let known = official.names().len();
    let mut warnings = fit.warnings.clone();
    let own =
        if tcec_scale { bayeselo::scale_with_advantage(fit.advantage, fit.draw) } else { bayeselo::scale(fit.draw) };
    let scale = scale.unwrap_or(own);
    let all = if games.names().len() > known { fit.provisional(games, prior) } else { fit.clone() };
    let errors = match request.errors {
        Errors::Auto if 2 * official.paired() >= official.count() && official.paired() > 0 => Errors::Pairs,
        Errors::Auto | Errors::Simulated { .. } => Errors::Model,
        other => other,
    };
    if matches!(request.errors, Errors::Simulated { .. }) {
        warnings.push("simulated errors are Ordo's: these are the model's own".to_owned());
    }
    let (covariance, word) = match errors {
        Errors::Pairs => (spread(fit.pair_covariance(official), known), "pairs"),
        Errors::Covariance => (fit.covariance(), "covariance"),
        Errors::None => (None, "none"),
        _ => (None, "model"),
    };
    let word = if covariance.is_none() && matches!(errors, Errors::Pairs | Errors::Covariance) {
        warnings.push(format!("no {word} errors for these games: they are the model's own"));
        "model"
    } else {
        word
    };
    let mut deviations = all.deviations();
    match (&covariance, word) {
        (Some(covariance), _) => (0..known).for_each(|player| deviations[player] = covariance.deviation(player)),
        (None, "none") => deviations.iter_mut().for_each(|deviation| *deviation = None),
        (None, _) => deviations[..known].clone_from_slice(&fit.deviations()),
    }
    // The order of the list needs the covariance whatever its errors are; a large list does without.
    let covariance = covariance.or_else(|| (known <= DENSE_BY_THE_WAY).then(|| fit.covariance()).flatten());
    let ratings: Vec<f64> = all.ratings.iter().map(|rating| rating * scale).collect();
    let shift = match &offset.1 {
        None => offset.0,
        Some(name) => match games.find(name) {
            Some(player) => offset.0 - ratings[player as usize],
            None => {
                warnings.push(format!("no games of `{name}`, the anchor: the mean of the list is 0"));
                0.0
            }
        },
    };
    let list = List {
        model: "bayeselo".to_owned(),
        errors: word.to_owned(),
        advantage: fit.advantage,
        draw_elo: Some(fit.draw),
        scale: Some(scale),
        warnings,
        ..List::default()
    };
    let deviations = deviations.into_iter().map(|deviation| deviation.map(|value| value * scale)).collect();
    let marks = vec![Mark::None; ratings.len()];
    (Rated { ratings, deviations, covariance, marks, list }, shift)
}

/// Players for whom a covariance is made where nobody asked for it: a few milliseconds.
const DENSE_BY_THE_WAY: usize = 200;

fn ordo_list(games: &Games, fit: &ordo::Fit, options: &ordo::Options, request: &Request) -> Rated {
    let mut warnings = fit.warnings.clone();
    let mut list = List {
        model: "ordo".to_owned(),
        advantage: fit.advantage,
        draw_rate: Some(fit.draw_rate),
        errors: "none".to_owned(),
        ..List::default()
    };
    let by_curvature = matches!(request.model, Model::BradleyTerry { .. });
    let in_pairs = 2 * games.paired() >= games.count() && games.paired() > 0;
    let (covariance, word) = match request.errors {
        Errors::Simulated { count, seed, to_mean } if !by_curvature && fit.ratings.len() <= error::MAX_DENSE => {
            let simulated = simulate(games, options, fit, count, seed, to_mean);
            if options.advantage == Parameter::Fitted {
                list.advantage_error = Some(simulated.advantage);
            }
            if options.draw_rate == Parameter::Fitted {
                list.draw_rate_error = Some(simulated.draw_rate);
            }
            (Some(simulated.covariance), "simulated")
        }
        Errors::Auto if in_pairs => match spread(fit.pair_covariance(games), fit.ratings.len()) {
            None if by_curvature => (fit.covariance(), "covariance"),
            found => (found, "pairs"),
        },
        Errors::Auto | Errors::Model | Errors::Covariance if by_curvature => (fit.covariance(), "covariance"),
        Errors::Pairs | Errors::Covariance => (spread(fit.pair_covariance(games), fit.ratings.len()), "pairs"),
        _ => (None, "none"),
    };
    if covariance.is_some() {
        list.errors = word.to_owned();
    }
    if covariance.is_none() && !matches!(request.errors, Errors::Auto | Errors::None) {
        let hint = if by_curvature {
            "they come from pairs, or from the curvature"
        } else {
            "Ordo's model has them by simulations, or from pairs"
        };
        warnings.push(format!("no errors for these games: {hint}"));
    }
    if request.testing.is_some() {
        warnings.push("provisional ratings are of BayesElo's model: test games are left out".to_owned());
    }
    let anchor = if let Anchor::Player(name, _) = &options.anchor { games.find(name) } else { None };
    let marks = (0..fit.ratings.len()).map(|player| match fit.standings[player] {
        Standing::WonAll => Mark::WonAll,
        Standing::LostAll => Mark::LostAll,
        Standing::Anchored => Mark::Anchor,
        Standing::Fitted if anchor == Some(player as u32) => Mark::Anchor,
        Standing::Fitted => Mark::None,
    });
    let marks: Vec<Mark> = marks.collect();
    let deviations = (0..fit.ratings.len())
        .map(|player| {
            covariance.as_ref().and_then(|c| c.deviation(player)).filter(|_| matches!(marks[player], Mark::None))
        })
        .collect();
    list.warnings = warnings;
    Rated { ratings: fit.ratings.clone(), deviations, covariance, marks, list }
}

/// Pairs that all came out alike have no spread: they say nothing of errors.
fn spread(covariance: Option<Covariance>, players: usize) -> Option<Covariance> {
    covariance.filter(|c| (0..players).any(|player| c.deviation(player).is_some_and(|value| value > LEAST_SPREAD)))
}

/// Below it is rounding; in the model's own unit.
const LEAST_SPREAD: f64 = 1e-6;
/// An error above it, in Elo, says that nothing ties the player to the others.
const MOST_ERROR: f64 = 10_000.0;

fn into_list(games: &Games, known: usize, rated: Rated, shift: f64, request: &Request) -> List {
    let Rated { ratings, deviations, covariance, marks, mut list } = rated;
    let width = error::quantile(request.confidence);
    let totals = games.totals();
    let mut met = vec![(0.0, 0.0); games.names().len()];
    for cell in games.cells().iter().filter(|cell| (cell.first.max(cell.second) as usize) < ratings.len()) {
        let count = f64::from(cell.games());
        for (own, other) in [(cell.first, cell.second), (cell.second, cell.first)] {
            // What a newcomer's test games say of the others is not on their rows.
            if (own as usize) < known && other as usize >= known {
                continue;
            }
            met[own as usize].0 += count * (ratings[other as usize] + shift);
            met[own as usize].1 += count;
        }
    }
    let mut order: Vec<usize> = (0..ratings.len()).collect();
    order.sort_by(|&a, &b| ratings[b].total_cmp(&ratings[a]).then_with(|| games.names()[a].cmp(&games.names()[b])));
    let own_totals = if known < games.names().len() { official(games, known).totals() } else { Vec::new() };
    list.rows = order
        .iter()
        .enumerate()
        .map(|(rank, &player)| {
            let total = own_totals.get(player).copied().unwrap_or(totals[player]);
            let next = order.get(rank + 1).filter(|&&next| player < known && next < known);
            let superiority = next.and_then(|&next| {
                let scale = list.scale.unwrap_or(1.0);
                covariance.as_ref()?.superiority(player, next, (ratings[player] - ratings[next]) / scale)
            });
            Row {
                rank: rank as u32 + 1,
                name: games.names()[player].clone(),
                // Without a negative zero.
                elo: ratings[player] + shift + 0.0,
                error: deviations[player].map(|deviation| deviation * width).filter(|error| *error < MOST_ERROR),
                games: total.games,
                points: total.half_points as f64 / 2.0,
                opponents: (met[player].1 > 0.0).then(|| met[player].0 / met[player].1),
                draws: (total.games > 0).then(|| total.draws as f64 / total.games as f64),
                superiority,
                mark: if player >= known { Mark::Provisional } else { marks[player] },
            }
        })
        .collect();
    list.games = games.count();
    list.paired = games.paired();
    list.confidence = request.confidence;
    list
}
