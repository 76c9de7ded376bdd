//! Large events stay cheap: what is due does not depend on how much is on record.

use rookery_tournament::{
    Fact,
    event::Phase,
    format::{Held, MAX_GAMES},
};

use crate::world::{World, ends, spec};

#[test]
fn a_hole_near_the_start_costs_nothing_later() {
    // 41 engines, 820 meetings: 32,800 games.
    let lines = "format = { round-robin = { pairs = 20 } }\ncrashes = { then = \"continue\" }";
    let mut world = World::new(spec(41, lines), 41);
    let total = world.event.progress().total;
    assert_eq!(total, 32_800);
    // One pair never finishes.
    let stuck = world.event.due(&Held::default(), 1, 8).remove(0);
    let held = Held { pairs: [stuck.pair].into(), ..Held::default() };
    let mut asked = 0;
    loop {
        let due = world.event.due(&held, 64, 64);
        asked += 1;
        if due.is_empty() {
            break;
        }
        for game in due.iter().flat_map(|a| &a.games) {
            world.event.fold_result(&ends(game, None));
        }
    }
    assert_eq!(asked, (total / 2 - 1).div_ceil(64) + 1);
    assert_eq!(world.event.progress().done, total - 2);
    world.fact(Fact::Voided { games: stuck.games.iter().map(|g| g.id).collect() });
    assert_eq!(world.event.phase(), Phase::Finished);
}

#[test]
fn more_games_than_a_store_holds_are_not_enumerated() {
    let mut huge = spec(2, "format = { match = { pairs = 10 } }");
    huge.event.format = rookery_tournament::spec::FormatSpec::Match {
        pairs: u32::MAX,
        rules: rookery_tournament::spec::MatchRules::default(),
    };
    assert!(rookery_tournament::event::games_total(&huge, 2) > MAX_GAMES);
    assert_eq!(rookery_tournament::event::openings_needed(&huge, 2), u64::MAX);
}
