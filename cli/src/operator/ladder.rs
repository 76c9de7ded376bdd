//! `rookery ladder`: states of ladders, as other programs keep them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rookery_proto::v1;
use rookery_tournament::ladder::{self, Preview, State};
use serde_json::json;

use super::{How, apply};
use crate::{
    args::LadderCommand,
    client::{Client, failed},
    exit::{self, Outcome, Usage},
    run::write_whole,
    table::{Align, Table},
};

pub(super) async fn run(
    client: &mut Client,
    command: LadderCommand,
    change: Option<v1::Change>,
    json: bool,
) -> Outcome {
    match command {
        LadderCommand::Export { event, output } => {
            let request = v1::ExportLadderRequest { event };
            let answer = client.seasons.export_ladder(request).await.map_err(failed)?.into_inner();
            match output {
                None => print!("{}", answer.state),
                Some(path) => {
                    keep_another(&path, &answer.state)?;
                    write_whole(&path, answer.state.as_bytes())?;
                }
            }
            Ok(exit::DONE)
        }
        LadderCommand::Import { state: path, spec, dry_run, start_new, paused, set } => {
            let resumed = if start_new { None } else { Some(read(&path)?) };
            if let Some((_, state)) = &resumed {
                // A preview of what is resumed, before anything happens.
                if !json {
                    print!("{}", table(state));
                }
                if state.surviving_engines.len() < 2 {
                    return Err(
                        Usage(format!("{}: the ladder is over; --start-new begins anew", path.display())).into()
                    );
                }
            }
            let ladder = resumed.map(|(text, state)| (text, table_json(&state)));
            let how = How { dry_run, paused, ruling: false, json, ladder };
            let done = apply(client, &spec, &set, how, change).await?;
            if start_new && !dry_run {
                keep(&path)?;
            }
            Ok(done)
        }
    }
}

/// A state file's text, and what it says.
pub(crate) fn read(path: &Path) -> Result<(String, State), Box<dyn std::error::Error>> {
    let text = crate::check::read_text(path)?;
    let shown = path.display();
    let state = ladder::read(&text).map_err(|wrong| {
        let lines: Vec<String> = wrong.iter().map(|line| format!("{shown}: {line}")).collect();
        Usage(lines.join("\nerror: "))
    })?;
    Ok((text, state))
}

/// The standings of a state.
pub(crate) fn table(state: &State) -> String {
    let mut table = Table::new([("place", Align::Right), ("engine", Align::Left), ("", Align::Left)]);
    for line in ladder::preview(state) {
        table.row([line.place.to_string(), line.engine.clone(), word(&line).to_owned()]);
    }
    let games: usize = state.matches.iter().map(|of| of.games.len()).sum();
    let climb = state.current_climb_number;
    format!("{}climb {climb}, {} matches, {games} games\n", table.render(), state.matches.len())
}

fn word(line: &Preview) -> &'static str {
    match (line.survives, line.climbs) {
        (true, true) => "climbs",
        (true, false) => "survives",
        (false, _) => "eliminated",
    }
}

fn table_json(state: &State) -> serde_json::Value {
    let line = |line: Preview| json!({ "place": line.place, "engine": line.engine, "state": word(&line) });
    json!({ "places": ladder::preview(state).into_iter().map(line).collect::<Vec<_>>(),
        "climb": state.current_climb_number, "matches": state.matches.len() })
}

/// Moves a file to `.bak`, or where that is taken to `.bak.1`, `.bak.2`, …
fn keep(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    if !path.exists() {
        return Ok(());
    }
    let named = |end: &str| PathBuf::from(format!("{}.bak{end}", path.display()));
    let mut names = std::iter::once(named("")).chain((1..).map(|number| named(&format!(".{number}"))));
    let Some(free) = names.find(|name| !name.exists()) else { return Ok(()) };
    fs::rename(path, &free)?;
    tell!("{} is kept as {}", path.display(), free.display());
    Ok(())
}

/// Keeps the file that is there, unless it is an earlier state of the same ladder.
fn keep_another(path: &Path, new: &str) -> Result<(), Box<dyn std::error::Error>> {
    let Ok(old) = fs::read_to_string(path) else { return Ok(()) };
    let state = |text: &str| serde_json::from_str::<State>(text).ok();
    let earlier = state(&old).zip(state(new)).is_some_and(|(old, new)| is_earlier(&old, &new));
    if earlier { Ok(()) } else { keep(path) }
}

fn is_earlier(old: &State, new: &State) -> bool {
    let games = |state: &State| -> Vec<_> {
        state.matches.iter().flat_map(|of| of.games.iter().map(|g| (of.match_id, g.clone()))).collect()
    };
    old.tournament_name == new.tournament_name
        && old.initial_rankings == new.initial_rankings
        && games(new).starts_with(&games(old))
}

#[cfg(test)]
mod tests {
    use rookery_tournament::ladder::{GameState, MatchState};

    use super::*;

    fn state(name: &str, results: &[&str]) -> State {
        let game = |(at, result): (usize, &&str)| GameState {
            game_nr: at as u64 + 1,
            result: (*result).to_owned(),
            ..GameState::default()
        };
        let games = results.iter().enumerate().map(game).collect();
        let matches = vec![MatchState { match_id: 1, games, ..MatchState::default() }];
        State { tournament_name: name.to_owned(), matches, ..State::default() }
    }

    #[test]
    fn only_another_ladder_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ladder_state.json");
        let text = |state: &State| serde_json::to_string(state).unwrap();
        fs::write(&path, text(&state("L", &["1-0"]))).unwrap();
        keep_another(&path, &text(&state("L", &["1-0", "0-1"]))).unwrap();
        assert!(path.exists(), "the same, further on");
        keep_another(&path, &text(&state("L", &["0-1"]))).unwrap();
        assert!(!path.exists() && folder.path().join("ladder_state.json.bak").exists());
        fs::write(&path, "anything").unwrap();
        keep_another(&path, &text(&state("L", &[]))).unwrap();
        assert!(folder.path().join("ladder_state.json.bak.1").exists());
    }
}
