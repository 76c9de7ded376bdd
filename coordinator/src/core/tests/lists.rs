//! Rating lists: which events count, files that are brought in once, and all of it from the store alone.

use rookery_game::GameResult;
use rookery_tournament::spec::{ListSpec, parse_list};

use super::{super::*, world::*};

fn list(name: &str, lines: &str) -> ListSpec {
    parse_list("l.toml", &format!("name = {name:?}\n[list]\n{lines}\n")).unwrap_or_else(|e| panic!("{e}"))
}

fn apply_list(spec: &ListSpec, dry_run: bool, id: &str) -> Request {
    Request::ApplyList { list: Box::new(spec.clone()), dry_run, change: change(id) }
}

fn applied(world: &mut World, spec: &ListSpec, dry_run: bool, id: &str) -> v1::ApplyResponse {
    match world.asked(apply_list(spec, dry_run, id)) {
        Ok(Answer::Applied(response)) => *response,
        other => panic!("{other:?}"),
    }
}

fn import(list: &str, digest: &str, games: u64, id: &str) -> Request {
    let (list, digest) = (list.to_owned(), digest.to_owned());
    Request::Import { list, file_name: format!("{digest}.pgn"), digest, games, change: change(id) }
}

fn summaries(world: &mut World, list: Option<&str>) -> Vec<v1::ListSummary> {
    match world.asked(Request::Lists(list.map(str::to_owned))) {
        Ok(Answer::Lists(lists)) => lists,
        other => panic!("{other:?}"),
    }
}

fn rated(world: &mut World, list: &str) -> Rated {
    match world.asked(Request::Ratings(list.to_owned())) {
        Ok(Answer::Ratings(rated)) => *rated,
        other => panic!("{other:?}"),
    }
}

fn denied(world: &mut World, request: Request, words: &str) {
    match world.asked(request) {
        Err(denied) => assert!(denied.to_string().contains(words), "{denied}"),
        Ok(answer) => panic!("{answer:?}, not {words}"),
    }
}

/// Events of so many pairs, all of whose games somebody ruled.
fn decided(world: &mut World, events: &[(&str, u32, &str)]) {
    for (name, pairs, more) in events {
        world.apply(&spec(name, *pairs, more));
        let event = (*name).to_owned();
        let ask = Request::Games { event: event.clone(), after: None, limit: 0, phase: None, engine: None };
        let Ok(Answer::Games(games, _)) = world.asked(ask) else { panic!() };
        for game in games {
            let game = game.name;
            let id = format!("{name}{game}");
            let (event, result) = (event.clone(), GameResult::FirstWins);
            world.asked(Request::Rule { event, game, result, change: change(&id) }).unwrap();
        }
    }
}

#[test]
fn an_event_counts_by_its_name_and_test_games_never() {
    let mut world = World::leading();
    let early = list("L", "events = [\"l *\"]");
    assert_eq!(applied(&mut world, &early, true, "d").warnings, ["no event is named so yet"]);
    decided(&mut world, &[("l a", 1, ""), ("l b", 2, ""), ("l tests", 3, "official = false"), ("m", 4, "")]);
    let made = applied(&mut world, &early, false, "1");
    assert_eq!((made.created, made.games, made.warnings.len()), (true, 6, 0));
    let of = &summaries(&mut world, Some("L"))[0];
    assert_eq!((of.events.join(","), of.games), ("l a,l b".to_owned(), 6));
    let games = rated(&mut world, "L").games;
    assert_eq!((games.count(), games.names().len()), (6, 2));
    assert_eq!(rated(&mut world, "m").games.count(), 8);
    denied(&mut world, Request::Ratings("l tests".to_owned()), "not official");
    let only_tests = list("T", "events = [\"l tests\"]");
    assert_eq!(applied(&mut world, &only_tests, true, "t").warnings, ["no event is named so yet"]);
}

#[test]
fn what_is_published_is_what_counts() {
    let mut world = World::leading();
    for (name, more) in [("l b", ""), ("l a", ""), ("l tests", "official = false"), ("m", "")] {
        world.now.unix_ms += 1;
        world.apply(&spec(name, 1, more));
    }
    applied(&mut world, &list("L", "events = [\"l *\"]"), false, "1");
    world.welcome(1, hello("w", 8));
    let plays = world.plays(1);
    assert_eq!(plays.len(), 4);
    for play in &plays {
        for order in &play.games {
            world.say(1, finished(play.attempt, order, 2));
            world.run();
        }
    }
    let Ok(Answer::ListLocations(places, files)) = world.asked(Request::ListLocations(String::new())) else { panic!() };
    assert_eq!((places.len(), files.len()), (4, 0), "two games of each of two events");
}

