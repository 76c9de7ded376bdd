//! Seasons: events that open by themselves, gates, questions by name, and all of it from the store alone.

use rookery_game::GameResult;
use rookery_proto::v1::{EventPhase, attach_request, attach_response::Message};
use rookery_tournament::{
    Fact,
    season::{Invitation, SeasonFact, SeasonSpec},
    spec::parse_season,
};

use super::{super::*, world::*};

const SEASON: &str = r#"
name = "S"
[events.low]
entrants = ["A", "B", "C"]
format = "round-robin"
openings = "start-position"
tie-breaks = ["wins", "shared"]
promote = { count = 1, to = "top" }
relegate = { count = 1 }
gate = "organiser"
[events.top]
stay = ["D", "E"]
format = "round-robin"
openings = "start-position"
qualify = { count = 2, to = "final", played-off = "off" }
relegate = { count = 1, to = "low" }
[events.off]
format = "round-robin"
openings = "start-position"
[events.final]
format = { match = { pairs = 1 } }
openings = "start-position"
"#;

fn season(text: &str) -> SeasonSpec {
    let engines: String = ["A", "B", "C", "D", "E"]
        .map(|name| format!("[[engine]]\nname = \"{name}\"\nprogram = \"{}\"\n", name.to_lowercase()))
        .concat();
    parse_season("s.toml", &format!("{text}{engines}"), &|_| Err(String::new()))
        .unwrap_or_else(|e| panic!("{e}"))
        .season
}

fn apply_text(text: &str, tag: &str) -> Request {
    let season = season(text);
    Request::ApplySeason(Box::new(ApplySeason {
        spec_digest: format!("sha256:{:016x}", fnv(&season.digest_input())),
        season: Box::new(season),
        books: std::collections::BTreeMap::new(),
        level_books: std::collections::BTreeMap::new(),
        uid: format!("season-{tag}"),
        seed: 7,
        digests: Vec::new(),
        dry_run: false,
        change: change(tag),
    }))
}

fn summary(world: &mut World) -> v1::SeasonSummary {
    match world.asked(Request::Season("S".to_owned())) {
        Ok(Answer::Season(summary, ..)) => *summary,
        other => panic!("{other:?}"),
    }
}

fn say(world: &mut World, fact: SeasonFact, id: &str) -> Result<(), Denied> {
    world.asked(Request::SeasonFact { season: "S".to_owned(), fact, change: change(id) }).map(|_| ())
}

/// Rules all games of an event: `best` wins all of its own, the others draw.
fn decide(world: &mut World, event: &str, best: &[&str]) {
    let event = format!("S {event}");
    let ask = Request::Games { event: event.clone(), after: None, limit: 0, phase: None, engine: None };
    let Ok(Answer::Games(games, _)) = world.asked(ask) else { panic!() };
    for game in games {
        let at = |name: &str| best.iter().position(|b| *b == name).unwrap_or(usize::MAX);
        let result = match at(&game.first).cmp(&at(&game.second)) {
            std::cmp::Ordering::Less => GameResult::FirstWins,
            std::cmp::Ordering::Equal => GameResult::Draw,
            std::cmp::Ordering::Greater => GameResult::SecondWins,
        };
        let change = change(&format!("{event}{}", game.name));
        world.asked(Request::Rule { event: event.clone(), game: game.name, result, change }).unwrap();
    }
}

fn phases(world: &mut World) -> Vec<(String, EventPhase, bool)> {
    summary(world).events.iter().map(|event| (event.name.clone(), event.phase(), event.skipped)).collect()
}

fn roster(world: &mut World, event: &str) -> String {
    let summary = summary(world);
    summary.events.iter().find(|one| one.name == event).map_or_else(String::new, |one| one.roster.concat())
}

