//! All keys and ranges of the store, and what a key is.

use rookery_tournament::{GameId, PairId};

/// What all keys begin with.
pub const ROOT: &str = "/rookery/v1/";
/// The end of the range that [`ROOT`] begins.
pub const ROOT_END: &str = "/rookery/v10";

/// `events/{event}/meta`.
#[must_use]
pub fn meta(uid: &str) -> String {
    format!("{ROOT}events/{uid}/meta")
}

/// `events/{event}/log/{seq}`.
#[must_use]
pub fn log(uid: &str, seq: u64) -> String {
    format!("{ROOT}events/{uid}/log/{seq:010}")
}

/// `events/{event}/results/{pair}/{game}/{take}`.
#[must_use]
pub fn result(uid: &str, game: &GameId) -> String {
    format!("{ROOT}events/{uid}/results/{game}")
}

/// `live/{event}/{pair}/lease`.
#[must_use]
pub fn lease(uid: &str, pair: &PairId) -> String {
    format!("{ROOT}live/{uid}/{pair}/lease")
}

/// `live/{event}/{pair}/{game}/{seq}`.
#[must_use]
pub fn checkpoint(uid: &str, pair: &PairId, game: u8, seq: u32) -> String {
    format!("{ROOT}live/{uid}/{pair}/{game}/{seq:08}")
}

/// The range of one game's checkpoints.
#[must_use]
pub fn checkpoints(uid: &str, pair: &PairId, game: u8) -> (String, String) {
    // `0` follows `/`, so that the range is closed and takes nothing but this game.
    (format!("{ROOT}live/{uid}/{pair}/{game}/"), format!("{ROOT}live/{uid}/{pair}/{game}0"))
}

/// The range of all checkpoints of a pair; the lease lies beyond it.
#[must_use]
pub fn all_checkpoints(uid: &str, pair: &PairId) -> (String, String) {
    (format!("{ROOT}live/{uid}/{pair}/1/"), format!("{ROOT}live/{uid}/{pair}/20"))
}

/// `seasons/{season}`.
#[must_use]
pub fn season(uid: &str) -> String {
    format!("{ROOT}seasons/{uid}")
}

/// `seasons/{season}/log/{seq}`.
#[must_use]
pub fn season_log(uid: &str, seq: u64) -> String {
    format!("{ROOT}seasons/{uid}/log/{seq:010}")
}

/// `lists/{list}`.
#[must_use]
pub fn list(list: &str) -> String {
    format!("{ROOT}lists/{list}")
}

/// `lists/{list}/imports/{digest}`.
#[must_use]
pub fn import(list: &str, digest: &str) -> String {
    format!("{ROOT}lists/{list}/imports/{digest}")
}

/// `fleet/{worker}`.
#[must_use]
pub fn fleet(worker: &str) -> String {
    format!("{ROOT}fleet/{worker}")
}

/// What a key is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// An event's meta.
    Meta(String),
    /// A fact.
    Log(String, u64),
    /// A result.
    Result(String, GameId),
    /// A lease.
    Lease(String, PairId),
    /// A checkpoint: game and number.
    Checkpoint(String, PairId, u8, u32),
    /// A season.
    Season(String),
    /// A fact of a season.
    SeasonLog(String, u64),
    /// A rating list.
    List(String),
    /// Games that were brought into a list, by their digest.
    Import(String, String),
    /// A drained or set aside worker.
    Fleet(String),
    /// The store's own, or a later version's.
    Other,
}

/// The event and the game of a result's key. Apart from [`parse`], as there are a million of them.
pub(super) fn parse_result(key: &str) -> Option<(&str, GameId)> {
    let (uid, rest) = key.strip_prefix(ROOT)?.strip_prefix("events/")?.split_once('/')?;
    // With its take: a game's name alone is none of ours.
    let game = rest.strip_prefix("results/").filter(|game| game.split('/').count() == 3)?;
    Some((uid, game.parse().ok()?))
}

/// What a key is; whatever does not read as one of ours is [`Parsed::Other`].
#[must_use]
pub fn parse(key: &str) -> Parsed {
    if let Some((uid, game)) = parse_result(key) {
        return Parsed::Result(uid.to_owned(), game);
    }
    let Some(rest) = key.strip_prefix(ROOT) else { return Parsed::Other };
    let parts: Vec<&str> = rest.split('/').collect();
    let parsed = match parts.as_slice() {
        ["events", uid, "meta"] => Some(Parsed::Meta((*uid).to_owned())),
        ["events", uid, "log", seq] => seq.parse().ok().map(|seq| Parsed::Log((*uid).to_owned(), seq)),
        ["live", uid, pair, "lease"] => pair.parse().ok().map(|pair| Parsed::Lease((*uid).to_owned(), pair)),
        ["live", uid, pair, game, seq] => match (pair.parse(), game.parse(), seq.parse()) {
            (Ok(pair), Ok(game), Ok(seq)) => Some(Parsed::Checkpoint((*uid).to_owned(), pair, game, seq)),
            _ => None,
        },
        ["seasons", uid] => Some(Parsed::Season((*uid).to_owned())),
        ["seasons", uid, "log", seq] => seq.parse().ok().map(|seq| Parsed::SeasonLog((*uid).to_owned(), seq)),
        ["lists", list] => Some(Parsed::List((*list).to_owned())),
        ["lists", list, "imports", digest] => Some(Parsed::Import((*list).to_owned(), (*digest).to_owned())),
        ["fleet", worker] => Some(Parsed::Fleet((*worker).to_owned())),
        _ => None,
    };
    parsed.unwrap_or(Parsed::Other)
}
