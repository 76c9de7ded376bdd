//! The last lines of engines in attempts that came back: kept until the game is on record, and archived with it.
//!
//! They are for people and no result rests on them, so that they are not in the store: a new leader has none of before.

use std::collections::VecDeque;

use rookery_game::record::Interrupted;
use rookery_proto::v1;
use rookery_tournament::GameId;

use super::limits;
use crate::{store::Revision, wire};

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
    /// Keeps what came with a hand-back; the oldest give way where there is no room.
    pub(super) fn keep(
        &mut self,
        uid: &str,
        game: GameId,
        transcripts: Vec<v1::Transcript>,
        what: (Revision, &str, String, u64),
    ) {
        let (attempt, worker, why, at_unix_ms) = what;
        let lines = |transcript: &v1::Transcript| {
            let lines = transcript.lines.iter().chain(&transcript.stderr).map(|line| line.len() + size_of::<String>());
            lines.sum::<usize>() + transcript.reproduce.len()
        };
        let bytes: usize = transcripts.iter().map(lines).sum();
        let empty = bytes == 0;
        // So that there are never many of them.
        let bytes = bytes.max(limits::LAST_LINES_LEAST);
        let known = |entry: &Entry| entry.uid == uid && entry.game == game && entry.what.attempt == attempt;
        if empty || bytes > limits::LAST_LINES_BYTES || self.kept.iter().any(known) {
            return;
        }
        let transcripts = transcripts.into_iter().filter_map(wire::read_transcript).collect();
        let what = Interrupted { attempt, worker: worker.to_owned(), why, at_unix_ms, transcripts };
        self.bytes += bytes;
        self.kept.push_back(Entry { uid: uid.to_owned(), game, bytes, what });
        while self.bytes > limits::LAST_LINES_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
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
    use super::*;

    fn game(number: u8) -> GameId {
        GameId { pair: "00-0001-00001-00002-000001".parse().unwrap(), game: number, take: 1 }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_newest_stay() {
        let mut lines = LastLines::default();
        for attempt in 0..40 {
            let transcript = v1::Transcript { seat: 1, lines: vec!["x".repeat(1 << 20)], ..v1::Transcript::default() };
            lines.keep("e", game(1), vec![transcript], (attempt, "w", String::new(), 0));
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
            let transcript = v1::Transcript { seat: 2, stderr: vec!["oops".to_owned()], ..v1::Transcript::default() };
            lines.keep("e", game(1), vec![transcript], (attempt, "w", "why".to_owned(), 5));
        }
        assert_eq!(lines.of("e", &game(1)).len(), 2);
        assert!(lines.of("e", &game(2)).is_empty() && lines.of("f", &game(1)).is_empty());
    }
}
