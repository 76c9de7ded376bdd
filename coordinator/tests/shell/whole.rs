//! The whole coordinator with its own core: a match from spec to PGN, and what a restart finds.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use rookery_coordinator::{
    archive::FolderArchive,
    core::{self, Core},
    shell::{Config, Coordinator, Running},
    store::EmbeddedStore,
};
use rookery_proto::v1::{
    self, attach_request, attach_response, game_service_client::GameServiceClient,
    season_service_client::SeasonServiceClient,
};
use tokio::time::timeout;
use tonic::transport::Channel;

use crate::support::{Worker, hello};

const SPEC: &str = r#"
name = "A v B"
[[engine]]
name = "A"
program = "a"
[[engine]]
name = "B"
program = "b"
[event]
format = { match = { pairs = 3 } }
time-control = "1+0.01"
seed = 5
"#;

const PATIENCE: Duration = Duration::from_secs(20);

async fn start(folder: &Path) -> Running {
    let store = EmbeddedStore::open(folder.join("store.redb")).await.unwrap();
    let config = Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        http_listen: None,
        advertise: String::new(),
        store: Arc::new(store),
        archive: Arc::new(FolderArchive::open(folder.join("archive")).await.unwrap()),
    };
    Coordinator::start(config, Core::new(core::Config::one_process())).await.unwrap()
}

async fn connect(running: &Running) -> Channel {
    Channel::from_shared(format!("http://{}", running.grpc_addr)).unwrap().connect().await.unwrap()
}

fn able(worker: &str) -> v1::Hello {
    let entry =
        |name: &str| v1::CatalogueEntry { name: name.to_owned(), digest: format!("sha256:{}", name.repeat(64)) };
    v1::Hello {
        slots: vec![v1::SlotClass { count: 1, cores: 4, memory_bytes: 8 << 30, gpus: 0 }],
        memory_bytes: 8 << 30,
        protocols: vec!["uci".to_owned()],
        engines: vec![entry("a"), entry("b")],
        ..hello(worker)
    }
}

