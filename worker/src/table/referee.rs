//! One game from its first ready engine to its record.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant, SystemTime},
};

use rookery_game::{
    Board, Clock, Form, GameRecord, Outcome, Ply, Seat,
    adjudicate::{Adjudicator, Tablebase},
    board,
    clock::Counting,
    prediction::Series,
    record::{Note, Transcript},
};

use super::{
    Control, HandBackReason, HandedBack, TableEnd, TableEvent, TableOrder,
    lag::Lag,
    ready::Ready,
    slot::{Seated, Starter, host_fault},
    urgent::Urgent,
    wait::Waiter,
};
use crate::engine::Player;

/// Plies told at once, so that a game of quick moves costs its listeners no more than a slow one.
pub(super) const TELL_EVERY: Duration = Duration::from_millis(100);

/// Why the next turn does not come.
pub(super) enum Stop {
    Over(Outcome),
    Back { reason: HandBackReason, evidence: String, with_plies: bool },
}

/// The state of one game.
pub(super) struct Referee<'a> {
    pub(super) order: &'a TableOrder,
    pub(super) tables: Option<&'a dyn Tablebase>,
    pub(super) control: &'a Control,
    pub(super) sink: &'a mut dyn FnMut(TableEvent),
    pub(super) waiter: &'a Waiter,
    pub(super) seats: &'a mut [Seated; 2],
    pub(super) board: Box<dyn Board>,
    pub(super) form: Form,
    pub(super) clocks: [Clock; 2],
    /// As they stood before the move in work.
    pub(super) before: [Option<Duration>; 2],
    pub(super) adjudicator: Adjudicator,
    /// Strings of conditional moves, where predictions are scored.
    pub(super) series: Option<Series>,
    pub(super) notes: Vec<Note>,
    pub(super) plies: Vec<Ply>,
    pub(super) pondering: [Option<String>; 2],
    pub(super) lag: &'a mut Lag,
    pub(super) warnings: BTreeMap<String, u32>,
    pub(super) told: usize,
    pub(super) told_at: Instant,
    /// How much later than it wanted the referee woke during this move.
    pub(super) overslept: Duration,
    pub(super) thinking: Duration,
    started: Instant,
    started_unix_ms: u64,
}

impl<'a> Referee<'a> {
    #[expect(clippy::too_many_arguments, reason = "called once; they are all that a game needs")]
    pub(super) fn play(
        starter: &'a Starter,
        lag: &'a mut Lag,
        order: &'a TableOrder,
        tables: Option<&'a dyn Tablebase>,
        control: &'a Control,
        sink: &'a mut dyn FnMut(TableEvent),
        waiter: &'a Waiter,
        seats: &'a mut [Seated; 2],
    ) -> TableEnd {
        let Game { board, plies, adjudicator, series, ending } = match set_up(order, tables) {
            Ok(game) => game,
            Err(why) => return host_fault(order, &why),
        };
        let watched = waiter
            .add_control(control.fd())
            .and_then(|()| waiter.add_seat(Seat::First, seats[0].player.fds()))
            .and_then(|()| waiter.add_seat(Seat::Second, seats[1].player.fds()));
        if let Err(errno) = watched {
            return host_fault(order, &format!("epoll_ctl: {errno}"));
        }
        let mut ready = Ready { starter, order, waiter, control, warnings: Vec::new() };
        if let Err(end) = ready.all(seats) {
            return *end;
        }
        let mut warnings = BTreeMap::new();
        for warning in ready.warnings {
            *warnings.entry(warning).or_default() += 1;
        }
        let started = Instant::now();
        let clocks = clocks(order, &plies);
        let referee = Self {
            order,
            tables,
            control,
            sink,
            waiter,
            seats,
            form: board::protocol_form(order.setup.kind),
            before: [clocks[0].left(), clocks[1].left()],
            board,
            clocks,
            adjudicator,
            series,
            notes: order.resume.as_ref().map_or_else(Vec::new, |resume| resume.notes.clone()),
            told: plies.len(),
            plies,
            pondering: [None, None],
            lag,
            warnings,
            told_at: started,
            overslept: Duration::ZERO,
            thinking: Duration::ZERO,
            started,
            started_unix_ms: unix_ms(),
        };
        let engines = [referee.seats[0].player.identity(), referee.seats[1].player.identity()];
        (referee.sink)(TableEvent::Started { engines, at_unix_ms: referee.started_unix_ms });
        referee.run(ending, &starter.cores)
    }

