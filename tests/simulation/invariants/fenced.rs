//! Nothing is written by a coordinator that no longer leads.

use rookery_coordinator::store::Revision;

use super::Holds;
use crate::store::Store;

pub(crate) fn check(store: &Store, node: usize, since: Revision) -> Holds {
    match store.leader {
        Some(leader) if leader.since == since && leader.node == node => Ok(()),
        leader => Err(format!("fenced: n{node} writes as leader since {since}, while {leader:?} leads")),
    }
}
