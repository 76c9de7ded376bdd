//! A season's event opens only once each gate before it was passed, and a gate is passed once.

use rookery_coordinator::core::keys;
use rookery_tournament::{
    season::{LoggedSeasonFact, SeasonFact},
    spec::Gate,
};

use super::Holds;
use crate::{operator::UID, world::World};

/// What is on record of a season.
fn said(world: &World) -> impl Iterator<Item = SeasonFact> + '_ {
    let first = keys::season_log(UID, 1);
    let log = first.trim_end_matches(|digit: char| digit.is_ascii_digit()).to_owned();
    let facts: Vec<SeasonFact> = world
        .store
        .range(&log)
        .filter_map(|(_, value)| serde_json::from_slice::<LoggedSeasonFact>(value).ok())
        .map(|logged| logged.fact)
        .collect();
    facts.into_iter()
}

/// A season's fact is about to be put on record.
pub(crate) fn said_once(world: &World, value: &[u8]) -> Holds {
    let Ok(LoggedSeasonFact { fact, .. }) = serde_json::from_slice(value) else { return Ok(()) };
    let once = matches!(fact, SeasonFact::Advanced { .. } | SeasonFact::Skipped { .. });
    match once && said(world).any(|known| known == fact) {
        true => Err(format!("gates: {fact:?} is on record already")),
        false => Ok(()),
    }
}

/// An event is about to be opened.
pub(crate) fn opened(world: &World, uid: &str) -> Holds {
    let Some(season) = &world.shape.season else { return Ok(()) };
    let name = uid.strip_prefix(UID).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
    let Some(event) = season.event(name) else { return Err(format!("gates: the season has no event {uid}")) };
    for before in &event.after {
        let shut = season.event(before).is_some_and(|before| before.event.gate == Gate::Organiser);
        let passes = |fact: SeasonFact| match fact {
            SeasonFact::Advanced { event } | SeasonFact::Skipped { event, .. } => event == *before,
            _ => false,
        };
        if shut && !said(world).any(passes) {
            return Err(format!("gates: {uid} opens, and the gate behind {before} was not passed"));
        }
    }
    Ok(())
}
