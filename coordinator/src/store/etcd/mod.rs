//! etcd: one leader among replicas, by election with a lease.

mod campaign;
mod fault;
mod link;
mod read;

use std::{
    fmt,
    sync::{Arc, atomic::AtomicBool, atomic::AtomicI64, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use etcd_client::{
    Compare as EtcdCompare, CompareOp, DeleteOptions, Txn as EtcdTxn, TxnOp, TxnOpResponse, TxnResponse,
};
use futures::future::BoxFuture;
use tokio::{
    sync::{Mutex, Semaphore, watch},
    task::JoinHandle,
};

use self::{
    campaign::{Campaign, Shared},
    fault::Fault,
    link::Link,
};
use super::{
    CommitError, Compare, Identity, KeyValue, LEADER_KEY, Leadership, Op, Options, Pages, Revision, STORE_KEY, Store,
    StoreError, Txn, limits,
};

/// Transactions in flight; who comes later waits outside.
const IN_FLIGHT: usize = 256;

/// The members of a cluster, and who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Servers {
    /// `host:port`.
    pub endpoints: Vec<String>,
    /// User and password, where etcd asks for them.
    pub user: Option<(String, Secret)>,
}

/// A password; it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The store in etcd.
pub struct EtcdStore {
    id: String,
    /// The campaign has a link of its own, lest a large load delays the lease.
    link: Link,
    deadline: Duration,
    quota: u64,
    shared: Arc<Shared>,
    in_flight: Semaphore,
    closing: watch::Sender<bool>,
    campaign: Mutex<Option<JoinHandle<()>>>,
}

impl EtcdStore {
    /// Connects, reads the store's id or draws it, and begins to campaign.
    ///
    /// # Errors
    /// `Unavailable` where no member answers with a majority behind it, or the user is not let in; `Refused` where the
    /// store is of a newer schema; `Damaged` where its id makes no sense.
    pub async fn open(servers: Servers, options: Options) -> Result<Self, StoreError> {
        if servers.endpoints.is_empty() {
            return Err(StoreError::Refused("no etcd endpoint is named".into()));
        }
        let servers = Arc::new(servers);
        let link = Link::new(Arc::clone(&servers));
        let id = identity(&link, options.deadline).await?;
        let shared = Arc::new(Shared {
            leadership: watch::Sender::new(Leadership::Standby { leader: None }),
            deposed: watch::Sender::new(0),
            closed: AtomicBool::new(false),
        });
        let campaign = Campaign {
            link: Link::new(servers),
            shared: Arc::clone(&shared),
            advertised: options.advertised,
            candidate: uuid::Uuid::new_v4().to_string(),
            lease: options.lease,
            deadline: options.deadline,
            compact: options.compact,
            held: AtomicI64::new(0),
        };
        let (closing, closed) = watch::channel(false);
        let campaign = tokio::spawn(campaign.run(closed));
        Ok(Self {
            id,
            link,
            deadline: options.deadline,
            quota: options.quota,
            shared,
            in_flight: Semaphore::new(IN_FLIGHT),
            closing,
            campaign: Mutex::new(Some(campaign)),
        })
    }

    async fn send(&self, txn: Txn, since: Revision) -> Result<Revision, CommitError> {
        let mut outcome = Err(Fault::Not("no member".into()));
        for _ in 0..self.link.members() {
            let request = request(&txn, since);
            outcome = self.link.once(self.deadline, |mut c| async move { c.txn(request).await }).await;
            // Only what surely did not happen is sent again.
            if !matches!(outcome, Err(Fault::Not(_))) {
                break;
            }
        }
        let response = outcome.map_err(Fault::of_commit)?;
        if response.succeeded() {
            return Ok(response.header().map_or(0, etcd_client::ResponseHeader::revision));
        }
        let (leader, there) = what_is_there(&response);
        if leader != Some(since) {
            self.shared.deposed.send_replace(since);
            return Err(CommitError::Deposed);
        }
        Err(CommitError::Conflict(there))
    }
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        if let Some(campaign) = self.campaign.get_mut().take() {
            campaign.abort();
        }
    }
}

impl Store for EtcdStore {
    fn id(&self) -> &str {
        &self.id
    }

