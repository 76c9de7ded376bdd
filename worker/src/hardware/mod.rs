//! What a machine has, and how it is cut into slots.

use crate::hall::SlotShape;

/// One slot of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotPlan {
    /// What it offers.
    pub shape: SlotShape,
    /// Its CPUs; empty: not pinned.
    pub cpus: Vec<u32>,
    /// Its GPUs.
    pub gpus: Vec<String>,
}
