//! From a state to an event that goes on with it.

use rookery_game::GameResult;

use super::{State, check, points};
use crate::{
    Event, Fact, GameId, LoggedFact, PairId,
    fact::RosterEntry,
    format::Held,
    spec::{FormatSpec, Spec},
};

/// The facts, after `opened`, by which a new event of this spec goes on with a state: its draws, its decisions, and a
/// person's result for each game, as its moves are not here. The event must be folded from them in this order.
///
/// `opened` is [`Fact::Opened`] of the event; its roster names the engines of the spec.
///
/// # Errors
///
/// What is impossible in the state, and where the spec is of another ladder; one line each.
pub fn resume(state: &State, spec: &Spec, opened: &Fact) -> Result<Vec<Fact>, Vec<String>> {
    let mut wrong = check(state);
    match &spec.event.format {
        FormatSpec::Ladder { pairs, .. } if *pairs == state.game_pairs_per_match => {}
        FormatSpec::Ladder { pairs, .. } => {
            wrong.push(format!("the spec has {pairs} pairs a match, the state {}", state.game_pairs_per_match))
        }
        _ => wrong.push("the spec's format is no ladder".to_owned()),
    }
    if spec.event.games_per_pair != 2 {
        wrong.push("a ladder's state has two games a pair, the spec one".to_owned());
    }
    let roster: &[RosterEntry] = if let Fact::Opened { roster, .. } = opened { roster } else { &[] };
    let mut event = Event::new(spec.clone());
    fold(&mut event, opened.clone());
    let table = event.standings();
    let ranked: Vec<&str> = table.lines.iter().map(|line| line.engine.as_str()).collect();
    if ranked != state.initial_rankings {
        wrong.push(format!(
            "the spec's engines are ranked {}, the state's {}",
            ranked.join(", "),
            state.initial_rankings.join(", ")
        ));
    }
    if !wrong.is_empty() || roster.is_empty() {
        return Err(wrong);
    }
    let mut facts = Vec::new();
    let mut games = state.matches.iter().flat_map(|of| &of.games);
    loop {
        while let Some(fact) = event.facts_due().into_iter().next() {
            fold(&mut event, fact.clone());
            facts.push(fact);
        }
        let Some(game) = games.next() else { return Ok(facts) };
        let due = event.due(&Held::default(), 1, 1).into_iter().next().and_then(|a| a.games.into_iter().next());
        let (Some(due), Some(white)) = (due, points(&game.result)) else {
            return Err(vec![format!("game {} of `{}` is not due", game.game_nr, game.white)]);
        };
        let result = [GameResult::SecondWins, GameResult::Draw, GameResult::FirstWins][white.min(2) as usize];
        let fact = Fact::Ruled { game: due.id, result };
        fold(&mut event, fact.clone());
        facts.push(fact);
    }
}

/// A fact, folded as if it were on record.
fn fold(event: &mut Event, fact: Fact) {
    event.fold_fact(&LoggedFact {
        seq: 0,
        at_unix_ms: 0,
        by: String::new(),
        reason: String::new(),
        request_id: String::new(),
        fact,
    });
}

/// The game of a match: pairs of the first part, then single pairs.
pub(super) fn game_id(round: u16, a: crate::EntrantId, b: crate::EntrantId, pairs: u32, game: u64) -> GameId {
    let pair = (game / 2) as u32;
    let (stage, number) = if pair < pairs { (0, pair + 1) } else { (1, pair - pairs + 1) };
    GameId { pair: PairId { stage, round, a, b, number }, game: (game % 2) as u8 + 1, take: 1 }
}
