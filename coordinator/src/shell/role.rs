//! Whether this coordinator leads, and how it comes to.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::{driver::Control, limits};
use crate::{
    archive::Archive,
    store::{CommitError, Compare, KeyValue, Leadership, Op, Revision, Store, Txn},
};

/// The first key of all that is stored, and the first after them.
pub(super) const RANGE: (&str, &str) = ("/rookery/v1/", "/rookery/v10");

/// The id of the archive that belongs to this store.
pub(crate) const ARCHIVE_KEY: &str = "/rookery/v1/archive";

/// What this process is at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Another coordinator leads, at this address, or none that is known.
    Standby {
        /// The leader's advertised address.
        leader: Option<String>,
    },
    /// It was elected and reads the store.
    Loading,
    /// It leads since this revision.
    Leading {
        /// The revision.
        since: Revision,
    },
    /// It may not lead; the reason, one line.
    Barred(String),
    /// It is shutting down, or its driver ended.
    Ended,
}

/// Follows the store's election: loads when elected, and tells the driver.
pub(super) struct Election {
    pub(super) store: Arc<dyn Store>,
    pub(super) archive: Arc<dyn Archive>,
    pub(super) control: mpsc::Sender<Control>,
    pub(super) role: Arc<watch::Sender<Role>>,
}

impl Election {
    /// Runs until the driver or the store ends.
    pub(super) async fn run(self) {
        self.follow().await;
        // In a shutdown the driver has ended already, and nobody needs this word.
        let _ = self.control.send(Control::Deposed { leader: None }).await;
        self.role.send_if_modified(|role| {
            let unknown = !matches!(role, Role::Barred(_) | Role::Ended);
            if unknown {
                *role = Role::Barred("the store ended".to_owned());
            }
            unknown
        });
    }

    async fn follow(&self) {
        let mut leadership = self.store.leadership();
        let mut led = false;
        loop {
            let seen = leadership.borrow_and_update().clone();
            let told = match seen {
                Leadership::Standby { leader } => {
                    self.role.send_replace(Role::Standby { leader: leader.clone() });
                    std::mem::take(&mut led).then_some(Control::Deposed { leader })
                }
                Leadership::Leading { since } => {
                    self.role.send_replace(Role::Loading);
                    let loaded = tokio::select! {
                        biased;
                        changed = leadership.changed() => {
                            if changed.is_err() { return }
                            continue;
                        }
                        loaded = self.load() => loaded,
                    };
                    match loaded {
                        Ok(loaded) => {
                            led = true;
                            Some(Control::Lead { since, loaded })
                        }
                        Err(reason) => {
                            tracing::error!(%reason, "may not lead");
                            self.role.send_replace(Role::Barred(reason));
                            self.store.close().await;
                            return;
                        }
                    }
                }
            };
            if let Some(told) = told
                && self.control.send(told).await.is_err()
            {
                return;
            }
            if leadership.changed().await.is_err() {
                return;
            }
        }
    }

    /// Everything in the store, and the proof that the archive belongs to it. An error says why this process may
    /// never lead; what may pass is tried again.
    async fn load(&self) -> Result<Vec<KeyValue>, String> {
        loop {
            match self.store.load(RANGE.0, RANGE.1).await {
                Ok(mut loaded) => {
                    let known = loaded.iter().position(|entry| entry.key == ARCHIVE_KEY).map(|at| loaded.remove(at));
                    if self.same_archive(known).await? {
                        return Ok(loaded);
                    }
                }
                Err(crate::store::StoreError::Unavailable(why)) => {
                    tracing::warn!(%why, "store not loaded; trying again")
                }
                Err(error) => return Err(error.to_string()),
            }
            tokio::time::sleep(limits::LOAD_RETRY).await;
        }
    }

    /// Whether the archive is the store's own; puts it on record where none is. `Ok(false)`: ask again.
    async fn same_archive(&self, known: Option<KeyValue>) -> Result<bool, String> {
        let own = self.archive.id();
        if let Some(known) = known {
            let other = String::from_utf8_lossy(&known.value);
            return if other == own {
                Ok(true)
            } else {
                Err(format!("this store belongs to archive {other}, not to {own}: all replicas share one archive"))
            };
        }
        let txn = Txn {
            compare: vec![Compare::Absent(ARCHIVE_KEY.to_owned())],
            ops: vec![Op::Put(ARCHIVE_KEY.to_owned(), own.to_owned().into())],
        };
        match self.store.commit(txn).await {
            Ok(_) => Ok(true),
            // Written meanwhile, or perhaps: the next load tells.
            Err(CommitError::Conflict(_) | CommitError::Unknown(_) | CommitError::Deposed) => Ok(false),
            Err(error) => {
                tracing::warn!(%error, "archive's id not stored; trying again");
                Ok(false)
            }
        }
    }
}
