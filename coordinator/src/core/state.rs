//! What the core knows: events, pairs, workers.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rookery_game::opening::Book;
use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{
    EntrantId, Event, GameId, LoggedFact, PairId,
    fact::RosterEntry,
    format::{DueGame, Held},
};

use super::{
    Config, Effect, Now, SessionId, Ticket,
    archive_out::Outgoing,
    interruption::Probing,
    kept::{Back, Kept},
    last_lines::LastLines,
    lists::ListState,
    pace::Lengths,
    results::Results,
    seasons::SeasonState,
    stored::{Checkpoint, FleetEntry, Meta},
    writes::{Reply, Writes},
};
use crate::store::Revision;

/// The coordinator's core.
pub struct Core {
    pub(super) config: Config,
    pub(super) now: Now,
    pub(super) out: Vec<Effect>,
    pub(super) lead: Option<Lead>,
    pub(super) events: BTreeMap<String, EventState>,
    pub(super) workers: BTreeMap<String, Worker>,
    pub(super) sessions: BTreeMap<SessionId, String>,
    pub(super) seasons: BTreeMap<String, SeasonState>,
    /// Rating lists by their names.
    pub(super) lists: BTreeMap<String, ListState>,
    /// Drained and set aside workers, as stored.
    pub(super) fleet: BTreeMap<String, FleetEntry>,
    /// The revisions of those that are stored.
    pub(super) fleet_revisions: BTreeMap<String, Revision>,
    pub(super) writes: Writes,
    pub(super) outgoing: Outgoing,
    /// What engines said last in attempts that came back.
    pub(super) last_lines: LastLines,
    /// What is degraded, by subject.
    pub(super) alarms: BTreeMap<String, String>,
    /// Events in which something changed since facts and wants were looked at.
    pub(super) dirty: BTreeSet<String>,
    /// Whether more may be handed out than was when it was last tried.
    pub(super) offer: bool,
    /// Workers that may have room for more; one that is not in here has none.
    pub(super) roomy: BTreeSet<String>,
    pub(super) last_tick_ns: u64,
    pub(super) tickets: u64,
    /// Tables that were asked about broken games.
    pub(super) probes: BTreeMap<u64, Probing>,
    pub(super) probed: u64,
    /// Until when checkpoints that can wait have used up their share of the store.
    pub(super) checkpoints_ns: u64,
}

/// This process leads.
pub(super) struct Lead {
    pub(super) since: Revision,
    pub(super) store_id: String,
}

/// One event.
pub(super) struct EventState {
    pub(super) meta: Meta,
    pub(super) meta_revision: Revision,
    pub(super) event: Event,
    pub(super) facts: Vec<LoggedFact>,
    pub(super) roster: Vec<RosterEntry>,
    pub(super) seed: u64,
    pub(super) offset: u64,
    /// Openings in the order in which they are played, where it came with what was imported.
    pub(super) opening_order: Vec<u64>,
    pub(super) results: Results,
    /// Pairs with a lease, and those that are being handed out.
    pub(super) pairs: BTreeMap<PairId, Pair>,
    pub(super) held: Held,
    /// How long its games took.
    pub(super) lengths: Lengths,
    /// When its last game was over, where breaks follow; else 0.
    pub(super) ended_unix_ms: u64,
    pub(super) book: BookState,
    /// That for what is played after a level match; empty where there is none.
    pub(super) level_book: BookState,
    /// Facts that are queued or on their way; nothing is handed out before they are there.
    pub(super) facts_pending: u32,
    /// Pairs set aside by facts that are not retried yet.
    pub(super) set_aside: BTreeMap<PairId, String>,
    /// What the store has of games without a result, where the rule for interruptions needs it.
    pub(super) kept: BTreeMap<GameId, Kept>,
    /// Pairs with broken games of which it is not decided yet what becomes of them.
    pub(super) undecided: BTreeSet<PairId>,
    /// Games that were scored by the rule, their records on the way to the archive or the store.
    pub(super) scoring: BTreeSet<GameId>,
    /// Entrants of whose program workers have several builds, and what a person is asked about it.
    pub(super) asked: BTreeMap<EntrantId, String>,
    /// What was decided of broken games by this process, oldest first.
    pub(super) decisions: BTreeMap<GameId, Vec<String>>,
}

