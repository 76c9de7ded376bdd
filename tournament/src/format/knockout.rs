//! A knockout cup: who loses is out (TCEC Cup). Seeds are the roster's order, placed at equal distance; the worse seed has
//! `First` in the first game of each pair; a meeting that is level goes on in single pairs until one is decided.
//!
//! On record: stage 0 has the meetings of each round in the bracket's order, stage 1 pairs after a level meeting, stage 2
//! the match for the third place, stage 3 pairs after that.

use std::collections::BTreeMap;

use super::{Batch, Draw, Field, Format, Layout, Schedule, meetings, played, seed};
use crate::{
    EntrantId, Fact,
    event::{View, games_total},
    spec::{FormatSpec, Spec},
};

const MAIN: u8 = 0;
const BRONZE: u8 = 2;
/// Added to a stage: pairs after its level meetings.
const TIE_BREAK: u8 = 1;
/// Pairs after one level meeting at most; nobody has seen a twentieth of it.
const MAX_TIE_BREAKS: u32 = 999;

type Two = (EntrantId, EntrantId);

/// One round as drawn.
#[derive(Debug)]
struct Round {
    meetings: Vec<Two>,
    /// The opening number of its first pair after level meetings, and how many pairs of the round come before it.
    ties: (u64, u64),
}

/// A cup.
#[derive(Debug, Default)]
pub(super) struct Knockout {
    rounds: Vec<Round>,
    bronze: Option<Two>,
    /// Pairs after a level meeting: stage, round and the one named first.
    ties: BTreeMap<(u8, u16, EntrantId), u32>,
}

/// Pairs of each meeting of a round, from 1.
pub(crate) fn pairs_of(pairs: &[u32], round: usize) -> u32 {
    pairs.get(round - 1).or(pairs.last()).copied().unwrap_or(1)
}

/// Rounds of a cup.
pub(crate) const fn rounds_of(entrants: u32) -> u32 {
    if entrants < 2 { 0 } else { entrants.next_power_of_two().ilog2() }
}

/// Seeds 0, 1, … in the order of their places in a bracket of `size`, a power of two: any two meet as late as they can.
fn bracket(size: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < size {
        let twice = places.len() * 2;
        places = places.iter().flat_map(|&seed| [seed, twice - 1 - seed]).collect();
    }
    places
}

/// The first round: the first `seeded` at equal distance, the others by the seed; byes go to the best.
fn first_round(entrants: &[EntrantId], seeded: usize, seed: u64) -> Vec<EntrantId> {
    let size = entrants.len().next_power_of_two();
    let placed = if seeded >= entrants.len() { size } else { (seeded.max(1) + 1).next_power_of_two() / 2 };
    let mut slots: Vec<Option<EntrantId>> = vec![None; size];
    for (at, seed) in bracket(placed).into_iter().enumerate() {
        slots[at * (size / placed)] = Some(entrants.get(seed).copied().unwrap_or(EntrantId::NOBODY));
    }
    let mut others: Vec<EntrantId> = entrants.iter().skip(placed).copied().collect();
    others = seed::shuffled(&others, seed);
    // Byes: opposite the best seeds, then wherever a pair is still empty.
    let rank =
        |slot: Option<EntrantId>| slot.map_or(usize::MAX, |e| entrants.iter().position(|&s| s == e).unwrap_or(0));
    let mut boards: Vec<usize> = (0..size / 2).collect();
    boards.sort_by_key(|&board| rank(slots[2 * board]).min(rank(slots[2 * board + 1])));
    let mut byes = size - entrants.len() - slots.iter().flatten().filter(|&&e| e == EntrantId::NOBODY).count();
    for board in boards {
        if byes > 0 && slots[2 * board + 1].is_none() {
            slots[2 * board + 1] = Some(EntrantId::NOBODY);
            byes -= 1;
        }
    }
    let mut others = others.into_iter();
    let filled: Vec<EntrantId> =
        slots.into_iter().map(|slot| slot.or_else(|| others.next()).unwrap_or(EntrantId::NOBODY)).collect();
    filled.chunks_exact(2).flat_map(|two| worse_first(two[0], two[1])).collect()
}

