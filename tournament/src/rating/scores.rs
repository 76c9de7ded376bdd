//! Games of PGN texts, for rating lists.

use std::hash::{DefaultHasher, Hash, Hasher};

use rookery_game::pgn::{self, Score};

use super::{Collector, Games};

/// What two games of a pair have in common: Rookery's name of the pair, else event and round; `None`: nothing is known.
#[must_use]
pub fn pair_key(score: &Score<'_>) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let pair = match score.name.split_once('/') {
        Some((pair, _)) => pair,
        None if score.round.is_empty() || score.round == "?" || score.round == "-" => return None,
        None => &score.round,
    };
    (score.event.as_ref(), pair).hash(&mut hasher);
    // Rounds of a tournament are shared by many games: with the players' names they are this encounter's alone.
    let (a, b) = (score.first.as_ref(), score.second.as_ref());
    (a.min(b), a.max(b)).hash(&mut hasher);
    Some(hasher.finish())
}

/// The games of a PGN text that have two players and a result, and how many have not.
#[must_use]
pub fn from_pgn(text: &[u8]) -> (Games, u64) {
    let (mut games, mut without) = (Collector::default(), 0);
    pgn::scores(text, false, |score| match score.result {
        Some(result) => games.add(&score.first, &score.second, result, pair_key(score)),
        None => without += 1,
    });
    let passed = games.passed();
    (games.finish(), without + passed)
}
