//! Workers that play by replying, over the real gRPC stack: how much one coordinator takes.
//!
//! `fleet_load --coordinator http://127.0.0.1:7700 --pid PID --workers 100 --slots 2 --games 20000 --plies 80 --think-ms 0`
//! applies a match of so many games, attaches the workers, answers each order with a finished game after half to three
//! halves of the thinking time, and prints one line of JSON: results recorded per second, the time from `Finished` to
//! `Recorded`, the coordinator's CPU and memory.
//! `tests/bench/README.md` has what was found.

use std::{
    collections::{BTreeMap, VecDeque},
    error::Error,
    process::exit,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rookery_proto::v1::{
    self, AttemptPhase, attach_request, attach_response::Message, season_service_client::SeasonServiceClient,
    worker_service_client::WorkerServiceClient,
};
use tokio::sync::{Notify, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};

/// Streams on one connection: fewer than an HTTP/2 server takes at once.
const STREAMS: usize = 50;
/// The kernel's unit of CPU time in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;
/// A game that no engine needs to play: the null engine's.
const MOVES: &str = include_str!("../../bench/long_game.uci");

type Failed = Box<dyn Error + Send + Sync>;

struct Options {
    coordinator: String,
    pid: u32,
    workers: usize,
    slots: u32,
    games: u64,
    plies: usize,
    think_ms: u64,
    name: String,
}

fn options() -> Result<Options, Failed> {
    let mut options = Options {
        coordinator: "http://127.0.0.1:7700".to_owned(),
        pid: 0,
        workers: 100,
        slots: 2,
        games: 20_000,
        plies: 80,
        think_ms: 0,
        name: "load".to_owned(),
    };
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} wants a value"))?;
        match name.as_str() {
            "--coordinator" => options.coordinator = value,
            "--pid" => options.pid = value.parse()?,
            "--workers" => options.workers = value.parse()?,
            "--slots" => options.slots = value.parse()?,
            "--games" => options.games = value.parse()?,
            "--plies" => options.plies = value.parse()?,
            "--think-ms" => options.think_ms = value.parse()?,
            "--name" => options.name = value,
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(options)
}

/// What all workers share.
struct Shared {
    options: Options,
    moves: Vec<String>,
    took_us: Mutex<Vec<u32>>,
    recorded: AtomicU64,
    discarded: AtomicU64,
    attached: AtomicU64,
    done: Notify,
}

#[tokio::main]
async fn main() {
    if let Err(error) = run().await {
        eprintln!("{error}");
        exit(1);
    }
}

async fn run() -> Result<(), Failed> {
    let options = options()?;
    let moves = MOVES.split_whitespace().take(options.plies).map(str::to_owned).collect();
    let shared = Arc::new(Shared {
        options,
        moves,
        took_us: Mutex::default(),
        recorded: AtomicU64::new(0),
        discarded: AtomicU64::new(0),
        attached: AtomicU64::new(0),
        done: Notify::new(),
    });
    let options = &shared.options;
    let endpoint = Endpoint::from_shared(options.coordinator.clone())?;
    let idle = usage(options.pid);
    let mut channels = Vec::new();
    for _ in 0..options.workers.div_ceil(STREAMS) {
        channels.push(endpoint.connect().await?);
    }
    for number in 0..options.workers {
        let (shared, channel) = (Arc::clone(&shared), channels[number / STREAMS].clone());
        tokio::spawn(async move {
            if let Err(error) = worker(&shared, number, channel).await {
                eprintln!("worker {number}: {error}");
                exit(1);
            }
        });
    }
    let mut attached = 0;
    while attached < options.workers as u64 {
        shared.done.notified().await;
        attached = shared.attached.load(Ordering::Acquire);
    }
    let before = usage(options.pid);
    apply(options, channels[0].clone()).await?;
    let began = Instant::now();
    while shared.recorded.load(Ordering::Acquire) < options.games {
        shared.done.notified().await;
    }
    let seconds = began.elapsed().as_secs_f64();
    let after = usage(options.pid);
    let mut took = std::mem::take(&mut *shared.took_us.lock().unwrap_or_else(PoisonError::into_inner));
    took.sort_unstable();
    let at = |share: f64| took.get((took.len() as f64 * share) as usize).copied().unwrap_or(0);
    println!(
        "{}",
        serde_json::json!({
            "workers": options.workers,
            "slots": options.slots,
            "games": options.games,
            "plies": options.plies,
            "think_ms": options.think_ms,
            "seconds": seconds,
            "games_per_second": options.games as f64 / seconds,
            "finished_to_recorded_ms": { "median": f64::from(at(0.5)) / 1e3, "p99": f64::from(at(0.99)) / 1e3 },
            "coordinator_cpu_ms_per_1000_games": (after.0 - before.0) * 1e6 / options.games as f64,
            "coordinator_mb": { "before": idle.1, "attached": before.1, "after": after.1 },
            "discarded": shared.discarded.load(Ordering::Acquire),
        })
    );
    Ok(())
}

/// CPU seconds and megabytes of a process; zero where it is not named.
fn usage(pid: u32) -> (f64, f64) {
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let stat = read("stat");
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    let status = read("status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = resident.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    ((ticks(11) + ticks(12)) / TICKS_PER_SECOND, kib.unwrap_or(0.0) / 1024.0)
}

async fn apply(options: &Options, channel: Channel) -> Result<(), Failed> {
    let spec = format!(
        "name = \"{}\"\n[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n\
         [event]\nformat = {{ match = {{ pairs = {} }} }}\ntime-control = \"10+0.1\"\n\
         slot = {{ cores = 1, memory = \"1 GiB\" }}\nopenings = \"start-position\"\n",
        options.name,
        options.games / 2
    );
    let change = v1::Change {
        by: "fleet_load".to_owned(),
        reason: "a measurement".to_owned(),
        request_id: format!("load-{}", std::process::id()),
    };
    let request = v1::ApplyRequest {
        spec,
        file_name: "load.toml".to_owned(),
        change: Some(change),
        ..v1::ApplyRequest::default()
    };
    SeasonServiceClient::new(channel).apply(request).await?;
    Ok(())
}

/// A game in hand, with when it was told as finished.
type InHand = BTreeMap<(i64, String, u32), (v1::GameId, Option<Instant>)>;

fn order_id(order: &v1::GameOrder) -> v1::GameId {
    order.id.clone().unwrap_or_default()
}

/// Half to three halves of the thinking time, by the game.
fn think(options: &Options, game: u64) -> Duration {
    let share = game.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    Duration::from_micros(options.think_ms * (512 + share) * 1000 / 1024)
}

async fn worker(shared: &Shared, number: usize, channel: Channel) -> Result<(), Failed> {
    let (say, said) = mpsc::channel(64);
    let tell = |message| {
        let say = say.clone();
        async move { say.send(v1::AttachRequest { message: Some(message) }).await }
    };
    tell(attach_request::Message::Hello(hello(&shared.options, number))).await?;
    let mut hear = WorkerServiceClient::new(channel).attach(ReceiverStream::new(said)).await?.into_inner();
    let mut beats = tokio::time::interval(Duration::from_secs(2));
    let mut last_order = 0;
    let mut in_hand = InHand::new();
    let mut waiting = VecDeque::new();
    let mut playing = BTreeMap::new();
    let mut games = number as u64;
    loop {
        while playing.len() < shared.options.slots as usize
            && let Some(game) = waiting.pop_front()
        {
            games += 1;
            playing.insert((Instant::now() + think(&shared.options, games), games), game);
        }
        let next = playing.first_key_value().map(|((at, _), _)| *at);
        let message = tokio::select! {
            message = hear.message() => message?.ok_or("the stream ended")?,
            () = async { tokio::time::sleep_until(next.unwrap_or_else(Instant::now).into()).await }, if next.is_some() => {
                if let Some((_, (attempt, order))) = playing.pop_first() {
                    let id: v1::GameId = order_id(&order);
                    if let Some(state) = in_hand.get_mut(&(attempt, id.pair, id.game)) {
                        state.1 = Some(Instant::now());
                    }
                    tell(attach_request::Message::Finished(finished(shared, number, attempt, &order))).await?;
                }
                continue;
            }
            _ = beats.tick() => {
                if last_order > 0 || !in_hand.is_empty() {
                    tell(beat(&shared.options, last_order, &in_hand)).await?;
                }
                continue;
            }
        };
        last_order = last_order.max(message.order);
        match message.message {
            Some(Message::Welcome(_)) => {
                shared.attached.fetch_add(1, Ordering::AcqRel);
                shared.done.notify_one();
                tell(beat(&shared.options, 0, &in_hand)).await?;
            }
            Some(Message::Play(play)) => {
                for order in play.games {
                    let id = order_id(&order);
                    in_hand.insert((play.attempt, id.pair.clone(), id.game), (id, None));
                    waiting.push_back((play.attempt, order));
                }
            }
            Some(Message::Recorded(recorded)) => {
                let Some(id) = recorded.game else { continue };
                if let Some((_, Some(since))) = in_hand.remove(&(recorded.attempt, id.pair, id.game)) {
                    let took = u32::try_from(since.elapsed().as_micros()).unwrap_or(u32::MAX);
                    shared.took_us.lock().unwrap_or_else(PoisonError::into_inner).push(took);
                    let recorded = shared.recorded.fetch_add(1, Ordering::AcqRel) + 1;
                    if recorded >= shared.options.games {
                        shared.done.notify_one();
                    }
                }
            }
            Some(Message::Discarded(discarded)) => {
                shared.discarded.fetch_add(1, Ordering::AcqRel);
                in_hand.retain(|(attempt, ..), _| *attempt != discarded.attempt);
            }
            Some(Message::Rejected(rejected)) => return Err(rejected.detail.into()),
            _ => {}
        }
    }
}

fn hello(options: &Options, number: usize) -> v1::Hello {
    let entry = |name: &str| v1::CatalogueEntry { name: name.to_owned(), digest: format!("sha256:{name}") };
    v1::Hello {
        worker: format!("load-{number}"),
        boot: format!("{}", std::process::id()),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        slots: vec![v1::SlotClass { count: options.slots, cores: 1, memory_bytes: 4 << 30, gpus: 0 }],
        memory_bytes: u64::from(options.slots) * (4 << 30),
        protocols: vec!["uci".to_owned()],
        engines: vec![entry("a"), entry("b")],
        calibration: 1.0,
        ..v1::Hello::default()
    }
}

fn beat(options: &Options, last_order: u64, in_hand: &InHand) -> attach_request::Message {
    let state = |((attempt, ..), (id, told)): (&(i64, String, u32), &(v1::GameId, Option<Instant>))| v1::AttemptState {
        attempt: *attempt,
        game: Some(id.clone()),
        ply: 0,
        phase: if told.is_some() { AttemptPhase::Outbox } else { AttemptPhase::Playing }.into(),
    };
    let attempts = in_hand.iter().map(state).collect();
    attach_request::Message::Beat(v1::Beat { free: vec![options.slots], last_order, attempts, ..v1::Beat::default() })
}

/// The game as it would come from a table: scores, times and clocks at each ply; the side to move resigns.
fn finished(shared: &Shared, number: usize, attempt: i64, order: &v1::GameOrder) -> v1::Finished {
    let ply = |(at, mv): (usize, &String)| v1::Ply {
        r#move: mv.clone(),
        depth: 20 + at as u32 % 7,
        nodes: 1_000_000 + at as u64,
        time_ns: 120_000_000,
        clock_ns: Some(10_000_000_000 - at as u64 * 1_000_000),
        pv: "e2e4 e7e5 g1f3 b8c6".to_owned(),
        ..v1::Ply::default()
    };
    let result =
        if shared.moves.len().is_multiple_of(2) { v1::GameResult::SecondWins } else { v1::GameResult::FirstWins };
    let record = v1::GameRecord {
        id: order.id.clone(),
        event: shared.options.name.clone(),
        setup: order.setup.clone(),
        plies: shared.moves.iter().enumerate().map(ply).collect(),
        outcome: Some(v1::Outcome {
            result: result.into(),
            ending: v1::Ending::Resignation.into(),
            ..v1::Outcome::default()
        }),
        started_unix_ms: 1_700_000_000_000,
        ended_unix_ms: 1_700_000_010_000,
        worker: format!("load-{number}"),
        attempt,
        ..v1::GameRecord::default()
    };
    v1::Finished { attempt, record: Some(record) }
}
