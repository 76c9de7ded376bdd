use std::{collections::BTreeMap, fs, path::Path};

use rookery_game::{Ending, GameResult};

use super::{Standings, Tally, rank};
use crate::{EntrantId, event::Counted};

const ALL: [&str; 8] = [
    "direct-encounter",
    "sonneborn-berger",
    "r-mobility",
    "wins",
    "black-wins",
    "double-wins",
    "koya",
    "fewest-crashes",
];

const fn game(first: u32, second: u32, half_points: u32) -> Option<((EntrantId, EntrantId), Counted)> {
    let result = match half_points {
        2 => GameResult::FirstWins,
        1 => GameResult::Draw,
        _ => GameResult::SecondWins,
    };
    let counted = Counted { result, ending: Ending::Ruling, fault: None, r_mobility: None };
    Some(((EntrantId(first), EntrantId(second)), counted))
}

/// Half points of the first in each game.
fn table(games: &[(u32, u32, u32)], criteria: &[&str]) -> Vec<(u32, String)> {
    let mut tally = Tally::default();
    tally.resize(4);
    games.iter().for_each(|&(a, b, points)| tally.add(&[game(a, b, points), None], 1));
    let criteria: Vec<_> = criteria.iter().map(|&c| c.to_owned()).collect();
    let standings = rank(&["A", "B", "C", "D"], &tally, &criteria);
    standings.lines.into_iter().filter(|l| l.games > 0).map(|l| (l.place, l.engine)).collect()
}

#[track_caller]
fn check(games: &[(u32, u32, u32)], criteria: &[&str], expected: &[(u32, &str)]) {
    let expected: Vec<_> = expected.iter().map(|&(place, engine)| (place, engine.to_owned())).collect();
    assert_eq!(table(games, criteria), expected, "{games:?}");
}

#[test]
fn direct_encounter_of_three_is_a_table_of_their_own() {
    let direct = &["direct-encounter"];
    // All have two points in their games against each other: it does not split, and the place is shared.
    check(&[(1, 2, 2), (1, 2, 1), (2, 3, 2), (2, 3, 1), (3, 1, 2), (3, 1, 1)], direct, &[(1, "A"), (1, "B"), (1, "C")]);
    // 3, 2 and 1 among themselves; D made them level.
    let level = [(1, 2, 1), (1, 2, 1), (1, 3, 2), (1, 3, 2), (2, 3, 1), (2, 3, 1), (2, 4, 2), (3, 4, 2), (3, 4, 2)];
    check(&level, direct, &[(1, "A"), (2, "B"), (3, "C"), (4, "D")]);
    // 2.5, 2.5 and 1: A and B get a fresh table, and A beat B.
    let fresh = [(1, 2, 2), (1, 2, 1), (1, 3, 1), (1, 3, 1), (2, 3, 2), (2, 3, 2), (3, 4, 2), (3, 4, 1)];
    check(&fresh, direct, &[(1, "A"), (2, "B"), (3, "C"), (4, "D")]);
    // 2.5, 2.5 and 1: the last falls out, then A and B alone are level and go to the next criterion.
    let games = [(1, 2, 2), (1, 2, 0), (1, 3, 2), (1, 3, 1), (2, 3, 2), (2, 3, 1), (3, 4, 2), (3, 4, 1)];
    check(&games, direct, &[(1, "A"), (1, "B"), (3, "C"), (4, "D")]);
}

#[test]
fn places_are_shared_as_in_competitions() {
    check(&[(1, 2, 1), (3, 4, 1)], &["shared"], &[(1, "A"), (1, "B"), (1, "C"), (1, "D")]);
    check(&[(1, 2, 1), (1, 3, 2), (2, 3, 2)], &[], &[(1, "A"), (1, "B"), (3, "C")]);
    check(&[(1, 2, 2), (3, 4, 0), (1, 4, 0), (2, 3, 2)], &["wins"], &[(1, "D"), (2, "A"), (2, "B"), (4, "C")]);
}

