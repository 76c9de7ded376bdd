//! Watches how much memory an engine takes, and kills one that takes more than its share.
//!
//! Pages of files do not count: tables and networks that are mapped are the kernel's to drop. What counts is what the
//! engine wrote itself, `RssAnon` and `RssShmem` of its process and its children. An address-space limit would be no
//! substitute: it kills what maps much and touches little.

use std::{
    fs, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

use rustix::process::{Pid, Signal};

use super::killed::OutOfMemory;

/// How often it is looked at. Short enough that a runaway is found before the machine is in need, long enough that it
/// costs nothing beside a game.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Children that are looked at; more are not an engine's business.
const CHILDREN: usize = 64;

/// Watches one process. Dropped, it stops watching.
#[derive(Debug)]
pub(super) struct Watch {
    stop: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    used: Arc<AtomicU64>,
    last: Arc<AtomicU64>,
    limit: u64,
}

impl Watch {
    /// Watches the group that `pid` leads. The caller must not reap `pid` before the watch is dropped, so that its number
    /// stays its own.
    pub(super) fn start(pid: Pid, limit: u64, kills: OutOfMemory) -> io::Result<Self> {
        let (stop, stopped) = sync_channel(1);
        let used = Arc::new(AtomicU64::new(0));
        let last = Arc::new(AtomicU64::new(0));
        let seen = [&used, &last].map(Arc::clone);
        let thread = std::thread::Builder::new()
            .name("engine-memory".to_owned())
            .spawn(move || watch(pid, limit, &kills, &seen, &stopped))?;
        Ok(Self { stop: Some(stop), thread: Some(thread), used, last, limit })
    }

    /// What it held when it was looked at last, for evidence.
    pub(super) fn last_seen(&self) -> String {
        let mib = |bytes: u64| bytes >> 20;
        format!(
            "with {} MiB of memory where its limit is {} MiB",
            mib(self.last.load(Ordering::Acquire)),
            mib(self.limit)
        )
    }

    /// What to say of an engine that was killed for its memory; `None` where it was not.
    pub(super) fn verdict(&self) -> Option<String> {
        let used = self.used.load(Ordering::Acquire);
        let mib = |bytes: u64| bytes >> 20;
        (used > 0).then(|| {
            format!("was killed: it took {} MiB of memory, and its limit is {} MiB", mib(used), mib(self.limit))
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the watch over an engine's memory panicked");
        }
    }
}

fn watch(pid: Pid, limit: u64, kills: &OutOfMemory, [used, last]: &[Arc<AtomicU64>; 2], stopped: &Receiver<()>) {
    while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(LOOK_EVERY) {
        kills.look();
        let Some(now) = group(pid) else { return };
        // One that has ended holds nothing any more.
        if now > 0 {
            last.store(now, Ordering::Release);
        }
        if now > limit {
            used.store(now, Ordering::Release);
            // One that is gone meanwhile needs no killing.
            let _killed = rustix::process::kill_process_group(pid, Signal::KILL);
            return;
        }
    }
}

/// Bytes of a process and its children; `None` where the process is gone.
fn group(pid: Pid) -> Option<u64> {
    let mut pids = vec![pid.as_raw_nonzero().get()];
    let mut sum = own(pids[0])?;
    let mut next = 0;
    while next < pids.len() && pids.len() < CHILDREN {
        let path = format!("/proc/{0}/task/{0}/children", pids[next]);
        let children = fs::read_to_string(path).unwrap_or_default();
        for child in children.split_whitespace().filter_map(|word| word.parse().ok()) {
            sum += own(child).unwrap_or(0);
            pids.push(child);
        }
        next += 1;
    }
    Some(sum)
}

fn own(pid: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some(written(&status))
}

fn written(status: &str) -> u64 {
    let kib = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
    };
    (kib("RssAnon:") + kib("RssShmem:")) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_mapped_do_not_count() {
        let status =
            "Name:\tx\nVmRSS:\t  900 kB\nRssAnon:\t     100 kB\nRssFile:\t     700 kB\nRssShmem:\t       4 kB\n";
        assert_eq!(written(status), 104 * 1024);
        assert_eq!(written("RssAnon: x kB\nRssShmem"), 0);
    }

    #[test]
    fn this_process_takes_some_memory() {
        let pid = rustix::process::getpid();
        assert!(group(pid).unwrap() > 100_000);
    }
}
