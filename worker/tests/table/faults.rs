//! Engines that die, hang, lie and flood.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use rookery_game::{
    Ending, GameResult, Score, Seat,
    setup::{Killed, Restart},
};
use rookery_worker::table::{Control, HandBackReason, TableEnd};

use crate::{help::*, skip};

const NODES: &str = "nodes=1000";

/// Plays White with faults against Black without.
fn white(faults: &[&str], control: &str) -> rookery_game::GameRecord {
    play(&order(&Engine::fake("Bad", faults), &Engine::fake("Good", &[]), control))
}

#[track_caller]
fn is_clean(record: &rookery_game::GameRecord) {
    let outcome = outcome(record);
    assert_eq!((outcome.fault, outcome.ending, record.plies.len()), (None, Ending::Repetition, 8), "{outcome:?}");
}

#[track_caller]
fn within(seconds: f64, since: Instant) {
    assert!(since.elapsed().as_secs_f64() < seconds, "took {:?}", since.elapsed());
}

#[test]
fn death_in_a_search_is_a_crash_in_every_kind_of_limit() {
    if !python() {
        skip!("no python3")
    }
    for control in [NODES, "depth=5", "60+1", "movetime=30s", "inf"] {
        for (how, words) in [
            ("exit", "exited with code 3"),
            ("segv", "was killed by SIGSEGV"),
            ("kill", "was killed by SIGKILL"),
            ("eof", "closed its output"),
        ] {
            let since = Instant::now();
            let record = white(&["die=go", &format!("how={how}")], control);
            assert_fault(&record, Seat::First, Ending::Crash, words);
            assert_eq!(record.plies.len(), 2);
            let transcript = &record.transcripts[0];
            assert!(transcript.lines.iter().any(|line| line.contains("> go ")), "{transcript:?}");
            assert!(transcript.lines.last().is_some_and(|line| line.ends_with("score cp 13 pv")), "{transcript:?}");
            assert_eq!(transcript.stderr, ["assertion failed at go"]);
            assert!(transcript.reproduce.starts_with("position startpos moves g1f3 g8f6\ngo "), "{transcript:?}");
            within(3.0, since);
        }
    }
}

#[test]
fn a_kill_of_which_nobody_knows_by_whom_is_judged_by_the_event() {
    if !python() {
        skip!("no python3")
    }
    let played = |engine: Engine, killed: Killed| {
        let mut order = order(&engine, &Engine::fake("Good", &[]), NODES);
        order.setup.killed = killed;
        order.launches[0].memory = Some(1 << 30);
        play_on(&mut slot(), &order).0
    };
    let alone = |how: &str| Engine::fake("Bad", &["die=go", &format!("how={how}")]);
    // A shell that stays, and ends with what it was told of its child.
    let in_shell = |how: &str| {
        let mut engine = alone(how);
        let python = std::mem::replace(&mut engine.launch.program, "/bin/sh".into());
        engine.launch.args.splice(0..0, ["-c".into(), "\"$0\" \"$@\"; exit $?".into(), python.into_os_string()]);
        engine
    };
    for (engine, words) in [
        (alone("kill"), "Bad was killed by SIGKILL"),
        (alone("term"), "Bad was killed by SIGTERM"),
        (in_shell("kill"), "Bad exited with code 137, as a shell does whose child was killed by SIGKILL"),
        (in_shell("term"), "Bad exited with code 143, as a shell does whose child was killed by SIGTERM"),
    ] {
        let record = finished(played(engine.clone(), Killed::Crash));
        assert_fault(&record, Seat::First, Ending::Crash, "no kill for want of memory");
        assert_fault(&record, Seat::First, Ending::Crash, "`killed = \"crash\"` in the event makes it the engine's");
        let back = handed_back(played(engine, Killed::Interruption));
        assert_eq!((back.reason, back.plies.len()), (HandBackReason::HostFault, 2));
        for part in [words, "MiB of memory where its limit is 1024 MiB", "not known by whom"] {
            assert!(back.evidence.contains(part), "{}", back.evidence);
        }
        assert_eq!(back.transcripts.len(), 2);
    }
    // What an engine does to itself is its own, whatever the event says.
    for engine in [alone("segv"), alone("exit"), alone("abort"), in_shell("segv"), in_shell("exit"), in_shell("abort")]
    {
        assert_fault(&finished(played(engine, Killed::Interruption)), Seat::First, Ending::Crash, "engine ");
    }
}

