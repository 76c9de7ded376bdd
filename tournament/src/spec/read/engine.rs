//! One `[[engine]]` table.

use std::ops::Range;

use rookery_game::setup::{EngineSetup, Restart};

use super::{MAX_NAME, MAX_PATH, event::control};
use crate::spec::{
    EngineSpec,
    walk::{Table, Value, clean, is_unprintable},
};

/// Words for `restart`.
pub(super) const RESTARTS: [(&str, Restart); 3] =
    [("never", Restart::Never), ("pair", Restart::Pair), ("game", Restart::Game)];
/// Protocols that are spoken.
const PROTOCOLS: [(&str, &str); 3] = [("uci", "uci"), ("usi", "usi"), ("ccp", "ccp")];
/// No engine has more options.
const MAX_OPTIONS: usize = 1_000;
/// Longer values are files, and are named by a path.
const MAX_VALUE: usize = 16 << 10;
/// No machine has more.
pub(super) const MAX_THREADS: i128 = 4096;

/// An engine before the event's own defaults are filled in.
#[derive(Debug, Clone)]
pub(in crate::spec) struct RawEngine {
    pub(super) spec: EngineSpec,
    pub(super) file: String,
    pub(super) span: Range<usize>,
    pub(super) name_span: Range<usize>,
    pub(super) protocol_span: Option<Range<usize>>,
    pub(super) restart_stated: bool,
    /// Its rating in the list by which opponents are chosen.
    pub(super) listed: Option<f64>,
    /// Whether it was chosen by a list before.
    pub(super) chosen: Option<bool>,
}

pub(super) fn read(table: &Table<'_>) -> RawEngine {
    let mut setup = EngineSetup::default();
    let program = table.get("program");
    let artifact = table.get("artifact");
    if let Some(value) = program {
        setup.program = value.line("stockfish", MAX_PATH).unwrap_or_default().to_owned();
    }
    if let Some(value) = artifact {
        setup.artifact = digest(value).unwrap_or_default();
    }
    match (program, artifact) {
        (Some(_), Some(value)) => value.error("`artifact` says again what `program` says", "either of them, not both"),
        (None, None) if table.source.is_whole() => {
            table.error("an engine without `program`", "expected e.g. `program = \"stockfish\"`")
        }
        _ => {}
    }
    let name = table.get("name");
    let name_span = name.as_ref().map_or_else(|| table.span(), Value::span);
    setup.name = match name {
        Some(value) => value.line("Stockfish 17", MAX_NAME).unwrap_or_default().trim().to_owned(),
        None => stem(&setup.program).to_owned(),
    };
    if let Some(value) = table.get("args") {
        if value.is_text() {
            value.wrong_type("a list of texts", "args = [\"--uci\"]");
        } else {
            let values = value.list("args = [\"--uci\"]").unwrap_or_default();
            setup.args = values.iter().filter_map(|v| argument(v)).collect();
        }
    }
    if let Some(value) = table.get("directory") {
        setup.directory = value.line("engines/sf", MAX_PATH).unwrap_or_default().to_owned();
    }
    if let Some(env) = table.get("env").and_then(|v| v.table("`env`", "env = { OMP_NUM_THREADS = \"1\" }")) {
        for (key, span, value) in env.all() {
            if key.is_empty() || key.contains(['=', '\0']) || key.chars().any(is_unprintable) {
                value.source.error(span, format!("`{}` cannot be a variable's name", clean(key)), "");
            } else if let Some(text) = argument(&value) {
                setup.env.insert(key.to_owned(), text);
            }
        }
    }
    let protocol = table.get("protocol");
    if let Some(value) = protocol {
        setup.protocol = match value.text("uci") {
            Some("xboard" | "cecp" | "winboard") => {
                value.error("xboard engines are not supported by this version yet", "expected `uci`");
                String::new()
            }
            Some(_) => value.word(&PROTOCOLS).unwrap_or_default().to_owned(),
            None => String::new(),
        };
    }
    if let Some(value) = table.get("options") {
        setup.options = options(value);
    }
    let threads = table.get("threads").and_then(|v| v.count(1, MAX_THREADS));
    let by_option = setup.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("threads"));
    // Some engines take every core unless they are told.
    setup.threads = threads.or((!by_option).then_some(1));
    if threads.is_some()
        && let Some(twice) = table.get("options").filter(Value::is_table).and_then(|v| v.table("", "")).and_then(|t| {
            t.all().into_iter().find(|(key, _, _)| key.trim().eq_ignore_ascii_case("threads")).map(|(_, span, _)| span)
        })
    {
        table.source.error(twice, "the option `Threads` says again what `threads` says", "leave it out here");
    }
    let restart = table.get("restart");
    setup.restart = restart.and_then(|v| v.word(&RESTARTS)).unwrap_or_default();
    let (time_control, time_scale) = match table.get("time-control").and_then(control) {
        Some((control, scale)) => (Some(control), scale),
        None => (None, None),
    };
    let (cpu_features, gpus) = needs(table);
    let spec = EngineSpec {
        setup,
        time_control,
        time_scale,
        margin: table.get("margin").and_then(|v| v.duration()),
        rating: table.get("rating").and_then(|v| v.real(-10_000.0, 10_000.0)),
        family: table.get("family").and_then(|v| v.line("Stockfish", MAX_NAME)).map(str::to_owned),
        seed_option: table.get("seed-option").and_then(|v| v.line("Seed", MAX_NAME)).map(str::to_owned),
        cpu_features,
        gpus,
    };
    RawEngine {
        listed: None,
        chosen: None,
        spec,
        file: table.source.file.to_owned(),
        span: table.span(),
        name_span,
        protocol_span: protocol.as_ref().map(Value::span),
        restart_stated: restart.is_some(),
    }
}

