//! Engines that die, hang, lie and flood.
