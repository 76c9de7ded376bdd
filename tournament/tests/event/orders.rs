//! Any order of arrival, any facts between: the same state as from the record.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rookery_game::GameResult;
use rookery_tournament::{EntrantId, Fact, GameId, fact::RosterEntry, format::DueGame, spec::FormatSpec};

use crate::world::{World, ends, same, spec};

/// What happens next.
#[derive(Debug, Clone)]
enum Step {
    Hand(usize),
    Finish(usize),
    Crash(usize),
    Void(usize),
    Replay(usize),
    Rule(usize),
    Rank(Vec<u32>),
    SetAside(usize),
    Retry(usize),
    RetryEngine(u32),
    Withdraw(u32, bool),
    Join,
    Widen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1usize..5).prop_map(Step::Hand),
        16 => any::<usize>().prop_map(Step::Finish),
        2 => any::<usize>().prop_map(Step::Crash),
        1 => any::<usize>().prop_map(Step::Void),
        1 => any::<usize>().prop_map(Step::Replay),
        1 => any::<usize>().prop_map(Step::Rule),
        1 => prop::collection::vec(1u32..6, 1..4).prop_map(Step::Rank),
        1 => any::<usize>().prop_map(Step::SetAside),
        1 => any::<usize>().prop_map(Step::Retry),
        1 => (1u32..6).prop_map(Step::RetryEngine),
        1 => (1u32..6, any::<bool>()).prop_map(|(e, keep)| Step::Withdraw(e, keep)),
        1 => Just(Step::Join),
        1 => Just(Step::Widen),
    ]
}

fn lines() -> impl Strategy<Value = (u32, String)> {
    let format = prop_oneof![
        Just((2, "match = { pairs = 12 }")),
        Just((5, "round-robin = { cycles = 2, pairs = 1 }")),
        Just((4, "round-robin = { pairs = 2, order = \"shuffled\" }")),
        Just((5, "gauntlet = { engines = [\"B\", \"C\"], pairs = 2 }")),
        Just((5, "knockout = { pairs = [1, 2], bronze = 1 }")),
        Just((5, "swiss = { rounds = 3 }")),
        Just((4, "conditional-tie-break = { spots = 1 }")),
        Just((4, "ladder = { pairs = 2, pairs-at-once = \"all\" }")),
    ];
    let play = prop_oneof![Just(""), Just("play = \"cycles\"\n"), Just("games-per-pair = 1\n")];
    let stop = prop_oneof![Just(""), Just("stop = { sprt = { elo0 = 0, elo1 = 200 } }\n")];
    let ties = prop_oneof![Just("shared"), Just("ruling")];
    let then = prop_oneof![Just("set-aside"), Just("continue"), Just("stop")];
    (format, play, stop, then, ties).prop_map(|((engines, format), play, stop, then, ties)| {
        let by_table = ["match", "round", "gauntlet"].iter().any(|name| format.starts_with(name));
        let play = if by_table { play } else { "" };
        let stop = if engines == 2 { stop } else { "" };
        let crashes = format!("crashes = {{ in-a-row = 2, then = \"{then}\" }}\ntie-breaks = [\"wins\", \"{ties}\"]");
        (engines, format!("format = {{ {format} }}\n{play}{stop}{crashes}\n"))
    })
}

fn pick(world: &World, at: usize) -> Option<GameId> {
    let known: Vec<_> = world.seen.keys().collect();
    known.get(at.checked_rem(known.len())?).map(|id| **id)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn lived_through_and_folded_are_the_same(
        (engines, lines) in lines(),
        steps in prop::collection::vec(step(), 0..80),
        shuffle in any::<u64>(),
    ) {
        let spec = spec(engines, &lines);
        let mut world = World::new(spec.clone(), engines);
        let mut amended = spec.clone();
        let mut held = BTreeSet::new();
        let mut playing: Vec<DueGame> = Vec::new();
        for step in steps {
            match step {
                Step::Hand(limit) => for assignment in world.due(&held, limit, 3) {
                    if held.insert(assignment.pair) {
                        playing.extend(assignment.games);
                    }
                },
                Step::Finish(at) | Step::Crash(at) if !playing.is_empty() => {
                    let game = playing.remove(at % playing.len());
                    if !playing.iter().any(|other| other.id.pair == game.id.pair) {
                        held.remove(&game.id.pair);
                    }
                    let crashing = matches!(step, Step::Crash(_)).then_some(game.second);
                    if !world.results.iter().any(|r| r.game == game.id) {
                        world.result(ends(&game, crashing));
                    }
                }
                Step::Void(at) => if let Some(id) = pick(&world, at) {
                    world.fact(Fact::Voided { games: vec![id] });
                },
                Step::Replay(at) => if let Some(id) = pick(&world, at) {
                    world.fact(Fact::Replay { games: vec![id] });
                },
                Step::Rule(at) => if let Some(id) = pick(&world, at) {
                    world.fact(Fact::Ruled { game: id, result: GameResult::FirstWins });
                },
                Step::Rank(order) => world.fact(Fact::Ranked { order: order.into_iter().map(EntrantId).collect() }),
                Step::SetAside(at) => if let Some(id) = pick(&world, at) {
                    world.fact(Fact::SetAside { pairs: vec![id.pair], error: "x".to_owned() });
                },
                Step::Retry(at) => if let Some(id) = pick(&world, at) {
                    world.fact(Fact::Retried { pairs: vec![id.pair] });
                },
                Step::RetryEngine(engine) => world.fact(world.event.retry_engine(EntrantId(engine))),
                Step::Withdraw(engine, keep_games) => {
                    world.fact(Fact::Withdrawn { entrant: EntrantId(engine), keep_games });
                }
                Step::Join => if world.event.may_join().is_ok() {
                    let engine = format!("N{}", world.log.len());
                    world.fact(Fact::Joined { entry: RosterEntry { engine, digest: String::new() }, spec: String::new() });
                }
                Step::Widen => if spec.event.format.widens() {
                    match &mut amended.event.format {
                        FormatSpec::Match { pairs, .. }
                        | FormatSpec::RoundRobin { pairs, .. }
                        | FormatSpec::Gauntlet { pairs, .. } => *pairs += 1,
                        _ => {}
                    }
                    let json = serde_json::to_string(&amended).unwrap();
                    world.fact(Fact::Amended { spec: String::new(), json });
                }
                Step::Finish(_) | Step::Crash(_) => {}
            }
            world.settle();
            world.nothing_shifted();
        }
        let progress = world.event.progress();
        prop_assert_eq!(
            progress.done + progress.surplus + progress.voided >= world.results.len() as u64, true,
            "{:?} of {}", progress, world.results.len()
        );
        let scattered = |at: usize| (at as u64 + 1).wrapping_mul(shuffle | 1);
        let folded = world.refolded(spec, scattered);
        same(&world.event, &folded);
    }
}
