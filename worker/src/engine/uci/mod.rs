//! UCI, whole, and CCP, which has its shape: see [`super::ccp`] for what that writes differently.
//!
//! UCI has no words for conditional moves and offered draws. An engine may declare them by check options that are set where
//! the event scores predictions: `UCI_Conditional` (it writes `info string conditional c1 r1 …`, or without `info string`,
//! before its `bestmove`), and `UCI_DrawOffer`, with the words of the Chess Engine Communication Protocol:
//!
//! - `offer draw` (or `info string offer draw`) before `bestmove`: it offers a draw with that move;
//! - it is told `draw` before the `position` and `go` (or `ponderhit`) that follow an offer of the other side: `offer draw` in
//!   place of `bestmove` takes it, a move declines it;
//! - it is told `position …`, `draw`, `isready` where the offer came with a move that its string had foreseen: `offer draw`
//!   before `readyok` takes it, `readyok` alone declines it and the stored reply is played.

mod brain;
mod go;
mod info;
pub(crate) mod options;
pub(crate) mod words;

use std::{
    collections::{BTreeMap, VecDeque},
    os::fd::BorrowedFd,
    path::PathBuf,
    time::{Duration, Instant},
};

use rookery_game::{
    GameKind, Ply, Seat,
    record::{EngineIdentity, Transcript},
    setup::{EngineSetup, Start},
};

use self::brain::{Brain, Heard, State};
use super::{
    Fault, Go, Launch, NotStarted, Player, Said, Tell,
    ccp::Telling,
    limits::{ECHO_WAIT, MAX_WARNINGS, STALE_READS},
    lines::Lines,
    process::{Process, Read},
};

/// The option by which an engine declares that it offers draws (`offer draw`) and hears of them (`draw`).
const DRAW_OFFERS: &str = "UCI_DrawOffer";
/// Reads of stdout after which the other descriptors get a look even if stdout never runs dry.
const READS_BETWEEN_LOOKS: u32 = 16;

/// An engine that speaks UCI or CCP.
#[derive(Debug)]
pub struct UciPlayer {
    setup: EngineSetup,
    program: PathBuf,
    chess960: bool,
    ponder: bool,
    conditional: bool,
    draw_offers: bool,
    process: Process,
    lines: Lines,
    brain: Brain,
    queued: VecDeque<Said>,
    read_at: Instant,
    chunk_done: bool,
    reads: u32,
    /// `position …` of this game without its newline; it only grows.
    position: Vec<u8>,
    /// Plies that `position` holds.
    told: usize,
    /// The game as CCP tells it; `None` of UCI, and before the first game.
    telling: Option<Telling>,
    last_go: Vec<u8>,
    /// A `go` or `ponderhit` is on its way.
    sending: bool,
    /// Nothing was said after the last `go`.
    go_is_last: bool,
    sent_options: Vec<(String, String)>,
    warnings: BTreeMap<String, u32>,
}

impl UciPlayer {
    /// Starts an engine and says `uci` or `ccp`; [`Said::Started`] and [`Said::Ready`] follow by [`Player::read`].
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(setup: &EngineSetup, kind: GameKind, ponder: bool, launch: &Launch) -> Result<Self, NotStarted> {
        let ccp = kind == GameKind::ChineseCheckers;
        let fits = match setup.protocol.as_str() {
            "" => kind != GameKind::Shogi,
            "uci" => matches!(kind, GameKind::Chess | GameKind::Chess960),
            "ccp" => ccp,
            _ => false,
        };
        if !fits {
            return Err(NotStarted::Protocol { engine: setup.name.clone(), protocol: setup.protocol.clone() });
        }
        let process = Process::start(launch, &setup.name)?;
        let mut player = Self {
            setup: setup.clone(),
            program: launch.program.clone(),
            chess960: kind == GameKind::Chess960,
            ponder,
            conditional: false,
            draw_offers: false,
            process,
            lines: Lines::new(),
            brain: Brain::new(ccp),
            queued: VecDeque::new(),
            read_at: Instant::now(),
            chunk_done: false,
            reads: 0,
            position: Vec::new(),
            told: 0,
            telling: None,
            last_go: Vec::new(),
            sending: false,
            go_is_last: false,
            sent_options: Vec::new(),
            warnings: BTreeMap::new(),
        };
        // CCP has no certain end of its greeting: `readyok` is one that every engine has.
        let greeting: &[&[u8]] = if ccp { &[b"ccp", b"isready"] } else { &[b"uci"] };
        for command in greeting {
            player.send(command).map_err(|fault| player.not_started(&fault))?;
        }
        Ok(player)
    }

