//! A slot: engines that stay between games.

use std::{
    ffi::OsString,
    path::PathBuf,
    time::{Duration, Instant},
};

use rookery_game::{
    Ending, GameKind, Seat,
    adjudicate::Tablebase,
    prediction::Source,
    setup::{EngineSetup, Restart},
};

use super::{
    Control, HandBackReason, HandedBack, TableEnd, TableEvent, TableOrder, lag::Lag, referee::Referee, wait::Waiter,
};
use crate::engine::{Launch, NotStarted, Player, Tell, UciPlayer};

/// How long an engine that was told to go may take, when no game's limits are at hand.
const QUIT: Duration = Duration::from_secs(2);
/// The same for both after a hand-back, which must not take a second.
const HAND_BACK_QUIT: Duration = Duration::from_millis(500);
/// The same for an engine that still searches: it may be deaf.
const DEAF_QUIT: Duration = Duration::from_millis(200);

/// What a slot is made of.
#[derive(Debug, Clone, Default)]
pub struct SlotConfig {
    /// The logical CPUs that it owns, for measuring lag, and for its thread while it referees; empty: not known, all count.
    pub cores: Vec<u32>,
    /// Where engines without a directory of their own get one each; empty: they run in ours.
    pub scratch: PathBuf,
}

/// The cores that one game owns, and the engines that stay on it. To be used by one thread: the kernel ties the life of
/// an engine to the thread that started it.
pub struct Slot {
    starter: Starter,
    lag: Lag,
    pool: Vec<Seated>,
}

/// Starts engines in places of their own.
pub(super) struct Starter {
    scratch: PathBuf,
    /// The logical CPUs of the slot.
    pub(super) cores: Vec<u32>,
}

/// An engine that runs, with what it was started for.
pub(super) struct Seated {
    key: Key,
    pub(super) player: UciPlayer,
    /// Whether it has played before.
    pub(super) used: bool,
    place: usize,
    pub(super) started_at: Instant,
}

/// What must be equal for an engine to stay. The launcher and the folder are not of it: they may go by the seat, and an
/// engine that changes seats keeps those that it was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    setup: EngineSetup,
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    kind: GameKind,
    ponder: bool,
    predictions: bool,
    draw_offers: bool,
}

impl Slot {
    /// A slot without engines.
    #[must_use]
    pub fn new(config: SlotConfig) -> Self {
        Self {
            lag: Lag::new(&config.cores),
            starter: Starter { scratch: config.scratch, cores: config.cores },
            pool: Vec::new(),
        }
    }

    /// Plays one game and blocks until it is over. `sink` is called on this thread, between moves, when no clock runs;
    /// it must not block.
    pub fn play(
        &mut self,
        order: &TableOrder,
        tables: Option<&dyn Tablebase>,
        control: &Control,
        sink: &mut dyn FnMut(TableEvent),
    ) -> TableEnd {
        let mut engines = [None, None];
        // What the other games of this slot left is ended before anything new starts: its memory is promised to this game.
        for seat in Seat::BOTH {
            engines[seat.index()] = self.take(order, seat);
        }
        self.dismiss();
        for seat in Seat::BOTH {
            if engines[seat.index()].is_none() {
                match self.starter.start(order, seat, &engines) {
                    Ok(engine) => engines[seat.index()] = Some(engine),
                    Err(error) => {
                        self.pool.extend(engines.into_iter().flatten());
                        return not_started(order, seat, &error);
                    }
                }
            }
        }
        let [Some(first), Some(second)] = engines else { return host_fault(order, "a seat is empty") };
        let waiter = match Waiter::new() {
            Ok(waiter) => waiter,
            Err(errno) => {
                self.pool.extend([first, second]);
                return host_fault(order, &format!("epoll_create: {errno}"));
            }
        };
        let mut seats = [first, second];
        let end = Referee::play(&self.starter, &mut self.lag, order, tables, control, sink, &waiter, &mut seats);
        let lost = match &end {
            // What crashed or is deaf is killed at once, by being dropped.
            TableEnd::Finished(record) => record
                .outcome
                .as_ref()
                .filter(|outcome| matches!(outcome.ending, Ending::Crash | Ending::Stall))
                .and_then(|outcome| outcome.fault),
            TableEnd::HandedBack(_) => None,
        };
        for (seat, mut seated) in Seat::BOTH.into_iter().zip(seats) {
            seated.used = true;
            if lost != Some(seat) && seated.player.tell(Tell::GameOver).is_ok() {
                self.pool.push(seated);
            }
        }
        if matches!(end, TableEnd::HandedBack(_)) {
            dismiss(std::mem::take(&mut self.pool), HAND_BACK_QUIT);
        }
        end
    }

