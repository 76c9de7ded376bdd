//! Time that the host took from a side.
//!
//! Three things are measured, all from what the kernel counts: how long the engine's threads waited for a core
//! (`schedstat`), how long the referee's own thread did, and the steal of the slot's cores (`/proc/stat`). A baseline is
//! taken before a move and read again only when a flag falls.
//!
//! - Waiting that the engine's own threads caused does not count: no more than what the slot's cores did not give the
//!   engine. An engine that keeps its cores busy by itself has no lag.
//! - Only the last wake of the referee can have been late for the answer, so of its waiting that one counts. An engine that
//!   floods it gains nothing.
//! - `/proc/stat` is dear to read, so its baseline may be a quarter of a second old; the steal is then shared out over
//!   that window, and the move gets its part.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    time::{Duration, Instant},
};

/// Threads of an engine that are watched.
const MAX_THREADS: usize = 64;
/// How old the baseline of the threads may be; moves quicker than this share one.
const THREADS_AGE: Duration = Duration::from_millis(2);
/// The referee's own waiting is measured so long before a flag falls, and not before: what it waited earlier cannot have
/// made an answer late. One that was not woken for all of this time finds its baseline older, and that it was late.
pub(super) const LAST_STRETCH: Duration = Duration::from_millis(50);
/// Wakes of the referee that are closer together are measured as one.
const WAKES_APART: Duration = Duration::from_millis(1);
/// How old the baseline of the steal may be.
const STEAL_AGE: Duration = Duration::from_millis(250);
/// The kernel's unit in `/proc/stat` (USER_HZ is 100 on every architecture that Rust's Linux targets have).
const TICK: Duration = Duration::from_millis(10);

/// What was found for one move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// The engine's threads waited for a core, and something else ran there.
    pub(super) queue: Duration,
    /// The hypervisor took the core.
    pub(super) steal: Duration,
    /// The referee was late by itself: woken after its deadline, or waiting for a core.
    pub(super) referee: Duration,
}

impl Found {
    pub(super) fn total(&self) -> Duration {
        self.queue + self.steal + self.referee
    }

    pub(super) fn evidence(&self) -> String {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        format!(
            "lag {:.1} ms: run queue {:.1} ms, steal {:.1} ms, referee late {:.1} ms",
            ms(self.total()),
            ms(self.queue),
            ms(self.steal),
            ms(self.referee)
        )
    }
}

/// CPU time and run-queue delay of one thread, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stat {
    cpu: u64,
    delay: u64,
}

#[derive(Debug)]
struct Thread {
    file: File,
    base: Stat,
}

#[derive(Debug)]
struct Threads {
    pid: u32,
    threads: Vec<Thread>,
    base_at: Option<Instant>,
}

/// Stays with its slot, as engines do; to be used by one thread.
#[derive(Debug, Default)]
pub(super) struct Lag {
    cores: Vec<u32>,
    /// At most two, the last one used in front.
    engines: Vec<Threads>,
    me: Option<Thread>,
    me_at: Option<Instant>,
    /// How long our thread waited for a core before its last wake.
    me_waited: Duration,
    steal: Option<(Instant, u64)>,
}

impl Lag {
    pub(super) fn new(cores: &[u32]) -> Self {
        Self { cores: cores.to_vec(), ..Self::default() }
    }

    /// Takes the baseline for a move of the engine with process `pid`, if the last one is too old.
    pub(super) fn before_move(&mut self, pid: u32, now: Instant) {
        match self.engines.iter().position(|engine| engine.pid == pid) {
            Some(at) => self.engines.swap(0, at),
            None => {
                self.engines.insert(0, Threads { pid, threads: threads(pid), base_at: None });
                self.engines.truncate(2);
            }
        }
        let Some(engine) = self.engines.first_mut() else { return };
        // Many threads cost many reads: their baseline may be older in proportion.
        let age = THREADS_AGE * u32::try_from(1 + engine.threads.len() / 4).unwrap_or(64);
        if engine.base_at.is_none_or(|at| now.duration_since(at) > age) {
            engine.threads.retain_mut(|thread| read(&thread.file).map(|stat| thread.base = stat).is_ok());
            engine.base_at = Some(now);
        }
        if self.me.is_none() {
            let file = File::open("/proc/thread-self/schedstat").ok();
            self.me = file.map(|file| Thread { file, base: Stat::default() });
        }
        self.woke(now);
        self.me_waited = Duration::ZERO;
        if self.steal.is_none_or(|(at, _)| now.duration_since(at) > STEAL_AGE) {
            self.steal = steal_ticks(&self.cores).map(|ticks| (now, ticks));
        }
    }

