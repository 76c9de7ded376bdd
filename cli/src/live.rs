//! `live.pgn` and `live/ROUND.pgn`: the games in play, for tools of web sites.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use futures::{
    StreamExt,
    stream::{BoxStream, SelectAll},
};
use rookery_coordinator::wire;
use rookery_game::{
    GameRecord, GameSetup, Ply,
    pgn::{self, PgnOptions},
    record::EngineIdentity,
};
use rookery_proto::v1;
use tokio::time::sleep_until;

use crate::{
    args::OperatorOptions,
    client::{Client, failed},
    run::write_whole,
};

/// How often the files are written anew, at most.
const EVERY: Duration = Duration::from_secs(1);
/// A game that is over stays, with its result, for so long: whoever looks now and then sees how it ended.
const STAYS: Duration = Duration::from_secs(60);
/// Games to come that are looked at for those in play: they stand among the first.
const LOOK: u32 = 500;
/// Games in play that have files; a fleet that plays more is watched by nobody game by game.
const GAMES: usize = 100;
/// How long the last words of games are waited for, at the end.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// Keeps the games in play of an event in a folder, where one is given, as long as something else goes on; over a connection
/// of its own. At the end those that were over last stay there, whole.
pub(crate) async fn beside<T>(
    options: OperatorOptions,
    event: String,
    folder: Option<PathBuf>,
    work: impl Future<Output = T>,
) -> T {
    let Some(folder) = folder else { return work.await };
    let mut live = Live { options, event, folder, games: BTreeMap::new() };
    let done = tokio::select! {
        done = work => done,
        never = live.forever() => match never {},
    };
    live.end().await;
    done
}

/// One game in play, or that was until just now.
#[derive(Default)]
struct Game {
    summary: v1::GameSummary,
    /// What is played, once that was told.
    setup: Option<GameSetup>,
    plies: Vec<Ply>,
    began_unix_ms: u64,
    /// Once it is over: since when, and as it is on record.
    over: Option<(Instant, String)>,
}

impl Game {
    /// Takes what its stream says. Answers whether it is over.
    fn take(&mut self, told: v1::WatchGameResponse) -> bool {
        let v1::WatchGameResponse { summary, first_ply, plies, setup, began_unix_ms } = told;
        self.setup = setup.and_then(|setup| rookery_worker::wire::setup(setup).ok()).or(self.setup.take());
        self.began_unix_ms = if began_unix_ms > 0 { began_unix_ms } else { self.began_unix_ms };
        if !plies.is_empty() {
            self.plies.truncate(first_ply as usize);
            self.plies.extend(plies.into_iter().map(wire::read_ply));
        }
        self.summary = summary.unwrap_or_default();
        matches!(self.summary.phase(), v1::GamePhase::Finished | v1::GamePhase::Surplus)
    }

    /// As PGN: as it is on record, or as far as it was told, with `*`; `None` before its first ply.
    fn text(&self) -> Option<String> {
        if let Some((_, text)) = &self.over {
            return Some(text.clone());
        }
        let setup = self.setup.clone().filter(|_| !self.plies.is_empty())?;
        let identity = |name: &str| EngineIdentity { name: name.to_owned(), ..EngineIdentity::default() };
        let record = GameRecord {
            event: self.summary.event.clone(),
            name: self.summary.name.clone(),
            setup,
            engines: [identity(&self.summary.first), identity(&self.summary.second)],
            plies: self.plies.clone(),
            outcome: None,
            started_unix_ms: self.began_unix_ms,
            began_unix_ms: 0,
            ended_unix_ms: 0,
            worker: self.summary.worker.clone(),
            notes: Vec::new(),
            transcripts: Vec::new(),
            warnings: BTreeMap::new(),
            restarts: 0,
            nth: 0,
            interrupted: Vec::new(),
        };
        Some(pgn::write(&record, &PgnOptions::default()))
    }
}

/// What a game's stream says, with the game's name; `None` at its end.
type Told = (String, Option<v1::WatchGameResponse>);

struct Live {
    options: OperatorOptions,
    event: String,
    folder: PathBuf,
    /// By name.
    games: BTreeMap<String, Game>,
}

