//! An archive in a folder: segments that are appended to and synced, one line a record.
//!
//! ```text
//! archive                      id, schema
//! segments/{since}-{n}.jsonl   records
//! files/{sha256}               files
//! ```
//!
//! A torn tail after a crash is harmless: no result points there, and a segment of another leadership is never written
//! to again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use futures::future::BoxFuture;
use rookery_tournament::fact::Location;

use super::{Archive, ArchiveError, Identity, name};

/// A segment that has reached this size is left alone: small enough to copy, few enough to list.
const ROLL: u64 = 256 << 20;

/// An archive in a folder.
pub struct FolderArchive {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    id: String,
    roll: u64,
    /// The segment that is appended to.
    open: Mutex<Option<Segment>>,
}

struct Segment {
    since: i64,
    n: u64,
    name: String,
    file: File,
    length: u64,
}

impl FolderArchive {
    /// Opens the folder, or makes it.
    ///
    /// # Errors
    /// `Unavailable` where it cannot be made or read; `Damaged` where its id file makes no sense.
    pub async fn open(root: impl Into<PathBuf>) -> Result<Self, ArchiveError> {
        Self::open_with(root, ROLL).await
    }

    /// As [`Self::open`]; segments that have reached `roll` bytes are left alone.
    ///
    /// # Errors
    /// As there.
    pub async fn open_with(root: impl Into<PathBuf>, roll: u64) -> Result<Self, ArchiveError> {
        let root = root.into();
        blocking(move || {
            for folder in [&root, &root.join("segments"), &root.join("files")] {
                fs::create_dir_all(folder).map_err(|e| away(folder, &e))?;
            }
            let id = identity(&root)?;
            Ok(Self { inner: Arc::new(Inner { root, id, roll, open: Mutex::new(None) }) })
        })
        .await
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }
}

impl Archive for FolderArchive {
    fn id(&self) -> &str {
        &self.inner.id
    }

    fn append(&self, since: i64, records: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Location>, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.append(since, &records)))
    }

    fn read(&self, location: Location) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.read(&location)))
    }

    fn segments(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.segments()))
    }

    fn piece(&self, segment: String, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.piece(&segment, offset, length)))
    }

    fn put_file(&self, content: Bytes) -> BoxFuture<'_, Result<String, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.put_file(&content)))
    }

    fn get_file(&self, digest: String) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        let inner = Arc::clone(&self.inner);
        Box::pin(blocking(move || inner.get_file(&digest)))
    }
}

impl Inner {
    fn segment_path(&self, name: &str) -> PathBuf {
        self.root.join("segments").join(format!("{name}.jsonl"))
    }

