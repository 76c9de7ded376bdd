//! Opening numbers: distinct where the spec says so, and as many as `openings_needed` says.

use std::collections::{BTreeMap, BTreeSet};

use rookery_game::{Ending, GameResult};
use rookery_tournament::{EntrantId, Fact, event::openings_needed};

use crate::world::{World, entry, spec};

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

#[test]
fn openings_of_a_level_match_are_drawn_from_their_own_book() {
    let lines = "format = { match = { pairs = 2, begins = \"second\", when-level = { pairs = 12 } } }\n\
                 openings = { order = \"sequential\", when-level = { book = \"l.pgn\" } }";
    let openings = 14;
    let spec = spec(2, lines);
    let mut world = World::with_level_book(spec.clone(), 2, openings);
    let mut drawn: Vec<Vec<u64>> = Vec::new();
    // Drawn up to the twelfth single pair behind the twelve.
    while world.log.len() < 1 + 1 + 12 {
        for game in world.due(&BTreeSet::new(), 1, 4).into_iter().flat_map(|assignment| assignment.games) {
            let own = if game.id.pair.stage == 0 { None } else { game.level_opening };
            assert_eq!(game.level_opening, own);
            assert_eq!(world.event.game(&game.id).unwrap().second, EntrantId(if game.id.game == 1 { 1 } else { 2 }));
            world.result(entry(&game, GameResult::Draw, Ending::Repetition, None));
        }
        world.settle();
    }
    for logged in &world.log {
        if let Fact::Drawn { openings, .. } = &logged.fact {
            drawn.push(openings.clone());
        }
    }
    assert_eq!(drawn.iter().map(Vec::len).collect::<Vec<_>>(), [vec![12], vec![1; 12]].concat());
    let mut all: Vec<u64> = drawn.concat();
    assert_ne!(all, (0..24).collect::<Vec<_>>(), "drawn at random");
    assert_eq!(all.split_off(14), all[..10], "the same permutation again");
    all.sort_unstable();
    assert_eq!(all, (0..14).collect::<Vec<_>>(), "none comes again before all did");
    world.nothing_shifted();
    let again = world.refolded(spec, |at| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for (id, game) in &world.seen {
        assert_eq!(again.game(id).as_ref(), Some(game));
    }
    // Openings of the event's own book are not used up by them.
    assert!(world.seen.values().filter(|game| game.id.pair.stage == 0).all(|game| game.opening < 2));
}
