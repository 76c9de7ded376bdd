//! Names in an archive, and digests. What is not a name that this module makes is not in the archive: no text from a
//! record or a client becomes a path.

use rookery_tournament::fact::Location;
use sha2::{Digest, Sha256};

use super::ArchiveError;

/// Digits of the digest in a [`Location`].
const SHORT: usize = 16;
/// What a file's digest starts with.
const SCHEME: &str = "sha256:";

/// SHA-256 in lower-case hexadecimal.
pub(super) fn sha256(content: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(content).iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing to a string cannot fail
        text
    })
}

/// The digest of a file whose hexadecimal SHA-256 is `hex`.
pub(super) fn digest(hex: &str) -> String {
    format!("{SCHEME}{hex}")
}

/// The hexadecimal part of a file's digest.
pub(super) fn hex_of(digest: &str) -> Result<&str, ArchiveError> {
    let hex = digest.strip_prefix(SCHEME).unwrap_or(digest);
    let valid = hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    if valid {
        Ok(hex)
    } else {
        Err(ArchiveError::Missing(format!("{digest:?} is not a digest ({SCHEME} and 64 digits)")))
    }
}

/// The `n`th segment of a leadership.
pub(super) fn segment(since: i64, n: u64) -> String {
    format!("{since}-{n}")
}

/// Refuses what [`segment`] would not have made.
pub(super) fn check_segment(name: &str) -> Result<(), ArchiveError> {
    let number = |text: &str| (1..=20).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    match name.split_once('-') {
        Some((since, n)) if number(since) && number(n) => Ok(()),
        _ => Err(ArchiveError::Missing(format!("{name:?} is not a segment"))),
    }
}

/// Segments of ours among names of files, in order: by leadership, then by number.
pub(super) fn in_order(names: impl Iterator<Item = (String, u64)>) -> Vec<(String, u64)> {
    let mut ours: Vec<((u64, u64), (String, u64))> = names
        .filter_map(|(name, length)| {
            let name = name.strip_suffix(".jsonl")?;
            let (since, n) = name.split_once('-')?;
            check_segment(name).ok()?;
            Some(((since.parse().ok()?, n.parse().ok()?), (name.to_owned(), length)))
        })
        .collect();
    ours.sort();
    ours.into_iter().map(|(_, segment)| segment).collect()
}

/// Where `record` is.
pub(crate) fn location(segment: &str, offset: u64, record: &[u8]) -> Location {
    let mut digest = sha256(record);
    digest.truncate(SHORT);
    Location { segment: segment.to_owned(), offset, length: record.len() as u64, digest }
}

/// Whether `record` is what the location says.
pub(super) fn check_record(location: &Location, record: &[u8]) -> Result<(), ArchiveError> {
    let found = sha256(record);
    if found[..SHORT] == location.digest {
        return Ok(());
    }
    Err(ArchiveError::Damaged(format!(
        "segment {} at {}: digest {} where {} was written",
        location.segment,
        location.offset,
        &found[..SHORT],
        location.digest
    )))
}

/// Whether `content` is the file of this digest.
pub(super) fn check_file(hex: &str, content: &[u8]) -> Result<(), ArchiveError> {
    let found = sha256(content);
    if found == hex { Ok(()) } else { Err(ArchiveError::Damaged(format!("file {hex}: its digest is {found}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_names_are_names() {
        for (name, ours) in [
            ("5-0", true),
            ("123456-17", true),
            ("", false),
            ("5", false),
            ("5-", false),
            ("-5", false),
            ("-5-0", false),
            ("../5-0", false),
            ("5-0/../../etc", false),
            ("5-0\0", false),
            ("5-٣", false),
            ("000000000000000000000-0", false),
        ] {
            assert_eq!(check_segment(name).is_ok(), ours, "{name:?}");
        }
    }

    #[test]
    fn only_digests_are_digests() {
        let hex = sha256(b"abc");
        assert_eq!(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex_of(&digest(&hex)), Ok(hex.as_str()));
        for bad in ["", "sha256:", "sha256:../../etc/passwd", &hex[1..], &hex.to_uppercase(), &format!("{hex}0")] {
            assert!(hex_of(bad).is_err(), "{bad:?}");
        }
    }
}