#[test]
fn death_after_a_move_is_found_while_the_other_thinks() {
    if !python() {
        skip!("no python3")
    }
    let bad = Engine::fake("Bad", &["die=aftermove", "at=0"]);
    let since = Instant::now();
    let record = play(&order(&bad, &Engine::fake("Slow", &["think=20"]), NODES));
    assert_fault(&record, Seat::First, Ending::Crash, "exited with code 3");
    within(10.0, since);
    assert_eq!(record.plies.len(), 1);
}

#[test]
fn what_does_not_start_is_no_game() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    let text = dir.path().join("no right");
    std::fs::write(&text, "#!/bin/sh\n").expect("a file");
    let odd = |program: &Path| Engine::program("Bad", program.to_str().expect("utf-8"), &[]);
    let mut astray = Engine::fake("Bad", &[]);
    astray.launch.directory = PathBuf::from("/nonexistent/folder");
    let mut launched = odd(Path::new("/nonexistent/engine"));
    launched.launch.prefix = vec!["/usr/bin/env".into()];
    let mut usi = Engine::fake("Bad", &[]);
    usi.setup.protocol = "usi".to_owned();
    for (bad, words) in [
        (odd(Path::new("/nonexistent/engine")), "No such file"),
        (launched, "No such file"),
        (odd(&text), "Permission denied"),
        (odd(dir.path()), "Permission denied"),
        (astray, "working directory /nonexistent/folder"),
        (usi, "unknown protocol `usi`"),
        (odd(Path::new("/bin/true")), "exited with code 0 before it sent `uciok`"),
        (Engine::fake("Bad", &["die=start"]), "exited with code 3 before it sent `uciok`; stderr: assertion failed"),
        (Engine::fake("Bad", &["die=uci", "how=segv"]), "was killed by SIGSEGV before it sent `uciok`"),
        (Engine::fake("Bad", &["die=ready"]), "exited with code 3 before it sent `readyok`"),
    ] {
        for seat in Seat::BOTH {
            let good = Engine::fake("Good", &[]);
            let order = if seat == Seat::First { order(&bad, &good, NODES) } else { order(&good, &bad, NODES) };
            let back = handed_back(play_on(&mut slot(), &order).0);
            assert_eq!((back.reason, back.engine.as_str()), (HandBackReason::NotStarted, "Bad"), "{back:?}");
            assert!(
                back.evidence.contains(words) && back.evidence.contains("Bad"),
                "{:?} lacks {words:?}",
                back.evidence
            );
            assert!(back.plies.is_empty());
        }
    }
}

#[test]
fn silence_at_the_start_is_bounded_and_leaves_nobody() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    for (n, (stage, word)) in [("start", "uciok"), ("uci", "uciok"), ("ready", "readyok")].into_iter().enumerate() {
        let note = dir.path().join(n.to_string());
        let child = format!("child={}", note.display());
        let bad = Engine::fake("Bad", &[&format!("hang={stage}"), "deaf=1", &child]);
        let mut order = order(&bad, &Engine::fake("Good", &[]), NODES);
        order.setup.limits.start = Duration::from_secs(2);
        order.setup.limits.ready = Duration::from_secs(2);
        let back = handed_back(play_on(&mut slot(), &order).0);
        assert_eq!(back.reason, HandBackReason::NotStarted);
        assert!(back.evidence.contains(&format!("did not send `{word}` within 2 s")), "{}", back.evidence);
        for pid in std::fs::read_to_string(&note).expect("a note").split(' ') {
            assert!(is_gone(pid), "process {pid} of stage {stage} is still there");
        }
    }
}

