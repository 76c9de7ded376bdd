//! What happens in each game: moves, evaluations, times and outcome are functions of the game's id and the ply, whoever
//! plays it and how often. They agree with the rules for interruptions: who is far ahead wins, what is level for long is
//! drawn, and the endgame tables say how it ends.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use rookery_game::{
    Ending, GameResult, Seat,
    board::{self, Board, Form, Notation},
    opening::{Book, BookOptions},
    setup::{GameKind, Start},
};
use shakmaty::{Move, Position, uci::UciMove};

use crate::dice::{Dice, hash, mix};

pub(crate) const BASE_NS: u64 = 60_000_000_000;
pub(crate) const INCREMENT_NS: u64 = 500_000_000;
/// As a spec writes it.
pub(crate) const TIME_CONTROL: &str = "60+0.5";
/// The digest by which the book is asked for.
pub(crate) const BOOK: &str = "sha256:book";
/// The digest by which the book for level matches is asked for; it is the same book.
pub(crate) const LEVEL_BOOK: &str = "sha256:level";

/// Lines for each opening; a third of them each is won by `First`, won by `Second`, and drawn.
const LINES: usize = 6;
/// Plies of a line, at least and below.
const PLIES: (u64, u64) = (12, 34);
/// Plies before the end of a drawn game in which both sides see it as level.
const LEVEL: usize = 10;

/// Start, and the opening's moves as PGN has them; one has more than 35 moves each, so that TCEC's rule for draws
/// applies soon.
const OPENINGS: [(&str, &str); 5] = [
    ("", "1. e4 e5 2. Nf3"),
    ("", "1. d4 d5 2. c4 e6"),
    ("", ""),
    ("8/1p3k2/8/3r4/8/2R5/PP3K2/8 w - - 0 1", ""),
    ("8/5ppk/8/2b5/8/1N6/1P4PK/8 w - - 0 1", ""),
];
const LONG_BOOK: u64 = 70;

/// One way for a game to go on from an opening.
struct Line {
    moves: Vec<String>,
    result: GameResult,
    /// The rules end it; else it ends where its game says.
    by_rules: Option<Ending>,
}

pub(crate) struct Library {
    pub(crate) book: Arc<Book>,
    openings: Vec<(Start, Vec<Line>)>,
    by_start: BTreeMap<(String, Vec<String>), usize>,
    /// How positions of few men end.
    pub(crate) tables: BTreeMap<String, GameResult>,
}

/// One game.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) opening: Vec<String>,
    /// After the opening.
    pub(crate) moves: Vec<String>,
    pub(crate) result: GameResult,
    pub(crate) ending: Ending,
    pub(crate) fault: Option<Seat>,
    seed: u64,
}

impl Plan {
    pub(crate) fn plies(&self) -> usize {
        self.opening.len() + self.moves.len()
    }

    pub(crate) fn mv(&self, ply: usize) -> &str {
        let own = ply.checked_sub(self.opening.len());
        own.map_or_else(|| self.opening[ply].as_str(), |own| self.moves[own].as_str())
    }

    pub(crate) fn is_book(&self, ply: usize) -> bool {
        ply < self.opening.len()
    }

    /// Nanoseconds that a ply takes.
    pub(crate) fn time_ns(&self, ply: usize) -> u64 {
        let chance = mix(self.seed ^ ply as u64);
        let slow = if chance.is_multiple_of(12) { 2_500 } else { 0 };
        (60 + chance % 900 + slow) * 1_000_000
    }

    /// What the side that made a ply says of its own chances, centipawns.
    pub(crate) fn score(&self, ply: usize) -> i32 {
        let chance = mix(self.seed ^ ply as u64 ^ 0x5c0e);
        let spread = (chance % 40) as i32;
        let white = match self.result {
            GameResult::Draw if ply + LEVEL >= self.plies() => spread / 4,
            GameResult::Draw => 60 + spread,
            _ => {
                let far = 4_000 * ply.saturating_sub(self.opening.len()) / self.moves.len().max(1);
                let ahead = 40 + spread + i32::try_from(far).unwrap_or(i32::MAX).min(2_500);
                // An engine that is at fault in the end was not lost before.
                let ahead = if self.fault.is_some() { ahead.min(600) } else { ahead };
                if self.result == GameResult::FirstWins { ahead } else { -ahead }
            }
        };
        if ply.is_multiple_of(2) { white } else { -white }
    }
}

