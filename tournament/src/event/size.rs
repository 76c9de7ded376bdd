//! How large an event would be, before it is opened.

use std::time::Duration;

use crate::{
    EntrantId, Event, Fact, LoggedFact,
    fact::RosterEntry,
    format::{MAX_ENTRANTS, pairs_of, rounds_of},
    spec::{Distinct, FormatSpec, Per, Spec},
};

/// Games of an event with so many entrants; more than [`super::MAX_GAMES`] where it is too large to be held.
#[must_use]
pub fn games_total(spec: &Spec, entrants: u32) -> u64 {
    let n = u64::from(entrants);
    let games = u64::from(if spec.event.games_per_pair == 1 { 1u8 } else { 2 });
    if let Some(pairs) = drawn_pairs(&spec.event.format, entrants) {
        return pairs.saturating_mul(games);
    }
    let (meetings, cycles, pairs) = match &spec.event.format {
        FormatSpec::Match { pairs, .. } => (u64::from(n >= 2), 1, *pairs),
        FormatSpec::RoundRobin { cycles, pairs, .. } => (n * n.saturating_sub(1) / 2, *cycles, *pairs),
        FormatSpec::Gauntlet { engines, pairs, cycles } => {
            let hosts = (engines.len() as u64).min(n);
            (hosts * (n - hosts), *cycles, *pairs)
        }
        _ => (0, 0, 0),
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

/// Pairs of a format that draws its rounds, as far as they are certain: those after level meetings not counted.
fn drawn_pairs(format: &FormatSpec, entrants: u32) -> Option<u64> {
    let n = u64::from(entrants);
    match format {
        FormatSpec::Match { .. } | FormatSpec::RoundRobin { .. } | FormatSpec::Gauntlet { .. } => None,
        FormatSpec::Knockout { pairs, bronze, .. } => {
            let rounds = rounds_of(entrants);
            let size = u64::from(entrants.max(1)).next_power_of_two();
            let meetings = |round: u32| if round == 1 { n - size / 2 } else { size >> round };
            let main: u64 =
                (1..=rounds).map(|r| meetings(r).saturating_mul(u64::from(pairs_of(pairs, r as usize)))).sum();
            Some(main + u64::from(bronze.filter(|_| n > 3).unwrap_or(0)))
        }
        FormatSpec::Swiss { rounds, pairs, .. } => Some((n / 2).saturating_mul(u64::from(*rounds) * u64::from(*pairs))),
        FormatSpec::ConditionalTieBreak { .. } => Some(n * n.saturating_sub(1) / 2),
        FormatSpec::Ladder { pairs, .. } => Some(n.saturating_sub(1).saturating_mul(u64::from(*pairs))),
    }
}

/// Openings that a format that draws its rounds needs: of a round, a meeting or all of it. What comes after level meetings
/// goes on in the book, and begins it again at its end.
fn drawn_openings(spec: &Spec, entrants: u32) -> Option<u64> {
    let all = drawn_pairs(&spec.event.format, entrants)?;
    let (rounds, most) = match &spec.event.format {
        FormatSpec::Knockout { pairs, bronze, .. } => {
            let rounds = rounds_of(entrants);
            let main = (1..=rounds).map(|r| pairs_of(pairs, r as usize)).max().unwrap_or(0);
            (rounds, main.max(bronze.unwrap_or(0)))
        }
        FormatSpec::Swiss { rounds, pairs, .. } => (*rounds, *pairs),
        FormatSpec::Ladder { pairs, .. } => (entrants.saturating_sub(1), *pairs),
        _ => (1, 1),
    };
    let openings = &spec.event.openings;
    Some(match (openings.per, openings.distinct) {
        (_, Distinct::No) => all.min(1),
        (Per::Pair | Per::Round, Distinct::Encounter) => u64::from(most),
        (Per::Pair, Distinct::Event) => all,
        (Per::Round, Distinct::Event) => u64::from(rounds) * u64::from(most),
        (Per::Encounter, Distinct::Encounter) => all.min(1),
        (Per::Encounter, Distinct::Event) => all / u64::from(most.max(1)),
    })
}

/// Openings that a book must have, so that `distinct` holds for an event with so many entrants.
#[must_use]
pub fn openings_needed(spec: &Spec, entrants: u32) -> u64 {
    if games_total(spec, entrants) > super::MAX_GAMES || entrants > MAX_ENTRANTS {
        return u64::MAX;
    }
    if let Some(openings) = drawn_openings(spec, entrants) {
        return openings;
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
        level_book: String::new(),
        level_openings: 0,
    });
    // How many there are does not depend on what would be drawn.
    fold(Fact::Drawn { stage: 0, round: 1, order: (1..=entrants).map(EntrantId).collect(), openings: Vec::new() });
    event.schedule.openings_needed()
}
