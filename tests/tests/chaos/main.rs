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
    path::{Path, PathBuf},
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

/// The machines, where this machine can have them; the test goes on inside.
fn machines(test: &str) -> Option<(rig::Rig, PathBuf)> {
    let python = tools::python()?;
    let Some(etcd) = rookery_tests::etcd::binary() else {
        tools::skip("no etcd (Debian: etcd-server)");
        return None;
    };
    if !tools::have(&["stockfish", "nsenter", "setpriv", "ip", "unshare"]) || !net::inside(test) {
        return None;
    }
    Some((rig::Rig::start(&etcd, &python), python))
}

/// Runs a round and prints what was done in it; where it fails, also what everybody said.
fn round(rig: &mut rig::Rig, log: &mut faults::Log, run: impl FnOnce(&mut rig::Rig, &mut faults::Log)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| run(rig, log)));
    println!("{log}");
    if let Err(failure) = outcome {
        println!("{}", rig.said());
        resume_unwind(failure);
    }
}

/// Waits until all events are over, and audits them; how often their games went on after an interruption.
fn audit(rig: &rig::Rig, events: &[events::Event], python: &Path, log: &mut faults::Log) -> u64 {
    events.iter().for_each(|event| rig.over(&event.name));
    log.say("events are over");
    events.iter().map(|event| audit::event(rig, event, python)).sum()
}

#[test]
fn every_fault_and_nothing_is_lost() {
    let Some((mut rig, python)) = machines("every_fault_and_nothing_is_lost") else { return };
    let (begun, limit) = (Instant::now(), Duration::from_secs(number(SECONDS, 0)));
    for seed in number(SEED, 1).. {
        round(&mut rig, &mut faults::Log::new(seed), |rig, log| {
            let mut events = Vec::new();
            faults::all(rig, &mut events, log);
            log.say("faults are over");
            assert!(audit(rig, &events, &python, log) > 0, "no fault met a running game");
            audit::built_anew(rig, &events, seed, log);
        });
        if begun.elapsed() >= limit {
            break;
        }
    }
    rig.end();
}

#[test]
fn everything_restarts_one_by_one_and_nothing_is_lost() {
    let Some((mut rig, python)) = machines("everything_restarts_one_by_one_and_nothing_is_lost") else { return };
    round(&mut rig, &mut faults::Log::new(0), |rig, log| {
        let mut events = Vec::new();
        for host in rig::COORDINATORS.iter().chain(&rig::WORKERS).chain(&rig::STORES) {
            events::enough(rig, 0, &mut events);
            log.say(&format!("{host} restarts"));
            rig.restart(host);
            faults::recorded(rig, rig.done(), 0, &mut events);
        }
        audit(rig, &events, &python, log);
    });
    rig.end();
}
