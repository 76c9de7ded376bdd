//! From a spec's text to an event: reads it, finds its files, draws what is random, asks the core.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use rookery_game::{
    opening::{Book, together},
    setup::GameKind,
};
use rookery_proto::v1;
use rookery_tournament::{
    ladder,
    season::numbers,
    spec::{
        FormatSpec, OpeningSource, OpeningsSpec, Spec, SpecErrors, chooses_by, explain, explain_list, explain_season,
        is_list, is_season, parse, parse_list, parse_season,
    },
};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::{
    books::BookFault,
    check,
    choice::{self, Said},
    handle::Handle,
    limits, openings,
};
use crate::{
    archive::ArchiveError,
    core::{Answer, Apply, ApplySeason, Change, Denied, Request},
};

/// Reads a text: its name, itself, and what gives the files that it names.
type Reader<T> = fn(&str, &str, &dyn Fn(&str) -> Result<String, String>) -> Result<T, SpecErrors>;

impl Handle {
    /// Applies a spec. `digests` names engines whose program is known here, as in `rookery run`; for others the fleet's
    /// catalogues are asked.
    ///
    /// # Errors
    /// [`Denied::Invalid`] with all mistakes of the spec, or where a file is missing or a book too small; else as the
    /// core denies it.
    pub async fn apply(
        &self,
        request: v1::ApplyRequest,
        digests: Vec<(String, String)>,
    ) -> Result<v1::ApplyResponse, Denied> {
        let v1::ApplyRequest { spec: text, file_name, files, dry_run, change, paused, ruling, ladder_state } = request;
        let change = if ruling { check::ruling(change) } else { check::change(change) };
        let change = change.map_err(|status| Denied::Invalid(status.message().to_owned()))?;
        let files = named(files)?;
        if is_list(&text) {
            if !ladder_state.is_empty() {
                return Err(Denied::Invalid("a ladder's state goes with an event, not with a list".to_owned()));
            }
            let read = |name: &str, text: &str, _: &dyn Fn(&str) -> Result<String, String>| parse_list(name, text);
            let list = self.read(file_name, text, files, Said::new(), read).await?;
            let explained = explain_list(&list);
            return match self.ask(Request::ApplyList { list: Box::new(list), dry_run, change }).await? {
                Answer::Applied(applied) => Ok(v1::ApplyResponse { explained, ..*applied }),
                _ => Err(Denied::Unavailable("the core answered another question".to_owned())),
            };
        }
        if is_season(&text) {
            if !ladder_state.is_empty() {
                return Err(Denied::Invalid("a ladder's state goes with an event, not with a season".to_owned()));
            }
            return self.apply_season(file_name, text, files, digests, dry_run, change).await;
        }
        let read = |name: &str, text: &str, loader: &dyn Fn(&str) -> Result<String, String>| {
            parse(name, text, loader).map(|parsed| parsed.spec)
        };
        let list = chooses_by(&text);
        let first = self.read(file_name.clone(), text.clone(), files.clone(), choice::before(&text), read).await?;
        let (spec, chosen) = match list {
            None => (first, None),
            Some(list) => {
                let choice = self.choice(list, &first.name).await?;
                let spec = self.read(file_name, text, files.clone(), choice.said(), read).await?;
                let fact = choice.fact(&spec);
                (spec, fact)
            }
        };
        let (books, warnings) = self.books(&spec, &files, &BTreeMap::new()).await?;
        let Books { own: (book_digest, book), level: level_book } = books;
        let digests = self.digests(&spec, digests).await?;
        let ladder = ladder(&ladder_state)?;
        let explained = explain(&spec);
        let spec_digest = sha256(spec.digest_input().as_bytes());
        let request = Request::Apply(Box::new(Apply {
            spec: Box::new(spec),
            spec_digest,
            book: (book_digest, book),
            level_book,
            uid: Uuid::new_v4().to_string(),
            seed: seed(),
            digests,
            dry_run,
            paused,
            ruling,
            ladder,
            chosen: chosen.map(Box::new),
            change,
        }));
        match self.ask(request).await? {
            Answer::Applied(mut applied) => {
                applied.explained = explained;
                applied.warnings.extend(warnings);
                Ok(*applied)
            }
            _ => Err(Denied::Unavailable("the core answered another question".to_owned())),
        }
    }

