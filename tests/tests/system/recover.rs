//! The store is lost, the archive is there: a store built anew has the same events, and the matches go on.

use std::{fs, io::Write as _, path::Path};

use rookery_tests::{
    etcd::Cluster,
    fleet::Fleet,
    run::{rookery, run},
    tools,
};
use rustix::process::Signal;
use serde_json::Value;

use crate::{cluster::done, explain::until};

/// Waits for the end of a coordinator that was told to end in order, or killed.
fn end(fleet: &mut Fleet, signal: Signal) {
    let process = fleet.coordinators[0].process.take().unwrap();
    process.signal(signal);
    process.wait(rookery_tests::run::PATIENCE);
}

/// All that an operator sees of an event, without what is of the moment.
fn seen(fleet: &Fleet, event: &str, games: &[String]) -> Vec<Value> {
    let mut seen: Vec<Value> =
        ["standings", "crosstable", "games", "log"].iter().map(|what| fleet.json(&[what, event])).collect();
    seen.extend(games.iter().map(|game| fleet.json(&["explain", event, game, "--transcript"])));
    seen
}

fn play_lose_and_recover(store: Option<&str>, lose: impl FnOnce(&Path) -> String) {
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1", "think=20"];
    let two = [mover, "seed=2", "think=20"];
    let mut fleet = Fleet::start(store, 1, &[("one", &python, &one), ("two", &python, &two)]);
    let spec = fleet.file(
        "e.toml",
        "name = \"E\"\n[[engine]]\nname = \"One\"\nprogram = \"one\"\n[[engine]]\nname = \"Two\"\nprogram = \"two\"\n\
         [event]\nformat = { match = { pairs = 6 } }\ntime-control = \"nodes=10\"\nmax-moves = 15\nseed = 1\n",
    );
    fleet.operator(&["apply", spec.to_str().unwrap()]).expect(0);
    fleet.worker(1);
    done(&fleet, "E", 5);
    let games = fleet.json(&["games", "E", "--phase", "finished"]);
    let games: Vec<String> =
        games.as_array().unwrap().iter().take(3).map(|game| game["game"].as_str().unwrap().to_owned()).collect();
    // Nothing moves while it is looked at.
    fleet.operator(&["pause", "E", "--now"]).expect(0);
    until(&fleet, "E", |event| event["games_running"].as_u64() == Some(0));
    fleet.json(&["rule", "E", &games[0], "1/2-1/2", "--reason", "a ruling"]);
    fleet.json(&["void", "E", &games[1], "--reason", "a void"]);
    fleet.json(&["replay", "E", &games[2], "--reason", "a replay"]);
    fleet.json(&["drain", "w1", "--reason", "a drain"]);
    let before = seen(&fleet, "E", &games);

    end(&mut fleet, Signal::KILL);
    let folder = fleet.folder.path().to_owned();
    // A coordinator that was killed while it wrote.
    let segments = folder.join("archive/segments");
    let last = fs::read_dir(&segments).unwrap().map(|entry| entry.unwrap().path()).max().unwrap();
    fs::OpenOptions::new().append(true).open(&last).unwrap().write_all(b"{\"line\":\"put\",\"store\":\"").unwrap();
    let new = lose(&folder);

    let recover = |args: &[&str]| {
        let args: Vec<&str> = ["recover", "--archive", "archive"].iter().chain(args).copied().collect();
        run(&mut rookery(&folder, args))
    };
    let said = recover(&["--store", &new, "--from", "nobody"]).expect(1).err;
    assert!(said.contains("nobody did not write"), "{said}");
    let report = recover(&["--store", &new, "--json"]).expect(0).json();
    assert_eq!(report["events"][0]["name"], "E");
    assert_eq!(report["missing"].as_array().unwrap().len(), 1, "{report}");
    assert!(report["missing"][0].as_str().unwrap().contains("in the middle of a line"), "{report}");
    let said = recover(&["--store", &new]).expect(1).err;
    assert!(said.contains("not empty"), "{said}");

    fleet.coordinators[0].start();
    assert_eq!(seen(&fleet, "E", &games), before);
    assert!(fleet.json(&["workers"]).to_string().contains("a drain"));
    fleet.json(&["undrain", "w1"]);
    fleet.operator(&["resume", "E"]).expect(0);
    fleet.over("E");
    let finished = fleet.json(&["games", "E", "--phase", "finished"]);
    assert_eq!(finished.as_array().map(Vec::len), Some(11), "{finished}");
    let standings = fleet.json(&["standings", "E"]);

    // The new store is lost too: the archive has what both wrote.
    end(&mut fleet, Signal::TERM);
    let other =
        run(&mut rookery(&folder, ["recover", "--archive", "archive", "--store", "embedded:third.redb", "--json"]));
    let report = other.expect(0).json();
    assert_eq!(report["from"].as_array().unwrap().len(), 2, "{report}");
    fleet.lead(&["--store", "embedded:third.redb", "--archive", "archive"]);
    fleet.coordinators.remove(0);
    assert_eq!(fleet.json(&["standings", "E"]), standings);
}

