//! The stores: one suite of what both must do, and what is each one's own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod archives;
mod embedded;
mod etcd;
mod process;
mod suite;
