//! A result points to a record in the archive that is of its game and replays to its outcome.

use rookery_game::GameRecord;
use rookery_tournament::{GameId, ResultEntry};

use crate::archive::Archive;

pub(crate) fn check(archive: &Archive, game: &GameId, entry: &ResultEntry) -> Result<GameRecord, String> {
    let wrong = |what: String| format!("archived: {game}: {what}");
    if entry.game != *game {
        return Err(wrong(format!("its result is of {}", entry.game)));
    }
    let bytes = archive.read(&entry.location).ok_or_else(|| wrong("no record where its result points".to_owned()))?;
    let record: GameRecord = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
    if record.name != game.to_string() {
        return Err(wrong(format!("its record is of {}", record.name)));
    }
    let replayed = record.replay().map_err(|error| wrong(format!("its record does not replay: {error}")))?;
    let outcome = record.outcome.as_ref().map(|outcome| (outcome.result, outcome.ending, outcome.fault));
    if outcome != Some((entry.result, entry.ending, entry.fault)) || replayed.plies != entry.plies {
        return Err(wrong(format!("its record says {outcome:?} after {} plies", replayed.plies)));
    }
    Ok(record)
}
