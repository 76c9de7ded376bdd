//! The core in a small world: what was sent is asserted, and that nothing else was.

mod draws;
mod entrants;
mod explain;
mod faults;
mod fleet;
mod interruption;
mod journal;
mod lists;
mod main_way;
mod operator;
mod patience;
mod schedule;
mod seasons;
mod world;
