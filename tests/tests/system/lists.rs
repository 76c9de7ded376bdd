//! Rating lists that join many events: rated, fed with older games, published; and what else people ask of tables.

use std::fs;

use rookery_proto::v1::{self, season_service_client::SeasonServiceClient};
use rookery_tests::{etcd::Cluster, fleet::Fleet, judge::judge, run::wait_in, tools};
use serde_json::Value;

/// Games of another manager, two of them a pair.
const OLD: &str = "[Event \"old\"]\n[Site \"?\"]\n[Date \"2001.01.01\"]\n[Round \"1\"]\n[White \"One\"]\n[Black \"Four\"]\n[Result \"1-0\"]\n[PlyCount \"2\"]\n\n1. e4 e5 1-0\n\n\
                   [Event \"old\"]\n[Site \"?\"]\n[Date \"2001.01.01\"]\n[Round \"1\"]\n[White \"Four\"]\n[Black \"One\"]\n[Result \"1/2-1/2\"]\n[PlyCount \"2\"]\n\n1. d4 d5 1/2-1/2\n\n\
                   [Event \"old\"]\n[Site \"?\"]\n[Date \"2001.01.01\"]\n[Round \"2\"]\n[White \"Two\"]\n[Black \"Four\"]\n[Result \"0-1\"]\n[PlyCount \"2\"]\n\n1. c4 c5 0-1";

fn spec(name: &str, engines: &[&str], event: &str) -> String {
    let engine = |name: &&str| format!("[[engine]]\nname = {name:?}\nprogram = {:?}\n", name.to_lowercase());
    let engines: String = engines.iter().map(engine).collect();
    format!("name = {name:?}\n{engines}[event]\ntime-control = \"nodes=10\"\nmax-moves = 15\nseed = 1\n{event}\n")
}

/// Three movers; the third one makes an illegal move, so that not all is drawn.
fn fleet() -> Option<(Fleet, std::path::PathBuf)> {
    fleet_on(None, 1, &[])
}

/// The same, on `store`, with `more` on each coordinator's command line.
fn fleet_on(store: Option<&str>, coordinators: usize, more: &[&str]) -> Option<(Fleet, std::path::PathBuf)> {
    let python = tools::python()?;
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1"];
    let two = [mover, "seed=2"];
    let three = [mover, "seed=3", "fault=illegal", "at=20"];
    let engines = [("one", &*python, &one[..]), ("two", &python, &two), ("three", &python, &three)];
    let fleet = Fleet::start_with(store, coordinators, &engines, more);
    Some((fleet, python))
}

fn elos(list: &Value) -> Vec<(String, f64)> {
    let rows = list["ratings"].as_array().unwrap();
    rows.iter().map(|row| (row["engine"].as_str().unwrap().to_owned(), row["elo"].as_f64().unwrap())).collect()
}

/// The same engines in the same order, their ratings the same but for rounding.
fn same(one: &[(String, f64)], other: &[(String, f64)]) {
    assert_eq!(one.len(), other.len(), "{one:?} {other:?}");
    for ((a, x), (b, y)) in one.iter().zip(other) {
        assert!(a == b && (x - y).abs() < 0.01, "{one:?} {other:?}");
    }
}

