//! Openings and PGN, from outside.

mod records {
    mod books;
    mod common;
    mod hostile;
    mod order;
    mod pgn_in;
    mod pgn_out;
    mod tools;
}
