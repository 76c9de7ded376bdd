//! By whom an engine was killed, as far as the kernel tells.
//!
//! A process does not learn who sent a signal to another one. What can be known: signals that an engine raises by what
//! it does (a bad address, an abort) are its own; its own limit of memory is watched by us; and the kernel counts whom
//! it kills for want of memory.
//!
//! What cannot be known: whether a SIGSEGV or SIGABRT was sent by somebody else. A parent learns the signal and no more, and
//! an engine that dies so has nearly always done it itself, so that it is taken for the engine's crash. Where a shell is
//! between, only its exit code is there to read.

use std::{
    fs,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Signals by which somebody else ends a process: hang-up, interrupt, quit, kill, terminate. An engine can send them to
/// itself, but none does by mistake.
const FROM_OUTSIDE: [i32; 5] = [1, 2, 3, 9, 15];

/// Not known.
const NONE: u64 = u64::MAX;

/// Whether a signal tells nothing of who sent it.
pub(super) fn from_outside(signal: i32) -> bool {
    FROM_OUTSIDE.contains(&signal)
}

/// The signal of which an exit code speaks: a shell whose child was killed exits with 128 and the signal (POSIX, "Exit
/// Status for Commands"), and so do runtimes that tidy up first. Only of signals that have a name here: an engine may exit
/// with any other number.
pub(super) fn told_by_code(status: ExitStatus) -> Option<i32> {
    status.code()?.checked_sub(128).filter(|signal| signal_name(*signal).is_some())
}

/// The signal that ended a process, or its child, as far as its own end tells.
pub(super) fn signal(status: ExitStatus) -> Option<i32> {
    status.signal().or_else(|| told_by_code(status))
}

/// `SIGSEGV`. `None`: no signal that ends engines.
pub(super) fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        31 => "SIGSYS",
        _ => return None,
    })
}

/// How many processes the kernel killed for want of memory, now and a little before.
#[derive(Debug, Clone)]
pub(super) struct OutOfMemory {
    source: Option<Arc<Source>>,
    before: Arc<AtomicU64>,
    last: Arc<AtomicU64>,
}

/// Where the kernel counts it.
#[derive(Debug)]
struct Source {
    file: PathBuf,
    of: &'static str,
}

impl OutOfMemory {
    /// Counts from now on.
    pub(super) fn start() -> Self {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::of(sources(&groups, Path::new("/sys/fs/cgroup"), Path::new("/proc")))
    }

    fn of(sources: Vec<Source>) -> Self {
        let source = sources.into_iter().find(|source| source.read().is_some()).map(Arc::new);
        let now = source.as_ref().and_then(|source| source.read()).unwrap_or(NONE);
        Self { source, before: Arc::new(AtomicU64::new(now)), last: Arc::new(AtomicU64::new(now)) }
    }

    /// Looks again, so that a kill of long ago is not taken for one of now. The look before the last is kept: the last
    /// one may have come between a kill and the question.
    pub(super) fn look(&self) {
        if let Some(now) = self.source.as_ref().and_then(|source| source.read()) {
            let last = self.last.swap(now, Ordering::AcqRel);
            self.before.store(last, Ordering::Release);
        }
    }

    /// What the counter says since the look before the last: `Ok` where it rose, else why that proves nothing.
    pub(super) fn verdict(&self) -> Result<String, String> {
        let Some(source) = &self.source else {
            return Err("whether the kernel killed it for want of memory cannot be told here".to_owned());
        };
        let before = self.before.load(Ordering::Acquire);
        match source.read() {
            Some(now) if before != NONE && now > before => {
                Ok(format!("the kernel killed for want of memory: {} went from {before} to {now}", source.name()))
            }
            _ => Err(format!("the kernel counted no kill for want of memory ({})", source.name())),
        }
    }
}

impl Source {
    fn read(&self) -> Option<u64> {
        let text = fs::read_to_string(&self.file).ok()?;
        text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
    }

    fn name(&self) -> String {
        format!("oom_kill of {}", self.of)
    }
}

/// Where it may be counted, the most exact first: our own group in either kind of cgroups, then the whole machine.
/// Engines are in our group.
fn sources(groups: &str, cgroups: &Path, proc: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let path = path.trim_start_matches('/');
        if controllers.is_empty() && !path.is_empty() {
            found.push(Source { file: cgroups.join(path).join("memory.events"), of: "its cgroup" });
        } else if controllers.split(',').any(|controller| controller == "memory") {
            found.push(Source { file: cgroups.join("memory").join(path).join("memory.oom_control"), of: "its cgroup" });
        }
    }
    found.push(Source { file: proc.join("vmstat"), of: "the machine" });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn counted(groups: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, OutOfMemory) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let counted = OutOfMemory::of(sources(groups, &root.path().join("cgroup"), &root.path().join("proc")));
        (root, counted)
    }

    #[test]
    fn a_kill_is_seen_where_it_is_counted() {
        #[track_caller]
        fn check(groups: &str, file: &str, before: &str, after: &str, of: &str) {
            let (root, counted) = counted(groups, &[("proc/vmstat", "pgfault 7\noom_kill 100\n"), (file, before)]);
            assert!(counted.verdict().is_err_and(|why| why.contains("no kill") && why.contains(of)));
            fs::write(root.path().join(file), after).unwrap();
            // A look that came after the kill does not hide it.
            counted.look();
            assert!(counted.verdict().is_ok_and(|how| how.contains(of)), "{:?}", counted.verdict());
            counted.look();
            assert!(counted.verdict().is_err(), "that was long ago");
        }
        let (v2, v1) = ("0::/kube/pod7\n", "5:cpu:/\n4:memory:/pod7\n0::/\n");
        check(v2, "cgroup/kube/pod7/memory.events", "oom 0\noom_kill 3\n", "oom 1\noom_kill 4\n", "its cgroup");
        let oom = |n| format!("oom_kill_disable 0\nunder_oom 0\noom_kill {n}\n");
        check(v1, "cgroup/memory/pod7/memory.oom_control", &oom(0), &oom(1), "its cgroup");
        check("0::/\n", "proc/vmstat", "oom_kill 1\n", "oom_kill 2\n", "the machine");
    }

    #[test]
    fn where_nothing_counts_it_cannot_be_told() {
        let (_root, counted) = counted("", &[]);
        counted.look();
        assert!(counted.verdict().is_err_and(|why| why.contains("cannot be told")));
    }

    #[test]
    fn a_shell_tells_by_its_code_what_killed_its_child() {
        let exited = |code: i32| ExitStatus::from_raw(code << 8);
        for (status, expected) in [
            (ExitStatus::from_raw(9), Some(9)),
            (exited(137), Some(9)),
            (exited(143), Some(15)),
            (exited(139), Some(11)),
            (exited(0), None),
            (exited(3), None),
            (exited(9), None),
            (exited(128), None),
            (exited(138), None),
            (exited(255), None),
        ] {
            assert_eq!(signal(status), expected, "{status}");
        }
    }

    #[test]
    fn what_an_engine_does_to_itself_is_not_from_outside() {
        for (signal, outside) in
            [(4, false), (6, false), (7, false), (8, false), (11, false), (31, false), (9, true), (15, true)]
        {
            assert_eq!(from_outside(signal), outside, "{signal}");
        }
    }
}
