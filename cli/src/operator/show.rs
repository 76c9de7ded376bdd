//! What operators are shown.

use std::fmt::Write as _;

use rookery_coordinator::core::attempt_words;
use rookery_proto::v1;
use serde_json::{Value, json};

use crate::table::{Align, Table};

/// `7.5`.
pub(crate) fn points(half_points: u32) -> String {
    format!("{}.{}", half_points / 2, if half_points.is_multiple_of(2) { 0 } else { 5 })
}

fn decimal(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

pub(super) fn phase_word(phase: v1::EventPhase) -> &'static str {
    use v1::EventPhase as P;
    match phase {
        P::Unspecified => "?",
        P::Running => "running",
        P::Paused => "paused",
        P::Asking => "asking",
        P::Finished => "finished",
        P::Stopped => "stopped",
        P::Sealed => "sealed",
    }
}

pub(super) fn game_phase_word(phase: v1::GamePhase) -> &'static str {
    use v1::GamePhase as P;
    match phase {
        P::Unspecified => "?",
        P::Waiting => "waiting",
        P::HandedOut => "handed-out",
        P::Playing => "playing",
        P::Finished => "finished",
        P::Surplus => "surplus",
        P::Voided => "voided",
        P::SetAside => "set-aside",
    }
}

/// `1-0`, `0-1`, `1/2-1/2`, `*`.
pub(crate) fn result_word(result: v1::GameResult) -> &'static str {
    use v1::GameResult as R;
    match result {
        R::Unspecified => "*",
        R::FirstWins => "1-0",
        R::SecondWins => "0-1",
        R::Draw => "1/2-1/2",
    }
}

/// `TIME_LOSS` -> `time loss`.
fn ending_word(ending: v1::Ending) -> String {
    ending.as_str_name().trim_start_matches("ENDING_").to_lowercase().replace('_', " ")
}

pub(crate) fn outcome_text(outcome: Option<&v1::Outcome>) -> String {
    let Some(outcome) = outcome else { return "*".to_owned() };
    let mut text = format!("{} {}", result_word(outcome.result()), ending_word(outcome.ending()));
    if !outcome.detail.is_empty() {
        let _ = write!(text, ": {}", outcome.detail);
    }
    text
}

pub(super) fn events_text(events: &[v1::EventSummary]) -> String {
    use Align::{Left, Right};
    let mut table =
        Table::new([("event", Left), ("phase", Left), ("done", Right), ("of", Right), ("running", Right), ("", Left)]);
    for event in events {
        let note = if !event.questions.is_empty() {
            event.questions.join("; ")
        } else if !event.waits_for.is_empty() {
            format!("waits for {}", event.waits_for)
        } else {
            event.stop.clone()
        };
        table.row([
            event.event.clone(),
            phase_word(event.phase()).to_owned(),
            event.games_done.to_string(),
            event.games_total.to_string(),
            event.games_running.to_string(),
            note,
        ]);
    }
    table.render()
}

pub(super) fn event_json(event: &v1::EventSummary) -> Value {
    json!({
        "event": event.event, "event_uid": event.event_uid, "phase": phase_word(event.phase()),
        "games_done": event.games_done, "games_running": event.games_running, "games_total": event.games_total,
        "games_surplus": event.games_surplus, "questions": event.questions, "stop": event.stop,
        "waits_for": event.waits_for, "applied_unix_ms": event.applied_unix_ms, "spec_digest": event.spec_digest,
        "priority": event.priority,
    })
}

