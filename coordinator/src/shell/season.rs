//! `SeasonService`: specs, events, tables.

use std::pin::Pin;

use rookery_proto::v1::{self, season_service_server::SeasonService};
use rookery_tournament::{
    rating::List,
    season::{Invitation, SeasonFact},
    spec::explain,
};
use tokio::{sync::mpsc, time::sleep};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{Request, Response, Status, Streaming};

use super::{
    check, convert,
    handle::Handle,
    limits,
    status::{expect_answer, mismatch},
    upload,
};
use crate::core::{self, Answer};

pub(super) struct Seasons {
    handle: Handle,
}

impl Seasons {
    pub(super) const fn new(handle: Handle) -> Self {
        Self { handle }
    }

    async fn event(&self, request: core::Request) -> Result<v1::EventSummary, Status> {
        expect_answer!(self.handle.answer(request).await?, Answer::Event(summary, _) => *summary)
    }

    /// An event's name and its list.
    async fn list(&self, request: v1::GetRatingsRequest) -> Result<(String, List), Status> {
        let model = request.model();
        check::bounded("anchor", &request.anchor, limits::NAME)?;
        if !request.anchor_rating.is_finite() {
            return Err(Status::invalid_argument("anchor_rating: expected a finite number"));
        }
        let anchor = (!request.anchor.is_empty()).then_some((request.anchor, request.anchor_rating));
        let answer = self.handle.answer(core::Request::Ratings(asked(request.event)?)).await?;
        let rated = expect_answer!(answer, Answer::Ratings(rated) => *rated)?;
        let event = rated.event.clone();
        Ok((event, self.handle.list_of(rated, model, anchor).await?))
    }

    async fn season_fact(
        &self,
        season: String,
        fact: SeasonFact,
        change: core::Change,
    ) -> Result<v1::SeasonSummary, Status> {
        let season = asked(season)?;
        let answer = self.handle.answer(core::Request::SeasonFact { season, fact, change }).await?;
        expect_answer!(answer, Answer::Season(summary, _, _) => *summary)
    }
}

fn waiting_seasons(mut seasons: Vec<v1::SeasonSummary>, waiting: bool) -> Vec<v1::SeasonSummary> {
    if waiting {
        seasons.retain(|season| !season.questions.is_empty());
    }
    seasons
}

/// The event of a question; where there is one alone it may stay unnamed.
fn asked(event: String) -> Result<String, Status> {
    check::bounded("event", &event, limits::NAME)?;
    Ok(event)
}

#[tonic::async_trait]
impl SeasonService for Seasons {
    type WatchEventStream = Pin<Box<dyn Stream<Item = Result<v1::WatchEventResponse, Status>> + Send>>;

    async fn upload_file(
        &self,
        request: Request<Streaming<v1::UploadFileRequest>>,
    ) -> Result<Response<v1::UploadFileResponse>, Status> {
        upload::take(&self.handle, request.into_inner()).await.map(Response::new)
    }

    async fn apply(&self, request: Request<v1::ApplyRequest>) -> Result<Response<v1::ApplyResponse>, Status> {
        let applied = self.handle.apply(request.into_inner(), Vec::new()).await;
        applied.map(Response::new).map_err(|denied| self.handle.status(denied))
    }

    async fn list_events(
        &self,
        request: Request<v1::ListEventsRequest>,
    ) -> Result<Response<v1::ListEventsResponse>, Status> {
        let answer = self.handle.answer(core::Request::Events).await?;
        let mut events = expect_answer!(answer, Answer::Events(events) => events)?;
        let waiting = request.into_inner().waiting;
        if waiting {
            events.retain(|event| !event.questions.is_empty());
        }
        let answer = self.handle.answer(core::Request::Seasons).await?;
        let seasons = waiting_seasons(expect_answer!(answer, Answer::Seasons(seasons) => seasons)?, waiting);
        Ok(Response::new(v1::ListEventsResponse { events, seasons }))
    }

    async fn get_event(&self, request: Request<v1::GetEventRequest>) -> Result<Response<v1::GetEventResponse>, Status> {
        let event = asked(request.into_inner().event)?;
        let answer = self.handle.answer(core::Request::Event(event)).await?;
        let (summary, spec) = expect_answer!(answer, Answer::Event(summary, spec) => (summary, spec))?;
        Ok(Response::new(v1::GetEventResponse { summary: Some(*summary), spec: explain(&spec) }))
    }

