//! An archive in an object store. Objects cannot be appended to, so each batch is an object of its own, gathered for a
//! while; the names are the folder's.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use futures::future::BoxFuture;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, path::Path};
use rookery_tournament::fact::Location;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout_at},
};

use super::{Archive, ArchiveError, Identity, name};

/// How long records are gathered for one object: an object costs a round trip and, often, money.
const GATHER: Duration = Duration::from_secs(1);
/// Bytes after which a batch is not gathered any longer.
const ENOUGH: usize = 1 << 20;
/// Batches that may wait; who comes later waits outside.
const QUEUE: usize = 64;

/// An archive in an object store.
pub struct ObjectArchive {
    place: Place,
    id: String,
    batches: mpsc::Sender<Batch>,
}

#[derive(Clone)]
struct Place {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

struct Batch {
    since: i64,
    records: Vec<Bytes>,
    answer: oneshot::Sender<Result<Vec<Location>, ArchiveError>>,
}

impl ObjectArchive {
    /// Opens the archive under `prefix` of an object store, or makes it.
    ///
    /// # Errors
    /// `Unavailable` where the store cannot be reached; `Damaged` where its id makes no sense.
    pub async fn open(store: Arc<dyn ObjectStore>, prefix: &str) -> Result<Self, ArchiveError> {
        Self::open_with(store, prefix, GATHER).await
    }

    /// As [`Self::open`], gathering for `gather`.
    ///
    /// # Errors
    /// As there.
    pub async fn open_with(store: Arc<dyn ObjectStore>, prefix: &str, gather: Duration) -> Result<Self, ArchiveError> {
        let place = Place { store, prefix: Path::from(prefix) };
        let id = place.identity().await?;
        let (batches, receiver) = mpsc::channel(QUEUE);
        tokio::spawn(write(place.clone(), gather, receiver)); // ends when the archive is dropped
        Ok(Self { place, id, batches })
    }

    /// Opens an archive in S3; credentials, region and endpoint come from the environment (`AWS_…`).
    ///
    /// # Errors
    /// As [`Self::open`].
    #[cfg(feature = "s3")]
    pub async fn s3(bucket: &str, prefix: &str) -> Result<Self, ArchiveError> {
        use object_store::{RetryConfig, aws::AmazonS3Builder};
        // The default of three minutes would hold results back longer than saying that the archive is away.
        let retry = RetryConfig { retry_timeout: Duration::from_secs(30), ..RetryConfig::default() };
        let store = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_retry(retry)
            .build()
            .map_err(|e| ArchiveError::Unavailable(format!("s3://{bucket}: {e}")))?;
        Self::open(Arc::new(store), prefix).await
    }
}

impl Archive for ObjectArchive {
    fn id(&self) -> &str {
        &self.id
    }

    fn append(&self, since: i64, records: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Location>, ArchiveError>> {
        Box::pin(async move {
            if records.is_empty() {
                return Ok(Vec::new());
            }
            let ended = || ArchiveError::Unavailable("the archive's task ended".into());
            let (answer, answered) = oneshot::channel();
            self.batches.send(Batch { since, records, answer }).await.map_err(|_| ended())?;
            answered.await.unwrap_or_else(|_| Err(ended()))
        })
    }

    fn read(&self, location: Location) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        Box::pin(async move {
            name::check_segment(&location.segment)?;
            let path = self.place.segment(&location.segment);
            // Before memory is taken for it.
            let size = self.place.store.head(&path).await.map_err(failed)?.size;
            let end = location.offset.checked_add(location.length).filter(|end| *end <= size).ok_or_else(|| {
                ArchiveError::Damaged(format!(
                    "{path} ends at {size}, before the record at {} with {} bytes",
                    location.offset, location.length
                ))
            })?;
            // Object stores refuse an empty range.
            let record = match location.length {
                0 => Bytes::new(),
                _ => self.place.store.get_range(&path, location.offset..end).await.map_err(failed)?,
            };
            name::check_record(&location, &record)?;
            Ok(record)
        })
    }

    fn segments(&self) -> BoxFuture<'_, Result<Vec<(String, u64)>, ArchiveError>> {
        Box::pin(async move {
            let folder = self.place.prefix.clone().join("segments");
            let listed = self.place.store.list_with_delimiter(Some(&folder)).await.map_err(failed)?;
            let named = |meta: object_store::ObjectMeta| Some((meta.location.filename()?.to_owned(), meta.size));
            Ok(name::in_order(listed.objects.into_iter().filter_map(named)))
        })
    }

