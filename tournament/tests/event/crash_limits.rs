//! Limits of crashes, counted in starting order.

use std::collections::BTreeSet;

use rookery_tournament::{EntrantId, Fact, event::Phase};

use crate::world::{World, ends, same, spec};

const FOUR: &str = "format = { round-robin = { pairs = 5 } }\n";

#[test]
fn an_engine_that_keeps_crashing_is_set_aside() {
    let spec = spec(4, &format!("{FOUR}crashes = {{ in-a-row = 3, then = \"set-aside\" }}"));
    let mut world = World::new(spec.clone(), 4);
    world.play_all(Some(EntrantId(3)));
    let facts: Vec<_> =
        world.log.iter().map(|f| &f.fact).filter(|f| matches!(f, Fact::EngineSetAside { .. })).collect();
    let [Fact::EngineSetAside { engine: EntrantId(3), at, event: false, error }] = facts[..] else {
        panic!("{facts:?}")
    };
    assert_eq!(error, "3 crashes in a row");
    let theirs: Vec<_> =
        world.results.iter().filter(|r| r.first == EntrantId(3) || r.second == EntrantId(3)).map(|r| r.game).collect();
    let third = theirs.iter().filter_map(|g| world.event.order(g)).nth(2);
    assert_eq!(world.event.order(at), third);
    // The others played all of theirs.
    assert_eq!(world.results.len() - theirs.len(), 30);
    assert_eq!(world.event.phase(), Phase::Asking(vec!["C is set aside: 3 crashes in a row".to_owned()]));
    same(&world.event, &world.refolded(spec, |at| 1000 - at as u64));

    assert_eq!(world.event.engines_aside().collect::<Vec<_>>(), [(EntrantId(3), "3 crashes in a row")]);
    world.fact(world.event.retry_engine(EntrantId(3)));
    assert_eq!(world.event.engines_aside().count(), 0);
    world.play_all(None);
    assert_eq!(world.event.phase(), Phase::Finished);
    assert_eq!(world.results.len(), 60);
}

#[test]
fn who_plays_on_is_forgiven_what_was_in_play_when_the_limit_was_reached() {
    let c = EntrantId(3);
    let text = format!("{FOUR}crashes = {{ in-a-row = 3, then = \"set-aside\" }}");
    let mut world = World::new(spec(4, &text), 4);
    let due = world.due(&BTreeSet::new(), 100, 8);
    let mut theirs = due.into_iter().flat_map(|a| a.games).filter(|game| game.first == c || game.second == c);
    let mut crash = |world: &mut World, games: usize| {
        // All on record before anybody looks: five were in play.
        theirs.by_ref().take(games).for_each(|game| world.result(ends(&game, Some(c))));
        world.settle();
        world.event.engines_aside().count()
    };
    assert_eq!(crash(&mut world, 5), 1);
    let retried = world.event.retry_engine(c);
    assert!(matches!(retried, Fact::EngineRetried { after: Some(_), .. }), "{retried:?}");
    world.fact(retried);
    assert_eq!(crash(&mut world, 2), 0, "the fourth and the fifth count no more");
    assert_eq!(crash(&mut world, 1), 1);
}

#[test]
fn a_limit_may_stop_the_event_or_nothing() {
    let mut world = World::new(spec(4, &format!("{FOUR}crashes = {{ in-a-row = 3, then = \"stop\" }}")), 4);
    world.play_all(Some(EntrantId(3)));
    assert_eq!(world.event.phase(), Phase::Asking(vec!["C stopped the event: 3 crashes in a row".to_owned()]));
    assert!(world.results.len() < 60);
    let mut world = World::new(spec(4, &format!("{FOUR}crashes = {{ then = \"continue\" }}")), 4);
    world.play_all(Some(EntrantId(3)));
    assert_eq!((world.event.phase(), world.results.len()), (Phase::Finished, 60));
}

#[test]
fn who_stopped_the_event_and_leaves_holds_up_nobody() {
    let mut world = World::new(spec(4, &format!("{FOUR}crashes = {{ in-a-row = 3, then = \"stop\" }}")), 4);
    world.play_all(Some(EntrantId(3)));
    assert!(world.due(&BTreeSet::new(), 100, 8).is_empty());
    world.fact(Fact::Withdrawn { entrant: EntrantId(3), keep_games: true });
    assert_eq!(world.event.phase(), Phase::Running);
    world.play_all(None);
    assert_eq!(world.event.phase(), Phase::Finished);
}

#[test]
fn a_share_counts_from_twenty_games() {
    let lines = "format = { match = { pairs = 50 } }\ncrashes = { in-a-row = 9, of-games = \"5%\", then = \"stop\" }";
    let mut world = World::new(spec(2, lines), 2);
    let mut played = 0;
    while world.event.phase() == Phase::Running {
        for game in world.due(&BTreeSet::new(), 1, 1).into_iter().flat_map(|a| a.games) {
            let crashing = (played % 8 == 0 && played > 0).then_some(EntrantId(2));
            // Entrant 1 never crashes.
            world.result(ends(&game, crashing));
            played += 1;
        }
        world.settle();
    }
    assert_eq!(world.event.phase(), Phase::Asking(vec!["B stopped the event: 2 crashes in 20 games".to_owned()]));
}

/// The crash that comes first in starting order arrives last: the same fact.
#[test]
fn the_order_of_arrival_decides_nothing() {
    let spec = spec(2, "format = { match = { pairs = 10 } }\ncrashes = { in-a-row = 4, then = \"set-aside\" }");
    let facts = |order: &[usize]| {
        let mut world = World::new(spec.clone(), 2);
        let due = world.due(&BTreeSet::new(), 10, 10);
        let games: Vec<_> = due.iter().flat_map(|a| &a.games).collect();
        for &at in order {
            world.result(ends(games[at], (2..=5).contains(&at).then_some(EntrantId(2))));
            world.settle();
        }
        world.log.iter().map(|f| f.fact.clone()).collect::<Vec<_>>()
    };
    let forwards = facts(&[0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(matches!(forwards.last(), Some(Fact::EngineSetAside { .. })), "{forwards:?}");
    assert_eq!(forwards, facts(&[7, 6, 5, 4, 3, 2, 1, 0]));
    assert_eq!(forwards, facts(&[5, 3, 4, 2, 7, 0, 6, 1]));
    // What came between is not there: not four in a row.
    assert_eq!(facts(&[5, 4, 3, 2, 7, 6]).len(), 1);
}