    /// Ends all engines of the slot; takes no longer than an engine may take to quit.
    pub fn dismiss(&mut self) {
        dismiss(std::mem::take(&mut self.pool), QUIT);
    }

    /// An engine that stayed from the game before, if the rules let it and it is the same one.
    fn take(&mut self, order: &TableOrder, seat: Seat) -> Option<Seated> {
        let key = key(order, seat);
        let stays = match key.setup.restart {
            Restart::Never => true,
            Restart::Pair => !order.new_pair,
            Restart::Game => false,
        };
        let at = self.pool.iter().position(|seated| stays && seated.key == key)?;
        Some(self.pool.swap_remove(at))
    }
}

impl Starter {
    fn start(&self, order: &TableOrder, seat: Seat, others: &[Option<Seated>; 2]) -> Result<Seated, NotStarted> {
        let place = usize::from(others.iter().flatten().any(|other| other.place == 0));
        self.start_at(order, seat, place)
    }

    /// Starts an engine in the place of one that was given up.
    pub(super) fn replace(&self, order: &TableOrder, seat: Seat, old: &mut Seated) -> Result<(), NotStarted> {
        old.player.kill();
        *old = self.start_at(order, seat, old.place)?;
        Ok(())
    }

    fn start_at(&self, order: &TableOrder, seat: Seat, place: usize) -> Result<Seated, NotStarted> {
        let key = key(order, seat);
        let mut launch = order.launches[seat.index()].clone();
        if launch.directory.as_os_str().is_empty() && !self.scratch.as_os_str().is_empty() {
            launch.directory = self.scratch.join(place.to_string());
            std::fs::create_dir_all(&launch.directory).map_err(|source| NotStarted::Refused {
                engine: key.setup.name.clone(),
                program: launch.program.clone(),
                what: format!("its working directory {}", launch.directory.display()),
                source,
            })?;
        }
        let mut player = UciPlayer::start(&key.setup, key.kind, key.ponder, &launch)?;
        if key.predictions {
            player.ask_for_strings();
        }
        if key.draw_offers {
            player.let_it_offer();
        }
        Ok(Seated { key, player, used: false, place, started_at: Instant::now() })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.dismiss();
    }
}

fn key(order: &TableOrder, seat: Seat) -> Key {
    let side = order.setup.side(seat);
    let Launch { program, args, env, .. } = order.launches[seat.index()].clone();
    Key {
        setup: side.engine.clone(),
        program,
        args,
        env,
        kind: order.setup.kind,
        ponder: side.ponder,
        predictions: order.setup.predictions.as_ref().is_some_and(|rules| rules.source != Source::Pv),
        draw_offers: order.setup.predictions.as_ref().is_some_and(|rules| rules.draw_offers),
    }
}

/// Tells all to quit, then waits for them together.
fn dismiss(mut seated: Vec<Seated>, limit: Duration) {
    for seated in &mut seated {
        let _ = seated.player.tell(Tell::Quit);
    }
    let until = Instant::now() + limit;
    for seated in &mut seated {
        let left = until.saturating_duration_since(Instant::now());
        let limit = if seated.player.is_idle() { left } else { left.min(DEAF_QUIT) };
        let _ = seated.player.wait_end(limit);
    }
}

pub(super) fn not_started(order: &TableOrder, seat: Seat, error: &NotStarted) -> TableEnd {
    let starved = match error {
        // The host's own want, not the engine's: descriptors, processes, memory.
        NotStarted::Refused { source, .. } => source.raw_os_error().is_some_and(|errno| {
            use rustix::io::Errno;
            [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN, Errno::NOSPC]
                .iter()
                .any(|e| e.raw_os_error() == errno)
        }),
        _ => false,
    };
    if starved {
        return host_fault(order, &error.to_string());
    }
    handed_back(order, HandBackReason::NotStarted, error.to_string(), &order.setup.side(seat).engine.name)
}

pub(super) fn host_fault(order: &TableOrder, evidence: &str) -> TableEnd {
    handed_back(order, HandBackReason::HostFault, evidence.to_owned(), "")
}

/// A game that never began: it comes back as it was ordered.
pub(super) fn handed_back(order: &TableOrder, reason: HandBackReason, evidence: String, engine: &str) -> TableEnd {
    let (plies, clocks) = order.resume.as_ref().map_or_else(Default::default, |r| (r.plies.clone(), r.clocks));
    let engine = engine.to_owned();
    TableEnd::HandedBack(Box::new(HandedBack { reason, evidence, plies, clocks, transcripts: Vec::new(), engine }))
}
