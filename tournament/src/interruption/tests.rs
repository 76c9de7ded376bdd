//! Each branch of the rule, its limits, its order; the clocks.

use std::time::Duration;

use rookery_game::{GameResult, Score, Seat};

use super::*;

const WHITE: GameResult = GameResult::FirstWins;
const BLACK: GameResult = GameResult::SecondWins;
const DRAW: GameResult = GameResult::Draw;

/// Evaluations in centipawns, moves, men, the tables' answer.
fn broken(evaluations: [Option<i32>; 2], moves: [u32; 2], men: u32, table: Option<GameResult>) -> Broken {
    Broken {
        evaluations,
        plies: moves[0] + moves[1],
        moves,
        played: true,
        men: Some(men),
        table: Some(table),
        ..Broken::default()
    }
}

fn check(rule: &InterruptionRule, broken: &Broken, expected: Option<GameResult>) {
    let decision = decide(rule, broken);
    let score = match decision.verdict {
        Verdict::Score(result) => Some(result),
        Verdict::Restart { .. } => None,
        other => panic!("{other:?}: {}", decision.reason),
    };
    assert_eq!(score, expected, "{broken:?}: {}", decision.reason);
}

/// §14.1, the table of its readings.
#[test]
fn tcec_scores_by_evaluations_and_tables_in_order() {
    type Row = (Option<i32>, Option<i32>, [u32; 2], u32, Option<GameResult>, Option<GameResult>);
    let rows: [Row; 14] = [
        (Some(1_001), Some(1_001), [30, 30], 20, None, Some(WHITE)),
        (Some(1_000), Some(1_250), [30, 30], 20, None, None),
        (Some(-1_050), Some(-1_100), [22, 22], 18, None, Some(BLACK)),
        (Some(1_100), Some(-1_100), [50, 50], 15, None, None),
        (Some(14), Some(-14), [35, 35], 20, None, Some(DRAW)),
        (Some(15), Some(0), [60, 60], 20, None, None),
        (Some(-5), Some(0), [35, 34], 20, None, None),
        (Some(-5), Some(0), [35, 35], 20, None, Some(DRAW)),
        (None, Some(0), [60, 60], 20, None, None),
        (Some(5), Some(5), [80, 80], 7, Some(WHITE), Some(DRAW)),
        (Some(300), Some(250), [80, 80], 7, Some(WHITE), Some(WHITE)),
        (Some(300), Some(250), [80, 80], 7, None, None),
        (Some(300), Some(250), [80, 80], 8, Some(WHITE), None),
        (Some(1_200), Some(1_150), [70, 70], 7, Some(DRAW), Some(WHITE)),
    ];
    for (white, black, moves, men, table, expected) in rows {
        check(&InterruptionRule::TCEC, &broken([white, black], moves, men, table), expected);
    }
}

#[test]
fn the_shared_vectors_hold() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/tcec/vectors.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("SKIP: no {path}");
        return;
    };
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = vectors["crash_14_1"].as_array().unwrap();
    assert!(rows.len() > 10);
    for row in rows {
        let cp = |key: &str| row[key].as_f64().map(|pawns| (pawns * 100.0).round() as i32);
        let result = |key: &str| match row[key].as_str() {
            Some("1-0") => Some(WHITE),
            Some("0-1") => Some(BLACK),
            Some("1/2-1/2") => Some(DRAW),
            _ => None,
        };
        let moves = ["moves_white", "moves_black"].map(|key| row[key].as_u64().unwrap_or(40) as u32);
        let men = row["men"].as_u64().unwrap_or(20) as u32;
        let game = broken([cp("eval_white_engine"), cp("eval_black_engine")], moves, men, result("tb_result"));
        check(&InterruptionRule::TCEC, &game, result("result"));
    }
}

#[test]
fn a_mate_is_beyond_every_limit_and_views_are_whites() {
    let rows = [
        (Score::Mate(3), Seat::First, MATE),
        (Score::Mate(3), Seat::Second, -MATE),
        (Score::Mate(-3), Seat::Second, MATE),
        (Score::Mate(0), Seat::First, -MATE),
        (Score::Cp(31), Seat::Second, -31),
        (Score::Cp(i32::MIN), Seat::Second, MATE - 1),
    ];
    for (score, seat, expected) in rows {
        assert_eq!(evaluation(score, seat), expected, "{score:?} {seat:?}");
    }
    let moves = [20, 20];
    check(&InterruptionRule::TCEC, &broken([Some(MATE), Some(1_001)], moves, 20, None), Some(WHITE));
    check(&InterruptionRule::TCEC, &broken([Some(-MATE), Some(-MATE)], moves, 20, None), Some(BLACK));
    check(&InterruptionRule::TCEC, &broken([Some(MATE), Some(-MATE)], moves, 20, None), None);
}

#[test]
fn tables_are_asked_once_and_only_where_they_can_know() {
    let mut game = broken([Some(300), Some(250)], [80, 80], 7, None);
    game.table = None;
    assert_eq!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::AskTables);
    game.castling = true;
    assert!(matches!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Restart { .. }));
    game.castling = false;
    game.men = None;
    assert!(matches!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Restart { .. }));
    game.men = Some(7);
    game.table = Some(None);
    let decision = decide(&InterruptionRule::TCEC, &game);
    assert!(matches!(decision.verdict, Verdict::Restart { .. }));
    assert!(decision.reason.contains("no table of 7 men answers"), "{}", decision.reason);
}