    /// `cpus`: where this thread shall run; empty: anywhere.
    fn run(mut self, ending: Option<Outcome>, cpus: &[u32]) -> TableEnd {
        let _urgent = Urgent::raise(cpus);
        let mut stop = ending.map(Stop::Over);
        loop {
            match stop {
                None => stop = self.turn().err(),
                Some(Stop::Over(outcome)) => return self.finish(outcome),
                Some(Stop::Back { reason, evidence, with_plies }) => {
                    let transcripts = self.transcripts();
                    let plies = if with_plies { self.plies } else { Vec::new() };
                    let (clocks, engine) = (self.before, String::new());
                    let back = HandedBack { reason, evidence, plies, clocks, transcripts, engine };
                    return TableEnd::HandedBack(Box::new(back));
                }
            }
        }
    }

    fn finish(mut self, outcome: Outcome) -> TableEnd {
        for seat in Seat::BOTH {
            let name = &self.order.setup.side(seat).engine.name;
            for (warning, count) in self.seats[seat.index()].player.take_warnings() {
                *self.warnings.entry(format!("{name}: {warning}")).or_default() += count;
            }
        }
        let keep = outcome.fault.is_some() || self.order.setup.keep_transcript;
        let transcripts = if keep { self.transcripts() } else { Vec::new() };
        let resume = self.order.resume.as_ref();
        TableEnd::Finished(Box::new(GameRecord {
            event: self.order.event.clone(),
            name: self.order.name.clone(),
            setup: self.order.setup.clone(),
            engines: [self.seats[0].player.identity(), self.seats[1].player.identity()],
            plies: self.plies,
            outcome: Some(outcome),
            started_unix_ms: self.started_unix_ms,
            began_unix_ms: 0,
            ended_unix_ms: unix_ms(),
            worker: self.order.worker.clone(),
            notes: self.notes,
            transcripts,
            warnings: self.warnings,
            restarts: resume.map_or(0, |resume| resume.restarts),
            nth: 0,
            interrupted: Vec::new(),
        }))
    }

    fn transcripts(&self) -> Vec<Transcript> {
        Seat::BOTH.map(|seat| self.seats[seat.index()].player.transcript(seat, self.started)).to_vec()
    }

    /// Tells the sink of plies that it does not know, if it is time.
    pub(super) fn tell_plies(&mut self, now: Instant) {
        if self.told == self.plies.len() || now.duration_since(self.told_at) < TELL_EVERY {
            return;
        }
        let event = TableEvent::Plies {
            first_ply: u32::try_from(self.told).unwrap_or(u32::MAX),
            plies: self.plies[self.told..].to_vec(),
            clocks: [self.clocks[0].left(), self.clocks[1].left()],
            thinking: std::mem::take(&mut self.thinking),
        };
        (self.sink)(event);
        self.told = self.plies.len();
        self.told_at = now;
    }
}

/// A game that may go on, or is over.
struct Game {
    board: Box<dyn Board>,
    plies: Vec<Ply>,
    adjudicator: Adjudicator,
    series: Option<Series>,
    ending: Option<Outcome>,
}

/// The board after the opening, or after all that was played before an interruption.
fn set_up(order: &TableOrder, tables: Option<&dyn Tablebase>) -> Result<Game, String> {
    let setup = &order.setup;
    let mut board = setup.board().map_err(|error| error.to_string())?;
    let form = board::protocol_form(setup.kind);
    let mut adjudicator = Adjudicator::new(setup.adjudication.clone());
    let plies = order.resume.as_ref().map_or_else(
        || setup.start.moves.iter().map(|mv| Ply { mv: mv.clone(), book: true, ..Ply::default() }).collect(),
        |resume| resume.plies.clone(),
    );
    let series = setup.predictions.clone().map(|rules| {
        let mut series = Series::new(rules);
        series.replay(&mut *board.fork(), &plies);
        series
    });
    let mut ending = board.ending();
    for (n, ply) in plies.iter().enumerate() {
        if ending.is_some() {
            return Err(format!("the game is over after {n} of the {} plies it should begin with", plies.len()));
        }
        let mv = board.parse(&ply.mv, form).map_err(|error| format!("ply {}: {error}", n + 1))?;
        board.play(mv);
        ending = board.ending().or_else(|| adjudicator.after(board.as_ref(), ply, tables));
    }
    Ok(Game { board, plies, adjudicator, series, ending })
}

fn clocks(order: &TableOrder, plies: &[Ply]) -> [Clock; 2] {
    // Who made a ply follows from who moves first, not from its index.
    let first = order.setup.board().map_or(Seat::First, |board| board.to_move());
    Seat::BOTH.map(|seat| {
        let side = order.setup.side(seat);
        let parity = usize::from(seat != first);
        let moves = plies.iter().enumerate().filter(|(n, ply)| n % 2 == parity && !ply.book).count();
        let left = order.resume.as_ref().and_then(|resume| resume.clocks[seat.index()]);
        let (control, margin) = (side.time_control.clone(), side.margin);
        Clock::resume(control, margin, Counting::default(), left, u32::try_from(moves).unwrap_or(u32::MAX))
    })
}

fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
