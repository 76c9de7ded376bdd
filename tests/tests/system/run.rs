//! `rookery run`: one command from a spec to a table, and what happens when it is cut off.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use rookery_tests::{
    judge::{Judged, judge},
    run::{Process, Ran, none_left, processes_in, rookery, run, wait_in},
    tools,
};
use rustix::process::Signal;
use tempfile::TempDir;

/// A folder with a spec of two movers in it.
pub(crate) struct Desk {
    pub(crate) folder: TempDir,
    pub(crate) python: PathBuf,
}

impl Desk {
    /// `None`: skipped.
    pub(crate) fn new() -> Option<Self> {
        let python = tools::python()?;
        let desk = Self { folder: tempfile::tempdir().unwrap(), python };
        desk.write("m.toml", &desk.spec("", ""));
        Some(desk)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn engine(&self, name: &str, args: &str) -> String {
        let mover = tools::file("engines/mover.py");
        let python = &self.python;
        format!("[[engine]]\nname = {name:?}\nprogram = {python:?}\nargs = [{mover:?}, {args}]\n")
    }

    /// Six games of two movers; `args` and `event` come besides.
    pub(crate) fn spec(&self, args: &str, event: &str) -> String {
        let (a, b) =
            (self.engine("A", &format!("\"seed=1\", {args}")), self.engine("B", &format!("\"seed=2\", {args}")));
        format!(
            "name = \"m\"\n{a}{b}[event]\nformat = {{ match = {{ pairs = 3 }} }}\ntime-control = \"nodes=100\"\n\
             max-moves = 30\nseed = 5\n{event}\n"
        )
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = rookery(self.path(), ["run", "m.toml", "--listen", "127.0.0.1:0"]);
        command.args(args);
        if !args.contains(&"--concurrency") {
            command.args(["--concurrency", "1"]);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        run(&mut self.command(args))
    }

    pub(crate) fn judge(&self, file: &str) -> Judged {
        judge(&self.python, &self.path().join("m").join(file))
    }

    /// Starts it with games that take a while, and waits until one is recorded and one is played.
    fn in_the_middle(&self) -> Process {
        self.write("m.toml", &self.spec("\"think=30\"", ""));
        let folder = self.path().join("m");
        fs::create_dir(&folder).unwrap();
        let process = Process::start(&mut self.command(&[]));
        wait_in(&folder, || fs::read_to_string(folder.join("games.pgn")).is_ok_and(|pgn| pgn.contains("[Event")));
        process
    }
}

#[test]
fn it_ends_and_run_again_it_plays_nothing() {
    let Some(desk) = Desk::new() else { return };
    let first = desk.run(&[]).expect(0);
    assert!(first.out.contains("6 of 6 games"), "{}", first.out);
    let judged = desk.judge("games.pgn");
    assert_eq!(judged.games.len(), 6);
    let before = fs::read(desk.path().join("m/games.pgn")).unwrap();
    let again = desk.run(&[]).expect(0);
    assert!(again.out.contains("6 of 6 games"), "{}", again.out);
    assert!(before == fs::read(desk.path().join("m/games.pgn")).unwrap(), "byte for byte");
    let json = desk.run(&["--json"]).expect(0).json();
    let points = |name: &str| {
        let standings = json["standings"].as_array().unwrap();
        standings.iter().find(|line| line["engine"] == name).unwrap()["points"].as_f64().unwrap()
    };
    for name in ["A", "B"] {
        #[allow(clippy::cast_precision_loss, reason = "a handful")]
        let counted = judged.half_points[name] as f64 / 2.0;
        assert!((points(name) - counted).abs() < 0.01, "{json}");
    }
    none_left(desk.path(), Duration::from_secs(2));
}

/// What is kept when `cut` ends it, and that the same command plays exactly the rest.
fn cut_and_go_on(cut: impl FnOnce(&Process), code: i32) {
    let Some(desk) = Desk::new() else { return };
    let process = desk.in_the_middle();
    assert!(processes_in(desk.path(), &[process.pid()]).unwrap().len() >= 2, "engines are seen from here");
    cut(&process);
    process.wait(Duration::from_secs(3)).expect(code);
    none_left(desk.path(), Duration::from_secs(2));
    let kept = fs::read_to_string(desk.path().join("m/games.pgn")).unwrap();
    if code != -9 {
        let games = desk.judge("games.pgn").games;
        assert!((1..6).contains(&games.len()), "{}", games.len());
        assert!(games.iter().all(|game| game.result != "*"), "{games:#?}");
        // Where the cut came before the first move of the next game, nothing was in play.
        if desk.path().join("m/unfinished.pgn").exists() {
            let unfinished = desk.judge("unfinished.pgn").games;
            assert!(!unfinished.is_empty() && unfinished.iter().all(|game| game.result == "*"), "{unfinished:#?}");
        }
    }
    let ran = desk.run(&[]).expect(0);
    assert!(ran.out.contains("6 of 6 games"), "{}", ran.out);
    let games = desk.judge("games.pgn").games;
    assert_eq!(games.len(), 6);
    let after = fs::read_to_string(desk.path().join("m/games.pgn")).unwrap();
    for game in kept
        .split("[Event ")
        .filter(|game| game.contains("[RookeryGame"))
        .filter(|game| game.trim_end().ends_with(['0', '1', '2']))
    {
        assert!(after.contains(game.trim_end()), "played again, or changed:\n{game}");
    }
    // A function of the position: whatever was cut off, the games are those of a run without.
    let other = Desk::new().unwrap();
    other.write("m.toml", &other.spec("\"think=0\"", ""));
    other.run(&[]).expect(0);
    let key = |games: &[rookery_tests::judge::Game]| {
        let mut all: Vec<_> =
            games.iter().map(|g| (g.name.clone(), g.white.clone(), g.result.clone(), g.plies)).collect();
        all.sort();
        all
    };
    assert_eq!(key(&games), key(&other.judge("games.pgn").games));
}

#[test]
fn ctrl_c_keeps_what_is_finished() {
    cut_and_go_on(|process| process.signal_group(Signal::INT), 130);
}

#[test]
fn sigterm_keeps_what_is_finished() {
    cut_and_go_on(|process| process.signal(Signal::TERM), 130);
}

#[test]
fn a_closed_terminal_keeps_what_is_finished() {
    cut_and_go_on(|process| process.signal_group(Signal::HUP), 130);
}

#[test]
fn a_second_ctrl_c_at_once_does_no_harm() {
    let cut = |process: &Process| {
        process.signal_group(Signal::INT);
        process.signal_group(Signal::INT);
    };
    let Some(desk) = Desk::new() else { return };
    let process = desk.in_the_middle();
    cut(&process);
    process.wait(Duration::from_secs(3)).expect(130);
    none_left(desk.path(), Duration::from_secs(2));
    desk.run(&[]).expect(0);
    assert_eq!(desk.judge("games.pgn").games.len(), 6);
}

#[test]
fn killed_it_leaves_no_engine_and_goes_on() {
    cut_and_go_on(|process| process.signal(Signal::KILL), -9);
}

#[test]
fn what_changed_beside_old_results_is_a_question() {
    let Some(desk) = Desk::new() else { return };
    // An engine of its own, so that it can change.
    let program = desk.path().join("engine");
    let script = |note: &str| {
        format!("#!/bin/sh\n# {note}\nexec {:?} {:?} seed=1\n", desk.python, tools::file("engines/mover.py"))
    };
    fs::write(&program, script("one")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let spec = desk
        .spec("", "")
        .replace(&desk.engine("A", "\"seed=1\", "), "[[engine]]\nname = \"A\"\nprogram = \"./engine\"\n");
    assert!(spec.contains("./engine"));
    desk.write("m.toml", &spec);
    desk.run(&[]).expect(0);
    let before = fs::read(desk.path().join("m/games.pgn")).unwrap();
    let unchanged = || assert!(before == fs::read(desk.path().join("m/games.pgn")).unwrap());

    let other = desk.run(&["--set", "event.time-control=nodes=200"]).expect(2);
    assert!(other.err.contains("spec") && other.err.contains("--start-over"), "{}", other.err);
    unchanged();
    fs::write(&program, script("two")).unwrap();
    let other = desk.run(&[]).expect(2);
    assert!(other.err.contains('A') && other.err.contains("--start-over"), "{}", other.err);
    unchanged();
    desk.run(&["--start-over"]).expect(0);
    assert!(before == fs::read(desk.path().join("m.1/games.pgn")).unwrap(), "put aside");
    assert_eq!(desk.judge("games.pgn").games.len(), 6);
}

/// A spec that must not start: the exit code, and words that the message has.
fn refused(change: impl FnOnce(&Desk, String) -> String, code: i32, words: &[&str]) {
    let Some(desk) = Desk::new() else { return };
    let spec = change(&desk, desk.spec("", ""));
    desk.write("m.toml", &spec);
    let ran = desk.run(&[]).expect(code);
    for word in words {
        assert!(ran.err.contains(word), "no `{word}` in:\n{}", ran.err);
    }
    let pgn = fs::read_to_string(desk.path().join("m/games.pgn")).unwrap_or_default();
    assert!(!pgn.contains("[Event"), "{pgn}");
    none_left(desk.path(), Duration::from_secs(2));
}

fn with_engine(desk: &Desk, spec: &str, engine: &str) -> String {
    let mover = desk.engine("B", "\"seed=2\", ");
    assert!(spec.contains(&mover));
    spec.replace(&mover, &format!("[[engine]]\nname = \"Bad One\"\n{engine}\n"))
}

#[test]
fn an_engine_that_does_not_start_is_named_and_no_game_is_played() {
    refused(|desk, spec| with_engine(desk, &spec, "program = \"./nope\""), 2, &["Bad One", "nope"]);
    refused(
        |desk, spec| {
            desk.write("plain", "#!/bin/sh\n");
            with_engine(desk, &spec, "program = \"./plain\"")
        },
        1,
        &["Bad One", "plain"],
    );
    refused(
        |desk, spec| with_engine(desk, &spec, "program = \"/bin/cat\"\nlimits = { start = \"1s\" }"),
        2,
        &["limits"],
    );
    refused(
        |desk, spec| with_engine(desk, &spec, "program = \"/bin/cat\"") + "limits = { start = \"1s\" }\n",
        1,
        &["Bad One", "no UCI engine"],
    );
    // Before its limit of a minute, and not without a word meanwhile.
    refused(
        |desk, spec| with_engine(desk, &spec, "program = \"/bin/cat\""),
        1,
        &["starting Bad One", "Bad One", "repeats what it is told"],
    );
    refused(|desk, spec| with_engine(desk, &spec, "program = \"/bin/true\""), 1, &["Bad One", "code 0", "uciok"]);
    refused(|desk, spec| with_engine(desk, &spec, "program = \"/bin/false\""), 1, &["Bad One"]);
}

#[test]
fn a_spec_that_means_nothing_is_refused() {
    refused(|desk, spec| spec.replace(&desk.engine("B", "\"seed=2\", "), ""), 2, &["m.toml"]);
    refused(|_, spec| spec.replace("\"B\"", "\"A\""), 2, &["m.toml", "A"]);
    refused(|_, spec| spec.replace("max-moves", "max-movs"), 2, &["m.toml", "max-moves"]);
    refused(|_, spec| spec.replace("nodes=100", "10 parsecs"), 2, &["parsecs"]);
    refused(|_, spec| spec + "openings = { book = \"none.epd\" }\n", 2, &["none.epd"]);
    refused(
        |desk, spec| {
            fs::write(desk.path().join("book.epd"), [0_u8, 159, 146, 150].repeat(200)).unwrap();
            spec + "openings = { book = \"book.epd\" }\n"
        },
        2,
        &["book.epd"],
    );
    refused(
        |desk, spec| {
            desk.write("book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n");
            spec + "openings = { book = \"book.epd\", distinct = \"event\" }\n"
        },
        2,
        &["book.epd", "1", "3"],
    );
}

#[test]
fn it_stops_by_sprt_and_says_so() {
    let Some(desk) = Desk::new() else { return };
    let loses = desk.engine("B", "\"seed=2\", \"fault=illegal\", \"at=6\"");
    let spec = desk.spec(
        "",
        "stop = { sprt = { elo0 = 0, elo1 = 400, model = \"logistic\" } }\ncrashes = { then = \"continue\" }",
    );
    desk.write("m.toml", &spec.replace(&desk.engine("B", "\"seed=2\", "), &loses).replace("pairs = 3", "pairs = 200"));
    let ran = desk.run(&[]).expect(0);
    assert!(ran.out.contains("SPRT") || ran.out.contains("sprt"), "{}", ran.out);
    let again = desk.run(&[]).expect(0);
    assert_eq!(again.out, ran.out, "what is decided stays so");
    let games = desk.judge("games.pgn").games;
    assert!(games.len() < 400, "{}", games.len());
    assert!(games.iter().all(|game| game.details.contains("llegal")), "{games:#?}");
}

#[test]
fn chess960_is_played_and_replayed() {
    let Some(desk) = Desk::new() else { return };
    desk.write("m.toml", &desk.spec("", "game = \"chess960\"\nopenings = { chess960 = \"random\" }"));
    desk.run(&["--set", "event.format={ match = { pairs = 5 } }"]).expect(0);
    let games = desk.judge("games.pgn").games;
    assert_eq!(games.len(), 10, "--set changes a key");
    assert!(games.iter().all(|game| game.variant == "fischerandom"), "{games:#?}");
    assert!(games.iter().all(|game| !game.details.contains("llegal")), "{games:#?}");
}

#[test]
fn a_full_disk_under_stderr_stops_nothing() {
    let Some(desk) = Desk::new() else { return };
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = desk.command(&["-vv"]).stdout(std::process::Stdio::null()).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(desk.judge("games.pgn").games.len(), 6);
}

#[test]
fn a_dry_run_plays_nothing() {
    let Some(desk) = Desk::new() else { return };
    let ran = desk.run(&["--dry-run"]).expect(0);
    assert!(ran.out.contains('6'), "{}", ran.out);
    assert!(!desk.path().join("m/games.pgn").exists());
}

#[test]
fn more_games_at_once_than_cores_are_refused() {
    let Some(desk) = Desk::new() else { return };
    let ran = desk.run(&["--concurrency", "500"]).expect(2);
    assert!(ran.err.contains("500") && ran.err.contains("--oversubscribe"), "{}", ran.err);
    assert!(!desk.path().join("m/games.pgn").exists());
}

#[test]
fn few_descriptors_are_enough_for_one_game() {
    let Some(desk) = Desk::new() else { return };
    let mut command = Command::new("sh");
    let binary = rookery_tests::run::binary();
    command.args(["-c", "ulimit -n 64 && exec \"$0\" run m.toml --listen 127.0.0.1:0 --concurrency 1"]).arg(binary);
    let ran = run(command.current_dir(desk.path()).env("PATH", tools::path()));
    // Enough, or a word of it before the first game: no half of an event.
    if ran.code == 0 {
        assert_eq!(desk.judge("games.pgn").games.len(), 6);
    } else {
        assert!(ran.err.contains("open files") || ran.err.contains("ulimit"), "{}", ran.err);
    }
}

/// Flags alone describe a match.
#[test]
fn flags_describe_a_match_of_real_engines() {
    if !tools::have(&["stockfish", "ethereal-chess"]) {
        return;
    }
    let Some(desk) = Desk::new() else { return };
    let mut command = rookery(desk.path(), ["run", "--engine", "stockfish", "--engine", "ethereal-chess"]);
    command.args(["--tc", "nodes=500", "--pairs", "2", "--listen", "127.0.0.1:0", "--concurrency", "1", "-o", "m"]);
    let ran = run(&mut command).expect(0);
    assert!(ran.out.contains("4 of 4 games"), "{}", ran.out);
    assert_eq!(desk.judge("games.pgn").games.len(), 4);
}

#[test]
fn a_draw_that_was_offered_inside_a_string_is_on_record() {
    let Some(desk) = Desk::new() else { return };
    let engine = |name: &str, args: &str| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../worker/tests/engines/fake.py");
        let python = &desk.python;
        format!(
            "[[engine]]\nname = {name:?}\nprogram = {python:?}\nargs = [{script:?}, \"declare=UCI_DrawOffer\", {args}]\n"
        )
    };
    // As second it offers a draw with its second move, which the first had foreseen, as all of them.
    let (a, b) = (engine("A", "\"cond=9\", \"accept=4\""), engine("B", "\"offer=3\""));
    desk.write(
        "m.toml",
        &format!(
            "name = \"m\"\n{a}{b}[event]\nformat = {{ match = {{ pairs = 1 }} }}\ntime-control = \"nodes=100\"\n\
             openings = \"start-position\"\npredictions = {{ from = 1 }}\n"
        ),
    );
    let ran = desk.run(&[]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let pgn = fs::read_to_string(desk.path().join("m/games.pgn")).unwrap();
    let games: Vec<&str> = pgn.split("[Event ").skip(1).collect();
    let agreed = "Draw by agreement: offered by B, taken by A";
    assert_eq!(games.iter().filter(|game| game.contains(agreed)).count(), 1, "{pgn}");
    let game = games.iter().find(|game| game.contains(agreed)).unwrap();
    assert!(game.contains("offer=1") && game.contains("[PlyCount \"4\"]"), "{game}");
    assert!(game.contains("[PredictionWhite \"2\"]") && game.contains("[PredictionWinner \"White\"]"), "{game}");
}
