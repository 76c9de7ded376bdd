//! The engine's cage: an engine is an untrusted program.
//!
//! It is started through a launcher, this same binary (`rookery launch …`), which pins the process, ties its life to the
//! worker's, takes its privileges and its network away, and then becomes the engine: every thread inherits all of it, and
//! no call between fork and exec has to be trusted. What this kernel cannot enforce is said once, and never pretended.

mod launch;

use std::{ffi::OsString, path::Path, sync::Arc};

use rookery_game::setup::EngineSetup;

pub use launch::launch;

use crate::{hardware::SlotPlan, link::Launcher};

/// What this kernel enforces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cage {
    shut: bool,
    network: bool,
    folder: bool,
}

impl Cage {
    /// All that this kernel can enforce; engines then write to their own folder alone.
    #[must_use]
    pub fn probe() -> Self {
        Self { folder: launch::has_landlock(), ..Self::usual() }
    }

    /// What engines bear without a word: no network, no new privileges. They may still write where their user may, as
    /// logs, books that learn and caches are anywhere.
    #[must_use]
    pub fn usual() -> Self {
        Self { shut: true, network: launch::has_seccomp(), folder: false }
    }

    /// Nothing but pinning, and that no engine outlives its worker.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether engines have no network.
    #[must_use]
    pub const fn shuts_network(&self) -> bool {
        self.network
    }

    /// Names of what is enforced.
    #[must_use]
    pub fn enforced(&self) -> Vec<String> {
        let all = [
            (true, "own-process-group"),
            (true, "dies-with-worker"),
            (true, "memory-watched"),
            (self.shut, "no-new-privileges"),
            (self.shut, "no-core-dumps"),
            (self.network, "no-network"),
            (self.folder, "writes-only-own-folder"),
        ];
        all.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_owned()).collect()
    }

    /// What is not enforced, and why; one line each.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        if !self.network {
            missing.push("no-network (no seccomp filters in this kernel)".to_owned());
        }
        if !self.folder {
            missing.push("writes-only-own-folder (no Landlock in this kernel)".to_owned());
        }
        missing
    }

    /// Makes the command that stands before an engine's program.
    #[must_use]
    pub fn launcher(&self) -> Launcher {
        let exe = std::env::current_exe().ok()?;
        let cage = self.clone();
        Some(Arc::new(move |plan: &SlotPlan, engine: &EngineSetup, own: &Path| cage.prefix(&exe, plan, engine, own)))
    }

    fn prefix(&self, exe: &Path, plan: &SlotPlan, _engine: &EngineSetup, own: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![exe.into(), "launch".into()];
        words.extend(["--parent".into(), std::process::id().to_string().into()]);
        if !plan.cpus.is_empty() {
            let list: Vec<String> = plan.cpus.iter().map(u32::to_string).collect();
            words.extend(["--cpus".into(), list.join(",").into()]);
        }
        if self.shut {
            words.push("--shut".into());
        }
        if self.network {
            words.push("--no-network".into());
        }
        if self.folder {
            words.extend(["--write".into(), own.into()]);
        }
        words.push("--".into());
        words
    }
}
