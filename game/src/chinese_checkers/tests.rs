//! The published vectors, a second referee, properties.

use proptest::prelude::*;
use serde_json::Value;

use super::{geometry::*, naive::Naive, *};
use crate::{board, record::GameRecord, setup::GameRules, testing::shared};

/// Leaves of a perft that a quick run counts; `ROOKERY_GAMES=5000` (and `--release`) makes it thorough.
const LEAVES: u64 = 150_000;

/// The reason in the ruleset's words.
fn reason(ending: Ending) -> &'static str {
    match ending {
        Ending::Goal => "all_pieces_in_goal",
        Ending::EqualTurnGoalDraw => "equal_turn_goal_draw",
        Ending::AntiBlockGoalFull => "anti_block_goal_full",
        Ending::Repetition => "repetition",
        Ending::MaxPly => "max_ply",
        Ending::NoLegalMoves => "no_legal_moves",
        other => panic!("{other}"),
    }
}

fn ended(game: &ChineseCheckers) -> Option<(&'static str, Option<usize>)> {
    game.ending().map(|outcome| {
        let winner = match outcome.result {
            GameResult::FirstWins => Some(0),
            GameResult::SecondWins => Some(1),
            GameResult::Draw => None,
        };
        (reason(outcome.ending), winner)
    })
}

