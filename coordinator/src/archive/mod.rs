//! Finished games, and files by digest: a folder or an object store.

use bytes::Bytes;
use futures::future::BoxFuture;
use rookery_tournament::fact::Location;

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
    /// Keeps a file; answers its digest, `sha256:…`.
    fn put_file(&self, content: Bytes) -> BoxFuture<'_, Result<String, ArchiveError>>;
    /// Reads a file and checks its digest.
    fn get_file(&self, digest: String) -> BoxFuture<'_, Result<Bytes, ArchiveError>>;
}
