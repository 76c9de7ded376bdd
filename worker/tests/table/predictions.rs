//! Strings of conditional moves at the table: hidden, played for their owner, charged to nobody.

use rookery_game::{
    Ending, GameRecord, Seat,
    prediction::{Predictions, Tally, count},
};
use rookery_worker::table::{Resume, TableOrder};

use crate::{help::*, skip};

fn zone(from: u32, to: u32) -> Option<Predictions> {
    Some(Predictions { from, to, mandatory: false, ..Predictions::default() })
}

/// Each ply: `a` played by the table, `+` foreseen and counted, `o` foreseen and not, `.` none of it.
fn marks(record: &GameRecord) -> String {
    let mark = |ply: &rookery_game::Ply| {
        let hit = match ply.foreseen {
            Some(true) => "+",
            Some(false) => "o",
            None => ".",
        };
        format!("{}{hit}", if ply.auto { "a" } else { "" })
    };
    record.plies.iter().map(mark).collect::<Vec<_>>().join(" ")
}

fn asked(path: &std::path::Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().filter(|line| line.starts_with("go")).count()
}

fn game(first: &[&str], second: &[&str], rules: Option<Predictions>) -> (TableOrder, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let engine = |name: &str, args: &[&str]| {
        let log = format!("log={}", dir.path().join(name).display());
        let args: Vec<&str> = args.iter().copied().chain([log.as_str()]).collect();
        Engine::fake(name, &args)
    };
    let mut order = order(&engine("A", first), &engine("B", second), "60+1");
    order.setup.predictions = rules;
    (order, dir)
}

#[test]
fn replies_are_played_by_the_table_and_not_charged() {
    if !python() {
        skip!("no python3");
    }
    let (order, dir) = game(&["cond=9"], &[], zone(2, 3));
    let record = play(&order);
    assert_eq!(outcome(&record).ending, Ending::Repetition);
    assert_eq!(marks(&record), ". o a. + a. + a. o");
    assert_eq!(count(&record.setup, &record.plies), Some(Tally { points: [2, 0], forfeited: [false; 2] }));
    assert_eq!((asked(&dir.path().join("A")), asked(&dir.path().join("B"))), (1, 4));
    let auto = record.plies.iter().filter(|ply| ply.auto);
    assert!(auto.clone().all(|ply| ply.time_ns == 0 && ply.clock_ns == record.plies[0].clock_ns));
    assert_eq!(record.plies[0].conditional.split(' ').count(), 7, "the game is over after eight plies");
    let pgn = rookery_game::pgn::write(&record, &rookery_game::pgn::PgnOptions::default());
    for tag in ["[PredictionWhite \"2\"]", "[PredictionBlack \"0\"]", "[PredictionWinner \"White\"]", "[PC1 \"2\"]"] {
        assert!(pgn.contains(tag), "{pgn}");
    }
    let read = rookery_game::pgn::games(pgn.as_bytes()).next().expect("a game");
    assert_eq!(count(&record.setup, &read.plies), count(&record.setup, &record.plies));
}

#[test]
fn both_hold_strings() {
    if !python() {
        skip!("no python3");
    }
    let (order, dir) = game(&["cond=9", "word=conditional"], &["cond=2"], zone(1, 99));
    let record = play(&order);
    assert_eq!(marks(&record), ". + a+ a+ a+ a+ a. +");
    assert_eq!((asked(&dir.path().join("A")), asked(&dir.path().join("B"))), (1, 2));
}

#[test]
fn a_variation_is_a_string_and_what_is_not_legal_costs_nothing() {
    if !python() {
        skip!("no python3");
    }
    // Their variation is of the first move alone, and its second pair is wrong.
    let (mut order, _dir) = game(&["info=1", "pv=g1f3 g8f6 f3g1 a1a8 b1c3"], &[], zone(1, 99));
    order.setup.keep_transcript = true;
    let record = play(&order);
    assert_eq!(record.plies[0].conditional, "g8f6 f3g1");
    assert_eq!(marks(&record), ". + a. . . + a. .");
    let (order, _dir) =
        game(&["cond=1", "word=conditional a1a1"], &[], Some(Predictions { from: 1, ..Predictions::default() }));
    let record = play(&order);
    assert_eq!(marks(&record), ". . . . . . . .");
    let warned: Vec<&str> = record.warnings.keys().map(String::as_str).collect();
    assert!(warned.contains(&"A: illegal conditional move"), "{warned:?}");
    assert!(warned.contains(&"B: no conditional moves where some were due"), "{warned:?}");
    assert!(record.notes.iter().any(|note| note.text == "move 1: no string from second"), "{:?}", record.notes);
}