#[test]
fn taking_away_is_the_opposite_of_adding() {
    let mut tally = Tally::default();
    tally.resize(3);
    let pairs = [[game(1, 2, 2), game(2, 1, 0)], [game(3, 1, 1), game(1, 3, 0)], [game(2, 3, 2), None]];
    pairs.iter().for_each(|pair| tally.add(pair, 1));
    let names = ["A", "B", "C"];
    let criteria: Vec<_> = ALL.iter().map(|&c| c.to_owned()).collect();
    let before = rank(&names, &tally, &criteria);
    assert_eq!(before.lines[0].pairs, [0, 1, 0, 0, 1]);
    let more = [game(1, 2, 0), game(2, 1, 2)];
    tally.add(&more, 1);
    assert_ne!(rank(&names, &tally, &criteria), before);
    tally.add(&more, -1);
    assert_eq!(rank(&names, &tally, &criteria), before);
}

fn value(standings: &Standings, engine: &str, criterion: &str) -> Option<f64> {
    let at = ALL.iter().position(|c| *c == criterion)?;
    standings.lines.iter().find(|l| l.engine == engine)?.tie_breaks[at].parse().ok()
}

/// Archived events: points, direct encounter, Sonneborn-Berger, r-mobility, wins and double wins as published.
#[test]
fn archived_events() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/tcec"));
    let Ok(games) = fs::read_to_string(folder.join("results.csv")) else {
        println!("SKIP: no archived results at {}", folder.display());
        return;
    };
    let expected = fs::read_to_string(folder.join("expected_standings.json")).unwrap();
    let expected: BTreeMap<String, serde_json::Value> = serde_json::from_str(&expected).unwrap();
    let mut checked = 0;
    for (event, published) in &expected {
        let rows: Vec<Vec<&str>> =
            games.lines().map(|l| l.split(',').collect::<Vec<_>>()).filter(|row| row[0] == event).collect();
        if rows.is_empty() {
            continue;
        }
        let mut names: Vec<&str> = rows.iter().flat_map(|row| [row[3], row[4]]).collect();
        names.sort_unstable();
        names.dedup();
        let id = |name: &str| EntrantId(names.iter().position(|n| *n == name).unwrap() as u32 + 1);
        let mut tally = Tally::default();
        tally.resize(names.len());
        let mut waiting: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in &rows {
            let half_points = match row[5] {
                "1-0" => 2,
                "0-1" => 0,
                _ => 1,
            };
            let (first, second) = (id(row[3]), id(row[4]));
            let mut played = game(first.0, second.0, half_points);
            let twice = row[8].trim_start_matches('-').strip_prefix('G').and_then(|g| g.parse::<f64>().ok());
            if let (Some((_, counted)), Some(g)) = (&mut played, twice) {
                let held = (2.0 * g) as i16;
                counted.r_mobility = Some(if row[8].starts_with('-') { -held } else { held });
            }
            // Without an opening's key nobody can say which games are a pair.
            let other =
                if row[9].is_empty() { None } else { waiting.get_mut(&(second, first, row[9])).and_then(Vec::pop) };
            match other {
                Some(one) => tally.add(&[one, played], 1),
                None => waiting.entry((first, second, row[9])).or_default().push(played),
            }
        }
        waiting.into_values().flatten().for_each(|one| tally.add(&[one, None], 1));
        let criteria: Vec<_> = ALL.iter().map(|&c| c.to_owned()).collect();
        let standings = rank(&names, &tally, &criteria);
        for row in published["rows"].as_array().unwrap() {
            let engine = row["engine"].as_str().unwrap();
            let line = standings.lines.iter().find(|l| l.engine == engine).unwrap();
            assert_eq!(f64::from(line.half_points) / 2.0, row["points"].as_f64().unwrap(), "{event} {engine}");
            assert_eq!(u64::from(line.losses), row["losses"].as_u64().unwrap(), "{event} {engine}");
            for (criterion, key) in [
                ("direct-encounter", "direct_encounter"),
                ("sonneborn-berger", "sb"),
                ("r-mobility", "rmob"),
                ("wins", "wins"),
                ("black-wins", "black_wins"),
                ("double-wins", "double_wins"),
            ] {
                let Some(expected) = row[key].as_f64() else { continue };
                if criterion == "double-wins" && rows.iter().any(|row| row[9].is_empty()) {
                    continue;
                }
                let value = value(&standings, engine, criterion).unwrap();
                assert!((value - expected).abs() < 1e-5, "{event} {engine} {criterion}: {value}, published {expected}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}
