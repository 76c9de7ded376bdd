//! What facts do to what is due and what counts.

use std::collections::BTreeSet;

use rookery_game::GameResult;
use rookery_tournament::{
    EntrantId, Fact, GameId,
    event::Phase,
    fact::RosterEntry,
    format::{Held, Want},
    spec::{FormatSpec, Spec},
};

use crate::world::{World, ends, same, spec};

fn two() -> (Spec, World) {
    let spec = spec(2, "format = { match = { pairs = 3 } }");
    (spec.clone(), World::new(spec, 2))
}

fn id(pair: u32, game: u8, take: u32) -> GameId {
    format!("00-0001-00001-00002-{pair:06}/{game}/{take}").parse().unwrap()
}

fn due(world: &mut World) -> Vec<String> {
    world
        .due(&BTreeSet::new(), 100, 8)
        .iter()
        .flat_map(|a| &a.games)
        .map(|g| g.id.to_string()[25..].to_owned())
        .collect()
}

fn score(world: &World, engine: &str) -> (u32, u32) {
    let standings = world.event.standings();
    let line = standings.lines.iter().find(|line| line.engine == engine).unwrap();
    (line.half_points, line.games)
}

#[test]
fn a_replayed_take_counts_nowhere_and_the_next_is_due() {
    let (spec, mut world) = two();
    world.play_all(None);
    world.fact(Fact::Replay { games: vec![id(2, 1, 1)] });
    assert_eq!(due(&mut world), ["2/1/2"]);
    assert_eq!((world.event.progress().done, world.event.progress().voided), (5, 1));
    assert_eq!(world.event.phase(), Phase::Running);
    assert_eq!(world.event.wants(&id(2, 1, 1)), Want::No("this take was voided".to_owned()));
    assert_eq!(world.event.wants(&id(2, 1, 2)), Want::Yes);
    // A late word about the old take, and the new one.
    world.result(ends(&world.event.game(&id(2, 1, 1)).unwrap(), None));
    assert_eq!(due(&mut world), ["2/1/2"]);
    world.play_all(None);
    assert_eq!(world.event.phase(), Phase::Finished);
    assert_eq!((world.event.progress().done, world.event.progress().total), (6, 6));
    same(&world.event, &world.refolded(spec, |at| 1000 - at as u64));
}

#[test]
fn a_voided_game_is_not_due_again() {
    let (spec, mut world) = two();
    assert_eq!(world.event.wants(&id(2, 1, 1)), Want::Yes);
    world.fact(Fact::Voided { games: vec![id(1, 2, 1), id(2, 1, 1), id(2, 2, 1)] });
    // Also one that is in play: nothing more comes of it.
    assert_eq!(world.event.wants(&id(2, 1, 1)), Want::No("this take was voided".to_owned()));
    assert_eq!(due(&mut world), ["1/1/1", "3/1/1", "3/2/1"]);
    world.play_all(None);
    let progress = world.event.progress();
    assert_eq!((progress.done, progress.total, world.event.phase()), (3, 3, Phase::Finished));
    // A person changes their mind: the next take, for the first is void.
    world.fact(Fact::Replay { games: vec![id(2, 1, 1)] });
    assert_eq!(due(&mut world), ["2/1/2"]);
    same(&world.event, &world.refolded(spec, |at| at as u64));
}

#[test]
fn a_ruling_counts_whether_or_not_a_result_is_on_record() {
    let (spec, mut world) = two();
    world.fact(Fact::Ruled { game: id(1, 1, 1), result: GameResult::FirstWins });
    assert_eq!(score(&world, "A"), (2, 1));
    assert!(!due(&mut world).contains(&"1/1/1".to_owned()));
    assert_eq!(world.event.wants(&id(1, 1, 1)), Want::No("a person ruled on this game".to_owned()));
    world.play_all(None);
    let before = score(&world, "A");
    let recorded = world.results.iter().find(|r| r.game == id(3, 1, 1)).unwrap().result;
    world.fact(Fact::Ruled { game: id(3, 1, 1), result: GameResult::FirstWins });
    let change = 2 - recorded.half_points(rookery_game::Seat::First);
    assert_eq!(score(&world, "A"), (before.0 + change, before.1));
    same(&world.event, &world.refolded(spec, |at| at as u64));
}

