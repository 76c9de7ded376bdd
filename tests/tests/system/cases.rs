//! What users of such programs reported, from outside: cores, memory, engines that are killed.

use std::{collections::BTreeSet, fs, process::Command, time::Duration};

use rookery_tests::{
    run::{Process, binary, none_left, processes_in, run, wait_in},
    tools,
};
use rustix::process::{Pid, Signal, kill_process};

use crate::run::Desk;

/// Process ids of the engines: what runs a mover in the folder's processes.
fn engines(desk: &Desk) -> Vec<i32> {
    let all = processes_in(desk.path(), &[]).unwrap();
    let movers = all.iter().filter(|line| line.contains("mover.py") && !line.contains("launch"));
    movers.filter_map(|line| line.split(' ').next()?.parse().ok()).collect()
}

/// The CPUs of each thread of a process, as the kernel tells; empty where it has gone.
fn cpus(pid: i32) -> BTreeSet<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let status = tasks.filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
    let list = status.filter_map(|text| {
        text.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).map(|list| list.trim().to_owned())
    });
    list.collect()
}

fn allowed() -> Vec<usize> {
    let set = rustix::thread::sched_getaffinity(None).unwrap();
    (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu)).collect()
}

#[test]
fn engines_are_pinned_within_what_is_allowed_and_apart() {
    let Some(desk) = Desk::new() else { return };
    let allowed = allowed();
    if allowed.len() < 2 || !tools::have(&["taskset"]) {
        tools::skip("one CPU, or no taskset");
        return;
    }
    desk.write("m.toml", &desk.spec("\"think=50\"", ""));
    // One CPU is allowed, the last: both engines are there, and never elsewhere.
    let last = allowed[allowed.len() - 1].to_string();
    let pinned = |cpus: &str, concurrency: &str| {
        let mut command = Command::new("taskset");
        command.args(["-c", cpus]).arg(binary()).args(["run", "m.toml", "--listen", "127.0.0.1:0"]);
        command.args(["--concurrency", concurrency]).current_dir(desk.path()).env("PATH", tools::path());
        command
    };
    fs::create_dir(desk.path().join("m")).unwrap();
    let games = || fs::read_to_string(desk.path().join("m/games.pgn")).is_ok_and(|pgn| pgn.contains("[Event"));
    let process = Process::start(&mut pinned(&last, "1"));
    wait_in(&desk.path().join("m"), games);
    let found: Vec<BTreeSet<String>> = engines(&desk).into_iter().map(cpus).filter(|cpus| !cpus.is_empty()).collect();
    assert!(!found.is_empty() && found.iter().all(|cpus| *cpus == BTreeSet::from([last.clone()])), "{found:?}");
    process.signal(Signal::INT);
    process.wait(Duration::from_secs(5)).expect(130);
    // More games than allowed CPUs are refused, however many the machine has.
    let refused = run(&mut pinned(&last, "2")).expect(2);
    assert!(refused.err.contains("--oversubscribe"), "{}", refused.err);
}

#[test]
fn a_schedule_of_two_million_games_is_never_written_out() {
    let Some(desk) = Desk::new() else { return };
    desk.write("m.toml", &desk.spec("", "").replace("pairs = 3", "pairs = 999999"));
    fs::create_dir(desk.path().join("m")).unwrap();
    let process = Process::start(&mut desk.command(&[]));
    let games = || fs::read_to_string(desk.path().join("m/games.pgn")).is_ok_and(|pgn| pgn.contains("[Event"));
    wait_in(&desk.path().join("m"), games);
    let status = fs::read_to_string(format!("/proc/{}/status", process.pid())).unwrap();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim().to_owned();
    let kib: u64 = most.strip_suffix(" kB").unwrap().trim().parse().unwrap();
    assert!(kib < 200 * 1024, "{kib} KiB resident");
    process.signal(Signal::INT);
    process.wait(Duration::from_secs(5)).expect(130);
    desk.write("m.toml", &desk.spec("", "").replace("pairs = 3", "pairs = 10000000"));
    let refused = desk.run(&["--start-over"]).expect(2);
    assert!(refused.err.contains("pairs"), "{}", refused.err);
}

#[test]
fn engines_that_are_killed_lose_their_game_and_no_game_is_missing() {
    const GAMES: usize = 40;
    let Some(desk) = Desk::new() else { return };
    let spec = desk.spec("\"think=30\"", "crashes = { then = \"continue\" }");
    desk.write("m.toml", &spec.replace("pairs = 3", &format!("pairs = {}", GAMES / 2)));
    fs::create_dir(desk.path().join("m")).unwrap();
    let mut command = desk.command(&["--concurrency", "4", "--oversubscribe"]);
    let process = Process::start(&mut command);
    let (folder, mut seen) = (desk.path().join("m"), 0);
    // Each time that the games on record grew, one engine dies.
    for _ in 0..3 {
        wait_in(&folder, || {
            let games = fs::read_to_string(folder.join("games.pgn")).unwrap_or_default().matches("[Event ").count();
            let grew = games > seen;
            seen = seen.max(games);
            grew
        });
        if let Some(pid) = engines(&desk).first().and_then(|&pid| Pid::from_raw(pid)) {
            let _ = kill_process(pid, Signal::KILL); // it may have ended by itself
        }
    }
    let ran = process.wait(rookery_tests::run::PATIENCE).expect(0);
    assert!(ran.out.contains(&format!("{GAMES} of {GAMES} games")), "{}", ran.out);
    let games = desk.judge("games.pgn").games;
    assert_eq!(games.len(), GAMES);
    let names: BTreeSet<&str> = games.iter().map(|game| game.name.as_str()).collect();
    assert_eq!(names.len(), GAMES, "each once");
    let crashed = games.iter().filter(|game| game.termination == "abandoned").count();
    assert!((1..=3).contains(&crashed), "{crashed} of three that were killed lost their games");
    none_left(desk.path(), Duration::from_secs(2));
}

#[test]
fn a_worker_offers_gpus_by_index() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |gpus: &str| {
        let mut command = rookery_tests::run::rookery(folder.path(), ["worker", "plan", "--json", "--gpus", gpus]);
        run(command.env("CUDA_VISIBLE_DEVICES", "3,5"))
    };
    let slots = plan("2").expect(0).json()["slots"].clone();
    assert_eq!(slots.as_array().map(Vec::len), Some(1), "as many slots as GPUs allow: {slots}");
    assert_eq!(slots[0]["gpus"], serde_json::json!(["3", "5"]));
    let refused = plan("3").expect(2);
    assert!(refused.err.contains("3 GPUs") && refused.err.contains('2'), "{}", refused.err);
}

#[test]
fn games_that_rate_nobody_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let game =
        |white: &str, black: &str| format!("[White {white:?}]\n[Black {black:?}]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n");
    let pgn = [("Fox 2", "Fox 1"), ("Fox 2", "Crow 1"), ("Fox 1", "Fox 2")].map(|(white, black)| game(white, black));
    fs::write(folder.path().join("games.pgn"), pgn.concat()).unwrap();
    let rate = |flags: &[&str]| {
        let args = [&["rate", "games.pgn"], flags].concat();
        run(&mut rookery_tests::run::rookery(folder.path(), args)).expect(0)
    };
    assert_eq!(rate(&[]).err, "");
    // Two versions are one player.
    let err = rate(&["--ignore-versions"]).err;
    assert!(err.contains("2 games of players against themselves are not counted"), "{err}");
}
