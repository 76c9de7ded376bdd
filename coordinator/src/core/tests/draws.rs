//! Draws that depend on results: put on record before anything of them is handed out, and the same after a restart.

use rookery_proto::v1::{self, EventPhase, attach_response::Message};

use super::{super::*, world::*};

fn cup(format: &str, engines: usize) -> String {
    let engine = |at: usize| format!("[[engine]]\nname = \"E{at}\"\nprogram = \"a\"\nrating = {}\n", 3_000 - at);
    let engines: String = (1..=engines).map(engine).collect();
    format!(
        "name = \"cup\"\n{engines}[event]\nformat = {{ {format} }}\ntime-control = \"10+0.1\"\n\
         slot = {{ cores = 1, memory = \"1 GiB\" }}\nopenings = \"start-position\"\n"
    )
}

/// Draws on record, as `stage/round: order`.
fn draws(world: &mut World) -> Vec<String> {
    let Ok(Answer::Facts(facts)) = world.asked(Request::Facts(String::new())) else { panic!("no facts") };
    let drawn = facts.iter().filter(|fact| fact.kind == "Drawn");
    drawn.map(|fact| fact.json.clone()).collect()
}

/// Plays the first game of an order as a win of the better engine; what follows is what the worker is told.
fn play(world: &mut World, session: u64, play: &v1::Play, game: usize) -> Vec<Message> {
    let order = &play.games[game];
    let (first, second) = (side(order, 0), side(order, 1));
    // 1 is a mate by the first side, 2 a resignation of it.
    world.say(session, finished(play.attempt, order, if first < second { 1 } else { 2 }));
    world.run();
    world.take(session)
}

fn side(order: &v1::GameOrder, at: usize) -> String {
    let setup = order.setup.as_ref().unwrap();
    [&setup.first, &setup.second][at].as_ref().unwrap().engine.as_ref().unwrap().name.clone()
}

fn orders(messages: Vec<Message>) -> Vec<v1::Play> {
    let play = |message| if let Message::Play(play) = message { Some(play) } else { None };
    messages.into_iter().filter_map(play).collect()
}