    /// Asks for strings of conditional moves, before the handshake is over.
    pub(crate) const fn ask_for_strings(&mut self) {
        self.conditional = true;
    }

    /// Lets it offer draws and take them, where it declares that it can; before the handshake is over.
    pub(crate) const fn let_it_offer(&mut self) {
        self.draw_offers = true;
    }

    /// What to say of an engine that ended before it was ready.
    #[must_use]
    pub fn not_started(&self, fault: &Fault) -> NotStarted {
        NotStarted::Ended {
            engine: self.setup.name.clone(),
            program: self.program.clone(),
            status: fault.to_string(),
            missing: self.missing(),
            stderr: self.process.stderr_tail.lines().pop().unwrap_or_default(),
        }
    }

    /// What to say of an engine that was not ready within `limit`.
    #[must_use]
    pub fn too_slow(&self, limit: Duration) -> NotStarted {
        if self.brain.echoes() {
            return NotStarted::Echo { engine: self.setup.name.clone(), program: self.program.clone() };
        }
        NotStarted::Silent {
            engine: self.setup.name.clone(),
            program: self.program.clone(),
            missing: self.missing(),
            seconds: limit.as_secs_f64(),
        }
    }

    /// How long is waited for it, of `limit` at most.
    pub(crate) fn limit(&self, limit: Duration) -> Duration {
        if self.brain.echoes() { limit.min(ECHO_WAIT) } else { limit }
    }

