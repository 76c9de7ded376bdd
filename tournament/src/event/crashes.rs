//! Limits of crashes. They are counted over the longest unbroken run of an engine's own games in starting order, so that
//! the order of arrival decides nothing.

use rookery_game::Seat;

use super::Event;
use crate::{
    EntrantId,
    spec::{CrashLimits, CrashesThen},
};

/// Games before a share of them says anything.
const SHARE_FROM: u32 = 20;

/// How far an engine's games were counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CrashRun {
    /// Places in starting order before this one were counted.
    pub(super) next: u64,
    in_a_row: u32,
    games: u32,
    crashes: u32,
    /// The place in starting order with which a limit was reached, and which.
    pub(super) hit: Option<(u64, String)>,
}

impl CrashRun {
    pub(super) fn from(next: u64) -> Self {
        Self { next, ..Self::default() }
    }

    fn count(&mut self, order: u64, crashed: bool, limits: &CrashLimits) {
        self.games += 1;
        if crashed {
            self.in_a_row += 1;
            self.crashes += 1;
        } else {
            self.in_a_row = 0;
        }
        if limits.in_a_row.is_some_and(|limit| self.in_a_row >= limit.max(1)) {
            self.hit = Some((order, format!("{} crashes in a row", self.in_a_row)));
        } else if self.games >= SHARE_FROM
            && limits.of_games.is_some_and(|share| f64::from(self.crashes) > share * f64::from(self.games))
        {
            self.hit = Some((order, format!("{} crashes in {} games", self.crashes, self.games)));
        }
    }
}

impl Event {
    /// Counts on, for an engine one of whose games changed at `order`.
    pub(super) fn count_crashes(&mut self, entrant: EntrantId, order: u64, crashed: bool) {
        let limits = &self.spec.event.crashes;
        if limits.then == CrashesThen::Continue || (limits.in_a_row.is_none() && limits.of_games.is_none()) {
            return;
        }
        // An engine that never crashed needs no counting.
        if !crashed && !self.crash_runs.contains_key(&entrant) {
            return;
        }
        let since = self.forgiven.get(&entrant).copied().unwrap_or(0);
        let mut run = self.crash_runs.remove(&entrant).unwrap_or_else(|| CrashRun::from(since));
        // A game behind the pointer: a pair that was set aside went on, or a fact changed what was counted.
        if order < run.next || run.hit.as_ref().is_some_and(|(at, _)| order <= *at) {
            run = CrashRun::from(since);
        }
        self.advance_crashes(entrant, &mut run);
        self.crash_runs.insert(entrant, run);
    }

    /// Counts all engines anew, after a fact that changes much.
    pub(super) fn recount_crashes(&mut self) {
        let engines: Vec<_> = self.crash_runs.keys().copied().collect();
        for engine in engines {
            let mut run = CrashRun::from(self.forgiven.get(&engine).copied().unwrap_or(0));
            self.advance_crashes(engine, &mut run);
            self.crash_runs.insert(engine, run);
        }
    }

    fn advance_crashes(&self, entrant: EntrantId, run: &mut CrashRun) {
        if run.hit.is_some() {
            return;
        }
        let end = self.first_open_of(entrant, run.next);
        for order in self.record.orders(run.next, end) {
            let Some((place, game)) = self.schedule.game_at(order) else { break };
            let (first, second) = self.schedule.seats(&place, game);
            let seat = match entrant {
                e if e == first => Seat::First,
                e if e == second => Seat::Second,
                _ => continue,
            };
            if let Some(counted) = self.record.counted(order) {
                run.count(order, counted.crashed(seat), &self.spec.event.crashes);
            }
            if run.hit.is_some() {
                break;
            }
        }
        run.next = end;
    }

    /// The first game of an engine, from a place in starting order on, that is neither finished nor set aside.
    fn first_open_of(&self, entrant: EntrantId, from: u64) -> u64 {
        let total = self.schedule.games();
        let mut order = from;
        loop {
            order = self.closed.next_absent(order);
            if order >= total {
                return total;
            }
            match self.schedule.game_at(order) {
                Some((place, _)) if place.pair.a != entrant && place.pair.b != entrant => order += 1,
                _ => return order,
            }
        }
    }
}