fn vectors(name: &str) -> Option<Value> {
    let file = shared(&format!("vectors/chinese-checkers/{name}"))?;
    Some(serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap())
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn ids(value: &Value) -> Vec<u8> {
    // An id that no hole can have stays one.
    value.as_array().unwrap().iter().map(|id| id.as_i64().and_then(|id| u8::try_from(id).ok()).unwrap_or(255)).collect()
}

fn seat(player: &Value) -> Seat {
    Seat::BOTH[number(player) as usize]
}

fn position(value: &Value) -> Position {
    Position::read(text(&value["cells"]), seat(&value["player"])).unwrap()
}

/// Leaves `depth` plies below. Under a profile a position that has ended without looking at its history has no children.
fn perft(position: &Position, depth: u64, profile: Option<Profile>) -> u64 {
    if depth == 0 {
        return 1;
    }
    if let Some(profile) = profile {
        let ended = judge(position, Rules { profile, max_ply: u32::MAX }, 0, 1);
        if ended.is_some_and(|(_, ending)| ending != Ending::NoLegalMoves) {
            return 0;
        }
    }
    if depth == 1 {
        return position.legal_count().into();
    }
    position.moves().map(|(from, to)| perft(&position.after(from, to), depth - 1, profile)).sum()
}

#[test]
fn perft_of_the_start() {
    for (depth, leaves) in [(1, 14), (2, 196), (3, 4_760), (4, 115_600)] {
        assert_eq!(perft(&Position::START, depth, None), leaves);
    }
    assert_eq!(Position::START.key(), 0xeb45_8506_7e15_67b1);
}

#[test]
fn perft_vectors() {
    let Some(file) = vectors("perft.json") else { return };
    for case in list(&file, "positions") {
        let (id, position) = (text(&case["id"]), position(case));
        for row in list(case, "perft") {
            let depth = number(&row["depth"]);
            // The deepest take minutes without optimisation.
            if number(&row["moves"]) > LEAVES && std::env::var_os("ROOKERY_GAMES").is_none() {
                continue;
            }
            let count = |profile| perft(&position, depth, profile);
            assert_eq!(count(None), number(&row["moves"]), "{id} {depth}");
            assert_eq!(count(Some(Profile::Strict)), number(&row["moves_v2"]), "{id} {depth}");
            assert_eq!(count(Some(Profile::StrictV1)), number(&row["moves_v1"]), "{id} {depth}");
        }
        let naive = Naive::new(text(&case["cells"]), number(&case["player"]) as usize, 0, u32::MAX, 2).paths();
        let legal = list(case, "legal");
        assert_eq!(position.moves().count(), legal.len(), "{id}");
        for (mv, row) in position.moves().zip(legal) {
            assert_eq!((u64::from(mv.0), u64::from(mv.1)), (number(&row["from"]), number(&row["to"])), "{id}");
            assert_eq!(position.path(mv.0, mv.1).unwrap().ids(), ids(&row["witness"]), "{id} {mv:?}");
            let paths = &naive[&(mv.0.into(), mv.1.into())];
            assert_eq!(paths.len() as u64, number(&row["paths"]), "{id} {mv:?}");
        }
        // The moves that led there are legal, and lead there.
        let mut game = ChineseCheckers::at(Position::START, 0, Rules::default());
        for mv in list(case, "history") {
            play(&mut game, &ids(mv));
        }
        if game.ply() > 0 {
            assert_eq!(*game.position(), position, "{id}");
        }
    }
}

fn play(game: &mut ChineseCheckers, ids: &[u8]) {
    let text: Vec<String> = ids.iter().map(u8::to_string).collect();
    let mv = game.parse(&text.join("-"), Form::Cells).unwrap();
    game.play(mv);
}

#[test]
fn validate_vectors() {
    let Some(file) = vectors("validate.json") else { return };
    for case in list(&file, "cases") {
        let position = position(case);
        let id = |key: &str| case[key].as_i64().and_then(|id| u8::try_from(id).ok()).unwrap_or(255);
        let found = if case["path"].is_null() {
            position.check(id("from"), id("to"))
        } else {
            let path = ids(&case["path"]);
            let ends = path.first() == Some(&id("from")) && path.last() == Some(&id("to"));
            if ends { position.check_path(&path) } else { Err(PathFault::NotAHop) }
        };
        assert_eq!(found.is_ok(), case["expect"] == "ok", "{}: {found:?}", case["id"]);
    }
}

#[test]
fn terminal_vectors() {
    let Some(file) = vectors("terminal.json") else { return };
    for case in list(&file, "cases") {
        for (version, profile) in [("v2", Profile::Strict), ("v1", Profile::StrictV1)] {
            let max_ply = number(&case["max_ply"]) as u32;
            let rules = Rules { profile, max_ply };
            let mut game = ChineseCheckers::at(position(case), number(&case["ply"]) as u32, rules);
            for mv in list(case, "moves") {
                if game.ending().is_none() {
                    play(&mut game, &ids(mv));
                }
            }
            let expect = &case["expect"][version];
            let expected = expect["reason"].as_str().map(|r| (r, expect["winner"].as_u64().map(|w| w as usize)));
            assert_eq!(ended(&game), expected.map(|(r, w)| (reason_named(r), w)), "{} {version}", case["id"]);
            assert_eq!(u64::from(game.ply()), number(&expect["moves_played"]), "{} {version}", case["id"]);
            assert_eq!(u64::from(game.absolute_ply()), number(&expect["ply"]), "{} {version}", case["id"]);
        }
    }
}

fn reason_named(name: &str) -> &'static str {
    let all = [
        Ending::Goal,
        Ending::EqualTurnGoalDraw,
        Ending::AntiBlockGoalFull,
        Ending::Repetition,
        Ending::MaxPly,
        Ending::NoLegalMoves,
    ];
    all.map(reason).into_iter().find(|reason| *reason == name).unwrap()
}

#[test]
fn game_vectors() {
    let Some(file) = vectors("games.json") else { return };
    for case in list(&file, "games") {
        for (profile, expect) in [(Profile::Strict, case), (Profile::StrictV1, &case["v1"])] {
            let rules = Rules { profile, max_ply: number(&case["max_ply"]) as u32 };
            let mut game = ChineseCheckers::at(Position::START, 0, rules);
            for mv in list(case, "moves") {
                assert_eq!(game.ending(), None, "{} {}", case["id"], game.ply());
                play(&mut game, &ids(mv));
            }
            let expected = expect["reason"].as_str().map(|r| (r, expect["winner"].as_u64().map(|w| w as usize)));
            assert_eq!(ended(&game), expected.map(|(r, w)| (reason_named(r), w)), "{}", case["id"]);
            assert_eq!(game.position().cells(), text(&case["final_cells"]), "{}", case["id"]);
        }
    }
}

