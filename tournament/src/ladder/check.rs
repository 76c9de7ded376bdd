//! What cannot be in a state: the ladder is climbed anew from its games, and the file must say the same.

use std::collections::BTreeSet;

use super::{MatchState, State, points};

/// Lines at most; the rest is counted.
const MAX_LINES: usize = 50;
/// Engines and pairs of a match at most, as in an event.
const MAX_ENGINES: usize = 10_000;

/// The ladder as it follows from the games.
struct Climb<'a> {
    survivors: Vec<&'a str>,
    eliminated: Vec<&'a str>,
    /// The climber and its climb.
    climber: &'a str,
    number: u64,
    /// Pairs that were begun.
    openings: u64,
    open: bool,
}

/// Everything that is impossible in a state, one line each; empty where there is nothing.
#[must_use]
pub fn check(state: &State) -> Vec<String> {
    let mut wrong = Vec::new();
    roster(state, &mut wrong);
    if wrong.is_empty() {
        let climb = climb(state, &mut wrong);
        if wrong.is_empty() {
            compare(state, &climb, &mut wrong);
        }
    }
    if wrong.len() > MAX_LINES {
        let more = wrong.len() - MAX_LINES;
        wrong.truncate(MAX_LINES);
        wrong.push(format!("and {more} more"));
    }
    wrong
}

fn roster(state: &State, wrong: &mut Vec<String>) {
    let ranked: BTreeSet<&str> = state.initial_rankings.iter().map(String::as_str).collect();
    if state.initial_rankings.len() < 2 || state.initial_rankings.len() > MAX_ENGINES {
        wrong.push(format!("InitialRankings has {} engines, expected two or more", state.initial_rankings.len()));
    }
    if ranked.len() < state.initial_rankings.len() || ranked.contains("") {
        wrong.push("InitialRankings names an engine twice, or one without a name".to_owned());
    }
    if state.game_pairs_per_match == 0 || state.game_pairs_per_match > 999_999 {
        wrong.push(format!("GamePairsPerMatch is {}, expected 1 or more", state.game_pairs_per_match));
    }
    let mut seen = BTreeSet::new();
    for engine in state.surviving_engines.iter().chain(&state.eliminated_engines) {
        if !ranked.contains(engine.as_str()) {
            wrong.push(format!("`{engine}` survives or is eliminated, and is not ranked"));
        } else if !seen.insert(engine.as_str()) {
            wrong.push(format!("`{engine}` stands twice in SurvivingEngines and EliminatedEngines"));
        }
    }
    for engine in ranked.iter().filter(|engine| !seen.contains(**engine)) {
        wrong.push(format!("`{engine}` neither survives nor is eliminated"));
    }
    let order = &state.global_opening_order;
    let distinct: BTreeSet<u64> = order.iter().copied().collect();
    if distinct.len() < order.len() || distinct.last().is_some_and(|&last| last >= order.len() as u64) {
        wrong.push("GlobalOpeningOrder is no permutation of 0, 1, …".to_owned());
    }
}

fn climb<'a>(state: &'a State, wrong: &mut Vec<String>) -> Climb<'a> {
    let survivors: Vec<&str> = state.initial_rankings.iter().map(String::as_str).collect();
    let climber = survivors.last().copied().unwrap_or_default();
    let mut climb = Climb { survivors, eliminated: Vec::new(), climber, number: 1, openings: 0, open: false };
    for (at, of) in state.matches.iter().enumerate() {
        let what = format!("match {}", at + 1);
        if of.match_id != at as u64 + 1 {
            wrong.push(format!("{what}: MatchId is {}, expected {}", of.match_id, at + 1));
        }
        if climb.open || climb.survivors.len() < 2 {
            wrong.push(format!("{what}: nothing is to be played after the match before it"));
            return climb;
        }
        let place = climb.survivors.iter().position(|&e| e == climb.climber).unwrap_or(0);
        let Some(defender) = place.checked_sub(1).and_then(|at| climb.survivors.get(at)).copied() else {
            wrong.push(format!("{what}: `{}` has nobody above it", climb.climber));
            return climb;
        };
        if (of.challenger.as_str(), of.defender.as_str()) != (climb.climber, defender) {
            wrong.push(format!(
                "{what}: `{}` challenges `{}`, expected `{}` and `{defender}`",
                of.challenger, of.defender, climb.climber
            ));
            return climb;
        }
        if of.climb_number != climb.number {
            wrong.push(format!("{what}: ClimbNumber is {}, expected {}", of.climb_number, climb.number));
        }
        climb.openings += (of.games.len() as u64).div_ceil(2);
        let before = wrong.len();
        let winner = one_match(of, state.game_pairs_per_match, &what, wrong);
        if wrong.len() > before {
            return climb;
        }
        match winner {
            None => climb.open = true,
            Some(challenger_won) => {
                let loser = if challenger_won { defender } else { climb.climber };
                climb.survivors.retain(|&e| e != loser);
                climb.eliminated.push(loser);
                if !challenger_won {
                    climb.climber = climb.survivors.last().copied().unwrap_or_default();
                    // The last survivor climbs nowhere.
                    climb.number += u64::from(climb.survivors.len() > 1);
                }
            }
        }
    }
    climb
}

