//! The spec as people write it: what is read, what is refused and how it is said.

use std::{fs, path::PathBuf, time::Duration};

use proptest::prelude::*;
use rookery_tournament::spec::{
    Class, Difference, FlagEngine, Flags, FormatSpec, MatchRules, OpeningSource, Parsed, Spec, SpecErrors, StopSpec,
    chooses_by, differences, explain, explain_season, from_flags, is_season, parse, parse_season, ratings_of, set,
};

fn no_files(name: &str) -> Result<String, String> {
    Err(format!("no file {name}"))
}

fn examples() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/examples"))
}

fn read(text: &str) -> Result<Parsed, SpecErrors> {
    parse("t.toml", text, &no_files)
}

/// Two engines, and an event with these lines.
fn with_event(lines: &str) -> String {
    format!("[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n[event]\n{lines}\n")
}

fn spec(lines: &str) -> Spec {
    read(&with_event(lines)).unwrap_or_else(|e| panic!("{e}")).spec
}

/// A spec is explained, and what is printed means the same.
fn explains(spec: &Spec) {
    let explained = explain(spec);
    let again = read(&explained).unwrap_or_else(|e| panic!("{e}\n{explained}"));
    assert_eq!(again.spec, *spec, "{explained}");
    assert_eq!(explain(&again.spec), explained);
    assert_eq!(again.spec.digest_input(), spec.digest_input());
    let json: Spec = serde_json::from_str(&spec.digest_input()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(json, *spec);
}

#[test]
fn examples_are_read_and_explained() {
    let mut seen = 0;
    for entry in fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name == "engines.toml" || path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let loader = |file: &str| fs::read_to_string(examples().join(file)).map_err(|e| e.to_string());
        seen += 1;
        if is_season(&text) {
            let parsed = parse_season(&name, &text, &loader).unwrap_or_else(|e| panic!("{e}"));
            let again = parse_season("again.toml", &explain_season(&parsed.season), &loader);
            assert_eq!(again.unwrap_or_else(|e| panic!("{e}")).season, parsed.season);
            continue;
        }
        let parsed = parse(&name, &text, &loader).unwrap_or_else(|e| panic!("{e}"));
        explains(&parsed.spec);
    }
    assert!(seen >= 4);
}

