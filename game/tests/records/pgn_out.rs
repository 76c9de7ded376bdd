use rookery_game::{
    Ending, GameKind, GameResult, Outcome, Score,
    pgn::{self, PgnOptions},
};

use super::common::record;

#[test]
fn a_plain_game() {
    let outcome = Outcome::new(GameResult::SecondWins, Ending::Checkmate);
    let mut record = record(GameKind::Chess, "", "f2f3 e7e5 g2g4 d8h4", 1, Some(outcome));
    record.plies[1].score = Some(Score::Cp(35));
    record.plies[1].depth = 18;
    record.plies[2].score = Some(Score::Mate(0));
    record.plies[3].score = Some(Score::Mate(1));
    record.plies[3].clock_ns = Some(9_488_000_000);
    let text = pgn::write(&record, &PgnOptions::default());
    assert_eq!(
        text,
        "[Event \"A match\"]\n[Site \"?\"]\n[Date \"2023.11.14\"]\n[Round \"?\"]\n[White \"One\"]\n[Black \"Two\"]\n\
         [Result \"0-1\"]\n[PlyCount \"4\"]\n[TimeControl \"-\"]\n[Termination \"normal\"]\n\
         [TerminationDetails \"Black mates\"]\n[GameStartTime \"2023-11-14T22:13:20.000 UTC\"]\n\
         [GameEndTime \"2023-11-14T22:15:23.000 UTC\"]\n[GameDuration \"00:02:03\"]\n[RookeryGame \"1-1/1/0\"]\n\n\
         1. f3 {book} e5 {+0.35/18 0.512s} 2. g4 {-M0/0 0.512s} Qh4# {+M1/0\n\
         0.512s [%clk 0:00:09.488]} {Black mates} 0-1\n\n"
    );
    // One that went on from a position began with its first attempt.
    record.began_unix_ms = record.started_unix_ms - 26 * 3_600_000;
    let text = pgn::write(&record, &PgnOptions::default());
    for tag in [
        "[Date \"2023.11.13\"]",
        "[GameStartTime \"2023-11-13T20:13:20.000 UTC\"]",
        "[GameEndTime \"2023-11-14T22:15:23.000 UTC\"]",
        "[GameDuration \"26:02:03\"]",
    ] {
        assert!(text.contains(tag), "{tag}: {text}");
    }
    let minimal = pgn::write(&record, &PgnOptions::minimal());
    assert!(minimal.ends_with("\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n"), "{minimal}");
}

