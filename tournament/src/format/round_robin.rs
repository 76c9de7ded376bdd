//! A round robin: each against each, `cycles` times. Berger's tables for the roster that the event was opened with, in its
//! order or as drawn; who joins later meets all that are there, cycle by cycle, after all that was due before.

use super::{Field, Format, Layout, Schedule, pairs, seed};
use crate::{
    EntrantId, Fact,
    spec::{EventSpec, FormatSpec},
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
    fn newcomer(entrant: EntrantId, field: &Field, spec: &EventSpec, schedule: &mut Schedule) {
        // Who joined later than this one meets it by its own joining.
        let guests = field.present().filter(|&id| id < entrant).collect();
        schedule.push(Layout::Grid { hosts: vec![entrant], guests }, cycles(spec), pairs(&spec.format));
    }
}

impl Format for RoundRobin {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &EventSpec, schedule: &mut Schedule) {
        match fact {
            Fact::Opened { .. } => {
                let roster: Vec<_> = field.ids().collect();
                if matches!(spec.format, FormatSpec::RoundRobin { shuffled: true, .. }) {
                    self.undrawn = roster;
                } else {
                    schedule.push(Layout::berger(&roster), cycles(spec), pairs(&spec.format));
                }
            }
            Fact::Drawn { stage: 0, order, .. } if !self.undrawn.is_empty() => {
                self.undrawn.clear();
                schedule.push(Layout::berger(order), cycles(spec), pairs(&spec.format));
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
            Fact::Amended { .. } => schedule.widen(pairs(&spec.format)),
            _ => {}
        }
    }

    fn draw(&self, _field: &Field, seed: u64) -> Option<Fact> {
        if self.undrawn.is_empty() {
            return None;
        }
        Some(Fact::Drawn { stage: 0, round: 1, order: seed::shuffled(&self.undrawn, seed) })
    }
}

const fn cycles(spec: &EventSpec) -> u32 {
    match &spec.format {
        FormatSpec::RoundRobin { cycles, .. } => *cycles,
        _ => 1,
    }
}
