//! An etcd of its own on loopback, for one test.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    io::{BufRead, BufReader},
    net::TcpListener,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Child, ChildStderr, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

/// Names another binary than `etcd`.
const BINARY: &str = "ROOKERY_ETCD";
/// A member that is not ready after this long is not going to be.
const READY: Duration = Duration::from_secs(30);
/// Lines of a member's log that are shown where it does not start.
const LINES: usize = 40;

/// Members on loopback, with data in a temporary folder. All are killed when it is dropped.
pub struct Cluster {
    members: Vec<Member>,
    _folder: TempDir,
}

struct Member {
    command: Vec<OsString>,
    endpoint: String,
    child: Option<Child>,
}

impl Cluster {
    /// Starts `members` members with `args` besides, and waits until they serve. `None`, and the test is skipped, where
    /// there is no etcd here.
    ///
    /// # Errors
    /// Where one does not start: with the end of its log.
    pub fn start(members: usize, args: &[&str]) -> io::Result<Option<Self>> {
        let Some(binary) = binary() else {
            crate::tools::skip(&format!("no etcd (Debian: etcd-server), and {BINARY} is not set"));
            return Ok(None);
        };
        let folder = tempfile::tempdir()?;
        let ports = free_ports(members * 2)?;
        let (clients, peers) = ports.split_at(members);
        let all: Vec<_> = peers.iter().enumerate().map(|(i, p)| format!("m{i}=http://127.0.0.1:{p}")).collect();
        let members = clients.iter().zip(peers).enumerate().map(|(i, (client, peer))| {
            let (client, peer) = (format!("http://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
            let mut command: Vec<OsString> = vec![binary.clone().into()];
            for (flag, value) in [
                ("name", format!("m{i}")),
                ("data-dir", folder.path().join(format!("m{i}")).display().to_string()),
                ("listen-client-urls", client.clone()),
                ("advertise-client-urls", client.clone()),
                ("listen-peer-urls", peer.clone()),
                ("initial-advertise-peer-urls", peer),
                ("initial-cluster", all.join(",")),
                ("initial-cluster-state", "new".into()),
            ] {
                command.push(format!("--{flag}={value}").into());
            }
            command.extend(args.iter().map(OsString::from));
            Member { command, endpoint: client.trim_start_matches("http://").to_owned(), child: None }
        });
        let mut cluster = Self { members: members.collect(), _folder: folder };
        // All first, as none is ready before most are there.
        let started = cluster.members.iter_mut().map(Member::spawn).collect::<io::Result<Vec<_>>>()?;
        started.into_iter().try_for_each(Starting::wait)?;
        Ok(Some(cluster))
    }

    /// `host:port` of each member.
    pub fn endpoints(&self) -> Vec<String> {
        self.members.iter().map(|m| m.endpoint.clone()).collect()
    }

    /// The store's URL.
    pub fn url(&self) -> String {
        format!("etcd://{}", self.endpoints().join(","))
    }

    /// Kills a member, as a machine that dies.
    ///
    /// # Errors
    /// Where the system does not do it.
    pub fn kill(&mut self, member: usize) -> io::Result<()> {
        self.members[member].kill()
    }

    /// Starts a member again, on its data. It is ready when a majority is there.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn restart(&mut self, member: usize) -> io::Result<()> {
        self.members[member].kill()?;
        self.members[member].spawn().map(drop)
    }

    /// Stops a member in its tracks, as a machine that hangs.
    ///
    /// # Errors
    /// Where the system does not do it.
    pub fn pause(&self, member: usize) -> io::Result<()> {
        self.members[member].signal(Signal::STOP)
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// Where the system does not do it.
    pub fn resume(&self, member: usize) -> io::Result<()> {
        self.members[member].signal(Signal::CONT)
    }
}

impl Member {
    fn spawn(&mut self) -> io::Result<Starting> {
        let (binary, args) = self.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(binary)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let stderr = child.stderr.take();
        self.child = Some(child);
        Ok(Starting::follow(self.endpoint.clone(), stderr.ok_or(io::ErrorKind::BrokenPipe)?))
    }

    fn signal(&self, signal: Signal) -> io::Result<()> {
        let Some(child) = &self.child else { return Ok(()) };
        Ok(kill_process_group(Pid::from_child(child), signal)?)
    }

    fn kill(&mut self) -> io::Result<()> {
        self.signal(Signal::KILL)?;
        if let Some(mut child) = self.child.take() {
            child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.kill(); // gone already: as wanted
    }
}

/// A member whose log is read until it ends, so that it never blocks on it.
struct Starting {
    endpoint: String,
    ready: mpsc::Receiver<()>,
    last: Arc<Mutex<VecDeque<String>>>,
}

impl Starting {
    fn follow(endpoint: String, log: ChildStderr) -> Self {
        let (serves, ready) = mpsc::channel();
        let last = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&last);
        std::thread::spawn(move || {
            for line in BufReader::new(log).lines().map_while(Result::ok) {
                if line.contains("ready to serve client requests") {
                    let _ = serves.send(()); // nobody waits any more
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == LINES {
                    kept.pop_front();
                }
                kept.push_back(line);
            }
        });
        Self { endpoint, ready, last }
    }

    fn wait(self) -> io::Result<()> {
        self.ready.recv_timeout(READY).map_err(|_| {
            let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            let log = last.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
            io::Error::other(format!("etcd on {} is not ready:\n{log}", self.endpoint))
        })
    }
}

/// The program, if it is here.
pub fn binary() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(BINARY) {
        return Some(named.into());
    }
    // Debian's first: what else is in PATH may be a wrapper that leaves its child behind.
    let debian = PathBuf::from("/usr/bin/etcd");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("etcd"));
    std::iter::once(debian).chain(found).find(|file| fs::metadata(file).is_ok_and(|m| m.is_file()))
}

/// Ports that were free a moment ago, all different.
pub(crate) fn free_ports(n: usize) -> io::Result<Vec<u16>> {
    let listeners = (0..n).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<io::Result<Vec<_>>>()?;
    listeners.iter().map(|l| Ok(l.local_addr()?.port())).collect()
}
