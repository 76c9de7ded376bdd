//! Seasons from their text to the next season's rosters.

use std::{collections::BTreeMap, fs, path::Path};

use proptest::prelude::*;

use super::*;
use crate::spec::{explain_season, is_season, parse_season};

/// The preset with engines of these numbers: `EL 1`, `EL 2`, ….
fn season(counts: [(&str, u32); 4], more: &str) -> SeasonSpec {
    let mut text = format!("name = \"S\"\npreset = \"tcec-leagues\"\n{more}\n");
    for (event, count) in counts {
        let names: Vec<String> = (1..=count).map(|n| format!("\"{event} {n}\"")).collect();
        text.push_str(&format!("[events.{event}]\nstay = [{}]\n", names.join(", ")));
    }
    for (event, count) in counts {
        for n in 1..=count {
            text.push_str(&format!("[[engine]]\nname = \"{event} {n}\"\nprogram = \"x\"\n"));
        }
    }
    assert!(is_season(&text));
    parse_season("s.toml", &text, &|_| Err("no file".to_owned())).unwrap_or_else(|e| panic!("{e}")).season
}

const FULL: [(&str, u32); 4] = [("el", 16), ("l2", 8), ("l1", 8), ("divp", 6)];

/// A table in the order of the roster, a point between two.
fn played(event: &str, roster: &[String]) -> Closed {
    let mut closed = Closed { event: event.to_owned(), ..Closed::default() };
    for (at, engine) in roster.iter().enumerate() {
        closed.order.push(vec![engine.clone()]);
        closed.half_points.insert(engine.clone(), 2 * (roster.len() - at) as u32);
    }
    closed
}

fn said(facts: Vec<SeasonFact>) -> Vec<LoggedSeasonFact> {
    let logged = |(at, fact): (usize, SeasonFact)| LoggedSeasonFact {
        seq: at as u64 + 1,
        at_unix_ms: 1_700_000_000_000,
        by: "ann".to_owned(),
        reason: "because".to_owned(),
        request_id: String::new(),
        fact,
    };
    facts.into_iter().enumerate().map(logged).collect()
}

fn advanced(event: &str) -> SeasonFact {
    SeasonFact::Advanced { event: event.to_owned() }
}

fn names(event: &str, numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
    numbers.into_iter().map(|n| format!("{event} {n}")).collect()
}

#[test]
fn a_season_from_the_first_league_to_the_next_season() {
    let season = season(FULL, "");
    let mut facts = Vec::new();
    let mut closed: Vec<Closed> = Vec::new();
    let mut rosters: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for event in ["el", "l2", "l1", "divp", "ct", "sufi"] {
        let log = said(facts.clone());
        // What was not needed has no gate.
        if let Some(before) = closed.last().filter(|_| event != "sufi") {
            let shut = open(&season, event, &closed, &log, 5).unwrap_err();
            assert_eq!(shut, [Question::Gate { event: before.event.clone() }], "{event}");
            facts.push(advanced(&before.event));
        }
        let log = said(facts.clone());
        let opened = open(&season, event, &closed, &log, 5).unwrap();
        assert_eq!(open(&season, event, &closed, &log, 5).as_ref(), Ok(&opened), "asked again");
        let Some(spec) = &opened.spec else {
            assert_eq!((event, opened.roster.len()), ("ct", 0), "points settled the superfinal");
            facts.push(SeasonFact::Skipped { event: event.to_owned(), why: opened.why });
            continue;
        };
        assert_eq!(spec.name, format!("S {event}"));
        assert_eq!(spec.engines.iter().map(|e| e.setup.name.clone()).collect::<Vec<_>>(), opened.roster);
        let later =
            ["l2", "l1", "divp", "sufi"].into_iter().find(|other| !rosters.contains_key(other) && *other != event);
        if let Some(later) = later {
            let waits = open(&season, later, &closed, &log, 5).unwrap_err();
            assert!(waits.iter().all(|question| !question.asks_a_person()), "{later}: {waits:?}");
        }
        closed.push(played(event, &opened.roster));
        rosters.insert(event, opened.roster);
    }
    assert_eq!(rosters["el"].len(), 16);
    assert_eq!(rosters["l2"], [names("l2", 1..=8), names("el", 1..=4)].concat());
    assert_eq!(rosters["l1"], [names("l1", 1..=8), names("l2", 1..=4)].concat());
    assert_eq!(rosters["divp"], [names("divp", 1..=6), names("l1", 1..=2)].concat());
    assert_eq!(rosters["sufi"], names("divp", 1..=2), "the winner first");
    let log = said(facts);
    let next = next_rosters(&season, &closed, &log).unwrap();
    assert_eq!(next["divp"], names("divp", 1..=6));
    assert_eq!(next["l1"], [names("l1", 3..=8), names("l1", 1..=2)].concat());
    assert_eq!(next["l2"], [names("l2", 5..=8), names("l2", 1..=4)].concat());
    assert_eq!(next["el"], [names("el", 5..=10), names("el", 1..=4)].concat());
    assert!(next_season(&next).contains("[events.l1]\nstay = [\n    \"l1 3\",\n"));
    let history = history(&season, &log, &closed, &[], &[]);
    for part in ["`el`", "the gate behind `divp` passed (ann: because)", "`ct` needs no games", "1. divp 1 2.0"] {
        assert!(history.contains(part), "{part} in {history}");
    }
}

