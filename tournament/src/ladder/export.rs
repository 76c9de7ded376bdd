//! From an event to a state.

use rookery_game::{GameResult, Seat};

use super::{GameState, MatchState, State, check, resume::game_id};
use crate::{EntrantId, Event, Fact, LoggedFact, fact::OpeningName, format::by_rating, spec::FormatSpec};

/// The state of a ladder that is played here. `opening` names the opening with a number, counted in starting order from 0;
/// `order` is the book's order as it is played, empty where it is that of the book; `updated` is a moment as text.
///
/// # Errors
///
/// The event is no ladder, or one that such a file cannot say: an engine left it, or a game was voided.
pub fn export(
    event: &Event,
    log: &[LoggedFact],
    opening: impl Fn(u64) -> OpeningName,
    order: Vec<u64>,
    updated: String,
) -> Result<State, String> {
    let spec = event.spec();
    let FormatSpec::Ladder { pairs, .. } = spec.event.format else {
        return Err("the event is no ladder".to_owned());
    };
    let name = |id: EntrantId| event.field().get(id).map_or_else(String::new, |entrant| entrant.engine.clone());
    let rating = |id: EntrantId| {
        let engine = name(id);
        spec.engines.iter().find(|e| e.setup.name == engine).and_then(|e| e.rating)
    };
    let rankings: Vec<String> = by_rating(event.field(), spec).into_iter().map(name).collect();
    let mut state = State {
        tournament_name: spec.name.clone(),
        game_pairs_per_match: pairs,
        initial_rankings: rankings.clone(),
        surviving_engines: rankings,
        current_climb_number: 1,
        global_opening_order: order,
        updated_utc: updated,
        ..State::default()
    };
    let mut climber = state.surviving_engines.last().cloned().unwrap_or_default();
    for fact in log.iter().flat_map(|logged| logged.fact.each()) {
        let Fact::Drawn { stage: 0, round, order, .. } = fact else { continue };
        let [challenger, defender] = order[..] else { continue };
        let mut of = MatchState {
            match_id: u64::from(*round),
            climb_number: state.current_climb_number,
            challenger: name(challenger),
            defender: name(defender),
            challenger_rating: rating(challenger),
            defender_rating: rating(defender),
            ..MatchState::default()
        };
        let mut half = [0_u32; 2];
        let mut open = false;
        for at in 0.. {
            let id = game_id(*round, challenger, defender, pairs, at);
            let Some(due) = event.game(&id) else { break };
            // The last game that counts is the last that was played; what lies beyond a decision was not.
            let Some(result) = event.result(&id) else {
                open = open || !matches!(event.wants(&id), crate::format::Want::No(_));
                break;
            };
            if at.is_multiple_of(2) {
                state.next_opening_index += 1;
            }
            let seat = if due.first == challenger { Seat::First } else { Seat::Second };
            half[0] += result.half_points(seat);
            half[1] += result.half_points(seat.other());
            let opened = opening(due.opening);
            of.games.push(GameState {
                game_nr: at + 1,
                white: name(due.first),
                black: name(due.second),
                opening_id: opened.id,
                opening_hash: opened.hash,
                result: match result {
                    GameResult::FirstWins => "1-0",
                    GameResult::SecondWins => "0-1",
                    _ => "1/2-1/2",
                }
                .to_owned(),
            });
        }
        [of.score_challenger, of.score_defender] = half.map(|h| f64::from(h) / 2.0);
        of.is_decided = !open && half[0] != half[1];
        if of.is_decided {
            let (winner, loser) = if half[0] > half[1] { (challenger, defender) } else { (defender, challenger) };
            of.winner = Some(name(winner));
            let loser = name(loser);
            state.surviving_engines.retain(|engine| *engine != loser);
            if loser == climber {
                climber = state.surviving_engines.last().cloned().unwrap_or_default();
                state.current_climb_number += u64::from(state.surviving_engines.len() > 1);
            }
            state.eliminated_engines.push(loser);
        }
        state.matches.push(of);
    }
    state.current_climber_index = state.surviving_engines.iter().position(|engine| *engine == climber).unwrap_or(0);
    match check(&state).into_iter().next() {
        None => Ok(state),
        Some(why) => Err(format!("a state file cannot say what was ruled in this ladder: {why}")),
    }
}
