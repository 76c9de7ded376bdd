//! Formats against real events and worked examples; they lie beside the project and are passed over where they do not.

use std::collections::{BTreeMap, BTreeSet};

use rookery_game::{Ending, GameResult};
use rookery_tournament::{
    EntrantId, Event, Fact,
    event::Phase,
    fact::RosterEntry,
    format::{DueGame, Want, entry as tie_break_entry},
    spec::parse,
};
use serde_json::Value;

use crate::world::{World, entry};

fn file(name: &str) -> Option<String> {
    let path = format!("{}/../../shared/vectors/tcec/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("SKIP: no {path}");
    }
    text
}

/// An event of engines with these names, the first one the best.
fn event(names: &[&str], lines: &str) -> World {
    let engine = |(at, name): (usize, &&str)| {
        format!("[[engine]]\nname = \"{name}\"\nprogram = \"x\"\nrating = {}\n", 3_000 - at)
    };
    let engines: String = names.iter().enumerate().map(engine).collect();
    let spec = parse("t.toml", &format!("{engines}[event]\n{lines}\n"), &|_| Err("no file".to_owned()));
    let spec = spec.unwrap_or_else(|e| panic!("{e}")).spec;
    let mut world = World { event: Event::new(spec), log: Vec::new(), results: Vec::new(), seen: BTreeMap::new() };
    world.fact(Fact::Opened {
        roster: names.iter().map(|n| RosterEntry { engine: (*n).to_owned(), digest: String::new() }).collect(),
        book: String::new(),
        book_openings: 0,
        seed: 7,
        opening_offset: 0,
        spec: String::new(),
        rules_version: 1,
        level_book: String::new(),
        level_openings: 0,
    });
    world.settle();
    world
}

fn name(world: &World, entrant: EntrantId) -> String {
    world.event.field().get(entrant).unwrap().engine.clone()
}

/// Plays game after game until `ends` has no more results.
fn play(world: &mut World, mut ends: impl FnMut(&World, &DueGame) -> Option<GameResult>) {
    loop {
        let due = world.due(&BTreeSet::new(), 1, 1);
        let Some(game) = due.first().and_then(|a| a.games.first()).cloned() else { return };
        assert_eq!(world.event.wants(&game.id), Want::Yes);
        let numbers = game.round.split_once('.').and_then(|(r, g)| Some((r.parse().ok()?, g.parse().ok()?))).unwrap();
        assert_eq!(world.event.in_round(numbers.0, numbers.1), Some(game.id), "{}", game.round);
        let Some(result) = ends(world, &game) else { return };
        world.result(entry(&game, result, Ending::Checkmate, None));
        world.settle();
        world.nothing_shifted();
    }
}

fn result(text: &str) -> GameResult {
    match text {
        "1-0" => GameResult::FirstWins,
        "0-1" => GameResult::SecondWins,
        "1/2-1/2" => GameResult::Draw,
        other => panic!("{other}"),
    }
}

#[test]
fn knockout_matches_stop_with_their_last_real_game() {
    let Some(text) = file("cup_matches.csv") else { return };
    let mut matches: Vec<(String, Vec<Vec<&str>>)> = Vec::new();
    for row in text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
        let key = row[..4].join(" ");
        match matches.last_mut() {
            Some((last, rows)) if *last == key => rows.push(row),
            _ => matches.push((key, vec![row])),
        }
    }
    let mut wrong = Vec::new();
    for (key, rows) in &matches {
        let cup: u32 = rows[0][0].parse().unwrap();
        let pairs = match (rows[0][1], cup) {
            ("Round32", _) => 2,
            ("Round16", _) => 3,
            ("Quarterfinal", _) => 4,
            ("Semifinal", 10 | 11) => 5,
            ("Semifinal", _) | ("Bronze" | "Final", 10 | 11) => 6,
            ("Bronze", _) => 8,
            _ => 12,
        };
        let (a, b) = (rows[0][2], rows[0][3]);
        let two = if rows[0][5] == "a" { [a, b] } else { [b, a] };
        let format = format!("match = {{ pairs = {pairs}, stop-when-decided = true, when-level = \"pairs\" }}");
        let mut world = event(&two, &format!("format = {{ {format} }}"));
        let mut games = rows.iter();
        play(&mut world, |world, game| {
            let row = games.next()?;
            assert_eq!(name(world, game.first), if row[5] == "a" { a } else { b }, "{key}");
            Some(result(row[6]))
        });
        if games.next().is_some() || world.event.phase() != Phase::Finished {
            wrong.push(key.as_str());
        }
    }
    assert!(matches.len() >= 90, "{}", matches.len());
    // One match was broken off, as an engine was withdrawn.
    assert!(wrong.len() <= 1 && wrong.iter().all(|key| key.starts_with("11 Round32")), "{wrong:?}");
}

