//! Store and archive at their worst; words that come late or twice.

use rookery_proto::v1::{self, DiscardReason, attach_response::Message};

use super::{super::*, world::*};
use crate::store::CommitError;

/// A world in which worker 1 has the only pair in hand.
fn in_hand() -> (World, v1::Play) {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w", 1));
    let mut plays = world.plays(1);
    assert_eq!(plays.len(), 1);
    (world, plays.remove(0))
}

fn recorded(world: &mut World, session: u64) -> v1::Recorded {
    let sent = world.take(session);
    match sent.as_slice() {
        [Message::Recorded(recorded)] => recorded.clone(),
        _ => panic!("{sent:?}"),
    }
}

fn discarded(world: &mut World, session: u64) -> DiscardReason {
    let sent = world.take(session);
    match sent.as_slice() {
        [Message::Discarded(discarded)] => discarded.reason(),
        // What was discarded is due again.
        [Message::Discarded(discarded), Message::Play(_)] => discarded.reason(),
        _ => panic!("{sent:?}"),
    }
}

#[test]
fn nothing_is_said_before_it_is_on_record() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.put(Input::Attached { session: SessionId(1), hello: Box::new(hello("w", 1)) });
    assert_eq!(world.commits.len(), 1);
    assert!(matches!(world.take(1).as_slice(), [Message::Welcome(_)]));
    world.commit_one();
    let play = world.plays(1).remove(0);
    world.say(1, finished(play.attempt, &play.games[0], 0));
    assert_eq!((world.archives.len(), world.commits.len()), (1, 0));
    world.archive_one();
    assert_eq!((world.archive.len(), world.commits.len()), (1, 1));
    assert!(world.take(1).is_empty());
    world.commit_one();
    assert!(recorded(&mut world, 1).go_on);
}

#[test]
fn a_result_said_twice_is_recorded_once() {
    let (mut world, play) = in_hand();
    for _ in 0..2 {
        world.say(1, finished(play.attempt, &play.games[0], 0));
    }
    world.run();
    recorded(&mut world, 1);
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.run();
    assert!(recorded(&mut world, 1).go_on);
    assert_eq!((world.archive.len(), world.store.count("/results/")), (1, 1));
}

#[test]
fn a_result_of_another_attempt_is_discarded() {
    let (mut world, play) = in_hand();
    world.say(1, finished(play.attempt - 1, &play.games[0], 0));
    world.run();
    assert_eq!(discarded(&mut world, 1), DiscardReason::AttemptOver);
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.run();
    recorded(&mut world, 1);
    world.say(1, finished(play.attempt + 9, &play.games[0], 0));
    world.run();
    assert_eq!(discarded(&mut world, 1), DiscardReason::AlreadyRecorded);
    assert_eq!(world.archive.len(), 1);
}

