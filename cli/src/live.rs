//! `live.pgn` and `live/ROUND.pgn`: the games in play, for tools of web sites.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use futures::FutureExt;
use rookery_proto::v1;
use tonic::Streaming;

use crate::{
    args::OperatorOptions,
    client::{Client, failed},
    run::write_whole,
};

/// How often the files are written anew, at most.
const EVERY: Duration = Duration::from_secs(1);
/// Games to come that are looked at for those in play: they stand among the first.
const LOOK: u32 = 500;
/// Games in play that have files; a fleet that plays more is watched by nobody game by game.
const GAMES: usize = 100;

/// Keeps the games in play of an event in a folder, where one is given, as long as something else goes on; over a connection
/// of its own.
pub(crate) async fn beside<T>(
    options: OperatorOptions,
    event: String,
    folder: Option<PathBuf>,
    work: impl Future<Output = T>,
) -> T {
    let Some(folder) = folder else { return work.await };
    let done = tokio::select! {
        done = work => done,
        never = forever(&options, &event, &folder) => match never {},
    };
    // No game is in play any more.
    if let Err(error) = write(&folder, &[]) {
        tracing::warn!("{}: {error}", folder.display());
    }
    done
}

async fn forever(options: &OperatorOptions, event: &str, folder: &Path) -> Infallible {
    let mut followed = Followed::new();
    loop {
        let Err(error) = connected(options, event, folder, &mut followed).await;
        tracing::warn!("live.pgn is not written now: {}", crate::exit::full(error.as_ref()));
        followed.clear();
        tokio::time::sleep(EVERY).await;
    }
}

async fn connected(
    options: &OperatorOptions,
    event: &str,
    folder: &Path,
    followed: &mut Followed,
) -> Result<Infallible, Box<dyn std::error::Error>> {
    let mut client = Client::connect(options).await?;
    loop {
        once(&mut client, event, folder, followed).await?;
        tokio::time::sleep(EVERY).await;
    }
}

/// Games that are followed, so that their workers tell each ply, by their names.
type Followed = BTreeMap<String, Streaming<v1::WatchGameResponse>>;

async fn once(
    client: &mut Client,
    event: &str,
    folder: &Path,
    followed: &mut Followed,
) -> Result<(), Box<dyn std::error::Error>> {
    let request = v1::GetScheduleRequest { event: event.to_owned(), page_size: LOOK, ..Default::default() };
    let schedule = client.games.get_schedule(request).await.map_err(failed)?.into_inner();
    let summaries = schedule.games.into_iter().filter_map(|game| game.summary);
    let playing: Vec<_> = summaries.filter(|game| game.phase() == v1::GamePhase::Playing).take(GAMES).collect();
    followed.retain(|name, _| playing.iter().any(|game| game.name == *name));
    let mut games = Vec::new();
    for game in playing {
        let request = v1::GetGameRequest { event: event.to_owned(), game: game.name.clone() };
        let answer = client.games.get_game(request).await.map_err(failed)?.into_inner();
        // It may be over by now.
        if answer.record.is_none() {
            games.push((game.round, answer.pgn));
        }
        if let Some(stream) = followed.get_mut(&game.name) {
            // What it says is in the next answer; here it is only kept from filling up.
            while let Some(Ok(Some(_))) = stream.message().now_or_never() {}
        } else {
            let request = v1::WatchGameRequest { event: event.to_owned(), game: game.name.clone() };
            followed.insert(game.name, client.games.watch_game(request).await.map_err(failed)?.into_inner());
        }
    }
    write(folder, &games)?;
    Ok(())
}

/// Each file appears whole, and is not touched where nothing moved; those of games that are over go.
fn write(folder: &Path, games: &[(String, String)]) -> std::io::Result<()> {
    let each = folder.join("live");
    fs::create_dir_all(&each)?;
    let mut names = Vec::new();
    for (round, pgn) in games {
        let name = format!("{}.pgn", crate::run::file_name(round));
        write_whole(&each.join(&name), pgn.as_bytes())?;
        names.push(name);
    }
    for entry in fs::read_dir(&each)? {
        let path = entry?.path();
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if name.ends_with(".pgn") && !names.contains(&name) {
            fs::remove_file(path)?;
        }
    }
    let all: Vec<&str> = games.iter().map(|(_, pgn)| pgn.as_str()).collect();
    write_whole(&folder.join("live.pgn"), all.join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_of_the_games_in_play_alone() {
        let folder = tempfile::tempdir().unwrap();
        let game = |round: &str| (round.to_owned(), format!("[Round \"{round}\"]\n\n1. e4 *\n"));
        write(folder.path(), &[game("1.1"), game("1.2")]).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name));
        assert_eq!(read("live.pgn").unwrap().matches("[Round").count(), 2);
        assert!(read("live/1.1.pgn").unwrap().contains("1. e4 *"));
        write(folder.path(), &[game("1.2")]).unwrap();
        assert!(read("live/1.1.pgn").is_err() && read("live/1.2.pgn").is_ok());
        write(folder.path(), &[]).unwrap();
        assert_eq!(read("live.pgn").unwrap(), "");
    }
}
