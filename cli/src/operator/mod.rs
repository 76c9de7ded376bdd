//! The operator's commands.

mod ladder;
mod lists;
pub(crate) mod publish;
mod ratings;
mod schedule;
mod season;
mod show;

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rookery_proto::v1;
use serde_json::json;

use self::show::{event_json, events_text, games_text, standings_json, workers_text};
pub(crate) use self::{
    ladder::{read as read_ladder, table as ladder_table},
    show::{crosstable_text, result_json, standings_text},
};
use crate::{
    args::{GamesOfWhoLeaves, OperatorCommand, OperatorOptions},
    client::{Client, failed},
    exit::{self, Outcome},
    live,
};

/// Pieces of an upload; the API takes at most 1 MiB.
const PIECE: usize = 512 * 1024;
/// A watch without a word for so long gives up: several leases, and the start of a coordinator.
const LEADERLESS: Duration = Duration::from_secs(60);
/// The same for a single question, for which somebody waits.
const LEADERLESS_ANSWER: Duration = Duration::from_secs(30);
/// Between two attempts to watch or to ask.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Carries out one command. Where no coordinator leads just now, as the last one has died, it is asked again until the
/// next one answers: a change carries the same request id each time, so that it happens once.
pub(crate) async fn run(command: OperatorCommand, options: &OperatorOptions, json: bool) -> Outcome {
    let mut client = Client::connect(options).await?;
    let change = client.change();
    let (begun, mut told) = (Instant::now(), false);
    loop {
        let error = match carry_out(command.clone(), &mut client, change.clone(), json).await {
            Err(error) if error.is::<exit::Unreached>() && asks_again(&command) => error,
            outcome => return outcome,
        };
        if begun.elapsed() > LEADERLESS_ANSWER {
            return Err(error);
        }
        if !std::mem::replace(&mut told, true) {
            let seconds = LEADERLESS_ANSWER.as_secs();
            tell!("{}; asking again for {seconds} s", exit::full(error.as_ref()));
        }
        tokio::time::sleep(ASK_AGAIN).await;
        // The one that was asked may be the one that died.
        client.try_another().await;
    }
}

/// Whether nothing of a command's answer is out before all of it is there.
const fn asks_again(command: &OperatorCommand) -> bool {
    !matches!(command, OperatorCommand::Watch { .. } | OperatorCommand::Export { .. } | OperatorCommand::Publish { .. })
}

