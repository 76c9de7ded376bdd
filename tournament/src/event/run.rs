//! The unbroken run: whole pairs in starting order, over which a stop rule is judged.

use super::Event;
use crate::{
    EntrantId, GameId, PairId,
    format::Place,
    stop::{Counts, Decision, Sprt},
};

/// How far the run goes, and what it counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// The first pair that is not whole.
    pub(super) next: u64,
    pub(super) counts: Counts,
    /// The pair at which a bound was reached.
    pub(super) hit: Option<(PairId, u64, Decision)>,
}

/// What the run meets at a pair.
enum Step {
    /// It is whole: half points of entrant 1, game by game.
    Whole([u32; 2]),
    /// It does not count: voided, withdrawn, between others.
    Passed,
    /// It is not finished; the run ends here.
    Open,
}

impl Event {
    pub(super) fn sprt(&self) -> Option<Sprt> {
        self.spec.event.stop.as_ref().map(Sprt::new)
    }

    /// Goes on from where the run ended; from the start where a pair before changed.
    pub(super) fn advance_run(&mut self, changed: u64) {
        let Some(sprt) = self.sprt() else { return };
        let mut run = std::mem::take(&mut self.run);
        if changed < run.next || run.hit.as_ref().is_some_and(|(_, at, _)| changed <= *at) {
            run = Run::default();
        }
        let stopped = self.stopped_at();
        while run.hit.is_none() {
            if stopped.is_some_and(|last| run.next > last) {
                break;
            }
            let Some(place) = self.schedule.at(run.next) else { break };
            match self.step(&place) {
                Step::Open => break,
                Step::Passed => {}
                Step::Whole(points) => {
                    run.counts.add(points, self.schedule.games_per_pair());
                    // A stop on record is not judged again.
                    if stopped.is_none()
                        && let Some(decision) = sprt.decide(&run.counts)
                    {
                        run.hit = Some((place.pair, run.next, decision));
                    }
                }
            }
            run.next += 1;
        }
        self.run = run;
    }

    fn step(&self, place: &Place) -> Step {
        const ONE: EntrantId = EntrantId(1);
        const OTHER: EntrantId = EntrantId(2);
        let pair = &place.pair;
        let theirs = (pair.a, pair.b) == (ONE, OTHER) || (pair.a, pair.b) == (OTHER, ONE);
        let mut points = [0; 2];
        let mut whole = theirs && !self.is_excluded(pair);
        for game in 1..=self.schedule.games_per_pair() {
            let order = self.schedule.order(place, game);
            if theirs && !self.done.contains(order) {
                return Step::Open;
            }
            match self.record.counted(order) {
                Some(counted) => {
                    let (first, _) = self.schedule.seats(place, game);
                    let seat = if first == ONE { rookery_game::Seat::First } else { rookery_game::Seat::Second };
                    points[usize::from(game - 1)] = counted.result.half_points(seat);
                }
                None => whole = false,
            }
        }
        if whole { Step::Whole(points) } else { Step::Passed }
    }

    /// Whether a game lies ahead of a stop that may come.
    pub(super) fn is_ahead(&self, place: &Place) -> bool {
        self.spec.event.stop.is_some() && self.stopped_at().is_none() && place.index > self.run.next
    }

    /// The newest game of an engine on record, in starting order.
    pub(super) fn last_game_of(&self, entrant: EntrantId) -> Option<GameId> {
        self.record
            .orders(0, self.schedule.games())
            .filter_map(|order| self.schedule.game_at(order).map(|(place, game)| (order, place.pair, game)))
            .filter(|(_, pair, _)| pair.a == entrant || pair.b == entrant)
            .last()
            .map(|(order, pair, game)| GameId { pair, game, take: self.record.take(order) })
    }
}
