//! Coordinators that come and go over a cluster of etcd, workers that play on meanwhile.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    process::Command,
    time::Duration,
};

use rookery_tests::{
    etcd::Cluster,
    fleet::{Fleet, engines},
    judge::judge,
    run::{none_left, processes_in, rookery, run},
    tools,
};
use rustix::process::Signal;

const NAMES: [&str; 5] = ["Stockfish", "Ethereal", "Glaurung", "Toga", "Broken"];
const PROGRAMS: [&str; 5] = ["stockfish", "ethereal", "glaurung", "toga", "broken"];

/// Depth, as not all four heed `nodes`.
fn spec(name: &str, entrants: usize, pairs: usize, depth: u32) -> String {
    let mut spec = format!("name = {name:?}\n");
    for (name, program) in NAMES.iter().zip(PROGRAMS).rev().take(entrants) {
        write!(spec, "[[engine]]\nname = {name:?}\nprogram = {program:?}\n").unwrap();
    }
    spec + &format!(
        "[event]\nformat = {{ round-robin = {{ pairs = {pairs} }} }}\ntime-control = \"depth={depth}\"\n\
         seed = 7\ncrashes = {{ then = \"continue\" }}\nmax-moves = 40\n"
    )
}

/// An engine that crashes in a half of the openings besides Debian's four.
fn fleet(cluster: &Cluster, coordinators: usize, slots: &[usize], python: &std::path::Path) -> Option<Fleet> {
    let engines = engines()?;
    let mover = tools::file("engines/mover.py");
    let broken = [mover.to_str()?, "fault=crash", "in=2", "at=14"];
    let mut all: Vec<(&str, &std::path::Path, &[&str])> =
        engines.iter().map(|(name, program)| (*name, program.as_path(), [].as_slice())).collect();
    all.push(("broken", python, &broken));
    let mut fleet = Fleet::start(Some(&cluster.url()), coordinators, &all);
    slots.iter().for_each(|&slots| fleet.worker(slots));
    Some(fleet)
}