    async fn watch_event(
        &self,
        request: Request<v1::WatchEventRequest>,
    ) -> Result<Response<Self::WatchEventStream>, Status> {
        let event = asked(request.into_inner().event)?;
        let first = self.event(core::Request::Event(event)).await?;
        let (sender, stream) = mpsc::channel(limits::WATCH_QUEUE);
        tokio::spawn(watch(self.handle.clone(), first.event_uid, sender));
        Ok(Response::new(Box::pin(ReceiverStream::new(stream))))
    }

    async fn get_standings(
        &self,
        request: Request<v1::GetStandingsRequest>,
    ) -> Result<Response<v1::GetStandingsResponse>, Status> {
        let event = asked(request.into_inner().event)?;
        let asked_again = event.clone();
        match self.handle.answer(core::Request::Standings(event)).await? {
            Answer::Standings(event, table, stop, rated) => {
                let tie_breaks = table.tie_breaks.clone();
                let mut standings = convert::standings(*table);
                if rated {
                    let request = v1::GetRatingsRequest { event: asked_again, ..v1::GetRatingsRequest::default() };
                    let (_, list) = self.list(request).await?;
                    for row in list.rows {
                        if let Some(line) = standings.iter_mut().find(|line| line.engine == row.name) {
                            (line.rating, line.rating_error) = (Some(row.elo), row.error);
                        }
                    }
                }
                Ok(Response::new(v1::GetStandingsResponse { event, standings, stop, tie_breaks }))
            }
            _ => Err(mismatch()),
        }
    }

    async fn get_crosstable(
        &self,
        request: Request<v1::GetCrosstableRequest>,
    ) -> Result<Response<v1::GetCrosstableResponse>, Status> {
        let event = asked(request.into_inner().event)?;
        let answer = self.handle.answer(core::Request::Crosstable(event)).await?;
        let (event, table) = expect_answer!(answer, Answer::Crosstable(event, table) => (event, table))?;
        Ok(Response::new(v1::GetCrosstableResponse { event, rows: convert::crosstable(*table) }))
    }

    async fn get_ratings(
        &self,
        request: Request<v1::GetRatingsRequest>,
    ) -> Result<Response<v1::GetRatingsResponse>, Status> {
        let (event, list) = self.list(request.into_inner()).await?;
        Ok(Response::new(convert::ratings(event, &list)))
    }

    async fn pause_event(
        &self,
        request: Request<v1::PauseEventRequest>,
    ) -> Result<Response<v1::PauseEventResponse>, Status> {
        let v1::PauseEventRequest { event, change, now } = request.into_inner();
        check::name("event", &event)?;
        let summary = self.event(core::Request::Pause { event, now, change: check::change(change)? }).await?;
        Ok(Response::new(v1::PauseEventResponse { summary: Some(summary) }))
    }

    async fn resume_event(
        &self,
        request: Request<v1::ResumeEventRequest>,
    ) -> Result<Response<v1::ResumeEventResponse>, Status> {
        let v1::ResumeEventRequest { event, change } = request.into_inner();
        check::name("event", &event)?;
        let summary = self.event(core::Request::Resume { event, change: check::change(change)? }).await?;
        Ok(Response::new(v1::ResumeEventResponse { summary: Some(summary) }))
    }

    async fn stop_event(
        &self,
        request: Request<v1::StopEventRequest>,
    ) -> Result<Response<v1::StopEventResponse>, Status> {
        let v1::StopEventRequest { event, change } = request.into_inner();
        check::name("event", &event)?;
        let summary = self.event(core::Request::Stop { event, change: check::change(change)? }).await?;
        Ok(Response::new(v1::StopEventResponse { summary: Some(summary) }))
    }

