//! What the store has of a game without a result: where it would go on.

use rookery_game::{
    GameSetup, Outcome, Ply, Seat, adjudicate,
    board::{Notation, protocol_form},
    record::Note,
};
use rookery_proto::v1;
use rookery_tournament::{
    GameId,
    interruption::{Broken, evaluation},
};

use super::{
    limits,
    state::Running,
    stored::{Checkpoint, RestartMark, encode},
};
use crate::wire;

/// The checkpoints of one game, put together.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) plies: Vec<Ply>,
    /// After the last ply, nanoseconds.
    pub(super) clocks: [Option<u64>; 2],
    pub(super) notes: Vec<Note>,
    pub(super) restarts: u32,
    /// The number of the next checkpoint.
    pub(super) next: u32,
    /// Plies there were when it went on last.
    pub(super) from: usize,
    /// The last worker that played it.
    pub(super) worker: String,
    /// When the first attempt of it began, milliseconds since 1970; 0: not known.
    pub(super) began_unix_ms: u64,
    /// Clocks, restarts and the number of notes before it went on last.
    before: Option<([Option<u64>; 2], u32, usize)>,
    /// How it goes on with the next handing-out.
    pub(super) plan: Option<Plan>,
    /// What the tables said about this position, once they were asked.
    pub(super) table: Option<Option<rookery_game::GameResult>>,
}

/// How a game goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) clocks: [Option<u64>; 2],
    pub(super) note: String,
}

/// What came back of a game that was handed back.
pub(super) struct Back {
    pub(super) game: GameId,
    pub(super) plies: Vec<Ply>,
    pub(super) clocks: [Option<u64>; 2],
    pub(super) started_unix_ms: u64,
}

/// A broken game on the board.
pub(super) struct Position {
    pub(super) broken: Broken,
    /// The rules ended it before it was broken off.
    pub(super) over: Option<Outcome>,
    pub(super) notation: Notation,
}

impl Kept {
    /// Takes a checkpoint that is on record.
    pub(super) fn fold(&mut self, seq: u32, checkpoint: Checkpoint) {
        let Checkpoint { first_ply, plies, first_clock_ns, second_clock_ns, worker, restart, started_unix_ms, .. } =
            checkpoint;
        self.next = self.next.max(seq.saturating_add(1));
        let first = first_ply as usize;
        if first > self.plies.len() {
            return;
        }
        if let Some(mark) = restart {
            // Fewer than before: the last time is undone.
            let goes_on = mark.restarts > self.restarts;
            self.before = goes_on.then_some((self.clocks, self.restarts, self.notes.len()));
            self.restarts = mark.restarts;
            self.notes = mark.notes;
            self.from = first;
        }
        if !worker.is_empty() {
            self.worker = worker;
        }
        if self.began_unix_ms == 0 {
            self.began_unix_ms = started_unix_ms;
        }
        self.plies.truncate(first);
        self.plies.extend(plies);
        self.clocks = [first_clock_ns, second_clock_ns];
    }

    /// Whether anything was played in it beyond its opening.
    pub(super) fn played(&self) -> bool {
        self.plies.iter().any(|ply| !ply.book)
    }

