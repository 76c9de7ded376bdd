//! Engines, cores, clocks: where games are played.
//!
//! [`hall`] decides what is played and said, without I/O; [`link`] carries it out over one stream to the leader.

pub mod catalogue;
pub mod hall;
pub mod outbox;
pub mod wire;