/// An event's book.
pub(super) enum BookState {
    Ready(Arc<Book>),
    Wanted,
    Asked,
    Failed { error: String, again_ns: u64 },
}

impl BookState {
    /// Whether it is to be asked for now.
    pub(super) fn is_open(&self, now_ns: u64) -> bool {
        match self {
            Self::Ready(_) | Self::Asked => false,
            Self::Wanted => true,
            Self::Failed { again_ns, .. } => *again_ns <= now_ns,
        }
    }
}

impl EventState {
    /// Its books by their digests, and how far they are.
    pub(super) fn books(&self) -> [(&str, &BookState); 2] {
        [(&self.meta.book, &self.book), (&self.meta.level_book, &self.level_book)]
    }

    pub(super) fn books_mut(&mut self) -> [(&str, &mut BookState); 2] {
        [(&self.meta.book, &mut self.book), (&self.meta.level_book, &mut self.level_book)]
    }

    /// Whether its books are there, so that games can be handed out.
    pub(super) fn has_books(&self) -> bool {
        self.books().iter().all(|(_, book)| matches!(book, BookState::Ready(_)))
    }

    /// Whether a book is to be asked for now.
    pub(super) fn wants_book(&self, now_ns: u64) -> bool {
        self.books().iter().any(|(_, book)| book.is_open(now_ns))
    }
}

/// One pair: what the store has of its lease, and who has it in hand.
#[derive(Default)]
pub(super) struct Pair {
    /// The lease's revision as last known; 0: none.
    pub(super) revision: Revision,
    /// How often it was handed out, as the lease says.
    pub(super) nth: u32,
    pub(super) broken: u32,
    pub(super) last_error: String,
    pub(super) hand: Option<Hand>,
}

/// An assignment in a worker's hands, or on its way there.
pub(super) struct Hand {
    pub(super) worker: String,
    pub(super) boot: String,
    pub(super) class: usize,
    /// 0 until the lease is written.
    pub(super) attempt: Revision,
    pub(super) games: Vec<DueGame>,
    pub(super) ask_between: bool,
    pub(super) handed_ms: u64,
    /// The session and the order by which it was told.
    pub(super) told: Option<(SessionId, u64)>,
    /// The worker said that it has it.
    pub(super) seen: bool,
    /// It is to come back: handed back by the worker, or ended as soon as it is handed out.
    pub(super) asked_back: bool,
    /// The session in which the worker was told so.
    pub(super) asked_in: Option<SessionId>,
    /// How it ends once `recording` is empty: broken, the error, what the worker is told.
    pub(super) after: Option<(bool, String, Reply)>,
    /// It is to be taken back: the write is queued.
    pub(super) ending: bool,
    /// Games whose records are on their way to the archive or the store.
    pub(super) recording: BTreeSet<GameId>,
    pub(super) running: BTreeMap<GameId, Running>,
    /// What came back of a game that was handed back.
    pub(super) back: Option<Box<Back>>,
    /// It came back before its game began.
    pub(super) not_started: bool,
    /// What is stored of its games with its end, by the number of the checkpoint.
    pub(super) last: Vec<(GameId, u32, Checkpoint)>,
    /// When a ply was last played, or it was handed out.
    pub(super) moved_ns: u64,
}

/// A game in play, as its worker tells it.
#[derive(Default)]
pub(super) struct Running {
    pub(super) phase: v1::AttemptPhase,
    pub(super) ply: u32,
    pub(super) plies: Vec<v1::Ply>,
    pub(super) clocks: [Option<u64>; 2],
    pub(super) thinking_ms: u64,
    /// When this attempt's game began, as its worker says; 0: it did not say.
    pub(super) started_unix_ms: u64,
    pub(super) checkpointing: bool,
}

