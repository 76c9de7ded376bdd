//! The archives: a folder and an object store.

use std::{fs, path::Path, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::future::join_all;
use object_store::memory::InMemory;
use rookery_coordinator::archive::{Archive, ArchiveError, FolderArchive, ObjectArchive, open};

fn records(texts: &[&str]) -> Vec<Bytes> {
    texts.iter().map(|text| Bytes::copy_from_slice(text.as_bytes())).collect()
}

async fn what_every_archive_does(archive: &dyn Archive) {
    let written = records(&["{\"a\":1}", "", "{\"b\":\"ö\"}"]);
    let first = archive.append(7, written.clone()).await.expect("appends");
    let second = archive.append(7, records(&["{}"])).await.expect("appends");
    let other = archive.append(9, records(&["{}"])).await.expect("appends");
    assert_eq!(archive.append(9, vec![]).await, Ok(vec![]));
    assert!(first.iter().chain(&second).all(|l| l.segment.starts_with("7-")), "{first:?} {second:?}");
    assert!(other[0].segment.starts_with("9-"), "{other:?}");
    for (location, record) in first.iter().zip(&written) {
        assert_eq!(location.length, record.len() as u64);
        assert_eq!(location.digest.len(), 16);
        assert_eq!(archive.read(location.clone()).await.as_ref(), Ok(record));
    }
    // Many at once: each reads back its own.
    let all = join_all((0..50).map(|i| archive.append(9, vec![Bytes::from(format!("record {i}"))]))).await;
    for (i, locations) in all.into_iter().enumerate() {
        let read = archive.read(locations.expect("appends").remove(0)).await.expect("reads");
        assert_eq!(read, format!("record {i}"));
    }
    // All of it again, leadership by leadership, in pieces.
    archive.append(10, records(&["last"])).await.expect("appends");
    let segments = archive.segments().await.expect("lists");
    let since = |name: &str| name.split('-').next().and_then(|since| since.parse::<u32>().ok()).unwrap();
    let order: Vec<u32> = segments.iter().map(|(name, _)| since(name)).collect();
    assert!(order.is_sorted() && order.first() == Some(&7) && order.last() == Some(&10), "{segments:?}");
    let mut lines = 0;
    for (name, length) in segments {
        let mut whole = Vec::new();
        while (whole.len() as u64) < length {
            let piece = archive.piece(name.clone(), whole.len() as u64, 7).await.expect("reads");
            assert!(!piece.is_empty() && piece.len() <= 7);
            whole.extend_from_slice(&piece);
        }
        assert_eq!(archive.piece(name, length, 7).await, Ok(Bytes::new()), "nothing is behind its end");
        lines += whole.iter().filter(|byte| **byte == b'\n').count();
    }
    assert_eq!(lines, 3 + 1 + 1 + 50 + 1);
    assert!(matches!(archive.piece("../x".into(), 0, 7).await, Err(ArchiveError::Missing(_))));
    let sound = first[0].clone();
    let wrong = |change: fn(&mut rookery_tournament::fact::Location)| {
        let mut location = sound.clone();
        change(&mut location);
        location
    };
    for (what, location) in [
        ("another digest", wrong(|l| l.digest = "0123456789abcdef".into())),
        ("no digest", wrong(|l| l.digest.clear())),
        ("another offset", wrong(|l| l.offset += 1)),
        ("past the end", wrong(|l| l.length = 1 << 60)),
        ("overflow", wrong(|l| (l.offset, l.length) = (u64::MAX, u64::MAX))),
    ] {
        assert!(matches!(archive.read(location).await, Err(ArchiveError::Damaged(_))), "{what}");
    }
    for segment in ["7-99", "8-0", "../files/x", "7-0/../7-0", "", "/etc/passwd"] {
        let mut location = sound.clone();
        location.segment = segment.into();
        assert!(matches!(archive.read(location).await, Err(ArchiveError::Missing(_))), "{segment}");
    }
    let book = Bytes::from_static(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n");
    let digest = archive.put_file(book.clone()).await.expect("puts");
    assert_eq!(archive.put_file(book.clone()).await.as_ref(), Ok(&digest), "twice is once");
    assert_eq!(archive.get_file(digest.clone()).await, Ok(book));
    let unknown = digest.replace("sha256:", "sha256:0")[..71].to_owned();
    for missing in [unknown.as_str(), "sha256:../../archive", "", "archive"] {
        assert!(matches!(archive.get_file(missing.into()).await, Err(ArchiveError::Missing(_))), "{missing}");
    }
}

#[tokio::test]
async fn a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("a/new/archive");
    let archive = open(root.to_str().unwrap()).await.unwrap();
    what_every_archive_does(&*archive).await;
    let again = open(&format!("file://{}", root.display())).await.unwrap();
    assert_eq!(again.id(), archive.id());
    // Lines of JSON: people may read them.
    let text = fs::read_to_string(root.join("segments/7-0.jsonl")).unwrap();
    assert_eq!(text, "{\"a\":1}\n\n{\"b\":\"ö\"}\n{}\n");
}

#[tokio::test]
async fn an_object_store() {
    let store = Arc::new(InMemory::new());
    let archive = ObjectArchive::open_with(Arc::clone(&store) as _, "some/where", Duration::ZERO).await.unwrap();
    what_every_archive_does(&archive).await;
    let again = ObjectArchive::open(Arc::clone(&store) as _, "some/where").await.unwrap();
    assert_eq!(again.id(), archive.id());
    let other = ObjectArchive::open(store, "").await.unwrap();
    assert_ne!(other.id(), archive.id());
}

#[tokio::test(start_paused = true)]
async fn an_object_store_gathers_for_a_second() {
    let archive = ObjectArchive::open(Arc::new(InMemory::new()), "").await.unwrap();
    let (a, b) = tokio::join!(archive.append(5, records(&["a"])), archive.append(5, records(&["b", "c"])));
    let (a, b) = (a.unwrap(), b.unwrap());
    assert_eq!((a[0].segment.as_str(), b[1].segment.as_str()), ("5-0", "5-0"));
    let start = tokio::time::Instant::now();
    let large = archive.append(5, vec![Bytes::from(vec![b'x'; 2 << 20])]).await.unwrap();
    assert_eq!(large[0].segment, "5-1");
    assert!(start.elapsed() < Duration::from_secs(1), "enough is enough");
    let (c, d) = tokio::join!(archive.append(5, records(&["c"])), archive.append(6, records(&["d"])));
    assert_eq!((c.unwrap()[0].segment.as_str(), d.unwrap()[0].segment.as_str()), ("5-2", "6-0"));
}

#[tokio::test]
async fn a_folders_segments_roll_and_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let archive = FolderArchive::open_with(folder.path(), 10).await.unwrap();
    let mut segments = Vec::new();
    for since in [3, 3, 3, 4, 3] {
        segments.push(archive.append(since, records(&["0123456"])).await.unwrap().remove(0));
    }
    let names: Vec<_> = segments.iter().map(|l| l.segment.as_str()).collect();
    assert_eq!(names, ["3-0", "3-0", "3-1", "4-0", "3-2"], "a segment that was left is not gone on with");
    // A torn tail, as a crash leaves it, and another process.
    let torn = folder.path().join("segments/4-0.jsonl");
    let mut text = fs::read(&torn).unwrap();
    text.extend_from_slice(b"{\"half");
    fs::write(&torn, text).unwrap();
    let next = FolderArchive::open_with(folder.path(), 10).await.unwrap();
    let after = next.append(4, records(&["0123456"])).await.unwrap().remove(0);
    assert_eq!(after.segment, "4-1");
    for location in segments {
        assert_eq!(next.read(location).await.unwrap(), "0123456");
    }
}