#[test]
fn what_left_the_engines_group_ends_with_it() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    let note = dir.path().join("note");
    let bad = Engine::fake("Bad", &[&format!("child={}", note.display()), "stray=1"]);
    let mut slot = slot();
    is_clean(&finished(play_on(&mut slot, &order(&bad, &Engine::fake("Good", &[]), NODES)).0));
    drop(slot);
    for pid in std::fs::read_to_string(&note).expect("a note").split(' ') {
        assert!(is_gone(pid), "process {pid} is still there");
    }
}

/// Gone, or a zombie that init has not reaped yet (the child's child is not ours to reap). A signal takes its time to
/// arrive on a busy machine.
fn is_gone(pid: &str) -> bool {
    let gone = || std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z"));
    (0..1000).any(|_| {
        std::thread::park_timeout(Duration::from_millis(5));
        gone()
    })
}

#[test]
fn an_engine_that_takes_more_than_its_share_is_killed_and_loses() {
    if !python() {
        skip!("no python3")
    }
    let mut greedy = Engine::fake("Greedy", &["memory=200000000"]);
    greedy.launch.memory = Some(100 << 20);
    let record = play(&order(&greedy, &Engine::fake("Good", &[]), NODES));
    assert_fault(&record, Seat::First, Ending::Crash, "its limit is 100 MiB");
}

#[test]
fn an_engine_that_does_not_know_its_limit_of_nodes_is_told_to_stop() {
    if !python() {
        skip!("no python3")
    }
    let record = white(&["endless=1", "at=2"], NODES);
    is_clean(&record);
    let told = record.warnings.iter().find(|(name, _)| name.contains("does not heed `go nodes`"));
    assert_eq!(told.map(|(_, count)| *count), Some(3), "{:?}", record.warnings);
}

#[test]
fn what_is_no_legal_move_loses() {
    if !python() {
        skip!("no python3")
    }
    for text in ["(none)", "0000", "", "NULL", "nan", "Ng1-f3", "a1a1", "e1g1", "e2e4q", "g1f3Q", "g1", "é2e4"] {
        let record = white(&[&format!("say={text}"), "at=0"], NODES);
        assert_fault(&record, Seat::First, Ending::IllegalMove, if text.is_empty() { "without a move" } else { text });
        assert!(record.plies.is_empty());
        assert_eq!(outcome(&record).result, GameResult::SecondWins);
    }
}

#[test]
fn a_second_answer_is_dropped() {
    if !python() {
        skip!("no python3")
    }
    let record = white(&["twice=1"], NODES);
    is_clean(&record);
    assert_eq!(record.warnings.get("Bad: bestmove without a search, dropped"), Some(&3), "{:?}", record.warnings);
}

#[test]
fn late_is_late_and_does_not_reach_the_next_game() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    for control in ["0.3+0.1", "movetime=300ms"] {
        let once = format!("once={}", dir.path().join(control).display());
        let bad = Engine::fake("Bad", &["after=0.3", &once]);
        let mut slot = slot();
        let order = order(&bad, &Engine::fake("Good", &[]), control);
        let record = finished(play_on(&mut slot, &order).0);
        assert_fault(&record, Seat::First, Ending::TimeLoss, "late");
        assert_eq!(record.plies.len(), 2);
        assert!(record.transcripts[0].lines.iter().any(|line| line.ends_with("> stop")), "{:?}", record.transcripts);
        is_clean(&finished(play_on(&mut slot, &order).0));
    }
}

