//! Who watches what: events by a counter that rises with each change, games by their moves.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use rookery_proto::v1;
use rookery_tournament::GameId;
use tokio::sync::{broadcast, watch};

use super::limits;

/// Moves of a running game.
#[derive(Debug, Clone)]
pub(super) struct Moved {
    pub(super) event_uid: String,
    pub(super) game: GameId,
    pub(super) first_ply: u32,
    pub(super) plies: Vec<v1::Ply>,
}

/// All watchers of this process. A slow one holds nobody up: it misses steps, and sees the newest state.
#[derive(Debug)]
pub(super) struct Watchers {
    events: Mutex<BTreeMap<String, watch::Sender<u64>>>,
    moved: broadcast::Sender<Arc<Moved>>,
}

impl Watchers {
    pub(super) fn new() -> Self {
        Self { events: Mutex::default(), moved: broadcast::Sender::new(limits::MOVED_QUEUE) }
    }

    /// A counter that rises when something of this event changed.
    pub(super) fn event(&self, event_uid: &str) -> watch::Receiver<u64> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.retain(|_, sender| sender.receiver_count() > 0);
        events.entry(event_uid.to_owned()).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// Something of this event changed.
    pub(super) fn changed(&self, event_uid: &str) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = events.get(event_uid) {
            sender.send_modify(|count| *count += 1);
        }
    }

    /// Moves of all games that are told from now on.
    pub(super) fn games(&self) -> broadcast::Receiver<Arc<Moved>> {
        self.moved.subscribe()
    }

    /// Whether anyone watches a game.
    pub(super) fn moved(&self, moved: impl FnOnce() -> Moved) {
        if self.moved.receiver_count() > 0 {
            // Nobody listening any more is no error.
            let _ = self.moved.send(Arc::new(moved()));
        }
    }
}
