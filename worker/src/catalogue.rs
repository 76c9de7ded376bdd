//! The engines of a worker: by name on a fleet, by path where the machine is the writer's own.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use rookery_game::setup::EngineSetup;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// An engine of a catalogue, as `engines.toml` names it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    name: String,
    program: PathBuf,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    directory: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    #[serde(default)]
    engine: Vec<Written>,
}

/// A program that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// `sha256:…` of its file.
    pub digest: String,
    /// Arguments that come before those of the spec.
    pub args: Vec<OsString>,
    /// Environment, below that of the spec.
    pub env: BTreeMap<String, String>,
    /// Its working directory, where the catalogue gives one.
    pub directory: Option<PathBuf>,
}

/// Why there is no such engine here.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The catalogue's file cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// The system's word.
        source: io::Error,
    },
    /// The catalogue's file is not as expected.
    #[error("{}: {detail}", path.display())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// Where, and what was expected.
        detail: String,
    },
    /// Not in the catalogue.
    #[error("no engine `{name}` in this worker's catalogue{}", known(names))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        names: Vec<String>,
    },
    /// No such program.
    #[error("engine program `{program}`: {source}")]
    NoProgram {
        /// The program, as it was looked for.
        program: String,
        /// The system's word.
        source: io::Error,
    },
    /// The program is another one than the event froze.
    #[error("engine `{name}` is {found} here, but the event has {expected}")]
    OtherDigest {
        /// The engine.
        name: String,
        /// What is here.
        found: String,
        /// What the event froze.
        expected: String,
    },
}

fn known(names: &[String]) -> String {
    if names.is_empty() { ", which is empty".to_owned() } else { format!(" (it has {})", names.join(", ")) }
}

/// The engines of this worker.
#[derive(Debug, Default)]
pub struct Catalogue {
    entries: BTreeMap<String, Program>,
    paths_allowed: bool,
    seen: std::sync::Mutex<BTreeMap<PathBuf, (Stamp, String)>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Catalogue {
    /// A catalogue without names, for a machine that is the writer's own: a program is a path or a name on PATH.
    #[must_use]
    pub fn of_paths() -> Self {
        Self { paths_allowed: true, ..Self::default() }
    }

    /// Reads `engines.toml`: `[[engine]]` tables with `name`, `program` (a path, relative to the file, or a name on
    /// PATH), `args`, `env`, `directory`. Keys that only specs know are refused by name.
    ///
    /// # Errors
    /// When the file or a program cannot be read, or a name comes twice.
    pub fn read(path: &Path) -> Result<Self, CatalogueError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| CatalogueError::Unreadable { path: path.to_owned(), source })?;
        let malformed = |detail: String| CatalogueError::Malformed { path: path.to_owned(), detail };
        let file: WrittenFile = toml::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let folder = path.parent().unwrap_or_else(|| Path::new(""));
        let mut catalogue = Self::default();
        for written in file.engine {
            if catalogue.entries.contains_key(&written.name) {
                return Err(malformed(format!("engine `{}` comes twice", written.name)));
            }
            let (program, digest) = catalogue.find(&written.program.to_string_lossy(), folder)?;
            let entry = Program {
                path: program,
                digest,
                args: written.args.into_iter().map(OsString::from).collect(),
                env: written.env,
                directory: written.directory.map(|directory| folder.join(directory)),
            };
            catalogue.entries.insert(written.name, entry);
        }
        Ok(catalogue)
    }

    /// Names and digests.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, program)| (name.as_str(), program.digest.as_str()))
    }

    /// Whether a spec may name paths.
    #[must_use]
    pub const fn paths_allowed(&self) -> bool {
        self.paths_allowed
    }

    /// The program of an engine, its digest checked against the frozen one. The file is read again when its size or
    /// time has changed.
    ///
    /// # Errors
    /// When it is not here, or another one.
    pub fn program(&self, engine: &EngineSetup) -> Result<Program, CatalogueError> {
        let wanted = if engine.artifact.is_empty() { &engine.program } else { &engine.artifact };
        let program = if let Some(entry) = self.entries.get(wanted) {
            let digest = self.digest_of(&entry.path)?;
            Program { digest, ..entry.clone() }
        } else if let Some(entry) = self.entries.values().find(|entry| entry.digest == *wanted) {
            let digest = self.digest_of(&entry.path)?;
            Program { digest, ..entry.clone() }
        } else if self.paths_allowed && engine.artifact.is_empty() {
            let (path, digest) = self.find(wanted, Path::new(""))?;
            Program { path, digest, args: Vec::new(), env: BTreeMap::new(), directory: None }
        } else {
            let names = self.entries.keys().cloned().collect();
            return Err(CatalogueError::Unknown { name: wanted.clone(), names });
        };
        if !engine.digest.is_empty() && engine.digest != program.digest {
            return Err(CatalogueError::OtherDigest {
                name: engine.name.clone(),
                found: program.digest,
                expected: engine.digest.clone(),
            });
        }
        Ok(program)
    }

    /// Looks a program up: a text with a slash is a path (relative to `folder`), another one a name on PATH and in
    /// `/usr/games`, where Debian has its engines.
    fn find(&self, program: &str, folder: &Path) -> Result<(PathBuf, String), CatalogueError> {
        let no_program = |source| CatalogueError::NoProgram { program: program.to_owned(), source };
        let path = if program.contains('/') {
            let path = folder.join(program);
            std::path::absolute(&path).map_err(no_program)?
        } else {
            let paths = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&paths)
                .chain([PathBuf::from("/usr/games")])
                .map(|dir| dir.join(program))
                .find(|path| path.is_file())
                .ok_or_else(|| no_program(io::Error::new(io::ErrorKind::NotFound, "not on PATH")))?
        };
        let digest = self.digest_of(&path)?;
        Ok((path, digest))
    }

    fn digest_of(&self, path: &Path) -> Result<String, CatalogueError> {
        let no_program = |source| CatalogueError::NoProgram { program: path.display().to_string(), source };
        let meta = std::fs::metadata(path).map_err(no_program)?;
        if !meta.is_file() {
            return Err(no_program(io::Error::new(io::ErrorKind::InvalidInput, "not a file")));
        }
        let stamp = Stamp { len: meta.len(), modified: meta.modified().ok() };
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((known, digest)) = seen.get(path)
            && *known == stamp
        {
            return Ok(digest.clone());
        }
        let digest = digest(path).map_err(no_program)?;
        seen.insert(path.to_owned(), (stamp, digest.clone()));
        Ok(digest)
    }
}

