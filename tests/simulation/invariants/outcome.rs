//! The event ends as it does without faults: points, ranking, openings and seats of each game, and what stopped it.

use rookery_tournament::{Event, Fact, LoggedFact, ResultEntry, event::Phase};

use super::{Holds, ledger::Ledger};
use crate::{
    expect::{self, Ending},
    operator::{Deed, REASON},
    world::World,
};

impl World {
    /// The event as a new leader would load it.
    pub(crate) fn event_on_record(&self) -> Result<Event, String> {
        let mut event = Event::new(self.shape.spec.clone());
        let ledger = &self.watch.ledger;
        ledger.facts.iter().for_each(|fact| event.fold_fact(fact));
        ledger.results.values().for_each(|(_, result)| event.fold_result(result));
        Ok(event)
    }
}

pub(crate) fn check(world: &World) -> Holds {
    let Some(season) = &world.shape.season else { return check_event(world) };
    let played = expect::season_without_faults(&world.shape, season, world.library, world.seed)
        .map_err(|why| format!("outcome: {why}"))?;
    let opened = world.watch.past.keys().chain([&world.watch.uid]);
    let mut opened: Vec<&String> = opened.collect();
    opened.sort();
    if opened != played.keys().collect::<Vec<_>>() {
        return Err(format!("outcome: {opened:?} were played, without faults {:?}", played.keys()));
    }
    for (uid, was) in &played {
        let (Some(ledger), Some(lived)) = (world.watch.ledger_of(uid), world.watch.event_of(uid)) else { continue };
        let mut event = Event::new(lived.spec().clone());
        ledger.facts.iter().for_each(|fact| event.fold_fact(fact));
        ledger.results.values().for_each(|(_, result)| event.fold_result(result));
        same(&ending(ledger, &event), &was.ending()).map_err(|why| format!("{why} ({uid})"))?;
    }
    Ok(())
}

fn ending(ledger: &Ledger, event: &Event) -> Ending {
    let results: Vec<&ResultEntry> = ledger.results.values().map(|(_, entry)| entry).collect();
    let stops = ledger.facts.iter().filter(|fact| matches!(fact.fact, Fact::Stopped { .. }));
    let stops = stops.map(|fact| expect::stop_text(&fact.fact)).collect();
    expect::ending(event, results.iter().copied(), stops)
}

fn check_event(world: &World) -> Holds {
    let ledger = &world.watch.ledger;
    let event = world.event_on_record()?;
    if world.operator.halted() {
        stopped_by_a_person(ledger, &event)?;
        return as_planned(world, ledger, &event);
    }
    if let Some(engine) = world.operator.who_left() {
        let left = event.field().find(engine).and_then(|id| event.field().get(id)?.withdrawn);
        if left.is_none() || !matches!(event.phase(), Phase::Finished | Phase::Stopped) {
            return Err(format!("outcome: {engine} has left, and on record is {:?}", event.phase()));
        }
        return as_planned(world, ledger, &event);
    }
    let entrants = expect::Entrants::of(&event, ledger.facts.iter());
    let deeds = world.operator.deeds();
    let moves = deeds.iter().filter(|deed| matches!(deed, Deed::Join(_) | Deed::Withdraw(..))).count();
    if entrants.moves() != moves {
        return Err(format!("outcome: {moves} joined or left, on record are {}", entrants.moves()));
    }
    let was = expect::without_faults(&world.shape, world.library, world.seed, &deeds, &entrants)
        .map_err(|why| format!("outcome: {why}"))?;
    same(&ending(ledger, &event), &was.ending())
}

/// It is over once, by a person's word.
fn stopped_by_a_person(ledger: &Ledger, event: &Event) -> Holds {
    let stops = |fact: &&LoggedFact| matches!(&fact.fact, Fact::Stopped { encounter: None, .. });
    let stops: Vec<String> = ledger.facts.iter().filter(stops).map(|fact| expect::stop_text(&fact.fact)).collect();
    if event.phase() != Phase::Stopped || stops.len() != 1 || !stops[0].ends_with(REASON) {
        return Err(format!("outcome: {:?} by {stops:?}, and a person ended it", event.phase()));
    }
    Ok(())
}

/// A person said something, and when that was is the run's own. Each game that was played is as it would have been.
fn as_planned(world: &World, ledger: &Ledger, event: &Event) -> Holds {
    for (_, entry) in ledger.results.values() {
        let game = event.game(&entry.game).ok_or_else(|| format!("outcome: nobody was to play {}", entry.game))?;
        let plan = expect::plan_of(&world.shape, world.library, world.seed, &game);
        let opening = expect::opening_of(&world.shape, world.library, world.seed, &game);
        let (is, was) = ((entry.first, entry.second, entry.opening), (game.first, game.second, opening));
        if is != was || entry.result != plan.result {
            return Err(format!("outcome: {} is {is:?} {:?}, not {was:?} {:?}", entry.game, entry.result, plan.result));
        }
    }
    Ok(())
}

fn same(is: &Ending, was: &Ending) -> Holds {
    if is.ranking != was.ranking {
        return Err(format!("outcome: ranking {:?}, without faults {:?}", is.ranking, was.ranking));
    }
    if is.stops != was.stops {
        return Err(format!("outcome: stopped {:?}, without faults {:?}", is.stops, was.stops));
    }
    // A game that a person ruled on, as its question asked, has the points that it would have had.
    for (game, told) in &is.games {
        match was.games.get(game) {
            Some(expected) if expected == told => {}
            other => return Err(format!("outcome: game {game:?} is {told:?}, without faults {other:?}")),
        }
    }
    Ok(())
}
