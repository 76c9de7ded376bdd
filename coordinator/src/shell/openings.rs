//! Whether an event can be held: not too many games, and a book with openings enough.

use rookery_game::opening::Book;
use rookery_tournament::{
    event,
    spec::{Distinct, OpeningSource, Spec},
};

/// An error names the numbers.
pub(super) fn enough(spec: &Spec, book: &Book) -> Result<(), String> {
    let entrants = u32::try_from(spec.engines.len()).unwrap_or(u32::MAX);
    let games = event::games_total(spec, entrants);
    if games > event::MAX_GAMES {
        return Err(format!("the event would have {games} games; at most {} are held in one", event::MAX_GAMES));
    }
    let openings = &spec.event.openings;
    let name = match &openings.source {
        OpeningSource::Start => return Ok(()),
        OpeningSource::UsedIn(_) => "of earlier events",
        OpeningSource::Own => "of Rookery itself",
        OpeningSource::Book(name) | OpeningSource::Schedule(name) => name,
        OpeningSource::Chess960 => "of Chess960 starts",
        OpeningSource::DoubleChess960 => "of double Chess960 starts",
    };
    let has = book.len() as u64;
    if has == 0 {
        return Err(format!("book {name} has no openings"));
    }
    let within = match openings.distinct {
        Distinct::No => return Ok(()),
        Distinct::Encounter => "encounter",
        Distinct::Event => "event",
    };
    let needed = event::openings_needed(spec, entrants);
    if needed > has {
        return Err(format!(
            "book {name} is too small: it has {has} openings, and the event needs {needed} that do not come again \
             within an {within}; use a larger book, fewer pairs, or `distinct = \"no\"`"
        ));
    }
    Ok(())
}
