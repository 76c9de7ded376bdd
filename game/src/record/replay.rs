//! Does a record hold: do its moves lead to its outcome?

use std::fmt;

use crate::{
    Board, Ending, GameRecord, GameResult, IllegalMove, Outcome, Seat,
    adjudicate::{Adjudicator, flag_outcome},
    board::{self, MAX_PLIES, StartError, protocol_form},
    mobility::Mobility,
};

/// A game that was played through on a board.
pub struct Replayed {
    /// The final position, with its history.
    pub board: Box<dyn Board>,
    /// Twice the r-mobility, positive where `First` holds it; see [`Mobility::signed`].
    pub mobility: Option<i32>,
    /// Plies, opening included.
    pub plies: u32,
}

impl fmt::Debug for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replayed")
            .field("board", &self.board.notation())
            .field("mobility", &self.mobility)
            .field("plies", &self.plies)
            .finish()
    }
}

/// Why a record does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The game cannot have started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// More plies than a game can have.
    #[error("{plies} plies, at most {MAX_PLIES} expected")]
    TooLong {
        /// How many.
        plies: usize,
    },
    /// The first plies are not the setup's opening.
    #[error("ply {ply} is `{found}`, the opening has `{expected}`")]
    Opening {
        /// Which, from 1.
        ply: usize,
        /// What the record has there; empty where it ends before.
        found: String,
        /// What the setup has there.
        expected: String,
    },
    /// A move is wrong.
    #[error("ply {ply}: {source}")]
    Move {
        /// Which, from 1.
        ply: usize,
        /// Why.
        source: IllegalMove,
    },
    /// A move was made after the rules had ended the game.
    #[error("ply {ply} comes after the end of the game by {ending}")]
    AfterEnd {
        /// Which, from 1.
        ply: usize,
        /// How the game had ended.
        ending: Ending,
    },
    /// The final position ends the game in one way, the record in another.
    #[error("the final position is {}, the record says {}", show(*.board), show(*.claimed))]
    Ended {
        /// What the rules say.
        board: (GameResult, Ending),
        /// What the record says.
        claimed: (GameResult, Ending),
    },
    /// Neither the rules nor what was set up give this outcome after the last ply.
    #[error("nothing in the game gives {}: {why}", show(*.claimed))]
    Unfounded {
        /// What the record says.
        claimed: (GameResult, Ending),
        /// What is missing.
        why: &'static str,
    },
}

fn show((result, ending): (GameResult, Ending)) -> String {
    format!("{} by {ending}", result.as_str())
}

impl GameRecord {
    /// Plays the game through and checks it: the opening is the one that was set up, every move is legal, none comes
    /// after an ending by the rules, and the outcome follows. Endings by the rules are compared with the final
    /// position, adjudications that need no tables with the [`Adjudicator`] after the last ply; faults must lie with a
    /// side that can have committed them. A ruling may say anything.
    ///
    /// Cheap enough for every finished game, and safe for any bytes: work is bounded by [`MAX_PLIES`].
    ///
    /// # Errors
    /// When the record does not hold.
    pub fn replay(&self) -> Result<Replayed, RecordError> {
        if self.plies.len() > MAX_PLIES {
            return Err(RecordError::TooLong { plies: self.plies.len() });
        }
        self.check_opening()?;
        let form = protocol_form(self.setup.kind);
        let mut board = self.setup.board()?;
        let mut adjudicator = Adjudicator::new(self.setup.adjudication.clone());
        let mut mobility = Mobility::default();
        let mut adjudicated = None;
        for (ply, number) in self.plies.iter().zip(1..) {
            if let Some(outcome) = board.ending() {
                return Err(RecordError::AfterEnd { ply: number, ending: outcome.ending });
            }
            let mv = board.parse(&ply.mv, form).map_err(|source| RecordError::Move { ply: number, source })?;
            board.play(mv);
            mobility.after(board.as_ref());
            adjudicated = adjudicator.after(board.as_ref(), ply, None);
        }
        if let Some(outcome) = &self.outcome {
            self.check_outcome(outcome, board.as_ref(), &adjudicator, adjudicated.as_ref())?;
        }
        Ok(Replayed { plies: board.ply(), board, mobility: mobility.signed() })
    }

