//! How long nobody leads when the leader dies, by the number of games on record.

use std::{
    env,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use rookery_tests::{
    etcd::Cluster,
    fleet::Fleet,
    run::{Process, rookery, run},
};
use rustix::process::Signal;

use crate::number;

/// How many games are on record when the leader dies.
const GAMES: &str = "ROOKERY_FAILOVER_GAMES";
/// The fleet's coordinators lead by a lease of this length.
const LEASE: Duration = Duration::from_secs(2);

/// Games on record, as a coordinator says.
fn done(fleet: &Fleet, url: &str) -> u64 {
    let ran = run(&mut rookery(fleet.folder.path(), ["list", "--json", "--coordinator", url])).expect(0);
    ran.json()[0]["games_done"].as_u64().unwrap()
}

#[test]
fn the_next_coordinator_leads_and_knows_all_games() {
    let games = number(GAMES, 10_000);
    let Some(cluster) = Cluster::start(1, &["--quota-backend-bytes=8589934592"]).unwrap() else { return };
    let mut fleet = Fleet::start(Some(&cluster.url()), 3, &[]);
    let leads = |fleet: &Fleet, i: usize| {
        let url = fleet.coordinators[i].url();
        run(&mut rookery(fleet.folder.path(), ["status", "--json", "--coordinator", &url])).expect(0).json()["leading"]
            == true
    };
    let leader = loop {
        if let Some(leader) = (0..3).find(|&i| leads(&fleet, i)) {
            break leader;
        }
    };
    let load = env::current_exe().unwrap().ancestors().nth(2).map(|folder| folder.join("fleet_load")).unwrap();
    assert!(Path::is_file(&load), "no {}: cargo build -p rookery-tests", load.display());
    let mut command = Command::new(load);
    command.args(["--coordinator", &fleet.coordinators[leader].url(), "--games", &games.to_string()]);
    let made = Process::start(&mut command).wait(Duration::from_secs(1_000)).expect(0);
    println!("{}", made.out.trim());

    let process = fleet.coordinators[leader].process.take().unwrap();
    let dies = Instant::now();
    process.signal(Signal::KILL);
    process.wait(Duration::from_secs(20)).expect(-9);
    let others: Vec<usize> = (0..3).filter(|&i| i != leader).collect();
    let next = loop {
        if let Some(next) = others.iter().copied().find(|&i| leads(&fleet, i)) {
            break next;
        }
        assert!(dies.elapsed() < Duration::from_secs(60), "nobody leads");
    };
    // It leads when it has loaded: it knows all of them.
    assert_eq!(done(&fleet, &fleet.coordinators[next].url()), games);
    let took = dies.elapsed();
    println!("fail-over with {games} games on record: {} ms, the lease is {} ms", took.as_millis(), LEASE.as_millis());
    // A figure for `tests/bench/README.md`; here only that it is no matter of minutes, as machines of tests are busy.
    assert!(took <= LEASE + Duration::from_secs(15), "{took:?}");
}
