//! The test in terms of BayesElo: the draw parameter is estimated from the counts, the hypotheses become logistic scores.

use super::gsprt;

/// The log-likelihood ratio of games lost, drawn, won.
pub(super) fn llr(games: &[u64; 3], elo0: f64, elo1: f64) -> f64 {
    let draw_elo = draw_elo(games);
    gsprt::logistic(games, score(elo0, draw_elo), score(elo1, draw_elo))
}

/// `200 log10[(1-l)(1-w)/(l w)]`, of regularised counts.
pub(super) fn draw_elo(games: &[u64; 3]) -> f64 {
    let p = gsprt::regularized(games).map(|(_, p)| p);
    let (l, w) = (p[0], p[2]);
    200.0 * ((1.0 - l) * (1.0 - w) / (l * w)).log10()
}

fn score(elo: f64, draw_elo: f64) -> f64 {
    let win = 1.0 / (1.0 + 10f64.powf((draw_elo - elo) / 400.0));
    let loss = 1.0 / (1.0 + 10f64.powf((draw_elo + elo) / 400.0));
    f64::midpoint(win, 1.0 - loss)
}
