//! `GameService`: games on record and in play.

use std::pin::Pin;

use rookery_game::{
    GameKind, GameRecord, GameResult,
    pgn::{self, PgnOptions},
};
use rookery_proto::v1::{self, game_service_server::GameService};
use rookery_tournament::{GameId, fact::Location};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tonic::{Request, Response, Status};

use super::{
    check,
    export::{self, Form},
    follow,
    handle::Handle,
    last_lines, limits, record,
    status::{archive_status, expect_answer, mismatch},
};
use crate::{
    core::{self, Answer},
    wire,
};

pub(super) struct Games {
    handle: Handle,
}

type Boxed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Games {
    pub(super) const fn new(handle: Handle) -> Self {
        Self { handle }
    }

    async fn changed(&self, request: core::Request) -> Result<v1::GameSummary, Status> {
        expect_answer!(self.handle.answer(request).await?, Answer::Game(summary, ..) => *summary)
    }

    async fn record(&self, summary: &v1::GameSummary, location: Location) -> Result<GameRecord, Status> {
        let line = self.handle.inner.archive.read(location).await.map_err(|error| archive_status(&error))?;
        serde_json::from_slice(&line).map_err(|error| {
            Status::data_loss(format!("the record of {} in the archive is damaged: {error}", summary.name))
        })
    }
}

fn both(event: &str, game: &str) -> Result<(), Status> {
    check::name("event", event)?;
    check::name("game", game)
}

#[tonic::async_trait]
impl GameService for Games {
    type ExportGamesStream = Boxed<v1::ExportGamesResponse>;
    type WatchGameStream = Boxed<v1::WatchGameResponse>;

    async fn list_games(
        &self,
        request: Request<v1::ListGamesRequest>,
    ) -> Result<Response<v1::ListGamesResponse>, Status> {
        let v1::ListGamesRequest { event, phase, engine, page_size, page_token } = request.into_inner();
        check::name("event", &event)?;
        check::bounded("engine", &engine, limits::NAME)?;
        check::bounded("page_token", &page_token, limits::NAME)?;
        let after: Option<GameId> = match page_token.as_str() {
            "" => None,
            token => Some(token.parse().map_err(|_| Status::invalid_argument("`page_token` is not of an answer"))?),
        };
        let phase = match v1::GamePhase::try_from(phase) {
            Ok(v1::GamePhase::Unspecified) => None,
            Ok(phase) => Some(phase),
            Err(_) => return Err(Status::invalid_argument(format!("`phase` {phase} is unknown"))),
        };
        let limit = if page_size == 0 { limits::PAGE } else { (page_size as usize).min(limits::PAGE) };
        let engine = (!engine.is_empty()).then_some(engine);
        let answer = self.handle.answer(core::Request::Games { event, after, limit, phase, engine }).await?;
        let (games, next) = expect_answer!(answer, Answer::Games(games, next) => (games, next))?;
        let next_page_token = next.map(|id| id.to_string()).unwrap_or_default();
        Ok(Response::new(v1::ListGamesResponse { games, next_page_token }))
    }

    async fn get_schedule(
        &self,
        request: Request<v1::GetScheduleRequest>,
    ) -> Result<Response<v1::GetScheduleResponse>, Status> {
        let v1::GetScheduleRequest { event, engine, page_size, page_token } = request.into_inner();
        check::bounded("event", &event, limits::NAME)?;
        check::bounded("engine", &engine, limits::NAME)?;
        check::bounded("page_token", &page_token, limits::NAME)?;
        let numbers = |token: &str| token.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        let behind = match page_token.as_str() {
            "" => None,
            token => Some(numbers(token).ok_or_else(|| Status::invalid_argument("`page_token` is not of an answer"))?),
        };
        let limit = if page_size == 0 { limits::PAGE } else { (page_size as usize).min(limits::PAGE) };
        let engine = (!engine.is_empty()).then_some(engine);
        let answer = self.handle.answer(core::Request::Schedule { event, behind, limit, engine }).await?;
        let (mut response, next) = expect_answer!(answer, Answer::Schedule(response, next) => (*response, next))?;
        response.next_page_token = next.map(|(order, waiting)| format!("{order}-{waiting}")).unwrap_or_default();
        Ok(Response::new(response))
    }

    async fn get_game(&self, request: Request<v1::GetGameRequest>) -> Result<Response<v1::GetGameResponse>, Status> {
        let v1::GetGameRequest { event, game } = request.into_inner();
        both(&event, &game)?;
        let answer = self.handle.answer(core::Request::Game { event, game }).await?;
        let Answer::Game(summary, location, in_play) = answer else { return Err(mismatch()) };
        let response = match location {
            Some(location) => {
                let mut found = self.record(&summary, location).await?;
                if let Some(outcome) = summary.outcome.as_ref().filter(|o| o.ending() == v1::Ending::Ruling)
                    && let Ok(ruled) = wire::read_outcome(outcome)
                {
                    record::rule(&mut found, ruled.result);
                }
                let pgn = pgn::write(&found, &PgnOptions::default());
                let record = wire::record(found, summary.id.clone());
                v1::GetGameResponse { summary: Some(*summary), record: Some(record), pgn }
            }
            None => {
                let pgn = pgn::write(&record::running(&summary, *in_play), &PgnOptions::default());
                v1::GetGameResponse { summary: Some(*summary), record: None, pgn }
            }
        };
        Ok(Response::new(response))
    }

