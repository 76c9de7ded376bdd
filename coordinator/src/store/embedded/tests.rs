//! A disk that fails, and comes back.

use std::{
    fs::OpenOptions,
    io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use redb::{Database, StorageBackend, backends::FileBackend};

use super::*;
use crate::store::Op;

/// Nothing here takes this long unless it hangs.
const LONG: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Disk {
    file: FileBackend,
    fails: Arc<AtomicBool>,
}

impl Disk {
    fn check(&self) -> io::Result<()> {
        if self.fails.load(Ordering::SeqCst) { Err(io::Error::other("the disk fails")) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check()?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        self.file.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }
}

fn put(key: &str) -> Txn {
    Txn { compare: vec![], ops: vec![Op::Put(key.into(), "x".into())] }
}

async fn until(watch: &mut watch::Receiver<Leadership>, leads: bool) -> Leadership {
    let found = watch.wait_for(|l| matches!(l, Leadership::Leading { .. }) == leads);
    tokio::time::timeout(LONG, found).await.expect("in time").expect("the store is there").clone()
}

#[tokio::test]
async fn after_a_failed_write_leadership_ends_and_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let fails = Arc::new(AtomicBool::new(false));
    let disk = Arc::clone(&fails);
    let database = move |path: &Path| {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        Database::builder().create_with_backend(Disk { file: FileBackend::new(file)?, fails: Arc::clone(&disk) })
    };
    let store = EmbeddedStore::open_on(folder.path().join("store"), Box::new(database)).await.unwrap();
    let mut watch = store.leadership();
    let before = until(&mut watch, true).await;
    store.commit(put("/rookery/v1/test/kept")).await.unwrap();
    let lazy = store.commit(put("/rookery/v1/live/test/lease")).await.unwrap();
    fails.store(true, Ordering::SeqCst);
    let failed = store.commit(put("/rookery/v1/test/failed")).await;
    assert!(
        matches!(failed, Err(CommitError::Unknown(_) | CommitError::Unavailable(_) | CommitError::Deposed)),
        "{failed:?}"
    );
    until(&mut watch, false).await;
    assert_eq!(store.commit(put("/rookery/v1/test/later")).await, Err(CommitError::Deposed));
    fails.store(false, Ordering::SeqCst);
    let after = until(&mut watch, true).await;
    let (Leadership::Leading { since: before }, Leadership::Leading { since: after }) = (before, after) else {
        panic!("both lead")
    };
    assert!(after > before && after > lazy, "{after} after {before} and {lazy}");
    let there = store.load("/rookery/v1/test/", "/rookery/v1/test0").await.unwrap();
    assert!(there.iter().any(|kv| kv.key.ends_with("kept")), "{there:?}");
    assert!(!there.iter().any(|kv| kv.key.ends_with("later")), "{there:?}");
    store.commit(put("/rookery/v1/test/again")).await.unwrap();
    store.close().await;
}