    async fn rank_engines(
        &self,
        request: Request<v1::RankEnginesRequest>,
    ) -> Result<Response<v1::RankEnginesResponse>, Status> {
        let v1::RankEnginesRequest { event, engines, change } = request.into_inner();
        check::name("event", &event)?;
        if engines.len() > limits::RANKED {
            return Err(Status::invalid_argument(format!("`engines` has more than {} entries", limits::RANKED)));
        }
        engines.iter().try_for_each(|engine| check::name("engines", engine))?;
        let summary = self.event(core::Request::Rank { event, engines, change: check::ruling(change)? }).await?;
        Ok(Response::new(v1::RankEnginesResponse { summary: Some(summary) }))
    }

    async fn join_event(
        &self,
        request: Request<v1::JoinEventRequest>,
    ) -> Result<Response<v1::JoinEventResponse>, Status> {
        let request = request.into_inner();
        check::name("event", &request.event)?;
        let change = check::change(request.change.clone())?;
        let answer = self.handle.join(request, change).await.map_err(|denied| self.handle.status(denied))?;
        let summary = expect_answer!(answer, Answer::Event(summary, _) => *summary)?;
        Ok(Response::new(v1::JoinEventResponse { summary: Some(summary) }))
    }

    async fn withdraw_engine(
        &self,
        request: Request<v1::WithdrawEngineRequest>,
    ) -> Result<Response<v1::WithdrawEngineResponse>, Status> {
        let v1::WithdrawEngineRequest { event, engine, keep_games, change } = request.into_inner();
        check::name("event", &event)?;
        check::name("engine", &engine)?;
        let change = check::ruling(change)?;
        let summary = self.event(core::Request::Withdraw { event, engine, keep_games, change }).await?;
        Ok(Response::new(v1::WithdrawEngineResponse { summary: Some(summary) }))
    }

    async fn freeze_engine(
        &self,
        request: Request<v1::FreezeEngineRequest>,
    ) -> Result<Response<v1::FreezeEngineResponse>, Status> {
        let v1::FreezeEngineRequest { event, engine, digest, change } = request.into_inner();
        check::name("event", &event)?;
        check::name("engine", &engine)?;
        check::name("digest", &digest)?;
        let change = check::ruling(change)?;
        let summary = self.event(core::Request::Freeze { event, engine, digest, change }).await?;
        Ok(Response::new(v1::FreezeEngineResponse { summary: Some(summary) }))
    }

    async fn list_seasons(
        &self,
        request: Request<v1::ListSeasonsRequest>,
    ) -> Result<Response<v1::ListSeasonsResponse>, Status> {
        let answer = self.handle.answer(core::Request::Seasons).await?;
        let seasons = expect_answer!(answer, Answer::Seasons(seasons) => seasons)?;
        let seasons = waiting_seasons(seasons, request.into_inner().waiting);
        Ok(Response::new(v1::ListSeasonsResponse { seasons }))
    }

    async fn get_season(
        &self,
        request: Request<v1::GetSeasonRequest>,
    ) -> Result<Response<v1::GetSeasonResponse>, Status> {
        let season = asked(request.into_inner().season)?;
        let answer = self.handle.answer(core::Request::Season(season)).await?;
        let response = expect_answer!(answer, Answer::Season(summary, history, next_season) =>
            v1::GetSeasonResponse { summary: Some(*summary), history, next_season })?;
        Ok(Response::new(response))
    }

    async fn advance_season(
        &self,
        request: Request<v1::AdvanceSeasonRequest>,
    ) -> Result<Response<v1::AdvanceSeasonResponse>, Status> {
        let v1::AdvanceSeasonRequest { season, event, change } = request.into_inner();
        check::bounded("event", &event, limits::NAME)?;
        let change = check::change(change)?;
        let summary = self.season_fact(season, SeasonFact::Advanced { event }, change).await?;
        Ok(Response::new(v1::AdvanceSeasonResponse { summary: Some(summary) }))
    }

    async fn set_numbers(
        &self,
        request: Request<v1::SetNumbersRequest>,
    ) -> Result<Response<v1::SetNumbersResponse>, Status> {
        let v1::SetNumbersRequest { season, event, promote, relegate, change } = request.into_inner();
        check::name("event", &event)?;
        let change = check::ruling(change)?;
        let summary = self.season_fact(season, SeasonFact::Numbers { event, promote, relegate }, change).await?;
        Ok(Response::new(v1::SetNumbersResponse { summary: Some(summary) }))
    }