/// All lines; the same in every process.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(make)
}

impl Library {
    pub(crate) fn openings(&self) -> usize {
        self.openings.len()
    }

    pub(crate) fn opening_of(&self, start: &str, moves: &[String]) -> Option<usize> {
        self.by_start.get(&(start.to_owned(), moves.to_vec())).copied()
    }

    /// A game by its event's seed, its pair and number, and its opening; `crashes`: in how many of 100 decided games the
    /// loser breaks down.
    pub(crate) fn plan(&self, seed: u64, pair: &str, game: u8, opening: usize, crashes: u64) -> Plan {
        let (start, lines) = &self.openings[opening];
        let seed = mix(seed ^ hash(pair.as_bytes()) ^ u64::from(game) << 56);
        let line = &lines[(seed % LINES as u64) as usize];
        let mut moves = line.moves.clone();
        let (mut ending, mut fault) = (Ending::Resignation, None);
        if let Some(by_rules) = line.by_rules {
            ending = by_rules;
        } else {
            let loser = if line.result == GameResult::FirstWins { Seat::Second } else { Seat::First };
            let least = PLIES.0.min(moves.len() as u64);
            moves.truncate((least + mix(seed ^ 1) % (moves.len() as u64 - least + 1)) as usize);
            if mix(seed ^ 2) % 100 < crashes {
                fault = Some(loser);
                ending = if mix(seed ^ 3).is_multiple_of(4) { Ending::Stall } else { Ending::Crash };
            }
        }
        Plan { opening: start.moves.clone(), moves, result: line.result, ending, fault, seed }
    }
}

fn make() -> Library {
    let mut pgn = String::new();
    for (start, moves) in OPENINGS {
        pgn.push_str("[Event \"?\"]\n");
        if !start.is_empty() {
            pgn.push_str(&format!("[SetUp \"1\"]\n[FEN \"{start}\"]\n"));
        }
        pgn.push_str(&format!("\n{moves} *\n\n"));
    }
    pgn.push_str(&format!("[Event \"?\"]\n\n{} *\n\n", long_book()));
    let parsed = Book::parse("book.pgn", pgn.into_bytes(), GameKind::Chess, &BookOptions::default());
    let (book, _) = parsed.expect("the simulation's own book reads");
    let mut library =
        Library { openings: Vec::new(), by_start: BTreeMap::new(), tables: BTreeMap::new(), book: Arc::new(book) };
    for index in 0..library.book.len() {
        let start = library.book.get(index).expect("an opening").start;
        let mut lines: Vec<Line> = Vec::new();
        for number in 0..LINES {
            let result = [GameResult::FirstWins, GameResult::SecondWins, GameResult::Draw][number / 2];
            let line = (0..1_000).find_map(|attempt| {
                let mut dice = Dice::new((index * 100 + number) as u64 + (attempt << 32));
                line(&mut dice, &start, number, result, &mut library.tables)
            });
            lines.push(line.expect("a line"));
        }
        library.by_start.insert((start.position.clone(), start.moves.clone()), index);
        library.openings.push((start, lines));
    }
    library
}

/// Legal moves in a fixed order.
fn legal(board: &dyn Board) -> Vec<Move> {
    let Some(chess) = board.as_chess() else { return Vec::new() };
    let mut moves: Vec<Move> = chess.legal_moves().into_iter().collect();
    moves.sort_by_key(|mv| uci(*mv));
    moves
}

fn uci(mv: Move) -> String {
    UciMove::from_standard(mv).to_string()
}

fn play(board: &mut dyn Board, text: &str) {
    let mv = board.parse(text, Form::Uci).expect("a legal move");
    board.play(mv);
}