/// First resigns after the opening.
fn played(attempt: i64, order: &v1::GameOrder) -> v1::Finished {
    let setup = order.setup.clone().unwrap();
    let identity = |side: &Option<v1::Side>| {
        let engine = side.as_ref().unwrap().engine.clone().unwrap();
        Some(v1::EngineIdentity { id_name: engine.name.clone(), name: engine.name, ..Default::default() })
    };
    let book = |text: &String| v1::Ply { r#move: text.clone(), book: true, ..Default::default() };
    let record = v1::GameRecord {
        id: order.id.clone(),
        event: "A v B".to_owned(),
        first: identity(&setup.first),
        second: identity(&setup.second),
        plies: setup.opening_moves.iter().map(book).collect(),
        outcome: Some(v1::Outcome {
            result: v1::GameResult::SecondWins.into(),
            ending: v1::Ending::Resignation.into(),
            ..Default::default()
        }),
        started_unix_ms: 1_700_000_000_000,
        ended_unix_ms: 1_700_000_001_000,
        setup: Some(setup),
        attempt,
        ..Default::default()
    };
    v1::Finished { attempt, record: Some(record) }
}

fn beat(free: u32, last_order: u64) -> attach_request::Message {
    attach_request::Message::Beat(v1::Beat { free: vec![free], last_order, ..Default::default() })
}

/// Plays what it is given until `games` are on record; the times from each game's end to its acknowledgement.
async fn play(worker: &mut Worker, games: usize) -> Vec<Duration> {
    let (mut order, mut took, mut plays) = (0, Vec::new(), VecDeque::new());
    let mut attempts = BTreeMap::new();
    worker.tell(beat(1, 0)).await;
    while took.len() < games {
        let Some(play) = plays.pop_front() else {
            let message = timeout(PATIENCE, worker.hear.message()).await.unwrap().unwrap().unwrap();
            order = order.max(message.order);
            if let Some(attach_response::Message::Play(play)) = message.message {
                plays.push_back(play);
            }
            continue;
        };
        attempts.insert(play.attempt, play.games[0].id.clone().unwrap().pair);
        for game in &play.games {
            let ended = Instant::now();
            worker.tell(attach_request::Message::Finished(played(play.attempt, game))).await;
            loop {
                match worker.hears().await {
                    Some(attach_response::Message::Recorded(recorded)) if recorded.game == game.id => break,
                    Some(attach_response::Message::Discarded(discarded)) => panic!("{discarded:?}"),
                    // The next pair may come before the last one is on record.
                    Some(attach_response::Message::Play(play)) => plays.push_back(play),
                    Some(_) => {}
                    None => panic!("the stream ended"),
                }
            }
            took.push(ended.elapsed());
        }
        worker.tell(beat(1, order)).await;
    }
    assert!(attempts.values().is_sorted(), "of two pairs in hand the first is played first: {attempts:?}");
    took
}

async fn export(games: &mut GameServiceClient<Channel>, format: v1::ExportFormat) -> String {
    let request = v1::ExportGamesRequest { event: "A v B".to_owned(), format: format.into(), ..Default::default() };
    let mut pieces = games.export_games(request).await.unwrap().into_inner();
    let mut text = Vec::new();
    while let Some(piece) = pieces.message().await.unwrap() {
        text.extend(piece.content);
    }
    String::from_utf8(text).unwrap()
}

// On several threads, as a coordinator runs: there a task that was made last may well run first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_from_spec_to_pgn_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path()).await;
    let channel = connect(&running).await;
    let mut seasons = SeasonServiceClient::new(channel.clone());
    let mut games = GameServiceClient::new(channel.clone());
    let mut worker = Worker::attach(channel.clone(), able("w1")).await;
    worker.welcomed().await;

    let request = v1::ApplyRequest { spec: SPEC.to_owned(), file_name: "ab.toml".to_owned(), ..Default::default() };
    let dry = v1::ApplyRequest { dry_run: true, ..request.clone() };
    let dry = seasons.apply(dry).await.unwrap().into_inner();
    assert_eq!((dry.games, dry.created), (6, true), "{dry:?}");
    let none = seasons.list_events(v1::ListEventsRequest::default()).await.unwrap().into_inner();
    assert!(none.events.is_empty(), "a dry run made {none:?}");
    let applied = seasons.apply(request).await.unwrap().into_inner();
    assert!(applied.created && applied.explained.contains("time-control"));

    let watch = v1::WatchEventRequest { event: applied.event_uid.clone() };
    let mut watch = seasons.watch_event(watch).await.unwrap().into_inner();
    let first = watch.message().await.unwrap().unwrap().summary.unwrap();
    assert_eq!((first.phase(), first.games_total), (v1::EventPhase::Running, 6));

    let took = play(&mut worker, 6).await;
    eprintln!("from a game's end to its acknowledgement: {took:?}");
    let finished = timeout(PATIENCE, async {
        loop {
            let told = watch.message().await.unwrap().unwrap().summary.unwrap();
            if told.phase() == v1::EventPhase::Finished {
                return told;
            }
        }
    });
    assert_eq!(finished.await.unwrap().games_done, 6);

    check_tables(&mut seasons).await;
    let pgn = check_games(&mut games).await;
    running.shutdown().await;

    let again = start(folder.path()).await;
    let channel = connect(&again).await;
    check_tables(&mut SeasonServiceClient::new(channel.clone())).await;
    let mut games = GameServiceClient::new(channel.clone());
    assert_eq!(export(&mut games, v1::ExportFormat::Pgn).await, pgn);
    check_rulings(&mut games, &mut SeasonServiceClient::new(channel)).await;
    again.shutdown().await;
}