#[test]
fn what_does_not_replay_is_no_result_and_ends_the_attempt() {
    let (mut world, play) = in_hand();
    let mut message = finished(play.attempt, &play.games[0], 0);
    if let v1::attach_request::Message::Finished(finished) = &mut message {
        finished.record.as_mut().unwrap().plies[1].r#move = "e7e4".to_owned();
    }
    world.say(1, message);
    world.run();
    let sent = world.take(1);
    let [Message::Discarded(discarded), Message::Play(again)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(discarded.reason(), DiscardReason::DoesNotReplay);
    assert!(again.attempt > play.attempt);
    assert_eq!((world.archive.len(), world.store.count("/results/")), (0, 0));
}

#[test]
fn a_worker_rules_nothing() {
    for ending in [v1::Ending::Ruling, v1::Ending::InterruptionRule] {
        let (mut world, play) = in_hand();
        let mut message = finished(play.attempt, &play.games[0], 0);
        if let v1::attach_request::Message::Finished(finished) = &mut message {
            let outcome = finished.record.as_mut().unwrap().outcome.as_mut().unwrap();
            outcome.ending = ending.into();
        }
        world.say(1, message);
        world.run();
        assert_eq!(discarded(&mut world, 1), DiscardReason::DoesNotReplay, "{ending:?}");
        assert_eq!((world.archive.len(), world.store.count("/results/")), (0, 0));
    }
}

#[test]
fn a_setup_that_was_not_ordered_is_no_result() {
    let (mut world, play) = in_hand();
    let mut message = finished(play.attempt, &play.games[0], 0);
    if let v1::attach_request::Message::Finished(finished) = &mut message {
        finished.record.as_mut().unwrap().first =
            Some(v1::EngineIdentity { name: "B".to_owned(), ..v1::EngineIdentity::default() });
    }
    world.say(1, message);
    world.run();
    assert_eq!(world.store.count("/results/"), 0);
}

/// The answer to a transaction is lost; whether it had happened or not, asking again is harmless.
#[test]
fn a_lost_answer_changes_nothing() {
    for happened in [true, false] {
        let mut world = World::leading();
        world.apply(&spec("m", 1, ""));
        world.put(Input::Attached { session: SessionId(1), hello: Box::new(hello("w", 1)) });
        world.take(1);
        lose_answer(&mut world, happened);
        let play = world.plays(1).remove(0);
        let lease = world.store.keys.iter().find(|(key, _)| key.ends_with("/lease")).unwrap();
        assert_eq!(lease.1.1, play.attempt, "happened: {happened}");
        world.say(1, finished(play.attempt, &play.games[0], 0));
        world.archive_one();
        lose_answer(&mut world, happened);
        assert!(recorded(&mut world, 1).go_on, "happened: {happened}");
        assert_eq!((world.archive.len(), world.store.count("/results/")), (1, 1));
    }
}

fn lose_answer(world: &mut World, happened: bool) {
    let (ticket, txn) = world.commits.pop_front().unwrap();
    if happened {
        world.store.commit(&txn).unwrap();
    }
    let outcome = Err(CommitError::Unknown("timeout".to_owned()));
    world.put(Input::Committed { ticket, outcome });
    assert!(world.take(1).is_empty());
    assert!(world.commits.is_empty());
    world.pass(500);
}

#[test]
fn a_batch_that_is_refused_goes_one_by_one() {
    let mut world = World::leading();
    world.apply(&spec("m", 4, ""));
    for session in 1..=3 {
        let hello = hello(&format!("w{session}"), 1);
        world.put(Input::Attached { session: SessionId(session), hello: Box::new(hello) });
    }
    world.commit_one();
    world.now.mono_ns += 20_000_000;
    world.put(Input::Tick);
    let held = world.commits.iter().map(|(_, txn)| txn.compare.len()).max().unwrap();
    assert!(held > 3, "several pairs in one transaction");
    // Another writer took the second pair.
    let mut key = world.commits.iter().flat_map(|(_, txn)| &txn.compare).map(crate::store::Compare::key);
    let lease = key.rfind(|key| key.ends_with("/lease")).unwrap().to_owned();
    world.store.revision += 1;
    let revision = world.store.revision;
    world.store.keys.insert(lease, (bytes::Bytes::from_static(b"{\"handed-out-ms\":1,\"by\":[0,0]}"), revision));
    world.run();
    world.pass(500);
    let given: usize = (1..=3).map(|session| world.take(session).len()).sum();
    assert_eq!(given, 3 + 4, "three welcomes, and each pair to one worker");
}

#[test]
fn while_the_archive_is_away_no_result_is_taken() {
    let (mut world, play) = in_hand();
    world.archive_away = true;
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.archive_one();
    world.pass(1_000);
    assert!(world.take(1).is_empty());
    assert_eq!(world.store.count("/results/"), 0);
    let Ok(Answer::Alarms(alarms)) = world.asked(Request::Alarms) else { panic!() };
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    world.archive_away = false;
    world.pass(10_000);
    assert!(recorded(&mut world, 1).go_on);
    let Ok(Answer::Alarms(alarms)) = world.asked(Request::Alarms) else { panic!() };
    assert!(alarms.is_empty(), "{alarms:?}");
}

#[test]
fn a_full_store_takes_results_and_hands_out_nothing() {
    let mut world = World::leading();
    world.apply(&spec("m", 2, ""));
    world.put(Input::Attached { session: SessionId(1), hello: Box::new(hello("w", 1)) });
    world.take(1);
    let (ticket, _) = world.commits.pop_front().unwrap();
    world.put(Input::Committed { ticket, outcome: Err(CommitError::Full) });
    world.commits.clear();
    assert!(world.take(1).is_empty());
    assert_eq!(world.summary().waits_for, "the store is full");
    world.pass(limits::FULL_MS + 1_000);
    assert!(!world.plays(1).is_empty());
}

#[test]
fn who_is_deposed_says_and_writes_nothing_more() {
    let (mut world, play) = in_hand();
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.archive_one();
    let ask = world.ask(Request::Pause { event: String::new(), now: false, change: change("p") });
    let (ticket, _) = world.commits.pop_front().unwrap();
    world.put(Input::Committed { ticket, outcome: Err(CommitError::Deposed) });
    world.commits.clear();
    assert_eq!(world.closed, [SessionId(1)]);
    assert!(matches!(world.answers.get(&ask), Some(Err(Denied::NotLeader))));
    world.say(1, finished(play.attempt, &play.games[1], 0));
    world.now.mono_ns += 60_000_000_000;
    world.put(Input::Tick);
    assert!(world.take(1).is_empty() && world.commits.is_empty() && world.archives.is_empty());
}

#[test]
fn a_restart_in_the_middle_loses_and_repeats_nothing() {
    let mut world = World::leading();
    world.apply(&spec("m", 3, ""));
    world.welcome(1, hello("w", 1));
    let plays = world.plays(1);
    world.say(1, finished(plays[0].attempt, &plays[0].games[0], 0));
    world.run();
    recorded(&mut world, 1);
    let config = Config { version: "0.1.0".to_owned(), ..Config::default() };
    world.restart(config);
    world.run();
    // The worker comes back with what it is playing, and says again what was not acknowledged.
    world.welcome(2, hello("w", 1));
    assert!(world.take(2).is_empty(), "both places are taken by what it has");
    let playing = v1::AttemptPhase::Playing;
    world.say(
        2,
        beat(0, &[(plays[0].attempt, &plays[0].games[1], playing), (plays[1].attempt, &plays[1].games[0], playing)]),
    );
    world.run();
    assert!(world.take(2).is_empty());
    world.say(2, finished(plays[0].attempt, &plays[0].games[0], 0));
    world.run();
    assert!(recorded(&mut world, 2).go_on);
    world.say(2, finished(plays[0].attempt, &plays[0].games[1], 0));
    world.run();
    let sent = world.take(2);
    assert!(matches!(sent.as_slice(), [Message::Play(_), Message::Recorded(_)]), "{sent:?}");
    assert_eq!(world.store.count("/results/"), 2);
}

#[test]
fn in_one_process_a_former_lease_is_over_at_once() {
    let (mut world, play) = in_hand();
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::one_process() });
    world.run();
    world.welcome(2, hello("w", 1));
    let again = world.plays(2).remove(0);
    assert!(again.attempt > play.attempt);
    let lines = world.explain("00-0001-00001-00002-000001/1");
    assert!(lines.iter().all(|line| !line.contains("broke")), "{lines:?}");
}