    /// Lets the referee wait, and measures its own waiting where the last stretch (`from`) has begun at `now`. Gives when it
    /// woke, too.
    pub(super) fn around<T>(&mut self, from: Option<Instant>, now: Instant, wait: impl FnOnce() -> T) -> (T, Instant) {
        let measured = from.filter(|&from| now >= from);
        if let Some(from) = measured {
            self.near(from, now);
        }
        let waited = wait();
        let woke = Instant::now();
        if measured.is_some() {
            self.woke(woke);
        }
        (waited, woke)
    }

    /// The flag falls soon, and nothing was measured since `from`: the baseline of the referee's own waiting.
    fn near(&mut self, from: Instant, now: Instant) {
        if self.me_at.is_none_or(|at| at < from) {
            self.woke(now);
            self.me_waited = Duration::ZERO;
        }
    }

    /// The referee was woken.
    fn woke(&mut self, now: Instant) {
        if self.me_at.is_some_and(|at| now.duration_since(at) < WAKES_APART) {
            return;
        }
        if let Some(me) = &mut self.me
            && let Ok(stat) = read(&me.file)
        {
            self.me_waited = Duration::from_nanos(stat.delay.saturating_sub(me.base.delay));
            me.base = stat;
            self.me_at = Some(now);
        }
    }

    /// What the host took between `from` and `to` from the engine of the last baseline; `late`: how late the referee saw
    /// its own deadline.
    pub(super) fn found(&self, from: Instant, to: Instant, late: Duration) -> Found {
        let (mut cpu, mut delay) = (0, 0);
        for thread in self.engines.first().into_iter().flat_map(|engine| &engine.threads) {
            if let Ok(now) = read(&thread.file) {
                cpu += now.cpu.saturating_sub(thread.base.cpu);
                delay = delay.max(now.delay.saturating_sub(thread.base.delay));
            }
        }
        let since = self.me.as_ref().and_then(|me| Some(read(&me.file).ok()?.delay.saturating_sub(me.base.delay)));
        let waited = self.me_waited.max(Duration::from_nanos(since.unwrap_or(0)));
        let elapsed = to.saturating_duration_since(from);
        let steal = match (self.steal, steal_ticks(&self.cores)) {
            (Some((at, before)), Some(now)) => {
                let stolen = TICK * u32::try_from(now.saturating_sub(before)).unwrap_or(u32::MAX);
                share(stolen, elapsed, to.saturating_duration_since(at))
            }
            _ => Duration::ZERO,
        };
        let cores = u32::try_from(self.cores.len().max(1)).unwrap_or(1);
        Found {
            queue: not_self_made(Duration::from_nanos(delay), Duration::from_nanos(cpu), elapsed, cores),
            steal,
            referee: late.max(waited).min(elapsed),
        }
    }
}

/// The waiting of a thread that its own engine cannot have caused: what the cores did not give to the engine.
fn not_self_made(delay: Duration, cpu: Duration, elapsed: Duration, cores: u32) -> Duration {
    delay.min(elapsed.saturating_sub(cpu / cores.max(1)))
}

/// The part of what was stolen in `window` that falls to `elapsed` of it.
fn share(stolen: Duration, elapsed: Duration, window: Duration) -> Duration {
    if window <= elapsed { stolen.min(elapsed) } else { stolen.mul_f64(elapsed.as_secs_f64() / window.as_secs_f64()) }
}

fn threads(pid: u32) -> Vec<Thread> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks
        .flatten()
        .take(MAX_THREADS)
        .filter_map(|task| File::open(task.path().join("schedstat")).ok())
        .map(|file| Thread { file, base: Stat::default() })
        .collect()
}

