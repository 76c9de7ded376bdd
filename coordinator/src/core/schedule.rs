//! The games to come: who sits where, from which opening, about when.

use rookery_proto::v1;
use rookery_tournament::{
    GameId,
    format::{DueGame, Want},
};

use super::{Answer, Core, Denied, limits, state::EventState};

/// Where a page of a schedule begins: behind this place in starting order, with so many games waiting before it.
pub type Behind = (u64, u64);

/// How long games take, and how many at once.
struct Pace {
    now_ms: u64,
    /// When the first of those that wait can begin, at the earliest.
    from_ms: u64,
    /// 0: it cannot be said.
    game_ms: u64,
    at_once: u64,
}

impl Pace {
    /// When a game begins, before which so many others wait.
    fn begins(&self, waiting: u64) -> u64 {
        if self.game_ms == 0 || self.at_once == 0 {
            return 0;
        }
        self.from_ms.saturating_add((waiting / self.at_once).saturating_mul(self.game_ms))
    }
}

impl Core {
    /// Games that are not finished, in starting order, and where the next page begins.
    pub(super) fn schedule(
        &self,
        event: &str,
        behind: Option<Behind>,
        limit: usize,
        engine: Option<&str>,
    ) -> Result<Answer, Denied> {
        let uid = self.find_event(event)?;
        let state = self.events.get(&uid).ok_or_else(|| Denied::NotFound(format!("no event `{event}`")))?;
        let pace = self.pace(state);
        let (mut order, mut waiting) = behind.map_or((0, 0), |(order, waiting)| (order.saturating_add(1), waiting));
        let mut games: Vec<v1::ScheduledGame> = Vec::new();
        let mut next = None;
        let mut last = order;
        let mut looked = 0;
        while !state.closed()
            && let Some((at, due)) = state.event.next_open(order)
        {
            order = at + 1;
            if matches!(state.event.wants(&due.id), Want::No(_)) || state.results.contains_key(&due.id) {
                continue;
            }
            let handed_ms = state.in_play(&due.id).then(|| self.hand(&uid, due.id.pair).map(|hand| hand.handed_ms));
            let wanted = engine.is_none_or(|engine| {
                [due.first, due.second].iter().any(|&entrant| state.engine_name(entrant) == engine)
            });
            looked += 1;
            if (wanted && games.len() == limit) || looked > limits::SCHEDULE_LOOK {
                next = Some((last, waiting));
                break;
            }
            if wanted {
                games.push(state.scheduled(&uid, &due, &pace, handed_ms.flatten(), waiting));
            }
            waiting += u64::from(handed_ms.is_none());
            last = at;
        }
        let progress = state.event.progress();
        let drawn = state.event.games_open() + progress.done;
        let response = v1::GetScheduleResponse {
            event: state.name().to_owned(),
            games,
            next_page_token: String::new(),
            to_be_drawn: if state.closed() { 0 } else { progress.total.saturating_sub(drawn) },
            expected_end_unix_ms: self.ends(state, &pace, progress.total.saturating_sub(progress.done)),
        };
        Ok(Answer::Schedule(Box::new(response), next))
    }

    fn pace(&self, state: &EventState) -> Pace {
        let spec = state.event.spec();
        // The same guess as before the event began.
        let game_ms = rookery_tournament::event::expected(spec, 1, 1);
        let game_ms = game_ms.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let at_once = if spec.event.one_at_a_time { 1 } else { u64::from(self.slots_for(spec, &state.roster)) };
        let begins = spec.event.not_before.and_then(|at| u64::try_from(at.as_millisecond()).ok()).unwrap_or(0);
        // Games in play are half over, as long as nothing better is known.
        let held = if state.held.pairs.is_empty() { 0 } else { game_ms / 2 };
        let now_ms = self.now.unix_ms;
        Pace { now_ms, from_ms: begins.max(now_ms.saturating_add(held)), game_ms, at_once }
    }

    fn ends(&self, state: &EventState, pace: &Pace, left: u64) -> u64 {
        if state.closed() || left == 0 || pace.game_ms == 0 || pace.at_once == 0 {
            return 0;
        }
        let rounds = left.div_ceil(pace.at_once);
        pace.from_ms.max(pace.now_ms).saturating_add(rounds.saturating_mul(pace.game_ms))
    }
}

impl EventState {
    fn scheduled(
        &self,
        uid: &str,
        due: &DueGame,
        pace: &Pace,
        handed_ms: Option<u64>,
        waiting: u64,
    ) -> v1::ScheduledGame {
        let id: GameId = due.id;
        let opening = self.opening(due);
        let name = opening.as_ref().map_or_else(String::new, |(_, opening)| opening.name.clone());
        let (mut position, mut moves) = (String::new(), Vec::new());
        let index = opening.map(|(index, opening)| {
            (position, moves) = (opening.start.position, opening.start.moves);
            index
        });
        if let Some(plies) = self.event.spec().event.openings.plies {
            moves.truncate(plies as usize);
        }
        v1::ScheduledGame {
            summary: Some(self.summary_of(uid, &id, Some(due))),
            opening: index,
            opening_name: name,
            opening_position: position,
            opening_moves: moves,
            if_needed: !self.event.is_sure(&id),
            expected_unix_ms: handed_ms.unwrap_or_else(|| pace.begins(waiting)),
        }
    }
}
