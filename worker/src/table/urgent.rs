//! The referee before all others while a game is played.

use rustix::thread::CpuSet;

/// By how much, in units of `nice`. Enough to be woken before an engine that computes.
const STEPS: i32 = 10;

/// While it lives, the thread that made it comes before engines, on the core of the one that it waits for: an answer is
/// read when it is written. Another core, even an idle one, is woken for it, which takes twice the CPU and now and then
/// milliseconds (`tests/bench/README.md`). An engine that writes much pays for it by itself. Where the system does not allow it (`CAP_SYS_NICE`), nothing
/// changes. No engine may be started meanwhile: it would inherit the rank.
#[derive(Debug)]
pub(super) struct Urgent {
    /// `None`: not allowed.
    before: Option<i32>,
    /// Where it ran before, if it was bound.
    cpus: Option<CpuSet>,
}

impl Urgent {
    /// `cpus`: where it shall run; empty: where it does. A thread that has no rank is not bound: it would wait for the
    /// engine whose core it shares.
    pub(super) fn raise(cpus: &[u32]) -> Self {
        // On Linux the priority is the thread's.
        let before = rustix::process::getpriority_process(None).ok();
        let raised = before.filter(|before| rustix::process::setpriority_process(None, before - STEPS).is_ok());
        let cpus = if raised.is_some() { bind(cpus) } else { None };
        Self { before: raised, cpus }
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        if let Some(cpus) = &self.cpus
            && let Err(error) = rustix::thread::sched_setaffinity(None, cpus)
        {
            tracing::warn!(%error, "the referee stays bound");
        }
        if let Some(before) = self.before
            && let Err(error) = rustix::process::setpriority_process(None, before)
        {
            tracing::warn!(%error, "the referee's priority stays raised");
        }
    }
}

/// Binds this thread; where it ran before.
fn bind(cpus: &[u32]) -> Option<CpuSet> {
    let before = rustix::thread::sched_getaffinity(None).ok()?;
    let mut set = CpuSet::new();
    cpus.iter().map(|cpu| *cpu as usize).filter(|cpu| *cpu < CpuSet::MAX_CPU).for_each(|cpu| set.set(cpu));
    (set.count() > 0 && rustix::thread::sched_setaffinity(None, &set).is_ok()).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_and_cpus_come_back() {
        let state = || {
            let cpus = rustix::thread::sched_getaffinity(None).unwrap();
            (rustix::process::getpriority_process(None).unwrap(), cpus)
        };
        let (rank, cpus) = state();
        let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| cpus.is_set(*cpu)).unwrap();
        for wish in [vec![], vec![u32::try_from(last).unwrap()], vec![u32::MAX]] {
            let urgent = Urgent::raise(&wish);
            let (raised, bound) = state();
            let allowed = urgent.before.is_some();
            assert_eq!(raised, if allowed { (rank - STEPS).max(-20) } else { rank });
            let expected = if allowed && wish == [u32::try_from(last).unwrap()] { 1 } else { cpus.count() };
            assert_eq!((bound.count(), bound.is_set(last)), (expected, true), "{wish:?}");
            drop(urgent);
            let (after, free) = state();
            assert_eq!((after, free.count()), (rank, cpus.count()));
        }
    }
}
