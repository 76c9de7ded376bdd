//! Ladders: stopped half way, written as a state file, and gone on with elsewhere.

use std::{fs, path::Path};

use rookery_tests::{
    run::{Process, rookery, run, wait_in},
    tools,
};
use rustix::process::Signal;
use serde_json::Value;

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
