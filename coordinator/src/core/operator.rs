//! What operators ask and order.

use rookery_game::{GameResult, setup::GameKind};
use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{Fact, GameId, PairId, event::Phase, spec::nearest};

use super::{
    Answer, AskId, Change, Core, Denied, Effect, Rated, Request, limits,
    state::EventState,
    stored::FleetEntry,
    writes::{FactWrite, Write},
};
use crate::wire;

impl Core {
    pub(super) fn asked(&mut self, ask: AskId, request: Request) {
        if self.writes.len() >= limits::QUEUE_WRITES {
            let answer = Err(Denied::Unavailable("the store does not keep up; ask again".to_owned()));
            self.out.push(Effect::Answer { ask, answer });
            return;
        }
        if let Some(answer) = self.answer(ask, request).transpose() {
            self.out.push(Effect::Answer { ask, answer });
        }
    }

    /// `None`: the answer comes once a write is on record.
    fn answer(&mut self, ask: AskId, request: Request) -> Result<Option<Answer>, Denied> {
        match request {
            Request::Apply(apply) => return self.apply(ask, *apply),
            Request::Join { event, engines, digests, change } => {
                return self.join(ask, &event, engines, &digests, change);
            }
            Request::Withdraw { event, engine, keep_games, change } => {
                return self.withdraw(ask, &event, &engine, keep_games, change);
            }
            Request::Freeze { event, engine, digest, change } => {
                return self.freeze(ask, &event, &engine, &digest, change);
            }
            Request::ApplySeason(apply) => return self.apply_season(ask, *apply),
            Request::SeasonFact { season, fact, change } => return self.season_fact(ask, &season, fact, change),
            Request::ApplyList { list, dry_run, change } => return self.apply_list(ask, *list, dry_run, change),
            Request::Import { list, digest, file_name, games, change } => {
                return self.import(ask, &list, (digest, file_name, games), change);
            }
            Request::Lists(None) => Ok(self.all_lists()),
            Request::Lists(Some(list)) => self.answer_list(&list),
            Request::ListLocations(list) => self.list_locations(&list),
            Request::Ratings(list) if self.lists.contains_key(&list) => self.rated_list(&list),
            Request::Seasons => Ok(self.list_seasons()),
            Request::Season(season) => self.find_season(&season).and_then(|uid| self.answer_season(&uid)),
            Request::Pause { event, now, change } => return self.pause(ask, &event, now, change),
            Request::Resume { event, change } => return self.resume(ask, &event, change),
            Request::Stop { event, change } => return self.stop(ask, &event, change),
            Request::Replay { event, game, change } => return self.replay_game(ask, &event, &game, change),
            Request::Void { event, game, change } => return self.void_game(ask, &event, &game, change),
            Request::Rule { event, game, result, change } => {
                return self.rule_game(ask, &event, &game, result, change);
            }
            Request::Rank { event, engines, change } => return self.rank(ask, &event, &engines, change),
            Request::Drain { worker, grace_ms, change } => return self.drain(ask, worker, grace_ms, change),
            Request::Undrain { worker, change } => return self.undrain(ask, worker, change),
            Request::Events => Ok(self.list_events()),
            Request::Event(event) => self.find_event(&event).and_then(|uid| self.answer_event(&uid)),
            Request::Standings(event) => self.state_of(&event).map(|(_, state)| {
                let stop = state.event.stop_line();
                let spec = &state.event.spec().event;
                let rated = spec.ratings.is_some() || spec.game == GameKind::ChineseCheckers;
                Answer::Standings(state.name().to_owned(), Box::new(state.event.standings()), stop, rated)
            }),
            Request::Crosstable(event) => self
                .state_of(&event)
                .map(|(_, state)| Answer::Crosstable(state.name().to_owned(), Box::new(state.event.crosstable()))),
            Request::Ratings(name) if self.is_neither(&name) => Err(self.no_list_or_event(&name)),
            Request::Ratings(event) => self.state_of(&event).and_then(|(uid, state)| {
                let (spec, event) = (&state.event.spec().event, state.name().to_owned());
                if !spec.official {
                    return Err(Denied::Precondition(format!("games of `{event}` are not official: no list has them")));
                }
                Ok(Answer::Ratings(Box::new(Rated {
                    uid,
                    event,
                    model: spec.rating_model(),
                    anchor: spec.rating_anchor(),
                    games: state.event.rating_games(),
                    files: Vec::new(),
                })))
            }),
            Request::Ladder(event) => self.ladder(&event),
            Request::Facts(event) => self.state_of(&event).map(|(_, state)| Answer::Facts(state.fact_list())),
            Request::Games { event, after, limit, phase, engine } => {
                let limit = if limit == 0 { limits::PAGE } else { limit.min(limits::PAGE) };
                self.list_games(&event, after, limit, phase, engine.as_deref())
            }
            Request::Schedule { event, behind, limit, engine } => {
                let limit = if limit == 0 { limits::PAGE } else { limit.min(limits::PAGE) };
                self.schedule(&event, behind, limit, engine.as_deref())
            }
            Request::Game { event, game } => {
                let (uid, game) = self.find_game(&event, &game)?;
                self.answer_game(&uid, &game)
            }
            Request::Locations { event, all } => self.locations(&event, all),
            Request::Explain { event, game } => {
                let (uid, game) = self.find_game(&event, &game)?;
                self.explain(&uid, &game)
            }
            Request::Workers => Ok(self.list_workers()),
            Request::Follow { event, game } => self.follow(&event, &game),
            Request::Alarms => Ok(Answer::Alarms(self.alarms.values().cloned().collect())),
        }
        .map(Some)
    }