#[test]
fn test_matches_stand_before_their_event() {
    let text = "name = \"S\"\n[events.a]\nentrants = [\"A\", \"B\"]\nformat = \"round-robin\"\nopenings = \"start-position\"\n\
                promote = { count = 1, to = \"b\" }\n\
                [events.b]\nstay = [\"C\"]\nformat = \"round-robin\"\nopenings = \"start-position\"\n";
    let engines: String =
        ["A", "B", "C"].map(|name| format!("[[engine]]\nname = \"{name}\"\nprogram = \"{name}\"\n")).concat();
    let season = parse_season("s.toml", &format!("{text}{engines}"), &|_| Err(String::new())).unwrap().season;
    let test = |event: &str, games, half_points, faults| TestMatch {
        event: event.to_owned(),
        engine: "A".to_owned(),
        program: "sha256:1".to_owned(),
        opponent: "C".to_owned(),
        games,
        of: 2,
        half_points,
        faults,
    };
    let told = history(&season, &[], &[], &[], &[test("b", 1, 1, 0), test("b", 2, 0, 2)]);
    assert!(!told.contains("(`a`)"), "nothing is to be said of an event that is not open: {told}");
    let b = told.split_once("(`b`)").unwrap().1;
    assert_eq!(
        b,
        "\n\nTest matches before it, which count nowhere:\n\n\
         - A with program sha256:1 against C: 0.5 of 1, of 2 games\n\
         - A with program sha256:1 against C: 0.0 of 2, of 2 games, 2 games lost by faults of its own\n"
    );
}

#[test]
fn vacancies_and_their_numbers() {
    #[track_caller]
    fn check(counts: [u32; 4], policy: &str, facts: Vec<SeasonFact>, expected: [(u32, u32, u32, u32); 4]) {
        let events = ["el", "l2", "l1", "divp"];
        let counts = [(events[0], counts[0]), (events[1], counts[1]), (events[2], counts[2]), (events[3], counts[3])];
        let season = season(counts, &format!("vacancies = \"{policy}\""));
        let numbers = numbers(&season, &said(facts));
        for (event, expected) in events.iter().zip(expected) {
            let n = numbers[*event];
            assert_eq!((n.playing, n.promote, n.relegate, n.next_start), expected, "{event} of {counts:?}");
        }
    }
    let b = "relegate-less";
    check([16, 8, 8, 6], b, vec![], [(16, 4, 6, 10), (12, 4, 4, 8), (12, 2, 4, 8), (8, 0, 2, 6)]);
    check([16, 7, 8, 6], b, vec![], [(16, 4, 5, 10), (11, 4, 3, 8), (12, 2, 4, 8), (8, 0, 2, 6)]);
    check([16, 8, 8, 3], b, vec![], [(16, 4, 4, 10), (12, 4, 2, 8), (12, 2, 2, 8), (5, 0, 0, 5)]);
    check([16, 6, 5, 6], b, vec![], [(16, 4, 2, 10), (10, 4, 0, 7), (9, 2, 1, 8), (8, 0, 2, 6)]);
    let a = "promote-more";
    check([16, 7, 8, 6], a, vec![], [(16, 5, 5, 10), (12, 4, 4, 8), (12, 2, 4, 8), (8, 0, 2, 6)]);
    check([16, 8, 8, 5], a, vec![], [(16, 4, 5, 10), (12, 4, 3, 8), (12, 3, 3, 8), (8, 0, 2, 6)]);
    check([16, 8, 6, 6], a, vec![], [(16, 4, 4, 10), (12, 6, 2, 8), (12, 2, 4, 8), (8, 0, 2, 6)]);
    // Who declines leaves a place vacant, and a person may say other numbers.
    let declined = SeasonFact::Invitation { engine: "l2 8".to_owned(), answer: Invitation::Declined };
    check([16, 8, 8, 6], b, vec![declined], [(16, 4, 5, 10), (11, 4, 3, 8), (12, 2, 4, 8), (8, 0, 2, 6)]);
    let numbers = SeasonFact::Numbers { event: "l2".to_owned(), promote: Some(5), relegate: Some(1) };
    check([16, 8, 8, 6], b, vec![numbers], [(16, 4, 3, 10), (12, 5, 1, 11), (13, 2, 5, 8), (8, 0, 2, 6)]);
}

