//! Round robins, gauntlets and matches: each game once, fairly, in the order that the spec asks for.

use std::collections::{BTreeMap, BTreeSet};

use rookery_game::Seat;
use rookery_tournament::event::{Phase, games_total};

use crate::world::{World, spec};

#[track_caller]
fn check(engines: u32, lines: &str, meetings: u32, pairs_each: u32, games_per_pair: u32) {
    let what = format!("{engines} engines, {lines}");
    let spec = spec(engines, lines);
    let total = u64::from(meetings * pairs_each * games_per_pair);
    assert_eq!(games_total(&spec, engines), total, "{what}");
    let mut world = World::new(spec, engines);
    assert_eq!(world.event.progress().total, total, "{what}");
    world.play_all(None);
    assert_eq!(world.event.phase(), Phase::Finished, "{what}");
    assert_eq!(world.results.len() as u64, total, "{what}");

    let mut games = BTreeSet::new();
    let mut rounds = BTreeSet::new();
    let mut encounters: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for result in &world.results {
        assert!(games.insert(result.game), "{what}: twice {}", result.game);
        assert_eq!(result.game.take, 1);
        let round = world.event.game(&result.game).unwrap().round;
        assert!(rounds.insert(round.clone()), "{what}: two games are {round}");
        let (of, game) = round.split_once('.').unwrap();
        let named = world.event.in_round(of.parse().unwrap(), game.parse().unwrap());
        assert_eq!(named, Some(result.game), "{what}: {round}");
        let (low, high) = (result.first.min(result.second), result.first.max(result.second));
        let seats = encounters.entry((low, high)).or_default();
        if result.first == low { seats.0 += 1 } else { seats.1 += 1 }
    }
    for (round, game) in [(0, 1), (1, 0), (1, total + 1), (total + 1, 1), (u64::MAX, 1), (1, u64::MAX)] {
        assert_eq!(world.event.in_round(round, game), None, "{what}: {round}.{game}");
    }
    assert_eq!(encounters.len() as u32, meetings, "{what}");
    for (encounter, (first, second)) in encounters {
        assert_eq!(first + second, pairs_each * games_per_pair, "{what}: {encounter:?}");
        assert!(first.abs_diff(second) <= 1, "{what}: {encounter:?} sat {first} and {second} times at First");
    }
    let standings = world.event.standings();
    let points: u32 = standings.lines.iter().map(|line| line.half_points).sum();
    assert_eq!(u64::from(points), 2 * total, "{what}");
}

#[test]
fn each_game_of_a_round_robin_is_due_once() {
    for engines in 2..=9 {
        for (cycles, pairs) in [(1, 1), (2, 1), (1, 3), (3, 2)] {
            let format = format!("format = {{ round-robin = {{ cycles = {cycles}, pairs = {pairs} }} }}");
            let meetings = engines * (engines - 1) / 2;
            check(engines, &format, meetings, cycles * pairs, 2);
            check(engines, &format!("{format}\nplay = \"cycles\""), meetings, cycles * pairs, 2);
            check(engines, &format!("{format}\ngames-per-pair = 1"), meetings, cycles * pairs, 1);
            check(engines, &format!("{format}\none-at-a-time = true"), meetings, cycles * pairs, 2);
        }
    }
    check(6, "format = { round-robin = { pairs = 2, order = \"shuffled\" } }", 15, 2, 2);
}

#[test]
fn each_game_of_a_gauntlet_is_due_once() {
    check(5, "format = { gauntlet = { engine = \"C\", pairs = 3 } }", 4, 3, 2);
    check(6, "format = { gauntlet = { engines = [\"A\", \"D\"], pairs = 2 } }", 8, 2, 2);
}

#[test]
fn each_game_of_a_match_is_due_once() {
    check(2, "format = { match = { pairs = 17 } }", 1, 17, 2);
    check(2, "format = { match = { pairs = 17 } }\ngames-per-pair = 1", 1, 17, 1);
}

