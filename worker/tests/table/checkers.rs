//! Chinese checkers by CCP: what engines may write, and what they may not.

use std::time::Duration;

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, Outcome, Seat,
    prediction::{Predictions, Tally, count},
    setup::{GameRules, Start},
};
use rookery_worker::table::TableOrder;

use crate::{help::*, skip};

fn told(name: &str, answers: &[&str]) -> Engine {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines/ccp.py");
    let args: Vec<&str> = std::iter::once(script).chain(answers.iter().copied()).collect();
    let mut engine = Engine::program(name, "/usr/bin/python3", &args);
    engine.setup.protocol = "ccp".to_owned();
    engine
}

fn order_of(first: &[&str], second: &[&str], position: &str, max_ply: u32) -> TableOrder {
    let mut order = order(&told("A", first), &told("B", second), "nodes=100");
    order.setup.kind = GameKind::ChineseCheckers;
    order.setup.start = Start { position: position.to_owned(), moves: Vec::new() };
    order.setup.rules = GameRules::default();
    order.setup.rules.chinese_checkers.max_ply = max_ply;
    order
}

fn moves(record: &GameRecord) -> Vec<&str> {
    record.plies.iter().map(|ply| ply.mv.as_str()).collect()
}

#[test]
fn paths_ends_and_commas_are_moves_and_the_canonical_path_is_kept() {
    if !python() {
        skip!("no python3");
    }
    let order = order_of(&["3-14", "4-15-13"], &["111,102", "102-111"], "", 4);
    let record = play(&order);
    assert_eq!(moves(&record), ["3-14", "111-102", "4-15-13", "102-111"]);
    assert_eq!(record.outcome, Some(Outcome::new(GameResult::Draw, Ending::MaxPly)));
    record.replay().unwrap();
    assert_eq!(record.plies[0].pv, "3-14");
    assert_eq!(record.engines[0].id_name, "Told");
}

#[test]
fn a_chain_by_its_ends_is_recorded_whole() {
    if !python() {
        skip!("no python3");
    }
    let order = order_of(&["3-14", "4-13"], &["111-102", "102-111"], "", 4);
    assert_eq!(moves(&play(&order))[2], "4-15-13");
}

#[test]
fn what_is_no_legal_move_loses() {
    if !python() {
        skip!("no python3");
    }
    for (answer, detail) in [
        ("3-9-14", "no hop apart"),
        ("3-14-15", "a step cannot be part"),
        ("0000", "not a move"),
        ("3-3", "where it begins"),
        ("111-102", "does not begin with a piece"),
        ("3-15", "no chain"),
        ("3-140", "no hole"),
        ("e2e4", "not a move"),
        ("3", "not a move"),
    ] {
        let record = play(&order_of(&[answer], &["111-102"], "", 240));
        assert_fault(&record, Seat::First, Ending::IllegalMove, detail);
        record.replay().unwrap();
    }
    // Player 0 has a piece in its goal, in hole 111, and takes it out again.
    let (none, own, other) = (|n| ".".repeat(n), "0".repeat(9), "1".repeat(8));
    let inside = format!("cells .{own}{}11{}0{other}. player 0 ply 20", none(50), none(49));
    let record = play(&order_of(&["111-102"], &["112-103"], &inside, 240));
    assert_fault(&record, Seat::First, Ending::IllegalMove, "stays there");
}

/// Ten pieces of each player in these holes.
fn cells(zero: &[usize], one: &[usize]) -> String {
    (0..121)
        .map(|hole| {
            if zero.contains(&hole) {
                '0'
            } else if one.contains(&hole) {
                '1'
            } else {
                '.'
            }
        })
        .collect()
}

/// The ends of these paths are legal moves; the paths are not.
#[test]
fn a_path_must_be_legal_though_its_ends_are() {
    if !python() {
        skip!("no python3");
    }
    for (path, detail) in [
        ("4-30-13", "no hop apart"),
        ("4-15-4-13", "in a hole twice"),
        ("4-15-4-15-13", "in a hole twice"),
        ("4-15-13-13", "in a hole twice"),
        ("4-8-13", "a step cannot be part"),
        ("4-13-4", "where it begins"),
        ("4,15,13,", "not a move"),
        ("4-15--13", "not a move"),
    ] {
        let record = play(&order_of(&["3-14", path], &["111-102"], "", 240));
        assert_fault(&record, Seat::First, Ending::IllegalMove, detail);
        assert_eq!(record.plies.len(), 2, "{path}");
        record.replay().unwrap();
    }
    assert_eq!(moves(&play(&order_of(&["3-14", "4-13"], &["111-102"], "", 3)))[2], "4-15-13");
    // Out of the goal and in again: from 111 to 113 there is a hop, but not by way of 91.
    let zero: Vec<usize> = (0..9).chain([111]).collect();
    let one: Vec<usize> = [103, 104, 112].into_iter().chain(114..121).collect();
    let start = format!("cells {} player 0 ply 40", cells(&zero, &one));
    let record = play(&order_of(&["111-91-113"], &["112-102"], &start, 240));
    assert_fault(&record, Seat::First, Ending::IllegalMove, "stays there");
    assert_eq!(moves(&play(&order_of(&["111-113"], &["103-92"], &start, 41))), ["111-113"]);
}

