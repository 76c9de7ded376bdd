//! Cuts a machine into slots.

use std::fmt;

use super::{Cpu, Machine};
use crate::hall::SlotShape;

/// Memory that is never promised: the system's and the worker's own, a sixteenth of the machine's and at least this.
const RESERVE_LEAST: u64 = 256 << 20;

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

/// What slots are wished for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// How many; `None`: as many as there are, one core kept for the worker itself where there is more than one.
    pub slots: Option<u32>,
    /// Whole cores of each, at least 1.
    pub cores: u32,
    /// GPUs of each.
    pub gpus: u32,
    /// Whether there may be more slots than cores; they are then not pinned.
    pub oversubscribe: bool,
}

impl Default for Wish {
    fn default() -> Self {
        Self { slots: None, cores: 1, gpus: 0, oversubscribe: false }
    }
}

/// How a machine is cut.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The slots; all of one class.
    pub slots: Vec<SlotPlan>,
    /// CPUs that are in no slot: the worker's own.
    pub kept: Vec<u32>,
    /// What somebody should know, one line each.
    pub warnings: Vec<String>,
}

/// Why a machine cannot be cut so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Not even one slot fits.
    #[error("a slot of {cores} cores does not fit: this process may use {have} cores")]
    TooLarge {
        /// Cores of a slot.
        cores: u32,
        /// Cores that may be used.
        have: usize,
    },
    /// More slots than cores.
    #[error(
        "{slots} games at once with {cores} cores each need {needed} cores, and this process may use {have}; \
         fewer games at once, or --oversubscribe, which makes clocks unfair"
    )]
    TooMany {
        /// Slots wished for.
        slots: u32,
        /// Cores of each.
        cores: u32,
        /// Cores needed.
        needed: u64,
        /// Cores that may be used.
        have: usize,
    },
    /// More GPUs than there are.
    #[error("{slots} slots with {gpus} GPUs each, and this process may use {have}")]
    Gpus {
        /// Slots.
        slots: usize,
        /// GPUs of each.
        gpus: u32,
        /// GPUs that may be used.
        have: usize,
    },
    /// No slot at all.
    #[error("0 games at once: nothing would be played")]
    None,
}

/// Cuts a machine into slots of one class.
///
/// # Errors
/// When they do not fit, with the numbers.
pub fn plan(machine: &Machine, wish: &Wish) -> Result<Plan, PlanError> {
    let cores = machine.cores();
    let have = cores.len();
    let each = wish.cores.max(1);
    let per_slot = each as usize;
    let fit = have / per_slot;
    let wished = match wish.slots {
        Some(0) => return Err(PlanError::None),
        Some(slots) => slots as usize,
        None if fit == 0 && !wish.oversubscribe => return Err(PlanError::TooLarge { cores: each, have }),
        None => {
            let by_cores = (have.saturating_sub(1) / per_slot).max(1);
            // At least one, so that it is said where there is no GPU.
            let by_gpus = machine.gpus.len().checked_div(wish.gpus as usize).map_or(usize::MAX, |slots| slots.max(1));
            by_cores.min(by_gpus)
        }
    };
    let oversubscribed = wished > fit;
    if oversubscribed && !wish.oversubscribe {
        let needed = u64::from(each) * wished as u64;
        return Err(PlanError::TooMany { slots: u32::try_from(wished).unwrap_or(u32::MAX), cores: each, needed, have });
    }
    let gpus = wish.gpus as usize;
    if gpus * wished > machine.gpus.len() {
        return Err(PlanError::Gpus { slots: wished, gpus: wish.gpus, have: machine.gpus.len() });
    }
    let reserve = (machine.memory_bytes / 16).max(RESERVE_LEAST);
    let memory_bytes = machine.memory_bytes.saturating_sub(reserve) / wished.max(1) as u64;
    let shape = SlotShape { class: 0, cores: each, memory_bytes, gpus: wish.gpus };
    let mut plan = Plan::default();
    let mut free = cores;
    if oversubscribed {
        plan.warnings
            .push(format!("{wished} games at once on {have} cores: clocks are not fair, engines are not pinned"));
    } else if free.len() == wished * per_slot && have > 1 {
        plan.warnings.push("no core is left for the worker itself: its own work is taken from engines".to_owned());
    }
    for number in 0..wished {
        let cpus = if oversubscribed { Vec::new() } else { take(&mut free, per_slot) };
        let gpus = machine.gpus.iter().skip(number * gpus).take(gpus).map(|gpu| gpu.id.clone()).collect();
        plan.slots.push(SlotPlan { shape: shape.clone(), cpus, gpus });
    }
    plan.kept = free.iter().flatten().map(|cpu| cpu.id).collect();
    Ok(plan)
}