/// Small and seeded: the same games on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

/// A move that brings games to their ends: mostly forward, sometimes anything.
fn some_move(position: &Position, dice: &mut Dice) -> (u8, u8) {
    let moves: Vec<(u8, u8)> = position.moves().collect();
    let gain = |mv: &(u8, u8)| distance_to_tip(position.to_move(), mv.0) - distance_to_tip(position.to_move(), mv.1);
    if dice.roll(10) < 8 {
        // Late pieces first, so that both get home.
        let lag = |mv: &(u8, u8)| gain(mv) * 4 + distance_to_tip(position.to_move(), mv.0) + dice.0 as i32 % 3;
        if let Some(best) = moves.iter().max_by_key(|mv| lag(mv)) {
            return *best;
        }
    }
    moves[dice.roll(moves.len())]
}

/// Plays one game with both referees; every legal move and every result must agree.
fn compare(seed: u64, profile: Profile, seen: &mut std::collections::BTreeMap<&'static str, u32>) {
    let mut dice = Dice(seed);
    let rules = Rules { profile, max_ply: 60 + dice.roll(200) as u32 };
    let version = if profile == Profile::Strict { 2 } else { 1 };
    let mut game = ChineseCheckers::at(Position::START, 0, rules);
    let mut naive = Naive::new(&Position::START.cells(), 0, 0, rules.max_ply, version);
    loop {
        assert_eq!(ended(&game), naive.ending(), "seed {seed}, ply {}", game.ply());
        if let Some((reason, _)) = ended(&game) {
            *seen.entry(reason).or_default() += 1;
            return;
        }
        let position = *game.position();
        let paths = naive.paths();
        let found: Vec<(usize, usize)> = position.moves().map(|(a, b)| (a.into(), b.into())).collect();
        assert_eq!(found, paths.keys().copied().collect::<Vec<_>>(), "seed {seed}, ply {}", game.ply());
        assert_eq!(game.legal_count() as usize, found.len());
        for (&(from, to), ways) in &paths {
            let canonical = ways.iter().min_by_key(|way| (way.len(), (*way).clone())).unwrap();
            let path = position.path(from as u8, to as u8).unwrap();
            assert!(path.ids().iter().map(|&id| usize::from(id)).eq(canonical.iter().copied()), "{path:?}");
        }
        // A path of the naive referee is legal here, and turned around or with another end it is so only there too.
        let ways: Vec<&Vec<usize>> = paths.values().flatten().collect();
        let mut way: Vec<u8> = ways[dice.roll(ways.len())].iter().map(|&id| id as u8).collect();
        assert_eq!(position.check_path(&way), Ok(()), "{way:?}");
        let at = dice.roll(way.len());
        way[at] = dice.roll(HOLES) as u8;
        let known = ways.iter().any(|known| known.iter().map(|&id| id as u8).eq(way.iter().copied()));
        assert_eq!(position.check_path(&way).is_ok(), known, "{way:?}");
        let (from, to) = some_move(&position, &mut dice);
        play(&mut game, &[from, to]);
        naive.play((from.into(), to.into()));
    }
}

#[test]
fn two_referees_agree_on_random_games() {
    let games = std::env::var("ROOKERY_GAMES").ok().and_then(|games| games.parse().ok()).unwrap_or(12);
    let mut seen = Default::default();
    for seed in 0..games {
        let profile = if seed % 3 == 2 { Profile::StrictV1 } else { Profile::Strict };
        compare(seed, profile, &mut seen);
    }
    eprintln!("{seen:?}");
}

