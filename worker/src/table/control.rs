//! Orders to a table from another thread.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use rustix::event::{EventfdFlags, eventfd};

use super::HandBackReason;

const NOTHING: u8 = 0;

/// The handle by which one game is stopped. Clones are the same handle. The first order counts; the table obeys within
/// a second, whatever its engines do.
#[derive(Debug, Clone)]
pub struct Control(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    fd: OwnedFd,
    asked: AtomicU8,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) reason: HandBackReason,
    pub(super) with_plies: bool,
}

impl Control {
    /// A handle for one game.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(Inner { fd, asked: AtomicU8::new(NOTHING) })))
    }

    /// Stops the game. With `hand_back` what was played comes back, else only the word that it was cancelled.
    pub fn cancel(&self, hand_back: bool) {
        self.ask(if hand_back { 2 } else { 1 });
    }

    /// Stops the game and gives back what was played.
    pub fn hand_back(&self, reason: HandBackReason) {
        self.ask(match reason {
            HandBackReason::Cancelled => 2,
            HandBackReason::Drained => 3,
            HandBackReason::Paused => 4,
            HandBackReason::HostFault => 5,
            HandBackReason::Lag => 6,
            HandBackReason::NotStarted => 7,
        });
    }

    fn ask(&self, what: u8) {
        if self.0.asked.compare_exchange(NOTHING, what, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            // The counter of an eventfd that nobody reads cannot overflow by one write.
            let _ = rustix::io::write(&self.0.fd, &1u64.to_ne_bytes());
        }
    }

    pub(super) fn asked(&self) -> Option<Asked> {
        let (reason, with_plies) = match self.0.asked.load(Ordering::Acquire) {
            NOTHING => return None,
            1 => (HandBackReason::Cancelled, false),
            3 => (HandBackReason::Drained, true),
            4 => (HandBackReason::Paused, true),
            5 => (HandBackReason::HostFault, true),
            6 => (HandBackReason::Lag, true),
            7 => (HandBackReason::NotStarted, true),
            _ => (HandBackReason::Cancelled, true),
        };
        Some(Asked { reason, with_plies })
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
    }
}
