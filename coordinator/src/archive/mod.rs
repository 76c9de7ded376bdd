//! Finished games, and files by digest: a folder or an object store.

use std::{path::PathBuf, sync::Arc};

use bytes::Bytes;
use futures::future::BoxFuture;
use rookery_tournament::fact::Location;

mod folder;
mod name;
mod object;

pub use folder::FolderArchive;
pub(crate) use name::location;
pub use object::ObjectArchive;

/// Why the archive did not do it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be written or read now: away, full, no permission.
    #[error("archive not reached: {0}")]
    Unavailable(String),
    /// Not there.
    #[error("not in the archive: {0}")]
    Missing(String),
    /// What is there is not what was written.
    #[error("the archive is damaged: {0}")]
    Damaged(String),
}

/// The archive. What no result points to does not exist; nothing is rewritten.
pub trait Archive: Send + Sync + 'static {
    /// Drawn when the archive was made; replicas that share a store share it too, or do not lead.
    fn id(&self) -> &str;
    /// Writes records and makes them durable, all of them, before it answers. Segments belong to the leadership
    /// `since`.
    fn append(&self, since: i64, records: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Location>, ArchiveError>>;
    /// Reads a record and checks its digest.
    fn read(&self, location: Location) -> BoxFuture<'_, Result<Bytes, ArchiveError>>;
    /// All segments with their lengths in bytes, in the order of leaderships and of their numbers.
    fn segments(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, ArchiveError>>;
    /// `length` bytes of a segment from `offset` on; fewer where it ends before.
    fn piece(&self, segment: String, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes, ArchiveError>>;
    /// Keeps a file; answers its digest, `sha256:…`.
    fn put_file(&self, content: Bytes) -> BoxFuture<'_, Result<String, ArchiveError>>;
    /// Reads a file and checks its digest.
    fn get_file(&self, digest: String) -> BoxFuture<'_, Result<Bytes, ArchiveError>>;
}

/// The value of the archive's id file.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Identity {
    id: String,
    schema: u32,
}

/// The schema that this version writes.
const SCHEMA: u32 = 1;

impl Identity {
    fn new() -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), schema: SCHEMA }
    }

    /// Reads an id file; `place` is for the message.
    fn parse(bytes: &[u8], place: &str) -> Result<Self, ArchiveError> {
        let read: Self = serde_json::from_slice(bytes)
            .map_err(|e| ArchiveError::Damaged(format!("{place}: no archive's id: {e}")))?;
        if read.schema > SCHEMA {
            return Err(ArchiveError::Unavailable(format!(
                "{place} is of schema {}, newer than {SCHEMA}, which this version writes",
                read.schema
            )));
        }
        Ok(read)
    }
}

/// Opens the archive at `url`, or makes it: a folder's path, `file:///PATH`, or (with the feature `s3`)
/// `s3://BUCKET/PREFIX`, whose credentials and endpoint come from the environment (`AWS_…`).
///
/// # Errors
/// `Unavailable` where it cannot be reached, or the text makes no sense; `Damaged` where its id cannot be read.
pub async fn open(url: &str) -> Result<Arc<dyn Archive>, ArchiveError> {
    let bad = |what: &str| {
        ArchiveError::Unavailable(format!(
            "archive {url:?}: {what}; expected a folder, file:///PATH or s3://BUCKET/PREFIX"
        ))
    };
    match url.split_once("://") {
        None if url.is_empty() => Err(bad("the path is missing")),
        None => Ok(Arc::new(FolderArchive::open(PathBuf::from(url)).await?)),
        Some(("file", path)) if path.starts_with('/') => Ok(Arc::new(FolderArchive::open(PathBuf::from(path)).await?)),
        Some(("file", _)) => Err(bad("the path must start with /")),
        #[cfg(feature = "s3")]
        Some(("s3", rest)) => {
            let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
            if bucket.is_empty() {
                return Err(bad("the bucket is missing"));
            }
            Ok(Arc::new(ObjectArchive::s3(bucket, prefix).await?))
        }
        #[cfg(not(feature = "s3"))]
        Some(("s3", _)) => Err(bad("this build has no S3 (cargo feature s3)")),
        Some(_) => Err(bad("unknown kind of archive")),
    }
}
