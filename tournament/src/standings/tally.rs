//! Sums of what counts, from which all tables follow. Adding a pair takes a logarithm's time, and it can be taken away.

use std::collections::BTreeMap;

use rookery_game::{Ending, Seat};

use super::{average_moves::Moves, r_mobility::Mobility};
use crate::{EntrantId, event::Counted, rating::Games};

/// Games and pairs of one side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Won.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
    /// Whole pairs with 0, ½, 1, 1½, 2 points.
    pub pairs: [u32; 5],
}

impl Counts {
    /// In all.
    #[must_use]
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Half points.
    #[must_use]
    pub const fn half_points(&self) -> u32 {
        2 * self.wins + self.draws
    }

    /// The same from the other side.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        std::mem::swap(&mut self.wins, &mut self.losses);
        self.pairs.reverse();
        self
    }

    fn add(&mut self, other: &Self) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (sum, value) in self.pairs.iter_mut().zip(other.pairs) {
            *sum += value;
        }
    }
}

/// What is counted of an entrant beyond its encounters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) wins_as_second: u32,
    pub(super) predictions: u32,
    pub(super) crashes: u32,
    pub(super) time_losses: u32,
    pub(super) illegal_moves: u32,
    pub(super) mobility: Mobility,
    pub(super) moves_won: Moves,
    pub(super) moves_lost: Moves,
}

/// Sums of all that counts in an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// From the side of the lower number.
    encounters: BTreeMap<(EntrantId, EntrantId), Counts>,
    own: Vec<Own>,
    games: u64,
    /// Half points for rounds without an opponent.
    byes: BTreeMap<EntrantId, u32>,
    /// By who sat first, and who second: won by the first, drawn, lost.
    seats: BTreeMap<(EntrantId, EntrantId), [u32; 3]>,
    /// Whole pairs by the lower number and the higher; the game in which the lower one sat first comes first.
    pairs: BTreeMap<(EntrantId, EntrantId), [u32; 9]>,
}

/// Who sat at `First` and at `Second`, and how the game counts.
type Played = ((EntrantId, EntrantId), Counted);

impl Tally {
    /// Makes room for so many entrants.
    pub(crate) fn resize(&mut self, entrants: usize) {
        self.own.resize_with(entrants.max(self.own.len()), Own::default);
    }

    /// Half points that entrants have for rounds without an opponent.
    pub(crate) fn set_byes(&mut self, byes: BTreeMap<EntrantId, u32>) {
        self.byes = byes;
    }

    /// Half points of entrants 1, 2, …, byes among them.
    pub(crate) fn points(&self, entrants: usize) -> Vec<u32> {
        let mut points = vec![0; entrants];
        let mut add = |entrant: EntrantId, half_points: u32| {
            if let Some(sum) = (entrant.0 as usize).checked_sub(1).and_then(|at| points.get_mut(at)) {
                *sum += half_points;
            }
        };
        for (&(a, b), counts) in &self.encounters {
            add(a, counts.half_points());
            add(b, counts.reversed().half_points());
        }
        self.byes.iter().for_each(|(&entrant, &half_points)| add(entrant, half_points));
        points
    }

    /// Games in all.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Adds the games of one pair (`sign` 1) or takes them away (-1). Both games make a whole pair.
    pub(crate) fn add(&mut self, games: &[Option<Played>; 2], sign: i64) {
        let mut low_points = 0;
        let mut played = 0;
        for ((first, second), counted) in games.iter().flatten() {
            let low = if first < second { Seat::First } else { Seat::Second };
            let points = counted.result.half_points(low);
            let counts = self.encounters.entry((*first.min(second), *first.max(second))).or_default();
            match points {
                2 => step(&mut counts.wins, sign),
                1 => step(&mut counts.draws, sign),
                _ => step(&mut counts.losses, sign),
            }
            let seats = self.seats.entry((*first, *second)).or_default();
            step(&mut seats[outcome(counted)], sign);
            low_points += points;
            played += 1;
            self.games = self.games.wrapping_add_signed(sign);
            self.add_own(*first, Seat::First, counted, sign);
            self.add_own(*second, Seat::Second, counted, sign);
        }
        if let (2, Some(((first, second), _))) = (played, &games[0]) {
            let counts = self.encounters.entry((*first.min(second), *first.max(second))).or_default();
            step(&mut counts.pairs[low_points.min(4) as usize], sign);
            if let [Some((seats, one)), Some((other, two))] = games
                && *seats == (other.1, other.0)
            {
                let (one, two) = if first < second { (one, two) } else { (two, one) };
                let pairs = self.pairs.entry((*first.min(second), *first.max(second))).or_default();
                step(&mut pairs[3 * outcome(one) + outcome(two)], sign);
            }
        }
    }

