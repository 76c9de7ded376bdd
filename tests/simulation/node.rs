//! A coordinator's process: the core, with what its shell does around it: the campaign, its driver, its streams.

use std::collections::{BTreeMap, VecDeque};

use rookery_coordinator::{
    archive::ArchiveError,
    core::{Answer, AskId, Config, Core, Denied, Effect, Input, Now, Request, SessionId, Ticket},
    store::{CommitError, KeyValue, Revision, Txn},
};
use rookery_proto::v1::{self, attach_request, attach_response};
use rookery_tournament::fact::Location;

use crate::{
    store::LEASE_NS,
    world::{Event, MS, SECOND, StreamId, World},
};

/// How often the campaign looks.
const CAMPAIGN_NS: u64 = 500 * MS;
/// A leader gives its lease up as lost before it ends.
const LOST_NS: u64 = LEASE_NS / 5 * 4;
/// The driver ticks at least this often, and at most once a millisecond.
const TICK_NS: u64 = 250 * MS;
/// How often the store is asked how full it is.
const SPACE_NS: u64 = 10 * SECOND;

/// What a process is, as its shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Standby,
    Loading(Revision),
    Leading(Revision),
}

/// What reaches a coordinator's process.
#[derive(Debug)]
pub(crate) enum NodeIn {
    Tick(u64),
    Campaign,
    /// Elected, since this revision; the campaign asked at that time.
    Stood(Option<Revision>, u64),
    Kept(Revision, bool, u64),
    Loaded(Revision, Vec<KeyValue>),
    Deposed(Revision),
    Committed(u64, Ticket, Result<Revision, CommitError>),
    Archived(u64, Ticket, Result<Vec<Location>, ArchiveError>),
    Book(u64, String, bool),
    Hello(StreamId, Box<v1::Hello>),
    Said(StreamId, Box<attach_request::Message>),
    Gone(StreamId),
    Asked(usize, Box<Request>),
}

/// What a coordinator asks of the store.
#[derive(Debug)]
pub(crate) enum Call {
    Stand(u64),
    Keep(Revision, u64),
    Resign(Revision),
    Load(Revision),
    Commit(u64, Revision, Ticket, Txn),
}

pub(crate) struct Node {
    /// Counts its processes.
    pub(crate) boot: u64,
    pub(crate) alive: bool,
    pub(crate) paused: bool,
    pub(crate) inbox: VecDeque<NodeIn>,
    pub(crate) role: Role,
    core: Core,
    epoch: u64,
    renewed: u64,
    kept_at: u64,
    ticked: u64,
    tick_at: u64,
    spaced: u64,
    sessions: BTreeMap<SessionId, StreamId>,
    next_session: u64,
    asks: BTreeMap<AskId, usize>,
    next_ask: u64,
    /// Streams that came while the store was being loaded.
    waiting: Vec<(StreamId, Box<v1::Hello>)>,
    /// Its monotonic clock is behind the world's by nothing, ahead by this.
    mono_ns: u64,
    /// Its wall clock, milliseconds beside the true time.
    pub(crate) skew_ms: i64,
}

impl Node {
    pub(crate) fn new(boot: u64) -> Self {
        Self {
            boot,
            alive: true,
            paused: false,
            inbox: VecDeque::new(),
            role: Role::Standby,
            core: Core::new(Config::default()),
            epoch: 0,
            renewed: 0,
            kept_at: 0,
            ticked: 0,
            tick_at: 0,
            spaced: 0,
            sessions: BTreeMap::new(),
            next_session: 0,
            asks: BTreeMap::new(),
            next_ask: 0,
            waiting: Vec::new(),
            mono_ns: boot * 7_777 * MS,
            skew_ms: 0,
        }
    }

    /// No process runs.
    pub(crate) fn down(boot: u64) -> Self {
        Self { alive: false, ..Self::new(boot) }
    }

    pub(crate) fn leads(&self) -> bool {
        self.alive && !self.paused && matches!(self.role, Role::Leading(_))
    }

    fn since(&self) -> Revision {
        match self.role {
            Role::Standby => 0,
            Role::Loading(since) | Role::Leading(since) => since,
        }
    }
}

