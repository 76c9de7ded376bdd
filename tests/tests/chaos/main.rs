//! Real faults on the real thing: etcd, coordinators and workers, three of each, every one a machine of its own in a
//! network whose links fail, with disks that fill. An auditor reads store and archive afterwards.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod audit;
mod events;
mod failover;
mod faults;
mod rig;

use std::{
    env,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    time::{Duration, Instant},
};

use rookery_tests::{net, tools};

/// Rounds go on for so many seconds; each round meets every fault once. One round where it is not set.
const SECONDS: &str = "ROOKERY_CHAOS_SECONDS";
/// The first round's seed; another one is another order of faults, and other victims.
const SEED: &str = "ROOKERY_CHAOS_SEED";

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_fault_and_nothing_is_lost() {
    let Some(python) = tools::python() else { return };
    let Some(etcd) = rookery_tests::etcd::binary() else {
        tools::skip("no etcd (Debian: etcd-server)");
        return;
    };
    if !tools::have(&["stockfish", "nsenter", "ip"]) || !net::inside("every_fault_and_nothing_is_lost") {
        return;
    }
    let (begun, limit) = (Instant::now(), Duration::from_secs(number(SECONDS, 0)));
    let mut rig = rig::Rig::start(&etcd, &python);
    for seed in number(SEED, 1).. {
        let mut log = faults::Log::new(seed);
        let round = catch_unwind(AssertUnwindSafe(|| {
            let mut events = Vec::new();
            faults::all(&mut rig, &mut events, &mut log);
            log.say("faults are over");
            events.iter().for_each(|event| rig.over(&event.name));
            log.say("events are over");
            let restarts: u64 = events.iter().map(|event| audit::event(&rig, event, &python)).sum();
            assert!(restarts > 0, "no fault met a running game");
        }));
        println!("{log}");
        if let Err(failure) = round {
            println!("{}", rig.said());
            resume_unwind(failure);
        }
        if begun.elapsed() >= limit {
            break;
        }
    }
    rig.end();
}
