//! What is due, who has it, what is recorded.
//!
//! `core` is a state machine without I/O; `store` and `archive` keep what must outlive a machine; `shell` feeds the
//! core, carries out its effects, and speaks gRPC.

pub mod archive;
pub mod core;
pub mod journal;
pub mod recover;
pub mod shell;
pub mod store;
pub mod wire;
