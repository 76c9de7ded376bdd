//! An own walk over a parsed document: each reader takes a value or says, at its place, what was expected.

use std::{cell::RefCell, fmt::Display, ops::Range, time::Duration};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    EventSpec,
    error::{Source, did_you_mean, nearest},
    tree, unit,
};

/// Keys that belong to seasons and lists: known, not yet read.
pub(super) const OF_SEASONS: [&str; 12] = [
    "events", "preset", "list", "season", "promote", "relegate", "entrants", "stay", "anchor", "publish", "used-in",
    "schedule",
];

/// Tables of which a season may write a part alone: the rest stays as in its preset.
const MERGED: [&str; 3] = ["openings", "slot", "crashes"];

/// Keys of an engine that no event has.
const ENGINE_KEYS: [&str; 11] =
    ["program", "artifact", "args", "env", "directory", "protocol", "threads", "options", "rating", "family", "needs"];

/// Keys that people bring along from other tools, and what is written here.
const ELSEWHERE: [(&str, &str); 21] = [
    ("hash", "write `options = { Hash = 64 }`"),
    ("command", "write `program = \"…\"`"),
    ("cmd", "write `program = \"…\"`"),
    ("path", "write `program = \"…\"`"),
    ("dir", "write `directory = \"…\"`"),
    ("proto", "write `protocol = \"…\"`"),
    ("tc", "write `time-control = \"…\"`"),
    ("st", "write `time-control = \"movetime=…\"`"),
    ("nodes", "write `time-control = \"nodes=…\"`"),
    ("depth", "write `time-control = \"depth=…\"`"),
    ("timemargin", "write `margin = \"50ms\"`"),
    ("rounds", "write `pairs`: openings, each with its return game"),
    ("opening", "write `openings = { book = \"…\" }`"),
    ("book", "write `openings = { book = \"…\" }`"),
    ("variant", "write `game = \"chess960\"`"),
    ("sprt", "write `stop = { sprt = { elo0 = 0, elo1 = 2 } }`"),
    ("draw", "write `adjudicate = { draw = { … } }`"),
    ("resign", "write `adjudicate = { resign = { … } }`"),
    ("maxmoves", "write `max-moves = …`"),
    ("gpus", "write it in `needs` (an engine) or in `slot` (the event)"),
    ("cpu", "write `needs = { cpu = \"…\" }`"),
];

/// A value at its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) key: &'a str,
    value: &'a DeValue<'a>,
    start: usize,
    end: usize,
    /// The table that stands behind this one, where it is one.
    behind: Option<(&'a Source<'a>, &'a DeTable<'a>)>,
}

