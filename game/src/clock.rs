//! Time controls and clocks.

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

/// One stage of a time control: `40/90m+30s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Moves to be made in it; `None`: all that are left.
    pub moves: Option<u32>,
    /// Time that it adds.
    pub base: Duration,
    /// Added after each move.
    pub increment: Duration,
}

/// A time control as a spec writes it. `stages` may be empty where another limit is given (`nodes=20000`, `inf`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TimeControl {
    /// In order; the last one repeats where it has `moves`.
    pub stages: Vec<Stage>,
    /// A fixed time for each move.
    pub move_time: Option<Duration>,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Plies a move.
    pub depth: Option<u32>,
}

/// Why a text is not a time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time control `{text}`: {why}")]
pub struct TimeControlError {
    /// The whole text.
    pub text: String,
    /// What is wrong and what was expected.
    pub why: String,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Err(TimeControlError { text: text.to_owned(), why: "not written yet".to_owned() })
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("inf")
    }
}

impl Serialize for TimeControl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// How time is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counting {
    /// Used time is rounded down to whole seconds (CSA).
    pub whole_seconds: bool,
    /// The least that a move is charged (CSA).
    pub least: Duration,
}

/// The clock of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
}

/// What an engine may use for its next move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// What is left on the clock; `None` without a clock.
    pub left: Option<Duration>,
    /// Added after the move.
    pub increment: Duration,
    /// Moves to the next stage.
    pub moves_to_go: Option<u32>,
    /// From the end of writing `go` to the last moment at which an answer is in time, margin included; `None`: no limit.
    pub deadline: Option<Duration>,
}

/// The flag fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag {
    /// How much later than allowed, margin not counted.
    pub late: Duration,
}

impl Clock {
    /// A clock at the start of a game.
    #[must_use]
    pub const fn new(control: TimeControl, _margin: Duration, _counting: Counting) -> Self {
        Self { control }
    }

    /// A clock that goes on: `left` on it after `moves` completed moves of this side.
    #[must_use]
    pub fn resume(control: TimeControl, margin: Duration, counting: Counting, _left: Option<Duration>, _moves: u32) -> Self {
        Self::new(control, margin, counting)
    }

    /// What the next move may use.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let _ = &self.control;
        Budget { left: None, increment: Duration::ZERO, moves_to_go: None, deadline: None }
    }

    /// Charges a move; adds increment and, at its end, the new stage. Late is late, judged before anything is added.
    ///
    /// # Errors
    /// When the flag fell.
    pub fn charge(&mut self, _used: Duration) -> Result<(), Flag> {
        Ok(())
    }

    /// What is left; `None` without a clock. Never below zero.
    #[must_use]
    pub const fn left(&self) -> Option<Duration> {
        None
    }
}
