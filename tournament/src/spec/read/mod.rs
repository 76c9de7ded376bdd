//! From text to a [`Spec`], with all mistakes at once.

mod board;
mod engine;
mod event;
mod format;
mod game;
mod interruption;
pub(super) mod list;
mod predictions;
mod ratings;
pub(super) mod season;
mod syntax;

use std::{collections::BTreeMap, ops::Range};

use rookery_game::setup::GameKind;
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};

use self::engine::RawEngine;
pub(super) use self::engine::stem;
use super::{
    EngineSpec, EventSpec, FormatSpec, Spec, SpecErrors, defaults,
    error::{Sink, Source},
    walk::{Table, Value, clean},
};

/// No spec is larger; a list of engines neither.
const MAX_BYTES: usize = 4 << 20;
/// Fits the fixed width of ids, and no event of two million games needs more.
const MAX_ENGINES: usize = 10_000;
/// Names stand in file names, PGN tags and keys of the store.
pub(super) const MAX_NAME: usize = 120;
/// Longer paths do not open.
pub(super) const MAX_PATH: usize = 4096;

/// A spec that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// With every default filled in.
    pub spec: Spec,
    /// Files that it was read from beside its own, as it names them.
    pub files: Vec<String>,
}

/// Reads a spec. `file_name` is for messages; `loader` gives the text of a file that the spec names (`engines`), or
/// says why it cannot.
///
/// # Errors
/// All mistakes at once, each at its place.
pub fn parse(
    file_name: &str,
    text: &str,
    loader: &dyn Fn(&str) -> Result<String, String>,
) -> Result<Parsed, SpecErrors> {
    let sink = Sink::default();
    let parsed = read(file_name, text, loader, &sink);
    sink.into_errors(file_name)?;
    Ok(parsed)
}

/// As [`parse`], but what could be read is given beside the mistakes.
pub(super) fn read(
    file_name: &str,
    text: &str,
    loader: &dyn Fn(&str) -> Result<String, String>,
    sink: &Sink,
) -> Parsed {
    let source = Source::new(file_name, text, sink);
    let mut files = Vec::new();
    let Some(document) = document(&source) else {
        let event = EventSpec::default();
        return Parsed { spec: Spec { name: String::new(), engines: Vec::new(), event }, files };
    };
    let root = Table::new(&source, &document, 0..0, "the spec");

    let mut list = Roster::default();
    if let Some(value) = root.get("engines") {
        if value.is_list() {
            let hint = "write `[[engine]]` for each engine, or `engines = \"engines.toml\"` for a file of them";
            value.error("`engines` names a file", hint);
        } else if let Some(name) = value.line("engines.toml", MAX_PATH) {
            files.push(name.to_owned());
            match loader(name) {
                Ok(text) => list.read_file(name, &text, sink),
                Err(why) => {
                    sink.set_unread();
                    value.error(format!("cannot read `{}`", clean(name)), clean(&why));
                }
            }
        }
    }
    if let Some(value) = root.get("engine") {
        list.read(value);
    }
    if let Some((of, span)) = list_of(&document) {
        // Who says what the list has knows it from a coordinator.
        let choice = loader(&ratings_of(of))
            .and_then(|text| serde_json::from_str::<ListChoice>(&text).map_err(|error| error.to_string()));
        match choice {
            Ok(choice) => list.take_choice(&choice),
            Err(why) => {
                sink.set_unread();
                source.error(span, format!("the ratings of the list `{}` are not known", clean(of)), clean(&why));
            }
        }
    }
    let name = root.get("name").and_then(event_name);
    let event = root.get("event").and_then(|value| value.table("[event]", "[event]"));
    root.finish();

    let game = event.as_ref().and_then(event::game).unwrap_or(GameKind::Chess);
    let mut engines = list.engines;
    if engines.len() < 2 && source.knows_engines() {
        let (message, hint) = match engines.first() {
            None => ("no engines", "a tournament needs at least two `[[engine]]` tables".to_owned()),
            Some(_) => ("one engine alone", "a tournament needs at least two `[[engine]]` tables".to_owned()),
        };
        match engines.first() {
            Some(first) if first.file == file_name => source.error(first.span.clone(), message, hint),
            _ => source.error_of_file(message, hint),
        }
    }
    let empty = DeTable::new();
    let event = event.unwrap_or_else(|| Table::new(&source, &empty, 0..0, "[event]"));
    let (engines, event) = event::read(event, game, &mut engines, event::Of::Itself);
    let name = name.unwrap_or_else(|| default_name(file_name, &engines, &event));
    let title = if event.title.is_empty() { name.clone() } else { event.title.clone() };
    sink.forget_echoes();
    Parsed { spec: Spec { name, engines, event: EventSpec { title, ..event } }, files }
}

/// The document, as far as it can be read, its mistakes of syntax noted.
fn document<'a>(source: &Source<'a>) -> Option<DeTable<'a>> {
    if source.text.len() > MAX_BYTES {
        source.error_of_file(format!("{} bytes are no spec", source.text.len()), "at most 4 MiB");
        return None;
    }
    let (document, errors) = DeTable::parse_recoverable(source.text);
    syntax::report(source, &errors);
    Some(document.into_inner())
}

