//! What follows once a write is on record, and once it is known that it never will be.

use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{Fact, GameId, LoggedFact, PairId, format::Want};

use super::{
    AskId, Change, Core, Denied, Effect, keys, limits,
    state::{BookState, EventState},
    stored::{FleetEntry, Lease, StoredResult, cut, decode},
    writes::{Create, FactWrite, Reply, Write},
};
use crate::{
    store::{KeyValue, Revision},
    wire,
};

impl Core {
    /// A write is on record.
    pub(super) fn done(&mut self, write: Write, revision: Revision) {
        match write {
            Write::HandOut { uid, pair } => self.handed_out(&uid, pair, revision),
            Write::Record { uid, game, attempt, stored } => self.recorded(&uid, game, attempt, *stored),
            Write::TakeBack { uid, pair, attempt, broken, error, reply } => {
                self.keep_back(&uid, pair);
                self.taken_back(&uid, pair, revision, broken, &error);
                let hand = self.drop_hand(&uid, pair);
                self.interrupted(&uid, pair);
                self.changed(&uid);
                if let Some(hand) = hand {
                    self.reply(&hand.worker, attempt, reply);
                }
            }
            Write::Drop { uid, pair, revision, reason } => self.dropped(&uid, pair, revision, reason),
            Write::Checkpoint { uid, game, attempt, built } => self.checkpointed(&uid, game, attempt, built),
            Write::Fact(fact) => self.fact_done(*fact, revision),
            Write::Create(create) => self.created(*create, revision),
            Write::Fleet { worker, entry, asks } => self.fleet_done(&worker, entry, revision, &asks),
            Write::Season(season) => self.season_done(*season, revision),
            Write::List(list) => self.list_done(*list, revision),
        }
    }

    fn handed_out(&mut self, uid: &str, pair: PairId, revision: Revision) {
        let unix_ms = self.now.unix_ms;
        let mono_ns = self.now.mono_ns;
        let Some(state) = self.events.get_mut(uid) else { return };
        let known = state.pair_mut(pair);
        known.revision = revision;
        known.nth = known.nth.saturating_add(1);
        let Some(hand) = known.hand.as_mut() else { return };
        hand.attempt = revision;
        hand.handed_ms = unix_ms;
        hand.moved_ns = mono_ns;
        let games: Vec<GameId> = hand.games.iter().map(|game| game.id).collect();
        state.begun(&games);
        let Some(hand) = self.hand(uid, pair) else { return };
        let (worker, boot, asked_back) = (hand.worker.clone(), hand.boot.clone(), hand.asked_back);
        let session = self.workers.get(&worker).filter(|w| w.boot == boot).and_then(|w| w.session);
        let play = if asked_back { None } else { self.play(uid, pair) };
        let (Some(session), Some(play)) = (session, play) else {
            self.end_attempt(uid, pair, false, "", Reply::None);
            return;
        };
        let order = self.tell(&worker, Message::Play(play));
        if let Some(hand) = self.hand_mut(uid, pair) {
            hand.told = Some((session, order));
        }
        self.changed(uid);
    }

    fn recorded(&mut self, uid: &str, game: GameId, attempt: Revision, stored: StoredResult) {
        self.journal_settled(uid, game, attempt, true);
        let Some(state) = self.events.get_mut(uid) else { return };
        state.take_result(&stored);
        state.kept.remove(&game);
        self.last_lines.forget(uid, &game);
        if state.scoring.remove(&game) {
            self.scored(uid, game);
            return;
        }
        let Some(known) = state.pairs.get_mut(&game.pair) else { return };
        let Some(hand) = known.hand.as_mut() else { return };
        hand.recording.remove(&game);
        hand.running.remove(&game);
        hand.moved_ns = self.now.mono_ns;
        let worker = hand.worker.clone();
        let asked_back = hand.asked_back;
        let left = hand.games.iter().find(|g| !state.results.contains_key(&g.id)).map(|g| g.id);
        let go_on = match left {
            None => {
                known.revision = 0;
                (known.nth, known.broken) = (0, 0);
                known.last_error.clear();
                false
            }
            Some(left) => !asked_back && !matches!(state.event.wants(&left), Want::No(_)),
        };
        if left.is_none() {
            self.drop_hand(uid, game.pair);
        }
        if let Some(known) = self.workers.get_mut(&worker) {
            known.faults = 0;
        }
        let id = Some(wire::game_id(uid, &game));
        let message = Message::Recorded(v1::Recorded { attempt, game: id, go_on });
        if left.is_none() {
            self.tell_over(&worker, attempt, message);
        } else {
            self.tell(&worker, message);
            self.end_if_waiting(uid, game.pair);
        }
        self.offer = true;
        self.changed(uid);
    }

