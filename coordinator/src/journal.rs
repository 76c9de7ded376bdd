//! The lines of an archive by which a store can be built anew. Each is one line of JSON in a segment, beside the games.
//!
//! - `lead`: a coordinator leads over a store. Behind it stands all that the store has but results, and then what the
//!   store took, in order.
//! - `put`: the store has this value: a spec as applied, a fact, a drained worker. It is written once it is on record.
//! - a game's record names with `stored` the result that is put for it. It is written *before* it is on record.
//! - `settled`: games whose records are on record, and those whose records count nowhere, as their attempts were over.
//! - `recovered`: a store was built anew from what others left.
//!
//! Within one leadership lines are in the order in which things happened, so that no record stands before the facts
//! that it rests on. A record that is not settled may be on record or not: of several the one of the highest attempt,
//! as no pair is handed out again once its result is there.

use bytes::Bytes;
use rookery_tournament::{GameId, ResultEntry};
use serde::{Deserialize, Serialize};

use crate::store::Revision;

/// `events/{event}/results/…`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResult {
    /// The result.
    #[serde(flatten)]
    pub entry: ResultEntry,
    /// The attempt that it came by.
    #[serde(rename = "a")]
    pub attempt: Revision,
    /// When it was over, milliseconds since 1970, where a break is to follow; else 0.
    #[serde(rename = "t", default, skip_serializing_if = "is_zero")]
    pub ended_unix_ms: u64,
}

impl StoredResult {
    /// As [`serde_json::from_slice`] reads it, and several times faster: what is flattened is read as a tree first.
    #[must_use]
    pub fn read(value: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Beside {
            #[serde(rename = "a")]
            attempt: Revision,
            #[serde(rename = "t", default)]
            ended_unix_ms: u64,
        }
        let entry = serde_json::from_slice(value).ok()?;
        let Beside { attempt, ended_unix_ms } = serde_json::from_slice(value).ok()?;
        Some(Self { entry, attempt, ended_unix_ms })
    }
}

const fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// The result that a record was written for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForResult {
    /// The store's id.
    pub store: String,
    /// The event's uid.
    pub event: String,
    /// As it is put, but for the place of the record.
    pub result: StoredResult,
}

/// One game's record, settled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Settled {
    /// The event's uid.
    pub event: String,
    /// Which game.
    pub game: GameId,
    /// By which attempt.
    pub attempt: Revision,
    /// Whether it is on record; else it counts nowhere.
    pub recorded: bool,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A coordinator leads.
    Lead(Lead),
    /// The store has this.
    Put {
        /// The store's id.
        store: String,
        /// The key.
        key: String,
        /// The value, byte for byte.
        value: Bytes,
    },
    /// A game's record.
    Game(Box<ForResult>),
    /// Games whose fate is known.
    Settled {
        /// The store's id.
        store: String,
        /// Which.
        games: Vec<Settled>,
    },
    /// A store was built anew.
    Recovered {
        /// Its id.
        store: String,
        /// The stores whose lines it was built from.
        from: Vec<String>,
    },
    /// A game's record by a version that wrote no such lines.
    Old,
}

/// Who leads, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// The store's id.
    pub store: String,
    /// The leader's revision.
    pub since: Revision,
    /// Milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// What stands before a value, which is the last of its line and is kept byte for byte.
const VALUE: &str = ",\"value\":";
/// What stands before the result in a game's record.
const STORED: &str = ",\"stored\":";

#[derive(Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
enum Head {
    Lead(Lead),
    Put { store: String, key: String },
    Settled { store: String, games: Vec<Settled> },
    Recovered { store: String, from: Vec<String> },
}

