//! Whose program may be another than before (§1.7, §12, §14.3).

use std::collections::BTreeMap;

use super::{
    log::{Closed, LoggedSeasonFact},
    open::Known,
    question::Question,
    spec::{SeasonSpec, Updates},
};

/// Engines of an event that is to open whose programs are others than in the season's events before, and may not be.
/// `roster` is who plays in it, `digests` what each of them is now.
#[must_use]
pub fn programs(
    season: &SeasonSpec,
    event: &str,
    roster: &[String],
    digests: &BTreeMap<String, String>,
    closed: &[Closed],
    log: &[LoggedSeasonFact],
) -> Vec<Question> {
    let known = Known::new(season, closed, log);
    let Some(this) = season.event(event) else { return Vec::new() };
    let came = known.newcomers(event).unwrap_or_default();
    let mut questions = Vec::new();
    for engine in roster {
        let Some(now) = digests.get(engine).filter(|digest| !digest.is_empty()) else { continue };
        let last = closed.iter().rev().find(|c| c.digests.get(engine).is_some_and(|digest| !digest.is_empty()));
        let Some(last) = last.filter(|last| last.digests.get(engine) != Some(now)) else { continue };
        let promoted = came.contains(engine);
        // A person's word holds for the event it names and for all after it.
        let allowed = known.said.updated.iter().any(|(who, from)| {
            let at = |name: &str| season.events.iter().position(|event| event.name == name);
            who == engine && at(from) <= at(event)
        });
        let crashes = last.crashes.get(engine).copied().unwrap_or(0);
        let rule = match this.updates {
            _ if allowed => continue,
            Updates::All => continue,
            Updates::Promoted if promoted => continue,
            // Who crashed more than once, and came up all the same, may mend that and nothing else.
            Updates::None if promoted && crashes > 1 => {
                format!("it crashed {crashes} times and came up: a fix of that alone is allowed")
            }
            Updates::Promoted => "only who came up may be updated".to_owned(),
            Updates::None => "nobody may be updated here".to_owned(),
        };
        questions.push(Question::Program { engine: engine.clone(), before: last.event.clone(), rule });
    }
    questions
}
