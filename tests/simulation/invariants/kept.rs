//! What a worker finished, or gave back, is on its disk until it was told what became of it.

use std::collections::{BTreeMap, BTreeSet};

use rookery_proto::v1::{attach_request::Message, attach_response};
use rookery_worker::hall::{End, GameKey, Input};

use super::Holds;

/// What one worker owes, over all its processes.
#[derive(Debug, Default)]
pub(crate) struct Debts {
    owed: BTreeSet<GameKey>,
    /// Attempts that were ended while a game of theirs was in play: nothing of it is owed to anybody.
    over: BTreeSet<i64>,
}

impl Debts {
    /// A game ended on a slot.
    pub(crate) fn ended(&mut self, end: &End) {
        if let End::Finished(finished) = end
            && !self.over.contains(&finished.attempt)
            && let Some(id) = finished.record.as_ref().and_then(|record| record.id.as_ref())
        {
            self.owed.insert(GameKey::new(finished.attempt, id));
        }
    }

    /// A coordinator's word may end a debt.
    pub(crate) fn heard(&mut self, input: &Input) {
        let Input::Said(response) = input else { return };
        match &response.message {
            Some(attach_response::Message::Recorded(recorded)) => {
                if let Some(game) = &recorded.game {
                    self.owed.remove(&GameKey::new(recorded.attempt, game));
                }
            }
            Some(attach_response::Message::Discarded(discarded)) => {
                let other = |key: &GameKey| discarded.game.as_ref().is_some_and(|game| key.id() != *game);
                self.owed.retain(|key| key.attempt != discarded.attempt || other(key));
                self.over.insert(discarded.attempt);
            }
            Some(attach_response::Message::Cancel(cancel)) if !cancel.hand_back => {
                self.over.insert(cancel.attempt);
            }
            _ => {}
        }
    }

    pub(crate) fn check(&self, outbox: &BTreeMap<GameKey, Message>) -> Holds {
        match self.owed.iter().find(|key| !outbox.contains_key(key)) {
            None => Ok(()),
            Some(key) => Err(format!("kept: {}/{} of attempt {} is not kept", key.pair, key.game, key.attempt)),
        }
    }
}
