//! Programs that a test needs beside the project's own.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// Where Debian keeps engines; often not on the path of root.
const GAMES: &str = "/usr/games";

/// `PATH` with Debian's games.
pub fn path() -> String {
    format!("{}:{GAMES}", env::var("PATH").unwrap_or_default())
}

/// Where a program is, if it is here.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = path();
    env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Says that a test is skipped, and why. `tests/skips.py` reads it.
///
/// # Panics
/// In CI, unless the reason is the kernel, or data that is no part of the project (`shared`): no package mends that.
pub fn skip(why: &str) {
    eprintln!("SKIP: {why}");
    let ours = !why.contains("kernel") && !why.contains("shared");
    assert!(env::var_os("CI").is_none() || !ours, "nothing is skipped in CI: {why}");
}

/// Whether all programs are here; where one is not, the test is skipped.
pub fn have(programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|program| find(program).is_none()).collect();
    if !missing.is_empty() {
        skip(&format!("not here: {missing:?}"));
    }
    missing.is_empty()
}

/// The Python that has python-chess, itself and no wrapper: engines are started with it. `None`, and the test is
/// skipped, where there is none.
pub fn python() -> Option<PathBuf> {
    let script = "import chess.pgn, sys; print(sys.executable)";
    let answer = Command::new("python3").args(["-c", script]).env("PATH", path()).output().ok();
    let found = answer.filter(|answer| answer.status.success());
    if found.is_none() {
        skip("no python3 with python-chess");
    }
    found.map(|answer| PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim()))
}

/// A file of this crate.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
