//! Chinese checkers from end to end: the engine that comes with Rookery against itself, on a schedule.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    time::Duration,
};

use rookery_game::Seat;
use rookery_tests::{
    fleet::Fleet,
    run::{binary, rookery, run},
};
use rustix::process::Signal;
use serde_json::Value;

use crate::cluster::done;

/// Two settings of the engine; `program` as a spec names it.
fn spec(name: &str, program: &str, args: &str, pairs: usize) -> String {
    let engine = |name: &str, options: &str| {
        format!(
            "[[engine]]\nname = {name:?}\nprogram = {program:?}\n{args}options = {{ {options} }}\nseed-option = \"Seed\"\n"
        )
    };
    let (a, b) = (engine("Deep", "Depth = 2, Noise = 20"), engine("Flat", "Depth = 1, Noise = 4"));
    format!(
        "name = {name:?}\n{a}{b}[event]\ngame = \"chinese-checkers\"\nmax-plies = 160\n\
         format = {{ match = {{ pairs = {pairs} }} }}\ntime-control = \"nodes=400\"\nresources = \"fixed-simulations\"\n\
         openings = {{ schedule = \"rows.jsonl\" }}\ninterruption = \"restart\"\nseed = 3\n\
         ratings = {{ anchor = \"Flat\", rating = 0 }}\n\
         predictions = {{ from = 1, to = 200, mandatory = false }}\ntie-breaks = [\"prediction\"]\n"
    )
}

/// The games of a log: their starts, numbers of moves and ends.
struct Logged {
    start: Value,
    moves: usize,
    end: Value,
}

fn logged(text: &str) -> Vec<Logged> {
    let mut games: Vec<Logged> = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        match line["type"].as_str().unwrap() {
            "ccp_game_start" => games.push(Logged { start: line, moves: 0, end: Value::Null }),
            "ccp_move" => games.last_mut().unwrap().moves += 1,
            _ => games.last_mut().unwrap().end = line,
        }
    }
    games
}

/// Each row twice, with the engines exchanged, and every game whole.
fn check(games: &[Logged], rows: usize) {
    let mut by_row: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for game in games {
        let row = game.start["position_id"].as_str().unwrap();
        assert!(by_row.entry(row).or_default().insert(game.start["p0"].as_str().unwrap()), "{row}");
        let plies = game.end["plies"].as_u64().unwrap();
        assert_eq!(plies, game.start["initial_ply"].as_u64().unwrap() + game.moves as u64, "{row}");
        assert!(plies <= 160 && game.end["reason"] != "illegal_move", "{}", game.end);
    }
    assert_eq!((by_row.len(), games.len()), (rows, 2 * rows));
    assert!(by_row.values().all(|seats| seats.len() == 2));
}

#[test]
fn a_schedule_is_made_played_and_replayed_on_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let command = |args: &[&str]| run(&mut rookery(folder.path(), args));
    command(&["schedule", "make", "--rows", "4", "--suite", "own", "--output", "rows.jsonl"]).expect(0);
    let checked = command(&["schedule", "check", "rows.jsonl", "--json"]).expect(0).json();
    assert_eq!((&checked["rows"], &checked["games"]), (&4.into(), &8.into()));
    let program = binary().display().to_string();
    fs::write(folder.path().join("m.toml"), spec("m", &program, "args = [\"ccp-engine\"]\n", 4)).unwrap();
    let ran = command(&["run", "m.toml", "--listen", "127.0.0.1:0", "--concurrency", "2"]).expect(0);
    assert!(ran.out.contains("8 of 8 games"), "{}", ran.out);
    let text = fs::read_to_string(folder.path().join("m/games.jsonl")).unwrap();
    check(&logged(&text), 4);
    let replayed = command(&["replay", "m/games.jsonl"]).expect(0).out;
    assert!(replayed.contains("8 games, 0 would have ended differently, 0 do not replay"), "{replayed}");
    // One ply less, and every game that ran to the end of its plies ends there.
    let shorter = command(&["replay", "m/games.jsonl", "--rules", "strict-v1", "--max-plies", "20"]).expect(0).out;
    assert!(shorter.contains("8 would have ended differently"), "{shorter}");
    // More pairs than rows would play some rows more often than others.
    fs::write(folder.path().join("m.toml"), spec("n", &program, "args = [\"ccp-engine\"]\n", 5)).unwrap();
    let refused = command(&["run", "m.toml", "--listen", "127.0.0.1:0"]).expect(2);
    assert!(refused.err.contains("has 4 openings, and the event needs 5"), "{}", refused.err);
    let engine = command(&["engine", "check", "--protocol", "ccp", &program, "ccp-engine"]).expect(0);
    assert!(engine.out.contains("Rookery CCP"), "{}", engine.out);
}

