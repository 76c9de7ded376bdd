//! PGN out.

use std::fmt::Write;

use shakmaty::{Chess, Position, san::SanPlus, uci::UciMove};

use super::{CLASSIC, movetext::Movetext, tag, text};
use crate::{GameRecord, Ply, Score, Seat, opening::position, prediction, setup::GameKind};

/// What is written of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PgnOptions {
    /// Comments: scores, clocks, notes, the reason of the end.
    pub comments: bool,
    /// Principal variations in the comments, as UCI.
    pub pv: bool,
    /// Tags about the engines: what they call themselves, digests, options.
    pub engines: bool,
}

impl Default for PgnOptions {
    fn default() -> Self {
        Self { comments: true, pv: false, engines: true }
    }
}

impl PgnOptions {
    /// Tags, moves and result alone.
    #[must_use]
    pub const fn minimal() -> Self {
        Self { comments: false, pv: false, engines: false }
    }
}

/// Tags that the record itself decides, with all that begin with `Rookery`; such a key among the setup's tags is passed over.
const OWN: &[&str] = &[
    "Event",
    "Date",
    "White",
    "Black",
    "Result",
    "FEN",
    "SetUp",
    "Variant",
    "PlyCount",
    "TimeControl",
    "WhiteTimeControl",
    "BlackTimeControl",
    "Termination",
    "TerminationDetails",
    "GameStartTime",
    "GameEndTime",
    "GameDuration",
    "WhiteEngine",
    "BlackEngine",
    "WhiteAuthor",
    "BlackAuthor",
    "WhiteEngineDigest",
    "BlackEngineDigest",
    "PredictionWhite",
    "PredictionBlack",
    "PredictionWinner",
    "PC1",
    "PC2",
    "WhiteEngineOptions",
    "BlackEngineOptions",
    "Site",
    "Round",
];

/// Writes a game, with an empty line after the tags and one at the end. Whatever the record holds, the text is one
/// readable game: control characters become blanks, an illegal move and all after it are left out (a comment says so),
/// a game without an outcome ends with `*`.
#[must_use]
pub fn write(record: &GameRecord, options: &PgnOptions) -> String {
    let (movetext, plies) = moves(record, options);
    let mut out = tags(record, options, plies);
    out.push('\n');
    out.push_str(&movetext);
    out.push('\n');
    out
}

fn result(record: &GameRecord) -> &'static str {
    record.outcome.as_ref().map_or("*", |outcome| outcome.result.as_str())
}

fn tags(record: &GameRecord, options: &PgnOptions, plies: usize) -> String {
    let mut out = String::new();
    let mut put = |name: &str, value: &str| tag::write(&mut out, name, value);
    let setup = &record.setup;
    let given = |name: &str| setup.tags.get(name).map(String::as_str).filter(|value| !value.trim().is_empty());
    let start = text::moment(record.began());
    let names = Seat::BOTH.map(|seat| {
        let name = record.engines[seat.index()].name.trim();
        let name = if name.is_empty() { setup.side(seat).engine.name.trim() } else { name };
        if name.is_empty() { "?" } else { name }
    });
    put("Event", if record.event.trim().is_empty() { given("Event").unwrap_or("?") } else { &record.event });
    put("Site", given("Site").unwrap_or("?"));
    put("Date", start.as_ref().map_or("????.??.??", |moment| &moment.date));
    put("Round", given("Round").unwrap_or("?"));
    put("White", names[0]);
    put("Black", names[1]);
    put("Result", result(record));
    // Tools take a game of Chess960 without a position for one that cannot be replayed.
    let position = match setup.kind {
        GameKind::Chess960 if setup.start.position.is_empty() => CLASSIC,
        _ => &setup.start.position,
    };
    if !position.is_empty() {
        put("SetUp", "1");
        put("FEN", position);
    }
    match setup.kind {
        GameKind::Chess => {}
        GameKind::Chess960 => put("Variant", "fischerandom"),
        GameKind::Shogi => put("Variant", "shogi"),
        GameKind::ChineseCheckers => put("Variant", "chinese checkers"),
    }
    put("PlyCount", &plies.to_string());
    for (name, value) in text::time_controls(&setup.sides) {
        put(name, &value);
    }
    for (name, value) in text::limits(&setup.sides) {
        put(name, &value);
    }
    put("Termination", text::termination(record.outcome.as_ref()));
    if record.outcome.is_some() {
        put("TerminationDetails", &text::details(record.outcome.as_ref()));
    }
    predictions(record, &mut put);
    if let Some(moment) = &start {
        put("GameStartTime", &moment.stamp);
    }
    if let Some(moment) = text::moment(record.ended_unix_ms) {
        put("GameEndTime", &moment.stamp);
        if start.is_some() {
            let s = record.ended_unix_ms.saturating_sub(record.began()) / 1000;
            put("GameDuration", &format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60));
        }
    }
    for (name, value) in &setup.tags {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let own = OWN.contains(&name.as_str()) || name.starts_with("Rookery");
        if plain && !own && !value.trim().is_empty() {
            put(name, value);
        }
    }
    if options.engines {
        engines(record, &mut put);
    }
    if !record.name.is_empty() {
        put("RookeryGame", &record.name);
    }
    if record.restarts > 0 {
        put("RookeryRestarts", &record.restarts.to_string());
    }
    if options.engines && !record.worker.is_empty() {
        put("RookeryWorker", &record.worker);
    }
    out
}

