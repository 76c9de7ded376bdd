//! Opening numbers: distinct where the spec says so, and as many as `openings_needed` says.

use std::collections::{BTreeMap, BTreeSet};

use rookery_tournament::{EntrantId, event::openings_needed};

use crate::world::{World, spec};

#[track_caller]
fn check(engines: u32, format: &str, per: &str, distinct: &str, expected: u64) {
    let lines = format!("format = {format}\nopenings = {{ per = \"{per}\", distinct = \"{distinct}\" }}");
    let spec = spec(engines, &lines);
    let needed = openings_needed(&spec, engines);
    assert_eq!(needed, expected, "{lines}");
    let mut world = World::new(spec, engines);
    world.play_all(None);
    // With a book of that size each opening goes to pairs that may share it, and to no others.
    let mut users: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for game in world.seen.values() {
        let (a, b) = (game.first.min(game.second), game.first.max(game.second));
        let round: u32 = game.round.split('.').next().unwrap().parse().unwrap();
        let unit = match per {
            "pair" => (game.id.pair.round.into(), a, b, game.id.pair.number),
            "round" => (round, EntrantId(0), EntrantId(0), game.id.pair.number),
            _ => (0, a, b, 0),
        };
        let scope = if distinct == "encounter" { Some((a, b)) } else { None };
        users.entry((scope, game.opening % needed)).or_default().insert(unit);
    }
    for (at, units) in users {
        assert_eq!(units.len(), 1, "{lines}: {at:?} used by {units:?}");
    }
}

#[test]
fn distinct_openings() {
    let round_robin = "{ round-robin = { cycles = 2, pairs = 3 } }";
    check(5, round_robin, "pair", "event", 60);
    check(5, round_robin, "pair", "encounter", 6);
    check(5, round_robin, "encounter", "event", 10);
    check(5, round_robin, "round", "event", 30);
    check(2, "{ match = { pairs = 50 } }", "pair", "event", 50);
    check(2, "{ match = { pairs = 50 } }", "pair", "encounter", 50);
    check(5, "{ gauntlet = { engine = \"B\", pairs = 4 } }", "pair", "encounter", 4);
    check(5, "{ gauntlet = { engine = \"B\", pairs = 4 } }", "pair", "event", 16);
}

#[test]
fn pairs_are_counted_in_starting_order() {
    let mut world = World::new(spec(4, "format = { round-robin = { cycles = 2, pairs = 2 } }"), 4);
    world.play_all(None);
    let numbers: Vec<_> = world.results.iter().step_by(2).map(|r| r.opening).collect();
    assert_eq!(numbers, (0..24).collect::<Vec<_>>());
}