#[test]
fn a_list_is_as_it_was_applied_last() {
    let mut world = World::leading();
    let first = list("L", "events = [\"a\"]\nanchor = { engine = \"A\", elo = 3000 }");
    assert!(applied(&mut world, &first, true, "dry").created);
    denied(&mut world, Request::Lists(Some("L".to_owned())), "no list `L`");
    assert!(applied(&mut world, &first, false, "1").created);
    // The same once more, by whatever word; a repeated word after another change is no change back.
    let same = applied(&mut world, &first, false, "2");
    assert_eq!((same.created, same.differences.len()), (false, 0));
    let second = list("L", "events = [\"a\", \"b\"]\npublish = { to = \"www\", every = \"90s\" }");
    assert_eq!(applied(&mut world, &second, true, "3").differences.len(), 1);
    assert_eq!(summaries(&mut world, None)[0].publish_to, "", "a dry run changes nothing");
    assert_eq!(applied(&mut world, &second, false, "3").differences.len(), 1);
    assert_eq!(applied(&mut world, &second, false, "3").differences.len(), 0);
    let of = &summaries(&mut world, None)[0];
    assert_eq!((of.publish_to.as_str(), of.publish_every_ms), ("www", 90_000));
    assert_eq!((rated(&mut world, "L").anchor, of.spec.contains("\"b\"")), (None, true));
    // An event's name is no list's, and the other way round.
    world.apply(&spec("E", 1, ""));
    denied(&mut world, apply_list(&list("E", "events = [\"a\"]"), false, "e"), "an event is named `E`");
    denied(&mut world, apply(&spec("L", 1, ""), "1"), "list");
}

#[test]
fn a_file_is_brought_in_once() {
    let mut world = World::leading();
    denied(&mut world, import("", "sha256:1", 5, "i"), "there is no list");
    applied(&mut world, &list("L", "events = [\"a\"]"), false, "1");
    denied(&mut world, import("M", "sha256:1", 5, "i"), "no list `M`");
    // Which list need not be said where there is one.
    world.asked(import("", "sha256:1", 5, "i1")).unwrap();
    let Ok(Answer::Lists(again)) = world.asked(import("L", "sha256:1", 5, "i1")) else { panic!() };
    assert_eq!((again[0].games, again[0].imports.len()), (5, 1), "the same word is answered as before");
    denied(&mut world, import("L", "sha256:1", 5, "i2"), "`sha256:1.pgn`, brought by op");
    world.asked(import("L", "sha256:2", 7, "i3")).unwrap();
    applied(&mut world, &list("M", "events = [\"*\"]"), false, "m");
    denied(&mut world, import("", "sha256:3", 1, "i4"), "which list? there are: L, M");
    world.asked(import("M", "sha256:1", 5, "i5")).unwrap();
    let seen = |world: &mut World| {
        let of = |list: &v1::ListSummary| {
            let files: Vec<&str> = list.imports.iter().map(|import| import.file_name.as_str()).collect();
            format!("{} {} {}", list.list, list.games, files.join(","))
        };
        summaries(world, None).iter().map(of).collect::<Vec<_>>()
    };
    let expected = ["L 12 sha256:1.pgn,sha256:2.pgn", "M 5 sha256:1.pgn"];
    assert_eq!(seen(&mut world), expected);
    assert_eq!(rated(&mut world, "L").files, ["sha256:1", "sha256:2"]);
    // The list is changed, and keeps them; the next leader finds all of it.
    applied(&mut world, &list("L", "events = [\"b\"]"), false, "l2");
    assert_eq!(seen(&mut world), expected);
    world.restart(Config::default());
    assert_eq!(seen(&mut world), expected);
    denied(&mut world, import("L", "sha256:2", 7, "i6"), "the same games are in the list");
}

#[test]
fn a_word_that_is_said_twice_at_once_is_one_change() {
    let mut world = World::leading();
    let first = list("L", "events = [\"a\"]");
    let asks = [world.ask(apply_list(&first, false, "1")), world.ask(apply_list(&first, false, "1"))];
    world.run();
    let key = "/lists/L";
    assert_eq!(world.store.count(key), 1);
    let asked = [world.ask(import("L", "sha256:1", 5, "i")), world.ask(import("L", "sha256:1", 5, "i"))];
    world.run();
    assert_eq!(world.store.count("/imports/"), 1);
    for ask in asks.into_iter().chain(asked) {
        assert!(world.answers.contains_key(&ask), "each one is answered");
    }
}
