//! The one task that owns the core: feeds it what happened and has its effects carried out.

use std::{
    collections::{BTreeMap, VecDeque},
    future::Future as _,
    sync::Arc,
    task::{Context, Waker},
};

use bytes::Bytes;
use rookery_game::{
    opening::Book,
    setup::{GameKind, GameRules},
};
use rookery_proto::v1::{self, attach_request, attach_response};
use rookery_tournament::{fact::Location, spec::OpeningsSpec};
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout_at},
};

use super::{
    books::Books,
    limits,
    machine::{Clocks, Machine},
    metrics::Metrics,
    role::Role,
    sessions::{Session, Sessions},
    timing::RecordTiming,
    watchers::{Moved, Watchers},
};
use crate::{
    archive::{Archive, ArchiveError},
    core::{Answer, AskId, Denied, Effect, Input, Loaded, Request, SessionId, Ticket},
    store::{CommitError, Revision, Store, Txn},
};

/// What the election tells the driver.
#[derive(Debug)]
pub(super) enum Control {
    Lead { since: Revision, loaded: Box<Loaded> },
    Deposed { leader: Option<String> },
}

/// What the streams of workers tell the driver.
#[derive(Debug)]
pub(super) enum FromWorker {
    Attached { id: SessionId, session: Session, hello: Box<v1::Hello> },
    Said { id: SessionId, message: Box<attach_request::Message> },
    Gone { id: SessionId },
}

/// A question of an operator.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) request: Request,
    pub(super) reply: oneshot::Sender<Result<Answer, Denied>>,
}

/// An effect was carried out. What belongs to a leadership that is over is dropped: its tickets mean nothing now.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) epoch: u64,
    pub(super) what: DoneWhat,
}

#[derive(Debug)]
pub(super) enum DoneWhat {
    Committed(Ticket, Result<Revision, CommitError>),
    Archived(Ticket, Result<Vec<Location>, ArchiveError>),
    Book(String, Result<Arc<Book>, String>),
    Space(u64, u64),
}

/// The driver's ends of all channels.
pub(super) struct Inbox {
    pub(super) control: mpsc::Receiver<Control>,
    pub(super) done: mpsc::Receiver<Done>,
    pub(super) said: mpsc::Receiver<FromWorker>,
    pub(super) asks: mpsc::Receiver<Ask>,
    /// Set once: shut down.
    pub(super) stop: watch::Receiver<bool>,
}

/// What the driver needs to carry effects out.
pub(super) struct Tools {
    pub(super) store: Arc<dyn Store>,
    pub(super) archive: Arc<dyn Archive>,
    pub(super) books: Arc<Books>,
    pub(super) watchers: Arc<Watchers>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) role: Arc<watch::Sender<Role>>,
    pub(super) done: mpsc::Sender<Done>,
}

pub(super) struct Driver<M> {
    machine: M,
    clocks: Clocks,
    tools: Tools,
    sessions: Sessions,
    asks: BTreeMap<AskId, oneshot::Sender<Result<Answer, Denied>>>,
    next_ask: u64,
    timing: RecordTiming,
    /// Inputs that follow from effects, such as the end of a stream that overflowed.
    follow: VecDeque<Input>,
    epoch: u64,
    since: Revision,
    in_flight: usize,
    measured: Instant,
}

enum Woke {
    Stop,
    Control(Control),
    Done(Done),
    Worker(FromWorker),
    Ask(Ask),
    Time,
}

impl<M: Machine> Driver<M> {
    pub(super) fn new(machine: M, tools: Tools) -> Self {
        Self {
            machine,
            clocks: Clocks::start(),
            tools,
            sessions: Sessions::default(),
            asks: BTreeMap::new(),
            next_ask: 0,
            timing: RecordTiming::default(),
            follow: VecDeque::new(),
            epoch: 0,
            since: 0,
            in_flight: 0,
            measured: Instant::now(),
        }
    }

