//! A UCI engine that answers at once with the next move of a game that it knows, so that a benchmark measures the
//! manager and not the engine. `tests/bench/README.md` says what it is used for.
//!
//! - `--shuffle`: knights go out and back, a draw by repetition after eight plies; else one game of 309 plies to mate.
//! - `--info N`: lines of search before each answer (1).
//! - `--delay-us N`: how long it thinks (0), and up to a millisecond more, by the ply: a clock that counts whole
//!   milliseconds must not be right by chance.
//! - `--log FILE`: appends, for each move, when `go` was read and when the answer was written (nanoseconds of the
//!   monotonic clock), the four numbers of the clocks, the ply and the process; little-endian, 40 bytes a move.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Write},
    path::PathBuf,
};

use rustix::time::{ClockId, Timespec, clock_gettime};

const LONG: &str = include_str!("../../bench/long_game.uci");
const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

/// Bytes of the log that are written at once: a write for each move would be measured as the manager's.
const LOG_BUFFER: usize = 1 << 18;
/// The longest input line: `position` with the moves of a long game.
const LINE: usize = 1 << 20;

struct Engine {
    moves: Vec<&'static str>,
    infos: u32,
    delay_us: u64,
    log: Option<File>,
    logged: Vec<u8>,
    ply: usize,
    answer: String,
}

fn main() -> io::Result<()> {
    let mut engine = Engine {
        moves: LONG.split_ascii_whitespace().collect(),
        infos: 1,
        delay_us: 0,
        log: None,
        logged: Vec::new(),
        ply: 0,
        answer: String::new(),
    };
    let mut words = std::env::args().skip(1);
    let bad = |what: &str| io::Error::other(format!("{what}: see the head of this file"));
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| bad(&word));
        match word.as_str() {
            "--shuffle" => engine.moves = SHUFFLE.to_vec(),
            "--info" => engine.infos = value()?.parse().map_err(io::Error::other)?,
            "--delay-us" => engine.delay_us = value()?.parse().map_err(io::Error::other)?,
            "--log" => {
                let path = PathBuf::from(value()?);
                engine.log = Some(OpenOptions::new().append(true).create(true).open(path)?);
            }
            _ => return Err(bad(&word)),
        }
    }
    engine.run()
}

fn now_ns() -> u64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    u64::try_from(tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(tv_nsec).unwrap_or(0)
}

impl Engine {
    fn run(&mut self) -> io::Result<()> {
        let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
        let mut buffer = vec![0; LINE];
        let mut end = 0;
        loop {
            let n = input.read(&mut buffer[end..])?;
            let at = now_ns();
            if n == 0 {
                return self.flush();
            }
            end += n;
            let mut start = 0;
            while let Some(length) = buffer[start..end].iter().position(|&byte| byte == b'\n') {
                let line = String::from_utf8_lossy(&buffer[start..start + length]).into_owned();
                if !self.line(line.trim_end(), at, &mut output)? {
                    return self.flush();
                }
                start += length + 1;
            }
            buffer.copy_within(start..end, 0);
            end -= start;
        }
    }

    /// False: it was told to quit.
    fn line(&mut self, line: &str, at: u64, output: &mut impl Write) -> io::Result<bool> {
        match line.split(' ').next().unwrap_or("") {
            "position" => {
                let moves = line.split_once(" moves ").map_or(0, |(_, moves)| moves.split_ascii_whitespace().count());
                self.ply = before(line) + moves;
            }
            "go" => self.go(line, at, output)?,
            "uci" => output.write_all(
                b"id name null\nid author bench\noption name Hash type spin default 16 min 1 max 1024\nuciok\n",
            )?,
            "isready" => output.write_all(b"readyok\n")?,
            "ucinewgame" => self.flush()?,
            "quit" => return Ok(false),
            _ => {}
        }
        output.flush()?;
        Ok(true)
    }

    fn go(&mut self, line: &str, at: u64, output: &mut impl Write) -> io::Result<()> {
        use std::fmt::Write as _;
        if self.delay_us > 0 {
            let until = at + (self.delay_us + self.ply as u64 * 137 % 1_000) * 1_000;
            let left = until.saturating_sub(now_ns());
            std::thread::sleep(std::time::Duration::from_nanos(left));
        }
        let mv = self.moves[self.ply % self.moves.len()];
        self.answer.clear();
        for depth in 1..=self.infos {
            let (seldepth, nodes, ms) = (depth + 1, depth * 100, self.delay_us / 1_000);
            let written = writeln!(
                self.answer,
                "info depth {depth} seldepth {seldepth} multipv 1 score cp 13 nodes {nodes} nps 1000000 hashfull 0 \
                 tbhits 0 time {ms} pv {mv}"
            );
            written.map_err(io::Error::other)?;
        }
        writeln!(self.answer, "bestmove {mv}").map_err(io::Error::other)?;
        let answered = now_ns();
        output.write_all(self.answer.as_bytes())?;
        output.flush()?;
        if self.log.is_some() {
            let number = |name: &str| {
                let mut words = line.split(' ').skip_while(|word| *word != name);
                words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(-1_i32)
            };
            let (ply, pid) = (i32::try_from(self.ply), i32::try_from(std::process::id()));
            self.logged.extend(at.to_le_bytes());
            self.logged.extend(answered.to_le_bytes());
            for each in
                [number("wtime"), number("btime"), number("winc"), number("binc"), ply.unwrap_or(-1), pid.unwrap_or(-1)]
            {
                self.logged.extend(each.to_le_bytes());
            }
            if self.logged.len() >= LOG_BUFFER {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            log.write_all(&self.logged)?;
        }
        self.logged.clear();
        Ok(())
    }
}

/// Plies before the position of a `position` line: a manager may name a later one than the game began with.
fn before(line: &str) -> usize {
    let Some((_, fen)) = line.split_once(" fen ") else { return 0 };
    let mut fields = fen.split_ascii_whitespace().skip(1);
    let black = fields.next() == Some("b");
    let full: usize = fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1);
    2 * full.saturating_sub(1) + usize::from(black)
}
