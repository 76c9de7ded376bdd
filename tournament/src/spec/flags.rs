//! A spec from the flags of `rookery run`.

use super::{
    read::stem,
    tree::{key_text, plain, quoted},
};

/// One `--engine`, and what was said for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlagEngine {
    /// `--engine ./new`.
    pub program: String,
    /// Its name; `None`: the program's file name.
    pub name: Option<String>,
    /// Arguments of its command line.
    pub args: Vec<String>,
    /// Options of it alone, in order.
    pub options: Vec<(String, String)>,
    /// Threads.
    pub threads: Option<u32>,
    /// Its own time control.
    pub time_control: Option<String>,
}

/// What the flags of `rookery run` said. Texts are not checked here: [`super::parse`] checks the spec that is made.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Flags {
    /// `--name`.
    pub name: Option<String>,
    /// `--engine`, in order.
    pub engines: Vec<FlagEngine>,
    /// `--option NAME=VALUE`: for every engine that does not say it itself.
    pub options: Vec<(String, String)>,
    /// `--threads`: for every engine that does not say it itself.
    pub threads: Option<u32>,
    /// `--tc 8+0.08`.
    pub time_control: Option<String>,
    /// `--book b.epd`.
    pub book: Option<String>,
    /// `--order random|sequential`.
    pub order: Option<String>,
    /// `--chess960`.
    pub chess960: bool,
    /// `--sprt ELO0,ELO1`.
    pub sprt: Option<(f64, f64)>,
    /// `--pairs` or `--rounds`: openings, each with both colours.
    pub pairs: Option<u32>,
    /// `--games`.
    pub games: Option<u32>,
    /// `--games-per-pair`.
    pub games_per_pair: Option<u8>,
    /// `--gauntlet`: the first engine against all others; else a round robin of more than two.
    pub gauntlet: bool,
    /// `--concurrency`.
    pub concurrency: Option<u32>,
    /// `--ponder`.
    pub ponder: bool,
    /// `--tablebases`.
    pub tablebases: Vec<String>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--output`.
    pub output: Option<String>,
}

/// The spec that the flags mean, as readable TOML.
#[must_use]
pub fn from_flags(flags: &Flags) -> String {
    let mut text = String::new();
    if let Some(name) = &flags.name {
        text.push_str(&format!("name = {}\n\n", quoted(name)));
    }
    let names = names(&flags.engines);
    for (engine, name) in flags.engines.iter().zip(&names) {
        text.push_str(&format!("[[engine]]\nname    = {}\nprogram = {}\n", quoted(name), quoted(&engine.program)));
        let args: Vec<String> = engine.args.iter().map(|arg| quoted(arg)).collect();
        if !args.is_empty() {
            text.push_str(&format!("args    = [{}]\n", args.join(", ")));
        }
        if let Some(threads) = engine.threads.or(flags.threads) {
            text.push_str(&format!("threads = {threads}\n"));
        }
        // What an engine says itself comes in place of what is said for all; the last word counts.
        let mut options: Vec<(&str, &str)> = Vec::new();
        for (key, value) in flags.options.iter().chain(&engine.options) {
            match options.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
                Some(known) => *known = (key, value),
                None => options.push((key, value)),
            }
        }
        let options: Vec<String> =
            options.iter().map(|(key, value)| format!("{} = {}", key_text(key), plain(value))).collect();
        if !options.is_empty() {
            text.push_str(&format!("options = {{ {} }}\n", options.join(", ")));
        }
        if let Some(control) = &engine.time_control {
            text.push_str(&format!("time-control = {}\n", quoted(control)));
        }
        text.push('\n');
    }
    let rows = event(flags, &names);
    let width = rows.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    text.push_str("[event]\n");
    for (key, value) in rows {
        text.push_str(&format!("{key:<width$} = {value}\n"));
    }
    text
}

fn event(flags: &Flags, names: &[String]) -> Vec<(&'static str, String)> {
    let mut rows: Vec<(&'static str, String)> = Vec::new();
    if flags.chess960 {
        rows.push(("game", quoted("chess960")));
    }
    // Both, where both were said: the spec's own check says that one is too many.
    let mut counts: Vec<String> = Vec::new();
    counts.extend(flags.pairs.map(|n| format!("pairs = {n}")));
    counts.extend(flags.games.map(|n| format!("games = {n}")));
    let with = |first: Option<String>| {
        let all: Vec<String> = first.into_iter().chain(counts.clone()).collect();
        if all.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", all.join(", ")) }
    };
    if flags.gauntlet {
        let engine = names.first().map(|name| format!("engine = {}", quoted(name)));
        rows.push(("format", format!("{{ gauntlet = {} }}", with(engine))));
    } else if names.len() > 2 {
        rows.push(("format", format!("{{ round-robin = {} }}", with(None))));
    } else if !counts.is_empty() {
        rows.push(("format", format!("{{ match = {} }}", with(None))));
    }
    if let Some(n) = flags.games_per_pair {
        rows.push(("games-per-pair", n.to_string()));
    }
    if let Some(control) = &flags.time_control {
        rows.push(("time-control", quoted(control)));
    }
    if flags.ponder {
        rows.push(("ponder", "true".to_owned()));
    }
    let mut openings: Vec<String> = Vec::new();
    openings.extend(flags.book.as_deref().map(|book| format!("book = {}", quoted(book))));
    openings.extend(flags.order.as_deref().map(|order| format!("order = {}", quoted(order))));
    if !openings.is_empty() {
        rows.push(("openings", format!("{{ {} }}", openings.join(", "))));
    }
    if let Some((elo0, elo1)) = flags.sprt {
        rows.push(("stop", format!("{{ sprt = {{ elo0 = {}, elo1 = {} }} }}", real(elo0), real(elo1))));
    }
    if !flags.tablebases.is_empty() {
        let all: Vec<String> = flags.tablebases.iter().map(|path| quoted(path)).collect();
        rows.push(("tablebases", format!("[{}]", all.join(", "))));
    }
    if let Some(n) = flags.concurrency {
        rows.push(("concurrency", n.to_string()));
    }
    if let Some(seed) = flags.seed {
        rows.push(("seed", seed.to_string()));
    }
    if let Some(output) = &flags.output {
        rows.push(("output", quoted(output)));
    }
    rows
}

/// A number as TOML writes it.
fn real(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { number.to_string() }
}

/// Names, each once: `stockfish`, `stockfish 2`.
fn names(engines: &[FlagEngine]) -> Vec<String> {
    let mut taken: Vec<String> = engines.iter().filter_map(|engine| engine.name.clone()).collect();
    let mut names = Vec::new();
    for engine in engines {
        if let Some(name) = &engine.name {
            names.push(name.clone());
            continue;
        }
        let stem = stem(&engine.program);
        let mut name = stem.to_owned();
        let mut number = 2_u32;
        while taken.contains(&name) {
            name = format!("{stem} {number}");
            number += 1;
        }
        taken.push(name.clone());
        names.push(name);
    }
    names
}