#[test]
fn vacancies_as_worked_out() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/vectors/tcec/vectors.json"));
    let Ok(text) = fs::read_to_string(path) else {
        println!("SKIP: no worked examples at {}", path.display());
        return;
    };
    let vectors: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = [("el", "EL", 16), ("l2", "L2", 8), ("l1", "L1", 8), ("divp", "DP", 6)];
    for example in vectors["vacancies_policy_B"].as_array().unwrap() {
        let vacant = |key: &str| example["vacancies"][key].as_u64().unwrap_or(0) as u32;
        let counts = keys.map(|(event, key, full)| (event, full - vacant(key)));
        let numbers = numbers(&season(counts, ""), &[]);
        for (event, key, _) in keys {
            let n = numbers[event];
            let expected = ["playing", "promoted", "relegated", "next_season_start"];
            let expected = expected.map(|what| example[what][key].as_u64().unwrap() as u32);
            assert_eq!(
                [n.playing, n.promote, n.relegate, n.next_start],
                expected,
                "{event} in {}",
                example["vacancies"]
            );
        }
    }
}

#[test]
fn a_play_off_is_entered_on_points() {
    #[track_caller]
    fn check(points: &[u32], count: u32, direct: &str, level: &str, spots: u32) {
        let mut closed = Closed { event: "divp".to_owned(), ..Closed::default() };
        for (at, &points) in points.iter().enumerate() {
            let engine = char::from(b'A' + at as u8).to_string();
            closed.order.push(vec![engine.clone()]);
            closed.half_points.insert(engine, points);
        }
        let off = play_off(&closed, count);
        assert_eq!((off.direct.concat(), off.level.concat(), off.spots), (direct.to_owned(), level.to_owned(), spots));
    }
    check(&[72, 68, 67, 60], 2, "AB", "", 0);
    check(&[72, 66, 66, 60], 2, "A", "BC", 1);
    check(&[70, 70, 66], 2, "AB", "", 0);
    check(&[68, 68, 68, 60], 2, "", "ABC", 2);
    check(&[72, 62, 62, 62, 62, 48], 2, "A", "BCDE", 1);
    check(&[56; 8], 2, "", "ABCDEFGH", 2);
    check(&[9, 8, 7, 7, 7, 1], 4, "AB", "CDE", 2);
    check(&[9], 2, "A", "", 0);
}

/// Everything up to the division is over; `points` are those of its engines, in the order of its table.
fn at_the_division(points: [u32; 8]) -> (SeasonSpec, Vec<Closed>, Vec<SeasonFact>) {
    let season = season(FULL, "");
    let roster = [names("divp", 1..=6), names("l1", 1..=2)].concat();
    let mut division = played("divp", &roster);
    for (engine, points) in roster.iter().zip(points) {
        division.half_points.insert(engine.clone(), points);
    }
    let l1 = [names("l1", 1..=8), names("l2", 1..=4)].concat();
    let l2 = [names("l2", 1..=8), names("el", 1..=4)].concat();
    let closed = vec![played("el", &names("el", 1..=16)), played("l2", &l2), played("l1", &l1), division];
    (season, closed, ["el", "l2", "l1", "divp"].map(advanced).to_vec())
}

