//! The `[event]` table.

use rookery_game::{
    TimeControl,
    setup::{GameKind, Killed},
};

use super::{
    MAX_NAME, MAX_PATH, board,
    engine::{MAX_THREADS, RESTARTS, RawEngine},
    finish_engines, format, game as of_game,
};
use crate::spec::{
    EngineSpec, EventSpec, FormatSpec, Gate, Interruption, Play, SlotSpec, SprtModel, StopSpec, TIE_BREAK_PRESETS,
    TIE_BREAKS, TimeScale, defaults, is_tie_break, tie_break,
    walk::{Table, Value, clean},
};

/// Games, and the protocol that engines speak for them.
const GAMES: [(&str, GameKind); 4] = [
    ("chess", GameKind::Chess),
    ("chess960", GameKind::Chess960),
    ("shogi", GameKind::Shogi),
    ("chinese-checkers", GameKind::ChineseCheckers),
];
/// More priorities than anyone needs.
const PRIORITIES: i128 = 1_000_000;
/// No game of chess is longer, by the rules.
const MAX_MOVES: i128 = 9_000;

/// The game alone, since engines depend on it.
pub(super) fn game(table: &Table<'_>) -> Option<GameKind> {
    let value = table.get("game")?;
    let game = value.word(&GAMES)?;
    if game == GameKind::Shogi {
        value
            .error("this game is not played by this version yet", "expected `chess`, `chess960` or `chinese-checkers`");
    }
    Some(game)
}

/// Whether the game is named by a word that is none: what else is said of it may be right.
pub(super) fn is_misspelt(table: &Table<'_>) -> bool {
    table.get("game").is_some_and(|value| {
        !value.is_text() || value.text("").is_none_or(|text| GAMES.iter().all(|(word, _)| *word != text))
    })
}

/// A key that is known and does nothing yet is a mistake, not a promise.
fn not_yet(value: &Value<'_>, what: &str) {
    value.error(format!("{what} is not supported by this version yet"), "leave the key out");
}

/// A time control: a text, or `{ control, scale }`.
pub(super) fn control(value: Value<'_>) -> Option<(TimeControl, Option<TimeScale>)> {
    if value.is_table() {
        let table = value.table("`time-control`", "")?;
        let control = table.get("control");
        if control.is_none() {
            table
                .error("a time control without `control`", "expected e.g. `{ control = \"40/15m\", scale = \"nps\" }`");
        }
        let control = control.and_then(control_text);
        let scale = table.get("scale").and_then(|v| {
            let scale = v.word(&[("nps", Some(TimeScale::Nps)), ("none", None)]).flatten();
            if scale.is_some() {
                not_yet(&v, "scaling time by a worker's calibration");
            }
            scale
        });
        table.finish();
        return control.map(|control| (control, scale));
    }
    if !value.is_text() {
        value.wrong_type("a text in quotes", format!("{} = \"10+0.1\"", value.key));
        return None;
    }
    control_text(value).map(|control| (control, None))
}

fn control_text(value: Value<'_>) -> Option<TimeControl> {
    let text = value.line("10+0.1", 256)?;
    match text.parse() {
        Ok(control) => Some(control),
        Err(rookery_game::clock::TimeControlError { why, .. }) => {
            value.error(format!("time control `{}` cannot be read", clean(text)), why);
            None
        }
    }
}

/// What an event is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of<'a> {
    /// Nothing.
    Itself,
    /// A season: who plays is not known yet.
    Season {
        /// The names of its events, in its order.
        names: &'a [&'a str],
        /// Where among them this one stands.
        at: usize,
    },
}

