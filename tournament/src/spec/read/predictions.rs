//! `predictions`: the Prediction Criterion.

use rookery_game::{
    GameKind,
    prediction::{MAX_STRING, OnIllegal, OnMissing, Predictions, Source, Zone},
};

use crate::spec::walk::Table;

/// No game has more moves.
const MAX_MOVES: i128 = 10_000;

/// `"iccf"`, `"none"`, or a table.
pub(super) fn read(event: &Table<'_>, game: GameKind) -> Option<Predictions> {
    let value = event.get("predictions")?;
    // CCERL knows no agreed draw.
    let agreed = game != GameKind::ChineseCheckers;
    let default = Predictions { draw_offers: agreed, ..Predictions::default() };
    if value.is_text() {
        return value.word(&[("iccf", Some(default)), ("none", None)]).flatten();
    }
    let table = value.table("`predictions`", "predictions = { from = 11, to = 40 }")?;
    let number = |key| table.get(key).and_then(|v| v.count(1, MAX_MOVES));
    let yes = |key, default| table.get(key).and_then(|v| v.yes()).unwrap_or(default);
    let rules = Predictions {
        from: number("from").unwrap_or(default.from),
        to: number("to").unwrap_or(default.to),
        zone: table
            .get("zone")
            .and_then(|v| v.word(&[("predicted", Zone::Predicted), ("anchor", Zone::Anchor)]))
            .unwrap_or_default(),
        mandatory: yes("mandatory", default.mandatory),
        on_missing: table
            .get("on-missing")
            .and_then(|v| v.word(&[("warn", OnMissing::Warn), ("forfeit-prediction", OnMissing::ForfeitPrediction)]))
            .unwrap_or_default(),
        on_illegal: table
            .get("on-illegal")
            .and_then(|v| v.word(&[("truncate", OnIllegal::Truncate), ("void", OnIllegal::Void)]))
            .unwrap_or_default(),
        source: table
            .get("source")
            .and_then(|v| {
                v.word(&[("command-then-pv", Source::CommandThenPv), ("command", Source::Command), ("pv", Source::Pv)])
            })
            .unwrap_or_default(),
        max_pairs: table.get("max-pairs").and_then(|v| v.count(1, MAX_STRING as i128 / 2)),
        terminal_tail: yes("terminal-tail", default.terminal_tail),
        auto_increment: yes("auto-increment", default.auto_increment),
        draw_offers: offers(&table, agreed),
    };
    if rules.from > rules.to {
        table.error(
            format!("moves {} to {} are none", rules.from, rules.to),
            "expected `from` to be at most `to`, e.g. `{ from = 11, to = 40 }`",
        );
    }
    table.finish();
    Some(rules)
}

/// Whether draws may be offered: where nothing is said, in games that know agreed draws.
fn offers(table: &Table<'_>, agreed: bool) -> bool {
    let Some(value) = table.get("draw-offers") else { return agreed };
    let wanted = value.yes().unwrap_or(agreed);
    if wanted && !agreed {
        value.error("the rules of this game know no agreed draw", "expected `draw-offers = false`, or nothing");
    }
    wanted && agreed
}
