//! How a time control is written.

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Stage, TimeControl};

impl TimeControl {
    /// The value of PGN's `TimeControl` tag: `40/5400+30:1800+30` (seconds) where there is a clock, `1.5/move` for a
    /// fixed time alone, `-` where no time is limited.
    #[must_use]
    pub fn pgn(&self) -> String {
        if self.has_clock() {
            let stages: Vec<String> = self.stages.iter().map(|stage| stage_text(stage, false)).collect();
            stages.join(":")
        } else if let Some(time) = self.move_time {
            format!("{}/move", seconds(time))
        } else {
            "-".to_owned()
        }
    }
}

/// The one canonical form; reading it gives the same time control again, as far as that is made of whole milliseconds.
/// With units where a part is whole minutes and all are whole seconds (`40/90m+30s`), else in seconds (`60+0.6`).
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = || self.stages.iter().flat_map(|stage| [stage.base, stage.increment]);
        let units = parts().any(is_minutes) && parts().all(|time| time.subsec_nanos() == 0);
        let mut items: Vec<String> = self.stages.iter().map(|stage| stage_text(stage, units)).collect();
        items.extend(self.move_time.map(|time| format!("movetime={}", with_unit(time))));
        items.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        items.extend(self.depth.map(|depth| format!("depth={depth}")));
        if items.is_empty() {
            return f.write_str("inf");
        }
        f.write_str(&items.join(", "))
    }
}

const fn is_minutes(time: Duration) -> bool {
    time.as_secs() >= 60 && time.as_secs().is_multiple_of(60) && time.subsec_nanos() == 0
}

fn stage_text(stage: &Stage, units: bool) -> String {
    let time = if units { with_unit } else { seconds };
    let mut text = stage.moves.map(|moves| format!("{moves}/")).unwrap_or_default();
    text.push_str(&time(stage.base));
    if !stage.increment.is_zero() {
        text.push('+');
        text.push_str(&time(stage.increment));
    }
    text
}

/// `12.5`: seconds, as few digits as whole milliseconds need.
fn seconds(time: Duration) -> String {
    let text = format!("{}.{:03}", time.as_secs(), time.subsec_millis());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// `90m`, `1h`, `30s`, `1500ms`: the largest unit that needs no fraction.
fn with_unit(time: Duration) -> String {
    let secs = time.as_secs();
    match (time.subsec_millis(), secs) {
        (0, 0) => "0s".to_owned(),
        (0, _) if secs.is_multiple_of(3600) => format!("{}h", secs / 3600),
        (0, _) if secs.is_multiple_of(60) => format!("{}m", secs / 60),
        (0, _) => format!("{secs}s"),
        _ => format!("{}ms", time.as_millis()),
    }
}

impl Serialize for TimeControl {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