/// A table at its place. Each key that is asked for is a key that it may have; [`Table::finish`] names all others.
#[derive(Debug)]
pub(super) struct Table<'a> {
    pub(super) source: &'a Source<'a>,
    entries: &'a DeTable<'a>,
    span: Range<usize>,
    /// Where it is, for messages: `[event]`.
    what: String,
    known: RefCell<Vec<&'static str>>,
    /// Keys that are not here are looked for there (a preset).
    behind: Option<(&'a Source<'a>, &'a DeTable<'a>)>,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        entries: &'a DeTable<'a>,
        span: Range<usize>,
        what: impl Into<String>,
    ) -> Self {
        Self { source, entries, span, what: what.into(), known: RefCell::default(), behind: None }
    }

    /// The same, with another one behind it: a key that is not here is taken from there.
    pub(super) fn before(self, source: &'a Source<'a>, entries: &'a DeTable<'a>) -> Self {
        Self { behind: Some((source, entries)), ..self }
    }

    fn value(&self, key: &'a str, value: &'a Spanned<DeValue<'a>>) -> Value<'a> {
        let span = value.span();
        let behind = match (self.behind, value.get_ref()) {
            (Some((source, entries)), DeValue::Table(_)) if MERGED.contains(&key) => {
                match entries.get(key).map(Spanned::get_ref) {
                    Some(DeValue::Table(entries)) => Some((source, entries)),
                    _ => None,
                }
            }
            _ => None,
        };
        Value { source: self.source, key, value: value.get_ref(), start: span.start, end: span.end, behind }
    }

    /// The value of a key, which becomes known.
    pub(super) fn get(&self, key: &'static str) -> Option<Value<'a>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        if let Some(value) = self.entries.get(key) {
            return Some(self.value(key, value));
        }
        let (source, entries) = self.behind?;
        let value = entries.get(key)?;
        let span = value.span();
        Some(Value { source, key, value: value.get_ref(), start: span.start, end: span.end, behind: None })
    }

    /// Whether a key is there; it becomes known.
    pub(super) fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }

    /// All keys and values in the order of the text, where any key may stand.
    pub(super) fn all(&self) -> Vec<(&'a str, Range<usize>, Value<'a>)> {
        let mut all: Vec<_> = self
            .entries
            .iter()
            .map(|(key, value)| (key.get_ref().as_ref(), key.span(), self.value(key.get_ref().as_ref(), value)))
            .collect();
        all.sort_by_key(|(_, span, _)| span.start);
        all
    }

    /// Where it stands: its header or its braces.
    pub(super) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// A mistake of the table.
    pub(super) fn error(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.source.error(self.span(), message, hint);
    }

    /// Of keys that say the same thing, the one that is there; two are a mistake.
    pub(super) fn either(&self, keys: &[&'static str]) -> Option<Value<'a>> {
        let found: Vec<Value<'a>> = keys.iter().filter_map(|key| self.get(key)).collect();
        for other in found.iter().skip(1) {
            let hint = format!("either `{}` or `{}`, not both", found[0].key, other.key);
            other.error(format!("`{}` says again what `{}` says", other.key, found[0].key), hint);
        }
        found.first().copied()
    }

    /// Names every key that was not asked for.
    pub(super) fn finish(self) {
        let known = self.known.borrow();
        for (key, span, _) in self.all() {
            if known.contains(&key) || self.source.only_counted() {
                continue;
            }
            if OF_SEASONS.contains(&key) {
                let message = format!("`{key}` belongs to seasons and lists");
                self.source.error(span, message, "it stands in a season: beside `[events.NAME]` or in it");
                continue;
            }
            let near = match nearest(key, known.iter().copied()) {
                None => home(key, &self.what).unwrap_or_else(|| did_you_mean(key, known.iter().copied())),
                Some(near) => format!("did you mean `{near}`?"),
            };
            let elsewhere = ELSEWHERE.iter().find(|(word, _)| word.eq_ignore_ascii_case(&key.replace(['-', '_'], "")));
            let hint = match elsewhere {
                Some((_, hint)) if !near.starts_with("did you mean") => (*hint).to_owned(),
                _ => near,
            };
            self.source.error(span, format!("unknown key `{}` in {}", clean(key), self.what), hint);
        }
    }
}

/// Where a key stands that does not stand here.
fn home(key: &str, here: &str) -> Option<String> {
    let event = tree::event(&EventSpec::default());
    let keys = |nodes: &tree::Nodes| nodes.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    let homes = [("[event]", keys(&event)), ("[[engine]]", ENGINE_KEYS.map(str::to_owned).to_vec())];
    homes.iter().filter(|(home, _)| *home != here).find_map(|(home, keys)| {
        let near = nearest(key, keys.iter().map(String::as_str))?;
        Some(if near == key {
            format!("`{key}` stands in {home}")
        } else {
            format!("did you mean `{near}` in {home}?")
        })
    })
}

impl<'a> Value<'a> {
    /// What is meant by a mistake: a text without its quotes, else the whole value.
    pub(super) fn span(&self) -> Range<usize> {
        let raw = self.source.text.get(self.start..self.end).unwrap_or_default();
        for quote in ["\"", "'"] {
            let triple = quote.repeat(3);
            let inner = raw.len() >= 3 && raw.starts_with(quote) && raw.ends_with(quote) && !raw.starts_with(&triple);
            if inner {
                return self.start + 1..self.end - 1;
            }
        }
        self.start..self.end
    }

    /// A mistake of the value.
    pub(super) fn error(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.source.error(self.span(), message, hint);
    }

    /// `found a text`.
    pub(super) const fn kind(&self) -> &'static str {
        match self.value {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        }
    }

    /// A mistake of its type.
    pub(super) fn wrong_type(&self, expected: &str, example: impl Display) {
        let message = format!("`{}` must be {expected}, found {}", self.key, self.kind());
        let example = example.to_string();
        let hint =
            if example.is_empty() { format!("expected {expected}") } else { format!("expected e.g. `{example}`") };
        self.error(message, hint);
    }

    pub(super) const fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) const fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    pub(super) const fn is_list(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    /// A text, whatever is in it.
    pub(super) fn text(&self, example: &str) -> Option<&'a str> {
        match self.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => {
                self.wrong_type("a text in quotes", format!("{} = \"{example}\"", self.key));
                None
            }
        }
    }

    /// A text of one line for names and paths: not empty, no control characters, at most `longest` bytes.
    pub(super) fn line(&self, example: &str, longest: usize) -> Option<&'a str> {
        let text = self.text(example)?;
        if text.trim().is_empty() {
            self.error(format!("`{}` is empty", self.key), format!("expected e.g. `\"{example}\"`"));
            return None;
        }
        if let Some(bad) = text.chars().find(|c| is_unprintable(*c)) {
            let message = format!("`{}` has a control character (U+{:04X})", self.key, u32::from(bad));
            let escaped = self
                .source
                .text
                .get(self.start..self.end)
                .is_some_and(|raw| raw.starts_with('"') && raw.contains('\\'));
            let hint = if escaped {
                "a backslash begins an escape: write it twice, or the text in single quotes"
            } else {
                "leave it out"
            };
            self.error(message, hint);
            return None;
        }
        if text.len() > longest {
            self.error(format!("`{}` is too long: {} bytes", self.key, text.len()), format!("at most {longest} bytes"));
            return None;
        }
        Some(text)
    }

    /// One of a few words.
    pub(super) fn word<T: Clone>(&self, words: &[(&'static str, T)]) -> Option<T> {
        let text = self.text(words.first().map_or("", |(word, _)| word))?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| value.clone());
        if found.is_none() {
            let hint = did_you_mean(text, words.iter().map(|(word, _)| *word));
            self.error(format!("`{}` cannot be `{}`", self.key, clean(text)), hint);
        }
        found
    }

    /// A mistake: no such word.
    pub(super) fn unknown_word<'w>(&self, what: &str, text: &str, words: impl IntoIterator<Item = &'w str> + Clone) {
        if self.source.only_counted() {
            return;
        }
        self.error(format!("unknown {what} `{}`", clean(text)), did_you_mean(text, words));
    }

    /// A whole number within bounds.
    pub(super) fn count<T: TryFrom<i128>>(&self, from: i128, to: i128) -> Option<T> {
        let DeValue::Integer(number) = self.value else {
            self.wrong_type("a whole number", format!("{} = {}", self.key, from.max(1).min(to)));
            return None;
        };
        let read = i128::from_str_radix(number.as_str(), number.radix()).ok().filter(|n| (from..=to).contains(n));
        let read = read.and_then(|n| T::try_from(n).ok());
        if read.is_none() {
            self.error(format!("`{}` is out of range", self.key), format!("expected {from} to {to}"));
        }
        read
    }

    /// A finite number within bounds.
    pub(super) fn real(&self, from: f64, to: f64) -> Option<f64> {
        let number: Option<f64> = match self.value {
            DeValue::Integer(n) if n.radix() == 10 => n.as_str().parse().ok(),
            DeValue::Float(n) => n.as_str().parse().ok(),
            _ => {
                self.wrong_type("a number", format!("{} = {}", self.key, from.max(0.5).min(to)));
                return None;
            }
        };
        let read = number.filter(|n| n.is_finite() && (from..=to).contains(n));
        if read.is_none() {
            self.error(format!("`{}` is out of range", self.key), format!("expected {from} to {to}"));
        }
        // Minus nought is nought: so that two specs that mean the same are the same.
        read.map(|n| n + 0.0)
    }

    /// `true` or `false`.
    pub(super) fn yes(&self) -> Option<bool> {
        match self.value {
            DeValue::Boolean(yes) => Some(*yes),
            _ => {
                self.wrong_type("true or false", format!("{} = true", self.key));
                None
            }
        }
    }

    fn unit<T>(&self, example: &str, read: fn(&str) -> Result<T, String>) -> Option<T> {
        if matches!(self.value, DeValue::Integer(_) | DeValue::Float(_)) {
            let hint = read("").err().unwrap_or_default();
            self.error(format!("`{}` has no unit", self.key), hint);
            return None;
        }
        let text = self.text(example)?;
        match read(text) {
            Ok(value) => Some(value),
            Err(why) => {
                self.error(format!("`{}`: cannot read `{}`", self.key, clean(text)), why);
                None
            }
        }
    }

    pub(super) fn duration(&self) -> Option<Duration> {
        self.unit("500ms", unit::duration)
    }

    pub(super) fn size(&self) -> Option<u64> {
        self.unit("1 GiB", unit::size)
    }

    pub(super) fn score(&self) -> Option<u32> {
        self.unit("10 cp", unit::score)
    }

    pub(super) fn share(&self) -> Option<f64> {
        self.unit("5%", unit::share)
    }

    /// A moment with its offset from UTC.
    pub(super) fn moment(&self) -> Option<jiff::Timestamp> {
        let example = "2026-12-01T18:00:00Z";
        let DeValue::Datetime(date) = self.value else {
            self.wrong_type("a date with time and offset", format!("{} = {example}", self.key));
            return None;
        };
        let read = date.to_string().parse().ok();
        if read.is_none() {
            let message = format!("`{}` must be a date with time and offset", self.key);
            self.error(message, format!("expected e.g. `{example}`"));
        }
        read
    }

    /// A table; `what` names it in messages.
    pub(super) fn table(&self, what: impl Into<String>, example: &str) -> Option<Table<'a>> {
        match self.value {
            DeValue::Table(entries) => {
                let table = Table::new(self.source, entries, self.start..self.end, what);
                Some(Table { behind: self.behind, ..table })
            }
            _ => {
                self.wrong_type("a table", example);
                None
            }
        }
    }

    /// A list.
    pub(super) fn list(&self, example: &str) -> Option<Vec<Value<'a>>> {
        match self.value {
            DeValue::Array(values) => {
                let value = |v: &'a Spanned<DeValue<'a>>| Value {
                    source: self.source,
                    key: self.key,
                    value: v.get_ref(),
                    start: v.span().start,
                    end: v.span().end,
                    behind: None,
                };
                Some(values.iter().map(value).collect())
            }
            _ => {
                self.wrong_type("a list", example);
                None
            }
        }
    }

    /// A list of texts, or one text alone.
    pub(super) fn texts(&self, example: &str, longest: usize) -> Vec<&'a str> {
        if self.is_text() {
            return self.line(example, longest).into_iter().collect();
        }
        let values = self.list(&format!("{} = [\"{example}\"]", self.key)).unwrap_or_default();
        values.iter().filter_map(|value| value.line(example, longest)).collect()
    }

    /// A text, whole number, number or truth value, as the text that an engine is told.
    pub(super) fn plain(&self) -> Option<String> {
        match self.value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => Some(number.to_string()),
                Err(_) => {
                    self.error(format!("`{}` is out of range", self.key), "write it in quotes");
                    None
                }
            },
            DeValue::Float(number) => Some(number.as_str().to_owned()),
            DeValue::Boolean(yes) => Some(yes.to_string()),
            _ => {
                self.wrong_type("a text, a number, true or false", format!("{} = \"…\"", self.key));
                None
            }
        }
    }
}

/// Control characters, and what would reorder or hide the text around it.
pub(super) fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A foreign text as it may stand in a message: one line, not too long.
pub(super) fn clean(text: &str) -> String {
    const LONGEST: usize = 80;
    let mut clean: String =
        text.chars().take(LONGEST).map(|c| if is_unprintable(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        clean.push('…');
    }
    clean
}
