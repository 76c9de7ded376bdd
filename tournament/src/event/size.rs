//! How large an event would be, before it is opened.

use std::time::Duration;

use crate::{
    EntrantId, Event, Fact, LoggedFact,
    fact::RosterEntry,
    format::MAX_ENTRANTS,
    spec::{FormatSpec, Spec},
};

/// Games of an event with so many entrants; more than [`super::MAX_GAMES`] where it is too large to be held.
#[must_use]
pub fn games_total(spec: &Spec, entrants: u32) -> u64 {
    let n = u64::from(entrants);
    let games = u64::from(if spec.event.games_per_pair == 1 { 1u8 } else { 2 });
    let (meetings, cycles, pairs) = match &spec.event.format {
        FormatSpec::Match { pairs } => (u64::from(n >= 2), 1, *pairs),
        FormatSpec::RoundRobin { cycles, pairs, .. } => (n * n.saturating_sub(1) / 2, *cycles, *pairs),
        FormatSpec::Gauntlet { engines, pairs, cycles } => {
            let hosts = (engines.len() as u64).min(n);
            (hosts * (n - hosts), *cycles, *pairs)
        }
    };
    meetings.saturating_mul(u64::from(cycles)).saturating_mul(u64::from(pairs)).saturating_mul(games)
}

/// A rough guess of how long so many games take, `at_once` at a time, from their clocks; `None` without clocks.
#[must_use]
pub fn expected(spec: &Spec, games: u64, at_once: u32) -> Option<Duration> {
    // A game has about 60 moves a side, and engines use about four fifths of a clock.
    const MOVES: u32 = 60;
    const USED: f64 = 0.8;
    let control = &spec.event.time_control;
    let side = if let Some(move_time) = control.move_time {
        move_time.as_secs_f64() * f64::from(MOVES)
    } else {
        let stage = control.stages.first()?;
        let periods = stage.moves.map_or(1, |moves| MOVES.div_ceil(moves.max(1)));
        (stage.base.saturating_mul(periods) + stage.increment.saturating_mul(MOVES)).as_secs_f64() * USED
    };
    #[expect(clippy::cast_precision_loss, reason = "a rough guess")]
    let seconds = 2.0 * side * games as f64 / f64::from(at_once.max(1));
    Duration::try_from_secs_f64(seconds).ok()
}

/// Openings that a book must have, so that `distinct` holds for an event with so many entrants.
#[must_use]
pub fn openings_needed(spec: &Spec, entrants: u32) -> u64 {
    if games_total(spec, entrants) > super::MAX_GAMES || entrants > MAX_ENTRANTS {
        return u64::MAX;
    }
    let named = spec.engines.iter().map(|engine| engine.setup.name.clone());
    let others = (1..).map(|n| format!("#{n}"));
    let roster =
        named.chain(others).take(entrants as usize).map(|engine| RosterEntry { engine, digest: String::new() });
    let mut event = Event::new(spec.clone());
    let mut fold = |fact| {
        event.fold_fact(&LoggedFact {
            seq: 0,
            at_unix_ms: 0,
            by: String::new(),
            reason: String::new(),
            request_id: String::new(),
            fact,
        })
    };
    fold(Fact::Opened {
        roster: roster.collect(),
        book: String::new(),
        book_openings: 0,
        seed: 0,
        opening_offset: 0,
        spec: String::new(),
        rules_version: 0,
    });
    // How many there are does not depend on what would be drawn.
    fold(Fact::Drawn { stage: 0, round: 1, order: (1..=entrants).map(EntrantId).collect() });
    event.schedule.openings_needed()
}