fn read(file: &File) -> io::Result<Stat> {
    let mut text = [0; 96];
    let n = file.read_at(&mut text, 0)?;
    parse_schedstat(&text[..n]).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn parse_schedstat(text: &[u8]) -> Option<Stat> {
    let mut fields = std::str::from_utf8(text).ok()?.split_ascii_whitespace();
    Some(Stat { cpu: fields.next()?.parse().ok()?, delay: fields.next()?.parse().ok()? })
}

/// Steal of the busiest-stolen of `cores`, in ticks; of all CPUs together where no cores are named.
fn steal_ticks(cores: &[u32]) -> Option<u64> {
    parse_steal(&std::fs::read_to_string("/proc/stat").ok()?, cores)
}

fn parse_steal(stat: &str, cores: &[u32]) -> Option<u64> {
    let steal = |line: &str| line.split_ascii_whitespace().nth(8)?.parse::<u64>().ok();
    let mut most = None;
    for line in stat.lines().take_while(|line| line.starts_with("cpu")) {
        let name = line.split_ascii_whitespace().next()?.strip_prefix("cpu")?;
        let ours = if cores.is_empty() { name.is_empty() } else { name.parse().is_ok_and(|n| cores.contains(&n)) };
        if ours {
            most = most.max(steal(line));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn an_engine_that_fills_its_cores_has_no_lag() {
        assert_eq!(not_self_made(ms(90), ms(100), ms(100), 1), ms(0));
        assert_eq!(not_self_made(ms(30), ms(70), ms(100), 1), ms(30));
        assert_eq!(not_self_made(ms(90), ms(100), ms(100), 2), ms(50));
        assert_eq!(not_self_made(ms(90), ms(0), ms(50), 1), ms(50));
    }

    /// A referee of whose waiting the kernel says what the test does.
    struct Kernel(tempfile::NamedTempFile);

    impl Kernel {
        fn says(&self, delay_ms: u64) {
            std::fs::write(self.0.path(), format!("1 {} 1\n", delay_ms * 1_000_000)).unwrap();
        }
    }

    fn watched() -> (Kernel, Lag) {
        let kernel = Kernel(tempfile::NamedTempFile::new().unwrap());
        kernel.says(10);
        let me = Thread { file: File::open(kernel.0.path()).unwrap(), base: Stat::default() };
        (kernel, Lag { me: Some(me), ..Lag::default() })
    }

    #[test]
    fn only_the_last_wake_before_a_flag_counts() {
        let (kernel, mut lag) = watched();
        let begun = Instant::now();
        // What it waited before the last stretch is none of the answer's.
        lag.near(begun, begun + ms(1));
        assert_eq!(lag.me_waited, ms(0));
        kernel.says(17);
        lag.woke(begun + ms(5));
        assert_eq!(lag.me_waited, ms(7));
        lag.near(begun, begun + ms(6));
        assert_eq!(lag.me_waited, ms(7), "the stretch has begun already");
    }

    #[test]
    fn a_wait_is_measured_in_the_last_stretch_and_not_before() {
        for (begun_already, waited, since) in [(true, 7, 0), (false, 0, 17)] {
            let (kernel, mut lag) = watched();
            let now = Instant::now();
            let from = if begun_already { now } else { now + Duration::from_secs(60) };
            let ((), woke) = lag.around(Some(from), now, || {
                kernel.says(17);
                // So that its wake is not taken for the one at the stretch's begin.
                while now.elapsed() < WAKES_APART * 2 {
                    std::thread::yield_now();
                }
            });
            assert!(woke >= now + WAKES_APART * 2);
            assert_eq!(lag.me_waited, ms(waited), "{begun_already}");
            // What a judgement would find beside it: nothing, once the wake was measured.
            let me = lag.me.as_ref().unwrap();
            assert_eq!(read(&me.file).unwrap().delay - me.base.delay, since * 1_000_000, "{begun_already}");
        }
        let (_kernel, mut lag) = watched();
        lag.around(None, Instant::now(), || ());
        assert_eq!(lag.me_at, None, "no flag can fall");
    }

    #[test]
    fn steal_is_shared_out_over_its_window() {
        assert_eq!(share(ms(40), ms(100), ms(100)), ms(40));
        assert_eq!(share(ms(40), ms(100), ms(400)), ms(10));
        assert_eq!(share(ms(400), ms(100), ms(100)), ms(100));
    }

    #[test]
    fn kernel_text() {
        assert_eq!(parse_schedstat(b"123 45 6\n"), Some(Stat { cpu: 123, delay: 45 }));
        assert_eq!(parse_schedstat(b""), None);
        let stat = "cpu  1 2 3 4 5 6 7 80 9 0\ncpu0 1 2 3 4 5 6 7 30 0 0\ncpu1 1 2 3 4 5 6 7 50 0 0\nintr 5\n";
        assert_eq!(parse_steal(stat, &[]), Some(80));
        assert_eq!(parse_steal(stat, &[0]), Some(30));
        assert_eq!(parse_steal(stat, &[0, 1]), Some(50));
        assert_eq!(parse_steal(stat, &[7]), None);
    }
}