#[test]
fn hostile_bytes_are_no_move() {
    if !python() {
        skip!("no python3");
    }
    let long = format!("raw:bestmove {}", "3-".repeat(30_000));
    for (answer, detail) in [
        (r"raw:bestmove \x00\xff\x1b[31m", "not a move"),
        (r"raw:bestmove 3-14\x00", "not a move"),
        (r"raw:bestmove \xd9\xa3-14", "not a move"),
        (r"raw:bestmove 3-14,", "not a move"),
        (r"raw:bestmove +3-14", "not a move"),
        (r"raw:bestmove 3-14-18446744073709551616", "not a move"),
        (r"raw:bestmove", "without a move"),
        (&long, "so many"),
    ] {
        let record = play(&order_of(&[answer], &["111-102"], "", 240));
        assert_fault(&record, Seat::First, Ending::IllegalMove, detail);
        assert!(record.outcome.as_ref().is_some_and(|o| o.detail.len() < 300 && !o.detail.contains('\u{1b}')));
    }
    // What is no answer is passed over; a line break by itself, a carriage return and what follows the move too.
    let answer = r"raw:\x00\xffinfo\n\r\ninfo score cp \xff pv 3-3\nconditional \xff\nbestmove 3-14 4-15\x00\r";
    assert_eq!(moves(&play(&order_of(&[answer], &["111-102"], "", 1))), ["3-14"]);
}

/// The Prediction Criterion: a string in CCP's words, offered to who declares it, its reply played by the table.
#[test]
fn strings_of_conditional_moves() {
    if !python() {
        skip!("no python3");
    }
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let logs = [&a, &b].map(|path| format!("--log={}", path.display()));
    let string = "--string=111,102 4-13 1-1 1-1";
    let first = [logs[0].as_str(), "--declare=conditional", string, "3-14", "14-3"];
    let mut order = order_of(&first, &[&logs[1], "111-102", "102-90", "90-102"], "", 6);
    order.setup.predictions = Some(Predictions { from: 1, mandatory: false, ..Predictions::default() });
    let record = play(&order);
    // The first move of the other side was foreseen and answered by the table; the second one was another.
    assert_eq!(moves(&record)[..4], ["3-14", "111-102", "4-15-13", "102-90"]);
    assert_eq!(record.plies.iter().map(|ply| ply.auto).collect::<Vec<_>>(), [false, false, true, false, false, false]);
    assert_eq!(record.plies[0].conditional, "111-102 4-15-13");
    assert_eq!(record.plies[1].foreseen, Some(true));
    assert_eq!(count(&record.setup, &record.plies), Some(Tally { points: [1, 0], forfeited: [false; 2] }));
    let [a, b] = [a, b].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(a.contains("conditional on\nisready\n") && !b.contains("conditional"), "{a}{b}");
    assert_eq!((a.matches("go nodes").count(), b.matches("go nodes").count()), (2, 3));
    // Nobody is asked for strings where the event does not score them.
    order.setup.predictions = None;
    let plain = folder.path().join("plain");
    let log = format!("--log={}", plain.display());
    play(&order_of(&[&log, "--declare=conditional", "3-14"], &["111-102"], "", 1));
    assert!(!std::fs::read_to_string(plain).unwrap().contains("conditional"));
}

#[test]
fn ends_of_engines() {
    if !python() {
        skip!("no python3");
    }
    let record = play(&order_of(&["3-14", "die"], &["111-102"], "", 240));
    assert_fault(&record, Seat::First, Ending::Crash, "exited with code 3");
    let mut order = order_of(&["3-14"], &["wait"], "", 240);
    order.setup.sides[1].time_control = "movetime=50ms".parse().unwrap();
    order.setup.limits.stall = Duration::from_millis(200);
    assert_fault(&play(&order), Seat::Second, Ending::Stall, "no answer");
    let mut order = order_of(&["--silent", "3-14"], &["111-102"], "", 240);
    order.setup.limits.start = Duration::from_millis(300);
    let back = handed_back(play_on(&mut slot(), &order).0);
    assert!(back.evidence.contains("ccpok"), "{}", back.evidence);
    let mut order = order_of(&["3-14"], &["111-102"], "", 240);
    order.setup.sides[0].engine.protocol = "uci".to_owned();
    assert!(handed_back(play_on(&mut slot(), &order).0).evidence.contains("uci"));
}

#[test]
fn additions_are_offered_to_who_declares_them() {
    if !python() {
        skip!("no python3");
    }
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str| folder.path().join(name);
    let (plain, more) = (log("plain"), log("more"));
    let args = [plain.display().to_string(), more.display().to_string()].map(|path| format!("--log={path}"));
    let order =
        order_of(&[&args[0], "3-14", "14-15"], &[&args[1], "--declare=newgame moves", "111-102", "102-91"], "", 4);
    play(&order);
    let [plain, more] = [plain, more].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(!plain.contains("newgame") && !plain.contains("moves") && plain.contains(" player 0 ply 2\ngo nodes 100"));
    assert!(more.contains("newgame\nisready\n") && more.contains(" player 0 ply 0 moves 3-14 111-102 14-15\ngo nodes"));
}