async fn check_rulings(games: &mut GameServiceClient<Channel>, seasons: &mut SeasonServiceClient<Channel>) {
    let list = v1::ListGamesRequest { event: "A v B".to_owned(), ..Default::default() };
    let list = games.list_games(list).await.unwrap().into_inner().games;
    let change = |reason: &str| {
        Some(v1::Change { by: "ann".to_owned(), reason: reason.to_owned(), request_id: reason.to_owned() })
    };
    let game = |index: usize| (list[index].event.clone(), list[index].name.clone());

    let (event, name) = game(0);
    let unsigned = v1::RuleGameRequest { event, game: name, result: v1::GameResult::Draw.into(), change: None };
    assert_eq!(games.rule_game(unsigned.clone()).await.unwrap_err().code(), tonic::Code::InvalidArgument);
    games.rule_game(v1::RuleGameRequest { change: change("both resigned"), ..unsigned }).await.unwrap();
    let (event, name) = game(1);
    games.void_game(v1::VoidGameRequest { event, game: name, change: change("wrong book") }).await.unwrap();

    let standings = seasons.get_standings(v1::GetStandingsRequest::default()).await.unwrap().into_inner();
    let half_points: u32 = standings.standings.iter().map(|line| line.half_points).sum();
    assert_eq!((standings.standings[0].games, half_points), (5, 10));
    let pgn = export(games, v1::ExportFormat::Pgn).await;
    let count = |result: &str| pgn.matches(&format!("[Result \"{result}\"]")).count();
    assert_eq!((count("1/2-1/2"), count("0-1")), (1, 4), "what is exported is what counts\n{pgn}");
    let all = v1::ExportGamesRequest { event: "A v B".to_owned(), all: true, ..Default::default() };
    let piece = games.export_games(all).await.unwrap().into_inner().message().await.unwrap().unwrap();
    let all = String::from_utf8(piece.content).unwrap();
    assert_eq!(all.matches("[Counted \"no: voided\"]").count(), 1, "{all}");
}

/// The last fifth of the store is kept for results.
#[test]
fn a_store_that_fills_is_an_alarm() {
    let mut core = Core::new(core::Config::one_process());
    let now = core::Now { mono_ns: 1, unix_ms: 1 };
    core.handle(now, core::Input::Lead { since: 1, store_id: "s".to_owned(), loaded: Box::default() });
    let mut alarms = |used| {
        core.handle(now, core::Input::Space { used, quota: 1_000 << 20 });
        let asked = core::Input::Asked { ask: core::AskId(1), request: Box::new(core::Request::Alarms) };
        match core.handle(now, asked).pop() {
            Some(core::Effect::Answer { answer: Ok(core::Answer::Alarms(alarms)), .. }) => alarms,
            other => panic!("not the alarms: {other:?}"),
        }
    };
    assert!(alarms(799 << 20).is_empty());
    assert!(alarms(801 << 20)[0].contains("801 of 1000 MiB"));
    assert!(alarms(10 << 20).is_empty());
}

async fn check_tables(seasons: &mut SeasonServiceClient<Channel>) {
    let standings = seasons.get_standings(v1::GetStandingsRequest::default()).await.unwrap().into_inner();
    let lines: Vec<_> = standings.standings.iter().map(|s| (s.games, s.wins, s.losses, s.half_points)).collect();
    assert_eq!(lines, [(6, 3, 3, 6), (6, 3, 3, 6)]);
    let crosstable = seasons.get_crosstable(v1::GetCrosstableRequest::default()).await.unwrap().into_inner();
    assert_eq!(crosstable.rows.len(), 2);
    assert_eq!(crosstable.rows[0].cells[1].sequence.len(), 6);
    let facts = seasons.list_facts(v1::ListFactsRequest::default()).await.unwrap().into_inner();
    assert_eq!(facts.facts[0].kind, "Opened");
}

async fn check_games(games: &mut GameServiceClient<Channel>) -> String {
    let list = v1::ListGamesRequest { event: "A v B".to_owned(), page_size: 4, ..Default::default() };
    let page = games.list_games(list.clone()).await.unwrap().into_inner();
    assert_eq!(page.games.len(), 4);
    let rest = v1::ListGamesRequest { page_token: page.next_page_token, ..list };
    let rest = games.list_games(rest).await.unwrap().into_inner();
    assert_eq!((rest.games.len(), rest.next_page_token.as_str()), (2, ""));
    let names: BTreeSet<&String> = page.games.iter().chain(&rest.games).map(|game| &game.name).collect();
    assert_eq!(names.len(), 6);

    let name = page.games[0].name.clone();
    let asked = v1::GetGameRequest { event: "A v B".to_owned(), game: name.clone() };
    let game = games.get_game(asked).await.unwrap().into_inner();
    assert_eq!(game.record.unwrap().outcome.unwrap().ending(), v1::Ending::Resignation);
    assert!(game.pgn.contains("[White \"A\"]") && game.pgn.contains("[Result \"0-1\"]"), "{}", game.pgn);
    let explain = v1::ExplainGameRequest { event: "A v B".to_owned(), game: name, transcript: true };
    assert!(!games.explain_game(explain).await.unwrap().into_inner().lines.is_empty());

    let pgn = export(games, v1::ExportFormat::Pgn).await;
    assert_eq!(pgn.matches("[Result \"0-1\"]").count(), 6, "{pgn}");
    let lines = export(games, v1::ExportFormat::Jsonl).await;
    let exported: Vec<String> =
        lines.lines().map(|line| serde_json::from_str::<rookery_game::GameRecord>(line).unwrap().name).collect();
    let mut sorted = exported.clone();
    sorted.sort();
    assert_eq!((exported.len(), &exported), (6, &sorted));
    pgn
}

