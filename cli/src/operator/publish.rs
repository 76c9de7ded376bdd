//! `rookery publish`: a rating list as files, for a web server to hand out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use rookery_game::pgn;
use rookery_proto::v1;
use serde_json::json;

use super::ratings::ratings_json;
use crate::{
    client::{Client, failed},
    exit::Usage,
    run::file_name,
};

/// Bytes read from the games at a time.
const PIECE: usize = 4 << 20;
/// Bytes of one engine's games that are gathered before they are written: there may be more engines than open files.
const GATHERED: usize = 256 << 10;
/// How the name of a file ends that is being written.
const PART: &str = ".part";
/// A file that was begun so long ago is not written any more.
const ABANDONED: Duration = Duration::from_secs(3600);
/// No game is longer.
const LONGEST_GAME: usize = 64 << 20;

/// Writes the list once, or again and again until the program is ended. `every` is what was asked for: `None` means as the
/// list says, `Some(None)` once.
pub(super) async fn run(
    client: &mut Client,
    list: String,
    folder: Option<PathBuf>,
    every: Option<Option<Duration>>,
    json: bool,
) -> Result<(), Box<dyn std::error::Error>> {
    let request = v1::GetListRequest { list: list.clone() };
    let summary = client.lists.get_list(request).await.map_err(failed)?.into_inner().summary.unwrap_or_default();
    let folder = folder.or_else(|| (!summary.publish_to.is_empty()).then(|| PathBuf::from(&summary.publish_to)));
    let Some(folder) = folder else {
        return Err(Usage(format!("where to? `rookery publish {list:?} DIR`, or `publish = {{ to = … }}`")).into());
    };
    let of_list = (summary.publish_every_ms > 0).then(|| Duration::from_millis(summary.publish_every_ms));
    let every = every.unwrap_or(of_list);
    loop {
        match once(client, &list, &folder).await {
            Ok((engines, games)) if json => {
                println!(
                    "{}",
                    json!({ "list": list, "folder": folder.display().to_string(), "engines": engines, "games": games })
                );
            }
            Ok((engines, games)) => println!("{list}: {engines} engines, {games} games in {}/", folder.display()),
            // A coordinator that is away comes back.
            Err(error) if every.is_some() => {
                tell!("error: {}", crate::exit::full(error.as_ref()));
                client.try_another().await;
            }
            Err(error) => return Err(error),
        }
        let Some(every) = every else { return Ok(()) };
        tokio::time::sleep(every).await;
    }
}

/// The files of one writing. Each appears whole or not at all; before that it has a name that no other writing uses, as two
/// may be at it: who led a moment ago, and who leads now.
#[derive(Clone)]
struct Parts {
    tag: String,
}

impl Parts {
    fn new() -> Self {
        Self { tag: uuid::Uuid::new_v4().simple().to_string() }
    }

    fn of(&self, path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}{PART}", self.tag));
        name.into()
    }

    /// A file that is not touched where it would be the same.
    fn put(&self, path: &Path, content: &[u8]) -> std::io::Result<()> {
        if fs::read(path).is_ok_and(|old| old == content) {
            return Ok(());
        }
        let part = self.of(path);
        fs::write(&part, content)?;
        fs::rename(part, path)
    }
}