fn lines_of(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn black_first() {
    let fen = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 7";
    let text = pgn::write(&record(GameKind::Chess, fen, "f8d6 f4g3 e8g8", 0, None), &PgnOptions::minimal());
    assert!(text.contains(&format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n")), "{text}");
    assert!(text.ends_with("\n\n7... Bd6 8. Bg3 O-O *\n\n"), "{text}");
}

#[test]
fn interrupted_games_have_no_result() {
    for options in [PgnOptions::default(), PgnOptions::minimal()] {
        let text = pgn::write(&record(GameKind::Chess, "", "e2e4", 0, None), &options);
        assert!(text.contains("[Result \"*\"]\n") && text.contains("[Termination \"unterminated\"]\n"), "{text}");
        assert!(text.trim_end().ends_with(" *") && !text.contains("1/2"), "{text}");
        let nothing = pgn::write(&record(GameKind::Chess, "", "", 0, None), &options);
        assert!(nothing.ends_with("]\n\n*\n\n"), "{nothing}");
    }
}

#[test]
fn names_of_every_kind() {
    let long = "é".repeat(150);
    for (name, written) in [
        ("a\"b\\c", "a\\\"b\\\\c"),
        ("Eng'ne [x] {y}", "Eng'ne [x] {y}"),
        ("tab\tline\nreturn\r\u{7f}\u{85}\u{2028}end\0", "tab line return    end"),
        (long.as_str(), long.as_str()),
        (" ", "?"),
        ("\\", "\\\\"),
        ("; % { ( $1 1-0 *", "; % { ( $1 1-0 *"),
    ] {
        let mut record = record(GameKind::Chess, "", "e2e4", 0, None);
        record.engines[0].name = name.to_owned();
        record.setup.sides[0].engine.name = name.to_owned();
        record.engines[0].options = vec![("Opt".to_owned(), name.to_owned())];
        record.notes.push(rookery_game::record::Note { ply: 1, text: format!("by {name}") });
        let text = pgn::write(&record, &PgnOptions::default());
        assert!(text.contains(&format!("[White \"{written}\"]\n")), "{text}");
        let games: Vec<_> = pgn::games(text.as_bytes()).collect();
        assert_eq!(games.len(), 1, "{text}");
        assert_eq!(games[0].tag("White"), Some(written.replace("\\\"", "\"").replace("\\\\", "\\").as_str()));
        assert_eq!((games[0].plies.len(), &games[0].problem), (1, &None), "{text}");
    }
}

#[test]
fn time_controls() {
    // Equal ones in one tag, others in two; what PGN cannot say stands beside it.
    for (white, black, expected) in [
        ("5+0.05", "5+0.05", vec!["[TimeControl \"5+0.05\"]"]),
        ("5+0.05", "10+0.1", vec!["[WhiteTimeControl \"5+0.05\"]", "[BlackTimeControl \"10+0.1\"]"]),
        ("movetime=1500ms", "movetime=1500ms", vec!["[TimeControl \"1.5/move\"]"]),
        ("nodes=1000", "nodes=1000", vec!["[TimeControl \"-\"]", "[RookeryLimits \"nodes=1000\"]"]),
        ("depth=6", "inf", vec!["[TimeControl \"-\"]", "[RookeryWhiteLimits \"depth=6\"]"]),
        ("40/10", "40/10", vec!["[TimeControl \"40/10\"]"]),
        ("40/90m+30s, 30m+30s", "40/90m+30s, 30m+30s", vec!["[TimeControl \"40/5400+30:1800+30\"]"]),
    ] {
        let mut record = record(GameKind::Chess, "", "e2e4", 0, None);
        for (side, text) in record.setup.sides.iter_mut().zip([white, black]) {
            side.time_control = text.parse().unwrap_or_else(|error| panic!("{error}"));
        }
        let text = pgn::write(&record, &PgnOptions::default());
        let found: Vec<&str> = lines_of(&text)
            .into_iter()
            .filter(|line| line.contains("TimeControl") || line.contains("Limits"))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn illegal_moves_are_never_written() {
    for (moves, written) in [
        ("e2e4 e7e5 e4e5 d7d5", "1. e4 e5 *"),
        ("e2e4 a1a1", "1. e4 *"),
        ("e2e4 (none)", "1. e4 *"),
        ("e2e4 ", "1. e4 *"),
        ("e7e8q", "*"),
    ] {
        let text = pgn::write(&record(GameKind::Chess, "", moves, 0, None), &PgnOptions::minimal());
        assert_eq!(text.lines().rev().nth(1), Some(written), "{text}");
        let plies = written.split(' ').filter(|word| word.len() > 1 && !word.ends_with('.')).count();
        assert!(text.contains(&format!("[PlyCount \"{plies}\"]")), "{text}");
    }
    let broken = pgn::write(&record(GameKind::Chess, "no position", "e2e4", 0, None), &PgnOptions::default());
    assert_eq!(pgn::games(broken.as_bytes()).count(), 1, "{broken}");
}

#[test]
fn lines_are_short_and_begin_with_nothing_special() {
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(40);
    let mut record = record(GameKind::Chess, "", &moves, 3, None);
    for (place, ply) in record.plies.iter_mut().enumerate() {
        ply.score = Some(Score::Cp(i32::try_from(place).expect("small") * 7 - 300));
        ply.depth = 20;
        ply.selective_depth = 33;
        ply.nodes = 1_234_567;
        ply.clock_ns = Some(3_600_000_000_000);
        ply.pv = "e2e4 e7e5 g1f3".to_owned();
    }
    let note = "; % [x] [%clk 0:00:01] {y} ".repeat(9);
    record.notes.push(rookery_game::record::Note { ply: 0, text: note.clone() });
    record.notes.push(rookery_game::record::Note { ply: 5, text: note });
    let text = pgn::write(&record, &PgnOptions { pv: true, ..PgnOptions::default() });
    let (_, movetext) = text.split_once("\n\n").expect("tags and moves");
    for line in movetext.lines() {
        assert!(!line.starts_with(['[', '%', ';', ' ']) && !line.ends_with(' '), "{line}");
        // A command and what glues to it is not broken.
        assert!(line.chars().count() <= 80 || line.contains("[%clk"), "{line}");
    }
    let game = pgn::games(text.as_bytes()).next().expect("a game");
    assert_eq!(game.plies.len(), record.plies.len());
    assert_eq!(game.plies[5].pv, record.plies[5].pv.split(' ').next().map_or("", |_| ""), "not legal there");
}

#[test]
fn every_ending_has_its_words() {
    use Ending::*;
    for (outcome, termination, details) in [
        (Outcome::new(GameResult::FirstWins, Checkmate), "normal", "White mates"),
        (Outcome::new(GameResult::Draw, Stalemate), "normal", "Draw by stalemate"),
        (Outcome::new(GameResult::Draw, Repetition), "normal", "Draw by 3-fold repetition"),
        (Outcome::new(GameResult::Draw, FiftyMoves), "normal", "Draw by fifty moves rule"),
        (Outcome::new(GameResult::SecondWins, Resignation), "normal", "White resigns"),
        (
            Outcome::fault(rookery_game::Seat::First, TimeLoss, "late by 3 ms"),
            "time forfeit",
            "White loses on time: late by 3 ms",
        ),
        (Outcome::fault(rookery_game::Seat::Second, Stall, ""), "stalled connection", "Black's connection stalls"),
        (Outcome::fault(rookery_game::Seat::Second, Crash, "signal 11"), "abandoned", "Black disconnects: signal 11"),
        (
            Outcome::fault(rookery_game::Seat::First, IllegalMove, "e2e5"),
            "illegal move",
            "White makes an illegal move: e2e5",
        ),
        (Outcome::new(GameResult::Draw, DrawAdjudication), "adjudication", "Draw by adjudication"),
        (Outcome::new(GameResult::FirstWins, ResignAdjudication), "adjudication", "White wins by adjudication"),
        (
            Outcome::new(GameResult::SecondWins, TablebaseAdjudication),
            "adjudication",
            "Black wins by adjudication: SyzygyTB",
        ),
        (Outcome::new(GameResult::Draw, TcecDraw), "adjudication", "TCEC draw rule"),
    ] {
        let text = pgn::write(&record(GameKind::Chess, "", "e2e4", 0, Some(outcome.clone())), &PgnOptions::default());
        assert!(text.contains(&format!("[Termination \"{termination}\"]\n")), "{text}");
        assert!(text.contains(&format!("[TerminationDetails \"{details}\"]\n")), "{text}");
        let flat = text.replace('\n', " ");
        assert!(flat.contains(&format!("{{{details}}} {}", outcome.result.as_str())), "{text}");
    }
}

#[test]
fn tags_of_the_setup() {
    let mut record = record(GameKind::Chess960, "4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1", "e1c1", 0, None);
    for (name, value) in [
        ("Site", "here"),
        ("Round", "3.1"),
        ("Opening", "None"),
        ("WhiteElo", "3400"),
        ("Result", "1-0"),
        ("Bad name]", "x"),
        ("RookeryGame", "forged"),
        ("Empty", " "),
    ] {
        record.setup.tags.insert(name.to_owned(), value.to_owned());
    }
    record.restarts = 2;
    let text = pgn::write(&record, &PgnOptions::default());
    for line in [
        "[Site \"here\"]",
        "[Round \"3.1\"]",
        "[Opening \"None\"]",
        "[WhiteElo \"3400\"]",
        "[Result \"*\"]",
        "[Variant \"fischerandom\"]",
        "[RookeryGame \"1-1/1/0\"]",
        "[RookeryRestarts \"2\"]",
    ] {
        assert_eq!(lines_of(&text).iter().filter(|other| **other == line).count(), 1, "{line} in {text}");
    }
    assert!(!text.contains("Bad name") && !text.contains("forged") && !text.contains("Empty"), "{text}");
    assert!(text.contains("1. O-O-O {0.512s} *"), "{text}");
    let names: Vec<&str> = lines_of(&text).into_iter().take(7).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["[Event", "[Site", "[Date", "[Round", "[White", "[Black", "[Result"]);
}
