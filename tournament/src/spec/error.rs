//! Mistakes in a spec: where, what, what was expected, and how they look on a terminal.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    fmt,
    ops::Range,
};

/// So many mistakes are kept; a file with more is not a spec, and nobody reads on.
pub const MAX_ERRORS: usize = 200;
/// Longer source lines are shown in part, around the mistake.
const MAX_SHOWN: usize = 160;
/// How much of a long line is shown before the mistake.
const SHOWN_BEFORE: usize = 60;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError {
    /// The file as it was named.
    pub file: String,
    /// Line from 1; 0: the file as a whole.
    pub line: usize,
    /// Column from 1, in characters.
    pub column: usize,
    /// How many characters are meant, at least 1.
    pub length: usize,
    /// The source line.
    pub source: String,
    /// What is wrong.
    pub message: String,
    /// What was expected, or the nearest right word; empty: the message says it all.
    pub hint: String,
    /// Bytes that are meant, within its file.
    pub(super) span: Range<usize>,
    /// Whether the text is not TOML there.
    pub(super) syntax: bool,
}

/// All mistakes of a spec, in the order of the text. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecErrors {
    /// At most [`MAX_ERRORS`].
    pub errors: Vec<SpecError>,
    /// How many more there were.
    pub more: usize,
}

impl std::error::Error for SpecErrors {}

impl fmt::Display for SpecErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.errors.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        if self.more > 0 {
            writeln!(f, "\nerror: and {} more", self.more)?;
        }
        Ok(())
    }
}

impl fmt::Display for SpecError {
    /// As compilers show it, with the source line and carets; ends with a line feed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            writeln!(f, "error: {}: {}", self.file, self.message)?;
            if !self.hint.is_empty() {
                writeln!(f, "   = {}", self.hint)?;
            }
            return Ok(());
        }
        writeln!(f, "error: {}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        let (shown, column) = shown(&self.source, self.column);
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len() + 1);
        let carets = "^".repeat(self.length.min(MAX_SHOWN));
        let hint = if self.hint.is_empty() { String::new() } else { format!(" {}", self.hint) };
        writeln!(f, "{gutter}|")?;
        writeln!(f, "{number} | {shown}")?;
        writeln!(f, "{gutter}| {}{carets}{hint}", " ".repeat(column - 1))
    }
}

/// A line as it may be printed (no control characters, not too long), and where the column is in it.
fn shown(line: &str, column: usize) -> (String, usize) {
    let clean = |c: char| {
        if c == '\t' {
            ' '
        } else if c.is_control() {
            '\u{fffd}'
        } else {
            c
        }
    };
    let column = column.max(1);
    if line.chars().count() <= MAX_SHOWN {
        return (line.chars().map(clean).collect(), column);
    }
    let from = (column - 1).saturating_sub(SHOWN_BEFORE);
    let mut text: String = line.chars().skip(from).take(MAX_SHOWN).map(clean).collect();
    if line.chars().nth(from + MAX_SHOWN).is_some() {
        text.push('…');
    }
    if from == 0 { (text, column) } else { (format!("…{text}"), column - from + 1) }
}

/// Where mistakes are gathered, over all files of a spec.
#[derive(Debug, Default)]
pub(super) struct Sink {
    errors: RefCell<Vec<SpecError>>,
    more: RefCell<usize>,
    unread: Cell<bool>,
    /// Bytes of a file that say nothing because of a mistake before them.
    swallowed: RefCell<Vec<(String, Range<usize>)>>,
}

impl Sink {
    fn push(&self, error: SpecError) {
        if self.is_full() {
            self.count_more();
        } else {
            self.errors.borrow_mut().push(error);
        }
    }

    fn is_full(&self) -> bool {
        self.errors.borrow().len() >= MAX_ERRORS
    }

    fn count_more(&self) {
        *self.more.borrow_mut() += 1;
    }

    /// Whether some of the text is not TOML, so that what is missing may stand there.
    pub(super) fn is_broken(&self) -> bool {
        self.errors.borrow().iter().any(|error| error.syntax)
    }

    /// A file of engines could not be read: who plays is not known.
    pub(super) fn set_unread(&self) {
        self.unread.set(true);
    }

    /// All of them, each file's in the order of its text.
    pub(super) fn into_errors(self, first_file: &str) -> Result<(), SpecErrors> {
        let mut errors = self.errors.into_inner();
        if errors.is_empty() {
            return Ok(());
        }
        errors.sort_by(|a, b| {
            let key = |e: &SpecError| (e.file != first_file, e.line == 0, e.span.start);
            key(a).cmp(&key(b))
        });
        errors.dedup();
        Err(SpecErrors { errors, more: self.more.into_inner() })
    }

