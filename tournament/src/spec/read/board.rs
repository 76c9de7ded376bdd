//! What concerns the single game: openings, adjudication, crashes, limits.

use std::time::Duration;

use rookery_game::{
    adjudicate::{Adjudication, DrawRule, ResignRule, TablebaseRule, TcecDrawRule, TcecWinRule},
    setup::{GameKind, Limits},
};

use super::{
    MAX_NAME, MAX_PATH,
    event::{Of, is_misspelt},
    season::PRESET,
};
use crate::spec::{
    CrashLimits, CrashesThen, Distinct, OpeningSource, OpeningsSpec, Per, defaults,
    walk::{Table, Value},
};

/// Sources that have no file.
const SOURCES: [(&str, OpeningSource); 2] = [("own", OpeningSource::Own), ("start-position", OpeningSource::Start)];
/// More plies than any game has.
const MAX_PLIES: i128 = 20_000;

/// More than a season has.
const MAX_BOOKS: usize = 64;

/// Where games begin. `level`: whether the format may go on after a level match.
pub(super) fn openings(event: &Table<'_>, game: GameKind, of: Of<'_>, level: bool) -> OpeningsSpec {
    let mut openings = defaults::openings(game);
    let Some(value) = event.get("openings") else { return openings };
    // Of a game that is misspelt nothing is known.
    let known = (!is_misspelt(event)).then_some(game);
    if value.is_text() {
        match value.text("").unwrap_or_default() {
            "own" => openings.source = OpeningSource::Own,
            "start-position" => openings.source = OpeningSource::Start,
            other => {
                let hint = format!("expected `own`, `start-position` or `{{ book = \"{}\" }}`", super::clean(other));
                value.error("openings are a table", hint);
            }
        }
        check_game(&openings.source, value, known);
        return openings;
    }
    let Some(table) = value.table("`openings`", "openings = { book = \"book.epd\" }") else { return openings };
    if let Some(source) = source(&table, known, of) {
        // A schedule is mixed already, so that its first rows are balanced too.
        if matches!(source, OpeningSource::Schedule(_)) {
            (openings.random, openings.distinct) = (false, Distinct::Encounter);
        }
        openings.source = source;
    }
    let order = table.get("order");
    if let Some(random) = order.and_then(|v| v.word(&[("random", true), ("sequential", false)])) {
        openings.random = random;
    }
    let per = table
        .get("per")
        .and_then(|v| v.word(&[("pair", Per::Pair), ("round", Per::Round), ("encounter", Per::Encounter)]));
    openings.per = per.unwrap_or(openings.per);
    if let Some(value) = table.get("distinct") {
        if value.is_text() && value.text("") == Some("season") {
            value.error("openings are not told apart over a season", "expected `no`, `encounter` or `event`");
        } else {
            let words = [("no", Distinct::No), ("encounter", Distinct::Encounter), ("event", Distinct::Event)];
            openings.distinct = value.word(&words).unwrap_or(openings.distinct);
            if openings.per == Per::Encounter && openings.distinct == Distinct::Encounter {
                value.error(
                    "one opening an encounter is never distinct in it",
                    "expected `distinct = \"event\"`, or `per = \"pair\"`",
                );
            }
        }
    }
    openings.start = table.get("start").and_then(|v| v.count(0, 1 << 40)).unwrap_or(0);
    lines(&table, &mut openings);
    if let Some(value) = table.get("when-level") {
        let hint = "expected `format = { match = { pairs = 50, when-level = { pairs = 12 } } }`, or leave it out";
        // A season that writes another format has no use for what its preset says.
        if !level && value.source.file != PRESET {
            value.error("only a match that goes on when it is level has openings for that", hint);
        }
        openings.when_level = when_level(value, game, of).map(Box::new).filter(|_| level);
    }
    table.finish();
    openings
}

/// What is taken of a book.
fn lines(table: &Table<'_>, openings: &mut OpeningsSpec) {
    openings.plies = table.get("plies").and_then(|v| v.count(0, MAX_PLIES));
    let broken = table.get("broken").and_then(|v| v.word(&[("stop", false), ("skip", true)]));
    openings.skip_broken = broken.unwrap_or(false);
}

