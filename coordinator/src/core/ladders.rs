//! Ladders that were begun elsewhere, and ladders as other programs keep them.

use rookery_tournament::{
    Fact,
    fact::OpeningName,
    ladder::{self, State},
    spec::Spec,
};

use sha2::{Digest, Sha256};

use super::{Answer, Core, Denied, limits, state::EventState, stored::encode};

/// The fact by which a new event goes on with a state, and warnings.
pub(super) fn imported(
    state: &State,
    digest: String,
    spec: &Spec,
    opened: &Fact,
) -> Result<(Fact, Vec<String>), Denied> {
    let (fact, warnings) = ladder::import(state, spec, opened, digest)
        .map_err(|wrong| Denied::Invalid(format!("the ladder's state: {}", wrong.join("\nthe ladder's state: "))))?;
    let bytes = encode(&fact).len();
    if bytes > limits::IMPORTED_BYTES {
        let most = limits::IMPORTED_BYTES;
        return Err(Denied::Invalid(format!("the ladder's state takes {bytes} bytes on record, at most {most}")));
    }
    Ok((fact, warnings))
}

pub(super) fn is_there(event: &str) -> Denied {
    Denied::Precondition(format!(
        "event `{event}` runs already: a ladder's state is for a new event; stop it, or apply under another name"
    ))
}

impl EventState {
    /// How a pair's opening is named: as it was where it was imported, else by its place in the book, from 0.
    fn opening_name(&self, number: u64, n: u64) -> OpeningName {
        let imported = self.facts.iter().find_map(|logged| match &logged.fact {
            Fact::Imported { openings, .. } => openings.get(usize::try_from(number).ok()?),
            _ => None,
        });
        if let Some(name) = imported {
            return name.clone();
        }
        if n == 0 {
            return OpeningName::default();
        }
        let index = self.opening_index(number, n);
        // Of the book's digest alone: the book of an event that is over is not loaded any more.
        let hash = Sha256::digest(format!("{} {index}", self.meta.book));
        let hash = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        OpeningName { id: index.to_string(), hash }
    }
}

impl Core {
    pub(super) fn ladder(&self, event: &str) -> Result<Answer, Denied> {
        let uid = self.find_event(event)?;
        let state = self.events.get(&uid).ok_or_else(|| Denied::NotFound(format!("no event `{event}`")))?;
        let n = state.facts.iter().find_map(|logged| match logged.fact {
            Fact::Opened { book_openings, .. } => Some(book_openings),
            _ => None,
        });
        let n = n.unwrap_or(0);
        if n > limits::EXPORTED_OPENINGS {
            let most = limits::EXPORTED_OPENINGS;
            return Err(Denied::Precondition(format!("the book has {n} openings, a ladder's state at most {most}")));
        }
        let mut order: Vec<u64> = (0..n).map(|at| state.opening_index(at, n)).collect();
        if (0..).zip(&order).all(|(at, &index)| at == index) {
            order.clear();
        }
        let updated = ladder::moment(self.now.unix_ms);
        ladder::export(&state.event, &state.facts, |number| state.opening_name(number, n), order, updated)
            .map(|found| Answer::Ladder(state.name().to_owned(), Box::new(found)))
            .map_err(Denied::Precondition)
    }
}
