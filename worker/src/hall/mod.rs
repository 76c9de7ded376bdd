//! What a worker has in hand, and what it says: a state machine without I/O.
//!
//! The hall knows slots, attempts and the outbox. [`Hall::handle`] takes what happened and gives what is to be done,
//! in order; [`crate::link`] carries it out with real streams, threads and files.

mod attempt;
mod orders;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use rookery_proto::v1::{
    self, AttemptPhase, AttemptState, Beat, HandBackReason, attach_request::Message, attach_response,
};

pub use attempt::{Attempt, GameKey};

/// Assignments that a slot may have beside the one it plays, so that it never waits for a round trip.
pub const AHEAD_PER_SLOT: usize = 1;

/// Messages that may wait to be acknowledged; beyond, the worker takes nothing more. Far above what the attempts in
/// hand can leave while the coordinator is away (two games each).
pub const OUTBOX_LIMIT: usize = 4096;

/// One slot, as the hall sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotShape {
    /// The index of its class in `Hello.slots`.
    pub class: usize,
    /// Whole cores.
    pub cores: u32,
    /// Bytes.
    pub memory_bytes: u64,
    /// GPUs.
    pub gpus: u32,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Input {
    /// The coordinator said something.
    Said(Box<v1::AttachResponse>),
    /// The stream is gone.
    Disconnected,
    /// A slot reached a ply that is worth telling.
    Progress(Box<v1::Progress>),
    /// A slot is done with a game.
    Ended {
        /// Which slot.
        slot: usize,
        /// Which game, and how it ended for us.
        end: End,
    },
    /// It is time to beat.
    Beat,
    /// The process was asked to end (SIGTERM, Ctrl-C).
    Leave {
        /// How long running games may go on.
        grace_ms: u64,
    },
    /// The grace of a drain is over.
    GraceOver,
}

/// How a game ended for us.
#[derive(Debug, Clone)]
pub enum End {
    /// With a record.
    Finished(Box<v1::Finished>),
    /// Without a result.
    HandedBack(Box<v1::HandedBack>),
}

/// What is to be done, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Say something to the coordinator; dropped when there is no stream.
    Send(Box<Message>),
    /// Make a message durable before what follows.
    Keep(GameKey, Box<Message>),
    /// It was acknowledged.
    Forget(GameKey),
    /// Play a game on a slot.
    Start {
        /// Which slot; it is idle.
        slot: usize,
        /// The game.
        game: Box<v1::GameOrder>,
        /// Of which attempt.
        attempt: i64,
        /// The event's name.
        event: String,
        /// Whether it is the first game of the assignment.
        first_of_pair: bool,
        /// Whether every ply is told.
        every_ply: bool,
    },
    /// End the game on a slot; it answers with [`Input::Ended`].
    Interrupt {
        /// Which slot.
        slot: usize,
        /// Why, for the hand-back.
        reason: HandBackReason,
    },
    /// Tell every ply of the game on a slot for so long; 0: no more.
    Follow {
        /// Which slot.
        slot: usize,
        /// Milliseconds.
        for_ms: u64,
    },
    /// Ask the tables.
    Probe(v1::Probe),
    /// Wake with [`Input::GraceOver`] after so many milliseconds.
    WakeAfter(u64),
    /// This session is over: connect again, at once to `leader` where it is known.
    Reconnect {
        /// The leader's address.
        leader: Option<String>,
        /// Why, for the log.
        why: String,
        /// There is no use in trying again soon.
        fatal: bool,
    },
    /// Nothing is left to do: the process may end.
    Exit,
}

/// What a worker has in hand.
#[derive(Debug)]
pub struct Hall {
    shapes: Vec<SlotShape>,
    classes: usize,
    busy: Vec<Option<i64>>,
    attempts: BTreeMap<i64, Attempt>,
    waiting: VecDeque<i64>,
    outbox: BTreeMap<GameKey, Message>,
    attached: bool,
    last_order: u64,
    store_id: String,
    leader_revision: i64,
    draining: bool,
    leaving: bool,
}

impl Hall {
    /// An idle hall; `outbox` is what an earlier process left unacknowledged, `store_id` the store it belonged to.
    #[must_use]
    pub fn new(shapes: Vec<SlotShape>, outbox: BTreeMap<GameKey, Message>, store_id: String) -> Self {
        let classes = shapes.iter().map(|s| s.class + 1).max().unwrap_or(0);
        let busy = vec![None; shapes.len()];
        Self {
            shapes,
            classes,
            busy,
            attempts: BTreeMap::new(),
            waiting: VecDeque::new(),
            outbox,
            attached: false,
            last_order: 0,
            store_id,
            leader_revision: 0,
            draining: false,
            leaving: false,
        }
    }

    /// The store that orders came from, and the highest leader's revision that was obeyed; for `Hello`.
    #[must_use]
    pub fn obeyed(&self) -> (&str, i64) {
        (&self.store_id, self.leader_revision)
    }

