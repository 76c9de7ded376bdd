//! `rookery replay`: games of a log under a profile of rules.

use std::path::Path;

use rookery_game::{
    Ending, GameRecord, GameResult,
    chinese_checkers::{
        Profile, Rules,
        log::{self, Game, PathPolicy, Replayed},
    },
};
use serde_json::json;

use crate::{
    args::LogOptions,
    exit::{self, Outcome, Usage},
};

/// Mistakes of a log that are shown.
const SHOWN: usize = 20;

/// How a game ended: the reason, the winner, the absolute ply. No reason: it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct End {
    reason: Option<String>,
    winner: Option<u64>,
    ply: u64,
}

/// Replays all games of a file, and says which would have ended differently.
pub(crate) fn run(file: &Path, args: &LogOptions, json: bool) -> Outcome {
    let profile = match &args.rules {
        None => None,
        Some(name) => Some(Profile::named(name).ok_or_else(|| {
            let names = Profile::ALL.map(Profile::as_str).join("` or `");
            Usage(format!("unknown rules `{name}`; expected `{names}`"))
        })?),
    };
    let games = read(file)?;
    if games.is_empty() {
        let words = "no game in it; expected a log (`rookery export EVENT --format ccp-log`)";
        return Err(Usage(format!("{}: {words}", file.display())).into());
    }
    let policy = if args.lenient { PathPolicy::Lenient } else { PathPolicy::Strict };
    let (mut differ, mut broken) = (0, 0);
    for game in &games {
        let recorded = game.rules();
        let rules =
            Rules { profile: profile.unwrap_or(recorded.profile), max_ply: args.max_plies.unwrap_or(recorded.max_ply) };
        let id = name(game);
        match game.replay(rules, policy) {
            Ok(found) => {
                let (was, is) = (was(game), is(game, &found));
                let same = was == is;
                differ += usize::from(!same);
                if json {
                    println!("{}", line(&id, &was, &is, &found, same));
                } else if !same {
                    println!("{id}: ended by {}; under {}: {}", text(&was), rules.profile.as_str(), text(&is));
                }
                if found.by_ends > 0 && !json {
                    println!("{id}: {} paths that are not legal, taken by their ends", found.by_ends);
                }
            }
            Err(error) => {
                broken += 1;
                if json {
                    println!("{}", json!({ "game": id, "error": error.to_string() }));
                } else {
                    println!("{id}: does not replay: {error}");
                }
            }
        }
    }
    let identical = log::identical(&games);
    if !json {
        for group in &identical {
            let names: Vec<String> = group.iter().map(|&at| name(&games[at])).collect();
            println!("identical games: {}", names.join(", "));
        }
        println!(
            "{}: {} games, {differ} would have ended differently, {broken} do not replay, {} identical to another",
            file.display(),
            games.len(),
            identical.iter().map(Vec::len).sum::<usize>(),
        );
    }
    Ok(if broken > 0 { exit::FAILED } else { exit::DONE })
}

/// A log of CCP, or records as `rookery export --format jsonl` writes them.
fn read(file: &Path) -> Result<Vec<Game>, Box<dyn std::error::Error>> {
    let text = crate::check::read_text(file)?;
    let mut lines = String::with_capacity(text.len());
    for line in text.lines() {
        match serde_json::from_str::<GameRecord>(line) {
            Ok(record) => lines.push_str(&log::write(&record)),
            Err(_) => lines.push_str(line),
        }
        if !lines.ends_with('\n') {
            lines.push('\n');
        }
    }
    log::read(&lines).map_err(|errors| {
        let show = |error: &log::LogError| format!("{}: {error}", file.display());
        let mut shown: Vec<String> = errors.iter().take(SHOWN).map(show).collect();
        if errors.len() > SHOWN {
            shown.push(format!("{}: and more mistakes", file.display()));
        }
        Usage(shown.join("\n")).into()
    })
}

fn name(game: &Game) -> String {
    game.start.game_id.as_str().map_or_else(|| game.start.game_id.to_string(), str::to_owned)
}

fn was(game: &Game) -> End {
    match &game.end {
        Some(end) => End { reason: Some(end.reason.clone()), winner: end.winner, ply: end.plies },
        None => End { reason: None, winner: None, ply: game.start.initial_ply + game.moves.len() as u64 },
    }
}

/// What the rules make of it; where they let it go on, an ending that is not theirs stays what it was.
fn is(game: &Game, found: &Replayed) -> End {
    let ply = u64::from(found.ply);
    let Some((result, ending)) = found.ending else {
        let kept = game.end.as_ref().filter(|end| !by_rules(&end.reason));
        return End { reason: kept.map(|end| end.reason.clone()), winner: kept.and_then(|end| end.winner), ply };
    };
    let winner = match result {
        GameResult::FirstWins => Some(0),
        GameResult::SecondWins => Some(1),
        GameResult::Draw => None,
    };
    End { reason: Some(log::reason(ending)), winner, ply }
}

/// Whether the rules give this ending, and not a fault or a person.
fn by_rules(reason: &str) -> bool {
    [
        Ending::Goal,
        Ending::EqualTurnGoalDraw,
        Ending::AntiBlockGoalFull,
        Ending::Repetition,
        Ending::MaxPly,
        Ending::NoLegalMoves,
    ]
    .into_iter()
    .any(|ending| log::reason(ending) == reason)
}

fn text(end: &End) -> String {
    let winner = end.winner.map_or_else(|| "drawn".to_owned(), |winner| format!("won by player {winner}"));
    match &end.reason {
        Some(reason) => format!("{reason} at ply {}, {winner}", end.ply),
        None => format!("it goes on after ply {}", end.ply),
    }
}

fn line(id: &str, was: &End, is: &End, found: &Replayed, same: bool) -> serde_json::Value {
    let show = |end: &End| json!({ "reason": end.reason, "winner": end.winner, "plies": end.ply });
    json!({ "game": id, "recorded": show(was), "found": show(is), "same": same, "moves_after_end": found.after_end,
        "paths_by_ends": found.by_ends })
}
