//! The run without faults: one game after the other, as the event has them due.

use std::collections::BTreeMap;

use rookery_game::opening;
use rookery_tournament::{
    Event, Fact, GameId, LoggedFact, PairId, ResultEntry,
    event::Phase,
    fact::{Location, RosterEntry},
    format::{DueGame, Held},
    season::{self, Closed, LoggedSeasonFact, Opened, Question, SeasonFact, SeasonSpec},
};

use crate::{
    operator::{Deed, REASON, Ruling, UID},
    script::{BOOK, LEVEL_BOOK, Library, Plan},
    shape::Shape,
};

/// How an event ends: what is to be the same however it went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ending {
    /// Place, name, games, half points.
    pub(crate) ranking: Vec<(u32, String, u32, u32)>,
    pub(crate) stops: Vec<String>,
    /// Of each game that counts: who sat where, the opening, half points of `First`.
    pub(crate) games: BTreeMap<(PairId, u8), (u32, u32, u64, u32)>,
}

pub(crate) fn roster(shape: &Shape) -> Vec<RosterEntry> {
    let engine = |name: &str| RosterEntry { engine: name.to_owned(), digest: String::new() };
    shape.spec.engines.iter().map(|engine_spec| engine(&engine_spec.setup.name)).collect()
}

/// The index of a game's opening in the book.
pub(crate) fn opening_of(shape: &Shape, library: &Library, seed: u64, game: &DueGame) -> u64 {
    let openings = &shape.spec.event.openings;
    if let Some(at) = game.level_opening {
        return library.openings() as u64 + at;
    }
    opening::index(seed, BOOK, openings.random, openings.start, game.opening, library.openings() as u64)
}

pub(crate) fn plan_of(shape: &Shape, library: &Library, seed: u64, game: &DueGame) -> Plan {
    let opening = opening_of(shape, library, seed, game);
    library.plan(seed, &game.id.pair.to_string(), game.id.game, opening as usize % library.openings(), shape.crashes)
}

struct Run<'a> {
    event: Event,
    seq: u64,
    shape: &'a Shape,
}

impl Run<'_> {
    fn fact(&mut self, fact: Fact) {
        self.seq += 1;
        self.event.fold_fact(&logged(self.seq, fact));
    }

    fn play(&mut self, game: &DueGame, library: &Library, seed: u64, results: &mut BTreeMap<GameId, ResultEntry>) {
        let plan = plan_of(self.shape, library, seed, game);
        let entry = ResultEntry {
            game: game.id,
            first: game.first,
            second: game.second,
            result: plan.result,
            ending: plan.ending,
            fault: plan.fault,
            plies: plan.plies() as u32,
            opening: opening_of(self.shape, library, seed, game),
            r_mobility: None,
            prediction: None,
            restarts: 0,
            worker: String::new(),
            location: Location::default(),
        };
        self.event.fold_result(&entry);
        results.insert(game.id, entry);
    }
}

fn logged(seq: u64, fact: Fact) -> LoggedFact {
    let (by, reason, request_id) = (String::new(), String::new(), String::new());
    LoggedFact { seq, at_unix_ms: 0, by, reason, request_id, fact }
}

/// All games of an event in starting order.
pub(crate) fn games(event: &Event) -> Vec<DueGame> {
    (0..).map_while(|order| event.game_at(order)).collect()
}

/// An event before its first game.
pub(crate) fn opened(shape: &Shape, library: &Library, seed: u64) -> Event {
    let mut run = Run { event: Event::new(shape.spec.clone()), seq: 0, shape };
    run.fact(Fact::Opened {
        roster: roster(shape),
        book: BOOK.to_owned(),
        book_openings: library.openings() as u64,
        seed,
        opening_offset: shape.spec.event.openings.start,
        spec: String::new(),
        rules_version: 1,
        level_book: if shape.has_level_book() { LEVEL_BOOK.to_owned() } else { String::new() },
        level_openings: if shape.has_level_book() { library.openings() as u64 } else { 0 },
    });
    while let Some(fact) = run.event.facts_due().into_iter().next() {
        run.fact(fact);
    }
    run.event
}

/// Who came and went, in the order on record, and games of who left that were played by then and count: when it was is
/// the run's own.
#[derive(Debug, Default)]
pub(crate) struct Entrants {
    facts: Vec<Fact>,
    played: Vec<GameId>,
}

impl Entrants {
    /// As they are in an event that is over.
    pub(crate) fn of<'a>(event: &Event, facts: impl Iterator<Item = &'a LoggedFact>) -> Self {
        let moves = |fact: &&Fact| matches!(fact, Fact::Joined { .. } | Fact::Withdrawn { .. });
        let left = |id| event.field().get(id).is_none_or(|entrant| entrant.withdrawn.is_some());
        let played = games(event).into_iter().filter(|game| left(game.first) || left(game.second));
        let played = played.map(|game| game.id).filter(|game| event.result(game).is_some()).collect();
        Self { facts: facts.map(|logged| &logged.fact).filter(moves).cloned().collect(), played }
    }

    /// How many came or went.
    pub(crate) const fn moves(&self) -> usize {
        self.facts.len()
    }
}

/// An event that was played without faults.
pub(crate) struct Played {
    event: Event,
    results: BTreeMap<GameId, ResultEntry>,
    stops: Vec<String>,
}

impl Played {
    pub(crate) fn ending(&self) -> Ending {
        ending(&self.event, self.results.values(), self.stops.clone())
    }
}

