//! What people ask of an event: phase, progress, tables.

use std::collections::BTreeMap;

use rookery_game::Seat;

use super::{Event, Phase, Progress, View};
use crate::{
    EntrantId,
    format::Draw,
    rating::Games,
    spec::asks_about_ties,
    standings::{self, Cell, Crosstable, Standings},
};

/// Lines of questions at most; the rest is counted.
const MAX_QUESTIONS: usize = 20;
/// Results in a cell of the crosstable at most: the last ones.
const MAX_SEQUENCE: usize = 64;

impl Event {
    /// How far it is.
    #[must_use]
    pub fn phase(&self) -> Phase {
        if self.is_closed() {
            return Phase::Stopped;
        }
        if self.all_played() {
            let ties = self.ties();
            return if ties.is_empty() { Phase::Finished } else { Phase::Asking(ties) };
        }
        if self.paused {
            return Phase::Paused;
        }
        let mut questions: Vec<String> = self.next_draw().question.into_iter().collect();
        questions.append(&mut self.questions());
        if questions.is_empty() { Phase::Running } else { Phase::Asking(questions) }
    }

    /// Whether no game is due any more and none will be drawn, whatever a person is asked.
    #[must_use]
    pub fn all_played(&self) -> bool {
        let scheduled = self.schedule.games() > 0 && self.done.next_absent(0) >= self.schedule.games();
        scheduled && self.next_draw() == Draw::default()
    }

    /// What the format draws next.
    pub(super) fn next_draw(&self) -> Draw {
        if self.is_closed() || self.stopped_at().is_some() {
            return Draw::default();
        }
        self.format.draw(&View::new(self))
    }

    /// Whether a person closed it.
    pub(super) fn is_closed(&self) -> bool {
        self.stops.iter().any(|s| s.encounter.is_none() && s.last.is_none())
    }

    /// Ties among the entrants present that the tie-breaks leave to a person or to games, one line each.
    fn ties(&self) -> Vec<String> {
        if !asks_about_ties(&self.spec.event.tie_breaks) {
            return Vec::new();
        }
        let standings = self.standings();
        let played = self.spec.event.tie_breaks.last().is_some_and(|last| last == "played");
        let ask = |group: &Vec<EntrantId>| {
            let present = |id: &&EntrantId| self.is_withdrawn(**id).is_none();
            let names: Vec<&str> =
                group.iter().filter(present).filter_map(|id| self.field.get(*id)).map(|e| e.engine.as_str()).collect();
            if names.len() < 2 {
                return None;
            }
            let place = standings.lines.iter().find(|line| line.entrant == group.first().copied())?.place;
            let to = if played { "games are to decide" } else { "a person is to decide" };
            Some(format!("{} are level on all tie-breaks (place {place}): {to}, then `rank`", names.join(", ")))
        };
        standings.undecided.iter().filter_map(ask).take(MAX_QUESTIONS).collect()
    }

    fn questions(&self) -> Vec<String> {
        let engines =
            self.aside_engines.iter().filter(|(id, _)| self.is_withdrawn(**id).is_none()).map(|(id, aside)| {
                let engine = self.field.get(*id).map_or("?", |e| e.engine.as_str());
                let what = if aside.event { "stopped the event" } else { "is set aside" };
                format!("{engine} {what}: {}", aside.error)
            });
        let open = |pair: &crate::PairId| {
            self.schedule.find(pair).is_some_and(|place| {
                (1..=self.schedule.games_per_pair()).any(|g| !self.done.contains(self.schedule.order(&place, g)))
            })
        };
        let pairs = self.aside_pairs.iter().filter(|(pair, _)| open(pair));
        let mut lines: Vec<_> = engines
            .chain(pairs.map(|(pair, error)| format!("pair {pair} is set aside: {error}")))
            .take(MAX_QUESTIONS + 1)
            .collect();
        if lines.len() > MAX_QUESTIONS {
            lines.truncate(MAX_QUESTIONS);
            lines.push("and more".to_owned());
        }
        lines
    }

    /// Numbers for a progress line.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let done = self.tally.games();
        let open = self.schedule.games().saturating_sub(self.done.len());
        let to_come = if self.stopped_at().is_some() { 0 } else { self.format.games_to_come(&View::new(self)) };
        Progress {
            done,
            total: done + open + to_come,
            surplus: self.surplus,
            voided: self.record.voided() + self.excluded,
        }
    }

    /// The state of the stop rule, one line: `SPRT llr 1.23 (-2.94, 2.94)`; empty without one.
    #[must_use]
    pub fn stop_line(&self) -> String {
        self.sprt().map_or_else(String::new, |sprt| sprt.line(&self.run.counts))
    }

    /// The score table.
    #[must_use]
    pub fn standings(&self) -> Standings {
        let names: Vec<_> = self.field.entrants.iter().map(|e| e.engine.as_str()).collect();
        let mut standings = standings::rank(&names, &self.tally, &self.spec.event.tie_breaks, &self.rulings);
        if let Some(order) = self.format.ranking(&View::new(self)) {
            standings.reorder(&order);
        }
        standings
    }

    /// All that counts, for a rating list.
    #[must_use]
    pub fn rating_games(&self) -> Games {
        self.tally.rating_games(|entrant| self.field.get(entrant).map_or_else(String::new, |e| e.engine.clone()))
    }

    /// Points of each against each.
    #[must_use]
    pub fn crosstable(&self) -> Crosstable {
        let standings = self.standings();
        let ids: Vec<_> = standings.lines.iter().filter_map(|line| line.entrant).collect();
        let row_of: BTreeMap<EntrantId, usize> = ids.iter().enumerate().map(|(row, &id)| (id, row)).collect();
        let mut cells = vec![vec![Cell::default(); ids.len()]; ids.len()];
        for (a, row) in &row_of {
            for (b, column) in &row_of {
                let (wins, draws, losses) = self.tally.against(*a, *b);
                cells[*row][*column] = Cell { wins, draws, losses, sequence: String::new() };
            }
        }
        let length = |cell: &Cell| MAX_SEQUENCE.min((cell.wins + cell.draws + cell.losses) as usize);
        let mut missing: usize = cells.iter().flatten().map(length).sum();
        // From the end, so that each cell keeps its last ones.
        for order in (0..self.schedule.games()).rev() {
            if missing == 0 {
                break;
            }
            if !self.done.contains(order) {
                continue;
            }
            let Some((place, game)) = self.schedule.game_at(order) else { continue };
            if self.is_surplus(&place, game) || self.is_excluded(&place.pair) {
                continue;
            }
            let Some(counted) = self.record.counted(order) else { continue };
            let (first, second) = self.schedule.seats(&place, game);
            for (own, other, seat) in [(first, second, Seat::First), (second, first, Seat::Second)] {
                let (Some(&row), Some(&column)) = (row_of.get(&own), row_of.get(&other)) else { continue };
                let sequence = &mut cells[row][column].sequence;
                if sequence.len() < MAX_SEQUENCE {
                    missing = missing.saturating_sub(1);
                    sequence.push(['0', '=', '1'][counted.result.half_points(seat).min(2) as usize]);
                }
            }
        }
        for cell in cells.iter_mut().flatten() {
            cell.sequence = cell.sequence.chars().rev().collect();
        }
        Crosstable {
            engines: standings.lines.iter().map(|line| line.engine.clone()).collect(),
            half_points: standings.lines.iter().map(|line| line.half_points).collect(),
            cells,
        }
    }
}
