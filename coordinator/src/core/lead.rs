//! Leading: all that is in the store is taken in; and losing the lead.

use std::collections::{BTreeMap, BTreeSet};

use rookery_tournament::{GameId, LoggedFact, PairId, season::LoggedSeasonFact};

use super::{
    Answer, Core, Denied, Effect,
    archive_out::Outgoing,
    keys,
    last_lines::LastLines,
    lists::{Import, ListMeta, ListState},
    seasons::SeasonState,
    state::{EventState, Hand, Lead},
    stored::{Checkpoint, FleetEntry, Lease, Meta, SeasonMeta, StoredResult, decode},
};
use crate::store::{KeyValue, Revision};

impl Core {
    pub(super) fn take_lead(&mut self, since: Revision, store_id: String, loaded: &[KeyValue]) {
        self.step_down();
        self.lead = Some(Lead { since, store_id });
        self.last_tick_ns = 0;
        let mut unread = 0_u64;
        let mut leases: Vec<(String, PairId, Revision, Lease)> = Vec::new();
        let mut checkpoints: BTreeMap<(String, GameId), BTreeMap<u32, Checkpoint>> = BTreeMap::new();
        let mut logs: BTreeMap<String, Vec<LoggedFact>> = BTreeMap::new();
        let mut results: Vec<(String, StoredResult)> = Vec::new();
        let mut season_logs: BTreeMap<String, Vec<LoggedSeasonFact>> = BTreeMap::new();
        let mut imports: Vec<(String, Import)> = Vec::new();
        for kv in loaded {
            let read = match keys::parse(&kv.key) {
                keys::Parsed::Meta(uid) => decode::<Meta>(&kv.value).map(|meta| {
                    self.events.insert(uid, EventState::new(meta, kv.modified));
                }),
                keys::Parsed::Log(uid, _) => decode(&kv.value).map(|fact| logs.entry(uid).or_default().push(fact)),
                keys::Parsed::Result(uid, _) => decode(&kv.value).map(|stored| results.push((uid, stored))),
                keys::Parsed::Lease(uid, pair) => {
                    decode(&kv.value).map(|lease| leases.push((uid, pair, kv.modified, lease)))
                }
                keys::Parsed::Season(uid) => decode::<SeasonMeta>(&kv.value).map(|meta| {
                    self.seasons.insert(uid, SeasonState::new(meta, kv.modified));
                }),
                keys::Parsed::SeasonLog(uid, _) => {
                    decode(&kv.value).map(|fact| season_logs.entry(uid).or_default().push(fact))
                }
                keys::Parsed::List(list) => decode::<ListMeta>(&kv.value).map(|meta| {
                    self.lists.insert(list, ListState { meta, revision: kv.modified, imports: BTreeMap::new() });
                }),
                keys::Parsed::Import(list, _) => decode::<Import>(&kv.value).map(|import| imports.push((list, import))),
                keys::Parsed::Fleet(worker) => decode::<FleetEntry>(&kv.value).map(|entry| {
                    self.fleet_revisions.insert(worker.clone(), kv.modified);
                    self.fleet.insert(worker, entry);
                }),
                keys::Parsed::Checkpoint(uid, pair, game, seq) => decode::<Checkpoint>(&kv.value).map(|checkpoint| {
                    let game = GameId { pair, game, take: checkpoint.take };
                    checkpoints.entry((uid, game)).or_default().insert(seq, checkpoint);
                }),
                keys::Parsed::Other => Some(()),
            };
            unread += u64::from(read.is_none());
        }
        if unread > 0 {
            self.alarm("store", format!("{unread} values in the store do not read; they are left alone"));
        }
        for (list, import) in imports {
            if let Some(state) = self.lists.get_mut(&list) {
                state.imports.insert(import.digest.clone(), import);
            }
        }
        // Facts come before the results that led to them.
        for (uid, mut facts) in logs {
            facts.sort_by_key(|fact| fact.seq);
            if let Some(state) = self.events.get_mut(&uid) {
                facts.into_iter().for_each(|fact| state.take_fact(fact));
            }
        }
        for (uid, mut facts) in season_logs {
            facts.sort_by_key(|fact| fact.seq);
            if let Some(state) = self.seasons.get_mut(&uid) {
                state.log = facts;
            }
        }
        for (uid, stored) in results {
            if let Some(state) = self.events.get_mut(&uid) {
                state.take_result(&stored);
            }
        }
        // Their order is that of their numbers.
        for ((uid, game), checkpoints) in checkpoints {
            let Some(state) = self.events.get_mut(&uid).filter(|state| state.rule().stores()) else { continue };
            let kept = state.kept.entry(game).or_default();
            checkpoints.into_iter().for_each(|(seq, checkpoint)| kept.fold(seq, checkpoint));
        }
        for (uid, pair, revision, lease) in leases {
            self.take_lease(&uid, pair, revision, lease);
        }
        let uids: Vec<String> = self.events.keys().cloned().collect();
        for uid in uids {
            let closed = self.events.get(&uid).is_some_and(EventState::closed);
            if !closed {
                self.ask_book(&uid);
            }
            self.dirty.insert(uid);
        }
        self.dirty.extend(self.seasons.keys().cloned());
        if self.config.former_grace_ms == 0 {
            let former: Vec<String> = self.workers.keys().cloned().collect();
            former.iter().for_each(|id| self.lose(id, false));
        }
        self.offer = true;
        self.journal_lead(loaded);
    }

    fn take_lease(&mut self, uid: &str, pair: PairId, revision: Revision, lease: Lease) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let games = lease.games.iter().filter_map(|id| state.event.game(id)).collect();
        let known = state.pair_mut(pair);
        known.revision = revision;
        known.broken = lease.broken;
        known.last_error = lease.last_error;
        if lease.worker.is_empty() {
            state.hold_broken(pair);
            return;
        }
        let hand = Hand {
            worker: lease.worker.clone(),
            boot: lease.boot,
            class: lease.class,
            attempt: revision,
            games,
            ask_between: lease.ask_between,
            handed_ms: lease.handed_out_ms,
            told: None,
            seen: true,
            asked_back: false,
            asked_in: None,
            after: None,
            ending: false,
            recording: BTreeSet::new(),
            running: BTreeMap::new(),
            back: None,
            not_started: false,
            last: Vec::new(),
            moved_ns: self.now.mono_ns,
        };
        self.put_hand(uid, pair, hand);
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.former = true;
        }
    }

    /// Another leads, or none: nothing more is written or ordered.
    pub(super) fn step_down(&mut self) {
        self.release_answers(true);
        for session in std::mem::take(&mut self.sessions).into_keys() {
            self.out.push(Effect::Close { session });
        }
        for ask in self.writes.clear() {
            let answer: Result<Answer, Denied> = Err(Denied::NotLeader);
            self.out.push(Effect::Answer { ask, answer });
        }
        self.lead = None;
        self.events.clear();
        self.workers.clear();
        self.seasons.clear();
        self.lists.clear();
        self.fleet.clear();
        self.fleet_revisions.clear();
        self.alarms.clear();
        self.probes.clear();
        self.dirty.clear();
        self.outgoing = Outgoing::default();
        self.last_lines = LastLines::default();
        self.offer = false;
    }
}