    /// Runs until it is told to stop; then what is in flight is awaited.
    pub(super) async fn run(mut self, mut inbox: Inbox) {
        let mut ticked = Instant::now();
        loop {
            let tick = self.next_tick(ticked);
            let woke = tokio::select! {
                biased;
                _ = inbox.stop.wait_for(|stop| *stop) => Woke::Stop,
                Some(control) = inbox.control.recv() => Woke::Control(control),
                Some(done) = inbox.done.recv() => Woke::Done(done),
                Some(said) = inbox.said.recv() => Woke::Worker(said),
                Some(ask) = inbox.asks.recv() => Woke::Ask(ask),
                () = sleep_until(tick) => Woke::Time,
            };
            match woke {
                Woke::Stop => break,
                Woke::Control(control) => self.control(control),
                Woke::Done(done) => self.done(done),
                Woke::Worker(said) => self.worker(said),
                Woke::Ask(ask) => self.ask(ask),
                Woke::Time => {}
            }
            // What has arrived is handled before a tick, and each channel gets its turn; what arrives meanwhile waits
            // for the next round.
            self.drain(&mut inbox);
            if Instant::now() >= tick {
                ticked = Instant::now();
                self.feed(Input::Tick);
                self.measure();
            }
        }
        self.finish(inbox).await;
    }

    /// When the core is told the time next: when it asks for it, but not in a busy loop, and now and then anyway.
    fn next_tick(&self, ticked: Instant) -> Instant {
        let latest = ticked + limits::TICK;
        self.machine.wake_at().map_or(latest, |at| self.clocks.instant(at).clamp(ticked + limits::TICK_LEAST, latest))
    }

    fn drain(&mut self, inbox: &mut Inbox) {
        for _ in 0..limits::DONE_QUEUE {
            let Ok(done) = inbox.done.try_recv() else { break };
            self.done(done);
        }
        for _ in 0..limits::SAID_QUEUE {
            let Ok(said) = inbox.said.try_recv() else { break };
            self.worker(said);
        }
        for _ in 0..limits::ASK_QUEUE {
            let Ok(ask) = inbox.asks.try_recv() else { break };
            self.ask(ask);
        }
        while let Ok(control) = inbox.control.try_recv() {
            self.control(control);
        }
    }

    /// Takes no more from outside, lets what is in flight end, and lets the streams end.
    async fn finish(mut self, mut inbox: Inbox) {
        self.tools.role.send_replace(Role::Ended);
        inbox.asks.close();
        inbox.said.close();
        let deadline = Instant::now() + limits::DRAIN;
        self.drain(&mut inbox);
        // One more tick hands a batch that the core still gathers to the store.
        self.feed(Input::Tick);
        while self.in_flight > 0 {
            match timeout_at(deadline, inbox.done.recv()).await {
                Ok(Some(done)) => self.done(done),
                Ok(None) => break,
                Err(_) => {
                    tracing::warn!(in_flight = self.in_flight, "shut down with transactions in flight");
                    break;
                }
            }
            self.feed(Input::Tick);
        }
    }

    /// Asks now and then how full the store is.
    fn measure(&mut self) {
        if self.measured.elapsed() < limits::SPACE_INTERVAL {
            return;
        }
        self.measured = Instant::now();
        let (store, done, epoch) = (Arc::clone(&self.tools.store), self.tools.done.clone(), self.epoch);
        tokio::spawn(async move {
            match store.space().await {
                Ok(Some((used, quota))) => {
                    let _ = done.send(Done { epoch, what: DoneWhat::Space(used, quota) }).await;
                }
                Ok(None) => {}
                // A store that is away shows in its transactions.
                Err(error) => tracing::debug!(%error, "the store's space is not known"),
            }
        });
    }

