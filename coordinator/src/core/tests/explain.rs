//! What an operator is told of a game: its story, in order.

use rookery_game::{GameRecord, GameResult};
use rookery_proto::v1::{self, GamePhase, HandBackReason, attach_request};

use super::{super::*, world::*};

const GAME: &str = "00-0001-00001-00002-000001/1";
const AT: &str = "at 2023-11-14T22:13:20Z";

fn back(play: &v1::Play) -> attach_request::Message {
    attach_request::Message::HandedBack(v1::HandedBack {
        attempt: play.attempt,
        game: play.games[0].id.clone(),
        reason: HandBackReason::HostFault.into(),
        evidence: "no disk".to_owned(),
        ..v1::HandedBack::default()
    })
}

fn explained(world: &mut World, game: &str) -> Explained {
    match world.asked(Request::Explain { event: String::new(), game: game.to_owned() }) {
        Ok(Answer::Explained(explained, _)) => *explained,
        other => panic!("{other:?}"),
    }
}

fn orders(game: &str, what: &str) -> Request {
    let (event, game, change) = (String::new(), game.to_owned(), change(what));
    match what {
        "replay" => Request::Replay { event, game, change },
        "void" => Request::Void { event, game, change },
        _ => Request::Rule { event, game, result: GameResult::FirstWins, change },
    }
}

/// The first game of the only pair is on record by its second attempt; the second one is in play.
fn played() -> (World, [i64; 2]) {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w", 1));
    let first = world.plays(1).remove(0);
    world.say(1, back(&first));
    world.run();
    let sent = world.take(1);
    let play = |message| if let v1::attach_response::Message::Play(play) = message { Some(play) } else { None };
    let second = sent.into_iter().find_map(play).expect("another try");
    world.say(1, finished(second.attempt, &second.games[0], 0));
    world.run();
    world.take(1);
    (world, [first.attempt, second.attempt])
}

#[test]
fn a_game_on_record_is_told_from_its_first_attempt() {
    let (mut world, [first, second]) = played();
    let record: GameRecord = serde_json::from_slice(&world.archive[0]).unwrap();
    assert_eq!(record.nth, 2);
    let explained = explained(&mut world, GAME);
    assert_eq!(
        explained.story.lines(&record.interrupted, Some(&record)),
        [
            format!("first attempt (id {first}) with worker w ended {AT}: host fault at ply 0: no disk"),
            format!("on record: 0-1 by checkmate, 4 plies, worker w, second attempt (id {second})"),
            "1 attempt at its pair broke".to_owned(),
        ]
    );
}

#[test]
fn each_take_is_told_with_what_was_said_about_it() {
    let (mut world, [_, second]) = played();
    world.asked(orders(GAME, "replay")).unwrap();
    let before = [
        format!("take 1 on record: 0-1 by checkmate, 4 plies, worker w, attempt (id {second})"),
        format!("take 1 to be replayed by op {AT}: because"),
    ];
    let due = world.explain(GAME);
    assert_eq!(due[..2], before);
    assert!(due.last().is_some_and(|line| line.starts_with("waits")), "{due:?}");
    // The same again is harmless, though there is another take by now.
    let facts = world.store.count("/log/");
    world.asked(orders(GAME, "replay")).unwrap();
    assert_eq!(world.store.count("/log/"), facts);
    // The take that is asked about stays the one that is told.
    let first = world.explain(&format!("{GAME}/1"));
    assert_eq!(first[..2], before);
    assert_eq!(first.last().map(String::as_str), Some("this take counts nowhere; take 2 does, or is due"));
    world.asked(orders(GAME, "rule")).unwrap();
    let ruled = world.explain(GAME);
    assert_eq!(ruled[..3], [before[0].clone(), before[1].clone(), format!("take 2 ruled 1-0 by op {AT}: because")]);
    let none = world.asked(Request::Explain { event: String::new(), game: format!("{GAME}/3") });
    assert!(matches!(none, Err(Denied::NotFound(_))), "{none:?}");
}

/// A game made void was explained as its next take, which nothing else showed.
#[test]
fn a_void_game_is_the_take_that_was_voided() {
    let (mut world, [_, second]) = played();
    world.asked(orders(GAME, "void")).unwrap();
    let void = explained(&mut world, GAME);
    assert_eq!((void.summary.name.as_str(), void.summary.phase()), (format!("{GAME}/1").as_str(), GamePhase::Voided));
    let told = [
        format!("on record: 0-1 by checkmate, 4 plies, worker w, attempt (id {second})"),
        format!("voided by op {AT}: because"),
    ];
    let lines = world.explain("1.1");
    assert_eq!(lines[..2], told);
    assert_eq!(lines.last().map(String::as_str), Some("this take counts nowhere"));
    // A person's word gives it back: the same take counts again.
    world.asked(orders(GAME, "rule")).unwrap();
    let ruled = explained(&mut world, GAME);
    assert_eq!((&ruled.summary.name, ruled.summary.phase()), (&format!("{GAME}/1"), GamePhase::Finished));
    assert_eq!(ruled.summary.outcome.map(|outcome| outcome.result()), Some(v1::GameResult::FirstWins));
    // Or it is played after all.
    let (mut world, _) = played();
    world.asked(orders(GAME, "void")).unwrap();
    world.asked(orders(GAME, "replay")).unwrap();
    assert_eq!(explained(&mut world, GAME).summary.name, format!("{GAME}/2"));
}

#[test]
fn attempts_are_counted_by_whoever_leads() {
    let (mut world, play) = {
        let mut world = World::leading();
        world.apply(&spec("m", 1, ""));
        world.welcome(1, hello("w", 1));
        let play = world.plays(1).remove(0);
        (world, play)
    };
    world.put(Input::Gone { session: SessionId(1) });
    world.pass(40_000);
    let lines = world.explain(GAME);
    assert!(
        lines[0].starts_with(&format!("first attempt (id {}) with worker w ended at 2023-", play.attempt))
            && lines[0].ends_with(": fell silent"),
        "{lines:?}"
    );
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.welcome(2, hello("w", 1));
    let again = world.plays(2).remove(0);
    let lines = world.explain(GAME);
    assert!(lines.contains(&format!("second attempt (id {}) with worker w, at ply 0", again.attempt)), "{lines:?}");
}
