//! Why a game waits, runs or ended, and who decided.

use rookery_tournament::{Fact, GameId, PairId, event::Phase, format::Want};

use super::{Answer, Core, Denied, state::EventState};

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
        let summary = state.summary_of(uid, game, None);
        let mut lines = Vec::new();
        let known = state.pairs.get(&game.pair);
        if let Some(stored) = state.results.get(game) {
            let entry = &stored.entry;
            let fault = match entry.fault {
                Some(rookery_game::Seat::First) => format!(", {} at fault", summary.first),
                Some(rookery_game::Seat::Second) => format!(", {} at fault", summary.second),
                None => String::new(),
            };
            lines.push(format!(
                "on record: {} by {}{fault}, {} plies, worker {}, attempt {}",
                entry.result.as_str(),
                ending(entry.ending),
                entry.plies,
                entry.worker,
                stored.attempt
            ));
        } else if let Some(hand) = known.and_then(|known| known.hand.as_ref()).filter(|_| state.in_play(game)) {
            if hand.attempt == 0 {
                lines.push(format!("being handed out to worker {}", hand.worker));
            } else {
                let ply = hand.running.get(game).map_or(0, |running| running.ply);
                let worker = &hand.worker;
                lines.push(format!("attempt {} with worker {worker}, at ply {ply}", hand.attempt));
                if self.workers.get(worker).is_none_or(|known| known.session.is_none()) {
                    lines.push(format!("worker {worker} is not attached; it has a grace to come back"));
                }
            }
            if hand.asked_back {
                lines.push("it was asked back".to_owned());
            }
            if hand.recording.contains(game) {
                lines.push("finished; its record is on its way to the archive and the store".to_owned());
            }
        } else {
            lines.extend(self.why_waits(uid, state, game));
        }
        let decisions = state.decisions.get(game);
        if let Some(kept) = state.kept.get(game) {
            // What another leader decided stands in the game's notes alone.
            let here = |text: &String| decisions.is_some_and(|decisions| decisions.contains(text));
            lines.extend(kept.notes.iter().map(|note| note.text.clone()).filter(|text| !here(text)));
        }
        if let Some(decisions) = decisions {
            let rule = state.event.spec().event.interruption.name();
            for line in decisions {
                lines.push(format!("interruption, rule `{rule}`: {line}"));
            }
        }
        if let Some(known) = known {
            if known.broken > 0 {
                lines.push(format!("{} attempts at its pair broke", known.broken));
            }
            if !known.last_error.is_empty() {
                lines.push(format!("last error: {}", known.last_error));
            }
        }
        lines.extend(state.facts.iter().filter(|fact| touches(&fact.fact, game)).map(|fact| {
            let kind = state.fact_word(&fact.fact);
            let reason = if fact.reason.is_empty() { String::new() } else { format!(": {}", fact.reason) };
            format!("{kind} by {}{reason}", fact.by)
        }));
        let location = state.results.location(game);
        Ok(Answer::Explained(Box::new(summary), lines, location, self.last_lines.of(uid, game)))
    }

    fn why_waits(&self, uid: &str, state: &EventState, game: &GameId) -> Vec<String> {
        if state.voided(game) {
            return vec!["this take counts nowhere".to_owned()];
        }
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

impl EventState {
    fn fact_word(&self, fact: &Fact) -> String {
        match fact {
            Fact::Ruled { result, .. } => format!("ruled {}", result.as_str()),
            Fact::Imported { .. } => "played elsewhere: the ladder's state was imported".to_owned(),
            Fact::Voided { .. } => "voided".to_owned(),
            Fact::Replay { .. } => "to be replayed".to_owned(),
            Fact::SetAside { error, .. } => format!("set aside ({error})"),
            Fact::Retried { .. } => "due again".to_owned(),
            Fact::Stopped { why, .. } => format!("event stopped ({why})"),
            Fact::Withdrawn { entrant, keep_games } => {
                let games = if *keep_games { "its games count" } else { "its games do not count" };
                format!("{} withdrawn ({games})", self.engine_name(*entrant))
            }
            _ => String::new(),
        }
    }
}

fn touches(fact: &Fact, game: &GameId) -> bool {
    match fact {
        Fact::Ruled { game: of, .. } => of == game,
        Fact::Imported { facts, .. } => facts.iter().any(|fact| touches(fact, game)),
        Fact::Voided { games } | Fact::Replay { games } => games.contains(game),
        Fact::SetAside { pairs, .. } | Fact::Retried { pairs } => pairs.contains(&game.pair),
        Fact::Stopped { encounter: None, .. } => true,
        Fact::Withdrawn { entrant, .. } => [game.pair.a, game.pair.b].contains(entrant),
        Fact::Stopped { encounter: Some((a, b)), .. } => {
            (game.pair.a, game.pair.b) == (*a, *b) || (game.pair.a, game.pair.b) == (*b, *a)
        }
        _ => false,
    }
}

/// An ending as the wire names it, in words: `time loss`.
fn ending(ending: rookery_game::Ending) -> String {
    let name = crate::wire::ending(ending).as_str_name().strip_prefix("ENDING_").unwrap_or_default();
    name.to_ascii_lowercase().replace('_', " ")
}
