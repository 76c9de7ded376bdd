//! Records that hold, and one break after another.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::{
    Clock, GameKind, GameSetup, Ply, Score, TimeControl,
    adjudicate::{Adjudication, DrawRule, ResignRule, TablebaseRule},
    record::EngineIdentity,
    setup::{EngineSetup, Limits, Side, Start},
};

/// A game of `moves`, the first `book` of them its opening.
pub(crate) fn record(kind: GameKind, position: &str, moves: &str, book: usize, outcome: Option<Outcome>) -> GameRecord {
    let side = || Side {
        engine: EngineSetup::default(),
        time_control: TimeControl::default(),
        margin: Duration::ZERO,
        ponder: false,
    };
    let plies: Vec<Ply> = moves
        .split_whitespace()
        .enumerate()
        .map(|(index, mv)| Ply { mv: mv.to_owned(), book: index < book, ..Ply::default() })
        .collect();
    let opening = plies.iter().take(book).map(|ply| ply.mv.clone()).collect();
    GameRecord {
        event: String::new(),
        name: String::new(),
        setup: GameSetup {
            kind,
            start: Start { position: position.to_owned(), moves: opening },
            rules: Default::default(),
            sides: [side(), side()],
            adjudication: Adjudication::default(),
            limits: Limits::default(),
            tags: Default::default(),
            keep_transcript: false,
            killed: crate::setup::Killed::Crash,
            predictions: None,
        },
        engines: [EngineIdentity::default(), EngineIdentity::default()],
        plies,
        outcome,
        started_unix_ms: 0,
        began_unix_ms: 0,
        ended_unix_ms: 0,
        worker: String::new(),
        notes: Vec::new(),
        transcripts: Vec::new(),
        interrupted: Vec::new(),
        warnings: Default::default(),
        restarts: 0,
        nth: 0,
    }
}

fn chess(moves: &str, outcome: Outcome) -> GameRecord {
    record(GameKind::Chess, "", moves, 0, Some(outcome))
}

const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

#[test]
fn a_game_that_holds() {
    let outcome = Outcome::new(GameResult::SecondWins, Ending::Checkmate);
    let replayed = record(GameKind::Chess, "", MATE, 2, Some(outcome)).replay().unwrap();
    assert_eq!((replayed.plies, replayed.mobility), (4, Some(0)));
    assert!(replayed.board.in_check());
    // Broken off: no outcome to check, and the opening may be unfinished.
    let mut broken_off = record(GameKind::Chess, "", MATE, 3, None);
    broken_off.plies.truncate(2);
    assert_eq!(broken_off.replay().unwrap().plies, 2);
    let castling = record(GameKind::Chess960, "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1h1", 0, None);
    assert_eq!(castling.replay().unwrap().plies, 1);
}

#[test]
fn moves_that_do_not_lead_there() {
    use GameResult::SecondWins;
    let mate = || Outcome::new(SecondWins, Ending::Checkmate);
    let error = |record: GameRecord| record.replay().map(|_| ()).unwrap_err();
    assert!(matches!(error(chess("e2e4 e2e4", mate())), RecordError::Move { ply: 2, .. }));
    assert!(matches!(error(chess("e2e4 0000", mate())), RecordError::Move { ply: 2, .. }));
    let after = RecordError::AfterEnd { ply: 5, ending: Ending::Checkmate };
    assert_eq!(error(chess(&format!("{MATE} a2a3"), mate())), after);
    let mut opening = record(GameKind::Chess, "", MATE, 2, Some(mate()));
    opening.setup.start.moves[1] = "e7e6".to_owned();
    assert!(matches!(error(opening), RecordError::Opening { ply: 2, .. }));
    let mut short = record(GameKind::Chess, "", MATE, 4, Some(Outcome::fault(Seat::First, Ending::Crash, "")));
    short.plies.truncate(1);
    assert!(matches!(error(short), RecordError::Opening { ply: 2, .. }));
    let nowhere = record(GameKind::Chess, "nowhere", MATE, 0, None);
    assert!(matches!(error(nowhere), RecordError::Start(StartError::Position { .. })));
    let shogi = record(GameKind::Shogi, "", "", 0, None);
    assert!(matches!(error(shogi), RecordError::Start(StartError::Unsupported { .. })));
    let long = chess(&"g1f3 ".repeat(MAX_PLIES + 1), mate());
    assert!(matches!(error(long), RecordError::TooLong { .. }));
}

