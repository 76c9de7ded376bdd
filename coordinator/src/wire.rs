//! The words of `game` and `tournament` as messages of `rookery.v1`, and back. Nothing that a worker sends is trusted:
//! what does not read is an error that names the field.

use std::time::Duration;

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, GameSetup, Outcome, Ply, Score, Seat,
    adjudicate::Adjudication,
    prediction::{OnIllegal, OnMissing, Predictions, Source, Zone},
    record::{EngineIdentity, Interrupted, Note, Transcript},
    setup::{EngineSetup, GameRules, Killed, Limits, Restart, Side},
};
use rookery_proto::v1;
use rookery_tournament::GameId;

/// What of a message does not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {why}")]
pub struct WireError {
    /// The field's name.
    pub field: &'static str,
    /// What is wrong.
    pub why: String,
}

fn missing(field: &'static str) -> WireError {
    WireError { field, why: "missing".to_owned() }
}

/// Whole nanoseconds; a duration of more than 584 years is cut.
fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A game's id.
#[must_use]
pub fn game_id(event_uid: &str, id: &GameId) -> v1::GameId {
    v1::GameId { event_uid: event_uid.to_owned(), pair: id.pair.to_string(), game: u32::from(id.game), take: id.take }
}

/// The event's uid and the game.
///
/// # Errors
/// When pair, game or take does not read.
pub fn read_game_id(id: &v1::GameId) -> Result<(String, GameId), WireError> {
    let error = |why: String| WireError { field: "game", why };
    let pair = id.pair.parse().map_err(|e: rookery_tournament::id::IdError| error(e.to_string()))?;
    let game = u8::try_from(id.game).ok().filter(|g| (1..=2).contains(g));
    let game = game.ok_or_else(|| error(format!("game {} of a pair; expected 1 or 2", id.game)))?;
    if id.take == 0 {
        return Err(error("take 0; takes count from 1".to_owned()));
    }
    Ok((id.event_uid.clone(), GameId { pair, game, take: id.take }))
}

/// Which game is played.
#[must_use]
pub const fn kind(kind: GameKind) -> v1::GameKind {
    match kind {
        GameKind::Chess => v1::GameKind::Chess,
        GameKind::Chess960 => v1::GameKind::Chess960,
        GameKind::Shogi => v1::GameKind::Shogi,
        GameKind::ChineseCheckers => v1::GameKind::ChineseCheckers,
    }
}

/// A seat.
#[must_use]
pub const fn seat(seat: Seat) -> v1::Seat {
    match seat {
        Seat::First => v1::Seat::First,
        Seat::Second => v1::Seat::Second,
    }
}

const fn read_seat(value: v1::Seat) -> Option<Seat> {
    match value {
        v1::Seat::First => Some(Seat::First),
        v1::Seat::Second => Some(Seat::Second),
        v1::Seat::Unspecified => None,
    }
}

/// A result.
#[must_use]
pub const fn result(result: GameResult) -> v1::GameResult {
    match result {
        GameResult::FirstWins => v1::GameResult::FirstWins,
        GameResult::SecondWins => v1::GameResult::SecondWins,
        GameResult::Draw => v1::GameResult::Draw,
    }
}

/// A result; `None` where it is unspecified.
#[must_use]
pub const fn read_result(value: v1::GameResult) -> Option<GameResult> {
    match value {
        v1::GameResult::FirstWins => Some(GameResult::FirstWins),
        v1::GameResult::SecondWins => Some(GameResult::SecondWins),
        v1::GameResult::Draw => Some(GameResult::Draw),
        v1::GameResult::Unspecified => None,
    }
}

macro_rules! endings {
    ($($name:ident),+ $(,)?) => {
        /// An ending.
        #[must_use]
        pub const fn ending(ending: Ending) -> v1::Ending {
            match ending {
                $(Ending::$name => v1::Ending::$name,)+
            }
        }

        const fn read_ending(value: v1::Ending) -> Option<Ending> {
            match value {
                $(v1::Ending::$name => Some(Ending::$name),)+
                v1::Ending::Unspecified => None,
            }
        }
    };
}
endings!(
    Checkmate,
    Stalemate,
    Repetition,
    FiftyMoves,
    InsufficientMaterial,
    Resignation,
    TimeLoss,
    Stall,
    Crash,
    IllegalMove,
    DrawAdjudication,
    ResignAdjudication,
    TablebaseAdjudication,
    TcecDraw,
    TcecWin,
    MaxMoves,
    Ruling,
    InterruptionRule,
    Declaration,
    Goal,
    EqualTurnGoalDraw,
    AntiBlockGoalFull,
    MaxPly,
    NoLegalMoves,
    Agreement,
);

