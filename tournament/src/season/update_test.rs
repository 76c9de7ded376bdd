//! The match by which a new program is tried: short, under the rules of the event, and counted nowhere.

use std::time::Duration;

use super::{
    open::{event_name, of_engines, seed_of},
    programs::UpdateTest,
    spec::SeasonSpec,
};
use crate::spec::{CrashesThen, Distinct, FormatSpec, Gate, MatchRules, Play, Spec};

/// What is to be played before `event`; `seed` is the season's. `None`: no such event.
#[must_use]
pub fn update_test(season: &SeasonSpec, event: &str, test: &UpdateTest, seed: u64) -> Option<Spec> {
    let this = season.event(event)?;
    // Each program is tried anew, under a name of its own.
    let program = test.program.strip_prefix("sha256:").unwrap_or(&test.program);
    let program: String = program.chars().take(8).collect();
    let engine = test.engine.replace(['/', '\\'], "-");
    let name = format!("{} test {engine} {program}", event_name(&season.name, event));
    let mut spec = this.event.clone();
    spec.title = format!("{} - {}: test of {}", season.name, this.event.title, test.engine);
    spec.format = FormatSpec::Match { pairs: test.pairs, rules: MatchRules::default() };
    spec.official = false;
    (spec.play, spec.gate) = (Play::Pairs, Gate::Auto);
    (spec.not_before, spec.pause, spec.stop) = (None, Duration::ZERO, None);
    (spec.openings.distinct, spec.openings.when_level) = (Distinct::No, None);
    spec.crashes.then = CrashesThen::Continue;
    spec.tie_breaks = vec!["shared".to_owned()];
    spec.seed = Some(seed_of(seed, &name));
    Some(of_engines(season, name, spec, &[test.engine.clone(), test.opponent.clone()]))
}
