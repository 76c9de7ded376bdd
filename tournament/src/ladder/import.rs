//! The fact by which a new event goes on with a state.

use super::{State, resume};
use crate::{
    Fact,
    fact::OpeningName,
    spec::{Per, Spec},
};

/// Openings of an order at most: it is a part of one fact, and stays in one value of the store.
pub const MAX_ORDER: usize = 100_000;

/// [`Fact::Imported`] for a new event of this spec that goes on with a state, and warnings, one line each.
///
/// `opened` is [`Fact::Opened`] of the event, `digest` the file's. Openings come in the state's order, as its
/// next one would have.
///
/// # Errors
///
/// What is impossible in the state, and where the spec is of another ladder or would take other openings; one line each.
pub fn import(state: &State, spec: &Spec, opened: &Fact, digest: String) -> Result<(Fact, Vec<String>), Vec<String>> {
    let (mut wrong, mut warnings) = (Vec::new(), Vec::new());
    let openings = &spec.event.openings;
    let order = &state.global_opening_order;
    let (count, start) = match opened {
        Fact::Opened { book_openings, opening_offset, .. } => (*book_openings, *opening_offset),
        _ => (0, 0),
    };
    if openings.per != Per::Pair {
        wrong.push("a ladder's state has an opening for each pair, the spec says otherwise (`per`)".to_owned());
    }
    if order.is_empty() {
        if openings.random && count > 0 {
            wrong.push(
                "GlobalOpeningOrder is empty, openings come as the book has them; the spec draws them at random (say \
                 `order = \"sequential\"`)"
                    .to_owned(),
            );
        }
        if start != 0 && count > 0 {
            wrong.push(format!("GlobalOpeningOrder is empty, the spec begins with opening {start} of the book"));
        }
    } else if order.len() as u64 != count {
        wrong.push(format!("GlobalOpeningOrder has {} openings, the spec's book {count}", order.len()));
    } else if order.len() > MAX_ORDER {
        wrong.push(format!("GlobalOpeningOrder has {} openings, at most {MAX_ORDER} are kept", order.len()));
    } else if !openings.random || start != 0 {
        warnings.push("openings come in the order of the state, not in that of the spec".to_owned());
    }
    let facts = match resume(state, spec, opened) {
        Ok(facts) if wrong.is_empty() => facts,
        Ok(_) => return Err(wrong),
        Err(mut more) => {
            more.append(&mut wrong);
            return Err(more);
        }
    };
    let firsts = state.matches.iter().flat_map(|of| of.games.iter().step_by(2));
    let openings: Vec<OpeningName> =
        firsts.map(|game| OpeningName { id: game.opening_id.clone(), hash: game.opening_hash.clone() }).collect();
    Ok((Fact::Imported { state: digest, facts, order: order.clone(), openings }, warnings))
}
