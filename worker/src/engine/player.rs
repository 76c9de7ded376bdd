//! Where a seat's moves come from.

use std::{os::fd::BorrowedFd, time::Instant};

use rookery_game::{
    GameKind, Ply, Score,
    record::{EngineIdentity, Transcript},
    setup::Start,
};

/// What an engine may use, as it is told: whole milliseconds, rounded down, never below 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Go {
    /// Milliseconds on both clocks, by seat; `None` where the side to move plays without a clock.
    pub clocks_ms: Option<[u64; 2]>,
    /// Milliseconds added after a move, by seat.
    pub increments_ms: [u64; 2],
    /// Moves of the side to move to its next stage.
    pub moves_to_go: Option<u32>,
    /// A fixed time for the move.
    pub move_time_ms: Option<u64>,
    /// Nodes for the move.
    pub nodes: Option<u64>,
    /// Depth for the move.
    pub depth: Option<u32>,
}

/// What the table tells a player.
#[derive(Debug, Clone, Copy)]
pub enum Tell<'a> {
    /// A new game; answered by [`Said::Ready`].
    NewGame {
        /// Which game.
        kind: GameKind,
        /// Where it starts; moves are told with each search, by `plies`.
        start: &'a Start,
    },
    /// Think about the position after `plies`; answered by [`Said::Sent`], then [`Said::Move`].
    Think {
        /// All plies of this game, opening included. Within one game the list only grows.
        plies: &'a [Ply],
        /// What may be used.
        go: Go,
    },
    /// Think on the other side's time, about the position after `plies` and `expected`; answered by [`Said::Sent`].
    Ponder {
        /// All plies of this game, opening included.
        plies: &'a [Ply],
        /// The expected answer of the other side, legal.
        expected: &'a str,
        /// What may be used once the expected move is played.
        go: Go,
    },
    /// The other side offered a draw with its last move; only to who [`Player::takes_offers`]. What to think about follows,
    /// and [`Said::Accept`] answers in place of [`Said::Move`].
    Offered,
    /// The other side offered a draw with the last of `plies`, and nothing else is asked: [`Said::Accept`] where it is
    /// taken, then [`Said::Ready`]. Only to who [`Player::takes_offers`].
    Ask {
        /// All plies of this game, opening included.
        plies: &'a [Ply],
    },
    /// The expected move was played: the clock runs. Answered by [`Said::Sent`], then [`Said::Move`].
    PonderHit,
    /// Answer now; answered by [`Said::Move`].
    Stop,
    /// The game is over. A search that still runs is stopped and its answer dropped.
    GameOver,
    /// End the process.
    Quit,
}

/// What an engine reported about its move, from its last line with an exact score.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchInfo {
    /// From the engine's own point of view.
    pub score: Option<Score>,
    /// Plies; 0 where unknown.
    pub depth: u32,
    /// Plies; 0 where unknown.
    pub selective_depth: u32,
    /// 0 where unknown.
    pub nodes: u64,
    /// 0 where unknown.
    pub tablebase_hits: u64,
    /// Moves separated by single blanks, as the engine wrote them.
    pub pv: String,
    /// The string of its last `conditional` line, as it wrote it (see [`rookery_game::prediction`]).
    pub conditional: Option<String>,
    /// It offers a draw with the move.
    pub offer: bool,
}

/// What a player said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// The handshake is over and options were sent; [`Said::Ready`] follows.
    Started,
    /// Ready: after the start, and after each [`Tell::NewGame`] and [`Tell::Ask`].
    Ready,
    /// The last byte of `go` or `ponderhit` was taken by the pipe.
    Sent {
        /// When the write returned.
        at: Instant,
    },
    /// An answer.
    Move {
        /// The text after `bestmove`; may be anything, also empty.
        text: String,
        /// The move that it would ponder on.
        ponder: Option<String>,
        /// When the read that completed the line returned.
        at: Instant,
        /// What it reported.
        info: SearchInfo,
    },
    /// It takes the draw that was offered to it.
    Accept {
        /// When the read that completed the line returned.
        at: Instant,
    },
    /// A search that [`Tell::GameOver`] broke off has ended: the player is clean again.
    Idle,
}

/// A player that cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The process ended or closed its output.
    #[error("{status}")]
    Ended {
        /// `exited with code 3`, `was killed by SIGSEGV`, `closed its output`.
        status: String,
    },
    /// The process was killed by a signal that somebody else may have sent.
    #[error("{status}; {}", machine.as_ref().unwrap_or_else(|why| why))]
    Killed {
        /// `was killed by SIGKILL, with 120 MiB of memory where its limit is 512 MiB`.
        status: String,
        /// How the kernel tells that it was for want of memory; or that it tells nothing.
        machine: Result<String, String>,
    },
    /// A system call on our side failed.
    #[error("{call}: {errno}")]
    Host {
        /// Which.
        call: &'static str,
        /// Why.
        errno: String,
    },
}

/// Where a seat's moves come from. No call blocks; the table polls the descriptor.
pub trait Player: Send {
    /// Queues something to be told, and writes what the pipe takes.
    ///
    /// # Errors
    /// When the player has ended.
    fn tell(&mut self, what: Tell<'_>) -> Result<(), Fault>;

    /// One of them is readable when [`Self::read`] has something to do: the first has output; the second is for what is
    /// rare, an end of the process, room for a pending write, errors written.
    fn fds(&self) -> [BorrowedFd<'_>; 2];

    /// The next thing said. To be called after [`Self::tell`] and whenever one of [`Self::fds`] is readable, until `None`. One
    /// call reads at most one buffer, so that a flood does not keep the table from its deadline.
    ///
    /// # Errors
    /// When the player has ended; what it said before comes first.
    fn read(&mut self) -> Result<Option<Said>, Fault>;

    /// The next thing said that is known already; makes no system call.
    fn pop(&mut self) -> Option<Said>;

    /// Since when bytes wait in a pipe that the player does not read.
    fn blocked_since(&self) -> Option<Instant>;

    /// When it last wrote anything.
    fn heard_at(&self) -> Instant;

    /// Nodes of the running search, as it last reported them; 0 where it did not.
    fn nodes(&self) -> u64;

    /// Whether it can be told [`Tell::NewGame`] now.
    fn is_idle(&self) -> bool;

    /// Whether it knows draws that are offered.
    fn takes_offers(&self) -> bool;

    /// Who it says it is.
    fn identity(&self) -> EngineIdentity;

    /// The process, to measure what the host gave it.
    fn pid(&self) -> Option<u32>;

    /// The last lines, with times since `start`.
    fn transcript(&self, seat: rookery_game::Seat, start: Instant) -> Transcript;

    /// Counted warnings since the last call.
    fn take_warnings(&mut self) -> Vec<(String, u32)>;
}
