//! What must hold afterwards, from what lies in etcd and in the archive's files: no program of ours is asked, but for
//! the score table and the PGN, which are then compared with both.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::FileExt,
    path::Path,
};

use etcd_client::{Client, GetOptions};
use rookery_tests::{
    judge::judge,
    run::{rookery, run},
};
use serde_json::Value;

use crate::{events::Event, faults::Log, rig::Rig};

const ROOT: &str = "/rookery/v1/";
/// Endings that blame an engine; all of ours are honest.
const BLAMED: [&str; 5] = ["crash", "stall", "time-loss", "illegal-move", "ruling"];

/// All keys of the store. Members that were at fault a moment ago may still vote for a leader: it is asked again.
fn store(rig: &Rig) -> BTreeMap<String, Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let read = async || {
        let mut client = Client::connect(rig.members(), None).await?;
        client.get(ROOT, Some(GetOptions::new().with_prefix())).await
    };
    rig.until("the store answers", |_| {
        let all = runtime.block_on(read()).ok()?;
        let all = all
            .kvs()
            .iter()
            .map(|kv| {
                let value = serde_json::from_slice(kv.value()).unwrap_or(Value::Null);
                (kv.key_str().unwrap().to_owned(), value)
            })
            .collect();
        Some(all)
    })
}

/// A worker that plays a game of which moves are stored, so that it goes on elsewhere: of an event in whose name
/// `restart` stands.
pub(crate) fn playing(rig: &Rig) -> Option<String> {
    let store = store(rig);
    let named = |uid: &str| {
        store
            .get(&format!("{ROOT}events/{uid}/meta"))
            .is_some_and(|meta| meta["name"].as_str().is_some_and(|name| name.starts_with("restart")))
    };
    store.keys().find_map(|key| {
        let (uid, rest) = key.strip_prefix(&format!("{ROOT}live/"))?.split_once('/')?;
        let (game, _) = rest.rsplit_once('/').filter(|(_, last)| *last != "lease")?;
        let (pair, _) = game.rsplit_once('/')?;
        let results = format!("{ROOT}events/{uid}/results/{game}/");
        let over = store.keys().any(|key| key.starts_with(&results));
        let worker = store.get(&format!("{ROOT}live/{uid}/{pair}/lease"))?["worker"].as_str()?;
        (named(uid) && !over && !worker.is_empty()).then(|| worker.to_owned())
    })
}

/// One event that is over; how often games of it went on after an interruption.
pub(crate) fn event(rig: &Rig, event: &Event, python: &Path) -> u64 {
    let store = store(rig);
    let uid = store
        .iter()
        .find(|(key, value)| key.ends_with("/meta") && value["name"] == *event.name)
        .map(|(key, _)| key.split('/').nth(4).unwrap().to_owned())
        .unwrap();
    let of = |kind: &str| {
        let prefix = format!("{ROOT}{kind}");
        store.iter().filter_map(move |(key, value)| Some((key.strip_prefix(&prefix)?, value)))
    };

    let left: Vec<_> = of(&format!("live/{uid}/")).collect();
    assert!(left.is_empty(), "{}: leases and checkpoints are left: {left:#?}", event.name);
    let facts: Vec<_> = of(&format!("events/{uid}/log/")).map(|(_, fact)| fact.to_string()).collect();
    // Three machines that were lost with one pair are a question to a person, who says yes; no engine is one.
    let lost = |fact: &str| fact.contains("fell silent") || fact.contains("does not have it any more");
    let aside = facts.iter().find(|fact| fact.contains("set-aside") && !lost(fact));
    assert!(aside.is_none(), "{}: set aside: {aside:?}", event.name);

    // Each due game once: a game's key is its pair, its number there and its take.
    let results: BTreeMap<_, _> = of(&format!("events/{uid}/results/")).collect();
    let games: BTreeSet<_> = results.keys().map(|name| name.rsplit_once('/').unwrap().0).collect();
    assert_eq!((results.len(), games.len()), (event.games, event.games), "{}: each due game once", event.name);

    let mut restarts = 0;
    for (name, result) in &results {
        let record = record(rig, &result["at"]);
        assert_eq!(record["event"], *event.name, "{name}");
        assert_eq!(record["name"], **name, "{name}: the record is of another game");
        let outcome = &record["outcome"];
        assert_eq!((&outcome["result"], &outcome["ending"]), (&result["r"], &result["e"]), "{name}");
        assert_eq!(record["plies"].as_array().unwrap().len() as u64, result["p"].as_u64().unwrap(), "{name}");
        let ending = outcome["ending"].as_str().unwrap();
        assert!(!BLAMED.contains(&ending) && outcome["fault"].is_null(), "{name}: an engine is blamed: {outcome}");
        restarts += record["restarts"].as_u64().unwrap_or_default();
        clocks(event, name, &record);
    }
    println!("{}: {} games, {restarts} restarts", event.name, results.len());

    // The moves lead to the result: by another program's rules.
    let pgn = rig.folder.path().join(format!("{}.pgn", event.name));
    rig.operator(&["export", &event.name, "-o", pgn.to_str().unwrap()]).expect(0);
    let judged = judge(python, &pgn);
    let replayed: BTreeMap<_, _> = judged.games.iter().map(|game| (&*game.name, &*game.result)).collect();
    let stored: BTreeMap<_, _> = results.iter().map(|(name, result)| (*name, as_pgn(&result["r"]))).collect();
    assert_eq!(replayed, stored, "{}", event.name);
    assert_eq!(judged.games.len(), event.games, "{}", event.name);

    let standings = rig.json(&["standings", &event.name]);
    for line in standings["standings"].as_array().unwrap() {
        #[allow(clippy::cast_precision_loss, reason = "halves of small numbers")]
        let points = judged.half_points[line["engine"].as_str().unwrap()] as f64 / 2.0;
        assert!((line["points"].as_f64().unwrap() - points).abs() < 0.01, "{}: {line}, not {points}", event.name);
    }
    restarts
}

