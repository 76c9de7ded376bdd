//! The store in etcd, with members of its own on loopback.

use std::{sync::Arc, time::Duration};

use etcd_client::{
    AlarmAction, AlarmOptions, AlarmType, Client, CompactionOptions, DeleteOptions, GetOptions, PutOptions,
};
use futures::future::{BoxFuture, join_all};
use rookery_coordinator::store::{CommitError, LEADER_KEY, Leadership, Op, Options, Store, StoreError, Txn, open};
use rookery_tests::etcd::Cluster;
use rustix::process::Signal;

use crate::{
    process::Process,
    suite::{House, keys, leading, put, run, standing_by, within},
};

/// Short, that a test need not wait for long; etcd makes it no shorter.
const LEASE: Duration = Duration::from_secs(2);

fn options(advertised: &str) -> Options {
    Options { advertised: advertised.into(), lease: LEASE, ..Options::default() }
}

async fn candidate(cluster: &Cluster, advertised: &str) -> Arc<dyn Store> {
    open(&cluster.url(), options(advertised)).await.expect("opens")
}

async fn raw(cluster: &Cluster) -> Client {
    Client::connect(cluster.endpoints(), None).await.expect("connects")
}

/// Skips the test where there is no etcd.
macro_rules! cluster {
    ($members:expr, $($arg:expr),*) => {
        match Cluster::start($members, &[$($arg),*]).expect("starts") {
            Some(cluster) => cluster,
            None => return,
        }
    };
}

impl House for Cluster {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(candidate(self, "http://one"))
    }
}

#[tokio::test]
async fn does_what_every_store_does() {
    let cluster = cluster!(3,);
    run(&cluster).await;
}

#[tokio::test]
async fn one_leads_and_the_others_know_who() {
    let cluster = cluster!(1,);
    let first = candidate(&cluster, "http://first").await;
    let since = leading(&*first).await;
    let second = candidate(&cluster, "http://second").await;
    let mut watch = second.leadership();
    let known = Leadership::Standby { leader: Some("http://first".into()) };
    within("known", watch.wait_for(|l| *l == known)).await.unwrap();
    assert_eq!(second.id(), first.id());
    assert_eq!(second.commit(put("/rookery/v1/test/standby", "x")).await, Err(CommitError::Deposed));
    // It moves at once on close, not after a lease.
    let start = std::time::Instant::now();
    first.close().await;
    let next = leading(&*second).await;
    assert!(start.elapsed() < LEASE, "{:?}", start.elapsed());
    assert!(next > since);
    assert_eq!(first.commit(put("/rookery/v1/test/deposed", "x")).await, Err(CommitError::Deposed));
    second.commit(put("/rookery/v1/test/leads", "x")).await.expect("leads");
    // Dropped without a word, as by a crash: after a lease another leads.
    let third = candidate(&cluster, "http://third").await;
    drop(second);
    leading(&*third).await;
    assert_eq!(keys(&*third, "/rookery/v1/test/", "/rookery/v1/test0").await, ["/rookery/v1/test/leads"]);
    third.close().await;
}

#[tokio::test]
async fn of_many_candidates_one_leads_at_a_time() {
    let cluster = cluster!(3,);
    let mut stores = join_all((0..5).map(|i| candidate(&cluster, if i == 0 { "a" } else { "b" }))).await;
    let key = "/rookery/v1/test/terms";
    let mut last = 0;
    while !stores.is_empty() {
        let (since, at, _) = futures::future::select_all(stores.iter().map(|store| Box::pin(leading(&**store)))).await;
        assert!(since > last, "{since} after {last}");
        last = since;
        let outcomes = join_all(stores.iter().map(|store| store.commit(put(key, "x")))).await;
        let wrote: Vec<_> = (0..outcomes.len()).filter(|&i| outcomes[i].is_ok()).collect();
        assert_eq!(wrote, [at], "{outcomes:?}");
        stores.remove(at).close().await;
    }
}