/// An outcome.
#[must_use]
pub fn outcome(value: &Outcome) -> v1::Outcome {
    v1::Outcome {
        result: result(value.result).into(),
        ending: ending(value.ending).into(),
        fault: value.fault.map_or(v1::Seat::Unspecified, seat).into(),
        detail: value.detail.clone(),
    }
}

/// An outcome.
///
/// # Errors
/// When it has no result or no ending.
pub fn read_outcome(value: &v1::Outcome) -> Result<Outcome, WireError> {
    Ok(Outcome {
        result: read_result(value.result()).ok_or_else(|| missing("outcome.result"))?,
        ending: read_ending(value.ending()).ok_or_else(|| missing("outcome.ending"))?,
        fault: read_seat(value.fault()),
        detail: value.detail.clone(),
    })
}

/// A ply.
#[must_use]
pub fn ply(value: &Ply) -> v1::Ply {
    v1::Ply {
        r#move: value.mv.clone(),
        book: value.book,
        score: value.score.map(|score| v1::Score {
            value: Some(match score {
                Score::Cp(cp) => v1::score::Value::Centipawns(cp),
                Score::Mate(moves) => v1::score::Value::Mate(moves),
            }),
        }),
        depth: value.depth,
        selective_depth: value.selective_depth,
        nodes: value.nodes,
        tablebase_hits: value.tablebase_hits,
        time_ns: value.time_ns,
        clock_ns: value.clock_ns,
        lag_ns: value.lag_ns,
        pv: value.pv.clone(),
        auto: value.auto,
        foreseen: match value.foreseen {
            None => v1::Foresight::Unspecified,
            Some(true) => v1::Foresight::Counted,
            Some(false) => v1::Foresight::Uncounted,
        }
        .into(),
        conditional: value.conditional.clone(),
        offer: value.offer,
    }
}

/// A ply.
#[must_use]
pub fn read_ply(value: v1::Ply) -> Ply {
    let foreseen = match value.foreseen() {
        v1::Foresight::Unspecified => None,
        v1::Foresight::Counted => Some(true),
        v1::Foresight::Uncounted => Some(false),
    };
    let score = value.score.and_then(|score| score.value).map(|score| match score {
        v1::score::Value::Centipawns(cp) => Score::Cp(cp),
        v1::score::Value::Mate(moves) => Score::Mate(moves),
    });
    Ply {
        mv: value.r#move,
        book: value.book,
        score,
        depth: value.depth,
        selective_depth: value.selective_depth,
        nodes: value.nodes,
        tablebase_hits: value.tablebase_hits,
        time_ns: value.time_ns,
        clock_ns: value.clock_ns,
        lag_ns: value.lag_ns,
        pv: value.pv,
        auto: value.auto,
        foreseen,
        conditional: value.conditional,
        offer: value.offer,
    }
}

fn engine(value: &EngineSetup) -> v1::Engine {
    let restart = match value.restart {
        Restart::Never => v1::RestartPolicy::Never,
        Restart::Pair => v1::RestartPolicy::Pair,
        Restart::Game => v1::RestartPolicy::Game,
    };
    v1::Engine {
        name: value.name.clone(),
        program: value.program.clone(),
        artifact: value.artifact.clone(),
        args: value.args.clone(),
        env: value.env.clone(),
        directory: value.directory.clone(),
        protocol: value.protocol.clone(),
        options: options(&value.options),
        threads: value.threads.unwrap_or(0),
        digest: value.digest.clone(),
        restart: restart.into(),
    }
}

fn options(values: &[(String, String)]) -> Vec<v1::EngineOption> {
    values.iter().map(|(name, value)| v1::EngineOption { name: name.clone(), value: value.clone() }).collect()
}