/// Waits until that many games are done, by the event's own stream.
pub(crate) fn done(fleet: &Fleet, event: &str, games: u64) {
    let mut command = fleet.command(&["watch", event, "--json"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let out = std::io::BufReader::new(child.stdout.take().unwrap());
    let said: Vec<String> = std::io::BufRead::lines(out)
        .map_while(Result::ok)
        .take_while(|line| {
            let summary: serde_json::Value = serde_json::from_str(line).unwrap();
            summary["games_done"].as_u64().unwrap() < games
        })
        .collect();
    let _ = child.kill(); // ended by itself with the event
    child.wait().unwrap();
    assert!(said.len() < 10_000);
}

/// Each due game once, each replayed, and the table of the coordinator that of the games.
fn check(fleet: &Fleet, event: &str, python: &std::path::Path, games: usize) {
    let listed = fleet.json(&["games", event]);
    let listed = listed.as_array().unwrap();
    assert!(listed.iter().all(|game| game["phase"] == "finished"), "{listed:#?}");
    let names: BTreeSet<_> = listed.iter().map(|game| game["game"].as_str().unwrap()).collect();
    assert_eq!((names.len(), listed.len()), (games, games), "each once");

    let pgn = fleet.folder.path().join("all.pgn");
    fleet.operator(&["export", event, "-o", pgn.to_str().unwrap()]).expect(0);
    let judged = judge(python, &pgn);
    let replayed: BTreeSet<_> = judged.games.iter().map(|game| game.name.as_str()).collect();
    assert_eq!((replayed.len(), judged.games.len()), (games, games), "each once");
    assert_eq!(replayed, names);
    for game in &judged.games {
        let told = listed.iter().find(|listed| listed["game"] == *game.name).unwrap();
        assert_eq!(told["outcome"]["result"], *game.result, "{game:?}");
    }
    // Both games of a pair from one opening, seats exchanged.
    let mut pairs: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for game in &judged.games {
        pairs.entry(game.name.split('/').next().unwrap()).or_default().push(game);
    }
    for (pair, games) in pairs {
        assert_eq!(games.len(), 2, "{pair}");
        assert_eq!((&games[0].white, &games[0].black), (&games[1].black, &games[1].white), "{pair}");
    }

    let standings = fleet.json(&["standings", event]);
    let points: BTreeMap<_, _> = standings["standings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "halves of small numbers")]
            let half_points = (line["points"].as_f64().unwrap() * 2.0) as u64;
            (line["engine"].as_str().unwrap().to_owned(), half_points)
        })
        .collect();
    assert_eq!(points, judged.half_points);
    let crashes: u64 = standings["standings"].as_array().unwrap().iter().map(|l| l["crashes"].as_u64().unwrap()).sum();
    let crashed = listed.iter().filter(|game| game["outcome"]["ending"] == "crash").count();
    assert_eq!(crashes, crashed as u64);
    assert!(crashed > 0, "the broken engine broke nothing");
    for game in listed.iter().filter(|game| game["outcome"]["ending"] == "crash") {
        let at_fault = game[game["outcome"]["fault"].as_str().unwrap()].as_str();
        assert_eq!(at_fault, Some("Broken"), "{game}");
    }
}

/// Ends all workers and coordinators as a service manager does, and looks for what they left behind.
fn end(fleet: &mut Fleet) {
    for worker in fleet.workers.drain(..) {
        worker.signal(Signal::TERM);
        worker.wait(Duration::from_secs(20)).expect(0);
    }
    for coordinator in &mut fleet.coordinators {
        if let Some(process) = coordinator.process.take() {
            process.signal(Signal::TERM);
            process.wait(Duration::from_secs(20)).expect(0);
        }
    }
    none_left(fleet.folder.path(), Duration::from_secs(2));
}

#[test]
fn a_coordinator_that_restarts_twice_loses_nothing_and_repeats_nothing() {
    let Some(python) = tools::python() else { return };
    let Some(cluster) = Cluster::start(3, &[]).unwrap() else { return };
    let Some(mut fleet) = fleet(&cluster, 1, &[1, 1, 2], &python) else { return };
    let spec = fleet.file("rr.toml", &spec("Restarts", 5, 2, 4));
    fleet.operator(&["apply", spec.to_str().unwrap()]).expect(0);

    done(&fleet, "Restarts", 6);
    assert!(processes_in(fleet.folder.path(), &[]).unwrap().len() > 7, "engines are seen from here");
    let process = fleet.coordinators[0].process.take().unwrap();
    process.signal(Signal::TERM);
    process.wait(Duration::from_secs(20)).expect(0);
    fleet.coordinators[0].start();

    done(&fleet, "Restarts", 16);
    let process = fleet.coordinators[0].process.take().unwrap();
    process.signal(Signal::KILL);
    process.wait(Duration::from_secs(20)).expect(-9);
    fleet.coordinators[0].start();

    fleet.over("Restarts");
    check(&fleet, "Restarts", &python, 40);
    grpcurl(&fleet, "Restarts");
    end(&mut fleet);
}

/// The same API without any program of ours.
fn grpcurl(fleet: &Fleet, event: &str) {
    if !tools::have(&["grpcurl"]) {
        return;
    }
    let address = fleet.coordinators[0].url().replace("http://", "");
    let ask = |args: &[&str]| {
        let mut command = Command::new("grpcurl");
        run(command.args(["-plaintext", "-max-time", "20"]).args(args).env("PATH", tools::path())).expect(0).out
    };
    let services = ask(&[&address, "list"]);
    for service in ["SeasonService", "GameService", "FleetService", "WorkerService"] {
        assert!(services.contains(&format!("rookery.v1.{service}")), "{services}");
    }
    assert!(ask(&[&address, "describe", "rookery.v1.SeasonService"]).contains("rpc GetStandings"));
    let question = format!("{{\"event\": \"{event}\"}}");
    let answer = ask(&["-d", &question, &address, "rookery.v1.SeasonService/GetStandings"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let names: BTreeSet<_> = answer["standings"].as_array().unwrap().iter().map(|l| l["engine"].as_str()).collect();
    assert_eq!(names, NAMES.iter().map(|name| Some(*name)).collect());
    assert!(ask(&[&address, "grpc.health.v1.Health/Check"]).contains("SERVING"));
}

#[test]
fn another_coordinator_leads_when_the_leader_dies() {
    let Some(python) = tools::python() else { return };
    let Some(cluster) = Cluster::start(1, &[]).unwrap() else { return };
    let Some(mut fleet) = fleet(&cluster, 2, &[2, 1], &python) else { return };
    let spec = fleet.file("rr.toml", &spec("Failover", 3, 4, 4));
    fleet.operator(&["apply", spec.to_str().unwrap()]).expect(0);
    done(&fleet, "Failover", 5);

    // The one that was asked may stand by: it passes questions on.
    let leading = |fleet: &Fleet, i: usize| {
        let url = fleet.coordinators[i].url();
        let ran = run(&mut rookery(fleet.folder.path(), ["status", "--json", "--coordinator", &url])).expect(0);
        ran.json()["leading"] == true
    };
    let leader = usize::from(!leading(&fleet, 0));
    let process = fleet.coordinators[leader].process.take().unwrap();
    process.signal(Signal::KILL);
    process.wait(Duration::from_secs(20)).expect(-9);
    // Asked before anybody can have noticed: by both addresses, and of the one that is left.
    let both = fleet.urls();
    let asked = |url: &str| {
        let args = ["standings", "Failover", "--coordinator", url, "--json"];
        run(&mut rookery(fleet.folder.path(), args)).expect(0)
    };
    assert_eq!(asked(&both).json()["event"], "Failover");
    let _dead = fleet.coordinators.remove(leader);
    assert_eq!(fleet.json(&["pause", "Failover"])["phase"], "paused");
    assert_eq!(fleet.json(&["resume", "Failover"])["phase"], "running");

    fleet.over("Failover");
    assert!(leading(&fleet, 0));
    check(&fleet, "Failover", &python, 24);
    let _ = fs::metadata(fleet.folder.path().join("archive")).unwrap();
    end(&mut fleet);
}