/// Openings after a level match: always at random, each once.
fn when_level(value: Value<'_>, game: GameKind, of: Of<'_>) -> Option<OpeningsSpec> {
    let table = value.table("`when-level`", "when-level = { book = \"book.epd\" }")?;
    let source = source(&table, Some(game), of);
    if source.is_none() && table.all().is_empty() {
        table.error("it does not say which", "expected e.g. `{ book = \"book.epd\" }`");
    }
    let mut openings = OpeningsSpec { source: source?, ..defaults::openings(game) };
    if openings.source == OpeningSource::Start {
        table.error("the start position is one opening alone", "expected e.g. `{ book = \"book.epd\" }`");
    }
    lines(&table, &mut openings);
    table.finish();
    Some(openings)
}

/// Where openings come from, where it is said.
fn source(table: &Table<'_>, game: Option<GameKind>, of: Of<'_>) -> Option<OpeningSource> {
    let value = table.either(&["book", "chess960", "from", "schedule", "used-in"])?;
    let source = match value.key {
        "book" => value.line("book.epd", MAX_PATH).map(|book| OpeningSource::Book(book.to_owned())),
        "schedule" => value.line("rows.jsonl", MAX_PATH).map(|rows| OpeningSource::Schedule(rows.to_owned())),
        "chess960" => value
            .word(&[("random", false), ("double-random", true)])
            .map(|double| if double { OpeningSource::DoubleChess960 } else { OpeningSource::Chess960 }),
        "used-in" => used_in(value, of),
        _ => {
            let words: Vec<(&'static str, usize)> = SOURCES.iter().enumerate().map(|(i, (w, _))| (*w, i)).collect();
            value.word(&words).map(|i| SOURCES[i].1.clone())
        }
    };
    if let Some(source) = &source {
        check_game(source, value, game);
    }
    source
}

/// Events whose books they are.
fn used_in(value: Value<'_>, of: Of<'_>) -> Option<OpeningSource> {
    let Of::Season { names, at } = of else {
        value.error("`used-in` names events of a season", "expected e.g. `{ book = \"book.epd\" }`");
        return None;
    };
    let mut events: Vec<String> = Vec::new();
    for value in value.list("used-in = [\"el\", \"l2\"]")?.into_iter().take(MAX_BOOKS) {
        let Some(name) = value.line("el", MAX_NAME) else { continue };
        match names.iter().position(|known| *known == name) {
            None => value.unknown_word("event", name, names.iter().copied()),
            Some(other) if other >= at => {
                let message = format!("`{name}` must come earlier in the season");
                value.error(message, "events stand in the order in which they are played");
            }
            Some(_) if events.iter().any(|known| known == name) => {
                value.error(format!("`{name}` stands here twice"), "leave it out here");
            }
            Some(_) => events.push(name.to_owned()),
        }
    }
    if events.is_empty() && value.list("").is_some_and(|values| values.is_empty()) {
        value.error("no events", "expected e.g. `used-in = [\"el\", \"l2\"]`");
    }
    Some(OpeningSource::UsedIn(events))
}

fn check_game(source: &OpeningSource, value: Value<'_>, game: Option<GameKind>) {
    let Some(game) = game else { return };
    let drawn = matches!(source, OpeningSource::Chess960 | OpeningSource::DoubleChess960);
    if drawn && game != GameKind::Chess960 {
        value.error("these openings are of Chess960", "write `game = \"chess960\"` in [event]");
    }
    if *source == OpeningSource::Own && game == GameKind::Chess960 {
        value.error("the own book is of chess", "expected `{ chess960 = \"random\" }` or a `book`");
    }
    let checkers = game == GameKind::ChineseCheckers;
    if checkers && matches!(source, OpeningSource::Own | OpeningSource::Book(_) | OpeningSource::UsedIn(_)) {
        value.error("books are of chess", "expected `start-position` or `{ schedule = \"rows.jsonl\" }`");
    }
    if !checkers && matches!(source, OpeningSource::Schedule(_)) {
        value.error("schedules are of Chinese checkers", "expected `{ book = \"book.epd\" }`");
    }
}

/// What may end a game before its rules do.
pub(super) fn adjudicate(event: &Table<'_>) -> Adjudication {
    let none = Adjudication::default();
    let Some(value) = event.get("adjudicate") else { return none };
    if value.is_text() {
        let words = [("tcec", true), ("none", false)];
        return if value.word(&words) == Some(true) { defaults::tcec_adjudication() } else { none };
    }
    let example = "adjudicate = { draw = { from-move = 40, plies = 16, within = \"10 cp\" } }";
    let Some(table) = value.table("`adjudicate`", example) else { return none };
    let plies = |table: &Table<'_>, key, default| -> u32 {
        table.get(key).and_then(|v| v.count(1, MAX_PLIES)).unwrap_or(default)
    };
    let score = |table: &Table<'_>, key, default| table.get(key).and_then(|v| v.score()).unwrap_or(default);
    let sub = |key: &'static str| table.get(key).and_then(|v| v.table(format!("`{key}`"), &format!("{key} = {{ … }}")));
    let draw = sub("draw").map(|t| {
        let rule = DrawRule {
            from_move: t.get("from-move").and_then(|v| v.count(0, MAX_PLIES)).unwrap_or(40),
            plies: plies(&t, "plies", 16),
            within: score(&t, "within", 10),
        };
        t.finish();
        rule
    });
    let resign = sub("resign").map(|t| {
        let rule = ResignRule {
            moves: plies(&t, "moves", 4),
            beyond: score(&t, "beyond", 600),
            two_sided: t.get("two-sided").and_then(|v| v.yes()).unwrap_or(false),
        };
        t.finish();
        rule
    });
    let tcec_draw = sub("tcec-draw").map(|t| {
        let default = defaults::TCEC_DRAW;
        let rule = TcecDrawRule {
            pieces: t.get("pieces").and_then(|v| v.count(2, 32)).unwrap_or(default.pieces),
            plies: plies(&t, "plies", default.plies),
            within: score(&t, "within", default.within),
        };
        t.finish();
        rule
    });
    let tcec_win = sub("tcec-win").map(|t| {
        let rule = TcecWinRule { plies: plies(&t, "plies", 8), beyond: score(&t, "beyond", 650) };
        t.finish();
        rule
    });
    let tablebases = sub("tablebases").map(|t| {
        let rule = TablebaseRule {
            men: t.get("men").and_then(|v| v.count(3, 7)).unwrap_or(defaults::MEN),
            fifty_moves: t.get("fifty-move-rule").and_then(|v| v.yes()).unwrap_or(true),
            draws_only: t.get("draws-only").and_then(|v| v.yes()).unwrap_or(false),
        };
        t.finish();
        rule
    });
    let flag = table.get("flag-draw-without-material").and_then(|v| v.yes()).unwrap_or(false);
    table.finish();
    Adjudication { draw, resign, tcec_draw, tcec_win, tablebases, max_moves: None, flag_draw_without_material: flag }
}