#[test]
fn the_places_of_the_superfinal_are_played_off() {
    let (season, mut closed, mut facts) = at_the_division([72, 66, 66, 66, 30, 20, 10, 0]);
    let opened = open(&season, "ct", &closed, &said(facts.clone()), 5).unwrap();
    assert_eq!(opened.roster, names("divp", 2..=4));
    assert_eq!(
        open(&season, "sufi", &closed, &said(facts.clone()), 5).unwrap_err(),
        [Question::Earlier { event: "ct".to_owned() }]
    );
    closed.push(played("ct", &names("divp", [4, 2, 3])));
    facts.push(advanced("ct"));
    let opened = open(&season, "sufi", &closed, &said(facts), 5).unwrap();
    assert_eq!(opened.roster, names("divp", [1, 4]));

    // Both places: who came through first has won; together, by the table of the division.
    let (season, mut closed, mut facts) = at_the_division([66, 66, 66, 60, 30, 20, 10, 0]);
    facts.push(advanced("ct"));
    closed.push(played("ct", &names("divp", [3, 1, 2])));
    assert_eq!(open(&season, "sufi", &closed, &said(facts.clone()), 5).unwrap().roster, names("divp", [3, 1]));
    closed[4].order = vec![names("divp", [3, 1]), names("divp", [2])];
    assert_eq!(open(&season, "sufi", &closed, &said(facts.clone()), 5).unwrap().roster, names("divp", [1, 3]));
    closed[4].order = vec![names("divp", [3]), names("divp", [1, 2])];
    let asked = open(&season, "sufi", &closed, &said(facts), 5).unwrap_err();
    assert_eq!(asked[0].name(), "ct/qualification");
}

#[test]
fn a_tie_across_a_line_blocks_by_name() {
    let season = season(FULL, "");
    let log = said(vec![advanced("el")]);
    let mut el = played("el", &names("el", 1..=16));
    el.order = [vec![names("el", 1..=3)], (4..=16).map(|n| names("el", [n])).collect()].concat();
    assert!(open(&season, "l2", &[el.clone()], &log, 5).is_ok(), "a tie above the line decides nothing");
    el.order =
        [(1..=3).map(|n| names("el", [n])).collect(), vec![names("el", 4..=6)], vec![names("el", 7..=16)]].concat();
    let asked = open(&season, "l2", &[el.clone()], &log, 5).unwrap_err();
    let tie = Question::Tie { event: "el".to_owned(), line: "promotion", engines: names("el", 4..=6), above: 1 };
    assert_eq!(asked, [tie]);
    assert_eq!(asked[0].name(), "el/promotion");
    assert!(asked[0].to_string().contains("el 4, el 5, el 6 share a place of `el`"), "{}", asked[0]);
    // Who goes down is asked when the next season is to be written.
    let next = next_rosters(&season, &[el], &log).unwrap_err();
    assert!(next.iter().any(|question| question.name() == "el/relegation"), "{next:?}");
    assert!(next.iter().any(|question| question.name() == "divp/over"), "{next:?}");
}