#[test]
fn an_engine_that_knows_strings_is_asked_for_them() {
    if !python() {
        skip!("no python3");
    }
    let (order, dir) = game(&["declare=UCI_Conditional"], &["declare=UCI_Conditional"], zone(1, 99));
    play(&order);
    let told = std::fs::read_to_string(dir.path().join("A")).expect("a log");
    assert!(told.contains("setoption name UCI_Conditional value true"), "{told}");
}

#[test]
fn a_string_goes_on_after_an_interruption() {
    if !python() {
        skip!("no python3");
    }
    let (mut order, dir) = game(&["cond=9"], &[], zone(1, 99));
    let whole = play(&order);
    // The last word of the game that was broken off is the hit: its reply is still to come.
    let plies = whole.plies[..4].to_vec();
    order.resume = Some(Resume { plies, clocks: [None; 2], restarts: 1, notes: Vec::new() });
    std::fs::remove_file(dir.path().join("A")).expect("a log");
    let record = play(&order);
    assert_eq!(marks(&record), marks(&whole));
    assert_eq!(asked(&dir.path().join("A")), 0, "the owner of the string is not asked again");
    assert_eq!(count(&record.setup, &record.plies), count(&whole.setup, &whole.plies));
    assert_eq!(record.plies[4].mv, whole.plies[4].mv);
    assert_eq!(count(&record.setup, &record.plies).map(|tally| tally.winner()), Some(Seat::First));
}

const OFFERS: &str = "declare=UCI_DrawOffer";

/// How often an engine was told `draw`, and how often to think.
fn told(dir: &tempfile::TempDir, name: &str) -> (usize, usize) {
    let path = dir.path().join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    (text.lines().filter(|line| *line == "draw").count(), asked(&path))
}

fn offered(record: &GameRecord) -> Vec<usize> {
    record.plies.iter().enumerate().filter(|(_, ply)| ply.offer).map(|(at, _)| at).collect()
}

#[test]
fn an_offer_with_a_foreseen_move_pauses_the_series_for_its_owner() {
    if !python() {
        skip!("no python3");
    }
    // Taken: over with the foreseen move, whose point stands, and nobody was told to think for it.
    let (order, dir) = game(&["cond=9", OFFERS, "accept=4"], &["offer=3", OFFERS], zone(1, 99));
    let record = play(&order);
    assert_eq!(
        outcome(&record),
        rookery_game::Outcome {
            detail: "offered by B, taken by A".to_owned(),
            ..rookery_game::Outcome::new(rookery_game::GameResult::Draw, Ending::Agreement)
        }
    );
    assert_eq!((marks(&record), offered(&record)), (". + a. +".to_owned(), vec![3]));
    assert_eq!(told(&dir, "A"), (1, 1));
    record.replay().expect("it holds");
    assert_eq!(count(&record.setup, &record.plies), Some(Tally { points: [2, 0], forfeited: [false; 2] }));
    let pgn = rookery_game::pgn::write(&record, &rookery_game::pgn::PgnOptions::default());
    assert!(pgn.contains("hit=1, offer=1") && pgn.contains("Draw by agreement: offered by B"), "{pgn}");
    // Declined: the stored reply is played, the string lives, and its owner's clock stands.
    let (order, dir) = game(&["cond=9", OFFERS], &["offer=3", OFFERS], zone(1, 99));
    let record = play(&order);
    assert_eq!((marks(&record), offered(&record)), (". + a. + a. + a. +".to_owned(), vec![3]));
    assert_eq!((told(&dir, "A"), told(&dir, "B")), ((1, 1), (0, 4)));
    assert!(record.plies.iter().filter(|ply| ply.auto).all(|ply| ply.clock_ns == record.plies[0].clock_ns));
    record.replay().expect("it holds");
    // Who knows no offers is not asked, and an offer is on record all the same.
    let (order, dir) = game(&["cond=9"], &["offer=3", OFFERS], zone(1, 99));
    let record = play(&order);
    assert_eq!((told(&dir, "A"), outcome(&record).ending), ((0, 1), Ending::Repetition));
    assert_eq!(offered(&record), [3]);
}