impl World {
    /// Something reaches a process; one that stands still takes it once it wakes.
    pub(crate) fn node_in(&mut self, node: usize, boot: u64, input: NodeIn) {
        let known = &mut self.nodes[node];
        if !known.alive || known.boot != boot {
            return;
        }
        if known.paused {
            known.inbox.push_back(input);
            return;
        }
        self.node_takes(node, input);
    }

    pub(crate) fn node_takes(&mut self, node: usize, input: NodeIn) {
        match input {
            NodeIn::Tick(at) => {
                if self.nodes[node].tick_at == at {
                    self.nodes[node].ticked = self.now;
                    self.feed(node, Input::Tick);
                    self.measure(node);
                }
            }
            NodeIn::Campaign => self.campaign(node),
            NodeIn::Stood(since, asked) => self.stood(node, since, asked),
            NodeIn::Kept(since, kept, asked) => {
                if self.nodes[node].since() == since {
                    if kept {
                        self.nodes[node].renewed = asked;
                    } else {
                        self.stand_down(node, "its lease is gone");
                    }
                }
            }
            NodeIn::Loaded(since, loaded) => self.lead(node, since, loaded),
            NodeIn::Deposed(since) => {
                if self.nodes[node].since() == since {
                    self.stand_down(node, "a transaction found another leader");
                }
            }
            NodeIn::Committed(epoch, ticket, outcome) => {
                if self.nodes[node].epoch == epoch {
                    let deposed = outcome == Err(CommitError::Deposed);
                    self.feed(node, Input::Committed { ticket, outcome });
                    if deposed {
                        let since = self.nodes[node].since();
                        let after = self.dice.between(MS, 20 * MS);
                        self.node_soon(node, after, NodeIn::Deposed(since));
                    }
                }
            }
            NodeIn::Archived(epoch, ticket, outcome) => {
                if self.nodes[node].epoch == epoch {
                    self.feed(node, Input::Archived { ticket, outcome });
                }
            }
            NodeIn::Book(epoch, digest, there) => {
                if self.nodes[node].epoch == epoch {
                    let book = self.library.book.clone();
                    let outcome = if there { Ok(book) } else { Err("the archive is away".to_owned()) };
                    self.feed(node, Input::BookLoaded { digest, outcome });
                }
            }
            NodeIn::Hello(stream, hello) => self.hello(node, stream, hello),
            NodeIn::Said(stream, message) => {
                if let Some(session) = self.streams[stream].session
                    && self.nodes[node].sessions.contains_key(&session)
                {
                    self.feed(node, Input::Said { session, message });
                }
            }
            NodeIn::Gone(stream) => {
                self.nodes[node].waiting.retain(|(waits, _)| *waits != stream);
                if let Some(session) = self.streams[stream].session.take()
                    && self.nodes[node].sessions.remove(&session).is_some()
                {
                    self.feed(node, Input::Gone { session });
                }
            }
            NodeIn::Asked(task, request) => {
                if !matches!(self.nodes[node].role, Role::Leading(_)) {
                    self.answered(task, Err(Denied::NotLeader));
                    return;
                }
                self.nodes[node].next_ask += 1;
                let ask = AskId(self.nodes[node].next_ask);
                self.nodes[node].asks.insert(ask, task);
                self.feed(node, Input::Asked { ask, request });
            }
        }
    }

    /// The node's clocks now.
    fn clocks(&self, node: usize) -> Now {
        let known = &self.nodes[node];
        let unix_ms = 1_700_000_000_000_u64.saturating_add_signed(known.skew_ms) + self.now / MS;
        Now { mono_ns: self.now + known.mono_ns, unix_ms }
    }

    /// Asks the core at once; for what is looked at, not changed.
    pub(crate) fn look(&mut self, node: usize, request: Request) -> Result<Answer, Denied> {
        let now = self.clocks(node);
        let ask = AskId(u64::MAX);
        let mut found = Err(Denied::Unavailable("no answer at once".to_owned()));
        for effect in self.nodes[node].core.handle(now, Input::Asked { ask, request: Box::new(request) }) {
            match effect {
                Effect::Answer { ask: of, answer } if of == ask => found = answer,
                other => self.carry_out(node, other),
            }
        }
        found
    }

