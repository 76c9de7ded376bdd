//! What operators order.

use rookery_game::GameResult;
use rookery_proto::v1::{EventPhase, GamePhase, attach_response::Message};

use super::{super::*, world::*};

const GAME: &str = "00-0001-00001-00002-000001/1";

fn game(world: &mut World, name: &str) -> GamePhase {
    let ask = Request::Game { event: String::new(), game: name.to_owned() };
    match world.asked(ask) {
        Ok(Answer::Game(summary, _, _)) => summary.phase(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_same_again_changes_nothing() {
    let mut world = World::leading();
    let text = spec("m", 2, "");
    let first = world.apply(&text);
    let keys = world.store.keys.clone();
    let repeated = world.apply(&text);
    assert_eq!(first, repeated, "the same request id");
    let Ok(Answer::Applied(again)) = world.asked(apply(&text, "other")) else { panic!() };
    assert!(!again.created);
    assert_eq!(again.event_uid, first.event_uid);
    assert_eq!(world.store.keys, keys);
}

#[test]
fn what_is_free_changes_and_what_is_locked_does_not() {
    let mut world = World::leading();
    world.apply(&spec("m", 2, ""));
    let Ok(Answer::Applied(more)) = world.asked(apply(&spec("m", 30, ""), "more")) else { panic!() };
    assert!(!more.created && !more.differences.is_empty());
    assert_eq!(world.summary().games_total, 60);
    let denied = world.asked(apply(&spec("m", 30, "ponder = true"), "ponder"));
    let Err(Denied::Precondition(why)) = denied else { panic!("{denied:?}") };
    assert!(why.contains("event.ponder"), "{why}");
}

#[test]
fn pause_resume_stop() {
    let mut world = World::leading();
    world.apply(&spec("m", 4, ""));
    world.asked(Request::Pause { event: "m".to_owned(), now: false, change: change("1") }).unwrap();
    world.welcome(1, hello("w", 1));
    assert!(world.take(1).is_empty());
    assert_eq!(world.summary().phase(), EventPhase::Paused);
    world.asked(Request::Resume { event: "m".to_owned(), change: change("2") }).unwrap();
    let plays = world.plays(1);
    assert_eq!(plays.len(), 2);
    world.asked(Request::Pause { event: "m".to_owned(), now: true, change: change("3") }).unwrap();
    let sent = world.take(1);
    assert!(matches!(sent.as_slice(), [Message::Cancel(a), Message::Cancel(b)] if a.hand_back && b.hand_back));
    // One of them ended before the word came.
    world.say(1, finished(plays[0].attempt, &plays[0].games[0], 0));
    world.run();
    let sent = world.take(1);
    assert!(matches!(sent.as_slice(), [Message::Recorded(r)] if !r.go_on), "{sent:?}");
    world.asked(Request::Stop { event: "m".to_owned(), change: change("4") }).unwrap();
    let sent = world.take(1);
    assert!(matches!(sent.as_slice(), [Message::Cancel(a), Message::Cancel(b)] if !a.hand_back && !b.hand_back));
    assert_eq!(world.summary().phase(), EventPhase::Stopped);
    assert_eq!((world.store.count("/live/"), world.store.count("/results/")), (0, 1));
    let Ok(Answer::Facts(facts)) = world.asked(Request::Facts("m".to_owned())) else { panic!() };
    let kinds: Vec<&str> = facts.iter().map(|fact| fact.kind.as_str()).collect();
    assert_eq!(kinds, ["Opened", "Paused", "Resumed", "Paused", "Stopped"]);
}

#[test]
fn a_change_that_is_repeated_is_done_once() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    let pause = Request::Pause { event: "m".to_owned(), now: false, change: change("same") };
    let first = world.ask(pause.clone());
    let second = world.ask(pause.clone());
    world.run();
    assert!(world.answers.remove(&first).unwrap().is_ok() && world.answers.remove(&second).unwrap().is_ok());
    world.asked(Request::Resume { event: "m".to_owned(), change: change("r2") }).unwrap();
    world.asked(pause).unwrap();
    assert_eq!(world.summary().phase(), EventPhase::Running);
}

#[test]
fn rulings_on_games_on_record_and_in_play() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    world.say(1, finished(play.attempt, &play.games[0], 0));
    world.run();
    world.take(1);
    assert_eq!(game(&mut world, GAME), GamePhase::Finished);
    world.asked(Request::Replay { event: String::new(), game: GAME.to_owned(), change: change("replay") }).unwrap();
    assert_eq!(game(&mut world, &format!("{GAME}/1")), GamePhase::Voided);
    assert_eq!(game(&mut world, GAME), GamePhase::Waiting, "its next take");
    // The second game is in play, and is ruled: one transaction ends its attempt.
    let second = GAME.replace("/1", "/2");
    let ruled =
        Request::Rule { event: String::new(), game: second.clone(), result: GameResult::Draw, change: change("x") };
    let txns = world.store.txns;
    let ask = world.ask(ruled);
    world.commit_one();
    assert_eq!(world.store.txns, txns + 1);
    assert!(!world.answers.contains_key(&ask), "what an operator was told outlives the store");
    world.archive_one();
    assert!(matches!(world.answers.remove(&ask), Some(Ok(Answer::Game(..)))));
    world.run();
    let sent = world.take(1);
    let [Message::Cancel(cancel), Message::Play(again)] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(cancel.attempt, play.attempt);
    assert_eq!(again.games.len(), 1);
    assert_eq!(id_of(&again.games[0]).take, 2);
    assert_eq!(game(&mut world, &second), GamePhase::Finished);
    world.say(1, finished(again.attempt, &again.games[0], 1));
    world.run();
    assert_eq!(world.summary().phase(), EventPhase::Finished);
    let lines = world.explain(&second);
    assert!(lines.iter().any(|line| line == "ruled 1/2-1/2 by op at 2023-11-14T22:13:20Z: because"), "{lines:?}");
}

#[test]
fn a_word_about_a_game_does_not_break_off_the_other_of_its_pair() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    world.say(1, beat(1, &[(play.attempt, &play.games[0], v1::AttemptPhase::Playing)]));
    world.run();
    world.take(1);
    let second = GAME.replace("/1", "/2");
    let words = [
        Request::Rule { event: String::new(), game: second.clone(), result: GameResult::Draw, change: change("r") },
        Request::Void { event: String::new(), game: second.clone(), change: change("v") },
        Request::Replay { event: String::new(), game: second.clone(), change: change("p") },
    ];
    for word in words {
        let denied = world.asked(word);
        let Err(Denied::Precondition(why)) = denied else { panic!("{denied:?}") };
        assert!(why.contains("game 1.1,"), "{why}");
        assert!(world.take(1).is_empty());
    }
    // Of the one at the board itself it is heard.
    world
        .asked(Request::Rule {
            event: String::new(),
            game: GAME.to_owned(),
            result: GameResult::Draw,
            change: change("x"),
        })
        .unwrap();
    assert!(matches!(world.take(1).first(), Some(Message::Cancel(_))));
}

