//! Ladders: stopped half way, written as a state file, and gone on with elsewhere.

use std::{fs, path::Path};

use rookery_tests::{
    etcd::Cluster,
    fleet::Fleet,
    run::{Process, rookery, run, wait_in},
    tools,
};
use rustix::process::Signal;
use serde_json::Value;

use crate::{cluster::done, explain::until};

/// Engines of one program, weaker with each line; who thinks as much as another plays the same game each time.
fn spec(name: &str, event: &str) -> String {
    let engine = |(name, program, nodes, rating): (&str, &str, u32, u32)| {
        format!(
            "[[engine]]\nname = {name:?}\nprogram = {program:?}\nrating = {rating}\ntime-control = \"nodes={nodes}\"\n"
        )
    };
    let engines = [
        ("SF 15000", "stockfish", 15_000, 3000),
        ("E 10000", "ethereal-chess", 10_000, 2900),
        ("SF 150", "stockfish", 150, 2400),
        ("E 2000", "ethereal-chess", 2_000, 2500),
        ("SF 4500", "stockfish", 4_500, 2200),
    ];
    let engines: String = engines.into_iter().map(engine).collect();
    format!(
        "name = {name:?}\n{engines}[event]\nformat = {{ ladder = {{ pairs = 2 }} }}\ntime-control = \"nodes=1000\"\n\
         openings = {{ from = \"own\", order = \"random\" }}\nseed = 11\n{event}\n"
    )
}

fn play(folder: &Path, file: &str, more: &[&str]) -> std::process::Command {
    let mut command = rookery(folder, ["run", file, "--listen", "127.0.0.1:0", "--concurrency", "1"]);
    command.args(more);
    command
}

