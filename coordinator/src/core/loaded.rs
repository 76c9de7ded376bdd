//! What is in the store, taken in key by key as it is read: a new leader need not wait for all of it before it begins.

use std::{collections::BTreeMap, fmt};

use rookery_tournament::{GameId, LoggedFact, PairId, season::LoggedSeasonFact};

use super::{
    keys::{self, Parsed},
    lists::{Import, ListMeta, ListState},
    seasons::SeasonState,
    state::EventState,
    stored::{Checkpoint, FleetEntry, Lease, Meta, SeasonMeta, StoredResult, decode},
};
use crate::store::{KeyValue, Revision};

/// All keys under `/rookery/v1/`, in their order.
#[derive(Default)]
pub struct Loaded {
    pub(super) events: BTreeMap<String, EventState>,
    pub(super) seasons: BTreeMap<String, SeasonState>,
    pub(super) lists: BTreeMap<String, ListState>,
    pub(super) fleet: BTreeMap<String, (Revision, FleetEntry)>,
    pub(super) leases: Vec<(String, PairId, Revision, Lease)>,
    /// What the archive is told at the beginning of a leadership.
    pub(super) told: Vec<KeyValue>,
    /// Values that do not read.
    pub(super) unread: u64,
    keys: u64,
    /// Facts of events whose specs were not seen yet.
    logs: BTreeMap<String, Vec<LoggedFact>>,
    season_logs: BTreeMap<String, Vec<LoggedSeasonFact>>,
    checkpoints: BTreeMap<(String, GameId), BTreeMap<u32, Checkpoint>>,
    imports: Vec<(String, Import)>,
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded").field("keys", &self.keys).field("unread", &self.unread).finish_non_exhaustive()
    }
}

impl FromIterator<KeyValue> for Loaded {
    fn from_iter<I: IntoIterator<Item = KeyValue>>(all: I) -> Self {
        let mut loaded = Self::default();
        all.into_iter().for_each(|kv| loaded.take(kv));
        loaded
    }
}

impl Loaded {
    /// How many keys were taken.
    #[must_use]
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// Takes the next key. Their order matters: an event's facts and its spec stand before its results.
    pub fn take(&mut self, kv: KeyValue) {
        self.keys += 1;
        let read = match keys::parse_result(&kv.key) {
            Some((uid, _)) => self.take_result(uid, &kv),
            None => self.take_other(kv),
        };
        self.unread += u64::from(read.is_none());
    }

    fn take_result(&mut self, uid: &str, kv: &KeyValue) -> Option<()> {
        let stored = StoredResult::read(&kv.value)?;
        if let Some(facts) = self.logs.remove(uid) {
            self.fold_facts(uid, facts);
        }
        if let Some(state) = self.events.get_mut(uid) {
            state.take_result(&stored);
        }
        Some(())
    }

    fn take_other(&mut self, kv: KeyValue) -> Option<()> {
        use Parsed::{Fleet, Import, List, Log, Meta as OfEvent, Season, SeasonLog};
        let KeyValue { key, value, modified } = &kv;
        let modified = *modified;
        let parsed = keys::parse(key);
        let told = matches!(parsed, OfEvent(_) | Log(..) | Season(_) | SeasonLog(..) | List(_) | Import(..) | Fleet(_));
        let read = match parsed {
            OfEvent(uid) => decode::<Meta>(value).map(|meta| {
                self.events.insert(uid, EventState::new(meta, modified));
            }),
            Log(uid, _) => decode(value).map(|fact| self.logs.entry(uid).or_default().push(fact)),
            Parsed::Lease(uid, pair) => decode(value).map(|lease| self.leases.push((uid, pair, modified, lease))),
            Season(uid) => decode::<SeasonMeta>(value).map(|meta| {
                self.seasons.insert(uid, SeasonState::new(meta, modified));
            }),
            SeasonLog(uid, _) => decode(value).map(|fact| self.season_logs.entry(uid).or_default().push(fact)),
            List(list) => decode::<ListMeta>(value).map(|meta| {
                self.lists.insert(list, ListState { meta, revision: modified, imports: BTreeMap::new() });
            }),
            Import(list, _) => decode(value).map(|import| self.imports.push((list, import))),
            Fleet(worker) => decode(value).map(|entry| {
                self.fleet.insert(worker, (modified, entry));
            }),
            Parsed::Checkpoint(uid, pair, game, seq) => decode::<Checkpoint>(value).map(|checkpoint| {
                let game = GameId { pair, game, take: checkpoint.take };
                self.checkpoints.entry((uid, game)).or_default().insert(seq, checkpoint);
            }),
            Parsed::Result(..) | Parsed::Other => Some(()),
        };
        if told {
            self.told.push(kv);
        }
        read
    }

    fn fold_facts(&mut self, uid: &str, mut facts: Vec<LoggedFact>) {
        facts.sort_by_key(|fact| fact.seq);
        if let Some(state) = self.events.get_mut(uid) {
            facts.into_iter().for_each(|fact| state.take_fact(fact));
        }
    }

    /// All keys were taken: joins what stands apart in them.
    pub(super) fn whole(mut self) -> Self {
        for (uid, facts) in std::mem::take(&mut self.logs) {
            self.fold_facts(&uid, facts);
        }
        for (uid, mut facts) in std::mem::take(&mut self.season_logs) {
            facts.sort_by_key(|fact| fact.seq);
            if let Some(state) = self.seasons.get_mut(&uid) {
                state.log = facts;
            }
        }
        for (list, import) in std::mem::take(&mut self.imports) {
            if let Some(state) = self.lists.get_mut(&list) {
                state.imports.insert(import.digest.clone(), import);
            }
        }
        // Their order is that of their numbers.
        for ((uid, game), checkpoints) in std::mem::take(&mut self.checkpoints) {
            let Some(state) = self.events.get_mut(&uid).filter(|state| state.rule().stores()) else { continue };
            let kept = state.kept.entry(game).or_default();
            checkpoints.into_iter().for_each(|(seq, checkpoint)| kept.fold(seq, checkpoint));
        }
        self
    }
}
