//! Records on their way to the archive, which comes before the store.

use std::collections::{BTreeSet, VecDeque};

use bytes::Bytes;
use rookery_tournament::{GameId, fact::Location};

use super::{
    Core, Effect, Ticket, limits,
    stored::StoredResult,
    writes::{Write, back_off_ns},
};
use crate::{archive::ArchiveError, store::Revision};

/// A record that waits for the archive.
pub(super) struct Item {
    pub(super) uid: String,
    pub(super) game: GameId,
    pub(super) attempt: Revision,
    pub(super) bytes: Bytes,
    /// Without its place in the archive.
    pub(super) stored: StoredResult,
}

/// All records that are not in the archive yet.
#[derive(Default)]
pub(super) struct Outgoing {
    waiting: VecDeque<Item>,
    bytes: usize,
    sent: Option<(Ticket, Vec<Item>)>,
    tries: u32,
    retry_ns: u64,
    /// Workers whose results found no room; they say them again after a reconnect.
    pub(super) turned_away: BTreeSet<String>,
}

impl Outgoing {
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= limits::ARCHIVE_WAITING_BYTES
    }

    /// Whether so much waits that results may soon have to stay with their workers.
    pub(super) const fn lags(&self) -> bool {
        self.bytes > limits::ARCHIVE_WAITING_BYTES / 4
    }

    pub(super) fn push(&mut self, item: Item) {
        self.bytes += item.bytes.len();
        self.waiting.push_back(item);
    }

    pub(super) fn wake_at(&self) -> Option<u64> {
        (self.sent.is_none() && !self.waiting.is_empty()).then_some(self.retry_ns)
    }
}

impl Core {
    /// Sends a batch: at once where none is on its way; what comes meanwhile gathers.
    pub(super) fn flush_archive(&mut self) {
        let outgoing = &mut self.outgoing;
        if outgoing.sent.is_some() || outgoing.waiting.is_empty() || outgoing.retry_ns > self.now.mono_ns {
            return;
        }
        let (mut items, mut bytes) = (Vec::new(), 0);
        while let Some(item) = outgoing.waiting.pop_front() {
            bytes += item.bytes.len();
            items.push(item);
            let next = outgoing.waiting.front().map_or(0, |item| item.bytes.len());
            if items.len() >= limits::ARCHIVE_RECORDS || bytes + next > limits::ARCHIVE_BYTES {
                break;
            }
        }
        let records = items.iter().map(|item| item.bytes.clone()).collect();
        let ticket = self.ticket();
        self.outgoing.sent = Some((ticket, items));
        self.out.push(Effect::Archive { ticket, records });
    }

    /// Workers whose results could not be taken connect anew, and say them again.
    pub(super) fn hear_again(&mut self) {
        for worker in std::mem::take(&mut self.outgoing.turned_away) {
            self.close_worker(&worker);
        }
    }

    pub(super) fn archived(&mut self, ticket: Ticket, outcome: Result<Vec<Location>, ArchiveError>) {
        let Some((sent, items)) = self.outgoing.sent.take() else { return };
        if sent != ticket {
            self.outgoing.sent = Some((sent, items));
            return;
        }
        match outcome {
            Ok(locations) if locations.len() == items.len() => {
                self.outgoing.tries = 0;
                self.outgoing.retry_ns = 0;
                self.alarms.remove("archive");
                for (item, location) in items.into_iter().zip(locations) {
                    self.outgoing.bytes = self.outgoing.bytes.saturating_sub(item.bytes.len());
                    let Item { uid, game, attempt, mut stored, .. } = item;
                    stored.entry.location = location;
                    self.write(Write::Record { uid, game, attempt, stored: Box::new(stored) });
                }
                self.decide_again();
                self.hear_again();
            }
            outcome => {
                let why = match outcome {
                    Ok(locations) => format!("{} places for {} records", locations.len(), items.len()),
                    Err(error) => error.to_string(),
                };
                self.alarm("archive", format!("{why}; results stay with their workers until it is back"));
                self.outgoing.retry_ns = self.now.mono_ns + back_off_ns(self.outgoing.tries);
                self.outgoing.tries += 1;
                for item in items.into_iter().rev() {
                    self.outgoing.waiting.push_front(item);
                }
            }
        }
    }
}
