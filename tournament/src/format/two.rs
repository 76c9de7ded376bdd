//! A match: two engines, pair after pair. Entrant 1 has `First` in the first game of each pair.

use super::{Field, Format, Layout, Schedule, pairs};
use crate::{Fact, spec::EventSpec};

/// Two engines. Who joins later does not play.
#[derive(Debug)]
pub(super) struct Match;

impl Format for Match {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &EventSpec, schedule: &mut Schedule) {
        match fact {
            Fact::Opened { .. } => {
                let mut ids = field.ids();
                if let (Some(one), Some(other)) = (ids.next(), ids.next()) {
                    schedule.push(Layout::Duel(one, other), 1, pairs(&spec.format));
                }
            }
            Fact::Amended { .. } => schedule.widen(pairs(&spec.format)),
            _ => {}
        }
    }

    fn draw(&self, _field: &Field, _seed: u64) -> Option<Fact> {
        None
    }
}
