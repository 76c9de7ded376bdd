//! Games as PGN, JSONL or a log of CCP, in pieces, in starting order.

use futures::{StreamExt, TryStreamExt, stream};
use rookery_game::{
    GameRecord,
    chinese_checkers::log,
    pgn::{self, PgnOptions},
};
use rookery_proto::v1;
use rookery_tournament::GameId;
use tokio::sync::mpsc;
use tonic::Status;

use super::{
    handle::Handle,
    limits, record,
    status::{archive_status, expect_answer},
};
use crate::core::{Answer, Place, Request};

type Piece = Result<v1::ExportGamesResponse, Status>;

/// A form of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Pgn { minimal: bool },
    JsonLines,
    CcpLog,
}

/// Starts an export; what it finds comes from the channel. It reads ahead a little, and stops when nobody listens.
pub(super) async fn start(
    handle: &Handle,
    event: String,
    all: bool,
    form: Form,
) -> Result<mpsc::Receiver<Piece>, Status> {
    let answer = handle.answer(Request::Locations { event, all }).await?;
    let places = expect_answer!(answer, Answer::Locations(places) => places)?;
    let (sender, pieces) = mpsc::channel(limits::EXPORT_QUEUE);
    let handle = handle.clone();
    tokio::spawn(async move {
        // The client may be gone.
        let _ = run(&handle, places, form, &sender).await;
    });
    Ok(pieces)
}

/// The same of a list: the games of all its events, then the files that were brought in.
pub(super) async fn start_list(handle: &Handle, list: String, form: Form) -> Result<mpsc::Receiver<Piece>, Status> {
    let answer = handle.answer(Request::ListLocations(list)).await?;
    let (places, files) = expect_answer!(answer, Answer::ListLocations(places, files) => (places, files))?;
    let (sender, pieces) = mpsc::channel(limits::EXPORT_QUEUE);
    let handle = handle.clone();
    tokio::spawn(async move {
        if run(&handle, places, form, &sender).await.is_err() {
            return;
        }
        for file in files {
            let text = match handle.inner.archive.get_file(file).await {
                Ok(text) => text,
                Err(error) => {
                    // The client may be gone.
                    let _ = sender.send(Err(archive_status(&error))).await;
                    return;
                }
            };
            // A file need not end with a line's end.
            let lines = std::iter::once(&b"\n"[..]).chain(text.chunks(limits::PIECE)).chain([&b"\n"[..]]);
            for content in lines {
                if sender.send(Ok(piece(content.to_vec()))).await.is_err() {
                    return;
                }
            }
        }
    });
    Ok(pieces)
}

/// Nobody listens, or what was read was damaged and said so.
struct Ended;

async fn run(handle: &Handle, places: Vec<Place>, form: Form, sender: &mpsc::Sender<Piece>) -> Result<(), Ended> {
    let games = stream::iter(places).map(|place| read(handle.clone(), place, form));
    let mut games = games.buffered(limits::EXPORT_READS);
    let mut gathered = Vec::new();
    loop {
        match games.try_next().await {
            Ok(Some(text)) => gathered.extend_from_slice(text.as_bytes()),
            Ok(None) => break,
            Err(status) => {
                // The client may be gone.
                let _ = sender.send(Err(status)).await;
                return Err(Ended);
            }
        }
        while gathered.len() >= limits::PIECE {
            let rest = gathered.split_off(limits::PIECE);
            if sender.send(Ok(piece(std::mem::replace(&mut gathered, rest)))).await.is_err() {
                return Err(Ended);
            }
        }
    }
    if !gathered.is_empty() {
        // The client may be gone.
        let _ = sender.send(Ok(piece(gathered))).await;
    }
    Ok(())
}

async fn read(handle: Handle, place: Place, form: Form) -> Result<String, Status> {
    let Place { game, location, mark, ruled } = place;
    let line = handle.inner.archive.read(location).await.map_err(|error| archive_status(&error))?;
    let mut record = parse(&game, &line)?;
    if let Some(ruled) = ruled {
        record::rule(&mut record, ruled);
    }
    write(record, mark, form)
}

fn piece(content: Vec<u8>) -> v1::ExportGamesResponse {
    v1::ExportGamesResponse { content }
}

/// One record in the form asked for, marked where it does not count.
fn write(mut record: GameRecord, mark: &str, form: Form) -> Result<String, Status> {
    if !mark.is_empty() {
        record.setup.tags.insert("Counted".to_owned(), format!("no: {mark}"));
    }
    match form {
        Form::Pgn { minimal } => {
            Ok(pgn::write(&record, &if minimal { PgnOptions::minimal() } else { PgnOptions::default() }))
        }
        Form::CcpLog => Ok(log::write(&record)),
        Form::JsonLines => {
            let mut text = serde_json::to_string(&record).map_err(|error| Status::internal(error.to_string()))?;
            text.push('\n');
            Ok(text)
        }
    }
}

/// A record from its line in the archive.
fn parse(game: &GameId, line: &[u8]) -> Result<GameRecord, Status> {
    serde_json::from_slice(line)
        .map_err(|error| Status::data_loss(format!("the record of {game} in the archive is damaged: {error}")))
}
