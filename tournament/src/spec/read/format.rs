//! Who plays whom.

use std::collections::BTreeSet;

use super::engine::RawEngine;
use crate::spec::{
    FormatSpec, defaults,
    walk::{Table, Value, clean},
};

/// Fits the fixed width of a pair's number.
const MAX_PAIRS: i128 = 999_999;
/// Fits the fixed width of a round's number.
const MAX_CYCLES: i128 = 9_999;
/// An event has no more games.
const MAX_GAMES: u128 = 2_000_000;
/// Names of formats.
const FORMATS: [&str; 3] = ["match", "round-robin", "gauntlet"];

/// The format. May leave out engines that are no opponents of a gauntlet.
pub(super) fn read(event: &Table<'_>, engines: &mut Vec<RawEngine>, per_pair: u8, with_stop: bool) -> FormatSpec {
    let pairs = if with_stop { defaults::PAIRS_WITH_STOP } else { defaults::PAIRS };
    let default = if engines.len() <= 2 {
        FormatSpec::Match { pairs }
    } else {
        FormatSpec::RoundRobin { cycles: 1, pairs: 1, shuffled: false }
    };
    let Some(value) = event.get("format") else { return default };
    let example = "format = { match = { pairs = 50 } }";
    if value.is_text() {
        match value.text("").unwrap_or_default() {
            "match" if engines.len() != 2 => wrong_match(value, engines.len()),
            "match" => return FormatSpec::Match { pairs },
            "round-robin" => return FormatSpec::RoundRobin { cycles: 1, pairs: 1, shuffled: false },
            "gauntlet" => {
                value.error("a gauntlet without `engine`", "expected e.g. `{ gauntlet = { engine = \"X 2\" } }`")
            }
            other => value.unknown_word("format", other, FORMATS),
        }
        return default;
    }
    let Some(table) = value.table("`format`", example) else { return default };
    let found = table.either(&FORMATS);
    if found.is_none() && table.all().is_empty() {
        table.error("a format without a name", format!("expected e.g. `{example}`"));
    }
    table.finish();
    let Some(found) = found else { return default };
    let Some(inner) = found.table(format!("`{}`", found.key), example) else { return default };
    let format = match found.key {
        "match" => {
            if engines.len() > 2 {
                wrong_match(found, engines.len());
            }
            FormatSpec::Match { pairs: read_pairs(&inner, per_pair).unwrap_or(pairs) }
        }
        "round-robin" => round_robin(&inner, per_pair),
        _ => gauntlet(&inner, engines, per_pair),
    };
    let span = inner.span();
    inner.finish();
    let games = games(&format, engines.len()).saturating_mul(u128::from(per_pair));
    if games > MAX_GAMES {
        event.source.error(span, format!("{games} games"), "an event has at most 2,000,000");
    }
    format
}

fn wrong_match(value: Value<'_>, engines: usize) {
    if !value.source.knows_engines() {
        return;
    }
    value.error(
        format!("a match is between two engines, here are {engines}"),
        "expected two `[[engine]]` tables, or `{ round-robin = { … } }`, or `{ gauntlet = { … } }`",
    );
}

/// Pairs in all.
fn games(format: &FormatSpec, engines: usize) -> u128 {
    let n = engines as u128;
    match format {
        FormatSpec::Match { pairs } => u128::from(*pairs),
        FormatSpec::RoundRobin { cycles, pairs, .. } => {
            n * n.saturating_sub(1) / 2 * u128::from(*cycles) * u128::from(*pairs)
        }
        FormatSpec::Gauntlet { engines, pairs, cycles } => {
            let first = engines.len() as u128;
            first * n.saturating_sub(first) * u128::from(*cycles) * u128::from(*pairs)
        }
    }
}

/// `pairs`, or the same as `games`.
fn read_pairs(table: &Table<'_>, per_pair: u8) -> Option<u32> {
    let value = table.either(&["pairs", "games"])?;
    if value.key == "pairs" {
        return value.count(1, MAX_PAIRS);
    }
    let games: u32 = value.count(1, MAX_PAIRS * i128::from(per_pair))?;
    if !games.is_multiple_of(u32::from(per_pair)) {
        value.error(
            format!("{games} games are no whole number of pairs"),
            "expected an even number, or `games-per-pair = 1`",
        );
    }
    Some((games / u32::from(per_pair)).max(1))
}