#[tokio::test]
async fn who_lost_the_leaders_key_writes_nothing_and_campaigns_again() {
    let cluster = cluster!(1,);
    let store = candidate(&cluster, "a").await;
    let since = leading(&*store).await;
    let mut etcd = raw(&cluster).await;
    // Another's key in its place: the lease is alive, and still nothing may be written.
    let lease = etcd.lease_grant(60, None).await.unwrap().id();
    etcd.delete(LEADER_KEY, None).await.unwrap();
    let other = r#"{"address":"http://other","candidate":"x"}"#;
    etcd.put(LEADER_KEY, other, Some(PutOptions::new().with_lease(lease))).await.unwrap();
    let key = "/rookery/v1/test/deposed";
    assert_eq!(store.commit(put(key, "x")).await, Err(CommitError::Deposed));
    let known = Leadership::Standby { leader: Some("http://other".into()) };
    within("known", store.leadership().wait_for(|l| *l == known)).await.unwrap();
    assert_eq!(keys(&*store, key, "/rookery/v1/test/deposed0").await, Vec::<String>::new());
    etcd.lease_revoke(lease).await.unwrap();
    assert!(leading(&*store).await > since);
    store.commit(put(key, "x")).await.expect("leads again");
    // The key is deleted while nothing is written: the leader notices by itself.
    let mut watch = store.leadership();
    watch.mark_unchanged();
    etcd.delete(LEADER_KEY, None).await.unwrap();
    within("noticed", watch.changed()).await.unwrap();
    leading(&*store).await;
    store.close().await;
}

#[tokio::test]
async fn a_leader_that_stood_still_is_deposed() {
    let cluster = cluster!(1,);
    let mut first = Process::start(&cluster.url());
    within("leads", first.says("leading")).await;
    first.signal(Signal::STOP);
    let second = candidate(&cluster, "second").await;
    let since = leading(&*second).await;
    second.commit(put("/rookery/v1/test/second", "x")).await.expect("writes");
    first.signal(Signal::CONT);
    first.tell("/rookery/v1/test/first");
    let outcome = within("answers", first.says("outcome")).await;
    assert!(outcome.contains("Deposed"), "{outcome}");
    assert_eq!(keys(&*second, "/rookery/v1/test/", "/rookery/v1/test0").await, ["/rookery/v1/test/second"]);
    // And killed, the other way round.
    second.close().await;
    let again = within("leads", first.says("leading")).await;
    let again: i64 = again.split_whitespace().next_back().unwrap().parse().unwrap();
    assert!(again > since, "{again} after {since}");
    let third = candidate(&cluster, "third").await;
    first.signal(Signal::KILL);
    assert!(leading(&*third).await > again);
    third.close().await;
}

#[tokio::test]
async fn members_may_die_and_hang_and_come_back() {
    let mut cluster = cluster!(3,);
    // A short deadline: a member that hangs costs one.
    let deadline = Duration::from_secs(1);
    let store = open(&cluster.url(), Options { deadline, ..options("a") }).await.expect("opens");
    leading(&*store).await;
    let mut written = 0;
    // Each member in turn, so that etcd's own leader is among them.
    for member in 0..3 {
        cluster.kill(member).unwrap();
        written = write_until_it_passes(&*store, written).await;
        cluster.restart(member).unwrap();
    }
    for member in 0..3 {
        // A restarted member may still be on its way: without it there is no majority now, but soon.
        cluster.pause(member).unwrap();
        written = write_until_it_passes(&*store, written).await;
        cluster.resume(member).unwrap();
    }
    // No majority: nobody leads, and nothing says that it was written.
    cluster.kill(0).unwrap();
    cluster.kill(1).unwrap();
    standing_by(&*store).await;
    assert_eq!(store.commit(put("/rookery/v1/test/none", "x")).await, Err(CommitError::Deposed));
    assert!(matches!(store.load("/a", "/b").await, Err(StoreError::Unavailable(_))));
    cluster.restart(0).unwrap();
    cluster.restart(1).unwrap();
    written = write_until_it_passes(&*store, written).await;
    let there = keys(&*store, "/rookery/v1/test/members/", "/rookery/v1/test/members0").await;
    assert_eq!(there.len(), written, "what was answered for is there");
    store.close().await;
}

