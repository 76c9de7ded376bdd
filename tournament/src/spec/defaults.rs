//! Every default in one place: what a careful organiser would choose.

use std::{collections::BTreeMap, time::Duration};

use rookery_game::{
    TimeControl,
    adjudicate::{Adjudication, TablebaseRule, TcecDrawRule},
    clock::Stage,
    setup::{GameKind, GameRules, Killed, Limits, Restart},
};

use super::{
    CrashLimits, CrashesThen, Distinct, EngineSpec, EventSpec, FormatSpec, Gate, Interruption, MatchRules,
    OpeningSource, OpeningsSpec, Per, Play, ResourceClass, SlotSpec,
};

/// Openings of a match that says no number.
pub(super) const PAIRS: u32 = 50;
/// Openings of a match that a test stops: enough for its longest run.
pub(super) const PAIRS_WITH_STOP: u32 = 50_000;
/// Pairs of a match of a ladder.
pub(super) const LADDER_PAIRS: u32 = 4;
/// What an engine's hash takes where no option says it, as most engines have it.
pub(super) const HASH: u64 = 16 << 20;
/// What an engine takes beside its hash: code, network, stacks.
pub(super) const BESIDE_HASH: u64 = 256 << 20;
/// `movetime` alone leaves an engine no time of its own to be late in: five of five answer up to 16 ms after it.
pub(super) const MARGIN_OF_MOVE_TIME: Duration = Duration::from_millis(50);
/// Lag from which TCEC counts a flag as the machine's.
pub(super) const TCEC_LAG: Duration = Duration::from_millis(500);
/// Largest tables in common use.
pub(super) const MEN: u32 = 6;
/// Error rates of a test.
pub(super) const ALPHA: f64 = 0.05;
/// Elo bounds of a test.
pub(super) const ELO: (f64, f64) = (0.0, 2.0);

/// `10+0.1`.
pub(super) fn time_control() -> TimeControl {
    let stage = Stage { moves: None, base: Duration::from_secs(10), increment: Duration::from_millis(100) };
    TimeControl { stages: vec![stage], ..TimeControl::default() }
}

/// How late is not yet late.
pub(crate) fn margin(control: &TimeControl) -> Duration {
    let move_time_alone = control.stages.is_empty() && control.move_time.is_some();
    if move_time_alone { MARGIN_OF_MOVE_TIME } else { Duration::ZERO }
}

/// `adjudicate = "tcec"`: the draw rule of §10.2 and tables of six men.
pub(super) fn tcec_adjudication() -> Adjudication {
    Adjudication {
        tcec_draw: Some(TCEC_DRAW),
        tablebases: Some(TablebaseRule { men: MEN, fifty_moves: true, draws_only: false }),
        ..Adjudication::default()
    }
}

/// §10.2.
pub(super) const TCEC_DRAW: TcecDrawRule = TcecDrawRule { pieces: 6, plies: 8, within: 25 };

/// Openings where a spec says nothing.
pub(super) fn openings(game: GameKind) -> OpeningsSpec {
    let source = match game {
        GameKind::Chess960 => OpeningSource::Chess960,
        GameKind::ChineseCheckers => OpeningSource::Start,
        GameKind::Chess | GameKind::Shogi => OpeningSource::Own,
    };
    OpeningsSpec {
        source,
        random: true,
        per: Per::Pair,
        distinct: Distinct::No,
        start: 0,
        plies: None,
        skip_broken: false,
        when_level: None,
    }
}

/// Limits of crashes where a spec says nothing.
pub(super) const CRASHES: CrashLimits =
    CrashLimits { in_a_row: Some(3), of_games: Some(0.05), then: CrashesThen::SetAside };

/// Cores and memory of the class `fixed-cpu`, as the public list of Chinese checkers has it.
pub(super) const FIXED_CPU_CORES: u32 = 8;
pub(super) const FIXED_CPU_MEMORY: u64 = 16 << 30;

