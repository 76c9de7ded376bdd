//! Records of games as the wire carries them.

use std::time::Duration;

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, GameSetup, Outcome, Ply, Score, Seat, TimeControl,
    adjudicate::Adjudication,
    record::{EngineIdentity, Transcript},
    setup::{EngineSetup, Limits, Restart, Side, Start},
};
use rookery_proto::v1;

/// A record of the archive, for a client.
pub(super) fn to_wire(record: GameRecord, id: Option<v1::GameId>) -> v1::GameRecord {
    let [first, second] = record.engines;
    v1::GameRecord {
        id,
        event: record.event,
        setup: Some(setup(record.setup)),
        first: Some(identity(first)),
        second: Some(identity(second)),
        plies: record.plies.into_iter().map(ply).collect(),
        outcome: record.outcome.map(outcome),
        started_unix_ms: record.started_unix_ms,
        ended_unix_ms: record.ended_unix_ms,
        worker: record.worker,
        notes: record.notes.into_iter().map(|note| v1::Note { ply: note.ply, text: note.text }).collect(),
        transcripts: record.transcripts.into_iter().map(transcript).collect(),
        warnings: record.warnings,
        restarts: record.restarts,
        attempt: 0,
    }
}

pub(super) fn transcript(transcript: Transcript) -> v1::Transcript {
    let Transcript { seat, lines, stderr, reproduce } = transcript;
    v1::Transcript { seat: self::seat(seat).into(), lines, stderr, reproduce }
}

fn seat(seat: Seat) -> v1::Seat {
    match seat {
        Seat::First => v1::Seat::First,
        Seat::Second => v1::Seat::Second,
    }
}

fn setup(setup: GameSetup) -> v1::GameSetup {
    let [first, second] = setup.sides;
    let kind = match setup.kind {
        GameKind::Chess => v1::GameKind::Chess,
        GameKind::Chess960 => v1::GameKind::Chess960,
        GameKind::Shogi => v1::GameKind::Shogi,
        GameKind::ChineseCheckers => v1::GameKind::ChineseCheckers,
    };
    v1::GameSetup {
        kind: kind.into(),
        start: setup.start.position,
        opening_moves: setup.start.moves,
        first: Some(side(first)),
        second: Some(side(second)),
        adjudication: Some(adjudication(&setup.adjudication)),
        limits: Some(limits(&setup.limits)),
        tags: setup.tags,
        keep_transcript: setup.keep_transcript,
    }
}

fn side(side: Side) -> v1::Side {
    v1::Side {
        engine: Some(engine(side.engine)),
        time_control: side.time_control.to_string(),
        margin_ns: nanos(side.margin),
        ponder: side.ponder,
    }
}

fn engine(engine: EngineSetup) -> v1::Engine {
    let restart = match engine.restart {
        Restart::Never => v1::RestartPolicy::Never,
        Restart::Pair => v1::RestartPolicy::Pair,
        Restart::Game => v1::RestartPolicy::Game,
    };
    v1::Engine {
        name: engine.name,
        program: engine.program,
        artifact: engine.artifact,
        args: engine.args,
        env: engine.env,
        directory: engine.directory,
        protocol: engine.protocol,
        options: options(engine.options),
        threads: engine.threads.unwrap_or(0),
        digest: engine.digest,
        restart: restart.into(),
    }
}

fn options(options: Vec<(String, String)>) -> Vec<v1::EngineOption> {
    options.into_iter().map(|(name, value)| v1::EngineOption { name, value }).collect()
}

fn adjudication(rules: &Adjudication) -> v1::Adjudication {
    v1::Adjudication {
        draw: rules.draw.map(|rule| v1::DrawRule {
            from_move: rule.from_move,
            plies: rule.plies,
            within_centipawns: rule.within,
        }),
        resign: rules.resign.map(|rule| v1::ResignRule {
            moves: rule.moves,
            beyond_centipawns: rule.beyond,
            two_sided: rule.two_sided,
        }),
        tcec_draw: rules.tcec_draw.map(|rule| v1::TcecDrawRule {
            pieces: rule.pieces,
            plies: rule.plies,
            within_centipawns: rule.within,
        }),
        tcec_win: rules.tcec_win.map(|rule| v1::TcecWinRule { plies: rule.plies, beyond_centipawns: rule.beyond }),
        tablebases: rules.tablebases.map(|rule| v1::TablebaseRule {
            men: rule.men,
            fifty_moves: rule.fifty_moves,
            draws_only: rule.draws_only,
        }),
        max_moves: rules.max_moves.unwrap_or(0),
        flag_draw_without_material: rules.flag_draw_without_material,
    }
}

fn limits(limits: &Limits) -> v1::Limits {
    v1::Limits {
        start_ms: millis(limits.start),
        ready_ms: millis(limits.ready),
        new_game_ms: millis(limits.new_game),
        quit_ms: millis(limits.quit),
        stall_ms: millis(limits.stall),
        silence_ms: millis(limits.silence),
        lag_ms: millis(limits.lag),
    }
}

