//! The worker's shell: carries out what the hall says, over one stream to the leader.
//!
//! One task owns the [`Hall`]; each slot has a thread of its own that referees; between them are bounded queues.

mod connection;
mod slot_thread;

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use rookery_game::{GameRecord, adjudicate::Tablebase};
use rookery_proto::v1::{self, attach_request::Message, attach_response};
use tokio::{
    sync::{mpsc, watch},
    time::sleep_until,
};

use self::{
    connection::{Connection, Incoming},
    slot_thread::{Report, SlotThread},
};
use crate::{
    catalogue::Catalogue,
    hall::{Effect, Hall, Input},
    hardware::SlotPlan,
    outbox::Outbox,
};

/// Reports of slots that may wait for the link; a slot that finds it full waits at the end of its game, never during
/// a think.
const REPORTS: usize = 256;

/// The first pause before connecting again; it doubles to [`BACK_OFF_MOST`], which keeps it within a third of the
/// shortest grace.
const BACK_OFF_LEAST: Duration = Duration::from_millis(50);
const BACK_OFF_MOST: Duration = Duration::from_secs(3);

/// How often to beat before a coordinator said how often.
const BEAT_DEFAULT: Duration = Duration::from_secs(2);

/// How long acknowledgements are waited for once nothing is played any more.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a worker is made of.
#[derive(Clone)]
pub struct Config {
    /// Its id, unique in the fleet.
    pub id: String,
    /// Addresses of coordinators, `http://host:7700`.
    pub coordinators: Vec<String>,
    /// Its slots; slots of one class are equal.
    pub slots: Vec<SlotPlan>,
    /// Its engines.
    pub catalogue: Arc<Catalogue>,
    /// Its endgame tables.
    pub tables: Option<Arc<dyn Tablebase>>,
    /// Largest number of men in them.
    pub tablebase_men: u32,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// CPU features and levels.
    pub cpu_features: Vec<String>,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// What of the cage this kernel enforces.
    pub cage: Vec<String>,
    /// Where engines get folders of their own.
    pub scratch: PathBuf,
    /// Where unacknowledged messages are kept.
    pub outbox: PathBuf,
    /// Whether they are synced to the disk; off where coordinator and worker are one process.
    pub durable_outbox: bool,
    /// Starts engines pinned and caged.
    pub launcher: Launcher,
    /// Where games that are handed back are shown to people; `None`: nowhere.
    pub handed_back: Option<std::sync::mpsc::SyncSender<GameRecord>>,
}

pub use slot_thread::{Launcher, try_start};

/// How a worker is asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leave {
    /// Not yet.
    #[default]
    No,
    /// Running games may go on for so long; then they are handed back.
    After(Duration),
    /// At once, without a word.
    Abort,
}

/// Why a worker ended before it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The outbox, a scratch folder or a thread.
    #[error("{what}: {source}")]
    Host {
        /// What could not be done.
        what: &'static str,
        /// The system's word.
        source: io::Error,
    },
    /// No coordinator will ever take it.
    #[error("{coordinator} refuses this worker: {why}")]
    Refused {
        /// Which.
        coordinator: String,
        /// Why.
        why: String,
    },
}

/// Runs a worker until it is asked to leave and nothing is left to say, or until it cannot go on.
///
/// # Errors
/// When the host fails it, or no coordinator will ever take it.
pub async fn run(config: Config, mut leave: watch::Receiver<Leave>) -> Result<(), WorkerError> {
    let host = |what| move |source| WorkerError::Host { what, source };
    let outbox = Outbox::open(&config.outbox, config.durable_outbox).map_err(host("the outbox"))?;
    let (messages, store_id) = outbox.load().map_err(host("the outbox"))?;
    let (reports, mut reported) = mpsc::channel(REPORTS);
    let shapes = config.slots.iter().map(|slot| slot.shape.clone()).collect();
    let mut slots = Vec::new();
    for (index, plan) in config.slots.iter().enumerate() {
        slots.push(SlotThread::start(index, plan.clone(), &config, reports.clone()).map_err(host("a slot's thread"))?);
    }
    let mut worker = Worker {
        hall: Hall::new(shapes, messages, store_id.clone()),
        outbox,
        slots,
        store_id,
        boot: uuid::Uuid::new_v4().to_string(),
        connection: None,
        connect_at: Some(Instant::now()),
        back_off: BACK_OFF_LEAST,
        leader: None,
        next_coordinator: 0,
        beat_every: BEAT_DEFAULT,
        beat_at: Instant::now(),
        grace_over_at: None,
        exit_at: None,
        exit: false,
        failed: None,
        tables: config.tables.clone(),
        config,
    };
    let mut left = false;
    while !worker.exit {
        if let Some(error) = worker.failed.take() {
            worker.abort();
            return Err(error);
        }
        let wake = worker.wake_at();
        let input = tokio::select! {
            biased;
            Some(report) = reported.recv() => Some(worker.report(report)),
            incoming = next(&mut worker.connection) => worker.incoming(incoming),
            changed = leave.changed(), if !left => {
                let word = if changed.is_err() { Leave::After(Duration::ZERO) } else { *leave.borrow_and_update() };
                match word {
                    Leave::No => None,
                    Leave::After(grace) => {
                        worker.exit_at = Some(Instant::now() + grace + FAREWELL + Duration::from_secs(1));
                        left = changed.is_err();
                        Some(Input::Leave { grace_ms: u64::try_from(grace.as_millis()).unwrap_or(u64::MAX) })
                    }
                    Leave::Abort => break,
                }
            }
            () = sleep_until(wake.into()) => worker.woke().await,
        };
        if let Some(input) = input {
            worker.feed(input).await;
        }
    }
    worker.abort();
    Ok(())
}

