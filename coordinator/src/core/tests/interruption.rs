//! Games that stop without a result: they go on elsewhere, are scored by the rule, or wait for a person.

use bytes::Bytes;
use rookery_game::{Ending, GameRecord, GameResult};
use rookery_proto::v1::{self, AttemptPhase, DiscardReason, HandBackReason, attach_request, attach_response::Message};

use super::{super::*, world::*};
use crate::store::Revision;

/// The clock that each side has after so many moves: each takes 1.1 s, and gains a tenth.
fn clock_ns(moves: u64) -> u64 {
    (10 * SECONDS).saturating_sub(moves * SECONDS)
}

const RUY: [&str; 8] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"];

/// The nth ply of a game in which both engines say `cp`, each from its own side; White's view is `white`.
fn ply(n: usize, mv: &str, white: Option<i32>) -> v1::Ply {
    let score = white
        .map(|cp| v1::Score { value: Some(v1::score::Value::Centipawns(if n.is_multiple_of(2) { cp } else { -cp })) });
    v1::Ply {
        r#move: mv.to_owned(),
        score,
        time_ns: 1_100_000_000,
        clock_ns: Some(clock_ns(n as u64 / 2 + 1)),
        ..v1::Ply::default()
    }
}

/// When an attempt's game began is told apart by its number.
const STARTED: u64 = 1_000_000;

/// `moves` from ply `first` on.
fn progress(
    attempt: Revision,
    order: &v1::GameOrder,
    first: usize,
    moves: &[&str],
    white: Option<i32>,
) -> attach_request::Message {
    let end = (first + moves.len()) as u64;
    attach_request::Message::Progress(v1::Progress {
        attempt,
        game: order.id.clone(),
        first_ply: first as u32,
        plies: moves.iter().enumerate().map(|(n, mv)| ply(first + n, mv, white)).collect(),
        notes: Vec::new(),
        first_clock_ns: Some(clock_ns(end.div_ceil(2))),
        second_clock_ns: Some(clock_ns(end / 2)),
        thinking_ms: 6_000,
        started_unix_ms: STARTED + attempt as u64,
    })
}

fn handed_back(
    attempt: Revision,
    order: &v1::GameOrder,
    reason: HandBackReason,
    moves: &[&str],
    white: Option<i32>,
) -> attach_request::Message {
    let end = moves.len() as u64;
    attach_request::Message::HandedBack(v1::HandedBack {
        attempt,
        game: order.id.clone(),
        reason: reason.into(),
        plies: moves.iter().enumerate().map(|(n, mv)| ply(n, mv, white)).collect(),
        first_clock_ns: Some(clock_ns(end.div_ceil(2))),
        second_clock_ns: Some(clock_ns(end / 2)),
        started_unix_ms: STARTED + attempt as u64,
        ..v1::HandedBack::default()
    })
}

/// A world in which worker `w1` plays the only pair of an event with this rule.
fn playing(rule: &str) -> (World, v1::Play) {
    let mut world = World::leading();
    world.apply(&spec("m", 1, &format!("interruption = {rule}")));
    world.welcome(1, hello("w1", 1));
    let play = world.plays(1).remove(0);
    (world, play)
}

/// The stream ends and the worker stays away for longer than its grace.
fn lose(world: &mut World, session: u64) {
    world.put(Input::Gone { session: SessionId(session) });
    world.pass(31_000);
}

