//! `info` lines: which one to keep, and what it says.

use rookery_game::Score;

use super::words::{Words, number};
use crate::engine::SearchInfo;

/// Whether a line carries the score of the move: exact, and of the first variation. Cheap: it stops at the score.
pub(crate) fn is_kept(words: Words<'_>) -> bool {
    let mut words = words.peekable();
    let mut first_variation = true;
    let mut exact = false;
    while let Some(word) = words.next() {
        match word {
            b"string" => break,
            b"multipv" => {
                first_variation = words.peek().is_some_and(|n| *n == b"1");
                if !first_variation {
                    return false;
                }
            }
            b"score" => {
                let (kind, value) = (words.next(), words.next());
                exact = matches!(kind, Some(b"cp" | b"mate")) && value.is_some_and(|v| number::<i64>(v).is_some());
                if !exact {
                    return false;
                }
                // Bounds follow the value at once; `wdl` may stand between.
                while let Some(next) = words.next() {
                    match next {
                        b"lowerbound" | b"upperbound" => return false,
                        b"multipv" => return first_variation && words.next().is_some_and(|n| n == b"1"),
                        b"pv" | b"string" => return true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    exact && first_variation
}

/// What follows `info string conditional`, where the line is one.
pub(crate) fn conditional(mut words: Words<'_>) -> Option<&[u8]> {
    (words.next() == Some(b"string") && words.next() == Some(b"conditional")).then(|| words.rest())
}

/// Whether words are `offer draw`, also after `string`.
pub(crate) fn is_offer(words: Words<'_>) -> bool {
    let mut words = words.filter(|word| *word != b"string");
    words.next() == Some(b"offer") && words.next() == Some(b"draw") && words.next().is_none()
}

/// Reads a kept line.
pub(crate) fn parse(words: Words<'_>) -> SearchInfo {
    let mut info = SearchInfo::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            b"depth" => info.depth = words.next().and_then(number).unwrap_or(0),
            b"seldepth" => info.selective_depth = words.next().and_then(number).unwrap_or(0),
            b"nodes" => info.nodes = words.next().and_then(number).unwrap_or(0),
            b"tbhits" => info.tablebase_hits = words.next().and_then(number).unwrap_or(0),
            b"score" => {
                let (kind, value) = (words.next(), words.next().and_then(number::<i64>));
                info.score = match (kind, value) {
                    (Some(b"cp"), Some(value)) => Some(Score::Cp(saturate(value))),
                    (Some(b"mate"), Some(value)) => Some(Score::Mate(saturate(value))),
                    _ => None,
                };
            }
            b"pv" => {
                while let Some(mv) = words.next_if(|word| !is_keyword(word)) {
                    if let Ok(mv) = std::str::from_utf8(mv) {
                        if !info.pv.is_empty() {
                            info.pv.push(' ');
                        }
                        info.pv.push_str(mv);
                    }
                }
            }
            b"string" => break,
            _ => {}
        }
    }
    info
}

fn saturate(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN + 1 } else { i32::MAX })
}

fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"depth"
            | b"seldepth"
            | b"time"
            | b"nodes"
            | b"nps"
            | b"score"
            | b"multipv"
            | b"string"
            | b"hashfull"
            | b"tbhits"
            | b"currmove"
            | b"currmovenumber"
            | b"cpuload"
            | b"refutation"
            | b"currline"
            | b"wdl"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(line: &str) -> Option<SearchInfo> {
        let mut words = Words::new(line.as_bytes());
        assert_eq!(words.next(), Some(&b"info"[..]));
        is_kept(words.clone()).then(|| parse(words))
    }

    fn check(line: &str, expected: Option<(Score, u32, &str)>) {
        let found = kept(line);
        let found = found.as_ref().map(|i| (i.score, i.depth, i.pv.as_str()));
        assert_eq!(found, expected.map(|(s, d, pv)| (Some(s), d, pv)), "{line}");
    }

    #[test]
    fn exact_scores_of_the_first_variation_are_kept() {
        check("info depth 10 score cp 12 nodes 9 pv e2e4", Some((Score::Cp(12), 10, "e2e4")));
        check("info\tdepth  7 score\tmate -3 pv  e2e4\te7e5 ", Some((Score::Mate(-3), 7, "e2e4 e7e5")));
        check("info depth 11 score cp -2500 upperbound pv e2e4", None);
        check("info depth 11 score mate 9 lowerbound nodes 300", None);
        check("info depth 3 score cp 5 wdl 1 2 3 upperbound pv e2e4", None);
        check("info multipv 2 depth 3 score cp 5 pv e2e4", None);
        check("info depth 3 score cp 5 multipv 2 pv e2e4", None);
        check("info depth 3 score cp 5 multipv 1 pv e2e4", Some((Score::Cp(5), 3, "e2e4")));
        check("info string score cp 900", None);
        check("info depth 3 currmove e2e4", None);
        check("info score cp", None);
        check("info score cp x", None);
        check("info score", None);
        check("info pv e2e4 e7e5 score cp 8 depth 4", Some((Score::Cp(8), 4, "e2e4 e7e5")));
        check("info score cp 99999999999 depth 1", Some((Score::Cp(i32::MAX), 1, "")));
        check("info score mate -99999999999", Some((Score::Mate(i32::MIN + 1), 0, "")));
    }
}
