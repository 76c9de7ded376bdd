//! What a table is asked, what it tells, how it ends.

use std::time::Duration;

use rookery_game::{
    GameRecord, GameSetup, Ply,
    record::{EngineIdentity, Note, Transcript},
};

use crate::engine::Launch;

/// Where a broken-off game goes on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resume {
    /// All plies so far, opening included.
    pub plies: Vec<Ply>,
    /// The clocks to start with, by seat, compensation included; `None` without a clock.
    pub clocks: [Option<Duration>; 2],
    /// Notes so far.
    pub notes: Vec<Note>,
    /// How often it went on before, this time included.
    pub restarts: u32,
}

/// One game to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOrder {
    /// The event's name.
    pub event: String,
    /// `PAIR/GAME/TAKE`.
    pub name: String,
    /// What is to be played.
    pub setup: GameSetup,
    /// Where it goes on; `None`: from the opening.
    pub resume: Option<Resume>,
    /// How the engines are started, by seat.
    pub launches: [Launch; 2],
    /// Whether it is the first game of its pair on this slot.
    pub new_pair: bool,
    /// The worker's name, for the record.
    pub worker: String,
}

/// What a table tells while it plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableEvent {
    /// Both engines are ready; the game begins.
    Started {
        /// As they said themselves, by seat.
        engines: [EngineIdentity; 2],
        /// When, milliseconds since 1970.
        at_unix_ms: u64,
    },
    /// Plies were played.
    Plies {
        /// The index of the first of them, opening included, from 0.
        first_ply: u32,
        /// In order.
        plies: Vec<Ply>,
        /// The clocks after the last of them, by seat.
        clocks: [Option<Duration>; 2],
        /// Time that was thought in them.
        thinking: Duration,
    },
}

/// Why a game comes back without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandBackReason {
    /// The worker is drained.
    Drained,
    /// The event is paused.
    Paused,
    /// A flag that would not have fallen without the host's lag.
    Lag,
    /// The host failed: disk, memory, descriptors.
    HostFault,
    /// An engine did not start.
    NotStarted,
    /// The coordinator cancelled it.
    Cancelled,
}

/// A game that comes back without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedBack {
    /// Why.
    pub reason: HandBackReason,
    /// One line for people: which engine, which errno, how much lag.
    pub evidence: String,
    /// What was played, opening included; empty where it was cancelled without a wish for it.
    pub plies: Vec<Ply>,
    /// The clocks before the move that was broken off, by seat.
    pub clocks: [Option<Duration>; 2],
    /// The last lines of both engines.
    pub transcripts: Vec<Transcript>,
    /// The engine that did not start; empty otherwise.
    pub engine: String,
}

/// How a game left the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableEnd {
    /// With a result.
    Finished(Box<GameRecord>),
    /// Without one; no engine was at fault.
    HandedBack(Box<HandedBack>),
}
