//! What an operator asks and orders, against a coordinator and a worker.

use rookery_tests::{fleet::Fleet, judge::judge, tools};

#[test]
fn every_command_answers_people_and_scripts() {
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let one = [mover, "seed=1", "think=20"];
    let two = [mover, "seed=2", "think=20"];
    let mut fleet = Fleet::start(None, 1, &[("one", &python, &one), ("two", &python, &two)]);
    let spec = fleet.file(
        "e.toml",
        "name = \"E\"\n[[engine]]\nname = \"One\"\nprogram = \"one\"\n[[engine]]\nname = \"Two\"\nprogram = \"two\"\n\
         [event]\nformat = { match = { pairs = 4 } }\ntime-control = \"nodes=10\"\nmax-moves = 15\nseed = 1\n",
    );
    let spec = spec.to_str().unwrap();

    assert_eq!(fleet.json(&["apply", spec, "--dry-run"])["games"], 8);
    fleet.operator(&["list"]).expect(0);
    assert_eq!(fleet.json(&["list"]).as_array().map(Vec::len), Some(0));
    assert_eq!(fleet.json(&["apply", spec, "--paused"])["created"], true);
    assert_eq!(fleet.json(&["apply", spec])["created"], false, "applied twice, begun once");
    assert_eq!(fleet.json(&["list"])[0]["phase"], "paused");
    fleet.worker(1);
    assert_eq!(fleet.json(&["resume", "E"])["phase"], "running");

    // Pausing at once gives back what is played; it goes on from there.
    assert_eq!(fleet.json(&["pause", "E", "--now",])["phase"], "paused");
    assert_eq!(fleet.json(&["pause", "E"])["phase"], "paused");
    fleet.operator(&["resume", "E"]).expect(0);
    fleet.over("E");

    let games = fleet.json(&["games", "E"]);
    let games = games.as_array().unwrap();
    assert_eq!(games.len(), 8);
    assert_eq!(fleet.json(&["games", "E", "--limit", "3"]).as_array().map(Vec::len), Some(3));
    assert_eq!(fleet.json(&["games", "E", "--phase", "waiting"]).as_array().map(Vec::len), Some(0));
    assert_eq!(fleet.json(&["games", "E", "--engine", "One"]).as_array().map(Vec::len), Some(8));
    fleet.operator(&["games", "E", "--phase", "wating"]).expect(2);

    // Rulings: the result, a voided game that counts no more, one that is played again.
    let name = |n: usize| games[n]["game"].as_str().unwrap();
    let ruled = fleet.json(&["rule", "E", name(0), "1-0", "--reason", "a test"]);
    assert_eq!(ruled["outcome"]["result"], "1-0");
    fleet.operator(&["rule", "E", name(0), "2-0"]).expect(2);
    fleet.json(&["void", "E", name(2), "--reason", "a test"]);
    fleet.json(&["replay", "E", name(4), "--reason", "a test"]);
    fleet.over("E");
    let count = |phase: &str| fleet.json(&["games", "E", "--phase", phase]).as_array().map(Vec::len);
    assert_eq!(count("finished"), Some(7));

    let pgn = fleet.folder.path().join("e.pgn");
    fleet.operator(&["export", "E", "-o", pgn.to_str().unwrap()]).expect(0);
    let judged = judge(&python, &pgn);
    assert_eq!(judged.games.len(), 7);
    let standings = fleet.json(&["standings", "E"]);
    for line in standings["standings"].as_array().unwrap() {
        let half_points = judged.half_points[line["engine"].as_str().unwrap()];
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let points = half_points as f64 / 2.0;
        assert!((line["points"].as_f64().unwrap() - points).abs() < 0.01, "{standings}");
    }
    let refused = fleet.operator(&["export", "E", "--format", "ccp-log"]).expect(2);
    assert!(refused.err.contains("`ccp-log` is of Chinese checkers, which `E` does not play"), "{}", refused.err);
    let lines = fleet.operator(&["export", "E", "--format", "jsonl"]).expect(0).out;
    assert_eq!(lines.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()).count(), 7);

    assert!(fleet.operator(&["explain", "E", name(0)]).expect(0).out.contains("tests"), "who decided");
    let log = fleet.operator(&["log", "E"]).expect(0).out;
    assert!(log.contains(name(0)), "of which game: {log}");
    let facts = fleet.json(&["log", "E"]).to_string();
    assert!(facts.contains("a test") && facts.contains("tests"), "{facts}");
    fleet.json(&["crosstable", "E"]);
    assert_eq!(fleet.json(&["status"])["leading"], true);

    fleet.json(&["drain", "w1", "--reason", "a test"]);
    assert!(fleet.json(&["workers"])[0]["set_aside"].as_str().is_some_and(|why| !why.is_empty()));
    fleet.json(&["undrain", "w1"]);
    assert_eq!(fleet.json(&["workers"])[0]["set_aside"], "");

    for (args, word) in [(["standings", "E"], "One"), (["crosstable", "E"], "Two"), (["log", "E"], "a test")] {
        assert!(fleet.operator(&args).expect(0).out.contains(word), "{args:?}");
    }
    for args in [["list"], ["workers"], ["status"]] {
        fleet.operator(&args).expect(0);
    }
    fleet.operator(&["standings", "Nothing"]).expect(1);
    let gone = fleet.operator(&["explain", "E", "nonsense"]);
    assert_ne!(gone.code, 0);
}