#[test]
fn schedule_rows_stand_as_they_say() {
    let Some(file) = shared("vectors/chinese-checkers/sample_schedule.jsonl") else { return };
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let mut game = ChineseCheckers::new("", Rules::default()).unwrap();
        for mv in list(&row, "history") {
            play(&mut game, &ids(mv));
        }
        assert_eq!(*game.position(), position(&row), "{}", row["id"]);
        assert_eq!(u64::from(game.legal_count()), number(&row["legal_count"]), "{}", row["id"]);
    }
}

#[test]
fn starts_as_text() {
    let start = Position::START.cells();
    let new = |text: &str| ChineseCheckers::new(text, Rules::default());
    for (text, player, ply) in [
        (String::new(), Seat::First, 0),
        (start.clone(), Seat::First, 0),
        (format!("cells {start} player 1 ply 7"), Seat::Second, 7),
        (format!(" {start}\t1  7 "), Seat::Second, 7),
    ] {
        let game = new(&text).unwrap();
        assert_eq!((game.to_move(), game.absolute_ply(), game.ply()), (player, ply, 0), "{text}");
        let Notation::Cells(written) = game.notation() else { panic!("{text}") };
        assert_eq!(new(&written).unwrap().notation(), game.notation());
    }
    let nine = start.replacen('0', ".", 1);
    for bad in [
        "cells".to_owned(),
        start[1..].to_owned(),
        start.replace('.', "x"),
        nine,
        format!("{start} 2"),
        format!("{start} 0 -1"),
        format!("{start} 0 99999999999"),
        format!("{start} 0 4 4"),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
    ] {
        assert!(new(&bad).is_err(), "{bad}");
    }
}

/// A piece of `First` in the centre, and one of `Second` between it and each next hole of a chain to the east.
const CHAIN: Position = match Position::new([1 << 60, 1 << 61 | 1 << 63], Seat::First) {
    Some(position) => position,
    None => Position::START,
};

#[test]
fn moves_as_text() {
    let game = ChineseCheckers::new("", Rules::default()).unwrap();
    let read = |text: &str| game.parse(text, Form::Cells);
    for (text, ends) in [("3-14", (3, 14)), (" 6,14\r", (6, 14)), ("006-014", (6, 14))] {
        assert_eq!(read(text).map(ChineseCheckers::ends), Ok(ends), "{text}");
    }
    for text in ["", "0000", "3", "-3-14", "3--14", "3-14-", "a-b", "3- 14", "3-0014", "e2e4", "٣-14"] {
        assert!(matches!(read(text), Err(IllegalMove::NotAMove { .. })), "{text}");
    }
    for (text, why) in [
        ("3-121", "no hole"),
        ("3-3", "where it begins"),
        ("111-102", "does not begin"),
        ("3-15", "no chain"),
        ("3-14-3", "where it begins"),
        ("3-14-15", "a step"),
        ("3-4", "is taken"),
        (&vec!["3"; 21].join("-"), "so many"),
        (&"3-".repeat(9_000), "so many"),
    ] {
        assert!(read(text).unwrap_err().to_string().contains(why), "{text}: {:?}", read(text));
    }
    assert!(game.parse("3-14", Form::Uci).is_err());
    // The ends of a chain are a move, and the record has its canonical path.
    let game = ChineseCheckers::at(CHAIN, 0, Rules::default());
    for text in ["60-64", "60-62-64", "60,62,64"] {
        let mv = game.parse(text, Form::Cells).unwrap();
        assert_eq!(game.write(mv, Form::Cells), "60-62-64", "{text}");
    }
    assert!(game.parse("60-83-64", Form::Cells).unwrap_err().to_string().contains("no hop apart"));
}