/// Takes away what writings that broke off have left.
fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let part = entry.file_name().to_string_lossy().ends_with(PART);
        let age = entry.metadata().and_then(|data| data.modified()).ok().and_then(|at| at.elapsed().ok());
        if part && age.is_some_and(|age| age > ABANDONED) {
            // Whoever reads the folder does not look at it; the next writing tries again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Writes all files; how many engines and games.
pub(crate) async fn once(
    client: &mut Client,
    list: &str,
    folder: &Path,
) -> Result<(usize, u64), Box<dyn std::error::Error>> {
    fs::create_dir_all(folder.join("engines"))?;
    sweep(folder);
    sweep(&folder.join("engines"));
    let parts = Parts::new();
    let request = v1::GetRatingsRequest { event: list.to_owned(), ..v1::GetRatingsRequest::default() };
    let ratings = client.seasons.get_ratings(request).await.map_err(failed)?.into_inner();
    let request = v1::GetHeadToHeadRequest { list: list.to_owned() };
    let head_to_head = client.lists.get_head_to_head(request).await.map_err(failed)?.into_inner();

    let part = parts.of(&folder.join("games.pgn"));
    let request = v1::ExportGamesRequest { list: list.to_owned(), ..v1::ExportGamesRequest::default() };
    let mut stream = client.games.export_games(request).await.map_err(failed)?.into_inner();
    let mut file = std::io::BufWriter::new(File::create(&part)?);
    while let Some(piece) = stream.message().await.map_err(failed)? {
        file.write_all(&piece.content)?;
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    let names = files_of(&ratings.ratings);
    let (split, to) = (part.clone(), folder.join("engines"));
    let (wanted, own) = (names.clone(), parts.clone());
    tokio::task::spawn_blocking(move || by_engine(&split, &to, &wanted, &own)).await??;
    fs::rename(part, folder.join("games.pgn"))?;

    parts.put(&folder.join("ratings.txt"), ratings.text.as_bytes())?;
    parts.put(&folder.join("ratings.csv"), ratings.csv.as_bytes())?;
    let mut value = ratings_json(&ratings);
    if let Some(rows) = value["ratings"].as_array_mut() {
        for row in rows {
            let file = row["engine"].as_str().and_then(|engine| names.get(engine)).cloned();
            row["games_file"] = file.map(|file| format!("engines/{file}")).into();
        }
    }
    parts.put(&folder.join("ratings.json"), format!("{value:#}\n").as_bytes())?;
    parts.put(&folder.join("head-to-head.csv"), csv(&head_to_head.rows).as_bytes())?;
    let rows: Vec<_> = head_to_head
        .rows
        .iter()
        .map(|row| {
            json!({ "engine": row.engine, "opponent": row.opponent, "wins": row.wins, "draws": row.draws,
                "losses": row.losses, "points": f64::from(2 * row.wins + row.draws) / 2.0 })
        })
        .collect();
    let value = json!({ "list": head_to_head.list, "rows": rows });
    parts.put(&folder.join("head-to-head.json"), format!("{value:#}\n").as_bytes())?;
    Ok((ratings.ratings.len(), ratings.games))
}

fn csv(rows: &[v1::HeadToHead]) -> String {
    let cell = |text: &str| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line = |row: &v1::HeadToHead| {
        let games = row.wins + row.draws + row.losses;
        let points = f64::from(2 * row.wins + row.draws) / 2.0;
        let (engine, opponent) = (cell(&row.engine), cell(&row.opponent));
        format!("{engine},{opponent},{games},{},{},{},{points:.1}\n", row.wins, row.draws, row.losses)
    };
    let header = "engine,opponent,games,wins,draws,losses,points\n".to_owned();
    header + &rows.iter().map(line).collect::<String>()
}

/// A file's name for each engine; no two share one, whatever case the file system heeds.
fn files_of(ratings: &[v1::Rating]) -> BTreeMap<String, String> {
    let mut taken = BTreeSet::new();
    let mut engines: Vec<&str> = ratings.iter().map(|row| row.engine.as_str()).collect();
    engines.sort_unstable();
    let name = |engine: &str| {
        let base = file_name(engine);
        let names = std::iter::once(base.clone()).chain((2..).map(|number| format!("{base}-{number}")));
        names.map(|name| format!("{name}.pgn")).find(|name| taken.insert(name.to_lowercase()))
    };
    let mut name = name;
    engines.into_iter().filter_map(|engine| Some((engine.to_owned(), name(engine)?))).collect()
}

/// Each engine's games into a file of its own.
fn by_engine(games: &Path, folder: &Path, names: &BTreeMap<String, String>, parts: &Parts) -> std::io::Result<()> {
    let part = |name: &str| parts.of(&folder.join(name));
    for name in names.values() {
        File::create(part(name))?;
    }
    let mut gathered: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
    let append = |name: &str, bytes: &mut Vec<u8>| -> std::io::Result<()> {
        OpenOptions::new().append(true).open(part(name))?.write_all(bytes)?;
        bytes.clear();
        Ok(())
    };
    let mut source = File::open(games)?;
    let (mut buffer, mut filled) = (vec![0; PIECE], 0);
    loop {
        if filled == buffer.len() {
            if buffer.len() >= LONGEST_GAME {
                return Err(std::io::Error::other("a game is longer than 64 MiB"));
            }
            buffer.resize(2 * buffer.len(), 0);
        }
        let read = source.read(&mut buffer[filled..])?;
        filled += read;
        let text = &buffer[..filled];
        let mut all: Vec<pgn::RawGame<'_>> = pgn::headers(text).collect();
        // The end of the last game may not be there yet.
        let used = match all.last() {
            Some(last) if read > 0 => last.offset,
            _ => filled,
        };
        if read > 0 {
            all.pop();
        }
        for game in all {
            for player in ["White", "Black"] {
                let Some(name) = game.tag(player).and_then(|engine| names.get(&engine)) else { continue };
                let bytes = gathered.entry(name).or_default();
                bytes.extend_from_slice(game.header.trim_ascii());
                bytes.extend_from_slice(b"\n\n");
                bytes.extend_from_slice(game.movetext.trim_ascii());
                bytes.extend_from_slice(b"\n\n");
                if bytes.len() > GATHERED {
                    append(name, bytes)?;
                }
            }
        }
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if read == 0 {
            break;
        }
    }
    for (name, bytes) in &mut gathered {
        append(name, bytes)?;
    }
    for name in names.values() {
        fs::rename(part(name), folder.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_has_its_games() {
        let folder = tempfile::tempdir().unwrap();
        let game = |white: &str, black: &str, moves: &str| {
            format!("[Event \"e\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n")
        };
        let text = game("A", "B", "1. e4 e5") + &game("B", "C", "1. d4 d5") + &game("C", "A", "1. c4 c5");
        let games = folder.path().join("games.pgn");
        fs::write(&games, text).unwrap();
        let rating = |engine: &str| v1::Rating { engine: engine.to_owned(), ..v1::Rating::default() };
        let names = files_of(&["A", "B", "C"].map(rating));
        by_engine(&games, folder.path(), &names, &Parts::new()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("A.pgn"), game("A", "B", "1. e4 e5") + &game("C", "A", "1. c4 c5"));
        assert_eq!(read("B.pgn").matches("[Event ").count(), 2);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 4, "no part is left");
    }

    #[test]
    fn what_was_abandoned_is_swept_and_what_is_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let parts = Parts::new();
        let of = |name: &str| parts.of(&folder.path().join(name));
        for (path, hours) in [(of("old"), 2), (of("new"), 0), (folder.path().join("games.pgn"), 2)] {
            let file = File::create(&path).unwrap();
            file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600 * hours)).unwrap();
        }
        sweep(folder.path());
        let there = [of("old"), of("new"), folder.path().join("games.pgn")].map(|path| path.exists());
        assert_eq!(there, [false, true, true]);
    }

    #[test]
    fn names_of_files_differ() {
        let rating = |engine: &str| v1::Rating { engine: engine.to_owned(), ..v1::Rating::default() };
        let names = files_of(&["a b", "A b", "a/b"].map(rating));
        assert_eq!(names.values().map(|name| name.to_lowercase()).collect::<BTreeSet<_>>().len(), 3, "{names:?}");
    }

    #[test]
    fn commas_are_quoted() {
        let row =
            v1::HeadToHead { engine: "A, \"x\"".to_owned(), opponent: "B".to_owned(), wins: 1, draws: 1, losses: 0 };
        assert_eq!(csv(&[row]).lines().nth(1), Some("\"A, \"\"x\"\"\",B,2,1,1,0,1.5"));
    }
}
