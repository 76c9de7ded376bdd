//! `option` lines, and which values may be sent.

use super::words::{Words, number, trim};
use crate::engine::transcript::clean;

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Check,
    Spin { min: Option<i64>, max: Option<i64> },
    Combo { values: Vec<String> },
    Button,
    String,
}

/// A declared option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UciOption {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) default: String,
}

/// Reads what follows the word `option`. The name runs from `name` to the last ` type KIND`, so it may hold any word.
pub(crate) fn parse(words: Words<'_>) -> Option<UciOption> {
    let text = clean(words.rest());
    let all: Vec<&str> = text.split_ascii_whitespace().collect();
    if all.first() != Some(&"name") {
        return None;
    }
    let is_kind = |word: &str| matches!(word, "check" | "spin" | "combo" | "button" | "string");
    // The values of a combo or a string could hold the words again: look for the last pair before any `default`.
    let limit = all.iter().rposition(|w| *w == "default").filter(|at| *at > 1).unwrap_or(all.len());
    let type_before = |limit: usize| {
        (2..limit).rev().find(|at| all[*at] == "type" && all.get(at + 1).is_some_and(|kind| is_kind(kind)))
    };
    let at = type_before(limit).or_else(|| type_before(all.len()))?;
    let name = all[1..at].join(" ");
    if name.is_empty() {
        return None;
    }
    let rest = &all[at + 2..];
    let kind = match all[at + 1] {
        "check" => Kind::Check,
        "button" => Kind::Button,
        "string" => Kind::String,
        "spin" => Kind::Spin { min: after(rest, "min"), max: after(rest, "max") },
        _ => Kind::Combo { values: sections(rest, "var") },
    };
    let default = match &kind {
        Kind::String => rest.split_first().filter(|(w, _)| **w == "default").map(|(_, v)| v.join(" ")),
        Kind::Combo { .. } => sections(rest, "default").into_iter().next(),
        _ => rest.iter().position(|w| *w == "default").and_then(|at| rest.get(at + 1)).map(|w| (*w).to_owned()),
    };
    let default = default.filter(|value| value != "<empty>").unwrap_or_default();
    Some(UciOption { name, kind, default })
}

fn after(words: &[&str], key: &str) -> Option<i64> {
    let at = words.iter().position(|word| *word == key)?;
    number(words.get(at + 1)?.as_bytes())
}

/// The texts between one `key` and the next keyword.
fn sections(words: &[&str], key: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for word in words {
        if matches!(*word, "default" | "var") {
            out.extend(open.take().map(|words| words.join(" ")));
            open = (*word == key).then(Vec::new);
        } else if let Some(open) = &mut open {
            open.push(word);
        }
    }
    out.extend(open.map(|words| words.join(" ")));
    out
}

/// ` (did you mean Hash?)`: the declared name with the same letters, or with one or two slips.
fn meant(declared: &[UciOption], name: &str) -> String {
    /// Longer names are not compared: their cost grows with the square.
    const LONGEST: usize = 64;
    let letters =
        |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase() };
    let wanted = letters(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return String::new();
    }
    let near = declared
        .iter()
        .filter(|option| option.name.len() <= LONGEST)
        .map(|option| (strsim::osa_distance(&wanted, &letters(&option.name)), option))
        .filter(|(distance, _)| *distance <= (wanted.len() / 3).min(2))
        .min_by_key(|(distance, _)| *distance);
    near.map_or_else(String::new, |(_, option)| format!(" (did you mean {}?)", option.name))
}

/// The `setoption` line for `name = value`, without a newline, or why nothing is sent.
pub(crate) fn set(declared: &[UciOption], name: &str, value: &str) -> Result<String, String> {
    let Some(option) = find(declared, name) else {
        return Err(format!("option {name}: unknown to the engine, not sent{}", meant(declared, name)));
    };
    if value.chars().chain(name.chars()).any(char::is_control) {
        return Err(format!("option {}: a value must be one line, not sent", option.name));
    }
    let value = match &option.kind {
        Kind::Check => match value.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => "true".to_owned(),
            "false" | "off" | "no" | "0" => "false".to_owned(),
            _ => return Err(format!("option {}: `{value}` is not true or false, not sent", option.name)),
        },
        Kind::Spin { min, max } => {
            let Some(n) = number::<i64>(trim(value.as_bytes())) else {
                return Err(format!("option {}: `{value}` is not a whole number, not sent", option.name));
            };
            if min.is_some_and(|min| n < min) || max.is_some_and(|max| n > max) {
                let bound = |bound: &Option<i64>| bound.map_or_else(String::new, |b| b.to_string());
                let range = format!("{}..{}", bound(min), bound(max));
                return Err(format!("option {}: {n} is out of range {range}, not sent", option.name));
            }
            n.to_string()
        }
        Kind::Combo { values } => match values.iter().find(|v| v.eq_ignore_ascii_case(value)) {
            Some(known) => known.clone(),
            None if values.is_empty() => value.to_owned(),
            None => {
                let known = values.join(", ");
                return Err(format!("option {}: `{value}` is none of {known}, not sent", option.name));
            }
        },
        Kind::Button => {
            return if matches!(value.to_ascii_lowercase().as_str(), "" | "true") {
                Ok(format!("setoption name {}", option.name))
            } else {
                Err(format!("option {}: a button takes no value, not sent", option.name))
            };
        }
        Kind::String => value.to_owned(),
    };
    Ok(format!("setoption name {} value {value}", option.name))
}

