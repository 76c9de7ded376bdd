//! The ladder: the last survivor challenges the one above it; who loses is out (seeds of the ranking: ratings, missing
//! ones last, equal ones as listed). The challenger has `First` in the first game of each pair, also after a level match.
//!
//! On record: stage 0 has the matches, challenger first; stage 1 single pairs after a level one.

use super::{Batch, Draw, Field, Format, Layout, MAX_ROUNDS, Schedule, pairs};
use crate::{EntrantId, Fact, event::View, spec::Spec};

const TIE_BREAK: u8 = 1;
/// Pairs after one level match at most: the digits of a pair's number are no bound, a book that only draws is none either.
const MAX_TIE_BREAKS: u32 = 9_999;

/// A match of a ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Match {
    /// The attempt from the bottom that it belongs to, from 1.
    pub(crate) climb: u64,
    /// Who challenges.
    pub(crate) challenger: EntrantId,
    /// Who is above.
    pub(crate) defender: EntrantId,
    /// Pairs after a level match.
    pub(crate) ties: u32,
}

/// A ladder.
#[derive(Debug, Default)]
pub(super) struct Ladder {
    /// Best first.
    survivors: Vec<EntrantId>,
    /// First out first.
    eliminated: Vec<EntrantId>,
    matches: Vec<Match>,
}

/// Entrants by their ratings, best first; who has none comes last.
pub(crate) fn by_rating(field: &Field, spec: &Spec) -> Vec<EntrantId> {
    let rating = |id: &EntrantId| {
        let name = field.get(*id).map(|entrant| entrant.engine.as_str());
        let engine = spec.engines.iter().find(|engine| Some(engine.setup.name.as_str()) == name);
        engine.and_then(|engine| engine.rating).unwrap_or(f64::NEG_INFINITY)
    };
    let mut ids: Vec<EntrantId> = field.ids().collect();
    ids.sort_by(|a, b| rating(b).total_cmp(&rating(a)));
    ids
}

impl Ladder {
    fn eliminate(&mut self, entrant: EntrantId) {
        let before = self.survivors.len();
        self.survivors.retain(|&e| e != entrant);
        if self.survivors.len() < before {
            self.eliminated.push(entrant);
        }
    }

    /// Winner and loser of the last match; `None` while it is open or level.
    fn last(&self, view: &View<'_>) -> Result<(EntrantId, EntrantId), Undecided> {
        let last = self.matches.last().ok_or(Undecided::Open)?;
        let (one, other) = (last.challenger, last.defender);
        match (self.survivors.contains(&one), self.survivors.contains(&other)) {
            (true, false) => return Ok((one, other)),
            (false, _) => return Ok((other, one)),
            (true, true) => {}
        }
        let round = self.matches.len() as u16;
        let parts = std::iter::once((0, 1)).chain((1..=last.ties).map(|number| (TIE_BREAK, number)));
        for (stage, number) in parts {
            let score = view.score(stage, round, number, one, other);
            if score.open > 0 {
                return Err(Undecided::Open);
            }
            if !score.is_level() {
                return Ok(if score.points[0] > score.points[1] { (one, other) } else { (other, one) });
            }
        }
        Err(Undecided::Level)
    }

    /// Challenger and defender of the match after the last one.
    fn next(&self, view: &View<'_>) -> Option<(EntrantId, EntrantId)> {
        let mut left = self.survivors.clone();
        let mut challenger = *left.last()?;
        if !self.matches.is_empty() {
            let (winner, loser) = self.last(view).ok()?;
            left.retain(|&e| e != loser);
            challenger = *left.last()?;
            // A challenger that won climbs on; a defender that won is the new bottom, or stands above it.
            if self.matches.last().is_some_and(|last| last.challenger == winner) && left.contains(&winner) {
                challenger = winner;
            }
        }
        let at = left.iter().position(|&e| e == challenger)?.checked_sub(1)?;
        Some((challenger, left[at]))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Undecided {
    Open,
    Level,
}

impl Format for Ladder {
    fn fold(&mut self, fact: &Fact, field: &Field, spec: &Spec, schedule: &mut Schedule) {
        match fact {
            Fact::Opened { .. } => self.survivors = by_rating(field, spec),
            Fact::Withdrawn { entrant, .. } => self.eliminate(*entrant),
            Fact::Decided { pair, .. } => {
                // The next match begins with the next opening that was not used.
                if let Some(place) = schedule.find(pair) {
                    schedule.give_back(&place);
                }
            }
            Fact::Drawn { stage: 0, round, order, .. } if usize::from(*round) == self.matches.len() + 1 => {
                let [challenger, defender] = order[..] else { return };
                let mut climb = 1;
                if let Some(last) = self.matches.last().copied() {
                    climb = last.climb + u64::from(last.challenger != challenger);
                    // Who challenged and is not the next challenger lost; else the defender did.
                    let out = if last.challenger == challenger { last.defender } else { last.challenger };
                    self.eliminate(out);
                }
                self.matches.push(Match { climb, challenger, defender, ties: 0 });
                schedule.draw(Batch {
                    stage: 0,
                    round: *round,
                    label: climb,
                    layout: Layout::list(&[(challenger, defender)]),
                    pairs: pairs(&spec.event.format),
                    from: 0,
                    decides: true,
                    at: None,
                    openings: Vec::new(),
                });
            }
            Fact::Drawn { stage: TIE_BREAK, round, .. } if usize::from(*round) == self.matches.len() => {
                let Some(last) = self.matches.last_mut() else { return };
                last.ties += 1;
                schedule.draw(Batch {
                    stage: TIE_BREAK,
                    round: *round,
                    label: last.climb,
                    layout: Layout::list(&[(last.challenger, last.defender)]),
                    pairs: 1,
                    from: last.ties - 1,
                    decides: false,
                    at: None,
                    openings: Vec::new(),
                });
            }
            _ => {}
        }
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        let number = self.matches.len() as u16;
        if let Some(last) = self.matches.last() {
            match self.last(view) {
                Err(Undecided::Open) => return Draw::default(),
                Err(Undecided::Level) if last.ties >= MAX_TIE_BREAKS => {
                    return Draw::ask("the match is still level, and no more pairs can be drawn");
                }
                Err(Undecided::Level) => return Draw::of(TIE_BREAK, number, vec![last.challenger, last.defender]),
                Ok(_) => {}
            }
        }
        match self.next(view) {
            Some(_) if number >= MAX_ROUNDS => Draw::ask("no more matches can be drawn"),
            Some((challenger, defender)) => Draw::of(0, number + 1, vec![challenger, defender]),
            None => Draw::default(),
        }
    }

    fn ranking(&self, view: &View<'_>) -> Option<Vec<Vec<EntrantId>>> {
        let mut survivors = self.survivors.clone();
        let mut out = self.eliminated.clone();
        if let Ok((_, loser)) = self.last(view)
            && survivors.contains(&loser)
        {
            survivors.retain(|&e| e != loser);
            out.push(loser);
        }
        Some(survivors.into_iter().chain(out.into_iter().rev()).map(|e| vec![e]).collect())
    }

    fn games_to_come(&self, view: &View<'_>) -> u64 {
        let matches = (self.survivors.len() as u64).saturating_sub(1 + u64::from(!self.matches.is_empty()));
        matches * u64::from(pairs(&view.spec().event.format)) * u64::from(view.games_per_pair())
    }

    fn closed_to_newcomers(&self) -> Option<&'static str> {
        (!self.matches.is_empty()).then_some("the ladder has begun")
    }
}
