//! What operators ask, over gRPC and over HTTP.

use std::time::{Duration, Instant};

use bytes::Bytes;
use rookery_coordinator::{
    core::{Denied, Request},
    store::Leadership,
};
use rookery_proto::v1::{self, fleet_service_client::FleetServiceClient, season_service_client::SeasonServiceClient};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::Code;

use crate::support::{Bench, Worker, hello};

const SPEC: &str = r#"
name = "A v B"
[[engine]]
name = "A"
program = "stockfish"
[[engine]]
name = "B"
program = "ethereal-chess"
[event]
format = { match = { pairs = 2 } }
time-control = "1+0.01"
"#;

fn apply(spec: &str) -> v1::ApplyRequest {
    v1::ApplyRequest { spec: spec.to_owned(), file_name: "ab.toml".to_owned(), ..Default::default() }
}

#[tokio::test]
async fn denials_have_their_codes() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let pause = v1::PauseEventRequest { event: "cap".to_owned(), ..Default::default() };
    let status = seasons.pause_event(pause).await.unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::NotFound, "no event `cap`; there is `cup`"));
    let stop = v1::StopEventRequest { event: "cup".to_owned(), ..Default::default() };
    assert_eq!(seasons.stop_event(stop).await.unwrap_err().code(), Code::FailedPrecondition);
    let nameless = seasons.stop_event(v1::StopEventRequest::default()).await.unwrap_err();
    assert_eq!((nameless.code(), nameless.message()), (Code::InvalidArgument, "`event` is empty"));
}

#[tokio::test]
async fn a_spec_becomes_a_request_with_book_and_digests() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let applied = seasons.apply(apply(SPEC)).await.unwrap().into_inner();
    assert_eq!(applied.event, "A v B");
    assert!(applied.explained.contains("time-control"), "{}", applied.explained);
    assert_eq!(applied.event_uid.len(), 36);
    assert_eq!(applied.differences[0], "A=sha256:aa", "the catalogue's digest is frozen, B's is in none");
    assert!(applied.differences[1].starts_with("book sha256:"), "{:?}", applied.differences);
}

#[tokio::test]
async fn all_mistakes_of_a_spec_are_told_at_once() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let wrong = SPEC.replace("program = \"stockfish\"", "progam = \"stockfish\"").replace("pairs = 2", "pairs = 0");
    let status = seasons.apply(apply(&wrong)).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    for part in ["ab.toml:5:", "progam", "did you mean `program`", "pairs"] {
        assert!(status.message().contains(part), "`{part}` is missing in\n{}", status.message());
    }
}

#[tokio::test]
async fn a_hundred_mistakes_still_arrive() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let wrong: String = (0..150).map(|i| format!("mistake-{i} = \"so that it takes room\"\n")).collect();
    let status = seasons.apply(apply(&format!("{SPEC}{wrong}"))).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert!(status.message().contains("mistake-0"), "{}", status.message());
    assert!(status.message().trim_end().ends_with("more lines"), "{}", status.message());
}

#[tokio::test]
async fn a_book_travels_by_digest_and_must_be_large_enough() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let spec = SPEC.replace("[event]", "[event]\nopenings = { book = \"two.epd\", distinct = \"event\" }");
    let missing = seasons.apply(apply(&spec)).await.unwrap_err();
    assert!(missing.message().contains("book `two.epd`"), "{}", missing.message());

    let book = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\nrnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n";
    let (one, two) = book.split_at(40);
    let piece = |text: &str| v1::UploadFileRequest { name: "two.epd".to_owned(), content: text.into() };
    let pieces = tokio_stream::iter([piece(one), piece(two)]);
    let uploaded = seasons.upload_file(pieces).await.unwrap().into_inner();
    assert_eq!(uploaded.size_bytes, book.len() as u64);
    assert_eq!(bench.archive.get_file(uploaded.digest.clone()).await.unwrap(), Bytes::from(book));

    let with_book = |spec: &str| v1::ApplyRequest {
        files: vec![v1::SpecFile { name: "two.epd".to_owned(), digest: uploaded.digest.clone() }],
        ..apply(spec)
    };
    let applied = seasons.apply(with_book(&spec)).await.unwrap().into_inner();
    assert!(applied.differences.contains(&format!("book {} 2", uploaded.digest)), "{:?}", applied.differences);

    let small = seasons.apply(with_book(&spec.replace("pairs = 2", "pairs = 3"))).await.unwrap_err();
    assert_eq!(small.code(), Code::InvalidArgument);
    assert!(small.message().contains("has 2 openings, and the event needs 3"), "{}", small.message());
}

#[tokio::test]
async fn a_list_of_engines_travels_with_the_spec() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let spec = "name = \"A v B\"\nengines = \"engines.toml\"\n[event]\nformat = { match = { pairs = 2 } }\n";
    let missing = seasons.apply(apply(spec)).await.unwrap_err();
    assert!(missing.message().contains("it was not sent along"), "{}", missing.message());
    let engines = "[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n";
    let digest = bench.running.handle().put_file(Bytes::from(engines)).await.unwrap();
    let files = vec![v1::SpecFile { name: "engines.toml".to_owned(), digest }];
    let applied = seasons.apply(v1::ApplyRequest { files, ..apply(spec) }).await.unwrap().into_inner();
    assert!(applied.explained.contains("\"B\""), "{}", applied.explained);
    let files = vec![v1::SpecFile { name: "engines.toml".to_owned(), digest: "sha256:12".to_owned() }];
    let status = seasons.apply(v1::ApplyRequest { files, ..apply(spec) }).await.unwrap_err();
    assert!(status.message().contains("expected `sha256:` and 64"), "{}", status.message());
}

