//! Games as rating models see them: who sat where, how it ended, what came in pairs.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rookery_game::{GameResult, Seat};

/// Games of one player as first against another as second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    /// Index of the player at the first seat.
    pub first: u32,
    /// Index of the other.
    pub second: u32,
    /// Won by `first`.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost by `first`.
    pub losses: u32,
}

impl Cell {
    /// In all.
    #[must_use]
    pub const fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    fn add(&mut self, outcome: usize) {
        match outcome {
            0 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
    }
}

/// Whole pairs of two players: two games with seats exchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairCell {
    /// The lower index: first in game one.
    pub low: u32,
    /// The higher one: first in game two.
    pub high: u32,
    /// `counts[3 * one + two]`, each 0 where its first seat won, 1 drawn, 2 lost.
    pub counts: [u32; 9],
}

/// Games summed by who sat where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Games {
    names: Vec<String>,
    cells: Vec<Cell>,
    pairs: Vec<PairCell>,
}

impl Games {
    /// The players, by index.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The index of a player.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n == name).map(|at| at as u32)
    }

    /// By first, then second; none is empty.
    #[must_use]
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// By the lower index, then the higher.
    #[must_use]
    pub fn pairs(&self) -> &[PairCell] {
        &self.pairs
    }

    /// In all.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.cells.iter().map(|cell| u64::from(cell.games())).sum()
    }

    /// Games that belong to a whole pair.
    #[must_use]
    pub fn paired(&self) -> u64 {
        self.pairs.iter().flat_map(|pair| pair.counts).map(|count| 2 * u64::from(count)).sum()
    }

    /// Adds a player; whose name is there already keeps its index.
    pub fn player(&mut self, name: &str) -> u32 {
        self.find(name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() as u32 - 1
        })
    }

    /// Adds one game between two different players of this list; anything else changes nothing.
    pub fn add(&mut self, first: u32, second: u32, result: GameResult) {
        let players = self.names.len() as u32;
        if first == second || first >= players || second >= players {
            return;
        }
        let at = self.cells.binary_search_by_key(&(first, second), |cell| (cell.first, cell.second));
        let at = at.unwrap_or_else(|at| {
            self.cells.insert(at, Cell { first, second, ..Cell::default() });
            at
        });
        self.cells[at].add(outcome(result));
    }

    /// Adds games of two different players of this list: won by `first`, drawn, lost.
    pub(crate) fn add_counts(&mut self, first: u32, second: u32, [wins, draws, losses]: [u32; 3]) {
        let at = self.cells.binary_search_by_key(&(first, second), |cell| (cell.first, cell.second));
        let at = at.unwrap_or_else(|at| {
            self.cells.insert(at, Cell { first, second, ..Cell::default() });
            at
        });
        let cell = &mut self.cells[at];
        (cell.wins, cell.draws, cell.losses) = (cell.wins + wins, cell.draws + draws, cell.losses + losses);
    }

    /// Adds whole pairs as [`PairCell::counts`] has them.
    pub(crate) fn add_pair_counts(&mut self, low: u32, high: u32, counts: [u32; 9]) {
        if counts != [0; 9] && low < high {
            let at = self.pairs.partition_point(|pair| (pair.low, pair.high) < (low, high));
            self.pairs.insert(at, PairCell { low, high, counts });
        }
    }

    /// Says that two games that were added, with seats exchanged, make a pair: `one` has `a` as first, `two` has `b`.
    pub fn add_pair(&mut self, a: u32, b: u32, one: GameResult, two: GameResult) {
        let players = self.names.len() as u32;
        if a == b || a >= players || b >= players {
            return;
        }
        let (low, high, one, two) = if a < b { (a, b, one, two) } else { (b, a, two, one) };
        let at = self.pairs.binary_search_by_key(&(low, high), |pair| (pair.low, pair.high)).unwrap_or_else(|at| {
            self.pairs.insert(at, PairCell { low, high, ..PairCell::default() });
            at
        });
        self.pairs[at].counts[3 * outcome(one) + outcome(two)] += 1;
    }

    /// Adds all games of another list; players are joined by their names.
    pub fn merge(&mut self, other: &Self) {
        let mut known: BTreeMap<String, u32> = (0..).zip(&self.names).map(|(at, name)| (name.clone(), at)).collect();
        let mut index = Vec::with_capacity(other.names.len());
        for name in &other.names {
            let new = self.names.len() as u32;
            let at = *known.entry(name.clone()).or_insert(new);
            if at == new {
                self.names.push(name.clone());
            }
            index.push(at);
        }
        let mut cells: BTreeMap<(u32, u32), Cell> =
            self.cells.drain(..).map(|cell| ((cell.first, cell.second), cell)).collect();
        for cell in &other.cells {
            let (first, second) = (index[cell.first as usize], index[cell.second as usize]);
            let sum = cells.entry((first, second)).or_insert(Cell { first, second, ..Cell::default() });
            (sum.wins, sum.draws, sum.losses) =
                (sum.wins + cell.wins, sum.draws + cell.draws, sum.losses + cell.losses);
        }
        self.cells = cells.into_values().collect();
        let mut pairs: BTreeMap<(u32, u32), [u32; 9]> =
            self.pairs.drain(..).map(|pair| ((pair.low, pair.high), pair.counts)).collect();
        for pair in &other.pairs {
            let (low, high) = (index[pair.low as usize], index[pair.high as usize]);
            let sum = pairs.entry((low.min(high), low.max(high))).or_default();
            for (at, count) in pair.counts.iter().enumerate() {
                // Exchanged indices exchange the two games.
                let to = if low > high { 3 * (at % 3) + at / 3 } else { at };
                sum[to] += count;
            }
        }
        self.pairs = pairs.into_iter().map(|((low, high), counts)| PairCell { low, high, counts }).collect();
    }

    /// The same players with other games, by first, then second.
    pub(super) fn replace_cells(&mut self, cells: Vec<Cell>) {
        self.cells = cells;
    }

    /// Forgets players from this index on, who have no games left.
    pub(super) fn truncate(&mut self, players: usize) {
        self.names.truncate(players);
        self.pairs.retain(|pair| (pair.high as usize) < players);
    }

    /// Games, points in half points, and drawn games of each player.
    #[must_use]
    pub fn totals(&self) -> Vec<Totals> {
        let mut totals = vec![Totals::default(); self.names.len()];
        for cell in &self.cells {
            for (own, wins) in [(cell.first, cell.wins), (cell.second, cell.losses)] {
                let total = &mut totals[own as usize];
                total.games += u64::from(cell.games());
                total.half_points += 2 * u64::from(wins) + u64::from(cell.draws);
                total.draws += u64::from(cell.draws);
            }
        }
        totals
    }

    /// The number of each player's component: players are connected by games, over others too. A list with more than one
    /// has no common scale.
    #[must_use]
    pub fn components(&self) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..self.names.len() as u32).collect();
        for cell in &self.cells {
            let (a, b) = (root(&mut parent, cell.first), root(&mut parent, cell.second));
            parent[a.max(b) as usize] = a.min(b);
        }
        (0..self.names.len() as u32).map(|player| root(&mut parent, player)).collect()
    }

    /// Whether every player for whom `counts` made points against every other over others: only then are all differences
    /// bounded (Ford 1957).
    pub(super) fn is_bounded(&self, counts: impl Fn(u32) -> bool) -> bool {
        let cells: Vec<&Cell> = self.cells.iter().filter(|cell| counts(cell.first) && counts(cell.second)).collect();
        let Some(start) = (0..self.names.len() as u32).find(|&player| counts(player)) else { return true };
        let wanted = (0..self.names.len() as u32).filter(|&player| counts(player)).count();
        // Who was reached from `start` by points made, then by points given.
        [true, false].into_iter().all(|made| {
            let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.names.len()];
            for cell in &cells {
                let (forth, back) = (cell.wins + cell.draws > 0, cell.losses + cell.draws > 0);
                let (forth, back) = if made { (forth, back) } else { (back, forth) };
                if forth {
                    next[cell.first as usize].push(cell.second);
                }
                if back {
                    next[cell.second as usize].push(cell.first);
                }
            }
            let mut seen = vec![false; self.names.len()];
            let (mut stack, mut count) = (vec![start], 0);
            while let Some(player) = stack.pop() {
                if !std::mem::replace(&mut seen[player as usize], true) {
                    count += 1;
                    stack.extend(next[player as usize].iter().filter(|&&other| !seen[other as usize]));
                }
            }
            count == wanted
        })
    }
}

fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        parent[at as usize] = parent[parent[at as usize] as usize];
        at = parent[at as usize];
    }
    at
}

/// A player's games, summed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Played.
    pub games: u64,
    /// Half points: 3 is 1.5 points.
    pub half_points: u64,
    /// Drawn.
    pub draws: u64,
}

/// 0 where the first seat won, 1 drawn, 2 lost.
const fn outcome(result: GameResult) -> usize {
    2 - result.half_points(Seat::First) as usize
}

/// Players at most: two indices and a result share 64 bits.
pub const MAX_PLAYERS: usize = 1 << 24;

/// Takes games by the million, in any order, and sums them at the end.
#[derive(Debug, Default)]
pub struct Collector {
    names: IndexSet<String>,
    /// `first << 26 | second << 2 | outcome`: sorting brings equal cells together.
    games: Vec<u64>,
    keyed: Vec<(u64, u64)>,
    passed: u64,
}

impl Collector {
    /// Adds a game. Games with the same `pair` make a pair if they are exactly two, between the same two players with seats
    /// exchanged. A game of a player against itself is passed over.
    pub fn add(&mut self, first: &str, second: &str, result: GameResult, pair: Option<u64>) {
        if first == second || self.names.len() + 2 > MAX_PLAYERS {
            self.passed += 1;
            return;
        }
        let (first, second) = (self.index(first), self.index(second));
        let game = first << 26 | second << 2 | outcome(result) as u64;
        self.games.push(game);
        if let Some(pair) = pair {
            self.keyed.push((pair, game));
        }
    }