#[test]
fn a_void_game_counts_nowhere() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.asked(Request::Void { event: String::new(), game: GAME.to_owned(), change: change("v") }).unwrap();
    world.welcome(1, hello("w", 1));
    let play = world.plays(1).remove(0);
    assert_eq!(play.games.len(), 1);
    assert_eq!(id_of(&play.games[0]).game, 2);
}

#[test]
fn priority_then_a_fair_share() {
    let mut world = World::leading();
    world.apply(&spec("low", 3, ""));
    world.now.unix_ms += 1;
    world.apply(&spec("high", 1, "priority = 5"));
    world.now.unix_ms += 1;
    world.apply(&spec("other", 3, ""));
    world.welcome(1, hello("w", 2));
    let mut names: Vec<String> = world.plays(1).into_iter().map(|play| play.event).collect();
    assert_eq!(names.remove(0), "high");
    assert_eq!(names, ["low", "other", "low"]);
}

#[test]
fn games_come_in_pages() {
    let mut world = World::leading();
    world.apply(&spec("m", 5, ""));
    let mut after = None;
    let mut names = Vec::new();
    loop {
        let ask = Request::Games { event: String::new(), after, limit: 3, phase: None, engine: None };
        let Ok(Answer::Games(games, next)) = world.asked(ask) else { panic!() };
        assert!(games.len() <= 3);
        names.extend(games.into_iter().map(|game| game.name));
        after = next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(names.len(), 10);
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted);
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    let denied = world.asked(Request::Event("n".to_owned()));
    assert!(matches!(&denied, Err(Denied::NotFound(why)) if why.contains("there are: m")), "{denied:?}");
    let denied = world.asked(Request::Explain { event: "m".to_owned(), game: "x".to_owned() });
    assert!(matches!(denied, Err(Denied::Invalid(_))), "{denied:?}");
}

