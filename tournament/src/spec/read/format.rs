//! Who plays whom.

use std::collections::BTreeSet;

use super::{MAX_NAME, engine::RawEngine};
use crate::{
    format::AtOnce,
    spec::{
        FormatSpec, MatchRules, SwissSystem, defaults,
        walk::{Table, Value, clean},
    },
};

/// Fits the fixed width of a pair's number.
const MAX_PAIRS: i128 = 999_999;
/// Fits the fixed width of a round's number.
const MAX_CYCLES: i128 = 9_999;
/// An event has no more games.
const MAX_GAMES: u128 = 2_000_000;
/// Names of formats.
const FORMATS: [&str; 7] = ["match", "round-robin", "gauntlet", "knockout", "swiss", "conditional-tie-break", "ladder"];
/// More than a bracket of all entrants has.
const MAX_ROUNDS: usize = 20;
/// Who is paired in a Swiss: each round takes time that grows with the cube of it.
const MAX_SWISS: usize = 1_000;
/// How much of a meeting is handed out at once.
const AT_ONCE: [(&str, AtOnce); 3] = [("one", AtOnce::One), ("needed", AtOnce::Needed), ("all", AtOnce::All)];

/// The format. May leave out engines that are no opponents of a gauntlet.
pub(super) fn read(event: &Table<'_>, engines: &mut Vec<RawEngine>, per_pair: u8, with_stop: bool) -> FormatSpec {
    let pairs = if with_stop { defaults::PAIRS_WITH_STOP } else { defaults::PAIRS };
    let default = if engines.len() <= 2 {
        FormatSpec::Match { pairs, rules: MatchRules::default() }
    } else {
        plain_round_robin()
    };
    let Some(value) = event.get("format") else { return default };
    let example = "format = { match = { pairs = 50 } }";
    if value.is_text() {
        match value.text("").unwrap_or_default() {
            "match" if engines.len() != 2 => wrong_match(value, engines.len()),
            "match" => return FormatSpec::Match { pairs, rules: MatchRules::default() },
            "round-robin" => return plain_round_robin(),
            "knockout" => return plain_knockout(),
            "ladder" => return FormatSpec::Ladder { pairs: defaults::LADDER_PAIRS, at_once: AtOnce::One },
            "swiss" => value.error("a swiss without `rounds`", "expected e.g. `{ swiss = { rounds = 11 } }`"),
            "conditional-tie-break" => {
                value.error("a tie-break without `spots`", "expected e.g. `{ conditional-tie-break = { spots = 2 } }`");
            }
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
            let pairs = read_pairs(&inner, per_pair).unwrap_or(pairs);
            FormatSpec::Match { pairs, rules: match_rules(&inner, with_stop) }
        }
        "round-robin" => round_robin(&inner, per_pair),
        "knockout" => knockout(&inner),
        "swiss" => swiss(&inner, engines.len(), per_pair),
        "conditional-tie-break" => conditional(&inner, engines.len(), per_pair),
        "ladder" => FormatSpec::Ladder {
            pairs: read_pairs(&inner, per_pair).unwrap_or(defaults::LADDER_PAIRS),
            at_once: inner.get("pairs-at-once").and_then(|v| v.word(&AT_ONCE)).unwrap_or(AtOnce::One),
        },
        _ => gauntlet(&inner, engines, per_pair),
    };
    let span = inner.span();
    inner.finish();
    if !matches!(format, FormatSpec::Match { .. } | FormatSpec::RoundRobin { .. } | FormatSpec::Gauntlet { .. }) {
        if engines.len() < 2 && event.source.knows_engines() {
            event.source.error(span.clone(), "too few engines", "expected at least two `[[engine]]` tables");
        }
        if with_stop && let Some(stop) = event.get("stop") {
            stop.error("a test is between two engines", "expected `format = { match = { … } }`");
        }
    }
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
        FormatSpec::Knockout { pairs, .. } => {
            u128::from(pairs.iter().copied().max().unwrap_or(1)) * n.next_power_of_two()
        }
        FormatSpec::Swiss { rounds, pairs, .. } => n / 2 * u128::from(*rounds) * u128::from(*pairs),
        FormatSpec::ConditionalTieBreak { .. } => n * n.saturating_sub(1) / 2,
        FormatSpec::Ladder { pairs, .. } => n.saturating_sub(1) * u128::from(*pairs),
        FormatSpec::Match { pairs, .. } => u128::from(*pairs),
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
    let order = table.get("order").and_then(|v| v.word(&ORDERS));
    let begins = table.get("begins").and_then(|v| v.word(&[("table", false), ("lower", true)]));
    FormatSpec::RoundRobin {
        lower_first: begins.unwrap_or(false),
        cycles: cycles.and_then(|v| v.count(1, MAX_CYCLES)).unwrap_or(1),
        pairs: pairs.unwrap_or(1),
        shuffled: order.unwrap_or(false),
    }
}

/// In the spec's order, or drawn.
const ORDERS: [(&str, bool); 2] = [("listed", false), ("shuffled", true)];

const fn plain_round_robin() -> FormatSpec {
    FormatSpec::RoundRobin { cycles: 1, pairs: 1, shuffled: false, lower_first: false }
}

fn plain_knockout() -> FormatSpec {
    FormatSpec::Knockout { pairs: vec![1], bronze: None, seeded: None, stop: true, at_once: AtOnce::Needed }
}

