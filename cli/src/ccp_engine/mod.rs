//! `rookery ccp-engine`: a small engine of Chinese checkers, so that the game can be played out of the box.

mod clock;
mod evaluate;
mod lines;
pub(crate) mod search;

use std::io::Write;

use rookery_game::{
    Board, Form,
    chinese_checkers::{ChineseCheckers, Position, Rules},
};

use crate::exit::{self, Outcome};
use lines::Lines;
use search::{Ends, Found, Limits, Search, Settings};

/// Options: name, default, largest.
const OPTIONS: [(&str, u64, u64); 4] =
    [("Depth", 0, 64), ("Nodes", 0, 1 << 40), ("Noise", 8, 10_000), ("Seed", 0, (1 << 53) - 1)];
/// The engine counts in smaller units than those that the protocol shows: a step forward is some twenty of them.
const SHOWN: i32 = 5;

/// An engine and what it was told.
struct Engine {
    /// By the places of [`OPTIONS`].
    values: [u64; 4],
    game: ChineseCheckers,
    /// Positions before the present one, where they were told.
    history: Vec<Position>,
}

/// Speaks CCP on standard input and output until `quit` or the end of the input.
pub(crate) fn run() -> Outcome {
    let mut lines = Lines::new();
    let mut engine = Engine::new();
    while let Some(line) = lines.wait() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("ccp") => greet()?,
            Some("isready") => say("readyok")?,
            Some("setoption") => engine.set(&line)?,
            Some("newgame") => engine.history.clear(),
            Some("position") => {
                if let Err(why) = engine.place(line.trim_ascii_start().trim_start_matches("position")) {
                    say(&format!("info string {why}"))?;
                }
            }
            Some("go") => engine.go(words, &mut lines)?,
            Some("quit") => break,
            // `stop` without a search, and what other versions may say.
            _ => {}
        }
    }
    Ok(exit::DONE)
}

fn say(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

fn greet() -> std::io::Result<()> {
    say(concat!("id name Rookery CCP ", env!("CARGO_PKG_VERSION")))?;
    say("id author the authors of Rookery")?;
    say("protocol ccp 1 newgame moves")?;
    for (name, default, max) in OPTIONS {
        say(&format!("option name {name} type spin default {default} min 0 max {max}"))?;
    }
    say("ccpok")
}

impl Engine {
    fn new() -> Self {
        let game = ChineseCheckers::at(Position::START, 0, Rules::default());
        Self { values: OPTIONS.map(|(_, default, _)| default), game, history: Vec::new() }
    }

    /// `setoption name Noise value 20`.
    fn set(&mut self, line: &str) -> std::io::Result<()> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let place = OPTIONS.iter().position(|(name, ..)| words.get(2).is_some_and(|w| w.eq_ignore_ascii_case(name)));
        let value = words.get(4).and_then(|word| word.parse::<u64>().ok());
        match (place, value) {
            (Some(place), Some(value)) if value <= OPTIONS[place].2 => {
                self.values[place] = value;
                Ok(())
            }
            _ => say("info string no such option, or no such value"),
        }
    }

    /// `startpos` or `cells … player … ply …`, and `moves …`.
    fn place(&mut self, text: &str) -> Result<(), String> {
        let (start, moves) = text.split_once(" moves").unwrap_or((text, ""));
        let start = start.trim_ascii();
        let start = if start == "startpos" { "" } else { start };
        // The referee knows when the game ends; here it must only go on.
        let mut game = ChineseCheckers::new(start, Rules::default()).map_err(|error| error.to_string())?;
        let mut history = Vec::new();
        for word in moves.split_ascii_whitespace() {
            let mv = game.parse(word, Form::Cells).map_err(|error| error.to_string())?;
            history.push(*game.position());
            game.play(mv);
        }
        (self.game, self.history) = (game, history);
        Ok(())
    }

    fn go<'a>(&mut self, words: impl Iterator<Item = &'a str>, lines: &mut Lines) -> std::io::Result<()> {
        let [depth, nodes, noise, seed] = self.values;
        let position = *self.game.position();
        let asked = clock::read(words, position.to_move());
        let at_most = |asked: Option<u64>, own: u64| match (asked, own) {
            (asked, 0) => asked,
            (None, own) => Some(own),
            (Some(asked), own) => Some(asked.min(own)),
        };
        let limits = Limits {
            depth: at_most(asked.depth, depth).and_then(|depth| u32::try_from(depth).ok()),
            nodes: at_most(asked.nodes, nodes),
            until: asked.until,
        };
        let settings = Settings { noise: u32::try_from(noise).unwrap_or(0), seed };
        let mut failed = Ok(());
        let report = &mut |found: &Found| {
            let line = info(&position, found);
            failed = say(&line);
        };
        let stop = &mut || lines.stopped();
        let found =
            Search { limits, settings, history: &self.history, stop, report, nodes: 0, stopped: false }.run(&position);
        failed?;
        let best = found.line.first().and_then(|&mv| path(&position, mv)).unwrap_or_else(|| "0000".to_owned());
        say(&format!("bestmove {best}"))
    }
}

fn path(position: &Position, (from, to): Ends) -> Option<String> {
    let path = position.path(from, to)?;
    Some(path.ids().iter().map(u8::to_string).collect::<Vec<_>>().join("-"))
}

fn info(position: &Position, found: &Found) -> String {
    let mut at = *position;
    let mut pv = Vec::new();
    for &(from, to) in &found.line {
        pv.extend(path(&at, (from, to)));
        at = at.after(from, to);
    }
    let Found { depth, nodes, score, .. } = found;
    format!("info depth {depth} nodes {nodes} score cp {} pv {}", score * SHOWN, pv.join(" "))
}
