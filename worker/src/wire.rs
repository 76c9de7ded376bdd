//! Between the wire and the board: orders in, plies and records out.

use std::time::Duration;

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, GameSetup, Outcome, Ply, Score, Seat, TimeControl,
    adjudicate::{Adjudication, DrawRule, ResignRule, TablebaseRule, TcecDrawRule, TcecWinRule},
    chinese_checkers::{self, Profile},
    prediction::{OnIllegal, OnMissing, Predictions, Source, Zone},
    record::{EngineIdentity, Note, Transcript},
    setup::{EngineSetup, GameRules, Killed, Limits, Restart, Side, Start},
};
use rookery_proto::v1;

/// Why an order means nothing to this worker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// A part is missing.
    #[error("the order has no {part}")]
    Missing {
        /// Which part.
        part: &'static str,
    },
    /// A value is not known here.
    #[error("unknown {what}: {value}")]
    Unknown {
        /// What kind of value.
        what: &'static str,
        /// The value.
        value: String,
    },
}

/// Reads a game's setup.
///
/// # Errors
/// When a part is missing or means nothing here.
pub fn setup(setup: v1::GameSetup) -> Result<GameSetup, OrderError> {
    let kind = match setup.kind() {
        v1::GameKind::Chess => GameKind::Chess,
        v1::GameKind::Chess960 => GameKind::Chess960,
        v1::GameKind::Shogi => GameKind::Shogi,
        v1::GameKind::ChineseCheckers => GameKind::ChineseCheckers,
        v1::GameKind::Unspecified => {
            return Err(OrderError::Unknown { what: "game", value: setup.kind.to_string() });
        }
    };
    Ok(GameSetup {
        kind,
        start: Start { position: setup.start, moves: setup.opening_moves },
        rules: setup.rules.map(rules).transpose()?.unwrap_or_default(),
        sides: [
            side(setup.first.ok_or(OrderError::Missing { part: "first side" })?)?,
            side(setup.second.ok_or(OrderError::Missing { part: "second side" })?)?,
        ],
        adjudication: setup.adjudication.map(adjudication).unwrap_or_default(),
        limits: setup.limits.map(limits).unwrap_or_default(),
        predictions: setup.predictions.map(predictions),
        tags: setup.tags,
        keep_transcript: setup.keep_transcript,
        killed: if setup.killed_interrupts { Killed::Interruption } else { Killed::Crash },
    })
}

fn rules(rules: v1::GameRules) -> Result<GameRules, OrderError> {
    let Some(v1::ChineseCheckersRules { profile, max_ply }) = rules.chinese_checkers else {
        return Ok(GameRules::default());
    };
    let default = chinese_checkers::Rules::default();
    let known = if profile.is_empty() { Some(default.profile) } else { Profile::named(&profile) };
    let profile = known.ok_or(OrderError::Unknown { what: "profile of rules", value: profile })?;
    let max_ply = if max_ply == 0 { default.max_ply } else { max_ply };
    Ok(GameRules { chinese_checkers: chinese_checkers::Rules { profile, max_ply } })
}

fn side(side: v1::Side) -> Result<Side, OrderError> {
    let engine = side.engine.ok_or(OrderError::Missing { part: "engine" })?;
    let time_control: TimeControl = side
        .time_control
        .parse()
        .map_err(|_| OrderError::Unknown { what: "time control", value: side.time_control.clone() })?;
    Ok(Side {
        engine: engine_setup(engine),
        time_control,
        margin: Duration::from_nanos(side.margin_ns),
        ponder: side.ponder,
    })
}

fn engine_setup(engine: v1::Engine) -> EngineSetup {
    let restart = match engine.restart() {
        v1::RestartPolicy::Pair => Restart::Pair,
        v1::RestartPolicy::Game => Restart::Game,
        v1::RestartPolicy::Never | v1::RestartPolicy::Unspecified => Restart::Never,
    };
    EngineSetup {
        name: engine.name,
        program: engine.program,
        artifact: engine.artifact,
        args: engine.args,
        env: engine.env,
        directory: engine.directory,
        protocol: engine.protocol,
        options: engine.options.into_iter().map(|option| (option.name, option.value)).collect(),
        threads: Some(engine.threads).filter(|&threads| threads > 0),
        digest: engine.digest,
        restart,
    }
}