/// An engine's number in an option such as `Hash`, whatever its case.
fn option<'a>(engine: &'a EngineSpec, names: &[&str]) -> Option<&'a str> {
    let named = |name: &str| names.iter().any(|n| n.eq_ignore_ascii_case(name.trim()));
    engine.setup.options.iter().rev().find(|(name, _)| named(name)).map(|(_, value)| value.as_str())
}

/// The threads that an engine uses.
pub(super) fn threads(engine: &EngineSpec) -> u32 {
    let stated = option(engine, &["Threads", "Cores"]).and_then(|t| t.trim().parse().ok());
    engine.setup.threads.or(stated).unwrap_or(1).max(1)
}

/// The bytes that an engine uses.
fn memory(engine: &EngineSpec) -> u64 {
    let stated = option(engine, &["Hash", "USI_Hash"]).and_then(|h| h.trim().parse::<u64>().ok());
    stated.map_or(HASH, |mib| mib.saturating_mul(1 << 20)).saturating_add(BESIDE_HASH)
}

/// A slot in which any two of the engines can play: the larger `threads` (the sum with ponder, where both think at
/// once), both hashes, and the larger number of GPUs.
pub(super) fn slot(engines: &[EngineSpec], ponder: bool, resources: Option<ResourceClass>) -> SlotSpec {
    let mut cores: Vec<u32> = engines.iter().map(threads).collect();
    let mut bytes: Vec<u64> = engines.iter().map(memory).collect();
    cores.sort_unstable();
    bytes.sort_unstable();
    let largest =
        |sorted: &[u32], count: usize| sorted.iter().rev().take(count).fold(0_u32, |a, b| a.saturating_add(*b));
    let slot = SlotSpec {
        cores: largest(&cores, if ponder { 2 } else { 1 }).max(1),
        memory: bytes.iter().rev().take(2).fold(0_u64, |a, b| a.saturating_add(*b)),
        gpus: engines.iter().map(|e| e.gpus).max().unwrap_or(0),
        labels: BTreeMap::new(),
    };
    match resources {
        Some(ResourceClass::FixedCpu) => SlotSpec { cores: FIXED_CPU_CORES, memory: FIXED_CPU_MEMORY, ..slot },
        Some(ResourceClass::FixedGpu) => SlotSpec { gpus: slot.gpus.max(1), ..slot },
        Some(ResourceClass::FixedSimulations | ResourceClass::OpenHardware) | None => slot,
    }
}

impl Default for EventSpec {
    /// A match between two engines with one thread and the usual hash.
    fn default() -> Self {
        Self {
            title: String::new(),
            game: GameKind::Chess,
            rules: GameRules::default(),
            resources: None,
            format: FormatSpec::Match { pairs: PAIRS, rules: MatchRules::default() },
            games_per_pair: 2,
            play: Play::Pairs,
            one_at_a_time: false,
            time_control: time_control(),
            time_scale: None,
            margin: Duration::ZERO,
            ponder: false,
            openings: openings(GameKind::Chess),
            adjudicate: Adjudication::default(),
            predictions: None,
            ratings: None,
            interruption: Interruption::Replay,
            crashes: CRASHES,
            killed: Killed::Crash,
            restart: Restart::Never,
            limits: Limits::default(),
            slot: SlotSpec { cores: 1, memory: 2 * (HASH + BESIDE_HASH), gpus: 0, labels: BTreeMap::new() },
            priority: 0,
            stop: None,
            seed: None,
            tie_breaks: vec!["direct-encounter".into(), "sonneborn-berger".into(), "wins".into(), "shared".into()],
            output: None,
            transcripts: false,
            tablebases: Vec::new(),
            concurrency: None,
            site: String::new(),
            log: None,
            official: true,
            gate: Gate::Auto,
            not_before: None,
            pause: Duration::ZERO,
        }
    }
}
