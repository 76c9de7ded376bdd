//! Time controls and clocks.

mod parse;
mod text;

use std::time::Duration;

pub use parse::TimeControlError;

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

impl TimeControl {
    /// Whether a clock runs down.
    #[must_use]
    pub const fn has_clock(&self) -> bool {
        !self.stages.is_empty()
    }

    /// Whether anything limits the time of a move: a clock or a fixed time.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        self.has_clock() || self.move_time.is_some()
    }

    /// The base of the stage in which a side stands after `moves` of its own; `None` without a clock.
    #[must_use]
    pub fn base_after(&self, moves: u32) -> Option<Duration> {
        self.stages.get(self.stage_after(moves).0).map(|stage| stage.base)
    }

    /// The stage in which a side stands after `moves` of its own, and the moves it has made in that stage.
    fn stage_after(&self, moves: u32) -> (usize, u32) {
        let mut left = moves;
        for (index, stage) in self.stages.iter().enumerate() {
            match stage.moves {
                Some(length) if left >= length && index + 1 < self.stages.len() => left -= length,
                Some(length) => return (index, left.checked_rem(length).unwrap_or(0)),
                None => return (index, left),
            }
        }
        (0, 0)
    }
}

/// How time is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counting {
    /// Used time is rounded down to whole seconds (CSA).
    pub whole_seconds: bool,
    /// The least that a move is charged (CSA).
    pub least: Duration,
    /// Using the last instant loses already: what is left must stay above zero (the CSA reference server).
    pub zero_loses: bool,
}

/// The clock of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    control: TimeControl,
    margin: Duration,
    counting: Counting,
    left: Option<Duration>,
    /// Index of the stage that runs.
    stage: usize,
    /// Moves made in it.
    made: u32,
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

impl Budget {
    /// What an engine is told: whole milliseconds, rounded down, never below 1; `None` without a clock.
    #[must_use]
    pub fn left_ms(&self) -> Option<u64> {
        self.left.map(|left| whole_ms(left).max(1))
    }

    /// The increment in whole milliseconds, rounded down.
    #[must_use]
    pub fn increment_ms(&self) -> u64 {
        whole_ms(self.increment)
    }
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
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
    pub fn new(control: TimeControl, margin: Duration, counting: Counting) -> Self {
        Self::resume(control, margin, counting, None, 0)
    }

    /// A clock that goes on: `left` on it after `moves` completed moves of this side. Without `left` it has the whole
    /// base of the stage in which it stands.
    #[must_use]
    pub fn resume(
        control: TimeControl,
        margin: Duration,
        counting: Counting,
        left: Option<Duration>,
        moves: u32,
    ) -> Self {
        let (stage, made) = control.stage_after(moves);
        let left = control.stages.get(stage).map(|stage| left.unwrap_or(stage.base));
        Self { control, margin, counting, left, stage, made }
    }

    /// The time control by which it runs.
    #[must_use]
    pub const fn control(&self) -> &TimeControl {
        &self.control
    }

    /// What the next move may use.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let stage = self.control.stages.get(self.stage);
        Budget {
            left: self.left,
            increment: stage.map_or(Duration::ZERO, |stage| stage.increment),
            moves_to_go: stage.and_then(|stage| stage.moves).map(|moves| moves.saturating_sub(self.made).max(1)),
            deadline: self.allowed().map(|allowed| self.last_moment(allowed)),
        }
    }

    /// What a move may cost, margin not counted.
    fn allowed(&self) -> Option<Duration> {
        match (self.left, self.control.move_time) {
            (Some(left), Some(move_time)) => Some(left.min(move_time)),
            (left, move_time) => left.or(move_time),
        }
    }

    /// The largest used time that is still in time.
    fn last_moment(&self, allowed: Duration) -> Duration {
        const INSTANT: Duration = Duration::from_nanos(1);
        let limit = allowed.saturating_add(self.margin);
        match (self.counting.whole_seconds, self.counting.zero_loses) {
            (false, false) => limit,
            (false, true) => limit.saturating_sub(INSTANT),
            (true, false) => Duration::from_secs(limit.as_secs().saturating_add(1)).saturating_sub(INSTANT),
            // The first whole second that is too much: `limit` itself, rounded up.
            (true, true) => {
                let up = limit.as_secs().saturating_add(u64::from(limit.subsec_nanos() > 0));
                Duration::from_secs(up).saturating_sub(INSTANT)
            }
        }
    }

    /// What a move that took `used` costs.
    #[must_use]
    pub fn cost(&self, used: Duration) -> Duration {
        let counted = if self.counting.whole_seconds { Duration::from_secs(used.as_secs()) } else { used };
        counted.max(self.counting.least)
    }

    /// Charges a move; adds increment and, at its end, the new stage. Late is late, judged before anything is added.
    /// Where the margin forgave, the clock goes on from zero: an engine owes nothing and never sees a negative time.
    ///
    /// # Errors
    /// When the flag fell; nothing is left on the clock then.
    pub fn charge(&mut self, used: Duration) -> Result<(), Flag> {
        let cost = self.cost(used);
        if let Some(allowed) = self.allowed() {
            let limit = allowed.saturating_add(self.margin);
            if cost > limit || (self.counting.zero_loses && cost >= limit) {
                self.left = self.left.map(|_| Duration::ZERO);
                return Err(Flag { late: cost.saturating_sub(allowed) });
            }
        }
        let (Some(left), Some(stage)) = (self.left, self.control.stages.get(self.stage)) else { return Ok(()) };
        let mut left = left.saturating_sub(cost).saturating_add(stage.increment);
        self.made = self.made.saturating_add(1);
        if stage.moves.is_some_and(|moves| self.made >= moves) {
            self.made = 0;
            self.stage = (self.stage + 1).min(self.control.stages.len() - 1);
            left = left.saturating_add(self.control.stages.get(self.stage).map_or(Duration::ZERO, |next| next.base));
        }
        self.left = Some(left);
        Ok(())
    }

    /// A move that the table made for this side: it counts for the stage and costs nothing. `increment`: it brings the
    /// increment all the same.
    pub fn pass(&mut self, increment: bool) {
        let (Some(left), Some(stage)) = (self.left, self.control.stages.get(self.stage)) else { return };
        let mut left = if increment { left.saturating_add(stage.increment) } else { left };
        self.made = self.made.saturating_add(1);
        if stage.moves.is_some_and(|moves| self.made >= moves) {
            self.made = 0;
            self.stage = (self.stage + 1).min(self.control.stages.len() - 1);
            left = left.saturating_add(self.control.stages.get(self.stage).map_or(Duration::ZERO, |next| next.base));
        }
        self.left = Some(left);
    }

    /// Gives time back, e.g. what an interruption took. Nothing without a clock.
    pub fn give(&mut self, bonus: Duration) {
        self.left = self.left.map(|left| left.saturating_add(bonus));
    }

    /// What is left; `None` without a clock. Never below zero.
    #[must_use]
    pub const fn left(&self) -> Option<Duration> {
        self.left
    }
}

#[cfg(test)]
mod tests;
