//! Engines, cores, clocks: where games are played.
//!
//! [`hall`] decides what is played and said, without I/O; [`link`] carries it out over one stream to the leader. At the
//! board, [`table`] referees one game between two players of [`engine`].

pub mod cage;
pub mod catalogue;
pub mod engine;
pub mod hall;
pub mod hardware;
pub mod link;
pub mod outbox;
pub mod table;
pub mod tablebase;
pub mod wire;
