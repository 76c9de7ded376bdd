//! A stop by SPRT is judged over whole pairs in starting order.

use std::collections::BTreeSet;

use rookery_game::{Ending, GameResult, Seat};
use rookery_tournament::{
    EntrantId, Fact,
    event::Phase,
    format::{DueGame, Want},
    spec::Spec,
};

use crate::world::{World, entry, same, spec};

fn test() -> Spec {
    spec(2, "format = { match = { pairs = 400 } }\nstop = { sprt = { elo0 = 0, elo1 = 30, model = \"normalized\" } }")
}

/// Entrant 1 wins one pair of three by 1½ points, and draws the others.
fn better(game: &DueGame) -> rookery_tournament::ResultEntry {
    let seat = if game.first == EntrantId(1) { Seat::First } else { Seat::Second };
    let result = if game.id.game == 1 && game.id.pair.number.is_multiple_of(3) {
        GameResult::win(seat)
    } else {
        GameResult::Draw
    };
    entry(game, result, Ending::Repetition, None)
}

fn play(slots: usize, choose: impl Fn(usize, usize) -> usize) -> World {
    let mut world = World::new(test(), 2);
    let mut held = BTreeSet::new();
    let mut playing: Vec<DueGame> = Vec::new();
    for step in 0.. {
        for assignment in world.due(&held, slots, slots) {
            if held.len() < slots {
                held.insert(assignment.pair);
                playing.extend(assignment.games);
            }
        }
        if playing.is_empty() {
            break;
        }
        let game = playing.remove(choose(step, playing.len()) % playing.len());
        if !playing.iter().any(|other| other.id.pair == game.id.pair) {
            held.remove(&game.id.pair);
        }
        // What runs is played to its end, also beyond the stop.
        world.result(better(&game));
        world.settle();
    }
    world
}

fn stop(world: &World) -> &Fact {
    world.log.iter().map(|f| &f.fact).find(|f| matches!(f, Fact::Stopped { .. })).unwrap()
}

#[test]
fn the_stop_does_not_depend_on_the_order_of_arrival() {
    let one = play(1, |_, _| 0);
    let Fact::Stopped { encounter: None, at: Some(pair), why } = stop(&one) else { panic!("{:?}", stop(&one)) };
    assert!(why.starts_with("SPRT accepted H1, llr 2.9"), "{why}");
    assert!(one.event.stop_line().starts_with("SPRT llr 2.9"), "{}", one.event.stop_line());
    assert_eq!((one.event.phase(), one.event.progress().surplus), (Phase::Finished, 0));
    assert_eq!(one.event.progress().done, u64::from(pair.number) * 2);

    for seed in 0..5 {
        let many = play(16, |step, _| step * 7919 + seed * 104_729);
        assert_eq!(stop(&many), stop(&one));
        assert_eq!(many.event.standings(), one.event.standings());
        assert!(many.event.progress().surplus > 0);
        assert_eq!(many.event.progress().done, many.event.progress().total);
        same(&many.event, &many.refolded(test(), |at| at as u64 * 7919 % 10_007));
        // Without the fact, as if it had not been put on record before a fall: it follows again.
        let mut forgetful = many.refolded(test(), |_| 0);
        assert_eq!(forgetful.facts_due(), []);
        forgetful = {
            let mut event = rookery_tournament::Event::new(test());
            many.log.iter().filter(|f| !matches!(f.fact, Fact::Stopped { .. })).for_each(|f| event.fold_fact(f));
            many.results.iter().rev().for_each(|r| event.fold_result(r));
            event
        };
        assert_eq!(forgetful.facts_due(), [stop(&one).clone()]);
    }
}

#[test]
fn what_lies_beyond_is_surplus_and_not_wanted() {
    let mut world = World::new(test(), 2);
    let due = world.due(&BTreeSet::new(), 100, 5);
    assert_eq!(due.len(), 10, "twice the slots");
    assert_eq!(due.iter().map(|a| a.ahead).collect::<Vec<_>>()[..2], [false, true]);
    let last = due[9].games[0].id;
    assert_eq!(world.event.wants(&last), Want::Ahead);
    world.fact(Fact::Stopped { encounter: None, at: Some(due[4].pair), why: "llr".to_owned() });
    assert_eq!(world.event.wants(&last), Want::No("stopped before this game: llr".to_owned()));
    assert_eq!(world.event.wants(&due[4].games[1].id), Want::Yes);
    assert_eq!(world.due(&BTreeSet::new(), 100, 5).len(), 5);
    world.result(better(&due[9].games[0]));
    assert_eq!((world.event.progress().done, world.event.progress().surplus), (0, 1));
}

#[test]
fn a_set_aside_pair_holds_the_run_and_a_voided_one_is_passed_over() {
    let mut world = World::new(test(), 2);
    let due = world.due(&BTreeSet::new(), 100, 5);
    for game in due[1..].iter().flat_map(|a| &a.games) {
        world.result(better(game));
    }
    world.fact(Fact::SetAside { pairs: vec![due[0].pair], error: "x".to_owned() });
    assert_eq!(world.event.stop_line(), "SPRT llr 0.00 (-2.94, 2.94)");
    assert_eq!(world.due(&BTreeSet::new(), 100, 5), []);
    world.fact(Fact::Voided { games: due[0].games.iter().map(|g| g.id).collect() });
    assert_ne!(world.event.stop_line(), "SPRT llr 0.00 (-2.94, 2.94)");
    assert_eq!(world.due(&BTreeSet::new(), 100, 5).len(), 10);
}