#[test]
fn invitations_and_programs() {
    let season = season(FULL, "");
    let invited = |engine: &str, answer| SeasonFact::Invitation { engine: engine.to_owned(), answer };
    let log = said(vec![invited("el 3", Invitation::Invited), invited("el 4", Invitation::Declined)]);
    assert_eq!(open(&season, "el", &[], &log, 5).unwrap_err(), [Question::Invitation { engine: "el 3".to_owned() }]);
    let log = said(vec![invited("el 3", Invitation::Invited), invited("el 3", Invitation::Accepted)]);
    assert_eq!(open(&season, "el", &[], &log, 5).unwrap().roster.len(), 16);

    let mut el = played("el", &names("el", 1..=16));
    let mut l2 = played("l2", &[names("l2", 1..=8), names("el", 1..=4)].concat());
    el.digests = (1..=16).map(|n| (format!("el {n}"), "old".to_owned())).collect();
    el.crashes.insert("el 1".to_owned(), 2);
    l2.digests = [("l2 1".to_owned(), "old".to_owned()), ("el 1".to_owned(), "old".to_owned())].into();
    let closed = [el, l2];
    let now = |engine: &str| -> BTreeMap<String, String> { [(engine.to_owned(), "new".to_owned())].into() };
    let asked = |event: &str, engine: &str, log: &[LoggedSeasonFact]| {
        programs(&season, event, &[engine.to_owned()], &now(engine), &closed, log)
    };
    let log = said(vec![]);
    assert_eq!(asked("l2", "el 1", &log), [], "it came up");
    assert_eq!(asked("l1", "l2 1", &log), [], "it came up");
    let shut = asked("l2", "el 9", &log);
    assert_eq!(
        shut[0].to_string(),
        "the program of `el 9` is another than in `el`: only who came up may be updated; `update` allows it"
    );
    let allowed = said(vec![SeasonFact::Updated { engine: "el 9".to_owned(), event: "l2".to_owned() }]);
    assert_eq!(asked("l2", "el 9", &allowed), []);
    assert_eq!(asked("divp", "l1 1", &log), [], "nothing is known of it");
    let mut strict = season.clone();
    strict.events[1].updates = Updates::None;
    let fix = programs(&strict, "l2", &["el 1".to_owned()], &now("el 1"), &closed[..1], &log);
    assert!(fix[0].to_string().contains("it crashed 2 times and came up: a fix of that alone"), "{}", fix[0]);
}

/// A Swiss that sends engines to a cup, to a league and to two groups.
const SWISS: &str = r#"
name = "S"
seed = 12
[events.swiss]
entrants = ["A", "B", "C", "D", "E", "F", "G", "H"]
format = { swiss = { rounds = 3 } }
qualify = [
    { count = 4, to = "cup" },
    { count = 2, to = "league", who = "unplaced" },
    { places = [1, 4, 9], to = "x" },
    { places = [2, 3], to = "y" },
]
[events.cup]
entrants = ["H"]
places = 4
format = "knockout"
[events.league]
stay = ["A", "C"]
places = 4
format = "round-robin"
relegate = { count = 2 }
[events.x]
format = "round-robin"
qualify = [{ places = [1], to = "z" }, { places = [2], to = "cross" }]
[events.y]
format = "round-robin"
qualify = [{ places = [1], to = "cross" }, { places = [2], to = "z" }]
[events.z]
format = "round-robin"
[events.cross]
format = "round-robin"
"#;

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

fn of_letters(text: &str) -> SeasonSpec {
    let engines: String =
        letters("ABCDEFGH").iter().map(|name| format!("[[engine]]\nname = \"{name}\"\nprogram = \"x\"\n")).collect();
    let parsed = parse_season("s.toml", &format!("{text}{engines}"), &|_| Err(String::new()));
    parsed.unwrap_or_else(|e| panic!("{e}")).season
}

#[test]
fn a_swiss_fills_a_cup_a_league_and_groups() {
    let season = of_letters(SWISS);
    assert_eq!(parse_season("again.toml", &explain_season(&season), &|_| Err(String::new())).unwrap().season, season);
    let text = serde_json::to_string(&season).unwrap();
    assert_eq!(serde_json::from_str::<SeasonSpec>(&text).unwrap(), season);
    let all = numbers(&season, &[]);
    let playing = ["swiss", "cup", "league", "x", "y", "z", "cross"].map(|event| all[event].playing);
    assert_eq!(playing, [8, 4, 4, 3, 2, 2, 2]);

    let mut closed = vec![played("swiss", &letters("ABCDEFGH"))];
    let roster =
        |event: &str, closed: &[Closed]| open(&season, event, closed, &[], 5).map(|opened| opened.roster.concat());
    assert_eq!(roster("cup", &closed).as_deref(), Ok("HABC"), "who is in it already comes first, and four play");
    closed.push(played("cup", &letters("HABC")));
    assert_eq!(roster("league", &closed).as_deref(), Ok("ACBD"), "A and C are in the league: the next two come");
    closed.push(played("league", &letters("ACBD")));
    assert_eq!(roster("x", &closed).as_deref(), Ok("AD"), "nobody is ninth");
    closed.push(played("x", &letters("DA")));
    assert_eq!(roster("y", &closed).as_deref(), Ok("BC"));
    closed.push(played("y", &letters("BC")));
    assert_eq!(roster("z", &closed).as_deref(), Ok("DC"), "the first before the second");
    closed.push(played("z", &letters("DC")));
    assert_eq!(roster("cross", &closed).as_deref(), Ok("BA"), "by place, not by event");

    // A place that is shared asks; one that nobody comes for does not.
    let mut tied = vec![played("swiss", &letters("ABCDEFGH")), played("cup", &[]), played("league", &[])];
    tied[0].order = vec![letters("A"), letters("B"), letters("CD"), letters("EFGH")];
    let asked = open(&season, "x", &tied, &[], 5).unwrap_err();
    let tie = Question::Tie { event: "swiss".to_owned(), line: "qualification", engines: letters("CD"), above: 2 };
    assert_eq!(asked, [tie]);
    // Of those who share a place, who is in a league already takes none of it.
    assert_eq!(open(&season, "league", &tied, &[], 5).unwrap().roster, letters("ACBD"));
}

