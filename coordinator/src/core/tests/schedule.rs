//! The games to come.

use std::sync::Arc;

use rookery_game::{
    opening::{Book, BookOptions},
    setup::GameKind,
};
use rookery_proto::v1;

use super::{super::*, world::*};

fn page(world: &mut World, behind: Option<Behind>, limit: usize) -> (v1::GetScheduleResponse, Option<Behind>) {
    let request = Request::Schedule { event: String::new(), behind, limit, engine: None };
    let Ok(Answer::Schedule(response, next)) = world.asked(request) else { panic!("no schedule") };
    (*response, next)
}

#[test]
fn the_schedule_has_the_games_to_come_page_by_page() {
    let mut world = World::leading();
    world.apply(&spec("m", 3, ""));
    world.welcome(1, hello("w", 1));
    let plays = world.plays(1);
    assert!(!plays.is_empty());
    let (all, next) = page(&mut world, None, 100);
    let rounds = |response: &v1::GetScheduleResponse| -> Vec<String> {
        response.games.iter().map(|game| game.summary.as_ref().unwrap().round.clone()).collect()
    };
    assert_eq!((all.games.len(), next), (6, None));
    let expected: Vec<u64> = all.games.iter().map(|game| game.expected_unix_ms).collect();
    assert!(expected.is_sorted() && expected[0] > 0 && expected[5] > expected[0], "{expected:?}");
    assert!(all.expected_end_unix_ms > expected[5]);
    assert!(all.games.iter().all(|game| !game.if_needed));
    // Page by page it is the same.
    let (mut paged, mut behind) = (Vec::new(), None);
    for _ in 0..3 {
        let (some, next) = page(&mut world, behind, 2);
        paged.extend(some.games);
        behind = next;
    }
    assert_eq!((paged, behind), (all.games.clone(), None));
    // What is played is not to come.
    for order in plays[0].games.iter().take(1) {
        world.say(1, finished(plays[0].attempt, order, 1));
    }
    world.run();
    let (left, _) = page(&mut world, None, 100);
    assert_eq!(rounds(&left), rounds(&all)[1..]);
    let other = Request::Schedule { event: String::new(), behind: None, limit: 9, engine: Some("nobody".to_owned()) };
    assert!(matches!(world.asked(other), Ok(Answer::Schedule(none, None)) if none.games.is_empty()));
}

/// What the clocks of `10+0.1` let expect.
const GAME: u64 = 2 * (10_000 + 60 * 100) * 4 / 5;

/// When games begin, milliseconds from now, and when all is over.
fn begins(world: &mut World) -> (Vec<u64>, u64) {
    let now = world.now.unix_ms;
    let (all, _) = page(world, None, 100);
    let from_now = |at: u64| at.saturating_sub(now);
    (all.games.iter().map(|game| from_now(game.expected_unix_ms)).collect(), from_now(all.expected_end_unix_ms))
}

fn playing(order: u64, play: &v1::Play) -> rookery_proto::v1::attach_request::Message {
    beat(order, &[(play.attempt, &play.games[0], v1::AttemptPhase::Playing)])
}

#[test]
fn pairs_go_to_the_slots_and_games_of_a_pair_follow_each_other() {
    let mut world = World::leading();
    world.apply(&spec("m", 5, ""));
    assert_eq!(begins(&mut world), (vec![0; 10], 0), "without a worker nothing can be said");
    world.welcome(1, hello("w", 2));
    let plays = world.plays(1);
    assert_eq!(plays.len(), 4, "two ahead");
    world.say(1, playing(4, &plays[0]));
    world.run();
    // The first is at the board, what waits for a slot at the worker does not play yet.
    let by_pair = [0, 0, 2, 2, 4].map(|before| [before * GAME, (before + 1) * GAME]).concat();
    assert_eq!(begins(&mut world), (by_pair, 6 * GAME));
    world.say(1, finished(plays[0].attempt, &plays[0].games[0], 1));
    world.run();
    let (after, end) = begins(&mut world);
    // It took no time at all; four times its guess weighs as much as four games.
    let game = GAME * 4 / 5;
    assert_eq!((after[1], after[2], after[3], end), (0, game, game, 5 * game), "{after:?}");
}

#[test]
fn another_event_has_its_share_of_the_slots() {
    let mut world = World::leading();
    world.apply(&spec("m", 4, ""));
    world.now.unix_ms += 1;
    world.apply(&spec("rival", 40, ""));
    world.welcome(1, hello("w", 2));
    world.take(1);
    let ask = Request::Schedule { event: "m".to_owned(), behind: None, limit: 9, engine: None };
    let Ok(Answer::Schedule(all, _)) = world.asked(ask) else { panic!() };
    let last = all.games.last().unwrap().expected_unix_ms - world.now.unix_ms;
    assert_eq!(last, 7 * GAME, "one slot of two");
}

