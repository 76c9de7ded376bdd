//! How a game ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Seat;

/// Who gets the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameResult {
    /// `1-0`.
    FirstWins,
    /// `0-1`.
    SecondWins,
    /// `1/2-1/2`.
    Draw,
}

impl GameResult {
    /// The result in which `seat` wins.
    #[must_use]
    pub const fn win(seat: Seat) -> Self {
        match seat {
            Seat::First => Self::FirstWins,
            Seat::Second => Self::SecondWins,
        }
    }

    /// Half points of `seat`: 2, 1 or 0.
    #[must_use]
    pub const fn half_points(self, seat: Seat) -> u32 {
        match (self, seat) {
            (Self::Draw, _) => 1,
            (Self::FirstWins, Seat::First) | (Self::SecondWins, Seat::Second) => 2,
            _ => 0,
        }
    }

    /// `1-0`, `0-1` or `1/2-1/2`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstWins => "1-0",
            Self::SecondWins => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }
}

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are the field's own terms")]
pub enum Ending {
    Checkmate,
    Stalemate,
    Repetition,
    FiftyMoves,
    InsufficientMaterial,
    /// The engine itself resigned.
    Resignation,
    /// The engine answered, but late.
    TimeLoss,
    /// The engine never answered.
    Stall,
    /// The engine's process ended, or it broke its protocol.
    Crash,
    IllegalMove,
    DrawAdjudication,
    ResignAdjudication,
    TablebaseAdjudication,
    /// TCEC's draw rule (§10.2).
    TcecDraw,
    /// TCEC's win rule of earlier seasons.
    TcecWin,
    MaxMoves,
    /// A person ruled.
    Ruling,
    /// The event's rule for interruptions decided (§14.1).
    InterruptionRule,
    /// A declaration that the game's rules know.
    Declaration,
    /// The game's own goal was reached.
    Goal,
    /// Chinese checkers: both are in their goals after as many turns.
    EqualTurnGoalDraw,
    /// Chinese checkers: a goal is full of its owner's pieces and blockers.
    AntiBlockGoalFull,
    /// The game's rules end it at this ply.
    MaxPly,
    /// The side to move has no legal move, which in this game loses.
    NoLegalMoves,
    /// One side offered a draw, the other took it (FIDE 9.1).
    Agreement,
}

impl Ending {
    /// Its name in specs, files and messages: `time-loss`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty-moves",
            Self::InsufficientMaterial => "insufficient-material",
            Self::Resignation => "resignation",
            Self::TimeLoss => "time-loss",
            Self::Stall => "stall",
            Self::Crash => "crash",
            Self::IllegalMove => "illegal-move",
            Self::DrawAdjudication => "draw-adjudication",
            Self::ResignAdjudication => "resign-adjudication",
            Self::TablebaseAdjudication => "tablebase-adjudication",
            Self::TcecDraw => "tcec-draw",
            Self::TcecWin => "tcec-win",
            Self::MaxMoves => "max-moves",
            Self::Ruling => "ruling",
            Self::InterruptionRule => "interruption-rule",
            Self::Declaration => "declaration",
            Self::Goal => "goal",
            Self::EqualTurnGoalDraw => "equal-turn-goal-draw",
            Self::AntiBlockGoalFull => "anti-block-goal-full",
            Self::MaxPly => "max-ply",
            Self::NoLegalMoves => "no-legal-moves",
            Self::Agreement => "agreement",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The result, the ending, and who is at fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Who gets the points.
    pub result: GameResult,
    /// Why it ended.
    pub ending: Ending,
    /// The side whose engine is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Seat>,
    /// One line for people, e.g. `illegal move a1a1`; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Outcome {
    /// An outcome that nobody is at fault for.
    #[must_use]
    pub const fn new(result: GameResult, ending: Ending) -> Self {
        Self { result, ending, fault: None, detail: String::new() }
    }

    /// `seat` loses by its own fault.
    #[must_use]
    pub fn fault(seat: Seat, ending: Ending, detail: impl Into<String>) -> Self {
        Self { result: GameResult::win(seat.other()), ending, fault: Some(seat), detail: detail.into() }
    }
}
