//! The file: keys with the revision that last wrote them, and the revision counter, in the same transactions.

use std::{fmt, fs, io, os::unix::fs::MetadataExt, path::Path, path::PathBuf, time::Instant};

use bytes::Bytes;
use redb::{
    Database, DatabaseError, Durability, ReadableDatabase, ReadableTable, StorageError, Table, TableDefinition,
};

use super::{CACHE, ROOM};
use crate::store::{CommitError, Compare, Identity, KeyValue, LIVE, Op, Revision, STORE_KEY, StoreError, Txn};

/// Key → (revision that last wrote it, value).
const DATA: TableDefinition<'static, &str, (i64, &[u8])> = TableDefinition::new("data");
/// The counter.
const META: TableDefinition<'static, &str, i64> = TableDefinition::new("meta");
/// Every revision up to this one may have been given out.
const RESERVED: &str = "reserved";
/// Revisions are set aside durably in blocks, because a commit without a sync may be lost in a crash while its
/// revision was given out: after a crash the count goes on behind the block.
const BLOCK: i64 = 10_000;
/// Keys that are handed over at once when it is read.
const PAGE: usize = 4_000;

/// The disk failed; nothing more can be read or written through this handle.
#[derive(Debug)]
pub(super) struct Broken {
    error: String,
    full: bool,
    may_have_happened: bool,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.error)
    }
}

impl Broken {
    fn before(error: impl Into<redb::Error>) -> Self {
        let error = error.into();
        let full = matches!(&error, redb::Error::Io(e) if e.kind() == io::ErrorKind::StorageFull);
        Self { full, may_have_happened: false, error: error.to_string() }
    }

    fn during(error: impl Into<redb::Error>) -> Self {
        Self { may_have_happened: true, ..Self::before(error) }
    }

    pub(super) fn outcome(&self) -> CommitError {
        match (self.full, self.may_have_happened) {
            (false, true) => CommitError::Unknown(self.error.clone()),
            (true, _) => CommitError::Full,
            (false, false) => CommitError::Unavailable(self.error.clone()),
        }
    }
}

/// How a database is opened; tests open one on a disk that fails.
pub(super) type OpenDatabase = dyn Fn(&Path) -> Result<Database, DatabaseError> + Send;

/// Opens the database, or makes it.
pub(super) fn on_disk(path: &Path) -> Result<Database, DatabaseError> {
    Database::builder().set_cache_size(CACHE).create(path)
}

pub(super) struct StoreFile {
    path: PathBuf,
    db: Database,
    id: String,
    since: Revision,
    /// The last one that was given out.
    revision: Revision,
    reserved: Revision,
    /// When the oldest commit without a sync was made.
    lazy_since: Option<Instant>,
    /// The disk had no room at the last look.
    full: bool,
}

