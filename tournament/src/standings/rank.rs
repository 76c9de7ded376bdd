//! The order of a score table: points, then each criterion in turn among those who are still tied.

use std::cmp::Ordering;

use super::{
    Standing, Standings, Tally, direct_encounter, fewest_crashes, koya, r_mobility, sonneborn_berger, tally::Table,
    wins,
};
use crate::{EntrantId, statistics};

/// One criterion.
enum Criterion {
    /// A number, more is better, and how it is written.
    Number(fn(&Table, usize) -> i64, fn(i64) -> String),
    RMobility,
    DirectEncounter,
    /// Splits nothing.
    Shared,
}

impl Criterion {
    fn named(name: &str) -> Self {
        let plain: fn(i64) -> String = |value| value.to_string();
        match name {
            "sonneborn-berger" => Self::Number(sonneborn_berger::value, sonneborn_berger::text),
            "wins" => Self::Number(wins::value, plain),
            "black-wins" => Self::Number(wins::as_second, plain),
            "double-wins" => Self::Number(wins::double, plain),
            "koya" => Self::Number(koya::value, koya::text),
            "fewest-crashes" => Self::Number(fewest_crashes::value, fewest_crashes::text),
            "r-mobility" => Self::RMobility,
            "direct-encounter" => Self::DirectEncounter,
            // A spec with an unknown name was refused: `shared`.
            _ => Self::Shared,
        }
    }

    fn split(&self, table: &Table, group: Vec<usize>) -> Vec<Vec<usize>> {
        match self {
            Self::Number(value, _) => split_by(group, |a, b| value(table, a).cmp(&value(table, b))),
            Self::RMobility => split_by(group, |a, b| r_mobility::order(table, a, b)),
            Self::DirectEncounter => direct_encounter::split(table, group),
            Self::Shared => vec![group],
        }
    }

    fn text(&self, table: &Table, tied: &[usize], entrant: usize) -> String {
        match self {
            Self::Number(value, text) => text(value(table, entrant)),
            Self::RMobility => r_mobility::text(table, entrant),
            Self::DirectEncounter if tied.len() > 1 => koya::text(direct_encounter::value(table, tied, entrant)),
            Self::DirectEncounter | Self::Shared => String::new(),
        }
    }
}

/// A group in parts, greatest first; those that compare equal stay together, in their order.
pub(super) fn split_by(mut group: Vec<usize>, mut order: impl FnMut(usize, usize) -> Ordering) -> Vec<Vec<usize>> {
    group.sort_by(|&a, &b| order(b, a));
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for entrant in group {
        match parts.last_mut() {
            Some(part) if order(part[0], entrant) == Ordering::Equal => part.push(entrant),
            _ => parts.push(vec![entrant]),
        }
    }
    parts
}

/// The score table of entrants 1, 2, … by these names. Places are those of standard competition ranking: 1, 1, 3.
#[must_use]
pub fn rank(engines: &[&str], tally: &Tally, tie_breaks: &[String]) -> Standings {
    let table = tally.table(engines.len());
    let criteria: Vec<_> = tie_breaks.iter().map(|name| Criterion::named(name)).collect();
    let points = |e: usize| table.total[e].half_points();
    let mut lines = Vec::with_capacity(engines.len());
    for tied in split_by((0..engines.len()).collect(), |a, b| points(a).cmp(&points(b))) {
        let mut groups = vec![tied.clone()];
        for criterion in &criteria {
            let split = |group: Vec<usize>| if group.len() < 2 { vec![group] } else { criterion.split(&table, group) };
            groups = groups.into_iter().flat_map(split).collect();
        }
        for group in groups {
            let place = lines.len() as u32 + 1;
            for entrant in group {
                let texts = criteria.iter().map(|c| c.text(&table, &tied, entrant)).collect();
                lines.push(line(place, entrant, engines[entrant], &table, texts));
            }
        }
    }
    Standings { lines, tie_breaks: tie_breaks.to_vec() }
}

fn line(place: u32, entrant: usize, engine: &str, table: &Table, tie_breaks: Vec<String>) -> Standing {
    let counts = &table.total[entrant];
    let own = &table.own[entrant];
    let summary = statistics::summary(counts);
    Standing {
        place,
        entrant: Some(EntrantId(entrant as u32 + 1)),
        engine: engine.to_owned(),
        games: counts.games(),
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        half_points: counts.half_points(),
        elo: summary.elo.finite(),
        elo_error: summary.elo_error,
        los: summary.los,
        normalized_elo: summary.normalized_elo,
        pairs: counts.pairs,
        draw_ratio: summary.draw_ratio,
        pair_ratio: summary.pair_ratio,
        crashes: own.crashes,
        time_losses: own.time_losses,
        illegal_moves: own.illegal_moves,
        tie_breaks,
    }
}
