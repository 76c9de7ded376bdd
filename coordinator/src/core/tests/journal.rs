//! The lines by which a store is built anew.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::world::*;
use crate::{
    core::Request,
    journal::{self, Line, Settled},
    recover::{self, RecoverError, Report},
};

const GAME: &str = "00-0001-00001-00002-000001/1";

/// Built from lines, the keys of events alone.
fn anew(lines: &[Bytes]) -> Result<(BTreeMap<String, Bytes>, Report), RecoverError> {
    recover::rebuild(lines.iter().enumerate().map(|(at, line)| ("1-0", at as u64, line.as_ref())), 0)
}

fn results(keys: &BTreeMap<String, Bytes>) -> Vec<&str> {
    let results = keys.keys().filter_map(|key| key.split_once("/results/"));
    results.map(|(_, game)| game).collect()
}

/// Two pairs are handed out, and a game of the first is on record.
fn played() -> World {
    let mut world = World::leading();
    world.apply(&spec("m", 2, ""));
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    world.say(1, finished(play.attempt, &play.games[0], 2));
    world.run();
    world
}

#[test]
fn what_is_built_is_what_was() {
    let mut world = played();
    let ask = Request::Void { event: String::new(), game: GAME.to_owned(), change: change("v") };
    world.asked(ask).unwrap();
    world.pass(1_250);
    let (keys, report) = anew(&world.lines).unwrap();
    assert_eq!((report.missing.len(), report.decided.len()), (0, 0), "{report:?}");
    let json = |value: &Bytes| serde_json::from_slice::<serde_json::Value>(value).unwrap();
    for (key, (value, _)) in world.store.keys.iter().filter(|(key, _)| !key.contains("/live/")) {
        let mut value = json(value);
        let mut built = json(keys.get(key).unwrap_or_else(|| panic!("no {key}")));
        for value in [&mut value, &mut built] {
            value.as_object_mut().unwrap().remove("at");
        }
        assert_eq!(built, value, "{key}");
    }
    assert!(keys.keys().all(|key| world.store.keys.contains_key(key)));
}

#[test]
fn a_new_leader_says_all_facts_again_before_anything_else() {
    let mut world = played();
    world.lines.clear();
    world.restart(crate::core::Config::default());
    world.run();
    let (keys, _) = anew(&world.lines).unwrap();
    assert!(keys.len() > 1 && results(&keys).is_empty());
    assert!(matches!(journal::read(&world.lines[0]), Some(Line::Lead(_))));
}

