//! What may be handed out, and what still matters.

use super::Event;
use crate::{
    EntrantId, Fact, GameId,
    format::{Assignment, AtOnce, DueGame, Held, Place, Want},
    spec::CrashesThen,
};

impl Event {
    /// Facts that follow from what is on record and must be put there before more is handed out: draws, stops,
    /// setting aside by the crash limits. Asked again after each fact and result; empty when nothing follows.
    #[must_use]
    pub fn facts_due(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if self.is_closed() {
            return facts;
        }
        facts.extend(self.decisions_due());
        // What is decided comes before what follows from it.
        if facts.is_empty() {
            facts.extend(self.next_draw().fact);
        }
        if self.stopped_at().is_none()
            && let Some((pair, _, decision)) = &self.run.hit
        {
            facts.push(Fact::Stopped { encounter: None, at: Some(*pair), why: decision.to_string() });
        }
        let then = self.spec.event.crashes.then;
        if then == CrashesThen::Continue || self.stopped_at().is_some() {
            return facts;
        }
        for (&engine, run) in &self.crash_runs {
            let Some((order, error)) = &run.hit else { continue };
            if self.aside_engines.contains_key(&engine) || self.is_withdrawn(engine).is_some() {
                continue;
            }
            let Some((place, game)) = self.schedule.game_at(*order) else { continue };
            let at = GameId { pair: place.pair, game, take: self.record.take(*order) };
            facts.push(Fact::EngineSetAside { engine, at, event: then == CrashesThen::Stop, error: error.clone() });
        }
        facts
    }

    /// Engines that are set aside by their crashes, and why.
    pub fn engines_aside(&self) -> impl Iterator<Item = (EntrantId, &str)> {
        self.aside_engines.iter().map(|(&engine, aside)| (engine, aside.error.as_str()))
    }

    /// The fact by which an engine that was set aside plays on, with all its crashes so far forgiven.
    #[must_use]
    pub fn retry_engine(&self, engine: EntrantId) -> Fact {
        Fact::EngineRetried { engine, after: self.last_game_of(engine) }
    }

    /// At most `limit` assignments that may be handed out now, in starting order; those ahead of a possible stop last.
    /// `slots` is how many slots the event can have at most: where a stop rule is set, pairs beyond the unbroken run are
    /// bounded to twice as many.
    ///
    /// Nothing is due while the event is paused, closed, or waits for a fact of [`Event::facts_due`].
    #[must_use]
    pub fn due(&self, held: &Held, limit: usize, slots: usize) -> Vec<Assignment> {
        let mut due = Vec::new();
        // Who has left holds up nobody: no question is asked about it.
        let holds = |(&engine, aside): (&EntrantId, &super::Aside)| aside.event && self.is_withdrawn(engine).is_none();
        if self.paused || self.run.hit.is_some() || self.aside_engines.iter().any(holds) {
            return due;
        }
        let total = self.schedule.games();
        // By cycles a run grows only with the return games, so that a bound would be a deadlock.
        let bounded = self.spec.event.stop.is_some() && self.stopped_at().is_none() && !self.schedule.by_cycles();
        let bound = self.run.next.saturating_add(2 * slots.max(1) as u64);
        let mut order = held.from;
        let mut ahead = Vec::new();
        while due.len() < limit {
            order = self.closed.next_absent(order);
            if order >= total {
                break;
            }
            let Some((place, game)) = self.schedule.game_at(order) else { break };
            if bounded && place.index >= bound {
                break;
            }
            let goes_ahead = self.goes_ahead(&place);
            if !held.pairs.contains(&place.pair)
                && let Some(is_ahead) = goes_ahead
            {
                let to = if is_ahead { &mut ahead } else { &mut due };
                if to.len() < limit {
                    to.push(self.assignment(&place, game, is_ahead));
                }
            }
            if self.spec.event.one_at_a_time {
                break;
            }
            order = if self.schedule.by_cycles() { order + 1 } else { self.schedule.order(&place, u8::MAX) + 1 };
        }
        ahead.truncate(limit - due.len());
        due.append(&mut ahead);
        due
    }

    fn assignment(&self, place: &Place, game: u8, ahead: bool) -> Assignment {
        // Between the games of a pair, too, there is a break.
        let last = if self.by_pairs() { self.schedule.games_per_pair() } else { game };
        let games = (game..=last)
            .map(|game| (game, self.schedule.order(place, game)))
            .filter(|&(_, order)| !self.closed.contains(order))
            .map(|(game, order)| self.due_game(place, game, self.record.take(order)))
            .collect();
        let ahead = ahead || self.is_ahead(place);
        // A meeting may be decided by the first game of a pair.
        Assignment { pair: place.pair, games, ask_between: place.decides, ahead }
    }

    fn due_game(&self, place: &Place, game: u8, take: u32) -> DueGame {
        let (first, second) = self.schedule.seats(place, game);
        DueGame {
            id: GameId { pair: place.pair, game, take },
            first,
            second,
            opening: place.opening,
            level_opening: place.level_opening,
            round: self.schedule.round_text(place, game),
        }
    }

    /// What a game is, whether or not it is due: who sits where, which opening. `None`: no such game here.
    #[must_use]
    pub fn game(&self, id: &GameId) -> Option<DueGame> {
        let (place, _) = self.locate(id)?;
        Some(self.due_game(&place, id.game, id.take))
    }

    /// The game that people call `ROUND.GAME`, both from 1; its first take. `None`: no such game here.
    #[must_use]
    pub fn in_round(&self, round: u64, game: u64) -> Option<GameId> {
        let (place, game) = self.schedule.in_round(round, game)?;
        Some(GameId { pair: place.pair, game, take: 1 })
    }

