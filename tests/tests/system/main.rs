//! The real binary with real engines: what a person does and sees.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod cases;
mod checkers;
mod cluster;
mod disk;
mod explain;
mod faults;
mod ladder;
mod lists;
mod live;
mod operator;
mod recover;
mod run;
mod season;
mod swiss;
mod words;
