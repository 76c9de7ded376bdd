//! When games to come begin: by the clocks, the games played so far, breaks, and the fleet as it is.

use std::time::Duration;

use rookery_proto::v1::AttemptPhase;
use rookery_tournament::{
    GameId,
    event::{self, Phase},
    format::DueGame,
};

use super::{
    Core,
    state::{EventState, Hand, Running},
};

/// What is guessed from the clocks weighs as much as so many games that were played.
const GUESS_WEIGHT: u64 = 4;
/// A game that takes longer than expected ends, for all that is known, after this part of what was expected.
const OVERTIME: u64 = 10;
/// Slots that are looked at one by one; beyond that the numbers are no longer a schedule for people.
const SLOTS: usize = 10_000;

/// How long games of an event took: those that this process saw.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lengths {
    games: u64,
    total_ms: u64,
}

impl Lengths {
    /// A game was played, with so much time charged.
    pub(super) const fn add(&mut self, ms: u64) {
        self.games += 1;
        self.total_ms = self.total_ms.saturating_add(ms);
    }

    /// A game's length by a guess, where there is one, and by what was seen; 0 where nothing is known.
    fn with_guess(self, guess_ms: Option<u64>) -> u64 {
        let (weight, guess) = guess_ms.map_or((0, 0), |ms| (GUESS_WEIGHT, ms));
        guess.saturating_mul(weight).saturating_add(self.total_ms) / (weight + self.games).max(1)
    }
}

/// Time that sides were charged, from nanoseconds a ply.
pub(super) fn charged_ms(plies: impl Iterator<Item = u64>) -> u64 {
    plies.fold(0, u64::saturating_add) / 1_000_000
}

fn elapsed_ms(hand: &Hand, game: &GameId) -> u64 {
    hand.running.get(game).map_or(0, |running| charged_ms(running.plies.iter().map(|ply| ply.time_ns)))
}

/// When games begin.
pub(super) struct Pace {
    now_ms: u64,
    /// 0: it cannot be said.
    game_ms: u64,
    pause_ms: u64,
    /// When the slots that it can have are free, the first one first; empty where nothing begins.
    free: Vec<u64>,
    /// Games that a slot plays one after the other before it takes what is next.
    together: u64,
    /// Games that are at the boards or behind one in its pair.
    pub(super) in_hand: u64,
}

impl Pace {
    /// When a game begins that has so many others of its pair before it, and so many pairs that wait; 0 where it cannot be
    /// said.
    pub(super) fn begins(&self, waiting: u64, within: u64) -> u64 {
        let slots = self.free.len() as u64;
        let Some(free) = waiting.checked_rem(slots).and_then(|at| self.free.get(usize::try_from(at).ok()?)) else {
            return 0;
        };
        let turns = waiting / slots;
        if self.game_ms == 0 && turns + within > 0 {
            return 0;
        }
        let each = self.game_ms.saturating_add(self.pause_ms);
        free.saturating_add(each.saturating_mul(turns.saturating_mul(self.together).saturating_add(within)))
    }

    /// When all is played, with so many games that are not over, and not in hand.
    pub(super) fn ends(&self, left: u64) -> u64 {
        let Some(&last_free) = self.free.last().filter(|_| self.game_ms > 0) else { return 0 };
        if left == 0 {
            return if self.in_hand == 0 { 0 } else { last_free.saturating_sub(self.pause_ms) };
        }
        let pairs = left.div_ceil(self.together);
        // The last pairs begin on all slots; the latest of them may not be the last in order.
        let first = pairs.saturating_sub(self.free.len() as u64);
        let begins = (first..pairs).map(|pair| self.begins(pair, 0)).max().unwrap_or(0);
        let games = self.together.min(left);
        begins.saturating_add(self.game_ms.saturating_add(self.pause_ms).saturating_mul(games)) - self.pause_ms
    }

    /// When a game of a hand that is at the board began or begins.
    pub(super) fn of_hand(&self, state: &EventState, hand: &Hand, game: &GameId) -> u64 {
        let at = hand.games.iter().position(|due| due.id == *game).unwrap_or(0);
        let played = hand.games.iter().take_while(|due| over(state, hand, due)).count();
        let elapsed = elapsed_ms(hand, game);
        if at <= played {
            // The game before may have taken most of the time since it was handed out.
            return if at == 0 { hand.handed_ms } else { hand.handed_ms.max(self.now_ms.saturating_sub(elapsed)) };
        }
        let between = (at - played - 1) as u64;
        self.now_ms
            .saturating_add(rest_ms(state, hand, self.game_ms))
            .saturating_add(self.game_ms.saturating_mul(between))
    }
}

fn over(state: &EventState, hand: &Hand, due: &DueGame) -> bool {
    state.results.contains_key(&due.id) || hand.recording.contains(&due.id)
}

/// Whether a hand holds a slot: its first game is being set up or was begun.
pub(super) fn has_begun(state: &EventState, hand: &Hand) -> bool {
    use AttemptPhase::{Asking, Outbox, Playing, Starting};
    let at_work = |running: &Running| matches!(running.phase, Starting | Playing | Asking | Outbox) || running.ply > 0;
    hand.games.iter().any(|due| over(state, hand, due)) || hand.running.values().any(at_work)
}

/// How long the game at the board goes on.
fn rest_ms(state: &EventState, hand: &Hand, game_ms: u64) -> u64 {
    let at_board = hand.games.iter().find(|due| !over(state, hand, due));
    let Some(at_board) = at_board else { return 0 };
    let elapsed = elapsed_ms(hand, &at_board.id);
    game_ms.saturating_sub(elapsed).max(game_ms / OVERTIME)
}

