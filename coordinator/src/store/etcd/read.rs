//! Loading a closed range at one revision.
//!
//! etcd visits every key of a range to count it, also where `limit` cuts the answer short, so pages over a wide range
//! cost its square. Pages here are closed blocks: all keys that share a prefix with the page before, one character
//! longer where a block is more than a page, one shorter where it holds little.

use std::time::Duration;

use bytes::Bytes;
use etcd_client::{GetOptions, GetResponse};

use super::{fault::Fault, link::Link};
use crate::store::{KeyValue, Revision, StoreError};

/// Keys in a page: about a megabyte of results.
const PAGE: i64 = 4_000;
/// A block with fewer keys than this is followed by a wider one.
const SPARSE: usize = 1_000;
/// Bytes of an answer. Where a page of large values exceeds it, smaller pages follow.
const ANSWER: usize = 32 << 20;
/// A page may take this many times a call's deadline: it is a thousand times as large.
const PATIENCE: u32 = 3;
/// How often a load starts anew because its revision was compacted meanwhile.
const RESTARTS: usize = 3;

/// All keys `k` with `from <= k < to`, in order.
pub(super) async fn range(link: &Link, deadline: Duration, from: &str, to: &str) -> Result<Vec<KeyValue>, StoreError> {
    if from >= to {
        return Ok(Vec::new());
    }
    // etcd knows no empty key.
    let from = if from.is_empty() { "\0" } else { from };
    for _ in 0..RESTARTS {
        match Walk::new(from, to).run(link, deadline * PATIENCE).await {
            Ok(found) => return Ok(found),
            Err(Fault::Compacted) => {}
            Err(fault) => return Err(fault.of_read()),
        }
    }
    Err(StoreError::Unavailable("the store is compacted faster than it can be read".into()))
}

struct Walk {
    at: Vec<u8>,
    to: Vec<u8>,
    /// Length of the prefix that the keys of a block share.
    level: usize,
    limit: i64,
    revision: Option<Revision>,
    found: Vec<KeyValue>,
}

impl Walk {
    fn new(from: &str, to: &str) -> Self {
        Self { at: from.into(), to: to.into(), level: 0, limit: PAGE, revision: None, found: Vec::new() }
    }

    async fn run(mut self, link: &Link, limit: Duration) -> Result<Vec<KeyValue>, Fault> {
        while self.at < self.to {
            let end = block_end(&self.at, self.level, &self.to);
            let mut options = GetOptions::new().with_range(end.clone()).with_limit(self.limit);
            if let Some(revision) = self.revision {
                options = options.with_revision(revision);
            }
            let page = link
                .anywhere(limit, |client| {
                    let (at, options) = (self.at.clone(), options.clone());
                    async move { client.kv_client().max_decoding_message_size(ANSWER).get(at, Some(options)).await }
                })
                .await;
            match page {
                Ok(page) => self.take(&page, end)?,
                Err(Fault::Answer(_)) if self.limit > 1 => self.limit = (self.limit / 8).max(1),
                Err(fault) => return Err(fault),
            }
        }
        Ok(self.found)
    }

    fn take(&mut self, page: &GetResponse, end: Vec<u8>) -> Result<(), Fault> {
        if self.revision.is_none() {
            self.revision = page.header().map(etcd_client::ResponseHeader::revision);
        }
        for kv in page.kvs() {
            let key = kv.key_str().map_err(|_| Fault::Not("a key is not text".into()))?;
            let value = Bytes::copy_from_slice(kv.value());
            self.found.push(KeyValue { key: key.to_owned(), value, modified: kv.mod_revision() });
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
        Ok(())
    }
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
