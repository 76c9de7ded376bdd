//! The thread of one slot: referees one game after another.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc as std_mpsc,
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use rookery_game::{
    GameRecord, Ply, Seat,
    adjudicate::{Tablebase, TablebaseRule},
    record::EngineIdentity,
    setup::{EngineSetup, GameKind, Limits},
};
use rookery_proto::v1::{self, HandBackReason};
use tokio::sync::mpsc;

use super::Config;
use crate::{
    catalogue::Catalogue,
    engine::{self, Launch},
    hall::End,
    hardware::SlotPlan,
    table::{self, Control, Resume, Slot, SlotConfig, TableEnd, TableEvent, TableOrder},
    wire,
};

/// Thinking after which plies are told without being asked for.
const TELL_AFTER: Duration = Duration::from_secs(5);

/// Plies kept for one telling; far above any message limit's worth of sense.
const TELL_AT_MOST: usize = 512;

/// Makes the command that stands before an engine's program: pins it and shuts it in. `None`: engines start as they
/// are.
pub type Launcher = Option<Arc<dyn Fn(&SlotPlan, &EngineSetup, &Path) -> Vec<std::ffi::OsString> + Send + Sync>>;

/// What a slot says to the link.
pub(super) enum Report {
    Progress(Box<v1::Progress>),
    Ended { slot: usize, end: End },
}

struct Job {
    game: v1::GameOrder,
    attempt: i64,
    event: String,
    first_of_pair: bool,
    every_ply: bool,
    control: Control,
}

/// The link's side of a slot's thread.
pub(super) struct SlotThread {
    jobs: Option<std_mpsc::SyncSender<Job>>,
    control: Option<Control>,
    follow: Arc<AtomicU64>,
    retell: Arc<AtomicBool>,
    epoch: Instant,
    thread: JoinHandle<()>,
}

impl SlotThread {
    pub(super) fn start(
        index: usize,
        plan: SlotPlan,
        config: &Config,
        reports: mpsc::Sender<Report>,
    ) -> io::Result<Self> {
        let scratch = config.scratch.join(format!("slot-{index}"));
        std::fs::create_dir_all(&scratch)?;
        // One job may wait: the hall starts a game only on an idle slot, and the thread takes it at once.
        let (jobs, queue) = std_mpsc::sync_channel(1);
        let follow = Arc::new(AtomicU64::new(0));
        let retell = Arc::new(AtomicBool::new(false));
        let epoch = Instant::now();
        let referee = Referee {
            index,
            plan,
            worker: config.id.clone(),
            launcher: EngineLauncher { catalogue: Arc::clone(&config.catalogue), launcher: config.launcher.clone() },
            tables: config.tables.clone(),
            handed_back: config.handed_back.clone(),
            scratch,
            reports,
            follow: Arc::clone(&follow),
            retell: Arc::clone(&retell),
            epoch,
        };
        let thread = std::thread::Builder::new().name(format!("slot-{index}")).spawn(move || referee.run(&queue))?;
        Ok(Self { jobs: Some(jobs), control: None, follow, retell, epoch, thread })
    }

    pub(super) fn start_game(
        &mut self,
        game: v1::GameOrder,
        attempt: i64,
        event: String,
        first_of_pair: bool,
        every_ply: bool,
    ) {
        let Ok(control) = Control::new() else {
            tracing::error!("no descriptor for a game's control; the slot stays idle");
            return;
        };
        self.control = Some(control.clone());
        self.follow.store(0, Ordering::Relaxed);
        if let Some(jobs) = &self.jobs {
            let job = Job { game, attempt, event, first_of_pair, every_ply, control };
            if jobs.try_send(job).is_err() {
                tracing::error!("a slot was given a game while it has one");
            }
        }
    }

    pub(super) fn interrupt(&self, reason: HandBackReason) {
        if let Some(control) = &self.control {
            control.hand_back(match reason {
                HandBackReason::Drained => table::HandBackReason::Drained,
                HandBackReason::Paused => table::HandBackReason::Paused,
                _ => table::HandBackReason::Cancelled,
            });
        }
    }

