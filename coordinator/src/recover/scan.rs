//! Reads all segments of an archive, line by line.

use std::collections::{BTreeMap, BTreeSet};

use bytes::{Bytes, BytesMut};
use rookery_tournament::GameId;

use super::RecoverError;
use crate::{
    archive::{Archive, ArchiveError, location},
    journal::{self, Line, Settled, StoredResult},
    store::Revision,
};

/// Bytes that are read at once.
const CHUNK: u64 = 4 << 20;
/// A longer line is none of ours: a record is bounded by the message it came in.
const LINE: usize = 64 << 20;
/// Lines that do not read are named one by one up to here.
const NAMED: usize = 20;

/// What one store wrote.
#[derive(Debug, Default)]
pub(super) struct FromStore {
    /// The newest value of each key.
    pub(super) puts: BTreeMap<String, Bytes>,
    /// The newest attempt's record of each game, by event.
    pub(super) games: BTreeMap<(String, GameId), StoredResult>,
    /// Games that are known to be on record, by these attempts.
    pub(super) recorded: BTreeMap<(String, GameId), Revision>,
    pub(super) led_unix_ms: u64,
    /// The stores that it was built from.
    pub(super) from: Vec<String>,
}

/// All that is in the archive.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) stores: BTreeMap<String, FromStore>,
    pub(super) lines: u64,
    pub(super) segments: usize,
    /// Lines that do not read, and games of versions that wrote no lines to build from.
    pub(super) unread: Vec<String>,
    unread_more: u64,
    old: u64,
}

/// Reads everything, in the order in which each leadership wrote it.
pub(super) async fn scan(archive: &dyn Archive) -> Result<Found, ArchiveError> {
    let mut found = Found::default();
    for (segment, length) in archive.segments().await? {
        found.segments += 1;
        let (mut offset, mut begins, mut line) = (0, 0, BytesMut::new());
        while offset < length {
            let chunk = archive.piece(segment.clone(), offset, CHUNK.min(length - offset)).await?;
            if chunk.is_empty() {
                break;
            }
            offset += chunk.len() as u64;
            for part in chunk.split_inclusive(|byte| *byte == b'\n') {
                if line.len() + part.len() <= LINE {
                    line.extend_from_slice(part);
                }
                if part.ends_with(b"\n") {
                    let whole = line.split().freeze();
                    found.line(&segment, begins, whole.strip_suffix(b"\n").unwrap_or(&whole));
                    begins += whole.len() as u64;
                }
            }
        }
        if !line.is_empty() {
            found.unread(format!("segment {segment} ends in the middle of a line at {begins}"));
        }
    }
    if found.old > 0 {
        let text = format!("{} records are of a version that wrote nothing to build a store from", found.old);
        found.unread.push(text);
    }
    if found.unread_more > 0 {
        let text = format!("{} more lines do not read", found.unread_more);
        found.unread.push(text);
    }
    Ok(found)
}

impl Found {
    fn unread(&mut self, what: String) {
        if self.unread.len() < NAMED {
            self.unread.push(what);
        } else {
            self.unread_more += 1;
        }
    }

    pub(super) fn line(&mut self, segment: &str, offset: u64, bytes: &[u8]) {
        self.lines += 1;
        match journal::read(bytes) {
            None => self.unread(format!("segment {segment}: the line at {offset} does not read")),
            Some(Line::Old) => self.old += 1,
            Some(Line::Lead(lead)) => {
                let store = self.stores.entry(lead.store).or_default();
                store.led_unix_ms = store.led_unix_ms.max(lead.at_unix_ms);
            }
            Some(Line::Put { store, key, value }) => {
                self.stores.entry(store).or_default().puts.insert(key, value);
            }
            Some(Line::Game(game)) => {
                let mut result = game.result;
                result.entry.location = location(segment, offset, bytes);
                self.stores.entry(game.store).or_default().game(game.event, result);
            }
            Some(Line::Settled { store, games }) => {
                let store = self.stores.entry(store).or_default();
                for game in games {
                    store.settle(game);
                }
            }
            Some(Line::Recovered { store, from }) => self.stores.entry(store).or_default().from = from,
        }
    }

    /// The store to build anew, and before it those that it was built from, oldest first.
    pub(super) fn choose(&self, asked: Option<&str>) -> Result<Vec<String>, RecoverError> {
        let led = |id: &String| format!("{id} (led last at {} ms since 1970)", self.stores[id].led_unix_ms);
        let superseded: BTreeSet<&String> = self.stores.values().flat_map(|store| &store.from).collect();
        let newest: Vec<&String> = self.stores.keys().filter(|id| !superseded.contains(id)).collect();
        let chosen = match (asked, newest.as_slice()) {
            (Some(id), _) if self.stores.contains_key(id) => id,
            (Some(id), _) => {
                let stores = self.stores.keys().map(led).collect();
                return Err(RecoverError::Unknown { id: id.to_owned(), stores });
            }
            (None, []) => return Err(RecoverError::Nothing { lines: self.lines, segments: self.segments }),
            (None, [one]) => one.as_str(),
            (None, _) => return Err(RecoverError::Several { stores: newest.into_iter().map(led).collect() }),
        };
        let mut chain: Vec<String> = self.stores[chosen].from.clone();
        chain.retain(|id| id != chosen && self.stores.contains_key(id));
        chain.push(chosen.to_owned());
        Ok(chain)
    }
}

impl FromStore {
    /// Of several records the one of the highest attempt may be on record; of one that was written twice, the first.
    fn game(&mut self, event: String, result: StoredResult) {
        let key = (event, result.entry.game);
        let newer = self.games.get(&key).is_none_or(|known| known.attempt < result.attempt);
        if newer {
            self.games.insert(key, result);
        }
    }

    /// In order, as a game whose record counted nowhere may be scored by the same attempt later.
    fn settle(&mut self, settled: Settled) {
        let Settled { event, game, attempt, recorded } = settled;
        let key = (event, game);
        if recorded {
            self.recorded.insert(key, attempt);
        } else if self.recorded.get(&key) != Some(&attempt)
            && self.games.get(&key).is_some_and(|known| known.attempt == attempt)
        {
            self.games.remove(&key);
        }
    }
}
