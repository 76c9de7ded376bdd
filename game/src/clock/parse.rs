//! Reading a time control: `40/90m+30s, 30m+30s`.

use std::{str::FromStr, time::Duration};

use super::{Stage, TimeControl};
use crate::board::clean;

/// Longest text that is read. A dozen stages fit.
const MAX_TEXT: usize = 256;

/// Stages that a time control may have. FIDE's longest have three.
const MAX_STAGES: usize = 16;

/// Moves that a stage may have: more than any game has.
const MAX_MOVES: u32 = 9_999;

/// The longest time that a part may give. Engines count milliseconds in 32 bits: 596 hours.
const MAX_TIME: Duration = Duration::from_secs(500 * 3600);

/// Why a text is not a time control.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("time control `{text}`: {why}")]
pub struct TimeControlError {
    /// The text, cleaned of control characters and cut to 64 characters.
    pub text: String,
    /// What is wrong and what was expected.
    pub why: String,
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        read(text.trim_ascii()).map_err(|why| TimeControlError { text: clean(text), why })
    }
}

/// What a part of a text says about units; parts of one clock must agree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Units {
    Given,
    Seconds,
    /// `m:ss`, seconds without a unit as well.
    Colons,
}

fn read(text: &str) -> Result<TimeControl, String> {
    if text.is_empty() {
        return Err(
            "empty; expected e.g. `10+0.1`, `40/90m+30s, 30m+30s`, `movetime=1s`, `nodes=20000` or `inf`".into()
        );
    }
    if text.len() > MAX_TEXT {
        return Err(format!("longer than {MAX_TEXT} characters"));
    }
    if matches!(text, "inf" | "infinite") {
        return Ok(TimeControl::default());
    }
    let mut control = TimeControl::default();
    let mut units = None;
    for (index, item) in text.split(',').enumerate() {
        if index > 0 && !item.starts_with(' ') {
            return Err(
                "a comma without a blank: stages are separated by `, `, decimals are written with a point".into()
            );
        }
        let item = item.trim_ascii();
        match item.split_once('=') {
            Some((key, value)) => read_limit(&mut control, key, value)?,
            None if matches!(item, "inf" | "infinite") => {
                return Err(format!("`{item}` stands alone"));
            }
            None => read_stage(&mut control, item, &mut units)?,
        }
    }
    check_stages(&control.stages)?;
    Ok(control)
}

fn read_limit(control: &mut TimeControl, key: &str, value: &str) -> Result<(), String> {
    let twice = || Err(format!("`{key}` is given twice"));
    match key {
        "movetime" if control.move_time.is_some() => twice(),
        "movetime" => {
            let (time, _) = read_time(value)?;
            if time.is_zero() {
                return Err("`movetime` of no time".into());
            }
            control.move_time = Some(time);
            Ok(())
        }
        "nodes" if control.nodes.is_some() => twice(),
        "nodes" => {
            control.nodes = Some(read_count(key, value, u64::MAX / 2)?);
            Ok(())
        }
        "depth" if control.depth.is_some() => twice(),
        "depth" => {
            control.depth = u32::try_from(read_count(key, value, 1_000)?).ok();
            Ok(())
        }
        _ => Err(format!("unknown key `{}`; expected `movetime`, `nodes` or `depth`", clean(key))),
    }
}

fn read_count(name: &str, text: &str, most: u64) -> Result<u64, String> {
    let number = if text.bytes().all(|b| b.is_ascii_digit()) { text.parse::<u64>().ok() } else { None };
    match number {
        Some(number) if (1..=most).contains(&number) => Ok(number),
        _ => Err(format!("`{name}` is `{}`; expected a whole number from 1 to {most}", clean(text))),
    }
}

