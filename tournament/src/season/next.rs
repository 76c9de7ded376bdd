//! The next season's rosters: what this one leaves behind.

use std::collections::BTreeMap;

use super::{
    log::{Closed, LoggedSeasonFact},
    open::Known,
    question::Question,
    spec::SeasonSpec,
};

/// Who is in each league when the next season begins: who played in it, without those who went up and down, and with
/// those who came down. Best first, then who came down, best first.
///
/// # Errors
/// What must be answered first: an event that is not over, a tie across a line.
pub fn next_rosters(
    season: &SeasonSpec,
    closed: &[Closed],
    log: &[LoggedSeasonFact],
) -> Result<BTreeMap<String, Vec<String>>, Vec<Question>> {
    let known = Known::new(season, closed, log);
    let (mut rosters, mut questions) = (BTreeMap::new(), Vec::new());
    let leagues = || season.events.iter().filter(|event| event.promote.is_some() || event.relegate.is_some());
    for league in leagues() {
        let mut of =
            |who: Result<Vec<String>, Question>| who.map_err(|question| questions.push(question)).unwrap_or_default();
        let gone = [of(known.promoted(league)), of(known.relegated(league))].concat();
        let down = leagues().filter(|above| above.relegate.as_ref().is_some_and(|to| to.to == league.name));
        let came: Vec<String> = down.flat_map(|above| of(known.relegated(above))).collect();
        if let Ok(played) = known.closed(&league.name) {
            let stay = played.engines().filter(|engine| !gone.contains(engine)).cloned();
            rosters.insert(league.name.clone(), stay.chain(came).collect());
        }
    }
    questions.sort();
    questions.dedup();
    if questions.is_empty() { Ok(rosters) } else { Err(questions) }
}

/// The same as the beginning of the next season's file.
#[must_use]
pub fn next_season(rosters: &BTreeMap<String, Vec<String>>) -> String {
    let mut text = String::new();
    for (event, engines) in rosters {
        let names: Vec<String> =
            engines.iter().map(|engine| format!("    {},\n", crate::spec::quoted(engine))).collect();
        text.push_str(&format!("[events.{event}]\nstay = [\n{}]\n\n", names.concat()));
    }
    text
}