/// Checks `outcome` against the game that `prepare` has set up.
fn check(moves: &str, prepare: impl FnOnce(&mut GameRecord), outcome: Outcome, holds: bool) {
    let mut record = chess(moves, outcome);
    prepare(&mut record);
    match (record.replay(), holds) {
        (Ok(_), true) | (Err(RecordError::Ended { .. } | RecordError::Unfounded { .. }), false) => {}
        (found, _) => panic!("{moves}: {:?}: {found:?}", record.outcome),
    }
}

#[test]
fn outcomes_follow_from_the_game() {
    use Ending::*;
    use GameResult::{Draw, FirstWins, SecondWins};
    let same = |_: &mut GameRecord| {};
    let new = Outcome::new;
    let fault = |seat, ending| Outcome::fault(seat, ending, "why");
    let (first, second) = (Seat::First, Seat::Second);
    // By the rules, and nothing but.
    check(MATE, same, new(SecondWins, Checkmate), true);
    check(MATE, same, new(FirstWins, Checkmate), false);
    check(MATE, same, new(Draw, Stalemate), false);
    check(MATE, same, new(SecondWins, Resignation), false);
    check(MATE, same, fault(first, TimeLoss), false);
    check(MATE, same, fault(first, Checkmate), false);
    check(MATE, same, new(Draw, InterruptionRule), false);
    check(MATE, same, new(Draw, Ruling), true);
    for ending in [Checkmate, Stalemate, Repetition, FiftyMoves, InsufficientMaterial, Goal, Declaration, MaxPly] {
        check("e2e4", same, new(Draw, ending), false);
        check("e2e4", same, new(FirstWins, ending), false);
    }
    let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
    check(shuffle, same, new(Draw, Repetition), true);
    check(shuffle, same, new(Draw, FiftyMoves), false);
    // Faults, and who can have committed them: Black is to move.
    check("e2e4", same, fault(second, TimeLoss), true);
    check("e2e4", same, fault(first, TimeLoss), false);
    check("e2e4", same, new(FirstWins, TimeLoss), false);
    check("e2e4", same, Outcome { result: Draw, ..fault(second, TimeLoss) }, false);
    check("e2e4", same, fault(second, IllegalMove), true);
    check("e2e4", same, fault(first, IllegalMove), false);
    check("e2e4", same, Outcome { result: Draw, ..fault(second, IllegalMove) }, false);
    check("e2e4", same, fault(first, Crash), true);
    check("e2e4", same, fault(second, Stall), true);
    check("e2e4", same, Outcome { result: SecondWins, ..fault(second, Crash) }, false);
    check("e2e4", same, new(FirstWins, Resignation), true);
    check("e2e4", same, new(Draw, Resignation), false);
    check("e2e4", same, new(Draw, InterruptionRule), true);
    // A flag against a lone king.
    let lone_king = |lenient: bool| {
        move |record: &mut GameRecord| {
            record.setup.start.position = "4k3/8/8/8/8/8/8/4K2R w - - 0 1".to_owned();
            record.setup.adjudication.flag_draw_without_material = lenient;
        }
    };
    let drawn = Outcome { result: Draw, ..fault(first, TimeLoss) };
    check("h1h2 e8e7", lone_king(true), drawn.clone(), true);
    check("h1h2 e8e7", lone_king(true), fault(first, TimeLoss), false);
    check("h1h2 e8e7", lone_king(false), fault(first, TimeLoss), true);
    check("h1h2 e8e7", lone_king(false), drawn.clone(), false);
    let stalled = Outcome { ending: Stall, ..drawn };
    check("h1h2 e8e7", lone_king(true), stalled.clone(), true);
    check("h1h2 e8e7", lone_king(true), fault(first, Stall), true);
    check("h1h2 e8e7", lone_king(false), stalled, false);
    // Adjudications come after exactly the ply at which their rule fires.
    let scores = |record: &mut GameRecord, scores: &[i32]| {
        for (ply, cp) in record.plies.iter_mut().zip(scores) {
            ply.score = Some(Score::Cp(*cp));
        }
    };
    let level = |record: &mut GameRecord| {
        scores(record, &[0, 0, 0, 0]);
        record.setup.adjudication.draw = Some(DrawRule { from_move: 1, plies: 4, within: 10 });
    };
    check("e2e4 e7e5 g1f3 b8c6", level, new(Draw, DrawAdjudication), true);
    check("e2e4 e7e5 g1f3", level, new(Draw, DrawAdjudication), false);
    check("e2e4 e7e5 g1f3 b8c6", level, new(Draw, TcecDraw), false);
    check("e2e4 e7e5 g1f3 b8c6", same, new(Draw, DrawAdjudication), false);
    let lost = |record: &mut GameRecord| {
        scores(record, &[0, -900, 0, -900]);
        record.setup.adjudication.resign = Some(ResignRule { moves: 2, beyond: 900, two_sided: false });
    };
    check("e2e4 e7e5 g1f3 b8c6", lost, new(FirstWins, ResignAdjudication), true);
    check("e2e4 e7e5 g1f3 b8c6", lost, new(SecondWins, ResignAdjudication), false);
    let max = |record: &mut GameRecord| record.setup.adjudication.max_moves = Some(1);
    check("e2e4 e7e5", max, new(Draw, MaxMoves), true);
    check("e2e4", max, new(Draw, MaxMoves), false);
    // Tables are not asked again, but the rule must allow what they said.
    let tables = |men, draws_only| {
        move |record: &mut GameRecord| {
            record.setup.start.position = "4k3/8/8/8/8/8/8/4K2R w - - 0 1".to_owned();
            record.setup.adjudication.tablebases = Some(TablebaseRule { men, fifty_moves: true, draws_only });
        }
    };
    check("h1h2", tables(3, false), new(FirstWins, TablebaseAdjudication), true);
    check("h1h2", tables(2, false), new(FirstWins, TablebaseAdjudication), false);
    check("h1h2", tables(3, true), new(FirstWins, TablebaseAdjudication), false);
    check("h1h2", tables(3, true), new(Draw, TablebaseAdjudication), true);
    check("e2e4", same, new(Draw, TablebaseAdjudication), false);
    // Who agrees on a draw was offered one with the last move, by a player, in an event that knows offers.
    let offers = |rules: bool, last: Ply| {
        move |record: &mut GameRecord| {
            record.setup.predictions =
                Some(crate::prediction::Predictions { draw_offers: rules, ..Default::default() });
            let ply = record.plies.last_mut().unwrap();
            *ply = Ply { mv: ply.mv.clone(), ..last.clone() };
        }
    };
    let offered = || Ply { offer: true, ..Ply::default() };
    check("e2e4", offers(true, offered()), new(Draw, Agreement), true);
    check("e2e4", offers(true, offered()), new(FirstWins, Agreement), false);
    check("e2e4", offers(true, offered()), Outcome { fault: Some(first), ..new(Draw, Agreement) }, false);
    check("e2e4", offers(true, Ply::default()), new(Draw, Agreement), false);
    check("e2e4", offers(true, Ply { auto: true, ..offered() }), new(Draw, Agreement), false);
    check("e2e4", offers(true, Ply { book: true, ..offered() }), new(Draw, Agreement), false);
    check("e2e4", offers(false, offered()), new(Draw, Agreement), false);
    check("e2e4", same, new(Draw, Agreement), false);
    check(MATE, offers(true, offered()), new(Draw, Agreement), false);
}

