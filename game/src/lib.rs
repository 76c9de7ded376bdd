//! What happens at the board: rules, clocks, openings, adjudication, records.
//!
//! Pure: no async, no files, no sockets, no clock reads, no threads; randomness is a seed that was passed in.

pub mod adjudicate;
pub mod board;
pub mod chess;
pub mod chinese_checkers;
pub mod clock;
pub mod mobility;
pub mod opening;
pub mod outcome;
pub mod pgn;
pub mod prediction;
pub mod record;
pub mod seat;
pub mod setup;
#[cfg(test)]
mod testing;

pub use board::{Board, Form, IllegalMove, Move, Notation};
pub use clock::{Clock, TimeControl};
pub use outcome::{Ending, GameResult, Outcome};
pub use record::{GameRecord, Ply, Score};
pub use seat::Seat;
pub use setup::{GameKind, GameSetup};
