//! Leading: all that is in the store is taken in; and losing the lead.

use std::collections::{BTreeMap, BTreeSet};

use rookery_tournament::PairId;

use super::{
    Answer, Core, Denied, Effect,
    archive_out::Outgoing,
    last_lines::LastLines,
    loaded::Loaded,
    state::{EventState, Hand, Lead},
    stored::Lease,
};
use crate::store::Revision;

impl Core {
    pub(super) fn take_lead(&mut self, since: Revision, store_id: String, loaded: Loaded) {
        self.step_down();
        self.lead = Some(Lead { since, store_id });
        self.last_tick_ns = 0;
        let Loaded { events, seasons, lists, fleet, leases, told, unread, .. } = loaded.whole();
        if unread > 0 {
            self.alarm("store", format!("{unread} values in the store do not read; they are left alone"));
        }
        (self.events, self.seasons, self.lists) = (events, seasons, lists);
        for (worker, (revision, entry)) in fleet {
            self.fleet_revisions.insert(worker.clone(), revision);
            self.fleet.insert(worker, entry);
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
        self.journal_lead(&told);
    }

    fn take_lease(&mut self, uid: &str, pair: PairId, revision: Revision, lease: Lease) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let games = lease.games.iter().filter_map(|id| state.event.game(id)).collect();
        let known = state.pair_mut(pair);
        known.revision = revision;
        (known.nth, known.broken) = (lease.nth, lease.broken);
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