    /// Engines join an event: reads them as the event's spec would, and asks the core.
    ///
    /// # Errors
    /// [`Denied::Invalid`] with all mistakes of the text; else as the core denies it.
    pub(super) async fn join(&self, request: v1::JoinEventRequest, change: Change) -> Result<Answer, Denied> {
        let v1::JoinEventRequest { event, engines: text, file_name, change: _ } = request;
        let Answer::Event(summary, old) = self.ask(Request::Event(event)).await? else {
            return Err(Denied::Unavailable("the core answered another question".to_owned()));
        };
        if text.len() > limits::SPEC {
            return Err(Denied::Invalid(format!("engines of {} bytes; at most {}", text.len(), limits::SPEC)));
        }
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\');
        let named = !file_name.is_empty() && file_name.len() <= limits::PATH && file_name.chars().all(plain);
        let file_name = if named { file_name } else { "engines.toml".to_owned() };
        let whole = format!("engines = \"{file_name}\"\n{}", explain(&around(&old)));
        let event_name = old.name.clone();
        let read = tokio::task::spawn_blocking(move || {
            let loader = |_: &str| -> Result<String, String> { Ok(text.clone()) };
            parse(&event_name, &whole, &loader).map(|parsed| parsed.spec).map_err(|errors| errors.to_string())
        });
        let mut spec = match read.await {
            Ok(spec) => spec.map_err(Denied::Invalid)?,
            Err(error) => return Err(Denied::Invalid(format!("the engines could not be read: {error}"))),
        };
        spec.engines.retain(|engine| !STAND_INS.contains(&engine.setup.name.as_str()));
        let digests = self.digests(&spec, Vec::new()).await?;
        self.ask(Request::Join { event: summary.event_uid, engines: spec.engines, digests, change }).await
    }

