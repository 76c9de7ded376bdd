//! What lines mean, given what was said before. No process, no time.

use super::{
    info,
    options::{self, UciOption},
    words::Words,
};
use crate::engine::{SearchInfo, ccp::Additions, limits::MAX_OPTIONS, transcript::clean};

/// Characters of a move that are kept; the longest legal one, a path over twenty holes, has 79.
const MOVE_LENGTH: usize = 100;
/// Characters of a string of conditional moves that are kept.
const STRING_LENGTH: usize = 16 * rookery_game::prediction::MAX_STRING;
/// Bytes of a line that may be `info string offer draw`, blanks included.
const OFFER_LENGTH: usize = 64;
/// Characters of a name that are kept.
const NAME_LENGTH: usize = 256;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum State {
    /// `uci` or `ccp` was said.
    #[default]
    Booting,
    /// `isready` was said.
    Readying,
    Idle,
    Thinking,
    /// `go ponder` was said. An answer now is too early: it is kept in `early`.
    Pondering,
    /// A search was broken off; its answer is dropped.
    Dropping,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    Nothing,
    Started,
    Ready,
    Move {
        text: String,
        ponder: Option<String>,
        info: SearchInfo,
    },
    /// It takes the draw that it was offered.
    Accept,
    /// The dropped answer came.
    Idle,
    /// Worth a warning.
    Odd(&'static str),
}

#[derive(Debug, Default)]
pub(super) struct Brain {
    pub(super) state: State,
    /// It speaks CCP: `isready` was said with `ccp`, and whatever answers that is over at `readyok`.
    pub(super) ccp: bool,
    /// It answered `ccp` by one of the words that do.
    pub(super) greeted: bool,
    /// What it declared beyond CCP.
    pub(super) additions: Additions,
    pub(super) options: Vec<UciOption>,
    pub(super) id_name: String,
    pub(super) id_author: String,
    pub(super) early: Option<Heard>,
    /// It repeated our `uci`.
    echoed: bool,
    /// The last `info` line with an exact score, parsed only with the move.
    kept: Vec<u8>,
    /// The last `info` line of any kind that is not kept, for [`Self::nodes`].
    passed: Vec<u8>,
    /// The last `conditional` line of this search.
    conditional: Option<String>,
    /// It was asked whether it takes a draw, and may answer.
    pub(super) offered: bool,
    /// It offers a draw with the move that it is thinking about.
    offers: bool,
    /// It may offer draws and take them.
    pub(super) knows_offers: bool,
}

impl Brain {
    /// Before the greeting of an engine that speaks CCP, or UCI.
    pub(super) fn new(ccp: bool) -> Self {
        Self { ccp, ..Self::default() }
    }

    /// Whether it has done nothing so far but repeat what it was told.
    pub(super) fn echoes(&self) -> bool {
        self.state == State::Booting && self.echoed && self.id_name.is_empty() && self.options.is_empty()
    }

    /// Nodes of the running search, as last reported; 0 where nothing was.
    pub(super) fn nodes(&self) -> u64 {
        info::parse(Words::new(&self.kept)).nodes.max(info::parse(Words::new(&self.passed)).nodes)
    }

    pub(super) fn search(&mut self, state: State) {
        self.state = state;
        self.kept.clear();
        self.passed.clear();
        self.conditional = None;
        self.offers = false;
        self.early = None;
    }

    pub(super) fn ponder_hit(&mut self) -> Option<Heard> {
        let early = self.early.take();
        self.state = if early.is_some() { State::Idle } else { State::Thinking };
        early
    }

    pub(super) fn line(&mut self, line: &[u8]) -> Heard {
        let mut words = Words::new(line);
        let searching = matches!(self.state, State::Thinking | State::Pondering);
        if self.knows_offers && line.len() < OFFER_LENGTH && self.is_offer(words.clone()) {
            return self.offer(searching);
        }
        match words.next() {
            Some(b"conditional") if searching => {
                self.conditional = Some(cut(words.rest(), STRING_LENGTH));
                Heard::Nothing
            }
            Some(b"info") if searching => {
                if let Some(line) = info::conditional(words.clone()) {
                    self.conditional = Some(cut(line, STRING_LENGTH));
                    return Heard::Nothing;
                }
                let place = if info::is_kept(words) { &mut self.kept } else { &mut self.passed };
                place.clear();
                place.extend_from_slice(line);
                Heard::Nothing
            }
            Some(b"bestmove") => self.best_move(words),
            Some(b"ccpok") if self.ccp => {
                self.greeted = true;
                Heard::Nothing
            }
            Some(b"protocol") if self.ccp && self.state == State::Booting => {
                self.greeted = true;
                self.additions.declare(words);
                Heard::Nothing
            }
            Some(b"readyok") if self.ccp && self.greeted && self.state == State::Booting => {
                self.state = State::Readying;
                Heard::Started
            }
            Some(b"uciok") if !self.ccp && self.state == State::Booting => {
                self.state = State::Readying;
                Heard::Started
            }
            Some(b"readyok") if self.state == State::Readying => {
                self.offered = false;
                self.state = State::Idle;
                Heard::Ready
            }
            Some(b"uci" | b"ccp") if self.state == State::Booting => {
                self.echoed = true;
                Heard::Nothing
            }
            Some(b"id") if self.state == State::Booting => {
                self.greeted = true;
                match words.next() {
                    Some(b"name") => self.id_name = cut(words.rest(), NAME_LENGTH),
                    Some(b"author") => self.id_author = cut(words.rest(), NAME_LENGTH),
                    _ => {}
                }
                Heard::Nothing
            }
            Some(b"option") if self.state == State::Booting => match options::parse(words) {
                Some(_) if self.options.len() >= MAX_OPTIONS => Heard::Odd("more options than are kept"),
                Some(option) => {
                    self.options.push(option);
                    Heard::Nothing
                }
                None => Heard::Odd("option line not understood"),
            },
            _ => Heard::Nothing,
        }
    }

    fn is_offer(&self, mut words: Words<'_>) -> bool {
        info::is_offer(words.clone()) || (words.next() == Some(b"info") && info::is_offer(words))
    }

    /// `offer draw` takes a draw that is on offer; else it offers one with the move that is thought about.
    fn offer(&mut self, searching: bool) -> Heard {
        if std::mem::replace(&mut self.offered, false) {
            return Heard::Accept;
        }
        self.offers |= searching;
        Heard::Nothing
    }

    fn best_move(&mut self, mut words: Words<'_>) -> Heard {
        match self.state {
            State::Thinking => self.state = State::Idle,
            State::Pondering if self.early.is_none() => {}
            State::Dropping => {
                self.state = State::Idle;
                return Heard::Idle;
            }
            _ => return Heard::Odd("bestmove without a search, dropped"),
        }
        let text = words.next().map(a_move).unwrap_or_default();
        let ponder = match (words.next(), words.next()) {
            (Some(b"ponder"), Some(word)) => Some(a_move(word)),
            _ => None,
        };
        let mut kept = Words::new(&self.kept);
        kept.next();
        let offer = std::mem::take(&mut self.offers);
        let info = SearchInfo { conditional: self.conditional.take(), offer, ..info::parse(kept) };
        self.offered &= self.state == State::Pondering;
        let heard = Heard::Move { text, ponder, info };
        if self.state == State::Pondering {
            self.early = Some(heard);
            return Heard::Odd("bestmove while pondering");
        }
        heard
    }
}

/// A move as it stands: bytes that are no text make it another one, they do not fall out of it.
fn a_move(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(&word[..word.len().min(4 * MOVE_LENGTH)]);
    let shown = text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    shown.take(MOVE_LENGTH).collect()
}

fn cut(bytes: &[u8], length: usize) -> String {
    let text = clean(&bytes[..bytes.len().min(4 * length)]);
    if text.chars().count() > length { text.chars().take(length).collect() } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best(brain: &mut Brain, line: &str) -> Option<(String, Option<String>)> {
        brain.search(State::Thinking);
        match brain.line(line.as_bytes()) {
            Heard::Move { text, ponder, .. } => Some((text, ponder)),
            _ => None,
        }
    }

    #[test]
    fn forms_of_bestmove() {
        let mut brain = Brain::default();
        let some = |text: &str, ponder: Option<&str>| Some((text.to_owned(), ponder.map(str::to_owned)));
        assert_eq!(best(&mut brain, "bestmove e2e4 ponder e7e5"), some("e2e4", Some("e7e5")));
        assert_eq!(best(&mut brain, " \tbestmove  e2e4 \r"), some("e2e4", None));
        assert_eq!(best(&mut brain, "bestmove"), some("", None));
        assert_eq!(best(&mut brain, "bestmove e2e4 ponder"), some("e2e4", None));
        assert_eq!(best(&mut brain, "bestmovee2e4"), None);
        assert_eq!(best(&mut brain, "xbestmove e2e4"), None);
    }

    #[test]
    fn ccp_greets_by_any_of_three_words() {
        for greeting in ["ccpok", "id name X", "protocol ccp 1 newgame"] {
            let mut brain = Brain { ccp: true, ..Brain::default() };
            assert_eq!(brain.line(b"readyok"), Heard::Nothing, "who answers nothing else speaks something else");
            assert_eq!(brain.line(greeting.as_bytes()), Heard::Nothing, "{greeting}");
            assert_eq!(brain.line(b"option name Threads type spin default 1 min 1 max 8"), Heard::Nothing);
            assert_eq!(brain.line(b"readyok"), Heard::Started, "{greeting}");
            assert_eq!(brain.line(b"readyok"), Heard::Ready);
            assert_eq!((brain.options.len(), brain.additions.new_game), (1, greeting.ends_with("newgame")));
        }
        let mut brain = Brain { ccp: true, ..Brain::default() };
        assert_eq!(brain.line(b"uciok"), Heard::Nothing);
    }

    /// Pieces of lines, and bytes that are none.
    fn line() -> impl Strategy<Value = Vec<u8>> {
        let words: Vec<&[u8]> = vec![
            b"ccp",
            b"ccpok",
            b"readyok",
            b"bestmove",
            b"conditional",
            b"protocol",
            b"id",
            b"name",
            b"info",
            b"string",
            b"offer",
            b"draw",
            b"pv",
            b"score",
            b"cp",
            b"option",
            b"type",
            b"spin",
            b"3-14",
            b"111-102",
            b"4,15,13",
            b"0000",
            b"-1",
            b"99999999999999999999",
            b"\xff\xfe",
            b"\0",
            b" ",
            b"\t",
            b"\r",
        ];
        let word = prop_oneof![
            6 => prop::sample::select(words).prop_map(<[u8]>::to_vec),
            1 => prop::collection::vec(any::<u8>(), 0..20),
        ];
        prop::collection::vec(word, 0..12).prop_map(|words| words.join(&b' '))
    }

    proptest! {
        /// Whatever is written, in whatever state: it is answered, and what is kept of it is short and can be shown.
        #[test]
        fn no_line_holds_it(lines in prop::collection::vec((line(), 0..5_u8), 1..20), ccp: bool) {
            let mut brain = Brain::new(ccp);
            for (line, state) in lines {
                match state {
                    0 => brain.search(State::Thinking),
                    1 => brain.search(State::Pondering),
                    2 => drop(brain.ponder_hit()),
                    _ => {}
                }
                if let Heard::Move { text, info, .. } = brain.line(&line) {
                    prop_assert!(text.chars().count() <= MOVE_LENGTH && !text.chars().any(char::is_control), "{text:?}");
                    let string = info.conditional.unwrap_or_default();
                    prop_assert!(string.chars().count() <= STRING_LENGTH && !string.chars().any(char::is_control));
                }
                prop_assert!(brain.options.len() <= MAX_OPTIONS && brain.id_name.chars().count() <= NAME_LENGTH);
            }
        }
    }

    #[test]
    fn a_second_answer_is_dropped() {
        let mut brain = Brain::default();
        assert!(best(&mut brain, "bestmove e2e4").is_some());
        assert_eq!(brain.line(b"bestmove e2e4"), Heard::Odd("bestmove without a search, dropped"));
        brain.search(State::Dropping);
        assert_eq!(brain.line(b"bestmove e2e4"), Heard::Idle);
        assert_eq!(brain.state, State::Idle);
    }

    #[test]
    fn strings_come_before_the_move() {
        let mut brain = Brain::default();
        let mut string = |lines: &[&str]| {
            brain.search(State::Thinking);
            lines.iter().for_each(|line| assert_eq!(brain.line(line.as_bytes()), Heard::Nothing));
            match brain.line(b"bestmove e2e4") {
                Heard::Move { info, .. } => info.conditional,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(string(&["conditional e7e5 g1f3"]).as_deref(), Some("e7e5 g1f3"));
        assert_eq!(string(&["info string conditional c7c5 b1c3", "info string hello"]).as_deref(), Some("c7c5 b1c3"));
        assert_eq!(string(&["conditional e7e5 g1f3", "conditional"]).as_deref(), Some(""));
        assert_eq!(string(&["info depth 1 score cp 3 pv e2e4"]), None);
    }

    #[test]
    fn offers_are_made_with_a_move_and_taken_where_one_was_made() {
        let offered = |brain: &mut Brain, lines: &[&str]| {
            lines.iter().for_each(|line| assert_eq!(brain.line(line.as_bytes()), Heard::Nothing, "{line}"));
            match brain.line(b"bestmove e2e4") {
                Heard::Move { info, .. } => info.offer,
                other => panic!("{other:?}"),
            }
        };
        let mut brain = Brain { knows_offers: true, ..Brain::default() };
        for (lines, expect) in [
            (&["offer draw"][..], true),
            (&[" \tinfo string  offer draw\r"], true),
            (&["offer draw", "info depth 9 score cp 0 pv e2e4"], true),
            (&["offer", "offer draws", "offer draw now", "draw", "info offer", "info string no offer draw"], false),
            (&[], false),
        ] {
            brain.search(State::Thinking);
            assert_eq!(offered(&mut brain, lines), expect, "{lines:?}");
        }
        // Where one is on offer the same words take it, once; a move declines it.
        brain.offered = true;
        brain.search(State::Thinking);
        assert_eq!(brain.line(b"offer draw"), Heard::Accept);
        assert!(offered(&mut brain, &["offer draw"]));
        brain.offered = true;
        brain.search(State::Thinking);
        assert!(!offered(&mut brain, &[]) && !brain.offered);
        // Asked between moves it has until `readyok`.
        brain.offered = true;
        brain.state = State::Readying;
        assert_eq!((brain.line(b"readyok"), brain.offered), (Heard::Ready, false));
        assert_eq!(brain.line(b"offer draw"), Heard::Nothing);
        brain.search(State::Thinking);
        assert!(!offered(&mut brain, &[]), "what was said before is not of this move");
        let mut other = Brain::default();
        other.search(State::Thinking);
        assert!(!offered(&mut other, &["offer draw"]), "it does not know offers");
    }

    #[test]
    fn an_answer_while_pondering_waits_for_the_hit() {
        let mut brain = Brain::default();
        brain.search(State::Pondering);
        assert!(matches!(brain.line(b"bestmove e2e4"), Heard::Odd(_)));
        assert!(matches!(brain.ponder_hit(), Some(Heard::Move { .. })));
        assert_eq!(brain.state, State::Idle);
    }
}