async fn carry_out(command: OperatorCommand, client: &mut Client, change: Option<v1::Change>, json: bool) -> Outcome {
    match command {
        OperatorCommand::Apply { spec, dry_run, paused, ruling, set } => {
            let how = How { dry_run, paused, ruling, json, ladder: None };
            return apply(client, &spec, &set, how, change).await;
        }
        OperatorCommand::Join { event, engines: path } => {
            let engines = crate::check::read_text(&path)?;
            let file_name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let request = v1::JoinEventRequest { event, engines, file_name, change };
            let answer = client.seasons.join_event(request).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Withdraw { event, engine, games } => {
            let keep_games = games == GamesOfWhoLeaves::Keep;
            let request = v1::WithdrawEngineRequest { event, engine, keep_games, change };
            let answer = client.seasons.withdraw_engine(request).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Freeze { event, engine, digest } => {
            let request = v1::FreezeEngineRequest { event, engine, digest, change };
            let answer = client.seasons.freeze_engine(request).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::List { waiting } => {
            let request = v1::ListEventsRequest { waiting };
            let answer = client.seasons.list_events(request).await.map_err(failed)?.into_inner();
            let (events, seasons) = (answer.events, answer.seasons);
            if json && !seasons.is_empty() {
                print_json(&json!({ "events": events.iter().map(event_json).collect::<Vec<_>>(),
                    "seasons": seasons.iter().map(season::to_json).collect::<Vec<_>>() }));
            } else if json {
                print_json(&events.iter().map(event_json).collect::<Vec<_>>().into());
            } else {
                print!("{}", events_text(&events));
                seasons.iter().for_each(|one| print!("{}", season::questions_text(one)));
            }
            let asking = events.iter().any(|event| !event.questions.is_empty())
                || seasons.iter().any(|season| !season.questions.is_empty());
            return Ok(if waiting && asking { exit::ASKING } else { exit::DONE });
        }
        OperatorCommand::Watch { event, game: None, live: folder } => {
            let options = client.options();
            return live::beside(options, event.clone(), folder, watch(client, event, json)).await;
        }
        OperatorCommand::Watch { event, game: Some(game), .. } => return watch_game(client, event, game).await,
        OperatorCommand::Standings { event, why } => {
            let request = v1::GetStandingsRequest { event };
            let answer = client.seasons.get_standings(request).await.map_err(failed)?.into_inner();
            if json {
                print_json(&json!({ "event": answer.event, "stop": answer.stop,
                    "standings": answer.standings.iter().map(standings_json).collect::<Vec<_>>() }));
            } else {
                print!("{}", standings_text(&answer.standings, &answer.tie_breaks, &answer.stop));
                if why {
                    print!("{}", show::whys_text(&answer.standings));
                }
            }
        }
        OperatorCommand::Ratings { event, model, anchor, csv, watch } => {
            ratings::run(client, event, model, anchor.as_deref(), (csv, watch, json)).await?;
        }
        OperatorCommand::Lists => lists::all(client, json).await?,
        OperatorCommand::Import { files, list, dry_run } => {
            lists::import(client, &files, &list, dry_run, json).await?;
        }
        OperatorCommand::Publish { list, folder, every, once } => {
            publish::run(client, list, folder, if once { Some(None) } else { every.map(Some) }, json).await?;
        }
        OperatorCommand::Crosstable { event } => {
            let request = v1::GetCrosstableRequest { event };
            let answer = client.seasons.get_crosstable(request).await.map_err(failed)?.into_inner();
            if json {
                print_json(&show::crosstable_json(&answer));
            } else {
                print!("{}", crosstable_text(&answer.rows));
            }
        }
        OperatorCommand::Games { event, engine, phase, limit } => {
            games(client, event, engine, phase.as_deref(), limit, json).await?;
        }
        OperatorCommand::Export { event, output, format, minimal, all } => {
            export(client, event, output, &format, minimal, all).await?;
        }
        OperatorCommand::Explain { event, game, transcript } => {
            let request = v1::ExplainGameRequest { event, game, transcript };
            let answer = client.games.explain_game(request).await.map_err(failed)?.into_inner();
            if json {
                print_json(&show::explain_json(&answer));
            } else {
                print!("{}", show::explain_text(&answer));
            }
        }
        OperatorCommand::ToCome(to_come) => schedule::run(client, to_come, json).await?,
        OperatorCommand::Ladder { command } => return ladder::run(client, command, change, json).await,
        OperatorCommand::Log { event } => {
            let request = v1::ListFactsRequest { event };
            let facts = client.seasons.list_facts(request).await.map_err(failed)?.into_inner().facts;
            if json {
                print_json(&facts.iter().map(show::fact_json).collect::<Vec<_>>().into());
            } else {
                print!("{}", show::facts_text(&facts));
            }
        }
        OperatorCommand::Pause { event, now } => {
            let request = v1::PauseEventRequest { event, change, now };
            let answer = client.seasons.pause_event(request).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Resume { event } => {
            let answer = client.seasons.resume_event(v1::ResumeEventRequest { event, change }).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Stop { event } => {
            let answer = client.seasons.stop_event(v1::StopEventRequest { event, change }).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Replay { event, game, log: _ } => {
            // Without a game it is about a log, and nobody is asked.
            let game = game.unwrap_or_default();
            let request = v1::ReplayGameRequest { event, game, change };
            let answer = client.games.replay_game(request).await.map_err(failed)?;
            game_summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Void { event, game } => {
            let request = v1::VoidGameRequest { event, game, change };
            let answer = client.games.void_game(request).await.map_err(failed)?;
            game_summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Rule { event, game, result } => {
            let result = match result.as_str() {
                "1-0" => v1::GameResult::FirstWins,
                "0-1" => v1::GameResult::SecondWins,
                "1/2-1/2" | "1/2" => v1::GameResult::Draw,
                other => {
                    return Err(exit::Usage(format!("`{other}` is no result; expected 1-0, 0-1 or 1/2-1/2")).into());
                }
            };
            let request = v1::RuleGameRequest { event, game, result: result.into(), change };
            let answer = client.games.rule_game(request).await.map_err(failed)?;
            game_summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Rank { event, engines } => {
            let request = v1::RankEnginesRequest { event, engines, change };
            let answer = client.seasons.rank_engines(request).await.map_err(failed)?;
            summary(answer.into_inner().summary, json);
        }
        OperatorCommand::Season { .. }
        | OperatorCommand::Advance { .. }
        | OperatorCommand::Numbers { .. }
        | OperatorCommand::Invite { .. }
        | OperatorCommand::Update { .. } => return season::run(client, command, change, json).await,
        OperatorCommand::Workers => {
            let answer = client.fleet.list_workers(v1::ListWorkersRequest {}).await.map_err(failed)?.into_inner();
            if json {
                print_json(&answer.workers.iter().map(show::worker_json).collect::<Vec<_>>().into());
            } else {
                print!("{}", workers_text(&answer.workers));
            }
        }
        OperatorCommand::Drain { worker, grace } => {
            let grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
            let request = v1::DrainWorkerRequest { worker, change, grace_ms };
            let answer = client.fleet.drain_worker(request).await.map_err(failed)?.into_inner();
            worker_summary(answer.worker, json);
        }
        OperatorCommand::Undrain { worker } => {
            let request = v1::UndrainWorkerRequest { worker, change };
            let answer = client.fleet.undrain_worker(request).await.map_err(failed)?.into_inner();
            worker_summary(answer.worker, json);
        }
        OperatorCommand::Status => {
            let request = v1::GetCoordinatorRequest {};
            let answer = client.fleet.get_coordinator(request).await.map_err(failed)?.into_inner();
            if json {
                print_json(&json!({ "version": answer.version, "leading": answer.leading, "leader": answer.leader,
                    "store_id": answer.store_id, "leader_revision": answer.leader_revision,
                    "alarms": answer.alarms }));
            } else {
                print!("{}", show::status_text(&answer));
            }
        }
    }
    Ok(exit::DONE)
}

fn print_json(value: &serde_json::Value) {
    println!("{value:#}");
}

fn summary(summary: Option<v1::EventSummary>, json: bool) {
    let Some(summary) = summary else { return };
    if json {
        print_json(&event_json(&summary));
    } else {
        print!("{}", events_text(&[summary]));
    }
}

fn worker_summary(summary: Option<v1::WorkerSummary>, json: bool) {
    let Some(summary) = summary else { return };
    if json {
        print_json(&show::worker_json(&summary));
    } else {
        print!("{}", workers_text(&[summary]));
    }
}

fn game_summary(summary: Option<v1::GameSummary>, json: bool) {
    let Some(summary) = summary else { return };
    if json {
        print_json(&show::game_json(&summary));
    } else {
        print!("{}", games_text(&[summary]));
    }
}

/// Reads a spec, with `--set` applied and the mistakes found here, before anything is sent.
pub(crate) fn read_spec(
    path: &Path,
    set: &[String],
) -> Result<(String, rookery_tournament::spec::Spec), Box<dyn std::error::Error>> {
    let text = crate::check::read_text(path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
    let opponents = crate::check::Opponents::Unknown;
    let (text, parsed) = crate::check::parse_spec(&path.display().to_string(), text, set, &folder, opponents)?;
    Ok((text, parsed.spec))
}

/// How a spec is applied, and how the answer is shown.
struct How {
    dry_run: bool,
    paused: bool,
    ruling: bool,
    json: bool,
    /// A ladder's state that the new event goes on with, and how a script is shown it.
    ladder: Option<(String, serde_json::Value)>,
}

async fn apply(client: &mut Client, path: &Path, set: &[String], how: How, change: Option<v1::Change>) -> Outcome {
    let How { dry_run, paused, ruling, json, ladder } = how;
    if let Some(list) = crate::check::read_list(path, set)? {
        if ladder.is_some() {
            return Err(exit::Usage("a ladder's state goes with an event, not with a list".to_owned()).into());
        }
        return lists::apply(client, path, &list, (dry_run, json), change).await;
    }
    if let Some((season, base)) = crate::check::read_season(path, set)? {
        if ladder.is_some() {
            return Err(exit::Usage("a ladder's state goes with an event, not with a season".to_owned()).into());
        }
        return season::apply(client, path, &season, &base, (dry_run, json), change).await;
    }
    let text = crate::check::read_text(path)?;
    let folder = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
    let open = crate::check::Opponents::AskedLater;
    let (text, parsed) = crate::check::parse_spec(&path.display().to_string(), text, set, &folder, open)?;
    let by_list = rookery_tournament::spec::chooses_by(&text).is_some();
    let mut files = Vec::new();
    let mut names: std::collections::BTreeSet<&str> = parsed.spec.event.openings.files().collect();
    // What a list is asked about is sent as it is written, with the engines' file.
    names.extend(parsed.files.iter().map(String::as_str).filter(|_| by_list));
    for name in names {
        let file = folder.join(name);
        let content = crate::check::read_book(&file)?;
        let digest = upload(client, name, content).await?;
        files.push(v1::SpecFile { name: name.to_owned(), digest });
    }
    let request = v1::ApplyRequest {
        // Else one text, whatever it was put together from: the coordinator sees no files of this machine.
        spec: if by_list { text } else { rookery_tournament::spec::explain(&parsed.spec) },
        file_name: path.display().to_string(),
        files,
        dry_run,
        change,
        paused,
        ruling,
        ladder_state: ladder.as_ref().map_or_else(String::new, |(state, _)| state.clone()),
    };
    let answer = client.seasons.apply(request).await.map_err(failed)?.into_inner();
    if json {
        print_json(&json!({ "event": answer.event, "event_uid": answer.event_uid, "created": answer.created,
            "differences": answer.differences, "games": answer.games, "expected_ms": answer.expected_ms,
            "warnings": answer.warnings, "dry_run": dry_run, "ladder": ladder.map(|(_, shown)| shown) }));
        return Ok(exit::DONE);
    }
    for warning in &answer.warnings {
        tell!("warning: {warning}");
    }
    let done = match (dry_run, answer.created) {
        (true, true) => "would begin",
        (true, false) => "would change",
        (false, true) => "began",
        (false, false) if answer.differences.is_empty() => "is there already, unchanged",
        (false, false) => "changed",
    };
    println!("{}: {done}; {} games", answer.event, answer.games);
    if answer.expected_ms > 0 {
        println!("about {} on the fleet as it is", crate::progress::span(answer.expected_ms / 1000));
    }
    for difference in &answer.differences {
        println!("  {difference}");
    }
    Ok(exit::DONE)
}

async fn upload(client: &mut Client, name: &str, content: Vec<u8>) -> Result<String, Box<dyn std::error::Error>> {
    let mut pieces: Vec<v1::UploadFileRequest> = content
        .chunks(PIECE)
        .map(|piece| v1::UploadFileRequest { name: String::new(), content: piece.to_vec() })
        .collect();
    match pieces.first_mut() {
        Some(first) => name.clone_into(&mut first.name),
        None => pieces.push(v1::UploadFileRequest { name: name.to_owned(), content: Vec::new() }),
    }
    let request = tokio_stream::iter(pieces);
    Ok(client.seasons.upload_file(request).await.map_err(failed)?.into_inner().digest)
}

/// Goes on over a change of leader: it ends with the event, or where no coordinator leads for [`LEADERLESS`].
async fn watch(client: &mut Client, event: String, json: bool) -> Outcome {
    let mut line = crate::progress::Line::new();
    let mut heard = Instant::now();
    let (summary, standings) = loop {
        let ended = match watch_once(client, &event, json, &mut line, &mut heard).await {
            Ok(Some(last)) => break last,
            Ok(None) => exit::Unreached("the coordinator ended the stream".to_owned()).into(),
            Err(status) if matches!(status.code(), tonic::Code::Unavailable | tonic::Code::Unknown) => failed(status),
            Err(status) => return Err(failed(status)),
        };
        if heard.elapsed() > LEADERLESS {
            return Err(ended);
        }
        tokio::time::sleep(ASK_AGAIN).await;
        client.try_another().await;
    };
    line.clear();
    if !json {
        print!("{}", standings_text(&standings, &[], &summary.stop));
        print!("{}", events_text(std::slice::from_ref(&summary)));
    }
    Ok(if summary.phase() == v1::EventPhase::Asking { exit::ASKING } else { exit::DONE })
}

/// One stream: until the event is over or asks (`Some`), or the stream ends without (`None`).
async fn watch_once(
    client: &mut Client,
    event: &str,
    json: bool,
    line: &mut crate::progress::Line,
    heard: &mut Instant,
) -> Result<Option<(v1::EventSummary, Vec<v1::Standing>)>, tonic::Status> {
    use v1::EventPhase as P;
    let request = v1::WatchEventRequest { event: event.to_owned() };
    let mut stream = client.seasons.watch_event(request).await?.into_inner();
    while let Some(answer) = stream.message().await? {
        *heard = Instant::now();
        let Some(summary) = answer.summary else { continue };
        if json {
            println!("{}", event_json(&summary));
        } else {
            line.show(&summary, &answer.standings);
        }
        if matches!(summary.phase(), P::Finished | P::Stopped | P::Sealed | P::Asking) {
            return Ok(Some((summary, answer.standings)));
        }
    }
    Ok(None)
}

async fn watch_game(client: &mut Client, event: String, game: String) -> Outcome {
    let request = v1::WatchGameRequest { event, game };
    let mut stream = client.games.watch_game(request).await.map_err(failed)?.into_inner();
    let mut told = 0;
    while let Some(answer) = stream.message().await.map_err(failed)? {
        for (ply, number) in answer.plies.iter().zip(answer.first_ply..) {
            if number >= told {
                println!("{}", show::ply_text(number, ply));
                told = number + 1;
            }
        }
        if let Some(outcome) = answer.summary.and_then(|summary| summary.outcome) {
            println!("{}", show::outcome_text(Some(&outcome)));
            break;
        }
    }
    Ok(exit::DONE)
}

async fn games(
    client: &mut Client,
    event: String,
    engine: Option<String>,
    phase: Option<&str>,
    limit: u32,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    use v1::GamePhase as P;
    const PHASES: [(&str, P); 7] = [
        ("waiting", P::Waiting),
        ("handed-out", P::HandedOut),
        ("playing", P::Playing),
        ("finished", P::Finished),
        ("surplus", P::Surplus),
        ("voided", P::Voided),
        ("set-aside", P::SetAside),
    ];
    let phase = match phase {
        None => P::Unspecified,
        Some(word) => PHASES.iter().find(|(name, _)| *name == word).map(|&(_, phase)| phase).ok_or_else(|| {
            let names = PHASES.map(|(name, _)| name).join(", ");
            exit::Usage(format!("unknown phase `{word}`; expected one of {names}"))
        })?,
    };
    let mut left = limit;
    let mut token = String::new();
    let mut all = Vec::new();
    while left > 0 {
        let request = v1::ListGamesRequest {
            event: event.clone(),
            phase: phase.into(),
            engine: engine.clone().unwrap_or_default(),
            page_size: left.min(1000),
            page_token: token,
        };
        let answer = client.games.list_games(request).await.map_err(failed)?.into_inner();
        left = left.saturating_sub(u32::try_from(answer.games.len()).unwrap_or(u32::MAX));
        all.extend(answer.games);
        token = answer.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    if json {
        print_json(&all.iter().map(show::game_json).collect::<Vec<_>>().into());
    } else {
        print!("{}", games_text(&all));
    }
    Ok(())
}

async fn export(
    client: &mut Client,
    event: String,
    output: Option<PathBuf>,
    format: &str,
    minimal: bool,
    all: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let format = match format {
        "pgn" => v1::ExportFormat::Pgn,
        "jsonl" => v1::ExportFormat::Jsonl,
        "ccp-log" => v1::ExportFormat::CcpLog,
        other => return Err(exit::Usage(format!("unknown format `{other}`; expected pgn, jsonl or ccp-log")).into()),
    };
    let request = v1::ExportGamesRequest { event, format: format.into(), all, minimal, list: String::new() };
    let mut stream = client.games.export_games(request).await.map_err(failed)?.into_inner();
    // A file appears whole or not at all.
    let part = output.as_ref().map(|path| path.with_extension("part"));
    let mut sink: Box<dyn Write> = match &part {
        Some(part) => Box::new(std::io::BufWriter::new(std::fs::File::create(part)?)),
        None => Box::new(std::io::stdout().lock()),
    };
    while let Some(piece) = stream.message().await.map_err(failed)? {
        sink.write_all(&piece.content)?;
    }
    sink.flush()?;
    drop(sink);
    if let (Some(part), Some(path)) = (part, output) {
        std::fs::rename(part, path)?;
    }
    Ok(())
}
