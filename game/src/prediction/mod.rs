//! The Prediction Criterion (ICCF, June 2024): who foresees the opponent's moves scores a point for each.
//!
//! With a move a player may give a string: the answer it expects, its reply to that, the answer to that, and so on. As long as
//! the opponent plays what was foreseen, the table plays the replies at once, and nobody's clock runs for them. A string is
//! hidden until it is used, and gone with the first other move.
//!
//! A draw may be offered with a move that a player makes, never with a reply that the table plays. Where that move was
//! foreseen, its point stands and the series pauses until the owner of the string has answered; else the side to move
//! answers as ever, by accepting or by a move.
//!
//! Nothing here knows which game is played: strings are checked by replaying them on a [`Board`].
//!
//! [`Board`]: crate::Board

mod series;
mod strings;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use series::{Hit, Next, Series, Tally, count};
pub use strings::{Remark, checked, from_pv};

/// Plies of a string that are looked at: longer than any line that an engine means.
pub const MAX_STRING: usize = 400;

/// Which number decides whether a foreseen move counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Zone {
    /// That of the foreseen move: both sides have equally many chances.
    #[default]
    Predicted,
    /// That of the foreseeing player's own move before it.
    Anchor,
}

/// What happens where a string was due and none is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnMissing {
    /// A warning in the record.
    #[default]
    Warn,
    /// The player cannot win the prediction of this game.
    ForfeitPrediction,
}

/// What happens to a string with a move that is not legal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnIllegal {
    /// The whole pairs before it stay.
    #[default]
    Truncate,
    /// All of it is void.
    Void,
}

/// Where strings come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The engine's own command, else its principal variation.
    #[default]
    CommandThenPv,
    /// The engine's own command alone.
    Command,
    /// The principal variation alone.
    Pv,
}

/// How an event scores predictions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Predictions {
    /// The first move number that counts (PC1).
    pub from: u32,
    /// The last one (PC2).
    pub to: u32,
    /// Whose number that is.
    pub zone: Zone,
    /// Whether a string is due with every own move in the zone.
    pub mandatory: bool,
    /// What happens where it is not there.
    pub on_missing: OnMissing,
    /// What happens to one that is not legal.
    pub on_illegal: OnIllegal,
    /// Where strings come from.
    pub source: Source,
    /// Pairs of a string at most; `None`: one from a principal variation, any number from a command.
    pub max_pairs: Option<u32>,
    /// Whether a string may end with a foreseen move that ends the game.
    pub terminal_tail: bool,
    /// Whether a reply that the table plays brings its side the increment.
    pub auto_increment: bool,
    /// Whether a player may offer a draw with a move that it makes itself.
    pub draw_offers: bool,
}

impl Default for Predictions {
    fn default() -> Self {
        Self {
            from: 11,
            to: 40,
            zone: Zone::default(),
            mandatory: true,
            on_missing: OnMissing::default(),
            on_illegal: OnIllegal::default(),
            source: Source::default(),
            max_pairs: None,
            terminal_tail: true,
            auto_increment: false,
            draw_offers: true,
        }
    }
}

impl Predictions {
    /// Whether a move number is in the zone, both ends included.
    #[must_use]
    pub const fn counts(&self, number: u32) -> bool {
        self.from <= number && number <= self.to
    }
}
