//! One game's strings and points.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{
    OnMissing, Predictions, Remark, Zone,
    strings::{checked, read},
};
use crate::{Board, Ending, GameResult, GameSetup, Move, Outcome, Ply, Seat, board, board::protocol_form};

/// A move that was foreseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// By whom.
    pub by: Seat,
    /// Whether it brought a point: its number is in the zone.
    pub counted: bool,
}

/// The score of a game's predictions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Points, by [`Seat::index`].
    pub points: [u32; 2],
    /// Who cannot win, as a string was missing and the rules say so.
    #[serde(default)]
    pub forfeited: [bool; 2],
}

impl Tally {
    /// Who won the prediction: more points, else the second seat (Black), also at 0:0.
    #[must_use]
    pub const fn winner(&self) -> Seat {
        match self.forfeited {
            [true, false] => Seat::Second,
            [false, true] => Seat::First,
            _ if self.points[0] > self.points[1] => Seat::First,
            _ => Seat::Second,
        }
    }
}

/// Whose word comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// The table plays this reply of the side to move.
    Reply(Move),
    /// The series pauses: the side to move is asked whether it takes the draw that was offered with the foreseen move. What
    /// it says is told by [`Series::accept`] or [`Series::decline`].
    Asked,
    /// The side to move makes a move of its own. With a draw on offer it may [`Series::accept`] in place of it.
    Player {
        /// The move before came with an offer.
        offered: bool,
    },
}

/// The strings of a game in play, and the draw on offer. For each move: [`Series::played`], then the board plays it, then,
/// where a player made it, [`Series::attach`], and [`Series::offer`] where it offers a draw; then [`Series::next`] says what
/// the table does.
///
/// A draw that was offered with a foreseen move pauses the series: the point stands, and the table asks the owner before it
/// plays the reply. Accepted, the game is over; declined, the reply is played as if nothing had been offered.
#[derive(Debug, Clone)]
pub struct Series {
    rules: Predictions,
    open: [VecDeque<Move>; 2],
    /// The reply at the head of a string may be played.
    due: [bool; 2],
    /// The number of each side's last move.
    number: [u32; 2],
    tally: Tally,
    /// Whose draw is on offer.
    offered: Option<Seat>,
}

impl Series {
    /// Before the first move.
    #[must_use]
    pub fn new(rules: Predictions) -> Self {
        Self {
            rules,
            open: Default::default(),
            due: [false; 2],
            number: [0; 2],
            tally: Tally::default(),
            offered: None,
        }
    }

    /// A move is made on `before`; `auto`: it is the reply that [`Series::next`] gave. Whether it was foreseen.
    pub fn played(&mut self, before: &dyn Board, mv: Move, auto: bool) -> Option<Hit> {
        let by = before.to_move();
        let number = before.move_number();
        // A move declines what was offered.
        self.offered = None;
        let own = &mut self.open[by.index()];
        if !auto || own.pop_front() != Some(mv) {
            // A move of one's own takes the place of what was stored.
            own.clear();
        }
        self.due[by.index()] = false;
        self.number[by.index()] = number;
        let owner = by.other();
        let stored = &mut self.open[owner.index()];
        if stored.front() != Some(&mv) {
            stored.clear();
            return None;
        }
        stored.pop_front();
        self.due[owner.index()] = !stored.is_empty();
        let zone = match self.rules.zone {
            Zone::Predicted => number,
            Zone::Anchor => self.number[owner.index()],
        };
        let counted = self.rules.counts(zone);
        self.tally.points[owner.index()] += u32::from(counted);
        Some(Hit { by: owner, counted })
    }

