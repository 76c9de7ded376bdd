//! Engines with one fault each against Stockfish: each game has its result, and the fault is on record.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use rookery_tests::{
    fleet::Fleet,
    judge::{Game, judge},
    run::{none_left, rookery, run, wait_in},
    tools,
};

/// An event of Stockfish against `faulty` engines (name, script, arguments), played by `rookery run` in `folder`.
fn play(folder: &Path, python: &Path, faulty: &[(String, PathBuf, Vec<String>)], log: Option<&Path>) -> Vec<Game> {
    let mut spec = "name = \"f\"\n[[engine]]\nname = \"Stockfish\"\nprogram = \"stockfish\"\n".to_owned();
    for (name, script, args) in faulty {
        let args = args.iter().fold(format!("{script:?}"), |all, arg| format!("{all}, {arg:?}"));
        write!(spec, "[[engine]]\nname = {name:?}\nprogram = {python:?}\nargs = [{args}]\n").unwrap();
        if let Some(log) = log {
            writeln!(spec, "env = {{ FAKE_LOG = {log:?} }}").unwrap();
        }
    }
    spec += "[event]\nformat = { gauntlet = { engine = \"Stockfish\", pairs = 1 } }\ntime-control = \"1+0.2\"\n\
             max-moves = 25\nseed = 3\ncrashes = { then = \"continue\" }\nlimits = { stall = \"1s\" }\n";
    fs::write(folder.join("f.toml"), spec).unwrap();
    let mut command = rookery(folder, ["run", "f.toml", "--listen", "127.0.0.1:0", "--concurrency", "1"]);
    let ran = run(&mut command).expect(0);
    let total = 2 * faulty.len();
    assert!(ran.out.contains(&format!("{total} of {total} games")), "{}", ran.out);
    none_left(folder, std::time::Duration::from_secs(2));
    let games = judge(python, &folder.join("f/games.pgn")).games;
    assert_eq!(games.len(), total);
    games
}

/// Both games of an engine ended like this, and it lost them; where nothing is said, its fault ended no game.
fn check(games: &[Game], name: &str, termination: Option<&str>) {
    let its: Vec<_> = games.iter().filter(|game| game.white == name || game.black == name).collect();
    assert_eq!(its.len(), 2, "{name}");
    for game in its {
        match termination {
            Some(termination) => {
                let lost = if game.white == name { "0-1" } else { "1-0" };
                assert_eq!((game.termination.as_str(), game.result.as_str()), (termination, lost), "{name}: {game:?}");
            }
            None => assert!(["normal", "adjudication"].contains(&game.termination.as_str()), "{name}: {game:?}"),
        }
    }
}

#[test]
fn each_fault_has_its_ending_and_its_transcript() {
    const FAULTS: [(&str, Option<&str>); 9] = [
        ("crash", Some("abandoned")),
        ("hang", Some("stalled connection")),
        ("late", Some("time forfeit")),
        ("illegal", Some("illegal move")),
        ("none", Some("illegal move")),
        ("null", Some("illegal move")),
        ("text", Some("illegal move")),
        ("flood", None),
        ("stderr", None),
    ];
    let Some(python) = tools::python() else { return };
    if !tools::have(&["stockfish"]) {
        return;
    }
    let mover = tools::file("engines/mover.py");
    let faulty =
        FAULTS.map(|(fault, _)| (fault.to_owned(), mover.clone(), vec![format!("fault={fault}"), "at=10".to_owned()]));
    let fleet = Fleet::start(None, 0, &[]);
    let games = play(fleet.folder.path(), &python, &faulty, None);
    for (fault, termination) in FAULTS {
        check(&games, fault, termination);
    }

    // The folder of a run is a store as any other.
    let mut fleet = fleet;
    fleet.lead(&["--store", "embedded:f/state.redb", "--archive", "f/archive"]);
    for game in games.iter().filter(|game| game.termination != "normal" && game.termination != "adjudication") {
        let told = fleet.operator(&["explain", "f", &game.name, "--transcript"]).expect(0).out;
        assert!(told.contains("position ") && told.contains("go "), "{}: {told}", game.name);
        let json = fleet.json(&["explain", "f", &game.name, "--transcript"]);
        assert!(json["transcripts"].as_array().is_some_and(|all| !all.is_empty()), "{json}");
        if game.white == "crash" || game.black == "crash" {
            assert!(told.contains("assertion failed: mover.c:42"), "{told}");
        }
    }
}

