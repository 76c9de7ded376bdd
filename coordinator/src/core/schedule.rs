//! The games to come: who sits where, from which opening, about when.

use rookery_proto::v1;
use rookery_tournament::{
    GameId,
    format::{DueGame, Want},
    spec::OpeningSource,
};

use super::{Answer, Core, Denied, limits, pace::has_begun, state::EventState};

/// Where a page of a schedule begins: behind this place in starting order, with so many pairs waiting before it.
pub type Behind = (u64, u64);

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
        let pace = self.pace(&uid, state);
        let (mut order, mut waiting) = behind.map_or((0, 0), |(order, waiting)| (order.saturating_add(1), waiting));
        let mut games: Vec<v1::ScheduledGame> = Vec::new();
        let mut next = None;
        let mut last = order;
        let mut looked = 0;
        // The pair that was looked at last, and how many games of it wait.
        let mut before = behind.and_then(|(at, _)| state.event.next_open(at).filter(|(order, _)| *order == at));
        while !state.closed()
            && let Some((at, due)) = state.event.next_open(order)
        {
            order = at + 1;
            if matches!(state.event.wants(&due.id), Want::No(_)) || state.results.contains_key(&due.id) {
                continue;
            }
            let wanted = engine.is_none_or(|engine| {
                [due.first, due.second].iter().any(|&entrant| state.engine_name(entrant) == engine)
            });
            looked += 1;
            if (wanted && games.len() == limit) || looked > limits::SCHEDULE_LOOK {
                next = Some((last, waiting));
                break;
            }
            let hand = state.pairs.get(&due.id.pair).and_then(|known| known.hand.as_ref());
            let hand = hand.filter(|hand| hand.games.iter().any(|game| game.id == due.id));
            let aside = hand.is_none() && state.set_aside.contains_key(&due.id.pair);
            let follows =
                state.event.by_pairs() && before.as_ref().is_some_and(|(_, first)| first.id.pair == due.id.pair);
            let expected = match hand.filter(|hand| has_begun(state, hand)) {
                _ if aside => 0,
                Some(hand) => pace.of_hand(state, hand, &due.id),
                None if follows => pace.begins(waiting.saturating_sub(1), 1),
                None => {
                    waiting += 1;
                    pace.begins(waiting - 1, 0)
                }
            };
            if wanted {
                games.push(state.scheduled(&uid, &due, expected));
            }
            last = at;
            before = Some((at, due));
        }
        let progress = state.event.progress();
        let drawn = state.event.games_open() + progress.done;
        let response = v1::GetScheduleResponse {
            event: state.name().to_owned(),
            games,
            next_page_token: String::new(),
            to_be_drawn: if state.closed() { 0 } else { progress.total.saturating_sub(drawn) },
            expected_end_unix_ms: if state.closed() {
                0
            } else {
                pace.ends(progress.total.saturating_sub(progress.done + pace.in_hand))
            },
        };
        Ok(Answer::Schedule(Box::new(response), next))
    }
}

impl EventState {
    fn scheduled(&self, uid: &str, due: &DueGame, expected_unix_ms: u64) -> v1::ScheduledGame {
        let id: GameId = due.id;
        let openings = self.openings_of(due);
        let opening = self.opening(due);
        let name = opening.as_ref().map_or_else(String::new, |(_, opening)| opening.name.clone());
        let (mut position, mut moves) = (String::new(), Vec::new());
        let index = opening.map(|(index, opening)| {
            (position, moves) = (opening.start.position, opening.start.moves);
            due.level_opening.unwrap_or(index)
        });
        if let Some(plies) = openings.plies {
            moves.truncate(plies as usize);
        }
        let book = due.level_opening.map_or_else(String::new, |_| book_name(&openings.source));
        v1::ScheduledGame {
            summary: Some(self.summary_of(uid, &id, Some(due))),
            opening: index,
            opening_name: name,
            opening_position: position,
            opening_moves: moves,
            if_needed: !self.event.is_sure(&id),
            expected_unix_ms,
            opening_book: book,
        }
    }
}

/// A book as people know it.
fn book_name(source: &OpeningSource) -> String {
    match source {
        OpeningSource::Book(name) | OpeningSource::Schedule(name) => name.clone(),
        OpeningSource::UsedIn(events) => format!("used in {}", events.join(", ")),
        OpeningSource::Own => "Rookery's own".to_owned(),
        OpeningSource::Start => "start position".to_owned(),
        OpeningSource::Chess960 => "Chess960".to_owned(),
        OpeningSource::DoubleChess960 => "double Chess960".to_owned(),
    }
}
