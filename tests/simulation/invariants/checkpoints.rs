//! A checkpoint is stored only by the attempt that stands, of a game that has no result, and only what was played.

use rookery_coordinator::{
    core::keys::{self, Parsed},
    store::{Op, Txn},
};
use rookery_tournament::{GameId, PairId};

use super::{Holds, ledger};
use crate::{expect, world::World};

pub(crate) fn check(world: &World, txn: &Txn, pair: &PairId, game: u8, seq: u32, value: &[u8]) -> Holds {
    let name = format!("checkpoints: {pair}/{game} number {seq}");
    let json: serde_json::Value = serde_json::from_slice(value).map_err(|error| format!("{name}: {error}"))?;
    let take = json["take"].as_u64().unwrap_or(1) as u32;
    let id = GameId { pair: *pair, game, take };
    let key = keys::checkpoint(&world.watch.uid, pair, game, seq);
    if world.store.get(&key).is_some() {
        return Err(format!("{name} is written over"));
    }
    if world.watch.ledger.results.contains_key(&id) {
        return Err(format!("{name} of a game on record"));
    }
    let lease = world.watch.ledger.lease(pair);
    let handed = txn.ops.iter().find_map(|op| match op {
        Op::Put(key, value) if matches!(keys::parse(key), Parsed::Lease(_, of) if of == *pair) => {
            Some(ledger::read_lease(value, 0))
        }
        _ => None,
    });
    if json.get("restart").is_some() {
        // It goes on, or did not: with the lease by which it does, or the end of the one by which it was to.
        let was = lease.is_some_and(|lease| lease.from.contains(&game));
        let with = handed.is_some_and(|lease| lease.from.contains(&game) || (lease.worker.is_empty() && was));
        return if with { Ok(()) } else { Err(format!("{name} goes on without an attempt")) };
    }
    let worker = json["worker"].as_str().unwrap_or_default();
    if lease.is_none_or(|lease| lease.worker != worker || !lease.games.contains(&id)) {
        return Err(format!("{name} by {worker}, while {lease:?} stands"));
    }
    // An earlier attempt of the same worker began before this one's restart.
    let event = &world.watch.event;
    let due = event.game(&id).ok_or_else(|| format!("{name}: no such game"))?;
    let plan = expect::plan_of(&world.shape, world.library, world.event_seed(), &due);
    let first = json["first-ply"].as_u64().unwrap_or(0) as usize;
    let plies = json["plies"].as_array().cloned().unwrap_or_default();
    let reached = lease.and_then(|lease| world.watch.ledger.reached.get(&(id, lease.revision))).copied();
    if reached.is_none_or(|reached| first + plies.len() > reached) {
        let end = first + plies.len();
        return Err(format!("{name} has {end} plies, while {reached:?} were played by the attempt that stands"));
    }
    for (at, ply) in plies.iter().enumerate() {
        let at = first + at;
        if at >= plan.plies() || ply["m"].as_str() != Some(plan.mv(at)) {
            return Err(format!("{name}: ply {at} was not played"));
        }
    }
    super::clocks::checkpoint(world, &id, &json)
}
