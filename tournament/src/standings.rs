//! Score tables: points, then the tie-breaks that the spec names, each in a file of its own.

mod average_moves;
mod buchholz;
mod direct_encounter;
mod fewest_crashes;
mod koya;
mod prediction;
mod r_mobility;
mod rank;
mod ruling;
mod seeds;
mod sonneborn_berger;
mod tally;
mod why;
mod wins;

pub use rank::rank;
pub use ruling::Ruling;
pub use tally::{Counts, Tally};

use crate::EntrantId;

/// One line of the score table. What cannot be computed is `None`; nothing is ever NaN or infinite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standing {
    /// 1 is first; who shares a place has the same number.
    pub place: u32,
    /// Who.
    pub entrant: Option<EntrantId>,
    /// The engine's name.
    pub engine: String,
    /// Games that count.
    pub games: u32,
    /// Won.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost.
    pub losses: u32,
    /// Half points.
    pub half_points: u32,
    /// Elo difference to the field, logistic.
    pub elo: Option<f64>,
    /// Half the width of its 95 % interval.
    pub elo_error: Option<f64>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
    /// Normalised Elo.
    pub normalized_elo: Option<f64>,
    /// Complete pairs with 0, ½, 1, 1½, 2 points.
    pub pairs: [u32; 5],
    /// Share of draws.
    pub draw_ratio: Option<f64>,
    /// Pairs won to pairs lost.
    pub pair_ratio: Option<f64>,
    /// Crashes and stalls of its own.
    pub crashes: u32,
    /// Time losses.
    pub time_losses: u32,
    /// Games lost by an illegal move.
    pub illegal_moves: u32,
    /// Values of the tie-breaks in the spec's order, as text.
    pub tie_breaks: Vec<String>,
    /// How it got its place.
    trail: Vec<why::Step>,
}

/// The score table, best first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Standings {
    /// Best first.
    pub lines: Vec<Standing>,
    /// Names of the tie-breaks, in order.
    pub tie_breaks: Vec<String>,
    /// Who is level on all criteria where the last of them leaves the order to a person or to games.
    pub undecided: Vec<Vec<EntrantId>>,
}

impl Standings {
    /// Puts the lines in the order that the format gives: groups, best first, that share a place. Who is named in none
    /// comes last, in the order that is there.
    pub(crate) fn reorder(&mut self, groups: &[Vec<EntrantId>]) {
        let mut lines = std::mem::take(&mut self.lines);
        // The format leaves nothing to a person.
        self.undecided.clear();
        let rest = vec![lines.iter().filter_map(|line| line.entrant).collect()];
        for (at, group) in groups.iter().chain(&rest).enumerate() {
            let first = self.lines.len() as u32 + 1;
            let (taken, left): (Vec<_>, Vec<_>) =
                lines.into_iter().partition(|line| line.entrant.is_some_and(|entrant| group.contains(&entrant)));
            lines = left;
            for mut line in taken {
                line.place = if at < groups.len() { first } else { self.lines.len() as u32 + 1 };
                self.lines.push(line);
            }
        }
    }
}

/// Results of one entrant against another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// Won by the row.
    pub wins: u32,
    /// Drawn.
    pub draws: u32,
    /// Lost by the row.
    pub losses: u32,
    /// `1`, `0`, `=` in starting order; at most the last 64.
    pub sequence: String,
}

/// Points of each against each, in the order of the standings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Crosstable {
    /// Names, best first.
    pub engines: Vec<String>,
    /// Half points.
    pub half_points: Vec<u32>,
    /// `cells[row][column]`.
    pub cells: Vec<Vec<Cell>>,
}

#[cfg(test)]
mod tests;
