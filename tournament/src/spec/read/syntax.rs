//! What is not TOML, in words that help.

use crate::spec::{error::Source, walk::clean};

/// Notes every place that is not TOML.
pub(super) fn report(source: &Source<'_>, errors: &[toml::de::Error]) {
    let end = source.text.len();
    let (mut skip_to, mut looked_to) = (0, 0);
    // Texts are looked at after tables are, so they are not in order.
    let mut errors: Vec<&toml::de::Error> = errors.iter().collect();
    errors.sort_by_key(|error| error.span().map_or(end, |span| span.start));
    for (index, error) in errors.iter().enumerate() {
        if index < skip_to {
            continue;
        }
        let span = error.span().unwrap_or(end..end);
        let found = if index < looked_to { None } else { never_closed(&errors[index..]) };
        if let Some(Run { last, what, close, .. }) = found.filter(|run| run.is_unclosed) {
            // The brace is missing before the line on which the parser stumbled, at the end of what stands there.
            let before = source.text[..source.text.floor_char_boundary(span.start)].trim_end().len();
            let at = if last == 0 { span } else { before.saturating_sub(1)..before };
            let until = errors[index + last].span().map_or(end, |span| span.end);
            source.swallow(at.start..until);
            source.syntax_error(at, what, format!("expected `{close}`"));
            skip_to = index + last + 1;
            continue;
        }
        looked_to = looked_to.max(found.map_or(0, |run| index + run.last));
        let message = error.message();
        let (what, expected) = message.split_once(", expected ").unwrap_or((message, ""));
        let hint = if what.contains("must be quoted") {
            "texts, times and sizes stand in quotes: `\"10+0.1\"`, `\"90m\"`".to_owned()
        } else if what == "invalid boolean" {
            "expected `true` or `false`".to_owned()
        } else if expected.is_empty() {
            String::new()
        } else {
            format!("expected {expected}")
        };
        match source.text.get(span.clone()) {
            Some(key) if what == "duplicate key" => {
                source.syntax_error(span, format!("`{}` stands here twice", clean(key)), "")
            }
            _ => source.syntax_error(span, what, hint),
        }
    }
}

/// Mistakes one after the other that may all come of one table or list that is never closed.
#[derive(Clone, Copy)]
struct Run {
    /// How many mistakes come before the one that ends it.
    last: usize,
    /// What the one that ends it says, if it says that something is not closed.
    what: &'static str,
    close: char,
    is_unclosed: bool,
}

/// Where a table or a list is never closed, each line after it is a mistake too: the longest such run from here.
fn never_closed(errors: &[&toml::de::Error]) -> Option<Run> {
    const OF_TABLES: [&str; 2] = ["missing comma between key-value pairs", "extra assignment between key-value pairs"];
    const OF_LISTS: [&str; 3] =
        ["missing comma between array elements", "string values must be quoted", "unexpected `=` in array"];
    let kinds: [(&[&str], &str, char); 2] =
        [(&OF_TABLES, "unclosed inline table", '}'), (&OF_LISTS, "unclosed array", ']')];
    let runs = kinds.into_iter().map(|(echoes, what, close)| {
        let is_echo = |e: &&toml::de::Error| echoes.iter().any(|echo| e.message().starts_with(echo));
        let last = errors.iter().take_while(|e| is_echo(e)).count();
        let is_unclosed = errors.get(last).is_some_and(|e| e.message().starts_with(what));
        Run { last, what, close, is_unclosed }
    });
    runs.max_by_key(|run| (run.is_unclosed, run.last))
}
