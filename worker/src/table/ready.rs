//! From two processes to two engines that are ready for this game. None of it is on a clock.

use std::time::{Duration, Instant};

use rookery_game::{Seat, setup::Limits};

use super::{
    TableEnd, TableOrder,
    slot::{Seated, Starter, handed_back, host_fault, not_started},
    wait::Waiter,
};
use crate::engine::{Fault, NotStarted, Player, Said, Tell};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The search of the game before was broken off; its answer must come first.
    Settling,
    Starting,
    Greeting,
    NewGame,
    Done,
}

struct Seating {
    stage: Stage,
    until: Instant,
    limit: Duration,
    replaced: bool,
}

impl Seating {
    fn go_to(&mut self, stage: Stage, limits: &Limits) {
        self.limit = match stage {
            Stage::Settling => limits.stall,
            Stage::Starting => limits.start,
            Stage::Greeting => limits.ready,
            Stage::NewGame | Stage::Done => limits.new_game,
        };
        self.stage = stage;
        self.until = Instant::now() + self.limit;
    }
}

/// Why a seat is not ready.
enum Failure {
    Fault(Fault),
    Late,
}

pub(super) struct Ready<'a> {
    pub(super) starter: &'a Starter,
    pub(super) order: &'a TableOrder,
    pub(super) waiter: &'a Waiter,
    pub(super) control: &'a super::Control,
    /// One line for each engine that had to be started anew.
    pub(super) warnings: Vec<String>,
}

impl Ready<'_> {
    /// Brings both engines to the start of the game. An engine that stayed from the game before and does not get there
    /// is started anew once; a fresh one that does not has not started.
    pub(super) fn all(&mut self, seats: &mut [Seated; 2]) -> Result<(), Box<TableEnd>> {
        let limits = self.order.setup.limits;
        let mut seatings = Seat::BOTH.map(|seat| {
            let mut seating =
                Seating { stage: Stage::Starting, until: Instant::now(), limit: Duration::ZERO, replaced: false };
            seating.go_to(if seats[seat.index()].used { Stage::Settling } else { Stage::Starting }, &limits);
            seating
        });
        for seat in Seat::BOTH {
            let seated = &mut seats[seat.index()];
            if seated.used && seated.player.is_idle() {
                let told = self.new_game(seated, &mut seatings[seat.index()]);
                if let Err(fault) = told {
                    self.give_up(seat, seated, &mut seatings[seat.index()], Failure::Fault(fault))?;
                }
            }
        }
        let mut look = [true; 2];
        loop {
            for seat in Seat::BOTH {
                let (seated, seating) = (&mut seats[seat.index()], &mut seatings[seat.index()]);
                let failure =
                    if look[seat.index()] { self.read(seated, seating).err().map(Failure::Fault) } else { None };
                let late = seating.stage != Stage::Done && Instant::now() >= seating.until;
                if let Some(failure) = failure.or_else(|| late.then_some(Failure::Late)) {
                    self.give_up(seat, seated, seating, failure)?;
                }
            }
            if seatings.iter().all(|seating| seating.stage == Stage::Done) {
                return Ok(());
            }
            let until = seatings.iter().filter(|s| s.stage != Stage::Done).map(|s| s.until).min();
            let wake =
                self.waiter.wait(until).map_err(|errno| host_fault(self.order, &format!("epoll_wait: {errno}")))?;
            if let Some(asked) = self.control.asked() {
                return Err(Box::new(handed_back(self.order, asked.reason, "before it began".to_owned(), "")));
            }
            look = wake.seats;
        }
    }

    fn read(&self, seated: &mut Seated, seating: &mut Seating) -> Result<(), Fault> {
        let limits = &self.order.setup.limits;
        while let Some(said) = seated.player.read()? {
            match (said, seating.stage) {
                (Said::Started, Stage::Starting) => seating.go_to(Stage::Greeting, limits),
                (Said::Ready, Stage::Greeting) | (Said::Idle, Stage::Settling) => self.new_game(seated, seating)?,
                (Said::Ready, Stage::NewGame) => seating.go_to(Stage::Done, limits),
                _ => {}
            }
        }
        Ok(())
    }

    fn new_game(&self, seated: &mut Seated, seating: &mut Seating) -> Result<(), Fault> {
        let setup = &self.order.setup;
        seating.go_to(Stage::NewGame, &setup.limits);
        seated.player.tell(Tell::NewGame { kind: setup.kind, start: &setup.start })
    }

    fn give_up(
        &mut self,
        seat: Seat,
        seated: &mut Seated,
        seating: &mut Seating,
        failure: Failure,
    ) -> Result<(), Box<TableEnd>> {
        let error: NotStarted = match &failure {
            Failure::Fault(Fault::Host { .. }) | Failure::Late => seated.player.too_slow(seating.limit),
            Failure::Fault(fault) => seated.player.not_started(fault),
        };
        if let Failure::Fault(Fault::Host { call, errno }) = &failure {
            return Err(Box::new(host_fault(self.order, &format!("{call}: {errno}"))));
        }
        if let Failure::Fault(Fault::Killed { machine: Ok(how), .. }) = &failure
            && (!seated.used || seating.replaced)
        {
            return Err(Box::new(host_fault(self.order, &format!("{error}: {how}"))));
        }
        if !seated.used || seating.replaced {
            let mut end = not_started(self.order, seat, &error);
            if let TableEnd::HandedBack(back) = &mut end {
                back.transcripts.push(seated.player.transcript(seat, seated.started_at));
            }
            return Err(Box::new(end));
        }
        let name = &self.order.setup.side(seat).engine.name;
        self.warnings.push(match failure {
            Failure::Fault(fault) => format!("{name}: {fault} between games, started anew"),
            Failure::Late => format!("{name}: not ready for the next game, started anew"),
        });
        self.starter.replace(self.order, seat, seated).map_err(|error| not_started(self.order, seat, &error))?;
        let watched = self.waiter.add_seat(seat, seated.player.fds());
        watched.map_err(|errno| host_fault(self.order, &format!("epoll_ctl: {errno}")))?;
        seating.replaced = true;
        seating.go_to(Stage::Starting, &self.order.setup.limits);
        Ok(())
    }
}