/// The worse seed, the one with the higher number, has `First`; a bye comes last. The bye's number is the lowest.
fn worse_first(one: EntrantId, other: EntrantId) -> [EntrantId; 2] {
    [one.max(other), one.min(other)]
}

struct Settings<'a> {
    pairs: &'a [u32],
    bronze: Option<u32>,
    seeded: usize,
    stop: bool,
}

fn settings(spec: &Spec) -> Settings<'_> {
    match &spec.event.format {
        FormatSpec::Knockout { pairs, bronze, seeded, stop, .. } => {
            Settings { pairs, bronze: *bronze, seeded: seeded.map_or(usize::MAX, |n| n as usize), stop: *stop }
        }
        _ => Settings { pairs: &[], bronze: None, seeded: usize::MAX, stop: true },
    }
}

/// How a meeting stands.
enum Standing {
    Open,
    Level,
    /// Who goes on, and who does not.
    Decided(EntrantId, EntrantId),
}

impl Knockout {
    fn standing(&self, view: &View<'_>, stage: u8, round: u16, (a, b): Two) -> Standing {
        match (view.is_present(a), view.is_present(b)) {
            (true, false) => return Standing::Decided(a, b),
            (false, true) => return Standing::Decided(b, a),
            (false, false) => return Standing::Decided(EntrantId::NOBODY, EntrantId::NOBODY),
            (true, true) => {}
        }
        let ties = self.ties.get(&(stage, round, a)).copied().unwrap_or(0);
        let parts = std::iter::once((stage, 1)).chain((1..=ties).map(|number| (stage + TIE_BREAK, number)));
        for (stage, number) in parts {
            let score = view.score(stage, round, number, a, b);
            if score.open > 0 {
                return Standing::Open;
            }
            if !score.is_level() {
                return if score.points[0] > score.points[1] {
                    Standing::Decided(a, b)
                } else {
                    Standing::Decided(b, a)
                };
            }
        }
        Standing::Level
    }

    /// Meetings that are played now, that for the third place first.
    fn current(&self) -> Vec<(u8, u16, Two)> {
        let Some(last) = self.rounds.last() else { return Vec::new() };
        let round = self.rounds.len() as u16;
        let bronze = self.bronze.map(|two| (BRONZE, if last.meetings.len() == 1 { round } else { round + 1 }, two));
        bronze.into_iter().chain(last.meetings.iter().map(|&two| (MAIN, round, two))).collect()
    }

    fn add(&mut self, stage: u8, round: u16, two: &[Two], spec: &Spec, schedule: &mut Schedule) {
        let settings = settings(spec);
        let pairs = match stage {
            BRONZE => settings.bronze.unwrap_or(1),
            _ => pairs_of(settings.pairs, usize::from(round)),
        };
        let layout = Layout::list(&played(two));
        let label = u64::from(round);
        schedule.draw(Batch {
            stage,
            round,
            label,
            layout,
            pairs,
            from: 0,
            decides: settings.stop,
            at: None,
            openings: Vec::new(),
        });
    }

    /// The place of a pair after a level meeting among all such pairs of its round, whichever is drawn first.
    fn tie_at(&self, stage: u8, round: u16, two: Two, number: u32) -> Option<(u64, u64)> {
        let drawn = self.rounds.get(usize::from(round).checked_sub(1)?)?;
        let board = match stage {
            BRONZE => drawn.meetings.len(),
            _ => drawn.meetings.iter().position(|&m| m == two)?,
        };
        let offset = u64::from(number - 1) * (drawn.meetings.len() as u64 + 1) + board as u64;
        Some((drawn.ties.0 + offset, drawn.ties.1 + offset))
    }
}

