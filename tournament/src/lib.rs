//! Who plays whom, who stands where: specs, formats, standings, statistics.
//!
//! Pure: no async, no files, no sockets, no clock reads, no threads; randomness is a seed that was passed in.

pub mod event;
pub mod fact;
pub mod format;
pub mod id;
pub mod interruption;
pub mod ladder;
pub mod rating;
pub mod season;
pub mod spec;
pub mod standings;
pub mod statistics;
pub mod stop;

pub use event::Event;
pub use fact::{Fact, LoggedFact, ResultEntry};
pub use id::{EntrantId, GameId, PairId};