/// The list by whose ratings a gauntlet's opponents are chosen.
fn list_of<'d>(document: &'d DeTable<'_>) -> Option<(&'d str, Range<usize>)> {
    let mut table = document;
    for key in ["event", "format", "gauntlet", "opponents"] {
        table = match table.get(key)?.get_ref() {
            DeValue::Table(inner) => inner,
            _ => return None,
        };
    }
    let value = table.get("list")?;
    match value.get_ref() {
        DeValue::String(text) => Some((text.as_ref(), value.span())),
        _ => None,
    }
}

/// The list by whose ratings a spec's text has opponents chosen.
#[must_use]
pub fn chooses_by(text: &str) -> Option<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let document = document.into_inner();
    list_of(&document).map(|(list, _)| list.to_owned())
}

/// How a loader is asked for what a list says of opponents: it answers with a [`ListChoice`] as JSON.
#[must_use]
pub fn ratings_of(list: &str) -> String {
    format!("the ratings of the list `{list}`")
}

/// What a list says where a gauntlet's opponents are chosen by its ratings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListChoice {
    /// Ratings by the engines' names.
    pub ratings: BTreeMap<String, f64>,
    /// Who was chosen before, where the event is there already: that stays.
    #[serde(default)]
    pub chosen: Option<Vec<String>>,
    /// Nobody is chosen yet and all stand: the list is asked by somebody else, later.
    #[serde(default)]
    pub open: bool,
}

/// Who stands in `[[engine]]` tables, over all files.
#[derive(Default)]
struct Roster {
    engines: Vec<RawEngine>,
    /// Names in use, and where they were first used.
    names: BTreeMap<String, String>,
}

impl Roster {
    fn take_choice(&mut self, choice: &ListChoice) {
        for engine in &mut self.engines {
            let name = &engine.spec.setup.name;
            engine.listed = choice.ratings.get(name).copied().filter(|rating| rating.is_finite());
            engine.chosen =
                if choice.open { Some(true) } else { choice.chosen.as_ref().map(|chosen| chosen.contains(name)) };
        }
    }

    pub(super) fn read_file(&mut self, name: &str, text: &str, sink: &Sink) {
        let source = Source::new(name, text, sink);
        let Some(document) = document(&source) else { return };
        let root = Table::new(&source, &document, 0..0, "a file of engines");
        match root.get("engine") {
            Some(value) => self.read(value),
            None => source.error_of_file("no engines", "expected `[[engine]]` tables"),
        }
        root.finish();
    }

    pub(super) fn read(&mut self, value: Value<'_>) {
        let Some(values) = value.list("[[engine]]") else { return };
        for value in values {
            let Some(table) = value.table("[[engine]]", "[[engine]]") else { continue };
            if self.engines.len() >= MAX_ENGINES {
                table.error("too many engines", format!("at most {MAX_ENGINES}"));
                return;
            }
            let engine = engine::read(&table);
            table.finish();
            let name = engine.spec.setup.name.clone();
            if !name.is_empty()
                && let Some(first) = self.names.insert(name.clone(), place(&value, &engine.name_span))
            {
                let hint = format!("the first is at {first}; each engine needs a name of its own");
                value.source.error(engine.name_span.clone(), format!("two engines are named `{}`", clean(&name)), hint);
            }
            self.engines.push(engine);
        }
    }
}

/// `engines.toml:12`.
fn place(value: &Value<'_>, span: &Range<usize>) -> String {
    let text = value.source.text;
    let before = &text[..text.floor_char_boundary(span.start)];
    format!("{}:{}", value.source.file, before.bytes().filter(|&b| b == b'\n').count() + 1)
}

/// An event's name: it names folders and keys, so no slashes.
fn event_name(value: Value<'_>) -> Option<String> {
    let name = value.line("My match", MAX_NAME)?;
    if name.contains(['/', '\\']) || name.starts_with('.') {
        value.error("an event's name names a folder", "without `/` and `\\`, and not beginning with a dot");
        return None;
    }
    Some(name.trim().to_owned())
}

/// `A v B`, or else the file's name.
fn default_name(file_name: &str, engines: &[EngineSpec], event: &EventSpec) -> String {
    if let (FormatSpec::Match { .. }, [a, b]) = (&event.format, engines) {
        let name = format!("{} v {}", a.setup.name, b.setup.name).replace(['/', '\\'], "-");
        if name.len() <= MAX_NAME && !name.starts_with('.') {
            return name;
        }
    }
    let file = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = file.strip_suffix(".toml").unwrap_or(file).trim_start_matches('.');
    let stem: String = stem.chars().filter(|c| !super::walk::is_unprintable(*c)).take(40).collect();
    if stem.trim().is_empty() { "event".to_owned() } else { stem.trim().to_owned() }
}

/// Fills in what an engine takes from its event.
fn finish_engines(engines: &mut [RawEngine], event: &EventSpec, margin_stated: bool) -> Vec<EngineSpec> {
    engines
        .iter_mut()
        .map(|raw| {
            let mut spec = raw.spec.clone();
            if let (Some(control), None, false) = (&spec.time_control, spec.margin, margin_stated) {
                spec.margin = Some(defaults::margin(control));
            }
            if !raw.restart_stated {
                spec.setup.restart = event.restart;
            }
            spec
        })
        .collect()
}
