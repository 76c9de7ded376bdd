//! No result comes from an attempt that is over, nor from a worker that does not have it.

use rookery_coordinator::store::Revision;
use rookery_game::Ending;
use rookery_tournament::{GameId, ResultEntry};

use super::{Holds, ledger::Ledger};

pub(crate) fn check(ledger: &Ledger, game: &GameId, attempt: Revision, entry: &ResultEntry) -> Holds {
    let Some(lease) = ledger.lease(&game.pair) else {
        return Err(format!("attempts: {game} is recorded without a lease"));
    };
    if lease.revision != attempt {
        return Err(format!("attempts: {game} by attempt {attempt}, but {} stands", lease.revision));
    }
    // Nobody has a game that the rule scores.
    if lease.worker.is_empty() {
        let scored = entry.ending == Ending::InterruptionRule || entry.fault.is_none();
        return if scored { Ok(()) } else { Err(format!("attempts: {game} has a fault, and nobody had it")) };
    }
    if lease.worker != entry.worker || !lease.games.contains(game) {
        return Err(format!("attempts: {game} by {}, but {} has {:?}", entry.worker, lease.worker, lease.games));
    }
    Ok(())
}
