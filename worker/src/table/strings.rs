//! Strings of conditional moves at the table (the Prediction Criterion): taken from the engine, kept hidden, played for it.

use std::time::Instant;

use rookery_game::{
    Ending, Move, Outcome, Ply, Seat,
    prediction::{Next, Remark, Source, from_pv},
    record::Note,
};

use super::{
    referee::{Referee, Stop},
    turn::ns,
};
use crate::engine::{Player, Said, SearchInfo, Tell};

impl Referee<'_> {
    /// The string that an engine gave with `mv`: by its own command, else by its principal variation, as the event says.
    pub(super) fn line(&self, seat: Seat, mv: Move, info: &SearchInfo) -> String {
        debug_assert_eq!(seat, self.board.to_move(), "the move is not played yet");
        let Some(rules) = &self.order.setup.predictions else { return String::new() };
        let command = info.conditional.clone().filter(|_| rules.source != Source::Pv);
        match command {
            Some(line) => line,
            None if rules.source == Source::Command => String::new(),
            None => from_pv(self.board.as_ref(), mv, &info.pv, rules.max_pairs.unwrap_or(1)).join(" "),
        }
    }

    /// Stores the string of the move that was just played; whether one is stored.
    pub(super) fn attach(&mut self, seat: Seat, line: &str) -> bool {
        let Some(series) = &mut self.series else { return false };
        let remarks = series.attach(self.board.as_ref(), line.split_ascii_whitespace());
        let stored = series.stored(self.board.as_ref(), seat);
        let is_stored = !stored.is_empty();
        if let Some(ply) = self.plies.last_mut() {
            ply.conditional = stored;
        }
        let name = &self.order.setup.side(seat).engine.name;
        for remark in remarks {
            let what = match remark {
                Remark::Illegal { .. } => "illegal conditional move",
                Remark::Dangling { .. } => "conditional move without a reply",
                Remark::Missing { .. } => "no conditional moves where some were due",
            };
            *self.warnings.entry(format!("{name}: {what}")).or_default() += 1;
            self.notes.push(Note { ply: u32::try_from(self.plies.len()).unwrap_or(u32::MAX), text: remark.text() });
        }
        is_stored
    }

    /// Whose word comes next.
    pub(super) fn next(&self) -> Next {
        let next = self.series.as_ref().map(|series| series.next(self.board.as_ref()));
        next.unwrap_or(Next::Player { offered: false })
    }

    /// Puts the offer that came with the last move on record; it is made by a move that a side made itself.
    pub(super) fn offer(&mut self, by: Seat) {
        if self.series.as_mut().is_some_and(|series| series.offer(by))
            && let Some(ply) = self.plies.last_mut()
        {
            ply.offer = true;
        }
    }

    /// The side to move takes the draw on offer.
    pub(super) fn agree(&mut self, seat: Seat) -> Option<Stop> {
        let mut outcome = self.series.as_mut()?.accept(seat)?;
        let name = |seat| &self.order.setup.side(seat).engine.name;
        outcome.detail = format!("offered by {}, taken by {}", name(seat.other()), name(seat));
        Some(Stop::Over(outcome))
    }

    /// A series pauses: its owner says whether it takes the draw that came with the move it had foreseen. Off its clock, as a
    /// string costs its owner nothing; who knows no offers declines.
    pub(super) fn ask(&mut self, seat: Seat) -> Result<(), Stop> {
        if self.seats[seat.index()].player.takes_offers() {
            self.before = [self.clocks[0].left(), self.clocks[1].left()];
            self.tell(seat, Tell::Ask { plies: &self.plies.clone() })?;
            if self.takes(seat)?
                && let Some(over) = self.agree(seat)
            {
                return Err(over);
            }
        }
        if let Some(series) = &mut self.series {
            series.decline();
        }
        Ok(())
    }

    /// Waits for the answer to [`Tell::Ask`].
    fn takes(&mut self, seat: Seat) -> Result<bool, Stop> {
        let limit = self.order.setup.limits.ready;
        let until = Instant::now() + limit;
        let mut accepts = false;
        loop {
            loop {
                let said = self.seats[seat.index()].player.read();
                match said.map_err(|fault| self.crash(seat, &fault))? {
                    Some(Said::Accept { .. }) => accepts = true,
                    Some(Said::Ready) => return Ok(accepts),
                    Some(_) => {}
                    None => break,
                }
            }
            self.check_control(None)?;
            let now = Instant::now();
            self.tell_plies(now);
            if now >= until {
                let detail = format!("no answer to an offered draw for {} s", limit.as_secs_f64());
                return Err(Stop::Over(Outcome::fault(seat, Ending::Stall, detail)));
            }
            let wake = self.wait(until, None)?;
            self.look_at_idle(seat, wake)?;
        }
    }

    /// Plays the stored reply for a side: nobody is asked, and nothing is charged.
    pub(super) fn reply(&mut self, seat: Seat, mv: Move) -> Result<(), Stop> {
        self.check_control(None)?;
        self.before = [self.clocks[0].left(), self.clocks[1].left()];
        let increment = self.order.setup.predictions.as_ref().is_some_and(|rules| rules.auto_increment);
        self.clocks[seat.index()].pass(increment);
        let foreseen = self.series.as_mut().and_then(|series| series.played(self.board.as_ref(), mv, true));
        let ply = Ply {
            mv: self.board.write(mv, self.form),
            auto: true,
            foreseen: foreseen.map(|hit| hit.counted),
            clock_ns: self.clocks[seat.index()].left().map(ns),
            ..Ply::default()
        };
        self.board.play(mv);
        let ending = self.board.ending().or_else(|| self.adjudicator.after(self.board.as_ref(), &ply, self.tables));
        self.plies.push(ply);
        ending.map_or(Ok(()), |outcome| Err(Stop::Over(outcome)))
    }
}