    /// How many plies from the start are the same.
    fn agrees<'a>(&self, moves: impl Iterator<Item = &'a str>) -> usize {
        self.plies.iter().zip(moves).take_while(|(ply, mv)| ply.mv == **mv).count()
    }

    /// What is new in a running game; `None`: nothing, or more than a checkpoint takes.
    pub(super) fn progress(&self, running: &Running, game: &GameId, worker: &str) -> Option<Checkpoint> {
        let first = self.agrees(running.plies.iter().map(|ply| ply.r#move.as_str()));
        let plies: Vec<Ply> = running.plies.iter().skip(first).cloned().map(wire::read_ply).collect();
        if plies.is_empty() {
            return None;
        }
        fitting(game, first, plies, running.clocks, (worker, running.started_unix_ms))
    }

    /// What is new in a game that came back; `None` where nothing is.
    pub(super) fn handed_back(&self, back: &Back, worker: &str) -> Option<Checkpoint> {
        let first = self.agrees(back.plies.iter().map(|ply| ply.mv.as_str()));
        if back.plies.len() <= first {
            return None;
        }
        fitting(&back.game, first, back.plies.get(first..)?.to_vec(), back.clocks, (worker, back.started_unix_ms))
    }

    /// The checkpoint with which it goes on as planned.
    pub(super) fn restart(&self, game: &GameId) -> Option<Checkpoint> {
        let plan = self.plan.as_ref()?;
        let ply = u32::try_from(self.plies.len()).unwrap_or(u32::MAX);
        let mut notes = self.notes.clone();
        notes.push(Note { ply, text: plan.note.clone() });
        Some(Checkpoint {
            take: game.take,
            first_ply: ply,
            plies: Vec::new(),
            first_clock_ns: plan.clocks[0],
            second_clock_ns: plan.clocks[1],
            worker: String::new(),
            started_unix_ms: 0,
            restart: Some(RestartMark { restarts: self.restarts + 1, notes }),
        })
    }

    /// What is stored with the end of an attempt that ended before the game had begun again: that was no restart, and
    /// no clock ran. `None` where it did not go on, or something was played since.
    pub(super) fn undone(&self, game: &GameId) -> Option<Checkpoint> {
        let (clocks, restarts, notes) = self.before.filter(|_| self.plies.len() == self.from)?;
        Some(Checkpoint {
            take: game.take,
            first_ply: u32::try_from(self.plies.len()).unwrap_or(u32::MAX),
            plies: Vec::new(),
            first_clock_ns: clocks[0],
            second_clock_ns: clocks[1],
            worker: String::new(),
            started_unix_ms: 0,
            restart: Some(RestartMark { restarts, notes: self.notes.get(..notes).unwrap_or_default().to_vec() }),
        })
    }

    /// Where a worker goes on; `None` where the game begins.
    pub(super) fn resume_point(&self) -> Option<v1::ResumePoint> {
        if !self.played() {
            return None;
        }
        let mut plies: Vec<v1::Ply> = self.plies.iter().map(wire::ply).collect();
        // The order must fit a message: of the oldest plies the variations are left out.
        let mut room = limits::RESUME_PV_BYTES;
        for ply in plies.iter_mut().rev() {
            match room.checked_sub(ply.pv.len()) {
                Some(left) => room = left,
                None => ply.pv = String::new(),
            }
        }
        Some(v1::ResumePoint {
            plies,
            first_clock_ns: self.clocks[0],
            second_clock_ns: self.clocks[1],
            notes: self.notes.iter().map(|note| v1::Note { ply: note.ply, text: note.text.clone() }).collect(),
            restarts: self.restarts,
        })
    }

    /// The last position, and all that a rule looks at.
    ///
    /// # Errors
    /// Where the plies do not replay.
    pub(super) fn position(&self, setup: &GameSetup) -> Result<Position, String> {
        let opening = &setup.start.moves;
        if self.agrees(opening.iter().map(String::as_str)) < opening.len() {
            return Err("what is stored of it does not begin with its opening".to_owned());
        }
        let mut board = setup.board().map_err(|error| error.to_string())?;
        let form = protocol_form(setup.kind);
        let mut broken = Broken {
            plies: u32::try_from(self.plies.len()).unwrap_or(u32::MAX),
            played: self.played(),
            restarts: self.restarts,
            table: self.table,
            ..Broken::default()
        };
        let mut timed = [0_u32; 2];
        let mut clocks = [None; 2];
        for (n, ply) in self.plies.iter().enumerate() {
            if board.ending().is_some() {
                return Err(format!("the rules had ended it after ply {n}"));
            }
            let seat = board.to_move();
            let at = seat.index();
            let mv = board.parse(&ply.mv, form).map_err(|error| format!("ply {}: {error}", n + 1))?;
            board.play(mv);
            broken.moves[at] += 1;
            timed[at] += u32::from(!ply.book);
            broken.evaluations[at] = ply.score.filter(|_| !ply.book).map(|score| evaluation(score, seat));
            broken.last_think[at] = ply.time();
            clocks[at] = ply.clock_ns.or(clocks[at]);
        }
        for seat in Seat::BOTH {
            let at = seat.index();
            let control = &setup.side(seat).time_control;
            broken.bases[at] = control.base_after(timed[at]);
            let clock = self.clocks[at].or(clocks[at]).map(std::time::Duration::from_nanos);
            broken.clocks[at] = if control.has_clock() { clock.or(broken.bases[at]) } else { None };
        }
        if let Some((men, castling)) = adjudicate::men(board.as_ref()) {
            (broken.men, broken.castling) = (Some(men), castling);
        }
        Ok(Position { broken, over: board.ending(), notation: board.notation() })
    }
}

/// A checkpoint that fits its limit: without the variations where there is no room for them.
fn fitting(
    game: &GameId,
    first: usize,
    plies: Vec<Ply>,
    clocks: [Option<u64>; 2],
    (worker, started_unix_ms): (&str, u64),
) -> Option<Checkpoint> {
    let mut checkpoint = Checkpoint {
        take: game.take,
        first_ply: u32::try_from(first).ok()?,
        plies,
        first_clock_ns: clocks[0],
        second_clock_ns: clocks[1],
        worker: worker.to_owned(),
        started_unix_ms,
        restart: None,
    };
    let fits = |checkpoint: &Checkpoint| encode(checkpoint).len() <= limits::CHECKPOINT_BYTES;
    if !fits(&checkpoint) {
        checkpoint.plies.iter_mut().for_each(|ply| ply.pv = String::new());
    }
    fits(&checkpoint).then_some(checkpoint)
}

/// The game as its setup begins it.
pub(super) fn opening_plies(setup: &GameSetup) -> Vec<v1::Ply> {
    let book = |mv: &String| v1::Ply { r#move: mv.clone(), book: true, ..v1::Ply::default() };
    setup.start.moves.iter().map(book).collect()
}
