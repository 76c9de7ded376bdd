//! `rookery recover`: a store is built anew from the archive, where the old one is lost.
//!
//! What the archive's lines mean is in [`crate::journal`]. The new store has an id of its own, so that workers drop what
//! they have of the old one, whose numbers of attempts may come again. Leases and checkpoints are not in the archive:
//! what was in play is played from its opening.

mod build;
mod scan;
mod write;

use crate::{
    archive::{Archive, ArchiveError},
    store::{CommitError, Store, StoreError},
};

/// Why no store is built.
#[derive(Debug, thiserror::Error)]
pub enum RecoverError {
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store did not take it.
    #[error("the new store did not take it: {0}; delete what is in it and try again")]
    Commit(#[from] CommitError),
    /// There is something in the store.
    #[error("the store is not empty ({keys} keys, the first is {first}): a store is built anew in an empty one alone")]
    NotEmpty {
        /// How many keys.
        keys: usize,
        /// The first.
        first: String,
    },
    /// The store is the lost one.
    #[error("the store has the id of the one that is lost, {id}: delete its key {key}, so that it gets one of its own")]
    SameStore {
        /// Its id.
        id: String,
        /// Where it stands.
        key: &'static str,
    },
    /// Somebody leads over the store.
    #[error("a coordinator leads over this store ({leader}): stop it first")]
    Led {
        /// Its address.
        leader: String,
    },
    /// The archive has nothing by which a store can be built.
    #[error("no store wrote to this archive ({lines} lines in {segments} segments)")]
    Nothing {
        /// Lines there are.
        lines: u64,
        /// Segments there are.
        segments: usize,
    },
    /// Several stores wrote to the archive.
    #[error("several stores wrote to this archive; say which with --from: {}", stores.join(", "))]
    Several {
        /// Their ids, with when each was led last.
        stores: Vec<String>,
    },
    /// No store of this id wrote to the archive.
    #[error("store {id} did not write to this archive; those that did: {}", stores.join(", "))]
    Unknown {
        /// What was asked for.
        id: String,
        /// Their ids.
        stores: Vec<String>,
    },
}

/// What was built, and what could not be.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// The new store's id.
    pub store: String,
    /// The stores whose lines it was built from, oldest first.
    pub from: Vec<String>,
    /// Events: name, games on record, facts.
    pub events: Vec<Built>,
    /// Seasons: name, 0, facts.
    pub seasons: Vec<Built>,
    /// Workers that are drained or set aside, or were.
    pub workers: usize,
    /// What is not as it was, by name, one line each.
    pub missing: Vec<String>,
    /// What was decided where the archive does not tell, by name, one line each.
    pub decided: Vec<String>,
}

/// An event or a season that was built anew.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Built {
    /// Its name.
    pub name: String,
    /// Its uid.
    pub uid: String,
    /// Games on record, voided ones included.
    pub games: usize,
    /// Facts in its log.
    pub facts: usize,
}

/// What a store has that is built from these lines, given with segment and offset in the order of [`crate::journal`]:
/// its keys, and what is to be said of them. Leases, checkpoints and files aside.
///
/// # Errors
/// Where they do not say which store.
pub fn rebuild<'a>(
    lines: impl Iterator<Item = (&'a str, u64, &'a [u8])>,
    now_unix_ms: u64,
) -> Result<(std::collections::BTreeMap<String, bytes::Bytes>, Report), RecoverError> {
    let mut found = scan::Found::default();
    lines.for_each(|(segment, offset, line)| found.line(segment, offset, line));
    let chosen = found.choose(None)?;
    let anew = build::build(&found, &chosen, now_unix_ms);
    Ok((anew.keys, anew.report))
}

/// What is in an archive, and from which stores' lines one is to be built.
#[derive(Debug)]
pub struct Source {
    found: scan::Found,
    chosen: Vec<String>,
}

/// Reads the whole archive. `from` names one of several stores that wrote to it.
///
/// # Errors
/// Where it cannot be read, or does not say which store.
pub async fn read(archive: &dyn Archive, from: Option<&str>) -> Result<Source, RecoverError> {
    let found = scan::scan(archive).await?;
    let chosen = found.choose(from)?;
    Ok(Source { found, chosen })
}

/// Builds `store`, which must be empty.
///
/// # Errors
/// As [`RecoverError`] says; where it comes after the first write, the store is barred from being led.
pub async fn recover(
    source: Source,
    archive: &dyn Archive,
    store: &dyn Store,
    now_unix_ms: u64,
) -> Result<Report, RecoverError> {
    let Source { found, chosen } = source;
    write::check_empty(store).await?;
    if found.stores.contains_key(store.id()) {
        return Err(RecoverError::SameStore { id: store.id().to_owned(), key: crate::store::STORE_KEY });
    }
    let mut anew = build::build(&found, &chosen, now_unix_ms);
    write::files(archive, &mut anew).await;
    write::write(archive, store, &chosen, anew).await
}