/// Takes cores for one slot: from the end, so that the first ones, where interrupts land, stay for the worker; from one
/// cache where one has enough, else from one node, else as they come.
fn take(free: &mut Vec<Vec<Cpu>>, count: usize) -> Vec<u32> {
    let mut chosen: Vec<usize> = Vec::new();
    for level in [Level::Cache, Level::Node, Level::Machine] {
        // Of the groups that have enough, the one with the fewest cores left, so that large ones stay whole.
        let enough = groups(free, level).into_iter().filter(|group| group.len() >= count);
        if let Some(group) = enough.min_by_key(Vec::len) {
            chosen = group.into_iter().take(count).collect();
            break;
        }
    }
    let mut cpus: Vec<u32> = Vec::new();
    // From the highest index down, so that the lower ones stay valid.
    for index in chosen {
        cpus.extend(free.remove(index).iter().map(|cpu| cpu.id));
    }
    cpus.sort_unstable();
    cpus
}

#[derive(Clone, Copy)]
enum Level {
    Cache,
    Node,
    Machine,
}

/// The cores, by index from the highest down, that stand together at a level.
fn groups(cores: &[Vec<Cpu>], level: Level) -> Vec<Vec<usize>> {
    let key = |core: &[Cpu]| {
        let cpu = core.first();
        match level {
            Level::Cache => cpu.map(|cpu| (cpu.package, cpu.node, cpu.cache)),
            Level::Node => cpu.map(|cpu| (cpu.package, cpu.node, 0)),
            Level::Machine => None,
        }
    };
    let mut groups: Vec<(_, Vec<usize>)> = Vec::new();
    for (index, core) in cores.iter().enumerate().rev() {
        let key = key(core);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(index),
            None => groups.push((key, vec![index])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |cpus: &[u32]| cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        for (number, slot) in self.slots.iter().enumerate() {
            let cpus =
                if slot.cpus.is_empty() { "not pinned".to_owned() } else { format!("CPUs {}", list(&slot.cpus)) };
            let memory = slot.shape.memory_bytes as f64 / f64::from(1 << 30);
            write!(f, "slot {number}: {cpus}, {memory:.1} GiB")?;
            if !slot.gpus.is_empty() {
                write!(f, ", GPUs {}", slot.gpus.join(","))?;
            }
            writeln!(f)?;
        }
        let kept = if self.kept.is_empty() { "none".to_owned() } else { list(&self.kept) };
        writeln!(f, "for the worker itself: CPUs {kept}")?;
        for warning in &self.warnings {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// `cores` cores of `threads` CPUs, `per_cache` cores a cache, `per_node` cores a node.
    fn machine(cores: u32, threads: u32, per_cache: u32, per_node: u32) -> Machine {
        let mut cpus = Vec::new();
        for core in 0..cores {
            for thread in 0..threads {
                cpus.push(Cpu {
                    id: core + thread * cores,
                    core,
                    package: 0,
                    node: core / per_node,
                    cache: core / per_cache,
                });
            }
        }
        Machine { cpus, memory_bytes: 8 << 30, ..Machine::default() }
    }

    fn cpus(plan: &Plan) -> Vec<Vec<u32>> {
        plan.slots.iter().map(|slot| slot.cpus.clone()).collect()
    }

    #[test]
    fn one_core_is_kept_for_the_worker() {
        let cut = plan(&machine(4, 2, 4, 4), &Wish::default()).unwrap();
        assert_eq!(cpus(&cut), [[3, 7], [2, 6], [1, 5]]);
        assert_eq!((cut.kept.as_slice(), cut.warnings.len()), ([0, 4].as_slice(), 0));
        let one = plan(&machine(1, 1, 1, 1), &Wish::default()).unwrap();
        assert_eq!(cpus(&one), [[0]]);
    }

    #[test]
    fn all_cores_only_where_asked_for() {
        let wish = Wish { slots: Some(2), ..Wish::default() };
        let cut = plan(&machine(2, 1, 2, 2), &wish).unwrap();
        assert_eq!((cut.slots.len(), cut.kept.len(), cut.warnings.len()), (2, 0, 1));
    }

    #[test]
    fn more_than_there_are_is_an_error_with_the_numbers() {
        let wish = Wish { slots: Some(64), ..Wish::default() };
        let error = plan(&machine(4, 1, 4, 4), &wish).unwrap_err().to_string();
        assert!(error.contains("64") && error.contains("may use 4"), "{error}");
        let cut = plan(&machine(4, 1, 4, 4), &Wish { oversubscribe: true, ..wish }).unwrap();
        assert!(cut.slots.len() == 64 && cut.slots.iter().all(|slot| slot.cpus.is_empty()));
        let wish = Wish { cores: 8, ..Wish::default() };
        assert_eq!(plan(&machine(4, 1, 4, 4), &wish), Err(PlanError::TooLarge { cores: 8, have: 4 }));
    }

    #[test]
    fn a_slot_stays_in_one_cache_where_it_fits() {
        let wish = Wish { cores: 2, ..Wish::default() };
        let cut = plan(&machine(8, 1, 4, 4), &wish).unwrap();
        for slot in &cut.slots {
            assert_eq!(slot.cpus[0] / 4, slot.cpus[1] / 4, "{cut}");
        }
        assert_eq!(cut.slots.len(), 3);
    }

    #[test]
    fn gpus_are_not_shared() {
        let gpu = |id: u32| super::super::Gpu { id: id.to_string(), model: String::new() };
        let machine = Machine { gpus: vec![gpu(0), gpu(1)], ..machine(4, 1, 4, 4) };
        let wish = Wish { slots: Some(2), gpus: 1, ..Wish::default() };
        let cut = plan(&machine, &wish).unwrap();
        assert_eq!((cut.slots[0].gpus[0].as_str(), cut.slots[1].gpus[0].as_str()), ("0", "1"));
        assert!(matches!(plan(&machine, &Wish { slots: Some(3), ..wish }), Err(PlanError::Gpus { .. })));
    }

    proptest! {
        #[test]
        fn nothing_is_promised_twice(
            cores in 1u32..40, threads in 1u32..3, per_cache in 1u32..9, per_node in 1u32..20,
            slots in proptest::option::of(1u32..50), each in 1u32..6,
        ) {
            let machine = machine(cores, threads, per_cache, per_node);
            let wish = Wish { slots, cores: each, ..Wish::default() };
            if let Ok(cut) = plan(&machine, &wish) {
                let mut seen = BTreeSet::new();
                let allowed: BTreeSet<u32> = machine.cpus.iter().map(|cpu| cpu.id).collect();
                for slot in &cut.slots {
                    prop_assert_eq!(slot.cpus.len(), (each * threads) as usize);
                    for cpu in &slot.cpus {
                        prop_assert!(allowed.contains(cpu) && seen.insert(*cpu));
                    }
                }
                for cpu in &cut.kept {
                    prop_assert!(seen.insert(*cpu));
                }
                prop_assert_eq!(seen.len(), allowed.len());
                let promised: u64 = cut.slots.iter().map(|slot| slot.shape.memory_bytes).sum();
                prop_assert!(promised <= machine.memory_bytes);
            }
        }
    }
}
