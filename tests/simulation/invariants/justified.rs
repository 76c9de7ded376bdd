//! An order leaves only after the transaction that justifies it.

use rookery_coordinator::wire;
use rookery_proto::v1::{self, DiscardReason, attach_response::Message};
use rookery_tournament::GameId;

use super::{Holds, Watch, ledger::Ledger};

fn game_of<'a>(watch: &'a Watch, id: Option<&v1::GameId>) -> Option<(&'a Ledger, GameId)> {
    let (uid, game) = wire::read_game_id(id?).ok()?;
    Some((watch.ledger_of(&uid)?, game))
}

pub(crate) fn check(watch: &Watch, worker: &str, response: &v1::AttachResponse) -> Holds {
    let wrong = |what: String| Err(format!("justified: {what}"));
    match &response.message {
        Some(Message::Play(play)) => {
            let games: Vec<_> = play.games.iter().filter_map(|order| game_of(watch, order.id.as_ref())).collect();
            let Some((ledger, pair)) = games.first().map(|(ledger, game)| (*ledger, game.pair)) else {
                return wrong("an order of no game".to_owned());
            };
            let games: Vec<GameId> = games.into_iter().map(|(_, game)| game).collect();
            match ledger.attempt(&pair, play.attempt) {
                Some(lease) if lease.worker == worker && lease.games == games => Ok(()),
                Some(lease) => wrong(format!("attempt {} is {lease:?}", play.attempt)),
                None => wrong(format!("attempt {} of pair {pair} is not on record", play.attempt)),
            }
        }
        Some(Message::Recorded(recorded)) => {
            let Some((ledger, game)) = game_of(watch, recorded.game.as_ref()) else { return Ok(()) };
            let on_record = ledger.results.get(&game).is_some_and(|(attempt, _)| *attempt == recorded.attempt);
            // What was handed back is taken by the end of its attempt.
            if on_record || ledger.is_over(&game.pair, recorded.attempt) {
                return Ok(());
            }
            wrong(format!("{game} of attempt {} is not on record", recorded.attempt))
        }
        Some(Message::Discarded(discarded)) => {
            let Some((ledger, game)) = game_of(watch, discarded.game.as_ref()) else { return Ok(()) };
            match discarded.reason() {
                DiscardReason::AlreadyRecorded if ledger.results.contains_key(&game) => Ok(()),
                DiscardReason::AttemptOver if ledger.is_over(&game.pair, discarded.attempt) => Ok(()),
                reason => wrong(format!("{game} of attempt {}: {reason:?} {}", discarded.attempt, discarded.detail)),
            }
        }
        Some(Message::Cancel(cancel)) if !cancel.hand_back => {
            match watch.ledgers().find_map(|ledger| Some((ledger, ledger.attempt_of(worker, cancel.attempt)?.0))) {
                Some((ledger, pair)) if !ledger.is_over(&pair, cancel.attempt) => {
                    wrong(format!("attempt {} is cancelled and stands", cancel.attempt))
                }
                _ => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