#[test]
fn breaks_and_the_time_of_its_start_are_counted() {
    let mut world = World::leading();
    // The world's clock shows 2023-11-14T22:13:20Z.
    let more = "not-before = 2023-11-14T22:13:30Z\none-at-a-time = true\nbreak = \"5m\"";
    world.apply(&spec("m", 2, more));
    world.welcome(1, hello("w", 4));
    let each = GAME + 300_000;
    let at = |from: u64| (0..4).map(|game| from + game * each).collect::<Vec<_>>();
    assert_eq!(begins(&mut world), (at(10_000), 10_000 + 4 * each - 300_000));
    world.now.unix_ms += 10_000;
    world.pass(500);
    let play = world.plays(1).remove(0);
    world.say(1, playing(1, &play));
    world.run();
    world.pass(1_000);
    let (during, _) = begins(&mut world);
    assert_eq!(during[1..], at(0)[1..], "the first is at the board, as long as no ply says more");
    world.say(1, finished(play.attempt, &play.games[0], 1));
    world.run();
    let each = GAME * 4 / 5 + 300_000;
    assert_eq!(begins(&mut world).0, [0, 1, 2].map(|game| 300_000 + game * each));
    // Nothing is promised of what a person paused.
    world.asked(Request::Pause { event: "m".to_owned(), now: false, change: change("p") }).unwrap();
    assert_eq!(begins(&mut world), (vec![0; 3], 0));
}

#[test]
fn without_a_clock_the_games_that_were_played_tell() {
    let mut world = World::leading();
    let text = spec("m", 2, "").replace("10+0.1", "nodes=100");
    world.apply(&text);
    world.welcome(1, hello("w", 1));
    let plays = world.plays(1);
    assert_eq!(begins(&mut world), (vec![0; 4], 0));
    let mut told = finished(plays[0].attempt, &plays[0].games[0], 1);
    if let v1::attach_request::Message::Finished(finished) = &mut told {
        finished.record.as_mut().unwrap().plies.iter_mut().for_each(|ply| ply.time_ns = 1_000_000_000);
    }
    world.say(1, told);
    world.run();
    assert_eq!(begins(&mut world), (vec![0, 7_000, 14_000], 21_000));
}

#[test]
fn a_ladder_plays_one_pair_at_a_time_on_any_fleet() {
    let mut world = World::leading();
    let engines: String = (1..=3).map(|at| format!("[[engine]]\nname = \"E{at}\"\nprogram = \"a\"\n")).collect();
    let text = format!(
        "name = \"l\"\n{engines}[event]\nformat = {{ ladder = {{ pairs = 2 }} }}\ntime-control = \"10+0.1\"\n\
         slot = {{ cores = 1, memory = \"1 GiB\" }}\nopenings = \"start-position\"\n"
    );
    world.apply(&text);
    world.welcome(1, hello("w", 8));
    let (all, end) = begins(&mut world);
    assert_eq!((all, end), ((0..4).map(|game| game * GAME).collect(), 8 * GAME));
}

/// Openings drawn for a level match are those of another book, and are named so.
#[test]
fn openings_after_a_level_match_are_named_by_their_book() {
    const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"King pawn\";\n\
                        rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n";
    let (book, _) = Book::parse("l.epd", BOOK.as_bytes().into(), GameKind::Chess, &BookOptions::default()).unwrap();
    let (own, level) = (Arc::new(Book::own()), Arc::new(book));
    let text = spec("m", 1, "").replace("{ pairs = 1 }", "{ pairs = 1, when-level = { pairs = 2 } }").replace(
        "openings = \"start-position\"",
        "openings = { from = \"own\", plies = 2, when-level = { book = \"l.epd\" } }",
    );
    let mut world = World::leading();
    let mut request = apply_with(&text, "r", &["l.epd"]);
    if let Request::Apply(apply) = &mut request {
        (apply.book, apply.level_book) = (("sha256:own".to_owned(), own), ("sha256:level".to_owned(), level));
    }
    world.asked(request).unwrap();
    for (game, result) in [(1, rookery_game::GameResult::Draw), (2, rookery_game::GameResult::Draw)] {
        let game = format!("00-0001-00001-00002-000001/{game}");
        let change = change(&game);
        world.asked(Request::Rule { event: String::new(), game, result, change }).unwrap();
    }
    let (all, _) = page(&mut world, None, 100);
    let openings: Vec<_> = all.games.iter().map(|game| (game.opening, game.opening_book.as_str())).collect();
    assert_eq!(openings.len(), 4, "{openings:?}");
    let mut numbers: Vec<u64> = openings.iter().map(|(number, _)| number.unwrap()).collect();
    assert!(openings.iter().all(|(_, book)| *book == "l.epd"), "{openings:?}");
    let named = all.games.iter().filter(|game| game.opening_name == "King pawn" && game.opening == Some(0)).count();
    assert_eq!(named, 2, "{openings:?}");
    numbers.dedup();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1]);
    assert!(all.games.iter().all(|game| game.opening_position.contains(" b KQkq")), "{all:?}");
}
