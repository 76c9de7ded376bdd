//! Rating lists: the models of BayesElo and Ordo, and of Bradley and Terry, on games of any source.
//!
//! [`Collector`] sums games by the million, [`Games`] takes them one by one; [`bayeselo::fit`] and [`ordo::fit`] rate them, and a
//! [`List`] is what people read. [`Live`] keeps a list up to date game by game.

pub mod bayeselo;
pub mod bradley_terry;
pub mod error;
mod games;
mod linear;
mod list;
mod live;
mod make;
pub mod ordo;
mod scores;
mod simulate;
mod solve;
pub mod tcec;
mod text;

#[cfg(test)]
mod tests;

pub use games::{Cell, Collector, Games, MAX_PLAYERS, PairCell, Totals};
pub use list::{List, Mark, Row};
pub use live::Live;
pub use make::{Errors, Model, Request, list};
pub use scores::{from_pgn, pair_key};
pub use simulate::{Simulated, simulate};