#[test]
fn a_margin_forgives_and_the_clock_stays_above_zero() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    let once = format!("once={}", dir.path().join("once").display());
    let log = dir.path().join("log");
    let bad = Engine::fake("Bad", &["after=0.15", &once, &format!("log={}", log.display())]);
    let mut order = order(&bad, &Engine::fake("Good", &[]), "0.2+0.1");
    order.setup.sides[0].margin = Duration::from_millis(1500);
    is_clean(&play(&order));
    let log = std::fs::read_to_string(log).expect("a log");
    let clocks: Vec<i64> =
        log.lines().filter_map(|line| line.strip_prefix("go wtime ")?.split(' ').next()?.parse().ok()).collect();
    assert_eq!(clocks.len(), 4);
    assert_eq!(clocks[2], 100, "after a debt that was forgiven: the increment alone, in {clocks:?}");
}

#[test]
fn a_flag_without_an_answer_is_a_stall() {
    if !python() {
        skip!("no python3")
    }
    let mut order = order(&Engine::fake("Bad", &["hang=go", "deaf=1"]), &Engine::fake("Good", &[]), "0.3+0.1");
    order.setup.limits.stall = Duration::from_millis(500);
    let since = Instant::now();
    let mut slot = slot();
    assert_fault(&finished(play_on(&mut slot, &order).0), Seat::First, Ending::Stall, "no answer");
    within(3.0, since);
    // The deaf engine is not waited for again, and the next one is a new process.
    assert_fault(&finished(play_on(&mut slot, &order).0), Seat::First, Ending::Stall, "no answer");
    within(8.0, since);
}

#[test]
fn silence_without_a_clock_is_a_stall() {
    if !python() {
        skip!("no python3")
    }
    for control in [NODES, "inf"] {
        let mut order = order(&Engine::fake("Good", &[]), &Engine::fake("Bad", &["hang=go"]), control);
        order.setup.limits.silence = Duration::from_millis(300);
        assert_fault(&play(&order), Seat::Second, Ending::Stall, "wrote nothing for 0.3 s");
    }
}

#[test]
fn odd_lines_make_the_same_game() {
    if !python() {
        skip!("no python3")
    }
    for faults in [&["odd=1"][..], &["partial=0.02"], &["odd=1", "partial=0.005"], &["info=20"], &["stderr=1048576"]] {
        let record = white(faults, NODES);
        is_clean(&record);
        assert_eq!(record.plies[0].score, Some(Score::Cp(12)), "{faults:?}");
        assert_eq!(
            (record.plies[0].depth, record.plies[0].nodes, record.plies[0].tablebase_hits),
            (if faults[0] == "info=20" { 20 } else { 1 }, 100, 3)
        );
        assert_eq!(record.engines[0].id_name.split_whitespace().collect::<Vec<_>>(), ["Fake", "One"]);
    }
}

#[test]
fn a_clock_stops_with_the_newline() {
    if !python() {
        skip!("no python3")
    }
    let record = white(&["partial=0.05", "info=0"], "10+0");
    is_clean(&record);
    assert!(record.plies[0].time() >= Duration::from_millis(150), "{:?}", record.plies[0]);
    assert!(record.plies[1].time() < Duration::from_millis(150), "{:?}", record.plies[1]);
}

#[test]
fn bounds_and_other_variations_are_no_score() {
    if !python() {
        skip!("no python3")
    }
    let record = white(&["bounds=1"], NODES);
    is_clean(&record);
    assert_eq!((record.plies[0].score, record.plies[0].depth), (Some(Score::Cp(12)), 1));
}

#[test]
fn an_illegal_pv_is_cut_and_counted() {
    if !python() {
        skip!("no python3")
    }
    let record = white(&["pv=g1f3 g8f6 f3f3 f6g8"], NODES);
    is_clean(&record);
    assert_eq!(record.plies[0].pv, "g1f3 g8f6");
    assert_eq!(record.warnings.get("Bad: illegal move in a PV"), Some(&4), "{:?}", record.warnings);
}

#[test]
fn floods_are_read_in_flat_memory() {
    if !python() {
        skip!("no python3")
    }
    let before = resident();
    let record = white(&["flood=60000000", "at=2"], "60+1");
    is_clean(&record);
    let record = white(&["line=20000000", "at=6"], "60+1");
    is_clean(&record);
    assert_eq!(record.warnings.get("Bad: line longer than 16384 bytes, cut"), Some(&1), "{:?}", record.warnings);
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 20, "grew by {grown} bytes");
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("statm");
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4096
}

