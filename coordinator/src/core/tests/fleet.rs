//! Workers come, fall silent, come back, and lack things.

use rookery_proto::v1::{self, AttemptPhase, EventPhase, HandBackReason, RejectReason, attach_response::Message};

use super::{super::*, world::*};

fn in_hand() -> (World, v1::Play) {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    (world, play)
}

fn rejected(world: &mut World, session: u64) -> RejectReason {
    let sent = world.take(session);
    match sent.as_slice() {
        [Message::Rejected(rejected)] => rejected.reason(),
        _ => panic!("{sent:?}"),
    }
}

fn back(play: &v1::Play, reason: HandBackReason, engine: &str) -> v1::attach_request::Message {
    v1::attach_request::Message::HandedBack(v1::HandedBack {
        attempt: play.attempt,
        game: play.games[0].id.clone(),
        reason: reason.into(),
        evidence: "evidence".to_owned(),
        engine: engine.to_owned(),
        ..v1::HandedBack::default()
    })
}

#[test]
fn who_is_not_taken() {
    let mut world = World::new();
    world.attach(1, hello("w", 1));
    assert_eq!(rejected(&mut world, 1), RejectReason::NotLeader);
    world.lead();
    let cases = [
        (v1::Hello { version: "0.2.0".to_owned(), ..hello("w", 1) }, RejectReason::Version),
        (v1::Hello { version: "x".to_owned(), ..hello("w", 1) }, RejectReason::Version),
        (v1::Hello { worker: "a/b".to_owned(), ..hello("w", 1) }, RejectReason::Invalid),
        (v1::Hello { boot: String::new(), ..hello("w", 1) }, RejectReason::Invalid),
        (hello("w", 5_000), RejectReason::Invalid),
    ];
    for (session, (hello, reason)) in (2..).zip(cases) {
        world.attach(session, hello);
        assert_eq!(rejected(&mut world, session), reason);
        assert_eq!(world.closed.last(), Some(&SessionId(session)));
    }
    world.welcome(10, hello("w", 1));
    world.attach(11, v1::Hello { boot: "2".to_owned(), ..hello("w", 1) });
    assert_eq!(rejected(&mut world, 11), RejectReason::SecondBoot);
    // The same process again: its new stream takes the place of the old one.
    world.welcome(12, hello("w", 1));
    assert_eq!(world.closed.last(), Some(&SessionId(10)));
}

#[test]
fn a_worker_that_comes_back_in_time_goes_on() {
    let (mut world, play) = in_hand();
    world.put(Input::Gone { session: SessionId(1) });
    world.pass(20_000);
    world.welcome(2, hello("w", 1));
    world.say(2, beat(0, &[(play.attempt, &play.games[0], AttemptPhase::Playing)]));
    world.say(2, finished(play.attempt, &play.games[0], 0));
    world.run();
    let sent = world.take(2);
    assert!(matches!(sent.as_slice(), [Message::Recorded(r)] if r.attempt == play.attempt), "{sent:?}");
}

#[test]
fn a_silent_worker_loses_what_it_has() {
    let (mut world, play) = in_hand();
    world.say(1, beat(1, &[(play.attempt, &play.games[0], AttemptPhase::Playing)]));
    world.pass(31_000);
    assert_eq!(world.closed, [SessionId(1)]);
    world.welcome(2, hello("v", 1));
    let again = world.plays(2).remove(0);
    assert!(again.attempt > play.attempt);
    // It was playing on, and is told that it is over.
    world.welcome(3, hello("w", 1));
    world.say(3, beat(0, &[(play.attempt, &play.games[0], AttemptPhase::Playing)]));
    world.say(3, finished(play.attempt, &play.games[0], 0));
    world.run();
    let sent = world.take(3);
    assert!(matches!(sent.as_slice(), [Message::Cancel(_), Message::Discarded(_)]), "{sent:?}");
    assert_eq!(world.store.count("/results/"), 0);
    let lines = world.explain("00-0001-00001-00002-000001/1");
    assert!(lines.iter().any(|line| line == "1 attempt at its pair broke"), "{lines:?}");
}

#[test]
fn an_order_that_was_lost_is_given_again() {
    let (mut world, play) = in_hand();
    // Not handled yet: nothing follows.
    world.say(1, beat(0, &[]));
    world.run();
    assert!(world.take(1).is_empty());
    world.say(1, beat(1, &[]));
    world.run();
    let again = world.plays(1).remove(0);
    assert!(again.attempt > play.attempt);
}

#[test]
fn what_comes_back_is_due_again_and_only_faults_of_the_host_count() {
    let reasons = [HandBackReason::Drained, HandBackReason::Lag, HandBackReason::HostFault];
    let (mut world, mut play) = in_hand();
    for reason in reasons {
        world.say(1, back(&play, reason, ""));
        world.run();
        let sent = world.take(1);
        let [Message::Recorded(recorded), Message::Play(again)] = sent.as_slice() else { panic!("{sent:?}") };
        assert_eq!(recorded.attempt, play.attempt);
        play = again.clone();
    }
    let lines = world.explain("00-0001-00001-00002-000001/1");
    assert!(lines.contains(&"1 attempt at its pair broke".to_owned()), "{lines:?}");
    let said = |line: &String| line.contains(" attempt (id ") && line.ends_with(": host fault at ply 0: evidence");
    assert!(lines.iter().any(said), "{lines:?}");
}

