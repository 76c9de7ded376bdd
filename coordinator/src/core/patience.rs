//! A game whose ply has not moved for longer than its clock and limits allow is interrupted, whatever the beats say.

use std::time::Duration;

use rookery_game::{TimeControl, setup::Limits};
use rookery_tournament::PairId;

use super::{Core, state::EventState, writes::Reply};

/// Beyond clock and limits, for the way and for a slow machine.
const SLACK: Duration = Duration::from_secs(120);

/// The longest that a side may think; `None`: no clock bounds it.
fn longest(control: &TimeControl) -> Option<Duration> {
    let clock = control.stages.iter().map(|stage| stage.base + stage.increment.saturating_mul(200)).max();
    match (control.move_time, clock) {
        (Some(move_time), Some(clock)) => Some(move_time.min(clock.saturating_mul(4))),
        (Some(move_time), None) => Some(move_time),
        // Time that was saved in earlier stages is used in later ones.
        (None, clock) => clock.map(|clock| clock.saturating_mul(4)),
    }
}

fn patience(state: &EventState, pair: PairId) -> Option<Duration> {
    let event = &state.event.spec().event;
    let controls = [pair.a, pair.b].map(|entrant| {
        let own = state.engine(entrant).and_then(|(engine, _)| engine.time_control.as_ref());
        longest(own.unwrap_or(&event.time_control))
    });
    let [Some(a), Some(b)] = controls else { return None };
    let Limits { start, ready, new_game, quit, stall, .. } = event.limits;
    Some(a.max(b) + 2 * (start + ready + new_game + quit + stall) + event.margin + SLACK)
}

impl Core {
    /// Interrupts games that stand still. One that waits for a slot, or for its answer, does not.
    pub(super) fn watch_games(&mut self) {
        let now = self.now.mono_ns;
        let mut still: Vec<(String, PairId)> = Vec::new();
        for (uid, state) in &self.events {
            for (pair, known) in &state.pairs {
                let Some(hand) = known.hand.as_ref().filter(|hand| hand.attempt > 0 && !hand.ending) else { continue };
                let playing = hand.running.values().any(|running| {
                    use rookery_proto::v1::AttemptPhase::{Playing, Starting};
                    matches!(running.phase, Playing | Starting)
                });
                if !playing || !hand.recording.is_empty() {
                    continue;
                }
                let waited = Duration::from_nanos(now.saturating_sub(hand.moved_ns));
                if waited > SLACK && patience(state, *pair).is_some_and(|patience| waited > patience) {
                    still.push((uid.clone(), *pair));
                }
            }
        }
        for (uid, pair) in still {
            let reason = "no ply for longer than its clock and limits allow".to_owned();
            self.end_attempt(&uid, pair, true, &reason.clone(), Reply::Cancel(reason));
        }
    }
}
