//! What one game has and others have not.

use rookery_game::{
    TimeControl,
    chinese_checkers::{self, Profile},
    setup::{GameKind, GameRules},
};

use super::event::is_misspelt;
use crate::spec::{
    EngineSpec, EventSpec, Interruption, ResourceClass,
    defaults::{FIXED_CPU_CORES, FIXED_CPU_MEMORY},
    walk::{Table, Value, clean},
};

/// No record has more plies.
const MAX_PLIES: i128 = rookery_game::board::MAX_PLIES as i128;

/// What is chosen of the game's own rules.
pub(super) fn rules(table: &Table<'_>, game: GameKind) -> GameRules {
    let default = chinese_checkers::Rules::default();
    let game = if is_misspelt(table) { GameKind::ChineseCheckers } else { game };
    let profile = table.get("rules").and_then(|value| {
        if other_game(&value, game) {
            return None;
        }
        let name = value.text("strict")?;
        let profile = Profile::named(name);
        if profile.is_none() {
            value.unknown_word("profile of rules", name, Profile::ALL.iter().map(|profile| profile.as_str()));
        }
        profile
    });
    let max_ply = table.get("max-plies").filter(|value| !other_game(value, game));
    let max_ply = max_ply.and_then(|value| value.count(1, MAX_PLIES));
    GameRules {
        chinese_checkers: chinese_checkers::Rules {
            profile: profile.unwrap_or(default.profile),
            max_ply: max_ply.unwrap_or(default.max_ply),
        },
    }
}

fn other_game(value: &Value<'_>, game: GameKind) -> bool {
    let other = game != GameKind::ChineseCheckers;
    if other {
        let hint = match value.key {
            "max-plies" => "expected `max-moves`, in full moves",
            _ => "leave the key out",
        };
        value.error(format!("`{}` is of `game = \"chinese-checkers\"`", clean(value.key)), hint);
    }
    other
}

/// Names keys of chess in an event of Chinese checkers: nothing but the rules ends its games, and engines' scores are no
/// pawns.
pub(super) fn of_chess_alone(table: &Table<'_>, event: &EventSpec) {
    if event.game != GameKind::ChineseCheckers {
        return;
    }
    let rule = event.interruption.rule();
    let by_scores = rule.win.is_some() || rule.draw.is_some() || rule.men.is_some();
    let adjudicated = event.adjudicate != rookery_game::adjudicate::Adjudication::default();
    for (key, said, hint) in [
        ("adjudicate", adjudicated, "the rules of this game alone end it: leave the key out"),
        ("max-moves", true, "expected `max-plies`, as the rules of this game count"),
        ("tablebases", !event.tablebases.is_empty(), "there are no tables of this game"),
        ("ponder", event.ponder, "its protocol has no word for pondering"),
        (
            "interruption",
            by_scores || event.interruption == Interruption::Tcec,
            "scores are no pawns here: expected `restart`, `replay` or `csa`",
        ),
    ] {
        if said && let Some(value) = table.get(key) {
            value.error(format!("`{key}` is not for Chinese checkers"), hint);
        }
    }
}

/// The resources that an event states for its engines, and what they ask of its slots.
pub(super) fn resources(table: &Table<'_>) -> Option<ResourceClass> {
    let words = ResourceClass::ALL.map(|class| (class.as_str(), class));
    table.get("resources").and_then(|value| value.word(&words))
}

/// Whether the event and its engines keep to the resources that it states.
pub(super) fn check_resources(table: &Table<'_>, event: &EventSpec, engines: &[EngineSpec]) {
    let (Some(class), Some(value)) = (event.resources, table.get("resources")) else { return };
    let refuse = |what: &str, hint: &str| value.error(format!("`{}` {what}", class.as_str()), hint.to_owned());
    let (cores, memory) = (event.slot.cores, event.slot.memory);
    match class {
        ResourceClass::FixedSimulations => {
            let counts =
                |control: &TimeControl| control.nodes.is_some() && !control.is_timed() && control.depth.is_none();
            if !counts(&event.time_control) {
                refuse("counts simulations alone", "expected e.g. `time-control = \"nodes=768\"`");
            }
            let own = |engine: &&EngineSpec| engine.time_control.as_ref().is_some_and(|control| !counts(control));
            if let Some(engine) = engines.iter().find(own) {
                let name = clean(&engine.setup.name);
                refuse(
                    &format!("counts simulations alone, also for `{name}`"),
                    "expected `nodes` in its own `time-control`",
                );
            }
        }
        ResourceClass::FixedCpu => {
            if event.slot.gpus > 0 || engines.iter().any(|engine| engine.gpus > 0) {
                refuse("has no GPU", "leave the GPUs out of `slot` and of the engines' `needs`");
            }
            if cores != FIXED_CPU_CORES || memory < FIXED_CPU_MEMORY {
                let hint = format!(
                    "leave `cores` and `memory` out of `slot`, or name another class; here {cores} cores and {} GiB",
                    memory >> 30
                );
                refuse("has 8 cores and 16 GiB", &hint);
            }
            let most = |engine: &&EngineSpec| engine.setup.threads.is_some_and(|threads| threads > FIXED_CPU_CORES);
            if let Some(engine) = engines.iter().find(most) {
                let name = clean(&engine.setup.name);
                refuse(&format!("has 8 cores, and `{name}` more threads"), "expected at most `threads = 8`");
            }
        }
        ResourceClass::FixedGpu if event.slot.gpus == 0 => refuse("has a GPU", "expected `slot = { gpus = 1 }`"),
        ResourceClass::FixedGpu | ResourceClass::OpenHardware => {}
    }
}
