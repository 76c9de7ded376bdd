//! What was not acknowledged, on disk: one file a message, written whole before it is said.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use prost::Message as _;
use rookery_proto::v1::{AttachRequest, attach_request::Message};

use crate::hall::GameKey;

const STORE_FILE: &str = "store";

/// A folder of messages.
#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    durable: bool,
}

impl Outbox {
    /// Opens, or makes, a folder. With `durable`, each message is synced before it is said; without, it outlives this
    /// process but not the machine.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(folder: &Path, durable: bool) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        Ok(Self { folder: folder.to_owned(), durable })
    }

    /// What an earlier process left, and the store that it belonged to. What cannot be read is put aside as `*.bad`.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn load(&self) -> io::Result<(BTreeMap<GameKey, Message>, String)> {
        let mut messages = BTreeMap::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_none_or(|ext| ext != "msg") {
                continue;
            }
            let read = fs::read(&path).ok().and_then(|bytes| AttachRequest::decode(bytes.as_slice()).ok());
            let message = read.and_then(|request| request.message);
            match message.as_ref().and_then(key_of) {
                Some(key) => {
                    messages.extend(message.map(|message| (key, message)));
                }
                None => {
                    tracing::warn!(path = %path.display(), "a message of the outbox cannot be read and is put aside");
                    fs::rename(&path, path.with_extension("bad"))?;
                }
            }
        }
        let store = fs::read_to_string(self.folder.join(STORE_FILE)).unwrap_or_default();
        Ok((messages, store.trim().to_owned()))
    }

    /// Remembers the store that the messages belong to.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_store(&self, store_id: &str) -> io::Result<()> {
        self.write(STORE_FILE, store_id.as_bytes())
    }

    /// Keeps a message.
    ///
    /// # Errors
    /// When it cannot be written; it is then not to be said either.
    pub fn keep(&self, key: &GameKey, message: Message) -> io::Result<()> {
        self.write(&file_name(key), &AttachRequest { message: Some(message) }.encode_to_vec())
    }

    /// It was acknowledged.
    ///
    /// # Errors
    /// When its file cannot be removed; it will then be said again, which changes nothing.
    pub fn forget(&self, key: &GameKey) -> io::Result<()> {
        match fs::remove_file(self.folder.join(file_name(key))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let part = self.folder.join(format!("{name}.part"));
        let mut file = File::create(&part)?;
        file.write_all(bytes)?;
        if self.durable {
            file.sync_data()?;
        }
        fs::rename(&part, self.folder.join(name))?;
        if self.durable {
            File::open(&self.folder)?.sync_all()?;
        }
        Ok(())
    }
}

fn key_of(message: &Message) -> Option<GameKey> {
    match message {
        Message::Finished(finished) => {
            finished.record.as_ref()?.id.as_ref().map(|id| GameKey::new(finished.attempt, id))
        }
        Message::HandedBack(back) => back.game.as_ref().map(|id| GameKey::new(back.attempt, id)),
        _ => None,
    }
}

/// Attempt, game and take name a message within a store; uid and pair are inside it.
fn file_name(key: &GameKey) -> String {
    format!("{}-{}-{}.msg", key.attempt, key.game, key.take)
}

#[cfg(test)]
mod tests {
    use rookery_proto::v1::{GameId, HandedBack};

    use super::*;

    #[test]
    fn what_was_kept_is_there_again() {
        let dir = tempfile::tempdir().unwrap();
        let outbox = Outbox::open(dir.path(), true).unwrap();
        let id = GameId { event_uid: "u".to_owned(), pair: "p".to_owned(), game: 2, take: 1 };
        let message = Message::HandedBack(HandedBack { attempt: 7, game: Some(id.clone()), ..HandedBack::default() });
        let key = GameKey::new(7, &id);
        outbox.keep(&key, message.clone()).unwrap();
        outbox.set_store("s1").unwrap();
        fs::write(dir.path().join("9-1-1.msg"), b"\xff\xff").unwrap();
        let (messages, store) = Outbox::open(dir.path(), true).unwrap().load().unwrap();
        assert_eq!((messages.get(&key), messages.len(), store.as_str()), (Some(&message), 1, "s1"));
        assert!(dir.path().join("9-1-1.bad").exists());
        outbox.forget(&key).unwrap();
        outbox.forget(&key).unwrap();
        assert!(outbox.load().unwrap().0.is_empty());
    }
}