/// The whole process stands still while an answer lies there: nothing is left to tell when it came.
#[test]
fn who_slept_over_the_flag_blames_nobody() {
    if !python() {
        skip!("no python3")
    }
    let me = std::process::id();
    let mut order = order(&Engine::fake("Good", &[]), &Engine::fake("Prompt", &[&format!("stop={me}")]), "1.5");
    order.setup.limits.lag = Duration::from_millis(500);
    let back = handed_back(play_on(&mut slot(), &order).0);
    assert_eq!(back.reason, HandBackReason::Lag, "{back:?}");
    assert!(back.evidence.contains("referee late"), "{back:?}");
}

/// It stands still and no flag falls: the clock is not charged for that either.
#[test]
fn who_stood_still_charges_nobody() {
    if !python() {
        skip!("no python3")
    }
    let folder = tempfile::tempdir().expect("a folder");
    let stop = format!("stop={}", std::process::id());
    let once = format!("once={}", folder.path().join("once").display());
    let prompt = Engine::fake("Prompt", &[&stop, "for=2", &once]);
    let record = play(&order(&Engine::fake("Good", &[]), &prompt, "60"));
    is_clean(&record);
    let seconds = |ns: u64| Duration::from_nanos(ns).as_secs_f64();
    let ply = record.plies.iter().max_by_key(|ply| ply.lag_ns).expect("plies");
    assert!(seconds(ply.lag_ns) > 1.5 && seconds(ply.time_ns) < 1.0, "{ply:?}");
}

#[test]
fn a_flood_does_not_move_the_deadline() {
    if !python() {
        skip!("no python3")
    }
    let mut order = order(&Engine::fake("Bad", &["flood=100000000000"]), &Engine::fake("Good", &[]), "0.5");
    order.setup.limits.stall = Duration::from_millis(500);
    order.setup.limits.lag = Duration::from_secs(60);
    let since = Instant::now();
    assert_fault(&play(&order), Seat::First, Ending::Stall, "no answer");
    within(4.0, since);
}

#[test]
fn only_known_and_legal_options_are_sent() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let bad = Engine::fake("Bad", &[&format!("log={}", log.display())])
        .option("Style", "risky play")
        .option("Nope", "1")
        .option("Hash", "-16")
        .option("hash", "32")
        .option("Book File", "")
        .option("Style", "Wild\nquit");
    let mut order = order(&bad, &Engine::fake("Good", &[]), NODES);
    order.setup.sides[0].engine.threads = Some(2);
    let record = play(&order);
    is_clean(&record);
    let log = std::fs::read_to_string(log).expect("a log");
    let sent: Vec<&str> = log.lines().filter(|line| line.starts_with("setoption")).collect();
    assert_eq!(
        sent,
        [
            "setoption name Threads value 2",
            "setoption name Hash value 32",
            "setoption name Style value Risky Play",
            "setoption name Book File value ",
        ]
    );
    let warnings: Vec<&str> = record.warnings.keys().map(String::as_str).collect();
    assert_eq!(
        warnings,
        [
            "Bad: option Hash: -16 is out of range 1..1024, not sent",
            "Bad: option Nope: unknown to the engine, not sent",
            "Bad: option Style: a value must be one line, not sent",
            "Bad: option line not understood",
            "Good: option line not understood",
        ]
    );
}

