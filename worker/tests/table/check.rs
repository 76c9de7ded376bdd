//! `engine check`: each step has its verdict.

use std::time::Duration;

use rookery_game::setup::Limits;
use rookery_worker::engine::{Report, Verdict, check};

use crate::{help::*, skip};

fn run(engine: &Engine) -> Report {
    let limits = Limits { start: Duration::from_secs(20), stall: Duration::from_millis(500), ..Limits::default() };
    check(&engine.launch, "uci", &limits)
}

fn verdicts(report: &Report) -> Vec<(&'static str, Verdict)> {
    report.steps.iter().map(|step| (step.name, step.verdict)).collect()
}

#[test]
fn a_good_engine() {
    let Some(stockfish) = Engine::real("stockfish") else { skip!("no stockfish") };
    let report = run(&stockfish);
    let steps = ["uci", "identity", "isready", "ucinewgame", "search", "ucinewgame", "chess960", "quit"];
    assert_eq!(verdicts(&report), steps.map(|name| (name, Verdict::Good)), "{report:?}");
    assert!(report.passed() && report.id_name.starts_with("Stockfish"));
    let hash = report.options.iter().find(|[name, ..]| name == "Hash").expect("an option");
    assert!(hash[1].starts_with("spin 1.."), "{hash:?}");
    assert!(report.steps[4].took >= Duration::from_millis(500), "a search of one second");
}

#[test]
fn bad_engines_fail_where_they_are_bad() {
    if !python() {
        skip!("no python3");
    }
    for (faults, last, verdict, words) in [
        (&["die=uci"][..], "uci", Verdict::Bad, "exited with code 3 before it sent `uciok`"),
        (&["die=ready"], "isready", Verdict::Bad, "exited with code 3 before it sent `readyok`"),
        (&["hang=go", "at=0"], "search", Verdict::Bad, "did not send `bestmove` within 1.5 s"),
        (&["deaf=1"], "quit", Verdict::Odd, "killed"),
        (&["odd=1"], "quit", Verdict::Good, "exited with code 0"),
    ] {
        let report = run(&Engine::fake("Bad", faults));
        let step = report.steps.last().expect("a step");
        assert_eq!((step.name, step.verdict), (last, verdict), "{report:?}");
        assert!(step.detail.contains(words), "{step:?}");
        assert_eq!(report.passed(), verdict != Verdict::Bad);
        assert!(!report.transcript.is_empty() || last == "uci");
    }
    let echo = run(&Engine::program("Cat", "/bin/cat", &[]));
    let step = echo.steps.last().expect("a step");
    assert!(step.detail.contains("/bin/cat repeats what it is told"), "{step:?}");
    assert!(step.took < Duration::from_secs(15), "well before the limit of 20 s");
    let missing = run(&Engine::program("Bad", "/nonexistent/engine", &[]));
    assert_eq!(verdicts(&missing), [("start", Verdict::Bad)]);
}