/// A worker, attached or expected back.
pub(super) struct Worker {
    pub(super) boot: String,
    pub(super) hello: v1::Hello,
    pub(super) session: Option<SessionId>,
    pub(super) heard_ns: u64,
    pub(super) beat_unix_ms: u64,
    /// It was in hand when this process began to lead, and did not come back yet.
    pub(super) former: bool,
    /// The number of the last order sent in this session.
    pub(super) order: u64,
    pub(super) draining: bool,
    /// Whether it was told in this session to drain (`true`), or that this is over.
    pub(super) drain_told: Option<bool>,
    pub(super) free: Vec<u32>,
    pub(super) told: Vec<v1::AttemptState>,
    /// What it has in hand, with the class of slot.
    pub(super) hands: BTreeMap<(String, PairId), usize>,
    /// Those of them whose games are all played and on their way to the record: they hold no slot.
    pub(super) played: BTreeSet<(String, PairId)>,
    /// Attempts that were ended by this order, until the worker has handled it.
    pub(super) closed: BTreeMap<Revision, u64>,
    /// Engines that did not start here, with why.
    pub(super) bad_engines: BTreeMap<String, String>,
    /// Until when nothing of them is handed to it.
    pub(super) bad_until_ns: u64,
    /// Events whose setups mean nothing to it.
    pub(super) bad_events: BTreeSet<String>,
    pub(super) faults: u32,
    /// Refused for want of room; nothing more before the next beat.
    pub(super) refused: bool,
}

impl Worker {
    pub(super) fn expected(boot: String, heard_ns: u64) -> Self {
        Self {
            boot,
            hello: v1::Hello::default(),
            session: None,
            heard_ns,
            beat_unix_ms: 0,
            former: false,
            order: 0,
            draining: false,
            drain_told: None,
            free: Vec::new(),
            told: Vec::new(),
            hands: BTreeMap::new(),
            played: BTreeSet::new(),
            closed: BTreeMap::new(),
            bad_engines: BTreeMap::new(),
            bad_until_ns: 0,
            bad_events: BTreeSet::new(),
            faults: 0,
            refused: false,
        }
    }

    /// Assignments that hold a slot of a class, or wait for one.
    pub(super) fn load(&self, class: usize) -> u32 {
        self.hands.iter().filter(|(key, c)| **c == class && !self.played.contains(*key)).count() as u32
    }

    pub(super) fn slots(&self) -> u32 {
        self.hello.slots.iter().map(|class| class.count).sum()
    }
}

impl EventState {
    pub(super) fn pair_mut(&mut self, pair: PairId) -> &mut Pair {
        self.pairs.entry(pair).or_default()
    }

    /// Whether all games of an assignment but `but` are on record.
    pub(super) fn others_recorded(&self, hand: &Hand, but: &GameId) -> bool {
        hand.games.iter().all(|game| game.id == *but || self.results.contains_key(&game.id))
    }

    pub(super) fn name(&self) -> &str {
        &self.meta.name
    }

    pub(super) fn engine_name(&self, entrant: rookery_tournament::EntrantId) -> &str {
        let index = (entrant.0 as usize).wrapping_sub(1);
        self.roster.get(index).map_or("", |entry| entry.engine.as_str())
    }
}

