//! From a file's bytes to a book.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
    sync::Arc,
};

use memchr::memchr;

use super::{
    Book, BookError, BookErrors, BookWarning, EntryFault, Repair,
    book::{Entry, Kind, Source, Text, from_game_at, from_line, line},
    polyglot, rows,
};
use crate::{
    pgn,
    setup::{GameKind, GameRules},
};

/// The largest book, unpacked: four times what the largest common one has; an archive that claims more is a bomb.
pub const MAX_BYTES: u64 = 256 << 20;

/// How a book is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BookOptions {
    /// Broken entries are left out, with a warning; otherwise they are errors.
    pub skip_broken: bool,
    /// At most so many plies of a line; positions are not touched.
    pub max_plies: Option<u32>,
    /// The rules under which the games must go on from each entry.
    pub rules: GameRules,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Lines,
    Games,
    Polyglot,
    Rows,
}

pub(super) fn parse(
    name: &str,
    bytes: Vec<u8>,
    kind: GameKind,
    options: &BookOptions,
) -> Result<(Book, Vec<BookWarning>), BookErrors> {
    let known = match kind {
        GameKind::Chess => Kind::Chess,
        GameKind::Chess960 => Kind::Chess960,
        GameKind::ChineseCheckers => Kind::ChineseCheckers,
        GameKind::Shogi => return Err(BookError::Kind { file: name.to_owned(), kind }.into()),
    };
    let (file, bytes) = unpack(name, bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(BookError::TooLarge { file, limit: MAX_BYTES }.into());
    }
    let mut loading = Loading { file: &file, options, errors: BookErrors::default(), repairs: BTreeMap::new() };
    let mut warnings = Vec::new();
    let format = if known == Kind::ChineseCheckers { Format::Rows } else { format(&file, &bytes)? };
    let source = match format {
        Format::Rows => {
            let (entries, faults) = rows::entries(&bytes, options.rules.chinese_checkers);
            for (fault, line) in faults {
                loading.broken(fault, line);
            }
            Source::Rows(Arc::new(Text { bytes: bytes.into_boxed_slice(), entries }))
        }
        Format::Lines => {
            let entries = loading.lines(&bytes, kind);
            Source::Lines(Arc::new(Text { bytes: bytes.into_boxed_slice(), entries }))
        }
        Format::Games => {
            let (entries, empty) = loading.games(&bytes, kind);
            if empty > 0 {
                warnings.push(BookWarning::EmptyGames { file: file.clone(), count: empty });
            }
            Source::Games(Arc::new(Text { bytes: bytes.into_boxed_slice(), entries }))
        }
        Format::Polyglot => {
            let (lines, cut) = polyglot::lines(bytes, options.max_plies);
            if let Some(plies) = cut {
                warnings.push(BookWarning::Cut { file: file.clone(), plies, limit: polyglot::MAX_LINES });
            }
            Source::Moves(Arc::new(lines))
        }
    };
    let Loading { errors, repairs, .. } = loading;
    for (repair, (line, count)) in repairs {
        warnings.push(BookWarning::Repaired { file: file.clone(), line, repair, count });
    }
    if errors.count() > 0 && !options.skip_broken {
        return Err(errors);
    }
    let book = Book { source, kind: known, max_plies: options.max_plies };
    if book.is_empty() {
        let mut errors = errors;
        errors.push(BookError::Empty { file });
        return Err(errors);
    }
    if errors.count() > 0 {
        warnings.push(BookWarning::Skipped(errors));
    }
    Ok((book, warnings))
}

struct Loading<'a> {
    file: &'a str,
    options: &'a BookOptions,
    errors: BookErrors,
    /// What was set right: the first line, and how often.
    repairs: BTreeMap<Repair, (u32, usize)>,
}