#[test]
fn a_pair_that_keeps_breaking_waits_for_a_person() {
    let (mut world, mut play) = in_hand();
    for round in 1..=limits::PAIR_BROKEN {
        world.say(1, back(&play, HandBackReason::HostFault, ""));
        world.run();
        let sent = world.take(1);
        match sent.as_slice() {
            [Message::Recorded(_), Message::Play(again)] if round < limits::PAIR_BROKEN => play = again.clone(),
            [Message::Recorded(_)] if round == limits::PAIR_BROKEN => {}
            _ => panic!("{sent:?}"),
        }
    }
    let summary = world.summary();
    assert_eq!(summary.phase(), EventPhase::Asking);
    assert_eq!(summary.questions.len(), 1);
    world.asked(Request::Resume { event: String::new(), change: change("again") }).unwrap();
    assert_eq!(world.plays(1).len(), 1);
}

#[test]
fn an_engine_that_does_not_start_anywhere_is_asked_about() {
    let (mut world, play) = in_hand();
    world.welcome(2, hello("v", 1));
    world.say(1, back(&play, HandBackReason::NotStarted, "A"));
    world.run();
    assert!(matches!(world.take(1).as_slice(), [Message::Recorded(_)]));
    let play = world.plays(2).remove(0);
    world.say(2, back(&play, HandBackReason::NotStarted, "A"));
    world.run();
    let summary = world.summary();
    assert_eq!(summary.phase(), EventPhase::Asking);
    assert!(summary.questions[0].contains("A does not start: evidence"), "{:?}", summary.questions);
    assert_eq!(world.store.count("/results/"), 0);
}

#[test]
fn needs_are_met_or_named() {
    let cases = [
        ("slot = { cores = 2, memory = \"1 GiB\" }", hello("w", 1), "has no slot of 2 cores, 1024 MiB and 0 GPUs"),
        ("", v1::Hello { engines: Vec::new(), ..hello("w", 1) }, "does not have engine `a`"),
        ("", v1::Hello { protocols: vec!["usi".to_owned()], ..hello("w", 1) }, "does not speak `uci`"),
        ("slot = { cores = 1, memory = \"1 GiB\", labels = { pool = \"x\" } }", hello("w", 1), "lacks label pool=x"),
    ];
    for (more, hello, why) in cases {
        let mut world = World::leading();
        let text = spec("m", 1, "");
        let text = if more.is_empty() { text } else { text.replace("slot = { cores = 1, memory = \"1 GiB\" }", more) };
        world.apply(&text);
        world.welcome(1, hello);
        assert!(world.take(1).is_empty());
        assert_eq!(world.summary().waits_for, format!("worker w {why}"));
    }
}

#[test]
fn paths_are_for_workers_that_allow_them() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, v1::Hello { engines: Vec::new(), paths_allowed: true, ..hello("w", 1) });
    assert_eq!(world.plays(1).len(), 1);
}

#[test]
fn a_drained_worker_gets_nothing_more() {
    let mut world = World::leading();
    world.welcome(1, hello("w", 1));
    let drain = Request::Drain { worker: "w".to_owned(), grace_ms: 5, change: change("d") };
    world.asked(drain.clone()).unwrap();
    assert!(matches!(world.take(1).as_slice(), [Message::Drain(d)] if d.grace_ms == 5 && !d.undo));
    world.asked(drain).unwrap();
    assert!(world.take(1).is_empty(), "repeated");
    world.apply(&spec("m", 1, ""));
    assert!(world.take(1).is_empty());
    assert_eq!(world.summary().waits_for, "worker w is drained by op: because");
    world.asked(Request::Undrain { worker: "w".to_owned(), change: change("u") }).unwrap();
    assert!(matches!(world.take(1).as_slice(), [Message::Drain(d), Message::Play(_)] if d.undo));
}

#[test]
fn free_slots_come_before_places_ahead() {
    let mut world = World::leading();
    world.welcome(1, hello("v", 2));
    world.welcome(2, hello("w", 2));
    world.apply(&spec("m", 4, ""));
    assert_eq!((world.plays(1).len(), world.plays(2).len()), (2, 2));
}

/// An event that states the resources of its engines plays on slots that have them, no less and no more; what each
/// worker lacks is said.
#[test]
fn stated_resources_are_those_of_the_slot() {
    let mut world = World::leading();
    let slot = "slot = { cores = 1, memory = \"1 GiB\" }\n";
    world.apply(&spec("m", 1, "resources = \"fixed-cpu\"").replace(slot, ""));
    let class = |cores, gpus| v1::SlotClass { count: 1, cores, memory_bytes: 16 << 30, gpus };
    for (session, (worker, shape)) in
        (1..).zip([("small", class(4, 0)), ("large", class(16, 0)), ("with-gpu", class(8, 1))])
    {
        world.welcome(session, v1::Hello { slots: vec![shape], ..hello(worker, 1) });
        assert!(world.plays(session).is_empty(), "{worker}");
    }
    let lines = world.explain("1.1").join("\n");
    for worker in ["small", "large", "with-gpu"] {
        let why = format!("worker {worker} has no slot of exactly 8 cores, 16384 MiB and 0 GPUs, as the event's");
        assert!(lines.contains(&why), "{lines}");
    }
    world.welcome(9, v1::Hello { slots: vec![class(8, 0)], ..hello("right", 1) });
    let plays = world.plays(9);
    assert!(plays[0].needs.as_ref().is_some_and(|needs| needs.exact && needs.cores == 8), "{plays:?}");
}
