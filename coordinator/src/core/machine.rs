//! One input in, all its effects out.

use super::{Core, Denied, Effect, Input, Now, limits};

impl Core {
    /// Takes one input and says what is to be done outside, in order.
    pub fn handle(&mut self, now: Now, input: Input) -> Vec<Effect> {
        self.now.mono_ns = self.now.mono_ns.max(now.mono_ns);
        self.now.unix_ms = now.unix_ms;
        match input {
            Input::Lead { since, store_id, loaded } => self.take_lead(since, store_id, *loaded),
            Input::Deposed => self.step_down(),
            Input::Attached { session, hello } => self.attached(session, *hello),
            Input::Asked { ask, .. } if self.lead.is_none() => {
                self.out.push(Effect::Answer { ask, answer: Err(Denied::NotLeader) });
            }
            _ if self.lead.is_none() => {}
            Input::Said { session, message } => self.said(session, *message),
            Input::Gone { session } => self.gone(session),
            Input::Committed { ticket, outcome } => self.committed(ticket, outcome),
            Input::Archived { ticket, outcome } => self.archived(ticket, outcome),
            Input::BookLoaded { digest, outcome } => self.book_loaded(&digest, &outcome),
            Input::Space { used, quota } => self.space(used, quota),
            Input::Asked { ask, request } => self.asked(ask, *request),
            Input::Tick => self.tick(),
        }
        if self.lead.is_some() {
            // A write that makes no sense any more when it is to leave can make others due.
            for _ in 0..limits::ROUNDS {
                self.settle();
                self.hand_out();
                self.flush_archive();
                self.flush();
                if !self.offer && self.dirty.is_empty() {
                    break;
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    /// The last fifth of the store is for results and elections alone.
    fn space(&mut self, used: u64, quota: u64) {
        if used < quota / 100 * limits::SPACE_PERCENT || quota == 0 {
            self.alarms.remove("space");
            return;
        }
        let text = format!(
            "the store uses {} of {} MiB: nothing is handed out and no checkpoint is stored until there is room",
            used >> 20,
            quota >> 20
        );
        self.alarm("space", text);
        self.writes.full_until_ns = self.now.mono_ns + limits::FULL_MS * 1_000_000;
    }

    fn tick(&mut self) {
        self.watch_workers();
        self.watch_games();
        self.watch_probes();
        self.ask_books_again();
        self.look_at_all();
        self.try_engines_again();
        if self.writes.full_until_ns > 0 && self.writes.full_until_ns <= self.now.mono_ns {
            self.writes.full_until_ns = 0;
            self.offer = true;
        }
        // An event that waits for its time is looked at with each tick: it begins by itself.
        self.offer |= self.events.values().any(|state| {
            let event = &state.event.spec().event;
            event.not_before.is_some() || !event.pause.is_zero()
        });
    }

    /// When it wants [`Input::Tick`] next, on the scale of [`Now::mono_ns`]; `None`: whenever.
    #[must_use]
    pub fn wake_at(&self) -> Option<u64> {
        self.lead.as_ref()?;
        let tick = (!self.workers.is_empty()).then(|| self.last_tick_ns + limits::TICK_MS * 1_000_000);
        let probe = self.probes.values().map(|probing| probing.until_ns).min();
        [tick, probe, self.writes.wake_at(), self.outgoing.wake_at()].into_iter().flatten().min()
    }
}