    /// The lease as it is after a taking back.
    fn taken_back(&mut self, uid: &str, pair: PairId, revision: Revision, broken: bool, error: &str) {
        let Some(state) = self.events.get_mut(uid) else { return };
        self.last_lines.ended(uid, state, pair, error, self.now.unix_ms);
        let waits = state.set_aside.contains_key(&pair);
        let known = state.pair_mut(pair);
        known.revision = revision;
        known.broken += u32::from(broken);
        if !error.is_empty() {
            known.last_error = cut(error, limits::ERROR_BYTES);
        }
        let broken_off = known.broken;
        // A game that goes on has a limit of its own.
        let aside = broken && broken_off >= limits::PAIR_BROKEN && !waits && !state.goes_on_anew(pair);
        let known = state.pair_mut(pair);
        if aside {
            let error = format!("{} attempts broke; the last: {}", known.broken, known.last_error);
            self.set_aside(uid, pair, error);
        }
    }

    pub(super) fn set_aside(&mut self, uid: &str, pair: PairId, error: String) {
        let Some(state) = self.events.get_mut(uid) else { return };
        if state.set_aside.contains_key(&pair) {
            return;
        }
        state.set_aside.insert(pair, error.clone());
        self.write_fact(uid, Fact::SetAside { pairs: vec![pair], error }, own_change());
    }

    /// Queues a fact that the program itself decided.
    pub(super) fn write_fact(&mut self, uid: &str, fact: Fact, change: Change) {
        self.write(Write::Fact(Box::new(FactWrite {
            uid: uid.to_owned(),
            fact,
            change,
            asks: Vec::new(),
            game: None,
            take_back: Vec::new(),
            logged: None,
            applied: None,
            hand_back: false,
        })));
    }

    fn dropped(&mut self, uid: &str, pair: PairId, revision: Revision, reason: String) {
        if let Some(state) = self.events.get_mut(uid) {
            let known = state.pair_mut(pair);
            known.revision = 0;
            (known.nth, known.broken) = (0, 0);
            known.last_error.clear();
            if known.hand.is_none() {
                state.pairs.remove(&pair);
            }
        }
        if let Some(hand) = self.drop_hand(uid, pair) {
            self.reply(&hand.worker, revision, Reply::Cancel(reason));
        }
        if let Some(state) = self.events.get_mut(uid) {
            state.forget_broken(pair);
        }
        self.changed(uid);
    }

    pub(super) fn reply(&mut self, worker: &str, attempt: Revision, reply: Reply) {
        let message = match reply {
            Reply::None => return,
            Reply::Recorded(game) => Message::Recorded(v1::Recorded { attempt, game, go_on: false }),
            Reply::Discarded(game, reason, detail) => {
                Message::Discarded(v1::Discarded { attempt, game, reason: reason.into(), detail })
            }
            Reply::Cancel(reason) => Message::Cancel(v1::Cancel { attempt, game: None, reason, hand_back: false }),
        };
        self.tell_over(worker, attempt, message);
    }