impl Core {
    /// A core that does not lead yet.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config: config.checked(),
            now: Now { mono_ns: 0, unix_ms: 0 },
            out: Vec::new(),
            lead: None,
            events: BTreeMap::new(),
            workers: BTreeMap::new(),
            sessions: BTreeMap::new(),
            seasons: BTreeMap::new(),
            lists: BTreeMap::new(),
            fleet: BTreeMap::new(),
            fleet_revisions: BTreeMap::new(),
            writes: Writes::default(),
            outgoing: Outgoing::default(),
            last_lines: LastLines::default(),
            alarms: BTreeMap::new(),
            dirty: BTreeSet::new(),
            offer: false,
            roomy: BTreeSet::new(),
            last_tick_ns: 0,
            tickets: 0,
            probes: BTreeMap::new(),
            probed: 0,
            checkpoints_ns: 0,
        }
    }

    /// The entry of a worker that is drained or set aside.
    pub(super) fn drained(&self, worker: &str) -> Option<&FleetEntry> {
        self.fleet.get(worker).filter(|entry| !entry.over)
    }

    pub(super) fn since(&self) -> Revision {
        self.lead.as_ref().map_or(0, |lead| lead.since)
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    /// Says something to a worker that is attached; answers the order's number, 0 where it is not attached.
    pub(super) fn tell(&mut self, worker: &str, message: Message) -> u64 {
        let leader_revision = self.since();
        let Some(known) = self.workers.get_mut(worker) else { return 0 };
        let Some(session) = known.session else { return 0 };
        known.order += 1;
        let order = known.order;
        let message = Box::new(v1::AttachResponse { order, leader_revision, message: Some(message) });
        self.out.push(Effect::Send { session, message });
        order
    }

    /// Says that an attempt is over or its game on record, and remembers it until the worker has handled it.
    pub(super) fn tell_over(&mut self, worker: &str, attempt: Revision, message: Message) {
        let order = self.tell(worker, message);
        if let Some(known) = self.workers.get_mut(worker)
            && order > 0
        {
            known.closed.insert(attempt, order);
        }
    }

    pub(super) fn put_hand(&mut self, uid: &str, pair: PairId, hand: Hand) {
        let heard_ns = self.now.mono_ns;
        let worker =
            self.workers.entry(hand.worker.clone()).or_insert_with(|| Worker::expected(hand.boot.clone(), heard_ns));
        worker.hands.insert((uid.to_owned(), pair), hand.class);
        let Some(state) = self.events.get_mut(uid) else { return };
        state.held.pairs.insert(pair);
        for entrant in [pair.a, pair.b] {
            *state.held.entrants.entry(entrant).or_default() += 1;
        }
        state.pair_mut(pair).hand = Some(hand);
    }

    /// A worker may have room again.
    pub(super) fn offer_to(&mut self, worker: &str) {
        self.offer = true;
        if !self.roomy.contains(worker) {
            self.roomy.insert(worker.to_owned());
        }
    }

    /// The pair is in nobody's hands any more; it can be due again.
    pub(super) fn drop_hand(&mut self, uid: &str, pair: PairId) -> Option<Hand> {
        let state = self.events.get_mut(uid)?;
        let known = state.pairs.get_mut(&pair)?;
        let hand = known.hand.take()?;
        let forget = known.revision == 0 && known.broken == 0 && known.last_error.is_empty();
        if forget {
            state.pairs.remove(&pair);
        }
        state.held.pairs.remove(&pair);
        // With both games on record nothing of the pair is due, unless one was to be replayed meanwhile.
        let due_again = |id: &GameId| {
            let newest = state.event.order(id).and_then(|order| state.event.game_at(order));
            newest.is_some_and(|newest| newest.id.take != id.take)
        };
        let due = |game: &DueGame| !state.results.contains_key(&game.id) || due_again(&game.id);
        if hand.games.len() < 2 || hand.games.iter().any(due) {
            state.held.from = 0;
        }
        for entrant in [pair.a, pair.b] {
            if let Some(count) = state.held.entrants.get_mut(&entrant) {
                *count = count.saturating_sub(1);
            }
        }
        if let Some(worker) = self.workers.get_mut(&hand.worker) {
            let key = (uid.to_owned(), pair);
            worker.hands.remove(&key);
            worker.played.remove(&key);
        }
        self.offer_to(&hand.worker);
        Some(hand)
    }

    pub(super) fn hand(&self, uid: &str, pair: PairId) -> Option<&Hand> {
        self.events.get(uid)?.pairs.get(&pair)?.hand.as_ref()
    }

    pub(super) fn hand_mut(&mut self, uid: &str, pair: PairId) -> Option<&mut Hand> {
        self.events.get_mut(uid)?.pairs.get_mut(&pair)?.hand.as_mut()
    }

    /// How often a pair was handed out: which attempt at it is in hand, or was the last.
    pub(super) fn nth(&self, uid: &str, pair: PairId) -> u32 {
        self.events.get(uid).and_then(|state| state.pairs.get(&pair)).map_or(0, |known| known.nth)
    }

    /// The event and pair of an attempt of a worker.
    pub(super) fn attempt_of(&self, worker: &str, attempt: Revision) -> Option<(String, PairId)> {
        let known = self.workers.get(worker)?;
        known.hands.keys().find(|(uid, pair)| self.hand(uid, *pair).is_some_and(|h| h.attempt == attempt)).cloned()
    }

    pub(super) fn alarm(&mut self, subject: &str, text: String) {
        self.alarms.insert(subject.to_owned(), text);
    }

    pub(super) fn changed(&mut self, uid: &str) {
        self.dirty.insert(uid.to_owned());
        self.out.push(Effect::Changed { event_uid: uid.to_owned() });
    }
}