#[test]
fn nobody_there_has_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = rookery_tests::run::rookery(folder.path(), ["list", "--coordinator", "http://127.0.0.1:1"]);
    rookery_tests::run::run(&mut command).expect(4);
}

/// A fleet of one engine under three names, and a spec of a round robin of the first two.
fn three() -> Option<(Fleet, std::path::PathBuf, String)> {
    let python = tools::python()?;
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap().to_owned();
    let args = ["1", "2", "3"].map(|n| [mover.clone(), format!("seed={n}"), "think=20".to_owned()]);
    let args = args.each_ref().map(|args| args.each_ref().map(String::as_str));
    let engines = [("one", &*python, &args[0][..]), ("two", &python, &args[1]), ("three", &python, &args[2])];
    let fleet = Fleet::start(None, 1, &engines);
    let spec = fleet.file(
        "e.toml",
        "name = \"E\"\n[[engine]]\nname = \"One\"\nprogram = \"one\"\n[[engine]]\nname = \"Two\"\nprogram = \"two\"\n\
         [event]\nformat = { round-robin = { pairs = 2 } }\ntime-control = \"nodes=10\"\nmax-moves = 15\nseed = 1\n",
    );
    Some((fleet, python, spec.to_str().unwrap().to_owned()))
}

#[test]
fn engines_join_and_leave_a_running_event() {
    let Some((mut fleet, python, spec)) = three() else { return };
    fleet.operator(&["apply", &spec]).expect(0);

    // Tie-breaks change by a ruling.
    let set = ["apply", &spec, "--set", "event.tie-breaks=[\"wins\"]"];
    let said = fleet.operator(&set).expect(1).err;
    assert!(said.contains("--ruling"), "{said}");
    let ruling: Vec<&str> = set.into_iter().chain(["--ruling"]).collect();
    fleet.operator(&ruling).expect(2);
    let ruling: Vec<&str> = ruling.into_iter().chain(["--reason", "the jury"]).collect();
    fleet.operator(&ruling).expect(0);

    fleet.worker(1);
    fleet.over("E");
    let before = fleet.operator(&["export", "E", "--format", "jsonl"]).expect(0).out;

    let wrong = fleet.file("wrong.toml", "[[engine]]\nname = \"Three\"\nprogam = \"three\"\n");
    let said = fleet.operator(&["join", "E", wrong.to_str().unwrap()]).expect(2).err;
    assert!(said.contains("wrong.toml:3") && said.contains("program"), "{said}");
    let file = fleet.file("three.toml", "[[engine]]\nname = \"Three\"\nprogram = \"three\"\n");
    assert_eq!(fleet.json(&["join", "E", file.to_str().unwrap()])["games_total"], 12);
    assert_eq!(fleet.json(&["join", "E", file.to_str().unwrap()])["games_total"], 12, "it joins once");
    let other = fleet.file("other.toml", "[[engine]]\nname = \"Three\"\nprogram = \"two\"\n");
    let said = fleet.operator(&["join", "E", other.to_str().unwrap()]).expect(1).err;
    assert!(said.contains("another engine"), "{said}");
    fleet.over("E");
    let after = fleet.operator(&["export", "E", "--format", "jsonl"]).expect(0).out;
    assert!(after.starts_with(&before), "what was played stays what it was");
    let pgn = fleet.folder.path().join("e.pgn");
    fleet.operator(&["export", "E", "-o", pgn.to_str().unwrap()]).expect(0);
    let judged = judge(&python, &pgn);
    let of = |name: &str| judged.games.iter().filter(|game| game.white == name || game.black == name).count();
    assert_eq!((judged.games.len(), of("One"), of("Two"), of("Three")), (12, 8, 8, 8));

    fleet.operator(&["withdraw", "E", "Two", "--games", "void"]).expect(2);
    let left = fleet.json(&["withdraw", "E", "Two", "--games", "void", "--reason", "a test"]);
    assert_eq!((&left["games_done"], &left["games_total"]), (&4.into(), &4.into()), "{left}");
    let left = fleet.json(&["withdraw", "E", "Two", "--games", "keep", "--reason", "after all"]);
    assert_eq!(left["games_done"], 12, "{left}");
    fleet.operator(&["withdraw", "E", "Tow", "--games", "keep", "--reason", "x"]).expect(1);
    let log = fleet.operator(&["log", "E"]).expect(0).out;
    assert!(log.contains("Joined") && log.contains("Withdrawn") && log.contains("after all"), "{log}");
    assert!(
        fleet.operator(&["explain", "E", "1.1"]).expect(0).out.contains("Two withdrawn (its games count) by tests")
    );
}

