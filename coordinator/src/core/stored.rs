//! The values in the store: JSON, so that an operator can read them.

use bytes::Bytes;
use rookery_game::record::{Note, Ply};
use rookery_tournament::{GameId, season::SeasonSpec, spec::Spec};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

pub(super) use crate::journal::StoredResult;
use crate::store::Revision;

/// `events/{event}/meta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct Meta {
    pub(crate) uid: String,
    pub(crate) name: String,
    /// `open` or `stopped`; what else can be said follows from the log and the results.
    pub(crate) phase: String,
    /// The spec as it was when the event began; amendments are facts.
    pub(crate) spec: Spec,
    pub(crate) spec_digest: String,
    /// The openings' digest as `Apply` gave it; empty without a book.
    pub(crate) book: String,
    /// The digest of those for what is played after a level match; empty without them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) level_book: String,
    pub(crate) applied_unix_ms: u64,
    /// How many facts are in the log, so that each one rewrites this.
    pub(crate) facts: u64,
    /// The uid of its season, and its name there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) season: Option<(String, String)>,
}

/// `seasons/{season}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct SeasonMeta {
    pub(crate) uid: String,
    pub(crate) name: String,
    pub(crate) spec: SeasonSpec,
    pub(crate) spec_digest: String,
    /// Everything random of its events comes from it.
    pub(crate) seed: u64,
    /// The openings of each event: digest and how many there are.
    pub(crate) books: std::collections::BTreeMap<String, (String, u64)>,
    /// The same of those for what is played after a level match, where an event has them.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub(crate) level_books: std::collections::BTreeMap<String, (String, u64)>,
    /// Digests of engines that were known when it was applied.
    #[serde(default)]
    pub(crate) digests: Vec<(String, String)>,
    pub(crate) applied_unix_ms: u64,
    /// How many facts are in the log, so that each one rewrites this.
    pub(crate) facts: u64,
}

/// `live/{event}/{pair}/lease`. Its revision is the attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Lease {
    /// Empty: taken back.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) worker: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) boot: String,
    #[serde(default)]
    pub(super) class: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) games: Vec<GameId>,
    #[serde(default)]
    pub(super) ask_between: bool,
    /// Games that go on from a position: which of the pair, and the number of its checkpoint.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) from: Vec<(u8, u32)>,
    pub(super) handed_out_ms: u64,
    /// How often the pair was handed out since a result was on record last, this time included.
    #[serde(default)]
    pub(super) nth: u32,
    /// Attempts that ended without a word, or by the host's fault.
    #[serde(default)]
    pub(super) broken: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) last_error: String,
    /// The leadership and the write that put it here: a write whose answer was lost is recognised by it.
    pub(super) by: (Revision, u64),
}

/// `live/{event}/{pair}/{game}/{seq}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Checkpoint {
    /// Which take of the game.
    #[serde(default = "first_take")]
    pub(super) take: u32,
    /// All that is kept from this ply on is replaced.
    pub(super) first_ply: u32,
    pub(super) plies: Vec<Ply>,
    #[serde(default)]
    pub(super) first_clock_ns: Option<u64>,
    #[serde(default)]
    pub(super) second_clock_ns: Option<u64>,
    /// Who played them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) worker: String,
    /// When the attempt in which they were played began, milliseconds since 1970; 0: not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) started_unix_ms: u64,
    /// Set where the game went on after an interruption: from here, with these clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) restart: Option<RestartMark>,
}

/// How often a game went on, this time included, and all notes about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RestartMark {
    pub(super) restarts: u32,
    pub(super) notes: Vec<Note>,
}

const fn is_zero(value: &u64) -> bool {
    *value == 0
}

const fn first_take() -> u32 {
    1
}

/// `fleet/{worker}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct FleetEntry {
    pub(super) by: String,
    pub(super) reason: String,
    #[serde(default)]
    pub(super) request_id: String,
    pub(super) at_unix_ms: u64,
    /// The drain or the setting aside is over, by these words; kept, so that who and why can be asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) over: bool,
    /// How long its games may go on from then on.
    #[serde(default)]
    pub(super) grace_ms: u64,
}

/// As JSON. Values of ours always have a form in it; where one had none, the empty text would be refused on reading.
pub(crate) fn encode<T: Serialize>(value: &T) -> Bytes {
    serde_json::to_vec(value).map(Bytes::from).unwrap_or_default()
}

pub(crate) fn decode<T: DeserializeOwned>(value: &Bytes) -> Option<T> {
    serde_json::from_slice(value).ok()
}

/// A text cut to at most `bytes`, at a character's edge.
pub(super) fn cut(text: &str, bytes: usize) -> String {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