    fn feed(&mut self, node: usize, input: Input) {
        let now = self.clocks(node);
        let effects = self.nodes[node].core.handle(now, input);
        for effect in effects {
            self.carry_out(node, effect);
        }
        let known = &mut self.nodes[node];
        let latest = known.ticked + TICK_NS;
        let wanted = known.core.wake_at().map(|at| at.saturating_sub(known.mono_ns));
        let at = wanted.map_or(latest, |at| at.clamp(known.ticked + MS, latest.max(known.ticked + MS)));
        let at = at.max(self.now + 1);
        // Who does not lead needs no time.
        if matches!(known.role, Role::Leading(_)) && (at < known.tick_at || known.tick_at <= self.now) {
            known.tick_at = at;
            let boot = known.boot;
            self.push(at, Event::Node(node, boot, NodeIn::Tick(at)));
        }
    }

    fn carry_out(&mut self, node: usize, effect: Effect) {
        match effect {
            Effect::Commit { ticket, txn } => {
                let (epoch, since) = (self.nodes[node].epoch, self.nodes[node].since());
                self.note(|| format!("n{node} commit {}: {}", ticket.0, crate::brief::txn(&txn)));
                self.call(node, Call::Commit(epoch, since, ticket, txn));
            }
            Effect::Archive { ticket, records } => {
                let (epoch, since) = (self.nodes[node].epoch, self.nodes[node].since());
                self.archive_call(node, epoch, since, ticket, records);
            }
            Effect::LoadBook { digest, .. } => {
                let there = self.archive.away_until <= self.now;
                let epoch = self.nodes[node].epoch;
                let after = self.dice.between(MS, 50 * MS);
                self.node_soon(node, after, NodeIn::Book(epoch, digest, there));
            }
            Effect::Send { session, message } => {
                if let Some(&stream) = self.nodes[node].sessions.get(&session) {
                    self.watch_order(node, stream, &message);
                    self.send_down(stream, message);
                }
            }
            Effect::Close { session } => {
                if let Some(stream) = self.nodes[node].sessions.remove(&session) {
                    self.streams[stream].session = None;
                    self.end_down(stream);
                }
            }
            Effect::Answer { ask, answer } => match self.nodes[node].asks.remove(&ask) {
                Some(task) => {
                    let after = self.dice.between(MS, 20 * MS);
                    let at = self.now + after;
                    self.push(at, Event::Answered(task, Box::new(answer)));
                }
                None => self.fail(format!("answers: n{node} answered {ask:?}, which was not open")),
            },
            Effect::Changed { .. } | Effect::Moved { .. } => {}
        }
    }

    fn measure(&mut self, node: usize) {
        if self.now < self.nodes[node].spaced + SPACE_NS {
            return;
        }
        self.nodes[node].spaced = self.now;
        let used = if self.net.tight_until > self.now { 85 } else { 10 };
        self.feed(node, Input::Space { used: used << 20, quota: 100 << 20 });
    }

    fn hello(&mut self, node: usize, stream: StreamId, hello: Box<v1::Hello>) {
        match self.nodes[node].role {
            Role::Loading(_) => self.nodes[node].waiting.push((stream, hello)),
            Role::Standby => {
                let leader = self.store.leader.map(|leader| leader.node).filter(|leader| *leader != node);
                let rejected = v1::Rejected {
                    reason: v1::RejectReason::NotLeader.into(),
                    leader: leader.map(|leader| leader.to_string()).unwrap_or_default(),
                    detail: String::new(),
                };
                let message = Some(attach_response::Message::Rejected(rejected));
                self.send_down(stream, Box::new(v1::AttachResponse { order: 0, leader_revision: 0, message }));
                self.end_down(stream);
            }
            Role::Leading(_) => self.attach(node, stream, hello),
        }
    }

    fn attach(&mut self, node: usize, stream: StreamId, hello: Box<v1::Hello>) {
        let known = &mut self.nodes[node];
        known.next_session += 1;
        let session = SessionId(known.next_session);
        known.sessions.insert(session, stream);
        self.streams[stream].session = Some(session);
        self.feed(node, Input::Attached { session, hello });
    }

    fn campaign(&mut self, node: usize) {
        let jitter = self.dice.roll(200 * MS);
        self.node_soon(node, CAMPAIGN_NS + jitter, NodeIn::Campaign);
        let known = &mut self.nodes[node];
        match known.role {
            Role::Standby => {
                let now = self.now;
                self.call(node, Call::Stand(now));
            }
            Role::Loading(since) | Role::Leading(since) => {
                if self.now > known.renewed + LOST_NS {
                    self.stand_down(node, "the lease could not be kept");
                } else if self.now >= known.kept_at + LEASE_NS / 5 {
                    known.kept_at = self.now;
                    let now = self.now;
                    self.call(node, Call::Keep(since, now));
                    if matches!(self.nodes[node].role, Role::Loading(_)) {
                        self.call(node, Call::Load(since));
                    }
                }
            }
        }
    }

