//! Leases and checkpoints are gone at the end.

use super::Holds;
use crate::world::World;

pub(crate) fn check(world: &World) -> Holds {
    match world.store.range("/rookery/v1/live/").next() {
        None => Ok(()),
        Some((key, _)) => Err(format!("clean: {key} is left")),
    }
}
