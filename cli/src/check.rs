//! `spec check`, `book check`, `engine check`: what can be said before anything starts.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rookery_game::{
    opening::{Book, BookOptions},
    setup::GameKind,
};
use rookery_tournament::{
    season::{SeasonSpec, numbers},
    spec::{self, Parsed, Spec},
};
use rookery_worker::engine::{Report, Verdict};
use serde_json::json;

use crate::{
    args::{BookCommand, EngineCommand, SpecCommand},
    exit::{self, Outcome, Usage},
    table::{Align, Table},
};

/// Opponents that a spec has chosen by a list's ratings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opponents {
    /// There is no list to ask: a mistake.
    Unknown,
    /// A coordinator asks it; until then all stand.
    AskedLater,
}

/// Parses a spec, with `--set` applied first; files that it names are looked for in `folder`. Beside it the text as set.
pub(crate) fn parse_spec(
    name: &str,
    mut text: String,
    set: &[String],
    folder: &Path,
    opponents: Opponents,
) -> Result<(String, Parsed), Box<dyn std::error::Error>> {
    set_all(&mut text, set, "event.time-control=5+0.05")?;
    let by_list = spec::chooses_by(&text).map(|list| spec::ratings_of(&list));
    let loader = |file: &str| match opponents {
        Opponents::AskedLater if by_list.as_deref() == Some(file) => {
            let open = spec::ListChoice { open: true, ..spec::ListChoice::default() };
            serde_json::to_string(&open).map_err(|error| error.to_string())
        }
        Opponents::Unknown if by_list.as_deref() == Some(file) => {
            Err("`rookery apply` has a coordinator ask for them".to_owned())
        }
        _ => std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string()),
    };
    let parsed = spec::parse(name, &text, &loader).map_err(|errors| Usage(errors.to_string().trim_end().to_owned()))?;
    Ok((text, parsed))
}

/// Keys changed from the command line.
fn set_all(text: &mut String, set: &[String], example: &str) -> Result<(), Usage> {
    for pair in set {
        let expected = || Usage(format!("--set {pair}: expected KEY=VALUE, e.g. `{example}`"));
        let (key, value) = pair.split_once('=').ok_or_else(expected)?;
        *text = spec::set(text, key, value).map_err(|error| Usage(error.to_string()))?;
    }
    Ok(())
}

/// A season, where the file is one, with `--set` applied first, and the folder in which the files that it names are.
pub(crate) fn read_season(
    path: &Path,
    set: &[String],
) -> Result<Option<(SeasonSpec, PathBuf)>, Box<dyn std::error::Error>> {
    let mut text = read_text(path)?;
    if !spec::is_season(&text) {
        return Ok(None);
    }
    set_all(&mut text, set, "events.el.time-control=5+0.05")?;
    let base = path.parent().unwrap_or_else(|| Path::new("")).to_owned();
    let loader = |file: &str| std::fs::read_to_string(base.join(file)).map_err(|error| error.to_string());
    let parsed = spec::parse_season(&path.display().to_string(), &text, &loader);
    let parsed = parsed.map_err(|errors| Usage(errors.to_string().trim_end().to_owned()))?;
    Ok(Some((parsed.season, base)))
}

/// A rating list, where the file is one.
pub(crate) fn read_list(path: &Path, set: &[String]) -> Result<Option<spec::ListSpec>, Box<dyn std::error::Error>> {
    let text = read_text(path)?;
    if !spec::is_list(&text) {
        return Ok(None);
    }
    if let Some(pair) = set.first() {
        return Err(Usage(format!("--set {pair}: a list's keys are changed in its file")).into());
    }
    let parsed = spec::parse_list(&path.display().to_string(), &text);
    Ok(Some(parsed.map_err(|errors| Usage(errors.to_string().trim_end().to_owned()))?))
}

/// Games in all, as the spec stands.
pub(crate) fn games(spec: &Spec) -> u64 {
    rookery_tournament::event::games_total(spec, u32::try_from(spec.engines.len()).unwrap_or(u32::MAX))
}

