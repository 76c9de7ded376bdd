//! `rookery run`: coordinator, store and worker in one process.

mod flags;
mod folder;
pub(crate) mod season;
mod views;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rookery_coordinator::{
    archive, core,
    shell::{self, Coordinator, Running},
    store,
};
use rookery_proto::v1;
use rookery_tournament::spec::Spec;
use rookery_worker::{
    catalogue::Catalogue,
    link::{self, Leave},
};
use sha2::{Digest, Sha256};
use tokio::{sync::watch, task::JoinHandle};

pub(crate) use self::folder::{Folder, file_name, write_whole};
use self::views::Views;
use crate::{
    args::{OperatorOptions, RunArgs},
    client::{Client, failed},
    exit::{self, Outcome, Usage},
    live,
    operator::{crosstable_text, ladder_table, read_ladder, standings_text},
    progress, serve,
};

/// Where the API listens where nobody says otherwise, so that grpcurl finds it; a free port where that is taken.
const LISTEN: &str = "127.0.0.1:7700";

/// How long games in play may take to be handed back after Ctrl-C.
const FAREWELL: Duration = Duration::from_millis(2500);

/// Plays an event on this machine.
pub(crate) async fn run(args: RunArgs, json: bool) -> Outcome {
    if let Some(path) = &args.spec {
        let mut set = args.set.clone();
        set.extend(args.seed.map(|seed| format!("seed={seed}")));
        if let Some((season, base)) = season_of(path, &set)? {
            return season::run(args, season, &base, json).await;
        }
    }
    let (spec, base) = read(&args)?;
    let catalogue = Arc::new(Catalogue::of_paths());
    let digests = digests(&spec, &catalogue)?;
    let plan = serve::plan(&serve::wish_of_run(&args, &spec))?;
    serve::fits(&spec, &plan)?;
    let files = files(&spec, &base)?;
    let ladder = args.ladder_state.as_deref().map(read_ladder).transpose()?;
    if let Some((_, state)) = &ladder {
        tell!("{}", ladder_table(state).trim_end());
    }
    if args.dry_run {
        return dry_run(&spec, plan.slots.len());
    }
    let output = args.output.clone().or_else(|| spec.event.output.as_ref().map(PathBuf::from));
    let output = output.unwrap_or_else(|| PathBuf::from(folder::file_name(&spec.name)));
    if args.start_over {
        folder::put_aside(&output)?;
    }
    let folder = Folder::open(&output)?;
    if folder.lost_its_state() {
        let shown = folder.root().display();
        return Err(Usage(format!("{shown}/ has games, and not the state that it came from\n{WAYS_OUT}")).into());
    }
    let cage = serve::cage(args.no_sandbox, args.require_sandbox)?;
    serve::check_descriptors(plan.slots.len())?;
    serve::engines_start(&spec, &plan, &catalogue, &cage, &folder.scratch())?;

    let coordinator = start_coordinator(&args, &folder).await?;
    let ladder = ladder.map(|(text, _)| text);
    let result = play(&args, &spec, ladder, &digests, files, &folder, &coordinator, plan, catalogue, cage, json).await;
    coordinator.shutdown().await;
    result
}

/// A season, where the file is one; keys are set in it only then.
fn season_of(
    path: &Path,
    set: &[String],
) -> Result<Option<(rookery_tournament::season::SeasonSpec, PathBuf)>, Box<dyn std::error::Error>> {
    let text = crate::check::read_text(path)?;
    if rookery_tournament::spec::is_season(&text) { crate::check::read_season(path, set) } else { Ok(None) }
}

/// Warns of games that are the same move by move: two engines that leave nothing to chance play equal rows equally, and
/// the error bars are then too narrow.
fn identical(games: &Path) {
    if games.extension().is_none_or(|extension| extension != "jsonl") {
        return;
    }
    let Ok(text) = std::fs::read_to_string(games) else { return };
    let games = rookery_game::chinese_checkers::log::read(&text).unwrap_or_default();
    let groups = rookery_game::chinese_checkers::log::identical(&games);
    if !groups.is_empty() {
        let count: usize = groups.iter().map(Vec::len).sum();
        tell!("warning: {count} games are identical to another; error bars are too narrow (see `rookery replay`)");
    }
}

