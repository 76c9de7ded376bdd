//! The order of a score table: points, then each criterion in turn among those who are still tied, then rulings.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{
    Ruling, Standing, Standings, Tally, average_moves, buchholz, direct_encounter, fewest_crashes, koya, prediction,
    r_mobility, ruling, seeds, sonneborn_berger, tally::Table, why::Step, wins,
};
use crate::{EntrantId, spec::asks_about_ties, statistics};

/// One criterion.
enum Criterion {
    /// A number, more is better, and how it is written.
    Number(fn(&Table, usize) -> i64, fn(i64) -> String),
    /// An order, the greater is better, and how a value is written.
    Order(fn(&Table, usize, usize) -> Ordering, fn(&Table, usize) -> String),
    DirectEncounter,
    /// Splits nothing: `shared`, `played`, `ruling`.
    Last,
}

impl Criterion {
    fn named(name: &str) -> Self {
        let plain: fn(i64) -> String = |value| value.to_string();
        match name {
            "sonneborn-berger" => Self::Number(sonneborn_berger::value, sonneborn_berger::text),
            "wins" => Self::Number(wins::value, plain),
            "black-wins" => Self::Number(wins::as_second, plain),
            "double-wins" => Self::Number(wins::double, plain),
            "pair-wins" => Self::Number(wins::pairs, plain),
            "buchholz" => Self::Number(buchholz::value, points_text),
            "buchholz-cut-1" => Self::Number(buchholz::cut_1, points_text),
            "buchholz-cut-2" => Self::Number(buchholz::cut_2, points_text),
            "buchholz-median-1" => Self::Number(buchholz::median_1, points_text),
            "buchholz-median-2" => Self::Number(buchholz::median_2, points_text),
            "koya" => Self::Number(koya::value, points_text),
            "prediction" => Self::Number(prediction::value, plain),
            "fewest-crashes" => Self::Number(fewest_crashes::value, fewest_crashes::text),
            "seeds" => Self::Number(seeds::value, seeds::text),
            "r-mobility" => Self::Order(r_mobility::order, r_mobility::text),
            "average-moves-won" => Self::Order(average_moves::order_won, average_moves::text_won),
            "average-moves-lost" => Self::Order(average_moves::order_lost, average_moves::text_lost),
            "direct-encounter" => Self::DirectEncounter,
            // A spec with an unknown name was refused.
            _ => Self::Last,
        }
    }

    fn text(&self, table: &Table, entrant: usize) -> String {
        match self {
            Self::Number(value, text) => text(value(table, entrant)),
            Self::Order(_, text) => text(table, entrant),
            Self::DirectEncounter | Self::Last => String::new(),
        }
    }
}

/// Half points as points with one decimal.
pub(super) fn points_text(half_points: i64) -> String {
    format!("{}.{}", half_points / 2, half_points % 2 * 5)
}

/// A group in parts, greatest first; those that compare equal stay together, in the order of the roster.
fn parts_by(mut group: Vec<usize>, mut order: impl FnMut(usize, usize) -> Ordering) -> Vec<Vec<usize>> {
    group.sort_unstable();
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

/// By numbers that were computed once, in the group's order.
fn parts_by_values(group: &[usize], values: &[i64]) -> Vec<Vec<usize>> {
    let places: Vec<usize> = (0..group.len()).collect();
    let parts = parts_by(places, |a, b| values[a].cmp(&values[b]));
    parts.into_iter().map(|part| part.into_iter().map(|at| group[at]).collect()).collect()
}

/// What splits groups, and notes for each entrant how.
struct Ranking<'a> {
    table: &'a Table,
    trails: Vec<Vec<Step>>,
}