    pub(super) fn follow(&self, for_how_long: Duration) {
        let until = (self.epoch.elapsed() + for_how_long).as_millis();
        self.follow.store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The next telling has all plies of the game: who hears it may not know what was told before.
    pub(super) fn retell(&self) {
        self.retell.store(true, Ordering::Relaxed);
    }

    /// Ends the game without a word; the thread ends after it.
    pub(super) fn abort(&mut self) {
        self.jobs = None;
        if let Some(control) = &self.control {
            control.cancel(false);
        }
    }

    pub(super) fn join(self) {
        drop(self.jobs);
        if self.thread.join().is_err() {
            tracing::error!("a slot's thread panicked");
        }
    }
}

struct Referee {
    index: usize,
    plan: SlotPlan,
    worker: String,
    launcher: EngineLauncher,
    tables: Option<Arc<dyn Tablebase>>,
    handed_back: Option<std_mpsc::SyncSender<GameRecord>>,
    scratch: PathBuf,
    reports: mpsc::Sender<Report>,
    follow: Arc<AtomicU64>,
    retell: Arc<AtomicBool>,
    epoch: Instant,
}

impl Referee {
    fn run(self, jobs: &std_mpsc::Receiver<Job>) {
        let mut slot = Slot::new(SlotConfig { cores: self.plan.cpus.clone(), scratch: self.scratch.clone() });
        while let Ok(job) = jobs.recv() {
            let end = self.play(&mut slot, &job);
            if self.reports.blocking_send(Report::Ended { slot: self.index, end }).is_err() {
                break;
            }
        }
    }

    fn play(&self, slot: &mut Slot, job: &Job) -> End {
        let back = |reason: HandBackReason, evidence: String, engine: String| {
            End::HandedBack(Box::new(v1::HandedBack {
                attempt: job.attempt,
                game: job.game.id.clone(),
                reason: reason.into(),
                evidence,
                engine,
                ..v1::HandedBack::default()
            }))
        };
        let Some(setup_in) = job.game.setup.clone() else {
            return back(HandBackReason::HostFault, "the order has no setup".to_owned(), String::new());
        };
        let setup = match wire::setup(setup_in.clone()) {
            Ok(setup) => setup,
            Err(error) => return back(HandBackReason::HostFault, error.to_string(), String::new()),
        };
        let mut launches = Vec::with_capacity(2);
        let mut digests = Vec::with_capacity(2);
        for seat in Seat::BOTH {
            let engine = &setup.side(seat).engine;
            match self.launcher.launch(engine, &self.plan, &self.own_folder(seat)) {
                Ok((launch, digest)) => {
                    launches.push(launch);
                    digests.push(digest);
                }
                Err(why) => return back(HandBackReason::NotStarted, why, engine.name.clone()),
            }
        }
        let Ok(launches) = <[Launch; 2]>::try_from(launches) else {
            return back(HandBackReason::HostFault, "two engines were expected".to_owned(), String::new());
        };
        let id = job.game.id.clone().unwrap_or_default();
        let order = TableOrder {
            event: job.event.clone(),
            name: format!("{}/{}/{}", id.pair, id.game, id.take),
            setup,
            resume: job.game.resume.clone().map(resume),
            launches,
            new_pair: job.first_of_pair,
            worker: self.worker.clone(),
        };
        let mut teller = Teller::new(self, job);
        let end = slot.play(&order, self.tables.as_deref(), &job.control, &mut |event| teller.hear(event));
        match end {
            TableEnd::Finished(mut record) => {
                for (identity, digest) in record.engines.iter_mut().zip(digests) {
                    identity.digest = digest;
                }
                let record = wire::record_out(&record, id, setup_in, job.attempt);
                End::Finished(Box::new(v1::Finished { attempt: job.attempt, record: Some(record) }))
            }
            TableEnd::HandedBack(back) => {
                self.show_unfinished(&order, &back);
                End::HandedBack(Box::new(v1::HandedBack {
                    attempt: job.attempt,
                    game: Some(id),
                    reason: reason(back.reason).into(),
                    evidence: back.evidence,
                    plies: back.plies.iter().map(wire::ply_out).collect(),
                    first_clock_ns: back.clocks[0].map(nanos),
                    second_clock_ns: back.clocks[1].map(nanos),
                    transcripts: back.transcripts.iter().map(wire::transcript_out).collect(),
                    engine: back.engine,
                    started_unix_ms: teller.started_unix_ms,
                }))
            }
        }
    }

    /// Where an engine has its own folder. By seat: an engine that changes seats stays a process in its first one.
    fn own_folder(&self, seat: Seat) -> PathBuf {
        self.scratch.join(if seat == Seat::First { "first" } else { "second" })
    }