fn moves(point: &v1::ResumePoint) -> Vec<&str> {
    point.plies.iter().map(|ply| ply.r#move.as_str()).collect()
}

/// The only order that session has, which goes on.
fn goes_on(world: &mut World, session: u64) -> (v1::Play, v1::ResumePoint) {
    let play = world.plays(session).remove(0);
    let point = play.games[0].resume.clone().expect("it goes on");
    assert!(play.games.iter().skip(1).all(|order| order.resume.is_none()));
    (play, point)
}

fn archived(record: &Bytes) -> GameRecord {
    serde_json::from_slice(record).unwrap()
}

const SECONDS: u64 = 1_000_000_000;

#[test]
fn a_game_of_a_lost_worker_goes_on_from_its_last_position() {
    // The base is 10 s; a twentieth of it is half a second.
    let rules = [
        ("\"restart\"", [8 * SECONDS, 8 * SECONDS]),
        ("\"csa\"", [8 * SECONDS, 8 * SECONDS]),
        ("\"tcec\"", [8 * SECONDS + SECONDS / 2, 8 * SECONDS + SECONDS / 2]),
        ("{ compensation = { fixed = \"3s\" } }", [11 * SECONDS, 11 * SECONDS]),
        ("{ compensation = { base = \"50%\" } }", [10 * SECONDS, 10 * SECONDS]),
        ("{ compensation = { base = \"50%\", capped = false } }", [13 * SECONDS, 13 * SECONDS]),
        ("{ compensation = { last-think = \"100%\" } }", [9_100_000_000, 9_100_000_000]),
    ];
    for (rule, clocks) in rules {
        let (mut world, play) = playing(rule);
        assert_eq!(play.every_ply, rule != "\"restart\"", "{rule}");
        assert!(play.games[0].resume.is_none());
        world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..4], None));
        world.run();
        lose(&mut world, 1);
        world.welcome(2, hello("w2", 1));
        let (again, point) = goes_on(&mut world, 2);
        assert!(again.attempt > play.attempt);
        assert_eq!(moves(&point), &RUY[..4], "{rule}");
        assert_eq!([point.first_clock_ns, point.second_clock_ns], clocks.map(Some), "{rule}");
        assert_eq!(point.restarts, 1);
        let [note] = point.notes.as_slice() else { panic!("{:?}", point.notes) };
        assert_eq!(note.ply, 4);
        assert!(note.text.starts_with("restarted at ply 4: clocks "), "{}", note.text);
        // The first worker comes back and says what it has: it is over.
        world.welcome(3, hello("w1", 1));
        world.take(3);
        world.say(3, finished(play.attempt, &play.games[0], 2));
        world.say(3, progress(play.attempt, &play.games[0], 4, &RUY[4..6], None));
        world.run();
        let sent = world.take(3);
        let [Message::Discarded(discarded)] = sent.as_slice() else { panic!("{sent:?}") };
        assert_eq!(discarded.reason(), DiscardReason::AttemptOver);
        assert_eq!(world.store.count("/results/"), 0);
        // It ends where it went on: one game, with its note.
        let mut message = finished(again.attempt, &again.games[0], 2);
        if let attach_request::Message::Finished(finished) = &mut message {
            let record = finished.record.as_mut().unwrap();
            record.plies = point.plies.clone();
            record.notes = point.notes.clone();
            record.started_unix_ms = 9 * STARTED;
        }
        // What is told of it while it runs, and its record, have the first attempt's time.
        let Ok(Answer::Game(_, _, in_play)) =
            world.asked(Request::Game { event: String::new(), game: "1.1".to_owned() })
        else {
            panic!()
        };
        assert_eq!(in_play.began_unix_ms, STARTED + play.attempt as u64);
        world.say(2, message);
        world.run();
        let record = archived(&world.archive[0]);
        assert_eq!((record.began(), record.started_unix_ms), (STARTED + play.attempt as u64, 9 * STARTED));
        assert_eq!((record.restarts, record.notes.len(), record.plies.len()), (1, 1, 4));
        assert_eq!((world.archive.len(), world.store.count("/results/")), (1, 1));
        assert_eq!(world.store.count("/1/0"), 0, "its checkpoints are gone");
    }
}

