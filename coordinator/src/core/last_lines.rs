//! Attempts that ended without a result, with the last lines of engines: kept until the game is on record, and archived
//! with it.
//!
//! They are for people and no result rests on them, so that they are not in the store: a new leader has none of before.

use std::collections::VecDeque;

use rookery_game::record::{Interrupted, Transcript};
use rookery_tournament::{GameId, PairId};

use super::{limits, state::EventState};

/// Of all games together, oldest first.
#[derive(Default)]
pub(super) struct LastLines {
    kept: VecDeque<Entry>,
    bytes: usize,
}

struct Entry {
    uid: String,
    game: GameId,
    bytes: usize,
    what: Interrupted,
}

impl LastLines {
    /// Keeps what a worker said with a hand-back; the oldest give way where there is no room.
    pub(super) fn keep(&mut self, uid: &str, game: GameId, what: Interrupted) {
        let lines = |transcript: &Transcript| {
            let lines = transcript.lines.iter().chain(&transcript.stderr).map(|line| line.len() + size_of::<String>());
            lines.sum::<usize>() + transcript.reproduce.len()
        };
        // So that there are never many of them.
        let bytes = what.transcripts.iter().map(lines).sum::<usize>().max(limits::LAST_LINES_LEAST);
        if bytes > limits::LAST_LINES_BYTES || self.knows(uid, &game, what.attempt) {
            return;
        }
        self.bytes += bytes;
        self.kept.push_back(Entry { uid: uid.to_owned(), game, bytes, what });
        while self.bytes > limits::LAST_LINES_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// An attempt is over, for whatever reason: kept for the game that it was at.
    pub(super) fn ended(&mut self, uid: &str, state: &EventState, pair: PairId, error: &str, at_unix_ms: u64) {
        let Some(known) = state.pairs.get(&pair) else { return };
        let Some(hand) = known.hand.as_ref().filter(|_| !error.is_empty()) else { return };
        let mut games = hand.games.iter().map(|game| game.id).filter(|game| !state.results.contains_key(game));
        let Some(game) = games.next() else { return };
        if games.any(|game| self.knows(uid, &game, hand.attempt)) {
            return;
        }
        let of_it = error.strip_prefix(&format!("worker {}", hand.worker));
        let why = of_it.map_or(error, |rest| rest.trim_start_matches([':', ' '])).to_owned();
        let (attempt, nth, worker) = (hand.attempt, known.nth, hand.worker.clone());
        self.keep(uid, game, Interrupted { attempt, nth, worker, why, at_unix_ms, transcripts: Vec::new() });
    }

    fn knows(&self, uid: &str, game: &GameId, attempt: i64) -> bool {
        self.kept.iter().any(|entry| entry.uid == uid && entry.game == *game && entry.what.attempt == attempt)
    }

    /// Those of one game, oldest first.
    pub(super) fn of(&self, uid: &str, game: &GameId) -> Vec<Interrupted> {
        let of = self.kept.iter().filter(|entry| entry.uid == uid && entry.game == *game);
        let mut newest: Vec<Interrupted> =
            of.rev().take(limits::LAST_LINES_GAME).map(|entry| entry.what.clone()).collect();
        newest.reverse();
        newest
    }

    /// The game is on record, and they with it.
    pub(super) fn forget(&mut self, uid: &str, game: &GameId) {
        self.kept.retain(|entry| entry.uid != uid || entry.game != *game);
        self.bytes = self.kept.iter().map(|entry| entry.bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use rookery_game::Seat;

    use super::*;

    fn game(number: u8) -> GameId {
        GameId { pair: "00-0001-00001-00002-000001".parse().unwrap(), game: number, take: 1 }
    }

    fn came(attempt: i64, line: &str) -> Interrupted {
        let (seat, lines) = (Seat::First, vec![line.to_owned()]);
        let transcripts = vec![Transcript { seat, lines, stderr: Vec::new(), reproduce: String::new() }];
        Interrupted { attempt, nth: 0, worker: "w".to_owned(), why: "why".to_owned(), at_unix_ms: 5, transcripts }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_newest_stay() {
        let mut lines = LastLines::default();
        for attempt in 0..40 {
            lines.keep("e", game(1), came(attempt, &"x".repeat(1 << 20)));
            assert!(lines.bytes <= limits::LAST_LINES_BYTES);
        }
        let attempts: Vec<_> = lines.of("e", &game(1)).iter().map(|kept| kept.attempt).collect();
        assert_eq!(attempts, (40 - limits::LAST_LINES_GAME as i64..40).collect::<Vec<_>>());
        lines.forget("e", &game(1));
        assert_eq!((lines.bytes, lines.kept.len()), (0, 0));
    }

    #[test]
    fn an_attempt_that_is_said_again_is_kept_once() {
        let mut lines = LastLines::default();
        for attempt in [7, 7, 9] {
            lines.keep("e", game(1), came(attempt, "oops"));
        }
        assert_eq!(lines.of("e", &game(1)).len(), 2);
        assert!(lines.of("e", &game(2)).is_empty() && lines.of("f", &game(1)).is_empty());
    }
}