/// `sha256:…` of a file.
///
/// # Errors
/// When it cannot be read.
pub fn digest(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(program: &str) -> EngineSetup {
        EngineSetup { name: "X".to_owned(), program: program.to_owned(), ..EngineSetup::default() }
    }

    #[test]
    fn names_paths_and_digests() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("one"), "#!/bin/sh\n").unwrap();
        let file = dir.path().join("engines.toml");
        std::fs::write(&file, "[[engine]]\nname = \"One\"\nprogram = \"./one\"\nargs = [\"-x\"]\n").unwrap();
        let catalogue = Catalogue::read(&file).unwrap();
        let program = catalogue.program(&engine("One")).unwrap();
        assert_eq!(program.args, ["-x"]);
        assert_eq!(catalogue.entries().next().unwrap(), ("One", program.digest.as_str()));
        assert!(matches!(catalogue.program(&engine("./one")), Err(CatalogueError::Unknown { .. })));
        let frozen = EngineSetup { digest: program.digest, ..engine("One") };
        assert!(catalogue.program(&frozen).is_ok());
        std::fs::write(dir.path().join("one"), "#!/bin/sh\n# another\n").unwrap();
        assert!(matches!(catalogue.program(&frozen), Err(CatalogueError::OtherDigest { .. })));
    }

    #[test]
    fn mistakes_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("engines.toml");
        for (text, word) in [
            ("[[engine]]\nname = \"One\"\nprogram = \"./none\"\n", "none"),
            ("[[engine]]\nname = \"One\"\nprogramm = \"x\"\n", "programm"),
            ("[[engine]", "engines.toml"),
        ] {
            std::fs::write(&file, text).unwrap();
            let error = Catalogue::read(&file).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        let error = Catalogue::of_paths().program(&engine("no-such-engine")).unwrap_err().to_string();
        assert!(error.contains("no-such-engine") && error.contains("PATH"), "{error}");
    }
}
