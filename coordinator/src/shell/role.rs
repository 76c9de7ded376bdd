//! Whether this coordinator leads, and how it comes to.

use std::sync::Arc;

use tokio::sync::{mpsc, watch};

use super::{driver::Control, limits};
use crate::{
    archive::Archive,
    core::Loaded,
    store::{CommitError, Compare, KeyValue, Leadership, Op, Revision, Store, StoreError, Txn},
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
                            Some(Control::Lead { since, loaded: Box::new(loaded) })
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
    async fn load(&self) -> Result<Loaded, String> {
        loop {
            match self.read().await {
                Ok((loaded, known)) => {
                    if self.same_archive(known).await? {
                        return Ok(loaded);
                    }
                }
                Err(StoreError::Unavailable(why)) => {
                    tracing::warn!(%why, "store not loaded; trying again")
                }
                Err(error) => return Err(error.to_string()),
            }
            tokio::time::sleep(limits::LOAD_RETRY).await;
        }
    }

    /// Reads the store, and takes it in on another thread meanwhile; the archive's id apart.
    async fn read(&self) -> Result<(Loaded, Option<KeyValue>), StoreError> {
        let (pages, mut taken) = mpsc::channel::<Vec<KeyValue>>(limits::PAGES);
        let taking = tokio::task::spawn_blocking(move || {
            let (mut loaded, mut archive) = (Loaded::default(), None);
            while let Some(page) = taken.blocking_recv() {
                for kv in page {
                    if kv.key == ARCHIVE_KEY {
                        archive = Some(kv);
                    } else {
                        loaded.take(kv);
                    }
                }
            }
            (loaded, archive)
        });
        self.store.read(RANGE.0, RANGE.1, pages).await?;
        taking.await.map_err(|ended| StoreError::Damaged(format!("what is in it was not taken in: {ended}")))
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