#[test]
fn swiss_rounds_are_paired_as_they_were() {
    let Some(text) = file("results.csv") else { return };
    for (of, per_pair, rounds) in [("S20_Swiss_Test_2", 1, 5), ("S20_Swiss_Test_4", 2, 2)] {
        let rows: Vec<Vec<&str>> =
            text.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|row| row[0] == of).collect();
        let names: BTreeSet<&str> = rows.iter().flat_map(|row| [row[3], row[4]]).collect();
        let names: Vec<&str> = names.into_iter().collect();
        assert_eq!(names.len(), 42);
        let lines = format!(
            "games-per-pair = {per_pair}\nformat = {{ swiss = {{ rounds = {rounds}, groups = 6, order = \"listed\" }} }}"
        );
        let mut world = event(&names, &lines);
        let mut games = rows.iter();
        play(&mut world, |world, game| {
            let row = games.next()?;
            let pairing = (game.round.clone(), name(world, game.first), name(world, game.second));
            assert_eq!(pairing, (row[2].to_owned(), row[3].to_owned(), row[4].to_owned()), "{of}");
            Some(result(row[5]))
        });
        assert_eq!(games.next(), None, "{of}");
        assert_eq!(world.event.phase(), Phase::Finished, "{of}");
    }
}

fn vectors(group: &str) -> Vec<Value> {
    let Some(text) = file("vectors.json") else { return Vec::new() };
    let all: Value = serde_json::from_str(&text).unwrap();
    all[group].as_array().unwrap().clone()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
}

#[test]
fn matches_of_a_ladder() {
    for case in vectors("ladder_match") {
        let pairs = case["pairs"].as_u64().unwrap();
        let mut world = event(&["D", "C"], &format!("format = {{ ladder = {{ pairs = {pairs} }} }}"));
        let results = case["challenger_results"].as_str().unwrap().replace(' ', "");
        let mut left = results.chars();
        play(&mut world, |world, game| {
            let challenger_first = name(world, game.first) == "C";
            let won = |first: bool| if first { GameResult::FirstWins } else { GameResult::SecondWins };
            Some(match left.next()? {
                '1' => won(challenger_first),
                '0' => won(!challenger_first),
                _ => GameResult::Draw,
            })
        });
        assert_eq!(left.next(), None, "{case}");
        let decided = case["decided"].as_bool().unwrap();
        assert_eq!(world.event.phase() == Phase::Finished, decided, "{case}");
        if !decided {
            continue;
        }
        assert_eq!(world.results.len() as u64, case["games"].as_u64().unwrap(), "{case}");
        let challenger = (case["challenger"].as_f64().unwrap() * 2.0) as u32;
        let defender = (case["defender"].as_f64().unwrap() * 2.0) as u32;
        let standings = world.event.standings();
        let best = &standings.lines[0];
        assert_eq!(best.engine == "C", challenger > defender, "{case}");
        assert_eq!(best.half_points, challenger.max(defender), "{case}");
        let ties = world.log.iter().filter(|f| matches!(f.fact, Fact::Drawn { stage: 1, .. })).count();
        assert_eq!(ties as u64, case["tiebreak_pairs"].as_u64().unwrap(), "{case}");
    }
}

#[test]
fn climbs_of_a_ladder() {
    for case in vectors("ladder_climb") {
        let ranking = texts(&case["ranking"]);
        let names: Vec<&str> = ranking.iter().map(String::as_str).collect();
        let mut world = event(&names, "format = { ladder = { pairs = 1 } }");
        let matches = case["matches"].as_array().unwrap();
        let mut played: Vec<(String, String, String)> = Vec::new();
        play(&mut world, |world, game| {
            let drawn = world.log.iter().filter(|f| matches!(f.fact, Fact::Drawn { stage: 0, .. })).count();
            let of = &matches[drawn - 1];
            let (challenger, defender) = (of["challenger"].as_str()?, of["defender"].as_str()?);
            let climb = of["climb"].to_string();
            played.push((climb.clone(), challenger.to_owned(), defender.to_owned()));
            let two = BTreeSet::from([name(world, game.first), name(world, game.second)]);
            assert_eq!(two, BTreeSet::from([challenger.to_owned(), defender.to_owned()]));
            assert_eq!(game.round.split('.').next(), Some(climb.as_str()), "{case}");
            let first_wins = name(world, game.first) == of["winner"].as_str()?;
            Some(if first_wins { GameResult::FirstWins } else { GameResult::SecondWins })
        });
        assert_eq!(world.event.phase(), Phase::Finished);
        assert_eq!(played.len(), 2 * matches.len());
        let table: Vec<String> = world.event.standings().lines.iter().map(|l| l.engine.clone()).collect();
        assert_eq!(table, texts(&case["standings"]), "{case}");
        // Games are counted over the climb.
        let rounds: BTreeSet<String> = world.seen.values().map(|game| game.round.clone()).collect();
        assert_eq!(rounds.len(), world.seen.len(), "{rounds:?}");
    }
}