impl Core {
    pub(super) fn pace(&self, uid: &str, state: &EventState) -> Pace {
        let spec = state.event.spec();
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let game_ms = state.lengths.with_guess(event::expected(spec, 1, 1).map(ms));
        let pause_ms = ms(spec.event.pause);
        let now_ms = self.now.unix_ms;
        let opens = spec.event.not_before.and_then(|at| u64::try_from(at.as_millisecond()).ok()).unwrap_or(0);
        let resumes = if state.ended_unix_ms == 0 { 0 } else { state.ended_unix_ms.saturating_add(pause_ms) };
        let from_ms = now_ms.max(opens).max(resumes);
        let (mut free, mut in_hand) = (Vec::new(), 0);
        for hand in state.pairs.values().filter_map(|pair| pair.hand.as_ref()).filter(|hand| has_begun(state, hand)) {
            let left = hand.games.iter().filter(|due| !over(state, hand, due)).count() as u64;
            in_hand += left;
            let rest = rest_ms(state, hand, game_ms);
            let rest = rest.saturating_add(game_ms.saturating_mul(left.saturating_sub(1)));
            free.push(from_ms.max(now_ms.saturating_add(rest).saturating_add(pause_ms)));
        }
        free.sort_unstable();
        let slots = usize::try_from(state.event.at_once().min(u64::from(self.slots_of(uid, state)))).unwrap_or(SLOTS);
        let idle = slots.min(SLOTS).saturating_sub(free.len());
        free.splice(0..0, std::iter::repeat_n(from_ms, idle));
        if matches!(state.event.phase(), Phase::Paused) {
            free.clear();
        }
        let together = if state.event.by_pairs() { u64::from(state.event.games_per_pair()) } else { 1 };
        Pace { now_ms, game_ms, pause_ms, free, together, in_hand }
    }

    /// Slots that an event can have: those that fit it, but for the share of others that come as early.
    fn slots_of(&self, uid: &str, state: &EventState) -> u32 {
        let spec = state.event.spec();
        let slots = self.slots_for(spec, &state.roster);
        let rivals: Vec<u32> = self
            .events
            .iter()
            .filter(|(other, rival)| *other != uid && rival.event.spec().event.priority >= spec.event.priority)
            .map(|(_, rival)| u32::try_from(rival.held.pairs.len()).unwrap_or(u32::MAX))
            .filter(|&held| held > 0)
            .collect();
        let share = slots.div_ceil(u32::try_from(rivals.len()).unwrap_or(u32::MAX).saturating_add(1));
        let theirs = rivals.into_iter().fold(0_u32, |sum, held| sum.saturating_add(held.min(share)));
        slots.saturating_sub(theirs).max(slots.min(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn pace(free: Vec<u64>, game_ms: u64, pause_ms: u64, together: u64) -> Pace {
        Pace { now_ms: 1_000, game_ms, pause_ms, free, together, in_hand: 0 }
    }

    #[test]
    fn games_follow_each_other_on_each_slot() {
        // (slots, game, break, games together), (pairs that wait, games of the pair before) -> begins
        let check = |(free, game, pause, together): (&[u64], u64, u64, u64), (waiting, within), begins| {
            let pace = pace(free.to_vec(), game, pause, together);
            assert_eq!(pace.begins(waiting, within), begins, "{free:?} {game} {pause} {waiting} {within}");
        };
        check((&[1_000], 100, 0, 2), (0, 0), 1_000);
        check((&[1_000], 100, 0, 2), (0, 1), 1_100);
        check((&[1_000], 100, 0, 2), (2, 1), 1_500);
        check((&[1_000, 1_050], 100, 0, 2), (1, 0), 1_050);
        check((&[1_000, 1_050], 100, 0, 2), (2, 1), 1_300);
        check((&[1_000], 100, 30, 1), (3, 0), 1_390);
        // No length: the first on each slot alone.
        check((&[1_000, 1_000], 0, 0, 2), (1, 0), 1_000);
        check((&[1_000, 1_000], 0, 0, 2), (1, 1), 0);
        check((&[1_000, 1_000], 0, 0, 2), (2, 0), 0);
        // No slot.
        check((&[], 100, 0, 2), (0, 0), 0);
    }

    #[test]
    fn the_end_is_that_of_the_last_game() {
        let check = |(free, pause, together): (&[u64], u64, u64), left, ends| {
            assert_eq!(pace(free.to_vec(), 100, pause, together).ends(left), ends, "{free:?} {pause} {left}");
        };
        check((&[1_000], 0, 2), 4, 1_400);
        check((&[1_000], 0, 2), 3, 1_400);
        check((&[1_000], 0, 2), 1, 1_100);
        check((&[1_000, 1_150], 0, 2), 4, 1_350);
        check((&[1_000, 1_090], 0, 2), 6, 1_400);
        check((&[1_000], 30, 1), 4, 1_490);
        check((&[1_000], 30, 1), 0, 0);
        check((&[], 0, 2), 4, 0);
    }

    #[test]
    fn what_was_played_outweighs_the_guess() {
        let mut lengths = Lengths::default();
        assert_eq!((lengths.with_guess(Some(100)), lengths.with_guess(None)), (100, 0));
        lengths.add(20);
        assert_eq!((lengths.with_guess(Some(100)), lengths.with_guess(None)), (84, 20));
        (0..99).for_each(|_| lengths.add(20));
        assert_eq!((lengths.with_guess(Some(100)), lengths.with_guess(None)), (23, 20));
    }
}
