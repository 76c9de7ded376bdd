//! Names of entrants, pairs and games. They say where something stands in the format and never shift.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// An entrant of an event, numbered from 1 in order of joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntrantId(pub u32);

impl EntrantId {
    /// No entrant: in a draw, a bye.
    pub const NOBODY: Self = Self(0);
}

/// A pair's place in the format. As text `SS-RRRR-AAAAA-BBBBB-NNNNNN`: fixed-width decimal parts, so that the order of
/// texts is the order of places and ranges can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairId {
    /// The stage within the event (0: the main part; later ones: tie-breaks, bronze match). At most 99.
    pub stage: u8,
    /// The round or cycle from 1. At most 9,999.
    pub round: u16,
    /// The entrant named first: it has `First` in the pair's first game unless the format says otherwise.
    pub a: EntrantId,
    /// The other entrant.
    pub b: EntrantId,
    /// The pair's number within stage, round and entrants, from 1. At most 999,999.
    pub number: u32,
}

/// A game within its event: the pair, 1 or 2, and the take from 1. As text `PAIR/GAME/TAKE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId {
    /// Its pair.
    pub pair: PairId,
    /// 1 or 2.
    pub game: u8,
    /// Counts from 1; a replayed game is a new take.
    pub take: u32,
}

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {what}; expected e.g. `{example}`")]
pub struct IdError {
    text: String,
    what: &'static str,
    example: &'static str,
}

impl fmt::Display for PairId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}-{:04}-{:05}-{:05}-{:06}", self.stage, self.round, self.a.0, self.b.0, self.number)
    }
}

impl FromStr for PairId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = || IdError { text: text.to_owned(), what: "pair", example: "00-0001-00001-00002-000001" };
        let mut parts = text.split('-');
        let mut part = |width: usize| -> Result<u32, IdError> {
            let digits = parts.next().ok_or_else(error)?;
            if digits.len() != width || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(error());
            }
            digits.parse().map_err(|_| error())
        };
        let id = Self {
            stage: part(2)? as u8,
            round: part(4)? as u16,
            a: EntrantId(part(5)?),
            b: EntrantId(part(5)?),
            number: part(6)?,
        };
        if parts.next().is_some() { Err(error()) } else { Ok(id) }
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.pair, self.game, self.take)
    }
}

impl FromStr for GameId {
    type Err = IdError;

    /// Also takes `PAIR/GAME`, which is take 1.
    fn from_str(text: &str) -> Result<Self, IdError> {
        let error = || IdError { text: text.to_owned(), what: "game", example: "00-0001-00001-00002-000001/1/1" };
        let mut parts = text.split('/');
        let pair = parts.next().ok_or_else(error)?.parse().map_err(|_| error())?;
        let game = parts.next().and_then(|p| p.parse().ok()).filter(|g| (1..=2).contains(g)).ok_or_else(error)?;
        let take = parts.next().map_or(Some(1), |p| p.parse().ok()).filter(|&t| t > 0).ok_or_else(error)?;
        if parts.next().is_some() { Err(error()) } else { Ok(Self { pair, game, take }) }
    }
}

/// Reads an id from its text, without a copy of it: there are a million of them to read.
struct Text<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = IdError>> serde::de::Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of an id")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Text(std::marker::PhantomData))
            }
        }
    };
}
serde_as_text!(PairId);
serde_as_text!(GameId);