/// Gives each two the games by which all come to their points, where that can be done in a double round robin.
fn results_for(points: &BTreeMap<String, u32>) -> BTreeMap<(String, String), [u32; 2]> {
    let names: Vec<&String> = points.keys().collect();
    let mut pairs = Vec::new();
    for (at, a) in names.iter().enumerate() {
        pairs.extend(names[at + 1..].iter().map(|b| ((*a).clone(), (*b).clone())));
    }
    // Half points of the first of two, 0 to 4; the last pairs are what is left.
    fn search(at: usize, pairs: &[(String, String)], left: &mut BTreeMap<String, u32>, got: &mut Vec<u32>) -> bool {
        let Some((a, b)) = pairs.get(at) else { return left.values().all(|&p| p == 0) };
        for of_a in 0..=4_u32 {
            if left[a] < of_a || left[b] < 4 - of_a {
                continue;
            }
            *left.get_mut(a).unwrap() -= of_a;
            *left.get_mut(b).unwrap() -= 4 - of_a;
            got.push(of_a);
            if search(at + 1, pairs, left, got) {
                return true;
            }
            got.pop();
            *left.get_mut(a).unwrap() += of_a;
            *left.get_mut(b).unwrap() += 4 - of_a;
        }
        false
    }
    let mut got = Vec::new();
    assert!(search(0, &pairs, &mut points.clone(), &mut got), "{points:?}");
    pairs.into_iter().zip(got).map(|(pair, of_a)| (pair, [of_a.min(2), of_a.saturating_sub(2)])).collect()
}

#[test]
fn conditional_tie_breaks() {
    for case in vectors("conditional_tiebreak") {
        let engines = texts(&case["engines"]);
        let names: Vec<&str> = engines.iter().map(String::as_str).collect();
        let lines = format!("format = {{ conditional-tie-break = {{ spots = {} }} }}", case["spots"]);
        let mut world = event(&names, &lines);
        let rounds = case["rounds"].as_array().unwrap();
        play(&mut world, |world, game| {
            let scores = rounds.get(usize::from(game.id.pair.round) - 1)?["scores"].as_object()?;
            let points: BTreeMap<String, u32> =
                scores.iter().map(|(k, v)| (k.clone(), (v.as_f64().unwrap() * 2.0) as u32)).collect();
            let (first, second) = (name(world, game.first), name(world, game.second));
            let key = (first.clone().min(second.clone()), first.clone().max(second));
            let of_low = results_for(&points)[&key][usize::from(game.id.game) - 1];
            let of_first = if first == key.0 { of_low } else { 2 - of_low };
            Some([GameResult::SecondWins, GameResult::Draw, GameResult::FirstWins][of_first as usize])
        });
        assert_eq!(world.event.phase(), Phase::Finished, "{case}");
        assert_eq!(world.results.len() as u64, case["games"].as_u64().unwrap(), "{case}");
        let promoted = texts(&case["promoted"]);
        let table: Vec<String> = world.event.standings().lines.iter().map(|l| l.engine.clone()).collect();
        assert_eq!(table[..promoted.len()], promoted, "{case}");
    }
    for case in vectors("conditional_tiebreak_entry") {
        let points = case["points"].as_object().unwrap();
        let table: Vec<(String, u32)> =
            points.iter().map(|(name, p)| (name.clone(), (p.as_f64().unwrap() * 2.0) as u32)).collect();
        let entry = tie_break_entry(&table, 2);
        assert_eq!(entry.direct, texts(&case["direct"]), "{case}");
        assert_eq!(entry.players, texts(&case["tiebreak"]), "{case}");
        assert_eq!(entry.spots as u64, case["spots"].as_u64().unwrap(), "{case}");
    }
}

#[test]
fn superfinals() {
    let score = |text: &str| -> Option<(f64, f64)> {
        let (a, b) = text.split(' ').next()?.split_once('-')?;
        Some((a.parse().ok()?, b.parse().ok()?))
    };
    for case in vectors("superfinal") {
        let mut parts = vec![score(case["main"].as_str().unwrap()).unwrap()];
        parts.extend(case["tiebreak"].as_str().and_then(score));
        parts.extend(texts(&case["extra_pairs"]).iter().filter_map(|text| score(text)));
        let lines = "format = { match = { pairs = 50, begins = \"second\", when-level = { pairs = 12 } } }";
        let mut world = event(&["A", "B"], lines);
        let (mut part, mut in_part) = (usize::MAX, (0.0, 0.0));
        play(&mut world, |world, game| {
            let now = if game.id.pair.stage == 0 { 0 } else { usize::from(game.id.pair.round) };
            if now != part {
                (part, in_part) = (now, *parts.get(now)?);
            }
            if game.id.game == 1 {
                assert_eq!(name(world, game.second), "A", "the winner of the division is Black first");
            }
            // A takes its points as early as it can.
            let of_a = if in_part.0 >= 1.0 { 1.0 } else { in_part.0 };
            in_part.0 -= of_a;
            let a_first = name(world, game.first) == "A";
            Some(match (of_a == 0.5, (of_a > 0.5) == a_first) {
                (true, _) => GameResult::Draw,
                (_, true) => GameResult::FirstWins,
                (_, false) => GameResult::SecondWins,
            })
        });
        assert_eq!(world.event.phase(), Phase::Finished, "{case}");
        assert_eq!(world.results.len() as u64, case["games"].as_u64().unwrap(), "{case}");
        assert_eq!(world.event.standings().lines[0].engine, case["winner"].as_str().unwrap(), "{case}");
    }
}
