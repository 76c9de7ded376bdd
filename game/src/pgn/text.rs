//! Times, time controls and endings as PGN writes them.

use std::{fmt::Write, time::Duration};

use crate::{Ending, GameResult, Outcome, Seat, TimeControl, setup::Side};

/// Seconds with as many decimals as it takes, at most nine: `5`, `0.05`.
pub(super) fn seconds(duration: Duration) -> String {
    let mut out = duration.as_secs().to_string();
    if duration.subsec_nanos() > 0 {
        let _ = write!(out, ".{:09}", duration.subsec_nanos());
        out.truncate(out.trim_end_matches('0').len());
    }
    out
}

/// `0:00:09.488`, rounded down: a clock never shows more than there is.
pub(super) fn clock(nanos: u64) -> String {
    let ms = nanos / 1_000_000;
    let (s, ms) = (ms / 1000, ms % 1000);
    format!("{}:{:02}:{:02}.{ms:03}", s / 3600, s / 60 % 60, s % 60)
}

/// `40/5400+30:1800+30`; a fixed time `1.5/move`; `-` where no time is limited.
pub(super) fn time_control(control: &TimeControl) -> String {
    if control.stages.is_empty() {
        return control.move_time.map_or_else(|| "-".to_owned(), |time| format!("{}/move", seconds(time)));
    }
    let stages = control.stages.iter().map(|stage| {
        let mut out = stage.moves.map(|moves| format!("{moves}/")).unwrap_or_default();
        out.push_str(&seconds(stage.base));
        if !stage.increment.is_zero() {
            let _ = write!(out, "+{}", seconds(stage.increment));
        }
        out
    });
    stages.collect::<Vec<_>>().join(":")
}

/// `TimeControl` where both are equal, else one for each side.
pub(super) fn time_controls(sides: &[Side; 2]) -> Vec<(&'static str, String)> {
    let [white, black] = sides.each_ref().map(|side| time_control(&side.time_control));
    if white == black {
        vec![("TimeControl", white)]
    } else {
        vec![("WhiteTimeControl", white), ("BlackTimeControl", black)]
    }
}

/// The `Termination` tag: the words of the standard and of Cute Chess.
pub(super) const fn termination(outcome: Option<&Outcome>) -> &'static str {
    let Some(outcome) = outcome else { return "unterminated" };
    match outcome.ending {
        Ending::TimeLoss => "time forfeit",
        Ending::Stall => "stalled connection",
        Ending::Crash => "abandoned",
        Ending::IllegalMove => "illegal move",
        Ending::DrawAdjudication
        | Ending::ResignAdjudication
        | Ending::TablebaseAdjudication
        | Ending::TcecDraw
        | Ending::TcecWin
        | Ending::MaxMoves
        | Ending::Ruling
        | Ending::InterruptionRule => "adjudication",
        _ => "normal",
    }
}

/// The `TerminationDetails` tag and the comment at the end: one line in the words of Cute Chess and TCEC, and what the
/// outcome adds to it.
pub(super) fn details(outcome: Option<&Outcome>) -> String {
    let Some(outcome) = outcome else { return "unterminated".to_owned() };
    let winner = match outcome.result {
        GameResult::FirstWins => Some(Seat::First),
        GameResult::SecondWins => Some(Seat::Second),
        GameResult::Draw => None,
    };
    let name = |seat: Seat| if seat == Seat::First { "White" } else { "Black" };
    let loser = || outcome.fault.or_else(|| winner.map(Seat::other)).map_or("A side", name);
    let won = winner.map(name);
    let adjudicated = |what: &str| won.map_or_else(|| format!("Draw by {what}"), |won| format!("{won} wins by {what}"));
    let text = match outcome.ending {
        Ending::Checkmate => format!("{} mates", won.unwrap_or("A side")),
        Ending::Stalemate => adjudicated("stalemate"),
        Ending::Repetition => adjudicated("3-fold repetition"),
        Ending::FiftyMoves => adjudicated("fifty moves rule"),
        Ending::InsufficientMaterial => adjudicated("insufficient mating material"),
        Ending::Resignation => format!("{} resigns", loser()),
        Ending::TimeLoss => match won {
            Some(_) => format!("{} loses on time", loser()),
            None => format!("{} ran out of time, the other side cannot mate", loser()),
        },
        Ending::Stall => format!("{}'s connection stalls", loser()),
        Ending::Crash => format!("{} disconnects", loser()),
        Ending::IllegalMove => format!("{} makes an illegal move", loser()),
        Ending::DrawAdjudication | Ending::ResignAdjudication => adjudicated("adjudication"),
        Ending::TablebaseAdjudication => adjudicated("adjudication: SyzygyTB"),
        Ending::TcecDraw => "TCEC draw rule".to_owned(),
        Ending::TcecWin => "TCEC win rule".to_owned(),
        Ending::MaxMoves => adjudicated("adjudication: maximum length"),
        Ending::Ruling => adjudicated("a ruling"),
        Ending::InterruptionRule => adjudicated("the rule for interruptions"),
        Ending::Declaration => adjudicated("declaration"),
        Ending::Goal => adjudicated("reaching the goal"),
    };
    if outcome.detail.is_empty() { text } else { format!("{text}: {}", outcome.detail) }
}

/// A moment as date and time of day, UTC.
pub(super) struct Moment {
    /// `2026.11.30`.
    pub(super) date: String,
    /// `2026-11-30T13:46:48.123 UTC`, as TCEC writes it.
    pub(super) stamp: String,
}

/// `None` for 0, which means unknown.
pub(super) fn moment(unix_ms: u64) -> Option<Moment> {
    /// The year 9999 ends here: later ones have no four digits.
    const END: u64 = 253_402_300_800_000;
    if unix_ms == 0 || unix_ms >= END {
        return None;
    }
    let (days, ms) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    // Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days, for days after 1970.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (s, ms) = (ms / 1000, ms % 1000);
    Some(Moment {
        date: format!("{year:04}.{month:02}.{day:02}"),
        stamp: format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{ms:03} UTC", s / 3600, s / 60 % 60, s % 60),
    })
}
