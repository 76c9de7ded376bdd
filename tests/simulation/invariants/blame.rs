//! Who is at fault in a result was so in the game; no machine's fault is an engine's.

use rookery_game::Ending;
use rookery_tournament::{GameId, ResultEntry};

use super::Holds;
use crate::{expect, world::World};

pub(crate) fn check(world: &World, game: &GameId, entry: &ResultEntry) -> Holds {
    let event = &world.watch.event;
    let Some(due) = event.game(game) else { return Err(format!("blame: the event has no game {game}")) };
    let plan = expect::plan_of(&world.shape, world.library, world.event_seed(), &due);
    if (entry.first, entry.second) != (due.first, due.second) {
        return Err(format!("blame: {game} is recorded with others than were to play"));
    }
    let told = (entry.result, entry.ending, entry.fault);
    let scored = entry.ending == Ending::InterruptionRule && entry.fault.is_none() && entry.result == plan.result;
    if scored || told == (plan.result, plan.ending, plan.fault) {
        return Ok(());
    }
    Err(format!("blame: {game} is recorded as {told:?}; it was {:?}", (plan.result, plan.ending, plan.fault)))
}
