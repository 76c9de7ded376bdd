//! Where state that must outlive a machine is kept: etcd, or one embedded file. One conformance suite for both.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::BoxFuture;
use tokio::sync::{mpsc, watch};

mod embedded;
mod etcd;
mod identity;
mod limits;
mod place;

use identity::Identity;

pub use embedded::EmbeddedStore;
pub use etcd::{EtcdStore, Secret, Servers};
pub use limits::{MAX_BYTES, MAX_COMPARES, MAX_OPS};
pub use place::{Options, Place, open};

/// The first key that is ours.
pub const ROOT: &str = "/rookery/v1/";
/// The first key that is not ours any more (`0` follows `/`).
pub const ROOT_END: &str = "/rookery/v10";
/// Store id and schema number.
pub const STORE_KEY: &str = "/rookery/v1/store";
/// The election.
pub const LEADER_KEY: &str = "/rookery/v1/leader";
/// Under this everything may be lost in a crash without harm: leases and checkpoints.
pub const LIVE: &str = "/rookery/v1/live/";
/// The schema that this version writes; a store with a higher one is refused.
pub const SCHEMA: u32 = 1;

/// A point in the store's history; rises with every transaction, never comes again.
pub type Revision = i64;

/// A key: `/rookery/v1/…`.
pub type Key = String;

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Bytes,
    /// The revision that last wrote it.
    pub modified: Revision,
}

/// What must hold for a transaction to happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// The key is not there.
    Absent(Key),
    /// The key was last written at this revision.
    Modified(Key, Revision),
}

impl Compare {
    /// The key that is compared.
    pub fn key(&self) -> &str {
        match self {
            Self::Absent(key) | Self::Modified(key, _) => key,
        }
    }
}

/// What a transaction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Writes.
    Put(Key, Bytes),
    /// Deletes one key, if it is there.
    Delete(Key),
    /// Deletes all keys `k` with `from <= k < to`.
    DeleteRange(Key, Key),
}

/// All or nothing. The store itself compares the leader's key besides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Txn {
    /// All must hold.
    pub compare: Vec<Compare>,
    /// What happens then.
    pub ops: Vec<Op>,
}

/// Why a transaction has no revision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A comparison failed; what is there now of the compared keys.
    #[error("something else is on record")]
    Conflict(Vec<KeyValue>),
    /// This process does not lead any more.
    #[error("another coordinator leads")]
    Deposed,
    /// It may have happened.
    #[error("no answer from the store: {0}")]
    Unknown(String),
    /// It did not happen.
    #[error("store not reached: {0}")]
    Unavailable(String),
    /// The store has no space.
    #[error("the store is full")]
    Full,
    /// The transaction is larger than the store takes, or touches one key twice; in parts it passes.
    #[error("the transaction is too large: {0}")]
    TooLarge(String),
}

/// Why something could not be read, or the store not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached now.
    #[error("store not reached: {0}")]
    Unavailable(String),
    /// Another process has it (embedded), or it is of a newer schema.
    #[error("{0}")]
    Refused(String),
    /// What is there makes no sense.
    #[error("the store is damaged: {0}")]
    Damaged(String),
}

/// Who leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leadership {
    /// Another coordinator does, at this address, or none that is known.
    Standby {
        /// The leader's advertised address.
        leader: Option<String>,
    },
    /// This one does.
    Leading {
        /// The revision at which it began.
        since: Revision,
    },
}

/// Who takes what is read.
pub type Pages = mpsc::Sender<Vec<KeyValue>>;

/// The store.
pub trait Store: Send + Sync + 'static {
    /// Drawn when the store was made; a store restored from a backup gets a new one.
    fn id(&self) -> &str;
    /// Hands over all keys `k` with `from <= k < to`, in order, in pages as they are read; consistent at one revision.
    /// After an error what was handed over says nothing. Ends early where nobody takes the pages any more.
    fn read(&self, from: &str, to: &str, pages: Pages) -> BoxFuture<'_, Result<(), StoreError>>;
    /// The same in one piece.
    fn load(&self, from: &str, to: &str) -> BoxFuture<'_, Result<Vec<KeyValue>, StoreError>> {
        let (from, to) = (from.to_owned(), to.to_owned());
        Box::pin(async move {
            let (pages, mut taken) = mpsc::channel(1);
            let take = async {
                let mut all = Vec::new();
                while let Some(page) = taken.recv().await {
                    all.extend(page);
                }
                all
            };
            let (read, all) = futures::join!(self.read(&from, &to, pages), take);
            read.map(|()| all)
        })
    }
    /// Carries out a transaction if this process still leads.
    fn commit(&self, txn: Txn) -> BoxFuture<'_, Result<Revision, CommitError>>;
    /// Who leads; the store campaigns by itself from when it was opened.
    fn leadership(&self) -> watch::Receiver<Leadership>;
    /// Gives leadership up and closes; what is in flight is awaited.
    fn close(&self) -> BoxFuture<'_, ()>;
    /// Bytes used and the quota, where known.
    fn space(&self) -> BoxFuture<'_, Result<Option<(u64, u64)>, StoreError>>;
}
