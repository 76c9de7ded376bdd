//! What the tests share.

use std::path::{Path, PathBuf};

use rookery_game::{
    GameKind, GameRecord, GameSetup, Outcome, Ply,
    opening::{Book, BookErrors, BookOptions, BookWarning},
    record::EngineIdentity,
    setup::{EngineSetup, Side, Start},
};

/// A path in the folder `shared` beside the workspace; `None`, and a word about it, where it is absent.
pub(crate) fn shared_path(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared").join(path))
        .find(|path| path.exists());
    if found.is_none() {
        eprintln!("SKIP: no {path} in a folder `shared` beside the workspace");
    }
    found
}

/// A file of that folder.
pub(crate) fn shared(path: &str) -> Option<Vec<u8>> {
    shared_path(path).map(|path| std::fs::read(path).expect("a readable file"))
}

pub(crate) fn parse(name: &str, text: &[u8], kind: GameKind) -> Result<(Book, Vec<BookWarning>), BookErrors> {
    Book::parse(name, text.to_vec(), kind, &BookOptions::default())
}

/// `(position, moves)` of every opening.
pub(crate) fn starts(book: &Book) -> Vec<(String, String)> {
    (0..book.len())
        .map(|index| {
            let opening = book.get(index).expect("within the book");
            (opening.start.position, opening.start.moves.join(" "))
        })
        .collect()
}

pub(crate) fn side(name: &str, time_control: rookery_game::TimeControl) -> Side {
    Side {
        engine: EngineSetup { name: name.to_owned(), ..EngineSetup::default() },
        time_control,
        margin: std::time::Duration::ZERO,
        ponder: false,
    }
}

/// A record of `moves`, the first `book` of them from the book.
pub(crate) fn record(kind: GameKind, position: &str, moves: &str, book: usize, outcome: Option<Outcome>) -> GameRecord {
    let plies = moves
        .split_whitespace()
        .enumerate()
        .map(|(place, mv)| Ply {
            mv: mv.to_owned(),
            book: place < book,
            time_ns: if place < book { 0 } else { 512_000_000 },
            ..Ply::default()
        })
        .collect();
    GameRecord {
        event: "A match".to_owned(),
        name: "1-1/1/0".to_owned(),
        setup: GameSetup {
            kind,
            start: Start { position: position.to_owned(), moves: Vec::new() },
            rules: Default::default(),
            sides: ["One", "Two"].map(|name| side(name, rookery_game::TimeControl::default())),
            adjudication: rookery_game::adjudicate::Adjudication::default(),
            limits: rookery_game::setup::Limits::default(),
            tags: std::collections::BTreeMap::new(),
            keep_transcript: false,
            killed: rookery_game::setup::Killed::Crash,
            predictions: None,
        },
        engines: ["One", "Two"].map(|name| EngineIdentity { name: name.to_owned(), ..EngineIdentity::default() }),
        plies,
        outcome,
        started_unix_ms: 1_700_000_000_000,
        began_unix_ms: 0,
        ended_unix_ms: 1_700_000_123_000,
        worker: String::new(),
        notes: Vec::new(),
        transcripts: Vec::new(),
        interrupted: Vec::new(),
        warnings: std::collections::BTreeMap::new(),
        restarts: 0,
        nth: 0,
    }
}
