//! Engines join and leave; which build of a program plays; rulings.

use rookery_proto::v1::{self, EventPhase, attach_response::Message};
use rookery_tournament::spec::EngineSpec;

use super::{super::*, world::*};

/// A round robin of these engines, with a pair each; every second letter is of program `b`.
fn round_robin(names: &str, more: &str) -> String {
    let engine = |name: char| {
        let program = if u32::from(name).is_multiple_of(2) { "b" } else { "a" };
        format!("[[engine]]\nname = \"{name}\"\nprogram = \"{program}\"\n")
    };
    let engines: String = names.chars().map(engine).collect();
    format!(
        "name = \"m\"\n{engines}[event]\nformat = {{ round-robin = {{ pairs = 1 }} }}\ntime-control = \"10+0.1\"\n\
         slot = {{ cores = 1, memory = \"1 GiB\" }}\nopenings = \"start-position\"\n{more}\n"
    )
}

fn engine(name: &str, program: &str) -> EngineSpec {
    let text = format!("[[engine]]\nname = {name:?}\nprogram = {program:?}\n{}", round_robin("YZ", ""));
    let text = text.replacen("name = \"m\"\n", "", 1);
    read(&text).engines.into_iter().find(|engine| engine.setup.name == name).unwrap()
}

fn join(name: &str, id: &str) -> Request {
    let digests = vec![(name.to_owned(), "sha256:a".to_owned())];
    Request::Join { event: "m".to_owned(), engines: vec![engine(name, "a")], digests, change: change(id) }
}

fn withdraw(engine: &str, keep_games: bool) -> Request {
    let id = format!("withdraw {engine} {keep_games}");
    Request::Withdraw { event: "m".to_owned(), engine: engine.to_owned(), keep_games, change: change(&id) }
}

fn play_all(world: &mut World, session: u64) {
    loop {
        let plays: Vec<v1::Play> = world
            .take(session)
            .into_iter()
            .filter_map(|message| if let Message::Play(play) = message { Some(play) } else { None })
            .collect();
        if plays.is_empty() {
            return;
        }
        for play in plays {
            for order in &play.games {
                world.say(session, finished(play.attempt, order, 1));
                world.run();
            }
        }
    }
}

fn games(world: &mut World) -> Vec<v1::GameSummary> {
    let ask = Request::Games { event: "m".to_owned(), after: None, limit: 0, phase: None, engine: None };
    match world.asked(ask) {
        Ok(Answer::Games(games, None)) => games,
        other => panic!("{other:?}"),
    }
}

#[test]
fn who_joins_meets_all_that_are_there() {
    let mut world = World::leading();
    world.apply(&round_robin("AB", ""));
    world.welcome(1, hello("w", 1));
    play_all(&mut world, 1);
    assert_eq!(world.summary().phase(), EventPhase::Finished);
    let before = games(&mut world);
    world.asked(join("D", "j")).unwrap();
    assert_eq!(world.summary().games_total, 6);
    let keys = world.store.keys.clone();
    world.asked(join("D", "j")).unwrap();
    world.asked(join("D", "other")).unwrap();
    assert_eq!(world.store.keys, keys, "it joins once");
    // The next leader knows it as well, with all that it needs to be played.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::one_process() });
    world.run();
    world.welcome(2, hello("w", 1));
    play_all(&mut world, 2);
    let summary = world.summary();
    assert_eq!((summary.phase(), summary.games_done), (EventPhase::Finished, 6));
    let after = games(&mut world);
    assert_eq!(after[..2], before[..], "nothing of the past was renamed");
    assert_eq!(after.iter().filter(|game| game.first == "D" || game.second == "D").count(), 4);
}

#[test]
fn who_cannot_join_is_told_why() {
    let mut world = World::leading();
    world.apply(&round_robin("AB", ""));
    let other = Request::Join {
        event: "m".to_owned(),
        engines: vec![engine("A", "b")],
        digests: Vec::new(),
        change: change("x"),
    };
    let denied = world.asked(other);
    assert!(matches!(&denied, Err(Denied::Precondition(why)) if why.contains("another engine")), "{denied:?}");
    world.asked(withdraw("B", true)).unwrap();
    let denied = world.asked(join("B", "y"));
    assert!(matches!(&denied, Err(Denied::Precondition(_))), "{denied:?}");

    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    let denied = world.asked(join("D", "z"));
    assert!(matches!(&denied, Err(Denied::Precondition(why)) if why.contains("a match between two")), "{denied:?}");
}

#[test]
fn a_spec_with_one_more_engine_is_a_joining() {
    let mut world = World::leading();
    world.apply(&round_robin("AB", ""));
    let Ok(Answer::Applied(applied)) = world.asked(apply(&round_robin("AXB", ""), "2")) else { panic!() };
    assert!(!applied.created);
    assert_eq!((applied.games, applied.differences.len()), (6, 1), "{:?}", applied.differences);
    // The same file again changes nothing, although it names the newcomer in the middle.
    let keys = world.store.keys.clone();
    let Ok(Answer::Applied(again)) = world.asked(apply(&round_robin("AXB", ""), "3")) else { panic!() };
    assert!(again.differences.is_empty(), "{:?}", again.differences);
    assert_eq!(world.store.keys, keys);
    let rounds: Vec<String> =
        games(&mut world).into_iter().map(|game| format!("{}{}", game.first, game.second)).collect();
    assert_eq!(rounds[..2], ["AB", "BA"]);
}

