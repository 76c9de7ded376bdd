//! A world for the core: a store, an archive and workers that do as they are told, and keep what was said.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use rookery_game::opening::Book;
use rookery_proto::v1::{self, attach_request, attach_response::Message};
use rookery_tournament::{
    GameId,
    fact::Location,
    spec::{Spec, parse},
};

use super::super::*;
use crate::{
    archive::ArchiveError,
    journal::{self, Line},
    store::{CommitError, Compare, KeyValue, Op, Revision, Txn},
};

/// A store in memory.
#[derive(Default)]
pub(super) struct FakeStore {
    pub(super) keys: BTreeMap<String, (Bytes, Revision)>,
    pub(super) revision: Revision,
    pub(super) txns: usize,
}

impl FakeStore {
    pub(super) fn commit(&mut self, txn: &Txn) -> Result<Revision, CommitError> {
        let holds = |compare: &Compare| match compare {
            Compare::Absent(key) => !self.keys.contains_key(key),
            Compare::Modified(key, revision) => self.keys.get(key).is_some_and(|(_, at)| at == revision),
        };
        if !txn.compare.iter().all(holds) {
            let there = txn.compare.iter().filter_map(|compare| self.get(compare.key()));
            return Err(CommitError::Conflict(there.collect()));
        }
        self.txns += 1;
        self.revision += 1;
        for op in &txn.ops {
            match op {
                Op::Put(key, value) => {
                    self.keys.insert(key.clone(), (value.clone(), self.revision));
                }
                Op::Delete(key) => {
                    self.keys.remove(key);
                }
                Op::DeleteRange(from, to) => {
                    let gone: Vec<String> =
                        self.keys.range(from.clone()..to.clone()).map(|(key, _)| key.clone()).collect();
                    gone.iter().for_each(|key| drop(self.keys.remove(key)));
                }
            }
        }
        Ok(self.revision)
    }

    fn get(&self, key: &str) -> Option<KeyValue> {
        let (value, modified) = self.keys.get(key)?;
        Some(KeyValue { key: key.to_owned(), value: value.clone(), modified: *modified })
    }

    pub(super) fn load(&self) -> Vec<KeyValue> {
        self.keys.keys().filter_map(|key| self.get(key)).collect()
    }

    pub(super) fn count(&self, part: &str) -> usize {
        self.keys.keys().filter(|key| key.contains(part)).count()
    }
}

