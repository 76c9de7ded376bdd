//! The conditional tie-break (TCEC §6): double round robins among those who are level, until the places at stake are
//! settled. There is no bound on the rounds.
//!
//! On record: stage 0, round by round, the entrants that play it, then [`EntrantId::NOBODY`] and those who have a place.

use super::{Batch, Draw, Field, Format, Layout, MAX_ROUNDS, Schedule};
use crate::{
    EntrantId, Fact,
    event::View,
    spec::{FormatSpec, Spec},
};

/// Who enters a conditional tie-break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    /// Places that points decide, best first.
    pub direct: Vec<T>,
    /// Who plays for the others; empty where all are decided.
    pub players: Vec<T>,
    /// Places at stake.
    pub spots: usize,
}

/// Who of a table enters it, for so many places (§6.1): those who are level on the last of them, where they are more
/// than there is room for. Points in any unit.
#[must_use]
pub fn entry<T: Clone>(table: &[(T, u32)], places: usize) -> Entry<T> {
    let mut table = table.to_vec();
    table.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    let pick = |keep: &dyn Fn(u32) -> bool| table.iter().filter(|(_, p)| keep(*p)).map(|(e, _)| e.clone()).collect();
    let Some(line) = places.checked_sub(1).and_then(|at| table.get(at)).map(|(_, points)| *points) else {
        return Entry { direct: pick(&|_| places > 0), players: Vec::new(), spots: 0 };
    };
    let (direct, level): (Vec<T>, Vec<T>) = (pick(&|points| points > line), pick(&|points| points == line));
    if direct.len() + level.len() <= places {
        return Entry { direct: pick(&|points| points >= line), players: Vec::new(), spots: 0 };
    }
    let spots = places - direct.len();
    Entry { direct, players: level, spots }
}

/// What a round decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<T> {
    /// Who has a place by it, best first.
    pub promoted: Vec<T>,
    /// Who is out by it.
    pub eliminated: Vec<T>,
    /// Who plays on, in the order that was given.
    pub left: Vec<T>,
    /// Places that are still at stake; 0: all is decided.
    pub spots: usize,
}

/// What a round decides (§6.2, §6.3), from its points in any unit and the places that were at stake in it.
#[must_use]
pub fn step<T: Clone>(table: &[(T, u32)], spots: usize) -> Step<T> {
    let mut left = table.to_vec();
    let mut spots = spots;
    let mut promoted = Vec::new();
    // A clear leader has its place while more than one is at stake.
    while spots > 1 {
        let best = left.iter().map(|(_, points)| *points).max();
        let mut leaders = left.iter().filter(|(_, points)| Some(*points) == best);
        let (Some((leader, points)), None) = (leaders.next(), leaders.next()) else { break };
        promoted.push(leader.clone());
        let points = *points;
        left.retain(|(_, p)| *p != points);
        spots -= 1;
    }
    let mut points: Vec<u32> = left.iter().map(|(_, points)| *points).collect();
    points.sort_unstable_by_key(|&points| std::cmp::Reverse(points));
    let line = spots.checked_sub(1).and_then(|at| points.get(at)).copied().unwrap_or(0);
    let (stay, out): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, points)| *points >= line);
    let eliminated = out.into_iter().map(|(entrant, _)| entrant).collect();
    if stay.len() <= spots {
        let mut stay = stay;
        stay.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
        promoted.extend(stay.into_iter().map(|(entrant, _)| entrant));
        return Step { promoted, eliminated, left: Vec::new(), spots: 0 };
    }
    Step { promoted, eliminated, left: stay.into_iter().map(|(entrant, _)| entrant).collect(), spots }
}

/// One round as drawn.
#[derive(Debug)]
struct Round {
    players: Vec<EntrantId>,
    promoted: Vec<EntrantId>,
}

/// A conditional tie-break.
#[derive(Debug, Default)]
pub(super) struct Conditional {
    rounds: Vec<Round>,
}