#[test]
fn who_leaves_plays_nothing_more() {
    for keep in [true, false] {
        let mut world = World::leading();
        world.apply(&round_robin("ABC", ""));
        world.welcome(1, hello("w", 1));
        let first = world.plays(1).remove(0);
        world.say(1, finished(first.attempt, &first.games[0], 1));
        world.run();
        world.take(1);
        let names: Vec<String> = games(&mut world).into_iter().map(|g| format!("{}{}", g.first, g.second)).collect();
        let leaves = names[0][..1].to_owned();
        world.asked(withdraw(&leaves, keep)).unwrap();
        let sent = world.take(1);
        assert!(
            sent.iter().any(|m| matches!(m, Message::Cancel(cancel) if cancel.attempt == first.attempt)),
            "its second game is in play: {sent:?}"
        );
        let lines = world.explain("1.1");
        let word = if keep { "its games count" } else { "its games do not count" };
        assert!(lines.iter().any(|line| line.contains("withdrawn") && line.contains(word)), "{lines:?}");
        let summary = world.summary();
        assert_eq!((summary.games_done, summary.games_total), if keep { (1, 3) } else { (0, 2) });
        let repeated = world.store.keys.clone();
        world.asked(withdraw(&leaves, keep)).unwrap();
        assert_eq!(world.store.keys, repeated);
        // A spec without it is no other spec.
        let rest: String = "ABC".chars().filter(|c| *c != leaves.chars().next().unwrap()).collect();
        if leaves == "C" {
            let Ok(Answer::Applied(applied)) = world.asked(apply(&round_robin(&rest, ""), "2")) else { panic!() };
            assert!(applied.differences.is_empty(), "{:?}", applied.differences);
        }
        let denied = world.asked(withdraw("Z", keep));
        assert!(matches!(&denied, Err(Denied::NotFound(why)) if why.contains("there are: ")), "{denied:?}");
    }
}

/// A worker whose `a` is this build.
fn with_build(worker: &str, build: &str) -> v1::Hello {
    let mut hello = hello(worker, 1);
    build.clone_into(&mut hello.engines[0].digest);
    hello
}

/// The spec applied when no worker was there, so that nothing was frozen.
fn unfrozen() -> World {
    let mut world = World::leading();
    let mut request = apply(&round_robin("AB", ""), "r");
    if let Request::Apply(apply) = &mut request {
        apply.digests = Vec::new();
    }
    world.asked(request).unwrap();
    world
}

#[test]
fn the_build_that_all_workers_have_is_frozen_before_the_first_game() {
    let mut world = unfrozen();
    world.welcome(1, hello("w1", 1));
    assert_eq!(world.plays(1).len(), 1);
    let Ok(Answer::Facts(facts)) = world.asked(Request::Facts("m".to_owned())) else { panic!() };
    let froze = facts.iter().find(|fact| fact.kind == "Froze").expect("a fact");
    assert!(froze.json.contains("sha256:a") && froze.json.contains("sha256:b"), "{}", froze.json);
    // Another build comes too late.
    world.welcome(2, with_build("w2", "sha256:other"));
    assert!(world.take(2).is_empty());
}

#[test]
fn builds_that_differ_are_asked_about_before_the_first_game() {
    let ways: [fn(&mut World); 3] = [
        |world| {
            let (event, engine, change) = ("m".to_owned(), "A".to_owned(), change("f"));
            let none = Request::Freeze {
                event: event.clone(),
                engine: engine.clone(),
                digest: "sha256:ff".to_owned(),
                change: super::world::change("g"),
            };
            assert!(matches!(world.asked(none), Err(Denied::Invalid(_))));
            world.asked(Request::Freeze { event, engine, digest: "0123456789".to_owned(), change }).unwrap();
        },
        |world| {
            let drain = Request::Drain { worker: "w2".to_owned(), grace_ms: 0, change: change("d") };
            world.asked(drain).unwrap();
            world.take(2);
        },
        |world| {
            world.put(Input::Gone { session: SessionId(2) });
            world.run();
        },
    ];
    for (number, way_out) in ways.into_iter().enumerate() {
        let mut world = unfrozen();
        let one = "sha256:0123456789abcdef";
        // Both come before anything can be handed out.
        world.asked(Request::Pause { event: "m".to_owned(), now: false, change: change("p") }).unwrap();
        world.welcome(1, with_build("w1", one));
        world.welcome(2, with_build("w2", "sha256:fedcba9876543210"));
        world.asked(Request::Resume { event: "m".to_owned(), change: change("r") }).unwrap();
        assert!(world.take(1).is_empty() && world.take(2).is_empty(), "{number}");
        let summary = world.summary();
        assert_eq!(summary.phase(), EventPhase::Asking, "{number}");
        let question = &summary.questions[0];
        for part in ["which build of A", "0123456789ab (w1)", "fedcba987654 (w2)", "rookery freeze"] {
            assert!(question.contains(part), "{part} in {question}");
        }
        let lines = world.explain("1.1");
        assert!(lines[0].starts_with("waits for a person: which build of A"), "{lines:?}");
        way_out(&mut world);
        assert_eq!(world.summary().phase(), EventPhase::Running, "{number}");
        let play = world.plays(1).remove(0);
        let digest = |side: &Option<v1::Side>| side.as_ref().unwrap().engine.as_ref().unwrap().digest.clone();
        let setup = play.games[0].setup.as_ref().unwrap();
        assert!([digest(&setup.first), digest(&setup.second)].contains(&one.to_owned()), "{number}: {setup:?}");
        assert!(world.take(2).is_empty(), "{number}");
    }
}

