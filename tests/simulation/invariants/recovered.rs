//! A store built anew from the archive alone is the store as it is: facts, specs, and each result that counts.

use std::collections::BTreeMap;

use rookery_coordinator::{
    core::keys::{self, Parsed},
    recover,
};
use rookery_tournament::{ResultEntry, fact::Location, format::Want};
use serde_json::Value;

use super::{Holds, ledger};
use crate::world::World;

pub(crate) fn check(world: &World) -> Holds {
    let wrong = |what: String| format!("recovered: {what}");
    let (anew, report) = recover::rebuild(world.archive.lines(), 0).map_err(|error| wrong(error.to_string()))?;
    if !report.missing.is_empty() {
        return Err(wrong(report.missing.join("; ")));
    }
    let there: BTreeMap<&str, &[u8]> =
        world.store.range("/rookery/v1/").map(|(k, v)| (k.as_str(), v.as_ref())).collect();
    let anew: BTreeMap<&str, &[u8]> = anew.iter().map(|(key, value)| (key.as_str(), value.as_ref())).collect();
    let json = |bytes: Option<&&[u8]>| bytes.and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    for key in there.keys().chain(anew.keys()) {
        let (old, new) = (there.get(key), anew.get(key));
        let same = match keys::parse(key) {
            Parsed::Meta(_) | Parsed::Log(..) | Parsed::Season(_) | Parsed::SeasonLog(..) | Parsed::Fleet(_) => {
                json(old) == json(new)
            }
            // What counts nowhere may be missing, or there, where a leader died with the word of it.
            Parsed::Result(uid, game) => {
                let wants = world.watch.event_of(&uid).map(|event| event.wants(&game));
                result(old) == result(new) || matches!(wants, Some(Want::No(_)))
            }
            _ => true,
        };
        if !same {
            return Err(wrong(format!(
                "{key}: {:?} on record, {:?} from the archive; {:?}",
                json(old),
                json(new),
                report.decided
            )));
        }
    }
    Ok(())
}

/// A result and its attempt; one that was written twice may be read at either place.
fn result(bytes: Option<&&[u8]>) -> Option<(i64, ResultEntry)> {
    let (attempt, entry) = ledger::read_result(&bytes::Bytes::copy_from_slice(bytes?))?;
    Some((attempt, ResultEntry { location: Location::default(), ..entry }))
}
