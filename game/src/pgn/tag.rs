//! Tags: `[Name "value"]`, as the standard writes them and as files have them.

use memchr::{memchr, memchr3};

/// The parts of one tag.
struct Tag<'a> {
    name: &'a [u8],
    value: &'a [u8],
    /// Bytes from its bracket to its end.
    length: usize,
}

/// Reads the tag at the front of `text`, which begins with `[`. A tag never goes beyond its line. No byte beyond its end
/// is looked at unless it is broken, and then its line ends with it: so a header is read in time in its length.
fn read(text: &[u8]) -> Tag<'_> {
    let body = text.get(1..).unwrap_or_default();
    let lead = body.iter().position(|b| !matches!(b, b' ' | b'\t')).unwrap_or(body.len());
    let name_end = body[lead..]
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'#' | b'=' | b':')))
        .map_or(body.len(), |end| lead + end);
    let name = &body[lead..name_end];
    let open = memchr3(b'"', b']', b'\n', &body[name_end..]).map_or(body.len(), |open| name_end + open);
    if body.get(open) != Some(&b'"') {
        // No quotes: up to the bracket or the end of the line.
        let bracket = usize::from(body.get(open) == Some(&b']'));
        return Tag { name, value: body[name_end..open].trim_ascii(), length: (1 + open + bracket).min(text.len()) };
    }
    let value = &body[open + 1..];
    let (end, after) = closing(value);
    Tag { name, value: &value[..end], length: 1 + open + 1 + after }
}

/// Where a value ends, and where its tag does: at the first quote that is not escaped and is followed by a bracket. Where
/// the line has none, at its last quote, else at its end.
fn closing(value: &[u8]) -> (usize, usize) {
    let mut at = 0;
    while at < value.len() && value[at] != b'\n' {
        match value[at] {
            b'\\' if value.get(at + 1).is_some_and(|&b| b != b'\n') => at += 2,
            b'"' => {
                let rest = &value[at + 1..];
                let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
                if rest.get(blanks) == Some(&b']') {
                    return (at, at + 1 + blanks + 1);
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    let line = &value[..at.min(value.len())];
    (memchr::memrchr(b'"', line).unwrap_or(line.len()), line.len())
}

/// The bytes of the tag at the front of `text`; at least 1.
pub(super) fn length(text: &[u8]) -> usize {
    read(text).length.max(1)
}

/// Tags of a game that are kept: no game has as many, and a hostile file must not fill the memory.
const MOST: usize = 1_000;

/// All tags of a header, the first [`MOST`] of them.
pub(super) fn all(header: &[u8]) -> Vec<(String, String)> {
    Tags(header).take(MOST).map(|tag| (text(tag.name), unescape(tag.value))).collect()
}

/// The value of the tag at the front of `text`.
pub(super) fn first(text: &[u8]) -> String {
    unescape(read(text).value)
}

/// The value of the first tag with this name.
pub(super) fn find(header: &[u8], name: &str) -> Option<String> {
    Tags(header).find(|tag| tag.name == name.as_bytes()).map(|tag| unescape(tag.value))
}

struct Tags<'a>(&'a [u8]);

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            self.0 = self.0.trim_ascii_start();
            match self.0.first()? {
                b'[' => break,
                // An escape line, a comment, or what a broken tag left on its line.
                _ => self.0 = &self.0[memchr(b'\n', self.0)? + 1..],
            }
        }
        let tag = read(self.0);
        self.0 = &self.0[tag.length.max(1).min(self.0.len())..];
        Some(tag)
    }
}

/// UTF-8 where it is, else ISO 8859-1, which the standard of 1994 asks for.
pub(super) fn text(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|&b| char::from(b)).collect(), str::to_owned)
}

fn unescape(value: &[u8]) -> String {
    let value = text(value);
    if !value.contains('\\') {
        return value.trim_end_matches('\r').to_owned();
    }
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(&next @ ('"' | '\\'))) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// Writes one tag and its line's end: one line whatever the value holds, quotes and backslashes escaped, control
/// characters and line separators as blanks.
pub(crate) fn write(out: &mut String, name: &str, value: &str) {
    out.push('[');
    out.push_str(name);
    out.push_str(" \"");
    let separator = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let line = value.replace(separator, " ");
    for c in line.trim().chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push_str("\"]\n");
}
