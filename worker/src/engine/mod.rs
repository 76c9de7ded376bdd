//! An engine: its process, its lines, its protocol.
//!
//! Nothing here blocks but [`check()`], and nothing here keeps a clock of its own: the referee in [`crate::table`] polls
//! [`Player::fds`] and owns every deadline. Whatever an engine writes is bounded: in length of a line, in lines that are
//! kept, in bytes that are read at once.

mod ccp;
mod check;
mod killed;
mod launch;
mod limits;
mod lines;
mod memory;
mod player;
mod process;
mod strays;
mod transcript;
mod try_start;
mod uci;

pub use check::{Report, Step, Verdict, check};
pub use launch::{Launch, NotStarted};
pub use limits::{MAX_LINE, WRITE_TIMEOUT};
pub use player::{Fault, Go, Player, Said, SearchInfo, Tell};
pub use try_start::try_start;
pub use uci::UciPlayer;

/// Protocols that engines may speak.
pub(crate) const PROTOCOLS: [&str; 2] = ["uci", "ccp"];

/// Waits until one of two descriptors is readable or the time is over.
pub(crate) fn wait_readable(fds: &[std::os::fd::BorrowedFd<'_>; 2], timeout: std::time::Duration) {
    let timeout = rustix::event::Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(timeout.subsec_nanos()),
    };
    let mut poll = fds.each_ref().map(|fd| rustix::event::PollFd::new(fd, rustix::event::PollFlags::IN));
    // An interrupted wait is an early one: every caller looks at the time again.
    let _ = rustix::event::poll(&mut poll, Some(&timeout));
}
