//! The `go` line.

use std::fmt::Write as _;

use crate::engine::Go;

/// Appends `go …` without a newline. Without any limit it is `go infinite`.
pub(crate) fn write(out: &mut Vec<u8>, go: &Go, ponder: bool) {
    let mut line = String::with_capacity(96);
    line.push_str(if ponder { "go ponder" } else { "go" });
    let bare = line.len();
    let mut word = |name: &str, value: u64| {
        // Writing to a string cannot fail.
        let _ = write!(line, " {name} {value}");
    };
    if let Some([first, second]) = go.clocks_ms {
        word("wtime", first.max(1));
        word("btime", second.max(1));
        if go.increments_ms != [0, 0] {
            word("winc", go.increments_ms[0]);
            word("binc", go.increments_ms[1]);
        }
        if let Some(moves) = go.moves_to_go {
            word("movestogo", u64::from(moves));
        }
    }
    if let Some(ms) = go.move_time_ms {
        word("movetime", ms.max(1));
    }
    if let Some(nodes) = go.nodes {
        word("nodes", nodes);
    }
    if let Some(depth) = go.depth {
        word("depth", u64::from(depth));
    }
    if line.len() == bare {
        line.push_str(" infinite");
    }
    out.extend_from_slice(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(go: Go, ponder: bool, expected: &str) {
        let mut out = Vec::new();
        write(&mut out, &go, ponder);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn every_form() {
        check(Go::default(), false, "go infinite");
        let clock = Go { clocks_ms: Some([1000, 0]), increments_ms: [10, 0], ..Go::default() };
        check(clock, false, "go wtime 1000 btime 1 winc 10 binc 0");
        check(
            Go { moves_to_go: Some(40), increments_ms: [0, 0], ..clock },
            true,
            "go ponder wtime 1000 btime 1 movestogo 40",
        );
        check(Go { move_time_ms: Some(0), ..Go::default() }, false, "go movetime 1");
        check(Go { nodes: Some(5), depth: Some(3), ..Go::default() }, false, "go nodes 5 depth 3");
        check(Go { nodes: Some(5), ..clock }, false, "go wtime 1000 btime 1 winc 10 binc 0 nodes 5");
        check(Go { increments_ms: [5, 5], moves_to_go: Some(3), ..Go::default() }, false, "go infinite");
    }
}