/// A value, or `"off"`.
fn or_off<T>(value: Value<'_>, read: impl FnOnce(Value<'_>) -> Option<T>, default: Option<T>) -> Option<T> {
    if value.is_text() && value.text("") == Some("off") {
        return None;
    }
    read(value).or(default)
}

/// Limits of crashes.
pub(super) fn crashes(event: &Table<'_>) -> CrashLimits {
    let default = defaults::CRASHES;
    let Some(table) = event.get("crashes").and_then(|v| v.table("`crashes`", "crashes = { in-a-row = 3 }")) else {
        return default;
    };
    let read = CrashLimits {
        in_a_row: match table.get("in-a-row") {
            Some(value) => or_off(value, |v| v.count(1, 1_000_000), default.in_a_row),
            None => default.in_a_row,
        },
        of_games: match table.get("of-games") {
            Some(value) => or_off(value, |v| v.share(), default.of_games),
            None => default.of_games,
        },
        then: table
            .get("then")
            .and_then(|v| {
                v.word(&[
                    ("set-aside", CrashesThen::SetAside),
                    ("continue", CrashesThen::Continue),
                    ("stop", CrashesThen::Stop),
                ])
            })
            .unwrap_or(default.then),
    };
    table.finish();
    read
}

/// Limits off the clock.
pub(super) fn limits(event: &Table<'_>, tcec: bool) -> Limits {
    let mut limits = Limits::default();
    if tcec {
        limits.lag = defaults::TCEC_LAG;
    }
    let Some(table) = event.get("limits").and_then(|v| v.table("`limits`", "limits = { start = \"60s\" }")) else {
        return limits;
    };
    let fields: [(&'static str, &mut Duration); 7] = [
        ("start", &mut limits.start),
        ("ready", &mut limits.ready),
        ("new-game", &mut limits.new_game),
        ("quit", &mut limits.quit),
        ("stall", &mut limits.stall),
        ("silence", &mut limits.silence),
        ("lag", &mut limits.lag),
    ];
    for (key, field) in fields {
        let Some(value) = table.get(key) else { continue };
        match value.duration() {
            Some(Duration::ZERO) if key != "lag" => {
                value.error(format!("`{key}` leaves no time at all"), "expected more than `0s`");
            }
            Some(duration) => *field = duration,
            None => {}
        }
    }
    table.finish();
    limits
}
