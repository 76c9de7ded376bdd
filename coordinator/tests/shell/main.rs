//! The shell from outside, on loopback: streams of workers, operators' calls, standbys.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod link;
mod operators;
mod support;
mod whole;