/// The text of a spec.
pub(crate) fn read_text(path: &Path) -> Result<String, Usage> {
    let bytes = std::fs::read(path).map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        Usage(format!("{}:{line}: not UTF-8; save the file as UTF-8", path.display()))
    })
}

/// The content of a book: bounded, as a device has no end.
pub(crate) fn read_book(path: &Path) -> Result<Vec<u8>, Usage> {
    use std::io::Read as _;
    let wrong = |why: String| Usage(format!("book {}: {why}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| wrong(error.to_string()))?;
    let mut bytes = Vec::new();
    file.take(BOOK_BYTES + 1).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > BOOK_BYTES {
        return Err(wrong(format!("larger than {} MiB", BOOK_BYTES >> 20)));
    }
    Ok(bytes)
}

/// The largest book file that is read: the largest published ones have some 200 MB unpacked.
const BOOK_BYTES: u64 = 512 << 20;

/// The book that a spec names: is it there, and what has it?
fn check_book_of(spec: &Spec, folder: &Path) -> Result<(), Usage> {
    for openings in spec.event.openings.all() {
        let Some(name) = openings.source.file() else { continue };
        let bytes = read_book(&folder.join(name))?;
        let (skip_broken, max_plies) = (openings.skip_broken, openings.plies);
        let options = BookOptions { skip_broken, max_plies, rules: spec.event.rules };
        Book::parse(name, bytes, spec.event.game, &options)
            .map_err(|errors| Usage(errors.to_string().trim_end().to_owned()))?;
    }
    Ok(())
}

pub(crate) fn spec(command: &SpecCommand, json: bool) -> Outcome {
    let (SpecCommand::Check { file } | SpecCommand::Explain { file }) = command;
    if let Some((season, _)) = read_season(file, &[])? {
        match command {
            SpecCommand::Explain { .. } if json => println!("{}", serde_json::to_string_pretty(&season)?),
            SpecCommand::Explain { .. } => print!("{}", spec::explain_season(&season)),
            SpecCommand::Check { .. } => {
                println!("{}: {} engines, {} events", season.name, season.engines.len(), season.events.len());
                for (event, n) in numbers(&season, &[]) {
                    println!("  {event}: {} play, {} go up, {} go down", n.playing, n.promote, n.relegate);
                }
            }
        }
        return Ok(exit::DONE);
    }
    if let Some(list) = read_list(file, &[])? {
        match command {
            SpecCommand::Explain { .. } if json => println!("{}", serde_json::to_string_pretty(&list)?),
            SpecCommand::Explain { .. } => print!("{}", spec::explain_list(&list)),
            SpecCommand::Check { .. } => println!("{}: a list of {}", list.name, list.events.join(", ")),
        }
        return Ok(exit::DONE);
    }
    let (_, spec) = crate::operator::read_spec(file, &[])?;
    match command {
        SpecCommand::Explain { .. } if json => println!("{}", serde_json::to_string_pretty(&spec)?),
        SpecCommand::Explain { .. } => print!("{}", spec::explain(&spec)),
        SpecCommand::Check { .. } => {
            check_book_of(&spec, file.parent().unwrap_or_else(|| Path::new("")))?;
            let games = games(&spec);
            let engines = spec.engines.len();
            if json {
                println!("{}", json!({ "name": spec.name, "engines": engines, "games": games }));
            } else {
                println!("{}: {engines} engines, {games} games", spec.name);
            }
        }
    }
    Ok(exit::DONE)
}

/// `chess`, `chess960` or `chinese-checkers`.
pub(crate) fn game_kind(word: &str) -> Result<GameKind, Usage> {
    match word {
        "chess" => Ok(GameKind::Chess),
        "chess960" => Ok(GameKind::Chess960),
        "chinese-checkers" => Ok(GameKind::ChineseCheckers),
        other => Err(Usage(format!("unknown game `{other}`; expected `chess`, `chess960` or `chinese-checkers`"))),
    }
}

pub(crate) fn book(command: &BookCommand, json: bool) -> Outcome {
    let BookCommand::Check { file, game } = command;
    let kind = game_kind(game)?;
    let bytes = read_book(file)?;
    let name = file.display().to_string();
    let is_schedule = name.ends_with(".jsonl") || bytes.trim_ascii_start().starts_with(b"{");
    let (book, warnings) = Book::parse(&name, bytes, kind, &BookOptions::default()).map_err(|errors| {
        let hint = "\na position schedule of Chinese checkers is looked at by `rookery schedule check FILE`";
        Usage(format!("{}{}", errors.to_string().trim_end(), if is_schedule { hint } else { "" }))
    })?;
    if json {
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        println!("{}", json!({ "book": name, "openings": book.len(), "warnings": warnings }));
        return Ok(exit::DONE);
    }
    for warning in &warnings {
        tell!("warning: {warning}");
    }
    println!("{name}: {} opening{}", book.len(), if book.len() == 1 { "" } else { "s" });
    Ok(exit::DONE)
}

pub(crate) fn engine(command: &EngineCommand, json: bool) -> Outcome {
    let EngineCommand::Check { protocol, command } = command;
    let Some((program, args)) = command.split_first() else {
        return Err(Usage("no program to check".to_owned()).into());
    };
    let catalogue = rookery_worker::catalogue::Catalogue::of_paths();
    let setup = rookery_game::setup::EngineSetup {
        name: program.clone(),
        program: program.clone(),
        ..rookery_game::setup::EngineSetup::default()
    };
    let found = catalogue.program(&setup)?;
    let launch = rookery_worker::engine::Launch {
        program: found.path,
        args: args.iter().map(Into::into).collect(),
        env: Vec::new(),
        directory: PathBuf::new(),
        prefix: Vec::new(),
        memory: None,
    };
    let limits = rookery_game::setup::Limits { start: Duration::from_secs(60), ..Default::default() };
    let waiting = crate::serve::waiting_for(program, limits.start);
    let report = crate::progress::while_waiting(&waiting, || rookery_worker::engine::check(&launch, protocol, &limits));
    if json {
        let steps = report.steps.iter().map(|step| {
            json!({ "step": step.name, "verdict": verdict(step.verdict), "detail": step.detail,
                "ms": step.took.as_secs_f64() * 1000.0 })
        });
        println!(
            "{:#}",
            json!({ "digest": found.digest, "passed": report.passed(), "name": report.id_name,
            "author": report.id_author, "options": report.options, "warnings": report.warnings,
            "stderr": report.stderr, "steps": steps.collect::<Vec<_>>() })
        );
    } else {
        print!("{}", report_text(&report));
        println!("digest {}", found.digest);
    }
    Ok(if report.passed() { exit::DONE } else { exit::FAILED })
}

const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Odd => "odd",
        Verdict::Bad => "bad",
    }
}

fn report_text(report: &Report) -> String {
    let mut text = match (report.id_name.as_str(), report.id_author.as_str()) {
        ("", _) => String::new(),
        (name, "") => format!("{name}\n"),
        (name, author) => format!("{name} by {author}\n"),
    };
    let mut steps = Table::new([("step", Align::Left), ("", Align::Left), ("ms", Align::Right), ("", Align::Left)]);
    for step in &report.steps {
        let ms = format!("{:.1}", step.took.as_secs_f64() * 1000.0);
        steps.row([step.name, verdict(step.verdict), &ms, &step.detail]);
    }
    text.push_str(&steps.render());
    let mut options = Table::new([("option", Align::Left), ("kind", Align::Left), ("default", Align::Left)]);
    for option in &report.options {
        options.row(option);
    }
    if !report.options.is_empty() {
        text.push_str(&options.render());
    }
    for (warning, count) in &report.warnings {
        text.push_str(&format!("warning: {warning} ({count}×)\n"));
    }
    if !report.passed() {
        for line in report.transcript.iter().chain(&report.stderr) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}