#[test]
fn a_season_runs_from_event_to_event() {
    use EventPhase::{Finished, Running, Unspecified};
    let mut world = World::leading();
    let Ok(Answer::Applied(applied)) = world.asked(apply_text(SEASON, "1")) else { panic!() };
    assert!(applied.created);
    // 3, 3 and 2 engines; nobody is known to play off.
    assert_eq!(applied.games, 6 + 6 + 2);
    assert_eq!(phases(&mut world)[..2], [("low".to_owned(), Running, false), ("top".to_owned(), Unspecified, false)]);
    assert_eq!(summary(&mut world).events[1].waits_for, ["low/over: `low` is not over"]);
    assert_eq!(roster(&mut world, "low"), "ABC");

    // Level for the promotion: blocked by name until a ruling, and then by the gate.
    decide(&mut world, "low", &[]);
    let asked = summary(&mut world).questions;
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].starts_with("low/gate: ") && asked[1].starts_with("low/promotion: A, B, C share"), "{asked:?}");
    let rank = |order: [&str; 3], id: &str| Request::Rank {
        event: "S low".to_owned(),
        engines: order.map(str::to_owned).to_vec(),
        change: change(id),
    };
    world.asked(rank(["C", "A", "B"], "r")).unwrap();
    assert_eq!(summary(&mut world).questions, ["low/gate: `low` is over: `advance` lets the season go on"]);
    let early = say(&mut world, SeasonFact::Advanced { event: "top".to_owned() }, "early");
    assert!(matches!(&early, Err(Denied::Precondition(why)) if why == "`top` is not over"), "{early:?}");
    say(&mut world, SeasonFact::Advanced { event: String::new() }, "go").unwrap();
    say(&mut world, SeasonFact::Advanced { event: String::new() }, "go").unwrap();
    assert_eq!(roster(&mut world, "top"), "DEC");

    // Another leader sees the same, and opens nothing twice.
    let before = summary(&mut world);
    let keys = world.store.keys.len();
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    assert_eq!(summary(&mut world), before);
    assert_eq!(world.store.keys.len(), keys);

    // C is first, D and E are level: they play off the other place.
    decide(&mut world, "top", &["C"]);
    assert_eq!(roster(&mut world, "off"), "DE");
    decide(&mut world, "off", &["E"]);
    assert_eq!(roster(&mut world, "final"), "CE");
    decide(&mut world, "final", &["E"]);
    assert!(phases(&mut world).iter().all(|(_, phase, _)| *phase == Finished));
    let now = summary(&mut world);
    assert!(now.over, "{now:?}");
    // D and E share a place of the table, and one of them goes down.
    assert!(now.questions[0].starts_with("top/relegation: D, E share"), "{:?}", now.questions);
    let rank = Request::Rank {
        event: "S top".to_owned(),
        engines: ["E", "D"].map(str::to_owned).to_vec(),
        change: change("last"),
    };
    world.asked(rank).unwrap();
    let Ok(Answer::Season(now, history, next)) = world.asked(Request::Season(String::new())) else { panic!() };
    assert!(now.questions.is_empty() && now.over, "{now:?}");
    assert_eq!(
        next,
        "[events.low]\nstay = [\n    \"A\",\n    \"D\",\n]\n\n[events.top]\nstay = [\n    \"C\",\n    \"E\",\n]\n\n"
    );
    for part in ["the gate behind `low` passed (op: because)", "level, and ranked: C above A above B (op: because)"] {
        assert!(history.contains(part), "{part} in\n{history}");
    }

    // As it was applied it is over; written otherwise it is another season.
    let Ok(Answer::Applied(again)) = world.asked(apply_text(SEASON, "2")) else { panic!() };
    assert_eq!((again.created, again.event_uid), (false, applied.event_uid));
    let Ok(Answer::Applied(other)) = world.asked(apply_text(&SEASON.replace("\"organiser\"", "\"auto\""), "3")) else {
        panic!()
    };
    assert!(other.created);
}