    /// The record has the opening's moves first. It may end before them only where the game was broken off, or
    /// adjudicated on its way through them.
    fn check_opening(&self) -> Result<(), RecordError> {
        let may_be_short = self.outcome.as_ref().is_none_or(|outcome| {
            matches!(outcome.ending, Ending::TablebaseAdjudication | Ending::MaxMoves | Ending::Ruling)
        });
        for (index, expected) in self.setup.start.moves.iter().enumerate() {
            let found = match self.plies.get(index) {
                Some(ply) if ply.mv == *expected => continue,
                None if may_be_short => return Ok(()),
                found => found.map(|ply| ply.mv.as_str()).unwrap_or_default(),
            };
            let (found, expected) = (board::clean(found), board::clean(expected));
            return Err(RecordError::Opening { ply: index + 1, found, expected });
        }
        Ok(())
    }

    fn check_outcome(
        &self,
        outcome: &Outcome,
        board: &dyn Board,
        adjudicator: &Adjudicator,
        adjudicated: Option<&Outcome>,
    ) -> Result<(), RecordError> {
        let claimed = (outcome.result, outcome.ending);
        if outcome.ending == Ending::Ruling {
            return Ok(());
        }
        if let Some(ended) = board.ending() {
            let by_rules = (ended.result, ended.ending);
            let same = by_rules == claimed && outcome.fault == ended.fault;
            return if same { Ok(()) } else { Err(RecordError::Ended { board: by_rules, claimed }) };
        }
        let rules = &self.setup.adjudication;
        let loses = |seat: Seat| outcome.result == GameResult::win(seat.other());
        let missing = match (outcome.ending, outcome.fault) {
            (
                Ending::Checkmate
                | Ending::Stalemate
                | Ending::Repetition
                | Ending::FiftyMoves
                | Ending::InsufficientMaterial
                | Ending::Declaration
                | Ending::Goal
                | Ending::EqualTurnGoalDraw
                | Ending::AntiBlockGoalFull
                | Ending::MaxPly
                | Ending::NoLegalMoves,
                _,
            ) => Some("the rules let the game go on"),
            (
                Ending::DrawAdjudication
                | Ending::ResignAdjudication
                | Ending::TcecDraw
                | Ending::TcecWin
                | Ending::MaxMoves,
                _,
            ) => {
                let same = adjudicated.is_some_and(|found| (found.result, found.ending) == claimed);
                (!same).then_some("the adjudication rules do not give it after the last ply")
            }
            (Ending::TablebaseAdjudication, _) => {
                let draws_only = rules.tablebases.is_none_or(|rule| rule.draws_only);
                let may = adjudicator.tables_apply(board) && (outcome.result == GameResult::Draw || !draws_only);
                (!may).then_some("the event asks no table about this position")
            }
            (Ending::Resignation, _) => (outcome.result == GameResult::Draw).then_some("who resigns loses"),
            (Ending::TimeLoss | Ending::Stall | Ending::Crash | Ending::IllegalMove, None) => {
                Some("nobody is named at fault")
            }
            (Ending::TimeLoss, Some(seat)) => {
                let same = seat == board.to_move() && outcome.result == flag_outcome(board, seat, rules).result;
                (!same).then_some("the flag is that of the side to move, and the result follows from it")
            }
            // A stall may be found by the clock or without one: the milder rule for flags may hold or not.
            (Ending::Stall, Some(seat)) => {
                let same = loses(seat) || outcome.result == flag_outcome(board, seat, rules).result;
                (!same).then_some("the side at fault loses")
            }
            (Ending::IllegalMove, Some(seat)) => {
                (seat != board.to_move() || !loses(seat)).then_some("the side to move is at fault, and loses")
            }
            (Ending::Crash, Some(seat)) => (!loses(seat)).then_some("the side at fault loses"),
            (Ending::Agreement, None) => {
                let known = self.setup.predictions.as_ref().is_some_and(|rules| rules.draw_offers);
                let offered = self.plies.last().is_some_and(|ply| ply.offer && !ply.auto && !ply.book);
                match () {
                    () if outcome.result != GameResult::Draw => Some("what is agreed on is a draw"),
                    () if !known => Some("the event knows no offers"),
                    () => (!offered).then_some("no draw was offered with the last move"),
                }
            }
            (Ending::Agreement, Some(_)) => Some("nobody is at fault where a draw is agreed on"),
            (Ending::InterruptionRule | Ending::Ruling, _) => None,
        };
        missing.map_or(Ok(()), |why| Err(RecordError::Unfounded { claimed, why }))
    }
}

#[cfg(test)]
mod archive;
#[cfg(test)]
pub(crate) mod tests;
