//! `rookery`: the one binary.

fn main() {}
