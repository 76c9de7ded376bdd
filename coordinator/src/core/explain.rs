//! Why a game waits, runs or ended, and who decided.

use rookery_tournament::{GameId, PairId, event::Phase, format::Want};

use super::{Answer, Core, Denied, Explained, state::EventState, story::attempt_words};

impl Core {
    /// Why a due pair is with nobody: what each worker lacks. Empty where a worker would take it.
    pub(super) fn why_not_placed(&self, uid: &str, state: &EventState, pair: PairId) -> Vec<String> {
        let Some(needs) = self.needs(state, pair) else {
            return vec!["its engines are not in the roster".to_owned()];
        };
        if self.writes.full_until_ns > self.now.mono_ns {
            return vec!["the store is full".to_owned()];
        }
        if self.workers.is_empty() {
            return vec!["a worker: none is attached".to_owned()];
        }
        let mut reasons = Vec::new();
        let mut busy = 0_usize;
        for (id, worker) in &self.workers {
            if let Some(entry) = self.drained(id) {
                reasons.push(format!("worker {id} is drained by {}: {}", entry.by, entry.reason));
                continue;
            }
            match (worker.fits(uid, &needs), worker.takes()) {
                (Ok(classes), Ok(())) => {
                    let room = |class: &usize| {
                        worker.hello.slots.get(*class).is_some_and(|shape| worker.load(*class) < 2 * shape.count)
                    };
                    if classes.iter().any(room) {
                        return Vec::new();
                    }
                    busy += 1;
                }
                (Err(why), _) => reasons.push(format!("worker {id} {why}")),
                (_, Err(why)) => reasons.push(format!("worker {id} {why}")),
            }
        }
        if busy > 0 {
            reasons.insert(0, format!("a free slot: {busy} workers that can play it are busy"));
        }
        reasons.truncate(50);
        reasons
    }

    pub(super) fn explain(&self, uid: &str, game: &GameId) -> Result<Answer, Denied> {
        let state = self.events.get(uid).ok_or_else(|| Denied::NotFound(format!("no event `{uid}`")))?;
        let story = state.story(game, self.stands_now(uid, state, game));
        let explained = Explained {
            summary: state.summary_of(uid, game, None),
            location: state.results.location(game),
            interrupted: self.last_lines.of(uid, game),
            story,
        };
        let lines = explained.story.lines(&explained.interrupted, None);
        Ok(Answer::Explained(Box::new(explained), lines))
    }

    /// How it stands with a take that is not on record, or counts nowhere.
    fn stands_now(&self, uid: &str, state: &EventState, game: &GameId) -> Vec<String> {
        if state.voided(game) {
            let last = state.event.order(game).and_then(|order| state.event.game_at(order)).map(|due| due.id.take);
            let next = last.filter(|last| *last > game.take).map(|last| format!("; take {last} does, or is due"));
            return vec![format!("this take counts nowhere{}", next.unwrap_or_default())];
        }
        if state.results.contains_key(game) || state.event.ruling(game).is_some() {
            return Vec::new();
        }
        let known = state.pairs.get(&game.pair);
        let Some(hand) = known.and_then(|known| known.hand.as_ref()).filter(|_| state.in_play(game)) else {
            return self.why_waits(uid, state, game);
        };
        let worker = &hand.worker;
        if hand.attempt == 0 {
            return vec![format!("being handed out to worker {worker}")];
        }
        let ply = hand.running.get(game).map_or(0, |running| running.ply);
        let attempt = attempt_words(known.map_or(0, |known| known.nth), hand.attempt);
        let mut lines = vec![format!("{attempt} with worker {worker}, at ply {ply}")];
        if self.workers.get(worker).is_none_or(|known| known.session.is_none()) {
            lines.push(format!("worker {worker} is not attached; it has a grace to come back"));
        }
        if hand.asked_back {
            lines.push("it was asked back".to_owned());
        }
        if hand.recording.contains(game) {
            lines.push("finished; its record is on its way to the archive and the store".to_owned());
        }
        lines
    }

    fn why_waits(&self, uid: &str, state: &EventState, game: &GameId) -> Vec<String> {
        if let Some(error) = state.set_aside.get(&game.pair) {
            return vec![format!("set aside, a person is asked: {error}")];
        }
        match state.event.phase() {
            Phase::Paused => return vec!["waits: the event is paused".to_owned()],
            Phase::Stopped => return vec!["not played: the event was stopped".to_owned()],
            Phase::Finished => return vec!["not played: the event is finished".to_owned()],
            _ => {}
        }
        let aside = state.event.engines_aside().find(|(engine, _)| [game.pair.a, game.pair.b].contains(engine));
        if let Some((engine, error)) = aside {
            return vec![format!("{} is set aside, a person is asked: {error}", state.engine_name(engine))];
        }
        if let Want::No(why) = state.event.wants(game) {
            return vec![format!("not wanted: {why}")];
        }
        if let Some(why) = state.waits_for_start(self.now.unix_ms) {
            return vec![format!("waits for {why}")];
        }
        let asked = [game.pair.a, game.pair.b].iter().find_map(|entrant| state.asked.get(entrant));
        if let Some(question) = asked.or_else(|| state.asked.values().next().filter(|_| state.waits_for_builds())) {
            return vec![format!("waits for a person: {question}")];
        }
        let reasons = self.why_not_placed(uid, state, game.pair);
        if reasons.is_empty() {
            return vec!["waits for its turn in starting order".to_owned()];
        }
        reasons.into_iter().map(|why| format!("waits: {why}")).collect()
    }
}
