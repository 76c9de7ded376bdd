//! What every store does. Each check has keys of its own, so that one store serves all of them.

use std::{future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::{BoxFuture, join_all};
use rookery_coordinator::store::{
    CommitError, Compare, KeyValue, Leadership, MAX_BYTES, MAX_OPS, Op, Revision, STORE_KEY, Store, Txn,
};

/// Where stores are opened.
pub(crate) trait House: Send + Sync {
    /// Opens the same store once more; it may take a while to lead.
    fn open(&self) -> BoxFuture<'_, Arc<dyn Store>>;
}

/// Nothing in these tests takes this long unless it hangs.
const LONG: Duration = Duration::from_secs(60);

pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, work).await.unwrap_or_else(|_| panic!("{what}: not within {LONG:?}"))
}

/// Waits until this store leads.
pub(crate) async fn leading(store: &dyn Store) -> Revision {
    let mut watch = store.leadership();
    let now = within("leading", watch.wait_for(|l| matches!(l, Leadership::Leading { .. }))).await;
    match now.expect("the store is there").clone() {
        Leadership::Leading { since } => since,
        Leadership::Standby { .. } => unreachable!(),
    }
}

/// Waits until this store does not lead.
pub(crate) async fn standing_by(store: &dyn Store) {
    let mut watch = store.leadership();
    within("standing by", watch.wait_for(|l| matches!(l, Leadership::Standby { .. })))
        .await
        .expect("the store is there");
}

pub(crate) fn put(key: &str, value: impl Into<Bytes>) -> Txn {
    Txn { compare: vec![], ops: vec![Op::Put(key.into(), value.into())] }
}

fn create(key: &str, value: &'static str) -> Txn {
    Txn { compare: vec![Compare::Absent(key.into())], ops: vec![Op::Put(key.into(), value.into())] }
}

pub(crate) async fn keys(store: &dyn Store, from: &str, to: &str) -> Vec<String> {
    store.load(from, to).await.expect("loads").into_iter().map(|kv| kv.key).collect()
}

/// Runs every check, by name.
pub(crate) async fn run(house: &dyn House) {
    macro_rules! checks {
        ($($check:ident),* $(,)?) => {
            $(eprintln!("{}", stringify!($check)); within(stringify!($check), $check(house)).await;)*
        };
    }
    checks!(
        compares,
        conflicts_tell_what_is_there,
        all_or_nothing,
        deletes,
        loads_ranges_in_order,
        values_come_back_as_they_were,
        what_is_too_large,
        one_of_many_wins,
        many_at_once,
        revisions_rise_across_leaderships,
        the_id_stays,
        who_closed_writes_nothing,
    );
}

async fn compares(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let key = "/rookery/v1/test/compares/a";
    let first = store.commit(create(key, "1")).await.expect("absent");
    let modified = |revision| Txn {
        compare: vec![Compare::Modified(key.into(), revision)],
        ops: vec![Op::Put(key.into(), "2".into())],
    };
    assert!(matches!(store.commit(create(key, "x")).await, Err(CommitError::Conflict(_))), "it is there");
    assert!(matches!(store.commit(modified(first - 1)).await, Err(CommitError::Conflict(_))), "another revision");
    let second = store.commit(modified(first)).await.expect("its revision");
    assert!(second > first, "{second} after {first}");
    assert!(matches!(store.commit(modified(first)).await, Err(CommitError::Conflict(_))), "not twice");
    let found = store.load(key, &format!("{key}0")).await.expect("loads");
    assert_eq!(found, [KeyValue { key: key.into(), value: "2".into(), modified: second }]);
    let gone = Txn { compare: vec![Compare::Modified("/rookery/v1/test/compares/none".into(), 1)], ops: vec![] };
    assert_eq!(store.commit(gone).await, Err(CommitError::Conflict(vec![])), "nothing is there");
    store.close().await;
}

async fn conflicts_tell_what_is_there(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let [a, b, c] = ["a", "b", "c"].map(|k| format!("/rookery/v1/test/conflict/{k}"));
    let at_a = store.commit(put(&a, "1")).await.expect("writes");
    let at_b = store.commit(put(&b, "2")).await.expect("writes");
    let txn = Txn {
        compare: vec![
            Compare::Absent(c.clone()),
            Compare::Modified(b.clone(), at_b),
            Compare::Modified(a.clone(), at_b),
        ],
        ops: vec![Op::Put(c, "3".into())],
    };
    let Err(CommitError::Conflict(mut there)) = store.commit(txn).await else { panic!("no conflict") };
    there.sort_by(|x, y| x.key.cmp(&y.key));
    let expected = [
        KeyValue { key: a, value: "1".into(), modified: at_a },
        KeyValue { key: b, value: "2".into(), modified: at_b },
    ];
    assert_eq!(there, expected);
    store.close().await;
}