    fn missing(&self) -> &'static str {
        match self.brain.state {
            State::Booting if self.brain.ccp && !self.brain.greeted => "ccpok",
            State::Booting if self.brain.ccp => "readyok",
            State::Booting => "uciok",
            State::Readying => "readyok",
            _ => "bestmove",
        }
    }

    /// Kills the process group at once.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Waits up to `limit` for the end of the process after [`Tell::Quit`] and kills what is left; `None` where it had
    /// to be killed, else how it ended.
    pub(crate) fn wait_end(&mut self, limit: Duration) -> Option<String> {
        let by_itself = self.process.wait(limit);
        self.process.kill();
        by_itself.then(|| self.process.status().map_or_else(|| "ended".to_owned(), super::process::describe))
    }

    pub(crate) fn declared(&self) -> &[options::UciOption] {
        &self.brain.options
    }

    fn send(&mut self, command: &[u8]) -> Result<Option<Instant>, Fault> {
        let mut bytes = Vec::with_capacity(command.len() + 1);
        bytes.extend_from_slice(command);
        bytes.push(b'\n');
        self.go_is_last = false;
        self.process.ring.wrote(Instant::now(), command);
        self.process.write(&bytes)
    }

    fn warn(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.warnings.len() < MAX_WARNINGS || self.warnings.contains_key(&what) {
            *self.warnings.entry(what).or_default() += 1;
        } else {
            *self.warnings.entry("further kinds of warnings".to_owned()).or_default() += 1;
        }
    }

    /// Options in their order, then `isready`.
    fn send_options(&mut self) -> Result<(), Fault> {
        let mut wanted = self.setup.options.clone();
        let has = |wanted: &[(String, String)], name: &str| wanted.iter().any(|(n, _)| n.eq_ignore_ascii_case(name));
        let declares = |brain: &Brain, name: &str| options::find(&brain.options, name).is_some();
        if let Some(threads) = self.setup.threads
            && !has(&wanted, "Threads")
            && (threads > 1 || declares(&self.brain, "Threads"))
        {
            wanted.push(("Threads".to_owned(), threads.to_string()));
        }
        if self.ponder && !has(&wanted, "Ponder") && declares(&self.brain, "Ponder") {
            wanted.push(("Ponder".to_owned(), "true".to_owned()));
        }
        if self.conditional && !has(&wanted, "UCI_Conditional") && declares(&self.brain, "UCI_Conditional") {
            wanted.push(("UCI_Conditional".to_owned(), "true".to_owned()));
        }
        if self.draw_offers && !self.brain.ccp && declares(&self.brain, DRAW_OFFERS) {
            if !has(&wanted, DRAW_OFFERS) {
                wanted.push((DRAW_OFFERS.to_owned(), "true".to_owned()));
            }
            let on = |(name, value): &(String, String)| name.eq_ignore_ascii_case(DRAW_OFFERS) && value == "true";
            self.brain.knows_offers = wanted.iter().any(on);
        }
        if self.chess960 && !has(&wanted, "UCI_Chess960") {
            wanted.push(("UCI_Chess960".to_owned(), "true".to_owned()));
        }
        wanted.sort_by_key(|(name, _)| options::rank(name));
        for (name, value) in wanted {
            match self.option(&name, &value) {
                Ok(line) => {
                    self.send(line.as_bytes())?;
                    self.sent_options.push((name, value));
                }
                Err(why) => self.warn(why),
            }
        }
        if self.conditional && self.brain.ccp && self.brain.additions.conditional {
            self.send(b"conditional on")?;
        }
        self.brain.state = State::Readying;
        self.send(b"isready").map(|_| ())
    }

    /// The line that sets an option. An engine that speaks CCP need not declare what it has.
    fn option(&self, name: &str, value: &str) -> Result<String, String> {
        if self.brain.ccp && self.brain.options.is_empty() {
            return options::undeclared(name, value);
        }
        options::set(&self.brain.options, name, value)
    }

    fn new_game(&mut self, start: &Start) -> Result<(), Fault> {
        self.position.clear();
        self.told = 0;
        if self.brain.ccp {
            // The table has read the start before.
            self.telling = Telling::new(start).ok();
        } else if start.position.is_empty() {
            self.position.extend_from_slice(b"position startpos");
        } else {
            self.position.extend_from_slice(b"position fen ");
            self.position.extend_from_slice(start.position.as_bytes());
        }
        self.last_go.clear();
        self.process.ring.clear();
        self.brain.state = State::Readying;
        match self.brain.ccp {
            false => self.send(b"ucinewgame").map(|_| ())?,
            true if self.brain.additions.new_game => self.send(b"newgame").map(|_| ())?,
            true => {}
        }
        self.send(b"isready").map(|_| ())
    }

    fn catch_up(&mut self, plies: &[Ply]) {
        if let Some(telling) = &mut self.telling {
            let new = plies.get(self.told..).unwrap_or_default();
            self.position = telling.go_on(new, plies, self.brain.additions).into_bytes();
            self.told = plies.len().max(self.told);
            return;
        }
        for (at, ply) in plies.iter().enumerate().skip(self.told) {
            self.position.extend_from_slice(if at == 0 { b" moves " } else { b" " });
            self.position.extend_from_slice(ply.mv.as_bytes());
        }
        self.told = plies.len().max(self.told);
    }

    fn search(&mut self, plies: &[Ply], expected: Option<&str>, go: &Go) -> Result<(), Fault> {
        self.drop_stale()?;
        self.catch_up(plies);
        let whole = self.position.len();
        if let Some(mv) = expected {
            self.position.extend_from_slice(if self.told == 0 { b" moves " } else { b" " });
            self.position.extend_from_slice(mv.as_bytes());
        }
        let position = self.position.len();
        self.last_go.clear();
        go::write(&mut self.last_go, go, expected.is_some());
        let now = Instant::now();
        self.process.ring.wrote(now, &self.position);
        self.process.ring.wrote(now, &self.last_go);
        self.position.push(b'\n');
        self.position.extend_from_slice(&self.last_go);
        self.position.push(b'\n');
        self.brain.search(if expected.is_some() { State::Pondering } else { State::Thinking });
        self.sending = true;
        self.go_is_last = true;
        let written = self.process.write(&self.position);
        self.position.truncate(position);
        if expected.is_some() {
            self.position.truncate(whole);
        }
        self.note_sent(written?);
        Ok(())
    }

    /// The position, the offer, and `isready`: whatever answers them is over at `readyok`.
    fn ask(&mut self, plies: &[Ply]) -> Result<(), Fault> {
        self.drop_stale()?;
        self.catch_up(plies);
        self.last_go.clear();
        let position = self.position.clone();
        self.send(&position)?;
        self.brain.offered = true;
        self.send(b"draw")?;
        self.brain.state = State::Readying;
        self.send(b"isready").map(|_| ())
    }

    fn note_sent(&mut self, at: Option<Instant>) {
        if let Some(at) = at
            && std::mem::replace(&mut self.sending, false)
        {
            self.queued.push_back(Said::Sent { at });
        }
    }

    /// Reads what was written before a command, so that it is judged by what was said before: a second `bestmove` must
    /// not answer the next `go`.
    fn drop_stale(&mut self) -> Result<(), Fault> {
        self.chunk_done = false;
        for _ in 0..STALE_READS {
            while let Some(said) = self.next_said()? {
                self.queued.push_back(said);
            }
            match self.process.read(&mut self.lines)? {
                Read::Bytes { at } => self.read_at = at,
                Read::Nothing => return Ok(()),
                Read::Eof => return Err(self.process.ended()),
            }
        }
        while let Some(said) = self.next_said()? {
            self.queued.push_back(said);
        }
        Ok(())
    }

    /// Takes complete lines until one of them means something.
    fn next_said(&mut self) -> Result<Option<Said>, Fault> {
        while let Some(line) = self.lines.next() {
            match self.brain.line(line) {
                Heard::Nothing => {}
                Heard::Started => {
                    self.send_options()?;
                    return Ok(Some(Said::Started));
                }
                Heard::Ready => return Ok(Some(Said::Ready)),
                Heard::Accept => {
                    let at = self.read_at;
                    // It stands in place of `bestmove`; who thinks on all the same is stopped, before the next game.
                    if self.brain.state == State::Thinking {
                        self.brain.state = State::Idle;
                        self.send(b"stop")?;
                    }
                    return Ok(Some(Said::Accept { at }));
                }
                Heard::Idle => return Ok(Some(Said::Idle)),
                // Who has not read `go` cannot have answered it.
                Heard::Move { .. } if self.go_is_last && self.process.has_unread() => {
                    self.brain.state = State::Thinking;
                    self.warn("bestmove without a search, dropped");
                }
                Heard::Move { text, ponder, info } => {
                    return Ok(Some(Said::Move { text, ponder, at: self.read_at, info }));
                }
                Heard::Odd(what) => self.warn(what),
            }
        }
        Ok(None)
    }
}

