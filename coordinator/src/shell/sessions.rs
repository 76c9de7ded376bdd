//! The streams of attached workers, as the driver holds them.

use std::collections::BTreeMap;

use rookery_proto::v1;
use tokio::sync::{mpsc, oneshot};
use tonic::Status;

use crate::core::SessionId;

/// What the stream's answering half takes.
pub(super) type Outgoing = Result<v1::AttachResponse, Status>;

/// One worker's stream. Dropping it ends both halves, after what was queued.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) outgoing: mpsc::Sender<Outgoing>,
    /// Its end tells the reading half to end.
    pub(super) _alive: oneshot::Sender<()>,
}

impl Session {
    /// Says why, and ends the stream.
    pub(super) fn reject(self, message: v1::AttachResponse) {
        // Where the queue is full the worker learns it from the end of the stream alone.
        let _ = self.outgoing.try_send(Ok(message));
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: BTreeMap<SessionId, Session>,
}

impl Sessions {
    pub(super) fn insert(&mut self, id: SessionId, session: Session) {
        self.open.insert(id, session);
    }

    pub(super) fn contains(&self, id: SessionId) -> bool {
        self.open.contains_key(&id)
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether it was open.
    pub(super) fn remove(&mut self, id: SessionId) -> bool {
        self.open.remove(&id).is_some()
    }

    /// Queues a message. `false`: the stream was open, and was closed because its worker does not read.
    pub(super) fn send(&mut self, id: SessionId, message: v1::AttachResponse) -> bool {
        let Some(session) = self.open.get(&id) else { return true };
        match session.outgoing.try_send(Ok(message)) {
            Ok(()) => true,
            // Its reading half reports the end.
            Err(mpsc::error::TrySendError::Closed(_)) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                tracing::warn!(session = id.0, "a worker does not read; its stream is closed");
                self.open.remove(&id);
                false
            }
        }
    }

    /// Ends all streams with the same last message.
    pub(super) fn reject_all(&mut self, message: &v1::AttachResponse) {
        for (_, session) in std::mem::take(&mut self.open) {
            session.reject(message.clone());
        }
    }
}
