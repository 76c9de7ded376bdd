//! How fast the referee of Chinese checkers is: positions counted, playouts, refereed games, a second.
//!
//! `cargo run --release -p rookery-game --example checkers_bench [SECONDS]`

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rookery_game::{
    Board, Form,
    chinese_checkers::{ChineseCheckers, Position, Rules, geometry::distance_to_tip, judge},
};

/// Small and seeded: the same games on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as u32) % sides.max(1)
    }
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(2.0);
    let time = Duration::from_secs_f64(seconds);
    let mut dice = Dice(1);
    let mut pool = Vec::new();
    while pool.len() < 10_000 {
        playout(&mut dice, &mut |position| pool.push(*position));
    }
    let each = |name: &str, mut work: Box<dyn FnMut(&Position) -> u64 + '_>| {
        let (start, mut count) = (Instant::now(), 0_u64);
        while start.elapsed() < time {
            for position in &pool {
                count += work(position);
            }
        }
        println!("{name:<44} {:>14.0} /s", count as f64 / start.elapsed().as_secs_f64());
    };
    each(
        "positions, legal moves counted",
        Box::new(|position| {
            black_box(position.legal_count());
            1
        }),
    );
    each("legal moves, each with its canonical path", {
        Box::new(|position| {
            position.moves().map(|(from, to)| u64::from(black_box(position.path(from, to)).is_some())).sum()
        })
    });
    let (start, mut games, mut plies) = (Instant::now(), 0_u64, 0_u64);
    while start.elapsed() < time {
        playout(&mut dice, &mut |_| plies += 1);
        games += 1;
    }
    let passed = start.elapsed().as_secs_f64();
    println!("{:<44} {:>14.0} /s", "random playouts", games as f64 / passed);
    println!("{:<44} {:>14.0} /s", "plies of random playouts", plies as f64 / passed);
    let (start, mut games, mut plies, mut refereed) = (Instant::now(), 0_u64, 0_u64, Duration::ZERO);
    while start.elapsed() < time {
        let (n, took) = refereed_game(&mut dice);
        (games, plies, refereed) = (games + 1, plies + n, refereed + took);
    }
    let passed = start.elapsed().as_secs_f64();
    println!("{:<44} {:>14.0} /s", "refereed games, toy player included", games as f64 / passed);
    println!("{:<44} {:>14.0} /s", "plies of them, toy player included", plies as f64 / passed);
    let micros = refereed.as_secs_f64() * 1e6 / plies as f64;
    println!("{:<44} {micros:>14.2} µs", "a refereed ply: read, written, played, judged");
}

/// Random moves until the rules end the game.
fn playout(dice: &mut Dice, told: &mut dyn FnMut(&Position)) {
    let mut position = Position::START;
    for ply in 0.. {
        if judge(&position, Rules::default(), ply, 1).is_some() {
            return;
        }
        told(&position);
        let which = dice.roll(position.legal_count());
        let Some((from, to)) = position.moves().nth(which as usize) else { return };
        position = position.after(from, to);
    }
}

/// A game of a player that goes forward, through text and board as an engine's would be; its plies, and the board's time.
fn refereed_game(dice: &mut Dice) -> (u64, Duration) {
    let mut board = ChineseCheckers::at(Position::START, 0, Rules::default());
    let (mut plies, mut took) = (0, Duration::ZERO);
    while board.ending().is_none() {
        let position = *board.position();
        let seat = position.to_move();
        let chosen = position.moves().max_by_key(|&(from, to)| {
            let (from, to) = (distance_to_tip(seat, from), distance_to_tip(seat, to));
            16 * (from - to) + from + dice.roll(12) as i32
        });
        let Some((from, to)) = chosen else { break };
        let text = format!("{from}-{to}");
        let start = Instant::now();
        if let Ok(mv) = board.parse(&text, Form::Cells) {
            black_box(board.write(mv, Form::Cells));
            board.play(mv);
        }
        took += start.elapsed();
        plies += 1;
    }
    (plies, took)
}