#[test]
fn builds_that_differ_are_a_question() {
    let Some((mut fleet, _python, spec)) = three() else { return };
    fleet.operator(&["apply", &spec, "--paused"]).expect(0);
    fleet.worker(1);
    // The second worker's `two` is another program.
    let other = fleet.folder.path().join("other");
    std::fs::write(&other, "#!/bin/sh\nexec python3 \"$@\"\n").unwrap();
    std::fs::set_permissions(&other, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let catalogue = std::fs::read_to_string(fleet.folder.path().join("engines.toml")).unwrap();
    let (first, rest) = catalogue.split_once("name = \"two\"").unwrap();
    let (_, rest) = rest.split_once("\nargs").unwrap();
    let changed = format!("{first}name = \"two\"\nprogram = {other:?}\nargs{rest}");
    fleet.file("engines.toml", &changed);
    fleet.worker(1);
    fleet.operator(&["resume", "E"]).expect(0);
    let asked = fleet.operator(&["watch", "E", "--json"]).expect(3);
    let last: serde_json::Value = serde_json::from_str(asked.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["games_done"], 0);
    let listed = fleet.operator(&["list", "--waiting", "--json"]).expect(3).out;
    assert!(listed.contains("which build of Two plays") && listed.contains("(w1)"), "{listed}");
    let workers = fleet.json(&["workers"]);
    let entry = workers[1]["engines"].as_array().unwrap().iter().find(|entry| entry["name"] == "two").unwrap();
    let digest = entry["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
    fleet.operator(&["freeze", "E", "Two", "ff", "--reason", "a test"]).expect(2);
    fleet.operator(&["freeze", "E", "Two", &digest[..12], "--reason", "a test"]).expect(0);
    fleet.over("E");
    let games = fleet.json(&["games", "E"]);
    assert!(games.as_array().unwrap().iter().all(|game| game["worker"] == "w2"), "{games}");
}
