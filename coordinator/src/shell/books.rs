//! Opening books by digest: read from the archive's files, parsed off the async threads, kept while they are in use.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use rookery_game::{
    opening::{Book, BookOptions},
    setup::{GameKind, GameRules},
};
use rookery_tournament::spec::{OpeningSource, OpeningsSpec};

use crate::archive::{Archive, ArchiveError};

/// The name of the project's own book.
const OWN: &str = "own.pgn";
/// The name of books that were put together.
const USED: &str = "used-in.pgn";

/// Why there is no book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BookFault {
    /// Its file is not there, or cannot be read now.
    #[error("book `{name}`: {error}")]
    File {
        /// As the spec names it.
        name: String,
        /// Why.
        error: ArchiveError,
    },
    /// It is not a book.
    #[error("{0}")]
    Broken(String),
}

/// What is read from a file depends on the spec besides.
type Key = (String, GameKind, bool, Option<u32>, String);

/// Books in use, and what people should know of them.
pub(super) struct Books {
    archive: Arc<dyn Archive>,
    used: Mutex<BTreeMap<Key, Weak<Book>>>,
}

impl Books {
    pub(super) fn new(archive: Arc<dyn Archive>) -> Self {
        Self { archive, used: Mutex::default() }
    }

    /// The openings with this digest; one-line warnings come with their first reading alone.
    pub(super) async fn load(
        &self,
        digest: &str,
        kind: GameKind,
        rules: GameRules,
        openings: &OpeningsSpec,
    ) -> Result<(Arc<Book>, Vec<String>), BookFault> {
        let name = match &openings.source {
            OpeningSource::Start => return Ok(Default::default()),
            OpeningSource::Chess960 => return Ok((Arc::new(Book::chess960()), Vec::new())),
            OpeningSource::DoubleChess960 => return Ok((Arc::new(Book::double_chess960()), Vec::new())),
            OpeningSource::Own => OWN,
            OpeningSource::Book(name) | OpeningSource::Schedule(name) => name,
            OpeningSource::UsedIn(_) => USED,
        };
        let options = BookOptions { skip_broken: openings.skip_broken, max_plies: openings.plies, rules };
        let key = (digest.to_owned(), kind, options.skip_broken, options.max_plies, format!("{rules:?}"));
        if let Some(book) = self.used.lock().unwrap_or_else(PoisonError::into_inner).get(&key).and_then(Weak::upgrade) {
            return Ok((book, Vec::new()));
        }
        let file = self.archive.get_file(digest.to_owned()).await;
        let file = file.map_err(|error| BookFault::File { name: name.to_owned(), error })?;
        let named = name.to_owned();
        let parsed = tokio::task::spawn_blocking(move || Book::parse(&named, file.into(), kind, &options)).await;
        let (book, warnings) = match parsed {
            Ok(parsed) => parsed.map_err(|errors| BookFault::Broken(errors.to_string()))?,
            Err(error) => return Err(BookFault::Broken(format!("book `{name}`: {error}"))),
        };
        let book = Arc::new(book);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|_, book| book.strong_count() > 0);
        used.insert(key, Arc::downgrade(&book));
        Ok((book, warnings.iter().map(ToString::to_string).collect()))
    }
}
