//! A gauntlet: one engine or several against all others, not against each other.

use super::{Entrant, Field, Format, Layout, Schedule, pairs};
use crate::{
    Fact,
    spec::{FormatSpec, Spec},
};

/// Some against all others. Who joins later meets all of the other kind, after all that was due before.
#[derive(Debug)]
pub(super) struct Gauntlet;

impl Format for Gauntlet {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &Spec, schedule: &mut Schedule) {
        let FormatSpec::Gauntlet { engines, cycles, .. } = &spec.event.format else { return };
        let is_host = |entrant: &Entrant| engines.contains(&entrant.engine);
        let side = |host: bool| field.present().filter(move |&id| field.get(id).is_some_and(|e| is_host(e) == host));
        match fact {
            Fact::Opened { .. } => {
                let layout = Layout::Grid { hosts: side(true).collect(), guests: side(false).collect() };
                schedule.push(layout, *cycles, pairs(&spec.event.format));
            }
            Fact::Joined { .. } => {
                let Some(entrant) = field.ids().last() else { return };
                let Some(host) = field.get(entrant).map(is_host) else { return };
                let guests = side(!host).filter(|&id| id != entrant).collect();
                schedule.push(Layout::Grid { hosts: vec![entrant], guests }, *cycles, pairs(&spec.event.format));
            }
            Fact::Amended { .. } => schedule.widen(pairs(&spec.event.format)),
            _ => {}
        }
    }
}