#[test]
fn a_match_exchanges_seats_within_the_pair() {
    let mut world = World::new(spec(2, "format = { match = { pairs = 3 } }"), 2);
    let due = world.due(&BTreeSet::new(), 10, 4);
    let games: Vec<_> = due.iter().flat_map(|a| &a.games).collect();
    let said: Vec<_> = games.iter().map(|g| (g.id.to_string(), g.first.0, g.opening, g.round.as_str())).collect();
    let id = |pair: u32, game: u32| format!("00-0001-00001-00002-{pair:06}/{game}/1");
    let expected = [
        (id(1, 1), 1, 0, "1.1"),
        (id(1, 2), 2, 0, "1.2"),
        (id(2, 1), 1, 1, "2.1"),
        (id(2, 2), 2, 1, "2.2"),
        (id(3, 1), 1, 2, "3.1"),
        (id(3, 2), 2, 2, "3.2"),
    ];
    assert_eq!(said, expected);
}

#[test]
fn by_cycles_the_return_games_come_after_all_first_games() {
    let mut world = World::new(spec(4, "format = { round-robin = { cycles = 2, pairs = 1 } }\nplay = \"cycles\""), 4);
    world.play_all(None);
    let mut order: Vec<_> = world.results.iter().map(|r| (r.game.pair.round, r.game.game)).collect();
    assert_eq!(order.iter().filter(|&&o| o == (1, 1)).count(), 6);
    let played = order.clone();
    order.sort_unstable();
    assert_eq!(played, order);
    let rounds: Vec<_> = world.results.iter().map(|r| world.event.game(&r.game).unwrap().round).collect();
    assert_eq!(rounds[..7], ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1"]);
    assert_eq!(rounds.last().unwrap(), "12.2");
}

#[test]
fn one_at_a_time_waits_for_the_game_in_play() {
    let mut world = World::new(spec(4, "format = { round-robin = { pairs = 1 } }\none-at-a-time = true"), 4);
    let first = world.due(&BTreeSet::new(), 10, 4);
    assert_eq!(first.len(), 1);
    assert_eq!(world.due(&BTreeSet::from([first[0].pair]), 10, 4), []);
}

#[test]
fn a_shuffle_is_on_record_before_anything_is_due() {
    let spec = spec(8, "format = { round-robin = { pairs = 1, order = \"shuffled\" } }");
    let world = World::new(spec.clone(), 8);
    assert_eq!(world.log.len(), 2, "{:?}", world.log);
    let mut undrawn = rookery_tournament::Event::new(spec);
    undrawn.fold_fact(&world.log[0]);
    assert_eq!(undrawn.due(&rookery_tournament::format::Held::default(), 10, 4), []);
    assert_eq!(undrawn.facts_due(), [world.log[1].fact.clone()]);
}

#[test]
fn the_crosstable_shows_the_last_results_in_starting_order() {
    let mut world = World::new(spec(3, "format = { round-robin = { pairs = 40 } }"), 3);
    world.play_all(None);
    let crosstable = world.event.crosstable();
    let standings = world.event.standings();
    for (row, line) in standings.lines.iter().enumerate() {
        assert_eq!(crosstable.engines[row], line.engine);
        assert_eq!(crosstable.half_points[row], line.half_points);
        for (column, other) in standings.lines.iter().enumerate() {
            let theirs = |a, b| Some(a) == line.entrant && Some(b) == other.entrant;
            let games: Vec<_> = world
                .results
                .iter()
                .filter_map(|r| match (theirs(r.first, r.second), theirs(r.second, r.first)) {
                    (true, _) => Some(r.result.half_points(Seat::First)),
                    (_, true) => Some(r.result.half_points(Seat::Second)),
                    _ => None,
                })
                .collect();
            let text: String = games.iter().map(|&points| ['0', '=', '1'][points as usize]).collect();
            let cell = &crosstable.cells[row][column];
            assert_eq!(cell.sequence, text[text.len().saturating_sub(64)..]);
            assert_eq!((cell.wins + cell.draws + cell.losses) as usize, games.len());
            assert_eq!((2 * cell.wins + cell.draws), games.iter().sum::<u32>());
        }
    }
}
