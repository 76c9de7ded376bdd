//! Records of the archive, and of games that are not there yet.

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, GameSetup, Outcome, TimeControl,
    record::EngineIdentity,
    setup::{EngineSetup, Side, Start},
};
use rookery_proto::v1;

use crate::{core::InPlay, wire};

/// A running game as far as it is known, without a result.
pub(super) fn running(summary: &v1::GameSummary, in_play: InPlay) -> GameRecord {
    let identity = |name: &str| EngineIdentity { name: name.to_owned(), ..EngineIdentity::default() };
    let InPlay { setup, plies, began_unix_ms } = in_play;
    GameRecord {
        event: summary.event.clone(),
        name: summary.name.clone(),
        setup: setup.unwrap_or_else(|| unknown(summary)),
        engines: [identity(&summary.first), identity(&summary.second)],
        plies: plies.into_iter().map(wire::read_ply).collect(),
        outcome: None,
        started_unix_ms: began_unix_ms,
        began_unix_ms: 0,
        ended_unix_ms: 0,
        worker: summary.worker.clone(),
        notes: Vec::new(),
        transcripts: Vec::new(),
        nth: 0,
        interrupted: Vec::new(),
        warnings: Default::default(),
        restarts: 0,
    }
}

/// What is known of a game whose book is not loaded: who plays.
fn unknown(summary: &v1::GameSummary) -> GameSetup {
    let side = |name: &str| Side {
        engine: EngineSetup { name: name.to_owned(), ..EngineSetup::default() },
        time_control: TimeControl::default(),
        margin: Default::default(),
        ponder: false,
    };
    GameSetup {
        kind: GameKind::Chess,
        start: Start::default(),
        rules: Default::default(),
        sides: [side(&summary.first), side(&summary.second)],
        adjudication: Default::default(),
        limits: Default::default(),
        tags: [("Round".to_owned(), summary.round.clone())].into(),
        keep_transcript: false,
        killed: rookery_game::setup::Killed::Crash,
        predictions: None,
    }
}

/// A person's result counts in place of the record's; what was played stays in the detail.
pub(super) fn rule(record: &mut GameRecord, ruled: GameResult) {
    let detail = match &record.outcome {
        Some(played) => format!("ruled; played: {} by {:?}", played.result.as_str(), played.ending),
        None => "ruled".to_owned(),
    };
    record.outcome = Some(Outcome { result: ruled, ending: Ending::Ruling, fault: None, detail });
}