impl Format for Knockout {
    fn fold(&mut self, fact: &Fact, _field: &Field, spec: &Spec, schedule: &mut Schedule) {
        let Fact::Drawn { stage, round, order, .. } = fact else { return };
        let two = meetings(order);
        match *stage {
            MAIN if usize::from(*round) == self.rounds.len() + 1 => {
                let bronze = self.bronze.filter(|_| two.len() == 1).and(settings(spec).bronze).unwrap_or(0);
                self.add(MAIN, *round, &two, spec, schedule);
                let main = played(&two).len() as u64 * u64::from(pairs_of(settings(spec).pairs, usize::from(*round)));
                self.rounds.push(Round { ties: (schedule.next_opening(), main + u64::from(bronze)), meetings: two });
            }
            BRONZE if self.bronze.is_none() => {
                self.bronze = two.first().copied();
                self.add(BRONZE, *round, &two, spec, schedule);
            }
            stage if stage == MAIN + TIE_BREAK || stage == BRONZE + TIE_BREAK => {
                let Some(&meeting) = two.first() else { return };
                let of = stage - TIE_BREAK;
                let ties = self.ties.get(&(of, *round, meeting.0)).copied().unwrap_or(0);
                let Some(at) = self.tie_at(of, *round, meeting, ties + 1) else { return };
                self.ties.insert((of, *round, meeting.0), ties + 1);
                let (label, layout) = (u64::from(*round), Layout::list(&[meeting]));
                let batch = Batch {
                    stage,
                    round: *round,
                    label,
                    layout,
                    pairs: 1,
                    from: ties,
                    decides: false,
                    at: Some(at),
                    openings: Vec::new(),
                };
                schedule.draw(batch);
            }
            _ => {}
        }
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        let settings = settings(view.spec());
        let next = self.rounds.len() as u16 + 1;
        let Some(last) = self.rounds.last() else {
            let entrants: Vec<EntrantId> = view.field().present().collect();
            if entrants.len() < 2 {
                return Draw::default();
            }
            return Draw::of(MAIN, next, first_round(&entrants, settings.seeded, view.seed()));
        };
        let (mut winners, mut losers, mut open) = (Vec::new(), Vec::new(), false);
        for (stage, round, two) in self.current() {
            match self.standing(view, stage, round, two) {
                Standing::Open => open = true,
                Standing::Level => {
                    if self.ties.get(&(stage, round, two.0)).is_some_and(|&ties| ties >= MAX_TIE_BREAKS) {
                        return Draw::ask(format!(
                            "{} is still level, and no more pairs can be drawn",
                            names(view, two)
                        ));
                    }
                    return Draw::of(stage + TIE_BREAK, round, vec![two.0, two.1]);
                }
                Standing::Decided(winner, loser) if stage == MAIN => {
                    winners.push(winner);
                    losers.push(loser);
                }
                Standing::Decided(..) => {}
            }
        }
        // The bronze match and the final are drawn together: what is open of the former holds nothing.
        let semifinals = last.meetings.len() == 2;
        if winners.len() < last.meetings.len() || winners.len() < 2 || (open && !semifinals) {
            return Draw::default();
        }
        let bronze = losers.iter().all(|&loser| view.is_present(loser)) && settings.bronze.is_some();
        if semifinals && bronze && self.bronze.is_none() {
            return Draw::of(BRONZE, next, worse_first(losers[0], losers[1]).to_vec());
        }
        Draw::of(MAIN, next, winners.chunks_exact(2).flat_map(|two| worse_first(two[0], two[1])).collect())
    }

    fn ranking(&self, view: &View<'_>) -> Option<Vec<Vec<EntrantId>>> {
        let mut groups: Vec<Vec<EntrantId>> = Vec::new();
        for (at, round) in self.rounds.iter().enumerate() {
            let number = at as u16 + 1;
            // Who is drawn again went on, whatever became of the results.
            let later = self.rounds.get(at + 1);
            let mut out = Vec::new();
            for &two in &round.meetings {
                let loser = match later {
                    Some(next) => {
                        let on = |e: EntrantId| next.meetings.iter().any(|&(a, b)| a == e || b == e);
                        [two.0, two.1].into_iter().filter(|&e| !on(e)).collect::<Vec<_>>()
                    }
                    None => match self.standing(view, MAIN, number, two) {
                        Standing::Decided(_, loser) => vec![loser],
                        _ => Vec::new(),
                    },
                };
                out.extend(loser.into_iter().filter(|&e| e != EntrantId::NOBODY));
            }
            groups.insert(0, out);
        }
        if let Some(two) = self.bronze
            && let Standing::Decided(third, fourth) = self.standing(view, BRONZE, self.rounds.len() as u16, two)
            && let Some(group) = groups.iter_mut().find(|group| group.contains(&third) && group.contains(&fourth))
        {
            group.retain(|&e| e != third && e != fourth);
            let at = groups.iter().position(Vec::is_empty).unwrap_or(0);
            groups.splice(at..=at, [vec![third], vec![fourth]]);
        }
        let known: Vec<EntrantId> = groups.iter().flatten().copied().collect();
        let last = self.rounds.last()?;
        let on = last.meetings.iter().flat_map(|&(a, b)| [a, b]);
        let on: Vec<EntrantId> = on.filter(|e| *e != EntrantId::NOBODY && !known.contains(e)).collect();
        groups.insert(0, on);
        groups.retain(|group| !group.is_empty());
        Some(groups)
    }