/// The event, every default filled in, and the engines that play in it.
pub(super) fn read(
    table: Table<'_>,
    game: GameKind,
    raw: &mut Vec<RawEngine>,
    of: Of<'_>,
) -> (Vec<EngineSpec>, EventSpec) {
    let default = EventSpec::default();
    let protocol = match game {
        GameKind::Chess | GameKind::Chess960 => "uci",
        GameKind::Shogi => "usi",
        GameKind::ChineseCheckers => "ccp",
    };
    for engine in raw.iter_mut() {
        let spoken = &mut engine.spec.setup.protocol;
        if spoken.is_empty() {
            protocol.clone_into(spoken);
        } else if spoken != protocol
            && let Some(span) = &engine.protocol_span
            && engine.file == table.source.file
        {
            let message = format!("`{spoken}` does not fit the game");
            table.source.error(span.clone(), message, format!("expected `{protocol}`"));
        }
    }
    let text = |key: &'static str, example: &str, longest: usize| {
        table.get(key).and_then(|v| v.line(example, longest)).map(str::to_owned)
    };
    let yes = |key: &'static str, default: bool| table.get(key).and_then(|v| v.yes()).unwrap_or(default);

    let _ = table.get("game");
    let (time_control, time_scale) =
        table.get("time-control").and_then(control).unwrap_or((default.time_control, default.time_scale));
    let stop = table.get("stop");
    let margin_stated = table.get("margin").and_then(|v| v.duration());
    let games_per_pair = table.get("games-per-pair").and_then(|v| v.count(1, 2)).unwrap_or(2_u8);
    let format = format::read(&table, raw, games_per_pair, stop.is_some());
    let ponder = yes("ponder", false);
    let level = matches!(&format, FormatSpec::Match { rules, .. } if rules.when_level.is_some());
    let mut event = EventSpec {
        title: text("title", "My match", MAX_NAME).unwrap_or_default(),
        game,
        rules: of_game::rules(&table, game),
        resources: of_game::resources(&table),
        format,
        games_per_pair,
        play: table
            .get("play")
            .and_then(|v| v.word(&[("pairs", Play::Pairs), ("cycles", Play::Cycles)]))
            .unwrap_or(default.play),
        one_at_a_time: yes("one-at-a-time", false),
        margin: margin_stated.unwrap_or_else(|| defaults::margin(&time_control)),
        time_control,
        time_scale,
        ponder,
        openings: board::openings(&table, game, of, level),
        adjudicate: board::adjudicate(&table),
        predictions: super::predictions::read(&table, game),
        ratings: super::ratings::read(&table, (of == Of::Itself).then_some(raw)),
        interruption: table.get("interruption").and_then(super::interruption::read).unwrap_or(default.interruption),
        crashes: board::crashes(&table),
        killed: table
            .get("killed")
            .and_then(|v| v.word(&[("crash", Killed::Crash), ("interruption", Killed::Interruption)]))
            .unwrap_or_default(),
        restart: table.get("restart").and_then(|v| v.word(&RESTARTS)).unwrap_or_default(),
        limits: default.limits,
        slot: SlotSpec::default(),
        priority: table.get("priority").and_then(|v| v.count(-PRIORITIES, PRIORITIES)).unwrap_or(0),
        stop: None,
        seed: table.get("seed").and_then(|v| v.count(0, i128::from(u64::MAX))),
        tie_breaks: table.get("tie-breaks").map_or(default.tie_breaks, tie_breaks),
        output: text("output", "results/", MAX_PATH),
        transcripts: yes("transcripts", false),
        tablebases: table
            .get("tablebases")
            .map(|v| v.texts("/usr/share/syzygy", MAX_PATH))
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        concurrency: table.get("concurrency").and_then(|v| v.count(1, MAX_THREADS)),
        site: text("site", "Zürich", MAX_NAME).unwrap_or_default(),
        log: text("log", "rookery.log", MAX_PATH),
        official: yes("official", true),
        gate: table
            .get("gate")
            .and_then(|v| v.word(&[("organiser", Gate::Organiser), ("auto", Gate::Auto)]))
            .unwrap_or(Gate::Auto),
        not_before: table.get("not-before").and_then(|v| v.moment()),
        pause: table.get("break").and_then(|v| v.duration()).unwrap_or_default(),
    };
    for (key, said, what) in [("log", event.log.is_some(), "a log file of an event")] {
        if said && let Some(value) = table.get(key) {
            not_yet(&value, what);
        }
    }
    if !event.pause.is_zero()
        && !event.one_at_a_time
        && let Some(value) = table.get("break")
    {
        value.error("a break is between games that are played one at a time", "write `one-at-a-time = true`");
    }
    let by_table = event.format.widens() || matches!(event.format, FormatSpec::ConditionalTieBreak { .. });
    if event.play == Play::Cycles
        && !by_table
        && let Some(value) = table.get("play")
    {
        value.error("this format plays the games of a pair one after the other", "leave it out, or write `pairs`");
    }
    if of == Of::Itself
        && event.gate != Gate::Auto
        && let Some(value) = table.get("gate")
    {
        value.error("a gate stands between the events of a season", "leave it out, or write a season");
    }
    if let Some(value) = table.get("max-moves") {
        event.adjudicate.max_moves = value.count(1, MAX_MOVES);
    }
    event.limits = board::limits(&table, event.interruption == Interruption::Tcec);
    event.stop = stop.and_then(|v| read_stop(v, &event));
    let engines = finish_engines(raw, &event, margin_stated.is_some());
    event.slot = read_slot(&table, defaults::slot(&engines, ponder, event.resources));
    of_game::of_chess_alone(&table, &event);
    of_game::check_resources(&table, &event, &engines);
    table.finish();
    (engines, event)
}