    fn control(&mut self, control: Control) {
        match control {
            Control::Lead { since, loaded } => {
                self.epoch += 1;
                self.since = since;
                let store_id = self.tools.store.id().to_owned();
                let keys = loaded.keys();
                self.feed(Input::Lead { since, store_id, loaded });
                tracing::info!(since, keys, "leading");
                self.tools.role.send_if_modified(|role| {
                    let loading = *role == Role::Loading;
                    if loading {
                        *role = Role::Leading { since };
                    }
                    loading
                });
            }
            Control::Deposed { leader } => {
                tracing::warn!(leader = leader.as_deref().unwrap_or("unknown"), "deposed");
                self.epoch += 1;
                self.feed(Input::Deposed);
                self.sessions.reject_all(&not_leader(self.since, leader));
                self.timing.clear();
                for (_, reply) in std::mem::take(&mut self.asks) {
                    let _ = reply.send(Err(Denied::NotLeader));
                }
            }
        }
    }

    fn done(&mut self, done: Done) {
        if matches!(done.what, DoneWhat::Committed(..) | DoneWhat::Archived(..)) {
            self.in_flight = self.in_flight.saturating_sub(1);
        }
        if done.epoch != self.epoch {
            return;
        }
        self.feed(match done.what {
            DoneWhat::Committed(ticket, outcome) => Input::Committed { ticket, outcome },
            DoneWhat::Archived(ticket, outcome) => Input::Archived { ticket, outcome },
            DoneWhat::Book(digest, outcome) => Input::BookLoaded { digest, outcome },
            DoneWhat::Space(used, quota) => Input::Space { used, quota },
        });
    }

    fn worker(&mut self, said: FromWorker) {
        match said {
            FromWorker::Attached { id, session, hello } => {
                let role = self.tools.role.borrow().clone();
                match role {
                    Role::Leading { .. } if self.sessions.len() < limits::SESSIONS => {
                        self.sessions.insert(id, session);
                        self.feed(Input::Attached { session: id, hello });
                    }
                    Role::Leading { .. } => {
                        session.reject(rejected(self.since, v1::RejectReason::Invalid, "too many workers"));
                    }
                    Role::Standby { leader } => session.reject(not_leader(self.since, leader)),
                    Role::Loading | Role::Barred(_) | Role::Ended => session.reject(not_leader(self.since, None)),
                }
            }
            FromWorker::Said { id, message } => {
                if self.sessions.contains(id) {
                    if let attach_request::Message::Finished(finished) = message.as_ref() {
                        self.timing.finished(finished);
                    }
                    self.feed(Input::Said { session: id, message });
                }
            }
            FromWorker::Gone { id } => {
                if self.sessions.remove(id) {
                    self.feed(Input::Gone { session: id });
                }
            }
        }
    }

    fn ask(&mut self, ask: Ask) {
        if ask.reply.is_closed() {
            return;
        }
        let refusal = if self.asks.len() >= limits::ASKS_OPEN {
            Some(Denied::Unavailable("too many questions wait for an answer; try again".to_owned()))
        } else if !matches!(*self.tools.role.borrow(), Role::Leading { .. }) {
            Some(Denied::NotLeader)
        } else {
            None
        };
        if let Some(refusal) = refusal {
            // Whoever asked may be gone.
            let _ = ask.reply.send(Err(refusal));
            return;
        }
        self.next_ask += 1;
        let id = AskId(self.next_ask);
        self.asks.insert(id, ask.reply);
        self.feed(Input::Asked { ask: id, request: Box::new(ask.request) });
    }

    fn feed(&mut self, input: Input) {
        self.follow.push_back(input);
        while let Some(input) = self.follow.pop_front() {
            let effects = self.machine.handle(self.clocks.now(), input);
            for effect in effects {
                self.carry_out(effect);
            }
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Commit { ticket, txn } => self.commit(ticket, txn),
            Effect::Archive { ticket, records } => self.archive(ticket, records),
            Effect::LoadBook { digest, kind, rules, openings } => self.load_book(digest, kind, rules, openings),
            Effect::Send { session, message } => self.send(session, *message),
            Effect::Close { session } => {
                self.sessions.remove(session);
            }
            Effect::Answer { ask, answer } => {
                if let Some(reply) = self.asks.remove(&ask) {
                    // Whoever asked may be gone.
                    let _ = reply.send(answer);
                }
            }
            Effect::Changed { event_uid } => self.tools.watchers.changed(&event_uid),
            Effect::Moved { event_uid, game, first_ply, plies } => {
                self.tools.watchers.moved(|| Moved { event_uid, game, first_ply, plies });
            }
        }
    }

