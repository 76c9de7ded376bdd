//! A season as it is written: events, and how engines come from one into another.

use serde::{Deserialize, Serialize};

use crate::spec::{EngineSpec, EventSpec};

/// A season with all defaults filled in. Its JSON is what is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeasonSpec {
    /// Its name.
    pub name: String,
    /// All engines of the season; what they take from an event is filled in when it is opened.
    pub engines: Vec<EngineSpec>,
    /// What makes up for places that are vacant.
    pub vacancies: Vacancies,
    /// In the order of the season.
    pub events: Vec<SeasonEvent>,
    /// Everything random of its events comes from it; `None`: drawn when it is applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// One event of a season.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SeasonEvent {
    /// Its name in the season: `el`.
    pub name: String,
    /// What is played.
    pub event: EventSpec,
    /// Who is in it from the start of the season, in the order of seeding.
    pub entrants: Vec<String>,
    /// So many play where no place is vacant; `None`: those who are in it and those who come.
    pub places: Option<u32>,
    /// Who goes up, for good.
    pub promote: Option<Move>,
    /// Who goes down, from the next season on; `to` is empty where they leave the season's events.
    pub relegate: Option<Move>,
    /// Who play in other events too, and stay in this one.
    #[serde(default, deserialize_with = "one_or_more")]
    pub qualify: Vec<Move>,
    /// Events that must be over before this one opens.
    pub after: Vec<String>,
    /// Whose programs may be others than in the season's events before.
    pub updates: Updates,
    /// Pairs of the test match that an engine plays before it, where its program is another than before; `None`: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_test: Option<u32>,
}

/// Engines that go from one event to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Move {
    /// So many, where no place is vacant.
    pub count: u32,
    /// The other event; empty: none.
    pub to: String,
    /// An event in which those who are level on points about the last of these places play for them. `None`: the
    /// tie-breaks decide.
    pub played_off: Option<String>,
    /// These places of the table, from 1, in place of the first `count`, which is their number; empty: the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<u32>,
    /// Only those who are in no league when the season begins (§2.3); the others are passed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unplaced: bool,
}

/// Once there was one at most.
fn one_or_more<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<Move>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Moves {
        Many(Vec<Move>),
        One(Option<Move>),
    }
    Ok(match Moves::deserialize(from)? {
        Moves::Many(moves) => moves,
        Moves::One(one) => one.into_iter().collect(),
    })
}

/// What makes up for places that are vacant (TCEC §1.8: no engine is put into one from below before the season).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vacancies {
    /// The league plays short; fewer are relegated from it and from those below.
    #[default]
    RelegateLess,
    /// One more is promoted into it for each; fewer are relegated from those below.
    PromoteMore,
}

/// Whose programs may change between events (§1.7, §12.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Updates {
    /// Of those who came up into this event.
    #[default]
    Promoted,
    /// Of all.
    All,
    /// Of nobody.
    None,
}

impl SeasonEvent {
    /// Whether engines go up from it or down.
    #[must_use]
    pub const fn is_league(&self) -> bool {
        self.promote.is_some() || self.relegate.is_some()
    }
}

impl SeasonSpec {
    /// Whether an engine is in a league when the season begins.
    #[must_use]
    pub fn is_placed(&self, engine: &str) -> bool {
        self.events.iter().any(|event| event.is_league() && event.entrants.iter().any(|one| one == engine))
    }

    /// One event.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&SeasonEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// A text that is the same for the same season and another for another one.
    #[must_use]
    pub fn digest_input(&self) -> String {
        // Texts, numbers, lists and maps with text keys: nothing that JSON refuses.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The event in which another's places are played off, and whose.
    #[must_use]
    pub fn played_off_in(&self, name: &str) -> Option<(&SeasonEvent, &Move)> {
        self.events.iter().find_map(|event| {
            let mut moves = event.promote.iter().chain(&event.qualify);
            let found = moves.find(|m| m.played_off.as_deref() == Some(name))?;
            Some((event, found))
        })
    }
}