fn round_robin(table: &Table<'_>, per_pair: u8) -> FormatSpec {
    let pairs = read_pairs(table, per_pair);
    let cycles = table.either(&["cycles", "double-rounds"]);
    if let Some(value) = cycles
        && value.key == "double-rounds"
    {
        if per_pair == 1 {
            value.error("a double round has two games a pair", "leave out `games-per-pair = 1`, or write `cycles`");
        }
        if pairs.is_some_and(|pairs| pairs > 1) {
            value.error("a double round has one pair", "write `cycles` beside `pairs`");
        }
    }
    let order = table.get("order").and_then(|v| v.word(&[("listed", false), ("shuffled", true)]));
    FormatSpec::RoundRobin {
        cycles: cycles.and_then(|v| v.count(1, MAX_CYCLES)).unwrap_or(1),
        pairs: pairs.unwrap_or(1),
        shuffled: order.unwrap_or(false),
    }
}

fn gauntlet(table: &Table<'_>, engines: &mut Vec<RawEngine>, per_pair: u8) -> FormatSpec {
    let all: Vec<String> = engines.iter().map(|e| e.spec.setup.name.clone()).collect();
    let mut first: Vec<String> = Vec::new();
    match table.either(&["engine", "engines"]) {
        Some(value) if value.key == "engine" || value.is_text() => first.extend(known(value, &all)),
        Some(value) => {
            for value in value.list("engines = [\"X 1\", \"X 2\"]").unwrap_or_default() {
                let Some(name) = known(value, &all) else { continue };
                if first.contains(&name) {
                    value.error(format!("`{}` stands here twice", clean(&name)), "leave it out here");
                } else {
                    first.push(name);
                }
            }
        }
        None => table.error("a gauntlet without `engine`", "expected e.g. `engine = \"X 2\"`"),
    }
    if !first.is_empty() && first.len() >= all.len() && table.source.knows_engines() {
        table.error("a gauntlet without opponents", "at least one engine must not be named in it");
    }
    if let Some(value) = table.get("opponents")
        && let Some(chosen) = opponents(value, engines, &first)
    {
        if !value.source.knows_engines() {
            // Who is chosen cannot be said.
        } else if chosen.is_empty() {
            value.error("no engine is chosen by this", "expected at least one opponent");
        } else {
            engines.retain(|e| first.contains(&e.spec.setup.name) || chosen.contains(&e.spec.setup.name));
        }
    }
    FormatSpec::Gauntlet {
        engines: first,
        pairs: read_pairs(table, per_pair).unwrap_or(1),
        cycles: table.get("cycles").and_then(|v| v.count(1, MAX_CYCLES)).unwrap_or(1),
    }
}

/// The name of an engine that is there.
fn known(value: Value<'_>, all: &[String]) -> Option<String> {
    let name = value.text("X 2")?;
    if all.iter().any(|n| n == name) || !value.source.knows_engines() {
        return Some(name.to_owned());
    }
    value.unknown_word("engine", name, all.iter().map(String::as_str));
    None
}

/// Names of opponents: a list, or the nearest by rating.
fn opponents(value: Value<'_>, engines: &[RawEngine], first: &[String]) -> Option<BTreeSet<String>> {
    let all: Vec<String> = engines.iter().map(|e| e.spec.setup.name.clone()).collect();
    if value.is_list() {
        let mut chosen = BTreeSet::new();
        for value in value.list("")? {
            let Some(name) = known(value, &all) else { continue };
            if first.contains(&name) {
                value.error(format!("`{}` is no opponent of itself", clean(&name)), "leave it out here");
            }
            chosen.insert(name);
        }
        return Some(chosen);
    }
    let table = value.table("`opponents`", "opponents = { nearest = 20, within = 300 }")?;
    let nearest: Option<usize> = table.get("nearest").and_then(|v| v.count(1, 100_000));
    let within = table.get("within").and_then(|v| v.real(0.0, 10_000.0));
    if nearest.is_none() && within.is_none() && !table.has("nearest") && !table.has("within") {
        table.error("no choice of opponents", "expected `nearest`, `within` or both");
    }
    let span = table.span();
    table.finish();
    let rating = |name: &String| engines.iter().find(|e| e.spec.setup.name == *name).and_then(|e| e.spec.rating);
    let mut chosen = BTreeSet::new();
    for name in first {
        let Some(own) = rating(name) else {
            if !value.source.knows_engines() {
                continue;
            }
            let message = format!("`{}` has no `rating` to choose opponents by", clean(name));
            value.source.error(span.clone(), message, "give its `rating`, or name the opponents in a list");
            continue;
        };
        let mut others: Vec<(f64, &String)> = all
            .iter()
            .filter(|other| !first.contains(other))
            .filter_map(|other| Some(((rating(other)? - own).abs(), other)))
            .filter(|(distance, _)| within.is_none_or(|within| *distance <= within))
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        chosen.extend(others.into_iter().take(nearest.unwrap_or(usize::MAX)).map(|(_, other)| other.clone()));
    }
    if first.iter().any(|name| rating(name).is_none()) { None } else { Some(chosen) }
}
