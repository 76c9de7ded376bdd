//! Time: games that stand still, workers that fall silent together, ticks that come late; what workers refuse.

use rookery_proto::v1::{
    self, AttemptPhase, EventPhase, HandBackReason, RefusalReason, attach_request, attach_response::Message,
};

use super::{super::*, world::*};

fn in_hand(spec: &str) -> (World, v1::Play) {
    let mut world = World::leading();
    world.apply(spec);
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    (world, play)
}

/// Beats every two seconds for so long, each time with the same ply of the first game.
fn stand_still(world: &mut World, play: &v1::Play, phase: AttemptPhase, seconds: u64) {
    for _ in 0..seconds / 2 {
        world.pass(2_000);
        world.say(1, beat(1, &[(play.attempt, &play.games[0], phase)]));
        world.run();
    }
}

#[test]
fn a_game_that_stands_still_is_interrupted_whatever_the_beats_say() {
    // 4 × (10 s + 200 × 0.1 s), twice the limits off the clock (187 s), two minutes: 614 s.
    let (mut world, play) = in_hand(&spec("m", 1, ""));
    stand_still(&mut world, &play, AttemptPhase::Playing, 610);
    assert!(world.take(1).is_empty(), "its clock may still run");
    stand_still(&mut world, &play, AttemptPhase::Playing, 8);
    let sent = world.take(1);
    let [Message::Cancel(cancel), Message::Play(again)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(cancel.attempt, play.attempt);
    assert!(cancel.reason.contains("no ply for longer"), "{}", cancel.reason);
    assert!(again.attempt > play.attempt);
    let lines = world.explain("1.1");
    assert!(lines.contains(&"1 attempt at its pair broke".to_owned()), "{lines:?}");
}

#[test]
fn a_game_that_waits_or_has_no_clock_may_take_its_time() {
    let without_clock = spec("m", 1, "").replace("10+0.1", "nodes=1000");
    for (text, phase) in [(spec("m", 1, ""), AttemptPhase::Waiting), (without_clock, AttemptPhase::Playing)] {
        let (mut world, play) = in_hand(&text);
        stand_still(&mut world, &play, phase, 1_000);
        assert!(world.take(1).is_empty(), "{phase:?}");
    }
}

#[test]
fn a_ply_is_patience_anew() {
    let (mut world, play) = in_hand(&spec("m", 1, ""));
    stand_still(&mut world, &play, AttemptPhase::Playing, 600);
    let ply = v1::Ply { r#move: "e2e4".to_owned(), ..v1::Ply::default() };
    let progress = v1::Progress {
        attempt: play.attempt,
        game: play.games[0].id.clone(),
        plies: vec![ply],
        ..v1::Progress::default()
    };
    world.say(1, attach_request::Message::Progress(progress));
    stand_still(&mut world, &play, AttemptPhase::Playing, 600);
    assert!(world.take(1).is_empty());
}

/// Four workers, each with a pair; so many of them say nothing more.
fn fall_silent(silent: u64, seconds: u64) -> World {
    let mut world = World::leading();
    world.apply(&spec("m", 4, ""));
    let mut plays = Vec::new();
    for session in 1..=4 {
        world.welcome(session, hello(&format!("w{session}"), 1));
        plays.extend(world.plays(session));
    }
    for _ in 0..seconds {
        world.pass(1_000);
        for session in silent + 1..=4 {
            world.say(session, beat(9, &[]));
            world.run();
        }
    }
    world
}

fn alarms(world: &mut World) -> Vec<String> {
    match world.asked(Request::Alarms) {
        Ok(Answer::Alarms(alarms)) => alarms,
        other => panic!("{other:?}"),
    }
}

#[test]
fn when_more_than_half_fall_silent_the_fault_is_ours() {
    let mut one = fall_silent(1, 33);
    assert_eq!(one.closed, [SessionId(1)], "one alone is given up after its grace");
    assert!(alarms(&mut one).is_empty());

    let mut three = fall_silent(3, 33);
    assert!(three.closed.is_empty(), "{:?}", three.closed);
    let alarm = alarms(&mut three);
    assert!(alarm.iter().any(|alarm| alarm.contains("3 of 4 workers fell silent at once")), "{alarm:?}");

    let three = fall_silent(3, 93);
    assert_eq!(three.closed, [1, 2, 3].map(SessionId), "not for ever");
}

#[test]
fn a_tick_that_comes_late_restarts_the_graces() {
    let (mut world, _) = in_hand(&spec("m", 1, ""));
    world.pass(25_000);
    // Our own machine stood still: what came meanwhile was not read.
    world.now.mono_ns += 20_000_000_000;
    world.put(Input::Tick);
    world.run();
    assert!(world.closed.is_empty(), "45 s without a word, of which 20 s are ours");
    world.pass(4_000);
    assert!(world.closed.is_empty());
    world.pass(2_000);
    assert_eq!(world.closed, [SessionId(1)]);
}

fn refuse(world: &mut World, play: &v1::Play, reason: RefusalReason) {
    let refused = v1::Refused { order: 1, attempt: play.attempt, reason: reason.into(), detail: "a reason".to_owned() };
    world.say(1, attach_request::Message::Refused(refused));
    world.run();
}

fn free_beat(draining: bool) -> attach_request::Message {
    let beat = v1::Beat { free: vec![1], last_order: 9, draining, ..v1::Beat::default() };
    attach_request::Message::Beat(beat)
}

#[test]
fn what_is_refused_for_want_of_room_is_offered_again_after_a_beat() {
    for reason in [RefusalReason::NoCredit, RefusalReason::OldLeader, RefusalReason::Unspecified] {
        let (mut world, play) = in_hand(&spec("m", 1, ""));
        refuse(&mut world, &play, reason);
        world.pass(1_000);
        assert!(world.take(1).is_empty(), "{reason:?}");
        assert_eq!(world.summary().waits_for, "worker w refused for want of room");
        world.say(1, free_beat(false));
        world.run();
        let again = world.plays(1).remove(0);
        assert!(again.attempt > play.attempt);
        let lines = world.explain("1.1");
        assert!(lines.iter().all(|line| !line.contains("broke")), "{reason:?} breaks nothing: {lines:?}");
    }
}

#[test]
fn a_refusal_says_what_the_worker_does_not_do() {
    let (mut world, play) = in_hand(&spec("m", 1, ""));
    refuse(&mut world, &play, RefusalReason::Draining);
    assert_eq!(world.summary().waits_for, "worker w is draining");
    world.say(1, free_beat(false));
    world.run();
    assert_eq!(world.plays(1).len(), 1, "it does not drain any more");

    let (mut world, play) = in_hand(&spec("m", 1, ""));
    refuse(&mut world, &play, RefusalReason::NotUnderstood);
    world.say(1, free_beat(false));
    world.run();
    assert!(world.take(1).is_empty());
    assert_eq!(world.summary().waits_for, "worker w does not understand its games");

    let (mut world, play) = in_hand(&spec("m", 1, ""));
    refuse(&mut world, &play, RefusalReason::Engine);
    let summary = world.summary();
    assert_eq!(summary.phase(), EventPhase::Asking);
    assert!(summary.questions[0].contains("A or B does not start: a reason"), "{:?}", summary.questions);
}

fn back(play: &v1::Play) -> attach_request::Message {
    attach_request::Message::HandedBack(v1::HandedBack {
        attempt: play.attempt,
        game: play.games[0].id.clone(),
        reason: HandBackReason::HostFault.into(),
        evidence: "no space left".to_owned(),
        ..v1::HandedBack::default()
    })
}

/// Hands back, for a fault of the host, what is in hand, so many times; answers what is in hand then.
fn fail(world: &mut World, plays: &mut Vec<v1::Play>, times: u32) {
    for _ in 0..times {
        // The youngest, so that no pair breaks three times.
        let play = plays.remove(0);
        world.say(1, back(&play));
        world.run();
        let sent = world.take(1).into_iter();
        plays.extend(sent.filter_map(|message| if let Message::Play(play) = message { Some(play) } else { None }));
    }
}

fn set_aside(world: &mut World) -> String {
    match world.asked(Request::Workers) {
        Ok(Answer::Workers(workers)) => workers[0].set_aside.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_worker_that_keeps_failing_waits_for_a_person() {
    let mut world = World::leading();
    world.apply(&spec("m", 9, ""));
    world.welcome(1, hello("w", 3));
    let mut plays = world.plays(1);
    fail(&mut world, &mut plays, limits::WORKER_FAULTS - 1);
    assert_eq!(set_aside(&mut world), "");
    // A game that is played shows that it is well.
    let play = plays[0].clone();
    for order in &play.games {
        world.say(1, finished(play.attempt, order, 0));
        world.run();
    }
    plays.remove(0);
    let sent = world.take(1).into_iter();
    plays.extend(sent.filter_map(|message| if let Message::Play(play) = message { Some(play) } else { None }));
    fail(&mut world, &mut plays, 1);
    assert_eq!(set_aside(&mut world), "", "five, but not in a row");
    let more = limits::WORKER_FAULTS - 2;
    fail(&mut world, &mut plays, more);
    let play = plays.remove(0);
    world.say(1, back(&play));
    world.run();
    let sent = world.take(1);
    assert!(sent.iter().any(|message| matches!(message, Message::Drain(drain) if !drain.undo)), "{sent:?}");
    assert!(!sent.iter().any(|message| matches!(message, Message::Play(_))), "{sent:?}");
    assert_eq!(set_aside(&mut world), "by rookery: 5 host faults in a row; the last: no space left");
    // The next leader knows it too.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.welcome(2, hello("w", 3));
    assert!(set_aside(&mut world).starts_with("by rookery"));
    world.asked(Request::Undrain { worker: "w".to_owned(), change: change("u") }).unwrap();
    assert_eq!(set_aside(&mut world), "");
}

#[test]
fn who_follows_a_game_in_play_is_told_each_ply() {
    let (mut world, play) = in_hand(&spec("m", 2, ""));
    world.take(1);
    let ask = Request::Follow { event: String::new(), game: "1.1".to_owned() };
    let Ok(Answer::Following(uid, game, _, in_play)) = world.asked(ask) else { panic!() };
    let plies = in_play.plies;
    assert!(in_play.setup.is_some());
    assert_eq!((uid.as_str(), game, plies.len()), ("m-r", id_of(&play.games[0]), 0));
    let sent = world.take(1);
    let [Message::Follow(follow)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!((follow.game.as_ref(), follow.for_ms), (play.games[0].id.as_ref(), limits::FOLLOW_MS));
    // One on record is nobody's to tell.
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.run();
    world.take(1);
    world.asked(Request::Follow { event: String::new(), game: "1.1".to_owned() }).unwrap();
    assert!(world.take(1).is_empty());
}

#[test]
fn who_leads_again_speaks_with_the_new_revision() {
    let (mut world, play) = in_hand(&spec("m", 2, ""));
    let before = world.store.revision;
    world.put(Input::Deposed);
    assert_eq!(world.closed, [SessionId(1)]);
    world.attach(2, hello("w", 1));
    let sent = world.take(2);
    let [Message::Rejected(rejected)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(rejected.reason(), v1::RejectReason::NotLeader);
    // Another leads meanwhile, then this one does again; what it knew is of no use.
    world.store.revision += 5;
    world.lead();
    world.run();
    world.put(Input::Attached { session: SessionId(3), hello: Box::new(hello("w", 1)) });
    world.run();
    let sent = world.sent.remove(&SessionId(3)).unwrap_or_default();
    assert!(!sent.is_empty() && sent.iter().all(|response| response.leader_revision > before), "{sent:?}");
    world.say(3, beat(9, &[(play.attempt, &play.games[0], AttemptPhase::Playing)]));
    world.say(3, finished(play.attempt, &play.games[0], 0));
    world.run();
    let sent = world.take(3);
    assert!(sent.iter().any(|m| matches!(m, Message::Recorded(r) if r.attempt == play.attempt)), "{sent:?}");
}