/// The score table for people.
pub(crate) fn standings_text(standings: &[v1::Standing], tie_breaks: &[String], stop: &str) -> String {
    use Align::{Left, Right};
    let mut header: Vec<(String, Align)> = [
        ("#", Right),
        ("engine", Left),
        ("points", Right),
        ("games", Right),
        ("+", Right),
        ("=", Right),
        ("-", Right),
        ("Elo", Right),
        ("+/-", Right),
        ("nElo", Right),
        ("LOS", Right),
        ("draws", Right),
        ("pairs 0 ½ 1 1½ 2", Left),
    ]
    .map(|(name, align)| (name.to_owned(), align))
    .to_vec();
    // Between two engines nothing is tied but a level match.
    let tie_breaks = if standings.len() > 2 { tie_breaks } else { &[] };
    // The event's list, where it has one: beside Elo, which is against the field as it was met.
    let rated = standings.iter().any(|line| line.rating.is_some());
    if rated {
        header.extend([("rating".to_owned(), Right), ("±".to_owned(), Right)]);
    }
    header.extend(tie_breaks.iter().map(|name| (name.clone(), Right)));
    let mut table = Table::new(header);
    for line in standings {
        let percent = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{:.1}%", v * 100.0));
        let pairs: Vec<String> = line.pairs.iter().map(u32::to_string).collect();
        let mut cells = vec![
            line.place.to_string(),
            line.engine.clone(),
            points(line.half_points),
            line.games.to_string(),
            line.wins.to_string(),
            line.draws.to_string(),
            line.losses.to_string(),
            decimal(line.elo, 1),
            decimal(line.elo_error, 1),
            decimal(line.normalized_elo, 1),
            percent(line.los),
            percent(line.draw_ratio),
            pairs.join(" "),
        ];
        if rated {
            cells.extend([decimal(line.rating, 1), decimal(line.rating_error, 1)]);
        }
        cells.extend(line.tie_breaks.iter().take(tie_breaks.len()).cloned());
        table.row(cells);
    }
    let mut text = table.render();
    for line in standings {
        let faults = [
            (line.crashes, "crashes and stalls"),
            (line.time_losses, "time losses"),
            (line.illegal_moves, "illegal moves"),
        ];
        if faults.iter().any(|(count, _)| *count > 0) {
            let faults = faults.map(|(count, what)| format!("{count} {what}")).join(", ");
            let _ = writeln!(text, "{}: {faults}", line.engine);
        }
    }
    if !stop.is_empty() {
        let _ = writeln!(text, "{stop}");
    }
    text
}

/// Why each line stands where it does.
pub(super) fn whys_text(standings: &[v1::Standing]) -> String {
    standings.iter().filter(|line| !line.why.is_empty()).map(|line| format!("{}\n", line.why)).collect()
}

pub(super) fn standings_json(line: &v1::Standing) -> Value {
    json!({
        "place": line.place, "engine": line.engine, "games": line.games, "wins": line.wins, "draws": line.draws,
        "losses": line.losses, "points": f64::from(line.half_points) / 2.0, "elo": line.elo,
        "elo_error": line.elo_error, "los": line.los, "normalized_elo": line.normalized_elo, "pairs": line.pairs,
        "draw_ratio": line.draw_ratio, "pair_ratio": line.pair_ratio, "crashes": line.crashes,
        "time_losses": line.time_losses, "illegal_moves": line.illegal_moves, "tie_breaks": line.tie_breaks,
        "why": line.why, "rating": line.rating, "rating_error": line.rating_error,
    })
}

/// What a run came to, for scripts.
pub(crate) fn result_json(event: &v1::EventSummary, standings: &[v1::Standing]) -> Value {
    json!({ "event": event_json(event), "standings": standings.iter().map(standings_json).collect::<Vec<_>>() })
}

/// The crosstable for people.
pub(crate) fn crosstable_text(rows: &[v1::CrosstableRow]) -> String {
    use Align::{Left, Right};
    let mut header = vec![("#".to_owned(), Right), ("engine".to_owned(), Left), ("points".to_owned(), Right)];
    header.extend((1..=rows.len()).map(|number| (number.to_string(), Right)));
    let mut table = Table::new(header);
    for (index, row) in rows.iter().enumerate() {
        let mut cells = vec![(index + 1).to_string(), row.engine.clone(), points(row.half_points)];
        for (column, cell) in row.cells.iter().enumerate() {
            let games = cell.wins + cell.draws + cell.losses;
            cells.push(if column == index {
                "×".to_owned()
            } else if games == 0 {
                "-".to_owned()
            } else {
                format!("{}/{games}", points(2 * cell.wins + cell.draws))
            });
        }
        table.row(cells);
    }
    table.render()
}

pub(super) fn crosstable_json(answer: &v1::GetCrosstableResponse) -> Value {
    let cell = |cell: &v1::CrosstableCell| json!({ "wins": cell.wins, "draws": cell.draws, "losses": cell.losses, "sequence": cell.sequence });
    let row = |row: &v1::CrosstableRow| {
        json!({ "engine": row.engine, "points": f64::from(row.half_points) / 2.0,
            "cells": row.cells.iter().map(cell).collect::<Vec<_>>() })
    };
    json!({ "event": answer.event, "rows": answer.rows.iter().map(row).collect::<Vec<_>>() })
}

