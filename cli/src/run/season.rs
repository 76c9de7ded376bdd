//! `rookery run` of a season: its events one after the other, each with its games in a file of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::IsTerminal as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, future::select_all};
use rookery_coordinator::{core::Denied, shell::Running};
use rookery_game::setup::GameKind;
use rookery_proto::v1;
use rookery_tournament::{
    season::{SeasonSpec, event_name},
    spec::{Spec, explain_season},
};
use rookery_worker::{
    catalogue::Catalogue,
    link::{self, Leave},
};
use tokio::sync::watch;

use super::{FAREWELL, Folder, NamedFile, WAYS_OUT, digests, folder, same_engines, start_coordinator, views};
use crate::{
    args::{OperatorOptions, RunArgs},
    client::{Client, failed},
    exit::{self, Outcome, Usage},
    operator::standings_text,
    progress, serve,
};

/// The season is looked at when something changed, and not more often than this.
const LOOK: Duration = Duration::from_millis(100);

/// Plays a season on this machine.
pub(super) async fn run(args: RunArgs, season: SeasonSpec, base: &Path, json: bool) -> Outcome {
    let spec = whole(&season)?;
    let catalogue = Arc::new(Catalogue::of_paths());
    let digests = digests(&spec, &catalogue)?;
    let plan = serve::plan(&serve::wish_of_run(&args, &spec))?;
    for event in &season.events {
        let of = Spec { name: event.name.clone(), engines: Vec::new(), event: event.event.clone() };
        serve::fits(&of, &plan).map_err(|error| Usage(format!("event `{}`: {error}", event.name)))?;
    }
    let files = files(&season, base)?;
    if args.dry_run {
        println!("{}: {} engines, {} events", season.name, season.engines.len(), season.events.len());
        return Ok(exit::DONE);
    }
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from(folder::file_name(&season.name)));
    if args.start_over {
        folder::put_aside(&output)?;
    }
    let folder = Folder::open(&output)?;
    let cage = serve::cage(args.no_sandbox, args.require_sandbox)?;
    serve::check_descriptors(plan.slots.len())?;
    serve::engines_start(&spec, &plan, &catalogue, &cage, &folder.scratch())?;
    folder::write_whole(&folder.root().join("season.toml"), explain_season(&season).as_bytes())?;

    let coordinator = start_coordinator(&args, &folder).await?;
    let address = format!("http://{}", coordinator.grpc_addr);
    let options = OperatorOptions { coordinator: address.clone(), by: None, reason: "rookery run".to_owned() };
    let mut client = Client::connect(&options).await?;
    apply(&args, &season, digests, files, &coordinator, &mut client).await?;
    tell!("{}: results in {}/, API on {}", season.name, folder.root().display(), coordinator.grpc_addr);
    let (handed_back, unfinished) = std::sync::mpsc::sync_channel(plan.slots.len() * 2 + 2);
    let config = serve::local_worker(&address, &spec, plan, catalogue, &cage, &folder, handed_back)?;
    let (leave, leaving) = watch::channel(Leave::No);
    let mut worker = tokio::spawn(link::run(config, leaving));
    let watched = tokio::select! {
        watched = follow(&mut client, &season, &folder, &coordinator, json) => watched,
        word = &mut worker => match word {
            Ok(Ok(())) => Err("the worker ended".into()),
            Ok(Err(error)) => Err(error.into()),
            Err(error) => Err(error.into()),
        },
    };
    if !worker.is_finished() {
        leave.send_replace(Leave::After(Duration::ZERO));
        if tokio::time::timeout(FAREWELL, &mut worker).await.is_err() {
            leave.send_replace(Leave::Abort);
            let _ended = worker.await;
        }
    }
    let interrupted = matches!(watched, Ok(exit::INTERRUPTED));
    let unfinished: Vec<_> = if interrupted { unfinished.try_iter().collect() } else { Vec::new() };
    for kind in [GameKind::Chess, GameKind::ChineseCheckers] {
        let checkers = kind == GameKind::ChineseCheckers;
        let of = unfinished.iter().filter(|game| (game.setup.kind == GameKind::ChineseCheckers) == checkers);
        views::write_unfinished(kind, of, &folder.unfinished(kind))?;
    }
    if interrupted {
        for (event, kind, name) in open_events(&mut client, &season).await? {
            views::export(&mut client, &event, kind, &folder.root().join(name)).await?;
        }
    }
    let season_now = client.seasons.get_season(v1::GetSeasonRequest { season: season.name.clone() }).await;
    if let Ok(answer) = season_now {
        let answer = answer.into_inner();
        folder::write_whole(&folder.root().join("history.md"), answer.history.as_bytes())?;
        if !answer.next_season.is_empty() {
            folder::write_whole(&folder.root().join("next-season.toml"), answer.next_season.as_bytes())?;
        }
    }
    coordinator.shutdown().await;
    watched
}

