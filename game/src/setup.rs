//! What is needed to play one game.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    Board, Seat, TimeControl,
    board::{self, StartError},
    chinese_checkers,
};

/// Which game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameKind {
    /// Chess.
    Chess,
    /// Chess960, also with two different back ranks.
    Chess960,
    /// Shogi.
    Shogi,
    /// Chinese checkers, two players.
    ChineseCheckers,
}

/// Where a game starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// FEN, SFEN or cells; empty: the game's own start position.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub position: String,
    /// The opening's moves in the protocol's form (UCI; Chess960: king takes rook).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<String>,
}

/// When an engine's process is started anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// It stays for the next game on its slot, if it is clean.
    #[default]
    Never,
    /// Before each pair.
    Pair,
    /// Before each game.
    Game,
}

/// How to start an engine and how to talk to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineSetup {
    /// Its name in the event.
    pub name: String,
    /// A name in the worker's catalogue; in `rookery run` also a path or a name on PATH.
    #[serde(default)]
    pub program: String,
    /// `sha256:…` of an artifact in place of `program`.
    #[serde(default)]
    pub artifact: String,
    /// Arguments of the command line.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment added to the engine's.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Working directory; empty: a folder of its own.
    #[serde(default)]
    pub directory: String,
    /// `uci`, `usi`, `ccp`.
    #[serde(default)]
    pub protocol: String,
    /// Options in the order to set them.
    #[serde(default)]
    pub options: Vec<(String, String)>,
    /// Threads; `None`: left to the engine.
    #[serde(default)]
    pub threads: Option<u32>,
    /// The frozen digest, `sha256:…`; empty: not frozen.
    #[serde(default)]
    pub digest: String,
    /// When its process is started anew.
    #[serde(default)]
    pub restart: Restart,
}

/// One side of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Side {
    /// Who plays.
    pub engine: EngineSetup,
    /// Its time control.
    pub time_control: TimeControl,
    /// How late an answer may be before it is a time loss.
    pub margin: Duration,
    /// Whether the engine ponders.
    #[serde(default)]
    pub ponder: bool,
}

/// Limits off the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Limits {
    /// From the start of the process to `uciok`.
    pub start: Duration,
    /// `isready` to `readyok`.
    pub ready: Duration,
    /// `ucinewgame` and the `isready` after it.
    pub new_game: Duration,
    /// `quit` to the end of the process; then its group is killed.
    pub quit: Duration,
    /// After a flag: how long to wait for an answer, to tell a time loss from a stall.
    pub stall: Duration,
    /// Without a clock: how long without a line is a stall.
    pub silence: Duration,
    /// Lag from which a flag may be the machine's fault.
    pub lag: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            ready: Duration::from_secs(60),
            new_game: Duration::from_secs(60),
            quit: Duration::from_secs(2),
            stall: Duration::from_secs(5),
            silence: Duration::from_secs(600),
            lag: Duration::from_millis(20),
        }
    }
}

/// What becomes of a game whose engine was killed by a signal that tells nothing of who sent it, as SIGKILL: neither by
/// its own limit of memory, nor, as far as the kernel counts, for the machine's want of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Killed {
    /// The process ended: its crash (TCEC §14.2).
    #[default]
    Crash,
    /// Someone on the machine did it: an interruption.
    Interruption,
}

impl Killed {
    const fn is_default(&self) -> bool {
        matches!(self, Self::Crash)
    }
}

/// What an event chose of the games' own rules. A game takes its part alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct GameRules {
    /// Of Chinese checkers.
    pub chinese_checkers: chinese_checkers::Rules,
}

/// All that is needed to play one game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GameSetup {
    /// Which game.
    pub kind: GameKind,
    /// Where it starts.
    pub start: Start,
    /// What was chosen of the game's own rules.
    #[serde(default, skip_serializing_if = "GameRules::is_default")]
    pub rules: GameRules,
    /// Both sides, by [`Seat::index`].
    pub sides: [Side; 2],
    /// What may end it before its rules do.
    #[serde(default)]
    pub adjudication: crate::adjudicate::Adjudication,
    /// Limits off the clock.
    #[serde(default)]
    pub limits: Limits,
    /// Tags for the record, e.g. `Event`, `Site`, `Round`, `Opening`.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
    /// Whether the transcript is kept with every game, not only with faults.
    #[serde(default)]
    pub keep_transcript: bool,
    /// What becomes of it where an engine is killed and nobody knows by whom.
    #[serde(default, skip_serializing_if = "Killed::is_default")]
    pub killed: Killed,
    /// How predictions are scored; `None`: they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictions: Option<crate::prediction::Predictions>,
}

impl GameRules {
    /// Whether nobody chose anything.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl GameSetup {
    /// A board at the start position, no move of the opening played.
    ///
    /// # Errors
    /// When the start is not a position of this game.
    pub fn board(&self) -> Result<Box<dyn Board>, StartError> {
        board::under(self.kind, &self.rules, &self.start.position)
    }

    /// The side that sits at `seat`.
    #[must_use]
    pub const fn side(&self, seat: Seat) -> &Side {
        &self.sides[seat.index()]
    }
}
