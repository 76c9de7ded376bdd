//! A person's order of those whom the tie-breaks leave level.

use super::Event;
use crate::{EntrantId, Fact, standings};

impl Event {
    /// The fact by which a person orders engines, best first, that are level on all tie-breaks.
    ///
    /// # Errors
    /// One line for people: an engine is not in the event or named twice, games are still to be played, or these are not
    /// all that share a place.
    pub fn ranked(&self, engines: &[String]) -> Result<Fact, String> {
        let mut order: Vec<EntrantId> = Vec::new();
        for engine in engines {
            let id = self.field.find(engine).ok_or_else(|| format!("no engine `{engine}` in this event"))?;
            if order.contains(&id) {
                return Err(format!("`{engine}` stands here twice"));
            }
            order.push(id);
        }
        if order.len() < 2 {
            return Err("an order has two engines or more, best first".to_owned());
        }
        if !self.all_played() {
            return Err("games are still to be played: the order may yet follow from them".to_owned());
        }
        let names: Vec<_> = self.field.entrants.iter().map(|e| e.engine.as_str()).collect();
        // A ruling may be ruled over: what counts is who was level before any.
        let table = standings::rank(&names, &self.tally, &self.spec.event.tie_breaks, &[]);
        let place = |id: EntrantId| table.lines.iter().find(|line| line.entrant == Some(id)).map(|line| line.place);
        let first = place(order[0]);
        if let Some((at, _)) = order.iter().enumerate().find(|&(_, &id)| place(id) != first) {
            let why = table.why(&engines[0], &engines[at]).unwrap_or_default();
            return Err(format!("`{}` and `{}` are not level: {why}", engines[0], engines[at]));
        }
        let level = self.field.present().filter(|&id| place(id) == first);
        let missing: Vec<&str> = level
            .filter(|id| !order.contains(id))
            .filter_map(|id| self.field.get(id))
            .map(|entrant| entrant.engine.as_str())
            .collect();
        if missing.is_empty() {
            Ok(Fact::Ranked { order })
        } else {
            Err(format!("level with these are also: {}", missing.join(", ")))
        }
    }
}
