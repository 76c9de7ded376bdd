//! What is played: one event for each way to go on after an interruption.

use std::fmt::Write as _;

use crate::rig::Rig;

/// An event, and what the auditor must know of it.
pub(crate) struct Event {
    pub(crate) name: String,
    /// Games that are due.
    pub(crate) games: usize,
    pub(crate) base_ns: u64,
    pub(crate) increment_ns: u64,
}

/// (how it goes on, pairs of each meeting, base, increment in ms)
const EVENTS: [(&str, usize, u64, u64); 3] =
    [("replay", 3, 1_000, 50), ("restart", 1, 10_000, 100), ("csa", 2, 1_500, 50)];
const ENGINES: [(&str, &str); 3] = [("Stockfish", "stockfish"), ("Mover", "mover"), ("Thinker", "thinker")];
/// Meetings of three engines.
const MEETINGS: usize = 3;
/// A longer game says no more about faults.
const MAX_MOVES: u32 = 30;

/// With fewer games left, more events begin: a fault among games that are over shows nothing.
const ENOUGH: u64 = 6;

/// Applies more events where too little is left to play.
pub(crate) fn enough(rig: &Rig, seed: u64, events: &mut Vec<Event>) {
    let listed = rig.json(&["list"]);
    let number = |event: &serde_json::Value, key: &str| event[key].as_u64().unwrap();
    let left = |event| number(event, "games_total") - number(event, "games_done");
    if listed.as_array().unwrap().iter().map(left).sum::<u64>() < ENOUGH {
        more(rig, seed, events);
    }
}

/// Applies one more event of each kind.
pub(crate) fn more(rig: &Rig, seed: u64, events: &mut Vec<Event>) {
    let more = begin(rig, seed, events.len() / EVENTS.len());
    events.extend(more);
}

/// Applies one event of each kind.
fn begin(rig: &Rig, seed: u64, set: usize) -> Vec<Event> {
    let one = |&(interruption, pairs, base, increment): &(&str, usize, u64, u64)| {
        let name = format!("{interruption}-{seed}-{set}");
        let mut spec = format!("name = {name:?}\n");
        for (name, program) in ENGINES {
            write!(spec, "[[engine]]\nname = {name:?}\nprogram = {program:?}\n").unwrap();
        }
        let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
        write!(
            spec,
            "[event]\nformat = {{ round-robin = {{ pairs = {pairs} }} }}\ntime-control = \"{}+{}\"\nseed = {seed}\n\
             interruption = {interruption:?}\nmax-moves = {MAX_MOVES}\n",
            seconds(base),
            seconds(increment)
        )
        .unwrap();
        let file = rig.file(&format!("{name}.toml"), &spec);
        rig.operator(&["apply", file.to_str().unwrap()]).expect(0);
        let (base_ns, increment_ns) = (base * 1_000_000, increment * 1_000_000);
        Event { name, games: 2 * pairs * MEETINGS, base_ns, increment_ns }
    };
    EVENTS.iter().map(one).collect()
}
