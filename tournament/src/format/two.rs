//! A match: two engines, pair after pair. Where they are level at the end, the spec may ask for more: a number of pairs,
//! all of them played, then single pairs until one is decided (TCEC §7.5, §7.6).

use super::{Batch, Draw, Field, Format, Layout, MAX_ROUNDS, Schedule, pairs};
use crate::{
    EntrantId, Fact,
    event::View,
    spec::{FormatSpec, MatchRules, Spec},
};

/// Games after a level match have a stage of their own.
const TIE_BREAK: u8 = 1;

/// Two engines. Who joins later does not play.
#[derive(Debug, Default)]
pub(super) struct Match {
    /// The one that has `First` in the first game of each pair, and the other.
    two: Option<(EntrantId, EntrantId)>,
    /// Draws after a level match.
    rounds: u16,
    /// Openings that were drawn for them.
    openings: u64,
}

fn rules(spec: &Spec) -> MatchRules {
    match &spec.event.format {
        FormatSpec::Match { rules, .. } => *rules,
        _ => MatchRules::default(),
    }
}

/// Pairs of a draw after a level match: those that the spec says, then one at a time.
fn pairs_after(rules: MatchRules, round: u16) -> u32 {
    rules.when_level.filter(|&pairs| round == 1 && pairs > 0).unwrap_or(1)
}

impl Match {
    /// Who won, by the first part that was not level; `None` where all are, or where one is not finished.
    fn winner(&self, view: &View<'_>) -> Option<(EntrantId, EntrantId)> {
        let (one, other) = self.two?;
        match (view.is_present(one), view.is_present(other)) {
            (true, false) => return Some((one, other)),
            (false, true) => return Some((other, one)),
            _ => {}
        }
        let parts = std::iter::once((0, 1)).chain((1..=self.rounds).map(|round| (TIE_BREAK, round)));
        for (stage, round) in parts {
            let score = view.score(stage, round, 1, one, other);
            if score.open > 0 {
                return None;
            }
            if !score.is_level() {
                return Some(if score.points[0] > score.points[1] { (one, other) } else { (other, one) });
            }
        }
        None
    }
}

impl Format for Match {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &Spec, schedule: &mut Schedule) {
        let rules = rules(spec);
        let batch = |stage, round, label, two, pairs, openings| Batch {
            stage,
            round,
            label,
            layout: Layout::list(&[two]),
            pairs,
            from: 0,
            decides: stage == 0,
            at: None,
            openings,
        };
        match fact {
            Fact::Opened { .. } => {
                let mut ids = field.ids();
                let (Some(one), Some(other)) = (ids.next(), ids.next()) else { return };
                let two = if rules.second_begins { (other, one) } else { (one, other) };
                self.two = Some(two);
                let pairs = pairs(&spec.event.format);
                if rules.stop {
                    schedule.draw(batch(0, 1, 1, two, pairs, Vec::new()));
                } else {
                    schedule.push(Layout::Duel(two.0, two.1), 1, pairs);
                }
            }
            Fact::Drawn { stage: TIE_BREAK, round, openings, .. } if *round == self.rounds + 1 => {
                let Some(two) = self.two else { return };
                self.rounds = *round;
                // Without an early stop each pair before is a round of its own.
                let before = if rules.stop { 1 } else { u64::from(pairs(&spec.event.format)) };
                self.openings += openings.len() as u64;
                let label = before + u64::from(*round);
                schedule.draw(batch(TIE_BREAK, *round, label, two, pairs_after(rules, *round), openings.clone()));
            }
            Fact::Amended { .. } if spec.event.format.widens() => schedule.widen(pairs(&spec.event.format)),
            _ => {}
        }
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        let Some((one, other)) = self.two else { return Draw::default() };
        let over = rules(view.spec()).when_level.is_none() || !view.is_complete() || self.winner(view).is_some();
        if over || !view.is_present(one) {
            return Draw::default();
        }
        if self.rounds >= MAX_ROUNDS {
            return Draw::ask("the match is still level, and no more pairs can be drawn");
        }
        let round = self.rounds + 1;
        let openings = view.level_openings(self.openings, pairs_after(rules(view.spec()), round));
        Draw::with_openings(TIE_BREAK, round, vec![one, other], openings)
    }

    fn ranking(&self, view: &View<'_>) -> Option<Vec<Vec<EntrantId>>> {
        if self.rounds == 0 {
            return None;
        }
        let (winner, loser) = self.winner(view)?;
        Some(vec![vec![winner], vec![loser]])
    }

    fn closed_to_newcomers(&self) -> Option<&'static str> {
        Some("a match is between two engines")
    }
}
