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
    /// Who plays in another event too, and stays in this one.
    pub qualify: Option<Move>,
    /// Events that must be over before this one opens.
    pub after: Vec<String>,
    /// Whose programs may be others than in the season's events before.
    pub updates: Updates,
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

impl SeasonSpec {
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
            let moves = [event.promote.as_ref(), event.qualify.as_ref()];
            let found = moves.into_iter().flatten().find(|m| m.played_off.as_deref() == Some(name))?;
            Some((event, found))
        })
    }
}