#[test]
fn tie_breaks_change_by_a_ruling_alone() {
    let mut world = World::leading();
    world.apply(&round_robin("AB", ""));
    let changed = round_robin("AB", "tie-breaks = [\"wins\"]");
    let denied = world.asked(apply(&changed, "2"));
    assert!(matches!(&denied, Err(Denied::Precondition(why)) if why.contains("--ruling")), "{denied:?}");
    let mut ruled = apply(&changed, "3");
    if let Request::Apply(apply) = &mut ruled {
        apply.ruling = true;
    }
    world.asked(ruled).unwrap();
    let Ok(Answer::Standings(_, table, ..)) = world.asked(Request::Standings("m".to_owned())) else { panic!() };
    assert_eq!(table.tie_breaks, ["wins"]);
    // What is locked stays locked, ruling or not.
    let mut locked = apply(&changed.replace("10+0.1", "1+1"), "4");
    if let Request::Apply(apply) = &mut locked {
        apply.ruling = true;
    }
    assert!(matches!(world.asked(locked), Err(Denied::Precondition(_))));
}

#[test]
fn the_end_of_a_drain_says_who_and_why() {
    let mut world = World::leading();
    world.welcome(1, hello("w", 1));
    world.asked(Request::Drain { worker: "w".to_owned(), grace_ms: 0, change: change("d") }).unwrap();
    world.asked(Request::Undrain { worker: "w".to_owned(), change: change("u") }).unwrap();
    for restarted in [false, true] {
        if restarted {
            world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
            world.welcome(2, hello("w", 1));
        }
        let Ok(Answer::Workers(workers)) = world.asked(Request::Workers) else { panic!() };
        assert_eq!((workers[0].set_aside.as_str(), workers[0].released.as_str()), ("", "by op: because"));
    }
    world.apply(&spec("m", 1, ""));
    assert_eq!(world.plays(2).len(), 1);
}

#[test]
fn a_game_has_the_name_that_people_read() {
    let mut world = World::leading();
    world.apply(&round_robin("ABC", ""));
    for game in games(&mut world) {
        let Ok(Answer::Game(found, ..)) =
            world.asked(Request::Game { event: "m".to_owned(), game: game.round.clone() })
        else {
            panic!("{}", game.round)
        };
        assert_eq!(found.name, game.name);
    }
    let ask = |world: &mut World, game: &str| {
        world.asked(Request::Explain { event: "m".to_owned(), game: game.to_owned() }).unwrap_err()
    };
    assert!(matches!(ask(&mut world, "9.1"), Denied::NotFound(_)));
    assert!(matches!(ask(&mut world, "1.x"), Denied::Invalid(why) if why.contains("`1.1`")));
    world.asked(Request::Void { event: "m".to_owned(), game: "1.1".to_owned(), change: change("v") }).unwrap();
    assert_eq!(games(&mut world)[0].phase(), v1::GamePhase::Voided);
}

#[test]
fn how_long_it_may_take_is_said_where_it_can_be() {
    let expected = |world: &mut World, text: &str| {
        let mut request = apply(text, "r");
        if let Request::Apply(apply) = &mut request {
            apply.dry_run = true;
        }
        match world.asked(request) {
            Ok(Answer::Applied(response)) => response.expected_ms,
            other => panic!("{other:?}"),
        }
    };
    let mut world = World::leading();
    assert_eq!(expected(&mut world, &spec("m", 2, "")), 0, "nobody is there");
    world.welcome(1, hello("v", 1));
    // Four games of two sides with 0.8 × (10 s + 60 × 0.1 s).
    assert_eq!(expected(&mut world, &spec("m", 2, "")), 102_400);
    world.welcome(2, hello("w", 3));
    assert_eq!(expected(&mut world, &spec("m", 2, "")), 25_600);
    assert_eq!(expected(&mut world, &spec("m", 2, "one-at-a-time = true")), 102_400);
    assert_eq!(expected(&mut world, &spec("m", 2, "").replace("10+0.1", "nodes=9")), 0, "no clock");
    world.asked(Request::Drain { worker: "w".to_owned(), grace_ms: 0, change: change("d") }).unwrap();
    assert_eq!(expected(&mut world, &spec("m", 2, "")), 102_400);
}
