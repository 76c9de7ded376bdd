//! An engine's process: its group, its pipes, its end.

use std::{
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::process::{CommandExt, ExitStatusExt},
    },
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::epoll::{self, EventData, EventFlags},
    fs::{Access, OFlags},
    io::Errno,
    process::{Pid, PidfdFlags, Signal},
};

use super::{
    killed::{self, OutOfMemory},
    launch::{Launch, NotStarted},
    limits::{KILL_WAIT, STATUS_WAIT},
    lines::Lines,
    memory::Watch,
    player::Fault,
    strays::Mark,
    transcript::{Ring, Tail},
};

const STDERR: u64 = 0;
const END: u64 = 1;
const STDIN: u64 = 2;

/// What one read of stdout gave.
pub(crate) enum Read {
    Bytes { at: Instant },
    Nothing,
    Eof,
}

/// A running process in a group of its own. Dropped, the whole group is killed, what has left the group too, and the
/// process reaped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pid: Pid,
    stdin: Option<OwnedFd>,
    stdout: OwnedFd,
    stderr: Option<OwnedFd>,
    epoll: OwnedFd,
    pidfd: OwnedFd,
    pending: Vec<u8>,
    written: usize,
    blocked_since: Option<Instant>,
    exited: bool,
    status: Option<ExitStatus>,
    memory: Option<Watch>,
    kills: OutOfMemory,
    mark: Mark,
    pub(crate) ring: Ring,
    pub(crate) stderr_tail: Tail,
    pub(crate) heard_at: Instant,
}

