//! What an engine left behind in sessions of its own: a group's signal does not reach it.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::{SystemTime, UNIX_EPOCH},
};

use rustix::process::{Pid, PidfdFlags, Signal};

/// The variable by which a process is known to stem from an engine, whoever its parent is by now.
const VARIABLE: &str = "ROOKERY_ENGINE_RUN";

/// What is read of a process's environment, at most.
const ENVIRONMENT_BYTES: usize = 1 << 20;

/// Marks one start of one engine.
#[derive(Debug, Clone)]
pub(super) struct Mark(String);

impl Mark {
    /// One that no other start has.
    pub(super) fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Self(format!("{}.{nanos}.{number}", std::process::id()))
    }

    /// The variable to start the engine with.
    pub(super) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// Kills every process that was started with this mark. What hides its environment is not found.
    pub(super) fn kill_all(&self) {
        let wanted = format!("{VARIABLE}={}", self.0);
        let Ok(entries) = std::fs::read_dir("/proc") else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw) else { continue };
            // Opened before it is looked at, so that the signal reaches the process that was looked at.
            let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { continue };
            if has(entry.path().join("environ"), wanted.as_bytes()) {
                let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
            }
        }
    }
}

fn has(environment: PathBuf, wanted: &[u8]) -> bool {
    use std::io::Read as _;
    let Ok(file) = std::fs::File::open(environment) else { return false };
    let mut bytes = Vec::new();
    // The environment of a process that ends meanwhile is cut short, and then it has ended.
    let _ = file.take(ENVIRONMENT_BYTES as u64).read_to_end(&mut bytes);
    bytes.split(|byte| *byte == 0).any(|variable| variable == wanted)
}