impl Player for UciPlayer {
    fn tell(&mut self, what: Tell<'_>) -> Result<(), Fault> {
        match what {
            Tell::NewGame { kind: _, start } => self.new_game(start),
            Tell::Think { plies, go } => self.search(plies, None, &go),
            Tell::Ponder { plies, expected, go } => self.search(plies, Some(expected), &go),
            Tell::Offered => {
                self.drop_stale()?;
                self.brain.offered = true;
                self.send(b"draw").map(|_| ())
            }
            Tell::Ask { plies } => self.ask(plies),
            Tell::PonderHit => {
                self.drop_stale()?;
                let early = self.brain.ponder_hit();
                if let Some(Heard::Move { text, ponder, info }) = early {
                    let at = Instant::now();
                    self.queued.push_back(Said::Sent { at });
                    self.queued.push_back(Said::Move { text, ponder, at, info });
                    return Ok(());
                }
                self.sending = true;
                let at = self.send(b"ponderhit")?;
                self.note_sent(at);
                Ok(())
            }
            Tell::Stop => {
                if self.brain.state == State::Pondering {
                    self.drop_stale()?;
                }
                if let Some(Heard::Move { text, ponder, info }) = self.brain.early.take() {
                    self.brain.state = State::Idle;
                    self.queued.push_back(Said::Move { text, ponder, at: Instant::now(), info });
                    return Ok(());
                }
                if self.brain.state == State::Pondering {
                    self.brain.state = State::Thinking;
                }
                self.send(b"stop").map(|_| ())
            }
            Tell::GameOver => {
                self.queued.clear();
                self.brain.offered = false;
                if self.brain.early.take().is_some() {
                    self.brain.state = State::Idle;
                }
                if matches!(self.brain.state, State::Thinking | State::Pondering) {
                    self.brain.state = State::Dropping;
                    self.send(b"stop")?;
                }
                Ok(())
            }
            Tell::Quit => {
                let told = self.send(b"quit").map(|_| ());
                if told.is_ok() && self.process.blocked_since().is_none() {
                    self.process.close_input();
                }
                told
            }
        }
    }

