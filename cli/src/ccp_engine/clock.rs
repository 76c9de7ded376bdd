//! What `go` allows.

use std::time::{Duration, Instant};

use rookery_game::Seat;

/// Kept for the way of the answer.
const OVERHEAD: Duration = Duration::from_millis(10);
/// Moves for which a clock must still last.
const MOVES_LEFT: u32 = 40;

/// What was asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) depth: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) until: Option<Instant>,
}

/// Reads the words after `go`. Words that mean nothing here are passed over.
pub(super) fn read<'a>(mut words: impl Iterator<Item = &'a str>, own: Seat) -> Asked {
    let (clock, increment) = match own {
        Seat::First => ("wtime", "winc"),
        Seat::Second => ("btime", "binc"),
    };
    let mut asked = Asked::default();
    let (mut left, mut added, mut fixed) = (None, 0, None);
    while let Some(word) = words.next() {
        if !matches!(word, "depth" | "nodes" | "movetime") && word != clock && word != increment {
            continue;
        }
        let Some(value) = words.next().and_then(|value| value.parse::<u64>().ok()) else { continue };
        match word {
            "depth" => asked.depth = Some(value),
            "nodes" => asked.nodes = Some(value.max(1)),
            "movetime" => fixed = Some(value),
            word if word == clock => left = Some(value),
            _ => added = value,
        }
    }
    let budget = match (fixed, left) {
        (Some(fixed), _) => Some(Duration::from_millis(fixed)),
        // A share of the clock and most of what is added; never all that is there.
        (None, Some(left)) => {
            let left = Duration::from_millis(left);
            Some((left / MOVES_LEFT + Duration::from_millis(added) * 3 / 4).min(left / 2))
        }
        (None, None) => None,
    };
    asked.until = budget.and_then(|budget| Instant::now().checked_add(budget.saturating_sub(OVERHEAD)));
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, own: Seat, depth: Option<u64>, nodes: Option<u64>, ms: Option<u64>) {
        let before = Instant::now();
        let asked = read(text.split_ascii_whitespace(), own);
        assert_eq!((asked.depth, asked.nodes), (depth, nodes), "{text}");
        match (asked.until, ms) {
            (Some(until), Some(ms)) => {
                let found = until.duration_since(before).as_millis();
                assert!(found >= u128::from(ms) && found < u128::from(ms) + 1_000, "{text}: {found} ms");
            }
            (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{text}"),
        }
    }

    #[test]
    fn every_form() {
        check("movetime 1000", Seat::First, None, None, Some(990));
        check("nodes 768", Seat::First, None, Some(768), None);
        check("depth 3 nodes 5", Seat::Second, Some(3), Some(5), None);
        check("wtime 60000 btime 1000 winc 100 binc 0", Seat::First, None, None, Some(1_565));
        check("wtime 60000 btime 1000 winc 100 binc 0", Seat::Second, None, None, Some(15));
        check("wtime 1", Seat::First, None, None, Some(0));
        check("infinite", Seat::First, None, None, None);
        check("movetime x nodes", Seat::First, None, None, None);
    }
}