#[test]
fn a_list_joins_events_and_older_games_and_is_published() {
    let Some((mut fleet, python)) = fleet() else { return };
    let crashes = "crashes = { then = \"continue\" }";
    let a = spec("l a", &["One", "Two"], "format = { match = { pairs = 2 } }");
    let b = spec("l b", &["Two", "Three"], &format!("format = {{ match = {{ pairs = 3 }} }}\n{crashes}"));
    let other = spec("other", &["One", "Three"], &format!("format = {{ match = {{ pairs = 1 }} }}\n{crashes}"));
    let tests = spec(
        "l tests",
        &["One", "Three"],
        &format!("official = false\nformat = {{ match = {{ pairs = 1 }} }}\n{crashes}"),
    );
    for (file, text) in [("a.toml", &a), ("b.toml", &b), ("other.toml", &other), ("tests.toml", &tests)] {
        let path = fleet.file(file, text);
        fleet.operator(&["apply", path.to_str().unwrap()]).expect(0);
    }
    // What is to come, before anybody plays.
    let to_come = fleet.json(&["schedule", "l a"]);
    let games = to_come["games"].as_array().unwrap();
    assert_eq!(games.len(), 4, "{to_come:#}");
    assert_eq!((&games[0]["game"]["round"], &games[0]["game"]["first"]), (&"1.1".into(), &"One".into()));
    assert!(games.iter().all(|game| game["opening"].is_u64() && !game["moves"].as_array().unwrap().is_empty()));
    assert_eq!(games[0]["opening"], games[1]["opening"], "a pair has one opening");
    assert!(fleet.operator(&["schedule", "l a"]).expect(0).out.contains("waiting"));

    fleet.worker(2);
    for event in ["l a", "l b", "other", "l tests"] {
        fleet.over(event);
    }
    assert_eq!(fleet.json(&["schedule", "l a"])["games"].as_array().map(Vec::len), Some(0));

    let text = "name = \"L\"\n[list]\nevents = [\"l *\"]\nanchor = { engine = \"Two\", elo = 3000 }\n\
                publish = { to = \"www\" }\n";
    let list = fleet.file("list.toml", text);
    let list = list.to_str().unwrap();
    assert_eq!(fleet.json(&["apply", list])["created"], true);
    assert_eq!(fleet.json(&["apply", list])["created"], false);
    assert!(fleet.operator(&["spec", "explain", list]).expect(0).out.contains("model"));
    let ratings = fleet.json(&["ratings", "L"]);
    assert_eq!(ratings["games"], 10, "of two events, not of the third, and of no test games: {ratings}");
    let said = fleet.operator(&["ratings", "l tests"]).expect(1).err;
    assert!(said.contains("not official"), "{said}");
    assert!(elos(&ratings).iter().any(|(engine, elo)| engine == "Two" && (elo - 3000.0).abs() < 1e-6), "{ratings}");

    let old = fleet.file("old.pgn", OLD);
    let old = old.to_str().unwrap();
    assert_eq!(fleet.json(&["import", old, "--dry-run"])[0]["games"], 3);
    assert_eq!(fleet.json(&["ratings", "L"])["games"], 10);
    assert_eq!(fleet.json(&["import", old])[0]["list"], "L");
    let again = fleet.operator(&["import", old]).expect(1).err;
    assert!(again.contains("old.pgn"), "{again}");
    let copy = fleet.file("copy.pgn", OLD);
    fleet.operator(&["import", copy.to_str().unwrap()]).expect(1);
    let after = fleet.json(&["ratings", "L"]);
    assert_eq!(after["games"], 13);
    assert!(elos(&after).iter().any(|(engine, _)| engine == "Four"));

    // Another coordinator finds all of it.
    fleet.coordinators[0].process = None;
    fleet.coordinators[0].start();
    let found = fleet.json(&["ratings", "L"]);
    assert_eq!(found["games"], 13);
    same(&elos(&found), &elos(&after));
    let lists = fleet.json(&["lists"]);
    assert_eq!((&lists[0]["games"], lists[0]["events"].as_array().map(Vec::len)), (&13.into(), Some(2)), "{lists:#}");
    fleet.operator(&["import", old]).expect(1);

    let said = fleet.operator(&["publish", "L"]).expect(0).out;
    assert!(said.contains("4 engines, 13 games"), "{said}");
    let www = fleet.folder.path().join("www");
    let read = |name: &str| fs::read_to_string(www.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let count = |name: &str| read(name).matches("[Event \"").count();
    assert_eq!(count("games.pgn"), 13);
    let each = [("One", 4 + 2), ("Two", 4 + 6 + 1), ("Three", 6), ("Four", 3)];
    for (engine, games) in each {
        assert_eq!(count(&format!("engines/{engine}.pgn")), games, "{engine}");
    }
    same(&elos(&serde_json::from_str(&read("ratings.json")).unwrap()), &elos(&after));
    assert!(read("ratings.csv").contains("Four") && read("ratings.txt").contains("Three"));
    let head = read("head-to-head.csv");
    let line = |start: &str| head.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    assert_eq!(line("One,Four,"), "One,Four,2,1,1,0,1.5");
    assert_eq!(line("Four,Two,"), "Four,Two,1,1,0,0,1.0");
    assert!(line("Three,Two,6,").starts_with("Three,Two,6,0,"), "{head}");
    // The published games are real ones, and rate the same without any coordinator.
    let judged = judge(&python, &www.join("games.pgn"));
    assert_eq!(judged.games.len(), 13);
    let rated = fleet.operator(&["rate", "www/games.pgn", "--anchor", "Two=3000", "--format", "json"]).expect(0).out;
    let rated: Value = serde_json::from_str(&rated).unwrap();
    let rows = rated["rows"].as_array().unwrap().iter();
    let rows: Vec<_> =
        rows.map(|row| (row["name"].as_str().unwrap().to_owned(), row["elo"].as_f64().unwrap())).collect();
    same(&rows, &elos(&after));

    // A newcomer meets the nearest by the list's ratings; who that is stays, whatever the list says later.
    let newcomer = spec(
        "n",
        &["One", "Two", "Three", "New"],
        "format = { gauntlet = { engine = \"New\", opponents = { nearest = 1, list = \"L\" }, pairs = 1 } }",
    )
    .replace("program = \"new\"", "program = \"one\"\nrating = 2600");
    raw(&fleet, &newcomer);
    // The same from a file of engines, with `--set`.
    let (head, event) = newcomer.split_once("[event]").unwrap();
    fleet.file("all.toml", head.split_once('\n').unwrap().1);
    let newcomer = fleet.file("n.toml", &format!("name = \"n\"\nengines = \"all.toml\"\n[event]{event}"));
    let newcomer = newcomer.to_str().unwrap();
    assert!(fleet.operator(&["spec", "check", newcomer]).expect(2).err.contains("rookery apply"));
    assert_eq!(fleet.json(&["apply", newcomer, "--paused", "--set", "event.format.gauntlet.pairs=2"])["games"], 4);
    let newcomer = fleet.file(
        "n.toml",
        &format!("name = \"n\"\nengines = \"all.toml\"\n[event]{event}").replace("pairs = 1", "pairs = 2"),
    );
    let newcomer = newcomer.to_str().unwrap();
    let lines = fleet.json(&["standings", "n"])["standings"].clone();
    let mut names: Vec<_> = lines.as_array().unwrap().iter().map(|line| line["engine"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["New", "Three"]);
    let all_of_it = fleet.json(&["lists"])[0]["publish"].clone();
    assert_eq!(all_of_it, serde_json::json!({ "to": "www", "every_ms": 0 }));
    let wider = fleet.file("l2.toml", &text.replace("l *", "*").replace("3000", "100"));
    fleet.operator(&["apply", wider.to_str().unwrap()]).expect(0);
    let again = fleet.json(&["apply", newcomer]);
    assert_eq!((&again["created"], again["differences"].as_array().map(Vec::len)), (&false.into(), Some(0)), "{again}");
    let again = raw_apply(&fleet, &raw_spec(&head.replace("\"n\"", "\"raw\""), event)).unwrap();
    assert!(!again.created && again.differences.is_empty(), "{again:?}");

    // A list is found by its name alone, and its name is no event's.
    let taken = fleet.file("taken.toml", &spec("L", &["One", "Two"], "format = { match = { pairs = 1 } }"));
    let said = fleet.operator(&["apply", taken.to_str().unwrap()]).expect(1).err;
    assert!(said.contains("list"), "{said}");
    // A slip of the finger, wherever a list is named.
    for args in [&["ratings", "l"][..], &["publish", "LX", "www"], &["import", old, "--list", "LL"]] {
        let said = fleet.operator(args).expect(1).err;
        assert!(said.contains("did you mean `L`?"), "{args:?}: {said}");
    }
    let said = fleet.operator(&["ratings", "Q7"]).expect(1).err;
    assert!(said.contains("no list or event `Q7`; there are: L, "), "{said}");
    let said = fleet.operator(&["ratings", "L", "--anchor", "Tow=3000"]).expect(2).err;
    assert!(said.contains("no `Tow` in") && said.contains("did you mean `Two`?"), "{said}");
}

fn raw_spec(head: &str, event: &str) -> String {
    format!("{head}[event]{event}")
}

/// A call to the API as any client makes it: the spec as written.
fn raw_apply(fleet: &Fleet, spec: &str) -> Result<v1::ApplyResponse, tonic::Status> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let request = v1::ApplyRequest { spec: spec.to_owned(), paused: true, ..v1::ApplyRequest::default() };
    let url = fleet.coordinators[0].url();
    runtime.block_on(async {
        let mut seasons = SeasonServiceClient::connect(url).await.unwrap();
        seasons.apply(request).await.map(tonic::Response::into_inner)
    })
}

/// Who meets a newcomer is chosen by the coordinator, and on record with the ratings that chose.
fn raw(fleet: &Fleet, spec: &str) {
    let spec = spec.replace("\"n\"", "\"raw\"");
    let wrong = raw_apply(fleet, &spec.replace("list = \"L\"", "list = \"LL\"")).unwrap_err();
    assert!(wrong.message().contains("did you mean `L`?"), "{wrong}");
    let many = raw_apply(fleet, &spec.replace("nearest = 1", "nearset = 1")).unwrap_err();
    assert!(many.message().contains("did you mean `nearest`"), "{many}");
    let applied = raw_apply(fleet, &spec).unwrap();
    assert!(applied.created && applied.games == 2, "{applied:?}");
    let lines = fleet.json(&["standings", "raw"])["standings"].clone();
    let names: Vec<_> = lines.as_array().unwrap().iter().map(|line| line["engine"].as_str().unwrap()).collect();
    assert!(names.contains(&"New") && names.contains(&"Three") && names.len() == 2, "{names:?}");
    let log = fleet.json(&["log", "raw"]);
    let chosen = log.as_array().unwrap().iter().find(|fact| fact["kind"] == "Chosen").unwrap().to_string();
    assert!(
        chosen.contains("Three") && chosen.contains("\\\"list\\\":\\\"L\\\"") || chosen.contains("\"list\":\"L\""),
        "{chosen}"
    );
}

#[test]
fn a_tie_waits_for_a_person_and_says_why() {
    let Some((mut fleet, _)) = fleet() else { return };
    let text = spec(
        "t",
        &["One", "Two"],
        "format = { round-robin = { pairs = 1 } }\ntie-breaks = [\"direct-encounter\", \"prediction\", \"ruling\"]\n\
         predictions = \"iccf\"",
    );
    let path = fleet.file("t.toml", &text);
    fleet.operator(&["apply", path.to_str().unwrap()]).expect(0);
    fleet.worker(1);
    // All is drawn: nothing but a word of a person parts them.
    let watched = fleet.operator(&["watch", "t"]);
    assert_eq!(watched.code, 3, "{}\n{}", watched.out, watched.err);
    let waiting = fleet.operator(&["list", "--waiting"]);
    assert!(waiting.out.contains('t') && waiting.code == 3, "{}", waiting.out);
    fleet.operator(&["rank", "t", "One", "Three", "--reason", "a coin"]).expect(1);
    fleet.operator(&["rank", "t", "Two", "One"]).expect(2);
    assert_eq!(fleet.json(&["rank", "t", "Two", "One", "--reason", "a coin"])["phase"], "finished");
    let table = fleet.operator(&["standings", "t", "--why"]).expect(0).out;
    assert!(table.contains("a coin"), "{table}");
    let lines = fleet.json(&["standings", "t"]);
    let lines = lines["standings"].as_array().unwrap();
    assert_eq!((&lines[0]["engine"], &lines[1]["place"]), (&"Two".into(), &2.into()));
    assert_eq!(lines[0]["tie_breaks"].as_array().map(Vec::len), Some(3), "{lines:?}");
    let csv = fleet.operator(&["ratings", "t", "--csv"]).expect(0).out;
    assert_eq!(csv.lines().count(), 3, "{csv}");
    let ordo = fleet.json(&["ratings", "t", "--model", "ordo"]);
    assert_eq!(ordo["games"], 2);
}

#[test]
fn who_leads_publishes_and_the_next_leader_goes_on() {
    let Ok(Some(etcd)) = Cluster::start(1, &[]) else { return };
    let Some((mut fleet, _)) = fleet_on(Some(&etcd.url()), 2, &["--publish", "web"]) else { return };
    let folder = fleet.folder.path().to_owned();
    let a = fleet.file("a.toml", &spec("l a", &["One", "Two"], "format = { match = { pairs = 1 } }"));
    fleet.operator(&["apply", a.to_str().unwrap()]).expect(0);
    fleet.worker(1);
    fleet.over("l a");
    fs::create_dir_all(folder.join("web/www")).unwrap();
    let list = |name: &str, publish: &str| {
        let text = format!("name = {name:?}\n[list]\nevents = [\"l *\"]\npublish = {{ {publish} }}\n");
        let path = fleet.file(&format!("{name}.toml"), &text);
        fleet.operator(&["apply", path.to_str().unwrap()]).expect(0);
    };
    list("Outside", "to = \"../elsewhere\", every = \"10s\"");
    list("Asked", "to = \"asked\"");
    list("L", "to = \"www\", every = \"10s\"");
    let games = || {
        let text = fs::read_to_string(folder.join("web/www/head-to-head.json")).ok()?;
        let value: Value = serde_json::from_str(&text).expect("a file appears whole");
        Some(
            value["rows"]
                .as_array()?
                .iter()
                .map(|row| {
                    row["wins"].as_u64().unwrap() + row["draws"].as_u64().unwrap() + row["losses"].as_u64().unwrap()
                })
                .sum::<u64>()
                / 2,
        )
    };
    wait_in(&folder.join("web/www"), || games() == Some(2));
    assert!(fs::read_to_string(folder.join("web/www/games.pgn")).unwrap().matches("[Event \"").count() == 2);
    // The one that led is gone; what is played under the next one is published by that.
    fleet.coordinators.remove(0);
    let b = fleet.file("b.toml", &spec("l b", &["One", "Two"], "format = { match = { pairs = 2 } }"));
    fleet.operator(&["apply", b.to_str().unwrap()]).expect(0);
    fleet.over("l b");
    wait_in(&folder.join("web/www"), || games() == Some(6));
    assert!(!folder.join("elsewhere").exists() && !folder.join("web/asked").exists());
    let left = fs::read_dir(folder.join("web/www")).unwrap().flatten().map(|entry| entry.file_name());
    let names: Vec<String> = left.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.ends_with(".part")), "{names:?}");
}
