//! The real binary, run as a person or a service manager runs it.

use std::{
    env,
    ffi::OsStr,
    fs, io,
    io::{BufRead, BufReader, Read},
    os::fd::AsFd,
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify,
    process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open},
};

use crate::tools;

/// Names another binary than the one beside the tests.
const BINARY: &str = "ROOKERY_BIN";
/// A command that says nothing for so long is hung.
pub const PATIENCE: Duration = Duration::from_secs(200);

/// The binary under test.
///
/// # Panics
/// Where it is not built.
pub fn binary() -> PathBuf {
    let file = env::var_os(BINARY).map_or_else(
        || {
            let test = env::current_exe().unwrap_or_default();
            test.ancestors().nth(2).map_or_else(PathBuf::new, |folder| folder.join("rookery"))
        },
        PathBuf::from,
    );
    assert!(file.is_file(), "no {}: cargo build -p rookery, or set {BINARY}", file.display());
    file
}

/// A command line of the binary, in a folder, with a short environment of its own.
pub fn rookery<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(folder: &Path, args: I) -> Command {
    let mut command = Command::new(binary());
    command.args(args).current_dir(folder).env("PATH", tools::path()).stdin(Stdio::null());
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ROOKERY_")) {
        command.env_remove(name);
    }
    command
}

/// What a command came to.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; the negative signal where one ended it.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
    /// How long it took.
    pub took: Duration,
}

impl Ran {
    /// Itself, after a look at its exit code.
    ///
    /// # Panics
    /// Where the code is another: with all that was said.
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.out, self.err);
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// Where it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }
}

/// Runs a command to its end.
///
/// # Panics
/// Where it does not end in [`PATIENCE`].
pub fn run(command: &mut Command) -> Ran {
    Process::start(command).wait(PATIENCE)
}

/// A program in a process group of its own, as a terminal starts it. Killed, as a group, when it is dropped.
pub struct Process {
    child: Option<Child>,
    pid: Pid,
    lines: mpsc::Receiver<String>,
    err: Vec<String>,
    out: mpsc::Receiver<String>,
    since: Instant,
}

impl Process {
    /// Starts it.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start(command: &mut Command) -> Self {
        let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let pid = Pid::from_child(&child);
        let (line, lines) = mpsc::channel();
        let (text, out) = mpsc::channel();
        if let Some(stderr) = child.stderr.take() {
            thread::spawn(move || {
                let mut reader = BufReader::new(stderr);
                let mut bytes = Vec::new();
                while reader.read_until(b'\n', &mut bytes).is_ok_and(|n| n > 0) {
                    let _ = line.send(String::from_utf8_lossy(&bytes).trim_end().to_owned()); // nobody listens any more
                    bytes.clear();
                }
            });
        }
        if let Some(mut stdout) = child.stdout.take() {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                let _ = stdout.read_to_end(&mut bytes); // what there was
                let _ = text.send(String::from_utf8_lossy(&bytes).into_owned());
            });
        }
        Self { child: Some(child), pid, lines, err: Vec::new(), out, since: Instant::now() }
    }

    /// Waits for a line on stderr that has `text` in it, and gives it.
    ///
    /// # Panics
    /// Where none comes in [`PATIENCE`].
    pub fn line(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let Ok(line) = self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) else {
                panic!("no line with `{text}`; stderr:\n{}", self.err.join("\n"));
            };
            self.err.push(line.clone());
            if line.contains(text) {
                return line;
            }
        }
    }

    /// All lines on stderr until now.
    pub fn said(&mut self) -> &[String] {
        self.err.extend(self.lines.try_iter());
        &self.err
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// A signal to it alone.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid, signal); // gone already
    }

    /// A signal to its whole group, as a terminal does for Ctrl-C.
    pub fn signal_group(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal); // gone already
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Where it does not end in `limit`.
    pub fn wait(mut self, limit: Duration) -> Ran {
        let Some(mut child) = self.child.take() else { unreachable!("taken once") };
        let (done, ended) = mpsc::channel();
        thread::spawn(move || done.send(child.wait()));
        let status = ended.recv_timeout(limit);
        if status.is_err() {
            self.signal_group(Signal::KILL);
        }
        let took = self.since.elapsed();
        let out = self.out.recv_timeout(PATIENCE).unwrap_or_default();
        self.err.extend(self.lines.iter());
        let err = self.err.join("\n");
        let Ok(Ok(status)) = status else { panic!("not over after {limit:?}\nstdout:\n{out}\nstderr:\n{err}") };
        let code = status.code().unwrap_or_else(|| -status.signal().unwrap_or_default());
        Ran { code, out, err, took }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            self.signal_group(Signal::KILL);
            let _ = child.wait();
        }
    }
}

/// Processes whose working folder is in `folder` or whose command line names it, but for those of `except`.
///
/// # Errors
/// Where `/proc` cannot be read.
pub fn processes_in(folder: &Path, except: &[i32]) -> io::Result<Vec<String>> {
    let folder = folder.canonicalize()?;
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder));
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let named = line.contains(&*folder.to_string_lossy());
        if (here || named) && pid.unsigned_abs() != std::process::id() && !except.contains(&pid) {
            found.push(format!("{pid} {line}"));
        }
    }
    Ok(found)
}

/// Waits until something holds that changes with the files of a folder.
///
/// # Panics
/// Where it does not in [`PATIENCE`], or the folder is not there.
pub fn wait_in(folder: &Path, mut holds: impl FnMut() -> bool) {
    let changes = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap_or_else(|errno| panic!("inotify: {errno}"));
    let all = inotify::WatchFlags::CREATE | inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::CLOSE_WRITE;
    let watched = inotify::add_watch(&changes, folder, all);
    watched.unwrap_or_else(|errno| panic!("{}: {errno}", folder.display()));
    let until = Instant::now() + PATIENCE;
    while !holds() {
        let left = until.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "in vain");
        wait_readable(&changes, left);
        let mut buffer = [0; 4096];
        while rustix::io::read(&changes, &mut buffer).is_ok_and(|bytes| bytes > 0) {}
    }
}

fn wait_readable(fd: &impl AsFd, limit: Duration) {
    let timeout = Timespec { tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX), tv_nsec: 1_000_000 };
    let _ = poll(&mut [PollFd::new(fd, PollFlags::IN)], Some(&timeout)); // looked at again either way
}

/// Waits for the end of a process that need not be a child, until a moment at most.
fn wait_for_end(pid: Option<Pid>, until: Instant) {
    // One that is gone already has no descriptor.
    let Some(Ok(process)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) else { return };
    wait_readable(&process, until.saturating_duration_since(Instant::now()));
}

/// Waits until no process of `folder` is left.
///
/// # Panics
/// Where there still are some after `limit`: with their names.
pub fn none_left(folder: &Path, limit: Duration) {
    let until = Instant::now() + limit;
    loop {
        let left = processes_in(folder, &[]).unwrap_or_default();
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < until, "still there after {limit:?}: {left:#?}");
        let first = left.first().and_then(|line| line.split(' ').next()).and_then(|pid| pid.parse().ok());
        wait_for_end(first.and_then(Pid::from_raw), until);
    }
}