/// What all events need of this machine together.
fn whole(season: &SeasonSpec) -> Result<Spec, Usage> {
    let first = season.events.first().ok_or_else(|| Usage("a season without events".to_owned()))?;
    let mut event = first.event.clone();
    for other in &season.events {
        let slot = &other.event.slot;
        event.slot.cores = event.slot.cores.max(slot.cores);
        event.slot.memory = event.slot.memory.max(slot.memory);
        event.slot.gpus = event.slot.gpus.max(slot.gpus);
        event.slot.labels.extend(slot.labels.clone());
        event.one_at_a_time &= other.event.one_at_a_time;
        event.concurrency = event.concurrency.max(other.event.concurrency);
        for tables in &other.event.tablebases {
            if !event.tablebases.contains(tables) {
                event.tablebases.push(tables.clone());
            }
        }
    }
    Ok(Spec { name: season.name.clone(), engines: season.engines.clone(), event })
}

/// The books that the events name.
pub(crate) fn files(season: &SeasonSpec, base: &Path) -> Result<Vec<NamedFile>, Box<dyn std::error::Error>> {
    let mut files: Vec<NamedFile> = Vec::new();
    for event in &season.events {
        for name in event.event.openings.files() {
            if !files.iter().any(|(known, _)| known == name) {
                files.push((name.to_owned(), crate::check::read_book(&base.join(name))?));
            }
        }
    }
    Ok(files)
}

async fn apply(
    args: &RunArgs,
    season: &SeasonSpec,
    digests: Vec<(String, String)>,
    files: Vec<NamedFile>,
    coordinator: &Running,
    client: &mut Client,
) -> Result<(), Box<dyn std::error::Error>> {
    let handle = coordinator.handle();
    let known = client.seasons.list_seasons(v1::ListSeasonsRequest::default()).await.map_err(failed)?.into_inner();
    if let Some(other) = known.seasons.iter().find(|known| known.season != season.name) {
        let (other, name) = (&other.season, &season.name);
        return Err(Usage(format!("this folder holds the season `{other}`, not `{name}`\n{WAYS_OUT}")).into());
    }
    // Between events a program may be another one, as the gates say; while one runs it is what it was.
    if !known.seasons.is_empty() {
        for (event, ..) in open_events(client, season).await? {
            same_engines(client, &event, &digests).await?;
        }
    }
    let mut named = Vec::new();
    for (name, content) in files {
        named.push(v1::SpecFile { name, digest: handle.put_file(content.into()).await? });
    }
    let request = v1::ApplyRequest {
        spec: explain_season(season),
        file_name: args.spec.as_ref().map_or_else(String::new, |path| path.display().to_string()),
        files: named,
        dry_run: true,
        change: client.change(),
        paused: false,
        ruling: false,
        ladder_state: String::new(),
    };
    let ways_out = |denied: Denied| match denied {
        Denied::Precondition(why) => Usage(format!("{why}\n{WAYS_OUT}")),
        other => Usage(other.to_string()),
    };
    let would = handle.apply(request.clone(), digests.clone()).await.map_err(ways_out)?;
    if would.created && !known.seasons.is_empty() {
        let name = &season.name;
        let why = format!("the season `{name}` in this folder is over, and this one is written otherwise\n{WAYS_OUT}");
        return Err(Usage(why).into());
    }
    if !would.created && !would.differences.is_empty() && !args.go_on {
        let changes = would.differences.join("\n  ");
        return Err(Usage(format!(
            "the season has changed since the results in this folder:\n  {changes}\n\
             --go-on: go on with these changes; --start-over: put the old results aside and begin anew"
        ))
        .into());
    }
    let request = v1::ApplyRequest { dry_run: false, change: client.change(), ..request };
    let applied = handle.apply(request, digests).await.map_err(ways_out)?;
    for warning in &applied.warnings {
        tell!("warning: {warning}");
    }
    Ok(())
}

/// Events of the season that have begun and are not over: name, game, and the file of their games.
async fn open_events(
    client: &mut Client,
    season: &SeasonSpec,
) -> Result<Vec<(String, GameKind, String)>, Box<dyn std::error::Error>> {
    let request = v1::GetSeasonRequest { season: season.name.clone() };
    let now = client.seasons.get_season(request).await.map_err(failed)?.into_inner().summary.unwrap_or_default();
    let open = now.events.into_iter().filter(|event| {
        use v1::EventPhase as P;
        !event.event_uid.is_empty() && !matches!(event.phase(), P::Finished | P::Stopped | P::Sealed)
    });
    let file = |event: v1::SeasonEventSummary| {
        let known = season.events.iter().find(|known| known.name == event.name);
        (event.event, known.map_or(GameKind::Chess, |known| known.event.game), format!("{}.pgn", event.name))
    };
    Ok(open.map(file).collect())
}