impl Loading<'_> {
    fn lines(&mut self, bytes: &[u8], kind: GameKind) -> Box<[Entry]> {
        let mut entries = Vec::new();
        let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let mut number = 0_u32;
        while at < bytes.len() {
            number = number.saturating_add(1);
            let entry = Entry { at: u32::try_from(at).unwrap_or(u32::MAX), line: number };
            let text = line(bytes, entry);
            at += text.len() + 1;
            if matches!(text.trim_ascii_start().first(), None | Some(b'#' | b';' | b'%')) {
                continue;
            }
            match from_line(text, kind) {
                Ok(placed) => {
                    self.note(&placed.repairs, number);
                    entries.push(entry);
                }
                Err(fault) => self.broken(fault, number),
            }
        }
        entries.into_boxed_slice()
    }

    /// The games that have an opening, and how many are empty.
    fn games(&mut self, bytes: &[u8], kind: GameKind) -> (Box<[Entry]>, usize) {
        let mut entries = Vec::new();
        let mut empty = 0;
        for raw in pgn::headers(bytes) {
            match from_game_at(&raw, kind, self.options.max_plies) {
                Ok((opening, repairs)) => {
                    let placed = raw.tag("FEN").is_some_and(|fen| !fen.trim().is_empty());
                    // Where no plies are wanted, a game stands for its start position.
                    if opening.start.moves.is_empty() && !placed && self.options.max_plies != Some(0) {
                        empty += 1;
                        continue;
                    }
                    self.note(&repairs, raw.line);
                    entries.push(Entry { at: u32::try_from(raw.offset).unwrap_or(u32::MAX), line: raw.line });
                }
                Err((fault, line)) => self.broken(fault, line),
            }
        }
        (entries.into_boxed_slice(), empty)
    }

    fn note(&mut self, repairs: &[Repair], line: u32) {
        for &repair in repairs {
            self.repairs.entry(repair).or_insert((line, 0)).1 += 1;
        }
    }

    fn broken(&mut self, fault: EntryFault, line: u32) {
        self.errors.push(BookError::Entry { file: self.file.to_owned(), line, fault });
    }
}

/// Tells the format: by the content where that is clear, else by the name.
fn format(file: &str, bytes: &[u8]) -> Result<Format, BookErrors> {
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let not_a_book = |why: &str| Err(BookError::NotABook { file: file.to_owned(), why: why.to_owned() }.into());
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff") {
        return not_a_book("it is UTF-16: save it as UTF-8");
    }
    let binary = memchr(0, &text[..text.len().min(4096)]).is_some();
    if extension == "bin" || (binary && !bytes.is_empty() && bytes.len().is_multiple_of(16)) {
        return if bytes.len().is_multiple_of(16) {
            Ok(Format::Polyglot)
        } else {
            not_a_book("a Polyglot book is made of 16 bytes an entry, and this is not")
        };
    }
    if binary {
        return not_a_book("it is not text");
    }
    Ok(match first_word(text) {
        Some(b'[') => Format::Games,
        _ if extension == "pgn" => Format::Games,
        Some(_) if extension == "txt" && !starts_with_position(text) => Format::Games,
        _ => Format::Lines,
    })
}

/// The first byte that is neither blank nor in a comment line.
fn first_word(text: &[u8]) -> Option<u8> {
    first_line(text).and_then(|line| line.first().copied())
}

fn first_line(text: &[u8]) -> Option<&[u8]> {
    text.split(|&b| b == b'\n')
        .map(<[u8]>::trim_ascii)
        .find(|line| !matches!(line.first(), None | Some(b'#' | b';' | b'%')))
}

fn starts_with_position(text: &[u8]) -> bool {
    first_line(text).is_some_and(|line| line.iter().filter(|&&b| b == b'/').count() >= 7)
}

/// Takes the one book out of a zip archive; other bytes pass through.
fn unpack(name: &str, bytes: Vec<u8>) -> Result<(String, Vec<u8>), BookErrors> {
    if !bytes.starts_with(b"PK\x03\x04") && !bytes.starts_with(b"PK\x05\x06") {
        return Ok((name.to_owned(), bytes));
    }
    let not_a_book = |why: String| BookErrors::from(BookError::NotABook { file: name.to_owned(), why });
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| not_a_book(error.to_string()))?;
    let members: Vec<String> = archive
        .file_names()
        .filter_map(|name| name.ok().filter(|name| is_book(name)).map(std::borrow::Cow::into_owned))
        .collect();
    let member = match members.as_slice() {
        [member] => member.clone(),
        [] => return Err(not_a_book("no book in the archive".to_owned())),
        several => return Err(not_a_book(format!("{} books in the archive, expected one", several.len()))),
    };
    let file = format!("{name}/{}", super::position::quote(member.as_bytes()));
    let mut unpacked = Vec::new();
    let entry = archive.by_name(&member).map_err(|error| not_a_book(error.to_string()))?;
    // The size that the archive claims is a hint for the allocation alone, and a bounded one.
    unpacked.reserve(usize::try_from(entry.size().min(64 << 20)).unwrap_or(0));
    entry.take(MAX_BYTES + 1).read_to_end(&mut unpacked).map_err(|error| not_a_book(error.to_string()))?;
    unpacked.shrink_to_fit();
    Ok((file, unpacked))
}

/// Whether an archive's member may be a book: no folder, no leavings of macOS, no page that comes along.
fn is_book(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    let lower = base.to_ascii_lowercase();
    let aside = ["readme", "license", "copying"].iter().any(|word| lower.starts_with(word)) || lower.ends_with(".md");
    !base.is_empty() && !base.starts_with('.') && !name.starts_with("__MACOSX/") && !aside
}