    fn show_unfinished(&self, order: &TableOrder, back: &table::HandedBack) {
        if let Some(handed_back) = &self.handed_back
            && back.plies.iter().any(|ply| !ply.book)
        {
            let game = GameRecord {
                event: order.event.clone(),
                name: order.name.clone(),
                setup: order.setup.clone(),
                engines: order
                    .setup
                    .sides
                    .each_ref()
                    .map(|side| EngineIdentity { name: side.engine.name.clone(), ..EngineIdentity::default() }),
                plies: back.plies.clone(),
                outcome: None,
                started_unix_ms: 0,
                began_unix_ms: 0,
                ended_unix_ms: 0,
                worker: order.worker.clone(),
                notes: Vec::new(),
                transcripts: Vec::new(),
                nth: 0,
                interrupted: Vec::new(),
                warnings: std::collections::BTreeMap::new(),
                restarts: 0,
            };
            // A view for people: where nobody takes it, it is not shown.
            let _shown = handed_back.try_send(game);
        }
    }
}

fn reason(reason: table::HandBackReason) -> HandBackReason {
    match reason {
        table::HandBackReason::Drained => HandBackReason::Drained,
        table::HandBackReason::Paused => HandBackReason::Paused,
        table::HandBackReason::Lag => HandBackReason::Lag,
        table::HandBackReason::HostFault => HandBackReason::HostFault,
        table::HandBackReason::NotStarted => HandBackReason::NotStarted,
        table::HandBackReason::Cancelled => HandBackReason::Cancelled,
    }
}

/// Finds engines' programs and says how they are started.
#[derive(Clone)]
pub(super) struct EngineLauncher {
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) launcher: Launcher,
}

impl EngineLauncher {
    /// How an engine is started on a slot, in `own` where it has no other folder; and its program's digest.
    pub(super) fn launch(&self, engine: &EngineSetup, plan: &SlotPlan, own: &Path) -> Result<(Launch, String), String> {
        let program = self.catalogue.program(engine).map_err(|error| format!("engine `{}`: {error}", engine.name))?;
        std::fs::create_dir_all(own).map_err(|error| format!("{}: {error}", own.display()))?;
        let directory = if engine.directory.is_empty() {
            program.directory.clone().unwrap_or_else(|| own.to_owned())
        } else {
            PathBuf::from(&engine.directory)
        };
        let mut env = program.env;
        env.extend(gpu_env(&plan.gpus));
        env.extend(engine.env.iter().map(|(name, value)| (name.clone(), value.clone())));
        let mut args = program.args;
        args.extend(engine.args.iter().map(std::ffi::OsString::from));
        let prefix = self.launcher.as_ref().map_or_else(Vec::new, |launcher| launcher(plan, engine, &directory));
        let env = env.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        // Both engines of a game share the slot's memory.
        let memory = Some(plan.shape.memory_bytes / 2).filter(|&bytes| bytes > 0);
        Ok((Launch { program: program.path, args, env, directory, prefix, memory }, program.digest))
    }
}

/// How an engine is told which GPUs are its slot's. A slot without any promises none, and hides none.
fn gpu_env(gpus: &[String]) -> impl Iterator<Item = (String, String)> {
    /// By index in the order of the bus, as the driver lists them: CUDA's own order is by speed.
    const ORDER: (&str, &str) = ("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    const NAMES: [&str; 3] = ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"];
    let list = gpus.join(",");
    let all = NAMES.map(|name| (name.to_owned(), list.clone())).into_iter();
    let all = all.chain([(ORDER.0.to_owned(), ORDER.1.to_owned())]);
    all.take(if gpus.is_empty() { 0 } else { usize::MAX })
}

/// Starts an engine as a game would, goes through its handshake, and ends it. Answers its warnings.
///
/// # Errors
/// Why no game could be played with it.
pub fn try_start(
    setup: &EngineSetup,
    kind: GameKind,
    limits: &Limits,
    plan: &SlotPlan,
    catalogue: Arc<Catalogue>,
    launcher: Launcher,
    scratch: &Path,
) -> Result<Vec<String>, String> {
    let launcher = EngineLauncher { catalogue, launcher };
    let (launch, _) = launcher.launch(setup, plan, &scratch.join("check"))?;
    engine::try_start(setup, kind, &launch, limits)
}

