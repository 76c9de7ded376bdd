//! Meetings that stop once they are decided: judged over the unbroken run of their games in starting order, so that the
//! order of arrival decides nothing.

use rookery_game::Seat;

use super::Event;
use crate::{
    Fact, PairId,
    format::{AtOnce, Place},
};

/// The game with which a meeting was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) pair: PairId,
    /// The pair's place in starting order, and the game in it.
    pub(super) at: (u64, u8),
    pub(super) why: String,
}

impl Verdict {
    /// Whether a game of the same meeting lies behind it.
    pub(super) fn is_before(&self, place: &Place, game: u8) -> bool {
        (place.index, game) > self.at
    }
}

/// How far a meeting went without a gap.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Reached {
    /// Half points of the one that is named first, and of the other.
    points: [u32; 2],
    /// Games that were gone through, those that do not count among them.
    games: u64,
    /// Games that may still be played.
    left: u64,
}

impl Reached {
    const fn is_decided(&self) -> bool {
        self.points[0].abs_diff(self.points[1]) as u64 > 2 * self.left
    }

    /// How many games of the meeting are surely played: the last of them is the first that may decide it.
    const fn sure(&self) -> u64 {
        let lead = self.points[0].abs_diff(self.points[1]) as u64;
        self.games + (2 * self.left).saturating_sub(lead) / 4 + 1
    }
}

impl Event {
    /// Looks anew at the meeting of a pair that changed.
    pub(super) fn judge(&mut self, place: &Place) {
        if !place.decides {
            return;
        }
        self.verdicts.remove(&place.meeting);
        if let (_, Some(verdict)) = self.reached(place.meeting, place.meeting_pairs) {
            self.verdicts.insert(place.meeting, verdict);
        }
    }

    /// A decision that is put on record.
    pub(super) fn decide(&mut self, pair: &PairId, game: u8, why: &str) {
        let Some(place) = self.schedule.find(pair).filter(|place| place.decides) else { return };
        let verdict = Verdict { pair: *pair, at: (place.index, game), why: why.to_owned() };
        let places: Vec<_> =
            (place.meeting..place.meeting + place.meeting_pairs).filter_map(|at| self.schedule.at(at)).collect();
        places.iter().for_each(|place| self.contribute(place, -1));
        self.decided.insert(place.meeting, verdict);
        for place in &places {
            self.contribute(place, 1);
            self.refresh(place);
        }
        self.recount_crashes();
    }

    fn reached(&self, meeting: u64, pairs: u64) -> (Reached, Option<Verdict>) {
        let per_pair = self.schedule.games_per_pair();
        let mut reached = Reached { left: pairs * u64::from(per_pair), ..Reached::default() };
        for index in meeting..meeting + pairs {
            let Some(place) = self.schedule.at(index) else { break };
            for game in 1..=per_pair {
                let order = self.schedule.order(&place, game);
                let counted = self.record.counted(order);
                if counted.is_none() && !self.done.contains(order) {
                    return (reached, None);
                }
                reached.games += 1;
                reached.left -= 1;
                let Some(counted) = counted.filter(|_| !self.is_excluded(&place.pair)) else { continue };
                let (first, _) = self.schedule.seats(&place, game);
                let of_a = if first == place.pair.a { Seat::First } else { Seat::Second };
                reached.points[0] += counted.result.half_points(of_a);
                reached.points[1] += counted.result.half_points(of_a.other());
                if reached.is_decided() && reached.left > 0 {
                    let games = if reached.left == 1 { "game" } else { "games" };
                    let why = format!("{}, {} {games} left", score(reached.points), reached.left);
                    let verdict = Verdict { pair: place.pair, at: (index, game), why };
                    return (reached, Some(verdict));
                }
            }
        }
        (reached, None)
    }

    /// Decisions that are not on record yet.
    pub(super) fn decisions_due(&self) -> impl Iterator<Item = Fact> + '_ {
        let new = self.verdicts.iter().filter(|(meeting, _)| !self.decided.contains_key(meeting));
        new.map(|(_, v)| Fact::Decided { pair: v.pair, game: v.at.1, why: v.why.clone() })
    }

    /// The decision, not on record yet, that a game lies behind.
    pub(super) fn verdict_before(&self, place: &Place, game: u8) -> Option<&Verdict> {
        let verdict = self.verdicts.get(&place.meeting).filter(|v| v.is_before(place, game))?;
        (!self.decided.contains_key(&place.meeting)).then_some(verdict)
    }

    /// Whether a game of a meeting is played, however those before it end.
    pub(super) fn is_sure_of_meeting(&self, place: &Place, game: u8) -> bool {
        if !place.decides {
            return true;
        }
        let (reached, verdict) = self.reached(place.meeting, place.meeting_pairs);
        let per_pair = u64::from(self.schedule.games_per_pair());
        let before = (place.index - place.meeting) * per_pair + u64::from(game) - 1;
        verdict.is_none() && before < reached.sure()
    }

    /// Whether a pair of a meeting that may be decided before it lies ahead; `None`: it is not to be handed out yet.
    pub(super) fn goes_ahead(&self, place: &Place) -> Option<bool> {
        if !place.decides || self.decided.contains_key(&place.meeting) {
            return Some(false);
        }
        if self.verdict_before(place, 1).is_some() {
            return None;
        }
        let (reached, _) = self.reached(place.meeting, place.meeting_pairs);
        let per_pair = u64::from(self.schedule.games_per_pair());
        let games_before = (place.index - place.meeting) * per_pair;
        match self.spec.event.format.at_once() {
            AtOnce::One if games_before > reached.games => None,
            AtOnce::One => Some(false),
            AtOnce::Needed if games_before < reached.sure() => Some(false),
            AtOnce::Needed => None,
            AtOnce::All => Some(games_before >= reached.sure()),
        }
    }
}

/// Half points as people write them: `4.5 - 0.5`.
pub(crate) fn score(points: [u32; 2]) -> String {
    let text = |half: u32| if half.is_multiple_of(2) { format!("{}", half / 2) } else { format!("{}.5", half / 2) };
    format!("{} - {}", text(points[0]), text(points[1]))
}
