//! How long a live list takes for one game more, and how far it is from a list made from nothing:
//! `cargo run --release -p rookery-tournament --example live_bench [ENGINES] [GAMES]`.

use std::time::{Duration, Instant};

use rookery_game::GameResult;
use rookery_tournament::rating::{Games, Live, Model, Request, list, ordo};

/// Games that are added one by one.
const ADDED: usize = 200;

/// The numbers of an MMIX generator, their upper halves.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Two engines and a result, by strengths that lie 7 Elo apart.
fn game(dice: &mut Dice, engines: u64) -> (u64, u64, GameResult) {
    let first = dice.below(engines);
    let second = (first + 1 + dice.below(engines - 1)) % engines;
    let apart = 7.0 * (second as f64 - first as f64) + 35.0;
    let expected = 1.0 / (1.0 + 10_f64.powf(-apart / 400.0));
    let drawn = 0.8 * expected.min(1.0 - expected);
    let drop = dice.below(1_000_000) as f64 / 1_000_000.0;
    let result = if drop < expected - drawn / 2.0 {
        GameResult::FirstWins
    } else if drop < expected + drawn / 2.0 {
        GameResult::Draw
    } else {
        GameResult::SecondWins
    };
    (first, second, result)
}

fn measure(name: &str, request: &Request, engines: u64, count: u64) {
    let mut dice = Dice(1);
    let mut games = Games::default();
    let names: Vec<String> = (0..engines).map(|at| format!("E{at}")).collect();
    let ids: Vec<u32> = names.iter().map(|name| games.player(name)).collect();
    for _ in 0..count {
        let (first, second, result) = game(&mut dice, engines);
        games.add(ids[first as usize], ids[second as usize], result);
    }
    let begun = Instant::now();
    let mut live = Live::new(games, request.clone());
    let whole = begun.elapsed();
    let (mut took, mut furthest) = (Vec::new(), 0.0_f64);
    for _ in 0..ADDED {
        let (first, second, result) = game(&mut dice, engines);
        let begun = Instant::now();
        live.add(&names[first as usize], &names[second as usize], result);
        took.push(begun.elapsed());
        let full = list(live.games(), request);
        for row in &live.list().rows {
            let other = full.rows.iter().find(|other| other.name == row.name).map_or(f64::NAN, |other| other.elo);
            furthest = furthest.max((row.elo - other).abs());
        }
    }
    took.sort_unstable();
    let mean = took.iter().sum::<Duration>() / ADDED as u32;
    println!(
        "{name}: {engines} engines, {count} games, the whole list {whole:.2?}; one more: median {:.2?}, mean {mean:.2?}, \
         95 % {:.2?}, longest {:.2?}; at most {furthest:.2e} Elo from the whole list",
        took[ADDED / 2],
        took[ADDED * 95 / 100],
        took[ADDED - 1]
    );
}

fn main() {
    let mut args = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let (engines, games) = (args.next().unwrap_or(100).max(2), args.next().unwrap_or(100_000));
    measure("BayesElo's model", &Request::default(), engines, games);
    let ordo = Request { model: Model::Ordo(ordo::Options::default()), ..Request::default() };
    measure("Ordo's model", &ordo, engines, games);
}