#[test]
fn the_whole_season_of_tcec_fills_from_its_swiss() {
    let mut text = String::from("name = \"S\"\npreset = \"tcec-season\"\n");
    let list = |of: &[String]| of.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let placed = [("el", names("el", 1..=10)), ("l2", names("l2", 1..=8)), ("l1", names("l1", 1..=8))];
    let placed = [placed.to_vec(), vec![("divp", names("divp", 1..=6))]].concat();
    let others = names("new", 1..=12);
    let mut all: Vec<String> = placed.iter().rev().flat_map(|(_, names)| names.clone()).collect();
    all.extend(others);
    text.push_str(&format!("[events.swiss]\nentrants = [{}]\n", list(&all)));
    for (event, names) in &placed {
        text.push_str(&format!("[events.{event}]\nstay = [{}]\n", list(names)));
    }
    for name in &all {
        text.push_str(&format!("[[engine]]\nname = \"{name}\"\nprogram = \"x\"\n"));
    }
    let season = parse_season("s.toml", &text, &|_| Err(String::new())).unwrap_or_else(|e| panic!("{e}")).season;
    let leagues = self::season(FULL, "");
    for event in ["el", "l2", "l1", "divp", "ct", "sufi"] {
        let (one, other) = (season.event(event).unwrap(), leagues.event(event).unwrap());
        let same = SeasonEvent { entrants: one.entrants.clone(), after: one.after.clone(), ..other.clone() };
        let event = crate::spec::EventSpec { gate: one.event.gate, ..same.event.clone() };
        assert_eq!(*one, SeasonEvent { event, ..same });
    }
    let mut facts: Vec<SeasonFact> = Vec::new();
    let mut closed: Vec<Closed> = Vec::new();
    let mut rosters: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for event in &season.events {
        let opened = open(&season, &event.name, &closed, &said(facts.clone()), 5);
        let opened = opened.unwrap_or_else(|asked| panic!("{}: {asked:?}", event.name));
        facts.push(match &opened.spec {
            Some(_) => advanced(&event.name),
            None => SeasonFact::Skipped { event: event.name.clone(), why: opened.why },
        });
        if opened.spec.is_some() {
            closed.push(played(&event.name, &opened.roster));
            rosters.insert(&event.name, opened.roster);
        }
    }
    assert_eq!(rosters["cup"], all[..32]);
    assert_eq!(rosters["el"], [names("el", 1..=10), names("new", 1..=6)].concat());
    assert_eq!(rosters["divp"].len(), 8);
    let at = |places: &[usize]| places.iter().map(|place| all[place - 1].clone()).collect::<Vec<_>>();
    assert_eq!(rosters["frc-b"], at(&[2, 6, 10, 14, 18]));
    // A1, B1, C2, D2 and C1, D1, A2, B2.
    assert_eq!(rosters["frc-s1"], at(&[1, 2, 7, 8]));
    assert_eq!(rosters["frc-s2"], at(&[3, 4, 5, 6]));
    assert_eq!(rosters["frc-league"], at(&[1, 3, 2, 4]));
    assert_eq!(rosters["frc-final"], at(&[1, 3]));
    let next = next_rosters(&season, &closed, &said(facts)).unwrap();
    assert_eq!(next.values().map(Vec::len).collect::<Vec<_>>(), [6, 10, 8, 8]);
}

