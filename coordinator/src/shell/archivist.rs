//! Writes records to the archive, one write at a time: what arrives during a write goes into the next one together,
//! so that one sync serves many games under load, and a lone game waits for nothing.

use std::sync::Arc;

use bytes::Bytes;
use rookery_tournament::fact::Location;
use tokio::sync::mpsc;

use super::{
    driver::{Done, DoneWhat},
    limits,
    metrics::Metrics,
};
use crate::{
    archive::{Archive, ArchiveError},
    core::Ticket,
    store::Revision,
};

/// What one write answered, a ticket each.
pub(super) type Archived = Vec<(Ticket, Result<Vec<Location>, ArchiveError>)>;

#[derive(Debug)]
struct Job {
    epoch: u64,
    since: Revision,
    ticket: Ticket,
    records: Vec<Bytes>,
}

impl Job {
    fn bytes(&self) -> usize {
        self.records.iter().map(Bytes::len).sum()
    }
}

/// What waits for the archive, and whether it is being written.
pub(super) struct Archivist {
    archive: Arc<dyn Archive>,
    done: mpsc::Sender<Done>,
    metrics: Arc<Metrics>,
    waiting: Vec<Job>,
    waiting_bytes: usize,
    writing: bool,
}

impl Archivist {
    pub(super) fn new(archive: Arc<dyn Archive>, done: mpsc::Sender<Done>, metrics: Arc<Metrics>) -> Self {
        Self { archive, done, metrics, waiting: Vec::new(), waiting_bytes: 0, writing: false }
    }

    /// Takes records of a leadership. An error: too much waits already, nothing of it was taken.
    pub(super) fn append(
        &mut self,
        epoch: u64,
        since: Revision,
        ticket: Ticket,
        records: Vec<Bytes>,
    ) -> Result<(), ArchiveError> {
        let job = Job { epoch, since, ticket, records };
        if self.waiting_bytes + job.bytes() > limits::ARCHIVE_WAITING && !self.waiting.is_empty() {
            return Err(ArchiveError::Unavailable("too many records wait to be written".to_owned()));
        }
        self.waiting_bytes += job.bytes();
        self.waiting.push(job);
        self.write();
        Ok(())
    }

    /// A write ended.
    pub(super) fn written(&mut self) {
        self.writing = false;
        self.write();
    }

    /// Whether something waits or is being written.
    pub(super) const fn busy(&self) -> bool {
        self.writing || !self.waiting.is_empty()
    }

    fn write(&mut self) {
        let Some(first) = self.waiting.first() else { return };
        if self.writing {
            return;
        }
        let (epoch, since) = (first.epoch, first.since);
        // A batch never mixes leaderships: each has segments of its own.
        let same = self.waiting.iter().take_while(|job| job.epoch == epoch).count();
        let jobs: Vec<Job> = self.waiting.drain(..same).collect();
        self.waiting_bytes = self.waiting.iter().map(Job::bytes).sum();
        self.writing = true;
        let (archive, done, metrics) = (Arc::clone(&self.archive), self.done.clone(), Arc::clone(&self.metrics));
        tokio::spawn(async move {
            let mut tickets = Vec::with_capacity(jobs.len());
            let mut records = Vec::new();
            for job in jobs {
                tickets.push((job.ticket, job.records.len()));
                records.extend(job.records);
            }
            let written = archive.append(since, records).await;
            if let Err(error) = &written {
                metrics.archive_failed();
                tracing::error!(%error, "records not written; their results stay with the workers");
            }
            let what = DoneWhat::Archived(share_out(tickets, written));
            // A driver that ended waits for nothing any more.
            let _ = done.send(Done { epoch, what }).await;
        });
    }
}

/// Gives each ticket its part of what the write answered.
fn share_out(tickets: Vec<(Ticket, usize)>, written: Result<Vec<Location>, ArchiveError>) -> Archived {
    let total: usize = tickets.iter().map(|(_, count)| count).sum();
    match written {
        Ok(locations) if locations.len() == total => {
            let mut locations = locations.into_iter();
            tickets.into_iter().map(|(ticket, count)| (ticket, Ok(locations.by_ref().take(count).collect()))).collect()
        }
        Ok(locations) => {
            let error = ArchiveError::Damaged(format!("{total} records written, {} places answered", locations.len()));
            tickets.into_iter().map(|(ticket, _)| (ticket, Err(error.clone()))).collect()
        }
        Err(error) => tickets.into_iter().map(|(ticket, _)| (ticket, Err(error.clone()))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(offset: u64) -> Location {
        Location { offset, ..Location::default() }
    }

    #[test]
    fn each_ticket_gets_its_own_places() {
        let tickets = vec![(Ticket(7), 2), (Ticket(8), 0), (Ticket(9), 1)];
        let shared = share_out(tickets, Ok(vec![location(1), location(2), location(3)]));
        assert_eq!(
            shared,
            vec![
                (Ticket(7), Ok(vec![location(1), location(2)])),
                (Ticket(8), Ok(vec![])),
                (Ticket(9), Ok(vec![location(3)])),
            ]
        );
    }

    #[test]
    fn a_short_answer_is_nobodys() {
        let shared = share_out(vec![(Ticket(7), 2)], Ok(vec![location(1)]));
        assert!(matches!(&shared[..], [(Ticket(7), Err(ArchiveError::Damaged(_)))]));
    }
}
