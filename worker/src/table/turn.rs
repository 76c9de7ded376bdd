//! One turn: told, waited for, judged.

use std::time::{Duration, Instant};

use rookery_game::{
    Ending, GameResult, Outcome, Ply, Seat,
    clock::{Budget, Flag},
    prediction::Next,
    setup::Killed,
};

use super::{
    HandBackReason,
    lag::LAST_STRETCH,
    lint,
    referee::{Referee, Stop, TELL_EVERY},
};
use crate::engine::{Fault, Go, Player, Said, SearchInfo, Tell, WRITE_TIMEOUT};

/// How often a search without a clock is asked whether it heeds its limit of nodes.
const LOOK_AT_NODES: Duration = Duration::from_secs(1);

/// An engine that has searched so many times its nodes, and [`NODES_OVER`] besides, does not know the limit: it is told to
/// stop, as it would think for ever. Engines look at their count now and then only, so a little more is no fault.
const NODES_TIMES: u64 = 4;
const NODES_OVER: u64 = 1_000_000;

/// While a clock runs the referee never sleeps longer, so that it finds out when the whole process stood still.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);
/// Who wakes so much too late was not waiting for a core but stopped, or the machine was. An engine's clock is not charged
/// for that, as nothing tells when its answer came.
const STOOD_STILL: Duration = Duration::from_millis(500);
/// As late as any wake may be.
const WAKES_LATE: Duration = Duration::from_millis(5);

pub(super) fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// An answer of the side to move, with the times between which its clock ran.
struct Answer {
    text: String,
    ponder: Option<String>,
    info: SearchInfo,
    sent: Instant,
    at: Instant,
    /// How late the referee saw the flag, or how much it overslept during the move.
    late: Duration,
    /// It took the draw that was offered, in place of a move.
    accepts: bool,
}

