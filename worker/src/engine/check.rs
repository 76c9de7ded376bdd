//! `rookery engine check`: what an engine does before any game depends on it.

use std::time::{Duration, Instant};

use rookery_game::{
    GameKind, board,
    setup::{EngineSetup, Limits, Start},
};

use super::{Go, Launch, Player, Said, Tell, UciPlayer, uci::options::Kind};

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Good,
    /// It works, but somebody should look.
    Odd,
    /// No game could be played.
    Bad,
}

/// One step of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was tried.
    pub name: &'static str,
    /// How it went.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
    /// One line for people.
    pub detail: String,
}

/// All that the check found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// `id name`.
    pub id_name: String,
    /// `id author`.
    pub id_author: String,
    /// Name, kind and range, default.
    pub options: Vec<[String; 3]>,
    /// In order; the last one may be bad, then the check ended there.
    pub steps: Vec<Step>,
    /// Counted warnings.
    pub warnings: Vec<(String, u32)>,
    /// The last lines in and out.
    pub transcript: Vec<String>,
    /// The last lines of stderr.
    pub stderr: Vec<String>,
}

impl Report {
    /// Whether games can be played with it.
    #[must_use]
    pub fn passed(&self) -> bool {
        !self.steps.is_empty() && self.steps.iter().all(|step| step.verdict != Verdict::Bad)
    }

    fn step(&mut self, name: &'static str, verdict: Verdict, took: Duration, detail: impl Into<String>) {
        self.steps.push(Step { name, verdict, took, detail: detail.into() });
    }
}

/// How long the trial search may take.
const SEARCH: Duration = Duration::from_secs(1);

/// Starts an engine and tries what a game needs: handshake, options, `isready`, a search of one second, Chess960, `quit`.
/// `protocol` is `uci` or `ccp`. Blocks as long as `limits` allow.
#[must_use]
pub fn check(launch: &Launch, protocol: &str, limits: &Limits) -> Report {
    let mut report = Report::default();
    let started = Instant::now();
    let name = launch.program.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let setup = EngineSetup { name, protocol: protocol.to_owned(), ..EngineSetup::default() };
    let kind = if protocol == "ccp" { GameKind::ChineseCheckers } else { GameKind::Chess };
    let mut player = match UciPlayer::start(&setup, kind, false, launch) {
        Ok(player) => player,
        Err(error) => {
            report.step("start", Verdict::Bad, started.elapsed(), error.to_string());
            return report;
        }
    };
    steps(&mut player, &mut report, kind, limits, started);
    report.warnings = player.take_warnings();
    let transcript = player.transcript(rookery_game::Seat::First, started);
    (report.transcript, report.stderr) = (transcript.lines, transcript.stderr);
    report
}

fn steps(player: &mut UciPlayer, report: &mut Report, kind: GameKind, limits: &Limits, started: Instant) -> Option<()> {
    let chess = kind == GameKind::Chess;
    await_said(player, report, if chess { "uci" } else { "ccp" }, limits.start, started, |said| {
        *said == Said::Started
    })?;
    let identity = player.identity();
    (report.id_name, report.id_author) = (identity.id_name, identity.id_author);
    if report.id_name.is_empty() {
        report.step("identity", Verdict::Odd, Duration::ZERO, "no `id name`");
    } else {
        report.step("identity", Verdict::Good, Duration::ZERO, report.id_name.clone());
    }
    report.options = player.declared().iter().map(describe).collect();
    let usual: &[&str] = if chess { &["Hash", "Threads"] } else { &[] };
    for name in usual {
        if super::uci::options::find(player.declared(), name).is_none() {
            report.step("options", Verdict::Odd, Duration::ZERO, format!("no option {name}"));
        }
    }
    await_said(player, report, "isready", limits.ready, Instant::now(), |said| *said == Said::Ready)?;
    new_game(player, report, kind, limits, &Start::default())?;
    let mv = search(player, report, limits, "search", Go { move_time_ms: Some(1000), ..Go::default() })?;
    legal(report, kind, &mv)?;
    if !chess {
        let mv = search(player, report, limits, "nodes", Go { nodes: Some(1000), ..Go::default() })?;
        legal(report, kind, &mv)?;
    }
    if super::uci::options::find(player.declared(), "UCI_Chess960").is_some() {
        // Bishops on b1 and e1: a start position that chess does not have.
        let position = "nbqrbkrn/pppppppp/8/8/8/8/PPPPPPPP/NBQRBKRN w GDgd - 0 1".to_owned();
        new_game(player, report, kind, limits, &Start { position, moves: Vec::new() })?;
        search(player, report, limits, "chess960", Go { nodes: Some(1000), ..Go::default() })?;
    }
    let asked = Instant::now();
    let _ = player.tell(Tell::Quit);
    match player.wait_end(limits.quit) {
        Some(status) => report.step("quit", Verdict::Good, asked.elapsed(), status),
        None => report.step("quit", Verdict::Odd, asked.elapsed(), "did not end by itself, was killed"),
    }
    Some(())
}

