//! An event that is lived through, with all that went on record.

use std::collections::{BTreeMap, BTreeSet};

use rookery_game::{Ending, GameResult, Seat};
use rookery_tournament::{
    EntrantId, Event, Fact, GameId, LoggedFact, PairId, ResultEntry,
    fact::{Location, RosterEntry},
    format::{Assignment, DueGame, Held},
    spec::{Spec, parse},
};

/// A spec with engines A, B, C, … and these lines under `[event]`.
pub(crate) fn spec(engines: u32, lines: &str) -> Spec {
    let engine = |n: u32| format!("[[engine]]\nname = \"{}\"\nprogram = \"x\"\n", name(n));
    let text: String = (0..engines).map(engine).collect();
    parse("t.toml", &format!("{text}[event]\n{lines}\n"), &|_| Err("no file".to_owned()))
        .unwrap_or_else(|e| panic!("{e}"))
        .spec
}

pub(crate) fn name(n: u32) -> String {
    if n < 26 { char::from_u32(u32::from(b'A') + n).unwrap().to_string() } else { format!("N{n}") }
}

pub(crate) fn roster(engines: u32) -> Vec<RosterEntry> {
    (0..engines).map(|n| RosterEntry { engine: name(n), digest: String::new() }).collect()
}

/// How a game would end, the same for the same take: about a third each, and crashes for some.
pub(crate) fn ends(game: &DueGame, crashing: Option<EntrantId>) -> ResultEntry {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in game.id.to_string().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let crash = |seat: Seat| (GameResult::win(seat.other()), Ending::Crash, Some(seat));
    let (result, ending, fault) = match (hash >> 32) % 3 {
        _ if crashing == Some(game.first) => crash(Seat::First),
        _ if crashing == Some(game.second) => crash(Seat::Second),
        0 => (GameResult::FirstWins, Ending::Checkmate, None),
        1 => (GameResult::SecondWins, Ending::Resignation, None),
        _ => (GameResult::Draw, Ending::Repetition, None),
    };
    entry(game, result, ending, fault)
}

pub(crate) fn entry(game: &DueGame, result: GameResult, ending: Ending, fault: Option<Seat>) -> ResultEntry {
    ResultEntry {
        game: game.id,
        first: game.first,
        second: game.second,
        result,
        ending,
        fault,
        plies: 80,
        opening: game.opening,
        prediction: None,
        r_mobility: (result == GameResult::Draw).then_some((game.id.pair.number % 40) as i32 - 20),
        restarts: 0,
        worker: "w".to_owned(),
        location: Location::default(),
    }
}

/// An event and its record.
pub(crate) struct World {
    pub(crate) event: Event,
    pub(crate) log: Vec<LoggedFact>,
    pub(crate) results: Vec<ResultEntry>,
    /// What was ever due: who sat where, with which opening.
    pub(crate) seen: BTreeMap<GameId, DueGame>,
}

impl World {
    pub(crate) fn new(spec: Spec, engines: u32) -> Self {
        Self::with_level_book(spec, engines, 0)
    }

    /// An event with so many openings for what is played after a level match; without a book for that with 0.
    pub(crate) fn with_level_book(spec: Spec, engines: u32, level_openings: u64) -> Self {
        let mut world = Self { event: Event::new(spec), log: Vec::new(), results: Vec::new(), seen: BTreeMap::new() };
        world.fact(Fact::Opened {
            roster: roster(engines),
            book: String::new(),
            book_openings: 0,
            seed: 7,
            opening_offset: 0,
            spec: String::new(),
            rules_version: 1,
            level_book: if level_openings == 0 { String::new() } else { "sha256:l".to_owned() },
            level_openings,
        });
        world.settle();
        world
    }

    pub(crate) fn fact(&mut self, fact: Fact) {
        let logged = LoggedFact {
            seq: self.log.len() as u64 + 1,
            at_unix_ms: 0,
            by: "test".to_owned(),
            reason: String::new(),
            request_id: String::new(),
            fact,
        };
        self.event.fold_fact(&logged);
        self.log.push(logged);
    }