    /// Stores the string that came with the move just made by a player; `after` is the position after it. Where none is left
    /// although one was due, that is a remark too. Moves of a string are in the form of the protocol, in chess also in SAN.
    pub fn attach<'a>(&mut self, after: &dyn Board, line: impl Iterator<Item = &'a str>) -> Vec<Remark> {
        let by = after.to_move().other();
        if after.ending().is_some() {
            return Vec::new();
        }
        let number = self.number[by.index()];
        let (moves, mut remarks) = checked(&self.rules, after, by, number, line);
        if moves.is_empty() && self.rules.mandatory && self.rules.counts(number) {
            remarks.push(Remark::Missing { by, number });
            self.tally.forfeited[by.index()] |= self.rules.on_missing == OnMissing::ForfeitPrediction;
        }
        self.open[by.index()] = moves.into();
        remarks
    }

    /// A draw is offered with the move that `by` just made itself. Nothing comes of it where the rules know no offers.
    /// Whether it stands.
    pub const fn offer(&mut self, by: Seat) -> bool {
        if self.rules.draw_offers {
            self.offered = Some(by);
        }
        self.rules.draw_offers
    }

    /// The side to move takes the draw on offer, and the game is over: what is stored is void. Nothing was foreseen by it.
    /// `None` where nothing is on offer to it.
    pub fn accept(&mut self, by: Seat) -> Option<Outcome> {
        self.offered.take_if(|offering| *offering == by.other())?;
        self.close();
        Some(Outcome::new(GameResult::Draw, Ending::Agreement))
    }

    /// The draw on offer is declined in so many words: a series that paused goes on.
    pub const fn decline(&mut self) {
        self.offered = None;
    }

    /// What the table does now; `board` is the position after the last move.
    #[must_use]
    pub fn next(&self, board: &dyn Board) -> Next {
        let seat = board.to_move();
        let offered = self.offered == Some(seat.other());
        match self.open[seat.index()].front().filter(|_| self.due[seat.index()]) {
            Some(_) if offered => Next::Asked,
            Some(&reply) => Next::Reply(reply),
            None => Next::Player { offered },
        }
    }

    /// The string of `by` as it is stored, in the form of the protocol; `board` is the position that it begins on.
    #[must_use]
    pub fn stored(&self, board: &dyn Board, by: Seat) -> String {
        let mut board = board.fork();
        let form = protocol_form(board.kind());
        let mut text = String::new();
        for &mv in &self.open[by.index()] {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&board.write(mv, form));
            board.play(mv);
        }
        text
    }

    /// Plies that are stored of `by`; 0 once the game is over.
    #[must_use]
    pub fn open(&self, by: Seat) -> usize {
        self.open[by.index()].len()
    }

    /// The game is over: what is stored is void.
    pub fn close(&mut self) {
        self.open.iter_mut().for_each(VecDeque::clear);
        self.due = [false; 2];
        self.offered = None;
    }

    /// The score so far.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// The state after plies on record, strings included: how a game goes on after an interruption, and how points are
    /// counted anew. The board stands before the first of them and is played on; a ply that is not legal ends it. An offer
    /// of the last ply is still to be answered.
    pub fn replay(&mut self, board: &mut dyn Board, plies: &[Ply]) {
        for ply in plies {
            let Ok(mv) = read(board, &ply.mv) else { return };
            if ply.auto {
                // The table played on, so that an offer that had paused it was declined.
                self.decline();
            }
            let auto = ply.auto && self.next(board) == Next::Reply(mv);
            self.played(board, mv, auto);
            board.play(mv);
            if !auto && !ply.book {
                self.attach(board, ply.conditional.split_ascii_whitespace());
                if ply.offer {
                    self.offer(board.to_move().other());
                }
            }
        }
    }
}

/// Counts a game's points anew from its record. `None` where its event does not score predictions, or nobody moved.
#[must_use]
pub fn count(setup: &GameSetup, plies: &[Ply]) -> Option<Tally> {
    let rules = setup.predictions.clone()?;
    if plies.iter().all(|ply| ply.book) {
        return None;
    }
    let mut board = board::under(setup.kind, &setup.rules, &setup.start.position).ok()?;
    let mut series = Series::new(rules);
    series.replay(&mut *board, plies);
    Some(series.tally())
}