/// Writes the next key, again and again until it is said to be there; whoever leads meanwhile.
async fn write_until_it_passes(store: &dyn Store, written: usize) -> usize {
    let txn = put(&format!("/rookery/v1/test/members/{written}"), "x");
    let tries = async {
        loop {
            leading(store).await;
            match store.commit(txn.clone()).await {
                Ok(_) => return,
                Err(CommitError::Unknown(_) | CommitError::Unavailable(_) | CommitError::Deposed) => {
                    tokio::task::yield_now().await;
                }
                Err(other) => panic!("{other}"),
            }
        }
    };
    within("written", tries).await;
    written + 1
}

#[tokio::test]
async fn without_space_the_leader_stays_and_no_other_comes() {
    let cluster = cluster!(1, "--quota-backend-bytes=2097152");
    let store = candidate(&cluster, "a").await;
    let since = leading(&*store).await;
    let fill = async {
        for i in 0.. {
            match store.commit(put(&format!("/rookery/v1/test/fill/{i}"), vec![b'x'; 100_000])).await {
                Ok(_) => {}
                other => return other,
            }
        }
        unreachable!()
    };
    assert_eq!(within("full", fill).await, Err(CommitError::Full));
    let (used, _) = store.space().await.unwrap().unwrap();
    assert!(used > 1_000_000, "{used}");
    let delete = Txn { compare: vec![], ops: vec![Op::Delete("/rookery/v1/test/fill/0".into())] };
    store.commit(delete).await.expect("deletes pass");
    assert_eq!(*store.leadership().borrow(), Leadership::Leading { since });
    store.close().await;
    // The next one cannot be elected; it says so and does not end. Space comes back: it leads.
    let next = candidate(&cluster, "b").await;
    let mut etcd = raw(&cluster).await;
    let revision = etcd.delete("/rookery/v1/test/fill/", Some(DeleteOptions::new().with_prefix())).await;
    let revision = revision.unwrap().header().unwrap().revision();
    etcd.compact(revision, Some(CompactionOptions::new().with_physical())).await.unwrap();
    Client::connect([&cluster.endpoints()[0]], None).await.unwrap().defragment().await.unwrap();
    assert_eq!(*next.leadership().borrow(), Leadership::Standby { leader: None });
    let alarms = etcd.alarm(AlarmAction::Get, AlarmType::Nospace, None).await.unwrap();
    for alarm in alarms.alarms() {
        let mut member = AlarmOptions::new();
        member.with_member(alarm.member_id());
        etcd.alarm(AlarmAction::Deactivate, AlarmType::Nospace, Some(member)).await.unwrap();
    }
    leading(&*next).await;
    next.close().await;
}

#[tokio::test]
async fn users_and_tokens_that_end() {
    let cluster = cluster!(1, "--auth-token=simple");
    let mut etcd = raw(&cluster).await;
    etcd.user_add("root", "pass&word", None).await.unwrap();
    etcd.user_grant_role("root", "root").await.unwrap();
    etcd.auth_enable().await.unwrap();
    let url = |query: &str| format!("{}/?{query}", cluster.url());
    for (what, query) in [("no user", ""), ("a wrong password", "user=root&password=x")] {
        let outcome = within(what, open(&url(query), options("a"))).await;
        assert!(matches!(outcome.err(), Some(StoreError::Unavailable(_))), "{what}");
    }
    let store = open(&url("user=root&password=pass%26word"), options("a")).await.expect("opens");
    leading(&*store).await;
    // What ends a token is its age, or, at once, a change of its user's password.
    let mut watching =
        Client::connect(cluster.endpoints(), Some(etcd_client::ConnectOptions::new().with_user("root", "pass&word")))
            .await
            .unwrap();
    watching.user_change_password("root", "pass&word").await.unwrap();
    assert!(watching.get("/x", None).await.is_err(), "tokens of before do no more");
    store.commit(put("/rookery/v1/test/auth", "x")).await.expect("authenticates again");
    store.close().await;
}