    async fn answer_invitation(
        &self,
        request: Request<v1::AnswerInvitationRequest>,
    ) -> Result<Response<v1::AnswerInvitationResponse>, Status> {
        let v1::AnswerInvitationRequest { season, engine, state, change } = request.into_inner();
        check::name("engine", &engine)?;
        let answer = match v1::InvitationState::try_from(state) {
            Ok(v1::InvitationState::Invited) => Invitation::Invited,
            Ok(v1::InvitationState::Accepted) => Invitation::Accepted,
            Ok(v1::InvitationState::Declined) => Invitation::Declined,
            Ok(v1::InvitationState::Unspecified) | Err(_) => {
                return Err(Status::invalid_argument("`state` must be invited, accepted or declined"));
            }
        };
        let change = check::change(change)?;
        let summary = self.season_fact(season, SeasonFact::Invitation { engine, answer }, change).await?;
        Ok(Response::new(v1::AnswerInvitationResponse { summary: Some(summary) }))
    }

    async fn allow_update(
        &self,
        request: Request<v1::AllowUpdateRequest>,
    ) -> Result<Response<v1::AllowUpdateResponse>, Status> {
        let v1::AllowUpdateRequest { season, engine, event, change } = request.into_inner();
        check::name("engine", &engine)?;
        check::name("event", &event)?;
        let change = check::ruling(change)?;
        let summary = self.season_fact(season, SeasonFact::Updated { engine, event }, change).await?;
        Ok(Response::new(v1::AllowUpdateResponse { summary: Some(summary) }))
    }

    async fn export_ladder(
        &self,
        request: Request<v1::ExportLadderRequest>,
    ) -> Result<Response<v1::ExportLadderResponse>, Status> {
        let event = asked(request.into_inner().event)?;
        let answer = self.handle.answer(core::Request::Ladder(event)).await?;
        let (event, state) = expect_answer!(answer, Answer::Ladder(event, state) => (event, state))?;
        convert::ladder(event, &state).map(Response::new)
    }

    async fn list_facts(
        &self,
        request: Request<v1::ListFactsRequest>,
    ) -> Result<Response<v1::ListFactsResponse>, Status> {
        let event = asked(request.into_inner().event)?;
        let answer = self.handle.answer(core::Request::Facts(event)).await?;
        let facts = expect_answer!(answer, Answer::Facts(facts) => facts)?;
        Ok(Response::new(v1::ListFactsResponse { facts }))
    }
}

/// Tells one watcher of an event its state, again after each change, until it goes or the coordinator ends. What
/// changes while it reads is told once, together.
async fn watch(handle: Handle, uid: String, sender: mpsc::Sender<Result<v1::WatchEventResponse, Status>>) {
    let mut changes = handle.subscribe(&uid);
    let mut told = None;
    loop {
        changes.mark_unchanged();
        let update = match update(&handle, &uid).await {
            Ok(update) => update,
            Err(status) => {
                // The watcher may be gone.
                let _ = sender.send(Err(status)).await;
                return;
            }
        };
        if told.as_ref() != Some(&update) {
            let mut response = update.clone();
            if told.is_some_and(|told: v1::WatchEventResponse| told.standings == update.standings) {
                response.standings.clear();
            }
            told = Some(update);
            if sender.send(Ok(response)).await.is_err() {
                return;
            }
        }
        let next = async {
            sleep(limits::WATCH_INTERVAL).await;
            changes.changed().await
        };
        tokio::select! {
            () = sender.closed() => return,
            status = handle.led() => {
                // The watcher may be gone.
                let _ = sender.try_send(Err(status));
                return;
            }
            changed = next => if changed.is_err() { return },
        }
    }
}

async fn update(handle: &Handle, uid: &str) -> Result<v1::WatchEventResponse, Status> {
    let answer = handle.answer(core::Request::Event(uid.to_owned())).await?;
    let summary = expect_answer!(answer, Answer::Event(summary, _) => *summary)?;
    let answer = handle.answer(core::Request::Standings(uid.to_owned())).await?;
    let table = expect_answer!(answer, Answer::Standings(_, table, ..) => *table)?;
    Ok(v1::WatchEventResponse { summary: Some(summary), standings: convert::standings(table) })
}
