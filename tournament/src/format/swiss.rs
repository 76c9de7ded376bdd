//! Swiss: round after round, between those who stand alike, nobody against the same one twice.
//!
//! On record: stage 0, round 0, the seeding where it is drawn; then each round's meetings in playing order, who has
//! `First` in the first game first, a bye last.

mod fide;
mod tcec;

use std::collections::{BTreeMap, BTreeSet};

use super::{Batch, Draw, Field, Format, Layout, Schedule, leagues, meetings, pairs, played, seed};
use crate::{
    EntrantId, Fact,
    event::{View, games_total},
    spec::{FormatSpec, Spec, SwissSystem},
};

/// One entrant as a pairing sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Player {
    id: EntrantId,
    /// Half points.
    points: u32,
    /// Its place in the seeding, from 0.
    seed: usize,
    met: BTreeSet<EntrantId>,
    had_bye: bool,
    /// Of each round that it played: whether it had `First` there. Empty where each pair has both.
    colours: Vec<bool>,
}

impl Player {
    /// How often it had `First` more than not.
    fn balance(&self) -> i32 {
        self.colours.iter().map(|&first| if first { 1 } else { -1 }).sum()
    }

    fn may_meet(&self, other: &Self) -> bool {
        !self.met.contains(&other.id)
    }
}

/// A round: who meets whom, the one with `First` first, best board first; and who has a bye.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Paired {
    boards: Vec<(EntrantId, EntrantId)>,
    bye: Option<EntrantId>,
}

/// A Swiss.
#[derive(Debug, Default)]
pub(super) struct Swiss {
    /// The seeding as drawn.
    seeding: Option<Vec<EntrantId>>,
    rounds: Vec<Vec<(EntrantId, EntrantId)>>,
    /// Half points of a bye.
    bye: u32,
}

struct Settings {
    system: SwissSystem,
    rounds: usize,
    groups: usize,
    shuffled: bool,
}

fn settings(spec: &Spec) -> Settings {
    match &spec.event.format {
        FormatSpec::Swiss { system, rounds, groups, shuffled, .. } => Settings {
            system: *system,
            rounds: *rounds as usize,
            groups: (*groups).max(1) as usize,
            shuffled: *shuffled,
        },
        _ => Settings { system: SwissSystem::Tcec, rounds: 0, groups: 1, shuffled: false },
    }
}

/// Seeds from groups of like strength: the first of each group, then the second of each.
fn seeding(entrants: &[EntrantId], groups: usize, shuffle: Option<u64>) -> Vec<EntrantId> {
    let mut rest = entrants;
    let mut grouped: Vec<Vec<EntrantId>> = Vec::new();
    for (at, size) in leagues::sizes(entrants.len(), groups).into_iter().enumerate() {
        let (group, others) = rest.split_at(size);
        rest = others;
        grouped
            .push(shuffle.map_or_else(|| group.to_vec(), |seed| seed::shuffled(group, seed.wrapping_add(at as u64))));
    }
    let longest = grouped.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|at| grouped.iter().filter_map(move |group| group.get(at).copied())).collect()
}

impl Swiss {
    /// Who is to be paired, by points and then by seeds.
    fn players(&self, view: &View<'_>) -> Vec<Player> {
        let points = view.points();
        let mut order = self.seeding.clone().unwrap_or_else(|| view.field().ids().collect());
        // Who joined after the seeding comes last.
        order.extend(view.field().ids().filter(|id| self.seeding.as_ref().is_some_and(|s| !s.contains(id))));
        let present = order.into_iter().enumerate().filter(|(_, id)| view.is_present(*id));
        let mut players: Vec<Player> = present
            .map(|(seed, id)| Player {
                id,
                points: points.get(id.0 as usize - 1).copied().unwrap_or(0),
                seed,
                met: BTreeSet::new(),
                had_bye: false,
                colours: Vec::new(),
            })
            .collect();
        let places: BTreeMap<EntrantId, usize> = players.iter().enumerate().map(|(at, p)| (p.id, at)).collect();
        let single = view.games_per_pair() == 1 && pairs(&view.spec().event.format) == 1;
        for &(first, second) in self.rounds.iter().flatten() {
            for (own, other, is_first) in [(first, second, true), (second, first, false)] {
                let Some(player) = places.get(&own).and_then(|&at| players.get_mut(at)) else { continue };
                if other == EntrantId::NOBODY {
                    player.had_bye = true;
                    continue;
                }
                player.met.insert(other);
                if single {
                    player.colours.push(is_first);
                }
            }
        }
        players.sort_by_key(|player| (std::cmp::Reverse(player.points), player.seed));
        players
    }
}