fn match_rules(table: &Table<'_>, with_stop: bool) -> MatchRules {
    let default = MatchRules::default();
    let stop = table.get("stop-when-decided");
    let when_level = table.get("when-level").and_then(|value| {
        if value.is_text() {
            return value.word(&[("stands", None), ("pairs", Some(0))]).flatten();
        }
        let table = value.table("`when-level`", "when-level = { pairs = 12 }")?;
        let pairs = table.get("pairs").and_then(|v| v.count(0, MAX_PAIRS));
        table.finish();
        Some(pairs.unwrap_or(0))
    });
    let rules = MatchRules {
        second_begins: table
            .get("begins")
            .and_then(|v| v.word(&[("first", false), ("second", true)]))
            .unwrap_or(default.second_begins),
        stop: stop.as_ref().and_then(Value::yes).unwrap_or(default.stop),
        at_once: table.get("pairs-at-once").and_then(|v| v.word(&AT_ONCE)).unwrap_or(default.at_once),
        when_level,
    };
    if with_stop && (rules.stop || rules.when_level.is_some()) {
        table.error("a test has its own end", "leave out `stop-when-decided` and `when-level`, or `stop`");
    }
    rules
}

fn knockout(table: &Table<'_>) -> FormatSpec {
    let pairs = table.get("pairs").map_or_else(
        || vec![1],
        |value| {
            if !value.is_list() {
                return value.count(1, MAX_PAIRS).into_iter().collect();
            }
            let values = value.list("pairs = [2, 3, 4, 5, 6]").unwrap_or_default();
            if values.is_empty() || values.len() > MAX_ROUNDS {
                value.error("`pairs` of a cup has a number for each round", "expected e.g. `[2, 3, 4, 5, 6]`");
            }
            values.iter().take(MAX_ROUNDS).filter_map(|v| v.count(1, MAX_PAIRS)).collect()
        },
    );
    FormatSpec::Knockout {
        pairs: if pairs.is_empty() { vec![1] } else { pairs },
        bronze: table.get("bronze").and_then(|v| v.count(0, MAX_PAIRS)).filter(|&pairs: &u32| pairs > 0),
        seeded: table.get("seeded").and_then(|value| {
            let seeded: u32 = value.count(1, 1 << 16)?;
            if !seeded.is_power_of_two() {
                value.error("seeds are placed at equal distance", "expected 1, 2, 4, 8, … or leave it out: all");
            }
            Some(seeded)
        }),
        stop: table.get("stop-when-decided").and_then(|v| v.yes()).unwrap_or(true),
        at_once: table.get("pairs-at-once").and_then(|v| v.word(&AT_ONCE)).unwrap_or_default(),
    }
}

fn swiss(table: &Table<'_>, engines: usize, per_pair: u8) -> FormatSpec {
    let rounds = table.get("rounds");
    if rounds.is_none() {
        table.error("a swiss without `rounds`", "expected e.g. `rounds = 11`");
    }
    let known = table.source.knows_engines();
    if known && engines > MAX_SWISS {
        table.error(format!("{engines} engines in a swiss"), format!("at most {MAX_SWISS}"));
    }
    let rounds = rounds.and_then(|value| {
        let rounds: u32 = value.count(1, MAX_CYCLES)?;
        // An odd field has one more: each has a bye once.
        let most = (engines - usize::from(engines > 0)) | 1;
        let most = if engines.is_multiple_of(2) { most } else { engines };
        if known && engines > 1 && rounds as usize > most {
            value.error(
                format!("{rounds} rounds of {engines} engines"),
                format!("no two meet twice: at most {most}, better half of it"),
            );
        }
        Some(rounds)
    });
    let groups = table.get("groups").and_then(|value| {
        let groups: u32 = value.count(1, MAX_SWISS as i128)?;
        if known && groups as usize > engines.max(1) {
            value.error(format!("{groups} groups of {engines} engines"), "expected fewer groups than engines");
        }
        Some(groups)
    });
    FormatSpec::Swiss {
        system: table
            .get("system")
            .and_then(|v| v.word(&[("tcec", SwissSystem::Tcec), ("fide", SwissSystem::Fide)]))
            .unwrap_or(SwissSystem::Tcec),
        rounds: rounds.unwrap_or(1),
        pairs: read_pairs(table, per_pair).unwrap_or(1),
        groups: groups.unwrap_or(1),
        shuffled: table.get("order").and_then(|v| v.word(&ORDERS)).unwrap_or(groups.is_some_and(|g| g > 1)),
    }
}

fn conditional(table: &Table<'_>, engines: usize, per_pair: u8) -> FormatSpec {
    if per_pair == 1 {
        table.error("its rounds are double round robins", "leave out `games-per-pair = 1`");
    }
    let spots = table.get("spots");
    if spots.is_none() {
        table.error("a tie-break without `spots`", "expected the places at stake, e.g. `spots = 2`");
    }
    let spots = spots.and_then(|value| {
        let spots: u32 = value.count(1, MAX_PAIRS)?;
        if table.source.knows_engines() && engines > 0 && spots as usize >= engines {
            value.error(format!("{spots} places for {engines} engines"), "nothing is at stake");
        }
        Some(spots)
    });
    FormatSpec::ConditionalTieBreak { spots: spots.unwrap_or(1) }
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
    let by_list = table.get("list").and_then(|v| v.line("40-15", MAX_NAME)).is_some();
    let span = table.span();
    table.finish();
    if by_list && engines.iter().any(|engine| engine.chosen.is_some()) {
        let kept = engines.iter().filter(|engine| engine.chosen == Some(true)).map(|e| e.spec.setup.name.clone());
        return Some(kept.filter(|name| !first.contains(name)).collect());
    }
    let rating = |name: &String| {
        let engine = engines.iter().find(|e| e.spec.setup.name == *name)?;
        engine.listed.filter(|_| by_list).or(engine.spec.rating)
    };
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