const ENDINGS: [Ending; 25] = [
    Ending::Checkmate,
    Ending::Stalemate,
    Ending::Repetition,
    Ending::FiftyMoves,
    Ending::InsufficientMaterial,
    Ending::Resignation,
    Ending::TimeLoss,
    Ending::Stall,
    Ending::Crash,
    Ending::IllegalMove,
    Ending::DrawAdjudication,
    Ending::ResignAdjudication,
    Ending::TablebaseAdjudication,
    Ending::TcecDraw,
    Ending::TcecWin,
    Ending::MaxMoves,
    Ending::Ruling,
    Ending::InterruptionRule,
    Ending::Declaration,
    Ending::Goal,
    Ending::EqualTurnGoalDraw,
    Ending::AntiBlockGoalFull,
    Ending::MaxPly,
    Ending::NoLegalMoves,
    Ending::Agreement,
];

#[test]
fn an_ending_has_one_name() {
    for ending in ENDINGS {
        assert_eq!(serde_json::to_value(ending).unwrap(), ending.as_str());
    }
}

proptest! {
    /// Whatever comes from the wire, the answer is an answer.
    #[test]
    fn hostile_records(
        kind in 0..4_usize,
        position in prop_oneof![Just(String::new()), any::<String>()],
        moves in prop::collection::vec(prop_oneof!["[a-h][1-8][a-h][1-8][qQ]?", any::<String>()], 0..8),
        opening in prop::collection::vec("[a-h][1-8][a-h][1-8]", 0..4),
        outcome in prop::option::of((0..3_usize, 0..ENDINGS.len(), prop::option::of(any::<bool>()))),
        numbers in any::<(u32, u32, u32, i32)>(),
    ) {
        let kind = [GameKind::Chess, GameKind::Chess960, GameKind::Shogi, GameKind::ChineseCheckers][kind];
        let results = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw];
        let outcome = outcome.map(|(result, ending, fault)| Outcome {
            result: results[result],
            ending: ENDINGS[ending],
            fault: fault.map(|first| if first { Seat::First } else { Seat::Second }),
            detail: String::new(),
        });
        let mut record = record(kind, &position, "", 0, outcome);
        record.setup.start.moves = opening;
        let (a, b, c, cp) = numbers;
        record.setup.adjudication.draw = Some(DrawRule { from_move: a, plies: b, within: c });
        record.setup.adjudication.resign = Some(ResignRule { moves: a, beyond: b, two_sided: true });
        record.setup.adjudication.max_moves = Some(c);
        record.plies = moves
            .into_iter()
            .map(|mv| Ply { mv, score: Some(Score::Cp(cp)), ..Ply::default() })
            .collect();
        let _ = record.replay();
    }
}