#[test]
fn a_new_program_plays_a_test_match_first() {
    let mut season = season(FULL, "");
    season.events[1].update_test = Some(3);
    let mut el = played("el", &names("el", 1..=16));
    el.digests = names("el", 1..=16).into_iter().map(|name| (name, "sha256:old".to_owned())).collect();
    let now: BTreeMap<String, String> = [("el 2".to_owned(), "sha256:0123456789".to_owned())].into();
    let closed = [el];
    let tests = |facts: &[SeasonFact]| update_tests(&season, "l2", &now, &closed, &said(facts.to_vec()));
    let asked = |facts: &[SeasonFact]| {
        let questions = programs(&season, "l2", &names("el", 1..=4), &now, &closed, &said(facts.to_vec()));
        questions.iter().map(|question| (question.name(), question.asks_a_person())).collect::<Vec<_>>()
    };
    // While the gate is shut.
    let due = tests(&[]);
    assert_eq!(due.len(), 1);
    assert_eq!((due[0].engine.as_str(), due[0].opponent.as_str(), due[0].pairs), ("el 2", "l2 1", 3));
    assert_eq!(asked(&[]), [("test/el 2".to_owned(), false)]);
    let spec = update_test(&season, "l2", &due[0], 5).unwrap();
    assert_eq!(spec.name, "S l2 test el 2 01234567");
    assert!(!spec.event.official && spec.event.gate == crate::spec::Gate::Auto);
    assert_eq!(spec.engines.iter().map(|e| e.setup.name.as_str()).collect::<Vec<_>>(), ["el 2", "l2 1"]);
    assert_eq!(crate::event::games_total(&spec, 2), 6);
    assert!(update_tests(&season, "l1", &now, &closed, &[]).is_empty(), "its roster is not known");

    let tested = |program: &str, faults| SeasonFact::Tested {
        engine: "el 2".to_owned(),
        event: "l2".to_owned(),
        program: program.to_owned(),
        games: 6,
        faults,
    };
    let updated = SeasonFact::Updated { engine: "el 2".to_owned(), event: "l2".to_owned() };
    assert_eq!((tests(&[tested("sha256:0123456789", 0)]), asked(&[tested("sha256:0123456789", 0)])), (vec![], vec![]));
    assert_eq!(tests(&[tested("sha256:else", 0)]).len(), 1, "another program is tried anew");
    let faulty = tested("sha256:0123456789", 2);
    assert_eq!(asked(std::slice::from_ref(&faulty)), [("test/el 2".to_owned(), true)]);
    assert_eq!(asked(&[updated.clone(), faulty.clone()]).len(), 1, "the word came before the faults");
    assert_eq!(asked(&[faulty, updated]), []);
    // Who may not be updated is asked about first.
    season.events[1].updates = Updates::None;
    assert!(update_tests(&season, "l2", &now, &closed, &[]).is_empty());
}

#[test]
fn a_season_explained_is_the_same_season() {
    let season = season(FULL, "");
    let again = parse_season("again.toml", &explain_season(&season), &|_| Err(String::new())).unwrap().season;
    assert_eq!(again, season);
    let el = season.event("el").unwrap();
    assert_eq!((el.event.title.as_str(), el.event.one_at_a_time, el.places), ("Entrance League", true, Some(16)));
    assert!(!el.event.openings.random);
}