    fn index(&mut self, name: &str) -> u64 {
        let at = self.names.get_index_of(name);
        at.unwrap_or_else(|| self.names.insert_full(name.to_owned()).0) as u64
    }

    /// Games that were passed over: of a player against itself.
    #[must_use]
    pub const fn passed(&self) -> u64 {
        self.passed
    }

    /// The sums.
    #[must_use]
    pub fn finish(mut self) -> Games {
        self.games.sort_unstable();
        let mut cells: Vec<Cell> = Vec::new();
        for (first, second, outcome) in self.games.iter().map(|&game| unpack(game)) {
            match cells.last_mut() {
                Some(cell) if (cell.first, cell.second) == (first, second) => cell.add(outcome),
                _ => {
                    let mut cell = Cell { first, second, ..Cell::default() };
                    cell.add(outcome);
                    cells.push(cell);
                }
            }
        }
        let pairs = pairs(&mut self.keyed);
        Games { names: self.names.into_iter().collect(), cells, pairs }
    }
}

const fn unpack(game: u64) -> (u32, u32, usize) {
    let mask = MAX_PLAYERS as u64 - 1;
    ((game >> 26) as u32, (game >> 2 & mask) as u32, (game & 3) as usize)
}

fn pairs(keyed: &mut [(u64, u64)]) -> Vec<PairCell> {
    keyed.sort_unstable();
    let mut cells: BTreeMap<(u32, u32), [u32; 9]> = BTreeMap::new();
    for group in keyed.chunk_by(|a, b| a.0 == b.0) {
        let [(_, one), (_, two)] = group else { continue };
        let ((a, b, one), (c, d, two)) = (unpack(*one), unpack(*two));
        if (a, b) == (d, c) {
            let (one, two) = if a < b { (one, two) } else { (two, one) };
            cells.entry((a.min(b), a.max(b))).or_default()[3 * one + two] += 1;
        }
    }
    cells.into_iter().map(|((low, high), counts)| PairCell { low, high, counts }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Draw, FirstWins, SecondWins};

    #[test]
    fn one_by_one_and_by_the_million_give_the_same_sums() {
        let games =
            [("A", "B", FirstWins, 1), ("B", "A", Draw, 1), ("C", "A", SecondWins, 2), ("A", "B", FirstWins, 3)];
        let mut collector = Collector::default();
        let mut summed = Games::default();
        for (first, second, result, key) in games {
            collector.add(first, second, result, Some(key));
            let (first, second) = (summed.player(first), summed.player(second));
            summed.add(first, second, result);
        }
        collector.add("A", "A", Draw, None);
        assert_eq!(collector.passed(), 1);
        summed.add_pair(0, 1, FirstWins, Draw);
        let collected = collector.finish();
        assert_eq!(collected, summed);
        assert_eq!((collected.count(), collected.paired()), (4, 2));
        assert_eq!(collected.pairs()[0].counts, [0, 1, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn three_games_of_one_key_are_no_pair() {
        let mut collector = Collector::default();
        for (first, second) in [("A", "B"), ("B", "A"), ("A", "B")] {
            collector.add(first, second, Draw, Some(7));
        }
        assert_eq!(collector.finish().paired(), 0);
    }

    #[test]
    fn two_groups_of_which_one_always_won_are_not_bounded() {
        let mut collector = Collector::default();
        for (first, second, result) in [
            ("A", "B", FirstWins),
            ("B", "A", FirstWins),
            ("C", "D", Draw),
            ("A", "C", FirstWins),
            ("D", "B", SecondWins),
        ] {
            collector.add(first, second, result, None);
        }
        let mut games = collector.finish();
        assert!(!games.is_bounded(|_| true));
        assert!(games.is_bounded(|player| games.names()[player as usize].as_str() < "C"));
        let (c, b) = (games.player("C"), games.player("B"));
        games.add(c, b, Draw);
        assert!(games.is_bounded(|_| true));
    }

    #[test]
    fn who_never_met_over_anybody_is_apart() {
        let mut collector = Collector::default();
        for (first, second) in [("A", "B"), ("C", "D"), ("B", "E")] {
            collector.add(first, second, Draw, None);
        }
        assert_eq!(collector.finish().components(), [0, 0, 2, 2, 0]);
    }

    #[test]
    fn merged_lists_are_those_of_all_their_games() {
        let games = [
            ("A", "B", FirstWins, 1),
            ("B", "A", Draw, 1),
            ("C", "B", SecondWins, 2),
            ("B", "C", FirstWins, 2),
            ("A", "B", FirstWins, 3),
            ("C", "A", Draw, 4),
            ("A", "C", SecondWins, 4),
        ];
        let list = |games: &[(&str, &str, GameResult, u64)]| {
            let mut collector = Collector::default();
            games.iter().for_each(|&(a, b, result, pair)| collector.add(a, b, result, Some(pair)));
            collector.finish()
        };
        let whole = list(&games);
        for cut in [0, 2, 4, 5, 7] {
            let mut merged = list(&games[..cut]);
            merged.merge(&list(&games[cut..]));
            assert_eq!(merged, whole, "{cut}");
        }
        // In another order the players have other numbers, and the games are the same.
        let mut other = list(&games[2..4]);
        other.merge(&list(&games[..2]));
        other.merge(&list(&games[4..]));
        assert_eq!(other.names(), ["C", "B", "A"]);
        assert_eq!((other.count(), other.paired()), (whole.count(), whole.paired()));
        let (a, b) = (other.find("A").unwrap(), other.find("B").unwrap());
        let pair = other.pairs().iter().find(|pair| (pair.low, pair.high) == (b, a)).unwrap();
        // B's own game as first was drawn, the other one won by its first.
        assert_eq!(pair.counts[3], 1, "{pair:?}");
    }
}
