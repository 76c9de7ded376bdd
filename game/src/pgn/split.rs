//! Cuts PGN text into games, without looking at moves: the fast path for headers, and the first step of all others.

use memchr::{memchr, memchr_iter, memchr2_iter};

use super::tag;

/// What begins a game wherever it stands outside of a comment.
const EVENT: &[u8] = b"[Event \"";

/// One game as it stands in the text: its tags, and the bytes of its moves.
#[derive(Debug, Clone)]
pub struct RawGame<'a> {
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Where it begins in the text, in bytes.
    pub offset: usize,
    /// The text of its tags; empty where it has none.
    pub header: &'a [u8],
    /// The text of its moves, comments and result word included.
    pub movetext: &'a [u8],
    /// The line on which the moves begin.
    pub movetext_line: u32,
}

impl RawGame<'_> {
    /// The tags in the text's order; a broken one is read as far as its line allows.
    #[must_use]
    pub fn tags(&self) -> Vec<(String, String)> {
        tag::all(self.header)
    }

    /// The first tag of this name.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<String> {
        tag::find(self.header, name)
    }
}

/// The games of a text, one after the other, moves unread. Never fails: what is no game is passed over.
#[must_use]
pub const fn headers(text: &[u8]) -> Headers<'_> {
    Headers { text, at: 0, line: 1, counted: 0 }
}

/// See [`headers`].
#[derive(Debug, Clone)]
pub struct Headers<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    counted: usize,
}

impl<'a> Headers<'a> {
    /// The line of the byte at `at`; asked in rising order.
    fn line_at(&mut self, at: usize) -> u32 {
        let breaks = memchr_iter(b'\n', &self.text[self.counted..at.max(self.counted)]).count();
        self.counted = at.max(self.counted);
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.line
    }
}

impl<'a> Iterator for Headers<'a> {
    type Item = RawGame<'a>;

    fn next(&mut self) -> Option<RawGame<'a>> {
        let text = self.text;
        if self.at == 0 && text.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        let start = between(text, self.at);
        if start >= text.len() {
            self.at = text.len();
            return None;
        }
        let line = self.line_at(start);
        let moves = header_end(text, start);
        let movetext_line = self.line_at(moves);
        let end = movetext_end(text, moves);
        // A byte that belongs to nothing (a lone brace) must not hold the iterator.
        self.at = end.max(start + 1);
        Some(RawGame { line, offset: start, header: &text[start..moves], movetext: &text[moves..end], movetext_line })
    }
}

/// Whether the byte at `at` is the first of its line.
fn at_line_start(text: &[u8], at: usize) -> bool {
    at == 0 || text[at - 1] == b'\n' || (at == 3 && text.starts_with(b"\xef\xbb\xbf"))
}

/// The byte after the end of the line.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end + 1)
}

/// The byte after a brace comment that opens at `at`. One that is never closed ends before the next `[Event "` that
/// begins a line, so that it swallows one game and not the file. (One scan for both: a file full of open comments must
/// not be searched to its end for each.)
pub(super) fn comment_end(text: &[u8], at: usize) -> usize {
    for place in memchr2_iter(b'}', b'\n', &text[at + 1..]).map(|place| at + 1 + place) {
        if text[place] == b'}' || text[place + 1..].starts_with(EVENT) {
            return place + 1;
        }
    }
    text.len()
}

/// From `at`, past blanks, comments and escape lines, to the first byte of a game.
fn between(text: &[u8], mut at: usize) -> usize {
    while at < text.len() {
        match text[at] {
            b if b.is_ascii_whitespace() || b == 0 => at += 1,
            b'%' if at_line_start(text, at) => at = line_end(text, at),
            b';' => at = line_end(text, at),
            b'{' => {
                let end = comment_end(text, at);
                // A comment before the first move of a game without tags belongs to that game.
                if headless(text, end) {
                    return at;
                }
                at = end;
            }
            b'}' | b'(' | b')' | b']' => at += 1,
            _ => return at,
        }
    }
    at
}

/// Whether movetext, and not a tag or the end, follows.
fn headless(text: &[u8], at: usize) -> bool {
    let rest = text[at..].trim_ascii_start();
    rest.first().is_some_and(|&b| b.is_ascii_alphanumeric())
}

/// Whether a tag begins at `at`: a bracket and a letter.
fn is_tag(text: &[u8], at: usize) -> bool {
    text[at] == b'[' && text[at + 1..].trim_ascii_start().first().is_some_and(u8::is_ascii_alphabetic)
}

/// The end of the tags that begin at `start`. A second `Event` begins another game.
fn header_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut end = start;
    let (mut tags, mut events) = (0_u32, 0_u32);
    while at < text.len() {
        match text[at] {
            b if b.is_ascii_whitespace() => at += 1,
            b'%' if at_line_start(text, at) => at = line_end(text, at),
            b';' if tags > 0 => at = line_end(text, at),
            b'[' if is_tag(text, at) => {
                events += u32::from(text[at..].starts_with(EVENT));
                if events > 1 {
                    return at;
                }
                tags += 1;
                at += tag::length(&text[at..]);
                end = at;
            }
            _ => return if tags > 0 { at } else { end },
        }
    }
    at
}

/// The end of the moves that begin at `start`: after the result word, or before the next tag.
fn movetext_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0_u32;
    while at < text.len() {
        match text[at] {
            b'\n' | b'\r' | b' ' | b'\t' => at += 1,
            b'%' if at_line_start(text, at) => at = line_end(text, at),
            b'[' if text[at..].starts_with(EVENT) || (at_line_start(text, at) && is_tag(text, at)) => return at,
            b';' => at = line_end(text, at),
            b'{' => at = comment_end(text, at),
            b'(' => {
                depth += 1;
                at += 1;
            }
            b')' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ => {
                let end = token_end(text, at);
                if depth == 0 && result_word(&text[at..end]).is_some() {
                    return end;
                }
                at = end;
            }
        }
    }
    at
}

/// The end of a token that begins at `at`; at least one byte on.
pub(super) fn token_end(text: &[u8], at: usize) -> usize {
    // `*` and a bracket stand alone, whatever follows.
    if matches!(text[at], b'*' | b'[' | b']' | b'}') {
        return at + 1;
    }
    let delimiter = |&b: &u8| matches!(b, b'{' | b'}' | b'(' | b')' | b';' | b'[' | b'*') || b.is_ascii_whitespace();
    let end = text[at + 1..].iter().position(delimiter).map_or(text.len(), |end| at + 1 + end);
    match &text[end..] {
        // `a8(Q)`: a promotion, not a variation.
        [b'(', b'Q' | b'R' | b'B' | b'N', b')', ..] if matches!(text[end - 1], b'1' | b'8') => end + 3,
        _ => end,
    }
}

/// How a result word reads: the inner `None` is `*`; the outer one: no result word.
#[expect(clippy::option_option, reason = "a word that is no result, and the result that is none, are two things")]
pub(super) fn result_word(word: &[u8]) -> Option<Option<crate::GameResult>> {
    use crate::GameResult::{Draw, FirstWins, SecondWins};
    match word {
        b"1-0" => Some(Some(FirstWins)),
        b"0-1" => Some(Some(SecondWins)),
        b"1/2-1/2" | b"1/2" | b"\xc2\xbd-\xc2\xbd" => Some(Some(Draw)),
        b"*" => Some(None),
        _ => None,
    }
}
