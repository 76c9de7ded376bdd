//! Whole seasons on real engines, from the first event to the last.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command, time::Duration};

use rookery_tests::{
    judge::judge,
    run::{Process, none_left, rookery, run, wait_in},
    tools,
};
use rustix::process::Signal;
use serde_json::Value;

/// A season takes a minute or two on two quiet cores.
const WHOLE: Duration = Duration::from_secs(540);

/// What another program makes of a season's folder.
fn recomputed(python: &Path, folder: &Path) -> Value {
    let answer = Command::new(python).arg(tools::file("src/season.py")).arg(folder).output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(said["errors"], Value::Array(Vec::new()), "{said:#}");
    said
}

/// Sixteen engines through a Swiss, a cup, four leagues, the superfinal and two leagues of Chess960: rosters, tables,
/// promotions and the next season are what python-chess makes of the games.
#[test]
fn a_small_season_on_real_engines() {
    let Some(python) = tools::python() else { return };
    if !tools::have(&["stockfish", "ethereal-chess", "fairy-stockfish"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let example = tools::file("../deploy/examples/season.toml");
    fs::copy(example, folder.path().join("season.toml")).unwrap();
    let command =
        ["run", "season.toml", "--listen", "127.0.0.1:0", "--output", "out", "--concurrency", "2", "--oversubscribe"];
    let played = Process::start(&mut rookery(folder.path(), command)).wait(WHOLE).expect(0);
    for title in ["Swiss", "Cup", "Entrance League", "League 2", "Premier Division", "Superfinal", "FRC Final"] {
        assert!(played.out.contains(title), "{title} in\n{}", played.out);
    }
    let out = folder.path().join("out");
    let said = recomputed(&python, &out);
    let fields = [("swiss", 16), ("cup", 4), ("el", 6), ("l2", 6), ("l1", 5), ("divp", 5), ("sufi", 2), ("frc-a", 3)];
    for (event, field) in fields {
        assert_eq!(said["orders"][event].as_array().map(Vec::len), Some(field), "{event} in {said:#}");
    }
    for (event, games) in [("swiss", 32), ("el", 30), ("l2", 30), ("l1", 20), ("divp", 20), ("frc-a", 6)] {
        let judged = judge(&python, &out.join(format!("{event}.pgn"))).games;
        assert_eq!(judged.len(), games, "{event}");
        let variant = if event == "frc-a" { "fischerandom" } else { "" };
        assert!(judged.iter().all(|game| game.variant == variant), "{event}: {judged:#?}");
    }
    assert!(said["games"]["sufi"].as_u64() >= Some(4), "{said:#}");
    // Run again it plays nothing and says the same.
    let history = fs::read_to_string(out.join("history.md")).unwrap();
    let again = run(&mut rookery(folder.path(), command)).expect(0);
    assert!(again.out.contains("Superfinal"), "{}", again.out);
    assert_eq!(recomputed(&python, &out), said);
    assert_eq!(fs::read_to_string(out.join("history.md")).unwrap(), history);
}

/// Cut off between and in its events, with what must not change beside it.
#[test]
fn a_season_that_is_cut_off_goes_on() {
    let Some(python) = tools::python() else { return };
    let desk = tempfile::tempdir().unwrap();
    let mover = tools::file("engines/mover.py");
    let engine = |name: &str| {
        format!("[[engine]]\nname = {name:?}\nprogram = {python:?}\nargs = [{mover:?}, \"seed=1\", \"think=20\"]\n")
    };
    let program = desk.path().join("engine");
    let script = |note: &str| {
        let text = format!("#!/bin/sh\n# {note}\nexec {python:?} {mover:?} seed=2 think=20\n");
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script("one");
    let event = "time-control = \"nodes=100\"\nmax-moves = 20\ntie-breaks = [\"wins\", \"seeds\"]\n";
    let season = format!(
        "name = \"S\"\n{}{}[[engine]]\nname = \"C\"\nprogram = \"./engine\"\n\
         [events.low]\nstay = [\"A\", \"B\"]\nformat = {{ match = {{ pairs = 1 }} }}\npromote = {{ count = 1, to = \"top\" }}\n\
         {event}[events.top]\nstay = [\"C\"]\nformat = {{ match = {{ pairs = 4 }} }}\n{event}",
        engine("A"),
        engine("B"),
    );
    fs::write(desk.path().join("s.toml"), season).unwrap();
    let out = desk.path().join("out");
    fs::create_dir(&out).unwrap();
    let command = |more: &[&str]| {
        let words = ["run", "s.toml", "--listen", "127.0.0.1:0", "--output", "out", "--concurrency", "1"];
        let mut command = rookery(desk.path(), words);
        command.args(["--seed", if more.contains(&"other seed") { "6" } else { "5" }]);
        command.args(more.iter().filter(|word| **word != "other seed"));
        command
    };
    let process = Process::start(&mut command(&[]));
    wait_in(&out, || out.join("low.pgn").exists());
    process.signal_group(Signal::INT);
    process.wait(Duration::from_secs(5)).expect(130);
    none_left(desk.path(), Duration::from_secs(2));
    let low = fs::read(out.join("low.pgn")).unwrap();
    if out.join("unfinished.pgn").exists() {
        let unfinished = judge(&python, &out.join("unfinished.pgn")).games;
        assert!(!unfinished.is_empty() && unfinished.iter().all(|game| game.result == "*"), "{unfinished:#?}");
    }

    // The event runs: neither its engines change, nor what is written of it.
    script("two");
    let changed = run(&mut command(&[])).expect(2);
    assert!(changed.err.contains("engine `C` is another program"), "{}", changed.err);
    script("one");
    let locked = run(&mut command(&["--set", "events.top.max-moves=30"])).expect(2);
    assert!(locked.err.contains("events that are open do not change: top"), "{}", locked.err);
    let seed = run(&mut command(&["other seed"])).expect(2);
    assert!(seed.err.contains("begun with seed 5"), "{}", seed.err);

    let ended = run(&mut command(&[])).expect(0);
    assert!(ended.out.contains("top"), "{}", ended.out);
    assert_eq!(judge(&python, &out.join("top.pgn")).games.len(), 8);
    assert_eq!(fs::read(out.join("low.pgn")).unwrap(), low, "byte for byte");
    let history = fs::read_to_string(out.join("history.md")).unwrap();
    assert!(history.contains("applied, seed 5"), "{history}");
    let other = run(&mut command(&["--set", "events.top.max-moves=30"])).expect(2);
    assert!(other.err.contains("is over") && other.err.contains("--start-over"), "{}", other.err);
}