#[test]
fn of_records_that_nobody_settled_the_newest_of_a_due_game_counts() {
    let world = played();
    // It is settled within a second, and not yet.
    let (keys, report) = anew(&world.lines).unwrap();
    assert_eq!((results(&keys).len(), report.decided.len()), (1, 1), "{report:?}");
    assert!(report.decided[0].contains("counts: its record"), "{report:?}");

    let of = world.lines.iter().find_map(|line| match journal::read(line)? {
        Line::Game(game) => Some(*game),
        _ => None,
    });
    let of = of.unwrap();
    let settled = |attempt, recorded| {
        let games = vec![Settled { event: of.event.clone(), game: of.result.entry.game, attempt, recorded }];
        journal::write(&Line::Settled { store: of.store.clone(), games })
    };
    let attempt = of.result.attempt;
    #[track_caller]
    fn check(lines: Vec<Bytes>, counts: usize, decided: usize) {
        let (keys, report) = anew(&lines).unwrap();
        assert_eq!((results(&keys).len(), report.decided.len()), (counts, decided), "{report:?}");
    }
    let with = |more: Vec<Bytes>| world.lines.iter().cloned().chain(more).collect::<Vec<_>>();
    check(with(vec![settled(attempt, true)]), 1, 0);
    check(with(vec![settled(attempt, false)]), 0, 0);
    check(with(vec![settled(attempt, true), settled(attempt, false)]), 1, 0);
    check(with(vec![settled(attempt - 1, false)]), 1, 1);
    // A record of another attempt, said again after it was scored nowhere.
    let mut later = of.clone();
    later.result.attempt += 7;
    let record = journal::game(br#"{"event":"m","name":"x"}"#, &later);
    let (keys, _) = anew(&with(vec![record.clone()])).unwrap();
    let value = keys.iter().find(|(key, _)| key.contains("/results/")).unwrap().1;
    assert!(String::from_utf8_lossy(value).contains(&format!("\"a\":{}", attempt + 7)));
    check(with(vec![settled(attempt, false), record]), 1, 1);
    // Written by an event of which there is no spec.
    later.event = "other".to_owned();
    let (_, report) = anew(&with(vec![journal::game(br#"{"name":"x"}"#, &later)])).unwrap();
    assert!(report.missing.iter().any(|line| line.contains("event other: its spec")), "{report:?}");
}

#[test]
fn what_is_missing_is_named_and_a_gap_pauses() {
    let mut world = played();
    for request in ["a", "b"] {
        world.asked(Request::Pause { event: String::new(), now: false, change: change(request) }).unwrap();
        world.asked(Request::Resume { event: String::new(), change: change(&format!("{request}r")) }).unwrap();
    }
    let facts = |line: &Bytes| match journal::read(line) {
        Some(Line::Put { key, .. }) => key.split_once("/log/").and_then(|(_, seq)| seq.parse::<u64>().ok()),
        _ => None,
    };
    let lines: Vec<Bytes> = world.lines.iter().filter(|line| facts(line) != Some(3)).cloned().collect();
    let torn = Bytes::from_static(b"{\"line\":\"pu");
    let (keys, report) = anew(&[lines, vec![torn]].concat()).unwrap();
    assert!(report.missing.iter().any(|line| line.contains("facts 3 to 3")), "{report:?}");
    assert!(report.missing.iter().any(|line| line.contains("does not read")), "{report:?}");
    let last = keys.iter().rfind(|(key, _)| key.contains("/log/")).unwrap();
    assert!(String::from_utf8_lossy(last.1).contains("rookery recover"), "{last:?}");
}

#[test]
fn one_of_several_stores_is_chosen_by_name_or_by_what_it_was_built_from() {
    let world = played();
    let other = journal::write(&Line::Lead(journal::Lead { store: "other".to_owned(), since: 1, at_unix_ms: 0 }));
    let lines = [world.lines.clone(), vec![other]].concat();
    assert!(matches!(anew(&lines), Err(RecoverError::Several { stores }) if stores.len() == 2));
    let from = vec!["store".to_owned()];
    let built = journal::write(&Line::Recovered { store: "other".to_owned(), from });
    let (keys, report) = anew(&[lines, vec![built]].concat()).unwrap();
    assert_eq!(report.from, ["store", "other"]);
    assert_eq!(results(&keys).len(), 1);
    assert!(matches!(anew(&[]), Err(RecoverError::Nothing { .. })));
}

#[test]
fn while_the_archive_is_away_operators_are_answered() {
    let mut world = played();
    world.archive_away = true;
    let pause = |request: &str| Request::Pause { event: String::new(), now: false, change: change(request) };
    let ask = world.ask(pause("a"));
    world.commit_one();
    assert!(!world.answers.contains_key(&ask));
    world.archive_one();
    assert!(world.answers.remove(&ask).unwrap().is_ok(), "it failed: nobody waits any longer");
    let ask = world.ask(pause("b"));
    world.run();
    assert!(world.answers.remove(&ask).unwrap().is_ok());
    // It is back: what was on record meanwhile is told.
    world.archive_away = false;
    world.pass(5_000);
    let (keys, _) = anew(&world.lines).unwrap();
    assert_eq!(keys.keys().filter(|key| key.contains("/log/")).count(), world.store.count("/log/"));
    // Or it does not answer at all.
    let resume = Request::Resume { event: String::new(), change: change("c") };
    let ask = world.ask(resume);
    world.commit_one();
    world.now.mono_ns += super::super::limits::ANSWER_MS * 1_000_000;
    world.put(crate::core::Input::Tick);
    assert!(world.answers.remove(&ask).unwrap().is_ok());
}
