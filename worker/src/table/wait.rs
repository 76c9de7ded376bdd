//! Waiting for both engines and the control, with one absolute deadline.

use std::{
    cell::Cell,
    os::fd::{BorrowedFd, OwnedFd},
    time::Instant,
};

use rookery_game::Seat;
use rustix::{
    event::{
        Timespec,
        epoll::{self, EventData, EventFlags},
    },
    io::Errno,
    time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags},
};

const CONTROL: u64 = 2;
const TIMER: u64 = 3;

/// What woke the table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wake {
    pub(super) seats: [bool; 2],
    pub(super) control: bool,
}

/// Made anew for each game: a descriptor that is closed leaves it by itself.
///
/// An engine writes many lines before a deadline, and each wakes the table. So the deadline is a timer of its own, which
/// is set when it changes: a timeout would be set and taken back by the kernel with each line.
#[derive(Debug)]
pub(super) struct Waiter {
    epoll: OwnedFd,
    timer: OwnedFd,
    /// When the timer fires. Earlier than what is waited for does no harm: it is set anew then.
    set: Cell<Option<Instant>>,
}

impl Waiter {
    pub(super) fn new() -> Result<Self, Errno> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        Ok(Self { epoll, timer, set: Cell::new(None) })
    }

    pub(super) fn add_seat(&self, seat: Seat, fds: [BorrowedFd<'_>; 2]) -> Result<(), Errno> {
        let seat = EventData::new_u64(seat.index() as u64);
        fds.iter().try_for_each(|fd| epoll::add(&self.epoll, fd, seat, EventFlags::IN))
    }

    pub(super) fn add_control(&self, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        epoll::add(&self.epoll, fd, EventData::new_u64(CONTROL), EventFlags::IN)
    }

    /// Waits until something happens or `until`, as precisely as the kernel's timers are.
    pub(super) fn wait(&self, until: Option<Instant>) -> Result<Wake, Errno> {
        loop {
            let now = Instant::now();
            let over = until.is_some_and(|until| until <= now);
            if let Some(until) = until.filter(|until| *until > now && self.set.get().is_none_or(|set| set > *until)) {
                self.set(until, now)?;
            }
            let timeout = over.then_some(Timespec { tv_sec: 0, tv_nsec: 0 });
            let mut events = [epoll::Event { flags: EventFlags::empty(), data: EventData::new_u64(0) }; 8];
            let n = match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
                Ok(n) => n,
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno),
            };
            let mut wake = Wake::default();
            for event in &events[..n] {
                match event.data.u64() {
                    TIMER => self.fired()?,
                    CONTROL => wake.control = true,
                    seat => wake.seats[usize::from(seat != 0)] = true,
                }
            }
            if over || wake != Wake::default() {
                return Ok(wake);
            }
        }
    }

    fn set(&self, until: Instant, now: Instant) -> Result<(), Errno> {
        let left = until.duration_since(now);
        let it_value = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value };
        rustix::time::timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
        self.set.set(Some(until));
        Ok(())
    }

    fn fired(&self) -> Result<(), Errno> {
        self.set.set(None);
        match rustix::io::read(&self.timer, &mut [0; 8]) {
            // Set anew since.
            Err(Errno::AGAIN) | Ok(_) => Ok(()),
            Err(errno) => Err(errno),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{os::fd::AsFd, time::Duration};

    use super::*;

    #[test]
    fn each_deadline_is_kept_whether_it_moves_nearer_or_away() {
        let waiter = Waiter::new().unwrap();
        for ms in [20, 5, 30, 0, 10] {
            let begun = Instant::now();
            let until = begun + Duration::from_millis(ms);
            // A timer that is set for later must not delay, and one for earlier must not wake.
            for other in [until + Duration::from_secs(9), begun + Duration::from_micros(300)] {
                waiter.set(other, begun).unwrap();
                assert_eq!(waiter.wait(Some(until)), Ok(Wake::default()), "{ms}");
                assert!(Instant::now() >= until && begun.elapsed() < Duration::from_secs(5), "{ms}");
            }
        }
    }

    #[test]
    fn what_happens_wakes_before_the_deadline() {
        let waiter = Waiter::new().unwrap();
        let (read, write) = rustix::pipe::pipe().unwrap();
        let (quiet, _open) = rustix::pipe::pipe().unwrap();
        waiter.add_seat(Seat::Second, [read.as_fd(), quiet.as_fd()]).unwrap();
        waiter.add_control(rustix::event::eventfd(1, rustix::event::EventfdFlags::CLOEXEC).unwrap().as_fd()).unwrap();
        rustix::io::write(&write, b"x").unwrap();
        let far = Instant::now() + Duration::from_secs(60);
        assert_eq!(waiter.wait(Some(far)).unwrap().seats, [false, true]);
        assert_eq!(waiter.wait(None).unwrap().seats, [false, true]);
        let past = Instant::now();
        assert_eq!(
            waiter.wait(Some(past)).unwrap().seats,
            [false, true],
            "what is there is seen after the deadline too"
        );
    }
}
