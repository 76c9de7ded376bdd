//! Seasons: what their events wait for, and opening them.
//!
//! A season's state is its spec as applied, its log, and its events, which name it. An event's uid follows from the
//! season's and its name there, so that it is opened once, whoever leads.

mod open;
mod orders;
mod view;

use std::collections::BTreeMap;

use rookery_tournament::season::{Closed, LoggedSeasonFact, Question, SeasonEvent, SeasonFact, event_name};

use super::{Core, Denied, state::EventState, stored::SeasonMeta};
use crate::store::Revision;

/// One season.
pub(super) struct SeasonState {
    pub(super) meta: SeasonMeta,
    pub(super) revision: Revision,
    pub(super) log: Vec<LoggedSeasonFact>,
    /// Facts that are queued or on their way; nothing is opened before they are there.
    pub(super) pending: u32,
    /// What each event that is not open waits for, as it was last asked.
    waits: BTreeMap<String, Vec<Question>>,
}

impl SeasonState {
    pub(super) fn new(meta: SeasonMeta, revision: Revision) -> Self {
        Self { meta, revision, log: Vec::new(), pending: 0, waits: BTreeMap::new() }
    }

    fn skipped(&self, event: &str) -> bool {
        self.log.iter().any(|logged| matches!(&logged.fact, SeasonFact::Skipped { event: of, .. } if of == event))
    }
}

fn event_uid(season: &str, event: &str) -> String {
    format!("{season}-{event}")
}

/// A test match by its event and what is tried. No event's name has a dot.
fn test_event(event: &str, engine: &str, program: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in [engine, "\n", program].concat().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{event}.test.{hash:016x}")
}

/// The line of a question, its name in front.
fn line(question: &Question) -> String {
    format!("{}: {question}", question.name())
}

impl Core {
    fn event_of(&self, season: &str, event: &str) -> Option<(String, &EventState)> {
        let uid = event_uid(season, event);
        self.events.get(&uid).map(|state| (uid, state))
    }

    /// A name that no season has taken for one of its events.
    pub(super) fn is_free(&self, name: &str) -> Result<(), Denied> {
        let taken = self.seasons.values().find(|state| {
            let over = self.is_over(state);
            !over && state.meta.spec.events.iter().any(|event| event_name(&state.meta.name, &event.name) == name)
        });
        match taken {
            Some(state) => {
                let season = &state.meta.name;
                Err(Denied::Precondition(format!("`{name}` is an event of the season `{season}`: apply the season")))
            }
            None => Ok(()),
        }
    }

    /// How the season's events ended that are over, in its order.
    fn closed_events(&self, state: &SeasonState) -> Vec<Closed> {
        let of = |event: &SeasonEvent| {
            let (_, known) = self.event_of(&state.meta.uid, &event.name)?;
            if !known.closed() {
                return None;
            }
            let mut closed = Closed::from_standings(&event.name, &known.event.standings());
            closed.digests = known.roster.iter().map(|e| (e.engine.clone(), e.digest.clone())).collect();
            Some(closed)
        };
        state.meta.spec.events.iter().filter_map(of).collect()
    }

    fn is_over(&self, state: &SeasonState) -> bool {
        state.meta.spec.events.iter().all(|event| {
            let known = self.event_of(&state.meta.uid, &event.name);
            state.skipped(&event.name) || known.is_some_and(|(_, known)| known.closed())
        })
    }
}