#[test]
fn an_offer_outside_of_a_series_is_answered_with_the_move() {
    if !python() {
        skip!("no python3");
    }
    // With a move that nobody foresaw; the owner of the string offers with the move that brings it; and that one is foreseen.
    for (first, second, ply) in [
        (&["offer=2", OFFERS][..], &["accept=3", OFFERS][..], 2),
        (&["cond=9", "offer=0", OFFERS], &["accept=1", OFFERS], 0),
    ] {
        let (order, dir) = game(first, second, zone(1, 99));
        let record = play(&order);
        assert_eq!((outcome(&record).ending, offered(&record)), (Ending::Agreement, vec![ply]));
        assert_eq!((record.plies.len(), told(&dir, "B").0), (ply + 1, 1));
        assert_eq!(count(&record.setup, &record.plies).map(|tally| tally.points), Some([0, 0]), "taking it is no hit");
        record.replay().expect("it holds");
    }
    let (order, dir) = game(&["cond=9", "offer=0", OFFERS], &[OFFERS], zone(1, 99));
    let record = play(&order);
    assert_eq!((marks(&record), told(&dir, "B")), (". + a. + a. + a. +".to_owned(), (1, 4)));
}

#[test]
fn no_draw_is_offered_where_the_event_knows_none() {
    if !python() {
        skip!("no python3");
    }
    let rules = zone(1, 99).map(|rules| Predictions { draw_offers: false, ..rules });
    let (order, dir) = game(&["cond=9", OFFERS, "accept=4"], &["offer=3", OFFERS], rules);
    let record = play(&order);
    assert_eq!((outcome(&record).ending, offered(&record)), (Ending::Repetition, vec![]));
    let log = std::fs::read_to_string(dir.path().join("A")).expect("a log");
    assert!(!log.contains("UCI_DrawOffer"), "{log}");
}

#[test]
fn who_dies_of_an_offer_or_does_not_answer_it_loses() {
    if !python() {
        skip!("no python3");
    }
    let (order, _dir) = game(&["cond=9", OFFERS, "die=draw"], &["offer=3", OFFERS], zone(1, 99));
    assert_fault(&play(&order), Seat::First, Ending::Crash, "engine exited");
    let (mut order, _dir) = game(&["cond=9", OFFERS, "hang=draw"], &["offer=3", OFFERS], zone(1, 99));
    order.setup.limits.ready = std::time::Duration::from_secs(2);
    let record = play(&order);
    assert_fault(&record, Seat::First, Ending::Stall, "no answer to an offered draw for 2 s");
    record.replay().expect("it holds");
}

#[test]
fn an_offer_is_still_to_be_answered_after_an_interruption() {
    if !python() {
        skip!("no python3");
    }
    let (order, _dir) = game(&["cond=9", OFFERS], &["offer=3", OFFERS], zone(1, 99));
    let whole = play(&order);
    let (mut order, dir) = game(&["cond=9", OFFERS, "accept=4"], &["offer=3", OFFERS], zone(1, 99));
    let resume = |plies: usize| {
        Some(Resume { plies: whole.plies[..plies].to_vec(), clocks: [None; 2], restarts: 1, notes: Vec::new() })
    };
    order.resume = resume(4);
    let record = play(&order);
    assert_eq!((record.plies.len(), outcome(&record).ending, told(&dir, "A")), (4, Ending::Agreement, (1, 0)));
    // A reply that was played says that it was declined.
    order.resume = resume(5);
    assert_eq!(marks(&play(&order)), marks(&whole));
}

#[test]
fn a_slot_goes_on_after_an_agreement() {
    if !python() {
        skip!("no python3");
    }
    let (order, _dir) = game(&["offer=2", OFFERS], &["accept=3", OFFERS], zone(1, 99));
    let mut slot = slot();
    for _ in 0..2 {
        let record = finished(play_on(&mut slot, &order).0);
        assert_eq!(outcome(&record).ending, Ending::Agreement);
        assert!(!record.warnings.keys().any(|warning| warning.contains("bestmove")), "{:?}", record.warnings);
    }
}