impl Process {
    /// Starts `launch` for the engine called `engine`.
    pub(crate) fn start(launch: &Launch, engine: &str) -> Result<Self, NotStarted> {
        let refused = |what: &str, source: io::Error| NotStarted::Refused {
            engine: engine.to_owned(),
            program: launch.program.clone(),
            what: what.to_owned(),
            source,
        };
        if !launch.directory.as_os_str().is_empty() && !launch.directory.is_dir() {
            let missing = io::Error::from(Errno::NOENT);
            return Err(refused(&format!("its working directory {}", launch.directory.display()), missing));
        }
        if !launch.prefix.is_empty() {
            // A launcher would fail in its own words, after the start: look before.
            check_executable(&launch.program, &launch.directory).map_err(|source| refused("the program", source))?;
        }
        let mark = Mark::new();
        let kills = OutOfMemory::start();
        let mut child = command(launch, &mark).spawn().map_err(|source| refused("the program", source))?;
        let adopted = Self::adopt(&mut child).and_then(|parts| {
            let memory = launch.memory.map(|limit| Watch::start(parts.0, limit, kills.clone())).transpose();
            Ok((parts, memory.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))?))
        });
        match adopted {
            Ok(((pid, [stdin, stdout, stderr], epoll, pidfd), memory)) => Ok(Self {
                memory,
                kills,
                mark,
                child,
                pid,
                stdin: Some(stdin),
                stdout,
                stderr: Some(stderr),
                epoll,
                pidfd,
                pending: Vec::new(),
                written: 0,
                blocked_since: None,
                exited: false,
                status: None,
                ring: Ring::default(),
                stderr_tail: Tail::default(),
                heard_at: Instant::now(),
            }),
            Err(errno) => {
                if let Some(pid) = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0)) {
                    let _ = rustix::process::kill_process_group(pid, Signal::KILL);
                }
                let _ = child.wait();
                Err(refused("its pipes", errno.into()))
            }
        }
    }

    fn adopt(child: &mut Child) -> Result<(Pid, [OwnedFd; 3], OwnedFd, OwnedFd), Errno> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return Err(Errno::BADF) };
        let pipes: [OwnedFd; 3] = [stdin.into(), stdout.into(), stderr.into()];
        for pipe in &pipes {
            let flags = rustix::fs::fcntl_getfl(pipe)?;
            rustix::fs::fcntl_setfl(pipe, flags | OFlags::NONBLOCK)?;
        }
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&epoll, &pipes[2], EventData::new_u64(STDERR), EventFlags::IN)?;
        let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
        epoll::add(&epoll, &pidfd, EventData::new_u64(END), EventFlags::IN)?;
        Ok((pid, pipes, epoll, pidfd))
    }

    /// Its output, and what is rare. A line wakes who waits for it by one descriptor and not through another.
    pub(crate) fn fds(&self) -> [BorrowedFd<'_>; 2] {
        [self.stdout.as_fd(), self.epoll.as_fd()]
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes what the pipe takes and keeps the rest; `Some` when all is written.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<Option<Instant>, Fault> {
        if self.written < self.pending.len() {
            self.pending.extend_from_slice(bytes);
            return Ok(None);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(stdin) = &self.stdin else { return Err(self.ended()) };
            match rustix::io::write(stdin, rest) {
                Ok(n) => rest = &rest[n..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.pending.clear();
                    self.pending.extend_from_slice(rest);
                    self.written = 0;
                    self.blocked_since = Some(Instant::now());
                    let added = epoll::add(&self.epoll, stdin, EventData::new_u64(STDIN), EventFlags::OUT);
                    return added.map(|()| None).map_err(host("epoll_ctl"));
                }
                Err(_) => return Err(self.ended()),
            }
        }
        Ok(Some(Instant::now()))
    }

    fn write_pending(&mut self) -> Result<Option<Instant>, Fault> {
        while self.written < self.pending.len() {
            let Some(stdin) = &self.stdin else { return Err(self.ended()) };
            match rustix::io::write(stdin, &self.pending[self.written..]) {
                Ok(n) => self.written += n,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(None),
                Err(_) => return Err(self.ended()),
            }
        }
        let at = Instant::now();
        if let Some(stdin) = &self.stdin {
            epoll::delete(&self.epoll, stdin).map_err(host("epoll_ctl"))?;
        }
        self.pending.clear();
        self.written = 0;
        self.blocked_since = None;
        Ok(Some(at))
    }

    /// Whether bytes that were written were not read yet.
    pub(crate) fn has_unread(&self) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| rustix::io::ioctl_fionread(stdin).is_ok_and(|n| n > 0))
    }

    pub(crate) const fn blocked_since(&self) -> Option<Instant> {
        self.blocked_since
    }

    /// One read of stdout.
    pub(crate) fn read(&mut self, lines: &mut Lines) -> Result<Read, Fault> {
        loop {
            match rustix::io::read(&self.stdout, lines.room()) {
                Ok(0) => return Ok(Read::Eof),
                Ok(n) => {
                    let at = Instant::now();
                    self.heard_at = at;
                    self.ring.read(at, lines.filled(n));
                    return Ok(Read::Bytes { at });
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Read::Nothing),
                Err(errno) => return Err(host("read")(errno)),
            }
        }
    }

    /// Looks after stderr, a pending write and the end of the process. `Some` when a pending write is done.
    pub(crate) fn look_around(&mut self) -> Result<Option<Instant>, Fault> {
        let mut events = [epoll::Event { flags: EventFlags::empty(), data: EventData::new_u64(0) }; 4];
        let zero = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        let n = match epoll::wait(&self.epoll, &mut events, Some(&zero)) {
            Ok(n) => n,
            Err(Errno::INTR) => 0,
            Err(errno) => return Err(host("epoll_wait")(errno)),
        };
        let mut done = None;
        for event in &events[..n] {
            match event.data.u64() {
                STDERR => self.drain_stderr(1),
                END => self.exited = true,
                STDIN => done = self.write_pending()?,
                _ => {}
            }
        }
        Ok(done)
    }

    /// Whether the process is known to have ended.
    pub(crate) const fn has_exited(&self) -> bool {
        self.exited
    }

    fn drain_stderr(&mut self, reads: u32) {
        let mut chunk = [0; 16 * 1024];
        for _ in 0..reads {
            let Some(stderr) = &self.stderr else { return };
            match rustix::io::read(stderr, &mut chunk) {
                Ok(0) => {
                    let _ = epoll::delete(&self.epoll, stderr);
                    self.stderr = None;
                }
                Ok(n) => self.stderr_tail.push(&chunk[..n]),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// The fault of a process that ended or closed a pipe; waits a moment for its status.
    pub(crate) fn ended(&mut self) -> Fault {
        let gone = self.exited || self.wait(STATUS_WAIT);
        self.drain_stderr(64);
        if !gone {
            return Fault::Ended { status: "closed its output".to_owned() };
        }
        let over = self.memory.as_ref().and_then(Watch::verdict);
        let held = self.memory.as_ref().map_or_else(String::new, |watch| format!(", {}", watch.last_seen()));
        self.kill();
        let status = self.status.map_or_else(|| "ended".to_owned(), describe);
        match over {
            Some(status) => Fault::Ended { status },
            None if self.status.and_then(killed::signal).is_some_and(killed::from_outside) => {
                Fault::Killed { status: format!("{status}{held}"), machine: self.kills.verdict() }
            }
            None => Fault::Ended { status },
        }
    }

    /// Waits up to `timeout` for the process to end, without reaping it.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        if self.status.is_some() {
            return true;
        }
        let until = Instant::now() + timeout;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = rustix::event::Timespec {
                tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
                tv_nsec: i64::from(left.subsec_nanos()),
            };
            let mut poll = [rustix::event::PollFd::new(&self.pidfd, rustix::event::PollFlags::IN)];
            match rustix::event::poll(&mut poll, Some(&timeout)) {
                Ok(0) => return false,
                Err(Errno::INTR) => {}
                Ok(_) => {
                    self.exited = true;
                    return true;
                }
                Err(_) => return false,
            }
        }
    }

    /// Closes the engine's input, so that one that only reads ends.
    pub(crate) fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Kills the whole group and reaps the process. The group goes first: while its leader is not reaped, its number
    /// cannot belong to anyone else.
    pub(crate) fn kill(&mut self) {
        if self.status.is_some() {
            return;
        }
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        // The watch may signal the group too: it ends before the number can be anyone else's.
        self.memory = None;
        if self.wait(KILL_WAIT) {
            self.mark.kill_all();
            self.status = self.status.or_else(|| self.child.wait().ok());
        } else {
            tracing::warn!(pid = self.child.id(), "a killed engine is still there: the kernel holds it");
        }
    }

    /// How it ended, once it was killed or reaped.
    pub(crate) const fn status(&self) -> Option<ExitStatus> {
        self.status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn host(call: &'static str) -> impl Fn(Errno) -> Fault {
    move |errno| Fault::Host { call, errno: errno.to_string() }
}

fn command(launch: &Launch, mark: &Mark) -> Command {
    let mut command = if let Some((launcher, rest)) = launch.prefix.split_first() {
        let mut command = Command::new(launcher);
        command.args(rest).arg(&launch.program);
        command
    } else {
        Command::new(&launch.program)
    };
    command
        .args(&launch.args)
        .envs(launch.env.iter().map(|(name, value)| (name, value)))
        .envs([mark.variable()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    if !launch.directory.as_os_str().is_empty() {
        command.current_dir(&launch.directory);
    }
    command
}

fn check_executable(program: &Path, directory: &Path) -> Result<(), io::Error> {
    if program.components().count() < 2 {
        return Ok(()); // a bare name: looked up on PATH by the launcher
    }
    let path = directory.join(program);
    if path.is_dir() {
        return Err(Errno::ACCESS.into());
    }
    rustix::fs::access(&path, Access::EXEC_OK).map_err(Into::into)
}

/// `exited with code 3`, `was killed by SIGSEGV`, `exited with code 137, as a shell does whose child was killed by
/// SIGKILL`.
pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => match killed::told_by_code(status).and_then(killed::signal_name) {
            Some(name) => format!("exited with code {code}, as a shell does whose child was killed by {name}"),
            None => format!("exited with code {code}"),
        },
        (None, Some(signal)) => match killed::signal_name(signal) {
            Some(name) => format!("was killed by {name}"),
            None => format!("was killed by signal {signal}"),
        },
        (None, None) => "ended".to_owned(),
    }
}