fn resume(point: v1::ResumePoint) -> Resume {
    Resume {
        plies: point.plies.into_iter().map(wire::ply).collect(),
        clocks: [point.first_clock_ns, point.second_clock_ns].map(|clock| clock.map(Duration::from_nanos)),
        notes: point.notes.into_iter().map(wire::note).collect(),
        restarts: point.restarts,
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Tells the link of plies: each one where it is followed or every ply is a checkpoint, else after some thinking.
struct Teller<'a> {
    referee: &'a Referee,
    job: &'a Job,
    /// The index of the first of `plies`.
    first: u32,
    /// All that this worker played of the game.
    plies: Vec<Ply>,
    /// How many of them were told.
    told: usize,
    clocks: [Option<Duration>; 2],
    thinking: Duration,
    /// When the game began; 0: not yet.
    started_unix_ms: u64,
}

impl<'a> Teller<'a> {
    fn new(referee: &'a Referee, job: &'a Job) -> Self {
        let (plies, clocks, thinking) = (Vec::new(), [None; 2], Duration::ZERO);
        Self { referee, job, first: 0, plies, told: 0, clocks, thinking, started_unix_ms: 0 }
    }

    fn hear(&mut self, event: TableEvent) {
        let (first_ply, plies, clocks, thinking) = match event {
            TableEvent::Started { at_unix_ms, .. } => {
                self.started_unix_ms = at_unix_ms;
                return;
            }
            TableEvent::Plies { first_ply, plies, clocks, thinking } => (first_ply, plies, clocks, thinking),
        };
        if self.plies.is_empty() {
            self.first = first_ply;
        }
        self.plies.extend(plies);
        self.clocks = clocks;
        self.thinking += thinking;
        let followed = || {
            let until = self.referee.follow.load(Ordering::Relaxed);
            until > 0 && self.referee.epoch.elapsed().as_millis() < u128::from(until)
        };
        if self.referee.retell.swap(false, Ordering::Relaxed) {
            self.told = 0;
        }
        let many = self.plies.len() - self.told >= TELL_AT_MOST;
        let due = self.job.every_ply || self.thinking >= TELL_AFTER || many || followed();
        if due {
            self.tell();
        }
    }

    fn tell(&mut self) {
        // Of a long game in pieces, so that no message is too large.
        while self.plies.len() - self.told > TELL_AT_MOST {
            if !self.tell_to(self.told + TELL_AT_MOST) {
                return;
            }
        }
        if self.tell_to(self.plies.len()) {
            self.thinking = Duration::ZERO;
        }
    }

    fn tell_to(&mut self, to: usize) -> bool {
        // The clocks are those after the last ply of all.
        let clocks = if to == self.plies.len() { self.clocks } else { [None; 2] };
        let first = u32::try_from(self.told).unwrap_or(u32::MAX);
        let progress = v1::Progress {
            attempt: self.job.attempt,
            game: self.job.game.id.clone(),
            first_ply: self.first.saturating_add(first),
            plies: self.plies[self.told..to].iter().map(wire::ply_out).collect(),
            notes: Vec::new(),
            first_clock_ns: clocks[0].map(nanos),
            second_clock_ns: clocks[1].map(nanos),
            thinking_ms: u64::try_from(self.thinking.as_millis()).unwrap_or(u64::MAX),
            started_unix_ms: self.started_unix_ms,
        };
        // A full queue never holds the board up: the plies stay and are told with the next ones.
        let taken = self.referee.reports.try_send(Report::Progress(Box::new(progress))).is_ok();
        if taken {
            self.told = to;
        }
        taken
    }
}

/// Asks the tables about a position.
pub(super) fn probe(probe: &v1::Probe, tables: Option<&dyn Tablebase>) -> v1::Probed {
    let unknown = |detail: &str| v1::Probed {
        probe: probe.probe,
        known: false,
        result: v1::GameResult::Unspecified.into(),
        detail: detail.to_owned(),
    };
    let Some(tables) = tables else { return unknown("no tables here") };
    if !matches!(probe.kind(), v1::GameKind::Chess | v1::GameKind::Chess960) {
        return unknown("tables are for chess alone");
    }
    let start = rookery_game::setup::Start { position: probe.position.clone(), moves: Vec::new() };
    let Ok(board) = rookery_game::board::start(GameKind::Chess960, &start) else {
        return unknown("not a position");
    };
    let rule = TablebaseRule { men: u32::MAX, fifty_moves: probe.fifty_moves, draws_only: false };
    match board.as_chess().and_then(|position| tables.probe(position, &rule)) {
        None => unknown("no table answers"),
        Some(result) => {
            let outcome = rookery_game::Outcome::new(result, rookery_game::Ending::TablebaseAdjudication);
            v1::Probed {
                probe: probe.probe,
                known: true,
                result: wire::outcome_out(&outcome).result,
                detail: String::new(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_the_gpus_of_their_slot() {
        let env: Vec<_> = gpu_env(&["3".to_owned(), "5".to_owned()]).collect();
        let value = |name: &str| env.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        assert_eq!(value("CUDA_VISIBLE_DEVICES"), Some("3,5"));
        assert_eq!(value("NVIDIA_VISIBLE_DEVICES"), Some("3,5"));
        assert_eq!(value("CUDA_DEVICE_ORDER"), Some("PCI_BUS_ID"));
        assert_eq!(gpu_env(&[]).count(), 0);
    }
}
