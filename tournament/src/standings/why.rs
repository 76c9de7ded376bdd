//! Why one stands above another: the criterion that parted them, and all before it on which they were level.

use super::Standings;

/// How one criterion placed an entrant within a group that was still tied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// 0: points; then the tie-breaks in order; behind them a ruling.
    pub(super) criterion: usize,
    /// Its value, for people.
    pub(super) value: String,
    /// Which part of the group it came into, best first.
    pub(super) part: usize,
}

impl Standings {
    /// Why one of two engines stands above the other, or why they share a place: one line. `None` where one is not in
    /// the table.
    #[must_use]
    pub fn why(&self, one: &str, other: &str) -> Option<String> {
        let at = |engine: &str| self.lines.iter().position(|line| line.engine == engine);
        let (one, other) = (at(one)?, at(other)?);
        self.why_lines(one.min(other), one.max(other))
    }

    /// For each line but the first: why it stands below the one above it. As many texts as lines; the first is empty.
    #[must_use]
    pub fn whys(&self) -> Vec<String> {
        let why = |line: usize| line.checked_sub(1).and_then(|above| self.why_lines(above, line));
        (0..self.lines.len()).map(|line| why(line).unwrap_or_default()).collect()
    }

    fn why_lines(&self, above: usize, below: usize) -> Option<String> {
        let (a, b) = (self.lines.get(above)?, self.lines.get(below)?);
        let mut level = Vec::new();
        let mut parted = None;
        for (x, y) in a.trail.iter().zip(&b.trail) {
            if (x.criterion, x.part) == (y.criterion, y.part) {
                level.push(format!("{} {}", self.criterion(x.criterion), x.value));
            } else {
                parted = Some((x, y));
                break;
            }
        }
        let level = if level.is_empty() { String::new() } else { format!("level on {}", level.join(", ")) };
        let unlike = parted.is_some_and(|(x, y)| x.part > y.part) || (parted.is_none() && a.place != b.place);
        if unlike || (parted.is_some() && a.place == b.place) {
            // A cup or a ladder has an order of its own, whatever the points.
            let how = if a.place == b.place { "beside" } else { "above" };
            return Some(format!("{} {how} {}: the format's own order", a.engine, b.engine));
        }
        let Some((x, y)) = parted else {
            return Some(format!("{} and {} share place {}: {level}", a.engine, b.engine, a.place));
        };
        let name = self.criterion(x.criterion);
        let reason = if x.criterion > self.tie_breaks.len() {
            format!("{name} {}", x.value)
        } else if x.value == y.value {
            format!("{name} {} to {}, by less than is shown", x.value, y.value)
        } else {
            format!("{name} {} to {}", x.value, y.value)
        };
        let level = if level.is_empty() { level } else { format!("; {level}") };
        Some(format!("{} above {}: {reason}{level}", a.engine, b.engine))
    }

    fn criterion(&self, at: usize) -> &str {
        match at.checked_sub(1) {
            None => "points",
            Some(at) => self.tie_breaks.get(at).map_or("ruling", String::as_str),
        }
    }
}
