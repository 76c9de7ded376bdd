//! Coordinators and workers on loopback, each a process of its own.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    etcd::free_ports,
    run::{Process, Ran, rookery, run},
    tools,
};

/// A coordinator's command line is the same at each start; its port stays.
pub struct Coordinator {
    args: Vec<String>,
    folder: PathBuf,
    port: u16,
    /// The running process.
    pub process: Option<Process>,
}

impl Coordinator {
    /// Starts it, and waits until it listens.
    pub fn start(&mut self) {
        let mut process = Process::start(&mut rookery(&self.folder, &self.args));
        process.line("coordinator on");
        self.process = Some(process);
    }

    /// `http://host:port`.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

/// What is on one store: coordinators and workers.
pub struct Fleet {
    /// All files of it: a folder for each worker's state, the archive, a catalogue.
    pub folder: TempDir,
    /// Coordinators, in order of start.
    pub coordinators: Vec<Coordinator>,
    /// Workers, in order of start.
    pub workers: Vec<Process>,
    started: usize,
}

impl Fleet {
    /// Starts `coordinators` coordinators on `store` (`None`: an embedded one), with a catalogue that names `engines`
    /// (name, program, arguments).
    ///
    /// # Panics
    /// Where one does not start.
    pub fn start(store: Option<&str>, coordinators: usize, engines: &[(&str, &Path, &[&str])]) -> Self {
        Self::start_with(store, coordinators, engines, &[])
    }

    /// The same, with `more` on each coordinator's command line.
    ///
    /// # Panics
    /// Where one does not start.
    pub fn start_with(
        store: Option<&str>,
        coordinators: usize,
        engines: &[(&str, &Path, &[&str])],
        more: &[&str],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let mut catalogue = String::new();
        for (name, program, args) in engines {
            catalogue += &format!("[[engine]]\nname = {name:?}\nprogram = {program:?}\nargs = {args:?}\n\n");
        }
        write(&folder.path().join("engines.toml"), &catalogue);
        let ports = free_ports(coordinators).unwrap_or_else(|error| panic!("{error}"));
        let store = store.map_or_else(|| "embedded:state.redb".to_owned(), str::to_owned);
        let mut fleet = Self { folder, coordinators: Vec::new(), workers: Vec::new(), started: 0 };
        for port in ports {
            fleet.lead_on(port, &[&["--store", &store, "--archive", "archive"], more].concat());
        }
        fleet
    }

    /// Starts one more coordinator, on another store.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn lead(&mut self, stores: &[&str]) {
        let ports = free_ports(1).unwrap_or_else(|error| panic!("{error}"));
        ports.into_iter().for_each(|port| self.lead_on(port, stores));
    }

    fn lead_on(&mut self, port: u16, stores: &[&str]) {
        let listen = format!("127.0.0.1:{port}");
        let args = ["coordinator", "--listen", &listen, "--http", "none", "--lease", "2s", "--grace", "8s"];
        let args = args.iter().chain(stores).map(ToString::to_string).collect();
        let folder = self.folder.path().to_owned();
        let mut coordinator = Coordinator { args, folder, port, process: None };
        coordinator.start();
        self.coordinators.push(coordinator);
    }

    /// All coordinators' addresses, as a worker or an operator names them.
    pub fn urls(&self) -> String {
        self.coordinators.iter().map(Coordinator::url).collect::<Vec<_>>().join(",")
    }

    /// Starts one more worker, `w1` the first, and waits until it says that it is there.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn worker(&mut self, slots: usize) {
        self.started += 1;
        let (id, slots) = (format!("w{}", self.started), slots.to_string());
        let state = self.folder.path().join(&id);
        let mut command = rookery(self.folder.path(), ["worker", "--engines", "engines.toml", "--oversubscribe"]);
        command.args(["--id", &id, "--slots", &slots, "--coordinator", &self.urls(), "--grace", "1s", "--state"]);
        let mut process = Process::start(command.arg(state));
        process.line("rookery worker");
        self.workers.push(process);
    }

    /// A file of the fleet's folder with this text.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        write(&file, text);
        file
    }

    /// A command of an operator, ready to run.
    pub fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = rookery(self.folder.path(), args);
        command.args(["--coordinator", &self.coordinators[0].url(), "--by", "tests"]);
        command
    }

    /// Runs a command of an operator.
    pub fn operator(&self, args: &[&str]) -> Ran {
        run(&mut self.command(args))
    }

    /// The same, with `--json`, and what it says.
    pub fn json(&self, args: &[&str]) -> Value {
        let mut command = self.command(args);
        run(command.arg("--json")).expect(0).json()
    }

    /// Waits until the event is over.
    ///
    /// # Panics
    /// Where it is not, in the end.
    pub fn over(&self, event: &str) {
        self.operator(&["watch", event]).expect(0);
    }
}

/// Debian's engines, as a catalogue names them; `None`, and the test is skipped, where one is not here.
pub fn engines() -> Option<Vec<(&'static str, PathBuf)>> {
    const ENGINES: [(&str, &str); 4] =
        [("stockfish", "stockfish"), ("ethereal", "ethereal-chess"), ("glaurung", "glaurung"), ("toga", "toga2")];
    tools::have(&ENGINES.map(|(_, program)| program))
        .then(|| ENGINES.iter().filter_map(|(name, program)| Some((*name, tools::find(program)?))).collect())
}

fn write(file: &Path, text: &str) {
    fs::write(file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}
