//! What the hall does with orders, and with what its slots say.

use rookery_proto::v1::{
    self, AttemptPhase, DiscardReason, HandBackReason, HandedBack, RefusalReason, attach_request::Message,
};

use super::{AHEAD_PER_SLOT, Attempt, Effect, End, GameKey, Hall, OUTBOX_LIMIT, SlotShape};

impl SlotShape {
    fn fits(&self, needs: &v1::SlotNeeds) -> bool {
        let fits = self.cores >= needs.cores && self.memory_bytes >= needs.memory_bytes && self.gpus >= needs.gpus;
        fits && (!needs.exact || (self.cores == needs.cores && self.gpus == needs.gpus))
    }
}

impl Hall {
    pub(super) fn play(&mut self, order: u64, play: v1::Play, out: &mut Vec<Effect>) {
        let attempt = play.attempt;
        if self.attempts.contains_key(&attempt) || self.outbox.keys().any(|key| key.attempt == attempt) {
            return;
        }
        let needs = play.needs.clone().unwrap_or_default();
        let well_formed = play.games.iter().all(|game| game.id.is_some() && game.setup.is_some());
        let refusal = if self.draining {
            Some((RefusalReason::Draining, "draining".to_owned()))
        } else if play.games.is_empty() || !well_formed {
            Some((RefusalReason::NotUnderstood, "a game without id or setup".to_owned()))
        } else if !self.shapes.iter().any(|shape| shape.fits(&needs)) {
            let (cores, memory, gpus) = (needs.cores, needs.memory_bytes, needs.gpus);
            let exactly = if needs.exact { "exactly " } else { "" };
            let what = format!("no slot here has {exactly}{cores} cores, {memory} bytes of memory and {gpus} GPUs");
            Some((RefusalReason::NotUnderstood, what))
        } else if self.attempts.len() >= self.shapes.len() * (1 + AHEAD_PER_SLOT) || self.outbox.len() >= OUTBOX_LIMIT {
            Some((RefusalReason::NoCredit, format!("{} assignments are in hand", self.attempts.len())))
        } else {
            None
        };
        if let Some((reason, detail)) = refusal {
            return self.refuse(order, attempt, reason, detail, out);
        }
        self.attempts.insert(attempt, Attempt::new(play));
        self.waiting.push_back(attempt);
    }

    /// Gives idle slots to waiting attempts, first come first served; a slot larger than needed only where no smaller
    /// one fits.
    pub(super) fn start_waiting(&mut self, out: &mut Vec<Effect>) {
        let mut index = 0;
        while let Some(&number) = self.waiting.get(index) {
            let Some(attempt) = self.attempts.get(&number) else {
                self.waiting.remove(index);
                continue;
            };
            let needs = attempt.play.needs.clone().unwrap_or_default();
            let free = (0..self.shapes.len())
                .filter(|&slot| self.busy[slot].is_none() && self.shapes[slot].fits(&needs))
                .min_by_key(|&slot| (self.shapes[slot].cores, self.shapes[slot].memory_bytes, slot));
            let Some(slot) = free else {
                index += 1;
                continue;
            };
            self.waiting.remove(index);
            self.busy[slot] = Some(number);
            if let Some(attempt) = self.attempts.get_mut(&number) {
                attempt.slot = Some(slot);
            }
            self.start(number, out);
        }
    }

    fn start(&mut self, number: i64, out: &mut Vec<Effect>) {
        let Some(attempt) = self.attempts.get_mut(&number) else { return };
        let (Some(slot), Some(game)) = (attempt.slot, attempt.game().cloned()) else {
            return self.finish_attempt(number);
        };
        attempt.phase = AttemptPhase::Playing;
        attempt.ply = 0;
        out.push(Effect::Start {
            slot,
            game: Box::new(game),
            attempt: number,
            event: attempt.play.event.clone(),
            first_of_pair: attempt.next == 0,
            every_ply: attempt.play.every_ply,
        });
    }