    async fn apply_season(
        &self,
        file_name: String,
        text: String,
        files: BTreeMap<String, String>,
        digests: Vec<(String, String)>,
        dry_run: bool,
        change: Change,
    ) -> Result<v1::ApplyResponse, Denied> {
        let read = |name: &str, text: &str, loader: &dyn Fn(&str) -> Result<String, String>| {
            parse_season(name, text, loader).map(|parsed| parsed.season)
        };
        let season = self.read(file_name, text, files.clone(), Said::new(), read).await?;
        let playing = numbers(&season, &[]);
        let (mut books, mut warnings) = (BTreeMap::new(), Vec::new());
        let mut level_books = BTreeMap::new();
        // Those of earlier events, for events that take openings from them.
        let mut known: BTreeMap<String, Arc<Book>> = BTreeMap::new();
        for event in &season.events {
            let count = playing.get(&event.name).map_or(2, |n| n.playing.max(2)) as usize;
            let engines = season.engines.iter().take(count).cloned().collect();
            let spec = Spec { name: event.name.clone(), engines, event: event.event.clone() };
            let of = |why: String| Denied::Invalid(format!("event `{}`: {why}", event.name));
            let found = self.books(&spec, &files, &known).await;
            let (Books { own, level }, more) = found.map_err(|denied| match denied {
                Denied::Invalid(why) => of(why),
                other => other,
            })?;
            books.insert(event.name.clone(), (own.0, own.1.len() as u64));
            if event.event.openings.when_level.is_some() {
                level_books.insert(event.name.clone(), (level.0, level.1.len() as u64));
            }
            known.insert(event.name.clone(), own.1);
            warnings.extend(more);
        }
        let explained = explain_season(&season);
        let spec_digest = sha256(season.digest_input().as_bytes());
        let (uid, seed) = (Uuid::new_v4().to_string(), seed());
        let season = Box::new(season);
        let apply = ApplySeason { season, spec_digest, books, level_books, uid, seed, digests, dry_run, change };
        let request = Request::ApplySeason(Box::new(apply));
        match self.ask(request).await? {
            Answer::Applied(mut applied) => {
                applied.explained = explained;
                applied.warnings.extend(warnings);
                Ok(*applied)
            }
            _ => Err(Denied::Unavailable("the core answered another question".to_owned())),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        file_name: String,
        text: String,
        files: BTreeMap<String, String>,
        said: Said,
        read: Reader<T>,
    ) -> Result<T, Denied> {
        if text.len() > limits::SPEC {
            return Err(Denied::Invalid(format!("a spec of {} bytes; at most {}", text.len(), limits::SPEC)));
        }
        let file_name = if file_name.is_empty() { "spec.toml".to_owned() } else { file_name };
        check::bounded("file_name", &file_name, limits::PATH).map_err(|s| Denied::Invalid(s.message().to_owned()))?;
        let archive = Arc::clone(&self.inner.archive);
        let runtime = tokio::runtime::Handle::current();
        let parsed = tokio::task::spawn_blocking(move || {
            let loader = |name: &str| -> Result<String, String> {
                if let Some(said) = said.get(name) {
                    return Ok(said.clone());
                }
                let digest = files.get(name).ok_or("it was not sent along")?;
                let file = runtime.block_on(archive.get_file(digest.clone())).map_err(|error| error.to_string())?;
                if file.len() > limits::SPEC {
                    return Err(format!("{} bytes; at most {}", file.len(), limits::SPEC));
                }
                String::from_utf8(file.to_vec()).map_err(|error| format!("not UTF-8: {error}"))
            };
            read(&file_name, &text, &loader).map_err(|errors| errors.to_string())
        });
        match parsed.await {
            Ok(spec) => spec.map_err(Denied::Invalid),
            Err(error) => Err(Denied::Invalid(format!("the spec could not be read: {error}"))),
        }
    }

    /// An event's books, and warnings. `known` are those of the season's earlier events.
    async fn books(
        &self,
        spec: &Spec,
        files: &BTreeMap<String, String>,
        known: &BTreeMap<String, Arc<Book>>,
    ) -> Result<(Books, Vec<String>), Denied> {
        let openings = &spec.event.openings;
        let (digest, book, mut warnings) = self.book(spec, openings, files, known).await?;
        openings::enough(spec, &book).map_err(Denied::Invalid)?;
        let mut books = Books { own: (digest, book), level: Default::default() };
        if let Some(openings) = &openings.when_level {
            let (digest, book, more) = self.book(spec, openings, files, known).await?;
            if book.is_empty() {
                return Err(Denied::Invalid("the book for level matches has no openings".to_owned()));
            }
            books.level = (digest, book);
            warnings.extend(more);
        }
        Ok((books, warnings))
    }

    /// Openings with their digest, and warnings.
    async fn book(
        &self,
        spec: &Spec,
        openings: &OpeningsSpec,
        files: &BTreeMap<String, String>,
        known: &BTreeMap<String, Arc<Book>>,
    ) -> Result<(String, Arc<Book>, Vec<String>), Denied> {
        let digest = match &openings.source {
            OpeningSource::Own => self.put_file(Bytes::from_static(Book::OWN)).await?,
            OpeningSource::Book(name) | OpeningSource::Schedule(name) => match files.get(name) {
                Some(digest) => digest.clone(),
                None => return Err(Denied::Invalid(format!("book `{name}`: the file was not sent along"))),
            },
            OpeningSource::Start => String::new(),
            OpeningSource::Chess960 => "chess960".to_owned(),
            OpeningSource::DoubleChess960 => "double-chess960".to_owned(),
            OpeningSource::UsedIn(events) => self.put_together(spec.event.game, events, known).await?,
        };
        match self.inner.books.load(&digest, spec.event.game, spec.event.rules, openings).await {
            Ok((book, warnings)) => Ok((digest, book, warnings)),
            Err(BookFault::File { error: ArchiveError::Unavailable(why), .. }) => Err(Denied::Unavailable(why)),
            Err(fault) => Err(Denied::Invalid(fault.to_string())),
        }
    }

    /// The books of these events as one file, so that what was drawn from can be looked at; its digest.
    async fn put_together(
        &self,
        kind: GameKind,
        events: &[String],
        known: &BTreeMap<String, Arc<Book>>,
    ) -> Result<String, Denied> {
        let books: Vec<Arc<Book>> = events.iter().filter_map(|event| known.get(event).cloned()).collect();
        let text = tokio::task::spawn_blocking(move || {
            let books: Vec<&Book> = books.iter().map(AsRef::as_ref).collect();
            together(&books, kind)
        });
        match text.await {
            Ok(Ok(text)) if text.is_empty() => {
                Err(Denied::Invalid(format!("the books of {} have no openings", events.join(", "))))
            }
            Ok(text) => self.put_file(Bytes::from(text.map_err(Denied::Invalid)?)).await,
            Err(error) => Err(Denied::Invalid(format!("the books could not be put together: {error}"))),
        }
    }

    /// What is known of the engines' programs: as given, as the spec names them, or as all catalogues of the fleet
    /// agree. Where they differ nothing is known here, and the event asks.
    async fn digests(&self, spec: &Spec, given: Vec<(String, String)>) -> Result<Vec<(String, String)>, Denied> {
        let mut known: BTreeMap<String, String> = given.into_iter().collect();
        let workers = match self.ask(Request::Workers).await? {
            Answer::Workers(workers) => workers,
            _ => Vec::new(),
        };
        let catalogue = workers.iter().flat_map(|worker| &worker.engines);
        let mut programs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in catalogue.filter(|entry| !entry.digest.is_empty()) {
            programs.entry(&entry.name).or_default().insert(&entry.digest);
        }
        for engine in &spec.engines {
            let setup = &engine.setup;
            let stated = [&setup.digest, &setup.artifact].into_iter().find(|digest| !digest.is_empty()).cloned();
            let agreed = || match programs.get(setup.program.as_str()) {
                Some(digests) if digests.len() == 1 => digests.first().map(|&digest| digest.to_owned()),
                _ => None,
            };
            if !known.contains_key(&setup.name)
                && let Some(digest) = stated.or_else(agreed)
            {
                known.insert(setup.name.clone(), digest);
            }
        }
        known.retain(|name, _| spec.engines.iter().any(|engine| engine.setup.name == *name));
        Ok(known.into_iter().collect())
    }
}

/// A ladder's state, with the digest of its text; `None` where none was sent.
fn ladder(text: &str) -> Result<Option<Box<(ladder::State, String)>>, Denied> {
    if text.is_empty() {
        return Ok(None);
    }
    if text.len() > limits::LADDER_STATE {
        let most = limits::LADDER_STATE;
        return Err(Denied::Invalid(format!("a ladder's state of {} bytes; at most {most}", text.len())));
    }
    let state = ladder::read(text)
        .map_err(|wrong| Denied::Invalid(format!("the ladder's state: {}", wrong.join("\nthe ladder's state: "))))?;
    Ok(Some(Box::new((state, sha256(text.as_bytes())))))
}

/// The books of an event by their digests.
struct Books {
    own: (String, Arc<Book>),
    /// For what is played after a level match.
    level: (String, Arc<Book>),
}

/// Names that stand in for those who are in an event, while who joins is read.
const STAND_INS: [&str; 2] = ["(stands in) 1", "(stands in) 2"];

/// An event as who joins finds it: its own engines could be named again, by somebody who asks twice.
fn around(event: &Spec) -> Spec {
    let mut spec = event.clone();
    spec.event.format = FormatSpec::RoundRobin { cycles: 1, pairs: 1, shuffled: false, lower_first: false };
    spec.event.stop = None;
    let stands_in = |name: &str| {
        let mut engine = event.engines.first().cloned()?;
        name.clone_into(&mut engine.setup.name);
        Some(engine)
    };
    spec.engines = STAND_INS.iter().filter_map(|name| stands_in(name)).collect();
    spec
}

/// Files by the name that the spec gives them.
fn named(files: Vec<v1::SpecFile>) -> Result<BTreeMap<String, String>, Denied> {
    if files.len() > limits::SPEC_FILES {
        return Err(Denied::Invalid(format!("{} files; at most {}", files.len(), limits::SPEC_FILES)));
    }
    let mut named = BTreeMap::new();
    for v1::SpecFile { name, digest } in files {
        let hex = digest.strip_prefix("sha256:").unwrap_or_default();
        if hex.len() != 64 || !hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            let expected = "expected `sha256:` and 64 hexadecimal digits, as `UploadFile` answers";
            return Err(Denied::Invalid(format!("file `{name}`: digest `{digest}`: {expected}")));
        }
        if let Some(other) = named.insert(name.clone(), digest.clone())
            && other != digest
        {
            return Err(Denied::Invalid(format!("file `{name}` was sent along twice, with different content")));
        }
    }
    Ok(named)
}

fn sha256(bytes: &[u8]) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(bytes) {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// A random seed below 2⁵³: JSON and TOML carry it unchanged.
fn seed() -> u64 {
    let (high, low) = Uuid::new_v4().as_u64_pair();
    // Both halves have fixed bits, at different places.
    (high ^ low) >> 11
}
