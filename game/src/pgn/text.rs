//! Times, time controls and endings as PGN writes them.

use crate::{Ending, GameResult, Outcome, Seat, setup::Side};

/// `0:00:09.488`, rounded down: a clock never shows more than there is.
pub(super) fn clock(nanos: u64) -> String {
    let ms = nanos / 1_000_000;
    let (s, ms) = (ms / 1000, ms % 1000);
    format!("{}:{:02}:{:02}.{ms:03}", s / 3600, s / 60 % 60, s % 60)
}

/// `TimeControl` where both are equal, else one for each side.
pub(super) fn time_controls(sides: &[Side; 2]) -> Vec<(&'static str, String)> {
    let [white, black] = sides.each_ref().map(|side| side.time_control.pgn());
    if white == black {
        vec![("TimeControl", white)]
    } else {
        vec![("WhiteTimeControl", white), ("BlackTimeControl", black)]
    }
}

/// What PGN's time controls cannot say (nodes, depth, a fixed time beside a clock), in the words of a spec.
pub(super) fn limits(sides: &[Side; 2]) -> Vec<(&'static str, String)> {
    let said = |side: &Side| {
        let control = &side.time_control;
        let lost = control.nodes.is_some()
            || control.depth.is_some()
            || (control.move_time.is_some() && !control.stages.is_empty());
        if lost { control.to_string() } else { String::new() }
    };
    let [white, black] = sides.each_ref().map(said);
    if white == black {
        vec![("RookeryLimits", white)]
    } else {
        vec![("RookeryWhiteLimits", white), ("RookeryBlackLimits", black)]
    }
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .collect()
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
        Ending::EqualTurnGoalDraw => adjudicated("both in their goals"),
        Ending::AntiBlockGoalFull => adjudicated("a full goal"),
        Ending::MaxPly => adjudicated("maximum length"),
        Ending::NoLegalMoves => adjudicated("no legal moves"),
        Ending::Agreement => "Draw by agreement".to_owned(),
    };
    // The board's own words say again what the text says already.
    let detail = outcome.detail.strip_prefix("illegal move ").filter(|_| outcome.ending == Ending::IllegalMove);
    match detail.unwrap_or(&outcome.detail) {
        "" => text,
        detail => format!("{text}: {detail}"),
    }
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
