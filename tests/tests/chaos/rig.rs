//! The machines, and the programs on them.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use rookery_tests::{
    net::Net,
    run::{Process, Ran, none_left, rookery, run},
    tools,
};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const STORES: [&str; 3] = ["e1", "e2", "e3"];
pub(crate) const COORDINATORS: [&str; 3] = ["c1", "c2", "c3"];
pub(crate) const WORKERS: [&str; 3] = ["w1", "w2", "w3"];
/// The worker whose outbox has a small disk of its own.
pub(crate) const SMALL: &str = "w1";
/// Room for a round, and little more.
const ARCHIVE: &str = "size=64m";
const OUTBOX: &str = "size=8m";
const LEASE: &str = "2s";
const GRACE: &str = "6s";
/// A worker's games may end before it does, for 30 s where nothing else is said.
const TERM: Duration = Duration::from_secs(50);
/// The exit code of `watch` where a person is asked.
const ASKS: i32 = 3;
/// Lines of a program that are shown after a failure.
const LINES: usize = 60;

/// A program on a machine of its own, started the same way each time.
struct Part {
    host: &'static str,
    command: Command,
    /// It is there when it says so.
    ready: &'static str,
    process: Option<Process>,
    /// What it said before it was killed.
    earlier: Vec<String>,
}

/// All machines.
pub(crate) struct Rig {
    pub(crate) net: Net,
    pub(crate) folder: TempDir,
    parts: Vec<Part>,
}

impl Rig {
    /// Starts all of it.
    pub(crate) fn start(etcd: &Path, python: &Path) -> Self {
        let hosts: Vec<_> = STORES.iter().chain(&COORDINATORS).chain(&WORKERS).copied().collect();
        let mut rig = Self { net: Net::new(&hosts), folder: tempfile::tempdir().unwrap(), parts: Vec::new() };
        rig.disk("archive", ARCHIVE);
        rig.disk(SMALL, OUTBOX);
        rig.catalogue(python);
        let url = |host: &str, port: u16| format!("http://{}:{port}", rig.net.address(host));
        let all = STORES.map(|host| format!("{host}={}", url(host, 2380))).join(",");
        let stores = STORES.map(|host| format!("{}:2379", rig.net.address(host))).join(",");
        let mut commands = Vec::new();
        for host in STORES {
            let mut command = Command::new(etcd);
            let data = rig.folder.path().join(host).display().to_string();
            let (client, peer) = (url(host, 2379), url(host, 2380));
            for (flag, value) in [
                ("name", host),
                ("data-dir", &data),
                ("listen-client-urls", &client),
                ("advertise-client-urls", &client),
                ("listen-peer-urls", &peer),
                ("initial-advertise-peer-urls", &peer),
                ("initial-cluster", &all),
                ("initial-cluster-state", "new"),
            ] {
                command.arg(format!("--{flag}={value}"));
            }
            commands.push((host, command, "ready to serve client requests"));
        }
        for host in COORDINATORS {
            let (listen, url) = ("0.0.0.0:7700", url(host, 7700));
            let mut command = rookery(rig.folder.path(), ["coordinator", "--http", "none", "--archive", "archive"]);
            command.args(["--listen", listen, "--advertise", &url, "--store", &format!("etcd://{stores}")]);
            command.args(["--lease", LEASE, "--grace", GRACE]);
            commands.push((host, command, "coordinator on"));
        }
        for host in WORKERS {
            let mut command = rookery(rig.folder.path(), ["worker", "--engines", "engines.toml", "--slots", "1"]);
            command.args(["--oversubscribe", "--id", host, "--state", host, "--coordinator", &rig.urls()]);
            commands.push((host, command, "rookery worker"));
        }
        for (host, command, ready) in commands {
            let command = rig.net.on(host, &command);
            rig.parts.push(Part { host, command, ready, process: None, earlier: Vec::new() });
        }
        // Members first, all at once: none is ready before most are there.
        rig.parts.iter_mut().take(STORES.len()).for_each(|part| part.process = Some(Process::start(&mut part.command)));
        for part in &mut rig.parts {
            match &mut part.process {
                Some(process) => drop(process.line(part.ready)),
                None => part.start(),
            }
        }
        rig
    }

    fn catalogue(&self, python: &Path) {
        let mover = tools::file("engines/mover.py");
        let engine = |name: &str, program: &Path, args: &[&str]| {
            format!("[[engine]]\nname = {name:?}\nprogram = {program:?}\nargs = {args:?}\n")
        };
        let mover = mover.to_str().unwrap();
        let stockfish = tools::find("stockfish").unwrap();
        let text = engine("stockfish", &stockfish, &[])
            + &engine("mover", python, &[mover, "seed=1", "think=20"])
            + &engine("thinker", python, &[mover, "seed=2", "think=50"]);
        self.file("engines.toml", &text);
    }

    fn disk(&self, name: &str, size: &str) {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        let mut command = Command::new("mount");
        run(command.args(["-t", "tmpfs", "-o", size, "tmpfs"]).arg(folder)).expect(0);
    }

    fn part(&mut self, host: &str) -> &mut Part {
        self.parts.iter_mut().find(|part| part.host == host).unwrap()
    }

    /// The process on a machine.
    pub(crate) fn process(&mut self, host: &str) -> &mut Process {
        self.part(host).process.as_mut().unwrap()
    }