#[tokio::test]
async fn a_piece_above_the_limit_is_refused() {
    let bench = Bench::leading().await;
    let mut seasons = SeasonServiceClient::new(bench.channel().await);
    let piece = v1::UploadFileRequest { name: "x".to_owned(), content: vec![0; (1 << 20) + 1] };
    let status = seasons.upload_file(tokio_stream::iter([piece])).await.unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn a_standby_passes_calls_on_once() {
    let leader = Bench::leading().await;
    let standby = Bench::start(Leadership::Standby { leader: Some(leader.url()) }).await;
    let mut fleet = FleetServiceClient::new(standby.channel().await);
    let workers = fleet.list_workers(v1::ListWorkersRequest {}).await.unwrap().into_inner().workers;
    assert_eq!(workers[0].worker, "w1");
    let own = fleet.get_coordinator(v1::GetCoordinatorRequest {}).await.unwrap().into_inner();
    assert_eq!((own.leading, own.leader), (false, leader.url()));

    let mut seasons = SeasonServiceClient::new(standby.channel().await);
    let pause = v1::PauseEventRequest { event: "cap".to_owned(), ..Default::default() };
    assert_eq!(seasons.pause_event(pause).await.unwrap_err().code(), Code::NotFound, "the leader's own word");

    // Each takes the other for the leader: the call goes there and no further.
    leader.store.leadership.send_replace(Leadership::Standby { leader: Some(standby.url()) });
    let status = loop {
        match fleet.list_workers(v1::ListWorkersRequest {}).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(status) => break status,
        }
    };
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains(&standby.url()), "{}", status.message());
}

#[tokio::test]
async fn without_a_leader_operators_are_told_so() {
    let bench = Bench::start(Leadership::Standby { leader: None }).await;
    let mut fleet = FleetServiceClient::new(bench.channel().await);
    let status = fleet.list_workers(v1::ListWorkersRequest {}).await.unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    assert!(status.message().contains("no coordinator leads"), "{}", status.message());
    assert!(matches!(bench.running.handle().ask(Request::Alarms).await, Err(Denied::NotLeader)));
}

async fn get(bench: &Bench, path: &str) -> String {
    let mut stream = tokio::net::TcpStream::connect(bench.running.http_addr.unwrap()).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn health_and_metrics_over_http() {
    let bench = Bench::leading().await;
    assert!(get(&bench, "/healthz").await.starts_with("HTTP/1.1 200"));
    let ready = get(&bench, "/readyz").await;
    assert!(ready.starts_with("HTTP/1.1 200") && ready.contains("alarm: the kettle is on"), "{ready}");
    let text = get(&bench, "/metrics").await;
    for line in
        ["rookery_games_due 5", "rookery_slots_free 3", "rookery_workers 1", "rookery_leader 1", "rookery_alarms 1"]
    {
        assert!(text.lines().any(|l| l == line), "`{line}` is missing in\n{text}");
    }
    let standby = Bench::start(Leadership::Standby { leader: None }).await;
    assert!(get(&standby, "/readyz").await.starts_with("HTTP/1.1 503"));
}

#[tokio::test]
async fn shutdown_is_quick_with_streams_open() {
    let mut bench = Bench::leading().await;
    let mut worker = Worker::attach(bench.channel().await, hello("w1")).await;
    worker.welcomed().await;
    bench.hears("attached w1").await;
    let handle = bench.running.handle();
    let began = Instant::now();
    bench.running.shutdown().await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    worker.ended().await;
    assert!(matches!(handle.ask(Request::Alarms).await, Err(Denied::Unavailable(_))));
}

/// What a person with grpcurl sees. SKIP without it.
#[tokio::test]
async fn grpcurl_lists_and_describes() {
    let bench = Bench::leading().await;
    let address = bench.running.grpc_addr.to_string();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new("grpcurl");
        command.arg("-plaintext").arg(&address).args(args);
        async move { tokio::task::spawn_blocking(move || command.output()).await.unwrap() }
    };
    let Ok(listed) = run(&["list"]).await else {
        eprintln!("SKIP: no grpcurl on the PATH");
        return;
    };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for service in ["rookery.v1.SeasonService", "rookery.v1.WorkerService", "grpc.health.v1.Health"] {
        assert!(listed.lines().any(|line| line == service), "`{service}` is missing in\n{listed}");
    }
    let described = run(&["describe", "rookery.v1.GameService"]).await.unwrap();
    assert!(String::from_utf8_lossy(&described.stdout).contains("rpc ExportGames"));
    let health = run(&["grpc.health.v1.Health/Check"]).await.unwrap();
    assert!(String::from_utf8_lossy(&health.stdout).contains("SERVING"));
    let events = run(&["rookery.v1.SeasonService/ListEvents"]).await.unwrap();
    assert!(String::from_utf8_lossy(&events.stdout).contains("\"event\": \"cup\""));
}
