//! `rookery ccp-engine`: a small engine of Chinese checkers, so that the game can be played out of the box.

mod clock;
mod evaluate;
mod lines;
pub(crate) mod search;

use std::io::Write;

use rookery_game::{
    Board, Form,
    chinese_checkers::{ChineseCheckers, Position, Rules, judge},
};

use crate::exit::{self, Outcome};
use lines::Lines;
use search::{Ends, Found, Limits, Search, Settings, answer};

/// Options: name, default, largest.
const OPTIONS: [(&str, u64, u64); 5] = [
    ("Depth", 0, 64),
    ("Nodes", 0, 1 << 40),
    ("Noise", 8, 10_000),
    ("Seed", 0, (1 << 53) - 1),
    // Foreseen moves of the other side, each with the answer to it, where strings are asked for.
    ("Strings", 2, 16),
];
/// The options, for people.
pub(crate) const HELP: &str = "\
Options, as `setoption name NAME value VALUE` or in a spec's `options`:
  Depth    plies that are looked ahead at most; 0: as many as there is time for (0 to 64, default 0)
  Nodes    positions that are looked at for a move at most; 0: no limit (default 0)
  Noise    how much is added to evaluations at random, so that games differ (0 to 10000, default 8)
  Seed     decides the noise
  Strings  replies that a string of conditional moves foresees, where strings are asked for (0 to 16, default 2)";
/// The engine counts in smaller units than those that the protocol shows: a step forward is some twenty of them.
const SHOWN: i32 = 5;

/// An engine and what it was told.
struct Engine {
    /// By the places of [`OPTIONS`].
    values: [u64; 5],
    game: ChineseCheckers,
    /// Strings of conditional moves are wanted.
    conditional: bool,
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
            Some("conditional") => engine.conditional = words.next() == Some("on"),
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
    say("protocol ccp 1 newgame moves conditional")?;
    for (name, default, max) in OPTIONS {
        say(&format!("option name {name} type spin default {default} min 0 max {max}"))?;
    }
    say("ccpok")
}

impl Engine {
    fn new() -> Self {
        let game = ChineseCheckers::at(Position::START, 0, Rules::default());
        Self { values: OPTIONS.map(|(_, default, _)| default), game, conditional: false, history: Vec::new() }
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
        let [depth, nodes, noise, seed, _] = self.values;
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
        if self.conditional {
            let line = self.string(position, &found.line);
            if !line.is_empty() {
                say(&format!("conditional {}", line.join(" ")))?;
            }
        }
        let best = found.line.first().and_then(|&mv| path(&position, mv)).unwrap_or_else(|| "0000".to_owned());
        say(&format!("bestmove {best}"))
    }
}

impl Engine {
    /// What is expected after the first move of `line`, each move of the other side with the answer to it: the line as far
    /// as it goes, then what a shallow look finds.
    fn string(&self, mut position: Position, line: &[Ends]) -> Vec<String> {
        let mut history = self.history.clone();
        let mut string = Vec::new();
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let plies = 1 + 2 * usize::try_from(self.values[4]).unwrap_or(0);
        for ply in 0..plies {
            let shallow = || answer(&position, &history, limits, Settings { noise: 0, seed: 0 }).line.first().copied();
            // Beyond the end of the game there is nothing to foresee.
            let over = ply > 0 && judge(&position, Rules { max_ply: u32::MAX, ..Rules::default() }, 0, 1).is_some();
            let Some(mv) = line.get(ply).copied().or_else(shallow).filter(|_| !over) else { break };
            if ply > 0 {
                string.extend(path(&position, mv));
            }
            history.push(position);
            position = position.after(mv.0, mv.1);
        }
        // A foreseen move without an answer is kept only where it ends the game; the table knows which does.
        string
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

#[cfg(test)]
mod tests {
    use super::{HELP, OPTIONS};

    #[test]
    fn help_names_each_option() {
        for (name, ..) in OPTIONS {
            assert!(HELP.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{name}");
        }
    }
}