/// The spec, and the folder in which the files that it names are.
fn read(args: &RunArgs) -> Result<(Spec, PathBuf), Box<dyn std::error::Error>> {
    let here = PathBuf::new();
    let (name, text, base) = match &args.spec {
        Some(path) => {
            let text = crate::check::read_text(path)?;
            (path.display().to_string(), text, path.parent().unwrap_or(Path::new("")).to_owned())
        }
        None => {
            let text = flags::spec(args)?;
            tell!("{}", text.trim_end());
            tell!();
            ("the spec from the flags".to_owned(), text, here)
        }
    };
    let mut set = args.set.clone();
    if let Some(seed) = args.seed {
        set.push(format!("event.seed={seed}"));
    }
    let unknown = crate::check::Opponents::Unknown;
    let (_, parsed) = crate::check::parse_spec(&name, text, &set, &base, unknown)?;
    Ok((parsed.spec, base))
}

fn digests(spec: &Spec, catalogue: &Catalogue) -> Result<Vec<(String, String)>, Box<dyn std::error::Error>> {
    let mut digests = Vec::new();
    let mut missing = Vec::new();
    for engine in &spec.engines {
        match catalogue.program(&engine.setup) {
            Ok(program) => digests.push((engine.setup.name.clone(), program.digest)),
            Err(error) => missing.push(format!("engine `{}`: {error}", engine.setup.name)),
        }
    }
    if missing.is_empty() { Ok(digests) } else { Err(Usage(missing.join("\nerror: ")).into()) }
}

/// A file as the spec names it, with its content.
pub(crate) type NamedFile = (String, Vec<u8>);

/// The files that the spec names.
fn files(spec: &Spec, base: &Path) -> Result<Vec<NamedFile>, Box<dyn std::error::Error>> {
    let mut files: Vec<NamedFile> = Vec::new();
    for name in spec.event.openings.files() {
        if !files.iter().any(|(known, _)| known == name) {
            files.push((name.to_owned(), crate::check::read_book(&base.join(name))?));
        }
    }
    Ok(files)
}

fn dry_run(spec: &Spec, slots: usize) -> Outcome {
    let games = crate::check::games(spec);
    println!("{}: {} engines, {games} games, {slots} at once", spec.name, spec.engines.len());
    let at_once = u32::try_from(slots).unwrap_or(u32::MAX);
    if let Some(time) = rookery_tournament::event::expected(spec, games, at_once) {
        println!("about {} if all games are played", progress::span(time.as_secs()));
    }
    Ok(exit::DONE)
}

