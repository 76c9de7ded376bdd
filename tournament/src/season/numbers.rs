//! How many go up and down where places are vacant (TCEC §1.8), before a game is played.
//!
//! From the top down, as a league's relegated are the next one's newcomers:
//! `relegated = max(0, playing - promoted + relegated into it - size at the next season's start)`.

use std::collections::BTreeMap;

use super::{
    log::{LoggedSeasonFact, Said},
    spec::{Move, SeasonEvent, SeasonSpec, Vacancies},
};

/// What is to happen to an event's field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Who play.
    pub playing: u32,
    /// Who are promoted for good.
    pub promote: u32,
    /// Who are relegated.
    pub relegate: u32,
    /// Who are in it when the next season begins.
    pub next_start: u32,
    /// Places that are vacant when the season begins.
    pub vacant: u32,
}

fn count(to: Option<&Move>) -> u32 {
    to.map_or(0, |m| m.count)
}

/// The numbers of each event, by its name in the season.
#[must_use]
pub fn numbers(season: &SeasonSpec, log: &[LoggedSeasonFact]) -> BTreeMap<String, Numbers> {
    let said = Said::of(log);
    let into = |name: &str, moves: fn(&SeasonEvent) -> Option<&Move>| -> Vec<&SeasonEvent> {
        season.events.iter().filter(|event| moves(event).is_some_and(|m| m.to == name)).collect()
    };
    let promoted_into = |name: &str| into(name, |event| event.promote.as_ref());
    let relegated_into = |name: &str| into(name, |event| event.relegate.as_ref());
    let stated = |event: &SeasonEvent| said.numbers.get(event.name.as_str()).copied().unwrap_or((None, None));

    // Who are there at the start, and the places that stay vacant.
    let mut all: BTreeMap<String, Numbers> = BTreeMap::new();
    for event in &season.events {
        let here = event.entrants.iter().filter(|engine| !said.declined(engine)).count() as u32;
        let coming: u32 = promoted_into(&event.name).iter().map(|from| count(from.promote.as_ref())).sum::<u32>()
            + season
                .events
                .iter()
                .flat_map(|from| &from.qualify)
                .filter(|to| to.to == event.name)
                .map(|to| to.count)
                .sum::<u32>();
        let coming = if event.is_league() {
            coming
        } else {
            event.places.map_or(coming, |n| coming.min(n.saturating_sub(here)))
        };
        let places = event.places.unwrap_or(event.entrants.len() as u32 + coming);
        let vacant = places.saturating_sub(here + coming);
        all.insert(event.name.clone(), Numbers { playing: here + coming, vacant, ..Numbers::default() });
    }
    for event in &season.events {
        let more = match (season.vacancies, event.promote.as_ref()) {
            (Vacancies::PromoteMore, Some(up)) => all.get(&up.to).map_or(0, |to| to.vacant),
            _ => 0,
        };
        let promote = stated(event).0.unwrap_or(count(event.promote.as_ref()) + more);
        let beyond = i64::from(promote) - i64::from(count(event.promote.as_ref()));
        if let Some(up) = &event.promote
            && let Some(to) = all.get_mut(&up.to)
        {
            to.playing = u32::try_from((i64::from(to.playing) + beyond).max(0)).unwrap_or(0);
        }
        if let Some(numbers) = all.get_mut(&event.name) {
            numbers.promote = promote;
        }
    }
    // The later in the season, the higher: from the top down.
    for event in season.events.iter().rev() {
        let came_down: u32 =
            relegated_into(&event.name).iter().filter_map(|from| all.get(&from.name)).map(|n| n.relegate).sum();
        let nominal_down: u32 =
            relegated_into(&event.name).iter().map(|from| count(from.relegate.as_ref())).sum::<u32>();
        let Some(numbers) = all.get_mut(&event.name) else { continue };
        let places = event.places.unwrap_or(numbers.playing + numbers.vacant);
        let target = (places + nominal_down)
            .saturating_sub(count(event.promote.as_ref()))
            .saturating_sub(count(event.relegate.as_ref()));
        let kept = (numbers.playing + came_down).saturating_sub(numbers.promote);
        let follows = if event.relegate.is_some() { kept.saturating_sub(target) } else { 0 };
        numbers.relegate = stated(event).1.unwrap_or(follows).min(numbers.playing.saturating_sub(numbers.promote));
        numbers.next_start = kept.saturating_sub(numbers.relegate);
    }
    all
}