pub(super) fn games_text(games: &[v1::GameSummary]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("game", Left),
        ("round", Left),
        ("first", Left),
        ("second", Left),
        ("phase", Left),
        ("plies", Right),
        ("outcome", Left),
        ("worker", Left),
    ]);
    for game in games {
        table.row([
            game.name.clone(),
            game.round.clone(),
            game.first.clone(),
            game.second.clone(),
            game_phase_word(game.phase()).to_owned(),
            game.plies.to_string(),
            outcome_text(game.outcome.as_ref()),
            game.worker.clone(),
        ]);
    }
    table.render()
}

pub(super) fn game_json(game: &v1::GameSummary) -> Value {
    let outcome = game.outcome.as_ref().map(|outcome| {
        json!({ "result": result_word(outcome.result()), "ending": ending_word(outcome.ending()),
            "fault": match outcome.fault() {
                v1::Seat::Unspecified => Value::Null,
                v1::Seat::First => "first".into(),
                v1::Seat::Second => "second".into(),
            },
            "detail": outcome.detail })
    });
    json!({ "game": game.name, "event": game.event, "round": game.round, "first": game.first, "second": game.second,
        "phase": game_phase_word(game.phase()), "outcome": outcome, "plies": game.plies, "worker": game.worker })
}

pub(super) fn workers_text(workers: &[v1::WorkerSummary]) -> String {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("worker", Left),
        ("state", Left),
        ("slots", Right),
        ("free", Right),
        ("in hand", Right),
        ("version", Left),
        ("engines", Left),
    ]);
    for worker in workers {
        let state = match (worker.attached, worker.set_aside.as_str()) {
            (true, "") => "attached".to_owned(),
            (false, "") => "away".to_owned(),
            (true, why) => why.to_owned(),
            (false, why) => format!("away; {why}"),
        };
        let engines: Vec<&str> = worker.engines.iter().map(|engine| engine.name.as_str()).collect();
        table.row([
            worker.worker.clone(),
            state,
            worker.slots.iter().map(|class| class.count).sum::<u32>().to_string(),
            worker.free.iter().sum::<u32>().to_string(),
            worker.attempts.len().to_string(),
            worker.version.clone(),
            engines.join(", "),
        ]);
    }
    table.render()
}

pub(super) fn worker_json(worker: &v1::WorkerSummary) -> Value {
    let slots = worker.slots.iter().map(|class| {
        json!({ "count": class.count, "cores": class.cores, "memory_bytes": class.memory_bytes, "gpus": class.gpus })
    });
    json!({ "worker": worker.worker, "boot": worker.boot, "version": worker.version, "attached": worker.attached,
        "set_aside": worker.set_aside, "released": worker.released, "slots": slots.collect::<Vec<_>>(), "free": worker.free,
        "in_hand": worker.attempts.len(), "labels": worker.labels, "last_beat_unix_ms": worker.last_beat_unix_ms,
        "engines": worker.engines.iter().map(|e| json!({ "name": e.name, "digest": e.digest })).collect::<Vec<_>>(),
        "tablebase_men": worker.tablebase_men, "cage": worker.cage })
}

pub(super) fn explain_text(answer: &v1::ExplainGameResponse) -> String {
    let mut text = answer.summary.as_ref().map_or_else(String::new, |game| games_text(std::slice::from_ref(game)));
    for line in &answer.lines {
        let _ = writeln!(text, "{line}");
    }
    for attempt in answer.interrupted.iter().filter(|attempt| !attempt.transcripts.is_empty()) {
        let words = attempt_words(attempt.nth, attempt.attempt);
        let _ = writeln!(text, "\nlast lines of the {words} with worker {}:", attempt.worker);
        transcripts_text(&mut text, answer, &attempt.transcripts);
    }
    if !answer.transcripts.is_empty() {
        let _ = writeln!(text, "\nlast lines, in seconds since {}", time(answer.started_unix_ms));
    }
    transcripts_text(&mut text, answer, &answer.transcripts);
    text
}

/// `>` goes to the engine, `<` comes from it.
fn transcripts_text(text: &mut String, answer: &v1::ExplainGameResponse, transcripts: &[v1::Transcript]) {
    for transcript in transcripts {
        let game = answer.summary.as_ref();
        let (seat, name) = match transcript.seat() {
            v1::Seat::Second => ("second", game.map(|game| game.second.as_str())),
            _ => ("first", game.map(|game| game.first.as_str())),
        };
        let _ = writeln!(text, "\n{seat}, {}:", name.unwrap_or_default());
        for line in &transcript.lines {
            let _ = writeln!(text, "  {line}");
        }
        for line in &transcript.stderr {
            let _ = writeln!(text, "  stderr: {line}");
        }
        if !transcript.reproduce.is_empty() {
            let _ = writeln!(text, "  to reproduce:\n    {}", transcript.reproduce.replace('\n', "\n    "));
        }
    }
}

