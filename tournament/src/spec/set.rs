//! One key of a spec's text, changed or added: `--set event.time-control=5+0.05`.

use std::{fmt, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    SpecError,
    error::Sink,
    is_season,
    read::{read, season},
    tree::{key_text, quoted},
    walk::clean,
};

/// Why a key could not be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SetError {
    /// As it was given.
    pub key: String,
    /// As it was given.
    pub value: String,
    /// What is wrong.
    pub message: String,
    /// What was expected, or the nearest right word; may be empty.
    pub hint: String,
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--set {}={}: {}", clean(&self.key), clean(&self.value), self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "; {}", self.hint) }
    }
}

/// The text with one key changed or added; all else stays as it was written. The key is a path, as TOML writes it:
/// `event.slot.cores`; an engine is named by its number from 1 or by its name: `engine.1.threads`,
/// `engine."Ethereal 12".options.Hash`. The value is TOML, or a text without its quotes where the key wants a text.
///
/// # Errors
/// Where the text is no TOML, where there is no such key, and where its value is not what was expected: by the same check
/// as [`super::parse`], of mistakes that were not there before.
pub fn set(text: &str, key: &str, value: &str) -> Result<String, SetError> {
    let error = |message: String, hint: &str| SetError {
        key: key.to_owned(),
        value: value.to_owned(),
        message,
        hint: hint.to_owned(),
    };
    let path = path(key)
        .ok_or_else(|| error(format!("`{}` is not a key", clean(key)), "expected e.g. `event.time-control`"))?;
    let document = DeTable::parse(text).map_err(|e| error(format!("the spec is no TOML: {}", e.message()), ""))?;
    let before = mistakes(text);
    let mut candidates = vec![quoted(value)];
    if !value.trim().is_empty() && DeValue::parse(value.trim()).is_ok() {
        candidates.insert(0, value.trim().to_owned());
    }
    let mut first: Option<SetError> = None;
    for candidate in candidates {
        let edited = edit(text, document.get_ref(), &path, &candidate).map_err(|why| error(why, ""))?;
        let after = mistakes(&edited);
        let new = after.into_iter().find(|a| !before.iter().any(|b| a.message == b.message && a.hint == b.hint));
        match new {
            None => return Ok(edited),
            Some(new) => first = first.or_else(|| Some(error(new.message, &new.hint))),
        }
    }
    Err(first.unwrap_or_else(|| error("no such value".to_owned(), "")))
}

/// No file is read here.
const UNREAD: &str = "not read";

/// All mistakes of a text, files that it names left out.
fn mistakes(text: &str) -> Vec<SpecError> {
    let sink = Sink::default();
    let unread = |_: &str| Err(UNREAD.to_owned());
    if is_season(text) {
        let _ = season::read("season", text, &unread, &sink);
    } else {
        let _ = read("spec", text, &unread, &sink);
    }
    let errors = sink.into_errors("spec").err().map(|e| e.errors).unwrap_or_default();
    errors.into_iter().filter(|e| e.hint != UNREAD).collect()
}

/// The parts of a dotted key.
fn path(key: &str) -> Option<Vec<String>> {
    if key.contains(['\n', '\r', '=']) {
        return None;
    }
    let line = format!("{key} = 0");
    let document = DeTable::parse(&line).ok()?;
    let mut path = Vec::new();
    let mut table = document.get_ref();
    loop {
        let (key, value) = table.iter().next().filter(|_| table.len() == 1)?;
        path.push(key.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => return Some(path),
        }
    }
}

/// Where a new key may be written.
enum Anchor {
    Root,
    /// After the line of this byte: the header, or the last key below it, so that no line before it moves.
    Line(usize),
    /// After an opening brace.
    Inline {
        at: usize,
        empty: bool,
    },
}

fn edit(text: &str, root: &DeTable<'_>, path: &[String], value: &str) -> Result<String, String> {
    let mut anchor = Anchor::Root;
    let mut anchored = 0;
    let mut table = root;
    let mut index = 0;
    while let Some(part) = path.get(index) {
        let Some(found) = get(table, part) else { break };
        let last = index + 1 == path.len();
        match found.get_ref() {
            DeValue::Array(items) if !last && part == "engine" => {
                let item = engine(items.iter(), &path[index + 1])
                    .ok_or_else(|| format!("there is no engine `{}`", clean(&path[index + 1])))?;
                let DeValue::Table(inner) = item.get_ref() else { return Err("an engine is a table".to_owned()) };
                index += 2;
                if index == path.len() {
                    return Err("an engine is a table: name one of its keys".to_owned());
                }
                (anchor, anchored, table) = (at(text, item.span(), inner), index, inner);
                continue;
            }
            DeValue::Table(inner) if !last => {
                index += 1;
                // Dotted keys leave the anchor where it was.
                if text[item_start(text, found)..].starts_with(['[', '{']) {
                    (anchor, anchored) = (at(text, found.span(), inner), index);
                }
                table = inner;
                continue;
            }
            _ if !last => return Err(format!("`{}` is not a table", clean(part))),
            _ => {}
        }
        let span = found.span();
        let raw = text.get(span.clone()).unwrap_or_default();
        let whole = match found.get_ref() {
            DeValue::Table(_) => raw.starts_with('{'),
            DeValue::Array(items) => {
                !items.iter().any(|i| matches!(i.get_ref(), DeValue::Table(_))) || raw.starts_with("[{")
            }
            _ => true,
        };
        if !whole || raw.is_empty() {
            return Err(format!("`{}` is a table: name one of its keys", clean(part)));
        }
        return Ok(format!("{}{value}{}", &text[..span.start], &text[span.end..]));
    }
    Ok(insert(text, root, &anchor, &path[anchored..], value))
}

