//! Who played whom and how it ended, from files of any size: no move is read.

use std::borrow::Cow;

use memchr::memmem;

use super::{split::result_word, tag};
use crate::GameResult;

/// What a game's tags say of it. Values are borrowed where they are plain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Score<'a> {
    /// `Event`.
    pub event: Cow<'a, str>,
    /// `Round`.
    pub round: Cow<'a, str>,
    /// `White`.
    pub first: Cow<'a, str>,
    /// `Black`.
    pub second: Cow<'a, str>,
    /// `Termination`.
    pub termination: Cow<'a, str>,
    /// `RookeryGame`: the game's name where Rookery wrote it.
    pub name: Cow<'a, str>,
    /// By `Result`, else by the word after the moves; `None` is `*`, or none at all.
    pub result: Option<GameResult>,
}

/// The scores of the games in `text`, each told to `each`; how many bytes were used. With `more` to come, the last game is
/// left for the next call, as its end is not there yet.
///
/// A tag is a line that begins with `[`, a letter, and has a quote; a header ends at the first line that is something else.
/// Moves are passed over by a search for the next such line, so that a game costs the length of its header. A comment with a
/// line that looks like a tag begins a game without players, which is not told.
pub fn scores(text: &[u8], more: bool, mut each: impl FnMut(&Score<'_>)) -> usize {
    let finder = memmem::Finder::new(b"\n[");
    let next_tag = |from: usize| -> Option<usize> {
        let mut from = from;
        while let Some(found) = finder.find(text.get(from..)?) {
            let at = from + found + 1;
            if is_tag_line(&text[at..]) {
                return Some(at);
            }
            from = at;
        }
        None
    };
    // A first line has no line before it.
    let mut start = if is_tag_line(text) { Some(0) } else { next_tag(0) };
    let mut used = if more { start.unwrap_or(0) } else { text.len() };
    while let Some(header) = start {
        let end = header_end(text, header);
        let next = next_tag(end.saturating_sub(1));
        if more && next.is_none() {
            used = header;
            break;
        }
        let mut score = read(&text[header..end]);
        if score.result.is_none() && (!score.first.is_empty() || !score.second.is_empty()) {
            score.result = last_word(&text[end..next.unwrap_or(text.len())]);
        }
        if !score.first.is_empty() && !score.second.is_empty() {
            each(&score);
        }
        start = next;
    }
    used
}

fn is_tag_line(line: &[u8]) -> bool {
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic())
}

/// The byte after the tags that begin at `at`. A second `Event` begins another game: one without moves.
fn header_end(text: &[u8], at: usize) -> usize {
    let mut end = at;
    let mut events = 0;
    while is_tag_line(&text[end..]) {
        events += u32::from(text[end..].starts_with(b"[Event "));
        if events > 1 {
            return end;
        }
        end = memchr::memchr(b'\n', &text[end..]).map_or(text.len(), |line| end + line + 1);
    }
    end
}

fn read(header: &[u8]) -> Score<'_> {
    let mut score = Score::default();
    let mut at = 0;
    while at < header.len() {
        let end = memchr::memchr(b'\n', &header[at..]).map_or(header.len(), |end| at + end);
        let line = &header[at..end];
        at = end + 1;
        let name = &line[1..line.iter().position(|&b| b == b' ' || b == b'"').unwrap_or(line.len()).max(1)];
        let value = match name {
            b"Event" => &mut score.event,
            b"Round" => &mut score.round,
            b"White" => &mut score.first,
            b"Black" => &mut score.second,
            b"Termination" => &mut score.termination,
            b"RookeryGame" => &mut score.name,
            b"Result" => {
                score.result = result_word(value(line).trim().as_bytes()).flatten();
                continue;
            }
            _ => continue,
        };
        if value.is_empty() {
            *value = self::value(line);
        }
    }
    score
}

/// The value of a tag's line: the short way where nothing is escaped, else as every other reader here.
fn value(line: &[u8]) -> Cow<'_, str> {
    let Some(open) = memchr::memchr(b'"', line) else { return Cow::Borrowed("") };
    let rest = &line[open + 1..];
    if let Some(close) = memchr::memchr2(b'"', b'\\', rest)
        && rest[close] == b'"'
        && rest[close + 1..].trim_ascii() == b"]"
        && let Ok(plain) = std::str::from_utf8(&rest[..close])
    {
        return Cow::Borrowed(plain);
    }
    Cow::Owned(tag::first(line))
}

/// The result word at the end of the moves.
fn last_word(moves: &[u8]) -> Option<GameResult> {
    let moves = moves.trim_ascii_end();
    let start = moves.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    result_word(&moves[start..]).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, piece: usize) -> Vec<String> {
        let (mut found, mut rest, mut told) = (Vec::new(), Vec::new(), 0);
        let bytes = text.as_bytes();
        loop {
            let next = (told + piece).min(bytes.len());
            rest.extend_from_slice(&bytes[told..next]);
            told = next;
            let used = scores(&rest, told < bytes.len(), |s| {
                let result = s.result.map_or("*", GameResult::as_str);
                found.push(format!("{}-{} {result} {}", s.first, s.second, s.round));
            });
            rest.drain(..used);
            if told == bytes.len() {
                assert!(rest.is_empty());
                return found;
            }
        }
    }

    const TEXT: &str = "\u{feff}; a book\n[Event \"a\"]\n[White \"A \\\"x\\\"\"]\n[Black \"B\"]\n[Result \"1-0\"]\n[Round \"1.2\"]\n\n\
        1. e4 {a\n[%clk 0:00:01]} e5 1-0\n\n[White \"C\"]\r\n[Black \"D\"]\r\n[Result \"*\"]\r\n\r\n1. d4 1/2-1/2\r\n\r\n\
        [Event \"no moves\"]\n[White \"E\"]\n[Black \"F\"]\n[Result \"0-1\"]\n[Event \"b\"]\n[White \"G\"]\n[Black \"H\"]\n\n*\n\
        [Event \"nobody\"]\n\n1-0\n[White \"I\"]\n[Black \"J\"]\n[Result \"1/2-1/2\"]";

    #[test]
    fn games_of_all_kinds() {
        let expected = ["A \"x\"-B 1-0 1.2", "C-D 1/2-1/2 ", "E-F 0-1 ", "G-H * ", "I-J 1/2-1/2 "];
        assert_eq!(all(TEXT, usize::MAX / 2), expected);
    }

    #[test]
    fn pieces_of_any_length_give_the_same_games() {
        let whole = all(TEXT, usize::MAX / 2);
        for piece in 1..80 {
            assert_eq!(all(TEXT, piece), whole, "{piece}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_byte_stops_it(text in "(\\[[A-Za-z]{0,6} ?\"?[^\\n]{0,9}\"?\\]?\\n|[^\\n]{0,12}\\n|\\[|1-0|\")*", piece in 1usize..40) {
            let _ = all(&text, piece);
        }
    }
}
