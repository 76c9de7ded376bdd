//! Results on record, packed: a million of them are held in memory.

use std::{collections::BTreeMap, sync::Arc};

use rookery_game::{Ending, GameResult, Seat};
use rookery_tournament::{EntrantId, GameId, PairId, ResultEntry, fact::Location};

use super::stored::StoredResult;
use crate::store::Revision;

/// Digits of a record's digest.
const DIGITS: usize = 16;

/// Results of one event. Names of workers and segments, which many results share, are held once.
#[derive(Default)]
pub(super) struct Results {
    games: BTreeMap<GameId, Packed>,
    names: Names,
}

#[derive(Default)]
struct Names {
    texts: Vec<Arc<str>>,
    numbers: BTreeMap<Arc<str>, u32>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        // An event has fewer results than numbers.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    fn text(&self, number: u32) -> String {
        self.texts.get(number as usize).map_or_else(String::new, |text| (**text).to_owned())
    }
}

/// The digest of a record, as text of sixteen digits or as a name where it is anything else.
#[derive(Clone, Copy)]
enum Digest {
    Digits(u64),
    Other(u32),
}

struct Packed {
    attempt: Revision,
    opening: u64,
    offset: u64,
    length: u64,
    digest: Digest,
    first: EntrantId,
    second: EntrantId,
    plies: u32,
    restarts: u32,
    worker: u32,
    segment: u32,
    r_mobility: Option<i32>,
    result: GameResult,
    ending: Ending,
    fault: Option<Seat>,
    prediction: Option<Seat>,
}

impl Results {
    /// Whether nothing is on record.
    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    /// Whether this take is on record.
    pub(super) fn contains_key(&self, game: &GameId) -> bool {
        self.games.contains_key(game)
    }

    /// The attempt by which this take came.
    pub(super) fn attempt(&self, game: &GameId) -> Option<Revision> {
        self.games.get(game).map(|packed| packed.attempt)
    }

    pub(super) fn get(&self, game: &GameId) -> Option<StoredResult> {
        self.games.get(game).map(|packed| self.unpack(game, packed))
    }

    /// Games of an entrant, and how many of them ended by a fault of its own.
    pub(super) fn faults_of(&self, entrant: EntrantId) -> (u32, u32) {
        let own = |packed: &&Packed| packed.first == entrant || packed.second == entrant;
        let at_fault = |packed: &&Packed| match packed.fault {
            Some(Seat::First) => packed.first == entrant,
            Some(Seat::Second) => packed.second == entrant,
            None => false,
        };
        let (games, faults) = (self.games.values().filter(own), self.games.values().filter(at_fault));
        (games.count() as u32, faults.count() as u32)
    }

    /// Where this take's record is.
    pub(super) fn location(&self, game: &GameId) -> Option<Location> {
        self.games.get(game).map(|packed| self.location_of(packed))
    }

    /// The newest take on record of a pair's game.
    pub(super) fn newest(&self, pair: PairId, game: u8) -> Option<GameId> {
        let takes = GameId { pair, game, take: 0 }..=GameId { pair, game, take: u32::MAX };
        self.games.range(takes).next_back().map(|(&id, _)| id)
    }

    /// Where all records are, in the order of the games' names.
    pub(super) fn locations(&self) -> impl Iterator<Item = (&GameId, Location)> {
        self.games.iter().map(|(game, packed)| (game, self.location_of(packed)))
    }

    pub(super) fn insert(&mut self, game: GameId, stored: &StoredResult) {
        let StoredResult { entry, attempt, .. } = stored;
        let Location { segment, offset, length, digest } = &entry.location;
        let digits = u64::from_str_radix(digest, 16).ok().filter(|&digits| hex(digits) == *digest);
        let packed = Packed {
            attempt: *attempt,
            opening: entry.opening,
            offset: *offset,
            length: *length,
            digest: digits.map_or_else(|| Digest::Other(self.names.number(digest)), Digest::Digits),
            first: entry.first,
            second: entry.second,
            plies: entry.plies,
            restarts: entry.restarts,
            worker: self.names.number(&entry.worker),
            segment: self.names.number(segment),
            r_mobility: entry.r_mobility,
            result: entry.result,
            ending: entry.ending,
            fault: entry.fault,
            prediction: entry.prediction,
        };
        self.games.insert(game, packed);
    }

    fn unpack(&self, game: &GameId, packed: &Packed) -> StoredResult {
        StoredResult {
            entry: ResultEntry {
                game: *game,
                first: packed.first,
                second: packed.second,
                result: packed.result,
                ending: packed.ending,
                fault: packed.fault,
                plies: packed.plies,
                opening: packed.opening,
                r_mobility: packed.r_mobility,
                prediction: packed.prediction,
                restarts: packed.restarts,
                worker: self.names.text(packed.worker),
                location: self.location_of(packed),
            },
            attempt: packed.attempt,
            // Of all games the event keeps the last one's.
            ended_unix_ms: 0,
        }
    }

    fn location_of(&self, packed: &Packed) -> Location {
        Location {
            segment: self.names.text(packed.segment),
            offset: packed.offset,
            length: packed.length,
            digest: match packed.digest {
                Digest::Digits(digits) => hex(digits),
                Digest::Other(number) => self.names.text(number),
            },
        }
    }
}

fn hex(digits: u64) -> String {
    format!("{digits:0DIGITS$x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(number: u32, digest: &str) -> StoredResult {
        let pair = PairId { stage: 0, round: 1, a: EntrantId(1), b: EntrantId(2), number };
        StoredResult {
            entry: ResultEntry {
                game: GameId { pair, game: 2, take: 3 },
                first: EntrantId(2),
                second: EntrantId(1),
                result: GameResult::SecondWins,
                ending: Ending::TimeLoss,
                fault: Some(Seat::First),
                plies: 77,
                opening: 5_000_000_000,
                r_mobility: Some(-8),
                prediction: Some(Seat::First),
                restarts: 4,
                worker: format!("w{}", number % 2),
                location: Location {
                    segment: "9-1".to_owned(),
                    offset: 6_000_000_000,
                    length: 7_000,
                    digest: digest.to_owned(),
                },
            },
            attempt: 1 << 40,
            ended_unix_ms: 0,
        }
    }

    #[test]
    fn what_is_put_comes_back() {
        let mut results = Results::default();
        let all = ["00000000000000ff", "ffffffffffffffff", "", "FF", "00000000000000FF", "0000000000000000ff"];
        let all: Vec<_> = (1..).zip(all).map(|(number, digest)| stored(number, digest)).collect();
        all.iter().for_each(|stored| results.insert(stored.entry.game, stored));
        for stored in &all {
            let game = &stored.entry.game;
            assert_eq!(results.get(game).as_ref(), Some(stored));
            assert_eq!(results.attempt(game), Some(stored.attempt));
            assert_eq!(results.location(game).as_ref(), Some(&stored.entry.location));
        }
        assert_eq!(results.locations().count(), all.len());
        assert_eq!(results.names.texts.len(), 3 + 4, "two workers, a segment, digests of another form");
    }

    #[test]
    fn a_result_is_small() {
        let bytes = size_of::<Packed>() + size_of::<GameId>();
        assert!(bytes <= 120, "{bytes} bytes for each of a million results");
    }
}
