//! `rookery schedule`: position schedules of Chinese checkers, made and checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
};

use rookery_game::{
    GameKind,
    chinese_checkers::{
        Position, Profile, Rules, judge,
        schedule::{Row, is_clean_slot},
    },
    opening::{Book, BookOptions},
    setup::GameRules,
};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{
    args::{ScheduleCommand, ScheduleMakeArgs, ToCome},
    ccp_engine::search::{Ends, Limits, Settings, answer, mix},
    exit::{self, Outcome, Usage},
};

/// Plies after which a game is left for a row.
const EXITS: [u32; 5] = [4, 8, 12, 16, 24];
/// Who plays to an exit: names and players.
const SOURCES: [(Bot, Bot); 6] = [
    (Bot::Random, Bot::Random),
    (Bot::Greedy, Bot::Mixed),
    (Bot::Mixed, Bot::Deep),
    (Bot::Random, Bot::Greedy),
    (Bot::Deep, Bot::Mixed),
    (Bot::Mixed, Bot::Mixed),
];
/// Games that are tried for one row before a schedule is given up as too large.
const TRIES: u64 = 1_000;
/// More rows than any schedule has.
const MAX_ROWS: usize = 100_000;

/// A player of opening moves.
#[derive(Debug, Clone, Copy)]
enum Bot {
    Random,
    Greedy,
    Mixed,
    Deep,
}

impl Bot {
    const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Mixed => "search-1-noise",
            Self::Deep => "search-2",
        }
    }

    fn choose(self, position: &Position, history: &[Position], seed: u64) -> Option<Ends> {
        let (depth, noise) = match self {
            Self::Random => {
                let count = u64::from(position.legal_count()).max(1);
                return position.moves().nth(usize::try_from(mix(seed ^ position.key()) % count).ok()?);
            }
            Self::Greedy => (1, 4),
            Self::Mixed => (1, 40),
            Self::Deep => (2, 8),
        };
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        answer(position, history, limits, Settings { noise, seed }).line.first().copied()
    }
}

/// Makes or checks a schedule.
pub(crate) fn run(command: &ScheduleCommand, json: bool) -> Outcome {
    match command {
        ScheduleCommand::Make(args) => make(args, json),
        ScheduleCommand::Check { file, rules, max_plies } => {
            let profile = Profile::named(rules).ok_or_else(|| {
                let names = Profile::ALL.map(Profile::as_str).join("` or `");
                Usage(format!("unknown rules `{rules}`; expected `{names}`"))
            })?;
            check(file, Rules { profile, max_ply: *max_plies }, json)
        }
    }
}

/// More than one word, the first of which is no command.
pub(crate) fn no_command(asked: &ToCome) -> Box<dyn std::error::Error> {
    let (word, rest) = (&asked.event, asked.beyond.join(" "));
    let text = match rookery_tournament::spec::nearest(word, ["make", "check"]) {
        Some(near) => format!("unknown command `{word}`; did you mean `rookery schedule {near} {rest}`?"),
        None => format!("`{word} {rest}`: expected one event, or `make` or `check`; a name with blanks goes in quotes"),
    };
    Usage(text).into()
}

fn make(args: &ScheduleMakeArgs, json: bool) -> Outcome {
    if args.rows == 0 || args.rows > MAX_ROWS {
        return Err(Usage(format!("{} rows; expected 1 to {MAX_ROWS}", args.rows)).into());
    }
    if let Some(path) = args.output.as_ref().filter(|path| path.exists() && !args.force) {
        let words = "is there already; expected another name, or --force to write over it";
        return Err(Usage(format!("{} {words}", path.display())).into());
    }
    let rows = rows(&args.suite, args.rows, args.seed).map_err(Usage)?;
    let mut text = String::new();
    for row in &rows {
        text.push_str(&serde_json::to_string(row)?);
        text.push('\n');
    }
    match &args.output {
        Some(path) => {
            crate::run::write_whole(path, text.as_bytes())?;
            check(path, Rules::default(), json)
        }
        None => {
            std::io::stdout().lock().write_all(text.as_bytes())?;
            Ok(exit::DONE)
        }
    }
}

