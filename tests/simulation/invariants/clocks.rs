//! Clocks are what the rules make them: each move costs its time and brings its increment, and each time that a game
//! went on brings what the event's rule gives, never less and never more.

use rookery_coordinator::wire;
use rookery_game::GameRecord;
use rookery_proto::v1::{self, attach_response::Message};
use rookery_tournament::{
    GameId,
    interruption::{Compensation, WHOLE},
};

use super::{Holds, ledger::Lease};
use crate::{
    expect,
    script::{BASE_NS, INCREMENT_NS, Plan},
    world::World,
};

/// How notes of a restart begin.
const RESTARTED: &str = "restarted at ply ";

fn restarts<'a>(notes: impl Iterator<Item = (u32, &'a str)>) -> Vec<usize> {
    notes.filter(|(_, text)| text.starts_with(RESTARTED)).map(|(ply, _)| ply as usize).collect()
}

fn share(time: u64, millionths: u32) -> u64 {
    (u128::from(time) * u128::from(millionths) / u128::from(WHOLE)) as u64
}

/// Both clocks after each ply, where the game went on at these plies; the last element is now, all restarts taken in.
fn walk(plan: &Plan, compensation: Compensation, restarts: &[usize], plies: usize) -> (Vec<u64>, [u64; 2]) {
    let mut clocks = [BASE_NS; 2];
    let mut last = [0; 2];
    let mut after = Vec::new();
    for ply in 0..=plies {
        for _ in restarts.iter().filter(|at| **at == ply) {
            for seat in 0..2 {
                let before = clocks[seat];
                let filled = match compensation {
                    Compensation::None => before,
                    Compensation::Fixed(time) => before + time.as_nanos() as u64,
                    Compensation::LastThink { share: part } => before + share(last[seat], part),
                    Compensation::Base { share: part, capped } => {
                        let filled = before + share(BASE_NS, part);
                        if capped { filled.min(BASE_NS) } else { filled }
                    }
                };
                clocks[seat] = filled.max(before);
            }
        }
        if ply == plies {
            break;
        }
        if !plan.is_book(ply) {
            last[ply % 2] = plan.time_ns(ply);
            clocks[ply % 2] = clocks[ply % 2] - plan.time_ns(ply) + INCREMENT_NS;
        }
        after.push(clocks[ply % 2]);
    }
    (after, clocks)
}

fn plan(world: &World, game: &GameId) -> Result<Plan, String> {
    let event = &world.watch.event;
    let due = event.game(game).ok_or_else(|| format!("clocks: no game {game}"))?;
    Ok(expect::plan_of(&world.shape, world.library, world.event_seed(), &due))
}

fn same(
    world: &World,
    game: &GameId,
    restarts: &[usize],
    told: &[Option<u64>],
    now: Option<[Option<u64>; 2]>,
) -> Holds {
    let plan = plan(world, game)?;
    let compensation = world.shape.spec.event.interruption.rule().compensation;
    let (after, clocks) = walk(&plan, compensation, restarts, told.len());
    for (ply, (told, is)) in told.iter().zip(&after).enumerate() {
        if !plan.is_book(ply) && *told != Some(*is) {
            return Err(format!("clocks: {game} ply {ply}: {told:?} told, {is} is right (restarts {restarts:?})"));
        }
    }
    match now {
        Some(now) if now != clocks.map(Some) => {
            Err(format!("clocks: {game} goes on with {now:?}, {clocks:?} is right (restarts {restarts:?})"))
        }
        _ => Ok(()),
    }
}

/// An order to go on with a game.
pub(crate) fn order(world: &World, response: &v1::AttachResponse) -> Holds {
    let Some(Message::Play(play)) = &response.message else { return Ok(()) };
    for order in &play.games {
        let (Some(point), Some(id)) = (&order.resume, &order.id) else { continue };
        let Ok((_, game)) = wire::read_game_id(id) else { continue };
        let restarts = restarts(point.notes.iter().map(|note| (note.ply, note.text.as_str())));
        if restarts.len() != point.restarts as usize {
            return Err(format!("clocks: {game}: {} notes of {} restarts", restarts.len(), point.restarts));
        }
        let told: Vec<Option<u64>> = point.plies.iter().map(|ply| ply.clock_ns).collect();
        same(world, &game, &restarts, &told, Some([point.first_clock_ns, point.second_clock_ns]))?;
        often(world, &game, restarts.len())?;
    }
    Ok(())
}

/// A game goes on only as often as its event allows, and only by an attempt that was to go on.
fn often(world: &World, game: &GameId, restarts: usize) -> Holds {
    let ledger = &world.watch.ledger;
    let most = world.shape.spec.event.interruption.rule().max_restarts * (1 + ledger.retried(&game.pair));
    if restarts > most as usize {
        return Err(format!("clocks: {game} went on {restarts} times, at most {most} are allowed"));
    }
    // The last one is the attempt that is ordered now.
    let goes_on = |lease: &&Lease| lease.games.contains(game) && lease.from.contains(&game.game);
    let attempts: Vec<&Lease> = ledger.leases_of(&game.pair).iter().filter(goes_on).collect();
    let (_, before) = attempts.split_last().ok_or_else(|| format!("clocks: {game} goes on by no attempt"))?;
    let begun = before.iter().filter(|lease| ledger.begun.contains(&(*game, lease.revision))).count();
    if restarts > begun + 1 {
        return Err(format!("clocks: {game} goes on for the {restarts}. time, but began again {begun} times"));
    }
    Ok(())
}

/// A record on its way to the results.
pub(crate) fn record(world: &World, game: &GameId, record: &GameRecord) -> Holds {
    let restarts = restarts(record.notes.iter().map(|note| (note.ply, note.text.as_str())));
    let told: Vec<Option<u64>> = record.plies.iter().map(|ply| ply.clock_ns).collect();
    same(world, game, &restarts, &told, None)
}

/// A checkpoint's plies, after all restarts that stand in the store.
pub(crate) fn checkpoint(world: &World, game: &GameId, json: &serde_json::Value) -> Holds {
    let (from, to) = rookery_coordinator::core::keys::checkpoints(&world.watch.uid, &game.pair, game.game);
    let before = world.store.range(from.as_str()).filter(|(key, _)| **key < to);
    let newest = before.filter_map(|(_, value)| {
        let json: serde_json::Value = serde_json::from_slice(value).ok()?;
        json.get("restart").cloned()
    });
    let notes = newest.last().and_then(|mark| mark["notes"].as_array().cloned()).unwrap_or_default();
    let restarts =
        restarts(notes.iter().filter_map(|note| Some((note["ply"].as_u64()? as u32, note["text"].as_str()?))));
    let first = json["first-ply"].as_u64().unwrap_or(0) as usize;
    let plan = plan(world, game)?;
    let plies = json["plies"].as_array().cloned().unwrap_or_default();
    let compensation = world.shape.spec.event.interruption.rule().compensation;
    let (after, _) = walk(&plan, compensation, &restarts, first + plies.len());
    for (at, ply) in plies.iter().enumerate() {
        let at = first + at;
        if !plan.is_book(at) && ply["c"].as_u64() != Some(after[at]) {
            let told = &ply["c"];
            return Err(format!("clocks: {game} checkpoint, ply {at}: {told} told, {} is right", after[at]));
        }
    }
    Ok(())
}