#[test]
fn what_is_said_in_a_whole_game() {
    if !python() {
        skip!("no python3")
    }
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("log");
    let bad = Engine::fake("Bad", &[&format!("log={}", log.display())]);
    let mut slot = slot();
    let order = order(&bad, &Engine::fake("Good", &[]), "3/10+0.5");
    is_clean(&finished(play_on(&mut slot, &order).0));
    drop(slot);
    let log = std::fs::read_to_string(log).expect("a log");
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    for line in &mut lines {
        // Times vary; their names do not.
        *line = line
            .split(' ')
            .map(|w| if w.len() > 3 && w.parse::<u32>().is_ok() { "T" } else { w })
            .collect::<Vec<_>>()
            .join(" ");
    }
    assert_eq!(
        lines,
        [
            "uci",
            "isready",
            "ucinewgame",
            "isready",
            "position startpos",
            "go wtime T btime T winc 500 binc 500 movestogo 3",
            "position startpos moves g1f3 g8f6",
            "go wtime T btime T winc 500 binc 500 movestogo 2",
            "position startpos moves g1f3 g8f6 f3g1 f6g8",
            "go wtime T btime T winc 500 binc 500 movestogo 1",
            "position startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6",
            "go wtime T btime T winc 500 binc 500 movestogo 3",
            "quit",
        ]
    );
}

#[test]
fn an_engine_that_dies_between_games_is_started_anew() {
    if !python() {
        skip!("no python3")
    }
    let mut slot = slot();
    let order = order(&Engine::fake("Bad", &["die=newgame"]), &Engine::fake("Good", &[]), NODES);
    is_clean(&finished(play_on(&mut slot, &order).0));
    let record = finished(play_on(&mut slot, &order).0);
    is_clean(&record);
    let expected = "Bad: exited with code 3 between games, started anew";
    assert_eq!(record.warnings.get(expected), Some(&1), "{:?}", record.warnings);
}

#[test]
fn engines_stay_as_long_as_the_spec_says() {
    if !python() {
        skip!("no python3")
    }
    for (restart, starts) in [(Restart::Never, 1), (Restart::Pair, 2), (Restart::Game, 4)] {
        let dir = tempfile::tempdir().expect("a folder");
        let log = dir.path().join("log");
        let one = Engine::fake("One", &[&format!("log={}", log.display())]);
        let two = Engine::fake("Two", &[]);
        let mut slot = slot();
        for game in 0..4 {
            let mut order = if game % 2 == 0 { order(&one, &two, NODES) } else { order(&two, &one, NODES) };
            order.new_pair = game % 2 == 0;
            // Folders may go by the seat.
            order.launches[0].directory = dir.path().to_owned();
            for side in &mut order.setup.sides {
                side.engine.restart = restart;
            }
            is_clean(&finished(play_on(&mut slot, &order).0));
        }
        let log = std::fs::read_to_string(log).expect("a log");
        assert_eq!(log.lines().filter(|line| *line == "uci").count(), starts, "{restart:?}");
        assert_eq!(log.lines().filter(|line| *line == "ucinewgame").count(), 4, "{restart:?}");
    }
}

#[test]
fn an_order_to_stop_is_obeyed_at_once() {
    if !python() {
        skip!("no python3")
    }
    for (stage, plies) in [("hang=go", 2), ("hang=ready", 0), ("flood=100000000000", 2)] {
        let order = order(&Engine::fake("Bad", &[stage, "deaf=1"]), &Engine::fake("Good", &[]), "600");
        let control = Control::new().expect("a descriptor");
        let other = control.clone();
        let mut slot = slot();
        let (asked, end) = std::thread::scope(|scope| {
            let asked = scope.spawn(move || {
                std::thread::park_timeout(Duration::from_millis(1500));
                other.hand_back(HandBackReason::Paused);
                other.cancel(false);
                Instant::now()
            });
            let end = slot.play(&order, None, &control, &mut |_| ());
            (asked.join().expect("no panic"), end)
        });
        within(1.0, asked);
        let back = handed_back(end);
        assert_eq!((back.reason, back.plies.len()), (HandBackReason::Paused, plies), "{stage}");
        if plies > 0 {
            assert!(back.clocks[0].is_some_and(|left| left > Duration::from_secs(590)), "{:?}", back.clocks);
        }
    }
    let control = Control::new().expect("a descriptor");
    control.cancel(false);
    let order = order(&Engine::fake("One", &[]), &Engine::fake("Two", &[]), NODES);
    let end = slot().play(&order, None, &control, &mut |_| ());
    assert!(
        matches!(end, TableEnd::HandedBack(back) if back.reason == HandBackReason::Cancelled && back.plies.is_empty())
    );
}