fn clocks(rule: &InterruptionRule, base_s: u64, clocks_ms: [u64; 2], think_s: [u64; 2]) -> [Option<Duration>; 2] {
    let game = Broken {
        plies: 61,
        moves: [31, 30],
        played: true,
        clocks: clocks_ms.map(|ms| Some(Duration::from_millis(ms))),
        bases: [Some(Duration::from_secs(base_s)); 2],
        last_think: think_s.map(Duration::from_secs),
        ..Broken::default()
    };
    match decide(rule, &game).verdict {
        Verdict::Restart { clocks } => clocks,
        other => panic!("{other:?}"),
    }
}

#[test]
fn clocks_are_made_whole_and_never_shorter() {
    let own = |compensation| InterruptionRule { compensation, ..InterruptionRule::RESTART };
    let tenth = Compensation::Base { share: WHOLE / 10, capped: false };
    let rows = [
        (InterruptionRule::TCEC, 1_800, [812_400, 790_000], [902_400, 880_000]),
        (InterruptionRule::TCEC, 1_800, [1_795_000, 1_799_000], [1_800_000, 1_800_000]),
        // Increments may have carried a clock beyond its base.
        (InterruptionRule::TCEC, 1_800, [1_900_000, 1_800_000], [1_900_000, 1_800_000]),
        (InterruptionRule::TCEC, 3_600, [1_000, 0], [181_000, 180_000]),
        (InterruptionRule::TCEC, 7_200, [1_000, 0], [361_000, 360_000]),
        (InterruptionRule::RESTART, 1_800, [5, 1_000], [5, 1_000]),
        (InterruptionRule::CSA, 1_800, [5, 1_000], [5, 1_000]),
        (own(Compensation::Fixed(Duration::from_secs(30))), 60, [59_000, 1_000], [89_000, 31_000]),
        (own(tenth), 60, [59_000, 1_000], [65_000, 7_000]),
        (own(Compensation::LastThink { share: WHOLE / 2 }), 60, [10_000, 10_000], [30_000, 13_500]),
    ];
    for (rule, base, before, after) in rows {
        let expected = after.map(|ms| Some(Duration::from_millis(ms)));
        assert_eq!(clocks(&rule, base, before, [40, 7]), expected, "{rule:?}");
    }
}

#[test]
fn a_game_without_a_clock_goes_on_without_one() {
    let game = broken([None, None], [10, 10], 30, None);
    assert_eq!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Restart { clocks: [None, None] });
}

#[test]
fn a_person_is_asked_after_the_last_restart() {
    let mut game = broken([Some(100), Some(100)], [30, 30], 20, None);
    game.restarts = 4;
    assert!(matches!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Restart { .. }));
    game.restarts = 5;
    assert_eq!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::AskPerson);
    // What can be scored is.
    game.evaluations = [Some(2_000), Some(2_000)];
    assert_eq!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Score(WHITE));
}

#[test]
fn replay_is_replay_and_so_is_a_game_that_did_not_begin() {
    let mut game = broken([Some(2_000), Some(2_000)], [80, 80], 7, Some(WHITE));
    assert_eq!(decide(&InterruptionRule::REPLAY, &game).verdict, Verdict::Replay);
    game.played = false;
    assert_eq!(decide(&InterruptionRule::TCEC, &game).verdict, Verdict::Replay);
    // Scored by evaluations, else from the opening (TCEC's seasons 15 to 19).
    let rule = InterruptionRule { restart: false, ..InterruptionRule::TCEC };
    game.played = true;
    assert_eq!(decide(&rule, &game).verdict, Verdict::Score(WHITE));
    game.evaluations = [None, None];
    game.men = Some(20);
    assert_eq!(decide(&rule, &game).verdict, Verdict::Replay);
    assert!(!InterruptionRule::REPLAY.stores() && rule.stores());
}

#[test]
fn a_decision_names_its_numbers() {
    let mut game = broken([Some(1_001), Some(-MATE)], [31, 30], 20, None);
    game.clocks = [Some(Duration::from_millis(812_400)), Some(Duration::from_secs(790))];
    game.bases = [Some(Duration::from_secs(1_800)); 2];
    assert_eq!(
        decide(&InterruptionRule::TCEC, &game).reason,
        "restarted at ply 61: clocks 902.400 s and 880.000 s (were 812.400 s and 790.000 s), restart 1: 5 % of the base \
         for both clocks, up to the base (ply 61, moves 31/30, evaluations +10.01 and -mate, 20 men)"
    );
    game.evaluations = [Some(-1_001), Some(-1_234)];
    assert_eq!(
        decide(&InterruptionRule::TCEC, &game).reason,
        "scored 0-1: both evaluations beyond 10.00 (ply 61, moves 31/30, evaluations -10.01 and -12.34, 20 men)"
    );
}
