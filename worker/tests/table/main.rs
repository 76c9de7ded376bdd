//! The table with real processes: engines that play, and engines that do everything wrong.

#![expect(clippy::expect_used, reason = "in a test whatever fails is the failure")]

mod cases;
mod check;
mod checkers;
mod faults;
mod games;
mod help;
mod predictions;
