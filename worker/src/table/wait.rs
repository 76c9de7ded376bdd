//! Waiting for both engines and the control, with one absolute deadline.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::{Duration, Instant},
};

use rookery_game::Seat;
use rustix::{
    event::{
        Timespec,
        epoll::{self, EventData, EventFlags},
    },
    io::Errno,
};

const CONTROL: u64 = 2;

/// What woke the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wake {
    pub(super) seats: [bool; 2],
    pub(super) control: bool,
}

/// Made anew for each game: a descriptor that is closed leaves it by itself.
#[derive(Debug)]
pub(super) struct Waiter {
    epoll: OwnedFd,
}

impl Waiter {
    pub(super) fn new() -> Result<Self, Errno> {
        Ok(Self { epoll: epoll::create(epoll::CreateFlags::CLOEXEC)? })
    }

    pub(super) fn add_seat(&self, seat: Seat, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        epoll::add(&self.epoll, fd, EventData::new_u64(seat.index() as u64), EventFlags::IN)
    }

    pub(super) fn add_control(&self, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        epoll::add(&self.epoll, fd, EventData::new_u64(CONTROL), EventFlags::IN)
    }

    /// Waits until something happens or `until`. Epoll counts whole milliseconds, so the last one is waited with poll.
    pub(super) fn wait(&self, until: Option<Instant>) -> Result<Wake, Errno> {
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let timeout = match left {
                None => None,
                Some(left) if left < Duration::from_millis(1) => {
                    if !left.is_zero() {
                        crate::engine::wait_readable(self.epoll.as_fd(), left);
                    }
                    Some(Timespec { tv_sec: 0, tv_nsec: 0 })
                }
                Some(left) => {
                    // A minute at most: what the kernel takes for a timeout is narrower than a duration.
                    let ms = i64::try_from(left.as_millis()).unwrap_or(i64::MAX).min(60_000);
                    Some(Timespec { tv_sec: ms / 1000, tv_nsec: (ms % 1000) * 1_000_000 })
                }
            };
            let mut events = [epoll::Event { flags: EventFlags::empty(), data: EventData::new_u64(0) }; 4];
            let n = match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
                Ok(n) => n,
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno),
            };
            let mut wake = Wake::default();
            for event in &events[..n] {
                match event.data.u64() {
                    CONTROL => wake.control = true,
                    seat => wake.seats[usize::from(seat != 0)] = true,
                }
            }
            if n > 0 || until.is_some_and(|until| Instant::now() >= until) {
                return Ok(wake);
            }
        }
    }
}