    fn finish_attempt(&mut self, number: i64) {
        if let Some(attempt) = self.attempts.remove(&number)
            && let Some(slot) = attempt.slot
            && self.busy[slot] == Some(number)
        {
            self.busy[slot] = None;
        }
        self.waiting.retain(|&waiting| waiting != number);
    }

    pub(super) fn progress(&mut self, progress: v1::Progress, out: &mut Vec<Effect>) {
        let Some(attempt) = self.attempts.get_mut(&progress.attempt) else { return };
        if attempt.silent || attempt.game_id() != progress.game {
            return;
        }
        let told = progress.first_ply.saturating_add(u32::try_from(progress.plies.len()).unwrap_or(u32::MAX));
        attempt.ply = attempt.ply.max(told);
        self.send(Message::Progress(progress), out);
    }

    pub(super) fn ended(&mut self, slot: usize, end: End, out: &mut Vec<Effect>) {
        let Some(number) = self.busy.get(slot).copied().flatten() else { return };
        let Some(attempt) = self.attempts.get_mut(&number) else { return };
        if attempt.silent {
            return self.finish_attempt(number);
        }
        let Some(id) = attempt.game_id() else { return self.finish_attempt(number) };
        let key = GameKey::new(number, &id);
        match end {
            End::Finished(finished) => {
                attempt.next += 1;
                let more = attempt.next < attempt.play.games.len();
                let ask = attempt.play.ask_between;
                attempt.phase = if more && ask { AttemptPhase::Asking } else { AttemptPhase::Playing };
                self.post(key, Message::Finished(*finished), out);
                if !more {
                    self.finish_attempt(number);
                } else if self.draining {
                    // The rest of the pair goes back; what is finished stays finished.
                    self.hand_back_waiting(number, HandBackReason::Drained, "the worker drains", out);
                } else if !ask {
                    self.start(number, out);
                }
            }
            End::HandedBack(handed_back) => {
                self.finish_attempt(number);
                self.post(key, Message::HandedBack(*handed_back), out);
            }
        }
    }

    fn post(&mut self, key: GameKey, message: Message, out: &mut Vec<Effect>) {
        out.push(Effect::Keep(key.clone(), Box::new(message.clone())));
        self.send(message.clone(), out);
        self.outbox.insert(key, message);
    }

    fn hand_back_waiting(&mut self, number: i64, reason: HandBackReason, evidence: &str, out: &mut Vec<Effect>) {
        let Some(id) = self.attempts.get(&number).and_then(Attempt::game_id) else { return };
        self.finish_attempt(number);
        let message = HandedBack {
            attempt: number,
            game: Some(id.clone()),
            reason: reason.into(),
            evidence: evidence.to_owned(),
            ..HandedBack::default()
        };
        self.post(GameKey::new(number, &id), Message::HandedBack(message), out);
    }

    pub(super) fn cancel(&mut self, cancel: &v1::Cancel, out: &mut Vec<Effect>) {
        let number = cancel.attempt;
        let Some(attempt) = self.attempts.get_mut(&number) else { return };
        if let Some(game) = &cancel.game
            && attempt.game_id().as_ref() != Some(game)
        {
            // One of the games to come: it is not played.
            let next = attempt.next;
            let mut index = 0;
            attempt.play.games.retain(|order| {
                index += 1;
                index <= next || order.id.as_ref() != Some(game)
            });
            return;
        }
        match (attempt.phase, attempt.slot) {
            (AttemptPhase::Playing, Some(slot)) => {
                attempt.silent |= !cancel.hand_back;
                out.push(Effect::Interrupt { slot, reason: HandBackReason::Cancelled });
            }
            _ if cancel.hand_back => self.hand_back_waiting(number, HandBackReason::Cancelled, &cancel.reason, out),
            _ => self.finish_attempt(number),
        }
    }

    pub(super) fn recorded(&mut self, recorded: &v1::Recorded, out: &mut Vec<Effect>) {
        let Some(id) = &recorded.game else { return };
        self.forget(&GameKey::new(recorded.attempt, id), out);
        if self.attempts.get(&recorded.attempt).is_some_and(|a| a.phase == AttemptPhase::Asking) {
            if recorded.go_on {
                self.start(recorded.attempt, out);
            } else {
                self.finish_attempt(recorded.attempt);
            }
        }
    }