/// The core with all around it. What is asked of store and archive waits until it is answered.
pub(super) struct World {
    pub(super) core: Core,
    pub(super) now: Now,
    pub(super) store: FakeStore,
    /// All lines of the archive.
    pub(super) lines: Vec<Bytes>,
    pub(super) archive: Vec<Bytes>,
    pub(super) archive_away: bool,
    pub(super) commits: VecDeque<(Ticket, Txn)>,
    pub(super) archives: VecDeque<(Ticket, Vec<Bytes>)>,
    pub(super) books: Vec<String>,
    /// What is loaded by its digest; an empty book where it is not here.
    pub(super) library: BTreeMap<String, Arc<Book>>,
    pub(super) sent: BTreeMap<SessionId, VecDeque<v1::AttachResponse>>,
    pub(super) closed: Vec<SessionId>,
    pub(super) answers: BTreeMap<AskId, Result<Answer, Denied>>,
    asks: u64,
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(Config { version: "0.1.0".to_owned(), ..Config::default() })
    }

    pub(super) fn with(config: Config) -> Self {
        Self {
            core: Core::new(config),
            now: Now { mono_ns: 1_000_000_000, unix_ms: 1_700_000_000_000 },
            store: FakeStore::default(),
            archive: Vec::new(),
            lines: Vec::new(),
            archive_away: false,
            commits: VecDeque::new(),
            archives: VecDeque::new(),
            books: Vec::new(),
            library: BTreeMap::new(),
            sent: BTreeMap::new(),
            closed: Vec::new(),
            answers: BTreeMap::new(),
            asks: 0,
        }
    }

    /// A world that leads.
    pub(super) fn leading() -> Self {
        let mut world = Self::new();
        world.lead();
        world
    }

    pub(super) fn lead(&mut self) {
        self.store.revision += 1;
        let loaded = self.store.load();
        self.put(Input::Lead {
            since: self.store.revision,
            store_id: "store".to_owned(),
            loaded: Box::new(loaded.into_iter().collect()),
        });
    }

    /// A new process takes over: nothing but the store and the archive is left.
    pub(super) fn restart(&mut self, config: Config) {
        self.core = Core::new(config);
        self.commits.clear();
        self.archives.clear();
        self.sent.clear();
        self.closed.clear();
        self.lead();
    }

    /// One input; its effects are kept.
    pub(super) fn put(&mut self, input: Input) {
        for effect in self.core.handle(self.now, input) {
            match effect {
                Effect::Commit { ticket, txn } => self.commits.push_back((ticket, txn)),
                Effect::Archive { ticket, records } => self.archives.push_back((ticket, records)),
                Effect::LoadBook { digest, .. } => self.books.push(digest),
                Effect::Send { session, message } => self.sent.entry(session).or_default().push_back(*message),
                Effect::Close { session } => self.closed.push(session),
                Effect::Answer { ask, answer } => {
                    assert!(self.answers.insert(ask, answer).is_none(), "{ask:?} was answered twice");
                }
                Effect::Changed { .. } | Effect::Moved { .. } => {}
            }
        }
    }

    pub(super) fn commit_one(&mut self) {
        let (ticket, txn) = self.commits.pop_front().expect("a transaction");
        let outcome = self.store.commit(&txn);
        self.put(Input::Committed { ticket, outcome });
    }

    pub(super) fn archive_one(&mut self) {
        let (ticket, records) = self.archives.pop_front().expect("records");
        let outcome = if self.archive_away {
            Err(ArchiveError::Unavailable("away".to_owned()))
        } else {
            let places = records.into_iter().map(|record| {
                self.lines.push(record.clone());
                match journal::read(&record) {
                    Some(Line::Game(_)) => self.archive.push(record),
                    Some(_) => {}
                    None => panic!("no line of the archive: {record:?}"),
                }
                let offset = (self.archive.len() as u64).saturating_sub(1);
                Location { segment: "s".to_owned(), offset, ..Location::default() }
            });
            Ok(places.collect())
        };
        self.put(Input::Archived { ticket, outcome });
    }

    /// Answers store and archive until nothing is asked of them.
    pub(super) fn run(&mut self) {
        for _ in 0..100_000 {
            if !self.archives.is_empty() && !self.archive_away {
                self.archive_one();
            } else if !self.commits.is_empty() {
                self.commit_one();
            } else if let Some(digest) = self.books.pop() {
                let book = self.library.get(&digest).cloned().unwrap_or_default();
                self.put(Input::BookLoaded { digest, outcome: Ok(book) });
            } else {
                // What gathers leaves with the next tick.
                let at = self.core.wake_at().unwrap_or(0);
                if at > self.now.mono_ns && at <= self.now.mono_ns + 10_000_000 {
                    self.now.mono_ns = at;
                    self.put(Input::Tick);
                    continue;
                }
                return;
            }
        }
        panic!("the core does not come to rest");
    }

    /// Time passes, tick by tick.
    pub(super) fn pass(&mut self, ms: u64) {
        for _ in 0..ms / 250 {
            self.now.mono_ns += 250_000_000;
            self.now.unix_ms += 250;
            self.put(Input::Tick);
            self.run();
        }
    }

    pub(super) fn ask(&mut self, request: Request) -> AskId {
        self.asks += 1;
        let ask = AskId(self.asks);
        self.put(Input::Asked { ask, request: Box::new(request) });
        ask
    }

    /// Asks, lets store and archive answer, and gives the answer.
    pub(super) fn asked(&mut self, request: Request) -> Result<Answer, Denied> {
        let ask = self.ask(request);
        self.run();
        self.answers.remove(&ask).expect("an answer")
    }

    pub(super) fn apply(&mut self, text: &str) -> v1::ApplyResponse {
        match self.asked(apply(text, "r")) {
            Ok(Answer::Applied(response)) => *response,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn summary(&mut self) -> v1::EventSummary {
        match self.asked(Request::Event(String::new())) {
            Ok(Answer::Event(summary, _)) => *summary,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn explain(&mut self, game: &str) -> Vec<String> {
        match self.asked(Request::Explain { event: String::new(), game: game.to_owned() }) {
            Ok(Answer::Explained(_, lines, ..)) => lines,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn attach(&mut self, session: u64, hello: v1::Hello) {
        self.put(Input::Attached { session: SessionId(session), hello: Box::new(hello) });
        self.run();
    }

    pub(super) fn say(&mut self, session: u64, message: attach_request::Message) {
        self.put(Input::Said { session: SessionId(session), message: Box::new(message) });
    }

    /// Takes all that was sent to a session.
    pub(super) fn take(&mut self, session: u64) -> Vec<Message> {
        let sent = self.sent.remove(&SessionId(session)).unwrap_or_default();
        sent.into_iter().filter_map(|response| response.message).collect()
    }

    /// Takes all that was sent to a session, which must be orders to play.
    pub(super) fn plays(&mut self, session: u64) -> Vec<v1::Play> {
        let play = |message| match message {
            Message::Play(play) => play,
            other => panic!("not an order to play: {other:?}"),
        };
        self.take(session).into_iter().map(play).collect()
    }

    /// Attaches a worker and takes its welcome.
    pub(super) fn welcome(&mut self, session: u64, hello: v1::Hello) {
        self.put(Input::Attached { session: SessionId(session), hello: Box::new(hello) });
        let sent = self.sent.get_mut(&SessionId(session)).and_then(VecDeque::pop_front);
        assert!(matches!(sent.and_then(|r| r.message), Some(Message::Welcome(_))), "no welcome");
        self.run();
    }
}

/// A spec of a match of so many pairs; `more` is added to `[event]`.
pub(super) fn spec(name: &str, pairs: u32, more: &str) -> String {
    format!(
        "name = \"{name}\"\n[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n\
         [event]\nformat = {{ match = {{ pairs = {pairs} }} }}\ntime-control = \"10+0.1\"\n\
         slot = {{ cores = 1, memory = \"1 GiB\" }}\nopenings = \"start-position\"\n{more}\n"
    )
}

pub(super) fn read(text: &str) -> Spec {
    read_with(text, &[])
}

/// A spec that names these files, which are there.
fn read_with(text: &str, files: &[&str]) -> Spec {
    let none = |name: &str| if files.contains(&name) { Ok(String::new()) } else { Err(format!("no file {name}")) };
    match parse("test.toml", text, &none) {
        Ok(parsed) => parsed.spec,
        Err(errors) => panic!("{errors}"),
    }
}

pub(super) fn change(request_id: &str) -> Change {
    Change { by: "op".to_owned(), reason: "because".to_owned(), request_id: request_id.to_owned() }
}

/// An order to apply; uid and request id follow from the name and `tag`.
pub(super) fn apply(text: &str, tag: &str) -> Request {
    apply_with(text, tag, &[])
}

/// The same of a spec that names these files.
pub(super) fn apply_with(text: &str, tag: &str, files: &[&str]) -> Request {
    let spec = read_with(text, files);
    let uid = format!("{}-{tag}", spec.name);
    Request::Apply(Box::new(Apply {
        ladder: None,
        chosen: None,
        spec_digest: format!("sha256:{:016x}", fnv(&spec.digest_input())),
        change: change(&uid),
        spec: Box::new(spec),
        book: (String::new(), Arc::new(Book::default())),
        level_book: Default::default(),
        uid,
        seed: 7,
        digests: ["a", "b"].map(|name| (name.to_uppercase(), format!("sha256:{name}"))).to_vec(),
        dry_run: false,
        paused: false,
        ruling: false,
    }))
}

pub(super) fn hello(worker: &str, slots: u32) -> v1::Hello {
    let entry = |name: &str| v1::CatalogueEntry { name: name.to_owned(), digest: format!("sha256:{name}") };
    v1::Hello {
        worker: worker.to_owned(),
        boot: "1".to_owned(),
        version: "0.1.0".to_owned(),
        slots: vec![v1::SlotClass { count: slots, cores: 1, memory_bytes: 4 << 30, gpus: 0 }],
        memory_bytes: 64 << 30,
        protocols: vec!["uci".to_owned()],
        engines: vec![entry("a"), entry("b")],
        ..v1::Hello::default()
    }
}

/// A game that is told as finished: by its number a mate by either side or a resignation.
pub(super) fn finished(attempt: Revision, order: &v1::GameOrder, number: u64) -> attach_request::Message {
    let (moves, result, ending) = match number % 3 {
        0 => (&["f2f3", "e7e5", "g2g4", "d8h4"][..], v1::GameResult::SecondWins, v1::Ending::Checkmate),
        1 => (
            &["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"][..],
            v1::GameResult::FirstWins,
            v1::Ending::Checkmate,
        ),
        _ => (&["e2e4", "e7e5"][..], v1::GameResult::SecondWins, v1::Ending::Resignation),
    };
    let record = v1::GameRecord {
        id: order.id.clone(),
        setup: order.setup.clone(),
        plies: moves.iter().map(|mv| v1::Ply { r#move: (*mv).to_owned(), ..v1::Ply::default() }).collect(),
        outcome: Some(v1::Outcome { result: result.into(), ending: ending.into(), ..v1::Outcome::default() }),
        started_unix_ms: 1,
        ended_unix_ms: 2,
        attempt,
        ..v1::GameRecord::default()
    };
    attach_request::Message::Finished(v1::Finished { attempt, record: Some(record) })
}

pub(super) fn id_of(order: &v1::GameOrder) -> GameId {
    let (_, game) = crate::wire::read_game_id(order.id.as_ref().expect("an id")).expect("a game");
    game
}

/// A beat that lists attempts in a phase.
pub(super) fn beat(
    last_order: u64,
    attempts: &[(Revision, &v1::GameOrder, v1::AttemptPhase)],
) -> attach_request::Message {
    let state = |(attempt, order, phase): &(Revision, &v1::GameOrder, v1::AttemptPhase)| v1::AttemptState {
        attempt: *attempt,
        game: order.id.clone(),
        ply: 0,
        phase: (*phase).into(),
    };
    attach_request::Message::Beat(v1::Beat {
        free: vec![0],
        last_order,
        attempts: attempts.iter().map(state).collect(),
        ..v1::Beat::default()
    })
}

/// FNV-1a, for a digest that differs where the text does.
pub(super) fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