    /// How many openings a book must have, so that `distinct` holds for all that is scheduled.
    #[must_use]
    pub fn openings_needed(&self) -> u64 {
        self.schedule.openings_needed()
    }

    /// Games that are scheduled, also those that are not due any more.
    #[must_use]
    pub fn games_scheduled(&self) -> u64 {
        self.schedule.games()
    }

    /// The result of a game that counts: a person's, else the one on record. `None`: none counts, or not this take.
    #[must_use]
    pub fn result(&self, id: &GameId) -> Option<rookery_game::GameResult> {
        let (place, order) = self.locate(id)?;
        let counts = !self.is_surplus(&place, id.game) && !self.is_excluded(&place.pair);
        let counted = self.record.counted(order).filter(|_| counts && self.record.take(order) == id.take);
        counted.map(|counted| counted.result)
    }

    /// Whether a take counts nowhere as a person made it void or had it replayed; what was ruled on since counts again.
    #[must_use]
    pub fn is_voided(&self, id: &GameId) -> bool {
        self.order(id).is_some_and(|order| self.record.is_voided(order, id.take))
    }

    /// A person's result for a take, where it counts.
    #[must_use]
    pub fn ruling(&self, id: &GameId) -> Option<rookery_game::GameResult> {
        self.order(id).and_then(|order| self.record.ruling(order, id.take))
    }

    /// A game's place in starting order, from 0. `None`: no such game here.
    #[must_use]
    pub fn order(&self, id: &GameId) -> Option<u64> {
        self.locate(id).map(|(_, order)| order)
    }

    /// The game at a place in starting order, with the take that counts or is due. `None` behind the last.
    #[must_use]
    pub fn game_at(&self, order: u64) -> Option<DueGame> {
        let (place, game) = self.schedule.game_at(order)?;
        Some(self.due_game(&place, game, self.record.take(order)))
    }

    /// The first game at `order` or behind it, in starting order, that is not finished for good, with its place; `None`
    /// where there is none. The take that is due or set aside.
    #[must_use]
    pub fn next_open(&self, order: u64) -> Option<(u64, DueGame)> {
        let order = self.done.next_absent(order);
        let game = self.game_at(order)?;
        Some((order, game))
    }

    /// Whether a slot plays the games of a pair one after the other; else each is handed out by itself.
    #[must_use]
    pub fn by_pairs(&self) -> bool {
        !self.schedule.by_cycles() && self.spec.event.pause.is_zero()
    }

    /// 1 or 2.
    #[must_use]
    pub const fn games_per_pair(&self) -> u8 {
        self.schedule.games_per_pair()
    }

    /// Assignments that can be in play at once by the rules, at most: one where games are played one at a time, one of each
    /// meeting where these stop once decided and go pair by pair. `u64::MAX`: the rules do not bound it.
    #[must_use]
    pub fn at_once(&self) -> u64 {
        if self.spec.event.one_at_a_time {
            return 1;
        }
        if !self.spec.event.format.stops() || self.spec.event.format.at_once() != AtOnce::One {
            return u64::MAX;
        }
        let (mut meetings, mut order) = (0, 0);
        while let Some((place, _)) = self.schedule.game_at(self.done.next_absent(order)) {
            meetings += 1;
            let Some(last) = self.schedule.at(place.meeting + place.meeting_pairs - 1) else { break };
            order = self.schedule.order(&last, u8::MAX) + 1;
        }
        meetings.max(1)
    }

    /// Games that are scheduled and not finished for good.
    #[must_use]
    pub fn games_open(&self) -> u64 {
        self.schedule.games().saturating_sub(self.done.len())
    }

    /// Whether a game is played whatever the games before it bring: no stop rule and no decision of its meeting can come
    /// before it. `false` also where there is no such game.
    #[must_use]
    pub fn is_sure(&self, id: &GameId) -> bool {
        let Some((place, _)) = self.locate(id) else { return false };
        self.spec.event.stop.is_none() && self.is_sure_of_meeting(&place, id.game)
    }

    /// Whether a game that is running or waiting still matters. One that is on record and counts is `Yes`.
    #[must_use]
    pub fn wants(&self, id: &GameId) -> Want {
        let Some((place, order)) = self.locate(id) else {
            return Want::No("the event has no such game".to_owned());
        };
        let take = self.record.take(order);
        if self.record.is_voided(order, id.take) {
            return Want::No("this take was voided".to_owned());
        }
        if id.take > take {
            return Want::No(format!("take {take} of this game is due"));
        }
        if self.record.is_ruled(order) {
            return Want::No("a person ruled on this game".to_owned());
        }
        let left = [place.pair.a, place.pair.b].into_iter().find(|&e| self.is_withdrawn(e).is_some());
        if let Some(entrant) = left.and_then(|e| self.field.get(e)) {
            return Want::No(format!("{} was withdrawn", entrant.engine));
        }
        if let Some(why) = self.stop_of(&place, id.game) {
            return Want::No(format!("stopped before this game: {why}"));
        }
        if let Some(verdict) = self.verdict_before(&place, id.game) {
            return Want::No(format!("decided before this game: {}", verdict.why));
        }
        match &self.run.hit {
            Some((_, last, decision)) if place.index > *last => {
                Want::No(format!("stopped before this game: {decision}"))
            }
            _ if self.is_ahead(&place) || self.goes_ahead(&place) == Some(true) => Want::Ahead,
            _ => Want::Yes,
        }
    }
}