fn adjudication(rules: v1::Adjudication) -> Adjudication {
    Adjudication {
        draw: rules.draw.map(|r| DrawRule { from_move: r.from_move, plies: r.plies, within: r.within_centipawns }),
        resign: rules.resign.map(|r| ResignRule {
            moves: r.moves,
            beyond: r.beyond_centipawns,
            two_sided: r.two_sided,
        }),
        tcec_draw: rules.tcec_draw.map(|r| TcecDrawRule {
            pieces: r.pieces,
            plies: r.plies,
            within: r.within_centipawns,
        }),
        tcec_win: rules.tcec_win.map(|r| TcecWinRule { plies: r.plies, beyond: r.beyond_centipawns }),
        tablebases: rules.tablebases.map(|r| TablebaseRule {
            men: r.men,
            fifty_moves: r.fifty_moves,
            draws_only: r.draws_only,
        }),
        max_moves: Some(rules.max_moves).filter(|&moves| moves > 0),
        flag_draw_without_material: rules.flag_draw_without_material,
    }
}

fn predictions(rules: v1::Predictions) -> Predictions {
    Predictions {
        from: rules.from,
        to: rules.to,
        zone: if rules.anchor { Zone::Anchor } else { Zone::Predicted },
        mandatory: rules.mandatory,
        on_missing: if rules.forfeit_missing { OnMissing::ForfeitPrediction } else { OnMissing::Warn },
        on_illegal: if rules.void_illegal { OnIllegal::Void } else { OnIllegal::Truncate },
        source: match rules.source() {
            v1::PredictionSource::Unspecified | v1::PredictionSource::CommandThenPv => Source::CommandThenPv,
            v1::PredictionSource::Command => Source::Command,
            v1::PredictionSource::Pv => Source::Pv,
        },
        max_pairs: rules.max_pairs,
        terminal_tail: rules.terminal_tail,
        auto_increment: rules.auto_increment,
        draw_offers: !rules.no_draw_offers,
    }
}

fn limits(limits: v1::Limits) -> Limits {
    let ms = Duration::from_millis;
    Limits {
        start: ms(limits.start_ms),
        ready: ms(limits.ready_ms),
        new_game: ms(limits.new_game_ms),
        quit: ms(limits.quit_ms),
        stall: ms(limits.stall_ms),
        silence: ms(limits.silence_ms),
        lag: ms(limits.lag_ms),
    }
}

/// Reads a ply.
#[must_use]
pub fn ply(ply: v1::Ply) -> Ply {
    use v1::score::Value;
    let foreseen = match ply.foreseen() {
        v1::Foresight::Unspecified => None,
        v1::Foresight::Counted => Some(true),
        v1::Foresight::Uncounted => Some(false),
    };
    Ply {
        mv: ply.r#move,
        book: ply.book,
        score: ply.score.and_then(|score| score.value).map(|value| match value {
            Value::Centipawns(cp) => Score::Cp(cp),
            Value::Mate(moves) => Score::Mate(moves),
        }),
        depth: ply.depth,
        selective_depth: ply.selective_depth,
        nodes: ply.nodes,
        tablebase_hits: ply.tablebase_hits,
        time_ns: ply.time_ns,
        clock_ns: ply.clock_ns,
        lag_ns: ply.lag_ns,
        pv: ply.pv,
        auto: ply.auto,
        foreseen,
        conditional: ply.conditional,
        offer: ply.offer,
    }
}

/// Reads a note.
#[must_use]
pub fn note(note: v1::Note) -> Note {
    Note { ply: note.ply, text: note.text }
}