fn text<T: Serialize>(value: &T) -> String {
    // Values of ours always have a form in JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// Writes a line; `Game` is written by [`game`].
#[must_use]
pub fn write(line: &Line) -> Bytes {
    let head = match line.clone() {
        Line::Lead(lead) => text(&Head::Lead(lead)),
        Line::Settled { store, games } => text(&Head::Settled { store, games }),
        Line::Recovered { store, from } => text(&Head::Recovered { store, from }),
        Line::Put { store, key, value } => {
            let head = text(&Head::Put { store, key });
            let head = head.strip_suffix('}').unwrap_or(&head);
            return [head.as_bytes(), VALUE.as_bytes(), &value, b"}"].concat().into();
        }
        Line::Game(_) | Line::Old => String::new(),
    };
    head.into()
}

/// A game's record, `record` being its JSON, with the result that is put for it.
#[must_use]
pub fn game(record: &[u8], result: &ForResult) -> Bytes {
    let record = record.strip_suffix(b"}").unwrap_or(record);
    [record, STORED.as_bytes(), text(result).as_bytes(), b"}"].concat().into()
}

/// Reads a line; `None` where it is torn or of something else.
#[must_use]
pub fn read(line: &[u8]) -> Option<Line> {
    #[derive(Deserialize)]
    struct Kind {
        line: Option<serde::de::IgnoredAny>,
        stored: Option<ForResult>,
        name: Option<serde::de::IgnoredAny>,
    }
    let whole = std::str::from_utf8(line).ok()?;
    // All of it is read, so that a torn one is found.
    let kind: Kind = serde_json::from_str(whole).ok()?;
    if kind.line.is_none() {
        return match kind.stored {
            Some(stored) => Some(Line::Game(Box::new(stored))),
            None => kind.name.map(|_| Line::Old),
        };
    }
    let (head, value) = match whole.split_once(VALUE) {
        Some((head, value)) => (format!("{head}}}"), value.strip_suffix('}')?),
        None => (whole.to_owned(), ""),
    };
    Some(match serde_json::from_str(&head).ok()? {
        Head::Lead(lead) => Line::Lead(lead),
        Head::Put { store, key } => Line::Put { store, key, value: Bytes::copy_from_slice(value.as_bytes()) },
        Head::Settled { store, games } => Line::Settled { store, games },
        Head::Recovered { store, from } => Line::Recovered { store, from },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_byte_for_byte() {
        let store = "3c1e".to_owned();
        let odd = br#"{"x": 0.1000000000000000055, "y":[1,",\"value\":"],  "z":"}"}"#;
        let lines = [
            Line::Lead(Lead { store: store.clone(), since: 7, at_unix_ms: 5 }),
            Line::Put { store: store.clone(), key: "/rookery/v1/x\"y".to_owned(), value: Bytes::from_static(odd) },
            Line::Settled { store: store.clone(), games: Vec::new() },
            Line::Recovered { store, from: vec!["a".to_owned()] },
        ];
        for line in lines {
            let written = write(&line);
            assert_eq!(read(&written), Some(line), "{written:?}");
            assert!(!written.contains(&b'\n'));
            for end in 0..written.len() {
                assert_eq!(read(&written[..end]), None, "torn at {end}");
            }
        }
    }

    #[test]
    fn a_result_is_read_as_it_was_written() {
        let text = r#"{"g":"00-0001-00001-00002-000001/2/3","f":2,"b":1,"r":"second-wins","e":"time-loss","x":"first",
            "p":77,"op":5,"m":-8,"ps":"first","rs":4,"w":"w\u00e91","later":{"x":[1]},
            "at":{"s":"9-1","o":6,"l":7,"h":"ff"},"a":1099511627776,"t":12}"#;
        let slow: StoredResult = serde_json::from_str(text).unwrap();
        assert_eq!((slow.attempt, slow.ended_unix_ms, slow.entry.worker.as_str()), (1 << 40, 12, "wé1"));
        assert_eq!(StoredResult::read(text.as_bytes()), Some(slow.clone()));
        let written = serde_json::to_vec(&slow).unwrap();
        assert_eq!(StoredResult::read(&written), Some(slow));
        for end in 0..written.len() {
            assert_eq!(StoredResult::read(&written[..end]), None, "torn at {end}");
        }
        assert_eq!(StoredResult::read(&text.replace("\"a\":1099511627776,", "").into_bytes()), None);
    }

    #[test]
    fn other_lines_are_told_apart() {
        assert_eq!(read(br#"{"event":"e","name":"00-0001-00001-00002-000001/1/1"}"#), Some(Line::Old));
        for other in ["", "[]", "7", r#"{"line":"later"}"#, r#"{"line":"put","store":"s"}"#, r#"{"a":1}"#, "\u{0}"] {
            assert_eq!(read(other.as_bytes()), None, "{other}");
        }
    }
}
