//! Formats that draw as they go: what is drawn stays, what stops is judged on the unbroken run.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rookery_game::{Ending, GameResult};
use rookery_tournament::{
    EntrantId, Event, Fact,
    event::{Phase, games_total},
    format::{Held, Want},
    spec::Spec,
};

use crate::world::{World, ends, entry, same, spec};

const FORMATS: [(u32, &str); 9] = [
    (2, "match = { pairs = 3, stop-when-decided = true, when-level = { pairs = 2 } }"),
    (5, "knockout = { pairs = [1, 2, 3], bronze = 2, seeded = 2 }"),
    (8, "knockout = { pairs = 2, pairs-at-once = \"all\", stop-when-decided = true }"),
    (7, "swiss = { rounds = 4 }"),
    (12, "swiss = { rounds = 5, groups = 3, pairs = 2 }"),
    (9, "swiss = { rounds = 6, system = \"fide\" }"),
    (4, "conditional-tie-break = { spots = 2 }"),
    (5, "ladder = { pairs = 2 }"),
    (5, "ladder = { pairs = 3, pairs-at-once = \"all\" }"),
];

fn lines(format: &str) -> String {
    format!("format = {{ {format} }}")
}

/// A run in which games end in any order; the record as it was lived through.
fn run(spec: &Spec, engines: u32, seed: u64) -> World {
    let mut world = World::new(spec.clone(), engines);
    let mut state = seed;
    let mut held = BTreeSet::new();
    let mut playing = Vec::new();
    for _ in 0..5_000 {
        for assignment in world.due(&held, 4, 4) {
            held.insert(assignment.pair);
            playing.push(assignment);
        }
        if playing.is_empty() {
            return world;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = (state >> 33) as usize % playing.len();
        let mut assignment = playing.swap_remove(at);
        let game = assignment.games.remove(0);
        // What is not wanted any more is cancelled, or comes in late.
        if !matches!(world.event.wants(&game.id), Want::No(_)) || state.is_multiple_of(3) {
            world.result(ends(&game, None));
        }
        if assignment.games.is_empty() {
            held.remove(&assignment.pair);
        } else {
            playing.push(assignment);
        }
        world.settle();
        world.nothing_shifted();
    }
    panic!("it does not end");
}

/// Who has `First`, and the opening, by game.
type Games = BTreeMap<String, (u32, u64)>;

/// Who met whom in which pair, from which opening, and who is where: what no order of arrival may change.
fn told(world: &World) -> (Games, Vec<(u32, String)>) {
    let counted = world.seen.values().filter(|game| world.event.wants(&game.id) == Want::Yes);
    let games = counted.map(|game| (game.id.to_string(), (game.first.0, game.opening))).collect();
    let table = world.event.standings().lines.iter().map(|line| (line.place, line.engine.clone())).collect();
    (games, table)
}

#[test]
fn the_order_of_arrival_changes_no_draw_no_opening_and_no_place() {
    for (engines, format) in FORMATS {
        let spec = spec(engines, &lines(format));
        let first = run(&spec, engines, 1);
        assert_eq!(first.event.phase(), Phase::Finished, "{format}");
        let progress = first.event.progress();
        assert_eq!(progress.done, progress.total, "{format}");
        same(&first.event, &first.refolded(spec.clone(), |at| 1_000 - at as u64));
        for seed in 2..12 {
            let other = run(&spec, engines, seed);
            assert_eq!(told(&other), told(&first), "{format}");
            same(&other.event, &other.refolded(spec.clone(), |at| at as u64 * 7_919 % 101));
        }
    }
}

#[test]
fn asked_again_after_a_restart_the_same_is_asked() {
    for (engines, format) in FORMATS {
        let spec = spec(engines, &lines(format));
        let whole = run(&spec, engines, 3);
        // Facts and results in the order in which they came are lost; any number of facts, with all results they led to.
        let mut facts = 0;
        for (at, logged) in whole.log.iter().enumerate() {
            let mut event = Event::new(spec.clone());
            whole.log[..at].iter().for_each(|fact| event.fold_fact(fact));
            for result in &whole.results {
                event.fold_result(result);
            }
            if matches!(logged.fact, Fact::Drawn { .. }) && event.facts_due().first() == Some(&logged.fact) {
                facts += 1;
                assert_ne!(event.phase(), Phase::Finished);
            }
        }
        assert!(facts > 0, "{format}");
    }
}

#[test]
fn as_many_games_as_are_told() {
    for (engines, format) in [
        (8, "knockout = { pairs = [1, 2, 3], bronze = 2, stop-when-decided = false }"),
        (6, "knockout = { pairs = 2, stop-when-decided = false, bronze = 1 }"),
        (7, "swiss = { rounds = 4 }"),
        (12, "swiss = { rounds = 5, pairs = 2, system = \"fide\" }"),
    ] {
        let spec = spec(engines, &lines(format));
        let total = games_total(&spec, engines);
        let mut world = World::new(spec, engines);
        assert_eq!(world.event.progress().total, total, "{format}");
        world.play_all(None);
        let of_ties = world.results.iter().filter(|r| matches!(r.game.pair.stage, 1 | 3)).count() as u64;
        assert_eq!(world.results.len() as u64, total + of_ties, "{format}");
    }
}

#[test]
fn a_voided_result_leaves_the_draw() {
    for (engines, format) in FORMATS {
        let spec = spec(engines, &lines(format));
        let mut world = run(&spec, engines, 5);
        let drawn = world.log.len();
        let first = world.results[0].game;
        world.fact(Fact::Replay { games: vec![first] });
        world.settle();
        world.nothing_shifted();
        let due = world.due(&BTreeSet::new(), 10, 4);
        let games: Vec<_> = due.iter().flat_map(|a| &a.games).map(|g| (g.id.pair, g.id.game, g.id.take)).collect();
        assert_eq!(games, [(first.pair, first.game, 2)], "{format}");
        world.play_all(None);
        world.nothing_shifted();
        assert_eq!(world.event.phase(), Phase::Finished, "{format}");
        // Only what was not drawn yet may follow: more pairs of a last match that is level now, a place in the table.
        let after: Vec<_> = world.log[drawn + 1..].iter().map(|f| &f.fact).collect();
        assert!(after.len() <= 6, "{format}: {after:?}");
        same(&world.event, &world.refolded(spec, |at| at as u64));
    }
}

#[test]
fn who_withdraws_is_drawn_no_more() {
    for (engines, format) in FORMATS {
        for keep_games in [true, false] {
            let spec = spec(engines, &lines(format));
            let mut world = World::new(spec.clone(), engines);
            let due = world.due(&BTreeSet::new(), 3, 3);
            let game = due[0].games[0].clone();
            world.result(entry(&game, GameResult::FirstWins, Ending::Checkmate, None));
            world.settle();
            world.fact(Fact::Withdrawn { entrant: game.first, keep_games });
            world.settle();
            let before = world.log.len();
            world.play_all(None);
            world.nothing_shifted();
            assert_eq!(world.event.phase(), Phase::Finished, "{format}");
            for fact in &world.log[before..] {
                if let Fact::Drawn { order, .. } = &fact.fact {
                    assert!(!order.contains(&game.first), "{format}: {order:?}");
                }
            }
            same(&world.event, &world.refolded(spec, |at| at as u64 * 31 % 17));
        }
    }
}

#[test]
fn a_swiss_gives_everybody_an_opponent_and_a_bye_once() {
    for system in ["tcec", "fide"] {
        for engines in 2..=13_u32 {
            for games_per_pair in [1, 2] {
                let rounds = (engines / 2).max(1);
                let format = format!("swiss = {{ rounds = {rounds}, system = \"{system}\" }}");
                let text = format!("games-per-pair = {games_per_pair}\n{}", lines(&format));
                let mut world = World::new(spec(engines, &text), engines);
                world.play_all(None);
                assert_eq!(world.event.phase(), Phase::Finished, "{system} {engines}");
                let mut met = BTreeSet::new();
                let mut byes = BTreeSet::new();
                let mut balance: BTreeMap<EntrantId, i32> = BTreeMap::new();
                for fact in &world.log {
                    let Fact::Drawn { order, round: 1.., .. } = &fact.fact else { continue };
                    let there: BTreeSet<_> = order.iter().filter(|e| **e != EntrantId::NOBODY).collect();
                    assert_eq!(there.len() as u32, engines);
                    for two in order.chunks(2) {
                        if two[1] == EntrantId::NOBODY {
                            assert!(byes.insert(two[0]), "{system} {engines}: a second bye");
                            continue;
                        }
                        assert!(met.insert((two[0].min(two[1]), two[0].max(two[1]))), "{system} {engines}: met twice");
                        *balance.entry(two[0]).or_default() += 1;
                        *balance.entry(two[1]).or_default() -= 1;
                    }
                }
                if games_per_pair == 1 && engines >= 8 {
                    assert!(balance.values().all(|b| b.abs() <= 3), "{system} {engines}: {balance:?}");
                }
                let half_points: u32 = world.event.standings().lines.iter().map(|line| line.half_points).sum();
                let byes = byes.len() as u32 * 2 * games_per_pair;
                assert_eq!(half_points, 2 * world.results.len() as u32 + byes);
            }
        }
    }
}

#[test]
fn who_joins_a_swiss_is_paired_from_the_next_round_on() {
    let mut world = World::new(spec(6, &lines("swiss = { rounds = 4 }")), 6);
    let entry = rookery_tournament::fact::RosterEntry { engine: "Late".to_owned(), digest: String::new() };
    assert_eq!(world.event.may_join(), Ok(()));
    world.fact(Fact::Joined { entry, spec: String::new() });
    world.settle();
    world.play_all(None);
    let rounds: BTreeSet<u16> =
        world.results.iter().filter(|r| r.first.0 == 7 || r.second.0 == 7).map(|r| r.game.pair.round).collect();
    let byes = world.log.iter().filter(
        |f| matches!(&f.fact, Fact::Drawn { order, .. } if order.ends_with(&[EntrantId(7), EntrantId::NOBODY])),
    );
    assert_eq!(rounds.len() + byes.count(), 3);
    assert!(!rounds.contains(&1));
}

#[test]
fn a_decided_match_hands_out_what_is_surely_needed() {
    let due = |at_once: &str, results: &[GameResult]| {
        let format = format!("match = {{ pairs = 4, stop-when-decided = true, pairs-at-once = \"{at_once}\" }}");
        let mut world = World::new(spec(2, &lines(&format)), 2);
        for &result in results {
            let game = world.due(&BTreeSet::new(), 1, 1)[0].games[0].clone();
            world.result(entry(&game, result, Ending::Checkmate, None));
            world.settle();
        }
        let due = world.event.due(&Held::default(), 10, 4);
        assert!(due.iter().all(|a| a.ask_between));
        due.iter().map(|a| (a.pair.number, a.games.len(), a.ahead)).collect::<Vec<_>>()
    };
    let (first, second) = (GameResult::FirstWins, GameResult::SecondWins);
    assert_eq!(due("one", &[]), [(1, 2, false)]);
    // Five games at least.
    assert_eq!(due("needed", &[]), [(1, 2, false), (2, 2, false), (3, 2, false)]);
    assert_eq!(due("all", &[]), [(1, 2, false), (2, 2, false), (3, 2, false), (4, 2, true)]);
    assert_eq!(due("one", &[first]), [(1, 1, false)]);
    assert_eq!(due("needed", &[first, first, first, second]), [(3, 2, false)]);
    assert_eq!(due("all", &[first, second, first, second]), [(3, 2, false), (4, 2, true)]);
    // 4.5 - 0.5 decides it.
    assert_eq!(due("all", &[first, second, first, second, GameResult::Draw]), []);
}

#[test]
fn a_ladder_uses_no_opening_twice_and_skips_none() {
    let spec = spec(5, &lines("ladder = { pairs = 3 }"));
    let mut world = World::new(spec, 5);
    let mut openings = Vec::new();
    loop {
        let due = world.due(&BTreeSet::new(), 1, 1);
        let Some(game) = due.first().map(|a| a.games[0].clone()) else { break };
        if openings.last() != Some(&game.opening) {
            openings.push(game.opening);
        }
        // The engine with the lower number wins, so that each match is over after four games.
        let result = if game.first < game.second { GameResult::FirstWins } else { GameResult::SecondWins };
        world.result(entry(&game, result, Ending::Checkmate, None));
        world.settle();
    }
    assert_eq!(world.results.len(), 16);
    assert_eq!(openings, (0..8).collect::<Vec<u64>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_cup_has_a_winner_whatever_happens(
        engines in 2u32..20,
        pairs in 1u32..4,
        bronze in 0u32..3,
        seed in any::<u64>(),
        leaves in prop::collection::vec((1u32..20, 0usize..30), 0..4),
    ) {
        let format = format!("knockout = {{ pairs = {pairs}, bronze = {bronze} }}");
        let spec = spec(engines, &lines(&format));
        let mut world = World::new(spec.clone(), engines);
        let mut state = seed;
        let mut played = 0;
        loop {
            for (entrant, _) in leaves.iter().filter(|(_, at)| *at == played) {
                world.fact(Fact::Withdrawn { entrant: EntrantId(*entrant), keep_games: true });
                world.settle();
            }
            let due = world.due(&BTreeSet::new(), 3, 3);
            if due.is_empty() { break }
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let game = due[(state >> 40) as usize % due.len()].games[0].clone();
            world.result(ends(&game, None));
            world.settle();
            played += 1;
        }
        prop_assert!(matches!(world.event.phase(), Phase::Finished | Phase::Running), "{:?}", world.event.phase());
        same(&world.event, &world.refolded(spec, |at| at as u64 * 7 % 13));
    }
}