fn transcripts_json(transcripts: &[v1::Transcript]) -> Vec<Value> {
    let one = |transcript: &v1::Transcript| {
        let seat = if transcript.seat() == v1::Seat::Second { "second" } else { "first" };
        json!({ "seat": seat, "lines": transcript.lines, "stderr": transcript.stderr,
            "reproduce": transcript.reproduce })
    };
    transcripts.iter().map(one).collect()
}

fn time(unix_ms: u64) -> String {
    let at = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.map_or_else(String::new, |at| at.to_string())
}

pub(super) fn explain_json(answer: &v1::ExplainGameResponse) -> Value {
    let interrupted = answer.interrupted.iter().map(|attempt| {
        json!({ "attempt": attempt.attempt, "nth": attempt.nth, "worker": attempt.worker, "why": attempt.why,
            "at_unix_ms": attempt.at_unix_ms, "transcripts": transcripts_json(&attempt.transcripts) })
    });
    json!({ "game": answer.summary.as_ref().map(game_json), "lines": answer.lines,
        "started_unix_ms": answer.started_unix_ms, "transcripts": transcripts_json(&answer.transcripts),
        "interrupted": interrupted.collect::<Vec<_>>() })
}

pub(super) fn facts_text(facts: &[v1::Fact]) -> String {
    let mut table = Table::new([
        ("seq", Align::Right),
        ("at", Align::Left),
        ("by", Align::Left),
        ("what", Align::Left),
        ("why", Align::Left),
    ]);
    for fact in facts {
        let at = i64::try_from(fact.at_unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        let at = at.map_or_else(String::new, |at| format!("{at:.0}"));
        table.row([fact.seq.to_string(), at, fact.by.clone(), what_of(fact), fact.reason.clone()]);
    }
    table.render()
}

/// What was decided, and about which games.
fn what_of(fact: &v1::Fact) -> String {
    let json: Value = serde_json::from_str(&fact.json).unwrap_or(Value::Null);
    let mut words = vec![fact.kind.clone()];
    for key in ["game", "games", "pairs", "result", "error", "why"] {
        match &json[key] {
            Value::String(text) => words.push(text.clone()),
            Value::Array(list) => words.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => {}
        }
    }
    words.join(" ")
}

pub(super) fn fact_json(fact: &v1::Fact) -> Value {
    json!({ "seq": fact.seq, "at_unix_ms": fact.at_unix_ms, "by": fact.by, "reason": fact.reason, "kind": fact.kind,
        "fact": serde_json::from_str::<Value>(&fact.json).unwrap_or(Value::Null) })
}

pub(super) fn status_text(answer: &v1::GetCoordinatorResponse) -> String {
    let mut text = String::new();
    let role = if answer.leading { "leads".to_owned() } else { format!("stands by; {} leads", answer.leader) };
    let _ = writeln!(text, "rookery {}: {role}", answer.version);
    let _ = writeln!(text, "store {}, since revision {}", answer.store_id, answer.leader_revision);
    for alarm in &answer.alarms {
        let _ = writeln!(text, "alarm: {alarm}");
    }
    text
}

pub(super) fn ply_text(number: u32, ply: &v1::Ply) -> String {
    use v1::score::Value as S;
    let score = match ply.score.as_ref().and_then(|score| score.value.as_ref()) {
        Some(S::Centipawns(cp)) => format!("{:+.2}", f64::from(*cp) / 100.0),
        Some(S::Mate(moves)) => format!("{}M{}", if *moves > 0 { '+' } else { '-' }, moves.unsigned_abs()),
        None if ply.book => "book".to_owned(),
        None => "-".to_owned(),
    };
    let seconds = std::time::Duration::from_nanos(ply.time_ns).as_secs_f64();
    format!("{:>4}  {:<6} {score:>7}  depth {:>2}  {seconds:.3} s", number + 1, ply.r#move, ply.depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_have_halves() {
        assert_eq!([points(0), points(1), points(15)], ["0.0", "0.5", "7.5"]);
    }

    #[test]
    fn what_is_not_known_is_a_dash() {
        let line = v1::Standing { place: 1, engine: "A".to_owned(), pairs: vec![0; 5], ..v1::Standing::default() };
        let text = standings_text(&[line], &[], "");
        assert!(text.lines().nth(1).unwrap().contains("-"), "{text}");
        assert!(!text.contains("NaN"));
    }
}