    fn piece(&self, segment: String, offset: u64, length: u64) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        Box::pin(async move {
            name::check_segment(&segment)?;
            let path = self.place.segment(&segment);
            let end = offset.saturating_add(length).min(self.place.store.head(&path).await.map_err(failed)?.size);
            // Object stores refuse an empty range.
            if offset >= end {
                return Ok(Bytes::new());
            }
            self.place.store.get_range(&path, offset..end).await.map_err(failed)
        })
    }

    fn put_file(&self, content: Bytes) -> BoxFuture<'_, Result<String, ArchiveError>> {
        Box::pin(async move {
            let hex = name::sha256(&content);
            let path = self.place.file(&hex);
            // An object is there whole or not at all, so that its size tells enough.
            let there = match self.place.store.head(&path).await {
                Ok(meta) => meta.size == content.len() as u64,
                Err(Error::NotFound { .. }) => false,
                Err(error) => return Err(failed(error)),
            };
            if !there {
                self.place.store.put(&path, PutPayload::from(content)).await.map_err(failed)?;
            }
            Ok(name::digest(&hex))
        })
    }

    fn get_file(&self, digest: String) -> BoxFuture<'_, Result<Bytes, ArchiveError>> {
        Box::pin(async move {
            let hex = name::hex_of(&digest)?;
            let found = self.place.store.get(&self.place.file(hex)).await.map_err(failed)?;
            let content = found.bytes().await.map_err(failed)?;
            name::check_file(hex, &content)?;
            Ok(content)
        })
    }
}

impl Place {
    fn segment(&self, name: &str) -> Path {
        self.prefix.clone().join("segments").join(format!("{name}.jsonl"))
    }

    fn file(&self, hex: &str) -> Path {
        self.prefix.clone().join("files").join(hex)
    }

    /// Reads the archive's id, or draws one. Of several that make it at once, one wins and all read its id.
    async fn identity(&self) -> Result<String, ArchiveError> {
        let path = self.prefix.clone().join("archive");
        let found = match self.store.get(&path).await {
            Err(Error::NotFound { .. }) => {
                let text = serde_json::to_vec(&Identity::new()).map_err(|e| ArchiveError::Damaged(e.to_string()))?;
                match self.store.put_opts(&path, text.into(), PutOptions::from(PutMode::Create)).await {
                    Ok(_) | Err(Error::AlreadyExists { .. }) => {}
                    Err(error) => return Err(failed(error)),
                }
                self.store.get(&path).await.map_err(failed)?
            }
            found => found.map_err(failed)?,
        };
        let text = found.bytes().await.map_err(failed)?;
        Ok(Identity::parse(&text, path.as_ref())?.id)
    }

    /// Writes one object, named by the first number from `n` on that is free. An object whose answer was lost stays,
    /// and no result points to it.
    async fn put_segment(&self, since: i64, n: &mut u64, content: Bytes) -> Result<String, ArchiveError> {
        loop {
            let name = name::segment(since, *n);
            name::check_segment(&name)?;
            *n += 1;
            let payload = PutPayload::from(content.clone());
            match self.store.put_opts(&self.segment(&name), payload, PutOptions::from(PutMode::Create)).await {
                Ok(_) => return Ok(name),
                Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

/// Gathers batches of one leadership and writes them, one object at a time.
async fn write(place: Place, gather: Duration, mut batches: mpsc::Receiver<Batch>) {
    let (mut leadership, mut n) = (None, 0);
    let mut kept: Option<Batch> = None;
    loop {
        let first = match kept.take() {
            Some(batch) => batch,
            None => match batches.recv().await {
                Some(batch) => batch,
                None => return,
            },
        };
        let since = first.since;
        if leadership != Some(since) {
            (leadership, n) = (Some(since), 0);
        }
        let until = Instant::now() + gather;
        let mut bytes: usize = size(&first);
        let mut gathered = vec![first];
        while bytes < ENOUGH {
            match timeout_at(until, batches.recv()).await {
                Ok(Some(batch)) if batch.since == since => {
                    bytes += size(&batch);
                    gathered.push(batch);
                }
                Ok(Some(other)) => {
                    kept = Some(other);
                    break;
                }
                Ok(None) | Err(_) => break,
            }
        }
        put(&place, since, &mut n, bytes, gathered).await;
    }
}

async fn put(place: &Place, since: i64, n: &mut u64, bytes: usize, gathered: Vec<Batch>) {
    let mut content = BytesMut::with_capacity(bytes);
    let mut answers = Vec::with_capacity(gathered.len());
    for batch in gathered {
        let mut locations = Vec::with_capacity(batch.records.len());
        for record in &batch.records {
            locations.push(name::location("", content.len() as u64, record));
            content.extend_from_slice(record);
            content.extend_from_slice(b"\n");
        }
        answers.push((locations, batch.answer));
    }
    let written = place.put_segment(since, n, content.freeze()).await;
    for (mut locations, answer) in answers {
        let outcome = written.clone().map(|name| {
            locations.iter_mut().for_each(|location| location.segment.clone_from(&name));
            locations
        });
        let _ = answer.send(outcome); // gone: nobody points there
    }
}

fn size(batch: &Batch) -> usize {
    batch.records.iter().map(|r| r.len() + 1).sum()
}

fn failed(error: Error) -> ArchiveError {
    match error {
        Error::NotFound { path, .. } => ArchiveError::Missing(path),
        other => ArchiveError::Unavailable(other.to_string()),
    }
}
