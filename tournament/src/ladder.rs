//! A ladder's state as other programs keep it: `ladder_state.json`. Read and checked, shown before it is resumed, turned
//! into the facts of an event that goes on with it, and written from an event.

mod check;
mod export;
mod import;
mod resume;

pub use check::{Preview, check, preview};
pub use export::export;
pub use import::{MAX_ORDER, import};
pub use resume::resume;

use serde::{Deserialize, Serialize};

/// The state of a ladder. Names of keys are those of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct State {
    /// A name for people.
    #[serde(default)]
    pub tournament_name: String,
    /// Pairs of a match.
    pub game_pairs_per_match: u32,
    /// Engines as they were ranked, best first.
    pub initial_rankings: Vec<String>,
    /// Who is still in it, best first.
    pub surviving_engines: Vec<String>,
    /// Who is out, first out first.
    pub eliminated_engines: Vec<String>,
    /// The attempt from the bottom that is in progress, from 1.
    pub current_climb_number: u64,
    /// Whose it is: a place in `surviving_engines`, from 0.
    pub current_climber_index: usize,
    /// All matches, in order.
    pub matches: Vec<MatchState>,
    /// The pair of the opening order that comes next, from 0.
    pub next_opening_index: u64,
    /// Openings of the book in the order in which they are played; empty: as they stand in it.
    #[serde(default)]
    pub global_opening_order: Vec<u64>,
    /// When it was written.
    #[serde(default)]
    pub updated_utc: String,
}

/// One match.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct MatchState {
    /// From 1.
    pub match_id: u64,
    /// From 1.
    pub climb_number: u64,
    /// Who has White in the first game of each pair.
    pub challenger: String,
    /// Who is above.
    pub defender: String,
    /// Its rating.
    #[serde(default)]
    pub challenger_rating: Option<f64>,
    /// Its rating.
    #[serde(default)]
    pub defender_rating: Option<f64>,
    /// Points.
    pub score_challenger: f64,
    /// Points.
    pub score_defender: f64,
    /// Empty while it is open.
    #[serde(default)]
    pub winner: Option<String>,
    /// Whether it is over.
    pub is_decided: bool,
    /// In order.
    pub games: Vec<GameState>,
}

/// One finished game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct GameState {
    /// From 1, within the match.
    pub game_nr: u64,
    /// Who had White.
    pub white: String,
    /// Who had Black.
    pub black: String,
    /// The opening's number in the book.
    #[serde(default)]
    pub opening_id: String,
    /// What identifies it beyond that.
    #[serde(default)]
    pub opening_hash: String,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: String,
}

/// Bytes of a state file at most: a ladder of a hundred engines has some hundred kilobytes.
pub const MAX_BYTES: usize = 16 << 20;

/// Reads a state file and checks it.
///
/// # Errors
///
/// Everything that is impossible in it, one line each; it is not guessed what was meant.
pub fn read(text: &str) -> Result<State, Vec<String>> {
    if text.len() > MAX_BYTES {
        return Err(vec![format!("the file has {} bytes, at most {MAX_BYTES} are read", text.len())]);
    }
    let state: State = serde_json::from_str(text).map_err(|error| vec![format!("it cannot be read: {error}")])?;
    let wrong = check(&state);
    if wrong.is_empty() { Ok(state) } else { Err(wrong) }
}

/// Milliseconds since 1970 as the file writes a moment: `2026-02-18T12:00:00Z`; empty beyond the year 9999.
#[must_use]
pub fn moment(unix_ms: u64) -> String {
    let seconds = i64::try_from(unix_ms / 1000).ok();
    let at = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    at.map_or_else(String::new, |at| at.to_string())
}

/// Half points of White.
fn points(result: &str) -> Option<u32> {
    match result {
        "1-0" => Some(2),
        "0-1" => Some(0),
        "1/2-1/2" | "½-½" => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