/// Whether the challenger won; `None` while the match is open, or where it is wrong.
fn one_match(of: &MatchState, pairs: u32, what: &str, wrong: &mut Vec<String>) -> Option<bool> {
    let scheduled = 2 * u64::from(pairs);
    let mut points_of = [0_u64; 2];
    let mut decided = false;
    for (at, game) in of.games.iter().enumerate() {
        let number = at as u64 + 1;
        if decided {
            wrong.push(format!("{what}: game {number} was played after it was decided"));
            return None;
        }
        if game.game_nr != number {
            wrong.push(format!("{what}: GameNr is {}, expected {number}", game.game_nr));
        }
        let challenger_first = at.is_multiple_of(2);
        let expected = if challenger_first { (&of.challenger, &of.defender) } else { (&of.defender, &of.challenger) };
        if (&game.white, &game.black) != expected {
            wrong.push(format!("{what}: game {number} must be `{}` against `{}`", expected.0, expected.1));
        }
        if let Some(before) = at.checked_sub(1).and_then(|before| of.games.get(before)).filter(|_| !challenger_first)
            && (&game.opening_id, &game.opening_hash) != (&before.opening_id, &before.opening_hash)
        {
            wrong.push(format!("{what}: game {number} has another opening than game {at}, the first of its pair"));
        }
        let Some(white) = points(&game.result) else {
            wrong.push(format!("{what}: game {number} has no result that a finished game has: `{}`", game.result));
            return None;
        };
        let (first, second) = (u64::from(white), 2 - u64::from(white));
        let (challenger, defender) = if challenger_first { (first, second) } else { (second, first) };
        points_of[0] += challenger;
        points_of[1] += defender;
        let lead = points_of[0].abs_diff(points_of[1]);
        decided = if number <= scheduled {
            lead > 2 * (scheduled - number)
        } else {
            // Pairs after a level match are always whole.
            number.is_multiple_of(2) && lead > 0
        };
    }
    let [challenger, defender] = points_of.map(|half| half as f64 / 2.0);
    if (of.score_challenger, of.score_defender) != (challenger, defender) {
        wrong.push(format!(
            "{what}: the score is {} - {}, its {} games make {challenger} - {defender}",
            of.score_challenger,
            of.score_defender,
            of.games.len()
        ));
    }
    if of.is_decided != decided {
        let is = if of.is_decided { "decided" } else { "open" };
        let games = of.games.len();
        wrong.push(format!("{what}: it says {is}, and after {games} of {scheduled} games it cannot be"));
        return None;
    }
    let winner = decided.then_some(if challenger > defender { of.challenger.as_str() } else { of.defender.as_str() });
    let said = of.winner.as_deref().filter(|winner| !winner.is_empty());
    if said != winner {
        wrong.push(format!("{what}: Winner is {}, expected {}", text(said), text(winner)));
    }
    winner.map(|_| challenger > defender)
}

fn text(name: Option<&str>) -> String {
    name.map_or_else(|| "nobody".to_owned(), |name| format!("`{name}`"))
}

fn compare(state: &State, climb: &Climb<'_>, wrong: &mut Vec<String>) {
    if state.surviving_engines != climb.survivors {
        wrong.push(format!("SurvivingEngines must be {}", climb.survivors.join(", ")));
    }
    if state.eliminated_engines != climb.eliminated {
        wrong.push(format!("EliminatedEngines must be {}", climb.eliminated.join(", ")));
    }
    let over = climb.survivors.len() < 2;
    if !over && state.current_climb_number != climb.number {
        wrong.push(format!("CurrentClimbNumber is {}, expected {}", state.current_climb_number, climb.number));
    }
    let index = climb.survivors.iter().position(|&e| e == climb.climber).unwrap_or(0);
    if !over && state.current_climber_index != index {
        wrong.push(format!("CurrentClimberIndex is {}, expected {index}", state.current_climber_index));
    }
    let openings = state.global_opening_order.len() as u64;
    let next = state.next_opening_index;
    // Some write it within the book, some count on.
    let wrapped = openings > 0 && next == climb.openings % openings;
    if next != climb.openings && !wrapped {
        wrong.push(format!("NextOpeningIndex is {next}, but {} pairs were begun", climb.openings));
    }
}

/// A line of the table before a ladder is resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// From 1.
    pub place: usize,
    /// Its name.
    pub engine: String,
    /// Whether it is still in it.
    pub survives: bool,
    /// Whether it is the one that climbs.
    pub climbs: bool,
}

/// The table of a state: survivors, then who is out, last out first.
#[must_use]
pub fn preview(state: &State) -> Vec<Preview> {
    let over = state.surviving_engines.len() < 2;
    let survivors = state.surviving_engines.iter().enumerate().map(|(at, engine)| (engine, true, at));
    let out = state.eliminated_engines.iter().rev().map(|engine| (engine, false, usize::MAX));
    let line = |(at, (engine, survives, index)): (usize, (&String, bool, usize))| Preview {
        place: at + 1,
        engine: engine.clone(),
        survives,
        climbs: !over && index == state.current_climber_index,
    };
    survivors.chain(out).enumerate().map(line).collect()
}