    fn games_to_come(&self, view: &View<'_>) -> u64 {
        let settings = settings(view.spec());
        let per_pair = u64::from(view.games_per_pair());
        let (mut meetings, drawn) = match self.rounds.last() {
            Some(last) => (last.meetings.len() as u64 / 2, self.rounds.len()),
            None => return games_total(view.spec(), view.field().entrants.len() as u32),
        };
        let mut games = 0;
        let mut round = drawn + 1;
        while meetings > 0 {
            games += meetings * u64::from(pairs_of(settings.pairs, round)) * per_pair;
            meetings /= 2;
            round += 1;
        }
        let bronze = settings
            .bronze
            .filter(|_| self.bronze.is_none() && self.rounds.last().is_some_and(|r| r.meetings.len() > 1));
        games + u64::from(bronze.unwrap_or(0)) * per_pair
    }

    fn closed_to_newcomers(&self) -> Option<&'static str> {
        (!self.rounds.is_empty()).then_some("the bracket of the cup is drawn")
    }
}

fn names(view: &View<'_>, two: Two) -> String {
    let name = |e: EntrantId| view.field().get(e).map_or("?", |entrant| entrant.engine.as_str());
    format!("{} v {}", name(two.0), name(two.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[u32]) -> Vec<EntrantId> {
        numbers.iter().map(|&n| EntrantId(n)).collect()
    }

    #[test]
    fn seeds_meet_as_late_as_they_can() {
        assert_eq!(bracket(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        let all: Vec<_> = (1..=8).map(EntrantId).collect();
        assert_eq!(first_round(&all, usize::MAX, 1), ids(&[8, 1, 5, 4, 7, 2, 6, 3]));
    }

    #[test]
    fn byes_go_to_the_best() {
        for n in 2..=40_u32 {
            let all: Vec<_> = (1..=n).map(EntrantId).collect();
            for seeded in [1, 2, 4, 8, usize::MAX] {
                let round = first_round(&all, seeded, 5);
                let mut there: Vec<_> = round.iter().copied().filter(|&e| e != EntrantId::NOBODY).collect();
                there.sort_unstable();
                assert_eq!(there, all, "{n} entrants, {seeded} seeded");
                let two = meetings(&round);
                let byes: Vec<u32> = two.iter().filter(|(_, b)| *b == EntrantId::NOBODY).map(|(a, _)| a.0).collect();
                assert!(two.iter().all(|(a, _)| *a != EntrantId::NOBODY), "{n}, {seeded}: {two:?}");
                let best = seeded.min(byes.len()) as u32;
                assert!((1..=best).all(|e| byes.contains(&e)), "{n}, {seeded}: {byes:?}");
            }
        }
    }

    #[test]
    fn eight_seeds_among_thirty_two_stand_in_blocks_of_four() {
        let all: Vec<_> = (1..=32).map(EntrantId).collect();
        let round = first_round(&all, 8, 9);
        let seeds: Vec<Vec<u32>> =
            round.chunks(4).map(|block| block.iter().map(|e| e.0).filter(|&e| e <= 8).collect()).collect();
        assert_eq!(seeds, [[1], [8], [4], [5], [2], [7], [3], [6]]);
        assert_ne!(round, first_round(&all, 8, 10));
    }
}