#[test]
fn an_event_begins_by_itself_when_its_time_has_come() {
    let mut world = World::leading();
    // The world's clock shows 2023-11-14T22:13:20Z.
    world.apply(&spec("later", 1, "not-before = 2023-11-14T22:13:30Z"));
    world.welcome(1, hello("w", 1));
    assert!(world.plays(1).is_empty(), "ten seconds too early");
    assert!(world.summary().waits_for.contains("not before 2023-11-14T22:13:30Z"));
    world.now.unix_ms += 10_000;
    world.pass(500);
    assert_eq!(world.plays(1).len(), 1);
}

#[test]
fn a_tie_waits_for_a_ruling_and_the_ruling_outlives_the_leader() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, "tie-breaks = [\"wins\", \"ruling\"]"));
    let rank = |engines: [&str; 2], id: &str| Request::Rank {
        event: "m".to_owned(),
        engines: engines.map(str::to_owned).to_vec(),
        change: change(id),
    };
    let denied = world.asked(rank(["B", "A"], "early"));
    assert!(matches!(&denied, Err(Denied::Precondition(why)) if why.contains("still to be played")), "{denied:?}");
    for game in ["/1", "/2"] {
        let game = GAME.replace("/1", game);
        let result = GameResult::Draw;
        world
            .asked(Request::Rule {
                event: String::new(),
                game,
                result,
                change: change(&format!("{result:?}{}", world.store.txns)),
            })
            .unwrap();
    }
    let summary = world.summary();
    assert_eq!(summary.phase(), EventPhase::Asking);
    assert!(summary.questions[0].starts_with("A, B are level on all tie-breaks (place 1)"), "{:?}", summary.questions);
    world.asked(rank(["B", "A"], "late")).unwrap();
    world.asked(rank(["B", "A"], "late")).unwrap();
    assert_eq!(world.summary().phase(), EventPhase::Finished);
    let order = |world: &mut World| match world.asked(Request::Standings("m".to_owned())) {
        Ok(Answer::Standings(_, table, ..)) => table.whys(),
        other => panic!("{other:?}"),
    };
    let before = order(&mut world);
    assert_eq!(before[1], "B above A: ruling by op: because; level on points 1.0, wins 0");
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    assert_eq!(order(&mut world), before);
    let Ok(Answer::Facts(facts)) = world.asked(Request::Facts("m".to_owned())) else { panic!() };
    assert_eq!(facts.iter().filter(|fact| fact.kind == "Ranked").count(), 1);
}

/// One game, then the break, also between the games of a pair; another leader keeps to what is left of it.
#[test]
fn between_two_games_there_is_a_break() {
    let mut world = World::leading();
    world.apply(&spec("m", 2, "one-at-a-time = true\nbreak = \"3s\"\nofficial = false"));
    world.welcome(1, hello("w", 2));
    let mut plays = world.plays(1);
    for game in 1..=4 {
        assert_eq!((plays.len(), plays[0].games.len()), (1, 1), "game {game}");
        let setup = plays[0].games[0].setup.as_ref().unwrap();
        assert_eq!(setup.tags.get("Official").map(String::as_str), Some("no"));
        world.say(1, finished(plays[0].attempt, &plays[0].games[0], 2));
        world.run();
        let told = world.take(1);
        assert!(matches!(told.as_slice(), [Message::Recorded(_)]), "{told:?}");
        if game == 4 {
            break;
        }
        assert!(world.summary().waits_for.starts_with("the break between games: not before 2023-11-14T22:13:"));
        world.pass(1_500);
        if game == 2 {
            world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
            world.welcome(1, hello("w", 2));
        }
        world.pass(1_250);
        assert!(world.take(1).is_empty(), "2.75 s are no break of 3 s");
        world.pass(250);
        plays = world.plays(1);
    }
    assert_eq!(world.summary().phase(), v1::EventPhase::Finished);
    let list = world.asked(Request::Ratings(String::new()));
    assert!(matches!(&list, Err(Denied::Precondition(why)) if why.contains("are not official")), "{list:?}");
}
