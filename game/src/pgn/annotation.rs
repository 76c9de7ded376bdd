//! What a comment says about its move.
//!
//! Three forms are read: that of Cute Chess, which the writer uses too (`+0.35/18 0.512s, sd=24, n=12345`, from the
//! mover's own view), that of TCEC (`d=29, sd=41, mt=62808, tl=1740192, wv=0.64`: milliseconds, White's view, and the
//! bare `0.64`, White's view as well), and the bracketed commands (`[%clk 0:10:00]`, `[%emt 0:00:01]`, `[%eval 0.35]`,
//! White's view). Whatever is none of them is a note.

use shakmaty::{Chess, Position};

use super::san;
use crate::{Ply, Score, Seat, opening::castling_mode, setup::GameKind};

/// Reads the first comment after a move into it, and gives back what is left for people. `before` is the position before
/// the move.
pub(crate) fn read(comment: &str, mover: Seat, before: &Chess, kind: GameKind, ply: &mut Ply) -> String {
    let text = commands(comment, mover, ply);
    let mut left: Vec<&str> = Vec::new();
    for (place, field) in Fields(&text).enumerate() {
        let field = field.trim();
        let known = field.is_empty()
            || (place == 0 && first(field, mover, ply))
            || field.split_once('=').is_some_and(|(key, value)| {
                pair(key.trim(), value.trim(), mover, ply) || variation(key, value, before, kind, ply)
            });
        if !known {
            left.push(field);
        }
    }
    left.join(", ")
}

/// Takes `[%name value]` out of the text, and gives back the rest. Of a second comment after a move only this is read:
/// the rest is text for people, even where it looks like a score.
pub(crate) fn commands(comment: &str, mover: Seat, ply: &mut Ply) -> String {
    let mut out = String::with_capacity(comment.len());
    let mut rest = comment;
    while let Some(open) = rest.find("[%") {
        let Some(close) = rest[open..].find(']') else { break };
        out.push_str(&rest[..open]);
        let body = &rest[open + 2..open + close];
        let (name, value) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
        let value = value.trim();
        match name {
            "clk" => ply.clock_ns = clock(value).or(ply.clock_ns),
            "emt" => ply.time_ns = clock(value).unwrap_or(ply.time_ns),
            "eval" => {
                let (score, depth) = value.split_once(',').unwrap_or((value, ""));
                ply.score = eval_command(score.trim(), mover).or(ply.score);
                ply.depth = depth.trim().parse().unwrap_or(ply.depth);
            }
            // A command that is not known is no text for people either.
            _ => {}
        }
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out
}

/// The fields between commas that are not in quotes.
struct Fields<'a>(&'a str);

impl<'a> Iterator for Fields<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let mut quoted = false;
        for (at, byte) in self.0.bytes().enumerate() {
            match byte {
                b'"' => quoted = !quoted,
                b',' if !quoted => {
                    let field = &self.0[..at];
                    self.0 = &self.0[at + 1..];
                    return Some(field);
                }
                _ => {}
            }
        }
        Some(std::mem::take(&mut self.0))
    }
}

/// `book`, `+0.35/18 0.512s`, `+0.35/18`, `0.512s`, or a bare score from White's view.
fn first(field: &str, mover: Seat, ply: &mut Ply) -> bool {
    if field.eq_ignore_ascii_case("book") {
        ply.book = true;
        return true;
    }
    let (head, tail) = field.split_once(char::is_whitespace).unwrap_or((field, ""));
    let tail = tail.trim();
    if let Some((score, depth)) = head.split_once('/') {
        let (Some(score), Ok(depth)) = (score_text(score), depth.parse()) else { return false };
        let time = if tail.is_empty() { None } else { duration(tail) };
        if time.is_none() && !tail.is_empty() {
            return false;
        }
        (ply.score, ply.depth) = (Some(score), depth);
        ply.time_ns = time.unwrap_or(ply.time_ns);
        return true;
    }
    if !tail.is_empty() {
        return false;
    }
    if head.ends_with('s')
        && let Some(time) = duration(head)
    {
        ply.time_ns = time;
        return true;
    }
    match score_text(head) {
        Some(score) => {
            ply.score = Some(seen_by(score, mover));
            true
        }
        None => false,
    }
}