    fn fact_done(&mut self, write: FactWrite, revision: Revision) {
        let FactWrite { uid, asks, game, take_back, logged, applied, hand_back, .. } = write;
        for pair in take_back {
            self.keep_back(&uid, pair);
            self.taken_back(&uid, pair, revision, false, "");
            if let Some(hand) = self.drop_hand(&uid, pair) {
                self.interrupted(&uid, pair);
                let reason = logged.as_ref().map_or("", |fact| fact.reason.as_str()).to_owned();
                self.reply(&hand.worker, hand.attempt, Reply::Cancel(reason));
            }
        }
        if let Some(state) = self.events.get_mut(&uid) {
            state.facts_pending = state.facts_pending.saturating_sub(1);
            state.meta_revision = revision;
            if let Some(fact) = logged {
                state.take_fact(fact);
            }
        }
        if hand_back {
            self.ask_back(&uid);
        }
        self.changed(&uid);
        self.offer = true;
        for ask in asks {
            let answer = match (&applied, &game) {
                (Some(response), _) => Ok(super::Answer::Applied(response.clone())),
                (None, Some(game)) => self.answer_game(&uid, game),
                (None, None) => self.answer_event(&uid),
            };
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    fn created(&mut self, create: Create, revision: Revision) {
        let Create { meta, facts, books, asks, response } = create;
        let uid = meta.uid.clone();
        let mut state = EventState::new(meta, revision);
        if let Some([book, level_book]) = books {
            (state.book, state.level_book) = (BookState::Ready(book), BookState::Ready(level_book));
        }
        for fact in facts {
            state.take_fact(fact);
        }
        self.events.insert(uid.clone(), state);
        self.offer = true;
        self.changed(&uid);
        for ask in asks {
            let answer = Ok(super::Answer::Applied(Box::new(response.clone())));
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    fn fleet_done(&mut self, worker: &str, entry: FleetEntry, revision: Revision, asks: &[AskId]) {
        let undo = entry.over;
        self.fleet_revisions.insert(worker.to_owned(), revision);
        self.fleet.insert(worker.to_owned(), entry);
        if undo && let Some(known) = self.workers.get_mut(worker) {
            known.faults = 0;
            known.draining = false;
        }
        self.tell_drain(worker);
        self.offer_to(worker);
        for &ask in asks {
            let answer = self.answer_worker(worker);
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    /// A write made no sense any more when it was to leave.
    pub(super) fn moot(&mut self, write: Write) {
        self.failed(write, None, "it makes no sense any more");
    }

    /// A write is not on record and will not be; `there` is what is, where the store said so.
    pub(super) fn failed(&mut self, write: Write, there: Option<&[KeyValue]>, why: &str) {
        match write {
            Write::HandOut { uid, pair } => {
                self.learn(&uid, pair, there);
                if self.hand(&uid, pair).is_some_and(|hand| hand.attempt == 0) {
                    self.drop_hand(&uid, pair);
                }
            }
            Write::Record { uid, game, attempt, stored } => {
                self.not_recorded(&uid, game, attempt, &stored.entry.worker, there);
            }
            Write::TakeBack { uid, pair, attempt, reply, .. } => {
                if !self.learn(&uid, pair, there) {
                    return;
                }
                if let Some(hand) = self.drop_hand(&uid, pair) {
                    self.interrupted(&uid, pair);
                    self.reply(&hand.worker, attempt, reply);
                }
            }
            Write::Drop { uid, pair, revision, reason } => {
                if self.learn(&uid, pair, there) {
                    self.dropped(&uid, pair, revision, reason);
                }
            }
            Write::Checkpoint { uid, game, built, .. } => {
                if let (Some(built), Some(there)) = (built, there)
                    && there.iter().any(|kv| kv.key == keys::checkpoint(&uid, &game.pair, game.game, built.0))
                    && let Some(kept) = self.events.get_mut(&uid).and_then(|state| state.kept.get_mut(&game))
                {
                    // That number is taken.
                    kept.next = kept.next.max(built.0.saturating_add(1));
                }
                if let Some(running) = self.hand_mut(&uid, game.pair).and_then(|hand| hand.running.get_mut(&game)) {
                    running.checkpointing = false;
                    running.thinking_ms = 0;
                }
            }
            Write::Fact(fact) => {
                self.learn_fact(&fact.uid, there);
                self.deny(&fact.asks, why);
            }
            Write::Create(create) => self.deny(&create.asks, why),
            Write::Season(season) => {
                if let Some(state) = self.seasons.get_mut(&season.uid) {
                    state.pending = state.pending.saturating_sub(1);
                }
                self.deny(&season.asks, why);
            }
            Write::List(list) => self.deny(&list.asks, why),
            Write::Fleet { worker, asks, .. } => {
                self.learn_fleet(&worker, there);
                self.deny(&asks, why);
            }
        }
    }

    fn deny(&mut self, asks: &[AskId], why: &str) {
        for &ask in asks {
            let answer = Err(Denied::Unavailable(format!("not done: {why}; ask again")));
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    fn not_recorded(&mut self, uid: &str, game: GameId, attempt: Revision, worker: &str, there: Option<&[KeyValue]>) {
        // A write of an attempt that was over before says nothing of what was scored after it.
        let scored = self.events.get(uid).and_then(|state| state.pairs.get(&game.pair));
        let scored = scored.is_some_and(|known| known.revision == attempt);
        if let Some(hand) = self.hand_mut(uid, game.pair).filter(|hand| hand.attempt == attempt) {
            hand.recording.remove(&game);
            if let Some(known) = self.workers.get_mut(worker) {
                known.played.remove(&(uid.to_owned(), game.pair));
            }
        }
        if self.learn(uid, game.pair, there) {
            self.drop_hand(uid, game.pair);
        }
        let by = self.events.get(uid).and_then(|state| state.results.attempt(&game));
        if by != Some(attempt) {
            self.journal_settled(uid, game, attempt, false);
        }
        if let Some(state) = self.events.get_mut(uid)
            && scored
            && state.scoring.remove(&game)
        {
            // Something else is on record by now; it is looked at again.
            self.changed(uid);
            return;
        }
        let on_record = self.events.get(uid).is_some_and(|state| state.results.contains_key(&game));
        let reason = if on_record { v1::DiscardReason::AlreadyRecorded } else { v1::DiscardReason::AttemptOver };
        let pair = game.pair;
        let game = wire::game_id(uid, &game);
        self.reply(worker, attempt, Reply::Discarded(Some(game), reason, String::new()));
        self.end_if_waiting(uid, pair);
        self.changed(uid);
    }

    /// Takes what the store has of a pair, where a transaction was refused. True where the lease is not what it was.
    fn learn(&mut self, uid: &str, pair: PairId, there: Option<&[KeyValue]>) -> bool {
        let Some(there) = there else { return false };
        let Some(state) = self.events.get_mut(uid) else { return false };
        for kv in there {
            if let keys::Parsed::Result(of, game) = keys::parse(&kv.key)
                && of == uid
                && let Some(stored) = decode::<StoredResult>(&kv.value)
            {
                state.event.fold_result(&stored.entry);
                state.results.insert(game, &stored);
            }
        }
        let key = keys::lease(uid, &pair);
        let known = state.pair_mut(pair);
        let before = known.revision;
        let lease = there.iter().find(|kv| kv.key == key);
        known.revision = lease.map_or(0, |kv| kv.modified);
        known.nth = 0;
        if let Some(lease) = lease.and_then(|kv| decode::<Lease>(&kv.value)) {
            (known.nth, known.broken) = (lease.nth, lease.broken);
            known.last_error = lease.last_error;
        }
        let changed = known.revision != before;
        self.alarm("conflict", format!("pair {pair} was changed by another writer than the leader"));
        changed
    }

    fn learn_fleet(&mut self, worker: &str, there: Option<&[KeyValue]>) {
        let Some(there) = there else { return };
        let key = keys::fleet(worker);
        let known = there.iter().find(|kv| kv.key == key);
        match known.and_then(|kv| Some((kv.modified, decode::<FleetEntry>(&kv.value)?))) {
            Some((revision, entry)) => {
                self.fleet_revisions.insert(worker.to_owned(), revision);
                self.fleet.insert(worker.to_owned(), entry);
            }
            None => {
                self.fleet_revisions.remove(worker);
                self.fleet.remove(worker);
            }
        }
        self.tell_drain(worker);
        self.offer_to(worker);
    }

    fn learn_fact(&mut self, uid: &str, there: Option<&[KeyValue]>) {
        let Some(state) = self.events.get_mut(uid) else { return };
        state.facts_pending = state.facts_pending.saturating_sub(1);
        let Some(there) = there else { return };
        let meta = keys::meta(uid);
        if let Some(kv) = there.iter().find(|kv| kv.key == meta) {
            state.meta_revision = kv.modified;
        }
        let next = keys::log(uid, state.meta.facts + 1);
        if let Some(fact) = there.iter().find(|kv| kv.key == next).and_then(|kv| decode::<LoggedFact>(&kv.value)) {
            state.take_fact(fact);
        }
        self.alarm("conflict", "an event's log was changed by another writer than the leader".to_owned());
        self.changed(uid);
    }

    /// Queues the end of an attempt, once; after the records of it that are on their way.
    pub(super) fn end_attempt(&mut self, uid: &str, pair: PairId, broken: bool, error: &str, reply: Reply) {
        let Some(hand) = self.hand_mut(uid, pair) else { return };
        if hand.attempt == 0 {
            // Its handing-out is on its way; it ends when that is known.
            hand.asked_back = true;
        } else if !hand.recording.is_empty() {
            hand.after.get_or_insert_with(|| (broken, error.to_owned(), reply));
        } else if !hand.ending {
            hand.ending = true;
            let attempt = hand.attempt;
            let error = cut(error, limits::ERROR_BYTES);
            self.write(Write::TakeBack { uid: uid.to_owned(), pair, attempt, broken, error, reply });
        }
    }

    /// Ends an attempt whose end waited for its records.
    fn end_if_waiting(&mut self, uid: &str, pair: PairId) {
        let Some(hand) = self.hand_mut(uid, pair).filter(|hand| hand.recording.is_empty()) else { return };
        if let Some((broken, error, reply)) = hand.after.take() {
            self.end_attempt(uid, pair, broken, &error, reply);
        }
    }
}

/// What the program itself decided.
pub(super) fn own_change() -> Change {
    Change { by: "rookery".to_owned(), reason: String::new(), request_id: String::new() }
}
