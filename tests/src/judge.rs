//! Other programs' view of what was played.

use std::{collections::BTreeMap, path::Path, process::Command};

use serde_json::Value;

use crate::tools;

/// A game as python-chess read it.
#[derive(Debug, Clone)]
pub struct Game {
    /// `PAIR/GAME/TAKE`.
    pub name: String,
    /// White's name.
    pub white: String,
    /// Black's name.
    pub black: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The tag `Termination`.
    pub termination: String,
    /// The tag `TerminationDetails`.
    pub details: String,
    /// Plies, the opening included.
    pub plies: u64,
    /// The tag `Variant`.
    pub variant: String,
}

/// A PGN, replayed.
#[derive(Debug)]
pub struct Judged {
    /// In the file's order.
    pub games: Vec<Game>,
    /// Half points of each name.
    pub half_points: BTreeMap<String, u64>,
}

/// Replays `pgn` with python-chess and, where it is here, with pgn-extract.
///
/// # Panics
/// Where either finds a fault in it.
pub fn judge(python: &Path, pgn: &Path) -> Judged {
    let answer = Command::new(python).arg(tools::file("src/judge.py")).arg(pgn).output();
    let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", python.display()));
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    assert_eq!(said["errors"], Value::Array(Vec::new()), "python-chess on {}", pgn.display());
    let text = |game: &Value, key: &str| game[key].as_str().unwrap_or_default().to_owned();
    let games: Vec<Game> = said["games"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|game| Game {
            name: text(game, "game"),
            white: text(game, "white"),
            black: text(game, "black"),
            result: text(game, "result"),
            termination: text(game, "termination"),
            details: text(game, "details"),
            plies: game["plies"].as_u64().unwrap_or_default(),
            variant: text(game, "variant"),
        })
        .collect();
    let points = said["half_points"].as_object().into_iter().flatten();
    let half_points = points.map(|(name, points)| (name.clone(), points.as_u64().unwrap_or_default())).collect();
    extract(pgn, games.len());
    Judged { games, half_points }
}

/// `pgn-extract` must read as many games, and complain of nothing.
fn extract(pgn: &Path, games: usize) {
    let Some(program) = tools::find("pgn-extract") else {
        tools::skip("no pgn-extract");
        return;
    };
    let answer = Command::new(&program).args(["-r"]).arg(pgn).output();
    let answer = answer.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let said = String::from_utf8_lossy(&answer.stderr);
    let matched = format!("{games} game{} matched out of {games}.", if games == 1 { "" } else { "s" });
    assert!(said.contains(&matched) || games == 0, "{games} games: {said}");
    // Each complaint names the file and the line.
    let complains = said.contains("Line number");
    assert!(!complains, "{said}");
}
