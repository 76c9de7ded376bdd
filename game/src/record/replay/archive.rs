//! Real games of TCEC's archive: the draw rule fires on exactly the recorded ply and nowhere else, every recorded
//! ending follows from the moves, and r-mobility is as computed by an independent program.

use std::collections::BTreeMap;

use super::{tests::record, *};
use crate::{
    adjudicate::{Adjudication, TablebaseRule, TcecDrawRule},
    pgn::{Game, games},
    testing::shared,
};

const DRAW_RULE: TcecDrawRule = TcecDrawRule { pieces: 6, plies: 8, within: 25 };

fn read_games() -> Option<Vec<(String, Vec<Game>)>> {
    let folder = shared("vectors/tcec/pgn_compact")?;
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read(&path).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), games(&text).collect())
    };
    Some(paths.into_iter().map(read).collect())
}

fn as_record(game: &Game, outcome: Option<Outcome>) -> GameRecord {
    let mut record = record(game.kind, &game.position, "", 0, outcome);
    record.plies.clone_from(&game.plies);
    record.setup.adjudication = Adjudication {
        tcec_draw: Some(DRAW_RULE),
        tablebases: Some(TablebaseRule { men: 7, fifty_moves: true, draws_only: false }),
        ..Adjudication::default()
    };
    record
}

/// The ply after which the draw rule fires; the game's own rules come first.
fn draw_rule(game: &Game) -> Option<usize> {
    let mut board = board::at(game.kind, &game.position).unwrap();
    let mut adjudicator = Adjudicator::new(Adjudication { tcec_draw: Some(DRAW_RULE), ..Adjudication::default() });
    game.plies.iter().zip(1..).find_map(|(ply, number)| {
        let mv = board.parse(&ply.mv, protocol_form(game.kind)).unwrap();
        board.play(mv);
        let fires = adjudicator.after(board.as_ref(), ply, None).is_some();
        (fires && board.ending().is_none()).then_some(number)
    })
}

#[test]
fn recorded_games_hold() {
    let Some(files) = read_games() else { return };
    let mut counts = BTreeMap::<String, u32>::new();
    for (file, games) in &files {
        for game in games {
            let at = format!("{file}, line {}", game.line);
            assert_eq!(game.problem, None, "{at}");
            let details = game.tag("TerminationDetails").unwrap_or_default();
            *counts.entry(details.to_owned()).or_default() += 1;
            let rated = game.plies.iter().any(|ply| ply.score.is_some());
            let by_draw_rule = details == "TCEC draw rule";
            if rated {
                assert_eq!(draw_rule(game), by_draw_rule.then_some(game.plies.len()), "{at}");
            }
            let ending = match details {
                "TCEC draw rule" if rated => Ending::TcecDraw,
                "White mates" | "Black mates" => Ending::Checkmate,
                "3-Fold repetition" => Ending::Repetition,
                "SyzygyTB" => Ending::TablebaseAdjudication,
                "Fifty moves rule" => Ending::FiftyMoves,
                _ => Ending::Ruling,
            };
            let outcome = Outcome::new(game.result.unwrap(), ending);
            let mut record = as_record(game, Some(outcome));
            if let Err(error) = record.replay() {
                panic!("{at}: {details}: {error}");
            }
            // One ply less, and nothing but a ruling holds.
            if !matches!(ending, Ending::Ruling | Ending::TablebaseAdjudication) {
                record.plies.pop();
                assert!(record.replay().is_err(), "{at}");
            }
        }
    }
    eprintln!("{counts:?}");
    assert!(counts["TCEC draw rule"] > 30 && counts["White mates"] > 30 && counts["3-Fold repetition"] > 30);
}

/// `G2.5` is 5, `-G2.5` is -5.
fn twice(text: &str) -> i32 {
    let (sign, number) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let number = number.strip_prefix('G').unwrap();
    let (whole, half) = number.split_once('.').unwrap();
    sign * (whole.parse::<i32>().unwrap() * 2 + i32::from(half == "5"))
}

#[test]
fn mobility_is_as_computed_elsewhere() {
    let (Some(files), Some(results)) = (read_games(), shared("vectors/tcec/results.csv")) else { return };
    let results = std::fs::read_to_string(results).unwrap();
    // Rows and files of an event tell of the same games: same count, same rounds, same lengths.
    let mut events = BTreeMap::<&str, Vec<Vec<&str>>>::new();
    for row in results.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        events.entry(row[0]).or_default().push(row);
    }
    let (mut compared, mut published) = (0, false);
    for (file, games) in &files {
        let tells = |rows: &Vec<Vec<&str>>| {
            rows.len() == games.len()
                && rows
                    .iter()
                    .zip(games)
                    .all(|(row, game)| Some(row[2]) == game.tag("Round") && row[6] == game.plies.len().to_string())
        };
        let Some((event, rows)) = events.iter().find(|(_, rows)| tells(rows)) else { continue };
        // A decisive game counts 1 and 0, whoever held what.
        let mut totals = BTreeMap::<&str, f64>::new();
        for (row, game) in rows.iter().zip(games) {
            let found = as_record(game, None).replay().unwrap().mobility.unwrap();
            let (mut first, mut second) = (f64::from(u8::from(row[5] == "1-0")), f64::from(u8::from(row[5] == "0-1")));
            if row[5] == "1/2-1/2" && !row[8].is_empty() {
                assert_eq!(found, twice(row[8]), "{file}, round {}", row[2]);
                compared += 1;
            }
            if row[5] == "1/2-1/2" {
                let edge = 0.5_f64.powi(1 + found.abs()) * f64::from(found.signum());
                (first, second) = (0.5 + edge, 0.5 - edge);
            }
            *totals.entry(row[3]).or_default() += first;
            *totals.entry(row[4]).or_default() += second;
        }
        // As published.
        if *event == "S18_Top_of_the_Top" {
            assert!((totals["AllieStein"] - 22.495_854_382).abs() < 1e-8, "{totals:?}");
            assert!((totals["LCZero"] - 21.981_638_906).abs() < 1e-8, "{totals:?}");
            published = true;
        }
    }
    eprintln!("{compared} games");
    assert!(compared > 100 && published);
}