async fn all_or_nothing(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let [a, b, c] = ["a", "b", "c"].map(|k| format!("/rookery/v1/test/all/{k}"));
    store.commit(put(&a, "1")).await.expect("writes");
    let txn = |compare| Txn {
        compare,
        ops: vec![Op::Delete(a.clone()), Op::Put(b.clone(), "2".into()), Op::Put(c.clone(), "3".into())],
    };
    let fails = txn(vec![Compare::Absent(b.clone()), Compare::Absent(a.clone())]);
    assert!(matches!(store.commit(fails).await, Err(CommitError::Conflict(_))));
    assert_eq!(keys(&*store, "/rookery/v1/test/all/", "/rookery/v1/test/all0").await, std::slice::from_ref(&a));
    let at = store.commit(txn(vec![Compare::Absent(b.clone())])).await.expect("holds");
    let found = store.load("/rookery/v1/test/all/", "/rookery/v1/test/all0").await.expect("loads");
    assert_eq!(found.iter().map(|kv| (kv.key.as_str(), kv.modified)).collect::<Vec<_>>(), [(&*b, at), (&*c, at)]);
    store.close().await;
}

async fn deletes(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let key = |k: &str| format!("/rookery/v1/live/test/{k}");
    let ops = ["a", "b", "b/1", "b/2", "b0", "c"].map(|k| Op::Put(key(k), "x".into())).to_vec();
    store.commit(Txn { compare: vec![], ops }).await.expect("writes");
    let ops = vec![Op::DeleteRange(key("b/"), key("b0")), Op::Delete(key("a")), Op::Delete(key("never"))];
    store.commit(Txn { compare: vec![], ops }).await.expect("deletes");
    let left = keys(&*store, &key(""), "/rookery/v1/live/test0").await;
    assert_eq!(left, [key("b"), key("b0"), key("c")]);
    store.commit(create(&key("a"), "again")).await.expect("a deleted key is absent");
    let empty = Txn { compare: vec![], ops: vec![Op::DeleteRange(key("c"), key("b"))] };
    store.commit(empty).await.expect("an empty range deletes nothing");
    assert_eq!(keys(&*store, &key(""), "/rookery/v1/live/test0").await.len(), 4);
    store.close().await;
}

async fn loads_ranges_in_order(house: &dyn House) {
    /// More than two pages.
    const MANY: usize = 51_200;
    let store = house.open().await;
    leading(&*store).await;
    let key = |i: usize| format!("/rookery/v1/test/load/{i:06}");
    for from in (0..MANY).step_by(MAX_OPS) {
        let ops = (from..from + MAX_OPS).map(|i| Op::Put(key(i), format!("v{i}").into())).collect();
        store.commit(Txn { compare: vec![], ops }).await.expect("writes");
    }
    for (from, to, first, last) in [
        (key(0), "/rookery/v1/test/load0".to_owned(), 0, MANY),
        (key(100), key(200), 100, 200),
        (key(4_999), key(5_000), 4_999, 5_000),
        (key(200), key(200), 0, 0),
        (key(200), key(100), 0, 0),
        ("/rookery/v1/test/load".into(), key(3), 0, 3),
        ("/rookery/v1/test/loae".into(), "/rookery/v1/test/loaf".into(), 0, 0),
    ] {
        let found = store.load(&from, &to).await.expect("loads");
        let expected: Vec<_> = (first..last).map(|i| (key(i), format!("v{i}"))).collect();
        let found: Vec<_> =
            found.iter().map(|kv| (kv.key.clone(), String::from_utf8_lossy(&kv.value).into_owned())).collect();
        assert!(found == expected, "{from}..{to}: {} keys, {} expected", found.len(), expected.len());
    }
    store.close().await;
}

async fn values_come_back_as_they_were(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let values = [Bytes::new(), Bytes::from((0..=255).collect::<Vec<u8>>()), Bytes::from(vec![7; 1_000_000])];
    for (i, value) in values.into_iter().enumerate() {
        let key = format!("/rookery/v1/test/values/{i}");
        store.commit(put(&key, value.clone())).await.expect("writes");
        assert!(store.load(&key, &format!("{key}0")).await.expect("loads")[0].value == value, "value {i}");
    }
    store.close().await;
}