/// The score of predictions, counted anew from the moves; of a game without an outcome there is none yet.
fn predictions(record: &GameRecord, put: &mut impl FnMut(&str, &str)) {
    let Some(rules) = &record.setup.predictions else { return };
    put("PC1", &rules.from.to_string());
    put("PC2", &rules.to.to_string());
    if record.outcome.is_none() {
        return;
    }
    if let Some(tally) = prediction::count(&record.setup, &record.plies) {
        put("PredictionWhite", &tally.points[0].to_string());
        put("PredictionBlack", &tally.points[1].to_string());
        put("PredictionWinner", if tally.winner() == Seat::First { "White" } else { "Black" });
    }
}

fn engines(record: &GameRecord, put: &mut impl FnMut(&str, &str)) {
    for (seat, side) in Seat::BOTH.into_iter().zip(["White", "Black"]) {
        let engine = &record.engines[seat.index()];
        let options: Vec<String> = engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for (what, value) in [
            ("Engine", &engine.id_name),
            ("Author", &engine.id_author),
            ("EngineDigest", &engine.digest),
            ("EngineOptions", &options.join("; ")),
        ] {
            if !value.trim().is_empty() {
                put(&format!("{side}{what}"), value);
            }
        }
    }
}

/// The movetext, and how many plies it has.
fn moves(record: &GameRecord, options: &PgnOptions) -> (String, usize) {
    let mut out = Movetext::default();
    let mut notes = Notes { record, at: 0, on: options.comments };
    notes.before(0, &mut out);
    let mut plies = 0;
    let mut board = Game::new(record);
    for ply in &record.plies {
        let Some((number, san)) = board.play(&ply.mv, plies == 0) else {
            if options.comments {
                out.comment(&format!(
                    "`{}` is not a legal move here: the record ends",
                    position::quote(ply.mv.as_bytes())
                ));
            }
            break;
        };
        if let Some(number) = number {
            out.word(&number);
        }
        out.word(&san);
        plies += 1;
        if options.comments {
            let text = comment(ply, options.pv);
            if !text.is_empty() {
                out.comment(&text);
            }
        }
        notes.before(u32::try_from(plies).unwrap_or(u32::MAX), &mut out);
    }
    notes.before(u32::MAX, &mut out);
    if options.comments && record.outcome.is_some() {
        out.comment(&plain(&text::details(record.outcome.as_ref())));
    }
    out.word(result(record));
    (out.finish(), plies)
}

/// Text for people that no reader takes for a command.
fn plain(text: &str) -> String {
    text.replace("[%", "[ %")
}

/// The record's notes, each once, at its ply.
struct Notes<'a> {
    record: &'a GameRecord,
    at: usize,
    on: bool,
}

impl Notes<'_> {
    /// Writes those up to `ply` plies.
    fn before(&mut self, ply: u32, out: &mut Movetext) {
        while let Some(note) = self.record.notes.get(self.at).filter(|note| self.on && note.ply <= ply) {
            out.comment(&plain(&note.text));
            self.at += 1;
        }
    }
}

