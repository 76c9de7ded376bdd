//! What other programs make of the games that are written.

use std::{fmt::Write as _, io::Write as _, path::Path, process::Command};

use rookery_game::{
    Ending, GameKind, GameRecord, GameResult, Outcome, Score,
    pgn::{self, PgnOptions},
    record::Note,
};

use super::common::record;

/// Games with whatever a record may hold, and the UCI moves of each.
fn nasty() -> Vec<(GameRecord, &'static str)> {
    let win = Some(Outcome::new(GameResult::FirstWins, Ending::Checkmate));
    let black = "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 7";
    let mut games = vec![
        (
            record(GameKind::Chess, "", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", 2, win.clone()),
            "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
        ),
        (record(GameKind::Chess, black, "f8d6 f4g3 e8g8", 0, None), "f8d6 f4g3 e8g8"),
        (
            record(
                GameKind::Chess,
                "",
                "",
                0,
                Some(Outcome::fault(rookery_game::Seat::First, Ending::Crash, "{signal} 11")),
            ),
            "",
        ),
        (record(GameKind::Chess, "", "e2e4 e2e4", 0, None), "e2e4"),
        (
            record(
                GameKind::Chess960,
                "bbrnkqnr/pppppppp/8/8/8/8/PPPPPPPP/BBRNKQNR w KQkq - 0 1",
                "f2f4 f7f5 f1f2 f8f7 g1f3 g8f6 e1h1 e8h8",
                0,
                None,
            ),
            "f2f4 f7f5 f1f2 f8f7 g1f3 g8f6 e1h1 e8h8",
        ),
        (record(GameKind::Chess960, "4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1", "e1g1 e8d7", 0, None), "e1g1 e8d7"),
    ];
    let names = [
        "a\"b\\c",
        "Eng'ne [x] {y} (z) ; % $5 1-0",
        "tab\tline\nnul\0 \u{85}\u{2028} é 中 \u{202e}",
        "\\",
        "[Event \"",
        "]",
    ];
    for ((record, _), name) in games.iter_mut().zip(names) {
        record.engines[0].name = name.to_owned();
        record.engines[1].name = "ü".repeat(150);
        record.engines[0].id_name = name.to_owned();
        record.engines[0].options = (0..60).map(|place| (format!("Option {place}"), name.to_owned())).collect();
        record.event = name.to_owned();
        for ply in &mut record.plies {
            ply.score = Some(Score::Mate(-3));
            ply.depth = 30;
            ply.nodes = u64::MAX;
            ply.clock_ns = Some(9_999_000_000);
            ply.pv = "e2e4 } [%clk \"".to_owned();
        }
        for at in [0, 1, 2] {
            record.notes.push(Note { ply: at, text: format!("{name} }} {{ \n[Event \"no\"]\n% ; ({name}") });
        }
    }
    games
}

fn file(options: &PgnOptions) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".pgn").tempfile().expect("a file");
    for (record, _) in nasty() {
        file.write_all(pgn::write(&record, options).as_bytes()).expect("written");
    }
    file
}

fn run(program: &str, arguments: &[&str], file: &Path) -> Option<(String, String)> {
    match Command::new(program).args(arguments).arg(file).output() {
        Ok(output) => Some((
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )),
        Err(error) => {
            eprintln!("SKIP: {program}: {error}");
            None
        }
    }
}

fn every() -> [PgnOptions; 3] {
    [PgnOptions::default(), PgnOptions { pv: true, ..PgnOptions::default() }, PgnOptions::minimal()]
}

#[test]
fn our_own_reader() {
    for options in every() {
        let text = std::fs::read(file(&options).path()).expect("the file");
        let games: Vec<_> = pgn::games(&text).collect();
        assert_eq!(games.len(), nasty().len());
        for (game, (_, moves)) in games.iter().zip(nasty()) {
            let found: Vec<&str> = game.plies.iter().map(|ply| ply.mv.as_str()).collect();
            assert_eq!((found.join(" ").as_str(), &game.problem), (moves, &None));
        }
    }
}

#[test]
fn pgn_extract() {
    let program = if Path::new("/usr/games/pgn-extract").exists() { "/usr/games/pgn-extract" } else { "pgn-extract" };
    for options in every() {
        let file = file(&options);
        let Some((games, said)) = run(program, &["-s", "-Wuci", "--nocomments", "--notags"], file.path()) else {
            return;
        };
        assert_eq!(said, "", "complaints");
        let found: Vec<&str> =
            games.split_whitespace().filter(|word| word.as_bytes()[0].is_ascii_lowercase()).collect();
        // It writes castling as the king's step.
        let games = nasty();
        let expected = games.iter().flat_map(|(_, moves)| moves.split_whitespace());
        let expected: Vec<String> = expected.map(|mv| mv.replace("e1h1", "e1g1").replace("e8h8", "e8g8")).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn python_chess() {
    const READER: &str = r#"
import sys, chess.pgn
games = open(sys.argv[1], encoding="utf-8")
while (game := chess.pgn.read_game(games)) is not None:
    board = game.board()
    moves = " ".join(board.uci(node.move) if board.chess960 else node.move.uci() for node in game.mainline())
    clocks = sum(node.clock() is not None for node in game.mainline())
    print("|".join([game.headers["White"], game.headers["Result"], moves, str(clocks), str(len(game.errors))]))
"#;
    for options in every() {
        let file = file(&options);
        let Some((found, said)) = run("python3", &["-c", READER], file.path()) else { return };
        if said.contains("No module named") {
            eprintln!("SKIP: python3 without the package chess");
            return;
        }
        let mut expected = String::new();
        for (record, moves) in nasty() {
            // python-chess keeps the escapes of a tag as they are.
            let name = record.engines[0].name.replace(|c: char| c.is_control() || c == '\u{2028}', " ");
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            let result = record.outcome.as_ref().map_or("*", |outcome| outcome.result.as_str());
            let book = record.plies.iter().filter(|ply| ply.book).count();
            let clocks = if options.comments { moves.split_whitespace().count() - book } else { 0 };
            let _ = writeln!(expected, "{}|{result}|{moves}|{clocks}|0", name.trim());
        }
        assert_eq!(found, expected, "{said}");
    }
}
