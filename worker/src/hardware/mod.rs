//! What a machine has, and how it is cut into slots.
//!
//! The cut is made once, at start: whole cores with all their threads, from one cache or NUMA node where that fits,
//! inside the CPUs that this process may use. No CPU, GPU or byte is promised twice.

mod machine;
mod plan;

pub use machine::{Cpu, Gpu, HardwareError, Machine};
pub use plan::{Plan, PlanError, SlotPlan, Wish, plan};