/// The rows of a schedule, the same for the same seed.
fn rows(suite: &str, count: usize, seed: u64) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut seen: BTreeSet<(String, u64)> = BTreeSet::new();
    let (mut clean, mut exits, mut tried) = (0, 0_usize, 0);
    for slot in 0..count {
        let mut row = if is_clean_slot(slot, clean) {
            clean += 1;
            let source = json!({ "family": "initial", "reason": "clean_start_floor", "repeat": clean - 1 });
            Row { source, ..Row::of(&Position::START, 0, Vec::new()) }
        } else {
            let row = (0..TRIES).find_map(|_| {
                tried += 1;
                let row = exit_row(exits, mix(seed).wrapping_add(tried))?;
                // The same cells with the same side to move are one position.
                seen.insert((row.cells.clone(), row.player)).then_some(row)
            });
            exits += 1;
            row.ok_or_else(|| format!("no more positions after {} rows; expected fewer rows", rows.len()))?
        };
        suite.clone_into(&mut row.suite);
        row.id = format!("{suite}_{slot:04}");
        rows.push(row);
    }
    Ok(rows)
}

/// The position after an exit's plies; `None` where the rules had ended the game.
fn exit_row(number: usize, seed: u64) -> Option<Row> {
    let depth = EXITS[number % EXITS.len()];
    let bots = SOURCES[number / EXITS.len() % SOURCES.len()];
    let (mut position, mut history, mut before) = (Position::START, Vec::new(), Vec::new());
    for ply in 0..depth {
        let bot = if ply % 2 == 0 { bots.0 } else { bots.1 };
        let (from, to) = bot.choose(&position, &before, seed)?;
        before.push(position);
        position = position.after(from, to);
        history.push((from, to));
        if judge(&position, Rules::default(), ply + 1, 1).is_some() {
            return None;
        }
    }
    let source =
        json!({ "family": "bot", "p0": bots.0.name(), "p1": bots.1.name(), "depth": depth, "seed": seed >> 12 });
    Some(Row { source, ..Row::of(&position, depth, history) })
}

fn check(file: &Path, rules: Rules, json: bool) -> Outcome {
    let bytes = crate::check::read_book(file)?;
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    let name = file.display().to_string();
    let options = BookOptions { rules: GameRules { chinese_checkers: rules }, ..BookOptions::default() };
    let (book, _) = Book::parse(&name, bytes, GameKind::ChineseCheckers, &options)
        .map_err(|errors| Usage(errors.to_string().trim_end().to_owned()))?;
    let mut plies: BTreeMap<String, usize> = BTreeMap::new();
    for opening in (0..book.len()).filter_map(|index| book.get(index)) {
        let ply = opening.start.position.rsplit(' ').next().unwrap_or_default().to_owned();
        *plies.entry(ply).or_default() += 1;
    }
    let (rows, games) = (book.len(), 2 * book.len());
    if json {
        println!(
            "{}",
            json!({ "schedule": name, "rows": rows, "games": games, "plies": plies, "digest": format!("sha256:{digest}") })
        );
        return Ok(exit::DONE);
    }
    let mut by_ply: Vec<(u64, usize)> =
        plies.iter().map(|(ply, count)| (ply.parse().unwrap_or(u64::MAX), *count)).collect();
    by_ply.sort_unstable();
    let by_ply: Vec<String> = by_ply.iter().map(|(ply, count)| format!("{count} at ply {ply}")).collect();
    println!("{name}: {rows} rows ({}): pairs = {rows}, {games} games for two engines", by_ply.join(", "));
    println!("digest sha256:{digest}");
    Ok(exit::DONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_sound_and_the_same_for_its_seed() {
        let made = rows("own", 128, 7).unwrap();
        let clean: Vec<usize> = (0..128).filter(|&slot| made[slot].ply == 0).collect();
        let expected: Vec<usize> = (0..25).map(|n| 2 + 5 * n).chain([127]).collect();
        assert_eq!(clean, expected);
        let text: String = made.iter().map(|row| serde_json::to_string(row).unwrap() + "\n").collect();
        let book = Book::parse("own", text.into_bytes(), GameKind::ChineseCheckers, &BookOptions::default());
        assert_eq!(book.unwrap().0.len(), 128);
        for depth in EXITS {
            assert!(made.iter().filter(|row| row.ply == u64::from(depth)).count() >= 20, "{depth}");
        }
        assert_eq!(made, rows("own", 128, 7).unwrap());
        assert_ne!(made, rows("own", 128, 8).unwrap());
        // The first rows are those of a shorter schedule.
        assert_eq!(made[..16], rows("own", 16, 7).unwrap());
    }
}
