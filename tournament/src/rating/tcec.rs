//! The parameters of TCEC's list (§13): names without versions, the current and the previous season, everything counted.

use super::{
    bayeselo::{Options, PRIOR, Parameter},
    make::Model,
};

/// Elo of the first seat, fitted from TCEC's games (published with the list of 2025-12-08).
pub const ADVANTAGE: f64 = 98.9011;
/// The draw parameter, fitted from the same games.
pub const DRAW: f64 = 252.498;
/// Whose rating is given.
pub const ANCHOR: &str = "Stockfish_13_CCRL";
/// Its rating.
pub const ANCHOR_ELO: f64 = 3522.0;

/// TCEC's model: published parameters, or the same fitted to the games at hand.
#[must_use]
pub fn model(fitted: bool) -> Model {
    let parameter = |value| if fitted { Parameter::Fitted } else { Parameter::Fixed(value) };
    Model::BayesElo {
        options: Options { advantage: parameter(ADVANTAGE), draw: parameter(DRAW), prior: PRIOR },
        scale: None,
        tcec_scale: true,
        offset: (ANCHOR_ELO, Some(ANCHOR.to_owned())),
    }
}

/// A name without its version (§13.4): `Seer 20210123` is `Seer`. Versions begin after the first blank.
#[must_use]
pub fn version_free(name: &str) -> &str {
    name.split_ascii_whitespace().next().unwrap_or(name)
}

/// The season that an event's name tells: `TCEC Season 29 - Entrance League`, `TCEC_Season_29_…`, `S29 …`.
#[must_use]
pub fn season(event: &str) -> Option<u32> {
    let number = |text: &str| -> Option<u32> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        text[..digits].parse().ok()
    };
    let lower = event.to_ascii_lowercase();
    if let Some((_, rest)) = lower.split_once("season") {
        return number(rest.trim_start_matches([' ', '_', '-']));
    }
    lower.strip_prefix('s').and_then(number)
}

/// Whether an event's games are of the calibration, which every list has.
#[must_use]
pub fn is_calibration(event: &str) -> bool {
    event.to_ascii_lowercase().contains("calibration")
}

/// Whether an event's games are on the list of a season (§13.2): of it, of the one before, or the calibration's. An event
/// without a season is taken.
#[must_use]
pub fn counts(event: &str, current: u32) -> bool {
    is_calibration(event) || season(event).is_none_or(|season| season == current || season + 1 == current)
}
