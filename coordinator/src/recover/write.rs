//! Into the new store. Until all of it is there, the store belongs to no archive, so that nobody leads over it.

use bytes::Bytes;

use super::{RecoverError, Report, build::Anew};
use crate::{
    archive::{Archive, ArchiveError},
    journal::{self, Line},
    shell::ARCHIVE_KEY,
    store::{LEADER_KEY, Leadership, Op, ROOT, ROOT_END, STORE_KEY, Store, Txn},
};

/// Puts of one transaction.
const PUTS: usize = 100;
/// Bytes of one transaction; a larger value goes alone.
const BYTES: usize = 512 << 10;

/// The store is empty, and this process leads over it.
pub(super) async fn check_empty(store: &dyn Store) -> Result<(), RecoverError> {
    let mut leadership = store.leadership();
    let seen = tokio::time::timeout(
        std::time::Duration::from_secs(10),
        leadership.wait_for(|seen| matches!(seen, Leadership::Leading { .. })),
    );
    if !seen.await.is_ok_and(|seen| seen.is_ok()) {
        let leader = match &*store.leadership().borrow() {
            Leadership::Standby { leader: Some(leader) } => leader.clone(),
            _ => "its address is not known".to_owned(),
        };
        return Err(RecoverError::Led { leader });
    }
    let there = store.load(ROOT, ROOT_END).await?;
    let ours = |key: &str| key == STORE_KEY || key.starts_with(LEADER_KEY);
    let mut others = there.iter().filter(|kv| !ours(&kv.key));
    match others.next() {
        None => Ok(()),
        Some(first) => Err(RecoverError::NotEmpty { keys: 1 + others.count(), first: first.key.clone() }),
    }
}

/// Names files that events need and the archive has not.
pub(super) async fn files(archive: &dyn Archive, anew: &mut Anew) {
    for (digest, of) in &anew.files {
        if let Err(error) = archive.get_file(digest.clone()).await {
            let why = match error {
                ArchiveError::Missing(_) => "is not in the archive".to_owned(),
                other => other.to_string(),
            };
            let text = format!("{of}: its openings {digest}: {why}; nothing can be played before they are put back");
            anew.report.missing.push(text);
        }
    }
}

/// Writes it, and to the archive which store was built from which.
pub(super) async fn write(
    archive: &dyn Archive,
    store: &dyn Store,
    chain: &[String],
    anew: Anew,
) -> Result<Report, RecoverError> {
    let Anew { keys, mut report, .. } = anew;
    let unfinished = Bytes::from(format!("a recovery of {} that did not end", archive.id()));
    commit(store, vec![Op::Put(ARCHIVE_KEY.to_owned(), unfinished)]).await?;
    let (mut ops, mut bytes) = (Vec::new(), 0);
    for (key, value) in keys {
        let size = key.len() + value.len();
        if !ops.is_empty() && (ops.len() == PUTS || bytes + size > BYTES) {
            commit(store, std::mem::take(&mut ops)).await?;
            bytes = 0;
        }
        bytes += size;
        ops.push(Op::Put(key, value));
    }
    if !ops.is_empty() {
        commit(store, ops).await?;
    }
    let line = Line::Recovered { store: store.id().to_owned(), from: chain.to_vec() };
    archive.append(0, vec![journal::write(&line)]).await?;
    commit(store, vec![Op::Put(ARCHIVE_KEY.to_owned(), archive.id().to_owned().into())]).await?;
    store.id().clone_into(&mut report.store);
    Ok(report)
}

async fn commit(store: &dyn Store, ops: Vec<Op>) -> Result<(), RecoverError> {
    store.commit(Txn { compare: Vec::new(), ops }).await?;
    Ok(())
}