#[tokio::test]
async fn a_damaged_file_is_noticed_and_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let archive = FolderArchive::open(folder.path()).await.unwrap();
    let content = Bytes::from_static(b"spec");
    let digest = archive.put_file(content.clone()).await.unwrap();
    let path = folder.path().join("files").join(digest.trim_start_matches("sha256:"));
    fs::write(&path, "spec?").unwrap();
    assert!(matches!(archive.get_file(digest.clone()).await, Err(ArchiveError::Damaged(_))));
    archive.put_file(content.clone()).await.unwrap();
    assert_eq!(archive.get_file(digest).await, Ok(content));
    assert_eq!(files(&folder.path().join("files")), 1, "no drafts stay");
}

#[tokio::test]
async fn of_many_that_make_an_archive_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let all = join_all((0..8).map(|_| FolderArchive::open(folder.path()))).await;
    let mut ids: Vec<_> = all.into_iter().map(|archive| archive.unwrap().id().to_owned()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(files(folder.path()), 3, "archive, files, segments, and no drafts");
}

#[tokio::test]
async fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let damaged = folder.path().join("damaged");
    FolderArchive::open(&damaged).await.unwrap();
    fs::write(damaged.join("archive"), "x").unwrap();
    let newer = folder.path().join("newer");
    FolderArchive::open(&newer).await.unwrap();
    fs::write(newer.join("archive"), r#"{"id":"x","schema":77}"#).unwrap();
    for (url, says) in [
        (file.to_str().unwrap(), file.to_str().unwrap()),
        ("", "the path is missing"),
        ("file://relative", "must start with /"),
        ("ftp://x/y", "unknown kind"),
        (damaged.to_str().unwrap(), "damaged"),
        (newer.to_str().unwrap(), "schema 77"),
    ] {
        let Err(error) = open(url).await else { panic!("{url:?} opens") };
        assert!(error.to_string().contains(says), "{url:?}: {error}");
    }
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}