/// Faults that were reported of such programs.
#[test]
fn reported_faults_are_met() {
    const CASES: [(&str, &str, Option<&str>); 15] = [
        ("e_die", "at=4 how=exit", Some("abandoned")),
        ("e_die", "at=4 how=segv", Some("abandoned")),
        ("e_die", "at=4 how=kill", Some("abandoned")),
        ("e_die", "at=4 how=eof", Some("abandoned")),
        ("e_illegal", "", Some("illegal move")),
        ("e_bestmove_forms", "form=none", Some("illegal move")),
        ("e_bestmove_forms", "form=null", Some("illegal move")),
        ("e_late", "", Some("time forfeit")),
        ("e_whitespace", "", None),
        ("e_banner_noise", "", None),
        ("e_partial", "", None),
        ("e_stderr_flood", "", None),
        ("e_options", "", None),
        ("e_bounds", "", None),
        ("e_slow_uciok", "", None),
    ];
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let Ok(cases) = cases.canonicalize() else {
        tools::skip("no folder shared/cases beside the project");
        return;
    };
    let Some(python) = tools::python() else { return };
    if !tools::have(&["stockfish"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let named = |n: usize| format!("{n} {} {}", CASES[n].0, CASES[n].1);
    let faulty: Vec<_> = (0..CASES.len())
        .map(|n| {
            let args = CASES[n].1.split_whitespace().map(str::to_owned).collect();
            (named(n), cases.join(format!("{}.py", CASES[n].0)), args)
        })
        .collect();
    let log = folder.path().join("fake.log");
    let games = play(folder.path(), &python, &faulty, Some(&log));
    for (n, case) in CASES.iter().enumerate() {
        let name = named(n);
        if case.0 == "e_late" {
            // It is late once a process, and a clean process stays: what it said late is not read in the next game.
            let its = games.iter().filter(|game| game.white == name.trim() || game.black == name.trim());
            let late = its.clone().filter(|game| game.termination == "time forfeit").count();
            assert!((1..=2).contains(&late), "{:?}", its.collect::<Vec<_>>());
            assert!(its.clone().all(|game| game.termination != "illegal move"), "{:?}", its.collect::<Vec<_>>());
            continue;
        }
        check(&games, name.trim(), case.2);
    }
    let log = fs::read_to_string(log).unwrap();
    assert!(log.contains("ucinewgame"), "the engines noted nothing");
    // Its thread may still be on its way out when it is asked again: that is its own race.
    let wrong = |line: &&str| line.contains("VIOLATION") && !line.contains("while searching");
    let violations: Vec<_> = log.lines().filter(wrong).collect();
    assert!(violations.is_empty(), "{violations:#?}");
}

/// A kill from outside, of an engine that thinks: by the event's word its crash, or an interruption after which the game
/// goes on.
#[test]
fn a_kill_from_outside_is_a_crash_or_an_interruption_as_the_event_says() {
    let Some(python) = tools::python() else { return };
    let mover = tools::file("engines/mover.py");
    let mover = mover.to_str().unwrap();
    let marks = tempfile::tempdir().unwrap();
    let good = [mover, "seed=1", "think=5"];
    let mark = marks.path().join("pid");
    let mark_arg = format!("mark={}", mark.display());
    let victim = [mover, "seed=2", "think=400", &mark_arg];
    let mut fleet = Fleet::start(None, 1, &[("good", &python, &good), ("victim", &python, &victim)]);
    fleet.worker(1);
    for (killed, fault) in [("interruption", false), ("crash", true)] {
        let _ = fs::remove_file(&mark); // of the event before
        let file = fleet.file(
            &format!("{killed}.toml"),
            &format!(
                "name = \"{killed}\"\n[[engine]]\nname = \"Good\"\nprogram = \"good\"\n[[engine]]\nname = \
                 \"Victim\"\nprogram = \"victim\"\n[event]\nformat = {{ match = {{ pairs = 1 }} }}\n\
                 games-per-pair = 1\ntime-control = \"60+1\"\nmax-moves = 8\nseed = 1\ninterruption = \"restart\"\n\
                 crashes = {{ then = \"continue\" }}\nkilled = \"{killed}\"\n"
            ),
        );
        fleet.operator(&["apply", file.to_str().unwrap()]).expect(0);
        wait_in(marks.path(), || mark.exists());
        let pid: i32 = fs::read_to_string(&mark).unwrap().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        fleet.over(killed);
        let told = fleet.json(&["explain", killed, "1.1", "--transcript"]);
        let (ending, lines) = (told["game"]["outcome"]["ending"].to_string(), told["lines"].to_string());
        assert_eq!(ending.contains("crash"), fault, "{told}");
        if fault {
            assert_eq!(told["game"]["outcome"]["result"], "1-0", "{told}");
            assert!(lines.contains("not known by whom"), "{told}");
        } else {
            assert!(told["interrupted"][0]["why"].to_string().contains("not known by whom"), "{told}");
        }
    }
}