async fn start_coordinator(args: &RunArgs, folder: &Folder) -> Result<Running, Box<dyn std::error::Error>> {
    let store = store::open(&format!("embedded:{}", folder.state().display()), store::Options::default()).await?;
    let archive = archive::open(&folder.archive().display().to_string()).await?;
    let mut listen = match &args.listen {
        Some(listen) => vec![listen.clone()],
        None => vec![LISTEN.to_owned(), "127.0.0.1:0".to_owned()],
    };
    loop {
        let address = listen.remove(0);
        let address: SocketAddr =
            address.parse().map_err(|_| Usage(format!("`{address}` is not an address; expected e.g. {LISTEN}")))?;
        let config = shell::Config {
            listen: address,
            http_listen: None,
            advertise: String::new(),
            store: Arc::clone(&store),
            archive: Arc::clone(&archive),
        };
        match Coordinator::start(config, core::Core::new(core::Config::one_process())).await {
            Ok(running) => return Ok(running),
            Err(shell::StartError::Listen { .. }) if !listen.is_empty() => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "the parts of one run, put together once")]
async fn play(
    args: &RunArgs,
    spec: &Spec,
    ladder: Option<String>,
    digests: &[(String, String)],
    files: Vec<NamedFile>,
    folder: &Folder,
    coordinator: &Running,
    plan: serve::Plan,
    catalogue: Arc<Catalogue>,
    cage: serve::Cage,
    json: bool,
) -> Outcome {
    let address = format!("http://{}", coordinator.grpc_addr);
    let options = OperatorOptions { coordinator: address.clone(), by: None, reason: "rookery run".to_owned() };
    let mut client = Client::connect(&options).await?;
    let event = apply(args, spec, ladder, digests, files, coordinator, &mut client).await?;
    folder.write_spec(spec)?;
    tell!("{}: results in {}/, API on {}", spec.name, folder.root().display(), coordinator.grpc_addr);

    let (handed_back, unfinished) = std::sync::mpsc::sync_channel(plan.slots.len() * 2 + 2);
    let config = serve::local_worker(&address, spec, plan, catalogue, &cage, folder, handed_back)?;
    let (leave, leaving) = watch::channel(Leave::No);
    let worker = tokio::spawn(link::run(config, leaving));
    let mut views = Views::new(&event, &spec.event, folder);
    let live = args.live.then(|| folder.root().to_owned());
    let watched = watch_event(&mut client, &event, &mut views, worker, &leave, json);
    let ended = live::beside(options, event.clone(), live, watched).await?;
    let unfinished: Vec<_> = if ended == Ended::Interrupted { unfinished.try_iter().collect() } else { Vec::new() };
    views.finish(&mut client, &unfinished).await?;
    report(&mut client, &event, &folder.games(spec.event.game), ended, json).await
}

/// Applies the spec. What would change beside older results is a question.
async fn apply(
    args: &RunArgs,
    spec: &Spec,
    ladder: Option<String>,
    digests: &[(String, String)],
    files: Vec<NamedFile>,
    coordinator: &Running,
    client: &mut Client,
) -> Result<String, Box<dyn std::error::Error>> {
    let handle = coordinator.handle();
    let events = client.seasons.list_events(v1::ListEventsRequest::default()).await.map_err(failed)?.into_inner();
    if let Some(other) = events.events.iter().find(|event| event.event != spec.name) {
        return Err(
            Usage(format!("this folder holds the event `{}`, not `{}`\n{WAYS_OUT}", other.event, spec.name)).into()
        );
    }
    let mut ladder_state = ladder.unwrap_or_default();
    if !events.events.is_empty() {
        same_engines(client, &spec.name, digests).await?;
        if !ladder_state.is_empty() {
            same_ladder(client, &spec.name, &ladder_state).await?;
            // It is on record: the event goes on.
            ladder_state.clear();
        }
    }
    let mut named = Vec::new();
    for (name, content) in files {
        let digest = handle.put_file(content.into()).await?;
        named.push(v1::SpecFile { name, digest });
    }
    let mut request = v1::ApplyRequest {
        spec: rookery_tournament::spec::explain(spec),
        file_name: args.spec.as_ref().map_or_else(String::new, |path| path.display().to_string()),
        files: named,
        dry_run: true,
        change: client.change(),
        paused: false,
        ruling: false,
        ladder_state,
    };
    let ways_out = |denied: core::Denied| match denied {
        core::Denied::Precondition(why) => Usage(format!("{why}\n{WAYS_OUT}")).into(),
        core::Denied::Invalid(why) => Usage(why).into(),
        other => Box::<dyn std::error::Error>::from(other),
    };
    let would = handle.apply(request.clone(), digests.to_vec()).await.map_err(ways_out)?;
    if would.created && !events.events.is_empty() {
        return Err(Usage(if would.differences.is_empty() {
            format!("event `{}` in this folder was stopped\n{WAYS_OUT}", spec.name)
        } else {
            let changes = would.differences.join("\n  ");
            format!("the spec has changed since the results in this folder, which are final:\n  {changes}\n{WAYS_OUT}")
        })
        .into());
    }
    if !would.created && !would.differences.is_empty() && !args.go_on {
        let changes = would.differences.join("\n  ");
        return Err(Usage(format!(
            "the spec has changed since the results in this folder:\n  {changes}\n\
             --go-on: go on with these changes; --start-over: put the old results aside and begin anew"
        ))
        .into());
    }
    // What is over is not amended: the coordinator would begin a second event beside it.
    if would.created && !events.events.is_empty() {
        let name = &spec.name;
        return Err(Usage(format!(
            "the event `{name}` in this folder is over, and this spec is another, or it was stopped by a person\n{WAYS_OUT}"
        ))
        .into());
    }
    request.dry_run = false;
    let applied = handle.apply(request, digests.to_vec()).await.map_err(ways_out)?;
    for warning in &applied.warnings {
        tell!("warning: {warning}");
    }
    Ok(applied.event)
}

pub(super) const WAYS_OUT: &str =
    "ways out: --start-over puts the old results aside and begins anew; --output DIR writes elsewhere";

/// An engine whose program has changed is another engine.
async fn same_engines(
    client: &mut Client,
    event: &str,
    digests: &[(String, String)],
) -> Result<(), Box<dyn std::error::Error>> {
    let request = v1::ListFactsRequest { event: event.to_owned() };
    let facts = client.seasons.list_facts(request).await.map_err(failed)?.into_inner().facts;
    let mut changed = Vec::new();
    for fact in &facts {
        let Ok(fact) = serde_json::from_str::<rookery_tournament::Fact>(&fact.json) else { continue };
        let roster = match fact {
            rookery_tournament::Fact::Opened { roster, .. } => roster,
            rookery_tournament::Fact::Joined { entry, .. } => vec![entry],
            _ => continue,
        };
        for entry in roster {
            let now = digests.iter().find(|(name, _)| *name == entry.engine);
            if let Some((name, now)) = now
                && !entry.digest.is_empty()
                && *now != entry.digest
            {
                changed.push(format!("engine `{name}` is another program than in the results of this folder"));
            }
        }
    }
    if changed.is_empty() { Ok(()) } else { Err(Usage(format!("{}\n{WAYS_OUT}", changed.join("\nerror: "))).into()) }
}

/// The event must have begun with this state.
async fn same_ladder(client: &mut Client, event: &str, state: &str) -> Result<(), Box<dyn std::error::Error>> {
    let digest: String = Sha256::digest(state).iter().map(|byte| format!("{byte:02x}")).collect();
    let digest = format!("sha256:{digest}");
    let request = v1::ListFactsRequest { event: event.to_owned() };
    let facts = client.seasons.list_facts(request).await.map_err(failed)?.into_inner().facts;
    let began_so = facts.iter().any(|fact| {
        let fact = serde_json::from_str::<rookery_tournament::Fact>(&fact.json);
        matches!(fact, Ok(rookery_tournament::Fact::Imported { state, .. }) if state == digest)
    });
    if began_so {
        return Ok(());
    }
    Err(Usage(format!("the event `{event}` in this folder did not begin with this ladder's state\n{WAYS_OUT}")).into())
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Over,
    Asking,
    Interrupted,
}

async fn watch_event(
    client: &mut Client,
    event: &str,
    views: &mut Views,
    mut worker: JoinHandle<Result<(), link::WorkerError>>,
    leave: &watch::Sender<Leave>,
    json: bool,
) -> Result<Ended, Box<dyn std::error::Error>> {
    let request = v1::WatchEventRequest { event: event.to_owned() };
    let mut stream = client.seasons.watch_event(request).await.map_err(failed)?.into_inner();
    let mut line = progress::Line::new();
    let mut signals = serve::Signals::new()?;
    let ended = loop {
        tokio::select! {
            message = stream.message() => {
                let Some(answer) = message.map_err(failed)? else {
                    return Err("the coordinator ended".into());
                };
                let Some(summary) = answer.summary else { continue };
                if !json {
                    line.show(&summary, &answer.standings);
                }
                // A view for people: what is on record is safe without it, and it is written anew later.
                if let Err(error) = views.look(client, &summary).await {
                    tracing::warn!("games.pgn is not written now: {}", exit::full(error.as_ref()));
                }
                use v1::EventPhase as P;
                match summary.phase() {
                    P::Finished | P::Stopped | P::Sealed => break Ended::Over,
                    // Games that are in play go on; the question is for when nothing is.
                    P::Asking if summary.games_running == 0 => break Ended::Asking,
                    _ => {}
                }
            }
            word = &mut worker => {
                line.clear();
                return match word {
                    Ok(Ok(())) => Err("the worker ended".into()),
                    Ok(Err(error)) => Err(error.into()),
                    Err(error) => Err(error.into()),
                };
            }
            signal = signals.next() => {
                line.clear();
                tell!("{signal}: games in play are handed back");
                break Ended::Interrupted;
            }
        }
    };
    line.clear();
    leave.send_replace(Leave::After(Duration::ZERO));
    tokio::select! {
        _ = &mut worker => {}
        _ = signals.next() => {
            leave.send_replace(Leave::Abort);
            let _ended = worker.await;
        }
        () = tokio::time::sleep(FAREWELL) => {
            leave.send_replace(Leave::Abort);
            let _ended = worker.await;
        }
    }
    Ok(ended)
}

async fn report(client: &mut Client, event: &str, games: &Path, ended: Ended, json: bool) -> Outcome {
    let request = v1::GetStandingsRequest { event: event.to_owned() };
    let standings = client.seasons.get_standings(request).await.map_err(failed)?.into_inner();
    let request = v1::GetEventRequest { event: event.to_owned() };
    let summary = client.seasons.get_event(request).await.map_err(failed)?.into_inner().summary.unwrap_or_default();
    if json {
        println!("{:#}", crate::operator::result_json(&summary, &standings.standings));
    } else {
        println!();
        print!("{}", standings_text(&standings.standings, &standings.tie_breaks, &standings.stop));
        if standings.standings.len() > 2 {
            let request = v1::GetCrosstableRequest { event: event.to_owned() };
            let table = client.seasons.get_crosstable(request).await.map_err(failed)?.into_inner();
            println!();
            print!("{}", crosstable_text(&table.rows));
        }
        println!("\n{} of {} games in {}", summary.games_done, summary.games_total, games.display());
        identical(games);
    }
    match ended {
        Ended::Over => Ok(exit::DONE),
        Ended::Asking => {
            for question in &summary.questions {
                tell!("waits for a person: {question}");
            }
            Ok(exit::ASKING)
        }
        Ended::Interrupted => {
            let words: Vec<String> = std::env::args().collect();
            tell!("interrupted; to go on: {}", words.join(" "));
            Ok(exit::INTERRUPTED)
        }
    }
}