    fn stood(&mut self, node: usize, since: Option<Revision>, asked: u64) {
        let (Some(since), Role::Standby) = (since, self.nodes[node].role) else { return };
        if self.now > asked + LOST_NS {
            return self.call(node, Call::Resign(since));
        }
        self.note(|| format!("n{node} is elected since {since}"));
        let known = &mut self.nodes[node];
        known.role = Role::Loading(since);
        (known.renewed, known.kept_at) = (asked, asked);
        self.call(node, Call::Load(since));
    }

    fn lead(&mut self, node: usize, since: Revision, loaded: Vec<KeyValue>) {
        if self.nodes[node].role != Role::Loading(since) {
            return;
        }
        self.note(|| format!("n{node} leads since {since}, {} keys", loaded.len()));
        self.watch.ledger.another_leads();
        let known = &mut self.nodes[node];
        known.role = Role::Leading(since);
        known.epoch += 1;
        known.ticked = self.now;
        known.tick_at = 0;
        known.spaced = self.now;
        self.feed(
            node,
            Input::Lead { since, store_id: "store".to_owned(), loaded: Box::new(loaded.into_iter().collect()) },
        );
        for (stream, hello) in std::mem::take(&mut self.nodes[node].waiting) {
            self.attach(node, stream, hello);
        }
    }

    /// The campaign lost: the driver is told.
    pub(crate) fn stand_down(&mut self, node: usize, why: &str) {
        let since = self.nodes[node].since();
        self.note(|| format!("n{node} leads no longer: {why}"));
        let led = matches!(self.nodes[node].role, Role::Leading(_));
        self.nodes[node].role = Role::Standby;
        self.nodes[node].epoch += 1;
        if led {
            self.feed(node, Input::Deposed);
        }
        for (_, stream) in std::mem::take(&mut self.nodes[node].sessions) {
            self.streams[stream].session = None;
            self.end_down(stream);
        }
        for (stream, _) in std::mem::take(&mut self.nodes[node].waiting) {
            self.end_down(stream);
        }
        for (_, task) in std::mem::take(&mut self.nodes[node].asks) {
            self.answered(task, Err(Denied::NotLeader));
        }
        self.call(node, Call::Resign(since));
    }

    /// Kill -9.
    pub(crate) fn kill_node(&mut self, node: usize) {
        let boot = self.nodes[node].boot;
        self.note(|| format!("n{node} is killed"));
        self.nodes[node] = Node::down(boot);
        for stream in 0..self.streams.len() {
            if self.streams[stream].node == node && self.streams[stream].node_boot == boot {
                self.end_down(stream);
            }
        }
    }

    pub(crate) fn start_node(&mut self, node: usize) {
        if self.nodes[node].alive {
            return;
        }
        let boot = self.nodes[node].boot + 1;
        self.note(|| format!("n{node} starts"));
        self.nodes[node] = Node::new(boot);
        let after = self.dice.between(10 * MS, 500 * MS);
        self.node_soon(node, after, NodeIn::Campaign);
    }

    /// SIGCONT. What has arrived is handled in the order in which the runtime finds it: the campaign may be late to see
    /// that its lease is over.
    pub(crate) fn wake_node(&mut self, node: usize) {
        if !self.nodes[node].alive || !self.nodes[node].paused {
            return;
        }
        self.nodes[node].paused = false;
        self.note(|| format!("n{node} goes on"));
        let mut inbox: Vec<NodeIn> = std::mem::take(&mut self.nodes[node].inbox).into();
        if self.dice.one_in(2) {
            // The campaign's words come last.
            let campaign = |input: &NodeIn| {
                matches!(input, NodeIn::Campaign | NodeIn::Kept(..) | NodeIn::Stood(..) | NodeIn::Deposed(_))
            };
            let (last, first): (Vec<NodeIn>, Vec<NodeIn>) = inbox.into_iter().partition(campaign);
            inbox = first.into_iter().chain(last).collect();
        }
        for input in inbox {
            self.node_takes(node, input);
        }
    }
}
