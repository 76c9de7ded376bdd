//! The thread that owns the file.

use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    time::Instant,
};

use tokio::sync::{OwnedSemaphorePermit, oneshot, watch};

use super::{
    GROUP, LAZY, REOPEN,
    file::{Broken, OpenDatabase, StoreFile, is_lazy},
};
use crate::store::{CommitError, Leadership, Pages, Revision, StoreError, Txn};

/// What the thread is asked to do; the permit is its place in the queue.
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) _permit: OwnedSemaphorePermit,
}

type Answer<T> = oneshot::Sender<T>;
type Space = Option<(u64, u64)>;

pub(super) enum Work {
    Commit { txn: Txn, answer: Answer<Result<Revision, CommitError>> },
    Read { from: String, to: String, pages: Pages, answer: Answer<Result<(), StoreError>> },
    Space { answer: Answer<Result<Space, StoreError>> },
    Close { answer: Answer<()> },
}

pub(super) type Opened = Result<(String, watch::Receiver<Leadership>), StoreError>;

/// Opens the file, says how that went, and works until it is closed or nobody is left to ask.
pub(super) fn run(path: PathBuf, database: Box<OpenDatabase>, jobs: Receiver<Job>, opened: oneshot::Sender<Opened>) {
    let file = match StoreFile::open(&path, &*database) {
        Ok(file) => file,
        Err(error) => {
            // The one who opened may have gone away meanwhile.
            let _ = opened.send(Err(error));
            return;
        }
    };
    let (leadership, watched) = watch::channel(Leadership::Leading { since: file.since() });
    if opened.send(Ok((file.id().to_owned(), watched))).is_err() {
        return;
    }
    let mut owner = Owner { path, database, id: file.id().to_owned(), file: Some(file), leadership };
    let mut kept = None;
    loop {
        let job = match kept.take() {
            Some(job) => Ok(job),
            None => owner.wait(&jobs),
        };
        match job.map(|job: Job| job.work) {
            Ok(Work::Commit { txn, answer }) => {
                let mut group = vec![(txn, answer)];
                while group.len() < GROUP {
                    match jobs.try_recv() {
                        Ok(Job { work: Work::Commit { txn, answer }, .. }) => group.push((txn, answer)),
                        Ok(other) => {
                            kept = Some(other);
                            break;
                        }
                        Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                    }
                }
                // What needs no sync does not wait for what does: a hand-out is answered before results are written out.
                // Transactions that are on their way together have no order among them.
                let (lazy, durable) = group.into_iter().partition(|(txn, _)| is_lazy(txn));
                owner.commit(lazy);
                owner.commit(durable);
            }
            Ok(Work::Read { from, to, pages, answer }) => {
                let outcome = owner.read(&from, &to, pages);
                let _ = answer.send(outcome); // gone: nobody wants it any more
            }
            Ok(Work::Space { answer }) => {
                let _ = answer.send(owner.space());
            }
            Ok(Work::Close { answer }) => {
                owner.close();
                let _ = answer.send(());
                return;
            }
            Err(RecvTimeoutError::Timeout) => owner.wake(),
            Err(RecvTimeoutError::Disconnected) => return owner.close(),
        }
        owner.sync_if_due();
    }
}

struct Owner {
    path: PathBuf,
    database: Box<OpenDatabase>,
    id: String,
    /// `None` after the disk failed, until it is opened again.
    file: Option<StoreFile>,
    leadership: watch::Sender<Leadership>,
}

impl Owner {
    fn wait(&self, jobs: &Receiver<Job>) -> Result<Job, RecvTimeoutError> {
        match self.file.as_ref().map(StoreFile::lazy_since) {
            None => jobs.recv_timeout(REOPEN),
            Some(Some(since)) => jobs.recv_timeout((since + LAZY).saturating_duration_since(Instant::now())),
            Some(None) => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn commit(&mut self, group: Vec<(Txn, Answer<Result<Revision, CommitError>>)>) {
        if group.is_empty() {
            return;
        }
        let (txns, answers): (Vec<_>, Vec<_>) = group.into_iter().unzip();
        let outcomes = match self.file.as_mut() {
            None => vec![Err(CommitError::Deposed); txns.len()],
            Some(file) => match file.apply(&txns) {
                Ok(outcomes) => outcomes,
                Err(broken) => {
                    let outcome = Err(broken.outcome());
                    self.lose(broken);
                    vec![outcome; txns.len()]
                }
            },
        };
        for (answer, outcome) in answers.into_iter().zip(outcomes) {
            let _ = answer.send(outcome); // gone: as good as a lost answer
        }
    }

    /// Waits while the one who takes the pages is busy, which is no longer than it takes to read them.
    fn read(&self, from: &str, to: &str, pages: Pages) -> Result<(), StoreError> {
        let file = self.file.as_ref().ok_or_else(|| StoreError::Unavailable("the disk failed".into()))?;
        file.read(from, to, |page| pages.blocking_send(page).is_ok())
    }

    fn space(&self) -> Result<Space, StoreError> {
        let file = self.file.as_ref().ok_or_else(|| StoreError::Unavailable("the disk failed".into()))?;
        file.space().map(Some)
    }

    fn sync_if_due(&mut self) {
        let Some(file) = self.file.as_mut() else { return };
        if file.lazy_since().is_some_and(|since| since.elapsed() >= LAZY)
            && let Err(broken) = file.sync()
        {
            self.lose(broken);
        }
    }

    /// Nothing came in time: a sync is due (which the loop sees to), or the file may open again.
    fn wake(&mut self) {
        if self.file.is_some() {
            return;
        }
        match StoreFile::open(&self.path, &*self.database) {
            Ok(file) if file.id() == self.id => {
                tracing::info!(path = %self.path.display(), "the store is open again");
                self.leadership.send_replace(Leadership::Leading { since: file.since() });
                self.file = Some(file);
            }
            Ok(file) => {
                tracing::error!(path = %self.path.display(), id = file.id(), "another store is in this place now");
            }
            Err(error) => tracing::warn!(%error, "the store does not open again yet"),
        }
    }

    /// After a failed write what was not yet synced is gone from the file, while it was answered for: so who relied on
    /// it must load anew. Leadership ends, and begins again when the file opens.
    fn lose(&mut self, broken: Broken) {
        tracing::error!(path = %self.path.display(), error = %broken, "the store failed");
        self.file = None;
        self.leadership.send_replace(Leadership::Standby { leader: None });
    }

    fn close(&mut self) {
        if let Some(mut file) = self.file.take()
            && let Err(error) = file.finish()
        {
            tracing::error!(path = %self.path.display(), %error, "the last sync failed");
        }
        self.leadership.send_replace(Leadership::Standby { leader: None });
    }
}