#[test]
fn a_mistake_looks_like_this() {
    let text = with_event("\n\n\n\n\n\n\ntie-breaks = [\"sonnenborn-berger\", \"wins\"]");
    let error = read(&text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error: t.toml:15:16: unknown tie-break `sonnenborn-berger`\n\
         \x20  |\n\
         15 | tie-breaks = [\"sonnenborn-berger\", \"wins\"]\n\
         \x20  |                ^^^^^^^^^^^^^^^^^ did you mean `sonneborn-berger`?\n"
    );
    let item = &error.errors[0];
    assert_eq!((item.line, item.column, item.length), (15, 16, 17));
    assert_eq!(item.file, "t.toml");
}

/// Each mistake: line of `[event]`, column, length, message, hint.
#[test]
fn mistakes_in_an_event_are_named_at_their_place() {
    const DURATIONS: &str = "durations have a unit, `ms`, `s`, `m`, `h` or `d`: `\"500ms\"`, `\"90m\"`, `\"1h30m\"`";
    const SIZES: &str = "sizes have a unit, `KiB`, `MiB`, `GiB`, `MB` or `GB`: `\"512 MiB\"`";
    const SCORES: &str = "scores have a unit, `cp` or `pawns`: `\"10 cp\"`, `\"0.1 pawns\"`";
    let table: [(&str, usize, usize, &str, &str); 59] = [
        (
            "predictions = { draw-offers = true }\ngame = \"chinese-checkers\"",
            31,
            4,
            "the rules of this game know no agreed draw",
            "expected `draw-offers = false`, or nothing",
        ),
        ("tiem-control = \"1+1\"", 1, 12, "unknown key `tiem-control` in [event]", "did you mean `time-control`?"),
        ("threads = 2", 1, 7, "unknown key `threads` in [event]", "`threads` stands in [[engine]]"),
        ("tc = \"1+1\"", 1, 2, "unknown key `tc` in [event]", "write `time-control = \"…\"`"),
        ("sprt = 1", 1, 4, "unknown key `sprt` in [event]", "write `stop = { sprt = { elo0 = 0, elo1 = 2 } }`"),
        (
            "promote = { count = 4 }",
            1,
            7,
            "`promote` belongs to seasons and lists",
            "it stands in a season: beside `[events.NAME]` or in it",
        ),
        (
            "openings = { used-in = [\"el\"] }",
            24,
            6,
            "`used-in` names events of a season",
            "expected e.g. `{ book = \"book.epd\" }`",
        ),
        (
            "openings = { when-level = { book = \"l.pgn\" } }",
            27,
            18,
            "only a match that goes on when it is level has openings for that",
            "expected `format = { match = { pairs = 50, when-level = { pairs = 12 } } }`, or leave it out",
        ),
        (
            "openings = { distinct = \"season\" }",
            26,
            6,
            "openings are not told apart over a season",
            "expected `no`, `encounter` or `event`",
        ),
        (
            "title = 5",
            9,
            1,
            "`title` must be a text in quotes, found a whole number",
            "expected e.g. `title = \"My match\"`",
        ),
        ("title = \"\"", 9, 2, "`title` is empty", "expected e.g. `\"My match\"`"),
        (
            "title = \"a\\u0007\"",
            10,
            7,
            "`title` has a control character (U+0007)",
            "a backslash begins an escape: write it twice, or the text in single quotes",
        ),
        ("ponder = \"yes\"", 11, 3, "`ponder` must be true or false, found a text", "expected e.g. `ponder = true`"),
        ("priority = 1.5", 12, 3, "`priority` must be a whole number, found a number", "expected e.g. `priority = 1`"),
        ("concurrency = 0", 15, 1, "`concurrency` is out of range", "expected 1 to 4096"),
        ("margin = 50", 10, 2, "`margin` has no unit", DURATIONS),
        ("margin = \"50\"", 11, 2, "`margin`: cannot read `50`", DURATIONS),
        ("margin = \"5 parsecs\"", 11, 9, "`margin`: cannot read `5 parsecs`", DURATIONS),
        (
            "break = 10m",
            9,
            3,
            "string values must be quoted",
            "texts, times and sizes stand in quotes: `\"10+0.1\"`, `\"90m\"`",
        ),
        ("limits = { start = \"0s\" }", 21, 2, "`start` leaves no time at all", "expected more than `0s`"),
        (
            "limits = { begin = \"1s\" }",
            12,
            5,
            "unknown key `begin` in `limits`",
            "expected one of `start`, `ready`, `new-game`, `quit`, `stall`, `silence`, `lag`",
        ),
        ("slot = { memory = 1024 }", 19, 4, "`memory` has no unit", SIZES),
        ("slot = { memory = \"1 GX\" }", 20, 4, "`memory`: cannot read `1 GX`", SIZES),
        ("slot = { core = 1 }", 10, 4, "unknown key `core` in `slot`", "did you mean `cores`?"),
        ("crashes = { of-games = 5 }", 24, 1, "`of-games` has no unit", "shares are percentages: `\"5%\"`"),
        ("crashes = { of-games = \"5\" }", 25, 1, "`of-games`: cannot read `5`", "shares are percentages: `\"5%\"`"),
        ("crashes = { then = \"contniue\" }", 21, 8, "`then` cannot be `contniue`", "did you mean `continue`?"),
        ("adjudicate = { draw = { within = 10 } }", 34, 2, "`within` has no unit", SCORES),
        ("adjudicate = { draw = { within = \"10 ducks\" } }", 35, 8, "`within`: cannot read `10 ducks`", SCORES),
        ("adjudicate = { tablebases = { men = 8 } }", 37, 1, "`men` is out of range", "expected 3 to 7"),
        ("adjudicate = \"tsec\"", 15, 4, "`adjudicate` cannot be `tsec`", "did you mean `tcec`?"),
        ("interruption = \"replya\"", 17, 6, "`interruption` cannot be `replya`", "did you mean `replay`?"),
        ("interruption = { than = 1 }", 18, 4, "unknown key `than` in `interruption`", "did you mean `then`?"),
        ("interruption = { then = \"restrat\" }", 26, 7, "`then` cannot be `restrat`", "did you mean `restart`?"),
        ("interruption = { win = 10 }", 24, 2, "`win` has no unit", SCORES),
        (
            "interruption = { draw = { moves = 3 } }",
            25,
            13,
            "a draw without `within`",
            "expected e.g. `{ within = \"0.15 pawns\", moves = 35 }`",
        ),
        ("interruption = { men = 8 }", 24, 1, "`men` is out of range", "expected 3 to 7"),
        (
            "interruption = { compensation = {} }",
            33,
            2,
            "a compensation of nothing",
            "expected `base`, `last-think` or `fixed`, or `\"none\"`",
        ),
        (
            "interruption = { compensation = { fixed = \"1s\", base = \"5%\" } }",
            44,
            2,
            "`fixed` says again what `base` says",
            "either `base` or `fixed`, not both",
        ),
        (
            "interruption = { compensation = { fixed = \"1s\", capped = true } }",
            58,
            4,
            "only a share of the base is capped",
            "leave it out",
        ),
        (
            "time-control = 10",
            16,
            2,
            "`time-control` must be a text in quotes, found a whole number",
            "expected e.g. `time-control = \"10+0.1\"`",
        ),
        (
            "time-control = { scale = \"none\" }",
            16,
            18,
            "a time control without `control`",
            "expected e.g. `{ control = \"40/15m\", scale = \"nps\" }`",
        ),
        ("format = { match = { pairs = 0 } }", 30, 1, "`pairs` is out of range", "expected 1 to 999999"),
        (
            "break = \"10m\"",
            10,
            3,
            "a break is between games that are played one at a time",
            "write `one-at-a-time = true`",
        ),
        (
            "gate = \"organiser\"",
            9,
            9,
            "a gate stands between the events of a season",
            "leave it out, or write a season",
        ),
        (
            "format = { match = { games = 7 } }",
            30,
            1,
            "7 games are no whole number of pairs",
            "expected an even number, or `games-per-pair = 1`",
        ),
        (
            "format = { match = { pairs = 1, games = 2 } }",
            41,
            1,
            "`games` says again what `pairs` says",
            "either `pairs` or `games`, not both",
        ),
        ("format = { mach = { pairs = 1 } }", 12, 4, "unknown key `mach` in `format`", "did you mean `match`?"),
        (
            "format = { round-robin = { cycles = 9000, pairs = 900 } }",
            26,
            30,
            "16200000 games",
            "an event has at most 2,000,000",
        ),
        ("format = { gauntlet = { engine = \"C\" } }", 35, 1, "unknown engine `C`", "expected one of `A`, `B`"),
        ("format = { gauntlet = {} }", 23, 2, "a gauntlet without `engine`", "expected e.g. `engine = \"X 2\"`"),
        (
            "format = { gauntlet = { engine = \"A\", opponents = { nearest = 1 } } }",
            51,
            15,
            "`A` has no `rating` to choose opponents by",
            "give its `rating`, or name the opponents in a list",
        ),
        (
            "stop = { sprt = { elo0 = 2, elo1 = 2 } }",
            36,
            1,
            "the bounds of the test leave nothing between them",
            "`elo0` must be below `elo1`; here 2 and 2",
        ),
        (
            "stop = { sprt = { alpha = 0 } }",
            27,
            1,
            "`alpha` is an error rate",
            "expected more than 0 and less than 0.5, e.g. `0.05`",
        ),
        ("stop = { sprt = { elo1 = nan } }", 26, 3, "`elo1` is out of range", "expected -1000 to 1000"),
        (
            "not-before = 2026-12-01",
            14,
            10,
            "`not-before` must be a date with time and offset",
            "expected e.g. `2026-12-01T18:00:00Z`",
        ),
        (
            "game = \"shogi\"",
            9,
            5,
            "this game is not played by this version yet",
            "expected `chess`, `chess960` or `chinese-checkers`",
        ),
        (
            "openings = { chess960 = \"random\" }",
            26,
            6,
            "these openings are of Chess960",
            "write `game = \"chess960\"` in [event]",
        ),
        (
            // Of a game that is misspelt nothing else is said.
            "game = \"chinese-chekers\"\nrules = \"strict-v1\"\nmax-plies = 100\nopenings = { schedule = \"s.jsonl\" }",
            9,
            15,
            "`game` cannot be `chinese-chekers`",
            "did you mean `chinese-checkers`?",
        ),
    ];
    for (line, column, length, message, hint) in table {
        let errors = read(&with_event(line)).expect_err(line).errors;
        assert_eq!(errors.len(), 1, "{line}: {errors:#?}");
        let e = &errors[0];
        assert_eq!(
            (e.line, e.column, e.length, e.message.as_str(), e.hint.as_str()),
            (8, column, length, message, hint),
            "{line}"
        );
    }
}

/// Each mistake of an engine: what is written in place of the second engine, line, column, message, hint.
#[test]
fn mistakes_in_engines_are_named_at_their_place() {
    let first = "[[engine]]\nname = \"A\"\nprogram = \"a\"\n";
    let table = [
        ("", 1, 1, "one engine alone", "a tournament needs at least two `[[engine]]` tables"),
        (
            "[[engine]]\nname = \"A\"\nprogram = \"a\"",
            5,
            9,
            "two engines are named `A`",
            "the first is at t.toml:2; each engine needs a name of its own",
        ),
        ("[[engine]]\nname = \" \"\nprogram = \"b\"", 5, 9, "`name` is empty", "expected e.g. `\"Stockfish 17\"`"),
        (
            "[[engine]]\nname = \"B\\n\"\nprogram = \"b\"",
            5,
            9,
            "`name` has a control character (U+000A)",
            "a backslash begins an escape: write it twice, or the text in single quotes",
        ),
        ("[[engine]]\nname = \"B\"", 4, 1, "an engine without `program`", "expected e.g. `program = \"stockfish\"`"),
        (
            "[[engine]]\nprogram = \"b\"\nhash = 5",
            6,
            1,
            "unknown key `hash` in [[engine]]",
            "write `options = { Hash = 64 }`",
        ),
        (
            "[[engine]]\nprogram = \"b\"\nthread = 5",
            6,
            1,
            "unknown key `thread` in [[engine]]",
            "did you mean `threads`?",
        ),
        (
            "[[engine]]\nprogram = \"b\"\noptions = { Hash = [1] }",
            6,
            20,
            "`Hash` must be a text, a number, true or false, found a list",
            "expected e.g. `Hash = \"…\"`",
        ),
        (
            "[[engine]]\nprogram = \"b\"\noptions = { Hash = \"1\\nquit\" }",
            6,
            21,
            "the value of `Hash` must be one line",
            "without control characters",
        ),
        (
            "[[engine]]\nprogram = \"b\"\nthreads = 2\noptions = { Threads = 4 }",
            7,
            13,
            "the option `Threads` says again what `threads` says",
            "leave it out here",
        ),
        (
            "[[engine]]\nprogram = \"b\"\nargs = \"--uci\"",
            6,
            9,
            "`args` must be a list of texts, found a text",
            "expected e.g. `args = [\"--uci\"]`",
        ),
        (
            "[[engine]]\nprogram = \"b\"\nprotocol = \"xboard\"",
            6,
            13,
            "xboard engines are not supported by this version yet",
            "expected `uci`",
        ),
        ("[[engine]]\nprogram = \"b\"\nprotocol = \"usi\"", 6, 13, "`usi` does not fit the game", "expected `uci`"),
        (
            "[[engine]]\nname = \"B\"\nartifact = \"sha256:12\"",
            6,
            13,
            "`artifact` is not a digest",
            "expected `sha256:` and 64 hexadecimal digits in lower case",
        ),
    ];
    for (text, line, column, message, hint) in table {
        let errors = read(&format!("{first}{text}\n")).expect_err(text).errors;
        assert_eq!(errors.len(), 1, "{text}: {errors:#?}");
        let e = &errors[0];
        assert_eq!((e.line, e.column, e.message.as_str(), e.hint.as_str()), (line, column, message, hint), "{text}");
    }
}

/// Formats that do not fit the number of engines, and tables in place of each other.
#[test]
fn impossible_formats_are_refused() {
    let engines = |n: usize| -> String { (0..n).map(|i| format!("[[engine]]\nprogram = \"p{i}\"\n")).collect() };
    let table = [
        (engines(3) + "[event]\nformat = { match = { pairs = 5 } }", "a match is between two engines, here are 3"),
        (engines(3) + "[event]\nformat = \"match\"", "a match is between two engines, here are 3"),
        (engines(3) + "[event]\nstop = { sprt = {} }", "a test is between two engines"),
        (
            engines(2) + "[event]\nformat = { gauntlet = { engines = [\"p0\", \"p1\"] } }",
            "a gauntlet without opponents",
        ),
        (engines(2) + "[event]\nformat = {}", "a format without a name"),
        (engines(4) + "[event]\nformat = \"nockout\"", "unknown format `nockout`"),
        (engines(4) + "[event]\nformat = \"swiss\"", "a swiss without `rounds`"),
        (engines(4) + "[event]\nformat = { swiss = { rounds = 4 } }", "4 rounds of 4 engines"),
        (engines(4) + "[event]\nformat = { swiss = { rounds = 2, groups = 5 } }", "5 groups of 4 engines"),
        (engines(4) + "[event]\nformat = { knockout = { seeded = 3 } }", "seeds are placed at equal distance"),
        (
            engines(4) + "[event]\nformat = { knockout = { pairs = [] } }",
            "`pairs` of a cup has a number for each round",
        ),
        (engines(4) + "[event]\nformat = { knockout = { pair = 2 } }", "unknown key `pair` in `knockout`"),
        (
            engines(4) + "[event]\nformat = \"knockout\"\nplay = \"cycles\"",
            "this format plays the games of a pair one after the other",
        ),
        (engines(4) + "[event]\nformat = { ladder = { pairs = 0 } }", "`pairs` is out of range"),
        (engines(4) + "[event]\nformat = \"ladder\"\nstop = { sprt = {} }", "a test is between two engines"),
        (engines(4) + "[event]\nformat = { conditional-tie-break = {} }", "a tie-break without `spots`"),
        (engines(4) + "[event]\nformat = { conditional-tie-break = { spots = 4 } }", "4 places for 4 engines"),
        (engines(2) + "[event]\nformat = { match = { when-level = \"pair\" } }", "`when-level` cannot be `pair`"),
        (
            engines(2) + "[event]\nformat = { match = { stop-when-decided = true } }\nstop = { sprt = {} }",
            "a test has its own end",
        ),
        (engines(2) + "[event]\nformat = { match = {}, gauntlet = {} }", "`gauntlet` says again what `match` says"),
        (engines(2).replace("[[engine]]", "[[engines]]"), "`engines` names a file"),
        ("[engine]\nprogram = \"a\"".to_owned(), "`engine` must be a list, found a table"),
        (engines(2) + "[[event]]", "`event` must be a table, found a list"),
        (String::new(), "no engines"),
        ("name = \"../x\"\n".to_owned() + &engines(2), "an event's name names a folder"),
        ("name = \"a\nb\"\n".to_owned() + &engines(2), "invalid basic string"),
    ];
    for (text, message) in table {
        let errors = read(&text).expect_err(&text);
        assert_eq!(errors.errors[0].message, message, "{text}\n{errors}");
    }
}

#[test]
fn all_mistakes_come_at_once_and_in_order() {
    let errors = read(&with_event("titel = \"x\"\npairs = 3\nbreak = 10m\nponder = 1\nseed = -1")).unwrap_err().errors;
    let lines: Vec<usize> = errors.iter().map(|e| e.line).collect();
    assert_eq!(lines, [8, 9, 10, 11, 12], "{errors:#?}");
}

/// What is not TOML: the lines of an event, and all that is said of them.
#[test]
fn broken_lines_are_said_once() {
    type Place = (usize, usize, &'static str);
    let table: [(&str, &[Place]); 6] = [
        (
            "format = { match = { pairs = 50 }\nponder = true\nmargin = \"1s\"\ntie-breaks = [\"wins\"]",
            &[(8, 33, "unclosed inline table")],
        ),
        ("tie-breaks = [\"wins\"\nponder = true\nmargin = \"1s\"", &[(8, 20, "unclosed array")]),
        ("format { match = {} }\nponder : true", &[(8, 8, "key with no value"), (9, 8, "key with no value")]),
        ("time-control = \"10+0.1\nponder = True", &[(8, 23, "invalid basic string"), (9, 10, "invalid boolean")]),
        (
            "margin = 10ms\nmargni = 5",
            &[(8, 10, "string values must be quoted"), (9, 1, "unknown key `margni` in [event]")],
        ),
        ("ponder = true\nponder = true", &[(9, 1, "`ponder` stands here twice")]),
    ];
    for (text, expected) in table {
        let errors = read(&with_event(text)).expect_err(text);
        let found: Vec<(usize, usize, &str)> =
            errors.errors.iter().map(|e| (e.line, e.column, e.message.as_str())).collect();
        assert_eq!(found, expected, "{errors}");
    }
}

#[test]
fn a_file_of_engines_is_named_in_its_mistakes() {
    let text = "engines = \"e.toml\"\n[event]\nponder = 1\n";
    let bad = |_: &str| Ok("[[engine]]\nprogram = \"a\"\n[[engine]]\nprogram = \"b\"\nnmae = \"B\"\n".to_owned());
    let errors = parse("t.toml", text, &bad).unwrap_err().errors;
    let places: Vec<(&str, usize, &str)> = errors.iter().map(|e| (e.file.as_str(), e.line, e.hint.as_str())).collect();
    assert_eq!(
        places,
        [("t.toml", 3, "expected e.g. `ponder = true`"), ("e.toml", 5, "did you mean `name`?")],
        "{errors:#?}"
    );
    let gauntlet = format!("{text}format = {{ gauntlet = {{ engine = \"X\", opponents = {{ nearest = 3 }} }} }}\n");
    let errors = read(&gauntlet).unwrap_err().errors;
    assert_eq!(errors.len(), 2, "who plays is not known, so nothing is said of it: {errors:#?}");
    assert_eq!(errors[0].message, "cannot read `e.toml`");
    assert_eq!((errors[0].line, errors[0].column, errors[0].hint.as_str()), (1, 12, "no file e.toml"));
    let good = |_: &str| Ok("[[engine]]\nprogram = \"x/a\"\n[[engine]]\nprogram = \"b.exe\"\n".to_owned());
    let parsed = parse("my list.toml", "engines = \"e.toml\"\n", &good).unwrap();
    assert_eq!(parsed.files, ["e.toml"]);
    assert_eq!(parsed.spec.name, "a v b");
}

#[test]
fn defaults_are_those_of_a_careful_organiser() {
    let text = "[[engine]]\nprogram = \"a\"\nthreads = 2\noptions = { hash = 100 }\n[[engine]]\nprogram = \"b\"\n\
                options = { Threads = 3, Hash = 28 }\n";
    let spec = read(text).unwrap().spec;
    assert_eq!(spec.event.slot.cores, 3);
    assert_eq!(spec.event.slot.memory, (100 + 28 + 512) << 20);
    let pondering = read(&format!("{text}[event]\nponder = true\n")).unwrap().spec;
    assert_eq!(pondering.event.slot.cores, 5);
    assert_eq!(spec.event.title, "a v b");
    assert_eq!(spec.event.format, FormatSpec::Match { pairs: 50, rules: MatchRules::default() });
    assert_eq!(spec.event.margin, Duration::ZERO);
    assert_eq!(self::spec("time-control = \"movetime=1s\"").event.margin, Duration::from_millis(50));
    assert_eq!(self::spec("interruption = \"tcec\"").event.limits.lag, Duration::from_millis(500));
    assert_eq!(self::spec("game = \"chess960\"").event.openings.source, OpeningSource::Chess960);
    let Some(StopSpec::Sprt { alpha, .. }) = self::spec("stop = { sprt = {} }").event.stop else { panic!() };
    assert_eq!(alpha, 0.05);
}

#[test]
fn options_keep_their_order() {
    let text = "[[engine]]\nprogram = \"a\"\noptions = { Z = 1, A = true, \"M N\" = \"x\", B = 1.5 }\n[[engine]]\nprogram = \"b\"\n";
    let spec = read(text).unwrap().spec;
    let options: Vec<String> = spec.engines[0].setup.options.iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(options, ["Z=1", "A=true", "M N=x", "B=1.5"]);
    explains(&spec);
}

/// Lines of an event that are read and explained.
#[test]
fn what_is_read_is_explained() {
    for line in [
        "format = { match = { games = 100 } }",
        "format = { match = { games = 7 } }\ngames-per-pair = 1",
        "format = { round-robin = { double-rounds = 2, order = \"shuffled\" } }\nplay = \"cycles\"",
        "format = { gauntlet = { engine = \"B\", pairs = 3 } }",
        "format = { match = { pairs = 5, begins = \"second\", stop-when-decided = true, pairs-at-once = \"all\" } }",
        "format = { match = { pairs = 50, when-level = { pairs = 12 } } }",
        "format = { match = { pairs = 50, when-level = \"pairs\" } }",
        "format = { round-robin = { double-rounds = 2, begins = \"lower\" } }",
        "format = { knockout = { pairs = [2, 3], bronze = 2, seeded = 2, stop-when-decided = false } }",
        "format = \"knockout\"",
        "format = { swiss = { rounds = 1, pairs = 2, groups = 2 } }",
        "format = { swiss = { rounds = 1, system = \"fide\", order = \"listed\" } }",
        "format = { conditional-tie-break = { spots = 1 } }\nplay = \"cycles\"",
        "format = { ladder = { pairs = 8, pairs-at-once = \"needed\" } }",
        "format = \"ladder\"",
        "stop = { sprt = { elo0 = -1.75, elo1 = 0.25, model = \"bayesian\" } }",
        "adjudicate = \"tcec\"\nmax-moves = 200",
        "adjudicate = { tcec-win = { plies = 10, beyond = \"10 pawns\" }, flag-draw-without-material = true }",
        "time-control = { control = \"40/90m+30s, 30m+30s\", scale = \"none\" }",
        "time-control = \"movetime=100ms\"",
        "game = \"chess960\"\nopenings = { chess960 = \"double-random\", distinct = \"event\" }",
        "openings = { book = \"a \\\"b\\\".pgn\", order = \"sequential\", per = \"encounter\", start = 7, plies = 8, broken = \"skip\" }",
        "openings = \"start-position\"",
        "crashes = { in-a-row = \"off\", of-games = \"0.7%\", then = \"stop\" }",
        "slot = { cores = 2, memory = \"1.5 GiB\", gpus = 1, labels = { pool = \"zen4\", \"a b\" = \"c\" } }",
        "not-before = 2026-12-01T19:00:00+01:00\nbreak = \"0s\"\ngate = \"auto\"\nofficial = true",
        "seed = 18446744073709551615",
        "tie-breaks = []\ntablebases = [\"/a\", \"/b\"]\nsite = \"Zürich\"\noutput = \"o\"\nconcurrency = 3",
        "limits = { stall = \"1m30s\", lag = \"0s\" }\nrestart = \"game\"\ninterruption = \"csa\"\npriority = -5",
        "predictions = \"iccf\"",
        "predictions = { from = 1, to = 20, zone = \"anchor\", on-missing = \"forfeit-prediction\", draw-offers = false }",
        "game = \"chinese-checkers\"\npredictions = \"iccf\"",
        "interruption = {}",
        "interruption = { win = \"10 pawns\", draw = { within = \"15 cp\", moves = 35 }, men = 7, \
         compensation = { base = \"5%\" }, max-restarts = 2 }",
        "interruption = { then = \"replay\", win = \"650 cp\", compensation = \"none\", every-ply = false }",
        "interruption = { compensation = { fixed = \"1m30s\" } }",
        "interruption = { compensation = { last-think = \"12.3456%\" } }",
        "interruption = { compensation = { base = \"0.0001%\", capped = false } }",
    ] {
        explains(&spec(line));
    }
    let offers = |line: &str| spec(line).event.predictions.unwrap().draw_offers;
    assert!(offers("predictions = \"iccf\"") && offers("predictions = {}"));
    assert!(!offers("game = \"chinese-checkers\"\npredictions = \"iccf\""));
    assert_eq!(
        spec("format = { match = { games = 100 } }").event.format,
        FormatSpec::Match { pairs: 50, rules: MatchRules::default() }
    );
}

#[test]
fn a_gauntlet_keeps_the_nearest_opponents() {
    let mut text = String::new();
    for (name, rating) in [("X", 3000), ("a", 2900), ("b", 3250), ("c", 3400), ("d", 3010)] {
        text.push_str(&format!("[[engine]]\nname = \"{name}\"\nprogram = \"p\"\nrating = {rating}\n"));
    }
    let chosen = |opponents: &str| {
        let lines = format!("{text}[event]\nformat = {{ gauntlet = {{ engine = \"X\", opponents = {opponents} }} }}\n");
        let spec = read(&lines).unwrap_or_else(|e| panic!("{e}")).spec;
        explains(&spec);
        spec.engines.iter().map(|e| e.setup.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(chosen("{ nearest = 2 }"), ["X", "a", "d"]);
    assert_eq!(chosen("{ within = 300 }"), ["X", "a", "b", "d"]);
    assert_eq!(chosen("{ nearest = 1, within = 300 }"), ["X", "d"]);
    assert_eq!(chosen("[\"c\"]"), ["X", "c"]);
}

#[test]
fn opponents_are_chosen_by_a_list() {
    let mut text = String::from("name = \"g\"\n");
    for (name, rating) in [("X", "rating = 3000"), ("a", "rating = 1"), ("b", ""), ("c", ""), ("d", "")] {
        text.push_str(&format!("[[engine]]\nname = \"{name}\"\nprogram = \"p\"\n{rating}\n"));
    }
    text.push_str(
        "[event]\nformat = { gauntlet = { engine = \"X\", opponents = { nearest = 2, within = 300, list = \"L\" } } }\n",
    );
    assert_eq!(chooses_by(&text), Some("L".to_owned()));
    let chosen = |answer: &str| {
        let loader = |name: &str| {
            assert_eq!(name, ratings_of("L"));
            Ok(answer.to_owned())
        };
        let spec = parse("g.toml", &text, &loader).unwrap_or_else(|e| panic!("{e}")).spec;
        assert_eq!(chooses_by(&explain(&spec)), None, "what is chosen is written out");
        spec.engines.iter().map(|e| e.setup.name.clone()).collect::<Vec<_>>()
    };
    // The newcomer has its own rating, the others the list's; who is not in it has none.
    let ratings = r#"{"ratings": {"a": 2950.0, "b": 3400.0, "c": 3100.0, "d": 2990.0}}"#;
    assert_eq!(chosen(ratings), ["X", "a", "d"]);
    assert_eq!(chosen(r#"{"ratings": {"a": 2950.0, "c": 3100.0, "X": 3390.0}}"#), ["X", "c"]);
    assert_eq!(chosen(r#"{"ratings": {"a": 2950.0}, "chosen": ["X", "b", "c"]}"#), ["X", "b", "c"]);
    let unknown = parse("g.toml", &text, &|_| Err("nobody is there".to_owned())).unwrap_err().to_string();
    assert!(unknown.contains("list `L`") && unknown.contains("nobody is there"), "{unknown}");
}

#[test]
fn a_key_is_set_where_it_stands() {
    let table = [
        ("[event]\nponder = false # c\n", "event.ponder", "true", "[event]\nponder = true # c\n"),
        (
            "[event]\nponder = false\n",
            "event.time-control",
            "5+0.05",
            "[event]\nponder = false\ntime-control = \"5+0.05\"\n",
        ),
        ("[event]", "event.time-control", "10", "[event]\ntime-control = \"10\"\n"),
        ("# c\nname = \"x\"\n", "event.ponder", "true", "# c\nname = \"x\"\n\n[event]\nponder = true\n"),
        (
            "[event]\nslot = { cores = 1 }\n",
            "event.slot.memory",
            "1 GiB",
            "[event]\nslot = { memory = \"1 GiB\", cores = 1 }\n",
        ),
        ("[event]\nslot = {}\n", "event.slot.cores", "2", "[event]\nslot = { cores = 2 }\n"),
        ("[event]\nslot.cores = 1\n", "event.slot.gpus", "2", "[event]\nslot.cores = 1\nslot.gpus = 2\n"),
        ("event.ponder = true\n", "event.seed", "5", "event.ponder = true\nevent.seed = 5\n"),
        ("[event.slot]\ncores = 1\n", "event.seed", "5", "event.seed = 5\n[event.slot]\ncores = 1\n"),
        ("[event]\n", "event.stop.sprt.elo1", "3", "[event]\nstop.sprt.elo1 = 3\n"),
        ("[event]\n", "name", "2024", "name = \"2024\"\n[event]\n"),
        (
            "[event]\ntie-breaks = [ # c\n] # d\n[event.slot]\ncores = 1\n[[engine]]\n",
            "event.seed",
            "5",
            "[event]\ntie-breaks = [ # c\n] # d\nseed = 5\n[event.slot]\ncores = 1\n[[engine]]\n",
        ),
        ("name = \"x\"\n[event]\n", "engines", "e.toml", "name = \"x\"\nengines = \"e.toml\"\n[event]\n"),
        (
            "engines = \"e.toml\"\n",
            "event.format",
            "{ gauntlet = { engine = \"X\" } }",
            "engines = \"e.toml\"\n\n[event]\nformat = { gauntlet = { engine = \"X\" } }\n",
        ),
        ("", "name", "x y", "name = \"x y\"\n"),
        (
            "[[engine]]\nname = \"A 1.2\"\nprogram = \"a\"\n",
            "engine.1.threads",
            "2",
            "[[engine]]\nname = \"A 1.2\"\nprogram = \"a\"\nthreads = 2\n",
        ),
        (
            "[[engine]]\nname = \"A 1.2\"\nprogram = \"a\"\n",
            "engine.\"A 1.2\".program",
            "b",
            "[[engine]]\nname = \"A 1.2\"\nprogram = \"b\"\n",
        ),
        (
            "[[engine]]\nprogram = \"a\"\noptions = { Hash = 1 }\n",
            "engine.1.options.Hash",
            "64",
            "[[engine]]\nprogram = \"a\"\noptions = { Hash = 64 }\n",
        ),
        (
            "[event]\nformat = { match = { pairs = 5 } }\n",
            "event.format.match.pairs",
            "7",
            "[event]\nformat = { match = { pairs = 7 } }\n",
        ),
        (
            "[event]\nponder = true\n",
            "event.format",
            "{ match = { pairs = 5 } }",
            "[event]\nponder = true\nformat = { match = { pairs = 5 } }\n",
        ),
    ];
    for (text, key, value, expected) in table {
        assert_eq!(set(text, key, value).unwrap_or_else(|e| panic!("{e}")), expected, "{key}={value} in {text}");
    }
}

#[test]
fn a_key_that_cannot_be_set_is_refused() {
    let table = [
        (
            "event.tiem-control",
            "5",
            "--set event.tiem-control=5: unknown key `tiem-control` in [event]; did you mean `time-control`?",
        ),
        ("event.time-control", "5x", "--set event.time-control=5x: time control `5x` cannot be read"),
        ("event.margin", "50", "--set event.margin=50: `margin` has no unit"),
        ("event", "5", "--set event=5: `event` is a table: name one of its keys"),
        ("engine.9.threads", "5", "--set engine.9.threads=5: there is no engine `9`"),
        ("engine.1", "5", "--set engine.1=5: an engine is a table: name one of its keys"),
        ("", "5", "--set =5: `` is not a key"),
        ("a\n[b]\nc", "5", "is not a key"),
        ("event.ponder.x", "5", "`ponder` is not a table"),
    ];
    for (key, value, expected) in table {
        let error = set(&with_event("ponder = true"), key, value).expect_err(key).to_string();
        assert!(error.contains(expected), "{error}\n{expected}");
    }
}

#[test]
fn flags_make_a_spec() {
    let flags = Flags {
        engines: vec![
            FlagEngine { program: "./new/stockfish".into(), ..FlagEngine::default() },
            FlagEngine {
                program: "./base/stockfish".into(),
                options: vec![("Hash".into(), "32".into())],
                ..FlagEngine::default()
            },
        ],
        options: vec![("Hash".into(), "16".into()), ("Move Overhead".into(), "10".into())],
        time_control: Some("8+0.08".into()),
        book: Some("UHO.epd".into()),
        sprt: Some((0.0, 2.0)),
        concurrency: Some(2),
        ..Flags::default()
    };
    let text = from_flags(&flags);
    assert_eq!(
        text,
        "[[engine]]\n\
         name    = \"stockfish\"\n\
         program = \"./new/stockfish\"\n\
         options = { Hash = 16, \"Move Overhead\" = 10 }\n\
         \n\
         [[engine]]\n\
         name    = \"stockfish 2\"\n\
         program = \"./base/stockfish\"\n\
         options = { Hash = 32, \"Move Overhead\" = 10 }\n\
         \n\
         [event]\n\
         time-control = \"8+0.08\"\n\
         openings     = { book = \"UHO.epd\" }\n\
         stop         = { sprt = { elo0 = 0, elo1 = 2 } }\n\
         concurrency  = 2\n"
    );
    let spec = read(&text).unwrap_or_else(|e| panic!("{e}")).spec;
    assert_eq!(spec.event.format, FormatSpec::Match { pairs: 50_000, rules: MatchRules::default() });
    explains(&spec);
    let all = Flags {
        name: Some("n".into()),
        engines: vec![flags.engines[0].clone(), flags.engines[0].clone(), flags.engines[1].clone()],
        gauntlet: true,
        pairs: Some(3),
        chess960: true,
        ponder: true,
        tablebases: vec!["/t".into()],
        seed: Some(5),
        output: Some("o".into()),
        games_per_pair: Some(1),
        threads: Some(2),
        ..Flags::default()
    };
    let spec = read(&from_flags(&all)).unwrap_or_else(|e| panic!("{e}")).spec;
    assert_eq!(spec.engines[2].setup.name, "stockfish 3");
    assert_eq!(spec.event.format, FormatSpec::Gauntlet { engines: vec!["stockfish".into()], pairs: 3, cycles: 1 });
}

fn differ(old: &str, new: &str) -> Vec<Difference> {
    differences(&spec(old), &spec(new))
}

#[test]
fn what_may_change_in_a_running_event() {
    let table = [
        ("", "title = \"x\"", "event.title", Class::Free),
        ("", "priority = 3", "event.priority", Class::Free),
        ("", "slot = { memory = \"3 GiB\" }", "event.slot.memory", Class::Free),
        ("", "slot = { labels = { a = \"b\" } }", "event.slot.labels.a", Class::Free),
        ("", "slot = { cores = 3 }", "event.slot.cores", Class::Locked),
        ("", "not-before = 2027-01-01T00:00:00Z", "event.not-before", Class::Free),
        ("", "crashes = { in-a-row = 9 }", "event.crashes.in-a-row", Class::Free),
        ("", "concurrency = 1", "event.concurrency", Class::Free),
        ("", "tie-breaks = [\"wins\"]", "event.tie-breaks", Class::Ruling),
        ("", "interruption = \"restart\"", "event.interruption", Class::Ruling),
        ("", "time-control = \"1+1\"", "event.time-control", Class::Locked),
        ("", "seed = 1", "event.seed", Class::Locked),
        ("", "format = { match = { pairs = 51 } }", "event.format.match.pairs", Class::Free),
        ("", "format = { match = { pairs = 49 } }", "event.format.match.pairs", Class::Locked),
        (
            "format = { match = { pairs = 5, when-level = \"pairs\" } }",
            "format = { match = { pairs = 6, when-level = \"pairs\" } }",
            "event.format.match.pairs",
            Class::Locked,
        ),
        ("stop = { sprt = { elo1 = 3 } }", "stop = { sprt = { elo1 = 4 } }", "event.stop.sprt.elo1", Class::Free),
    ];
    for (old, new, key, class) in table {
        let found = differ(old, new);
        assert_eq!(found.len(), 1, "{old} -> {new}: {found:#?}");
        assert_eq!((found[0].key.as_str(), found[0].class), (key, class), "{new}");
        if class == Class::Locked {
            assert!(found[0].message.contains("once the event has begun"), "{}", found[0]);
        }
    }
    assert!(differ("", "").is_empty());
    let kind = differ("", "format = { round-robin = {} }");
    assert!(!kind.is_empty() && kind.iter().all(|d| d.class == Class::Locked), "{kind:#?}");
}

#[test]
fn engines_come_go_and_change() {
    let text = |names: &[&str], extra: &str| {
        let engines: String =
            names.iter().map(|n| format!("[[engine]]\nname = \"{n}\"\nprogram = \"p\"\n{extra}\n")).collect();
        read(&format!(
            "name = \"n\"\n{engines}[event]\nformat = \"round-robin\"\nslot = {{ cores = 1, memory = \"1 GiB\" }}\n"
        ))
        .unwrap_or_else(|e| panic!("{e}"))
        .spec
    };
    let keys = |old: &Spec, new: &Spec| -> Vec<(String, Class)> {
        differences(old, new).into_iter().map(|d| (d.key, d.class)).collect()
    };
    let three = text(&["A", "B", "C 1.0"], "");
    assert_eq!(keys(&three, &text(&["A", "B"], "")), [("engine.\"C 1.0\"".to_owned(), Class::Locked)]);
    assert_eq!(keys(&three, &text(&["A", "B", "C 1.0", "D"], "")), [("engine.D".to_owned(), Class::Free)]);
    assert_eq!(keys(&three, &text(&["B", "A", "C 1.0"], "")), [("engine (order)".to_owned(), Class::Locked)]);
    let changed = keys(&text(&["A", "B"], ""), &text(&["A", "B"], "options = { Hash = 8 }"));
    let expected = [("engine.A.options.Hash", Class::Locked), ("engine.B.options.Hash", Class::Locked)];
    assert_eq!(changed, expected.map(|(k, c)| (k.to_owned(), c)));
}

/// Texts that are large in one way each: answered in time, without a crash.
#[test]
fn large_texts_are_refused_in_time() {
    const SIZE: usize = 1 << 16;
    for part in [
        "[",
        "{",
        "a.",
        "[[",
        "x=[",
        "x={x=",
        "a=\n",
        "[a]\n",
        "[[engine]]\n",
        "\"",
        "\\",
        "é",
        "a = 1\nb",
        "x.y=1\n",
        "[a.",
        "'''",
        "]\n[",
    ] {
        let errors = read(&part.repeat(SIZE / part.len())).unwrap_err();
        assert!(errors.to_string().len() < SIZE, "{part}");
    }
    let many: String = (0..1_000).map(|n| format!("k{n} = 1\n")).collect();
    let errors = read(&many).unwrap_err();
    assert_eq!(errors.errors.len(), rookery_tournament::spec::MAX_ERRORS);
    assert!(errors.to_string().ends_with("more\n"));
    let names: String = (0..500).map(|n| format!("[[engine]]\nprogram = \"p{n}\"\n")).collect();
    let wanted: String = (0..500).map(|n| format!("\"q{n}\",")).collect();
    assert!(read(&format!("{names}[event]\nformat = {{ gauntlet = {{ engines = [{wanted}] }} }}\n")).is_err());
    assert!(read(&"#".repeat(5 << 20)).unwrap_err().to_string().contains("at most 4 MiB"));
}

/// All keys, so that mutations reach every reader.
const FULL: &str = r#"name = "x"
[[engine]]
name = "A"
program = "a"
args = ["x"]
env = { K = "v" }
options = { Hash = 16, "Move Overhead" = 10 }
threads = 2
rating = 2800.5
time-control = "movetime=1s"
needs = { cpu = "x86-64-v3", gpus = 1 }
[[engine]]
name = "B"
program = "b"
[event]
format = { match = { pairs = 50 } }
time-control = { control = "40/90m+30s, 30m+30s", scale = "none" }
openings = { book = "b.pgn", order = "random", per = "pair", distinct = "encounter" }
adjudicate = { draw = { within = "10 cp" }, resign = {}, tablebases = { men = 6 } }
crashes = { in-a-row = 3, of-games = "5%" }
slot = { cores = 1, memory = "1 GiB", labels = { pool = "zen4" } }
limits = { start = "60s" }
stop = { sprt = { elo0 = 0, elo1 = 2.5 } }
tie-breaks = ["wins", "shared"]
not-before = 2026-12-01T18:00:00Z
seed = 7
"#;

#[test]
fn the_full_spec_is_read() {
    explains(&read(FULL).unwrap_or_else(|e| panic!("{e}")).spec);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in "[\\PC\\n\\r\\t\\[\\]{}=\"',.]{0,200}") {
        if let Err(e) = read(&text) {
            prop_assert!(!e.errors.is_empty());
            prop_assert!(!e.to_string().is_empty());
        }
        let _ = set(&text, "event.ponder", "true");
        let _ = set(FULL, &text, &text);
    }

    #[test]
    fn mutated_specs_are_read_or_refused(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, prop::sample::select(vec![
            "", "\"", "[", "]", "{", "}", "=", "\n", "0", "-1", "99999999999999999999", "é", "\u{7}", "true", "1e400", ",", "#", ".", "'''", "ä = 1\n", "[event]\n", "[[engine]]\n",
        ])), 1..5),
        which in any::<prop::sample::Index>(),
    ) {
        let mut text = FULL.to_owned();
        for (at, length, put) in cuts {
            let start = text.floor_char_boundary(at.index(text.len().max(1)));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, put);
        }
        match read(&text) {
            Ok(parsed) => {
                let explained = explain(&parsed.spec);
                let again = read(&explained);
                prop_assert_eq!(again.map(|p| p.spec).map_err(|e| e.to_string()), Ok(parsed.spec), "{}", explained);
            }
            Err(e) => for e in &e.errors {
                prop_assert!(e.line <= text.lines().count() + 1);
                prop_assert!(!e.to_string().contains(char::from(7)));
            },
        }
        let keys = ["event.seed", "event.slot.cores", "engine.1.threads", "name", "event.stop.sprt.elo1", "engine.B.options.Hash"];
        let key = keys[which.index(keys.len())];
        if let Ok(edited) = set(&text, key, "1") {
            // What could be read before can be read after.
            prop_assert!(read(&text).is_err() || read(&edited).is_ok(), "{}", edited);
        }
    }
}

#[test]
fn how_a_list_is_made() {
    use rookery_tournament::spec::RatingModel;
    for (line, model, anchor) in [
        ("", RatingModel::Bayeselo, None),
        ("game = \"chinese-checkers\"", RatingModel::BradleyTerry, None),
        ("ratings = \"ordo\"", RatingModel::Ordo, None),
        ("ratings = { anchor = \"B\" }", RatingModel::Bayeselo, Some(("B", 0.0))),
        (
            "ratings = { model = \"bradley-terry\", anchor = \"A\", rating = 1500 }",
            RatingModel::BradleyTerry,
            Some(("A", 1500.0)),
        ),
    ] {
        let found = spec(line);
        let anchor = anchor.map(|(name, rating): (&str, f64)| (name.to_owned(), rating));
        assert_eq!((found.event.rating_model(), found.event.rating_anchor()), (model, anchor), "{line}");
        explains(&found);
    }
    for (line, message) in [
        ("ratings = \"elo\"", "`ratings` cannot be `elo`"),
        ("ratings = { model = \"ordu\" }", "`model` cannot be `ordu`"),
        ("ratings = { anchor = \"C\" }", "unknown engine `C`"),
        ("ratings = { rating = 3 }", "a rating without its engine"),
        ("ratings = { anchor = \"A\", rating = 1e9 }", "`rating` is out of range"),
        ("ratings = { model = \"tcec\", anchor = \"A\" }", "TCEC's list has an anchor of its own"),
    ] {
        let errors = read(&with_event(line)).expect_err(line).errors;
        assert_eq!(errors.len(), 1, "{line}: {errors:#?}");
        assert!(errors[0].message.starts_with(message), "{line}: {}", errors[0].message);
    }
}

/// Chinese checkers: what it has of its own, and what is of chess alone.
#[test]
fn the_second_game_has_keys_of_its_own() {
    let of = |lines: &str| format!("game = \"chinese-checkers\"\n{lines}");
    let found = spec(&of("rules = \"strict-v1\"\nmax-plies = 300\nresources = \"fixed-cpu\""));
    let rules = found.event.rules.chinese_checkers;
    assert_eq!((rules.profile.as_str(), rules.max_ply), ("strict-v1", 300));
    assert_eq!(found.engines[0].setup.protocol, "ccp");
    assert_eq!((found.event.slot.cores, found.event.slot.memory >> 30), (8, 16));
    explains(&found);
    let found = spec(&of("openings = { schedule = \"rows.jsonl\" }\ninterruption = \"restart\""));
    assert_eq!(found.event.openings.source.file(), Some("rows.jsonl"));
    assert!(!found.event.openings.random, "a schedule is mixed already");
    explains(&found);
    for (lines, message) in [
        ("rules = \"strikt\"", "unknown profile of rules `strikt`"),
        ("max-plies = 0", "`max-plies` is out of range"),
        ("max-moves = 100", "`max-moves` is not for Chinese checkers"),
        ("adjudicate = { resign = { moves = 3 } }", "`adjudicate` is not for Chinese checkers"),
        ("interruption = \"tcec\"", "`interruption` is not for Chinese checkers"),
        ("ponder = true", "`ponder` is not for Chinese checkers"),
        ("openings = { book = \"b.epd\" }", "books are of chess"),
        ("openings = \"own\"", "books are of chess"),
        ("resources = \"fixed-simulations\"", "`fixed-simulations` counts simulations alone"),
        ("resources = \"fixed-cpu\"\nslot = { gpus = 1 }", "`fixed-cpu` has no GPU"),
        ("resources = \"fixed-cpu\"\nslot = { cores = 4 }", "`fixed-cpu` has 8 cores and 16 GiB"),
        ("resources = \"fixed-cpu\"\nslot = { cores = 16 }", "`fixed-cpu` has 8 cores and 16 GiB"),
        ("resources = \"fixed-cpu\"\nslot = { memory = \"1 GiB\" }", "`fixed-cpu` has 8 cores and 16 GiB"),
        ("resources = \"fixed-gpu\"\nslot = { gpus = 0 }", "`fixed-gpu` has a GPU"),
        (
            "resources = \"fixed-simulations\"\ntime-control = \"10+0.1\"",
            "`fixed-simulations` counts simulations alone",
        ),
        ("resources = \"fixed\"", "`resources` cannot be `fixed`"),
    ] {
        let errors = read(&with_event(&of(lines))).expect_err(lines).errors;
        assert_eq!(errors.len(), 1, "{lines}: {errors:#?}");
        assert!(errors[0].message.starts_with(message), "{lines}: {}", errors[0].message);
    }
    for lines in ["rules = \"strict\"", "max-plies = 240", "openings = { schedule = \"rows.jsonl\" }"] {
        assert_eq!(read(&with_event(lines)).expect_err(lines).errors.len(), 1, "{lines}");
    }
}

#[test]
fn keys_of_a_season_are_set() {
    let engines = "[[engine]]\nname = \"A\"\nprogram = \"a\"\n[[engine]]\nname = \"B\"\nprogram = \"b\"\n";
    let text = format!("name = \"S\"\npreset = \"tcec-leagues\"\n{engines}[events.el]\nstay = [\"A\", \"B\"]\n");
    let read = |text: &str| {
        rookery_tournament::spec::parse_season("s.toml", text, &|_| Err(String::new()))
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let set = |text: &str, key: &str, value: &str| rookery_tournament::spec::set(text, key, value);
    // What the file has, what its preset alone has, and the season's own.
    let mut changed = text.clone();
    for (key, value) in [
        ("events.el.time-control", "5+0.05"),
        ("events.sufi.format", "{ match = { pairs = 2 } }"),
        ("seed", "7"),
        ("events.el.gate", "auto"),
        ("engine.B.program", "c"),
    ] {
        changed = set(&changed, key, value).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
    let season = read(&changed).season;
    assert_eq!(season.seed, Some(7));
    assert_eq!(season.event("el").unwrap().event.time_control.to_string(), "5+0.05");
    assert_eq!(season.event("el").unwrap().event.title, "Entrance League");
    assert_eq!(season.event("el").unwrap().entrants, ["A", "B"]);
    assert!(matches!(season.event("sufi").unwrap().event.format, FormatSpec::Match { pairs: 2, .. }));
    assert_eq!(season.engines[1].setup.program, "c");
    let wrong = set(&text, "events.el.time-contrl", "5").unwrap_err();
    assert!(wrong.to_string().contains("did you mean `time-control`?"), "{wrong}");
    let wrong = set(&text, "event.time-control", "5").unwrap_err();
    assert!(!wrong.message.is_empty(), "{wrong}");
}