    /// Pulls the power plug of a machine.
    pub(crate) fn kill(&mut self, host: &str) {
        let part = self.part(host);
        if let Some(process) = part.process.take() {
            process.signal_group(Signal::KILL);
            let ran = process.wait(Duration::from_secs(20));
            part.earlier.extend(ran.err.lines().map(str::to_owned));
            part.earlier.push("-- killed".to_owned());
        }
    }

    /// Ends a program as a service manager does, and starts it again.
    pub(crate) fn restart(&mut self, host: &str) {
        let part = self.part(host);
        if let Some(process) = part.process.take() {
            process.signal(Signal::TERM);
            let ran = process.wait(TERM);
            // etcd ends by the signal itself.
            assert!(ran.code == 0 || ran.code == -Signal::TERM.as_raw(), "{host}: {ran:?}");
            part.earlier.extend(ran.err.lines().map(str::to_owned));
            part.earlier.push("-- ended".to_owned());
        }
        part.start();
    }

    /// Starts it again.
    pub(crate) fn start_again(&mut self, host: &str) {
        self.part(host).start();
    }

    /// Starts it again where the clocks that count from the start of a machine show another time, as after a start of the
    /// machine. The day is the same: Linux has one for all.
    pub(crate) fn start_in_another_time(&mut self, host: &str, seconds: u32) {
        let part = self.part(host);
        let mut command = Command::new("unshare");
        command.args(["--time", &format!("--monotonic={seconds}"), &format!("--boottime={seconds}"), "--"]);
        command.arg(part.command.get_program()).args(part.command.get_args()).stdin(Stdio::null());
        for (name, value) in part.command.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        part.command.get_current_dir().map(|folder| command.current_dir(folder));
        let mut process = Process::start(&mut command);
        process.line(part.ready);
        part.process = Some(process);
    }

    fn url(&self, host: &str) -> String {
        format!("http://{}:7700", self.net.address(host))
    }

    fn urls(&self) -> String {
        COORDINATORS.map(|host| self.url(host)).join(",")
    }

    /// Members' addresses, `host:port`.
    pub(crate) fn members(&self) -> Vec<String> {
        STORES.iter().map(|host| format!("{}:2379", self.net.address(host))).collect()
    }

    /// The coordinator that says that it leads, of `among`.
    pub(crate) fn leader(&self, among: &[&'static str]) -> Option<&'static str> {
        among.iter().copied().find(|host| {
            let mut command = rookery(self.folder.path(), ["status", "--json", "--coordinator", &self.url(host)]);
            let ran = run(&mut command);
            ran.code == 0 && ran.json()["leading"] == true
        })
    }

    /// Waits until one of `among` leads.
    pub(crate) fn led(&self, among: &[&'static str]) -> &'static str {
        self.until("somebody leads", |rig| rig.leader(among))
    }

    /// Asks until there is an answer.
    pub(crate) fn until<T>(&self, what: &str, ask: impl Fn(&Self) -> Option<T>) -> T {
        let begun = std::time::Instant::now();
        loop {
            if let Some(answer) = ask(self) {
                return answer;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "in vain: {what}");
        }
    }

    /// Runs a command of an operator.
    pub(crate) fn operator(&self, args: &[&str]) -> Ran {
        let mut command = rookery(self.folder.path(), args);
        run(command.args(["--coordinator", &self.urls(), "--by", "tests"]))
    }

    /// The same, and what it says as JSON.
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        self.operator(&args).expect(0).json()
    }

    /// Games on record, of all events.
    pub(crate) fn done(&self) -> u64 {
        self.json(&["list"]).as_array().unwrap().iter().map(|event| event["games_done"].as_u64().unwrap()).sum()
    }

    /// Gives a person's word to all events that wait for it.
    pub(crate) fn answer(&self) {
        for event in self.json(&["list"]).as_array().unwrap().iter().filter(|event| event["phase"] == "asking") {
            self.operator(&["resume", event["event"].as_str().unwrap()]).expect(0);
        }
    }

    /// Waits until an event is over. A pair whose attempts broke three times waits for a person's word: it is given.
    pub(crate) fn over(&self, event: &str) {
        loop {
            let watched = self.operator(&["watch", event]);
            if watched.code != ASKS {
                watched.expect(0);
                return;
            }
            self.operator(&["resume", event]).expect(0);
        }
    }

    /// A file in the folder of all.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, text).unwrap();
        file
    }

    /// The last lines of all programs of ours.
    pub(crate) fn said(&mut self) -> String {
        let mut text = String::new();
        for part in self.parts.iter_mut().filter(|part| !STORES.contains(&part.host)) {
            let mut lines = part.earlier.clone();
            lines.extend(part.process.iter_mut().flat_map(|process| process.said().to_vec()));
            writeln!(text, "\n== {}", part.host).unwrap();
            lines.iter().skip(lines.len().saturating_sub(LINES)).for_each(|line| writeln!(text, "{line}").unwrap());
        }
        text
    }

    /// Ends all of it as a service manager does; nothing stays behind.
    pub(crate) fn end(mut self) {
        for host in WORKERS.iter().chain(&COORDINATORS) {
            let process = self.part(host).process.take().unwrap();
            process.signal(Signal::TERM);
            process.wait(TERM).expect(0);
        }
        STORES.iter().for_each(|host| self.kill(host));
        none_left(self.folder.path(), Duration::from_secs(2));
        for disk in ["archive", SMALL] {
            run(Command::new("umount").arg(self.folder.path().join(disk))).expect(0);
        }
    }
}

impl Part {
    fn start(&mut self) {
        let mut process = Process::start(&mut self.command);
        process.line(self.ready);
        self.process = Some(process);
    }
}