/// Plays a season without faults; its events by uid.
pub(crate) fn season_without_faults(
    shape: &Shape,
    season: &SeasonSpec,
    library: &Library,
    seed: u64,
) -> Result<BTreeMap<String, Played>, String> {
    let mut played: BTreeMap<String, Played> = BTreeMap::new();
    let mut log: Vec<LoggedSeasonFact> = Vec::new();
    for _ in 0..100 {
        let closed: Vec<Closed> = season
            .events
            .iter()
            .filter_map(|event| {
                let known = played.get(&event.name)?;
                Some(Closed::from_standings(&event.name, &known.event.standings()))
            })
            .collect();
        let skipped = |name: &str| {
            log.iter().any(|logged| matches!(&logged.fact, SeasonFact::Skipped { event, .. } if event == name))
        };
        let next = season.events.iter().find(|event| !played.contains_key(&event.name) && !skipped(&event.name));
        let Some(next) = next else {
            return Ok(played.into_iter().map(|(name, played)| (format!("{UID}-{name}"), played)).collect());
        };
        let so_far = log.clone();
        let mut said = |fact| {
            log.push(LoggedSeasonFact {
                seq: log.len() as u64 + 1,
                at_unix_ms: 0,
                by: String::new(),
                reason: String::new(),
                request_id: String::new(),
                fact,
            });
        };
        match season::open(season, &next.name, &closed, &so_far, seed) {
            Ok(Opened { spec: Some(spec), .. }) => {
                let seed = spec.event.seed.unwrap_or(seed);
                let shape = shape.of_event(*spec);
                let event = without_faults(&shape, library, seed, &[], &Entrants::default())?;
                played.insert(next.name.clone(), event);
            }
            Ok(Opened { why, .. }) => said(SeasonFact::Skipped { event: next.name.clone(), why }),
            Err(questions) => match questions.into_iter().next() {
                Some(Question::Gate { event }) => said(SeasonFact::Advanced { event }),
                Some(Question::Tie { event, mut engines, .. }) => {
                    let Some(known) = played.get_mut(&event) else { return Err(format!("no event {event}")) };
                    engines.sort();
                    engines.reverse();
                    let fact = known.event.ranked(&engines)?;
                    known.event.fold_fact(&logged(0, fact));
                }
                other => return Err(format!("without faults the season comes to {other:?}")),
            },
        }
    }
    Err("without faults the season does not end".to_owned())
}

/// Plays the event without faults; `deeds` are what operators do to its games.
pub(crate) fn without_faults(
    shape: &Shape,
    library: &Library,
    seed: u64,
    deeds: &[Deed],
    entrants: &Entrants,
) -> Result<Played, String> {
    let mut run = Run { event: opened(shape, library, seed), seq: 100, shape };
    let mut results: BTreeMap<GameId, ResultEntry> = BTreeMap::new();
    let take_1 = |(pair, game): (PairId, u8)| GameId { pair, game, take: 1 };
    for deed in deeds {
        match deed {
            Deed::Void(game) => run.fact(Fact::Voided { games: vec![take_1(*game)] }),
            Deed::Rule(game, result) => run.fact(Fact::Ruled { game: take_1(*game), result: *result }),
            _ => {}
        }
    }
    for fact in &entrants.facts {
        run.fact(fact.clone());
    }
    for id in &entrants.played {
        let game = run.event.game(&GameId { take: 1, ..*id }).ok_or_else(|| format!("nobody was to play {id}"))?;
        run.play(&game, library, seed, &mut results);
    }
    let mut stops = Vec::new();
    for _ in 0..10_000 {
        if let Some(fact) = run.event.facts_due().into_iter().next() {
            if let Fact::Stopped { .. } = &fact {
                stops.push(stop_text(&fact));
            }
            run.fact(fact);
            continue;
        }
        if matches!(run.event.phase(), Phase::Finished | Phase::Stopped) {
            return Ok(Played { event: run.event, results, stops });
        }
        if let Phase::Asking(questions) = run.event.phase()
            && let Some(ruling) = questions.iter().find_map(|question| Ruling::on(question))
        {
            let fact = match ruling {
                Ruling::Rank(engines) => run.event.ranked(&engines)?,
                Ruling::Stop => Fact::Stopped { encounter: None, at: None, why: REASON.to_owned() },
            };
            if let Fact::Stopped { .. } = &fact {
                stops.push(stop_text(&fact));
            }
            run.fact(fact);
            continue;
        }
        let aside: Vec<_> = run.event.engines_aside().map(|(engine, _)| engine).collect();
        if let Some(engine) = aside.first() {
            let fact = run.event.retry_engine(*engine);
            run.fact(fact);
            continue;
        }
        let due = run.event.due(&Held::default(), 1, 1);
        let Some(game) = due.first().and_then(|assignment| assignment.games.first()) else { break };
        run.play(game, library, seed, &mut results);
    }
    Err(format!("without faults the event comes to {:?}", run.event.phase()))
}

pub(crate) fn stop_text(fact: &Fact) -> String {
    match fact {
        Fact::Stopped { encounter, at, why } => format!("{encounter:?} {at:?} {why}"),
        _ => String::new(),
    }
}

/// What is to be compared of an event that is over.
pub(crate) fn ending<'a>(event: &Event, results: impl Iterator<Item = &'a ResultEntry>, stops: Vec<String>) -> Ending {
    let lines = event.standings().lines;
    let ranking = lines.iter().map(|line| (line.place, line.engine.clone(), line.games, line.half_points)).collect();
    let counts = |entry: &&ResultEntry| {
        use rookery_tournament::format::Want;
        // A ruling takes the place of a result, which then counts nowhere; it is in the ranking.
        !matches!(event.wants(&entry.game), Want::No(_))
    };
    let games = results.filter(counts).map(|entry| {
        let points = entry.result.half_points(rookery_game::Seat::First);
        ((entry.game.pair, entry.game.game), (entry.first.0, entry.second.0, entry.opening, points))
    });
    Ending { ranking, stops, games: games.collect() }
}