impl StoreFile {
    /// Opens the file at `path`; `database` opens what is in it.
    pub(super) fn open(path: &Path, database: &OpenDatabase) -> Result<Self, StoreError> {
        let unavailable = |e: io::Error| StoreError::Unavailable(format!("{}: {e}", path.display()));
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(unavailable)?;
        let db = database(path).map_err(|e| refused(path, e))?;
        // The name must outlive a crash as the content does.
        fs::File::open(folder).and_then(|f| f.sync_all()).map_err(unavailable)?;
        let damaged = |e: redb::Error| match e {
            redb::Error::Io(e) => unavailable(e),
            e => StoreError::Damaged(format!("{}: {e}", path.display())),
        };
        let txn = db.begin_write().map_err(|e| damaged(e.into()))?;
        let (id, since) = {
            let mut meta = txn.open_table(META).map_err(|e| damaged(e.into()))?;
            let mut data = txn.open_table(DATA).map_err(|e| damaged(e.into()))?;
            let reserved = meta.get(RESERVED).map_err(|e| damaged(e.into()))?.map_or(0, |v| v.value());
            let since = reserved + 1;
            let id = identity(path, &mut data, since, &damaged)?;
            meta.insert(RESERVED, since + BLOCK).map_err(|e| damaged(e.into()))?;
            (id, since)
        };
        txn.commit().map_err(|e| damaged(e.into()))?;
        let reserved = since + BLOCK;
        Ok(Self { path: path.to_owned(), db, id, since, revision: since, reserved, lazy_since: None, full: false })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn since(&self) -> Revision {
        self.since
    }

    pub(super) fn lazy_since(&self) -> Option<Instant> {
        self.lazy_since
    }

    /// Carries out one transaction after the other, and writes what they did at once. An outcome for each, or none
    /// happened (see [`Broken`]).
    pub(super) fn apply(&mut self, txns: &[Txn]) -> Result<Vec<Result<Revision, CommitError>>, Broken> {
        if self.is_full() {
            return Ok(vec![Err(CommitError::Full); txns.len()]);
        }
        let mut write = self.db.begin_write().map_err(Broken::before)?;
        let mut revision = self.revision;
        let mut reserved = self.reserved;
        let mut durable = false;
        let mut outcomes = Vec::with_capacity(txns.len());
        {
            let mut data = write.open_table(DATA).map_err(Broken::before)?;
            for txn in txns {
                let conflict = conflict(&data, &txn.compare).map_err(Broken::before)?;
                if let Some(there) = conflict {
                    outcomes.push(Err(CommitError::Conflict(there)));
                    continue;
                }
                revision += 1;
                durable |= !is_lazy(txn);
                carry_out(&mut data, &txn.ops, revision).map_err(Broken::before)?;
                outcomes.push(Ok(revision));
            }
            if revision == self.revision {
                drop(data);
                write.abort().map_err(Broken::before)?;
                return Ok(outcomes);
            }
            durable |= revision > reserved;
            if durable && reserved < revision + BLOCK / 2 {
                reserved = revision + BLOCK;
                let mut meta = write.open_table(META).map_err(Broken::before)?;
                meta.insert(RESERVED, reserved).map_err(Broken::before)?;
            }
        }
        if !durable {
            write.set_durability(Durability::None).map_err(Broken::before)?;
        }
        write.commit().map_err(Broken::during)?;
        (self.revision, self.reserved) = (revision, reserved);
        self.lazy_since = if durable { None } else { self.lazy_since.or_else(|| Some(Instant::now())) };
        Ok(outcomes)
    }

    /// Makes durable what is not yet.
    pub(super) fn sync(&mut self) -> Result<(), Broken> {
        let write = self.db.begin_write().map_err(Broken::before)?;
        write.commit().map_err(Broken::during)?;
        self.lazy_since = None;
        Ok(())
    }

    /// The last sync; what was set aside and not given out is given back.
    pub(super) fn finish(&mut self) -> Result<(), Broken> {
        let write = self.db.begin_write().map_err(Broken::before)?;
        write.open_table(META).map_err(Broken::before)?.insert(RESERVED, self.revision).map_err(Broken::before)?;
        write.commit().map_err(Broken::during)?;
        (self.lazy_since, self.reserved) = (None, self.revision);
        Ok(())
    }

    /// Hands the range to `take` in pages, until that is answered with `false`.
    pub(super) fn read(
        &self,
        from: &str,
        to: &str,
        mut take: impl FnMut(Vec<KeyValue>) -> bool,
    ) -> Result<(), StoreError> {
        let bad = |e: redb::Error| StoreError::Unavailable(format!("{}: {e}", self.path.display()));
        if from >= to {
            return Ok(());
        }
        let read = self.db.begin_read().map_err(|e| bad(e.into()))?;
        let data = read.open_table(DATA).map_err(|e| bad(e.into()))?;
        let mut page = Vec::new();
        for entry in data.range(from..to).map_err(|e| bad(e.into()))? {
            let (key, value) = entry.map_err(|e| bad(e.into()))?;
            page.push(key_value(key.value(), value.value()));
            if page.len() == PAGE && !take(std::mem::take(&mut page)) {
                return Ok(());
            }
        }
        take(page);
        Ok(())
    }

    /// Bytes of the file, and what it could grow to on this disk.
    pub(super) fn space(&self) -> Result<(u64, u64), StoreError> {
        let used = fs::metadata(&self.path)
            .map_err(|e| StoreError::Unavailable(format!("{}: {e}", self.path.display())))?
            .blocks()
            * 512;
        Ok((used, used + self.room().unwrap_or(u64::MAX / 2)))
    }

    /// Whether the disk has no room for a transaction; said once each time.
    fn is_full(&mut self) -> bool {
        let room = self.room().filter(|&room| room < ROOM);
        let was = std::mem::replace(&mut self.full, room.is_some());
        let path = self.path.display();
        match room {
            Some(room) if !was => {
                tracing::error!(%path, free_kib = room >> 10, needed_kib = ROOM >> 10, "the disk of the store is full");
            }
            None if was => tracing::warn!(%path, "the disk of the store has room again"),
            _ => {}
        }
        self.full
    }

    /// Free bytes on the disk, where it tells.
    fn room(&self) -> Option<u64> {
        let stat = rustix::fs::statvfs(&self.path).ok()?;
        Some(stat.f_bavail.saturating_mul(stat.f_frsize))
    }
}

fn key_value(key: &str, (modified, value): (i64, &[u8])) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Bytes::copy_from_slice(value), modified }
}