    pub(crate) fn result(&mut self, result: ResultEntry) {
        self.event.fold_result(&result);
        self.results.push(result);
    }

    /// Puts on record what follows.
    pub(crate) fn settle(&mut self) {
        for _ in 0..100 {
            let facts = self.event.facts_due();
            let Some(fact) = facts.into_iter().next() else { return };
            self.fact(fact);
        }
        panic!("facts follow for ever: {:?}", self.event.facts_due());
    }

    /// What is due, after checks that hold for all that is due.
    pub(crate) fn due(&mut self, held: &BTreeSet<PairId>, limit: usize, slots: usize) -> Vec<Assignment> {
        let held = Held { pairs: held.clone(), ..Held::default() };
        let due = self.event.due(&held, limit, slots);
        assert!(due.len() <= limit);
        let recorded: BTreeSet<_> = self.results.iter().map(|r| r.game).collect();
        let mut pairs = BTreeSet::new();
        let mut before = None;
        for assignment in &due {
            assert!(!held.pairs.contains(&assignment.pair), "held {assignment:?}");
            assert!(pairs.insert(assignment.pair) || !assignment.games.is_empty(), "twice {assignment:?}");
            assert!(!assignment.games.is_empty());
            for game in &assignment.games {
                assert!(!recorded.contains(&game.id), "recorded {game:?}");
                assert_eq!(game.id.pair, assignment.pair);
                assert_eq!(self.event.game(&game.id).as_ref(), Some(game));
                let order = self.event.order(&game.id);
                assert!(order.is_some() && order > before, "not in starting order: {game:?}");
                assert_eq!(self.event.game_at(order.unwrap()).as_ref(), Some(game));
                before = order;
                self.seen.insert(game.id, game.clone());
            }
        }
        due
    }

    /// Plays all that is due, in starting order.
    pub(crate) fn play_all(&mut self, crashing: Option<EntrantId>) {
        loop {
            let due = self.due(&BTreeSet::new(), 7, 4);
            if due.is_empty() {
                return;
            }
            for game in due.into_iter().flat_map(|a| a.games) {
                self.result(ends(&game, crashing));
                self.settle();
            }
        }
    }

    /// The same event from what is on record: all facts first, then the results in this order, each twice, through JSON.
    pub(crate) fn refolded(&self, spec: Spec, order: impl Fn(usize) -> u64) -> Event {
        let mut event = Event::new(serde_json::from_str(&serde_json::to_string(&spec).unwrap()).unwrap());
        for fact in &self.log {
            let text = serde_json::to_string(fact).unwrap();
            event.fold_fact(&serde_json::from_str(&text).unwrap());
        }
        let mut results: Vec<_> = self.results.iter().enumerate().collect();
        results.sort_by_key(|(at, _)| order(*at));
        for (_, result) in results {
            let text = serde_json::to_string(result).unwrap();
            event.fold_result(&serde_json::from_str(&text).unwrap());
            event.fold_result(result);
        }
        event
    }

    /// What was once said of a game is still said of it.
    pub(crate) fn nothing_shifted(&self) {
        for (id, game) in &self.seen {
            assert_eq!(self.event.game(id).as_ref(), Some(game));
        }
    }
}

/// All that an event says is the same.
#[track_caller]
pub(crate) fn same(a: &Event, b: &Event) {
    assert_eq!(a.progress(), b.progress());
    assert_eq!(a.phase(), b.phase());
    assert_eq!(a.standings(), b.standings());
    assert_eq!(a.crosstable(), b.crosstable());
    assert_eq!(a.stop_line(), b.stop_line());
    assert_eq!(a.facts_due(), b.facts_due());
    assert_eq!(a.due(&Held::default(), 1000, 3), b.due(&Held::default(), 1000, 3));
}