async fn what_is_too_large(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let key = |i: usize| format!("/rookery/v1/test/large/{i}");
    let ops = |n: usize| (0..n).map(|i| Op::Put(key(i), "x".into())).collect::<Vec<_>>();
    let compare = |n: usize| (0..n).map(|i| Compare::Absent(key(i))).collect::<Vec<_>>();
    let cases = [
        ("operations", Txn { compare: vec![], ops: ops(MAX_OPS + 1) }),
        ("comparisons", Txn { compare: compare(MAX_OPS), ops: vec![] }),
        ("bytes", put(&key(0), vec![0; MAX_BYTES])),
        ("twice", Txn { compare: vec![], ops: [ops(1), ops(1)].concat() }),
    ];
    for (name, txn) in cases {
        assert!(matches!(store.commit(txn).await, Err(CommitError::TooLarge(_))), "{name}");
    }
    assert_eq!(keys(&*store, &key(0), "/rookery/v1/test/large0").await, Vec::<String>::new());
    let most = Txn { compare: compare(MAX_OPS - 1), ops: ops(MAX_OPS) };
    store.commit(most.clone()).await.expect("as many as pass");
    let Err(CommitError::Conflict(there)) = store.commit(most).await else { panic!("all are there") };
    assert_eq!(there.len(), MAX_OPS - 1);
    store.close().await;
}

async fn one_of_many_wins(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    for round in 0..5 {
        let key = format!("/rookery/v1/test/race/{round}");
        let all = join_all((0..40).map(|_| store.commit(create(&key, "x")))).await;
        let won: Vec<_> = all.iter().filter_map(|outcome| outcome.as_ref().ok()).collect();
        assert_eq!(won.len(), 1, "round {round}");
        for lost in all.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let CommitError::Conflict(there) = lost else { panic!("{lost}") };
            assert_eq!(there.iter().map(|kv| kv.modified).collect::<Vec<_>>(), [*won[0]]);
        }
    }
    store.close().await;
}

async fn many_at_once(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    let all = join_all((0..500).map(|i| {
        let key = format!("/rookery/v1/{}/many/{i}", if i % 2 == 0 { "test" } else { "live" });
        let store = &store;
        async move { store.commit(put(&key, "x")).await.expect("writes") }
    }))
    .await;
    let mut revisions = all.clone();
    revisions.sort_unstable();
    revisions.dedup();
    assert_eq!(revisions.len(), 500, "each has a revision of its own");
    store.close().await;
}

async fn revisions_rise_across_leaderships(house: &dyn House) {
    let (lazy, durable) = ("/rookery/v1/live/test/rise", "/rookery/v1/test/rise");
    let mut last = 0;
    for round in 0..4 {
        let store = house.open().await;
        let since = leading(&*store).await;
        assert!(since > last, "round {round}: leading since {since} after {last}");
        last = since;
        for key in [durable, lazy, lazy] {
            let revision = store.commit(put(key, format!("{round}"))).await.expect("writes");
            assert!(revision > last, "round {round}: {revision} after {last}");
            last = revision;
        }
        store.close().await;
    }
    let store = house.open().await;
    let found = store.load(lazy, "/rookery/v1/live/test/rise0").await.expect("loads");
    assert_eq!(found, [KeyValue { key: lazy.into(), value: "3".into(), modified: last }], "closing loses nothing");
    store.close().await;
}

async fn the_id_stays(house: &dyn House) {
    let store = house.open().await;
    let id = store.id().to_owned();
    store.close().await;
    let store = house.open().await;
    assert_eq!(store.id(), id);
    assert!(!id.is_empty());
    let found = store.load(STORE_KEY, &format!("{STORE_KEY}0")).await.expect("loads");
    assert!(String::from_utf8_lossy(&found[0].value).contains(&id));
    store.close().await;
}

async fn who_closed_writes_nothing(house: &dyn House) {
    let store = house.open().await;
    leading(&*store).await;
    store.close().await;
    standing_by(&*store).await;
    let key = "/rookery/v1/test/closed";
    assert_eq!(store.commit(put(key, "x")).await, Err(CommitError::Deposed));
    store.close().await; // twice is once
    let next = house.open().await;
    leading(&*next).await;
    assert_eq!(keys(&*next, key, "/rookery/v1/test/closed0").await, Vec::<String>::new());
    next.close().await;
}