    async fn export_games(
        &self,
        request: Request<v1::ExportGamesRequest>,
    ) -> Result<Response<Self::ExportGamesStream>, Status> {
        let v1::ExportGamesRequest { event, format, all, minimal, list } = request.into_inner();
        if !list.is_empty() {
            check::bounded("list", &list, limits::NAME)?;
            let form = Form::Pgn { minimal };
            if !event.is_empty() || !matches!(format, 0 | 1) {
                return Err(Status::invalid_argument("a list is exported as PGN, and without an event"));
            }
            let pieces = export::start_list(&self.handle, list, form).await?;
            return Ok(Response::new(Box::pin(ReceiverStream::new(pieces))));
        }
        check::name("event", &event)?;
        let form = match v1::ExportFormat::try_from(format) {
            Ok(v1::ExportFormat::Unspecified | v1::ExportFormat::Pgn) => Form::Pgn { minimal },
            Ok(v1::ExportFormat::Jsonl) => Form::JsonLines,
            Ok(v1::ExportFormat::CcpLog) => Form::CcpLog,
            Err(_) => return Err(Status::invalid_argument(format!("`format` {format} is unknown"))),
        };
        if form == Form::CcpLog {
            let answer = self.handle.answer(core::Request::Event(event.clone())).await?;
            let Answer::Event(_, spec) = answer else { return Err(mismatch()) };
            if spec.event.game != GameKind::ChineseCheckers {
                let why = format!("format `ccp-log` is of Chinese checkers, which `{event}` does not play");
                return Err(Status::invalid_argument(format!("{why}; expected pgn or jsonl")));
            }
        }
        let pieces = export::start(&self.handle, event, all, form).await?;
        Ok(Response::new(Box::pin(ReceiverStream::new(pieces))))
    }

    async fn explain_game(
        &self,
        request: Request<v1::ExplainGameRequest>,
    ) -> Result<Response<v1::ExplainGameResponse>, Status> {
        let v1::ExplainGameRequest { event, game, transcript } = request.into_inner();
        both(&event, &game)?;
        let answer = self.handle.answer(core::Request::Explain { event, game }).await?;
        let Answer::Explained(explained, mut lines) = answer else { return Err(mismatch()) };
        let core::Explained { summary, story, location, mut interrupted } = *explained;
        let (mut transcripts, mut started_unix_ms) = (Vec::new(), 0);
        if let Some(location) = location {
            // What was decided of it when it was broken off is in its record, whoever leads now.
            match self.record(&summary, location).await {
                Ok(record) => {
                    lines = story.lines(&record.interrupted, Some(&record));
                    started_unix_ms = record.started_unix_ms;
                    (transcripts, interrupted) = (record.transcripts, record.interrupted);
                }
                Err(status) => lines.push(format!("its record cannot be read now: {}", status.message())),
            }
        }
        if transcript {
            let before = interrupted.iter().any(|attempt| !attempt.transcripts.is_empty());
            lines.extend(last_lines::missing(&summary, !transcripts.is_empty(), before));
        } else {
            transcripts.clear();
            interrupted.iter_mut().for_each(|attempt| attempt.transcripts.clear());
        }
        Ok(Response::new(v1::ExplainGameResponse {
            summary: Some(summary),
            lines,
            transcripts: transcripts.into_iter().map(wire::transcript).collect(),
            interrupted: interrupted.into_iter().map(wire::interrupted).collect(),
            started_unix_ms,
        }))
    }

    async fn watch_game(
        &self,
        request: Request<v1::WatchGameRequest>,
    ) -> Result<Response<Self::WatchGameStream>, Status> {
        let v1::WatchGameRequest { event, game } = request.into_inner();
        both(&event, &game)?;
        let told = follow::start(&self.handle, event, game).await?;
        Ok(Response::new(Box::pin(ReceiverStream::new(told).map(|told| told))))
    }

    async fn replay_game(
        &self,
        request: Request<v1::ReplayGameRequest>,
    ) -> Result<Response<v1::ReplayGameResponse>, Status> {
        let v1::ReplayGameRequest { event, game, change } = request.into_inner();
        both(&event, &game)?;
        let request = core::Request::Replay { event, game, change: check::ruling(change)? };
        Ok(Response::new(v1::ReplayGameResponse { summary: Some(self.changed(request).await?) }))
    }

    async fn void_game(&self, request: Request<v1::VoidGameRequest>) -> Result<Response<v1::VoidGameResponse>, Status> {
        let v1::VoidGameRequest { event, game, change } = request.into_inner();
        both(&event, &game)?;
        let request = core::Request::Void { event, game, change: check::ruling(change)? };
        Ok(Response::new(v1::VoidGameResponse { summary: Some(self.changed(request).await?) }))
    }

    async fn rule_game(&self, request: Request<v1::RuleGameRequest>) -> Result<Response<v1::RuleGameResponse>, Status> {
        let v1::RuleGameRequest { event, game, result, change } = request.into_inner();
        both(&event, &game)?;
        let result = match v1::GameResult::try_from(result) {
            Ok(v1::GameResult::FirstWins) => GameResult::FirstWins,
            Ok(v1::GameResult::SecondWins) => GameResult::SecondWins,
            Ok(v1::GameResult::Draw) => GameResult::Draw,
            Ok(v1::GameResult::Unspecified) | Err(_) => {
                return Err(Status::invalid_argument("`result` must be a win of either side or a draw"));
            }
        };
        let request = core::Request::Rule { event, game, result, change: check::ruling(change)? };
        Ok(Response::new(v1::RuleGameResponse { summary: Some(self.changed(request).await?) }))
    }
}
