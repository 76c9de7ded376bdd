//! One match, one worker: from apply to the last result.

use rookery_proto::v1::{EventPhase, attach_response::Message};

use super::world::*;

#[test]
fn a_match_is_played_and_recorded() {
    let mut world = World::leading();
    let response = world.apply(&spec("m", 2, ""));
    assert!(response.created);
    assert_eq!(response.games, 4);
    assert_eq!(world.summary().waits_for, "a worker: none is attached");
    world.welcome(1, hello("w", 1));
    // One slot: one assignment to play, one ahead.
    let plays = world.plays(1);
    assert_eq!(plays.len(), 2);
    assert_ne!(plays[0].attempt, plays[1].attempt);
    assert_eq!(world.summary().games_running, 1, "the other pair waits for the slot");
    for play in &plays {
        assert_eq!(play.games.len(), 2);
        for (index, order) in play.games.iter().enumerate() {
            world.say(1, finished(play.attempt, order, 2));
            world.run();
            let sent = world.take(1);
            let [Message::Recorded(recorded)] = sent.as_slice() else { panic!("{sent:?}") };
            assert_eq!((recorded.attempt, &recorded.game), (play.attempt, &order.id));
            assert_eq!(recorded.go_on, index == 0);
        }
    }
    let summary = world.summary();
    assert_eq!(summary.phase(), EventPhase::Finished);
    assert_eq!((summary.games_done, summary.games_running), (4, 0));
    assert_eq!((world.archive.len(), world.store.count("/results/"), world.store.count("/live/")), (4, 4, 0));
    for (key, (value, _)) in world.store.keys.iter().filter(|(key, _)| key.contains("/results/")) {
        assert!(value.len() <= super::super::limits::RESULT_BYTES, "{key} has {} bytes", value.len());
    }
    world.say(1, beat(6, &[]));
    world.run();
    assert!(world.take(1).is_empty());
}

#[test]
fn what_is_played_frees_its_slot_before_it_is_on_record() {
    let mut world = World::leading();
    world.apply(&spec("m", 40, ""));
    world.welcome(1, hello("w", 1));
    world.archive_away = true;
    let play_all = |world: &mut World| {
        let mut played = 0;
        loop {
            let plays = world.plays(1);
            if plays.is_empty() {
                return played;
            }
            for play in &plays {
                for order in &play.games {
                    world.say(1, finished(play.attempt, order, 2));
                    world.run();
                }
                played += 1;
            }
        }
    };
    // One slot and one pair ahead, as long as no more than the bound waits for its record.
    assert_eq!(play_all(&mut world), super::super::limits::UNRECORDED + 1);
    assert_eq!(world.summary().games_done, 0);
    world.archive_away = false;
    world.run();
    let mut played = super::super::limits::UNRECORDED + 1;
    while played < 40 {
        let plays: Vec<_> = world.take(1);
        let before = played;
        for message in plays {
            let Message::Play(play) = message else { continue };
            for order in &play.games {
                world.say(1, finished(play.attempt, order, 2));
                world.run();
            }
            played += 1;
        }
        assert!(played > before, "nothing is handed out after {played} pairs");
    }
    assert_eq!((world.summary().phase(), world.summary().games_done), (EventPhase::Finished, 80));
    assert_eq!(world.store.count("/live/"), 0);
}