fn read_stage(control: &mut TimeControl, text: &str, units: &mut Option<Units>) -> Result<(), String> {
    if text.is_empty() {
        return Err("an empty stage".into());
    }
    if control.stages.len() >= MAX_STAGES {
        return Err(format!("more than {MAX_STAGES} stages"));
    }
    if control.stages.last().is_some_and(|stage| stage.moves.is_none()) {
        return Err(format!("stage `{text}` is never reached: the one before it has no number of moves"));
    }
    let (moves, times) = match text.split_once('/') {
        Some(("all", times)) => (None, times),
        Some((moves, times)) => {
            let moves = read_count("moves of a stage", moves, u64::from(MAX_MOVES))?;
            (u32::try_from(moves).ok(), times)
        }
        None => (None, text),
    };
    if times.contains('/') {
        return Err(format!("stage `{text}` has two `/`; expected `[moves/]base[+increment]`"));
    }
    let mut parts = Vec::new();
    for part in times.split('+') {
        let (time, unit) = read_time(part)?;
        parts.push(time);
        let given = unit == Units::Given;
        if units.is_some_and(|before| (before == Units::Given) != given) {
            return Err("units on some parts only; write them on all parts or on none (then seconds)".into());
        }
        *units = Some(unit);
    }
    let stage = |moves, base, increment| Stage { moves, base, increment };
    match *parts.as_slice() {
        [base] => control.stages.push(stage(moves, base, Duration::ZERO)),
        [base, increment] => control.stages.push(stage(moves, base, increment)),
        [base, rest, increment] if *units == Some(Units::Given) && moves.is_some() => {
            control.stages.push(stage(moves, base, increment));
            control.stages.push(stage(None, rest, increment));
        }
        [_, _, _] => {
            return Err(format!("stage `{text}` has three parts; that form is `40/90m+30m+30s`, with moves and units"));
        }
        _ => return Err(format!("stage `{text}` has too many `+`; expected `[moves/]base[+increment]`")),
    }
    Ok(())
}

/// A clock must have something on it when it starts, and a stage must add something.
fn check_stages(stages: &[Stage]) -> Result<(), String> {
    for (index, stage) in stages.iter().enumerate() {
        if stage.base.is_zero() && (index == 0 || stage.increment.is_zero()) {
            let place = if index == 0 { "the first stage" } else { "a stage" };
            return Err(format!("{place} gives no time"));
        }
    }
    Ok(())
}

/// `12.5`, `90m`, `1:30`, `1:00:00`: to the nearest millisecond.
fn read_time(text: &str) -> Result<(Duration, Units), String> {
    let wrong = || {
        let expected = "expected e.g. `12.5` (seconds), `90m`, `30s`, `500ms`, `1:30` or `1:00:00`";
        if text.is_empty() {
            format!("a time is missing; {expected}")
        } else {
            format!("`{text}` is not a time; {expected}")
        }
    };
    let (nanos, units) = if text.contains(':') {
        (read_colons(text).ok_or_else(wrong)?, Units::Colons)
    } else {
        let digits = text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let (number, unit) = text.split_at_checked(digits).ok_or_else(wrong)?;
        let (scale, units) = match unit {
            "" => (1_000_000_000, Units::Seconds),
            "ms" => (1_000_000, Units::Given),
            "s" => (1_000_000_000, Units::Given),
            "m" => (60_000_000_000, Units::Given),
            "h" => (3_600_000_000_000, Units::Given),
            _ => return Err(wrong()),
        };
        (read_decimal(number, scale).ok_or_else(wrong)?, units)
    };
    let millis = (nanos + 500_000) / 1_000_000;
    if millis == 0 && nanos > 0 {
        return Err(format!("`{text}` is less than a millisecond"));
    }
    let time = Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX));
    if time > MAX_TIME {
        return Err(format!("`{text}` is more than {} hours", MAX_TIME.as_secs() / 3600));
    }
    Ok((time, units))
}

/// `m:ss` or `h:mm:ss`, seconds with or without a fraction, in nanoseconds.
fn read_colons(text: &str) -> Option<u128> {
    let parts: Vec<&str> = text.split(':').collect();
    let (whole, seconds) = match *parts.as_slice() {
        [minutes, seconds] => (read_decimal(minutes, 60_000_000_000)?, seconds),
        [hours, minutes, seconds] if minutes.len() == 2 && minutes < "60" => {
            (read_decimal(hours, 3_600_000_000_000)? + read_decimal(minutes, 60_000_000_000)?, seconds)
        }
        _ => return None,
    };
    // Minutes and hours are whole.
    if text.rsplit_once(':').is_some_and(|(front, _)| front.contains('.')) {
        return None;
    }
    let two_digits = seconds.split('.').next().is_some_and(|digits| digits.len() == 2 && digits < "60");
    if two_digits { Some(whole + read_decimal(seconds, 1_000_000_000)?) } else { None }
}

/// `12` or `12.5` times `scale`. At most nine digits on either side of the point.
fn read_decimal(text: &str, scale: u128) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let power = 10_u128.pow(u32::try_from(fraction.len()).ok()?);
    Some(whole.parse::<u128>().ok()? * scale + fraction.parse::<u128>().ok()? * scale / power)
}
