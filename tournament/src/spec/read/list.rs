//! `[list]`: a rating list over many events.

use std::time::Duration;

use toml::de::DeTable;

use super::{MAX_NAME, MAX_PATH, document, event_name};
use crate::spec::{
    RatingModel,
    error::{Sink, Source},
    list::{ListSpec, Publish},
    walk::{Table, Value},
};

/// A list is published at most so often: each time all its games are written.
const MIN_EVERY: Duration = Duration::from_secs(10);

/// A list, as far as it can be read; mistakes go to the sink.
pub(in crate::spec) fn read(file_name: &str, text: &str, sink: &Sink) -> ListSpec {
    let source = Source::new(file_name, text, sink);
    let mut list =
        ListSpec { name: String::new(), events: Vec::new(), model: RatingModel::Bayeselo, anchor: None, publish: None };
    let Some(document) = document(&source) else { return list };
    let root = Table::new(&source, &document, 0..0, "the list");
    match root.get("name").and_then(event_name) {
        Some(name) => list.name = name,
        None if !root.has("name") => {
            source.error_of_file("a list without `name`", "expected e.g. `name = \"40-15\"`");
        }
        None => {}
    }
    let table = root.get("list").and_then(|value| value.table("[list]", "[list]"));
    root.finish();
    let empty = DeTable::new();
    let table = table.unwrap_or_else(|| Table::new(&source, &empty, 0..0, "[list]"));
    if let Some(events) = table.get("events") {
        list.events = events.texts("40-15 *", MAX_NAME).into_iter().map(str::to_owned).collect();
    }
    if list.events.is_empty() {
        table.error("no events", "expected e.g. `events = [\"40-15 *\"]`");
    }
    let words = RatingModel::ALL.map(|model| (model.as_str(), model));
    list.model = table.get("model").and_then(|value| value.word(&words)).unwrap_or(RatingModel::Bayeselo);
    if table.has("anchor") && list.model == RatingModel::Tcec {
        table.error("TCEC's list has an anchor of its own", "leave `anchor` out, or name another model");
    }
    list.anchor = table.get("anchor").and_then(anchor);
    list.publish = table.get("publish").and_then(publish);
    table.finish();
    list
}

fn anchor(value: Value<'_>) -> Option<(String, f64)> {
    let example = "anchor = { engine = \"Stockfish 15\", elo = 3500 }";
    let table = value.table("`anchor`", example)?;
    let engine = table.get("engine").and_then(|v| v.line("Stockfish 15", MAX_NAME)).map(str::to_owned);
    let elo = table.get("elo").and_then(|v| v.real(-10_000.0, 10_000.0));
    if !table.has("engine") || !table.has("elo") {
        table.error("an anchor has `engine` and `elo`", format!("expected e.g. `{example}`"));
    }
    table.finish();
    Some((engine?, elo?))
}

fn publish(value: Value<'_>) -> Option<Publish> {
    let example = "publish = { to = \"www/\", every = \"10m\" }";
    let table = value.table("`publish`", example)?;
    let to = table.get("to").and_then(|v| v.line("www/", MAX_PATH)).map(str::to_owned);
    if !table.has("to") {
        table.error("`publish` without `to`", format!("expected e.g. `{example}`"));
    }
    let every = table.get("every");
    let pause = every.and_then(|v| v.duration());
    if let (Some(every), Some(pause)) = (every, pause)
        && pause < MIN_EVERY
    {
        every.error("a list is published at most every 10 s", "expected e.g. `every = \"10m\"`");
    }
    table.finish();
    Some(Publish { to: to?, every: pause })
}