async fn next(connection: &mut Option<Connection>) -> Incoming {
    match connection {
        Some(connection) => connection.next().await,
        None => std::future::pending().await,
    }
}

struct Worker {
    config: Config,
    tables: Option<Arc<dyn Tablebase>>,
    hall: Hall,
    outbox: Outbox,
    slots: Vec<SlotThread>,
    store_id: String,
    boot: String,
    connection: Option<Connection>,
    connect_at: Option<Instant>,
    back_off: Duration,
    leader: Option<String>,
    next_coordinator: usize,
    beat_every: Duration,
    beat_at: Instant,
    grace_over_at: Option<Instant>,
    exit_at: Option<Instant>,
    exit: bool,
    failed: Option<WorkerError>,
}

impl Worker {
    fn wake_at(&self) -> Instant {
        [self.connect_at, Some(self.beat_at), self.grace_over_at, self.exit_at]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(self.beat_at)
    }

    async fn woke(&mut self) -> Option<Input> {
        let now = Instant::now();
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.exit_at) {
            self.exit = true;
            return None;
        }
        if due(self.grace_over_at) {
            self.grace_over_at = None;
            return Some(Input::GraceOver);
        }
        if due(self.connect_at) {
            self.connect_at = None;
            self.connect().await;
            return None;
        }
        if self.beat_at <= now {
            self.beat_at = now + self.beat_every;
            return self.connection.is_some().then_some(Input::Beat);
        }
        None
    }

    fn address(&self) -> String {
        match &self.leader {
            Some(leader) => leader.clone(),
            None => {
                let addresses = &self.config.coordinators;
                addresses.get(self.next_coordinator % addresses.len().max(1)).cloned().unwrap_or_default()
            }
        }
    }

    async fn connect(&mut self) {
        let address = self.address();
        match Connection::open(&address, self.hello()).await {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => {
                tracing::debug!(%address, %error, "the coordinator is not reached");
                self.connect_later(false);
            }
        }
    }

    fn connect_later(&mut self, known_leader: bool) {
        self.connection = None;
        if !known_leader {
            self.leader = None;
            self.next_coordinator = self.next_coordinator.wrapping_add(1);
        }
        self.connect_at = Some(Instant::now() + self.back_off);
        self.back_off = (self.back_off * 2).min(BACK_OFF_MOST);
    }

    fn hello(&self) -> v1::Hello {
        let config = &self.config;
        let mut slots: Vec<v1::SlotClass> = Vec::new();
        for plan in &config.slots {
            if slots.len() <= plan.shape.class {
                slots.resize(plan.shape.class + 1, v1::SlotClass::default());
            }
            let class = &mut slots[plan.shape.class];
            class.count += 1;
            class.cores = plan.shape.cores;
            class.memory_bytes = plan.shape.memory_bytes;
            class.gpus = plan.shape.gpus;
        }
        let gpus = config.slots.iter().flat_map(|slot| &slot.gpus);
        let (store_id, leader_revision) = self.hall.obeyed();
        v1::Hello {
            worker: config.id.clone(),
            boot: self.boot.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            slots,
            gpus: gpus.map(|id| v1::Gpu { id: id.clone(), model: String::new() }).collect(),
            memory_bytes: config.memory_bytes,
            tablebase_men: config.tablebase_men,
            protocols: crate::engine::PROTOCOLS.map(str::to_owned).to_vec(),
            engines: (config.catalogue.entries())
                .map(|(name, digest)| v1::CatalogueEntry { name: name.to_owned(), digest: digest.to_owned() })
                .collect(),
            labels: config.labels.clone(),
            cpu_features: config.cpu_features.clone(),
            cage: config.cage.clone(),
            paths_allowed: config.catalogue.paths_allowed(),
            leader_revision,
            store_id: store_id.to_owned(),
            calibration: 1.0,
        }
    }

    fn incoming(&mut self, incoming: Incoming) -> Option<Input> {
        match incoming {
            Incoming::Said(response) => {
                if let Some(attach_response::Message::Welcome(welcome)) = &response.message {
                    self.welcomed(welcome);
                }
                Some(Input::Said(response))
            }
            Incoming::Gone(why) => {
                tracing::info!(address = %self.address(), %why, "the stream to the coordinator is gone");
                self.connect_later(false);
                Some(Input::Disconnected)
            }
        }
    }

    fn welcomed(&mut self, welcome: &v1::Welcome) {
        self.back_off = BACK_OFF_LEAST;
        if welcome.beat_ms > 0 {
            self.beat_every = Duration::from_millis(welcome.beat_ms);
        }
        self.beat_at = Instant::now() + self.beat_every;
        if self.store_id != welcome.store_id {
            self.store_id.clone_from(&welcome.store_id);
            if let Err(source) = self.outbox.set_store(&self.store_id) {
                self.failed = Some(WorkerError::Host { what: "the outbox", source });
            }
        }
        self.slots.iter().for_each(SlotThread::retell);
        tracing::info!(coordinator = %self.address(), version = %welcome.coordinator_version, "attached");
    }

    fn report(&mut self, report: Report) -> Input {
        match report {
            Report::Progress(progress) => Input::Progress(progress),
            Report::Ended { slot, end } => Input::Ended { slot, end },
        }
    }

    async fn feed(&mut self, input: Input) {
        for effect in self.hall.handle(input) {
            self.carry_out(effect).await;
        }
    }

    async fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Send(message) => self.send(*message),
            Effect::Keep(key, message) => {
                if let Err(source) = self.outbox.keep(&key, *message) {
                    // The game is still said, and stays in memory until it is acknowledged.
                    let full = if source.kind() == io::ErrorKind::StorageFull { ": the disk is full" } else { "" };
                    let path = self.config.outbox.display();
                    tracing::error!(%path, %source, "the outbox cannot be written{full}");
                }
            }
            Effect::Forget(key) => {
                if let Err(error) = self.outbox.forget(&key) {
                    tracing::warn!(%error, "a message stays in the outbox");
                }
            }
            Effect::Start { slot, game, attempt, event, first_of_pair, every_ply } => {
                self.slots[slot].start_game(*game, attempt, event, first_of_pair, every_ply);
            }
            Effect::Interrupt { slot, reason } => self.slots[slot].interrupt(reason),
            Effect::Follow { slot, for_ms } => self.slots[slot].follow(Duration::from_millis(for_ms)),
            Effect::Probe(probe) => self.probe(&probe),
            Effect::WakeAfter(ms) => self.grace_over_at = Some(Instant::now() + Duration::from_millis(ms)),
            Effect::Reconnect { leader, why, fatal } => {
                let coordinator = self.address();
                if fatal {
                    self.failed = Some(WorkerError::Refused { coordinator, why });
                    return;
                }
                tracing::info!(%coordinator, %why, leader = leader.as_deref().unwrap_or("unknown"), "not taken");
                let known = leader.is_some();
                self.leader = leader;
                self.connect_later(known);
            }
            Effect::Exit => self.exit = true,
        }
    }

    fn send(&mut self, message: Message) {
        if let Some(connection) = &self.connection
            && let Err(why) = connection.send(message)
        {
            tracing::warn!(why, "the stream to the coordinator does not take more");
            self.connect_later(true);
            // The hall learns of it as of any end of a stream; what was not acknowledged is said again.
            let _no_effects = self.hall.handle(Input::Disconnected);
        }
    }

    fn probe(&mut self, probe: &v1::Probe) {
        let answer = slot_thread::probe(probe, self.tables.as_deref());
        self.send(Message::Probed(answer));
    }

    /// Ends what is still in play without a word, so that no engine outlives its worker.
    fn abort(&mut self) {
        for slot in &mut self.slots {
            slot.abort();
        }
        for slot in self.slots.drain(..) {
            slot.join();
        }
    }
}