/// Follows the season until it is over, a person must answer who is not there, or a signal ends it.
async fn follow(
    client: &mut Client,
    season: &SeasonSpec,
    folder: &Folder,
    coordinator: &Running,
    json: bool,
) -> Outcome {
    let (handle, address) = (coordinator.handle(), format!("http://{}", coordinator.grpc_addr));
    let mut changes = BTreeMap::new();
    let mut line = progress::Line::new();
    let mut signals = serve::Signals::new()?;
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    let answers = std::io::stdin().is_terminal();
    loop {
        // What changes while it is looked at is looked at again.
        changes.values_mut().for_each(tokio::sync::watch::Receiver::mark_unchanged);
        let watched = changes.len();
        let request = v1::GetSeasonRequest { season: season.name.clone() };
        let now = client.seasons.get_season(request).await.map_err(failed)?.into_inner().summary.unwrap_or_default();
        let events = client.seasons.list_events(v1::ListEventsRequest::default()).await.map_err(failed)?.into_inner();
        // Test matches are events too, though none of the season's.
        let running = events.events.iter().any(|event| {
            use v1::EventPhase as P;
            let over = matches!(event.phase(), P::Finished | P::Stopped | P::Sealed);
            !over && (event.phase() != P::Asking || event.games_running > 0)
        });
        let uids = now.events.iter().map(|event| &event.event_uid).chain([&now.season_uid]);
        for uid in uids.filter(|uid| !uid.is_empty()) {
            changes.entry(uid.clone()).or_insert_with(|| handle.subscribe(uid));
        }
        if changes.len() > watched {
            continue;
        }
        for event in &now.events {
            use v1::EventPhase as P;
            if event.skipped && told.insert(event.name.clone()) {
                line.clear();
                println!("\n{}: nothing is left to decide", event.title);
            }
            let over = matches!(event.phase(), P::Finished | P::Stopped | P::Sealed);
            if over && told.insert(event.name.clone()) {
                line.clear();
                report(client, season, &event.name, &event.title, folder, json).await?;
            }
            let summary = events.events.iter().find(|summary| summary.event_uid == event.event_uid);
            if let Some(summary) = summary.filter(|_| !over && !json) {
                line.show(summary, &[]);
            }
        }
        if now.over && now.questions.is_empty() {
            line.clear();
            return Ok(exit::DONE);
        }
        for question in now.questions.iter().filter(|question| asked.insert((*question).clone())) {
            line.clear();
            tell!("waits for a person: {question}");
            tell!("  the API is on {address}: `rookery season --coordinator {address}` says more");
        }
        if !now.questions.is_empty() && !running && (!answers || now.over) {
            line.clear();
            return Ok(exit::ASKING);
        }
        let changed = async {
            tokio::time::sleep(LOOK).await;
            select_all(changes.values_mut().map(|change| change.changed().boxed())).await.0
        };
        tokio::select! {
            changed = changed => if changed.is_err() {
                return Err("the coordinator ended".into());
            },
            signal = signals.next() => {
                line.clear();
                tell!("{signal}: games in play are handed back");
                let words: Vec<String> = std::env::args().collect();
                tell!("interrupted; to go on: {}", words.join(" "));
                return Ok(exit::INTERRUPTED);
            }
        }
    }
}

/// An event that is over: its table, and its games in a file of its own.
async fn report(
    client: &mut Client,
    season: &SeasonSpec,
    event: &str,
    title: &str,
    folder: &Folder,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let name = event_name(&season.name, event);
    let request = v1::GetStandingsRequest { event: name.clone() };
    let standings = client.seasons.get_standings(request).await.map_err(failed)?.into_inner();
    if json {
        let request = v1::GetEventRequest { event: name.clone() };
        let summary = client.seasons.get_event(request).await.map_err(failed)?.into_inner().summary;
        println!("{}", crate::operator::result_json(&summary.unwrap_or_default(), &standings.standings));
    } else {
        println!("\n{title}");
        print!("{}", standings_text(&standings.standings, &standings.tie_breaks, &standings.stop));
    }
    let kind = season.events.iter().find(|known| known.name == event).map_or(GameKind::Chess, |known| known.event.game);
    views::export(client, &name, kind, &folder.root().join(format!("{event}.pgn"))).await
}