fn describe(option: &super::uci::options::UciOption) -> [String; 3] {
    let kind = match &option.kind {
        Kind::Check => "check".to_owned(),
        Kind::Button => "button".to_owned(),
        Kind::String => "string".to_owned(),
        Kind::Spin { min, max } => {
            let bound = |bound: &Option<i64>| bound.map_or_else(String::new, |b| b.to_string());
            format!("spin {}..{}", bound(min), bound(max))
        }
        Kind::Combo { values } => format!("combo {}", values.join(" | ")),
    };
    [option.name.clone(), kind, option.default.clone()]
}

/// Whether an answer from the start position is a move there.
fn legal(report: &mut Report, kind: GameKind, mv: &str) -> Option<()> {
    let board = board::at(kind, "").ok()?;
    match board.parse(mv, board::protocol_form(kind)) {
        Ok(_) => Some(()),
        Err(error) => {
            report.step("move", Verdict::Bad, Duration::ZERO, error.to_string());
            None
        }
    }
}

fn new_game(player: &mut UciPlayer, report: &mut Report, kind: GameKind, limits: &Limits, start: &Start) -> Option<()> {
    let name = if kind == GameKind::Chess { "ucinewgame" } else { "new game" };
    let asked = Instant::now();
    if let Err(fault) = player.tell(Tell::NewGame { kind, start }) {
        report.step(name, Verdict::Bad, asked.elapsed(), fault.to_string());
        return None;
    }
    await_said(player, report, name, limits.new_game, asked, |said| *said == Said::Ready).map(|_| ())
}

/// One search; the text of its move.
fn search(player: &mut UciPlayer, report: &mut Report, limits: &Limits, name: &'static str, go: Go) -> Option<String> {
    let asked = Instant::now();
    if let Err(fault) = player.tell(Tell::Think { plies: &[], go }) {
        report.step(name, Verdict::Bad, asked.elapsed(), fault.to_string());
        return None;
    }
    match await_said(player, report, name, SEARCH + limits.stall, asked, |said| matches!(said, Said::Move { .. }))? {
        Said::Move { text, .. } => Some(text),
        _ => None,
    }
}

/// Waits for one thing to be said, and adds the step.
fn await_said(
    player: &mut UciPlayer,
    report: &mut Report,
    name: &'static str,
    limit: Duration,
    asked: Instant,
    wanted: impl Fn(&Said) -> bool,
) -> Option<Said> {
    loop {
        match player.read() {
            Ok(Some(said)) if wanted(&said) => {
                let took = asked.elapsed();
                if let Said::Move { text, info, .. } = &said {
                    let detail = format!("{text}, depth {}, {} nodes", info.depth, info.nodes);
                    report.step(name, Verdict::Good, took, detail);
                } else {
                    report.step(name, Verdict::Good, took, "");
                }
                return Some(said);
            }
            Ok(Some(_)) => {}
            Ok(None) => {
                let now = Instant::now();
                let limit = player.limit(limit);
                let until = asked + limit;
                if now >= until {
                    let error = player.too_slow(limit);
                    report.step(name, Verdict::Bad, asked.elapsed(), error.to_string());
                    return None;
                }
                super::wait_readable(&player.fds(), until.duration_since(now));
            }
            Err(fault) => {
                let error = player.not_started(&fault);
                report.step(name, Verdict::Bad, asked.elapsed(), error.to_string());
                return None;
            }
        }
    }
}
