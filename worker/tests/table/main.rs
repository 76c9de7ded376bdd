//! The table with real processes: engines that play, and engines that do everything wrong.

mod faults;
mod games;
mod help;