#[test]
fn a_record_holds_or_not() {
    let mut game = ChineseCheckers::new("", Rules { max_ply: 4, ..Rules::default() }).unwrap();
    let moves = "3-14 111-102 14-3 102-111";
    let mut record: GameRecord = crate::record::test_record(GameKind::ChineseCheckers, "", moves, 0, None);
    record.setup.rules.chinese_checkers.max_ply = 4;
    for ply in record.plies.clone() {
        let mv = game.parse(&ply.mv, Form::Cells).unwrap();
        assert_eq!(game.write(mv, Form::Cells), ply.mv);
        game.play(mv);
    }
    assert_eq!(ended(&game), Some(("max_ply", None)));
    record.outcome = game.ending();
    record.replay().unwrap();
    // Another cap, another profile that changes nothing, another result.
    record.setup.rules.chinese_checkers.profile = Profile::StrictV1;
    record.replay().unwrap();
    record.outcome = Some(Outcome::new(GameResult::FirstWins, Ending::MaxPly));
    record.replay().unwrap_err();
    record.outcome = game.ending();
    record.setup.rules = GameRules::default();
    record.replay().unwrap_err();
}

fn any_position() -> impl Strategy<Value = Position> {
    (prop::collection::vec(0..HOLES as u8, 20), any::<bool>()).prop_map(|(holes, first)| {
        let set = |holes: &[u8]| holes.iter().fold(0, |set, &hole| set | bit(hole));
        let zero = set(&holes[..10]);
        let one = set(&holes[10..]) & !zero;
        Position::new([zero, one], Seat::BOTH[usize::from(!first)]).unwrap()
    })
}

proptest! {
    #[test]
    fn what_the_search_reaches_is_what_paths_reach(position in any_position()) {
        let player = position.to_move().index();
        let naive = Naive::new(&position.cells(), player, 0, 1, 2).paths();
        let found: Vec<(usize, usize)> = position.moves().map(|(a, b)| (a.into(), b.into())).collect();
        prop_assert_eq!(found, naive.keys().copied().collect::<Vec<_>>());
    }

    #[test]
    fn moves_keep_pieces_and_goals(position in any_position()) {
        let mover = position.to_move();
        for (from, to) in position.moves() {
            let after = position.after(from, to);
            prop_assert_eq!(after.pieces(mover).count_ones(), position.pieces(mover).count_ones());
            prop_assert_eq!(after.pieces(mover.other()), position.pieces(mover.other()));
            prop_assert!(goal(mover) & bit(from) == 0 || goal(mover) & bit(to) != 0);
            let path = position.path(from, to).unwrap();
            prop_assert_eq!(position.check_path(path.ids()), Ok(()));
            prop_assert_ne!(after.key(), position.key());
        }
    }

    #[test]
    fn a_game_replays_to_the_same_key(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut game = ChineseCheckers::new("", Rules::default()).unwrap();
        let mut moves = Vec::new();
        while game.ending().is_none() && moves.len() < 40 {
            let (from, to) = some_move(game.position(), &mut dice);
            let mv = pack((from, to));
            moves.push(game.write(mv, Form::Cells));
            game.play(mv);
        }
        let mut again = board::at(GameKind::ChineseCheckers, "").unwrap();
        for text in &moves {
            let mv = again.parse(text, Form::Cells).unwrap();
            again.play(mv);
        }
        prop_assert_eq!(again.notation(), game.notation());
        let Notation::Cells(written) = game.notation() else { panic!() };
        let placed = ChineseCheckers::new(&written, Rules::default()).unwrap();
        prop_assert_eq!(placed.position().key(), game.position().key());
    }

    #[test]
    fn hostile_text_is_answered(text in prop_oneof![any::<String>(), "[0-9,-]{0,90}", "(cells )?[.01]{119,122}( player)? [012]( ply)? [0-9-]{0,12}"]) {
        let _ = ChineseCheckers::new(&text, Rules::default());
        let game = ChineseCheckers::new("", Rules::default()).unwrap();
        if let Ok(mv) = game.parse(&text, Form::Cells) {
            prop_assert!(!game.write(mv, Form::Cells).is_empty());
        }
        let mut played = game.clone();
        // A move of nowhere is ignored.
        played.play(Move(text.len() as u64 * 0x1_0001));
    }
}