    pub(super) fn discarded(&mut self, discarded: &v1::Discarded, out: &mut Vec<Effect>) {
        let number = discarded.attempt;
        let keys: Vec<GameKey> = self
            .outbox
            .keys()
            .filter(|key| key.attempt == number && discarded.game.as_ref().is_none_or(|game| *game == key.id()))
            .cloned()
            .collect();
        for key in keys {
            self.forget(&key, out);
        }
        let over = discarded.game.is_none()
            || matches!(
                discarded.reason(),
                DiscardReason::AttemptOver | DiscardReason::NoEvent | DiscardReason::DoesNotReplay
            );
        if let Some(attempt) = self.attempts.get_mut(&number)
            && (over || attempt.phase == AttemptPhase::Asking)
        {
            match (attempt.phase, attempt.slot) {
                (AttemptPhase::Playing, Some(slot)) => {
                    attempt.silent = true;
                    out.push(Effect::Interrupt { slot, reason: HandBackReason::Cancelled });
                }
                _ => self.finish_attempt(number),
            }
        }
    }

    fn forget(&mut self, key: &GameKey, out: &mut Vec<Effect>) {
        if self.outbox.remove(key).is_some() {
            out.push(Effect::Forget(key.clone()));
        }
    }

    pub(super) fn follow(&mut self, follow: &v1::Follow, out: &mut Vec<Effect>) {
        let playing = |a: &&Attempt| a.phase == AttemptPhase::Playing && a.game_id() == follow.game;
        if let Some(slot) = self.attempts.values().find(playing).and_then(|a| a.slot) {
            out.push(Effect::Follow { slot, for_ms: follow.for_ms });
        }
    }

    pub(super) fn drain(&mut self, drain: &v1::Drain, out: &mut Vec<Effect>) {
        if drain.undo {
            self.draining = self.leaving;
            return self.beat(out);
        }
        self.leaving |= drain.exit;
        self.drain_for(drain.grace_ms, out);
    }

    pub(super) fn leave(&mut self, grace_ms: u64, out: &mut Vec<Effect>) {
        self.leaving = true;
        self.drain_for(grace_ms, out);
    }

    fn drain_for(&mut self, grace_ms: u64, out: &mut Vec<Effect>) {
        self.draining = true;
        let idle: Vec<i64> =
            self.attempts.iter().filter(|(_, a)| a.phase != AttemptPhase::Playing).map(|(&number, _)| number).collect();
        for number in idle {
            self.hand_back_waiting(number, HandBackReason::Drained, "the worker drains", out);
        }
        if grace_ms == 0 {
            self.interrupt_all(HandBackReason::Drained, out);
        } else if !self.attempts.is_empty() {
            out.push(Effect::WakeAfter(grace_ms));
        }
        self.beat(out);
    }

    pub(super) fn interrupt_all(&mut self, reason: HandBackReason, out: &mut Vec<Effect>) {
        for attempt in self.attempts.values() {
            if let (AttemptPhase::Playing, Some(slot)) = (attempt.phase, attempt.slot) {
                out.push(Effect::Interrupt { slot, reason });
            }
        }
    }

    pub(super) fn drop_all(&mut self, out: &mut Vec<Effect>) {
        let numbers: Vec<i64> = self.attempts.keys().copied().collect();
        for number in numbers {
            match self.attempts.get_mut(&number) {
                Some(attempt) if attempt.phase == AttemptPhase::Playing => {
                    attempt.silent = true;
                    if let Some(slot) = attempt.slot {
                        out.push(Effect::Interrupt { slot, reason: HandBackReason::Cancelled });
                    }
                }
                _ => self.finish_attempt(number),
            }
        }
        for key in self.outbox.keys().cloned().collect::<Vec<_>>() {
            self.forget(&key, out);
        }
    }
}
