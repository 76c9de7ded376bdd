//! What a format may know when it draws: the event as it stands.

use rookery_game::Seat;

use super::Event;
use crate::{EntrantId, format::Field, spec::Spec};

/// An event, as a format sees it. All of it follows from what is on record.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    event: &'a Event,
}

/// How two stand in a meeting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Score {
    /// Half points of the two, in the order in which they were asked for.
    pub points: [u32; 2],
    /// Games that count.
    pub games: u32,
    /// Games of them that are not finished for good.
    pub open: u32,
}

impl Score {
    /// Whether nothing more is to be played and the two are level.
    #[must_use]
    pub const fn is_level(&self) -> bool {
        self.points[0] == self.points[1]
    }
}

impl<'a> View<'a> {
    pub(super) const fn new(event: &'a Event) -> Self {
        Self { event }
    }

    /// Who is in it.
    #[must_use]
    pub const fn field(&self) -> &'a Field {
        &self.event.field
    }

    /// The newest spec.
    #[must_use]
    pub const fn spec(&self) -> &'a Spec {
        &self.event.spec
    }

    /// Everything random comes from it.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.event.seed
    }

    /// So many openings of the book for level matches, without one that came before until all did: those behind the first
    /// `drawn`, in the order that the seed gives them. Empty where there is no such book.
    #[must_use]
    pub fn level_openings(&self, drawn: u64, count: u32) -> Vec<u64> {
        let (digest, n) = &self.event.level_book;
        let of = |number| rookery_game::opening::index(self.event.seed, digest, true, 0, number, *n);
        if *n == 0 { Vec::new() } else { (drawn..drawn + u64::from(count)).map(of).collect() }
    }

    /// Games that a pair gives, 1 or 2.
    #[must_use]
    pub const fn games_per_pair(&self) -> u8 {
        self.event.schedule.games_per_pair()
    }

    /// Whether all that was ever scheduled is finished for good: played, voided, stopped, or left by who withdrew.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.event.done.next_absent(0) >= self.event.schedule.games()
    }

    /// Whether an entrant is still in it.
    #[must_use]
    pub fn is_present(&self, entrant: EntrantId) -> bool {
        self.event.field.get(entrant).is_some_and(|e| e.withdrawn.is_none())
    }

    /// Half points of all entrants, entrant 1 first, byes among them.
    #[must_use]
    pub fn points(&self) -> Vec<u32> {
        self.event.tally.points(self.event.field.entrants.len())
    }

    /// How two stand in the pairs, from this number on, that were drawn at once for a round of a stage; nothing played
    /// and nothing open where there are none.
    #[must_use]
    pub fn score(&self, stage: u8, round: u16, number: u32, one: EntrantId, other: EntrantId) -> Score {
        let mut score = Score::default();
        let schedule = &self.event.schedule;
        let Some(meeting) = schedule.meeting(stage, round, number, one, other) else { return score };
        for index in meeting.meeting..meeting.meeting + meeting.meeting_pairs {
            let Some(place) = schedule.at(index) else { break };
            for game in 1..=schedule.games_per_pair() {
                let order = schedule.order(&place, game);
                if !self.event.done.contains(order) {
                    score.open += 1;
                    continue;
                }
                if self.event.is_surplus(&place, game) || self.event.is_excluded(&place.pair) {
                    continue;
                }
                let Some(counted) = self.event.record.counted(order) else { continue };
                let (first, _) = schedule.seats(&place, game);
                let seat = if first == one { Seat::First } else { Seat::Second };
                score.points[0] += counted.result.half_points(seat);
                score.points[1] += counted.result.half_points(seat.other());
                score.games += 1;
            }
        }
        score
    }
}