#[test]
fn a_cup_is_drawn_round_by_round_and_survives_a_restart() {
    let mut world = World::leading();
    let response = world.apply(&cup("knockout = { pairs = 1, bronze = 1 }", 4));
    assert_eq!(response.games, 2 * 4);
    assert_eq!(draws(&mut world), [r#"{"kind":"drawn","order":[4,1,3,2],"round":1,"stage":0}"#]);
    world.welcome(1, hello("w", 1));
    let mut plays: std::collections::VecDeque<_> = world.plays(1).into();
    assert_eq!(plays.len(), 2);
    let first = plays.pop_front().unwrap();
    assert!(first.ask_between);
    assert_eq!((side(&first.games[0], 0).as_str(), side(&first.games[0], 1).as_str()), ("E4", "E1"));
    for game in 0..2 {
        plays.extend(orders(play(&mut world, 1, &first, game)));
    }
    let second = plays.pop_front().unwrap();
    plays.extend(orders(play(&mut world, 1, &second, 0)));
    assert_eq!(draws(&mut world).len(), 1, "the other semifinal is not over");

    // The last game of the round goes on record, and the process dies before the next draw does.
    world.say(1, finished(second.attempt, &second.games[1], if side(&second.games[1], 0) == "E2" { 1 } else { 2 }));
    while world.store.count("/results/") < 4 {
        if world.archives.is_empty() { world.commit_one() } else { world.archive_one() }
    }
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    let drawn = draws(&mut world);
    assert_eq!(
        drawn[1..],
        [
            r#"{"kind":"drawn","order":[4,3],"round":2,"stage":2}"#,
            r#"{"kind":"drawn","order":[2,1],"round":2,"stage":0}"#
        ]
    );
    // And again: nothing is drawn twice.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    assert_eq!(draws(&mut world), drawn);
    world.welcome(2, hello("w", 1));
    let plays = world.plays(2);
    assert_eq!(plays.len(), 2);
    for order in &plays {
        for game in 0..2 {
            play(&mut world, 2, order, game);
        }
    }
    assert_eq!(world.summary().phase(), EventPhase::Finished);
    let Ok(Answer::Standings(_, table, ..)) = world.asked(Request::Standings(String::new())) else { panic!() };
    let names: Vec<_> = table.lines.iter().map(|line| (line.place, line.engine.as_str())).collect();
    assert_eq!(names, [(1, "E1"), (2, "E2"), (3, "E3"), (4, "E4")]);
}

#[test]
fn a_decided_match_ends_inside_a_pair_and_the_next_begins() {
    let mut world = World::leading();
    world.apply(&cup("ladder = { pairs = 2 }", 3));
    world.welcome(1, hello("w", 1));
    // One match at a time, and of it one pair at a time.
    let first = world.plays(1);
    assert_eq!(first.len(), 1);
    assert_eq!((side(&first[0].games[0], 0).as_str(), side(&first[0].games[0], 1).as_str()), ("E3", "E2"));
    play(&mut world, 1, &first[0], 0);
    let second = orders(play(&mut world, 1, &first[0], 1));
    assert_eq!(second.len(), 1);
    // 0 - 3 decides a match of four games: the worker does not go on.
    let told = play(&mut world, 1, &second[0], 0);
    let Some(Message::Recorded(recorded)) = told.first() else { panic!("{told:?}") };
    assert!(!recorded.go_on, "{told:?}");
    let third = orders(told);
    assert_eq!(third.len(), 1, "the next match begins");
    assert_eq!((side(&third[0].games[0], 0).as_str(), side(&third[0].games[0], 1).as_str()), ("E2", "E1"));
    let round = |play: &v1::Play| play.games[0].setup.as_ref().unwrap().tags["Round"].clone();
    assert_eq!((round(&first[0]), round(&third[0])), ("1.1".to_owned(), "2.1".to_owned()));
    let game = id_of(&second[0].games[1]).to_string();
    let lines = world.explain(&game);
    assert!(lines.iter().any(|line| line.contains("0 - 3, 1 game left")), "{lines:?}");
    assert_eq!(world.summary().games_total, 3 + 4);
}

fn ladder_state(world: &mut World) -> rookery_tournament::ladder::State {
    let Ok(Answer::Ladder(_, state)) = world.asked(Request::Ladder(String::new())) else { panic!("no state") };
    *state
}

#[test]
fn a_ladder_goes_on_from_its_state_and_is_the_same_after_a_restart() {
    let text = cup("ladder = { pairs = 2 }", 3);
    let mut world = World::leading();
    world.apply(&text);
    world.welcome(1, hello("w", 1));
    let first = world.plays(1);
    play(&mut world, 1, &first[0], 0);
    let second = orders(play(&mut world, 1, &first[0], 1));
    let third = orders(play(&mut world, 1, &second[0], 0));
    play(&mut world, 1, &third[0], 0);
    let state = ladder_state(&mut world);
    assert_eq!((state.eliminated_engines.clone(), state.matches.len()), (vec!["E3".to_owned()], 2));

    let mut other = World::leading();
    let go_on = |tag: &str| {
        let mut request = apply(&text, tag);
        if let Request::Apply(apply) = &mut request {
            apply.ladder = Some(Box::new((state.clone(), "sha256:1".to_owned())));
        }
        request
    };
    let Ok(Answer::Applied(applied)) = other.asked(go_on("r")) else { panic!() };
    assert_eq!((applied.created, applied.games), (true, 3 + 4));
    let without_moment = |mut state: rookery_tournament::ladder::State| {
        state.updated_utc.clear();
        state
    };
    for _ in 0..2 {
        assert_eq!(without_moment(ladder_state(&mut other)), without_moment(state.clone()));
        assert!(other.explain("1.1").iter().any(|line| line.contains("played elsewhere")));
        other.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
        other.run();
    }
    // The same request again is harmless, another one is refused.
    assert!(matches!(other.asked(go_on("r")), Ok(Answer::Applied(_))));
    assert!(matches!(other.asked(go_on("s")), Err(Denied::Precondition(why)) if why.contains("runs already")));
    // What was played is not played again.
    other.welcome(2, hello("w", 1));
    let plays = other.plays(2);
    assert_eq!(plays[0].games.len(), 1);
    assert_eq!((side(&plays[0].games[0], 0).as_str(), side(&plays[0].games[0], 1).as_str()), ("E1", "E2"));
}
