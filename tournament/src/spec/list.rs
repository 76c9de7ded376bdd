//! A rating list that joins many events: `[list]`.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::{RatingModel, SpecErrors, error::Sink, read::list, tree::quoted};

/// A rating list, with every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ListSpec {
    /// Its name.
    pub name: String,
    /// Which events count, by their names; `*` is any text, `?` any character.
    pub events: Vec<String>,
    /// How it rates.
    pub model: RatingModel,
    /// The engine whose rating is given, and that rating; `None`: the model's own mean.
    #[serde(default)]
    pub anchor: Option<(String, f64)>,
    /// Where it is written, and how often.
    #[serde(default)]
    pub publish: Option<Publish>,
}

/// Where a list is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Publish {
    /// A folder below that of the coordinators' `--publish`; for `rookery publish`, of the machine on which that runs.
    pub to: String,
    /// How often the coordinator that leads writes it; `None`: only `rookery publish` does.
    pub every: Option<Duration>,
}

impl ListSpec {
    /// Whether an event of this name counts.
    #[must_use]
    pub fn covers(&self, event: &str) -> bool {
        self.events.iter().any(|pattern| matches(pattern, event))
    }
}

/// Whether a text is a list's rather than an event's.
#[must_use]
pub fn is_list(text: &str) -> bool {
    let (document, _) = DeTable::parse_recoverable(text);
    let root = document.get_ref();
    root.contains_key("list") && !root.contains_key("event") && !root.contains_key("events")
}

/// Reads a list. `file_name` is for messages.
///
/// # Errors
/// All mistakes at once, each at its place.
pub fn parse_list(file_name: &str, text: &str) -> Result<ListSpec, SpecErrors> {
    let sink = Sink::default();
    let parsed = list::read(file_name, text, &sink);
    sink.into_errors(file_name)?;
    Ok(parsed)
}

/// The list as TOML with every default filled in. It parses back to the same.
#[must_use]
pub fn explain_list(list: &ListSpec) -> String {
    let events: Vec<String> = list.events.iter().map(|event| quoted(event)).collect();
    let mut text = format!(
        "name = {}\n\n[list]\nevents = [{}]\nmodel = \"{}\"\n",
        quoted(&list.name),
        events.join(", "),
        list.model.as_str()
    );
    if let Some((engine, elo)) = &list.anchor {
        text.push_str(&format!("anchor = {{ engine = {}, elo = {elo:?} }}\n", quoted(engine)));
    }
    if let Some(Publish { to, every }) = &list.publish {
        let every = every.map_or_else(String::new, |every| format!(", every = \"{}s\"", every.as_secs_f64()));
        text.push_str(&format!("publish = {{ to = {}{every} }}\n", quoted(to)));
    }
    text
}

/// Whether a text is as a pattern says; in time of their lengths' product at most.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // The last star, and what of the text it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p).is_some_and(|&c| c == '?' || c == text[t]) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, t) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, text, expected) in [
            ("40-15 *", "40-15 August", true),
            ("40-15 *", "40-15", false),
            ("*", "", true),
            ("a*b*c", "axxbyybc", true),
            ("a*b*c", "axxbyyb", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("", "a", false),
            ("ä*", "äb", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_list_is_read_and_explained() {
        let text = "name = \"40-15\"\n[list]\nevents = [\"40-15 *\", \"old\"]\nmodel = \"ordo\"\n\
                    anchor = { engine = \"Stockfish 15\", elo = 3500 }\npublish = { to = \"www/\", every = \"10m\" }\n";
        assert!(is_list(text));
        let list = parse_list("l.toml", text).unwrap();
        assert_eq!(list.anchor, Some(("Stockfish 15".to_owned(), 3500.0)));
        let publish = Publish { to: "www/".to_owned(), every: Some(Duration::from_secs(600)) };
        assert_eq!(list.publish, Some(publish));
        assert_eq!(parse_list("l.toml", &explain_list(&list)).unwrap(), list);
        assert!(list.covers("40-15 May") && list.covers("old") && !list.covers("older"));
        assert!(!is_list("[event]\nformat = { match = {} }\n"));
    }

    #[test]
    fn mistakes_are_named() {
        let wrong = |text: &str| parse_list("l.toml", text).unwrap_err().to_string();
        for (text, part) in [
            ("name = \"l\"\n[list]\n", "no events"),
            ("[list]\nevents = [\"a\"]\n", "a list without `name`"),
            ("name = \"l\"\n[list]\nevents = [\"a\"]\nmodell = \"ordo\"\n", "modell"),
            ("name = \"l\"\n[list]\nevents = [\"a\"]\nmodel = \"elo\"\n", "elo"),
            ("name = \"l\"\n[list]\nevents = [\"a\"]\nanchor = { engine = \"A\" }\n", "elo"),
            (
                "name = \"l\"\n[list]\nevents = [\"a\"]\nmodel = \"tcec\"\nanchor = { engine = \"A\", elo = 1 }\n",
                "an anchor of its own",
            ),
            ("name = \"l\"\n[list]\nevents = [\"a\"]\npublish = { every = \"10m\" }\n", "to"),
        ] {
            assert!(wrong(text).contains(part), "{text}: {}", wrong(text));
        }
    }
}