fn spots(spec: &Spec) -> usize {
    match &spec.event.format {
        FormatSpec::ConditionalTieBreak { spots } => *spots as usize,
        _ => 1,
    }
}

impl Conditional {
    /// Half points of a round, in its order; who left counts no more.
    fn table(view: &View<'_>, number: u16, round: &Round) -> Vec<(EntrantId, u32)> {
        let present = round.players.iter().filter(|&&e| view.is_present(e));
        let points = |&one: &EntrantId| {
            let others = round.players.iter().filter(|&&other| other != one);
            others.map(|&other| view.score(0, number, 1, one, other).points[0]).sum()
        };
        present.map(|e| (*e, points(e))).collect()
    }

    /// What the last round decided, if it is over.
    fn last(&self, view: &View<'_>) -> Option<(&Round, Step<EntrantId>)> {
        let last = self.rounds.last()?;
        let at_stake = spots(view.spec()).saturating_sub(last.promoted.len());
        view.is_complete().then(|| (last, step(&Self::table(view, self.rounds.len() as u16, last), at_stake)))
    }
}

impl Format for Conditional {
    fn fold(&mut self, fact: &Fact, _field: &Field, _spec: &Spec, schedule: &mut Schedule) {
        let Fact::Drawn { stage: 0, round, order, .. } = fact else { return };
        if usize::from(*round) != self.rounds.len() + 1 {
            return;
        }
        let mut parts = order.split(|&e| e == EntrantId::NOBODY);
        let players = parts.next().unwrap_or_default().to_vec();
        let promoted = parts.next().unwrap_or_default().to_vec();
        schedule.draw(Batch {
            stage: 0,
            round: *round,
            label: u64::from(*round),
            layout: Layout::berger(&players),
            pairs: 1,
            from: 0,
            decides: false,
            at: None,
            openings: Vec::new(),
        });
        self.rounds.push(Round { players, promoted });
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        if self.rounds.is_empty() {
            let players: Vec<EntrantId> = view.field().present().collect();
            return if players.len() < 2 { Draw::default() } else { Draw::of(0, 1, players) };
        }
        let Some((last, step)) = self.last(view) else { return Draw::default() };
        if step.left.len() < 2 {
            return Draw::default();
        }
        if self.rounds.len() >= usize::from(MAX_ROUNDS) {
            return Draw::ask("the places are still not settled, and no more rounds can be drawn");
        }
        let mut order = step.left;
        let promoted: Vec<EntrantId> = last.promoted.iter().copied().chain(step.promoted).collect();
        if !promoted.is_empty() {
            order.push(EntrantId::NOBODY);
            order.extend(promoted);
        }
        Draw::of(0, self.rounds.len() as u16 + 1, order)
    }

    fn ranking(&self, view: &View<'_>) -> Option<Vec<Vec<EntrantId>>> {
        let (before, last) = (self.rounds.split_last()?.1, self.rounds.last()?);
        let mut first: Vec<EntrantId> = last.promoted.clone();
        let mut groups = Vec::new();
        match self.last(view) {
            Some((_, step)) => {
                first.extend(step.promoted);
                groups.push(step.left);
                groups.push(step.eliminated);
            }
            None => groups.push(last.players.clone()),
        }
        // Who was in a round and not in the next is out, unless it has a place.
        let mut known: Vec<EntrantId> = first.iter().chain(groups.iter().flatten()).copied().collect();
        for round in before.iter().rev() {
            let out: Vec<EntrantId> = round.players.iter().filter(|e| !known.contains(e)).copied().collect();
            known.extend(&out);
            groups.push(out);
        }
        let mut all: Vec<Vec<EntrantId>> = first.into_iter().map(|e| vec![e]).collect();
        all.extend(groups.into_iter().filter(|group| !group.is_empty()));
        Some(all)
    }

    fn closed_to_newcomers(&self) -> Option<&'static str> {
        Some("who plays a tie-break follows from the points before it")
    }
}
