//! The referee before all others while a game is played.

/// By how much, in units of `nice`. Enough to be woken before an engine that computes.
const STEPS: i32 = 10;

/// While it lives, the thread that made it comes before engines where cores are short, so that an answer is read when it
/// is written and not when an engine's time slice ends. Where the system does not allow it (`CAP_SYS_NICE`), nothing
/// changes. No engine may be started meanwhile: it would inherit the rank.
#[derive(Debug)]
pub(super) struct Urgent {
    /// `None`: not allowed.
    before: Option<i32>,
}

impl Urgent {
    pub(super) fn raise() -> Self {
        // On Linux the priority is the thread's.
        let before = rustix::process::getpriority_process(None).ok();
        let raised = before.filter(|before| rustix::process::setpriority_process(None, before - STEPS).is_ok());
        Self { before: raised }
    }
}

impl Drop for Urgent {
    fn drop(&mut self) {
        if let Some(before) = self.before
            && let Err(error) = rustix::process::setpriority_process(None, before)
        {
            tracing::warn!(%error, "the referee's priority stays raised");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_comes_back() {
        let before = rustix::process::getpriority_process(None).unwrap();
        let urgent = Urgent::raise();
        let raised = rustix::process::getpriority_process(None).unwrap();
        assert_eq!(raised, if urgent.before.is_some() { (before - STEPS).max(-20) } else { before });
        drop(urgent);
        assert_eq!(rustix::process::getpriority_process(None).unwrap(), before);
    }
}