fn get<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    table.iter().find(|(known, _)| known.get_ref().as_ref() == key).map(|(_, value)| value)
}

fn item_start(text: &str, item: &Spanned<DeValue<'_>>) -> usize {
    text.floor_char_boundary(item.span().start)
}

/// An engine by its name, or by its number from 1.
fn engine<'t, 'i: 't>(
    items: impl Iterator<Item = &'t Spanned<DeValue<'i>>>,
    which: &str,
) -> Option<&'t Spanned<DeValue<'i>>> {
    let items: Vec<_> = items.collect();
    let named = |item: &&Spanned<DeValue<'_>>| match item.get_ref() {
        DeValue::Table(table) => get(table, "name").and_then(|v| v.get_ref().as_str()) == Some(which),
        _ => false,
    };
    let by_name = items.iter().copied().find(|item| named(item));
    by_name.or_else(|| items.get(which.parse::<usize>().ok()?.checked_sub(1)?).copied())
}

/// Where keys of a table with a header or braces of its own can be added.
fn at(text: &str, span: Range<usize>, table: &DeTable<'_>) -> Anchor {
    if text.get(span.clone()).is_some_and(|raw| raw.starts_with('{')) {
        return Anchor::Inline { at: span.start + 1, empty: table.is_empty() };
    }
    Anchor::Line(last_end(text, table).unwrap_or(span.end))
}

/// Where the last key ends that is written in the table itself, not below a header of its own.
fn last_end(text: &str, table: &DeTable<'_>) -> Option<usize> {
    let starts = |item: &Spanned<DeValue<'_>>, with: &str| text[item_start(text, item)..].starts_with(with);
    let end = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Table(_) if starts(value, "[") => None,
        DeValue::Table(inner) if !starts(value, "{") => last_end(text, inner),
        DeValue::Array(items) if items.iter().any(|item| starts(item, "[[")) => None,
        _ => Some(value.span().end),
    };
    table.values().filter_map(end).max()
}

fn insert(text: &str, root: &DeTable<'_>, anchor: &Anchor, rest: &[String], value: &str) -> String {
    let dotted = |parts: &[String]| parts.iter().map(|part| key_text(part)).collect::<Vec<_>>().join(".");
    let section = |header: &[String], rest: &[String]| {
        let feed = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{feed}\n[{}]\n{} = {value}\n", dotted(header), dotted(rest))
    };
    let line = format!("{} = {value}\n", dotted(rest));
    match anchor {
        Anchor::Root if rest.len() > 1 && get(root, &rest[0]).is_none() => section(&rest[..1], &rest[1..]),
        Anchor::Root if root.is_empty() => {
            let feed = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            format!("{text}{feed}{line}")
        }
        Anchor::Root => match last_end(text, root) {
            Some(end) => after_line(text, end, &line),
            None => {
                let first = root.keys().map(|key| key.span().start).min().unwrap_or(0);
                let start = text[..text.floor_char_boundary(first)].rfind('\n').map_or(0, |at| at + 1);
                let start = if text.starts_with('\u{feff}') { start.max('\u{feff}'.len_utf8()) } else { start };
                format!("{}{line}{}", &text[..start], &text[start..])
            }
        },
        Anchor::Line(end) => after_line(text, *end, &line),
        Anchor::Inline { at, empty } => {
            let comma = if *empty { " " } else { "," };
            format!("{} {} = {value}{comma}{}", &text[..*at], dotted(rest), &text[*at..])
        }
    }
}

/// `line` put after the line that a byte is on.
fn after_line(text: &str, byte: usize, line: &str) -> String {
    let byte = text.ceil_char_boundary(byte);
    match text[byte..].find('\n') {
        Some(feed) => format!("{}{line}{}", &text[..=byte + feed], &text[byte + feed + 1..]),
        None => format!("{text}\n{line}"),
    }
}
