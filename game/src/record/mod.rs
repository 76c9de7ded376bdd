//! What is kept of a game.

mod replay;

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

#[cfg(test)]
pub(crate) use replay::tests::record as test_record;
pub use replay::{RecordError, Replayed};

use crate::{GameSetup, Outcome, Seat};

/// An engine's evaluation from its own point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate: positive, the engine mates; zero or negative, it is mated.
    Mate(i32),
}

/// One move by one side.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ply {
    /// In the protocol's form (UCI; Chess960: king takes rook).
    #[serde(rename = "m")]
    pub mv: String,
    /// From the opening: nobody thought, no clock ran.
    #[serde(default, skip_serializing_if = "is_default")]
    pub book: bool,
    /// The last exact score for this move.
    #[serde(rename = "s", default, skip_serializing_if = "is_default")]
    pub score: Option<Score>,
    /// Plies; 0 where unknown.
    #[serde(rename = "d", default, skip_serializing_if = "is_default")]
    pub depth: u32,
    /// Plies; 0 where unknown.
    #[serde(rename = "sd", default, skip_serializing_if = "is_default")]
    pub selective_depth: u32,
    /// Nodes for this move; 0 where unknown.
    #[serde(rename = "n", default, skip_serializing_if = "is_default")]
    pub nodes: u64,
    /// Tablebase hits; 0 where unknown.
    #[serde(rename = "tb", default, skip_serializing_if = "is_default")]
    pub tablebase_hits: u64,
    /// Nanoseconds charged to the side.
    #[serde(rename = "t", default, skip_serializing_if = "is_default")]
    pub time_ns: u64,
    /// Nanoseconds on the side's clock after the move, increment and new period added; `None` without a clock.
    #[serde(rename = "c", default, skip_serializing_if = "is_default")]
    pub clock_ns: Option<u64>,
    /// Nanoseconds that the host took from the side during the move.
    #[serde(rename = "l", default, skip_serializing_if = "is_default")]
    pub lag_ns: u64,
    /// The principal variation in the form of `mv`, separated by blanks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub pv: String,
    /// The table played it from the side's string: nobody thought, no clock ran (see [`crate::prediction`]).
    #[serde(rename = "a", default, skip_serializing_if = "is_default")]
    pub auto: bool,
    /// The other side's string had foreseen it: whether that brought a point.
    #[serde(rename = "h", default, skip_serializing_if = "is_default")]
    pub foreseen: Option<bool>,
    /// The string that came with it, checked, in the form of `mv`, separated by blanks. Hidden from all but the record and
    /// the store until it is used.
    #[serde(rename = "cs", default, skip_serializing_if = "is_default")]
    pub conditional: String,
    /// A draw was offered with it. Of the last ply: it is still to be answered, or was accepted ([`Ending::Agreement`]).
    ///
    /// [`Ending::Agreement`]: crate::Ending::Agreement
    #[serde(rename = "o", default, skip_serializing_if = "is_default")]
    pub offer: bool,
}

impl Ply {
    /// Time charged to the side.
    #[must_use]
    pub const fn time(&self) -> Duration {
        Duration::from_nanos(self.time_ns)
    }
}

/// A note at a ply: a restart, a ruling, a take-back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Plies played before it, opening included.
    pub ply: u32,
    /// One line for people.
    pub text: String,
}

/// Who played, as the engine itself said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineIdentity {
    /// Its name in the event.
    pub name: String,
    /// `id name`, cleaned of control characters.
    pub id_name: String,
    /// `id author`, cleaned of control characters.
    pub id_author: String,
    /// `sha256:…` of the program.
    pub digest: String,
    /// The options that were set.
    pub options: Vec<(String, String)>,
}

/// The last lines of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    /// Whose.
    pub seat: Seat,
    /// `+12.345678 > go wtime 1000`: seconds since the start of the game, direction, line.
    pub lines: Vec<String>,
    /// The last lines of stderr.
    pub stderr: Vec<String>,
    /// The `position` and `go` that reproduce the last search.
    pub reproduce: String,
}

/// An attempt at a game that ended without a result, and no engine was at fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupted {
    /// Which attempt.
    pub attempt: i64,
    /// Which of the attempts at its pair, counted from 1; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nth: u32,
    /// The worker that played it.
    pub worker: String,
    /// Why it came back: `host fault at ply 12: …`.
    pub why: String,
    /// When that was heard, milliseconds since 1970.
    pub at_unix_ms: u64,
    /// The last lines of both engines, as far as its worker told them.
    pub transcripts: Vec<Transcript>,
}

/// A game, whole. `outcome` is `None` where it was broken off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The event's name.
    pub event: String,
    /// `PAIR/GAME/TAKE`.
    pub name: String,
    /// What was to be played.
    pub setup: GameSetup,
    /// Both engines, by [`Seat::index`].
    pub engines: [EngineIdentity; 2],
    /// The opening's plies first, marked `book`.
    pub plies: Vec<Ply>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When the attempt that finished it began, milliseconds since 1970; transcripts count from it.
    pub started_unix_ms: u64,
    /// Of a game that went on from a position: when its first attempt that counts began, milliseconds since 1970; 0: see
    /// `started_unix_ms`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub began_unix_ms: u64,
    /// Milliseconds since 1970.
    pub ended_unix_ms: u64,
    /// The worker that finished it.
    #[serde(default)]
    pub worker: String,
    /// Notes in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// With a fault, or where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transcripts: Vec<Transcript>,
    /// Counted warnings.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub warnings: BTreeMap<String, u32>,
    /// How often it went on after an interruption.
    #[serde(default)]
    pub restarts: u32,
    /// Which of the attempts at its pair gave the result, counted from 1; 0 where that is not known, or none did.
    #[serde(default, skip_serializing_if = "is_default")]
    pub nth: u32,
    /// Attempts before it, oldest first; the last ones, as far as the coordinator that leads knows of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interrupted: Vec<Interrupted>,
}

impl GameRecord {
    /// When the game began, milliseconds since 1970; 0 where it is not known.
    #[must_use]
    pub const fn began(&self) -> u64 {
        if self.began_unix_ms > 0 { self.began_unix_ms } else { self.started_unix_ms }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