impl Format for Swiss {
    fn fold(&mut self, fact: &Fact, _field: &Field, spec: &Spec, schedule: &mut Schedule) {
        let Fact::Drawn { stage: 0, round, order, .. } = fact else { return };
        if *round == 0 && self.seeding.is_none() && self.rounds.is_empty() {
            self.seeding = Some(order.clone());
        }
        if usize::from(*round) != self.rounds.len() + 1 {
            return;
        }
        let pairs = pairs(&spec.event.format);
        let two = meetings(order);
        schedule.draw(Batch {
            stage: 0,
            round: *round,
            label: u64::from(*round),
            layout: Layout::list(&played(&two)),
            pairs,
            from: 0,
            decides: false,
            at: None,
            openings: Vec::new(),
        });
        self.bye = 2 * pairs * u32::from(schedule.games_per_pair());
        self.rounds.push(two);
    }

    fn draw(&self, view: &View<'_>) -> Draw {
        let settings = settings(view.spec());
        if self.rounds.len() >= settings.rounds || !view.is_complete() {
            return Draw::default();
        }
        if self.seeding.is_none() && settings.groups > 1 {
            let entrants: Vec<EntrantId> = view.field().ids().collect();
            let shuffle = settings.shuffled.then(|| view.seed());
            return Draw::of(0, 0, seeding(&entrants, settings.groups, shuffle));
        }
        let round = self.rounds.len() as u16 + 1;
        let players = self.players(view);
        if players.len() < 2 {
            return Draw::default();
        }
        let paired = match settings.system {
            SwissSystem::Tcec => tcec::pair(&players, round, view.games_per_pair() == 2),
            SwissSystem::Fide => fide::pair(&players, round),
        };
        let Some(paired) = paired else {
            return Draw::ask(format!("round {round} cannot be paired: all who are left have met"));
        };
        let mut boards = paired.boards;
        if settings.system == SwissSystem::Tcec {
            // The lowest board is played first.
            boards.reverse();
        }
        boards.extend(paired.bye.map(|bye| (bye, EntrantId::NOBODY)));
        Draw::of(0, round, boards.into_iter().flat_map(|(a, b)| [a, b]).collect())
    }

    fn byes(&self) -> BTreeMap<EntrantId, u32> {
        let mut byes = BTreeMap::new();
        for &(one, other) in self.rounds.iter().flatten() {
            if other == EntrantId::NOBODY {
                *byes.entry(one).or_insert(0) += self.bye;
            }
        }
        byes
    }

    fn games_to_come(&self, view: &View<'_>) -> u64 {
        let rounds = settings(view.spec()).rounds;
        let all = games_total(view.spec(), view.field().present().count() as u32);
        let left = rounds.saturating_sub(self.rounds.len()) as u64;
        all.checked_div(rounds as u64).map_or(0, |round| round * left)
    }

    fn closed_to_newcomers(&self) -> Option<&'static str> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_the_first_of_each_group_then_the_second() {
        let all: Vec<_> = (1..=8).map(EntrantId).collect();
        let seeds: Vec<u32> = seeding(&all, 3, None).into_iter().map(|e| e.0).collect();
        assert_eq!(seeds, [1, 4, 7, 2, 5, 8, 3, 6]);
        let mut drawn = seeding(&all, 3, Some(4));
        assert!(drawn[0].0 <= 3 && (4..=6).contains(&drawn[1].0) && drawn[2].0 >= 7);
        drawn.sort_unstable();
        assert_eq!(drawn, all);
    }
}
