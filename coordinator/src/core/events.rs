//! Events: facts taken in, facts that follow, games that are not wanted any more.

use std::collections::BTreeSet;

use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{
    Event, Fact, LoggedFact, PairId, ResultEntry,
    event::Phase,
    format::{Held, Want},
};

use super::{
    Core, Effect,
    done::own_change,
    limits,
    state::{BookState, EventState},
    stored::{Meta, StoredResult},
    writes::Write,
};
use crate::store::Revision;

impl EventState {
    pub(super) fn new(meta: Meta, meta_revision: Revision) -> Self {
        let event = Event::new(meta.spec.clone());
        Self {
            meta: Meta { facts: 0, ..meta },
            meta_revision,
            event,
            facts: Vec::new(),
            roster: Vec::new(),
            seed: 0,
            offset: 0,
            opening_order: Vec::new(),
            results: super::results::Results::default(),
            pairs: std::collections::BTreeMap::new(),
            held: Held::default(),
            lengths: super::pace::Lengths::default(),
            ended_unix_ms: 0,
            book: BookState::Wanted,
            level_book: BookState::Wanted,
            facts_pending: 0,
            set_aside: std::collections::BTreeMap::new(),
            kept: std::collections::BTreeMap::new(),
            undecided: std::collections::BTreeSet::new(),
            scoring: std::collections::BTreeSet::new(),
            asked: std::collections::BTreeMap::new(),
            decisions: std::collections::BTreeMap::new(),
        }
    }

    /// Takes a fact that is on record into account.
    pub(super) fn take_fact(&mut self, fact: LoggedFact) {
        self.event.fold_fact(&fact);
        self.held.from = 0;
        self.meta.facts = self.meta.facts.max(fact.seq);
        match &fact.fact {
            Fact::Opened { roster, seed, opening_offset, .. } => {
                self.roster.clone_from(roster);
                self.seed = *seed;
                self.offset = *opening_offset;
            }
            Fact::Joined { entry, .. } => self.roster.push(entry.clone()),
            Fact::Imported { order, .. } => self.opening_order.clone_from(order),
            Fact::Froze { engines } => {
                for (entrant, digest) in engines {
                    let at = (entrant.0 as usize).checked_sub(1);
                    if let Some(entry) = at.and_then(|at| self.roster.get_mut(at)) {
                        entry.digest.clone_from(digest);
                    }
                    self.asked.remove(entrant);
                }
            }
            Fact::Withdrawn { entrant, .. } => {
                self.asked.remove(entrant);
            }
            Fact::Amended { spec, .. } => self.meta.spec_digest.clone_from(spec),
            Fact::SetAside { pairs, error } => {
                for pair in pairs {
                    self.set_aside.insert(*pair, error.clone());
                }
            }
            Fact::Retried { pairs } => {
                for pair in pairs {
                    self.set_aside.remove(pair);
                    if let Some(known) = self.pairs.get_mut(pair) {
                        known.broken = 0;
                    }
                }
            }
            Fact::Voided { games } => {
                for game in games {
                    self.set_aside.remove(&game.pair);
                }
            }
            Fact::Stopped { encounter: None, .. } => self.meta.phase = "stopped".to_owned(),
            _ => {}
        }
        self.facts.push(fact);
    }

    /// Takes a result that is on record into account.
    pub(super) fn take_result(&mut self, stored: &StoredResult) {
        self.event.fold_result(&stored.entry);
        self.ended_unix_ms = self.ended_unix_ms.max(stored.ended_unix_ms);
        self.results.insert(stored.entry.game, stored);
    }

    /// What is to be stored of a game that is over now.
    pub(super) fn ends(&self, entry: ResultEntry, attempt: Revision, now_unix_ms: u64) -> StoredResult {
        let breaks = !self.event.spec().event.pause.is_zero();
        StoredResult { entry, attempt, ended_unix_ms: if breaks { now_unix_ms } else { 0 } }
    }

    /// Whether nothing more can be due in it.
    pub(super) fn closed(&self) -> bool {
        matches!(self.event.phase(), Phase::Stopped | Phase::Finished)
    }
}

impl Core {
    /// Puts on record what follows from what changed, and ends what is not wanted any more.
    pub(super) fn settle(&mut self) {
        while let Some(uid) = self.dirty.pop_first() {
            let Some(state) = self.events.get(&uid) else {
                self.settle_season(&uid);
                continue;
            };
            if let Some((season, _)) = &state.meta.season
                && state.closed()
            {
                let season = season.clone();
                self.settle_season(&season);
            }
            let Some(state) = self.events.get(&uid) else { continue };
            if state.wants_book(self.now.mono_ns) && !state.closed() {
                self.ask_book(&uid);
            }
            let Some(state) = self.events.get(&uid) else { continue };
            if state.facts_pending > 0 {
                continue;
            }
            let facts = state.event.facts_due();
            if facts.is_empty() {
                self.end_unwanted(&uid);
                self.decide_broken(&uid);
            }
            for fact in facts {
                self.write_fact(&uid, fact, own_change());
            }
        }
    }