    fn fds(&self) -> [BorrowedFd<'_>; 2] {
        self.process.fds()
    }

    fn read(&mut self) -> Result<Option<Said>, Fault> {
        loop {
            if let Some(said) = self.queued.pop_front() {
                return Ok(Some(said));
            }
            if let Some(said) = self.next_said()? {
                return Ok(Some(said));
            }
            if std::mem::replace(&mut self.chunk_done, false) {
                return Ok(None);
            }
            match self.process.read(&mut self.lines)? {
                Read::Bytes { at } => {
                    self.read_at = at;
                    // The last words of an ended process are read whole: a pipe holds no more than a few buffers.
                    self.chunk_done = !self.process.has_exited();
                    self.reads += 1;
                    if self.reads.is_multiple_of(READS_BETWEEN_LOOKS) {
                        let sent = self.process.look_around()?;
                        self.note_sent(sent);
                    }
                }
                Read::Eof => return Err(self.process.ended()),
                Read::Nothing if self.process.has_exited() => return Err(self.process.ended()),
                Read::Nothing => {
                    let sent = self.process.look_around()?;
                    self.note_sent(sent);
                    if self.queued.is_empty() && !self.process.has_exited() {
                        return Ok(None);
                    }
                }
            }
        }
    }

    fn pop(&mut self) -> Option<Said> {
        self.queued.pop_front()
    }

    fn blocked_since(&self) -> Option<Instant> {
        self.process.blocked_since()
    }

    fn heard_at(&self) -> Instant {
        self.process.heard_at
    }

    fn nodes(&self) -> u64 {
        self.brain.nodes()
    }

    fn takes_offers(&self) -> bool {
        self.brain.knows_offers
    }

    fn is_idle(&self) -> bool {
        self.brain.state == State::Idle && self.process.blocked_since().is_none()
    }

    fn identity(&self) -> EngineIdentity {
        EngineIdentity {
            name: self.setup.name.clone(),
            id_name: self.brain.id_name.clone(),
            id_author: self.brain.id_author.clone(),
            digest: self.setup.digest.clone(),
            options: self.sent_options.clone(),
        }
    }

    fn pid(&self) -> Option<u32> {
        Some(self.process.id())
    }

    fn transcript(&self, seat: Seat, start: Instant) -> Transcript {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let reproduce = if self.last_go.is_empty() {
            String::new()
        } else {
            format!("{}\n{}", text(&self.position), text(&self.last_go))
        };
        Transcript { seat, lines: self.process.ring.render(start), stderr: self.process.stderr_tail.lines(), reproduce }
    }

    fn take_warnings(&mut self) -> Vec<(String, u32)> {
        let mut warnings: Vec<_> = std::mem::take(&mut self.warnings).into_iter().collect();
        let cut = self.lines.take_cut();
        if cut > 0 {
            warnings.push((format!("line longer than {} bytes, cut", super::MAX_LINE), cut));
        }
        warnings
    }
}
