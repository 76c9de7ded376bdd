//! `games.pgn` and `unfinished.pgn`: views of what is recorded, and of what was in play; of Chinese checkers the same as
//! `.jsonl`, the public log; and of a ladder its state, as other programs keep it.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use rookery_game::{
    GameKind, GameRecord,
    chinese_checkers::log,
    pgn::{self, PgnOptions},
};
use rookery_proto::v1;
use rookery_tournament::spec::{EventSpec, FormatSpec};

use super::folder::{Folder, write_whole};
use crate::client::{Client, failed};

/// How often the view is written anew during a run, at most; and never more than this share of the time is spent on it.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const SHARE: u32 = 50;

/// Writes the views.
pub(super) struct Views {
    event: String,
    kind: GameKind,
    games: std::path::PathBuf,
    unfinished: std::path::PathBuf,
    /// Where the state of a ladder goes.
    ladder: Option<std::path::PathBuf>,
    written: u64,
    next: Instant,
}

impl Views {
    pub(super) fn new(event: &str, spec: &EventSpec, folder: &Folder) -> Self {
        let kind = spec.game;
        let is_ladder = matches!(spec.format, FormatSpec::Ladder { .. });
        Self {
            ladder: is_ladder.then(|| folder.ladder_state()),
            event: event.to_owned(),
            kind,
            games: folder.games(kind),
            unfinished: folder.unfinished(kind),
            written: 0,
            next: Instant::now() + LOOK_EVERY,
        }
    }

    /// Writes `games.pgn` anew where games came and it is time.
    pub(super) async fn look(
        &mut self,
        client: &mut Client,
        event: &v1::EventSummary,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let now = Instant::now();
        if event.games_done == self.written || now < self.next {
            return Ok(());
        }
        self.written = event.games_done;
        self.write_games(client).await?;
        self.next = Instant::now() + LOOK_EVERY.max(now.elapsed() * SHARE);
        Ok(())
    }

    /// Writes both for the last time; `unfinished` are the games that were in play.
    pub(super) async fn finish(
        &mut self,
        client: &mut Client,
        unfinished: &[GameRecord],
    ) -> Result<(), Box<dyn std::error::Error>> {
        self.write_games(client).await?;
        write_unfinished(self.kind, unfinished.iter(), &self.unfinished)?;
        Ok(())
    }

    async fn write_games(&self, client: &mut Client) -> Result<(), Box<dyn std::error::Error>> {
        export(client, &self.event, self.kind, &self.games).await?;
        let Some(path) = &self.ladder else { return Ok(()) };
        let request = v1::ExportLadderRequest { event: self.event.clone() };
        match client.seasons.export_ladder(request).await {
            Ok(answer) => write_whole(path, answer.into_inner().state.as_bytes())?,
            // What was ruled may be more than such a file can say.
            Err(status) => tracing::warn!("{} is not written: {}", path.display(), status.message()),
        }
        Ok(())
    }
}

/// Writes games that were in play; none where there are none, but for what an earlier run left.
pub(super) fn write_unfinished<'g>(
    kind: GameKind,
    games: impl Iterator<Item = &'g GameRecord>,
    path: &std::path::Path,
) -> std::io::Result<()> {
    let text: String = match kind {
        GameKind::ChineseCheckers => games.map(log::write).collect(),
        _ => games.map(|game| pgn::write(game, &PgnOptions::default())).collect::<Vec<_>>().join("\n"),
    };
    if !text.is_empty() || path.exists() { write_whole(path, text.as_bytes()) } else { Ok(()) }
}

/// Writes an event's games into a file, which appears whole.
pub(super) async fn export(
    client: &mut Client,
    event: &str,
    kind: GameKind,
    games: &std::path::Path,
) -> Result<(), Box<dyn std::error::Error>> {
    let request = v1::ExportGamesRequest {
        event: event.to_owned(),
        format: match kind {
            GameKind::ChineseCheckers => v1::ExportFormat::CcpLog,
            _ => v1::ExportFormat::Pgn,
        }
        .into(),
        all: false,
        minimal: false,
        list: String::new(),
    };
    let mut stream = client.games.export_games(request).await.map_err(failed)?.into_inner();
    let part = games.with_extension("part");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&part)?);
    while let Some(piece) = stream.message().await.map_err(failed)? {
        file.write_all(&piece.content)?;
    }
    file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    std::fs::rename(part, games)?;
    Ok(())
}
