//! One file on this machine. Its lock is its leadership: who has it open leads, from opening to closing.
//!
//! A thread of its own owns the file; transactions that wait while one is written go into the next write together, so
//! that many share one sync. What touches leases and checkpoints alone is synced within [`LAZY`], not at once.

mod file;
#[cfg(test)]
mod tests;
mod thread;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    time::Duration,
};

use futures::future::BoxFuture;
use tokio::sync::{Semaphore, oneshot, watch};

use self::thread::Job;
use super::{CommitError, Leadership, Pages, Revision, Store, StoreError, Txn, limits};

/// Page cache. The whole process aims at 40 MB, and a running event's keys are far fewer than that.
const CACHE: usize = 8 << 20;
/// How long leases and checkpoints may wait for a sync.
const LAZY: Duration = Duration::from_millis(250);
/// Jobs that may wait; who comes later waits outside.
const QUEUE: usize = 1024;
/// Transactions that share a sync: with 1.4 MB each at most, a bound on one write.
const GROUP: usize = 128;
/// Bytes that must be free on the disk; with less, a transaction is refused before it can fail half-way.
const ROOM: u64 = 8 << 20;
/// How often a file that failed is opened again.
const REOPEN: Duration = Duration::from_secs(1);

/// The embedded store.
pub struct EmbeddedStore {
    id: String,
    path: PathBuf,
    jobs: mpsc::SyncSender<Job>,
    room: Arc<Semaphore>,
    leadership: watch::Receiver<Leadership>,
}

impl EmbeddedStore {
    /// Opens the file at `path`, or makes it, with the folders above it.
    ///
    /// # Errors
    /// `Refused` where another process has it open (named with its process id where the system tells) or it is of a
    /// newer schema; `Damaged` where it is not a store; `Unavailable` where the disk or its permissions do not allow it.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Self::open_on(path.into(), Box::new(file::on_disk)).await
    }

    async fn open_on(path: PathBuf, database: Box<file::OpenDatabase>) -> Result<Self, StoreError> {
        let (jobs, receiver) = mpsc::sync_channel(QUEUE);
        let (opened, answer) = oneshot::channel();
        let place = path.clone();
        std::thread::Builder::new()
            .name("store".into())
            .spawn(move || thread::run(place, database, receiver, opened))
            .map_err(|e| StoreError::Unavailable(format!("no thread for the store: {e}")))?;
        let (id, leadership) =
            answer.await.map_err(|_| StoreError::Damaged(format!("{}: cannot be opened", path.display())))??;
        Ok(Self { id, path, jobs, room: Arc::new(Semaphore::new(QUEUE)), leadership })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands a job to the thread; `None` when it has ended.
    async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<T>) -> thread::Work) -> Option<T> {
        let permit = Arc::clone(&self.room).acquire_owned().await.ok()?;
        let (answer, answered) = oneshot::channel();
        self.jobs.try_send(Job { work: job(answer), _permit: permit }).ok()?;
        answered.await.ok()
    }
}

impl Store for EmbeddedStore {
    fn id(&self) -> &str {
        &self.id
    }

    fn read(&self, from: &str, to: &str, pages: Pages) -> BoxFuture<'_, Result<(), StoreError>> {
        let (from, to) = (from.to_owned(), to.to_owned());
        Box::pin(async move {
            self.ask(|answer| thread::Work::Read { from, to, pages, answer })
                .await
                .unwrap_or_else(|| Err(StoreError::Unavailable("the store is closed".into())))
        })
    }

    fn commit(&self, txn: Txn) -> BoxFuture<'_, Result<Revision, CommitError>> {
        Box::pin(async move {
            limits::check(&txn)?;
            if !matches!(*self.leadership.borrow(), Leadership::Leading { .. }) {
                return Err(CommitError::Deposed);
            }
            let asked = self.ask(|answer| thread::Work::Commit { txn, answer }).await;
            asked.unwrap_or_else(|| {
                if matches!(*self.leadership.borrow(), Leadership::Leading { .. }) {
                    Err(CommitError::Unknown("the store's thread has ended".into()))
                } else {
                    Err(CommitError::Deposed)
                }
            })
        })
    }

    fn leadership(&self) -> watch::Receiver<Leadership> {
        self.leadership.clone()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // None: closed before, which is as good.
            let _ = self.ask(|answer| thread::Work::Close { answer }).await;
        })
    }

    fn space(&self) -> BoxFuture<'_, Result<Option<(u64, u64)>, StoreError>> {
        Box::pin(async move {
            self.ask(|answer| thread::Work::Space { answer })
                .await
                .unwrap_or_else(|| Err(StoreError::Unavailable("the store is closed".into())))
        })
    }
}
