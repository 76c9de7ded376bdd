//! The election: a key with a lease, put by who finds it absent. What excludes two leaders is not the lease but the
//! comparison of the key's create revision in every transaction; the lease only says when to try again.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use etcd_client::{Compare, CompareOp, EventType, PutOptions, Txn, TxnOp, WatchOptions};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{fault::Fault, link::Link};
use crate::store::{LEADER_KEY, Leadership, Revision};

/// Parts of a lease: it is renewed after one, given up as lost one before its end, and each attempt to renew it has
/// one: three attempts, on three members.
const PARTS: u32 = 5;
/// How long to wait after a failed attempt to be elected.
const BACK_OFF: Duration = Duration::from_millis(500);

/// What the campaign and the store share.
pub(super) struct Shared {
    pub(super) leadership: watch::Sender<Leadership>,
    /// The newest term in which a transaction found another leader's key, or none.
    pub(super) deposed: watch::Sender<Revision>,
    pub(super) closed: AtomicBool,
}

impl Shared {
    /// Says who leads; who has closed does not lead again.
    fn announce(&self, leadership: Leadership) {
        let leads = matches!(leadership, Leadership::Leading { .. });
        self.leadership.send_if_modified(|known| {
            // Inside: closing sets the flag before it announces, so that one of both is seen.
            if (leads && self.closed.load(Ordering::SeqCst)) || *known == leadership {
                return false;
            }
            *known = leadership;
            true
        });
    }
}

/// The value of the leader's key.
#[derive(Debug, Serialize, Deserialize)]
struct Leader {
    address: String,
    candidate: String,
}

pub(super) struct Campaign {
    pub(super) link: Link,
    pub(super) shared: Arc<Shared>,
    pub(super) advertised: String,
    pub(super) candidate: String,
    pub(super) lease: Duration,
    pub(super) deadline: Duration,
    pub(super) compact: Option<Duration>,
    /// The lease that may be held; 0 for none.
    pub(super) held: AtomicI64,
}

struct Term {
    lease: i64,
    since: Revision,
    length: Duration,
    /// When the lease was last known to begin anew: before the call was sent that began it.
    renewed: Instant,
}

impl Campaign {
    /// Campaigns until `closing` says to stop, and then resigns.
    pub(super) async fn run(self, mut closing: watch::Receiver<bool>) {
        tokio::select! {
            // An error means that the store was dropped; then nobody closes it, and the lease ends by itself.
            closed = closing.wait_for(|closing| *closing) => if closed.is_err() { return },
            never = self.campaign() => match never {},
        }
        self.resign().await;
    }

    async fn campaign(&self) -> Infallible {
        loop {
            if let Err(fault) = self.one_term().await {
                tracing::warn!("cannot stand for leader: {}", fault.text());
                self.shared.announce(Leadership::Standby { leader: None });
                sleep(BACK_OFF).await;
            }
        }
    }

    /// Waits for the leader's key to be absent, tries to be elected, and leads if so.
    async fn one_term(&self) -> Result<(), Fault> {
        self.wait_for_turn().await?;
        let Some(term) = self.stand().await? else { return Ok(()) };
        tracing::info!(since = term.since, "leading");
        self.shared.announce(Leadership::Leading { since: term.since });
        let why = self.hold(term).await;
        tracing::warn!(why, "leading no longer");
        self.shared.announce(Leadership::Standby { leader: None });
        self.resign().await;
        Ok(())
    }

    async fn wait_for_turn(&self) -> Result<(), Fault> {
        loop {
            let found = self.link.anywhere(self.deadline, |mut c| async move { c.get(LEADER_KEY, None).await }).await?;
            let Some(kv) = found.kvs().first() else { return Ok(()) };
            let leader = serde_json::from_slice::<Leader>(kv.value()).ok().map(|leader| leader.address);
            self.shared.announce(Leadership::Standby { leader });
            let after = found.header().map_or(kv.mod_revision(), etcd_client::ResponseHeader::revision) + 1;
            self.watch(after).await?;
        }
    }

    /// Waits for the leader's key to change, or for so long that asking again is due.
    async fn watch(&self, after: Revision) -> Result<(), Fault> {
        let options = WatchOptions::new().with_start_revision(after);
        let watch = self.link.once(self.deadline, |mut c| async move { c.watch(LEADER_KEY, Some(options)).await });
        let mut stream = watch.await?;
        let changed = async {
            while let Ok(Some(response)) = stream.message().await {
                let touched = |e: &etcd_client::Event| matches!(e.event_type(), EventType::Put | EventType::Delete);
                if response.canceled() || response.events().iter().any(touched) {
                    return;
                }
            }
            // The member went away; whoever answers next knows. Not at once, lest this turns in circles.
            sleep(BACK_OFF).await;
        };
        // A member that stands still sends nothing: ask again after a lease.
        let _ = timeout(self.lease, changed).await;
        Ok(())
    }

