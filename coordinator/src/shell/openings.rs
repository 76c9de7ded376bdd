//! Whether a book has as many openings as the event must keep apart.

use rookery_game::opening::Book;
use rookery_tournament::spec::{Distinct, FormatSpec, OpeningSource, Per, Spec};

/// An error names the numbers.
pub(super) fn enough(spec: &Spec, book: &Book) -> Result<(), String> {
    let openings = &spec.event.openings;
    let name = match &openings.source {
        OpeningSource::Start => return Ok(()),
        OpeningSource::Own => "of Rookery itself",
        OpeningSource::Book(name) => name,
        OpeningSource::Chess960 => "of Chess960 starts",
        OpeningSource::DoubleChess960 => "of double Chess960 starts",
    };
    let has = book.len() as u64;
    if has == 0 {
        return Err(format!("book {name} has no openings"));
    }
    let (needed, within) = match openings.distinct {
        Distinct::No => return Ok(()),
        Distinct::Encounter => (of_encounter(spec), "encounter"),
        Distinct::Event => (of_event(spec), "event"),
    };
    if needed > has {
        return Err(format!(
            "book {name} is too small: it has {has} openings, and the event needs {needed} that do not come again \
             within an {within}; use a larger book, fewer pairs, or `distinct = \"no\"`"
        ));
    }
    Ok(())
}

/// Openings that two engines see.
fn of_encounter(spec: &Spec) -> u64 {
    let (cycles, pairs) = meetings(&spec.event.format);
    match spec.event.openings.per {
        Per::Pair => cycles * pairs,
        Per::Round => cycles * pairs,
        Per::Encounter => 1,
    }
}

/// Openings that all see together.
fn of_event(spec: &Spec) -> u64 {
    let engines = spec.engines.len() as u64;
    let (cycles, pairs) = meetings(&spec.event.format);
    let encounters = match &spec.event.format {
        FormatSpec::Match { .. } => 1,
        FormatSpec::RoundRobin { .. } => engines * engines.saturating_sub(1) / 2,
        FormatSpec::Gauntlet { engines: seeds, .. } => {
            let seeds = seeds.len() as u64;
            seeds * engines.saturating_sub(seeds)
        }
    };
    let rounds = match &spec.event.format {
        FormatSpec::Match { .. } => 1,
        FormatSpec::RoundRobin { .. } => engines - u64::from(engines.is_multiple_of(2)),
        FormatSpec::Gauntlet { .. } => engines,
    };
    match spec.event.openings.per {
        Per::Pair => encounters * cycles * pairs,
        Per::Round => rounds * cycles * pairs,
        Per::Encounter => encounters,
    }
}

/// How often two engines meet, and openings of each meeting.
fn meetings(format: &FormatSpec) -> (u64, u64) {
    match format {
        FormatSpec::Match { pairs } => (1, u64::from(*pairs)),
        FormatSpec::RoundRobin { cycles, pairs, .. } | FormatSpec::Gauntlet { cycles, pairs, .. } => {
            (u64::from(*cycles), u64::from(*pairs))
        }
    }
}
