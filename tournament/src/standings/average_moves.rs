//! Average number of moves (§11.1.5, §11.1.6): fewer in the games won, then more in the games lost. A game has half its
//! plies, rounded up, opening included; games lost by crash or time count (a game that was never played, and got its
//! points by a ruling, has no moves and does not). Averages are compared as exact fractions.

use std::cmp::Ordering;

use super::tally::Table;

/// Moves and the games that they were played in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Moves {
    moves: u64,
    games: u32,
}

impl Moves {
    /// Adds a game's plies (`sign` 1) or takes them away (-1).
    pub(super) fn add(&mut self, plies: u32, sign: i64) {
        let moves = u64::from(plies.div_ceil(2));
        if sign > 0 {
            self.moves = self.moves.saturating_add(moves);
            self.games = self.games.saturating_add(1);
        } else {
            self.moves = self.moves.saturating_sub(moves);
            self.games = self.games.saturating_sub(1);
        }
    }

    /// The larger average; `None` where a side has no games.
    fn compare(self, other: Self) -> Option<Ordering> {
        if self.games == 0 || other.games == 0 {
            return None;
        }
        let (a, b) =
            (u128::from(self.moves) * u128::from(other.games), u128::from(other.moves) * u128::from(self.games));
        Some(a.cmp(&b))
    }

    fn text(self) -> String {
        if self.games == 0 { "none".to_owned() } else { format!("{:.3}", self.moves as f64 / f64::from(self.games)) }
    }
}

/// Fewer moves in the games won are better; who won none is behind all who did.
pub(super) fn order_won(table: &Table, a: usize, b: usize) -> Ordering {
    let (a, b) = (table.own[a].moves_won, table.own[b].moves_won);
    a.compare(b).map_or_else(|| (a.games > 0).cmp(&(b.games > 0)), Ordering::reverse)
}

/// More moves in the games lost are better; who lost none is ahead of all who did.
pub(super) fn order_lost(table: &Table, a: usize, b: usize) -> Ordering {
    let (a, b) = (table.own[a].moves_lost, table.own[b].moves_lost);
    a.compare(b).unwrap_or_else(|| (a.games == 0).cmp(&(b.games == 0)))
}

/// Of the games won, for people.
pub(super) fn text_won(table: &Table, entrant: usize) -> String {
    table.own[entrant].moves_won.text()
}

/// Of the games lost, for people.
pub(super) fn text_lost(table: &Table, entrant: usize) -> String {
    table.own[entrant].moves_lost.text()
}
