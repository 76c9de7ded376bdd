//! What becomes of a game that stopped without any engine's fault: scored, gone on with, or played anew.
//!
//! The rule is data; TCEC's (§14.1) is one of its presets. What is decided follows from what is stored of the game
//! alone, and every decision names its numbers.

mod reason;
#[cfg(test)]
mod tests;

use std::time::Duration;

use rookery_game::{GameResult, Score, Seat};
use serde::{Deserialize, Serialize};

/// An evaluation in centipawns from White's view ([`Seat::First`]); a mate is beyond every limit.
pub type Evaluation = i32;

/// What a mate counts.
pub const MATE: Evaluation = Evaluation::MAX;

/// A million parts: shares are counted in them, so that times come out exact.
pub const WHOLE: u32 = 1_000_000;

/// Restarts after which a person is asked, where nothing else is said.
pub const MAX_RESTARTS: u32 = 5;

/// An engine's own evaluation from White's view.
#[must_use]
pub fn evaluation(score: Score, seat: Seat) -> Evaluation {
    let own = match score {
        Score::Cp(cp) => cp.clamp(1 - MATE, MATE - 1),
        Score::Mate(moves) if moves > 0 => MATE,
        Score::Mate(_) => -MATE,
    };
    if seat == Seat::First { own } else { -own }
}

/// What both clocks get for what an interruption cost: full caches, above all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compensation {
    /// Nothing. The search that was broken off is not charged, whatever is chosen.
    None,
    /// The same for both sides.
    Fixed(Duration),
    /// So many millionths of the base of the stage in which the side's clock stands.
    Base {
        /// Millionths.
        share: u32,
        /// The clock is filled up to the base at most; one that has more stays as it is.
        capped: bool,
    },
    /// So many millionths of the time of the side's last move.
    LastThink {
        /// Millionths.
        share: u32,
    },
}

/// When both engines hold the game to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawLimit {
    /// Both evaluations are nearer to nought than this, in centipawns; exactly this does not count.
    pub within: u32,
    /// Both sides have made so many moves, the opening's included.
    pub moves: u32,
}

/// What becomes of a game that stopped. Its branches are tried in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct InterruptionRule {
    /// A win where both evaluations are beyond this for the same side, in centipawns; exactly this does not count.
    pub win: Option<u32>,
    /// A draw.
    pub draw: Option<DrawLimit>,
    /// The endgame tables' result, with so many men at most.
    pub men: Option<u32>,
    /// It goes on from the last position; else from the opening.
    pub restart: bool,
    /// What both clocks get where it goes on.
    pub compensation: Compensation,
    /// How often one game goes on before a person is asked.
    pub max_restarts: u32,
    /// Each ply is stored; else what 5 s of thinking gave, so that a restart may fall back by some plies.
    pub every_ply: bool,
}

impl InterruptionRule {
    /// From the opening.
    pub const REPLAY: Self = Self {
        win: None,
        draw: None,
        men: None,
        restart: false,
        compensation: Compensation::None,
        max_restarts: MAX_RESTARTS,
        every_ply: false,
    };
    /// From the last position stored, with the clocks as they stood there.
    pub const RESTART: Self = Self { restart: true, ..Self::REPLAY };
    /// From the last ply, with the clocks as they stood after it.
    pub const CSA: Self = Self { every_ply: true, ..Self::RESTART };
    /// §14.1: beyond 10 pawns; within 0.15 after 35 moves; tables of seven men; else it goes on, with a twentieth of
    /// the base on both clocks, up to the base.
    pub const TCEC: Self = Self {
        win: Some(1_000),
        draw: Some(DrawLimit { within: 15, moves: 35 }),
        men: Some(7),
        restart: true,
        compensation: Compensation::Base { share: WHOLE / 20, capped: true },
        max_restarts: MAX_RESTARTS,
        every_ply: true,
    };

    /// Whether anything of a running game is to be stored for it.
    #[must_use]
    pub const fn stores(&self) -> bool {
        self.restart || self.win.is_some() || self.draw.is_some() || self.men.is_some()
    }
}