/// The board that names the moves; games that are not chess keep the moves as they are.
enum Game {
    Chess(Chess),
    Other {
        ply: u32,
    },
    /// A start that does not read: no move can be named.
    Unknown,
}

impl Game {
    fn new(record: &GameRecord) -> Self {
        let kind = record.setup.kind;
        if !matches!(kind, GameKind::Chess | GameKind::Chess960) {
            return Self::Other { ply: 0 };
        }
        let text = if record.setup.start.position.is_empty() { CLASSIC } else { &record.setup.start.position };
        match position::read(text.as_bytes(), Some(kind)) {
            Ok(placed) => Self::Chess(placed.chess),
            Err(_) => Self::Unknown,
        }
    }

    /// Plays a move: its number where one is due, and its name; `None` where it is not legal.
    fn play(&mut self, mv: &str, first: bool) -> Option<(Option<String>, String)> {
        match self {
            Self::Unknown => None,
            Self::Other { ply } => {
                let number = ply.is_multiple_of(2).then(|| format!("{}.", *ply / 2 + 1));
                let plain =
                    !mv.is_empty() && mv.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'*'));
                *ply += 1;
                plain.then(|| (number, mv.to_owned()))
            }
            Self::Chess(chess) => {
                let uci: UciMove = mv.parse().ok()?;
                let legal = uci.to_move(chess).ok()?;
                let number = match (chess.turn().is_white(), first) {
                    (true, _) => Some(format!("{}.", chess.fullmoves())),
                    (false, true) => Some(format!("{}...", chess.fullmoves())),
                    (false, false) => None,
                };
                let san = SanPlus::from_move_and_play_unchecked(chess, legal).to_string();
                Some((number, san))
            }
        }
    }
}

/// See the module for the form.
fn comment(ply: &Ply, pv: bool) -> String {
    if ply.book {
        return "book".to_owned();
    }
    let mut out = String::new();
    if let Some(score) = ply.score {
        let _ = write!(out, "{}/{} ", score_text(score), ply.depth);
    }
    let ms = (ply.time_ns + 500_000) / 1_000_000;
    let _ = write!(out, "{}.{:03}s", ms / 1000, ms % 1000);
    for (key, value) in [
        ("d", if ply.score.is_none() { u64::from(ply.depth) } else { 0 }),
        ("sd", u64::from(ply.selective_depth)),
        ("n", ply.nodes),
        ("tb", ply.tablebase_hits),
    ] {
        if value > 0 {
            let _ = write!(out, ", {key}={value}");
        }
    }
    let lag = ply.lag_ns / 1_000_000;
    if lag > 0 {
        let _ = write!(out, ", lag={}.{:03}s", lag / 1000, lag % 1000);
    }
    if ply.auto {
        out.push_str(", auto=1");
    }
    if let Some(counted) = ply.foreseen {
        let _ = write!(out, ", hit={}", u8::from(counted));
    }
    if ply.offer {
        out.push_str(", offer=1");
    }
    if !ply.conditional.is_empty() {
        let _ = write!(out, ", cond=\"{}\"", ply.conditional.replace(['"', '[', ']'], " "));
    }
    if pv && !ply.pv.is_empty() {
        let _ = write!(out, ", pv=\"{}\"", ply.pv.replace(['"', '[', ']'], " "));
    }
    if let Some(clock) = ply.clock_ns {
        let _ = write!(out, " [%clk {}]", text::clock(clock));
    }
    out
}

fn score_text(score: Score) -> String {
    match score {
        Score::Cp(0) => "0.00".to_owned(),
        Score::Cp(cp) => {
            let sign = if cp < 0 { '-' } else { '+' };
            let cp = cp.unsigned_abs();
            format!("{sign}{}.{:02}", cp / 100, cp % 100)
        }
        Score::Mate(moves) if moves > 0 => format!("+M{}", u64::from(moves.unsigned_abs()) * 2 - 1),
        Score::Mate(moves) => format!("-M{}", u64::from(moves.unsigned_abs()) * 2),
    }
}