fn side(value: &Side) -> v1::Side {
    v1::Side {
        engine: Some(engine(&value.engine)),
        time_control: value.time_control.to_string(),
        margin_ns: nanos(value.margin),
        ponder: value.ponder,
    }
}

fn adjudication(value: &Adjudication) -> v1::Adjudication {
    v1::Adjudication {
        draw: value.draw.map(|rule| v1::DrawRule {
            from_move: rule.from_move,
            plies: rule.plies,
            within_centipawns: rule.within,
        }),
        resign: value.resign.map(|rule| v1::ResignRule {
            moves: rule.moves,
            beyond_centipawns: rule.beyond,
            two_sided: rule.two_sided,
        }),
        tcec_draw: value.tcec_draw.map(|rule| v1::TcecDrawRule {
            pieces: rule.pieces,
            plies: rule.plies,
            within_centipawns: rule.within,
        }),
        tcec_win: value.tcec_win.map(|rule| v1::TcecWinRule { plies: rule.plies, beyond_centipawns: rule.beyond }),
        tablebases: value.tablebases.map(|rule| v1::TablebaseRule {
            men: rule.men,
            fifty_moves: rule.fifty_moves,
            draws_only: rule.draws_only,
        }),
        max_moves: value.max_moves.unwrap_or(0),
        flag_draw_without_material: value.flag_draw_without_material,
    }
}

fn predictions(value: &Predictions) -> v1::Predictions {
    let source = match value.source {
        Source::CommandThenPv => v1::PredictionSource::CommandThenPv,
        Source::Command => v1::PredictionSource::Command,
        Source::Pv => v1::PredictionSource::Pv,
    };
    v1::Predictions {
        from: value.from,
        to: value.to,
        anchor: value.zone == Zone::Anchor,
        mandatory: value.mandatory,
        forfeit_missing: value.on_missing == OnMissing::ForfeitPrediction,
        void_illegal: value.on_illegal == OnIllegal::Void,
        source: source.into(),
        max_pairs: value.max_pairs,
        terminal_tail: value.terminal_tail,
        auto_increment: value.auto_increment,
        no_draw_offers: !value.draw_offers,
    }
}

fn limits(value: &Limits) -> v1::Limits {
    v1::Limits {
        start_ms: millis(value.start),
        ready_ms: millis(value.ready),
        new_game_ms: millis(value.new_game),
        quit_ms: millis(value.quit),
        stall_ms: millis(value.stall),
        silence_ms: millis(value.silence),
        lag_ms: millis(value.lag),
    }
}

/// What is needed to play one game.
#[must_use]
pub fn setup(value: &GameSetup) -> v1::GameSetup {
    v1::GameSetup {
        kind: kind(value.kind).into(),
        start: value.start.position.clone(),
        opening_moves: value.start.moves.clone(),
        first: Some(side(value.side(Seat::First))),
        second: Some(side(value.side(Seat::Second))),
        adjudication: Some(adjudication(&value.adjudication)),
        limits: Some(limits(&value.limits)),
        predictions: value.predictions.as_ref().map(predictions),
        tags: value.tags.clone(),
        keep_transcript: value.keep_transcript,
        killed_interrupts: value.killed == Killed::Interruption,
        rules: (!value.rules.is_default()).then(|| rules(&value.rules)),
    }
}

fn rules(value: &GameRules) -> v1::GameRules {
    let rules = value.chinese_checkers;
    v1::GameRules {
        chinese_checkers: Some(v1::ChineseCheckersRules {
            profile: rules.profile.as_str().to_owned(),
            max_ply: rules.max_ply,
        }),
    }
}

fn identity(name: &str, value: Option<v1::EngineIdentity>, field: &'static str) -> Result<EngineIdentity, WireError> {
    let value = value.unwrap_or_default();
    if !value.name.is_empty() && value.name != name {
        return Err(WireError { field, why: format!("`{}` played; `{name}` was to", value.name) });
    }
    Ok(EngineIdentity {
        name: name.to_owned(),
        id_name: value.id_name,
        id_author: value.id_author,
        digest: value.digest,
        options: value.options.into_iter().map(|option| (option.name, option.value)).collect(),
    })
}

