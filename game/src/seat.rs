//! The two sides of a game.

use serde::{Deserialize, Serialize};

/// One side of a game. `First` is White, Sente, player 0, also where the other side moves first in the start position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seat {
    /// White, Sente, player 0.
    First,
    /// Black, Gote, player 1.
    Second,
}

impl Seat {
    /// Both, `First` first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other side.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for `First`, 1 for `Second`: the index into an array of both.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