    fn add_own(&mut self, entrant: EntrantId, seat: Seat, counted: &Counted, sign: i64) {
        let Some(own) = (entrant.0 as usize).checked_sub(1).and_then(|at| self.own.get_mut(at)) else { return };
        let points = counted.result.half_points(seat);
        if points == 2 && seat == Seat::Second {
            step(&mut own.wins_as_second, sign);
        }
        if counted.prediction == Some(seat) {
            step(&mut own.predictions, sign);
        }
        if counted.crashed(seat) {
            step(&mut own.crashes, sign);
        }
        if counted.ending == Ending::TimeLoss && counted.fault == Some(seat) {
            step(&mut own.time_losses, sign);
        }
        if counted.ending == Ending::IllegalMove && counted.fault == Some(seat) {
            step(&mut own.illegal_moves, sign);
        }
        if let Some(plies) = counted.plies {
            match points {
                2 => own.moves_won.add(plies, sign),
                0 => own.moves_lost.add(plies, sign),
                _ => {}
            }
        }
        if let (1, Some(held)) = (points, counted.r_mobility) {
            own.mobility.add(if seat == Seat::First { held } else { -held }, sign);
        }
    }

    /// All that counts, for ratings. Entrants without a game are not in it.
    #[must_use]
    pub fn rating_games(&self, name: impl Fn(EntrantId) -> String) -> Games {
        let mut games = Games::default();
        let mut players: BTreeMap<EntrantId, u32> = BTreeMap::new();
        let played = self.seats.iter().filter(|(_, counts)| **counts != [0; 3]);
        // In order of joining, so that the same event gives the same list.
        for (&(first, second), _) in played.clone() {
            players.entry(first).or_insert(0);
            players.entry(second).or_insert(0);
        }
        for (entrant, player) in &mut players {
            *player = games.player(&name(*entrant));
        }
        for (&(first, second), &counts) in played {
            games.add_counts(players[&first], players[&second], counts);
        }
        for (&(low, high), &counts) in &self.pairs {
            if let (Some(&low), Some(&high)) = (players.get(&low), players.get(&high)) {
                games.add_pair_counts(low, high, counts);
            }
        }
        games
    }

    /// Won, drawn and lost by `a` against `b`.
    #[must_use]
    pub fn against(&self, a: EntrantId, b: EntrantId) -> (u32, u32, u32) {
        let counts = self.encounters.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();
        let counts = if a < b { counts } else { counts.reversed() };
        (counts.wins, counts.draws, counts.losses)
    }

    /// Each entrant's sums, and against whom, by number from 0.
    pub(super) fn table(&self, entrants: usize) -> Table {
        let mut table = Table {
            total: vec![Counts::default(); entrants],
            against: vec![Vec::new(); entrants],
            own: (0..entrants).map(|at| self.own.get(at).cloned().unwrap_or_default()).collect(),
            points: self.points(entrants),
        };
        for (&(a, b), counts) in &self.encounters {
            for (own, other, counts) in [(a, b, *counts), (b, a, counts.reversed())] {
                let (Some(own), Some(other)) = ((own.0 as usize).checked_sub(1), (other.0 as usize).checked_sub(1))
                else {
                    continue;
                };
                if own < entrants && other < entrants && counts.games() > 0 {
                    table.total[own].add(&counts);
                    table.against[own].push((other, counts));
                }
            }
        }
        table
    }
}

/// Sums by entrant, what tie-breaks are computed from.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) total: Vec<Counts>,
    /// The other one, and the counts against it.
    pub(super) against: Vec<Vec<(usize, Counts)>>,
    pub(super) own: Vec<Own>,
    /// Half points, byes among them.
    pub(super) points: Vec<u32>,
}

/// 0 where the first seat won, 1 drawn, 2 lost.
fn outcome(counted: &Counted) -> usize {
    2 - counted.result.half_points(Seat::First).min(2) as usize
}

const fn step(value: &mut u32, sign: i64) {
    *value = if sign > 0 { value.saturating_add(1) } else { value.saturating_sub(1) };
}