impl Live {
    async fn forever(&mut self) -> Infallible {
        loop {
            let Err(error) = self.connected().await;
            tracing::warn!("live.pgn is not written now: {}", crate::exit::full(error.as_ref()));
            // Their streams are told from the start again.
            self.games.retain(|_, game| game.over.is_some());
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Follows the event, and each game in it that begins, as long as the connection holds.
    async fn connected(&mut self) -> Result<Infallible, Box<dyn std::error::Error>> {
        let mut client = Client::connect(&self.options).await?;
        let request = v1::WatchEventRequest { event: self.event.clone() };
        let mut changes = client.seasons.watch_event(request).await.map_err(failed)?.into_inner();
        let mut told: SelectAll<BoxStream<'static, Told>> = SelectAll::new();
        let (mut look, mut write, mut open, mut next) = (true, true, true, Instant::now());
        loop {
            let leaves =
                self.games.values().filter_map(|game| game.over.as_ref()).map(|(since, _)| *since + STAYS).min();
            let due = if look || write { Some(next) } else { leaves.map(|at| at.max(next)) };
            tokio::select! {
                changed = changes.message(), if open => {
                    open = changed.map_err(failed)?.is_some();
                    look = true;
                }
                Some((name, said)) = told.next() => {
                    write = true;
                    let Some(game) = self.games.get_mut(&name) else { continue };
                    let over = said.map(|said| game.take(said));
                    if over != Some(false) && !self.ended(&mut client, &name).await? {
                        // It came back without a result, and may be followed anew.
                        self.games.remove(&name);
                        look = true;
                    }
                }
                () = sleep_until(due.unwrap_or(next).into()), if due.is_some() => {
                    if std::mem::take(&mut look) {
                        for name in self.begun(&mut client).await? {
                            told.push(follow(&mut client, self.event.clone(), name).await?);
                        }
                    }
                    self.games.retain(|_, game| game.over.as_ref().is_none_or(|(since, _)| since.elapsed() < STAYS));
                    write_files(&self.folder, &self.shown())?;
                    write = false;
                    next = Instant::now() + EVERY;
                }
                else => std::future::pending::<()>().await,
            }
        }
    }

    /// Games that are in some worker's hands and not followed yet.
    async fn begun(&mut self, client: &mut Client) -> Result<Vec<String>, Box<dyn std::error::Error>> {
        let request = v1::GetScheduleRequest { event: self.event.clone(), page_size: LOOK, ..Default::default() };
        let schedule = client.games.get_schedule(request).await.map_err(failed)?.into_inner();
        let in_hand =
            |game: &v1::GameSummary| matches!(game.phase(), v1::GamePhase::Playing | v1::GamePhase::HandedOut);
        let mut begun = Vec::new();
        for game in schedule.games.into_iter().filter_map(|game| game.summary).filter(in_hand) {
            let followed = self.games.values().filter(|game| game.over.is_none()).count();
            if followed >= GAMES {
                break;
            }
            if !self.games.contains_key(&game.name) {
                self.games.insert(game.name.clone(), Game::default());
                begun.push(game.name);
            }
        }
        Ok(begun)
    }

    /// The game as it is on record, where it is over; `false` where it is not.
    async fn ended(&mut self, client: &mut Client, name: &str) -> Result<bool, Box<dyn std::error::Error>> {
        let Some(game) = self.games.get_mut(name) else { return Ok(false) };
        if game.over.is_some() {
            return Ok(true);
        }
        let request = v1::GetGameRequest { event: self.event.clone(), game: name.to_owned() };
        let answer = client.games.get_game(request).await.map_err(failed)?.into_inner();
        if answer.record.is_some() {
            game.over = Some((Instant::now(), answer.pgn));
        }
        Ok(game.over.is_some())
    }

    fn shown(&self) -> Vec<(String, String)> {
        let shown = self.games.values().filter_map(|game| Some((game.summary.round.clone(), game.text()?)));
        shown.collect()
    }

    /// Nothing is in play any more: what is over stays, whole; what was broken off goes.
    async fn end(mut self) {
        let names: Vec<String> = self.games.keys().cloned().collect();
        let last_words = async {
            let mut client = Client::connect(&self.options).await?;
            for name in &names {
                self.ended(&mut client, name).await?;
            }
            Ok::<(), Box<dyn std::error::Error>>(())
        };
        // Of those that could not be asked about in time nothing is shown.
        let _ = tokio::time::timeout(LAST_WORDS, last_words).await;
        self.games.retain(|_, game| game.over.is_some());
        if let Err(error) = write_files(&self.folder, &self.shown()) {
            tracing::warn!("{}: {error}", self.folder.display());
        }
    }
}

/// A game's stream, which says with each answer, and at its end, whose it is.
async fn follow(
    client: &mut Client,
    event: String,
    name: String,
) -> Result<BoxStream<'static, Told>, Box<dyn std::error::Error>> {
    let request = v1::WatchGameRequest { event, game: name.clone() };
    let stream = client.games.watch_game(request).await.map_err(failed)?.into_inner();
    let told = futures::stream::unfold(Some(stream), move |stream| {
        let name = name.clone();
        async move {
            let mut stream = stream?;
            // One that breaks is one that ends: the game is looked for again.
            match stream.message().await {
                Ok(Some(said)) => Some(((name, Some(said)), Some(stream))),
                Ok(None) | Err(_) => Some(((name, None), None)),
            }
        }
    });
    Ok(told.boxed())
}

/// Each file appears whole, and is not touched where nothing moved; those of other games go.
fn write_files(folder: &Path, games: &[(String, String)]) -> std::io::Result<()> {
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
        write_files(folder.path(), &[game("1.1"), game("1.2")]).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name));
        assert_eq!(read("live.pgn").unwrap().matches("[Round").count(), 2);
        assert!(read("live/1.1.pgn").unwrap().contains("1. e4 *"));
        write_files(folder.path(), &[game("1.2")]).unwrap();
        assert!(read("live/1.1.pgn").is_err() && read("live/1.2.pgn").is_ok());
        write_files(folder.path(), &[]).unwrap();
        assert_eq!(read("live.pgn").unwrap(), "");
    }
}