#[test]
fn replay_is_the_default() {
    let mut world = World::leading();
    world.apply(&spec("m", 1, ""));
    world.welcome(1, hello("w1", 1));
    let play = world.plays(1).remove(0);
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY, Some(1_500)));
    world.run();
    assert_eq!(world.store.count("/live/"), 1, "nothing but the lease");
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    let again = world.plays(2).remove(0);
    assert!(again.games.iter().all(|order| order.resume.is_none()));
    // It begins anew, and so does its time.
    world.say(2, finished(again.attempt, &again.games[0], 0));
    world.run();
    let record = archived(&world.archive[0]);
    assert_eq!((record.began_unix_ms, record.began()), (0, 1));
}

#[test]
fn a_finished_game_that_does_not_go_on_from_where_it_was_is_none() {
    let (mut world, play) = playing("\"csa\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..4], None));
    world.run();
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    let (again, _) = goes_on(&mut world, 2);
    world.say(2, finished(again.attempt, &again.games[0], 1));
    world.run();
    assert!(matches!(&world.take(2)[0], Message::Discarded(d) if d.reason() == DiscardReason::DoesNotReplay));
    assert_eq!(world.store.count("/results/"), 0);
}

#[test]
fn what_is_handed_back_is_stored_with_the_end_of_the_attempt() {
    let (mut world, play) = playing("\"restart\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..2], None));
    world.run();
    let before = world.store.txns;
    world.say(1, handed_back(play.attempt, &play.games[0], HandBackReason::Drained, &RUY[..5], None));
    world.run();
    assert_eq!(world.store.txns, before + 2, "the end of one attempt, the beginning of the next");
    let sent = world.take(1);
    let [Message::Recorded(_), Message::Play(again)] = sent.as_slice() else { panic!("{sent:?}") };
    let point = again.games[0].resume.clone().unwrap();
    assert_eq!(moves(&point), &RUY[..5]);
    assert_eq!([point.first_clock_ns, point.second_clock_ns], [Some(7 * SECONDS), Some(8 * SECONDS)]);
}

#[test]
fn hostile_plies_are_never_gone_on_from() {
    let (mut world, play) = playing("\"csa\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &["e2e4", "e2e4"], None));
    world.run();
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    assert!(world.plays(2)[0].games[0].resume.is_none());
    assert!(
        world.explain("00-0001-00001-00002-000001/1").iter().any(|line| line.contains("played again from the opening"))
    );
}

#[test]
fn gaps_are_not_kept_and_heal() {
    let (mut world, play) = playing("\"csa\"");
    let order = &play.games[0];
    world.say(1, progress(play.attempt, order, 0, &RUY[..2], None));
    world.say(1, progress(play.attempt, order, 4, &RUY[4..6], None));
    world.run();
    // Told anew from the start, twice, and out of step.
    world.say(1, progress(play.attempt, order, 0, &RUY[..6], None));
    world.say(1, progress(play.attempt, order, 0, &RUY[..6], None));
    world.say(1, progress(play.attempt, order, 5, &RUY[5..7], None));
    world.run();
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    let (_, point) = goes_on(&mut world, 2);
    assert_eq!(moves(&point), &RUY[..7]);
    assert_eq!(point.first_clock_ns, Some(6 * SECONDS));
}

#[test]
fn both_evaluations_decide_it() {
    let rows = [(1_001, Some(GameResult::FirstWins)), (1_000, None), (-1_001, Some(GameResult::SecondWins))];
    for (white, expected) in rows {
        let (mut world, play) = playing("\"tcec\"");
        world.say(1, progress(play.attempt, &play.games[0], 0, &RUY, Some(white)));
        world.run();
        lose(&mut world, 1);
        assert_eq!(world.archive.len(), usize::from(expected.is_some()), "{white}");
        let name = "00-0001-00001-00002-000001/1";
        if let Some(expected) = expected {
            let record = archived(&world.archive[0]);
            let outcome = record.outcome.clone().unwrap();
            assert_eq!((outcome.result, outcome.ending, outcome.fault), (expected, Ending::InterruptionRule, None));
            assert_eq!((record.plies.len(), record.notes[0].ply, record.worker.as_str()), (8, 8, "w1"));
            let shown = if white > 0 { "+10.01" } else { "-10.01" };
            assert!(outcome.detail.contains(&format!("{shown} and {shown}")), "{}", outcome.detail);
            assert!(world.explain(name).iter().any(|line| line.contains("rule `tcec`: scored")));
        }
        // The other game of the pair, or this one, is next.
        world.welcome(2, hello("w2", 1));
        let next = world.plays(2).remove(0);
        assert_eq!(id_of(&next.games[0]).game, if expected.is_some() { 2 } else { 1 });
        assert_eq!(next.games[0].resume.is_some(), expected.is_none());
        for order in &next.games {
            if let Some(point) = &order.resume {
                assert_eq!(point.plies.len(), 8);
            } else {
                world.say(2, finished(next.attempt, order, 2));
                world.run();
            }
        }
        assert_eq!(world.store.count("/results/"), if expected.is_some() { 2 } else { 1 });
    }
}

#[test]
fn a_scored_game_is_recorded_though_the_archive_was_away() {
    let (mut world, play) = playing("\"tcec\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY, Some(2_000)));
    world.run();
    world.archive_away = true;
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    assert!(world.take(2).is_empty(), "the pair is held until its game is on record");
    assert_eq!(world.store.count("/results/"), 0);
    world.archive_away = false;
    world.pass(20_000);
    assert_eq!((world.archive.len(), world.store.count("/results/")), (1, 1));
    assert_eq!(id_of(&world.plays(2)[0].games[0]).game, 2);
}

#[test]
fn a_level_game_after_enough_moves_is_a_draw() {
    for (limit, scored) in [(4, true), (5, false)] {
        let rule = format!("{{ draw = {{ within = \"15 cp\", moves = {limit} }} }}");
        let (mut world, play) = playing(&rule);
        world.say(1, progress(play.attempt, &play.games[0], 0, &RUY, Some(14)));
        world.run();
        lose(&mut world, 1);
        assert_eq!(world.archive.len(), usize::from(scored), "{limit}");
        if scored {
            assert_eq!(archived(&world.archive[0]).outcome.unwrap().result, GameResult::Draw);
        }
    }
}

#[test]
fn a_game_that_its_rules_had_ended_is_scored_by_them() {
    let (mut world, play) = playing("\"restart\"");
    let mate = ["f2f3", "e7e5", "g2g4", "d8h4"];
    world.say(1, progress(play.attempt, &play.games[0], 0, &mate, None));
    world.run();
    lose(&mut world, 1);
    let outcome = archived(&world.archive[0]).outcome.unwrap();
    assert_eq!((outcome.result, outcome.ending), (GameResult::SecondWins, Ending::Checkmate));
}

/// An event that begins with three men on the board.
fn endgame() -> (World, v1::Play) {
    let mut world = World::leading();
    let text = spec("m", 1, "interruption = \"tcec\"");
    let mut request = apply(&text, "r");
    let epd = b"4k3/8/8/8/8/8/4P3/4K3 w - -\n".to_vec();
    let book =
        rookery_game::opening::Book::parse("b.epd", epd, rookery_game::GameKind::Chess, &Default::default()).unwrap().0;
    if let Request::Apply(apply) = &mut request {
        apply.book = ("sha256:b".to_owned(), std::sync::Arc::new(book));
    }
    world.asked(request).unwrap();
    world.welcome(1, hello("w1", 1));
    let play = world.plays(1).remove(0);
    world.say(1, progress(play.attempt, &play.games[0], 0, &["e1d2", "e8e7"], Some(300)));
    world.run();
    (world, play)
}

fn with_tables(worker: &str, men: u32) -> v1::Hello {
    v1::Hello { tablebase_men: men, ..hello(worker, 1) }
}

fn probe(world: &mut World, session: u64) -> v1::Probe {
    let sent = world.take(session);
    sent.into_iter()
        .find_map(|message| if let Message::Probe(probe) = message { Some(probe) } else { None })
        .expect("a probe")
}

#[test]
fn tables_of_any_worker_decide() {
    let (mut world, _) = endgame();
    world.welcome(2, with_tables("w2", 2));
    world.welcome(3, with_tables("w3", 5));
    lose_alone(&mut world);
    let asked = probe(&mut world, 3);
    assert!(asked.position.starts_with("8/4k3/8/8/8/8/3KP3/8 w - - 2 2"), "{}", asked.position);
    assert!(asked.fifty_moves);
    assert_eq!(world.store.count("/results/"), 0);
    let answer = v1::Probed {
        probe: asked.probe,
        known: true,
        result: v1::GameResult::FirstWins.into(),
        ..v1::Probed::default()
    };
    // Nobody else answers for it.
    world.say(2, attach_request::Message::Probed(v1::Probed { result: v1::GameResult::Draw.into(), ..answer.clone() }));
    world.say(3, attach_request::Message::Probed(answer));
    world.run();
    let record = archived(&world.archive[0]);
    let outcome = record.outcome.unwrap();
    assert_eq!((outcome.result, outcome.ending), (GameResult::FirstWins, Ending::InterruptionRule));
    assert!(outcome.detail.contains("table of 3 men"), "{}", outcome.detail);
}

/// Worker 1 falls silent while the others beat.
fn lose_alone(world: &mut World) {
    world.put(Input::Gone { session: SessionId(1) });
    for _ in 0..32 {
        world.pass(1_000);
        for session in [2, 3] {
            world.say(session, beat(u64::MAX, &[]));
        }
    }
    world.run();
}

#[test]
fn without_an_answer_of_the_tables_it_goes_on() {
    // No worker has tables; one does not know; one does not answer.
    for case in 0..3 {
        let (mut world, _) = endgame();
        world.welcome(2, with_tables("w2", if case == 0 { 0 } else { 3 }));
        lose_alone(&mut world);
        if case > 0 {
            let asked = world
                .sent
                .get(&SessionId(2))
                .is_some_and(|sent| sent.iter().any(|response| matches!(response.message, Some(Message::Probe(_)))));
            assert!(asked || case == 2);
        }
        if case == 1 {
            let asked = probe(&mut world, 2);
            world.say(2, attach_request::Message::Probed(v1::Probed { probe: asked.probe, ..v1::Probed::default() }));
            world.run();
        }
        world.pass(11_000);
        world.run();
        let plays: Vec<v1::Play> = world
            .take(2)
            .into_iter()
            .filter_map(|message| if let Message::Play(play) = message { Some(play) } else { None })
            .collect();
        let point = plays[0].games[0].resume.as_ref().expect("it goes on");
        assert_eq!(moves(point), ["e1d2", "e8e7"], "{case}");
        assert!(point.notes[0].text.contains("no table of 3 men answers"), "{}", point.notes[0].text);
    }
}

#[test]
fn a_new_leader_decides_the_same() {
    let (mut world, play) = playing("\"tcec\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..4], Some(20)));
    world.run();
    // It goes on under the new leader as if nothing had happened, and is told whole.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    world.welcome(2, hello("w1", 1));
    world.say(2, progress(play.attempt, &play.games[0], 2, &RUY[2..6], Some(20)));
    world.run();
    // The lease is taken back, and the leader dies before anything is handed out.
    lose(&mut world, 2);
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.run();
    world.welcome(3, hello("w2", 1));
    let (_, point) = goes_on(&mut world, 3);
    assert_eq!(moves(&point), &RUY[..6]);
    assert_eq!([point.first_clock_ns, point.second_clock_ns], [Some(7_500_000_000), Some(7_500_000_000)]);
    assert_eq!(point.restarts, 1);
    // And again, in the middle of the game that went on.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.pass(31_000);
    world.welcome(4, hello("w3", 1));
    let (_, point) = goes_on(&mut world, 4);
    assert_eq!((moves(&point), point.restarts, point.notes.len()), (RUY[..6].to_vec(), 2, 2));
    assert_eq!(point.first_clock_ns, Some(8 * SECONDS));
}

#[test]
fn an_order_that_never_arrived_is_no_restart() {
    let (mut world, play) = playing("\"tcec\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..4], Some(20)));
    world.run();
    lose(&mut world, 1);
    world.welcome(2, hello("w2", 1));
    let (_, first) = goes_on(&mut world, 2);
    // The worker has handled all orders and has nothing of it.
    world.say(2, beat(u64::MAX, &[]));
    world.run();
    let (_, again) = goes_on(&mut world, 2);
    assert_eq!((again.restarts, again.first_clock_ns), (1, first.first_clock_ns));
    assert_eq!(again.notes.len(), 1);
}

#[test]
fn after_so_many_restarts_a_person_is_asked() {
    let (mut world, mut play) = playing("{ max-restarts = 2 }");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..2], None));
    world.run();
    let mut session = 1;
    for restarts in 1..=2 {
        lose(&mut world, session);
        session += 1;
        world.welcome(session, hello(&format!("w{session}"), 1));
        let (again, point) = goes_on(&mut world, session);
        assert_eq!(point.restarts, restarts);
        assert!(again.attempt > play.attempt);
        play = again;
        world.say(session, beat(u64::MAX, &[(play.attempt, &play.games[0], AttemptPhase::Playing)]));
        world.run();
    }
    lose(&mut world, session);
    session += 1;
    world.welcome(session, hello("last", 1));
    assert!(world.take(session).is_empty());
    let questions = world.summary().questions;
    assert!(questions[0].contains("it went on 2 times, the most is 2"), "{questions:?}");
    // A new leader still asks; a person has it go on.
    world.restart(Config { version: "0.1.0".to_owned(), ..Config::default() });
    world.welcome(9, hello("last", 1));
    assert!(world.take(9).is_empty());
    world.asked(Request::Resume { event: String::new(), change: change("again") }).unwrap();
    let (_, point) = goes_on(&mut world, 9);
    assert_eq!((moves(&point), point.restarts), (RUY[..2].to_vec(), 3));
}

#[test]
fn a_game_to_be_replayed_begins_anew() {
    let (mut world, play) = playing("\"csa\"");
    world.say(1, progress(play.attempt, &play.games[0], 0, &RUY[..4], None));
    world.run();
    let game = "00-0001-00001-00002-000001/1".to_owned();
    world.asked(Request::Replay { event: String::new(), game, change: change("r2") }).unwrap();
    let plays: Vec<Message> = world.take(1);
    let play =
        plays.into_iter().find_map(|m| if let Message::Play(play) = m { Some(play) } else { None }).expect("a play");
    assert_eq!(id_of(&play.games[0]).take, 2);
    assert!(play.games[0].resume.is_none());
    assert_eq!(world.store.count("/1/0"), 0, "what was kept of the first take is gone");
}

#[test]
fn checkpoints_that_can_wait_stay_under_their_share() {
    let (mut world, play) = playing("\"restart\"");
    let order = &play.games[0];
    let pv = "e2e4 ".repeat(20_000);
    let mut told = 0;
    for n in 0..100 {
        let mv = ["g1f3", "g8f6", "f3g1", "f6g8"][n % 4];
        let mut message = progress(play.attempt, order, n, &[mv], None);
        if let attach_request::Message::Progress(progress) = &mut message {
            progress.plies[0].pv = pv.clone();
        }
        world.say(1, message);
        world.run();
        told += pv.len();
    }
    let stored = |world: &World| -> usize {
        world.store.keys.iter().filter(|(key, _)| key.contains("/1/0")).map(|(_, (value, _))| value.len()).sum()
    };
    let at_once = stored(&world);
    assert!(at_once > 500_000 && at_once < 1_500_000, "{at_once} of {told}");
}
