//! The table: the referee of one game, and the slot on which it stands.
//!
//! One thread of the operating system calls [`Slot::play`] and blocks in it until the game is over. It polls both
//! engines and the [`Control`] with one absolute deadline. Judged in this order when one wake brings several things: an
//! order to stop, the answer of the side to move, the end of the idle engine's process, the flag. An idle engine that
//! dies while the other thinks loses by a crash when that is found, unless the answer that came with it ended the game.

mod control;
mod event;
mod lag;
mod lint;
mod ready;
mod referee;
mod slot;
mod strings;
mod turn;
mod urgent;
mod wait;

pub use control::Control;
pub use event::{HandBackReason, HandedBack, Resume, TableEnd, TableEvent, TableOrder};
pub use slot::{Slot, SlotConfig};