#[test]
fn places_that_points_settle_need_no_games() {
    let mut world = World::leading();
    world.asked(apply_text(&SEASON.replace("\"organiser\"", "\"auto\""), "1")).unwrap();
    decide(&mut world, "low", &["B", "C"]);
    assert_eq!(roster(&mut world, "top"), "DEB", "no gate, no wait");
    decide(&mut world, "top", &["D", "B"]);
    assert!(phases(&mut world)[2].2, "the play-off was skipped");
    assert_eq!(roster(&mut world, "final"), "DB");
    let log = world.store.count("/log/");
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    assert_eq!((roster(&mut world, "final"), world.store.count("/log/")), ("DB".to_owned(), log));
}

/// A level final goes on with openings that were drawn, and are on record, from the books of the events before.
#[test]
fn a_level_final_is_played_on_from_earlier_books() {
    let level = SEASON
        .replace("match = { pairs = 1 }", "match = { pairs = 1, when-level = { pairs = 2 } }")
        .replace("\"organiser\"", "\"auto\"");
    let (before, after) = level.split_once("[events.final]").unwrap();
    let used = "openings = { from = \"start-position\", when-level = { used-in = [\"low\", \"top\"] } }";
    let level = format!("{before}[events.final]{}", after.replace("openings = \"start-position\"", used));
    let mut world = World::leading();
    let book = std::sync::Arc::new(rookery_game::opening::Book::own());
    world.library.insert("sha256:used".to_owned(), std::sync::Arc::clone(&book));
    let mut request = apply_text(&level, "1");
    if let Request::ApplySeason(apply) = &mut request {
        apply.level_books.insert("final".to_owned(), ("sha256:used".to_owned(), book.len() as u64));
    }
    world.asked(request).unwrap();
    decide(&mut world, "low", &["B", "C"]);
    decide(&mut world, "top", &["D", "B"]);
    assert_eq!(roster(&mut world, "final"), "DB");
    decide(&mut world, "final", &[]);

    let Ok(Answer::Facts(facts)) = world.asked(Request::Facts("S final".to_owned())) else { panic!() };
    let facts: Vec<Fact> = facts.iter().map(|fact| serde_json::from_str(&fact.json).unwrap()).collect();
    let opened = |fact: &Fact| {
        matches!(fact, Fact::Opened { level_book, level_openings, .. }
        if level_book == "sha256:used" && *level_openings == book.len() as u64)
    };
    assert!(opened(&facts[0]), "{facts:?}");
    let drawn = facts.iter().find_map(|fact| match fact {
        Fact::Drawn { openings, .. } => Some(openings.clone()),
        _ => None,
    });
    let drawn = drawn.unwrap();
    assert!(drawn.len() == 2 && drawn[0] != drawn[1], "{drawn:?}");

    // Another leader plays what was drawn.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    let entry = |name: &str| v1::CatalogueEntry { name: name.to_owned(), digest: format!("sha256:{name}") };
    let hello = v1::Hello { engines: ["b", "d"].map(entry).to_vec(), ..hello("w", 2) };
    world.welcome(1, hello);
    let plays = world.plays(1);
    assert_eq!(plays.len(), 2);
    for (play, at) in plays.iter().zip(drawn) {
        for order in &play.games {
            let setup = order.setup.as_ref().unwrap();
            let opening = book.get(at as usize).unwrap();
            assert_eq!((&setup.start, &setup.opening_moves), (&opening.start.position, &opening.start.moves));
        }
    }
}

