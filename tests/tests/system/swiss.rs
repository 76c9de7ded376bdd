//! A second opinion on the FIDE-like pairing of a Swiss: py4swiss, an implementation of FIDE's Dutch system.

use std::{fs, process::Command};

use rookery_game::{Ending, GameResult, Seat};
use rookery_tests::tools;
use rookery_tournament::{
    EntrantId, Event, Fact, LoggedFact, ResultEntry,
    fact::{Location, RosterEntry},
    format::Held,
    spec::parse,
};
use serde_json::{Value, json};

/// Rounds of each tournament.
const ROUNDS: u32 = 5;

/// A tournament of single games: each round's pairs, White first, 0 for nobody, and `1`, `=` or `0`.
fn tournament(players: u32, seed: u64) -> Value {
    let names = || (1..=players).map(|number| format!("P{number}"));
    let engines: String = names().map(|name| format!("[[engine]]\nname = \"{name}\"\nprogram = \"x\"\n")).collect();
    let event = format!("format = {{ swiss = {{ rounds = {ROUNDS}, system = \"fide\" }} }}\ngames-per-pair = 1\n");
    let text = format!("{engines}[event]\n{event}");
    let spec = parse("t.toml", &text, &|_| Err(String::new())).unwrap_or_else(|errors| panic!("{errors}")).spec;
    let mut event = Event::new(spec);
    let mut rounds: Vec<Vec<[u32; 2]>> = Vec::new();
    let mut fold = |event: &mut Event, fact: Fact| {
        if let Fact::Drawn { order, .. } = &fact {
            rounds.push(order.chunks_exact(2).map(|two| [two[0].0, two[1].0]).collect());
        }
        let (by, reason, request_id) = Default::default();
        event.fold_fact(&LoggedFact { seq: 0, at_unix_ms: 0, by, reason, request_id, fact });
    };
    let roster = names().map(|engine| RosterEntry { engine, digest: String::new() }).collect();
    let (book, spec, level_book) = Default::default();
    let (book_openings, opening_offset, rules_version, level_openings) = (0, 0, 1, 0);
    let opened = Fact::Opened {
        roster,
        book,
        book_openings,
        seed,
        opening_offset,
        spec,
        rules_version,
        level_book,
        level_openings,
    };
    fold(&mut event, opened);
    let mut results = std::collections::BTreeMap::new();
    let mut chance = seed;
    loop {
        if let Some(fact) = event.facts_due().into_iter().next() {
            fold(&mut event, fact);
            continue;
        }
        let due = event.due(&Held::default(), 1, 1);
        let Some(game) = due.first().and_then(|assignment| assignment.games.first()) else { break };
        // The stronger wins more often.
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let stronger = if game.first < game.second { Seat::First } else { Seat::Second };
        let result = match (chance >> 33) % 8 {
            0..4 => GameResult::win(stronger),
            4..7 => GameResult::Draw,
            _ => GameResult::win(stronger.other()),
        };
        results.insert((game.first.0, game.second.0), result);
        event.fold_result(&ResultEntry {
            game: game.id,
            first: game.first,
            second: game.second,
            result,
            ending: Ending::Resignation,
            fault: None,
            plies: 1,
            opening: 0,
            r_mobility: None,
            prediction: None,
            restarts: 0,
            worker: String::new(),
            location: Location::default(),
        });
    }
    assert_eq!(rounds.len() as u32, ROUNDS);
    let word = |pair: &[u32; 2]| match results.get(&(pair[0], pair[1])) {
        Some(GameResult::FirstWins) => "1",
        Some(GameResult::Draw) => "=",
        _ => "0",
    };
    let number = |entrant: u32| if EntrantId(entrant) == EntrantId::NOBODY { 0 } else { entrant };
    let of = |round: &Vec<[u32; 2]>| -> Vec<Value> {
        round.iter().map(|pair| json!([number(pair[0]), number(pair[1]), word(pair)])).collect()
    };
    json!({ "players": players, "rounds": rounds.iter().map(of).collect::<Vec<_>>() })
}

#[test]
fn fide_like_rounds_hold_beside_those_of_py4swiss() {
    let asked = Command::new("python3").args(["-c", "import py4swiss"]).env("PATH", tools::path()).output();
    if !asked.is_ok_and(|answer| answer.status.success()) {
        tools::skip("no python3 with py4swiss");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tournaments.json");
    let all: Vec<Value> = (0..40).map(|seed| tournament(10 + seed as u32 % 13, seed)).collect();
    fs::write(&path, serde_json::to_vec(&all).unwrap()).unwrap();
    let answer =
        Command::new("python3").arg(tools::file("src/swiss.py")).arg(&path).env("PATH", tools::path()).output();
    let answer = answer.unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap();
    println!("{said}");
    assert_eq!(said["errors"], Value::Array(Vec::new()), "{said:#}");
    let of = |who: &str, what: &str| said[who][what].as_u64().unwrap_or(0);
    assert_eq!(of("ours", "absolute"), 0, "nobody thrice the same colour: {said}");
    // FIDE's order of exchanges is not followed. Measured: a seventh more floats, a fifth more colours against a claim.
    assert!(of("ours", "floats") * 5 <= of("theirs", "floats") * 6, "{said}");
    assert!(of("ours", "colours") * 4 <= of("theirs", "colours") * 5, "{said}");
    assert!(of("ours", "bye") <= of("theirs", "bye") + 4, "{said}");
}
