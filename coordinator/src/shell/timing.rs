//! How long a finished game takes from its arrival to its acknowledgement.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use rookery_proto::v1;

use super::limits;

/// Games whose answer is due. At most [`limits::TIMED`].
#[derive(Debug, Default)]
pub(super) struct RecordTiming {
    waiting: BTreeMap<(i64, String, u32), Instant>,
}

impl RecordTiming {
    /// A finished game arrived; the first time counts.
    pub(super) fn finished(&mut self, finished: &v1::Finished) {
        let Some(id) = finished.record.as_ref().and_then(|record| record.id.as_ref()) else { return };
        if self.waiting.len() >= limits::TIMED {
            // What was never answered is of workers that went away.
            self.waiting.clear();
        }
        if id.pair.len() <= limits::NAME {
            self.waiting.entry((finished.attempt, id.pair.clone(), id.game)).or_insert_with(Instant::now);
        }
    }

    /// It was answered; how long that took, where it was timed.
    pub(super) fn answered(&mut self, attempt: i64, game: Option<&v1::GameId>) -> Option<Duration> {
        let game = game?;
        self.waiting.remove(&(attempt, game.pair.clone(), game.game)).map(|arrived| arrived.elapsed())
    }

    /// Nothing will be answered.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}