    async fn stand(&self) -> Result<Option<Term>, Fault> {
        let renewed = Instant::now();
        let seconds = i64::try_from(self.lease.as_secs().max(1)).unwrap_or(i64::MAX);
        let granted = self.link.once(self.deadline, |mut c| async move { c.lease_grant(seconds, None).await }).await?;
        let lease = granted.id();
        self.held.store(lease, Ordering::SeqCst);
        let value = Leader { address: self.advertised.clone(), candidate: self.candidate.clone() };
        let value = serde_json::to_vec(&value).map_err(|e| Fault::Not(e.to_string()))?;
        let txn = Txn::new().when([Compare::create_revision(LEADER_KEY, CompareOp::Equal, 0)]).and_then([TxnOp::put(
            LEADER_KEY,
            value,
            Some(PutOptions::new().with_lease(lease)),
        )]);
        let outcome = self.link.once(self.deadline, |mut c| async move { c.txn(txn).await }).await;
        match outcome {
            Ok(response) if response.succeeded() => {
                let since = response.header().map_or(0, etcd_client::ResponseHeader::revision);
                let length = Duration::from_secs(u64::try_from(granted.ttl()).unwrap_or(0));
                Ok(Some(Term { lease, since, length, renewed }))
            }
            // Elected or not, when there is no answer: without its lease the key goes, and the next attempt is clear.
            outcome => {
                self.resign().await;
                outcome.map(|_| None)
            }
        }
    }

    /// Keeps the lease; answers why it is lost.
    async fn hold(&self, mut term: Term) -> &'static str {
        let part = term.length / PARTS;
        let mut due = term.renewed + part;
        let mut deposed = self.shared.deposed.subscribe();
        let since = term.since;
        let compaction = self.compaction();
        tokio::pin!(compaction);
        loop {
            let lost = term.renewed + term.length - part;
            let renewal = async {
                sleep_until(due).await;
                self.renew(&term, part).await
            };
            tokio::select! {
                biased;
                () = sleep_until(lost) => return "the lease could not be kept",
                _ = deposed.wait_for(|term| *term == since) => return "a transaction found another leader",
                never = &mut compaction => match never {},
                outcome = renewal => match outcome {
                    Ok(renewed) => {
                        term.renewed = renewed;
                        due = renewed + part;
                    }
                    Err(Fault::NoLease) => return "the lease or the leader's key is gone",
                    Err(fault) => {
                        tracing::debug!(?fault, "the lease was not renewed");
                        due = Instant::now() + part / 10;
                    }
                },
            }
        }
    }

    /// Renews the lease and looks whether the key is still there.
    async fn renew(&self, term: &Term, limit: Duration) -> Result<Instant, Fault> {
        let lease = term.lease;
        let renewed = Instant::now();
        self.link.once(limit, |mut c| async move { c.lease_keep_alive(lease).await.map(drop) }).await?;
        let found = self.link.once(limit, |mut c| async move { c.get(LEADER_KEY, None).await }).await;
        match found {
            Ok(found) if found.kvs().first().is_none_or(|kv| kv.create_revision() != term.since) => Err(Fault::NoLease),
            // Not to know is no loss: the lease was renewed.
            _ => Ok(renewed),
        }
    }

    /// Gives the lease back, and the key with it.
    async fn resign(&self) {
        let lease = self.held.swap(0, Ordering::SeqCst);
        if lease == 0 {
            return;
        }
        let limit = self.lease / PARTS;
        let outcome = self.link.anywhere(limit, |mut c| async move { c.lease_revoke(lease).await.map(drop) }).await;
        if let Err(fault) = outcome {
            tracing::debug!(?fault, "the lease was not given back and ends by itself");
        }
    }

    /// Now and then, drops the history that is older than that.
    async fn compaction(&self) -> Infallible {
        let Some(every) = self.compact else { return std::future::pending().await };
        let mut before = None;
        loop {
            let now = self.link.anywhere(self.deadline, |mut c| async move { c.get(LEADER_KEY, None).await }).await;
            let now = now.ok().and_then(|found| found.header().map(etcd_client::ResponseHeader::revision));
            if let Some(revision) = before {
                let compacted = self.link.once(self.deadline, |mut c| async move { c.compact(revision, None).await });
                if let Err(fault) = compacted.await {
                    tracing::debug!(?fault, revision, "not compacted");
                }
            }
            before = now;
            sleep(every).await;
        }
    }
}