    /// Whether a change with this request id is on record in an event already.
    pub(super) fn repeated(&mut self, ask: AskId, state_uid: &str, change: &Change) -> Repeated {
        if change.request_id.is_empty() {
            return Repeated::No;
        }
        if self.writes.join(&change.request_id, ask) {
            return Repeated::OnItsWay;
        }
        let on_record = self
            .events
            .get(state_uid)
            .is_some_and(|state| state.facts.iter().any(|fact| fact.is_of(&change.request_id)));
        if on_record { Repeated::Done } else { Repeated::No }
    }

    fn pause(&mut self, ask: AskId, event: &str, now: bool, change: Change) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        match self.phase(&uid)? {
            Phase::Paused => {
                if now {
                    self.ask_back(&uid);
                }
                self.answer_event(&uid).map(Some)
            }
            Phase::Stopped | Phase::Finished => Err(closed(event)),
            Phase::Running | Phase::Asking(_) => {
                let write = FactWrite { hand_back: now, ..fact_write(ask, &uid, Fact::Paused, change) };
                self.write(Write::Fact(Box::new(write)));
                Ok(None)
            }
        }
    }

    fn resume(&mut self, ask: AskId, event: &str, change: Change) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        let phase = self.phase(&uid)?;
        let aside: Vec<PairId> =
            self.events.get(&uid).map_or_else(Vec::new, |state| state.set_aside.keys().copied().collect());
        let mut facts: Vec<Fact> = match phase {
            Phase::Stopped => return Err(closed(event)),
            Phase::Paused => vec![Fact::Resumed],
            _ => self.events.get(&uid).map_or_else(Vec::new, |state| {
                state.event.engines_aside().map(|(engine, _)| state.event.retry_engine(engine)).collect()
            }),
        };
        if phase != Phase::Paused && !aside.is_empty() {
            facts.push(Fact::Retried { pairs: aside });
        }
        let Some(last) = facts.pop() else { return self.answer_event(&uid).map(Some) };
        let prefix = format!("{uid}/");
        for worker in self.workers.values_mut() {
            worker.bad_engines.retain(|key, _| !key.starts_with(&prefix));
            worker.bad_events.remove(&uid);
        }
        for fact in facts {
            self.write_fact(&uid, fact, Change { request_id: String::new(), ..change.clone() });
        }
        let write = fact_write(ask, &uid, last, change);
        self.write(Write::Fact(Box::new(write)));
        Ok(None)
    }

    fn stop(&mut self, ask: AskId, event: &str, change: Change) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        if matches!(self.phase(&uid)?, Phase::Stopped | Phase::Finished) {
            return self.answer_event(&uid).map(Some);
        }
        let why = if change.reason.is_empty() { format!("stopped by {}", change.by) } else { change.reason.clone() };
        let write = fact_write(ask, &uid, Fact::Stopped { encounter: None, at: None, why }, change);
        self.write(Write::Fact(Box::new(write)));
        Ok(None)
    }

    fn game_fact(
        &mut self,
        ask: AskId,
        uid: &str,
        game: GameId,
        fact: Fact,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        match self.repeated(ask, uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_game(uid, &game).map(Some),
            Repeated::No => {}
        }
        if let Some(other) = self.events.get(uid).and_then(|state| state.partner_in_play(&game)) {
            let why = format!(
                "game {other}, the other of its pair, is in play and would be broken off: say it again when that is over"
            );
            return Err(Denied::Precondition(why));
        }
        let in_play = self.events.get(uid).is_some_and(|state| state.in_play(&game));
        let take_back = if in_play { vec![game.pair] } else { Vec::new() };
        let write = FactWrite { game: Some(game), take_back, ..fact_write(ask, uid, fact, change) };
        self.write(Write::Fact(Box::new(write)));
        Ok(None)
    }

    fn replay_game(&mut self, ask: AskId, event: &str, game: &str, change: Change) -> Result<Option<Answer>, Denied> {
        let (uid, game) = self.find_game(event, game)?;
        let there = self.events.get(&uid).is_some_and(|state| {
            let begun = state.results.contains_key(&game) || state.in_play(&game) || state.kept.contains_key(&game);
            // One that is said again finds the next take, which was not played yet.
            let again = state.facts.iter().any(|fact| fact.is_of(&change.request_id));
            begun || again || state.voided(&game)
        });
        if !there {
            return Err(Denied::Precondition(format!("game {game} was not played yet")));
        }
        self.game_fact(ask, &uid, game, Fact::Replay { games: vec![game] }, change)
    }

    fn void_game(&mut self, ask: AskId, event: &str, game: &str, change: Change) -> Result<Option<Answer>, Denied> {
        let (uid, game) = self.find_game(event, game)?;
        self.game_fact(ask, &uid, game, Fact::Voided { games: vec![game] }, change)
    }

    fn rule_game(
        &mut self,
        ask: AskId,
        event: &str,
        game: &str,
        result: GameResult,
        change: Change,
    ) -> Result<Option<Answer>, Denied> {
        let (uid, game) = self.find_game(event, game)?;
        self.game_fact(ask, &uid, game, Fact::Ruled { game, result }, change)
    }

    fn rank(&mut self, ask: AskId, event: &str, engines: &[String], change: Change) -> Result<Option<Answer>, Denied> {
        let uid = self.find_event(event)?;
        match self.repeated(ask, &uid, &change) {
            Repeated::OnItsWay => return Ok(None),
            Repeated::Done => return self.answer_event(&uid).map(Some),
            Repeated::No => {}
        }
        let (_, state) = self.state_of(&uid)?;
        let fact = state.event.ranked(engines).map_err(Denied::Precondition)?;
        self.write(Write::Fact(Box::new(fact_write(ask, &uid, fact, change))));
        Ok(None)
    }

    fn drain(&mut self, ask: AskId, worker: String, grace_ms: u64, change: Change) -> Result<Option<Answer>, Denied> {
        if !self.workers.contains_key(&worker) && !self.fleet.contains_key(&worker) {
            return Err(self.no_worker(&worker));
        }
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        if self
            .fleet
            .get(&worker)
            .is_some_and(|entry| !change.request_id.is_empty() && entry.request_id == change.request_id)
        {
            return self.answer_worker(&worker).map(Some);
        }
        let entry = FleetEntry {
            by: change.by,
            reason: change.reason,
            request_id: change.request_id,
            at_unix_ms: self.now.unix_ms,
            over: false,
            grace_ms,
        };
        self.write(Write::Fleet { worker, entry, asks: vec![ask] });
        Ok(None)
    }

    fn undrain(&mut self, ask: AskId, worker: String, change: Change) -> Result<Option<Answer>, Denied> {
        if self.writes.join(&change.request_id, ask) {
            return Ok(None);
        }
        if self.drained(&worker).is_some() {
            let entry = FleetEntry {
                by: change.by,
                reason: change.reason,
                request_id: change.request_id,
                at_unix_ms: self.now.unix_ms,
                over: true,
                grace_ms: 0,
            };
            self.write(Write::Fleet { worker, entry, asks: vec![ask] });
            return Ok(None);
        }
        if self.fleet.contains_key(&worker) && !self.workers.contains_key(&worker) {
            return self.answer_worker(&worker).map(Some);
        }
        if self.workers.contains_key(&worker) {
            return self.answer_worker(&worker).map(Some);
        }
        Err(self.no_worker(&worker))
    }

    fn no_worker(&self, worker: &str) -> Denied {
        let known: Vec<&str> = self.workers.keys().map(String::as_str).take(5).collect();
        Denied::NotFound(format!("no worker `{worker}`; known: {}", known.join(", ")))
    }

    fn follow(&mut self, event: &str, game: &str) -> Result<Answer, Denied> {
        let (uid, game) = self.find_game(event, game)?;
        let Some(state) = self.events.get(&uid) else { return Err(closed(event)) };
        let summary = Box::new(state.summary_of(&uid, &game, None));
        let in_play = Box::new(state.in_play_of(&game));
        let worker = self.hand(&uid, game.pair).filter(|_| state.in_play(&game)).map(|hand| hand.worker.clone());
        if let Some(worker) = worker {
            let follow = v1::Follow { game: Some(wire::game_id(&uid, &game)), for_ms: limits::FOLLOW_MS };
            self.tell(&worker, Message::Follow(follow));
        }
        Ok(Answer::Following(uid, game, summary, in_play))
    }

    pub(super) fn phase(&self, uid: &str) -> Result<Phase, Denied> {
        let state = self.events.get(uid).ok_or_else(|| Denied::NotFound(format!("no event `{uid}`")))?;
        Ok(state.event.phase())
    }

    fn state_of(&self, event: &str) -> Result<(String, &EventState), Denied> {
        let uid = self.find_event(event)?;
        let state = self.events.get(&uid).ok_or_else(|| Denied::NotFound(format!("no event `{event}`")))?;
        Ok((uid, state))
    }

    /// An event's uid, by uid or name (of several the newest); an empty text is the only one there is.
    pub(super) fn find_event(&self, event: &str) -> Result<String, Denied> {
        if self.events.contains_key(event) {
            return Ok(event.to_owned());
        }
        let mut named: Vec<(&String, &EventState)> =
            self.events.iter().filter(|(_, state)| event.is_empty() || state.name() == event).collect();
        if event.is_empty() && named.len() != 1 {
            named.retain(|(_, state)| !state.closed());
            if named.len() != 1 {
                return Err(Denied::Invalid(format!("which event? there are: {}", self.event_names())));
            }
        }
        let newest = named.into_iter().max_by_key(|(_, state)| state.meta.applied_unix_ms);
        newest
            .map(|(uid, _)| uid.clone())
            .ok_or_else(|| Denied::NotFound(format!("no event `{event}`; {}", self.near_event(event))))
    }

    /// What may have been meant by the name of an event.
    fn near_event(&self, event: &str) -> String {
        match nearest(event, self.events.values().map(EventState::name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are: {}", self.event_names()),
        }
    }

    fn event_names(&self) -> String {
        let mut names: Vec<&str> = self.events.values().map(EventState::name).collect();
        names.dedup();
        names.truncate(5);
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// A game by `PAIR/GAME/TAKE`, or by `PAIR/GAME` or `ROUND.GAME` its newest take.
    pub(super) fn find_game(&self, event: &str, game: &str) -> Result<(String, GameId), Denied> {
        let (uid, state) = self.state_of(event)?;
        let none = |game: &str| Denied::NotFound(format!("event `{}` has no game {game}", state.name()));
        let round = game.split_once('.').and_then(|(round, of_it)| Some((round.parse().ok()?, of_it.parse().ok()?)));
        let newest = round.is_some() || game.matches('/').count() == 1 || game.ends_with("/0");
        let mut id = match round {
            Some((round, of_it)) => state.event.in_round(round, of_it).ok_or_else(|| none(game))?,
            None => {
                let text = game.strip_suffix("/0").filter(|rest| rest.contains('/')).unwrap_or(game);
                let wrong =
                    |error| Denied::Invalid(format!("{error}, or `1.1` as `rookery games` and the PGN name it"));
                text.parse().map_err(wrong)?
            }
        };
        // The take that counts or is due; none behind it is there yet.
        let last = state.event.order(&id).and_then(|order| state.event.game_at(order));
        let last = last.ok_or_else(|| none(&id.to_string()))?;
        if newest {
            id.take = last.id.take;
        }
        if id.take == 0 || id.take > last.id.take {
            return Err(none(&id.to_string()));
        }
        Ok((uid, id))
    }
}

pub(super) enum Repeated {
    No,
    OnItsWay,
    Done,
}

pub(super) fn fact_write(ask: AskId, uid: &str, fact: Fact, change: Change) -> FactWrite {
    FactWrite {
        uid: uid.to_owned(),
        fact,
        change,
        asks: vec![ask],
        game: None,
        take_back: Vec::new(),
        logged: None,
        applied: None,
        hand_back: false,
    }
}

pub(super) fn closed(event: &str) -> Denied {
    Denied::Precondition(format!("event `{event}` is closed"))
}
