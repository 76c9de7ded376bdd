//! What the table costs: games of one engine against itself on a number of slots, each on a thread of its own.
//!
//! `table_bench ENGINE SLOTS GAMES TIME-CONTROL [ARG]...`: moves and games a second, our own CPU time for 1,000 moves,
//! peak memory, time losses. To be built with `--release`.

use std::{path::PathBuf, time::Instant};

use rookery_game::{
    Ending, GameKind, GameSetup,
    adjudicate::Adjudication,
    setup::{EngineSetup, Limits, Side, Start},
};
use rookery_worker::{
    engine::Launch,
    table::{Control, Slot, SlotConfig, TableEnd, TableOrder},
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Default)]
struct Count {
    games: u64,
    moves: u64,
    thinking_ns: u64,
    late: u64,
    handed_back: u64,
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [engine, slots, games, control, rest @ ..] = args.as_slice() else {
        return Err("table_bench ENGINE SLOTS GAMES TIME-CONTROL [ARG]...".into());
    };
    let (slots, games): (u64, u64) = (slots.parse()?, games.parse()?);
    let order = order(engine, control, rest)?;
    let started = Instant::now();
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..slots).map(|_| scope.spawn(|| play(&order, games.div_ceil(slots)))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))).collect()
    });
    let counts: Result<Vec<Count>, Failure> = counts;
    let wall = started.elapsed().as_secs_f64();
    let mut all = Count::default();
    for count in counts? {
        all.games += count.games;
        all.moves += count.moves;
        all.thinking_ns += count.thinking_ns;
        all.late += count.late;
        all.handed_back += count.handed_back;
    }
    let (moves, games) = (all.moves as f64, all.games as f64);
    println!(
        "{} games, {} moves, {wall:.2} s: {:.0} moves/s, {:.1} games/s, {:.1} ms CPU per 1,000 moves, engines think {:.3} of \
         the time, {:.1} us a move, {} late, {} handed back, {} MB",
        all.games,
        all.moves,
        moves / wall,
        games / wall,
        own_cpu_ms()? / moves * 1e3,
        all.thinking_ns as f64 / 1e9 / wall / slots as f64,
        all.thinking_ns as f64 / 1e3 / moves,
        all.late,
        all.handed_back,
        peak_mb()?
    );
    Ok(())
}

fn order(engine: &str, control: &str, args: &[String]) -> Result<TableOrder, Failure> {
    let launch =
        Launch { program: PathBuf::from(engine), args: args.iter().map(Into::into).collect(), ..Launch::default() };
    let side = |name: &str| -> Result<Side, Failure> {
        let engine = EngineSetup { name: name.to_owned(), ..EngineSetup::default() };
        Ok(Side { engine, time_control: control.parse()?, margin: Default::default(), ponder: false })
    };
    let setup = GameSetup {
        kind: GameKind::Chess,
        start: Start::default(),
        rules: Default::default(),
        sides: [side("A")?, side("B")?],
        adjudication: Adjudication::default(),
        limits: Limits::default(),
        tags: Default::default(),
        keep_transcript: false,
        killed: rookery_game::setup::Killed::Crash,
        predictions: None,
    };
    Ok(TableOrder {
        event: "bench".to_owned(),
        name: String::new(),
        setup,
        resume: None,
        launches: [launch.clone(), launch],
        new_pair: true,
        worker: String::new(),
    })
}

fn play(order: &TableOrder, games: u64) -> Result<Count, Failure> {
    let mut slot = Slot::new(SlotConfig::default());
    let mut count = Count::default();
    for _ in 0..games {
        match slot.play(order, None, &Control::new()?, &mut |event| drop(std::hint::black_box(event))) {
            TableEnd::Finished(record) => {
                count.games += 1;
                count.moves += record.plies.len() as u64;
                count.thinking_ns += record.plies.iter().map(|ply| ply.time_ns).sum::<u64>();
                if record.outcome.as_ref().is_some_and(|outcome| outcome.ending == Ending::TimeLoss) {
                    eprintln!("{:?}", record.outcome);
                    count.late += 1;
                }
            }
            TableEnd::HandedBack(back) => {
                eprintln!("{:?}: {}", back.reason, back.evidence);
                count.handed_back += 1;
            }
        }
    }
    Ok(count)
}

/// User and system time of this process without its children.
fn own_cpu_ms() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().collect();
    let ticks = |at: usize| -> Result<f64, Failure> { Ok(fields.get(at).ok_or("short /proc/self/stat")?.parse()?) };
    Ok((ticks(11)? + ticks(12)?) * 10.0)
}

fn peak_mb() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? / 1024)
}
