//! One attempt in hand.

use rookery_proto::v1::{self, AttemptPhase, AttemptState, GameId};

/// A game of an attempt: the name under which a message waits in the outbox.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct GameKey {
    /// The attempt.
    pub attempt: i64,
    /// The event's uid.
    pub event_uid: String,
    /// The pair.
    pub pair: String,
    /// 1 or 2.
    pub game: u32,
    /// From 1.
    pub take: u32,
}

impl GameKey {
    /// The key of a game.
    #[must_use]
    pub fn new(attempt: i64, id: &GameId) -> Self {
        Self { attempt, event_uid: id.event_uid.clone(), pair: id.pair.clone(), game: id.game, take: id.take }
    }

    /// The game.
    #[must_use]
    pub fn id(&self) -> GameId {
        GameId { event_uid: self.event_uid.clone(), pair: self.pair.clone(), game: self.game, take: self.take }
    }
}

/// An attempt, from its order to its last game.
#[derive(Debug)]
pub struct Attempt {
    /// The order.
    pub play: v1::Play,
    /// The index of the game in play, or of the one that is next.
    pub next: usize,
    /// How far it is.
    pub phase: AttemptPhase,
    /// Its slot, once it has one; it keeps it to its end.
    pub slot: Option<usize>,
    /// Plies told of the game in play.
    pub ply: u32,
    /// It was cancelled, and nothing of the game in play is to be said.
    pub silent: bool,
}

impl Attempt {
    /// Waiting for a slot.
    #[must_use]
    pub const fn new(play: v1::Play) -> Self {
        Self { play, next: 0, phase: AttemptPhase::Waiting, slot: None, ply: 0, silent: false }
    }

    /// The game in play, or the one that is next.
    #[must_use]
    pub fn game(&self) -> Option<&v1::GameOrder> {
        self.play.games.get(self.next)
    }

    /// Its id.
    #[must_use]
    pub fn game_id(&self) -> Option<GameId> {
        self.game().and_then(|game| game.id.clone())
    }

    /// For a beat.
    #[must_use]
    pub fn state(&self) -> AttemptState {
        AttemptState { attempt: self.play.attempt, game: self.game_id(), ply: self.ply, phase: self.phase.into() }
    }
}