#[test]
fn a_game_goes_on_from_where_it_was() {
    if !python() {
        skip!("no python3")
    }
    let order = order(&Engine::fake("One", &[]), &Engine::fake("Two", &[]), "10+1");
    let whole = play(&order);
    let resume = rookery_worker::table::Resume {
        plies: whole.plies[..5].to_vec(),
        clocks: [Some(Duration::from_secs(3)), Some(Duration::from_secs(4))],
        notes: vec![rookery_game::record::Note { ply: 5, text: "went on".to_owned() }],
        restarts: 1,
    };
    let again = play(&rookery_worker::table::TableOrder { resume: Some(resume), ..order });
    is_clean(&again);
    assert_eq!((again.restarts, again.notes.len()), (1, 1));
    let clock = Duration::from_nanos(again.plies[5].clock_ns.expect("a clock"));
    assert!(clock > Duration::from_millis(4500) && clock < Duration::from_secs(5), "{clock:?}");
}

#[test]
fn pondering_hits_misses_and_faults() {
    if !python() {
        skip!("no python3")
    }
    // The fake says no ponder move: an engine that does is made by its answer.
    for (say, extra) in [
        ("g1f3 ponder g8f6", &[][..]),
        ("g1f3 ponder e7e5", &[]),
        ("g1f3 ponder g8f6", &["early=1"]),
        ("g1f3 ponder e7e5", &["early=1"]),
        ("g1f3 ponder e7e9", &[]),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let log = dir.path().join("log");
        let once = dir.path().join("once");
        let mut faults = vec![
            format!("say={say}"),
            "at=0".to_owned(),
            format!("once={}", once.display()),
            format!("log={}", log.display()),
        ];
        faults.extend(extra.iter().map(|s| (*s).to_owned()));
        let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
        let mut order = order(&Engine::fake("Bad", &faults), &Engine::fake("Good", &[]), "60+1");
        order.setup.sides[0].ponder = true;
        let record = play(&order);
        is_clean(&record);
        let log = std::fs::read_to_string(&log).expect("a log");
        let hit = say.ends_with("f6");
        if extra.is_empty() {
            assert_eq!(log.contains("ponderhit"), hit, "{say}: {log}");
        }
        assert_eq!(log.contains("go ponder wtime"), !say.ends_with("e9"), "{say}");
        assert!(log.contains("setoption name Ponder value true"));
    }
}

#[test]
fn engines_are_in_groups_of_their_own_and_nobody_is_left() {
    if !python() {
        skip!("no python3");
    }
    let dir = tempfile::tempdir().expect("a folder");
    let note = dir.path().join("note");
    let bad = Engine::fake("Bad", &[&format!("child={}", note.display())]);
    let order = order(&bad, &Engine::fake("Good", &[]), NODES);
    let control = Control::new().expect("a descriptor");
    let mut slot = slot();
    let mut groups = Vec::new();
    let pids = || std::fs::read_to_string(&note).expect("a note").split(' ').map(str::to_owned).collect::<Vec<_>>();
    let end = slot.play(&order, None, &control, &mut |_| {
        groups = pids()
            .iter()
            .map(|pid| {
                let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
                stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(2)).map(str::to_owned)
            })
            .collect();
    });
    is_clean(&finished(end));
    let engine = pids()[0].clone();
    assert_eq!(groups, [Some(engine.clone()), Some(engine.clone())], "an interrupt of ours does not reach it");
    drop(slot);
    assert!(!Path::new(&format!("/proc/{engine}")).exists(), "the engine is reaped");
    assert!(pids().iter().all(|pid| is_gone(pid)), "its child ended with it");
}