    fn read(&self, from: &str, to: &str, pages: Pages) -> BoxFuture<'_, Result<(), StoreError>> {
        let (from, to) = (from.to_owned(), to.to_owned());
        Box::pin(async move { read::range(&self.link, self.deadline, &from, &to, pages).await })
    }

    fn commit(&self, txn: Txn) -> BoxFuture<'_, Result<Revision, CommitError>> {
        Box::pin(async move {
            limits::check(&txn)?;
            let Ok(_permit) = self.in_flight.acquire().await else { return Err(CommitError::Deposed) };
            let Leadership::Leading { since } = *self.shared.leadership.borrow() else {
                return Err(CommitError::Deposed);
            };
            self.send(txn, since).await
        })
    }

    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.shared.leadership.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.shared.closed.store(true, Ordering::SeqCst);
            self.shared.leadership.send_replace(Leadership::Standby { leader: None });
            // All permits: nothing is in flight any more, and each call has a deadline.
            if let Ok(all) = self.in_flight.acquire_many(IN_FLIGHT as u32).await {
                all.forget();
            }
            self.in_flight.close();
            self.closing.send_replace(true);
            if let Some(campaign) = self.campaign.lock().await.take() {
                // A campaign that panicked holds nothing that its lease's end does not free.
                let _ = campaign.await;
            }
        })
    }

    fn space(&self) -> BoxFuture<'_, Result<Option<(u64, u64)>, StoreError>> {
        Box::pin(async move {
            let status = self.link.anywhere(self.deadline, |mut c| async move { c.status().await }).await;
            let status = status.map_err(Fault::of_read)?;
            // In use, not on disk: the file does not shrink after a compaction, but its free pages are used again.
            let used = if status.raft_used_db_size() > 0 { status.raft_used_db_size() } else { status.db_size() };
            let quota = u64::try_from(status.db_size_quota()).ok().filter(|quota| *quota > 0).unwrap_or(self.quota);
            Ok(Some((u64::try_from(used).unwrap_or(0), quota)))
        })
    }
}

/// Reads who this store is, or makes a new one. Of several that make it at once, one wins and all read its id.
async fn identity(link: &Link, deadline: Duration) -> Result<String, StoreError> {
    let read = || link.anywhere(deadline, |mut c| async move { c.get(STORE_KEY, None).await });
    let mut found = read().await.map_err(Fault::of_read)?;
    if found.kvs().is_empty() {
        let new = Identity::new().to_bytes()?;
        let txn = EtcdTxn::new()
            .when([EtcdCompare::create_revision(STORE_KEY, CompareOp::Equal, 0)])
            .and_then([TxnOp::put(STORE_KEY, new, None)]);
        // Anywhere: to ask twice is harmless, as only the first can find nothing there.
        let made = link.anywhere(deadline, |mut c| {
            let txn = txn.clone();
            async move { c.txn(txn).await }
        });
        made.await.map_err(Fault::of_read)?;
        found = read().await.map_err(Fault::of_read)?;
    }
    let kv = found.kvs().first().ok_or_else(|| StoreError::Damaged(format!("{STORE_KEY} does not stay")))?;
    Ok(Identity::parse(kv.value(), "etcd")?.id)
}

/// The transaction as etcd takes it: the leader's key is compared besides, and if anything fails, what is there of the
/// compared keys is read. At most 128 of each, as [`limits`] has it.
fn request(txn: &Txn, since: Revision) -> EtcdTxn {
    let mut compares = vec![EtcdCompare::create_revision(LEADER_KEY, CompareOp::Equal, since)];
    let mut reads = vec![TxnOp::get(LEADER_KEY, None)];
    for compare in &txn.compare {
        compares.push(match compare {
            Compare::Absent(key) => EtcdCompare::create_revision(key.as_str(), CompareOp::Equal, 0),
            Compare::Modified(key, revision) => EtcdCompare::mod_revision(key.as_str(), CompareOp::Equal, *revision),
        });
        reads.push(TxnOp::get(compare.key(), None));
    }
    let ops = txn.ops.iter().filter_map(|op| match op {
        Op::Put(key, value) => Some(TxnOp::put(key.as_str(), value.to_vec(), None)),
        Op::Delete(key) => Some(TxnOp::delete(key.as_str(), None)),
        Op::DeleteRange(from, to) if from < to => {
            Some(TxnOp::delete(from.as_str(), Some(DeleteOptions::new().with_range(to.as_str()))))
        }
        Op::DeleteRange(..) => None,
    });
    EtcdTxn::new().when(compares).and_then(ops.collect::<Vec<_>>()).or_else(reads)
}

/// The create revision of the leader's key, and what is there of the compared keys.
fn what_is_there(response: &TxnResponse) -> (Option<Revision>, Vec<KeyValue>) {
    let mut leader = None;
    let mut there = Vec::new();
    for (i, read) in response.op_responses().iter().enumerate() {
        let TxnOpResponse::Get(read) = read else { continue };
        for kv in read.kvs() {
            if i == 0 {
                leader = Some(kv.create_revision());
            } else if let Ok(key) = kv.key_str() {
                let value = Bytes::copy_from_slice(kv.value());
                there.push(KeyValue { key: key.to_owned(), value, modified: kv.mod_revision() });
            }
        }
    }
    (leader, there)
}