/// The list of the event: by its anchor, and of two engines what their score says.
fn rated(fleet: &Fleet, standings: &Value) {
    let list = fleet.json(&["ratings", "Rows"]);
    assert_eq!(
        (&list["model"], &list["errors"], &list["games"]),
        (&"bradley-terry".into(), &"pairs".into(), &32.into())
    );
    let row =
        |name: &str| list["ratings"].as_array().unwrap().iter().find(|row| row["engine"] == name).unwrap().clone();
    let (deep, flat) = (row("Deep"), row("Flat"));
    assert_eq!((&flat["elo"], &flat["mark"], &flat["elo_error"]), (&0.0.into(), &"anchor".into(), &Value::Null));
    let share = deep["points"].as_f64().unwrap() / 32.0;
    let elo = deep["elo"].as_f64().unwrap();
    assert!((elo - 400.0 * (share / (1.0 - share)).log10()).abs() < 1e-6, "{list}");
    assert!(deep["elo_error"].as_f64().unwrap() > 0.0, "{list}");
    let line = standings["standings"].as_array().unwrap().iter().find(|line| line["engine"] == "Deep").unwrap();
    assert_eq!((&line["rating"], &line["rating_error"]), (&deep["elo"], &deep["elo_error"]));
    let text = fleet.operator(&["ratings", "Rows"]).expect(0).out;
    assert!(text.contains("anchor Flat = 0.0") && text.contains("from pairs") && text.contains("no human"), "{text}");
    let csv = fleet.operator(&["ratings", "Rows", "--csv"]).expect(0).out;
    assert!(csv.starts_with("rank,name,elo,error,games,") && csv.contains("\"Flat\",0.00,,32,"), "{csv}");
    // Another anchor, another model, by who asks.
    let asked = fleet.json(&["ratings", "Rows", "--anchor", "Deep=1500"]);
    let of = |name: &str| {
        asked["ratings"].as_array().unwrap().iter().find(|row| row["engine"] == name).unwrap()["elo"].as_f64()
    };
    assert!((of("Deep").unwrap() - of("Flat").unwrap() - elo).abs() < 1e-6 && of("Deep") == Some(1500.0), "{asked}");
    assert_eq!(fleet.json(&["ratings", "Rows", "--model", "ordo"])["model"], "ordo");
    fleet.operator(&["ratings", "Rows", "--anchor", "Deep"]).expect(2);
}

/// The Prediction Criterion: strings were given and played by the table, and what the records say is what the table shows.
fn predicted(records: &str, standings: &Value) {
    let (mut won, mut auto, mut missed) = (BTreeMap::<String, u64>::new(), 0, 0);
    for line in records.lines() {
        let record: rookery_game::GameRecord = serde_json::from_str(line).unwrap();
        record.replay().unwrap();
        let tally = rookery_game::prediction::count(&record.setup, &record.plies).unwrap();
        let hits = |by: Seat| {
            let other = |(at, ply): (usize, &rookery_game::Ply)| {
                let mover = if at % 2 == 0 { Seat::First } else { Seat::Second };
                u32::from(mover != by && ply.foreseen == Some(true))
            };
            // All rows of the schedule have player 0 to move.
            record.plies.iter().enumerate().map(other).sum::<u32>()
        };
        assert_eq!(tally.points, Seat::BOTH.map(hits), "{}", record.name);
        *won.entry(record.setup.side(tally.winner()).engine.name.clone()).or_default() += 1;
        auto += record.plies.iter().filter(|ply| ply.auto).count();
        missed += record.plies.iter().filter(|ply| !ply.conditional.is_empty() && !ply.auto).count();
        assert!(record.plies.iter().filter(|ply| ply.auto).all(|ply| ply.time_ns == 0));
    }
    assert!(auto > 32 && missed > 32, "{auto} {missed}");
    for line in standings["standings"].as_array().unwrap() {
        let name = line["engine"].as_str().unwrap();
        assert_eq!(line["tie_breaks"][0], won.get(name).copied().unwrap_or(0).to_string(), "{name}: {standings}");
    }
}

#[test]
fn sixteen_rows_over_two_workers_of_which_one_is_killed() {
    let program = binary();
    let mut fleet = Fleet::start(None, 1, &[("checkers", &program, &["ccp-engine"])]);
    let folder = fleet.folder.path().to_owned();
    run(&mut rookery(&folder, ["schedule", "make", "--rows", "16", "--seed", "9", "-o", "rows.jsonl"])).expect(0);
    let spec = fleet.file("m.toml", &spec("Rows", "checkers", "", 16));
    fleet.worker(1);
    fleet.worker(1);
    fleet.operator(&["apply", spec.to_str().unwrap()]).expect(0);
    done(&fleet, "Rows", 3);
    let worker = fleet.workers.remove(0);
    worker.signal(Signal::KILL);
    worker.wait(Duration::from_secs(20)).expect(-9);
    fleet.over("Rows");

    let export = |format: &str| fleet.operator(&["export", "Rows", "--format", format]).expect(0).out;
    let text = export("ccp-log");
    check(&logged(&text), 16);
    fleet.file("all.jsonl", &text);
    let replayed = run(&mut rookery(&folder, ["replay", "all.jsonl"])).expect(0).out;
    assert!(replayed.contains("32 games, 0 would have ended differently, 0 do not replay, 0 identical"), "{replayed}");
    // A seed of its own for each game.
    let seeds: BTreeSet<String> = export("jsonl")
        .lines()
        .map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let options = record["engines"][0]["options"].as_array().unwrap().clone();
            options.iter().find(|option| option[0] == "Seed").unwrap()[1].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(seeds.len(), 32);
    let standings = fleet.json(&["standings", "Rows"]);
    let points: f64 =
        standings["standings"].as_array().unwrap().iter().map(|line| line["points"].as_f64().unwrap()).sum();
    assert!((points - 32.0).abs() < 1e-9, "{standings}");
    rated(&fleet, &standings);
    predicted(&export("jsonl"), &standings);
}
