//! A candidate in a process of its own, which others start, stop and kill.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use rookery_coordinator::store::{Leadership, Options, open};
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::mpsc;

use crate::suite::put;

/// Not a test: what such a process does. It says when it leads, and puts each key that it is told.
#[tokio::test]
#[ignore = "started by other tests"]
async fn a_candidate() {
    let Ok(url) = std::env::var(CANDIDATE) else { return };
    let store = open(&url, Options { lease: Duration::from_secs(2), ..Options::default() }).await.expect("opens");
    let mut watch = store.leadership();
    let said = Arc::clone(&store);
    tokio::spawn(async move {
        loop {
            if let Leadership::Leading { since } = *watch.borrow_and_update() {
                println!("candidate: leading {since}");
            }
            if watch.changed().await.is_err() {
                return;
            }
        }
    });
    let (lines, mut asked) = mpsc::channel(8);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            lines.blocking_send(line).unwrap();
        }
    });
    while let Some(key) = asked.recv().await {
        println!("candidate: outcome {:?}", said.commit(put(&key, "x")).await);
    }
}

const CANDIDATE: &str = "ROOKERY_TEST_CANDIDATE";

/// A candidate in a process of its own; killed when dropped.
pub(crate) struct Process {
    child: Child,
    stdin: ChildStdin,
    said: mpsc::Receiver<String>,
}

impl Process {
    pub(crate) fn start(url: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "process::a_candidate", "--nocapture"])
            .env(CANDIDATE, url)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, said) = mpsc::channel(64);
        let stdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take().unwrap(), child, said }
    }

    pub(crate) async fn says(&mut self, word: &str) -> String {
        loop {
            let line = self.said.recv().await.expect("it lives");
            if line.contains(&format!("candidate: {word}")) {
                return line;
            }
        }
    }

    pub(crate) fn tell(&mut self, key: &str) {
        writeln!(self.stdin, "{key}").unwrap();
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