/// The line that sets an option of an engine that declares none.
pub(crate) fn undeclared(name: &str, value: &str) -> Result<String, String> {
    if name.is_empty() || [name, value].iter().any(|text| text.chars().any(char::is_control)) {
        return Err(format!("option {}: not one line, not sent", clean(name.as_bytes())));
    }
    Ok(format!("setoption name {name} value {value}"))
}

/// A declared option by its name; letters of either case are the same (UCI).
pub(crate) fn find<'a>(declared: &'a [UciOption], name: &str) -> Option<&'a UciOption> {
    declared.iter().find(|o| o.name == name).or_else(|| declared.iter().find(|o| o.name.eq_ignore_ascii_case(name)))
}

/// The order in which options are sent: threads first, so that hash memory is laid out for them.
pub(crate) fn rank(name: &str) -> u8 {
    match () {
        () if name.eq_ignore_ascii_case("Threads") => 0,
        () if name.eq_ignore_ascii_case("Hash") => 1,
        () => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(line: &str) -> Option<UciOption> {
        parse(Words::new(line.as_bytes()))
    }

    fn check(line: &str, name: &str, kind: Kind, default: &str) {
        let expected = UciOption { name: name.to_owned(), kind, default: default.to_owned() };
        assert_eq!(option(line), Some(expected), "{line}");
    }

    #[test]
    fn awkward_declarations() {
        let spin = |min, max| Kind::Spin { min, max };
        check("name Clear Hash type button", "Clear Hash", Kind::Button, "");
        check(
            "name Move Overhead  type\tspin default 10 min 0 max 5000",
            "Move Overhead",
            spin(Some(0), Some(5000)),
            "10",
        );
        check(
            "name Scale thinking by max nodes to type spin default 3 min 1 max 9",
            "Scale thinking by max nodes to",
            spin(Some(1), Some(9)),
            "3",
        );
        check("name Debug Log File type string default", "Debug Log File", Kind::String, "");
        check("name Book File type string default <empty>", "Book File", Kind::String, "");
        check("name Path type string default /a b/type spin", "Path", Kind::String, "/a b/type spin");
        let values = ["Very Solid", "Risky Play", "Normal"].map(str::to_owned).to_vec();
        check(
            "name Style type combo default Very Solid var Very Solid var Risky Play var Normal",
            "Style",
            Kind::Combo { values },
            "Very Solid",
        );
        check("name NoRange type spin default 7", "NoRange", spin(None, None), "7");
        check("name default type string default default", "default", Kind::String, "default");
        check("name Piece type check default false", "Piece", Kind::Check, "false");
        check("name My type type check default true", "My type", Kind::Check, "true");
        for bad in ["", "name", "name X", "name X type", "name X type slider default 4", "type spin name B default 1"] {
            assert_eq!(option(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_legal_values_are_sent() {
        let declared: Vec<UciOption> = [
            "name Hash type spin default 16 min 1 max 1024",
            "name Book File type string default <empty>",
            "name Style type combo default Very Solid var Very Solid var Risky Play",
            "name Ponder type check default false",
            "name Clear Hash type button",
        ]
        .iter()
        .filter_map(|line| option(line))
        .collect();
        let sent = |name, value| set(&declared, name, value);
        assert_eq!(sent("hash", "64").as_deref(), Ok("setoption name Hash value 64"));
        assert_eq!(sent("Book File", "").as_deref(), Ok("setoption name Book File value "));
        assert_eq!(sent("Style", "risky play").as_deref(), Ok("setoption name Style value Risky Play"));
        assert_eq!(sent("Ponder", "True").as_deref(), Ok("setoption name Ponder value true"));
        assert_eq!(sent("Clear Hash", "").as_deref(), Ok("setoption name Clear Hash"));
        assert_eq!(undeclared("Seed", "7").as_deref(), Ok("setoption name Seed value 7"));
        assert!(undeclared("Seed", "7\nquit").is_err() && undeclared("", "7").is_err());
        for (name, value) in [
            ("Hash", "-16"),
            ("Hash", "1025"),
            ("Hash", "1e3"),
            ("Hash", ""),
            ("Nope", "1"),
            ("Style", "Wild"),
            ("Ponder", "maybe"),
            ("Book File", "a\nquit"),
            ("Clear Hash", "7"),
        ] {
            assert!(sent(name, value).is_err(), "{name} = {value}");
        }
    }
}