fn tie_breaks(value: Value<'_>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    if value.is_text() {
        let name = value.text("tcec-league").unwrap_or_default();
        match TIE_BREAK_PRESETS.iter().find(|(known, _)| *known == name) {
            Some((_, list)) => return list.iter().map(|name| (*name).to_owned()).collect(),
            None if is_tie_break(name) => return vec![name.to_owned()],
            None => value.unknown_word("list of tie-breaks", name, TIE_BREAK_PRESETS.iter().map(|(name, _)| *name)),
        }
        return names;
    }
    for value in value.list("tie-breaks = [\"sonneborn-berger\", \"wins\"]").unwrap_or_default() {
        let Some(name) = value.text("sonneborn-berger") else { continue };
        if !is_tie_break(name) {
            value.unknown_word("tie-break", name, TIE_BREAKS.iter().map(|(name, _)| *name));
        } else if names.iter().any(|n| n == name) {
            value.error(format!("tie-break `{name}` stands here twice"), "leave it out here");
        } else if let Some(last) = names.last().filter(|last| tie_break::is_last(last)) {
            value.error(format!("nothing comes after `{last}`"), format!("`{last}` must be the last"));
        } else {
            names.push(name.to_owned());
        }
    }
    names
}

fn read_slot(table: &Table<'_>, default: SlotSpec) -> SlotSpec {
    let Some(slot) = table.get("slot").and_then(|v| v.table("`slot`", "slot = { cores = 1, memory = \"1 GiB\" }"))
    else {
        return default;
    };
    let mut read = SlotSpec {
        cores: slot.get("cores").and_then(|v| v.count(1, MAX_THREADS)).unwrap_or(default.cores),
        memory: slot.get("memory").and_then(|v| v.size()).unwrap_or(default.memory),
        gpus: slot.get("gpus").and_then(|v| v.count(0, 64)).unwrap_or(default.gpus),
        ..default
    };
    if let Some(labels) = slot.get("labels").and_then(|v| v.table("`labels`", "labels = { pool = \"zen4\" }")) {
        for (key, span, value) in labels.all() {
            if key.trim().is_empty() || key.chars().any(crate::spec::walk::is_unprintable) {
                value.source.error(span, format!("`{}` cannot be a label", clean(key)), "");
            } else if let Some(text) = value.line("zen4", MAX_NAME) {
                read.labels.insert(key.to_owned(), text.to_owned());
            }
        }
    }
    slot.finish();
    read
}

fn read_stop(value: Value<'_>, event: &EventSpec) -> Option<StopSpec> {
    let example = "stop = { sprt = { elo0 = 0, elo1 = 2 } }";
    let table = value.table("`stop`", example)?;
    let sprt = table.get("sprt");
    if sprt.is_none() {
        table.error("a stop without `sprt`", format!("expected e.g. `{example}`"));
    }
    table.finish();
    let table = sprt?.table("`sprt`", "sprt = { elo0 = 0, elo1 = 2 }")?;
    if !matches!(event.format, FormatSpec::Match { .. }) {
        table.error("a test is between two engines", "expected `format = { match = { … } }`");
    }
    let bound =
        |key: &'static str, default: f64| table.get(key).and_then(|v| v.real(-1_000.0, 1_000.0)).unwrap_or(default);
    let (elo0, elo1) = (bound("elo0", defaults::ELO.0), bound("elo1", defaults::ELO.1));
    if elo0 >= elo1 {
        let hint = format!("`elo0` must be below `elo1`; here {elo0} and {elo1}");
        match table.get("elo1").or_else(|| table.get("elo0")) {
            Some(value) => value.error("the bounds of the test leave nothing between them", hint),
            None => table.error("the bounds of the test leave nothing between them", hint),
        }
    }
    let rate = |key: &'static str| {
        let value = table.get(key)?;
        let rate = value.real(f64::MIN, f64::MAX)?;
        if rate > 0.0 && rate < 0.5 {
            return Some(rate);
        }
        value.error(format!("`{key}` is an error rate"), "expected more than 0 and less than 0.5, e.g. `0.05`");
        None
    };
    let (alpha, beta) = (rate("alpha").unwrap_or(defaults::ALPHA), rate("beta").unwrap_or(defaults::ALPHA));
    let model = table.get("model").and_then(|v| {
        v.word(&[
            ("normalized", SprtModel::Normalized),
            ("logistic", SprtModel::Logistic),
            ("bayesian", SprtModel::Bayesian),
        ])
    });
    let model = model.unwrap_or(SprtModel::Normalized);
    let by_games = model == SprtModel::Bayesian || event.games_per_pair == 1;
    let trinomial = table.get("trinomial").and_then(|v| {
        let yes = v.yes()?;
        if by_games && !yes {
            v.error("this test counts games, not pairs", "the Bayesian model and single games are trinomial");
        }
        Some(yes || by_games)
    });
    table.finish();
    Some(StopSpec::Sprt { elo0, elo1, alpha, beta, model, trinomial: trinomial.unwrap_or(by_games) })
}