fn long_book() -> String {
    let mut dice = Dice::new(77);
    let mut board = board::at(GameKind::Chess, "").expect("chess");
    let mut text = String::new();
    for ply in 0..LONG_BOOK {
        let moves = legal(board.as_ref());
        let lasting = moves.iter().filter(|mv| !mv.is_capture()).collect::<Vec<_>>();
        let chosen = (0..100).find_map(|_| {
            let mv = uci(**dice.pick(&lasting));
            let mut after = board.fork();
            play(after.as_mut(), &mv);
            (after.ending().is_none() && after.legal_count() > 8).then_some(mv)
        });
        let mv = board.parse(&chosen.expect("a quiet move"), Form::Uci).expect("a legal move");
        if ply % 2 == 0 {
            text.push_str(&format!("{}. ", ply / 2 + 1));
        }
        text.push_str(&board.write(mv, Form::San));
        text.push(' ');
        board.play(mv);
    }
    text
}

fn line(
    dice: &mut Dice,
    start: &Start,
    number: usize,
    result: GameResult,
    tables: &mut BTreeMap<String, GameResult>,
) -> Option<Line> {
    let mut board = board::start(GameKind::Chess, start).expect("the opening stands");
    let (mut moves, mut seen) = (Vec::new(), Vec::new());
    let length = dice.between(PLIES.0, PLIES.1);
    for ply in 0..length {
        let legal = legal(board.as_ref());
        // Each line begins with a move of its own.
        let mv = if ply == 0 { legal.get(number * legal.len() / LINES) } else { Some(dice.pick(&legal)) };
        step(board.as_mut(), &uci(*mv?), &mut moves, &mut seen);
        if board.ending().is_some() || board.legal_count() == 0 {
            return None;
        }
    }
    let mut by_rules = None;
    if result == GameResult::Draw {
        repeat(board.as_mut(), &mut moves, &mut seen)?;
        by_rules = Some(Ending::Repetition);
    }
    if seen.iter().any(|fen| tables.get(fen).is_some_and(|known| *known != result)) {
        return None;
    }
    tables.extend(seen.into_iter().map(|fen| (fen, result)));
    Some(Line { moves, result, by_rules })
}

fn step(board: &mut dyn Board, mv: &str, moves: &mut Vec<String>, seen: &mut Vec<String>) {
    play(board, mv);
    moves.push(mv.to_owned());
    let few = rookery_game::adjudicate::men(board).is_some_and(|(men, _)| men <= 7);
    if let (true, Notation::Fen(fen)) = (few, board.notation()) {
        seen.push(fen);
    }
}

/// Both sides go to and fro until the position has stood three times.
fn repeat(board: &mut dyn Board, moves: &mut Vec<String>, seen: &mut Vec<String>) -> Option<()> {
    let quiet = |board: &dyn Board| -> Vec<String> {
        let quiet = |mv: &Move| !mv.is_capture() && mv.role() != shakmaty::Role::Pawn && !mv.is_castle();
        legal(board).into_iter().filter(quiet).map(uci).collect()
    };
    let back = |mv: &str| format!("{}{}", &mv[2..4], &mv[..2]);
    let there = quiet(board).into_iter().find_map(|a| {
        let mut after = board.fork();
        play(after.as_mut(), &a);
        let b = quiet(after.as_ref()).into_iter().find(|b| {
            let mut later = after.fork();
            [b.clone(), back(&a), back(b)].iter().all(|mv| {
                let legal = later.parse(mv, Form::Uci).is_ok() && later.ending().is_none();
                if legal {
                    play(later.as_mut(), mv);
                }
                legal
            })
        })?;
        Some([a.clone(), b.clone(), back(&a), back(&b)])
    })?;
    for mv in there.iter().cycle().take(16) {
        step(board, mv, moves, seen);
        if let Some(ended) = board.ending() {
            return (ended.ending == Ending::Repetition).then_some(());
        }
    }
    None
}
