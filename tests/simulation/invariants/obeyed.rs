//! A worker obeys no order of a leader lower than the highest it has seen.

use rookery_coordinator::store::Revision;
use rookery_proto::v1::attach_request::Message;
use rookery_worker::hall::{Effect, Input};

use super::Holds;

pub(crate) fn check(highest: &mut Revision, input: &Input, effects: &[Effect]) -> Holds {
    let Input::Said(response) = input else { return Ok(()) };
    if response.leader_revision >= *highest {
        *highest = response.leader_revision;
        return Ok(());
    }
    let harmless = |effect: &Effect| match effect {
        Effect::Send(message) => matches!(message.as_ref(), Message::Refused(_)),
        Effect::Reconnect { .. } | Effect::Exit => true,
        _ => false,
    };
    match effects.iter().find(|effect| !harmless(effect)) {
        None => Ok(()),
        Some(effect) => {
            Err(format!("obeyed: an order by leader {} after {highest} led to {effect:?}", response.leader_revision))
        }
    }
}