impl Referee<'_> {
    /// Plays one ply, or says why none comes.
    pub(super) fn turn(&mut self) -> Result<(), Stop> {
        let seat = self.board.to_move();
        let offered = match self.next() {
            Next::Reply(reply) => return self.reply(seat, reply),
            Next::Asked => return self.ask(seat),
            Next::Player { offered } => offered && self.seats[seat.index()].player.takes_offers(),
        };
        let budget = self.clocks[seat.index()].budget();
        self.before = [self.clocks[0].left(), self.clocks[1].left()];
        self.begin(seat, offered)?;
        let answer = self.answer(seat, budget)?;
        self.judge(seat, budget, answer)
    }

    /// What the side to move is told of both clocks. A side with a clock against one without is told its own twice:
    /// UCI has no word for no clock.
    fn go(&self, seat: Seat) -> Go {
        let budgets = [self.clocks[0].budget(), self.clocks[1].budget()];
        let own = &budgets[seat.index()];
        let control = &self.order.setup.side(seat).time_control;
        let whole_ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Go {
            clocks_ms: own.left_ms().map(|ms| [budgets[0].left_ms().unwrap_or(ms), budgets[1].left_ms().unwrap_or(ms)]),
            increments_ms: [budgets[0].increment_ms(), budgets[1].increment_ms()],
            moves_to_go: own.moves_to_go,
            move_time_ms: control.move_time.map(|time| whole_ms(time).max(1)),
            nodes: control.nodes,
            depth: control.depth,
        }
    }

    /// `offered`: a draw is on offer to it, and it knows what that is.
    fn begin(&mut self, seat: Seat, offered: bool) -> Result<(), Stop> {
        let go = self.go(seat);
        if let Some(expected) = self.pondering[seat.index()].take() {
            if self.plies.last().is_some_and(|ply| ply.mv == expected) {
                if offered {
                    self.tell(seat, Tell::Offered)?;
                }
                self.measure(seat);
                return self.tell(seat, Tell::PonderHit);
            }
            self.tell(seat, Tell::Stop)?;
            self.drop_answer(seat)?;
        }
        if offered {
            self.tell(seat, Tell::Offered)?;
        }
        self.measure(seat);
        let told = self.seats[seat.index()].player.tell(Tell::Think { plies: &self.plies, go });
        told.map_err(|fault| self.crash(seat, &fault))
    }

    /// The baseline for this move's lag, where a flag can fall.
    fn measure(&mut self, seat: Seat) {
        if self.order.setup.side(seat).time_control.is_timed()
            && let Some(pid) = self.seats[seat.index()].player.pid()
        {
            self.lag.before_move(pid, Instant::now());
        }
    }

    pub(super) fn tell(&mut self, seat: Seat, what: Tell<'_>) -> Result<(), Stop> {
        let told = self.seats[seat.index()].player.tell(what);
        told.map_err(|fault| self.crash(seat, &fault))
    }

    /// Waits for the answer to a search on an expected move that was not played. It is on nobody's clock.
    fn drop_answer(&mut self, seat: Seat) -> Result<(), Stop> {
        let until = Instant::now() + self.order.setup.limits.stall;
        loop {
            loop {
                let said = self.seats[seat.index()].player.read();
                match said.map_err(|fault| self.crash(seat, &fault))? {
                    Some(Said::Move { .. }) => return Ok(()),
                    Some(_) => {}
                    None => break,
                }
            }
            self.check_control(None)?;
            let now = Instant::now();
            self.tell_plies(now);
            if now >= until {
                let detail = "no answer to `stop` while pondering";
                return Err(Stop::Over(Outcome::fault(seat, Ending::Stall, detail)));
            }
            let wake = self.wait(until, None)?;
            self.look_at_idle(seat, wake)?;
        }
    }

    fn answer(&mut self, seat: Seat, budget: Budget) -> Result<Answer, Stop> {
        let limits = self.order.setup.limits;
        let told = Instant::now();
        self.overslept = Duration::ZERO;
        let mut sent = None;
        let mut flagged: Option<(Instant, Duration)> = None;
        let nodes = self.order.setup.side(seat).time_control.nodes.filter(|_| budget.deadline.is_none());
        let too_many = nodes.map(|nodes| nodes.saturating_mul(NODES_TIMES).saturating_add(NODES_OVER));
        let mut stopped = None;
        let mut look_at = told + LOOK_AT_NODES;
        let mut queued_only = true;
        let mut wake = [true; 2];
        wake[seat.other().index()] = false;
        loop {
            while wake[seat.index()] {
                let player = &mut self.seats[seat.index()].player;
                let said = if queued_only { Ok(player.pop()) } else { player.read() };
                match said {
                    Ok(Some(Said::Sent { at })) => sent = Some(at),
                    Ok(Some(Said::Move { text, ponder, at, info })) => {
                        let late = flagged.map_or(self.overslept, |(_, late)| late.max(self.overslept));
                        return Ok(Answer { text, ponder, info, sent: sent.unwrap_or(at), at, late, accepts: false });
                    }
                    Ok(Some(Said::Accept { at })) => {
                        let (late, sent) = (flagged.map_or(Duration::ZERO, |(_, late)| late), sent.unwrap_or(at));
                        let (text, ponder, info) = (String::new(), None, SearchInfo::default());
                        return Ok(Answer { text, ponder, info, sent, at, late, accepts: true });
                    }
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    // It was late before it died.
                    Err(fault) if let Some((_, late)) = flagged => {
                        let more = format!(", then {fault}");
                        return Err(self.flag_fell(seat, budget, sent.unwrap_or(told), late, None, &more));
                    }
                    Err(fault) => return Err(self.crash(seat, &fault)),
                }
            }
            self.look_at_idle(seat, wake)?;
            self.check_control(flagged.map(|(_, late)| (seat, budget, sent.unwrap_or(told), late)))?;
            let now = Instant::now();
            let player = &self.seats[seat.index()].player;
            let until = match (flagged, sent, budget.deadline) {
                (Some((until, _)), ..) => until,
                (None, None, _) => player.blocked_since().unwrap_or(told) + WRITE_TIMEOUT,
                (None, Some(sent), Some(deadline)) => sent + deadline,
                (None, Some(sent), None) => stopped.unwrap_or_else(|| player.heard_at().max(sent) + limits.silence),
            };
            let looks = stopped.is_none() && now >= look_at;
            if looks {
                look_at = now + LOOK_AT_NODES;
            }
            if looks && too_many.is_some_and(|most| player.nodes() > most) {
                stopped = Some(now + limits.stall);
                let name = &self.order.setup.side(seat).engine.name;
                *self.warnings.entry(format!("{name}: does not heed `go nodes`, was told to stop")).or_default() += 1;
                self.tell(seat, Tell::Stop)?;
                queued_only = false;
                wake = [true; 2];
                continue;
            }
            if now >= until {
                match (flagged, sent, budget.deadline) {
                    (None, Some(_), Some(_)) => {
                        let late = now.duration_since(until).max(self.overslept);
                        flagged = Some((now + limits.stall, late));
                        let stopped = self.seats[seat.index()].player.tell(Tell::Stop);
                        if let (Err(fault), Some(sent)) = (stopped, sent) {
                            return Err(self.flag_fell(seat, budget, sent, late, None, &format!(", then {fault}")));
                        }
                        queued_only = false;
                        wake = [true; 2];
                        continue;
                    }
                    (Some((_, late)), Some(sent), _) => {
                        let detail = format!(", and {} s later no answer", limits.stall.as_secs_f64());
                        return Err(self.flag_fell(seat, budget, sent, late, Some(Ending::Stall), &detail));
                    }
                    (_, None, _) => {
                        let detail = format!("did not read what it was told for {} s", WRITE_TIMEOUT.as_secs());
                        return Err(Stop::Over(Outcome::fault(seat, Ending::Stall, detail)));
                    }
                    (None, Some(_), None) => {
                        let detail = match stopped {
                            Some(_) => format!("no answer to `stop` for {} s", limits.stall.as_secs_f64()),
                            None => format!("wrote nothing for {} s", limits.silence.as_secs_f64()),
                        };
                        return Err(Stop::Over(Outcome::fault(seat, Ending::Stall, detail)));
                    }
                }
            }
            self.tell_plies(now);
            let flag = sent.filter(|_| flagged.is_none()).zip(budget.deadline).map(|(sent, deadline)| sent + deadline);
            wake = self.wait(if too_many.is_some() && stopped.is_none() { until.min(look_at) } else { until }, flag)?;
            queued_only = false;
        }
    }

    /// Waits until something happens, `until`, or plies are to be told; `flag`: when the flag will fall.
    pub(super) fn wait(&mut self, until: Instant, flag: Option<Instant>) -> Result<[bool; 2], Stop> {
        let untold = self.told < self.plies.len();
        let until = if untold { until.min(self.told_at + TELL_EVERY) } else { until };
        let now = Instant::now();
        let stretch = flag.and_then(|flag| flag.checked_sub(LAST_STRETCH));
        // It begins with a wake of its own.
        let until = stretch.filter(|&from| now < from).map_or(until, |from| until.min(from).min(now + LONGEST_SLEEP));
        let (waited, woke) = self.lag.around(stretch, now, || self.waiter.wait(Some(until)));
        let late = woke.saturating_duration_since(until);
        if late > WAKES_LATE {
            self.overslept += late;
        }
        match waited {
            Ok(wake) => Ok(wake.seats),
            Err(errno) => Err(host(format!("epoll_wait: {errno}"))),
        }
    }

    /// The side that does not think: it may have died. What it says is dropped by its player.
    pub(super) fn look_at_idle(&mut self, seat: Seat, wake: [bool; 2]) -> Result<(), Stop> {
        let idle = seat.other();
        while wake[idle.index()] {
            match self.seats[idle.index()].player.read() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(fault) => return Err(self.crash(idle, &fault)),
            }
        }
        Ok(())
    }

    /// Obeys an order to stop. A flag that has fallen stays fallen.
    pub(super) fn check_control(&mut self, flagged: Option<(Seat, Budget, Instant, Duration)>) -> Result<(), Stop> {
        let Some(asked) = self.control.asked() else { return Ok(()) };
        Err(match flagged {
            Some((seat, budget, sent, late)) => self.flag_fell(seat, budget, sent, late, None, ""),
            None => Stop::Back { reason: asked.reason, evidence: String::new(), with_plies: asked.with_plies },
        })
    }

    fn judge(&mut self, seat: Seat, budget: Budget, answer: Answer) -> Result<(), Stop> {
        let mut used = answer.at.saturating_duration_since(answer.sent);
        let clock = &mut self.clocks[seat.index()];
        let stood_still = (answer.late >= STOOD_STILL).then(|| clock.clone());
        if let Err(flag) = clock.charge(used) {
            return Err(self.late(seat, budget, answer.sent, answer.at, flag, answer.late, Ending::TimeLoss, ""));
        }
        if let Some(mut before) = stood_still {
            used = used.saturating_sub(answer.late);
            // It takes less of what was enough.
            let _ = before.charge(used);
            self.clocks[seat.index()] = before;
        }
        if answer.accepts
            && let Some(over) = self.agree(seat)
        {
            return Err(over);
        }
        if answer.text.is_empty() {
            let detail = "`bestmove` without a move".to_owned();
            return Err(Stop::Over(Outcome::fault(seat, Ending::IllegalMove, detail)));
        }
        let mv = match self.board.parse(&answer.text, self.form) {
            Ok(mv) => mv,
            Err(error) => return Err(Stop::Over(Outcome::fault(seat, Ending::IllegalMove, error.to_string()))),
        };
        let mut info = answer.info;
        if !info.pv.is_empty() {
            let (legal, wrong) = lint::legal_part(self.board.as_ref(), self.form, &info.pv);
            let length = legal.len();
            if wrong.is_some() {
                let name = &self.order.setup.side(seat).engine.name;
                *self.warnings.entry(format!("{name}: illegal move in a PV")).or_default() += 1;
            }
            info.pv.truncate(length);
        }
        let line = self.line(seat, mv, &info);
        let foreseen = self.series.as_mut().and_then(|series| series.played(self.board.as_ref(), mv, false));
        let ply = Ply {
            mv: self.board.write(mv, self.form),
            book: false,
            score: info.score,
            depth: info.depth,
            selective_depth: info.selective_depth,
            nodes: info.nodes,
            tablebase_hits: info.tablebase_hits,
            time_ns: ns(self.clocks[seat.index()].cost(used)),
            clock_ns: self.clocks[seat.index()].left().map(ns),
            lag_ns: ns(answer.late),
            pv: info.pv,
            auto: false,
            foreseen: foreseen.map(|hit| hit.counted),
            conditional: String::new(),
            offer: false,
        };
        self.board.play(mv);
        self.thinking += used;
        let ending = self.board.ending().or_else(|| self.adjudicator.after(self.board.as_ref(), &ply, self.tables));
        self.plies.push(ply);
        match ending {
            Some(outcome) => Err(Stop::Over(outcome)),
            None => {
                let stored = self.attach(seat, &line);
                if info.offer {
                    self.offer(seat);
                }
                // On a hit its reply is played at once, on anything else a search on the same move would be void.
                if stored { Ok(()) } else { self.ponder(seat, answer.ponder) }
            }
        }
    }

    /// Lets a side think on the other's time. Told before the other side is, so that it costs nobody's clock.
    fn ponder(&mut self, seat: Seat, expected: Option<String>) -> Result<(), Stop> {
        let Some(expected) = expected.filter(|_| self.order.setup.side(seat).ponder) else { return Ok(()) };
        let Ok(mv) = self.board.parse(&expected, self.form) else {
            let name = &self.order.setup.side(seat).engine.name;
            *self.warnings.entry(format!("{name}: illegal move to ponder on")).or_default() += 1;
            return Ok(());
        };
        let expected = self.board.write(mv, self.form);
        let go = self.go(seat);
        let told = self.seats[seat.index()].player.tell(Tell::Ponder { plies: &self.plies, expected: &expected, go });
        // An engine that died after its move is found by the poll that comes next, after the other's answer.
        if told.is_ok() {
            while self.seats[seat.index()].player.pop().is_some() {}
            self.pondering[seat.index()] = Some(expected);
        }
        Ok(())
    }

    pub(super) fn crash(&self, seat: Seat, fault: &Fault) -> Stop {
        match fault {
            Fault::Host { .. } => host(fault.to_string()),
            Fault::Killed { status, machine } => self.killed(seat, status, machine),
            Fault::Ended { status } => Stop::Over(Outcome::fault(seat, Ending::Crash, format!("engine {status}"))),
        }
    }

    /// An engine was killed, and not for what it did. The kernel's own kills for want of memory are the machine's; of all
    /// others nobody knows by whom, and the event says what becomes of them.
    fn killed(&self, seat: Seat, status: &str, machine: &Result<String, String>) -> Stop {
        let name = &self.order.setup.side(seat).engine.name;
        match (machine, self.order.setup.killed) {
            (Ok(how), _) => host(format!("{name} {status}: {how}")),
            (Err(why), Killed::Interruption) => host(format!(
                "{name} {status}: {why}, so that it is not known by whom; `killed = \"interruption\"` in the event"
            )),
            (Err(why), Killed::Crash) => {
                let detail = format!(
                    "engine {status}: {why}, so that it is not known by whom; `killed = \"crash\"` in the event makes it \
                     the engine's"
                );
                Stop::Over(Outcome::fault(seat, Ending::Crash, detail))
            }
        }
    }

    /// A flag fell and no answer is at hand; `late`: how late the referee saw it.
    fn flag_fell(
        &mut self,
        seat: Seat,
        budget: Budget,
        sent: Instant,
        late: Duration,
        ending: Option<Ending>,
        more: &str,
    ) -> Stop {
        let at = Instant::now();
        let allowed = budget.deadline.unwrap_or_default();
        let flag = Flag { late: at.saturating_duration_since(sent).saturating_sub(allowed) };
        self.late(seat, budget, sent, at, flag, late, ending.unwrap_or(Ending::TimeLoss), more)
    }

    /// Judges a fallen flag: the engine's fault, unless the host took the time that was missing.
    #[expect(clippy::too_many_arguments, reason = "one judgement, all of its evidence")]
    fn late(
        &mut self,
        seat: Seat,
        budget: Budget,
        sent: Instant,
        at: Instant,
        flag: Flag,
        referee: Duration,
        ending: Ending,
        more: &str,
    ) -> Stop {
        let used = at.saturating_duration_since(sent);
        let found = self.lag.found(sent, at, referee);
        let (setup, lag) = (&self.order.setup, found.total());
        let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
        let detail = format!("used {}, {} late{more}", seconds(used), seconds(flag.late));
        if lag >= setup.limits.lag && budget.deadline.is_some_and(|deadline| used.saturating_sub(lag) <= deadline) {
            let evidence = format!("{}: {detail}; {}", setup.side(seat).engine.name, found.evidence());
            return Stop::Back { reason: HandBackReason::Lag, evidence, with_plies: true };
        }
        let mut outcome = Outcome::fault(seat, ending, format!("{detail}; {}", found.evidence()));
        if setup.adjudication.flag_draw_without_material && !self.board.can_win(seat.other()) {
            outcome.result = GameResult::Draw;
        }
        Stop::Over(outcome)
    }
}

fn host(evidence: String) -> Stop {
    Stop::Back { reason: HandBackReason::HostFault, evidence, with_plies: true }
}