impl Ranking<'_> {
    fn note(&mut self, criterion: usize, parts: &[Vec<usize>], text: impl Fn(usize) -> String) {
        for (part, members) in parts.iter().enumerate() {
            for &entrant in members {
                self.trails[entrant].push(Step { criterion, value: text(entrant), part });
            }
        }
    }

    fn split(&mut self, at: usize, criterion: &Criterion, group: Vec<usize>) -> Vec<Vec<usize>> {
        if group.len() < 2 {
            return vec![group];
        }
        match criterion {
            Criterion::Number(value, text) => {
                let values: Vec<i64> = group.iter().map(|&e| value(self.table, e)).collect();
                let parts = parts_by_values(&group, &values);
                self.note(at, &parts, |e| text(value(self.table, e)));
                parts
            }
            Criterion::Order(order, text) => {
                let parts = parts_by(group, |a, b| order(self.table, a, b));
                self.note(at, &parts, |e| text(self.table, e));
                parts
            }
            Criterion::DirectEncounter => {
                let values = direct_encounter::values(self.table, &group);
                let parts = parts_by_values(&group, &values);
                let of: BTreeMap<usize, i64> = group.into_iter().zip(values).collect();
                self.note(at, &parts, |entrant| of.get(&entrant).copied().map_or_else(String::new, points_text));
                if parts.len() < 2 {
                    return parts;
                }
                parts.into_iter().flat_map(|part| self.split(at, criterion, part)).collect()
            }
            Criterion::Last => vec![group],
        }
    }

    /// As rulings order a group; what they leave level stays together.
    fn rule(&mut self, at: usize, rulings: &[Ruling], group: Vec<usize>) -> Vec<Vec<usize>> {
        if group.len() < 2 {
            return vec![group];
        }
        let Some((ruling, parts)) = ruling::split(rulings, &group) else { return vec![group] };
        self.note(at, &parts, |_| format!("by {}: {}", ruling.by, ruling.reason));
        parts.into_iter().flat_map(|part| self.rule(at, rulings, part)).collect()
    }
}

/// The score table of entrants 1, 2, … by these names. Places are those of standard competition ranking: 1, 1, 3.
#[must_use]
pub fn rank(engines: &[&str], tally: &Tally, tie_breaks: &[String], rulings: &[Ruling]) -> Standings {
    let table = &tally.table(engines.len());
    let criteria: Vec<_> = tie_breaks.iter().map(|name| Criterion::named(name)).collect();
    let names_direct = criteria.iter().any(|criterion| matches!(criterion, Criterion::DirectEncounter));
    let asks = asks_about_ties(tie_breaks);
    let points = |e: usize| i64::from(table.points[e]);
    let mut ranking = Ranking { table, trails: vec![Vec::new(); engines.len()] };
    let everyone: Vec<usize> = (0..engines.len()).collect();
    let values: Vec<i64> = everyone.iter().map(|&e| points(e)).collect();
    let by_points = parts_by_values(&everyone, &values);
    ranking.note(0, &by_points, |e| points_text(points(e)));
    let mut standings = Standings { tie_breaks: tie_breaks.to_vec(), ..Standings::default() };
    for tied in by_points {
        let direct: BTreeMap<usize, i64> = if tied.len() > 1 && names_direct {
            tied.iter().copied().zip(direct_encounter::values(table, &tied)).collect()
        } else {
            BTreeMap::new()
        };
        let mut groups = vec![tied];
        for (at, criterion) in criteria.iter().enumerate() {
            groups = groups.into_iter().flat_map(|group| ranking.split(at + 1, criterion, group)).collect();
        }
        groups = groups.into_iter().flat_map(|group| ranking.rule(criteria.len() + 1, rulings, group)).collect();
        for group in groups {
            let place = standings.lines.len() as u32 + 1;
            if asks && group.len() > 1 {
                standings.undecided.push(group.iter().map(|&e| EntrantId(e as u32 + 1)).collect());
            }
            for entrant in group {
                let text = |criterion: &Criterion| match criterion {
                    Criterion::DirectEncounter => direct.get(&entrant).copied().map_or_else(String::new, points_text),
                    other => other.text(table, entrant),
                };
                let texts = criteria.iter().map(text).collect();
                let trail = std::mem::take(&mut ranking.trails[entrant]);
                let line = line(place, entrant, engines[entrant], table);
                standings.lines.push(Standing { tie_breaks: texts, trail, ..line });
            }
        }
    }
    standings
}

fn line(place: u32, entrant: usize, engine: &str, table: &Table) -> Standing {
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
        half_points: table.points[entrant],
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
        ..Standing::default()
    }
}
