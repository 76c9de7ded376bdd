//! Decisions in words, with their numbers.

use std::time::Duration;

use rookery_game::Seat;

use super::{Broken, Compensation, Evaluation, MATE, Verdict, WHOLE};

/// `+10.01`.
fn pawns(evaluation: Option<Evaluation>) -> String {
    match evaluation {
        None => "none".to_owned(),
        Some(e) if e == MATE => "+mate".to_owned(),
        Some(e) if e <= -MATE => "-mate".to_owned(),
        Some(e) => format!("{}{}", if e < 0 { '-' } else { '+' }, pawns_of(i64::from(e).abs())),
    }
}

/// Centipawns, from nought up, as pawns: `0.15`.
pub(super) fn pawns_of(cp: i64) -> String {
    format!("{}.{:02}", cp / 100, cp % 100)
}

fn clock(clock: Option<Duration>) -> String {
    clock.map_or_else(|| "none".to_owned(), |left| format!("{}.{:03} s", left.as_secs(), left.subsec_millis()))
}

fn percent(share: u32) -> String {
    format!("{} %", f64::from(share) * 100.0 / f64::from(WHOLE))
}

/// What both clocks get.
pub(super) fn compensation(compensation: Compensation) -> String {
    match compensation {
        Compensation::None => "clocks as they stood".to_owned(),
        Compensation::Fixed(time) => format!("{} for both clocks", clock(Some(time))),
        Compensation::Base { share, capped } => {
            let cap = if capped { ", up to the base" } else { "" };
            format!("{} of the base for both clocks{cap}", percent(share))
        }
        Compensation::LastThink { share } => format!("{} of each side's last think for its clock", percent(share)),
    }
}

/// The whole line.
pub(super) fn of(broken: &Broken, verdict: &Verdict, why: &str) -> String {
    let [first, second] = Seat::BOTH.map(|seat| seat.index());
    let what = match verdict {
        Verdict::Score(result) => format!("scored {}", result.as_str()),
        Verdict::AskTables => "the tables are asked".to_owned(),
        Verdict::Restart { clocks } => format!(
            "restarted at ply {}: clocks {} and {} (were {} and {}), restart {}",
            broken.plies,
            clock(clocks[first]),
            clock(clocks[second]),
            clock(broken.clocks[first]),
            clock(broken.clocks[second]),
            broken.restarts + 1,
        ),
        Verdict::Replay => "played again from the opening".to_owned(),
        Verdict::AskPerson => "a person is asked".to_owned(),
    };
    let men = broken.men.map_or_else(String::new, |men| {
        let castling = if broken.castling { " with castling rights" } else { "" };
        format!(", {men} men{castling}")
    });
    format!(
        "{what}: {why} (ply {}, moves {}/{}, evaluations {} and {}{men})",
        broken.plies,
        broken.moves[first],
        broken.moves[second],
        pawns(broken.evaluations[first]),
        pawns(broken.evaluations[second]),
    )
}