/// A game that stopped, as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Broken {
    /// The last evaluation of each side, by [`Seat::index`]; `None` where its last move has none, or is the opening's.
    pub evaluations: [Option<Evaluation>; 2],
    /// Plies, the opening's included.
    pub plies: u32,
    /// Moves made by each side, the opening's included.
    pub moves: [u32; 2],
    /// Whether anything was played beyond the opening.
    pub played: bool,
    /// Men on the board; `None` where the game has no endgame tables.
    pub men: Option<u32>,
    /// Whether a side may still castle; no table knows such a position.
    pub castling: bool,
    /// What the tables say: `None`, they were not asked; `Some(None)`, they do not answer.
    pub table: Option<Option<GameResult>>,
    /// The clocks after the last ply, increments added; `None` without a clock.
    pub clocks: [Option<Duration>; 2],
    /// The base of the stage in which each clock stands.
    pub bases: [Option<Duration>; 2],
    /// What each side's last move took.
    pub last_think: [Duration; 2],
    /// How often it went on before.
    pub restarts: u32,
}

/// What is to be done with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has a result.
    Score(GameResult),
    /// The tables are to be asked; then it is decided anew.
    AskTables,
    /// It goes on, with these clocks.
    Restart {
        /// By [`Seat::index`], compensation included.
        clocks: [Option<Duration>; 2],
    },
    /// It is played from the opening.
    Replay,
    /// It went on too often: a person decides.
    AskPerson,
}

/// A verdict, and on what it rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is to be done.
    pub verdict: Verdict,
    /// One line: the rule, and the numbers that it was applied to.
    pub reason: String,
}

/// Applies a rule. The same game gives the same decision, whoever asks.
#[must_use]
pub fn decide(rule: &InterruptionRule, broken: &Broken) -> Decision {
    let (verdict, why) = verdict(rule, broken);
    Decision { verdict, reason: reason::of(broken, &verdict, &why) }
}

fn verdict(rule: &InterruptionRule, broken: &Broken) -> (Verdict, String) {
    if !broken.played {
        return (Verdict::Replay, "nothing was played beyond the opening".to_owned());
    }
    if let [Some(a), Some(b)] = broken.evaluations {
        if let Some(win) = rule.win.map(i64::from) {
            let (a, b) = (i64::from(a), i64::from(b));
            let why = || format!("both evaluations beyond {}", reason::pawns_of(win));
            if a > win && b > win {
                return (Verdict::Score(GameResult::FirstWins), why());
            }
            if a < -win && b < -win {
                return (Verdict::Score(GameResult::SecondWins), why());
            }
        }
        if let Some(draw) = rule.draw
            && a.unsigned_abs() < draw.within
            && b.unsigned_abs() < draw.within
            && broken.moves.iter().all(|moves| *moves >= draw.moves)
        {
            let within = reason::pawns_of(i64::from(draw.within));
            let why = format!("both evaluations within {within} after {} moves each", draw.moves);
            return (Verdict::Score(GameResult::Draw), why);
        }
    }
    let mut why = String::new();
    if let (Some(most), Some(men)) = (rule.men, broken.men)
        && men <= most
        && !broken.castling
    {
        match broken.table {
            None => return (Verdict::AskTables, format!("{men} men, tables of {most} decide")),
            Some(Some(result)) => return (Verdict::Score(result), format!("the table of {men} men says so")),
            Some(None) => why = format!("no table of {men} men answers; "),
        }
    }
    if !rule.restart {
        why.push_str("the rule has it played from the opening");
        return (Verdict::Replay, why);
    }
    if broken.restarts >= rule.max_restarts {
        why.push_str(&format!("it went on {} times, the most is {}", broken.restarts, rule.max_restarts));
        return (Verdict::AskPerson, why);
    }
    let clocks = Seat::BOTH.map(|seat| compensated(rule.compensation, broken, seat));
    why.push_str(&reason::compensation(rule.compensation));
    (Verdict::Restart { clocks }, why)
}

/// A side's clock as it goes on: never less than it was.
fn compensated(compensation: Compensation, broken: &Broken, seat: Seat) -> Option<Duration> {
    let clock = broken.clocks[seat.index()]?;
    let base = broken.bases[seat.index()];
    let filled = match compensation {
        Compensation::None => clock,
        Compensation::Fixed(time) => clock.saturating_add(time),
        Compensation::LastThink { share } => clock.saturating_add(part(broken.last_think[seat.index()], share)),
        Compensation::Base { share, capped } => {
            let base = base.unwrap_or_default();
            let filled = clock.saturating_add(part(base, share));
            if capped { filled.min(base) } else { filled }
        }
    };
    Some(filled.max(clock))
}

fn part(time: Duration, millionths: u32) -> Duration {
    let nanos = time.as_nanos() * u128::from(millionths) / u128::from(WHOLE);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