/// Whether losing it in a crash does no harm: a pair whose lease is gone is handed out again under a new attempt.
pub(super) fn is_lazy(txn: &Txn) -> bool {
    txn.ops.iter().all(|op| match op {
        Op::Put(key, _) | Op::Delete(key) => key.starts_with(LIVE),
        Op::DeleteRange(from, to) => from.starts_with(LIVE) && to.starts_with(LIVE),
    })
}

/// What is there of all compared keys, if a comparison fails.
fn conflict(
    data: &Table<'_, &'static str, (i64, &'static [u8])>,
    compare: &[Compare],
) -> Result<Option<Vec<KeyValue>>, StorageError> {
    let mut there = Vec::new();
    let mut fails = false;
    for each in compare {
        let found = data.get(each.key())?.map(|value| key_value(each.key(), value.value()));
        fails |= match each {
            Compare::Absent(_) => found.is_some(),
            Compare::Modified(_, revision) => found.as_ref().is_none_or(|kv| kv.modified != *revision),
        };
        there.extend(found);
    }
    Ok(fails.then_some(there))
}

fn carry_out(
    data: &mut Table<'_, &'static str, (i64, &'static [u8])>,
    ops: &[Op],
    revision: Revision,
) -> Result<(), StorageError> {
    for op in ops {
        match op {
            Op::Put(key, value) => drop(data.insert(key.as_str(), (revision, value.as_ref()))?),
            Op::Delete(key) => drop(data.remove(key.as_str())?),
            Op::DeleteRange(from, to) if from < to => data.retain_in(from.as_str()..to.as_str(), |_, _| false)?,
            Op::DeleteRange(..) => {}
        }
    }
    Ok(())
}

/// Reads who this store is, or makes a new one.
fn identity(
    path: &Path,
    data: &mut Table<'_, &'static str, (i64, &'static [u8])>,
    revision: Revision,
    damaged: &dyn Fn(redb::Error) -> StoreError,
) -> Result<String, StoreError> {
    let known = data.get(STORE_KEY).map_err(|e| damaged(e.into()))?.map(|v| v.value().1.to_vec());
    if let Some(bytes) = known {
        return Ok(Identity::parse(&bytes, &path.display().to_string())?.id);
    }
    let new = Identity::new();
    let bytes = new.to_bytes()?;
    data.insert(STORE_KEY, (revision, bytes.as_slice())).map_err(|e| damaged(e.into()))?;
    Ok(new.id)
}

fn refused(path: &Path, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::Refused(match holder(path) {
            Some(pid) if pid == std::process::id() => format!("{} is open already in this process", path.display()),
            Some(pid) => format!("{} is in use by process {pid}", path.display()),
            None => format!("{} is in use by another process", path.display()),
        }),
        DatabaseError::Storage(StorageError::Io(e)) if e.kind() != io::ErrorKind::InvalidData => {
            StoreError::Unavailable(format!("{}: {e}", path.display()))
        }
        e => StoreError::Damaged(format!("{}: {e}", path.display())),
    }
}

/// The process that has the file locked, as `/proc/locks` tells; `None` where it does not, or more than one could be
/// meant (it names the file by inode, and the device there is not always the one that `stat` gives).
fn holder(path: &Path) -> Option<u32> {
    let inode = fs::metadata(path).ok()?.ino().to_string();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let mut pids = locks.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let (kind, pid, file) = (words.get(1)?, words.get(4)?, words.get(5)?);
        (*kind == "FLOCK" && file.rsplit(':').next() == Some(&inode)).then(|| pid.parse().ok()).flatten()
    });
    let pid = pids.next()?;
    pids.next().is_none().then_some(pid)
}
