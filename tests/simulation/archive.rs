//! An archive in memory: segments of records, each of one leadership.

use std::collections::BTreeMap;

use bytes::Bytes;
use rookery_tournament::fact::Location;

use crate::dice::hash;

#[derive(Default)]
pub(crate) struct Archive {
    segments: BTreeMap<String, Vec<Bytes>>,
    /// Until when it takes nothing.
    pub(crate) away_until: u64,
}

fn digest(record: &Bytes) -> String {
    format!("{:016x}", hash(record))
}

impl Archive {
    pub(crate) fn append(&mut self, since: i64, records: &[Bytes]) -> Vec<Location> {
        let segment = format!("{since}-1");
        let there = self.segments.entry(segment.clone()).or_default();
        let mut locations = Vec::new();
        for record in records {
            let (offset, length) = (there.len() as u64, record.len() as u64);
            locations.push(Location { segment: segment.clone(), offset, length, digest: digest(record) });
            there.push(record.clone());
        }
        locations
    }

    /// All lines with their places, in the order of leaderships.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&str, u64, &[u8])> {
        let since = |name: &str| name.split('-').next().and_then(|since| since.parse::<i64>().ok()).unwrap_or(0);
        let mut segments: Vec<_> = self.segments.iter().collect();
        segments.sort_by_key(|(name, _)| since(name));
        segments.into_iter().flat_map(|(name, lines)| {
            lines.iter().enumerate().map(move |(at, line)| (name.as_str(), at as u64, line.as_ref()))
        })
    }

    /// The record at a place; `None` where what is there is not what was put there.
    pub(crate) fn read(&self, location: &Location) -> Option<&Bytes> {
        let record = self.segments.get(&location.segment)?.get(usize::try_from(location.offset).ok()?)?;
        (record.len() as u64 == location.length && digest(record) == location.digest).then_some(record)
    }
}
