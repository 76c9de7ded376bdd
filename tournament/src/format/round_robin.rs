//! A round robin: each against each, `cycles` times. Berger's tables for the roster that the event was opened with, in its
//! order or as drawn; who joins later meets all that are there, cycle by cycle, after all that was due before.

use super::{Draw, Field, Format, Layout, Schedule, pairs, seed};
use crate::{
    EntrantId, Fact,
    event::{View, games_total},
    spec::{FormatSpec, Spec},
};

/// Each against each.
#[derive(Debug, Default)]
pub(super) struct RoundRobin {
    /// Who opened the event, while their shuffle is not on record.
    undrawn: Vec<EntrantId>,
    /// Who joined while it was not.
    waiting: Vec<EntrantId>,
}

impl RoundRobin {
    fn newcomer(entrant: EntrantId, field: &Field, spec: &Spec, schedule: &mut Schedule) {
        // Who joined later than this one meets it by its own joining.
        let guests = field.present().filter(|&id| id < entrant).collect();
        schedule.push(Layout::Grid { hosts: vec![entrant], guests }, cycles(spec), pairs(&spec.event.format));
    }
}

impl Format for RoundRobin {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &Spec, schedule: &mut Schedule) {
        match fact {
            Fact::Opened { .. } => {
                let roster: Vec<_> = field.ids().collect();
                if matches!(spec.event.format, FormatSpec::RoundRobin { shuffled: true, .. }) {
                    self.undrawn = roster;
                } else {
                    schedule.push(layout(spec, &roster), cycles(spec), pairs(&spec.event.format));
                }
            }
            Fact::Drawn { stage: 0, order, .. } if !self.undrawn.is_empty() => {
                self.undrawn.clear();
                schedule.push(layout(spec, order), cycles(spec), pairs(&spec.event.format));
                for entrant in std::mem::take(&mut self.waiting) {
                    Self::newcomer(entrant, field, spec, schedule);
                }
            }
            Fact::Joined { .. } => {
                let Some(entrant) = field.ids().last() else { return };
                if self.undrawn.is_empty() {
                    Self::newcomer(entrant, field, spec, schedule);
                } else {
                    self.waiting.push(entrant);
                }
            }
            Fact::Amended { .. } => schedule.widen(pairs(&spec.event.format)),
            _ => {}
        }
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        if self.undrawn.is_empty() {
            return Draw::default();
        }
        Draw::of(0, 1, seed::shuffled(&self.undrawn, view.seed()))
    }

    fn games_to_come(&self, view: &View<'_>) -> u64 {
        if self.undrawn.is_empty() { 0 } else { games_total(view.spec(), self.undrawn.len() as u32) }
    }
}

fn layout(spec: &Spec, order: &[EntrantId]) -> Layout {
    match spec.event.format {
        FormatSpec::RoundRobin { lower_first: true, .. } => Layout::lower_first(order),
        _ => Layout::berger(order),
    }
}

const fn cycles(spec: &Spec) -> u32 {
    match &spec.event.format {
        FormatSpec::RoundRobin { cycles, .. } => *cycles,
        _ => 1,
    }
}
