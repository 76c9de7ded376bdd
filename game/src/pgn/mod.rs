//! PGN in and out.
