//! The words of movetext.

use memchr::{memchr, memchr_iter};

use super::split::{comment_end, result_word, token_end};
use crate::GameResult;

/// One word of the main line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A move, without its number and without `!` and `?`.
    Move(&'a [u8]),
    /// The inside of a brace or rest-of-line comment.
    Comment(&'a [u8]),
    /// The result word; `None` is `*`.
    Result(Option<GameResult>),
}

/// The words of a game's main line; variations, move numbers and NAGs are passed over, however deep.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// The text up to here has been counted into `line`.
    counted: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    pub(crate) const fn new(text: &'a [u8], line: u32) -> Self {
        Self { text, at: 0, counted: 0, line }
    }

    /// The line of the last word.
    pub(crate) fn line(&mut self) -> u32 {
        let at = self.at.min(self.text.len());
        let breaks = memchr_iter(b'\n', &self.text[self.counted..at]).count();
        self.counted = at;
        self.line = self.line.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
        self.line
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let text = self.text;
        let mut depth = 0_u32;
        while self.at < text.len() {
            let start = self.at;
            match text[start] {
                b'%' if start > 0 && text[start - 1] == b'\n' => {
                    self.at = memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end);
                }
                b if b.is_ascii_whitespace() => self.at += 1,
                b'{' => {
                    self.at = comment_end(text, start);
                    if depth == 0 {
                        let inside = &text[start + 1..self.at];
                        return Some(Token::Comment(inside.strip_suffix(b"}").unwrap_or(inside)));
                    }
                }
                b';' => {
                    self.at = memchr(b'\n', &text[start..]).map_or(text.len(), |end| start + end);
                    if depth == 0 {
                        return Some(Token::Comment(&text[start + 1..self.at]));
                    }
                }
                b'(' => {
                    depth += 1;
                    self.at += 1;
                }
                b')' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                _ => {
                    self.at = token_end(text, start);
                    if depth == 0
                        && let Some(token) = classify(&text[start..self.at])
                    {
                        return Some(token);
                    }
                }
            }
        }
        None
    }
}

/// What a bare word is; `None` for what the main line can do without.
fn classify(word: &[u8]) -> Option<Token<'_>> {
    if let Some(result) = result_word(word) {
        return Some(Token::Result(result));
    }
    // `1.e4`, `3...a6`, `12`: the number goes; `0-0` stays.
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = &word[digits..];
    let word = match rest.first() {
        None => return None,
        Some(b'.') => &rest[rest.iter().take_while(|&&b| b == b'.').count()..],
        Some(_) => word,
    };
    let end = word.iter().rposition(|b| !matches!(b, b'!' | b'?')).map_or(0, |last| last + 1);
    let word = &word[..end];
    match word {
        b"" | b"e.p." | b"ep" | b"e.p" | b"+" | b"++" | b"#" | b"mate" | b"]" | b"}" | b"[" | b"N" | b"D" => None,
        [b'$', ..] | [b'+', b'-' | b'/', ..] | [b'=', ..] | [b'-', b'+' | b'/', ..] => None,
        _ => Some(Token::Move(word)),
    }
}
