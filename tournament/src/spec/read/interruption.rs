//! `interruption`: a word, or a table.

use crate::{
    interruption::{Compensation, DrawLimit, InterruptionRule, WHOLE},
    spec::{
        Interruption,
        walk::{Table, Value},
    },
};

/// No game of chess is longer, by the rules.
const MAX_MOVES: i128 = 9_000;
/// More restarts than anyone would watch.
const MAX_RESTARTS: i128 = 1_000;

/// The words, each with the rule that it stands for.
const WORDS: [(&str, Interruption); 4] = [
    ("replay", Interruption::Replay),
    ("restart", Interruption::Restart),
    ("tcec", Interruption::Tcec),
    ("csa", Interruption::Csa),
];

pub(super) fn read(value: Value<'_>) -> Option<Interruption> {
    if !value.is_table() {
        return value.word(&WORDS);
    }
    let table = value.table("`interruption`", "interruption = { then = \"restart\" }")?;
    let restart = table.get("then").and_then(|v| v.word(&[("restart", true), ("replay", false)])).unwrap_or(true);
    let rule = InterruptionRule {
        win: table.get("win").and_then(|v| v.score()),
        draw: table.get("draw").and_then(draw),
        men: table.get("men").and_then(|v| v.count(3, 7)),
        restart,
        compensation: compensation(&table).unwrap_or(Compensation::None),
        max_restarts: table
            .get("max-restarts")
            .and_then(|v| v.count(0, MAX_RESTARTS))
            .unwrap_or(InterruptionRule::REPLAY.max_restarts),
        every_ply: table.get("every-ply").and_then(|v| v.yes()).unwrap_or(true),
    };
    table.finish();
    Some(Interruption::Rule(rule))
}

fn draw(value: Value<'_>) -> Option<DrawLimit> {
    let table = value.table("`draw`", "draw = { within = \"0.15 pawns\", moves = 35 }")?;
    let within = table.get("within");
    if within.is_none() {
        table.error("a draw without `within`", "expected e.g. `{ within = \"0.15 pawns\", moves = 35 }`");
    }
    let within = within.and_then(|v| v.score());
    let moves = table.get("moves").and_then(|v| v.count(0, MAX_MOVES)).unwrap_or(0);
    table.finish();
    Some(DrawLimit { within: within?, moves })
}

fn compensation(table: &Table<'_>) -> Option<Compensation> {
    let value = table.get("compensation")?;
    if value.is_text() {
        return value.word(&[("none", Compensation::None)]);
    }
    let table = value.table("`compensation`", "compensation = { base = \"5%\" }")?;
    let capped = table.get("capped");
    let share = |v: Value<'_>| {
        let share = v.share()?;
        // A share is from 0 to 1.
        Some((share * f64::from(WHOLE)).round() as u32)
    };
    let found = table.either(&["base", "last-think", "fixed"]);
    if found.is_none() {
        table.error("a compensation of nothing", "expected `base`, `last-think` or `fixed`, or `\"none\"`");
    }
    let is_base = found.is_some_and(|value| value.key == "base");
    if let Some(value) = capped.filter(|_| !is_base) {
        value.error("only a share of the base is capped", "leave it out");
    }
    let capped = capped.filter(|_| is_base).and_then(|v| v.yes()).unwrap_or(true);
    table.finish();
    let found = found?;
    match found.key {
        "base" => Some(Compensation::Base { share: share(found)?, capped }),
        "last-think" => Some(Compensation::LastThink { share: share(found)? }),
        _ => found.duration().map(Compensation::Fixed),
    }
}