fn state(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// What a ladder was, its name and the moment it was written aside.
fn climb(mut state: Value) -> Value {
    for key in ["TournamentName", "UpdatedUtc"] {
        state[key] = Value::Null;
    }
    state
}

#[test]
fn a_ladder_stopped_half_way_goes_on_from_its_state_to_the_same_end() {
    if !tools::have(&["stockfish", "ethereal-chess"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("whole.toml"), spec("whole", "")).unwrap();
    fs::write(path.join("half.toml"), spec("half", "")).unwrap();
    fs::write(path.join("rest.toml"), spec("rest", "")).unwrap();

    let ran = run(&mut play(path, "whole.toml", &[])).expect(0);
    let whole = state(&path.join("whole/ladder_state.json"));
    assert_eq!(whole["SurvivingEngines"].as_array().unwrap().len(), 1, "{}", ran.out);
    assert_eq!(whole["Matches"].as_array().unwrap().len(), 4);

    fs::create_dir(path.join("half")).unwrap();
    let process = Process::start(&mut play(path, "half.toml", &[]));
    let file = path.join("half/ladder_state.json");
    wait_in(&path.join("half"), || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        serde_json::from_str::<Value>(&text).is_ok_and(|s| !s["Matches"].as_array().unwrap().is_empty())
    });
    process.signal_group(Signal::INT);
    let code = process.wait(std::time::Duration::from_secs(5)).code;
    assert!(code == 130 || code == 0, "{code}");
    let half = state(&file);
    let played = |state: &Value| -> Vec<Value> {
        state["Matches"].as_array().unwrap().iter().flat_map(|m| m["Games"].as_array().unwrap().clone()).collect()
    };
    assert!(played(&whole).starts_with(&played(&half)));
    assert_eq!(code, 130, "it was over before it could be stopped: {half:#}");
    assert!(played(&half).len() < played(&whole).len());

    // Elsewhere, with another seed: openings go on in the order of the state.
    let state_file = file.to_str().unwrap();
    let dry = run(&mut play(path, "rest.toml", &["--seed", "77", "--ladder-state", state_file, "--dry-run"])).expect(0);
    assert!(dry.err.contains("climb"), "{}", dry.err);
    assert!(!path.join("rest").exists());
    run(&mut play(path, "rest.toml", &["--seed", "77", "--ladder-state", state_file])).expect(0);
    let rest = state(&path.join("rest/ladder_state.json"));
    assert_eq!(climb(rest.clone()), climb(whole));
    // What is imported is on record: the same command finds it, and plays nothing.
    run(&mut play(path, "rest.toml", &["--seed", "77", "--ladder-state", state_file])).expect(0);
    assert_eq!(climb(state(&path.join("rest/ladder_state.json"))), climb(rest));
    // The games of the new event are those that the state did not have.
    let games = fs::read_to_string(path.join("rest/games.pgn")).unwrap().matches("[Event ").count();
    assert_eq!(games + played(&half).len(), played(&state(&path.join("rest/ladder_state.json"))).len());
}

/// On a cluster: written, looked at, gone on with by another leader, begun anew.
#[test]
fn a_ladder_of_a_cluster_is_exported_and_goes_on() {
    let Some(python) = tools::python() else { return };
    let Some(cluster) = Cluster::start(1, &[]).unwrap() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1", "think=10"];
    // Who is lower loses to who is higher: a level match would go on for ever.
    let two = [mover, "seed=2", "think=10", "fault=illegal", "at=20"];
    let three = [mover, "seed=3", "think=10", "fault=illegal", "at=14"];
    let engines = [("one", &*python, &one[..]), ("two", &python, &two), ("three", &python, &three)];
    let mut fleet = Fleet::start(Some(&cluster.url()), 1, &engines);
    let spec = |name: &str| {
        let engine = |(at, name): (usize, &&str)| {
            let program = name.to_lowercase();
            format!("[[engine]]\nname = {name:?}\nprogram = {program:?}\nrating = {}\n", 3000 - at)
        };
        let engines: String = ["One", "Two", "Three"].iter().enumerate().map(engine).collect();
        format!(
            "name = {name:?}\n{engines}[event]\nformat = {{ ladder = {{ pairs = 3 }} }}\ntime-control = \"nodes=10\"\n\
             max-moves = 15\nseed = 1\ncrashes = {{ then = \"continue\" }}\n"
        )
    };
    for name in ["L", "Rest", "New"] {
        fleet.file(&format!("{name}.toml"), &spec(name));
    }
    fleet.operator(&["apply", "L.toml"]).expect(0);
    fleet.worker(1);
    done(&fleet, "L", 3);
    fleet.operator(&["pause", "L", "--now"]).expect(0);
    until(&fleet, "L", |event| event["games_running"].as_u64() == Some(0));
    fleet.operator(&["ladder", "export", "L", "--output", "state.json"]).expect(0);
    let file = fleet.folder.path().join("state.json");
    let half = state(&file);
    let played = |state: &Value| -> Vec<Value> {
        state["Matches"].as_array().unwrap().iter().flat_map(|m| m["Games"].as_array().unwrap().clone()).collect()
    };
    let known = played(&half).len();
    assert!(known >= 3, "{half:#}");

    // Looked at first, and nothing has happened.
    let dry = fleet.operator(&["ladder", "import", "state.json", "Rest.toml", "--dry-run"]).expect(0).out;
    assert!(dry.contains("survives") && dry.contains("climbs") && dry.contains("\nclimb "), "{dry}");
    assert!(dry.contains("Rest: would begin"), "{dry}");
    fleet.operator(&["standings", "Rest"]).expect(1);
    let begun = fleet.operator(&["ladder", "import", "state.json", "Rest.toml", "--paused"]).expect(0).out;
    assert!(begun.contains("climbs") && begun.contains("Rest: began"), "{begun}");
    let again = fleet.operator(&["ladder", "import", "state.json", "Rest.toml"]).expect(1).err;
    assert!(again.contains("Rest"), "{again}");
    // Another leader has it too.
    fleet.coordinators[0].process = None;
    fleet.coordinators[0].start();
    fleet.operator(&["resume", "Rest"]).expect(0);
    fleet.over("Rest");
    fleet.operator(&["ladder", "export", "Rest", "--output", "state.json"]).expect(0);
    let rest = state(&file);
    assert_eq!(rest["SurvivingEngines"].as_array().map(Vec::len), Some(1), "{rest:#}");
    assert!(played(&rest).starts_with(&played(&half)) && played(&rest).len() > known, "{rest:#}");
    let count = fleet.operator(&["export", "Rest"]).expect(0).out.matches("[Event ").count();
    assert_eq!(count + known, played(&rest).len(), "what the state had is not played again");
    // The other ladder's state was kept.
    assert_eq!(state(&fleet.folder.path().join("state.json.bak")), half);
    // The same ladder without a break ends the same.
    fleet.operator(&["resume", "L"]).expect(0);
    fleet.over("L");
    fleet.operator(&["ladder", "export", "L", "--output", "whole.json"]).expect(0);
    assert_eq!(climb(rest), climb(state(&fleet.folder.path().join("whole.json"))));

    let over = fleet.operator(&["ladder", "import", "state.json", "New.toml"]).expect(2).err;
    assert!(over.contains("--start-new begins anew"), "{over}");
    fleet.operator(&["ladder", "import", "state.json", "New.toml", "--start-new", "--dry-run"]).expect(0);
    assert!(file.exists(), "nothing happened");
    let new = fleet.operator(&["ladder", "import", "state.json", "New.toml", "--start-new", "--paused"]).expect(0);
    assert!(new.out.contains("New: began") && new.err.contains("is kept as"), "{} {}", new.out, new.err);
    assert!(!file.exists() && fleet.folder.path().join("state.json.bak.1").exists());
    let fresh: Value = serde_json::from_str(&fleet.operator(&["ladder", "export", "New"]).expect(0).out).unwrap();
    assert!(played(&fresh).is_empty(), "{fresh:#}");
}

#[test]
fn a_state_that_cannot_be_is_named_and_nothing_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("m.toml"), spec("m", "").replace("stockfish", "sh").replace("ethereal-chess", "sh")).unwrap();
    let foreign = r#"{ "TournamentName": "My Ladder", "GamePairsPerMatch": 8,
        "InitialRankings": ["EngineA", "EngineB", "EngineC"], "SurvivingEngines": ["EngineA", "EngineB"],
        "EliminatedEngines": ["EngineC"], "CurrentClimbNumber": 2, "CurrentClimberIndex": 1,
        "Matches": [{ "MatchId": 1, "ClimbNumber": 1, "Challenger": "EngineC", "Defender": "EngineB",
          "ScoreChallenger": 2.5, "ScoreDefender": 5.5, "Winner": "EngineB", "IsDecided": true,
          "Games": [{ "GameNr": 1, "White": "EngineC", "Black": "EngineB", "OpeningId": "42", "Result": "0-1" }] }],
        "NextOpeningIndex": 5, "GlobalOpeningOrder": [3, 0, 7, 1, 5, 2, 6, 4], "UpdatedUtc": "2026-02-18T12:00:00Z" }"#;
    fs::write(path.join("ladder_state.json"), foreign).unwrap();
    let ran = run(&mut play(path, "m.toml", &["--ladder-state", "ladder_state.json"])).expect(2);
    assert!(ran.err.contains("the score is 2.5 - 5.5, its 1 games make 0 - 1"), "{}", ran.err);
    assert!(!path.join("m").exists());
}
