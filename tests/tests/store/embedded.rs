//! The embedded store.

use std::{fs, path::PathBuf, sync::Arc};

use futures::future::{BoxFuture, join_all};
use rookery_coordinator::store::{EmbeddedStore, Options, Store, StoreError, open};

use crate::{
    process::Process,
    suite::{self, House, leading, put, within},
};

struct File(PathBuf);

impl House for File {
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(async {
            let url = format!("embedded:{}", self.0.display());
            open(&url, Options::default()).await.expect("opens")
        })
    }
}

#[tokio::test]
async fn does_what_every_store_does() {
    let folder = tempfile::tempdir().unwrap();
    suite::run(&File(folder.path().join("a/new/folder/store"))).await;
}

#[tokio::test]
async fn a_second_opener_is_told_who_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let first = EmbeddedStore::open(&path).await.unwrap();
    let Err(StoreError::Refused(why)) = EmbeddedStore::open(&path).await else { panic!("two have it") };
    assert!(why.contains(path.to_str().unwrap()), "{why}");
    assert!(why.contains("in this process") || why.contains("another process"), "{why}");
    first.close().await;
    EmbeddedStore::open(&path).await.expect("closed is free").close().await;
}

#[tokio::test]
async fn another_process_is_named_and_its_end_frees_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut first = Process::start(&format!("embedded:{}", path.display()));
    within("leads", first.says("leading")).await;
    first.tell("/rookery/v1/test/result");
    let outcome = within("writes", first.says("outcome")).await;
    assert!(outcome.contains("Ok("), "{outcome}");
    let Err(StoreError::Refused(why)) = EmbeddedStore::open(&path).await else { panic!("two have it") };
    assert!(why.contains(path.to_str().unwrap()), "{why}");
    // Not everywhere does /proc/locks name a file as stat does.
    assert!(why.contains(&format!("process {}", first.id())) || why.contains("another process"), "{why}");
    eprintln!("{why}");
    first.kill();
    let store = EmbeddedStore::open(&path).await.expect("free");
    assert_eq!(suite::keys(&store, "/rookery/v1/test/", "/rookery/v1/test0").await, ["/rookery/v1/test/result"]);
    store.close().await;
}

/// A copy of the file is what a crash leaves.
#[tokio::test]
async fn a_crash_never_gives_a_revision_twice_and_keeps_results() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    let store = EmbeddedStore::open(&path).await.unwrap();
    let mut last = store.commit(put("/rookery/v1/test/result", "r")).await.unwrap();
    // More than one block of revisions, hardly synced.
    for _ in 0..120 {
        let lazy = join_all((0..100).map(|_| store.commit(put("/rookery/v1/live/test/lease", "l")))).await;
        last = last.max(lazy.into_iter().map(Result::unwrap).max().unwrap());
    }
    fs::copy(&path, &copy).unwrap();
    store.close().await;
    let after = EmbeddedStore::open(&copy).await.unwrap();
    let since = leading(&after).await;
    assert!(since > last, "{since} was given out before the crash, up to {last}");
    assert_eq!(suite::keys(&after, "/rookery/v1/test/", "/rookery/v1/test0").await, ["/rookery/v1/test/result"]);
    assert_eq!(after.id(), store.id());
    after.close().await;
}

#[tokio::test]
async fn leases_are_synced_soon() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("store"), folder.path().join("copy"));
    let store = EmbeddedStore::open(&path).await.unwrap();
    store.commit(put("/rookery/v1/live/test/lease", "l")).await.unwrap();
    // What is durable shows in a copy; each look costs milliseconds, and the sync is due in a quarter of a second.
    for _ in 0..10_000 {
        fs::copy(&path, &copy).unwrap();
        let after = EmbeddedStore::open(&copy).await.unwrap();
        let there = suite::keys(&after, "/rookery/v1/live/", "/rookery/v1/live0").await;
        after.close().await;
        if !there.is_empty() {
            return store.close().await;
        }
    }
    panic!("the lease is not in the file");
}

#[tokio::test]
async fn what_is_not_a_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fs::write(&path, "1. e4 e5 2. Nf3 Nc6\n".repeat(1000)).unwrap();
    assert!(matches!(EmbeddedStore::open(&path).await, Err(StoreError::Damaged(_))));
    assert!(matches!(EmbeddedStore::open(folder.path()).await, Err(StoreError::Unavailable(_))), "a folder");
    for bad in ["", "embedded:", "etcd", "etcd://", "etcd:///", "sqlite:x", "etcd://host:port"] {
        let Err(StoreError::Refused(why)) = open(bad, Options::default()).await else { panic!("{bad:?} opens") };
        assert!(why.contains("embedded:PATH"), "{why}");
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = EmbeddedStore::open(&path).await.unwrap();
    store.commit(put("/rookery/v1/store", r#"{"id":"x","schema":99}"#)).await.unwrap();
    store.close().await;
    let Err(StoreError::Refused(why)) = EmbeddedStore::open(&path).await else { panic!("it opens") };
    assert!(why.contains("99"), "{why}");
}

#[tokio::test]
async fn space_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(folder.path().join("store")).await.unwrap();
    let (used, quota) = store.space().await.unwrap().unwrap();
    assert!(used > 0 && used < quota, "{used} of {quota}");
    store.close().await;
}

/// Prints commits a second: `cargo nextest run -p rookery-tests --run-ignored only embedded_speed --no-capture`.
#[tokio::test]
#[ignore = "a measurement"]
async fn embedded_speed() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let store = EmbeddedStore::open(folder.path().join("store")).await.unwrap();
    for (what, prefix, at_once) in [
        ("results, one by one", "/rookery/v1/test/one", 1),
        ("results, 100 at once", "/rookery/v1/test/many", 100),
        ("leases, one by one", "/rookery/v1/live/one", 1),
        ("leases, 100 at once", "/rookery/v1/live/many", 100),
    ] {
        let (start, mut n) = (std::time::Instant::now(), 0u32);
        while start.elapsed().as_secs() < 3 {
            let store = &store;
            let all = (0..at_once).map(|i| async move {
                store.commit(put(&format!("{prefix}/{n}/{i}"), vec![b'x'; 300])).await.unwrap()
            });
            join_all(all).await;
            n += 1;
        }
        let rate = f64::from(n) * f64::from(at_once) / start.elapsed().as_secs_f64();
        eprintln!("{what}: {rate:.0} commits/s");
    }
    store.close().await;
}