#[test]
fn a_lost_file_is_built_anew_and_the_match_goes_on() {
    play_lose_and_recover(None, |folder| {
        fs::remove_file(folder.join("state.redb")).unwrap();
        "embedded:state.redb".to_owned()
    });
}

#[test]
fn a_lost_etcd_is_built_anew_and_the_match_goes_on() {
    let Some(cluster) = Cluster::start(1, &[]).unwrap() else { return };
    play_lose_and_recover(Some(&cluster.url()), |_| {
        let all = "/rookery/v1/";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut client = etcd_client::Client::connect(cluster.endpoints(), None).await.unwrap();
            client.delete(all, Some(etcd_client::DeleteOptions::new().with_prefix())).await.unwrap();
        });
        cluster.url()
    });
}

/// A list with games that were brought in, and a season between two of its events.
#[test]
fn lists_and_seasons_are_built_anew_and_go_on() {
    const OLD: &str = "[Event \"old\"]\n[Site \"?\"]\n[Date \"2001.01.01\"]\n[Round \"1\"]\n[White \"One\"]\n[Black \"Four\"]\n\
                       [Result \"1-0\"]\n\n1. e4 e5 1-0\n";
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1"];
    let two = [mover, "seed=2"];
    let three = [mover, "seed=3", "fault=illegal", "at=20"];
    let engines = [("one", &*python, &one[..]), ("two", &python, &two), ("three", &python, &three)];
    let mut fleet = Fleet::start(None, 1, &engines);
    let engine = |name: &str| format!("[[engine]]\nname = {name:?}\nprogram = {:?}\n", name.to_lowercase());
    let event = "time-control = \"nodes=10\"\nmax-moves = 15\ntie-breaks = [\"wins\", \"seeds\"]\n\
                 crashes = { then = \"continue\" }\n";
    let season = format!(
        "name = \"S\"\n{}{}{}[events.low]\nstay = [\"Two\", \"Three\"]\nformat = {{ match = {{ pairs = 1 }} }}\n\
         promote = {{ count = 1, to = \"top\" }}\ngate = \"organiser\"\n{event}\
         [events.top]\nstay = [\"One\"]\nformat = {{ match = {{ pairs = 1 }} }}\n{event}",
        engine("One"),
        engine("Two"),
        engine("Three"),
    );
    fleet.file("s.toml", &season);
    fleet.file("l.toml", "name = \"L\"\n[list]\nevents = [\"*\"]\nanchor = { engine = \"One\", elo = 3000 }\n");
    fleet.file("old.pgn", OLD);
    fleet.operator(&["apply", "l.toml"]).expect(0);
    fleet.operator(&["import", "old.pgn", "--list", "L"]).expect(0);
    fleet.operator(&["apply", "s.toml"]).expect(0);
    fleet.worker(1);
    let low = |fleet: &Fleet| {
        let season = fleet.json(&["season", "S"]);
        season["events"].as_array().unwrap().iter().find(|event| event["name"] == "low").cloned()
    };
    let name = low(&fleet).unwrap()["event"].as_str().unwrap_or("S/low").to_owned();
    fleet.over(&name);
    fleet.json(&["invite", "S", "One", "accepted", "--reason", "a letter"]);
    let seen = |fleet: &Fleet| -> Vec<Value> {
        let asked: [&[&str]; 5] =
            [&["season", "S"], &["lists"], &["ratings", "L"], &["standings", &name], &["log", &name]];
        let mut seen: Vec<Value> = asked.iter().map(|args| fleet.json(args)).collect();
        seen.push(fleet.operator(&["season", "S", "--history"]).expect(0).out.into());
        seen.push(fleet.operator(&["list", "--waiting"]).expect(3).out.into());
        seen
    };
    let before = seen(&fleet);
    assert_eq!(before[2]["games"], 3, "{:#}", before[2]);

    end(&mut fleet, Signal::KILL);
    let folder = fleet.folder.path().to_owned();
    fs::remove_file(folder.join("state.redb")).unwrap();
    let args = ["recover", "--archive", "archive", "--store", "embedded:state.redb", "--json"];
    let report = run(&mut rookery(&folder, args)).expect(0).json();
    assert_eq!(report["missing"].as_array().map(Vec::len), Some(0), "{report}");
    fleet.coordinators[0].start();
    assert_eq!(seen(&fleet), before);
    // The same file is known, and the season goes on.
    fleet.operator(&["import", "old.pgn", "--list", "L"]).expect(1);
    fleet.operator(&["advance", "S", "--reason", "all is well"]).expect(0);
    until(&fleet, &name.replace("low", "top"), |event| event["phase"] == "finished");
    assert_eq!(fleet.json(&["ratings", "L"])["games"], 5);
}

#[test]
fn an_archive_that_has_nothing_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["recover", "--archive", "archive", "--store", "embedded:new.redb"];
    let said = run(&mut rookery(folder.path(), args)).expect(1).err;
    assert!(said.contains("no store wrote to this archive"), "{said}");
    assert!(!folder.path().join("new.redb").exists(), "nothing was made");
}