    /// Mistakes that the walk found in what a broken line left over say nothing that the broken line does not.
    pub(super) fn forget_echoes(&self) {
        let mut errors = self.errors.borrow_mut();
        let broken: BTreeSet<(String, usize)> =
            errors.iter().filter(|e| e.syntax).map(|e| (e.file.clone(), e.line)).collect();
        let swallowed = self.swallowed.borrow();
        let is_swallowed = |e: &SpecError| {
            e.line > 0 && swallowed.iter().any(|(file, bytes)| *file == e.file && bytes.contains(&e.span.start))
        };
        errors.retain(|e| e.syntax || !(is_swallowed(e) || broken.contains(&(e.file.clone(), e.line))));
    }
}

/// One file that is being read.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    sink: &'a Sink,
}

impl<'a> Source<'a> {
    pub(super) const fn new(file: &'a str, text: &'a str, sink: &'a Sink) -> Self {
        Self { file, text, sink }
    }

    /// A mistake at a place.
    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.push(span, message.into(), hint.into(), false);
    }

    /// A place that is not TOML.
    pub(super) fn syntax_error(&self, span: Range<usize>, message: impl Into<String>, hint: impl Into<String>) {
        self.push(span, message.into(), hint.into(), true);
    }

    fn push(&self, span: Range<usize>, message: String, hint: String, syntax: bool) {
        if self.sink.is_full() {
            return self.sink.count_more();
        }
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.ceil_char_boundary(span.end.max(start)).max(start);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line_start..];
        let source = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let line_end = line_start + source.len();
        let meant = &self.text[start..end.min(line_end).max(start)];
        self.sink.push(SpecError {
            file: self.file.to_owned(),
            line: before.bytes().filter(|&b| b == b'\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            length: meant.chars().count().max(1),
            source: source.to_owned(),
            message,
            hint,
            span: start..end,
            syntax,
        });
    }

    /// These bytes say nothing because of a mistake before them.
    pub(super) fn swallow(&self, bytes: Range<usize>) {
        let mut swallowed = self.sink.swallowed.borrow_mut();
        if swallowed.len() < MAX_ERRORS {
            swallowed.push((self.file.to_owned(), bytes));
        }
    }

    /// Whether there are so many mistakes that more are only counted; counts one.
    pub(super) fn only_counted(&self) -> bool {
        let full = self.sink.is_full();
        if full {
            self.sink.count_more();
        }
        full
    }

    /// Whether all of the spec is TOML, so that what is missing is missing.
    pub(super) fn is_whole(&self) -> bool {
        !self.sink.is_broken()
    }

    /// Whether all engines are known, so that what depends on who plays can be judged.
    pub(super) fn knows_engines(&self) -> bool {
        self.is_whole() && !self.sink.unread.get()
    }

    /// A mistake of the file as a whole.
    pub(super) fn error_of_file(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.sink.push(SpecError {
            file: self.file.to_owned(),
            line: 0,
            column: 0,
            length: 1,
            source: String::new(),
            message: message.into(),
            hint: hint.into(),
            span: 0..0,
            syntax: false,
        });
    }
}

/// The nearest of `words`, if it is near enough to be what was meant; of the first thousand. Case does not count.
#[must_use]
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    /// Longer words are not slips of the finger.
    const LONGEST: usize = 64;
    /// Among more words than this nothing is looked for.
    const MOST: usize = 1_000;
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase().replace(['_', ' '], "-");
    words
        .into_iter()
        .take(MOST)
        .filter(|w| w.len() <= LONGEST && w.len().abs_diff(lower.len()) <= LONGEST / 3)
        .map(|w| (strsim::osa_distance(&lower, &w.to_lowercase().replace(['_', ' '], "-")), w))
        .filter(|(distance, w)| *distance <= (w.chars().count().max(lower.chars().count()) / 3).max(1))
        // A word of which every letter is wrong is no slip.
        .filter(|(distance, _)| *distance < lower.chars().count())
        .min_by_key(|(distance, w)| (*distance, !w.starts_with(&lower)))
        .map(|(_, w)| w)
}

/// `did you mean` the nearest of `words`, or else all of them if they are few.
pub(super) fn did_you_mean<'w>(word: &str, words: impl IntoIterator<Item = &'w str> + Clone) -> String {
    /// More words than this do not fit a line.
    const FEW: usize = 12;
    if let Some(near) = nearest(word, words.clone()) {
        return format!("did you mean `{near}`?");
    }
    let all: Vec<String> = words.into_iter().map(|w| format!("`{w}`")).take(FEW + 1).collect();
    match all.len() {
        0 => String::new(),
        1 => format!("expected {}", all[0]),
        n if n > FEW => "`rookery spec explain FILE` prints every key".to_owned(),
        _ => format!("expected one of {}", all.join(", ")),
    }
}