/// The program's file name without folders and `.exe`.
pub(in crate::spec) fn stem(program: &str) -> &str {
    let file = program.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(program);
    file.strip_suffix(".exe").filter(|s| !s.is_empty()).unwrap_or(file)
}

/// An argument or a variable: any text that a program can be given.
fn argument(value: &Value<'_>) -> Option<String> {
    let text = value.plain()?;
    if text.contains('\0') {
        value.error("a NUL cannot be passed to a program", "leave it out");
        return None;
    }
    Some(text)
}

/// `sha256:` and 64 hexadecimal digits.
fn digest(value: Value<'_>) -> Option<String> {
    let text = value.line("sha256:…", MAX_NAME)?;
    let hex = text.strip_prefix("sha256:").unwrap_or_default();
    let sound = hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !sound {
        value.error("`artifact` is not a digest", "expected `sha256:` and 64 hexadecimal digits in lower case");
        return None;
    }
    Some(text.to_owned())
}

/// Options in the order of the text. A line feed in one would be a command of its own.
fn options(value: Value<'_>) -> Vec<(String, String)> {
    let Some(table) = value.table("`options`", "options = { Hash = 16 }") else { return Vec::new() };
    let all = table.all();
    if all.len() > MAX_OPTIONS {
        table.error("too many options", format!("at most {MAX_OPTIONS}"));
        return Vec::new();
    }
    let mut options = Vec::new();
    for (key, span, value) in all {
        if key.is_empty() || key.trim() != key || key.chars().any(is_unprintable) || key.len() > MAX_VALUE {
            value.source.error(span, format!("`{}` cannot be an option's name", clean(key)), "");
            continue;
        }
        if key.trim().eq_ignore_ascii_case("UCI_Chess960") {
            value.source.error(span, "`UCI_Chess960` is set by the game", "write `game = \"chess960\"` in [event]");
            continue;
        }
        let Some(text) = value.plain() else { continue };
        if text.len() > MAX_VALUE || text.chars().any(is_unprintable) {
            value.error(format!("the value of `{}` must be one line", clean(key)), "without control characters");
            continue;
        }
        options.push((key.to_owned(), text));
    }
    options
}

/// `needs = { cpu = "x86-64-v3", gpus = 1 }`.
fn needs(table: &Table<'_>) -> (Vec<String>, u32) {
    let Some(needs) = table.get("needs").and_then(|v| v.table("`needs`", "needs = { cpu = \"x86-64-v3\" }")) else {
        return (Vec::new(), 0);
    };
    let cpu = needs.get("cpu").map(|v| v.texts("x86-64-v3", MAX_NAME)).unwrap_or_default();
    let gpus = needs.get("gpus").and_then(|v| v.count(0, 64)).unwrap_or(0);
    needs.finish();
    (cpu.into_iter().map(str::to_owned).collect(), gpus)
}