/// Who comes up with another program plays a test match first, and a person is asked where it breaks down in it.
#[test]
fn a_new_program_is_tried_between_two_events() {
    let text = SEASON.replacen("relegate = { count = 1 }\n", "", 1).replacen(
        "qualify = {",
        "update-test = { pairs = 1 }\nqualify = {",
        1,
    );
    let mut world = World::leading();
    let entry = |name: &str, program: &str| v1::CatalogueEntry { name: name.to_owned(), digest: program.to_owned() };
    let catalogue = |of_c: &str, of_d: &str| v1::Hello {
        engines: vec![entry("a", "a1"), entry("b", "b1"), entry("c", of_c), entry("d", of_d), entry("e", "e1")],
        ..hello("w", 1)
    };
    let mut request = apply_text(&text, "1");
    if let Request::ApplySeason(apply) = &mut request {
        apply.digests =
            ["A", "B", "C", "D", "E"].map(|name| (name.to_owned(), format!("{}1", name.to_lowercase()))).to_vec();
    }
    world.asked(request).unwrap();
    decide(&mut world, "low", &["C", "B"]);
    assert_eq!(summary(&mut world).questions, ["low/gate: `low` is over: `advance` lets the season go on"]);

    // C comes with another program while the gate is shut; it breaks down.
    world.welcome(2, catalogue("c2", "d1"));
    let wait = "test/C: `C`, whose program is another than before, plays a test match against `D`";
    let play = |world: &mut World, session: u64, crash: bool| {
        let told = world.take(session);
        let plays: Vec<v1::Play> = told
            .into_iter()
            .filter_map(|message| match message {
                Message::Play(play) if play.event.contains(" test C ") => Some(play),
                _ => None,
            })
            .collect();
        assert_eq!(plays.len(), 1);
        for order in &plays[0].games {
            let setup = order.setup.as_ref().unwrap();
            assert_eq!(setup.tags["Official"], "no");
            let mut message = finished(plays[0].attempt, order, 2);
            if crash
                && let attach_request::Message::Finished(v1::Finished { record: Some(record), .. }) = &mut message
                && let Some(outcome) = &mut record.outcome
            {
                // White resigned; here its engine is gone.
                outcome.ending = v1::Ending::Crash.into();
                outcome.fault = v1::Seat::First.into();
            }
            world.say(session, message);
            world.run();
        }
    };
    // Who looks at the season sees the match from its beginning.
    let tests = |world: &mut World| {
        let of = summary(world).events;
        assert!(of.iter().all(|event| event.name == "top" || event.tests.is_empty()));
        let line = |test: &v1::TestMatch| {
            let v1::TestMatch { engine, program, opponent, games, games_total, half_points, faults, .. } = test;
            let over = if test.phase() == v1::EventPhase::Finished { ", over" } else { "" };
            format!("{engine} {program} {opponent} {half_points}/{games}/{games_total} {faults}{over}")
        };
        of[1].tests.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(tests(&mut world), ["C c2 D 0/0/2 0"]);
    play(&mut world, 2, true);
    // White lost both games: C one by its fault, D the other.
    assert_eq!(tests(&mut world), ["C c2 D 2/2/2 1, over"]);
    say(&mut world, SeasonFact::Advanced { event: "low".to_owned() }, "go").unwrap();
    let asked = summary(&mut world).questions;
    assert!(asked[0].starts_with("test/C: `C` lost 1 of 2 games of its test match by faults of its own"), "{asked:?}");
    assert_eq!(roster(&mut world, "top"), "");

    // Another program is tried anew, and the event begins with it.
    world.welcome(3, catalogue("c3", "d1"));
    assert_eq!(summary(&mut world).events[1].waits_for, [wait]);
    play(&mut world, 3, false);
    assert_eq!(tests(&mut world), ["C c2 D 2/2/2 1, over", "C c3 D 2/2/2 0, over"]);
    assert_eq!(roster(&mut world, "top"), "DEC");
    let Ok(Answer::Season(_, history, _)) = world.asked(Request::Season("S".to_owned())) else { panic!() };
    for part in [
        "C was tried for `top` with program c2: 2 games, 1 faults",
        "with program c3: 2 games, 0 faults",
        "Test matches before it, which count nowhere:\n\n\
         - C with program c2 against D: 1.0 of 2, of 2 games, one game lost by a fault of its own\n\
         - C with program c3 against D: 1.0 of 2, of 2 games\n\n- ",
    ] {
        assert!(history.contains(part), "{part} in\n{history}");
    }
    let standings = world.asked(Request::Standings("S top".to_owned()));
    let Ok(Answer::Standings(_, table, _, _)) = standings else { panic!() };
    assert!(table.lines.iter().all(|line| line.games == 0), "test games count nowhere");
}

#[test]
fn what_people_say_of_a_season_is_checked() {
    let mut world = World::leading();
    world.asked(apply_text(SEASON, "1")).unwrap();
    let numbers = |event: &str| SeasonFact::Numbers { event: event.to_owned(), promote: None, relegate: Some(0) };
    for (fact, denied) in [
        (numbers("lo"), "the season has no event `lo`; it has low, top, off, final"),
        (numbers("low"), "`low` has begun: its numbers were to be said before"),
        (SeasonFact::Updated { engine: "A".to_owned(), event: "low".to_owned() }, "`low` has begun"),
        (SeasonFact::Invitation { engine: "X".to_owned(), answer: Invitation::Declined }, "no engine `X`"),
        (SeasonFact::Advanced { event: String::new() }, "no gate of this season is shut"),
    ] {
        let answer = say(&mut world, fact.clone(), &format!("{fact:?}")).unwrap_err().to_string();
        assert!(answer.contains(denied), "{answer}");
    }
    say(&mut world, numbers("top"), "n").unwrap();
    assert_eq!(summary(&mut world).events[1].relegate, 0);
    let declined = SeasonFact::Invitation { engine: "E".to_owned(), answer: Invitation::Declined };
    say(&mut world, declined, "d").unwrap();
    assert_eq!(summary(&mut world).events[1].playing, 2);

    // The same again is the same; what is open does not change; what is not, does; its events are its own.
    let again = |world: &mut World, text: &str, tag: &str| match world.asked(apply_text(text, tag)) {
        Ok(Answer::Applied(applied)) => Ok((applied.created, applied.differences.len())),
        Err(denied) => Err(denied.to_string()),
        other => panic!("{other:?}"),
    };
    assert_eq!(again(&mut world, SEASON, "2"), Ok((false, 0)));
    let low = SEASON.replacen("openings = \"start-position\"", "openings = \"start-position\"\nponder = true", 1);
    let denied = again(&mut world, &low, "3").unwrap_err();
    assert_eq!(denied, "season `S`: events that are open do not change: low");
    let last = SEASON.replace("match = { pairs = 1 }", "match = { pairs = 3 }");
    assert_eq!(again(&mut world, &last, "4"), Ok((false, 1)));
    // Nor do its engines, as long as it is played, and the season's seed never; who plays later may be another program.
    for (at, denied) in [(2, Some("events that are open do not change: low")), (4, None)] {
        let mut request = apply_text(&last, &format!("engine-{at}"));
        if let Request::ApplySeason(apply) = &mut request {
            apply.season.engines[at].setup.program = "another".to_owned();
            apply.spec_digest = format!("sha256:another-{at}");
        }
        let answer = world.asked(request).map_err(|denied| denied.to_string());
        match denied {
            Some(words) => assert!(answer.as_ref().is_err_and(|why| why.contains(words)), "{answer:?}"),
            None => assert!(answer.is_ok(), "{answer:?}"),
        }
    }
    let seeded = |seed: u64| format!("seed = {seed}\n{last}");
    assert!(again(&mut world, &seeded(8), "8").unwrap_err().contains("has begun with seed 7"));
    assert!(again(&mut world, &seeded(7), "7").is_ok());
    let taken = world.asked(apply(&spec("S top", 1, ""), "x"));
    assert!(
        matches!(&taken, Err(Denied::Precondition(why)) if why.contains("an event of the season `S`")),
        "{taken:?}"
    );
}