#[tokio::test]
async fn the_leader_compacts() {
    let cluster = cluster!(1,);
    let every = Some(Duration::from_millis(50));
    let store = open(&cluster.url(), Options { compact: every, ..options("a") }).await.unwrap();
    leading(&*store).await;
    let old = store.commit(put("/rookery/v1/test/old", "1")).await.unwrap();
    store.commit(put("/rookery/v1/test/old", "2")).await.unwrap();
    let mut etcd = raw(&cluster).await;
    let gone =
        async { while etcd.get("/rookery/v1/test/old", Some(GetOptions::new().with_revision(old))).await.is_ok() {} };
    within("compacted", gone).await;
    assert_eq!(keys(&*store, "/rookery/v1/test/", "/rookery/v1/test0").await, ["/rookery/v1/test/old"]);
    store.close().await;
}

#[tokio::test]
async fn what_is_not_there_says_so() {
    // A port that nobody listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("etcd://127.0.0.1:{port},127.0.0.1:{port}");
    let Err(StoreError::Unavailable(why)) = within("opens", open(&url, options("a"))).await else { panic!("opens") };
    assert!(why.contains(&port.to_string()), "{why}");
    let cluster = cluster!(1,);
    raw(&cluster).await.put("/rookery/v1/store", r#"{"id":"x","schema":99}"#, None).await.unwrap();
    let Err(StoreError::Refused(why)) = open(&cluster.url(), options("a")).await else { panic!("opens") };
    assert!(why.contains("99"), "{why}");
}

/// Large values make small pages.
#[tokio::test]
async fn loads_more_than_fits_one_answer() {
    let cluster = cluster!(1,);
    let store = candidate(&cluster, "a").await;
    leading(&*store).await;
    for i in 0..40 {
        store.commit(put(&format!("/rookery/v1/test/big/{i:02}"), vec![b'x'; 1_000_000])).await.expect("writes");
    }
    let found = store.load("/rookery/v1/test/", "/rookery/v1/test0").await.expect("loads");
    assert_eq!(found.len(), 40);
    assert!(found.iter().all(|kv| kv.value.len() == 1_000_000));
    store.close().await;
}

/// Prints how long loads and commits take:
/// `cargo nextest run -p rookery-tests --run-ignored only -E 'test(etcd_speed)' --no-capture`.
#[tokio::test]
#[ignore = "a measurement"]
async fn etcd_speed() {
    const PAIRS: usize = 100_000;
    let cluster = cluster!(1,);
    let store = candidate(&cluster, "a").await;
    leading(&*store).await;
    let start = std::time::Instant::now();
    let key =
        |pair: usize, game: usize| format!("/rookery/v1/events/e-1/results/000-0001-00001-00002-{pair:08}/{game}/1");
    let batches: Vec<Txn> = (0..PAIRS)
        .step_by(20)
        .map(|from| {
            let games = (from..from + 20).flat_map(|pair| [(pair, 1), (pair, 2)]);
            let ops = games.map(|(pair, game)| Op::Put(key(pair, game), vec![b'x'; 300].into())).collect();
            Txn { compare: vec![], ops }
        })
        .collect();
    for many in batches.chunks(32) {
        join_all(many.iter().map(|txn| store.commit(txn.clone())))
            .await
            .iter()
            .for_each(|o| assert!(o.is_ok(), "{o:?}"));
    }
    eprintln!("{} results written in {:.1?}", PAIRS * 2, start.elapsed());
    let start = std::time::Instant::now();
    let found = store.load("/rookery/v1/", "/rookery/v10").await.unwrap();
    eprintln!("{} keys loaded in {:.1?}", found.len(), start.elapsed());
    assert!(found.len() >= PAIRS * 2);
    assert!(found.is_sorted_by(|a, b| a.key < b.key));
    for at_once in [1, 100] {
        let (start, mut n) = (std::time::Instant::now(), 0);
        while start.elapsed().as_secs() < 3 {
            let all = (0..at_once).map(|i| store.commit(put(&format!("/rookery/v1/test/{n}/{i}"), vec![b'x'; 300])));
            join_all(all).await.iter().for_each(|o| assert!(o.is_ok(), "{o:?}"));
            n += 1;
        }
        eprintln!("{at_once} at once: {:.0} commits/s", f64::from(n * at_once) / start.elapsed().as_secs_f64());
    }
    store.close().await;
}