/// A finished game. Who sat where, the start and the rules are those of `setup`, as they were ordered; what the worker
/// echoes must agree, and its plies must begin with the opening.
///
/// # Errors
/// When something is missing, or is not what was ordered.
pub fn read_record(
    record: v1::GameRecord,
    setup: GameSetup,
    event: &str,
    game: &GameId,
    worker: &str,
) -> Result<GameRecord, WireError> {
    if let Some(echo) = &record.setup {
        if echo.start != setup.start.position {
            return Err(WireError { field: "setup.start", why: "not the start that was ordered".to_owned() });
        }
        if echo.opening_moves != setup.start.moves {
            return Err(WireError { field: "setup.opening_moves", why: "not the opening that was ordered".to_owned() });
        }
    }
    let opening = &setup.start.moves;
    if record.plies.len() < opening.len() || record.plies.iter().zip(opening).any(|(ply, mv)| ply.r#move != *mv) {
        return Err(WireError {
            field: "plies",
            why: "they do not begin with the opening that was ordered".to_owned(),
        });
    }
    let engines = [
        identity(&setup.side(Seat::First).engine.name, record.first, "first")?,
        identity(&setup.side(Seat::Second).engine.name, record.second, "second")?,
    ];
    let outcome = read_outcome(&record.outcome.ok_or_else(|| missing("outcome"))?)?;
    Ok(GameRecord {
        event: event.to_owned(),
        name: game.to_string(),
        setup,
        engines,
        plies: record.plies.into_iter().map(read_ply).collect(),
        outcome: Some(outcome),
        started_unix_ms: record.started_unix_ms,
        // Known where it was broken off, not by who finished it.
        began_unix_ms: 0,
        ended_unix_ms: record.ended_unix_ms,
        worker: worker.to_owned(),
        notes: record.notes.into_iter().map(|note| Note { ply: note.ply, text: note.text }).collect(),
        transcripts: record.transcripts.into_iter().filter_map(read_transcript).collect(),
        warnings: record.warnings,
        restarts: record.restarts,
        nth: 0,
        interrupted: Vec::new(),
    })
}

fn identity_out(value: EngineIdentity) -> v1::EngineIdentity {
    v1::EngineIdentity {
        name: value.name,
        id_name: value.id_name,
        id_author: value.id_author,
        digest: value.digest,
        options: value.options.into_iter().map(|(name, value)| v1::EngineOption { name, value }).collect(),
    }
}

/// Reads the last lines of an engine; `None` where it does not say whose they are.
#[must_use]
pub fn read_transcript(value: v1::Transcript) -> Option<Transcript> {
    let seat = read_seat(value.seat())?;
    Some(Transcript { seat, lines: value.lines, stderr: value.stderr, reproduce: value.reproduce })
}

/// An attempt that ended without a result.
#[must_use]
pub fn interrupted(value: Interrupted) -> v1::Interrupted {
    let Interrupted { attempt, nth, worker, why, at_unix_ms, transcripts } = value;
    let transcripts = transcripts.into_iter().map(transcript).collect();
    v1::Interrupted { attempt, worker, why, at_unix_ms, transcripts, nth }
}

/// The last lines of an engine.
#[must_use]
pub fn transcript(value: Transcript) -> v1::Transcript {
    let Transcript { seat: whose, lines, stderr, reproduce } = value;
    v1::Transcript { seat: seat(whose).into(), lines, stderr, reproduce }
}

/// A game of the archive, for a client. The attempt is not in the archive.
#[must_use]
pub fn record(value: GameRecord, id: Option<v1::GameId>) -> v1::GameRecord {
    let [first, second] = value.engines;
    v1::GameRecord {
        id,
        event: value.event,
        setup: Some(setup(&value.setup)),
        first: Some(identity_out(first)),
        second: Some(identity_out(second)),
        plies: value.plies.iter().map(ply).collect(),
        outcome: value.outcome.as_ref().map(outcome),
        started_unix_ms: value.started_unix_ms,
        began_unix_ms: value.began_unix_ms,
        ended_unix_ms: value.ended_unix_ms,
        worker: value.worker,
        notes: value.notes.into_iter().map(|note| v1::Note { ply: note.ply, text: note.text }).collect(),
        transcripts: value.transcripts.into_iter().map(transcript).collect(),
        warnings: value.warnings,
        restarts: value.restarts,
        attempt: 0,
        interrupted: value.interrupted.into_iter().map(interrupted).collect(),
    }
}