#[test]
fn set_aside_waits_and_is_asked_about() {
    let (_, mut world) = two();
    let pair = id(1, 1, 1).pair;
    world.fact(Fact::SetAside { pairs: vec![pair], error: "worker lost 3 times".to_owned() });
    assert!(!due(&mut world).iter().any(|g| g.starts_with("1/")));
    world.play_all(None);
    let line = format!("pair {pair} is set aside: worker lost 3 times");
    assert_eq!(world.event.phase(), Phase::Asking(vec![line]));
    assert_eq!(world.event.progress().total, 6);
    world.fact(Fact::Retried { pairs: vec![pair] });
    assert_eq!(due(&mut world), ["1/1/1", "1/2/1"]);
}

#[test]
fn paused_and_closed() {
    let (_, mut world) = two();
    world.fact(Fact::Paused);
    assert_eq!((due(&mut world), world.event.phase()), (vec![], Phase::Paused));
    world.fact(Fact::Resumed);
    assert_eq!((due(&mut world).len(), world.event.phase()), (6, Phase::Running));
    world.fact(Fact::Stopped { encounter: None, at: None, why: "enough".to_owned() });
    assert_eq!((due(&mut world), world.event.phase()), (vec![], Phase::Stopped));
    assert_eq!(world.event.wants(&id(1, 1, 1)), Want::No("stopped before this game: enough".to_owned()));
}

#[test]
fn who_leaves_keeps_its_games_or_loses_them() {
    let lines = "format = { round-robin = { pairs = 1 } }";
    for keep_games in [true, false] {
        let mut world = World::new(spec(4, lines), 4);
        let first = world.due(&BTreeSet::new(), 3, 8);
        for game in first.iter().flat_map(|a| &a.games) {
            world.result(ends(game, None));
        }
        let left = first[0].games[0].first;
        let other = first[0].games[0].second;
        world.fact(Fact::Withdrawn { entrant: left, keep_games });
        world.play_all(None);
        assert_eq!(world.event.phase(), Phase::Finished);
        let standings = world.event.standings();
        let games = |id: EntrantId| standings.lines.iter().find(|l| l.entrant == Some(id)).unwrap().games;
        let played = first.iter().filter(|a| a.pair.a == left || a.pair.b == left).count() as u32 * 2;
        assert_eq!(games(left), if keep_games { played } else { 0 });
        assert_eq!(games(other), if keep_games { 6 } else { 4 });
        let progress = world.event.progress();
        assert_eq!(progress.done, progress.total);
        assert_eq!(progress.voided, if keep_games { 0 } else { u64::from(played) });
        same(&world.event, &world.refolded(spec(4, lines), |at| 100 - at as u64));
    }
}

#[test]
fn who_joins_meets_all_and_nothing_shifts() {
    for format in ["round-robin = { cycles = 2, pairs = 2 }", "gauntlet = { engines = [\"A\"], pairs = 2 }"] {
        for extra in
            ["", "play = \"cycles\"", "openings = { per = \"round\" }", "openings = { distinct = \"encounter\" }"]
        {
            let spec = spec(4, &format!("format = {{ {format} }}\n{extra}"));
            let mut world = World::new(spec.clone(), 4);
            world.due(&BTreeSet::new(), 1000, 8);
            let before = world.event.progress().total;
            world.fact(Fact::Joined {
                entry: RosterEntry { engine: "E".to_owned(), digest: String::new() },
                spec: String::new(),
            });
            world.nothing_shifted();
            let added = world.event.progress().total - before;
            assert_eq!(added, if format.starts_with('r') { 4 * 2 * 2 * 2 } else { 4 }, "{format} {extra}");
            world.play_all(None);
            world.nothing_shifted();
            assert_eq!(world.results.len() as u64, before + added);
            let of_five = world.results.iter().filter(|r| r.first == EntrantId(5) || r.second == EntrantId(5)).count();
            assert_eq!(of_five as u64, added);
            same(&world.event, &world.refolded(spec, |at| at as u64 * 7919 % 101));
        }
    }
}