    fn commit(&mut self, ticket: Ticket, txn: Txn) {
        self.in_flight += 1;
        let (store, done, metrics) =
            (Arc::clone(&self.tools.store), self.tools.done.clone(), Arc::clone(&self.tools.metrics));
        let epoch = self.epoch;
        let mut commit = Box::pin(async move {
            let began = Instant::now();
            let outcome = store.commit(txn).await;
            metrics.committed(began.elapsed(), outcome.as_ref().err());
            // A driver that ended waits for nothing any more.
            let _ = done.send(Done { epoch, what: DoneWhat::Committed(ticket, outcome) }).await;
        });
        // It begins here, so that transactions come to the store in the order in which they were made: of two pairs that
        // are handed out to one worker the first one is played first. The task takes it up from there.
        if commit.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            tokio::spawn(commit);
        }
    }

    fn archive(&mut self, ticket: Ticket, records: Vec<Bytes>) {
        self.in_flight += 1;
        let (archive, done, metrics) =
            (Arc::clone(&self.tools.archive), self.tools.done.clone(), Arc::clone(&self.tools.metrics));
        let (epoch, since) = (self.epoch, self.since);
        tokio::spawn(async move {
            let outcome = archive.append(since, records).await;
            if let Err(error) = &outcome {
                metrics.archive_failed();
                tracing::error!(%error, "records not written; their results stay with the workers");
            }
            let _ = done.send(Done { epoch, what: DoneWhat::Archived(ticket, outcome) }).await;
        });
    }

    fn load_book(&self, digest: String, kind: GameKind, rules: GameRules, openings: OpeningsSpec) {
        let (books, done, epoch) = (Arc::clone(&self.tools.books), self.tools.done.clone(), self.epoch);
        tokio::spawn(async move {
            let outcome = books.load(&digest, kind, rules, &openings).await;
            let outcome = outcome.map(|(book, _)| book).map_err(|error| error.to_string());
            let _ = done.send(Done { epoch, what: DoneWhat::Book(digest, outcome) }).await;
        });
    }

    fn send(&mut self, session: SessionId, message: v1::AttachResponse) {
        match &message.message {
            Some(attach_response::Message::Recorded(recorded)) => {
                if let Some(took) = self.timing.answered(recorded.attempt, recorded.game.as_ref()) {
                    self.tools.metrics.recorded(took);
                }
            }
            Some(attach_response::Message::Discarded(discarded)) => {
                self.timing.answered(discarded.attempt, discarded.game.as_ref());
            }
            _ => {}
        }
        if !self.sessions.send(session, message) {
            self.follow.push_back(Input::Gone { session });
        }
    }
}

/// The answer to a worker that came to the wrong coordinator.
pub(super) fn not_leader(since: Revision, leader: Option<String>) -> v1::AttachResponse {
    let mut message = rejected(since, v1::RejectReason::NotLeader, "another coordinator leads");
    if let Some(attach_response::Message::Rejected(rejected)) = &mut message.message {
        rejected.leader = leader.unwrap_or_default();
    }
    message
}

/// A refusal without a leader's address.
pub(super) fn rejected(since: Revision, reason: v1::RejectReason, detail: &str) -> v1::AttachResponse {
    let rejected = v1::Rejected { reason: reason.into(), leader: String::new(), detail: detail.to_owned() };
    v1::AttachResponse { order: 0, leader_revision: since, message: Some(attach_response::Message::Rejected(rejected)) }
}
