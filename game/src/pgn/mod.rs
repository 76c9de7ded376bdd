//! PGN in and out.
//!
//! Out ([`write()`]): the seven tags, then what the field's tools know (`FEN`, `SetUp`, `Variant`, `PlyCount`,
//! `TimeControl`, `Termination`, `TerminationDetails`, times, engines and their options), and the moves in SAN with
//! comments in the form of Cute Chess and fastchess:
//!
//! ```text
//! 1. e4 {book} e5 {+0.35/18 0.512s, sd=24, n=12345, tb=3, lag=0.004s, pv="g8f6 d2d4" [%clk 0:00:09.488]}
//! ```
//!
//! With the Prediction Criterion also `auto=1` (the table played it), `hit=1` (foreseen; `hit=0`: outside the zone),
//! `cond="…"` (the string that came with it), `offer=1` (a draw was offered with it), and the tags `PC1`, `PC2`, `PredictionWhite`, `PredictionBlack`,
//! `PredictionWinner`.
//!
//! Score (pawns) and depth, from the mover's own view; `+M5` and `-M4` count plies to mate; time charged; selective
//! depth; nodes; tablebase hits and host lag where there were any; the principal variation where it is asked for; what
//! was left on the clock after the move. The reason of the end is a comment of its own before the result word.
//!
//! In ([`games`], [`headers`]): whatever files hold, one problem a game at most, no panic, no stop. [`scores()`] reads who
//! played whom and how it ended, and nothing else, at the speed of memory.

mod annotation;
mod lex;
mod movetext;
mod read;
mod san;
mod scores;
mod split;
mod tag;
mod text;
mod write;

pub(crate) use read::CLASSIC;
pub use read::{Fault, Game, Games, Problem, games};
pub use san::MoveFault;
pub(crate) use san::read as read_san;
pub use scores::{Score, scores};
pub use split::{Headers, RawGame, headers};
pub(crate) use tag::write as put_tag;
pub use write::{PgnOptions, write};
