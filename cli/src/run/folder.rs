//! The folder of one run.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use rookery_game::GameKind;
use rookery_tournament::spec::Spec;

/// Where a run keeps its state and writes its results.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens, or makes, it.
    pub(crate) fn open(root: &Path) -> Result<Self, String> {
        let root = std::path::absolute(root).map_err(|error| format!("{}: {error}", root.display()))?;
        fs::create_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
        Ok(Self { root })
    }

    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The embedded store.
    pub(crate) fn state(&self) -> PathBuf {
        self.root.join("state.redb")
    }

    /// Whether games are here, and nothing that knows them: to play on would write over them.
    pub(crate) fn lost_its_state(&self) -> bool {
        let bytes = |path: PathBuf| fs::metadata(path).map_or(0, |found| found.len());
        let games = [GameKind::Chess, GameKind::ChineseCheckers].map(|kind| bytes(self.games(kind)));
        games.iter().any(|&bytes| bytes > 0) && bytes(self.state()) == 0
    }

    /// The archive.
    pub(crate) fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    /// Unacknowledged games.
    pub(crate) fn outbox(&self) -> PathBuf {
        self.root.join("outbox")
    }

    /// Engines' own folders.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.root.join("engines")
    }

    /// The view of what is recorded.
    pub(crate) fn games(&self, kind: GameKind) -> PathBuf {
        self.root.join(format!("games.{}", extension(kind)))
    }

    /// Games that were in play when the run was interrupted.
    pub(crate) fn unfinished(&self, kind: GameKind) -> PathBuf {
        self.root.join(format!("unfinished.{}", extension(kind)))
    }

    /// The state of a ladder.
    pub(crate) fn ladder_state(&self) -> PathBuf {
        self.root.join("ladder_state.json")
    }

    /// Writes the spec with every default, beside the results that it led to.
    pub(crate) fn write_spec(&self, spec: &Spec) -> io::Result<()> {
        write_whole(&self.root.join("spec.toml"), rookery_tournament::spec::explain(spec).as_bytes())
    }
}

/// PGN, or the public log of the game.
const fn extension(kind: GameKind) -> &'static str {
    match kind {
        GameKind::Chess | GameKind::Chess960 | GameKind::Shogi => "pgn",
        GameKind::ChineseCheckers => "jsonl",
    }
}

/// A file appears whole or not at all, and is not touched where it would be the same.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let part = path.with_extension("part");
    fs::write(&part, content)?;
    fs::rename(part, path)
}

/// Moves an older folder to `DIR.1`, `DIR.2`, …
pub(crate) fn put_aside(folder: &Path) -> Result<(), String> {
    if !folder.exists() {
        return Ok(());
    }
    let name = folder.display().to_string();
    let name = name.trim_end_matches('/');
    let free = (1..).map(|number| PathBuf::from(format!("{name}.{number}"))).find(|path| !path.exists());
    let Some(free) = free else { return Err(format!("no free name beside {name}")) };
    fs::rename(folder, &free).map_err(|error| format!("{name}: {error}"))?;
    tell!("old results are in {}/", free.display());
    Ok(())
}

/// A name as a file's: what a shell or a file system would trip over becomes `-`.
pub(crate) fn file_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, '.' | '_' | '+') {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let out = out.trim_matches(['-', '.']).to_owned();
    if out.is_empty() { "match".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_without_state_are_not_written_over() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap();
        assert!(!folder.lost_its_state());
        fs::write(folder.games(GameKind::Chess), "[Event").unwrap();
        assert!(folder.lost_its_state());
        fs::write(folder.state(), "x").unwrap();
        assert!(!folder.lost_its_state());
    }

    #[test]
    fn names_of_folders_are_harmless() {
        for (name, expected) in [
            ("Stockfish 15.1 v Ethereal 12", "Stockfish-15.1-v-Ethereal-12"),
            ("../../etc", "etc"),
            ("a/b\\c\0d", "a-b-c-d"),
            ("…", "match"),
        ] {
            assert_eq!(file_name(name), expected);
        }
    }
}
