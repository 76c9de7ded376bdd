//! Archived events, where their records are at hand.

use std::{collections::BTreeMap, fs, path::Path};

use super::{ALL, Played, game};
use crate::{
    EntrantId,
    spec::TIE_BREAK_PRESETS,
    standings::{Standings, Tally, rank},
};

/// One event of the archive.
struct Archived<'a> {
    names: Vec<&'a str>,
    tally: Tally,
    /// Whether it is known which games were played from the same opening.
    paired: bool,
}

fn read<'a>(results: &'a str, event: &str) -> Option<Archived<'a>> {
    let rows: Vec<Vec<&str>> =
        results.lines().map(|l| l.split(',').collect::<Vec<_>>()).filter(|row| row[0] == event).collect();
    let mut names: Vec<&str> = rows.iter().flat_map(|row| [row[3], row[4]]).collect();
    names.sort_unstable();
    names.dedup();
    let id = |name: &str| EntrantId(names.iter().position(|n| *n == name).unwrap() as u32 + 1);
    let mut tally = Tally::default();
    tally.resize(names.len());
    let mut waiting: BTreeMap<_, Vec<Option<Played>>> = BTreeMap::new();
    for row in &rows {
        let half_points = match row[5] {
            "1-0" => 2,
            "0-1" => 0,
            _ => 1,
        };
        let (first, second) = (id(row[3]), id(row[4]));
        let mut played = game(first.0, second.0, half_points);
        if let Some((_, counted)) = &mut played {
            counted.plies = row[6].parse().ok();
            let twice = row[8].trim_start_matches('-').strip_prefix('G').and_then(|g| g.parse::<f64>().ok());
            if let Some(g) = twice {
                let held = (2.0 * g) as i16;
                counted.r_mobility = Some(if row[8].starts_with('-') { -held } else { held });
            }
        }
        // Without an opening's key nobody can say which games are a pair.
        let other = if row[9].is_empty() { None } else { waiting.get_mut(&(second, first, row[9])).and_then(Vec::pop) };
        match other {
            Some(one) => tally.add(&[one, played], 1),
            None => waiting.entry((first, second, row[9])).or_default().push(played),
        }
    }
    waiting.into_values().flatten().for_each(|one| tally.add(&[one, None], 1));
    let paired = rows.iter().all(|row| !row[9].is_empty());
    (!rows.is_empty()).then_some(Archived { names, tally, paired })
}

fn folder() -> Option<(String, &'static Path)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/tcec"));
    let Ok(results) = fs::read_to_string(folder.join("results.csv")) else {
        println!("SKIP: no archived results at {}", folder.display());
        return None;
    };
    Some((results, folder))
}

fn json(folder: &Path, name: &str) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn value(standings: &Standings, engine: &str, criterion: &str) -> Option<f64> {
    let at = ALL.iter().position(|c| *c == criterion)?;
    standings.lines.iter().find(|l| l.engine == engine)?.tie_breaks[at].parse().ok()
}

#[test]
fn values_as_published() {
    let Some((results, folder)) = folder() else { return };
    let mut checked = 0;
    for (event, published) in json(folder, "expected_standings.json").as_object().unwrap() {
        let Some(archived) = read(&results, event) else { continue };
        let standings = rank(&archived.names, &archived.tally, &owned(&ALL), &[]);
        for row in published["rows"].as_array().unwrap() {
            let engine = row["engine"].as_str().unwrap();
            let line = standings.lines.iter().find(|l| l.engine == engine).unwrap();
            assert_eq!(f64::from(line.half_points) / 2.0, row["points"].as_f64().unwrap(), "{event} {engine}");
            assert_eq!(u64::from(line.losses), row["losses"].as_u64().unwrap(), "{event} {engine}");
            for (criterion, key, within) in [
                ("direct-encounter", "direct_encounter", 1e-9),
                ("sonneborn-berger", "sb", 1e-9),
                ("r-mobility", "rmob", 1e-6),
                ("wins", "wins", 1e-9),
                ("black-wins", "black_wins", 1e-9),
                ("double-wins", "double_wins", 1e-9),
                ("pair-wins", "pair_wins", 1e-9),
                ("average-moves-won", "avg_moves_won", 6e-4),
                ("average-moves-lost", "avg_moves_lost", 6e-4),
            ] {
                let Some(expected) = row[key].as_f64() else { continue };
                // Pairs are known where openings are.
                if matches!(criterion, "double-wins" | "pair-wins") && !archived.paired {
                    continue;
                }
                let value = value(&standings, engine, criterion).unwrap();
                let near = (value - expected).abs() <= within;
                assert!(near, "{event} {engine} {criterion}: {value}, published {expected}");
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

#[test]
fn ties_as_they_were_decided() {
    let Some((results, folder)) = folder() else { return };
    let (_, league) = TIE_BREAK_PRESETS[0];
    let mut checked = 0;
    for outcome in json(folder, "outcomes.json").as_array().unwrap() {
        let Some(order) = outcome.get("order").and_then(|order| order.as_array()) else { continue };
        let event = outcome["event"].as_str().unwrap();
        let Some(archived) = read(&results, event) else { continue };
        let standings = rank(&archived.names, &archived.tally, &owned(league), &[]);
        let order: Vec<&str> = order.iter().map(|name| name.as_str().unwrap()).collect();
        let places: Vec<_> = standings.lines.iter().filter(|line| order.contains(&line.engine.as_str())).collect();
        assert_eq!(places.iter().map(|l| l.engine.as_str()).collect::<Vec<_>>(), order, "{event}");
        assert!(places.windows(2).all(|two| two[0].place < two[1].place), "{event}");
        checked += 1;
    }
    assert!(checked > 0);
}
