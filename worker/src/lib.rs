//! Engines, cores, clocks - where games are played.