    fn end_unwanted(&mut self, uid: &str) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let closed = match state.event.phase() {
            Phase::Stopped => Some("the event was stopped".to_owned()),
            Phase::Finished => Some("the event is finished".to_owned()),
            _ => None,
        };
        let mut drops: Vec<(PairId, Revision, String)> = Vec::new();
        for (pair, known) in &mut state.pairs {
            let Some(hand) = known.hand.as_mut() else {
                if let Some(why) = &closed
                    && known.revision > 0
                {
                    drops.push((*pair, known.revision, why.clone()));
                }
                continue;
            };
            if hand.ending || !hand.recording.is_empty() {
                continue;
            }
            let left = hand.games.iter().filter(|game| !state.results.contains_key(&game.id));
            let mut why = closed.clone();
            for game in left {
                match (&closed, state.event.wants(&game.id)) {
                    (Some(_), _) => {}
                    (None, Want::No(reason)) => why = Some(reason),
                    (None, _) => {
                        why = None;
                        break;
                    }
                }
            }
            let Some(why) = why else { continue };
            if hand.attempt == 0 {
                hand.asked_back = true;
            } else {
                hand.ending = true;
                drops.push((*pair, hand.attempt, why));
            }
        }
        for (pair, revision, reason) in drops {
            self.write(Write::Drop { uid: uid.to_owned(), pair, revision, reason });
        }
    }

    /// Asks all that is in play of an event back.
    pub(super) fn ask_back(&mut self, uid: &str) {
        let Some(state) = self.events.get_mut(uid) else { return };
        let mut told = Vec::new();
        for (pair, known) in &mut state.pairs {
            let Some(hand) = known.hand.as_mut() else { continue };
            hand.asked_back = true;
            if hand.attempt > 0 && !hand.ending {
                told.push(*pair);
            }
        }
        for pair in told {
            self.tell_asked_back(uid, pair);
        }
    }

    pub(super) fn tell_asked_back(&mut self, uid: &str, pair: PairId) {
        let Some(hand) = self.hand(uid, pair) else { return };
        let (worker, attempt) = (hand.worker.clone(), hand.attempt);
        let reason = "the event is paused".to_owned();
        let cancel = v1::Cancel { attempt, game: None, reason, hand_back: true };
        self.tell(&worker, Message::Cancel(cancel));
        let session = self.workers.get(&worker).and_then(|known| known.session);
        if let Some(hand) = self.hand_mut(uid, pair) {
            hand.asked_in = session;
        }
    }

    /// Asks for an event's books where they are not there; one at a time of those that share a file, as the answer names
    /// the file alone.
    pub(super) fn ask_book(&mut self, uid: &str) {
        let now_ns = self.now.mono_ns;
        let mut in_hand: BTreeSet<String> = BTreeSet::new();
        for state in self.events.values() {
            let asked = state.books().into_iter().filter(|(_, book)| matches!(book, BookState::Asked));
            in_hand.extend(asked.map(|(digest, _)| digest.to_owned()));
        }
        let Some(state) = self.events.get_mut(uid) else { return };
        let spec = &state.event.spec().event;
        let (kind, rules, openings) = (spec.game, spec.rules, spec.openings.clone());
        let level = openings.when_level.as_deref().cloned();
        let mut loads = Vec::new();
        for ((digest, book), openings) in state.books_mut().into_iter().zip([Some(openings), level]) {
            let Some(openings) = openings.filter(|_| !digest.is_empty()) else {
                *book = BookState::Ready(std::sync::Arc::default());
                continue;
            };
            if !book.is_open(now_ns) {
                continue;
            }
            *book = BookState::Wanted;
            if in_hand.insert(digest.to_owned()) {
                *book = BookState::Asked;
                loads.push(Effect::LoadBook { digest: digest.to_owned(), kind, rules, openings });
            }
        }
        self.out.append(&mut loads);
    }

    pub(super) fn book_loaded(
        &mut self,
        digest: &str,
        outcome: &Result<std::sync::Arc<rookery_game::opening::Book>, String>,
    ) {
        let again_ns = self.now.mono_ns + limits::RETRY_MAX_MS * 1_000_000;
        for (of, book) in self.events.values_mut().flat_map(EventState::books_mut) {
            if of == digest && matches!(book, BookState::Asked) {
                *book = match outcome {
                    Ok(book) => BookState::Ready(book.clone()),
                    Err(error) => BookState::Failed { error: error.clone(), again_ns },
                };
            }
        }
        match outcome {
            Ok(_) => {
                self.alarms.remove(&format!("book {digest}"));
                self.offer = true;
                self.decide_again();
                self.hear_again();
            }
            Err(error) => self.alarm(&format!("book {digest}"), format!("book {digest}: {error}")),
        }
        let wants = |state: &EventState| {
            state.books().into_iter().any(|(of, book)| matches!(book, BookState::Wanted) && of == digest)
        };
        let next = self.events.iter().find(|(_, state)| wants(state)).map(|(uid, _)| uid.clone());
        if let Some(uid) = next {
            self.ask_book(&uid);
        }
    }

    pub(super) fn ask_books_again(&mut self) {
        let now = self.now.mono_ns;
        let failed = |state: &EventState| state.books().into_iter().any(|(_, b)| matches!(b, BookState::Failed { .. }));
        let due = |state: &EventState| failed(state) && state.wants_book(now);
        let again: Vec<String> = self.events.iter().filter(|(_, s)| due(s)).map(|(uid, _)| uid.clone()).collect();
        for uid in again {
            self.ask_book(&uid);
        }
    }
}
