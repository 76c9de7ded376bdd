//! What one transaction may hold: etcd's limits as they are by default, asserted before anything is sent, and by both
//! stores alike, so that what passes on a laptop passes on a cluster.

use super::{CommitError, Op, Txn};

/// Operations in one transaction (etcd `--max-txn-ops`).
pub const MAX_OPS: usize = 128;
/// Comparisons in one transaction: etcd counts each list apart, and one is the leader's key.
pub const MAX_COMPARES: usize = 127;
/// Bytes of keys and values in one transaction: etcd `--max-request-bytes` is 1.5 MiB, less what the wire adds.
pub const MAX_BYTES: usize = 1_400_000;

/// Refuses what etcd would refuse: too many operations, too many bytes, a key written twice.
pub(super) fn check(txn: &Txn) -> Result<(), CommitError> {
    if txn.ops.len() > MAX_OPS {
        return Err(CommitError::TooLarge(format!("{} operations, at most {MAX_OPS}", txn.ops.len())));
    }
    if txn.compare.len() > MAX_COMPARES {
        return Err(CommitError::TooLarge(format!("{} comparisons, at most {MAX_COMPARES}", txn.compare.len())));
    }
    let compared = txn.compare.iter().map(|c| c.key().len()).sum::<usize>() * 2;
    let written: usize = txn
        .ops
        .iter()
        .map(|op| match op {
            Op::Put(key, value) => key.len() + value.len(),
            Op::Delete(key) => key.len(),
            Op::DeleteRange(from, to) => from.len() + to.len(),
        })
        .sum();
    let bytes = compared + written;
    if bytes > MAX_BYTES {
        return Err(CommitError::TooLarge(format!("{bytes} bytes, at most {MAX_BYTES}")));
    }
    let mut puts: Vec<&str> =
        txn.ops.iter().filter_map(|op| if let Op::Put(key, _) = op { Some(key.as_str()) } else { None }).collect();
    puts.sort_unstable();
    if let Some(twice) = puts.windows(2).find(|w| w[0] == w[1]) {
        return Err(CommitError::TooLarge(format!("{} is written twice", twice[0])));
    }
    for op in &txn.ops {
        let hit = match op {
            Op::Put(..) => None,
            Op::Delete(key) => puts.binary_search(&key.as_str()).ok().map(|_| key.as_str()),
            Op::DeleteRange(from, to) => {
                let at = puts.partition_point(|key| *key < from.as_str());
                puts.get(at).copied().filter(|key| *key < to.as_str())
            }
        };
        if let Some(key) = hit {
            return Err(CommitError::TooLarge(format!("{key} is written and deleted")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::store::Compare;

    fn put(key: &str) -> Op {
        Op::Put(key.into(), Bytes::from_static(b"v"))
    }

    #[test]
    fn what_etcd_would_refuse() {
        let many = |n: usize| (0..n).map(|i| put(&format!("/k{i}"))).collect::<Vec<_>>();
        let compares = |n: usize| (0..n).map(|i| Compare::Absent(format!("/k{i}"))).collect::<Vec<_>>();
        let cases = [
            ("nothing", vec![], vec![], true),
            ("as many as pass", compares(MAX_COMPARES), many(MAX_OPS), true),
            ("one operation more", vec![], many(MAX_OPS + 1), false),
            ("one comparison more", compares(MAX_COMPARES + 1), vec![], false),
            ("bytes", vec![], vec![Op::Put("/k".into(), Bytes::from(vec![0; MAX_BYTES]))], false),
            ("twice", vec![], vec![put("/b"), put("/a"), put("/b")], false),
            ("put and deleted", vec![], vec![put("/b"), Op::Delete("/b".into())], false),
            ("put within a range", vec![], vec![Op::DeleteRange("/a".into(), "/c".into()), put("/b")], false),
            ("put at a range's end", vec![], vec![Op::DeleteRange("/a".into(), "/b".into()), put("/b")], true),
        ];
        for (name, compare, ops, passes) in cases {
            assert_eq!(check(&Txn { compare, ops }).is_ok(), passes, "{name}");
        }
    }
}
