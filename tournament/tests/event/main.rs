//! Events from outside: what is due, what counts, what follows, whatever the order in which results arrive.

#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod crash_limits;
mod draws;
mod facts;
mod openings;
mod orders;
mod round_robins;
mod scale;
mod sprt;
mod vectors;
mod world;
