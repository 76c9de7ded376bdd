//! Openings and PGN, from outside.

#![expect(clippy::expect_used, reason = "helpers of tests")]

mod records {
    mod books;
    mod checkers;
    mod common;
    mod hostile;
    mod order;
    mod pgn_in;
    mod pgn_out;
    mod tools;
}
