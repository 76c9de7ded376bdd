//! The model of Bradley and Terry (1952) as engine lists of other games use it: ratings of maximum likelihood on the
//! logistic scale, a draw half a win, no advantage of a seat (CCERL-2P10 plays each position with the seats exchanged),
//! and one player's rating given.

use super::{
    Games,
    bayeselo::Parameter,
    ordo::{self, Anchor},
};

/// Elo that make an expectation of 76 % where 400 make one of 10 to 1: what [`ordo::SCALE`] rounds.
#[must_use]
pub fn scale() -> f64 {
    400.0 * (0.76_f64 / 0.24).log10()
}

/// The likelihood that is climbed is that of Ordo's model, whose solution has everyone's expected points as made: on the
/// exact scale the two are one. `anchor` is a player and its rating; without one, or where it has no games, the mean is 0.
pub(super) fn options(games: &Games, anchor: Option<&(String, f64)>) -> ordo::Options {
    let known = anchor.filter(|(name, _)| games.find(name).is_some());
    ordo::Options {
        anchor: known.map_or(Anchor::Average(0.0), |(name, rating)| Anchor::Player(name.clone(), *rating)),
        advantage: Parameter::Fixed(0.0),
        scale: scale(),
        ..ordo::Options::default()
    }
}
