//! Where a store is, as people write it, and opening it.

use std::{path::PathBuf, str::FromStr};

use super::{Arc, Duration, EmbeddedStore, Store, StoreError};

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// One file: `embedded:PATH`.
    Embedded(PathBuf),
}

/// What opening needs besides the place.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address at which workers and operators reach this coordinator; what a standby answers.
    pub advertised: String,
    /// How long the leader's lease lasts without being kept alive. At least 2 s.
    pub lease: Duration,
    /// Within which a call to the store must be answered.
    pub deadline: Duration,
    /// Whether the leader compacts what is older than five minutes; off on a shared etcd.
    pub compact: bool,
    /// The store's quota in bytes (etcd `--quota-backend-bytes`, which cannot be asked for).
    pub quota: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            advertised: String::new(),
            lease: Duration::from_secs(5),
            deadline: Duration::from_secs(5),
            compact: true,
            quota: 2 << 30,
        }
    }
}

impl FromStr for Place {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let bad = |what: String| {
            StoreError::Refused(format!("store {text:?}: {what}; expected embedded:PATH or etcd://HOST:PORT,…"))
        };
        if let Some(path) = text.strip_prefix("embedded:") {
            if path.is_empty() {
                return Err(bad("the path is missing".into()));
            }
            return Ok(Self::Embedded(PathBuf::from(path)));
        }
        Err(bad("unknown kind of store".into()))
    }
}

/// Opens the store at `url`: `embedded:PATH` or `etcd://HOST:PORT,HOST:PORT`. It campaigns from then on.
///
/// # Errors
/// `Refused` where the text makes no sense, another process has the file, or the store is of a newer schema;
/// `Unavailable` where it cannot be reached now.
pub async fn open(url: &str, _options: Options) -> Result<Arc<dyn Store>, StoreError> {
    match url.parse()? {
        Place::Embedded(path) => Ok(Arc::new(EmbeddedStore::open(path).await?)),
    }
}