#[tokio::test]
async fn a_second_process_under_one_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path()).await;
    let mut first = Worker::attach(connect(&running).await, able("w1")).await;
    first.welcomed().await;
    let second = v1::Hello { boot: "boot-2".to_owned(), ..able("w1") };
    let mut second = Worker::attach(connect(&running).await, second).await;
    assert_eq!(second.rejected().await.reason(), v1::RejectReason::SecondBoot);
    second.ended().await;
    first.tell(beat(1, 0)).await;
    running.shutdown().await;
}

#[tokio::test]
async fn a_running_game_is_watched_ply_by_ply() {
    let folder = tempfile::tempdir().unwrap();
    let running = start(folder.path()).await;
    let channel = connect(&running).await;
    let mut worker = Worker::attach(channel.clone(), able("w1")).await;
    worker.welcomed().await;
    worker.tell(beat(1, 0)).await;
    let mut seasons = SeasonServiceClient::new(channel.clone());
    let spec = SPEC.replace("seed = 5", "seed = 5\nopenings = \"start-position\"");
    seasons.apply(v1::ApplyRequest { spec, ..Default::default() }).await.unwrap();
    let play = timeout(PATIENCE, async {
        loop {
            if let Some(attach_response::Message::Play(play)) = worker.hears().await {
                return play;
            }
        }
    });
    let play = play.await.unwrap();
    let id = play.games[0].id.clone().unwrap();
    let name = format!("{}/{}/{}", id.pair, id.game, id.take);

    let ply = |text: &str| v1::Ply { r#move: text.to_owned(), ..Default::default() };
    let progress = |first_ply, text| {
        attach_request::Message::Progress(v1::Progress {
            attempt: play.attempt,
            game: Some(id.clone()),
            first_ply,
            plies: vec![ply(text)],
            ..Default::default()
        })
    };
    worker.tell(progress(0, "e2e4")).await;
    let mut games = GameServiceClient::new(channel);
    let watch = v1::WatchGameRequest { event: "A v B".to_owned(), game: name.clone() };
    let mut watch = games.watch_game(watch).await.unwrap().into_inner();
    worker.tell(progress(1, "e7e5")).await;
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let told = timeout(PATIENCE, watch.message()).await.unwrap().unwrap().unwrap();
        assert_eq!(told.first_ply as usize, seen.len());
        seen.extend(told.plies.into_iter().map(|ply| ply.r#move));
    }
    assert_eq!(seen, ["e2e4", "e7e5"]);

    let asked = v1::GetGameRequest { event: "A v B".to_owned(), game: name };
    let game = games.get_game(asked).await.unwrap().into_inner();
    assert!(game.pgn.contains("1. e4 {") && game.pgn.contains(" e5 {"), "{}", game.pgn);
    assert!(game.pgn.trim_end().ends_with('*'), "{}", game.pgn);

    worker.tell(attach_request::Message::Finished(played(play.attempt, &play.games[0]))).await;
    let last = timeout(PATIENCE, async {
        let mut last = None;
        while let Some(told) = watch.message().await.unwrap() {
            last = told.summary;
        }
        last.unwrap()
    });
    assert_eq!(last.await.unwrap().phase(), v1::GamePhase::Finished, "the stream ends with the game");
    running.shutdown().await;
}
