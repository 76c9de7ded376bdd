//! One seed: faults, healing, and then it must end.

use crate::{
    expect,
    node::Node,
    operator::UID,
    world::{Event, SECOND, World},
};
use rookery_coordinator::core::{Answer, Request};
use rookery_tournament::event::Phase;

/// Within so long after healing all must be done.
const LIVENESS: u64 = 1_500 * SECOND;

/// How long the archive may take to hear of what is on record.
const SETTLES: u64 = 20 * SECOND;

/// How a seed went.
pub(crate) struct Run {
    pub(crate) broken: Option<String>,
    /// Of all that happened.
    pub(crate) digest: u64,
    pub(crate) events: u64,
    pub(crate) ended: u64,
    pub(crate) lines: Vec<String>,
}

/// Plays one seed; `kept`: its history is kept.
pub(crate) fn run(seed: u64, kept: bool) -> Run {
    let mut world = World::new(seed, kept);
    world.begin();
    while world.step() {}
    if world.broken.is_none() && !world.watch.ended {
        world.fail("ends: nothing happens any more".to_owned());
    }
    Run {
        broken: world.broken.take(),
        digest: world.history.digest,
        events: world.history.events,
        ended: world.now,
        lines: world.history.lines().to_vec(),
    }
}

impl World {
    /// Once a second: is a game explained, is all done?
    pub(crate) fn look_around(&mut self) {
        let outcome = self.explains_one();
        self.check(outcome);
        if self.now > self.faults.until {
            // Whoever was asked to leave before comes back.
            (0..self.workers.len()).for_each(|worker| self.start_worker(worker));
            let over = self.is_over();
            self.over_since = if over { self.over_since.or(Some(self.now)) } else { None };
            // A little later, so that the archive has been told what became of the last records.
            if self.over_since.is_some_and(|since| since + SETTLES <= self.now) {
                self.note(|| "OVER".to_owned());
                self.watch_end();
                self.watch.ended = true;
                self.stop();
                return;
            }
            if self.now > self.faults.until + LIVENESS {
                let why = self.why_not_over();
                return self.fail(format!("ends: it does not: {why}"));
            }
        }
        self.push(self.now + SECOND, Event::Look);
    }

    fn is_over(&self) -> bool {
        let left = self.store.range("/rookery/v1/live/").next().is_some();
        if left || !self.operator.is_done() || !self.workers.iter().all(super::worker::Worker::is_idle) {
            return false;
        }
        let last = self.shape.season.as_ref().and_then(|season| season.events.last());
        let is_last = last.is_none_or(|event| self.watch.uid == format!("{UID}-{}", event.name));
        is_last && matches!(self.watch.event.phase(), Phase::Finished | Phase::Stopped)
    }

    fn why_not_over(&mut self) -> String {
        let mut lines = vec![format!("operator's: {}", self.operator.open())];
        let left: Vec<String> = self.store.range("/rookery/v1/live/").map(|(key, _)| key.clone()).take(5).collect();
        lines.push(format!("live: {}", left.join(" ")));
        for (index, worker) in self.workers.iter().enumerate().filter(|(_, worker)| !worker.is_idle()) {
            let (alive, outbox) = (worker.alive, worker.outbox.len());
            lines.push(format!("w{index} alive {alive}, outbox {outbox}, playing {}", worker.hall.playing()));
        }
        let Some(node) = self.nodes.iter().position(Node::leads) else {
            lines.push("nobody leads".to_owned());
            return lines.join("\n  ");
        };
        if let Ok(Answer::Event(summary, _)) = self.look(node, Request::Event(self.watch.uid.clone())) {
            lines.push(format!(
                "{:?} {} of {}, {:?}, waits for `{}`",
                summary.phase(),
                summary.games_done,
                summary.games_total,
                summary.questions,
                summary.waits_for
            ));
        }
        if let Ok(Answer::Alarms(alarms)) = self.look(node, Request::Alarms) {
            lines.extend(alarms);
        }
        let mut games = expect::games(&self.watch.event);
        games.retain(|game| !self.watch.ledger.results.contains_key(&game.id));
        for game in games.into_iter().take(5) {
            let request = Request::Explain { event: self.watch.uid.clone(), game: game.id.to_string() };
            if let Ok(Answer::Explained(_, why, ..)) = self.look(node, request) {
                lines.push(format!("{}: {}", game.id, why.join("; ")));
            }
        }
        lines.join("\n  ")
    }
}