/// Not a benchmark, but a quadratic step would show: the longest game by the fifty-move rule's grace.
#[test]
fn a_long_game_is_cheap() {
    let mut board = board::at(GameKind::Chess, "").unwrap();
    let mut moves = Vec::new();
    let mut seed = 1_u64;
    while board.ending().is_none() && moves.len() < MAX_PLIES {
        let chess = board.as_chess().unwrap();
        let legal = shakmaty::Position::legal_moves(chess);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let text = legal[(seed >> 33) as usize % legal.len()].to_uci(shakmaty::CastlingMode::Standard).to_string();
        let mv = board.parse(&text, crate::Form::Uci).unwrap();
        board.play(mv);
        moves.push(text);
    }
    let game = record(GameKind::Chess, "", &moves.join(" "), 0, board.ending());
    let start = std::time::Instant::now();
    let replayed = game.replay().unwrap();
    eprintln!("{} plies in {:?}", replayed.plies, start.elapsed());
    assert!(moves.len() > 100);
    // The clocks of such a game stay whole as well.
    let mut clock = Clock::new("10+0.1".parse().unwrap(), Duration::ZERO, Default::default());
    moves.iter().for_each(|_| clock.charge(Duration::from_millis(100)).unwrap());
    assert_eq!(clock.left(), Some(Duration::from_secs(10)));
}