    fn append(&self, since: i64, records: &[Bytes]) -> Result<Vec<Location>, ArchiveError> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        // A panic while it was held leaves at worst a torn tail, which is cut below.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = open.as_ref().is_some_and(|s| s.since == since && s.length < self.roll);
        if !fits {
            let n = open.take().filter(|s| s.since == since).map_or(0, |s| s.n + 1);
            *open = Some(self.create(since, n)?);
        }
        let Some(segment) = open.as_mut() else { return Err(ArchiveError::Unavailable("no segment".into())) };
        let mut bytes = Vec::with_capacity(records.iter().map(|r| r.len() + 1).sum());
        let mut locations = Vec::with_capacity(records.len());
        for record in records {
            locations.push(name::location(&segment.name, segment.length + bytes.len() as u64, record));
            bytes.extend_from_slice(record);
            bytes.push(b'\n');
        }
        let path = self.segment_path(&segment.name);
        if let Err(error) = segment.file.write_all_at(&bytes, segment.length) {
            // What was written of it is cut off, or else overwritten by the next batch: no result points there.
            let _ = segment.file.set_len(segment.length);
            return Err(away(&path, &error));
        }
        if let Err(error) = segment.file.sync_data() {
            // After a failed sync nobody knows what is on the disk; this segment is not written to again.
            *open = None;
            return Err(away(&path, &error));
        }
        segment.length += bytes.len() as u64;
        Ok(locations)
    }

    /// Makes the first segment from `n` on that does not exist yet.
    fn create(&self, since: i64, first: u64) -> Result<Segment, ArchiveError> {
        for n in first.. {
            let name = name::segment(since, n);
            name::check_segment(&name)?;
            let path = self.segment_path(&name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    sync_folder(&self.root.join("segments"))?;
                    return Ok(Segment { since, n, name, file, length: 0 });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(away(&path, &e)),
            }
        }
        Err(ArchiveError::Unavailable("no segment number is left".into()))
    }

    fn read(&self, location: &Location) -> Result<Bytes, ArchiveError> {
        name::check_segment(&location.segment)?;
        let path = self.segment_path(&location.segment);
        let file = open(&path)?;
        let length = file.metadata().map_err(|e| away(&path, &e))?.len();
        // Before memory is taken for it.
        if location.offset.checked_add(location.length).is_none_or(|end| end > length) {
            return Err(ArchiveError::Damaged(format!(
                "{} ends at {length}, before the record at {} with {} bytes",
                path.display(),
                location.offset,
                location.length
            )));
        }
        let size = usize::try_from(location.length).map_err(|_| ArchiveError::Damaged("a record too large".into()))?;
        let mut record = vec![0; size];
        file.read_exact_at(&mut record, location.offset).map_err(|e| away(&path, &e))?;
        name::check_record(location, &record)?;
        Ok(record.into())
    }

    fn segments(&self) -> Result<Vec<(String, u64)>, ArchiveError> {
        let folder = self.root.join("segments");
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder).map_err(|e| away(&folder, &e))? {
            let entry = entry.map_err(|e| away(&folder, &e))?;
            let length = entry.metadata().map_err(|e| away(&folder, &e))?.len();
            names.push((entry.file_name().to_string_lossy().into_owned(), length));
        }
        Ok(name::in_order(names.into_iter()))
    }

    fn piece(&self, segment: &str, offset: u64, length: u64) -> Result<Bytes, ArchiveError> {
        name::check_segment(segment)?;
        let path = self.segment_path(segment);
        let file = open(&path)?;
        let there = file.metadata().map_err(|e| away(&path, &e))?.len().saturating_sub(offset);
        let size = usize::try_from(length.min(there)).map_err(|_| ArchiveError::Damaged("a piece too large".into()))?;
        let mut piece = vec![0; size];
        file.read_exact_at(&mut piece, offset).map_err(|e| away(&path, &e))?;
        Ok(piece.into())
    }

    fn put_file(&self, content: &[u8]) -> Result<String, ArchiveError> {
        let hex = name::sha256(content);
        let folder = self.root.join("files");
        let path = folder.join(&hex);
        // What is there and sound stays; what was torn or altered is written again.
        let sound = fs::read(&path).is_ok_and(|there| there == content);
        if !sound {
            write_whole(&folder, &hex, content).map_err(|e| away(&path, &e))?;
        }
        Ok(name::digest(&hex))
    }

    fn get_file(&self, digest: &str) -> Result<Bytes, ArchiveError> {
        let hex = name::hex_of(digest)?;
        let path = self.root.join("files").join(hex);
        let content = fs::read(&path).map_err(|e| missing(&path, &e))?;
        name::check_file(hex, &content)?;
        Ok(content.into())
    }
}

/// Reads the archive's id, or draws one. Of several that make it at once, one wins and all read its id.
fn identity(root: &Path) -> Result<String, ArchiveError> {
    let path = root.join("archive");
    if !path.exists() {
        let text = serde_json::to_vec(&Identity::new()).map_err(|e| ArchiveError::Damaged(e.to_string()))?;
        let draft = root.join(format!(".archive-{}", uuid::Uuid::new_v4()));
        let made = write_synced(&draft, &text).and_then(|()| fs::hard_link(&draft, &path));
        let _ = fs::remove_file(&draft); // a draft that stays is no harm
        match made {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(away(&path, &e)),
            _ => sync_folder(root)?,
        }
    }
    let text = fs::read(&path).map_err(|e| away(&path, &e))?;
    Ok(Identity::parse(&text, &path.display().to_string())?.id)
}

/// Writes a file so that under its name there is all of it or nothing.
fn write_whole(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let draft = folder.join(format!(".{name}-{}", uuid::Uuid::new_v4()));
    let done = write_synced(&draft, content).and_then(|()| fs::rename(&draft, folder.join(name)));
    if done.is_err() {
        let _ = fs::remove_file(&draft);
    }
    done.and_then(|()| File::open(folder)?.sync_all())
}

fn write_synced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn sync_folder(folder: &Path) -> Result<(), ArchiveError> {
    File::open(folder).and_then(|f| f.sync_all()).map_err(|e| away(folder, &e))
}

fn open(path: &Path) -> Result<File, ArchiveError> {
    File::open(path).map_err(|e| missing(path, &e))
}

fn away(path: &Path, error: &io::Error) -> ArchiveError {
    let full = if error.kind() == io::ErrorKind::StorageFull { "the disk is full: " } else { "" };
    ArchiveError::Unavailable(format!("{}: {full}{error}", path.display()))
}

fn missing(path: &Path, error: &io::Error) -> ArchiveError {
    if error.kind() == io::ErrorKind::NotFound {
        return ArchiveError::Missing(path.display().to_string());
    }
    away(path, error)
}

/// Disks block: off the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArchiveError> + Send + 'static,
) -> Result<T, ArchiveError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ArchiveError::Unavailable(format!("the archive's task ended: {error}"))),
    }
}
