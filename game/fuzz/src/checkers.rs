//! Chinese checkers from bytes: positions, moves and strings as engines and the protocol write them, rows of schedules,
//! logs. The first byte says which.

#![no_main]

mod entries;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entries::any(bytes));
