//! Each due game is recorded once, and none twice.

use rookery_coordinator::store::Revision;
use rookery_tournament::{Fact, GameId, LoggedFact, PairId};

use super::{
    Holds,
    ledger::{Lease, Ledger},
};
use crate::world::World;

/// A result is about to be put on record.
pub(crate) fn recorded(ledger: &Ledger, game: &GameId) -> Holds {
    if ledger.results.contains_key(game) {
        return Err(format!("once: {game} is recorded twice"));
    }
    replayed_before(ledger, game)
}

/// A pair is about to be handed out, or taken back.
pub(crate) fn handed_out(ledger: &Ledger, pair: &PairId, lease: &Lease, since: Revision) -> Holds {
    // What was on its way at the same time is ended again.
    let left = |(entrant, at): &(_, Revision)| [pair.a, pair.b].contains(entrant) && *at < since;
    if !lease.worker.is_empty() && ledger.left.iter().any(left) {
        return Err(format!("once: pair {pair} is handed out, and one of the two has left"));
    }
    if !lease.worker.is_empty() && ledger.stopped.is_some_and(|at| at < since) {
        return Err(format!("once: pair {pair} is handed out, and its event was stopped"));
    }
    for game in &lease.games {
        if ledger.results.contains_key(game) {
            return Err(format!("once: {game} is handed out and on record"));
        }
        replayed_before(ledger, game)?;
    }
    let before = ledger.lease(pair).filter(|before| !before.worker.is_empty());
    match before {
        Some(before) if !lease.worker.is_empty() => Err(format!(
            "once: pair {pair} is handed to {} while {} has it by attempt {}",
            lease.worker, before.worker, before.revision
        )),
        _ => Ok(()),
    }
}

/// A fact is about to be put on record: what was decided is not decided again.
pub(crate) fn said(ledger: &Ledger, value: &[u8]) -> Holds {
    let Ok(LoggedFact { fact, .. }) = serde_json::from_slice(value) else { return Ok(()) };
    let decided = matches!(fact, Fact::Decided { .. } | Fact::Stopped { .. });
    if decided && ledger.facts.iter().any(|known| known.fact == fact) {
        return Err(format!("once: {fact:?} is on record already"));
    }
    Ok(())
}

/// Another take is begun only where the one before is to be replayed.
fn replayed_before(ledger: &Ledger, game: &GameId) -> Holds {
    let before = GameId { take: game.take - 1, ..*game };
    let replayed = |fact: &Fact| matches!(fact, Fact::Replay { games } if games.contains(&before));
    if game.take == 1 || ledger.facts.iter().any(|fact| replayed(&fact.fact)) {
        return Ok(());
    }
    Err(format!("once: {game} is a take that nobody asked for"))
}

/// Nothing is due that is not on record.
pub(crate) fn all(world: &World) -> Holds {
    let event = world.event_on_record()?;
    let due = event.due(&rookery_tournament::format::Held::default(), 1, 100);
    match due.first() {
        None => Ok(()),
        Some(assignment) => Err(format!("once: pair {} is due and not played", assignment.pair)),
    }
}