fn identity(engine: EngineIdentity) -> v1::EngineIdentity {
    v1::EngineIdentity {
        name: engine.name,
        id_name: engine.id_name,
        id_author: engine.id_author,
        digest: engine.digest,
        options: options(engine.options),
    }
}

fn ply(ply: Ply) -> v1::Ply {
    let score = ply.score.map(|score| match score {
        Score::Cp(cp) => v1::score::Value::Centipawns(cp),
        Score::Mate(moves) => v1::score::Value::Mate(moves),
    });
    v1::Ply {
        r#move: ply.mv,
        book: ply.book,
        score: score.map(|value| v1::Score { value: Some(value) }),
        depth: ply.depth,
        selective_depth: ply.selective_depth,
        nodes: ply.nodes,
        tablebase_hits: ply.tablebase_hits,
        time_ns: ply.time_ns,
        clock_ns: ply.clock_ns,
        lag_ns: ply.lag_ns,
        pv: ply.pv,
    }
}

fn outcome(outcome: Outcome) -> v1::Outcome {
    let result = match outcome.result {
        GameResult::FirstWins => v1::GameResult::FirstWins,
        GameResult::SecondWins => v1::GameResult::SecondWins,
        GameResult::Draw => v1::GameResult::Draw,
    };
    v1::Outcome {
        result: result.into(),
        ending: ending(outcome.ending).into(),
        fault: outcome.fault.map_or(v1::Seat::Unspecified, seat).into(),
        detail: outcome.detail,
    }
}

const fn ending(ending: Ending) -> v1::Ending {
    match ending {
        Ending::Checkmate => v1::Ending::Checkmate,
        Ending::Stalemate => v1::Ending::Stalemate,
        Ending::Repetition => v1::Ending::Repetition,
        Ending::FiftyMoves => v1::Ending::FiftyMoves,
        Ending::InsufficientMaterial => v1::Ending::InsufficientMaterial,
        Ending::Resignation => v1::Ending::Resignation,
        Ending::TimeLoss => v1::Ending::TimeLoss,
        Ending::Stall => v1::Ending::Stall,
        Ending::Crash => v1::Ending::Crash,
        Ending::IllegalMove => v1::Ending::IllegalMove,
        Ending::DrawAdjudication => v1::Ending::DrawAdjudication,
        Ending::ResignAdjudication => v1::Ending::ResignAdjudication,
        Ending::TablebaseAdjudication => v1::Ending::TablebaseAdjudication,
        Ending::TcecDraw => v1::Ending::TcecDraw,
        Ending::TcecWin => v1::Ending::TcecWin,
        Ending::MaxMoves => v1::Ending::MaxMoves,
        Ending::Ruling => v1::Ending::Ruling,
        Ending::InterruptionRule => v1::Ending::InterruptionRule,
        Ending::Declaration => v1::Ending::Declaration,
        Ending::Goal => v1::Ending::Goal,
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A running game as far as it is known, without a result.
pub(super) fn running(summary: &v1::GameSummary, plies: &[v1::Ply]) -> GameRecord {
    let side = |name: &str| Side {
        engine: EngineSetup { name: name.to_owned(), ..EngineSetup::default() },
        time_control: TimeControl::default(),
        margin: Duration::ZERO,
        ponder: false,
    };
    let identity = |name: &str| EngineIdentity { name: name.to_owned(), ..EngineIdentity::default() };
    GameRecord {
        event: summary.event.clone(),
        name: summary.name.clone(),
        setup: GameSetup {
            kind: GameKind::Chess,
            start: Start::default(),
            sides: [side(&summary.first), side(&summary.second)],
            adjudication: Adjudication::default(),
            limits: Limits::default(),
            tags: [("Round".to_owned(), summary.round.clone())].into(),
            keep_transcript: false,
        },
        engines: [identity(&summary.first), identity(&summary.second)],
        plies: plies.iter().map(known).collect(),
        outcome: None,
        started_unix_ms: 0,
        ended_unix_ms: 0,
        worker: summary.worker.clone(),
        notes: Vec::new(),
        transcripts: Vec::new(),
        warnings: Default::default(),
        restarts: 0,
    }
}

fn known(ply: &v1::Ply) -> Ply {
    let score = ply.score.as_ref().and_then(|score| score.value.as_ref()).map(|value| match value {
        v1::score::Value::Centipawns(cp) => Score::Cp(*cp),
        v1::score::Value::Mate(moves) => Score::Mate(*moves),
    });
    Ply {
        mv: ply.r#move.clone(),
        book: ply.book,
        score,
        depth: ply.depth,
        selective_depth: ply.selective_depth,
        nodes: ply.nodes,
        tablebase_hits: ply.tablebase_hits,
        time_ns: ply.time_ns,
        clock_ns: ply.clock_ns,
        lag_ns: ply.lag_ns,
        pv: ply.pv.clone(),
    }
}