    /// Whether nothing is in hand and nothing waits to be acknowledged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.attempts.is_empty() && self.outbox.is_empty()
    }

    /// Games in play now.
    #[must_use]
    pub fn playing(&self) -> usize {
        self.busy.iter().flatten().count()
    }

    /// Takes one thing into account.
    pub fn handle(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        match input {
            Input::Said(response) => self.said(*response, &mut out),
            Input::Disconnected => self.attached = false,
            Input::Progress(progress) => self.progress(*progress, &mut out),
            Input::Ended { slot, end } => self.ended(slot, end, &mut out),
            Input::Beat => self.beat(&mut out),
            Input::Leave { grace_ms } => self.leave(grace_ms, &mut out),
            Input::GraceOver => {
                if self.draining {
                    self.interrupt_all(HandBackReason::Drained, &mut out);
                }
            }
        }
        self.start_waiting(&mut out);
        // A board waits for no disk: what is kept of the last game is of another matter.
        out.sort_by_key(|effect| !matches!(effect, Effect::Start { .. }));
        if self.leaving && self.attempts.is_empty() && (self.outbox.is_empty() || !self.attached) {
            out.push(Effect::Exit);
        }
        out
    }

    fn said(&mut self, response: v1::AttachResponse, out: &mut Vec<Effect>) {
        use attach_response::Message as M;
        let Some(message) = response.message else { return };
        match message {
            M::Welcome(welcome) => return self.welcome(&welcome, response.leader_revision, out),
            M::Rejected(rejected) => return self.rejected(&rejected, out),
            _ => {}
        }
        if response.leader_revision < self.leader_revision {
            let attempt = if let M::Play(play) = &message { play.attempt } else { 0 };
            let detail = format!("an order of {}, after {}", response.leader_revision, self.leader_revision);
            return self.refuse(response.order, attempt, v1::RefusalReason::OldLeader, detail, out);
        }
        self.leader_revision = response.leader_revision;
        match message {
            M::Welcome(_) | M::Rejected(_) => {}
            M::Play(play) => self.play(response.order, play, out),
            M::Cancel(cancel) => self.cancel(&cancel, out),
            M::Drain(drain) => self.drain(&drain, out),
            M::Probe(probe) => out.push(Effect::Probe(probe)),
            M::Recorded(recorded) => self.recorded(&recorded, out),
            M::Discarded(discarded) => self.discarded(&discarded, out),
            M::Follow(follow) => self.follow(&follow, out),
        }
        self.last_order = self.last_order.max(response.order);
    }

    fn welcome(&mut self, welcome: &v1::Welcome, leader_revision: i64, out: &mut Vec<Effect>) {
        if !self.store_id.is_empty() && self.store_id != welcome.store_id {
            // Another store knows nothing of these attempts, and its numbers may be the same by chance.
            self.drop_all(out);
            self.leader_revision = 0;
        }
        self.store_id.clone_from(&welcome.store_id);
        self.attached = true;
        self.last_order = 0;
        if leader_revision < self.leader_revision {
            out.push(Effect::Reconnect { leader: None, why: "this coordinator led before".to_owned(), fatal: false });
            self.attached = false;
            return;
        }
        self.leader_revision = leader_revision;
        self.beat(out);
        let messages: Vec<Message> = self.outbox.values().cloned().collect();
        for message in messages {
            self.send(message, out);
        }
    }

    fn rejected(&mut self, rejected: &v1::Rejected, out: &mut Vec<Effect>) {
        use v1::RejectReason as R;
        self.attached = false;
        let reason = rejected.reason();
        let why = match reason {
            R::NotLeader => "it does not lead".to_owned(),
            _ if rejected.detail.is_empty() => reason.as_str_name().to_owned(),
            _ => rejected.detail.clone(),
        };
        let leader = Some(rejected.leader.clone()).filter(|l| !l.is_empty());
        out.push(Effect::Reconnect { leader, why, fatal: matches!(reason, R::Version | R::Invalid) });
    }

    fn beat(&mut self, out: &mut Vec<Effect>) {
        let mut free = vec![0; self.classes];
        if !self.draining && self.outbox.len() < OUTBOX_LIMIT {
            for (shape, busy) in self.shapes.iter().zip(&self.busy) {
                free[shape.class] += u32::from(busy.is_none());
            }
        }
        let outbox = self.outbox.keys().map(|key| AttemptState {
            attempt: key.attempt,
            game: Some(key.id()),
            ply: 0,
            phase: AttemptPhase::Outbox.into(),
        });
        let attempts = self.attempts.values().map(Attempt::state).chain(outbox).collect();
        let beat = Beat { free, last_order: self.last_order, attempts, draining: self.draining, engines: Vec::new() };
        self.send(Message::Beat(beat), out);
    }

    fn send(&self, message: Message, out: &mut Vec<Effect>) {
        if self.attached {
            out.push(Effect::Send(Box::new(message)));
        }
    }

    fn refuse(&self, order: u64, attempt: i64, reason: v1::RefusalReason, detail: String, out: &mut Vec<Effect>) {
        self.send(Message::Refused(v1::Refused { order, attempt, reason: reason.into(), detail }), out);
    }
}