#[test]
fn mistakes_of_a_season_are_named() {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let engines = "[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n";
        let text = format!("{text}\n{engines}");
        let found = parse_season("s.toml", &text, &|_| Err(String::new())).unwrap_err().to_string();
        for part in expected {
            assert!(found.contains(part), "{part} in\n{found}");
        }
        assert_eq!(found.matches("error: ").count(), expected.len(), "{found}");
    }
    check("name = \"S\"", &["a season without events"]);
    check("name = \"S\"\npreset = \"tcec-league\"", &["did you mean `tcec-leagues`?", "a season without events"]);
    check("preset = \"tcec-leagues\"\nprest = 1", &["a season without `name`", "unknown key `prest` in the season"]);
    check("name = \"S\"\n[events.a]\nentrants = [\"A\", \"C\"]", &["s.toml:3:19: unknown engine `C`"]);
    check("name = \"S\"\n[events.a]\nentrants = [\"A\", \"A\"]", &["`A` stands here twice"]);
    check(
        "name = \"S\"\n[events.a]\npromote = { count = 1, to = \"a\" }\n[events.b]\nrelegate = { to = \"c\" }",
        &["`a` must come later", "it does not say how many", "unknown event `c`"],
    );
    check("name = \"S\"\n[events.a]\nformat = \"match\"\ntime-control = 5", &["`time-control` must be a text"]);
    let two =
        "promote = { count = 1, to = \"b\" }\nstay = [\"A\"]\n[events.b]\nrelegate = { count = 1 }\nstay = [\"A\"]";
    check(&format!("name = \"S\"\n[events.a]\n{two}"), &["`A` begins the season in two leagues"]);
    let used = |list: &str| {
        let sufi = format!("format = {{ match = {{ pairs = 1, when-level = \"pairs\" }} }}\nopenings = {list}");
        format!("name = \"S\"\n[events.a]\nstay = [\"A\", \"B\"]\n[events.b]\n{sufi}\n[events.c]\n")
    };
    check(&used("{ used-in = [\"a\", \"x\"] }"), &["unknown event `x`"]);
    check(
        &used("{ when-level = { used-in = [\"c\", \"a\", \"a\"] } }"),
        &["`c` must come earlier", "`a` stands here twice"],
    );
    check(&used("{ when-level = { used-in = [] } }"), &["no events"]);
    check(&used("{ when-level = { from = \"start-position\" } }"), &["the start position is one opening alone"]);
    check(&used("{ when-level = {} }"), &["it does not say which"]);
    let unofficial = "name = \"S\"\n[events.a]\nofficial = false\npromote = { count = 1, to = \"b\" }\n[events.b]";
    check(unofficial, &["`[events.a]` is not official, and decides who plays elsewhere"]);
    let moves = |text: &str| format!("name = \"S\"\n[events.a]\nqualify = {text}\n[events.b]\n[events.c]");
    check(&moves("{ places = [1, 1], to = \"b\" }"), &["place 1 stands here twice"]);
    check(&moves("{ places = [1], count = 2, to = \"b\" }"), &["`places` stands in place of `count`"]);
    check(
        &moves("{ places = [1], to = \"b\", played-off = \"c\" }"),
        &["places that are played off are the first of all"],
    );
    let fischer = used("{ used-in = [\"a\"] }").replace("[events.a]", "[events.a]\ngame = \"chess960\"");
    check(&fischer, &["`[events.b]` takes openings of `a`, which is another game"]);
    check("name = \"S\"\n[events.\"a/b\"]\nstay = []", &["is no name of an event", "a season without events"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nobody is in two leagues, nobody is lost but who leaves the lowest, whatever is vacant.
    #[test]
    fn nobody_is_lost_or_doubled(
        vacant in (0u32..3, 0u32..4, 0u32..4, 0u32..4), more in any::<bool>(), shuffle in any::<u64>(),
    ) {
        let counts = [("el", 16 - vacant.0), ("l2", 8 - vacant.1), ("l1", 8 - vacant.2), ("divp", 6 - vacant.3)];
        let policy = if more { "promote-more" } else { "relegate-less" };
        let season = season(counts, &format!("vacancies = \"{policy}\""));
        let log = said(["el", "l2", "l1", "divp"].map(advanced).to_vec());
        let mut closed: Vec<Closed> = Vec::new();
        for event in ["el", "l2", "l1", "divp"] {
            let mut roster = open(&season, event, &closed, &log, 1).unwrap().roster;
            let all = numbers(&season, &log);
            prop_assert_eq!(roster.len() as u32, all[event].playing);
            roster.sort_by_key(|name| name.bytes().fold(shuffle, |hash, b| hash.rotate_left(7) ^ u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            closed.push(played(event, &roster));
        }
        let next = next_rosters(&season, &closed, &log).unwrap();
        let all = numbers(&season, &log);
        let mut everyone: Vec<&String> = next.values().flatten().collect();
        let count = everyone.len();
        everyone.sort();
        everyone.dedup();
        prop_assert_eq!(everyone.len(), count);
        let before: u32 = counts.iter().map(|(_, n)| n).sum();
        prop_assert_eq!(count as u32 + all["el"].relegate, before);
        for (event, roster) in &next {
            prop_assert_eq!(roster.len() as u32, all[event].next_start, "{}", event);
        }
    }
}