/// Writes a ply.
#[must_use]
pub fn ply_out(ply: &Ply) -> v1::Ply {
    use v1::score::Value;
    v1::Ply {
        r#move: ply.mv.clone(),
        book: ply.book,
        score: ply.score.map(|score| v1::Score {
            value: Some(match score {
                Score::Cp(cp) => Value::Centipawns(cp),
                Score::Mate(moves) => Value::Mate(moves),
            }),
        }),
        depth: ply.depth,
        selective_depth: ply.selective_depth,
        nodes: ply.nodes,
        tablebase_hits: ply.tablebase_hits,
        time_ns: ply.time_ns,
        clock_ns: ply.clock_ns,
        lag_ns: ply.lag_ns,
        pv: ply.pv.clone(),
        auto: ply.auto,
        foreseen: match ply.foreseen {
            None => v1::Foresight::Unspecified,
            Some(true) => v1::Foresight::Counted,
            Some(false) => v1::Foresight::Uncounted,
        }
        .into(),
        conditional: ply.conditional.clone(),
        offer: ply.offer,
    }
}

/// Writes a note.
#[must_use]
pub fn note_out(note: &Note) -> v1::Note {
    v1::Note { ply: note.ply, text: note.text.clone() }
}

/// Writes the last lines of an engine.
#[must_use]
pub fn transcript_out(transcript: &Transcript) -> v1::Transcript {
    let seat = match transcript.seat {
        Seat::First => v1::Seat::First,
        Seat::Second => v1::Seat::Second,
    };
    v1::Transcript {
        seat: seat.into(),
        lines: transcript.lines.clone(),
        stderr: transcript.stderr.clone(),
        reproduce: transcript.reproduce.clone(),
    }
}

fn identity_out(identity: &EngineIdentity) -> v1::EngineIdentity {
    let options = identity.options.iter();
    v1::EngineIdentity {
        name: identity.name.clone(),
        id_name: identity.id_name.clone(),
        id_author: identity.id_author.clone(),
        digest: identity.digest.clone(),
        options: options.map(|(name, value)| v1::EngineOption { name: name.clone(), value: value.clone() }).collect(),
    }
}

/// Writes an outcome.
#[must_use]
pub fn outcome_out(outcome: &Outcome) -> v1::Outcome {
    let result = match outcome.result {
        GameResult::FirstWins => v1::GameResult::FirstWins,
        GameResult::SecondWins => v1::GameResult::SecondWins,
        GameResult::Draw => v1::GameResult::Draw,
    };
    let ending = match outcome.ending {
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
        Ending::EqualTurnGoalDraw => v1::Ending::EqualTurnGoalDraw,
        Ending::AntiBlockGoalFull => v1::Ending::AntiBlockGoalFull,
        Ending::MaxPly => v1::Ending::MaxPly,
        Ending::NoLegalMoves => v1::Ending::NoLegalMoves,
        Ending::Agreement => v1::Ending::Agreement,
    };
    let fault = match outcome.fault {
        None => v1::Seat::Unspecified,
        Some(Seat::First) => v1::Seat::First,
        Some(Seat::Second) => v1::Seat::Second,
    };
    v1::Outcome { result: result.into(), ending: ending.into(), fault: fault.into(), detail: outcome.detail.clone() }
}

/// Writes a finished game; `setup` is what was ordered, as it came.
#[must_use]
pub fn record_out(record: &GameRecord, id: v1::GameId, setup: v1::GameSetup, attempt: i64) -> v1::GameRecord {
    v1::GameRecord {
        id: Some(id),
        event: record.event.clone(),
        setup: Some(setup),
        first: Some(identity_out(&record.engines[0])),
        second: Some(identity_out(&record.engines[1])),
        plies: record.plies.iter().map(ply_out).collect(),
        outcome: record.outcome.as_ref().map(outcome_out),
        started_unix_ms: record.started_unix_ms,
        began_unix_ms: record.began_unix_ms,
        ended_unix_ms: record.ended_unix_ms,
        worker: record.worker.clone(),
        notes: record.notes.iter().map(note_out).collect(),
        transcripts: record.transcripts.iter().map(transcript_out).collect(),
        warnings: record.warnings.clone(),
        restarts: record.restarts,
        attempt,
        interrupted: Vec::new(),
    }
}