#[test]
fn pairs_may_be_added_and_nothing_shifts() {
    let spec = spec(4, "format = { round-robin = { cycles = 2, pairs = 2 } }\nopenings = { distinct = \"encounter\" }");
    let mut world = World::new(spec.clone(), 4);
    world.play_all(None);
    assert_eq!(world.event.phase(), Phase::Finished);
    world.fact(Fact::Joined {
        entry: RosterEntry { engine: "E".to_owned(), digest: String::new() },
        spec: String::new(),
    });
    let mut wider = spec.clone();
    wider.event.format = FormatSpec::RoundRobin { cycles: 2, pairs: 3, shuffled: false, lower_first: false };
    let json = serde_json::to_string(&wider).unwrap();
    world.fact(Fact::Amended { spec: String::new(), json });
    assert_eq!(world.event.progress().total, 10 * 2 * 3 * 2);
    world.play_all(None);
    world.nothing_shifted();
    let games: BTreeSet<_> = world.results.iter().map(|r| r.game).collect();
    assert_eq!(games.len(), 120);
    // Between the same two no opening comes again, with a book of six.
    let met: BTreeSet<_> =
        world.results.iter().map(|r| (r.first.min(r.second), r.first.max(r.second), r.opening % 6)).collect();
    assert_eq!(met.len(), 60);
    same(&world.event, &world.refolded(spec, |at| 1000 - at as u64));
}

#[test]
fn what_the_schedule_does_not_have_is_passed_over() {
    let (_, mut world) = two();
    let mut result = ends(&world.event.game(&id(1, 1, 1)).unwrap(), None);
    for game in ["00-0001-00001-00002-000004/1/1", "00-0001-00002-00001-000001/1/1", "01-0001-00001-00002-000001/1/1"] {
        result.game = game.parse().unwrap();
        assert_eq!(world.event.game(&result.game), None);
        assert_eq!(world.event.wants(&result.game), Want::No("the event has no such game".to_owned()));
        world.event.fold_result(&result);
        world.fact(Fact::Replay { games: vec![result.game] });
    }
    assert_eq!(world.event.progress().done, 0);
    assert_eq!(world.event.due(&Held::default(), 100, 8).len(), 3);
}

/// All games drawn: everybody is level, and a person is asked once all is played.
#[test]
fn a_tie_left_to_a_person_asks_until_a_ruling() {
    #[track_caller]
    fn check(tie_breaks: &str, asked: Option<&str>) -> World {
        let lines = format!("format = {{ round-robin = {{ pairs = 1 }} }}\ntie-breaks = {tie_breaks}");
        let mut world = World::new(spec(3, &lines), 3);
        loop {
            let due = world.due(&BTreeSet::new(), 100, 10);
            if due.is_empty() {
                break;
            }
            assert_eq!(world.event.phase(), Phase::Running);
            let game = due[0].games[0].clone();
            world.result(crate::world::entry(&game, GameResult::Draw, rookery_game::Ending::Repetition, None));
        }
        match asked {
            None => assert_eq!(world.event.phase(), Phase::Finished),
            Some(asked) => assert_eq!(world.event.phase(), Phase::Asking(vec![asked.to_owned()])),
        }
        world
    }
    let who = "A, B, C are level on all tie-breaks (place 1)";
    check("[\"wins\", \"shared\"]", None);
    check("[\"seeds\"]", None);
    check("[\"wins\", \"played\"]", Some(&format!("{who}: games are to decide, then `rank`")));
    let mut world = check("\"tcec-league\"", Some(&format!("{who}: a person is to decide, then `rank`")));
    let names = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    for (order, denied) in [
        ("A", "two engines or more"),
        ("A X C", "no engine `X`"),
        ("A B A", "`A` stands here twice"),
        ("A B", "level with these are also: C"),
    ] {
        let why = world.event.ranked(&names(order)).unwrap_err();
        assert!(why.contains(denied), "{order}: {why}");
    }
    let fact = world.event.ranked(&names("C A B")).unwrap();
    world.fact(fact);
    assert_eq!(world.event.phase(), Phase::Finished);
    let order = |world: &World| world.event.standings().lines.into_iter().map(|l| l.engine).collect::<String>();
    assert_eq!(order(&world), "CAB");
    // A person may rule anew, and a result that comes to count again ends the tie.
    let fact = world.event.ranked(&names("B A C")).unwrap();
    world.fact(fact);
    assert_eq!(order(&world), "BAC");
    let game = world.event.game_at(0).unwrap();
    world.fact(Fact::Ruled { game: game.id, result: GameResult::FirstWins });
    assert_eq!(world.event.phase(), Phase::Finished);
    assert!(world.event.ranked(&names("A B C")).unwrap_err().contains("not level"));
    let winner = &world.event.standings().lines[0];
    assert_eq!((winner.place, winner.entrant), (1, Some(game.first)));
}
