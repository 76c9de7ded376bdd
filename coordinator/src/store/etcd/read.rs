//! Loading a closed range at one revision.
//!
//! etcd visits every key of a range to count it, also where `limit` cuts the answer short, so pages over a wide range
//! cost its square. Pages here are closed blocks: all keys that share a prefix with the page before, one character
//! longer where a block is more than a page, one shorter where it holds little. Two blocks at once are no faster: it is
//! etcd that is busy.

use std::time::Duration;

use bytes::Bytes;
use etcd_client::{GetOptions, GetResponse};

use super::{fault::Fault, link::Link};
use crate::store::{KeyValue, Pages, Revision, StoreError};

/// Keys in a page: a few megabytes of results.
const PAGE: i64 = 25_000;
/// A block with fewer keys than this is followed by a wider one.
const SPARSE: usize = 2_500;
/// Bytes of an answer. Where a page of large values exceeds it, smaller pages follow.
const ANSWER: usize = 32 << 20;
/// How often one page may fail, each time asked of another member and smaller.
const TRIES: usize = 4;

/// Hands over all keys `k` with `from <= k < to`, in order. Each page has `deadline` on each member.
pub(super) async fn range(
    link: &Link,
    deadline: Duration,
    from: &str,
    to: &str,
    pages: Pages,
) -> Result<(), StoreError> {
    // etcd knows no empty key.
    let from = if from.is_empty() { "\0" } else { from };
    let mut walk = Walk::new(from, to);
    while let Some(page) = walk.next(link, deadline).await.map_err(Fault::of_read)? {
        if pages.send(page).await.is_err() {
            break;
        }
    }
    Ok(())
}

struct Walk {
    at: Vec<u8>,
    to: Vec<u8>,
    /// Length of the prefix that the keys of a block share.
    level: usize,
    limit: i64,
    revision: Option<Revision>,
}

impl Walk {
    fn new(from: &str, to: &str) -> Self {
        Self { at: from.into(), to: to.into(), level: 0, limit: PAGE, revision: None }
    }

    /// The next page; `None` after the last one.
    async fn next(&mut self, link: &Link, deadline: Duration) -> Result<Option<Vec<KeyValue>>, Fault> {
        let mut tries = TRIES;
        while self.at < self.to {
            let end = block_end(&self.at, self.level, &self.to);
            let mut options = GetOptions::new().with_range(end.clone()).with_limit(self.limit);
            if let Some(revision) = self.revision {
                options = options.with_revision(revision);
            }
            let at = self.at.clone();
            let get = |client: etcd_client::Client| async move {
                client.kv_client().max_decoding_message_size(ANSWER).get(at, Some(options)).await
            };
            match link.once(deadline, get).await {
                Ok(page) => return self.take(page, end).map(Some),
                Err(Fault::Answer(_)) if self.limit > 1 => self.limit = (self.limit / 8).max(1),
                Err(fault) if fault.elsewhere() && tries > 1 => {
                    tries -= 1;
                    self.limit = (self.limit / 2).max(1);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(None)
    }

    fn take(&mut self, mut page: GetResponse, end: Vec<u8>) -> Result<Vec<KeyValue>, Fault> {
        if self.revision.is_none() {
            self.revision = page.header().map(etcd_client::ResponseHeader::revision);
        }
        match (page.kvs().first(), page.kvs().last()) {
            (Some(first), Some(last)) if page.more() => {
                let shared = first.key().iter().zip(last.key()).take_while(|(a, b)| a == b).count();
                self.level = self.level.max(shared + 1);
                self.at = last.key().to_vec();
                self.at.push(0);
            }
            _ => {
                if page.kvs().len() < SPARSE {
                    self.level = self.level.saturating_sub(1);
                }
                self.at = end;
            }
        }
        page.take_kvs().into_iter().map(read).collect()
    }
}

fn read(kv: etcd_client::KeyValue) -> Result<KeyValue, Fault> {
    let modified = kv.mod_revision();
    let (key, value) = kv.into_key_value();
    let key = String::from_utf8(key).map_err(|_| Fault::Not("a key is not text".into()))?;
    Ok(KeyValue { key, value: Bytes::from(value), modified })
}

/// The end of the block of keys that share the first `level` bytes of `at`, at most `to`.
fn block_end(at: &[u8], level: usize, to: &[u8]) -> Vec<u8> {
    let mut end = at[..level.min(at.len())].to_vec();
    while let Some(last) = end.pop() {
        if last < u8::MAX {
            end.push(last + 1);
            return if end.as_slice() < to { end } else { to.to_vec() };
        }
    }
    to.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_where_their_prefix_does() {
        for (at, level, to, end) in [
            ("/a/1", 0, "/b", "/b"),
            ("/a/1", 4, "/b", "/a/2"),
            ("/a/1", 3, "/b", "/a0"),
            ("/a/1", 2, "/b", "/b"),
            ("/a/1", 99, "/b", "/a/2"),
            ("/a/1\0", 4, "/a/1x", "/a/1x"),
        ] {
            let found = block_end(at.as_bytes(), level, to.as_bytes());
            assert_eq!(found, end.as_bytes(), "{at:?} {level}");
        }
        assert_eq!(block_end(&[1, 255, 255], 3, b"z"), [2]);
        assert_eq!(block_end(&[255], 1, b"z"), b"z");
    }
}
