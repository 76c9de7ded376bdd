//! The way to the coordinator from within its process: what the services use, and `rookery run`.

use std::sync::Arc;

use bytes::Bytes;
use tokio::{
    sync::{Semaphore, broadcast, mpsc, oneshot, watch},
    time::timeout,
};

use tonic::Status;

use super::{
    books::Books,
    driver::Ask,
    limits,
    lists::Imports,
    metrics::Metrics,
    ratings::Ratings,
    role::Role,
    watchers::{Moved, Watchers},
};
use crate::{
    archive::Archive,
    core::{Answer, Denied, Request},
    store::Store,
};

/// A handle on a running coordinator. Cheap to clone; it keeps nothing alive but itself.
#[derive(Clone)]
pub struct Handle {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) asks: mpsc::Sender<Ask>,
    pub(super) role: watch::Receiver<Role>,
    pub(super) watchers: Arc<Watchers>,
    pub(super) store: Arc<dyn Store>,
    pub(super) archive: Arc<dyn Archive>,
    pub(super) books: Arc<Books>,
    pub(super) imports: Imports,
    pub(super) ratings: Ratings,
    pub(super) metrics: Arc<Metrics>,
    pub(super) advertise: String,
    pub(super) uploads: Semaphore,
}

impl Handle {
    /// Asks the core, and waits for its answer; while the store is being loaded, for that first.
    ///
    /// # Errors
    /// As the core denies it; [`Denied::NotLeader`] on a standby, [`Denied::Unavailable`] after
    /// [`limits::ASK_DEADLINE`]: a change may then still happen, and asking again with the same request id is harmless.
    pub async fn ask(&self, request: Request) -> Result<Answer, Denied> {
        let ask = async {
            self.loaded().await;
            let (reply, answer) = oneshot::channel();
            self.inner.asks.send(Ask { request, reply }).await.map_err(|_| ended())?;
            answer.await.map_err(|_| ended())?
        };
        timeout(limits::ASK_DEADLINE, ask).await.unwrap_or_else(|_| {
            let waited = limits::ASK_DEADLINE.as_secs();
            Err(Denied::Unavailable(format!("no answer within {waited} s; a change may still happen")))
        })
    }

    /// A counter that rises with each change of the event. It coalesces: a slow reader sees the newest alone.
    #[must_use]
    pub fn subscribe(&self, event_uid: &str) -> watch::Receiver<u64> {
        self.inner.watchers.event(event_uid)
    }

    /// What this process is, and each change of it.
    #[must_use]
    pub fn role(&self) -> watch::Receiver<Role> {
        self.inner.role.clone()
    }

    /// Keeps a file for a spec to name; answers its digest, `sha256:…`.
    ///
    /// # Errors
    /// [`Denied::Invalid`] above [`limits::FILE`] bytes, [`Denied::Unavailable`] where the archive does not take it.
    pub async fn put_file(&self, content: Bytes) -> Result<String, Denied> {
        if content.len() > limits::FILE {
            return Err(Denied::Invalid(too_large(content.len())));
        }
        self.inner.archive.put_file(content).await.map_err(|error| Denied::Unavailable(error.to_string()))
    }

    pub(super) fn moves(&self) -> broadcast::Receiver<Arc<Moved>> {
        self.inner.watchers.games()
    }

    /// Waits until this process does not lead any more; what its watchers are told then.
    pub(super) async fn led(&self) -> Status {
        // An error means that the driver ended.
        let _ = self.inner.role.clone().wait_for(|role| !matches!(role, Role::Leading { .. })).await;
        self.status(Denied::NotLeader)
    }

    /// Waits until this process leads or is known not to.
    pub(super) async fn loaded(&self) {
        // An error means that the driver ended: the question then says so.
        let _ = self.inner.role.clone().wait_for(|role| *role != Role::Loading).await;
    }
}

pub(super) fn too_large(bytes: usize) -> String {
    format!("the file has {bytes} bytes or more; at most {} are kept", limits::FILE)
}

fn ended() -> Denied {
    Denied::Unavailable("the coordinator is shutting down".to_owned())
}
