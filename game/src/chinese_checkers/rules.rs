//! How a game ends: the results in their order, under a profile.

use serde::{Deserialize, Serialize};

use super::{
    geometry::{PIECES, each, goal, home},
    position::Position,
};
use crate::{Ending, GameResult, Seat};

/// Plies after which a game is a draw, where nobody says otherwise: absolute, with those before the start position.
pub const MAX_PLY: u32 = 240;

/// A published set of rules. They differ in one thing: when a goal that is blocked counts as full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// `CCZ-121-Strict-LG-v2`: a goal full of own pieces and blockers wins.
    #[default]
    Strict,
    /// `CCZ-121-Strict-LG-v1`: only once the winner's own home is empty of its pieces.
    StrictV1,
}

impl Profile {
    /// Both, the newest first.
    pub const ALL: [Self; 2] = [Self::Strict, Self::StrictV1];

    /// The name that commands take.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::StrictV1 => "strict-v1",
        }
    }

    /// The full name that records carry.
    #[must_use]
    pub const fn full_name(self) -> &'static str {
        match self {
            Self::Strict => "CCZ-121-Strict-LG-v2",
            Self::StrictV1 => "CCZ-121-Strict-LG-v1",
        }
    }

    /// The ruleset of the rating list that goes with it.
    #[must_use]
    pub const fn ruleset(self) -> &'static str {
        match self {
            Self::Strict => "CCERL-2P10-v2",
            Self::StrictV1 => "CCERL-2P10-v1",
        }
    }

    /// A profile by any of its published names; `ab` plays as `strict` does.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "strict" | "strict-v2" | "ab" | "ab-v2" | "CCZ-121-Strict-LG-v2" | "CCZ-121-AB-LG-v2" => Some(Self::Strict),
            "strict-v1" | "ab-v1" | "CCZ-121-Strict-LG-v1" | "CCZ-121-AB-LG-v1" => Some(Self::StrictV1),
            _ => None,
        }
    }
}

/// What an event may choose of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Rules {
    /// Which profile.
    pub profile: Profile,
    /// The absolute ply at which a game that goes on is a draw.
    pub max_ply: u32,
}

impl Default for Rules {
    fn default() -> Self {
        Self { profile: Profile::default(), max_ply: MAX_PLY }
    }
}

/// How the game has ended at a position, the first reason that holds; `None` where it goes on. `ply` is absolute;
/// `occurrences` counts how often the position has stood on the board, now included.
#[must_use]
pub fn judge(position: &Position, rules: Rules, ply: u32, occurrences: usize) -> Option<(GameResult, Ending)> {
    let complete = |seat: Seat| position.pieces(seat) & goal(seat) == goal(seat);
    let (first, second) = (complete(Seat::First), complete(Seat::Second));
    let equal_turn = first && position.to_move() == Seat::Second && completes(position);
    if (first && second) || equal_turn {
        return Some((GameResult::Draw, Ending::EqualTurnGoalDraw));
    }
    if first {
        return Some((GameResult::FirstWins, Ending::Goal));
    }
    if second {
        return Some((GameResult::SecondWins, Ending::Goal));
    }
    for seat in Seat::BOTH {
        if blocked_full(position, seat, rules.profile) {
            return Some((GameResult::win(seat), Ending::AntiBlockGoalFull));
        }
    }
    if occurrences >= 3 {
        return Some((GameResult::Draw, Ending::Repetition));
    }
    if ply >= rules.max_ply {
        return Some((GameResult::Draw, Ending::MaxPly));
    }
    if !position.can_move() {
        return Some((GameResult::win(position.to_move().other()), Ending::NoLegalMoves));
    }
    None
}

/// Whether the side to move has a move that brings its last piece into its goal.
fn completes(position: &Position) -> bool {
    let seat = position.to_move();
    let (own, goal) = (position.pieces(seat), goal(seat));
    let missing = goal & !own;
    missing.count_ones() == 1 && each(own & !goal).any(|from| position.targets(from) & missing != 0)
}

/// Whether a player's goal is full of its own pieces and at least one blocker. One piece of its own must be among them,
/// or both sides would win at the start.
fn blocked_full(position: &Position, seat: Seat, profile: Profile) -> bool {
    let goal = goal(seat);
    let own = (position.pieces(seat) & goal).count_ones();
    let enemy = (position.pieces(seat.other()) & goal).count_ones();
    let left_home = match profile {
        Profile::Strict => true,
        Profile::StrictV1 => position.pieces(seat) & home(seat) == 0,
    };
    own >= 1 && enemy >= 1 && own + enemy == PIECES && left_home
}