/// What the faults left in the archive is enough to build the store anew: each event with each of its games.
pub(crate) fn built_anew(rig: &Rig, events: &[Event], seed: u64, log: &mut Log) {
    let store = format!("embedded:anew-{seed}.redb");
    let args = ["recover", "--archive", "archive", "--store", &store, "--json"];
    let report = run(&mut rookery(rig.folder.path(), args)).expect(0).json();
    for line in ["decided", "missing"].iter().flat_map(|what| report[what].as_array().unwrap()) {
        log.say(&format!("recover: {line}"));
    }
    for event in events {
        let built = report["events"].as_array().unwrap().iter().find(|built| built["name"] == *event.name);
        assert_eq!(
            built.and_then(|built| built["games"].as_u64()),
            Some(event.games as u64),
            "{}: {report}",
            event.name
        );
    }
}

/// A result of the store as a PGN has it.
fn as_pgn(result: &Value) -> &'static str {
    match result.as_str() {
        Some("first-wins") => "1-0",
        Some("second-wins") => "0-1",
        Some("draw") => "1/2-1/2",
        _ => panic!("no result: {result}"),
    }
}

/// The bytes that a result points to.
fn record(rig: &Rig, at: &Value) -> Value {
    let (offset, length) = (at["o"].as_u64().unwrap(), at["l"].as_u64().unwrap());
    let segment = format!("archive/segments/{}.jsonl", at["s"].as_str().unwrap());
    let file = fs::File::open(rig.folder.path().join(segment)).unwrap();
    let mut bytes = vec![0; usize::try_from(length).unwrap()];
    file.read_exact_at(&mut bytes, offset).unwrap();
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{at}: {error}"))
}

/// A side's clock after a move is what it was, less what was charged, and the increment; after an interruption it may
/// have been given more, never less.
fn clocks(event: &Event, name: &str, record: &Value) {
    let mut clocks = [event.base_ns; 2];
    let plies = record["plies"].as_array().unwrap();
    for (n, ply) in plies.iter().enumerate().filter(|(_, ply)| ply["book"] != true) {
        let side = n % 2;
        let taken = ply["t"].as_u64().unwrap_or_default();
        let now = ply["c"].as_u64().unwrap_or_else(|| panic!("{name}: ply {n} has no clock: {ply}"));
        let least = (clocks[side] + event.increment_ns).saturating_sub(taken);
        assert!(now >= least, "{name}: ply {n}: a clock of {now} ns, not {least}: {record}");
        let gone_on = record["restarts"].as_u64().unwrap_or_default() > 0;
        assert!(gone_on || now == least, "{name}: ply {n}: a clock of {now} ns, not {least}: {record}");
        clocks[side] = now;
    }
}
