//! What happened, compact: a line an event where it is to be shown, and a number over all of it always.

use crate::dice::{hash, mix};

#[derive(Debug, Default)]
pub(crate) struct History {
    /// `None`: not kept.
    lines: Option<Vec<String>>,
    /// Over time and number of all that happened.
    pub(crate) digest: u64,
    pub(crate) events: u64,
}

impl History {
    pub(crate) fn new(kept: bool) -> Self {
        Self { lines: kept.then(Vec::new), ..Self::default() }
    }

    /// Something happened at `now`, nanoseconds.
    pub(crate) fn note(&mut self, now: u64, line: impl FnOnce() -> String) {
        self.events += 1;
        self.digest = mix(self.digest ^ now);
        if let Some(lines) = &mut self.lines {
            let text = format!("{:>9.3} {}", now as f64 / 1e9, line());
            self.digest = mix(self.digest ^ hash(text.as_bytes()));
            lines.push(text);
        }
    }

    pub(crate) fn lines(&self) -> &[String] {
        self.lines.as_deref().unwrap_or_default()
    }
}
