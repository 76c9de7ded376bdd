//! The system from outside.