/// One `key=value`; false where the key is not known.
fn pair(key: &str, value: &str, mover: Seat, ply: &mut Ply) -> bool {
    fn number<T: std::str::FromStr>(value: &str, into: &mut T) {
        if let Ok(number) = value.parse() {
            *into = number;
        }
    }
    match key {
        "d" => number(value, &mut ply.depth),
        "sd" => number(value, &mut ply.selective_depth),
        "n" => number(value, &mut ply.nodes),
        "tb" | "tbhits" => number(value, &mut ply.tablebase_hits),
        "mt" => ply.time_ns = duration(value).unwrap_or(ply.time_ns),
        "tl" | "timeleft" => ply.clock_ns = duration(value).or(ply.clock_ns),
        "auto" => ply.auto = value == "1",
        "offer" => ply.offer = value == "1",
        "hit" => ply.foreseen = Some(value == "1"),
        "cond" => {
            let words = value.trim_matches('"').split_ascii_whitespace().take(crate::prediction::MAX_STRING);
            ply.conditional = words.collect::<Vec<_>>().join(" ");
        }
        "lag" => ply.lag_ns = duration(value).unwrap_or(ply.lag_ns),
        "wv" => ply.score = score_text(value).map(|score| seen_by(score, mover)).or(ply.score),
        // What other programs add, and nothing here keeps.
        "s" | "nps" | "h" | "hashfull" | "ph" | "pd" | "R50" | "Rd" | "Rr" | "mb" | "latency" => {}
        _ => return false,
    }
    true
}

/// `pv=…`, in SAN or UCI; kept as UCI up to its first move that is not legal.
fn variation(key: &str, value: &str, before: &Chess, kind: GameKind, ply: &mut Ply) -> bool {
    if key.trim() != "pv" {
        return false;
    }
    let value = value.trim().trim_matches('"');
    let mode = castling_mode(kind);
    let mut chess = before.clone();
    ply.pv.clear();
    for word in value.split_ascii_whitespace() {
        let Ok(mv) = san::read(&chess, word.as_bytes()) else { break };
        if !ply.pv.is_empty() {
            ply.pv.push(' ');
        }
        ply.pv.push_str(&mv.to_uci(mode).to_string());
        chess.play_unchecked(mv);
    }
    true
}

/// From White's view to the mover's, or back.
const fn seen_by(score: Score, mover: Seat) -> Score {
    match (mover, score) {
        (Seat::First, score) => score,
        (Seat::Second, Score::Cp(cp)) => Score::Cp(cp.saturating_neg()),
        (Seat::Second, Score::Mate(moves)) => Score::Mate(moves.saturating_neg()),
    }
}

/// `+0.35`, `-1.20`, `+M5`, `-M4` (plies to mate, as Cute Chess writes it).
fn score_text(text: &str) -> Option<Score> {
    let (negative, body) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let signed = |value: i64| {
        let value = if negative { -value } else { value };
        i32::try_from(value).unwrap_or(if negative { i32::MIN } else { i32::MAX })
    };
    if let Some(plies) = body.strip_prefix(['M', '#']) {
        let plies: i64 = plies.parse().ok().filter(|plies| *plies >= 0)?;
        return Some(Score::Mate(signed(plies / 2 + plies % 2)));
    }
    centi(body).map(|cp| Score::Cp(signed(cp)))
}

/// `[%eval …]`: pawns, or `#3` in moves; White's view.
fn eval_command(text: &str, mover: Seat) -> Option<Score> {
    let score = match text.strip_prefix('#') {
        Some(moves) => Score::Mate(moves.parse::<i32>().ok()?),
        None => score_text(text)?,
    };
    Some(seen_by(score, mover))
}

/// Digits with at most one point, times a hundred, rounded; no sign.
fn centi(text: &str) -> Option<i64> {
    let value = decimal(text)? * 100.0;
    #[expect(clippy::cast_possible_truncation, reason = "bounded on this line")]
    (value < 1e12).then(|| value.round() as i64)
}

fn decimal(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.len() <= 20 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if plain { text.parse().ok() } else { None }
}

/// `0.512s`, `512ms`, or bare milliseconds, in nanoseconds.
fn duration(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1e6),
        None => text.strip_suffix('s').map_or((text, 1e6), |digits| (digits, 1e9)),
    };
    nanos(decimal(digits)? * unit)
}

/// `h:mm:ss.fff`, in nanoseconds.
fn clock(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        seconds = seconds * 60.0 + decimal(part)?;
    }
    nanos(seconds * 1e9)
}

fn nanos(value: f64) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive, and `as` saturates")]
    (value < 1.9e19).then(|| value.round() as u64)
}
