//! A folder of faulty engines beside the project, where it is at hand: each against a plain one, and nothing that we
//! said may have been against the protocol.

use std::{path::Path, time::Duration};

use rookery_game::{Ending, GameRecord, Score, Seat};
use rookery_worker::table::{HandBackReason, TableEnd, TableOrder};

use crate::{help::*, skip};

/// A folder `shared/cases` beside the project or above it.
fn folder() -> Option<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.ancestors().skip(2).map(|dir| dir.join("shared/cases")).find(|dir| dir.is_dir())
}

struct Case {
    dir: tempfile::TempDir,
    order: TableOrder,
    slot: rookery_worker::table::Slot,
}

impl Case {
    fn new(script: &str, args: &[&str], control: &str) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let engine = |name: &str, script: &str, args: &[&str]| {
            let path = folder().expect("the folder").join(script).display().to_string();
            let args: Vec<&str> = std::iter::once(path.as_str()).chain(args.iter().copied()).collect();
            let mut engine = Engine::program(name, "/usr/bin/python3", &args);
            let file = |file: &str| dir.path().join(format!("{name} {file}")).into_os_string();
            engine.launch.env = vec![("FAKE_LOG".into(), file("log")), ("FAKE_STATE".into(), file("state"))];
            engine
        };
        let mut order = order(&engine("Bad", script, args), &engine("Plain", "fake_uci.py", &["seed=2"]), control);
        order.setup.adjudication.max_moves = Some(10);
        Self { dir, order, slot: slot() }
    }

    fn end(&mut self) -> TableEnd {
        let end = play_on(&mut self.slot, &self.order).0;
        for engine in ["Bad", "Plain"] {
            let log = std::fs::read_to_string(self.dir.path().join(format!("{engine} log"))).unwrap_or_default();
            // Its thread may still be on its way out when it is asked again: that is its own race.
            let wrong = |line: &&str| line.contains("VIOLATION") && !line.contains("while searching");
            let violations: Vec<&str> = log.lines().filter(wrong).collect();
            assert_eq!(violations, Vec::<&str>::new(), "{engine}");
        }
        end
    }

    fn play(&mut self) -> GameRecord {
        let record = finished(self.end());
        outcome(&record);
        record
    }
}

fn is_there() -> bool {
    python() && folder().is_some()
}

#[track_caller]
fn no_fault(record: &GameRecord) {
    assert_eq!(outcome(record).fault, None, "{:?}", record.outcome);
}

#[test]
fn oddities_make_no_fault() {
    if !is_there() {
        skip!("no python3, or no folder of cases");
    }
    for (script, args, control) in [
        ("fake_uci.py", &[][..], "60+1"),
        ("e_banner_noise.py", &[], "nodes=1000"),
        ("e_whitespace.py", &[], "nodes=1000"),
        ("e_partial.py", &["gap=0.005"], "60+1"),
        ("e_bounds.py", &[], "nodes=1000"),
        ("e_stderr_flood.py", &[], "nodes=1000"),
        ("e_slow_uciok.py", &["delay=1", "ready=1"], "1+0.5"),
        ("e_clock_recorder.py", &["expect=40/100+0.1"], "40/100+0.1"),
        ("e_clock_recorder.py", &["expect=5/100"], "5/100"),
        ("e_clock_recorder.py", &["expect=60+1"], "60+1"),
        ("e_options.py", &[], "nodes=1000"),
    ] {
        let mut case = Case::new(script, args, control);
        if script == "e_options.py" {
            case.order.setup.sides[0].engine.options =
                [("Hash", "-16"), ("Nope", "1"), ("Book File", ""), ("Style", "Risky Play")]
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .to_vec();
        }
        let record = case.play();
        no_fault(&record);
        if script == "e_bounds.py" {
            assert!(record.plies.iter().step_by(2).all(|ply| (ply.score, ply.depth) == (Some(Score::Cp(12)), 10)));
        }
        if script == "e_options.py" {
            let log = std::fs::read_to_string(case.dir.path().join("Bad log")).expect("a log");
            assert!(log.contains("GOT [Book File]=[]") && log.contains("GOT [Style]=[Risky Play]"), "{log}");
            let odd = ["option Hash: -16 is out of range", "option Nope: unknown"];
            for text in odd {
                assert!(record.warnings.keys().any(|w| w.contains(text)), "{text} in {:?}", record.warnings);
            }
        }
        no_fault(&case.play());
    }
}

#[test]
fn deaths_are_crashes_and_the_next_game_is_played() {
    if !is_there() {
        skip!("no python3, or no folder of cases");
    }
    for control in ["nodes=5000", "depth=5", "60+1", "movetime=10s"] {
        for how in ["exit", "segv", "kill", "eof"] {
            let mut case = Case::new("e_die.py", &["at=4", &format!("how={how}"), "once=1"], control);
            let record = case.play();
            assert_fault(&record, Seat::First, Ending::Crash, "");
            assert_eq!(record.transcripts[0].stderr, ["assertion failed: fake.c:42"]);
            no_fault(&case.play());
        }
    }
    let mut case = Case::new("e_die.py", &["when=aftermove", "once=1"], "nodes=5000");
    assert_fault(&case.play(), Seat::First, Ending::Crash, "exited with code 3");
    no_fault(&case.play());
    for when in ["uci", "ready"] {
        let mut case = Case::new("e_die.py", &[&format!("when={when}"), "once=1"], "nodes=5000");
        let back = handed_back(case.end());
        assert_eq!((back.reason, back.engine.as_str()), (HandBackReason::NotStarted, "Bad"), "{}", back.evidence);
        no_fault(&case.play());
    }
    let mut case = Case::new("e_die.py", &["when=newgame"], "nodes=5000");
    for _ in 0..3 {
        no_fault(&case.play());
    }
}

#[test]
fn lies_lose() {
    if !is_there() {
        skip!("no python3, or no folder of cases");
    }
    for form in ["none", "null", "NULL", "empty", "garbage", "uci_prefix"] {
        let mut case = Case::new("e_bestmove_forms.py", &[&format!("form={form}")], "nodes=1000");
        let record = case.play();
        assert_fault(&record, Seat::First, Ending::IllegalMove, "");
        assert_eq!(record.plies.len(), 6);
    }
    no_fault(&Case::new("e_bestmove_forms.py", &["form=twice"], "nodes=1000").play());
    for at in ["0", "8"] {
        let record = Case::new("e_illegal.py", &[&format!("at={at}")], "nodes=1000").play();
        assert_fault(&record, Seat::First, Ending::IllegalMove, "illegal move a1a1");
        assert_eq!(record.plies.len().to_string(), at);
    }
}

#[test]
fn what_is_late_or_silent() {
    if !is_there() {
        skip!("no python3, or no folder of cases");
    }
    let mut case = Case::new("e_late.py", &[], "0.5+0.1");
    assert_fault(&case.play(), Seat::First, Ending::TimeLoss, "late");
    no_fault(&case.play());
    let mut case = Case::new("e_late.py", &["over=0.15"], "0.5+0.1");
    case.order.setup.sides[0].margin = Duration::from_secs(2);
    no_fault(&case.play());
    for (mode, word) in [("uciok", "uciok"), ("readyok", "readyok")] {
        let mut case = Case::new("e_no_uciok.py", &[&format!("mode={mode}")], "nodes=1000");
        case.order.setup.limits.start = Duration::from_secs(2);
        case.order.setup.limits.ready = Duration::from_secs(2);
        let back = handed_back(case.end());
        assert!(back.evidence.contains(word) && back.evidence.contains("Bad"), "{}", back.evidence);
    }
}
