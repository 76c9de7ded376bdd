//! How a program is started.

use std::{ffi::OsString, io, path::PathBuf};

/// How to start one engine's process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Launch {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Environment added to ours.
    pub env: Vec<(OsString, OsString)>,
    /// Working directory; empty: ours.
    pub directory: PathBuf,
    /// The launcher's command line put before the program (pinning, the cage); empty: started directly.
    pub prefix: Vec<OsString>,
    /// Bytes that it and its children may write to at most; one that takes more is killed, which is its crash. `None`: no
    /// limit.
    pub memory: Option<u64>,
}

/// An engine that could not be started. No game was played and nobody lost one.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// The operating system refused.
    #[error("engine {engine}: cannot start {}: {what}: {source}", program.display())]
    Refused {
        /// Its name in the event.
        engine: String,
        /// The program.
        program: PathBuf,
        /// What was refused: the program, its folder, a pipe.
        what: String,
        /// The errno.
        source: io::Error,
    },
    /// It ended before it was ready.
    #[error("engine {engine}: {} {status} before it sent `{missing}`{}", program.display(), last_words(stderr))]
    Ended {
        /// Its name in the event.
        engine: String,
        /// The program.
        program: PathBuf,
        /// `exited with code 3`, `was killed by SIGSEGV`, `closed its output`.
        status: String,
        /// The word that was waited for.
        missing: &'static str,
        /// The last line of stderr; may be empty.
        stderr: String,
    },
    /// It did not answer in time.
    #[error("engine {engine}: {} did not send `{missing}` within {seconds} s", program.display())]
    Silent {
        /// Its name in the event.
        engine: String,
        /// The program.
        program: PathBuf,
        /// The word that was waited for.
        missing: &'static str,
        /// The limit.
        seconds: f64,
    },
    /// It says what it is told, and nothing else: a shell tool, no engine.
    #[error("engine {engine}: {} repeats what it is told, and is no UCI engine", program.display())]
    Echo {
        /// Its name in the event.
        engine: String,
        /// The program.
        program: PathBuf,
    },
    /// A protocol that this worker does not speak.
    #[error("engine {engine}: unknown protocol `{protocol}`, expected `uci`")]
    Protocol {
        /// Its name in the event.
        engine: String,
        /// What the setup asked for.
        protocol: String,
    },
}

fn last_words(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; stderr: {stderr}") }
}
