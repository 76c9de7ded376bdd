//! A Swiss after the spirit of FIDE's Dutch system (C.04.3): in score groups the upper half meets the lower half, floaters
//! as few as can be, nobody three times the same colour in a row or three more of one; the stronger claim has its colour.
//! It is no certified implementation: among pairings of the same quality FIDE's order of exchanges is not followed.

use super::{Paired, Player};
use crate::{EntrantId, format::matching::Matching};

/// What a player may claim of its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Claim {
    /// `None`: nothing was played.
    first: Option<bool>,
    /// 3 absolute, 2 strong, 1 mild, 0 none (A.6).
    strength: u8,
}

fn claim(player: &Player) -> Claim {
    let balance = player.balance();
    let last: Vec<bool> = player.colours.iter().rev().take(2).copied().collect();
    let same_twice = matches!(last[..], [a, b] if a == b);
    match last.first() {
        None => Claim { first: None, strength: 0 },
        Some(_) if balance.abs() > 1 => Claim { first: Some(balance < 0), strength: 3 },
        Some(&last) if same_twice => Claim { first: Some(!last), strength: 3 },
        Some(_) if balance != 0 => Claim { first: Some(balance < 0), strength: 2 },
        Some(&last) => Claim { first: Some(!last), strength: 1 },
    }
}

/// A round, players best first. `None`: there is no pairing without a repeat.
pub(super) fn pair(players: &[Player], round: u16) -> Option<Paired> {
    attempt(players, round, true).or_else(|| attempt(players, round, false))
}

fn attempt(players: &[Player], round: u16, with_colours: bool) -> Option<Paired> {
    if players.len().is_multiple_of(2) {
        return boards(players, round, with_colours).map(|boards| Paired { boards, bye: None });
    }
    let rank = |had_bye: bool| (0..players.len()).rev().filter(move |&at| players[at].had_bye == had_bye);
    rank(false).chain(rank(true)).find_map(|at| {
        let mut others = players.to_vec();
        let bye = Some(others.remove(at).id);
        boards(&others, round, with_colours).map(|boards| Paired { boards, bye })
    })
}

fn boards(players: &[Player], round: u16, with_colours: bool) -> Option<Vec<(EntrantId, EntrantId)>> {
    let claims: Vec<Claim> = players.iter().map(claim).collect();
    let clash = |a: usize, b: usize| claims[a].first.is_some() && claims[a].first == claims[b].first;
    let absolute = |a: usize, b: usize| clash(a, b) && claims[a].strength == 3 && claims[b].strength == 3;
    let may = |a: usize, b: usize| players[a].may_meet(&players[b]) && !(with_colours && absolute(a, b));
    let mut matching = Matching::perfect(players.len(), may)?;
    let mut boards = Vec::new();
    for one in 0..players.len() {
        if !matching.is_free(one) {
            continue;
        }
        // Those of its group that are left; where it stands alone, those of the next group.
        let free: Vec<usize> = (one + 1..players.len()).filter(|&at| matching.is_free(at)).collect();
        let group = free.iter().filter(|&&at| players[at].points == players[one].points).count();
        let ideal = group.div_ceil(2).saturating_sub(1);
        let mut tries: Vec<(usize, usize)> = free.into_iter().enumerate().collect();
        tries.sort_by_key(|&(place, at)| {
            let down = players[one].points - players[at].points;
            (down, clash(one, at), place.abs_diff(ideal), place)
        });
        let (_, other) = tries.into_iter().find(|&(_, other)| matching.fix(one, other))?;
        boards.push(colours(players, &claims, one, other, round, boards.len()));
    }
    Some(boards)
}

/// Who has `First` (E): claims that agree; the stronger; the last round in which they differed, exchanged; the higher's
/// claim; without any, boards by turns.
fn colours(
    players: &[Player],
    claims: &[Claim],
    one: usize,
    other: usize,
    round: u16,
    board: usize,
) -> (EntrantId, EntrantId) {
    let (a, b) = (claims[one], claims[other]);
    let differed = players[one].colours.iter().rev().zip(players[other].colours.iter().rev()).find(|(x, y)| x != y);
    let one_first = match (a.first, b.first) {
        (Some(first), None) => first,
        (None, Some(first)) => !first,
        (Some(first), Some(second)) if first != second => first,
        (Some(first), Some(_)) if a.strength > b.strength => first,
        (Some(first), Some(_)) if a.strength < b.strength => !first,
        (Some(first), Some(_)) => differed.map_or(first, |(x, _)| !*x),
        (None, None) => (board + usize::from(round)) % 2 == 1,
    };
    let (one, other) = (players[one].id, players[other].id);
    if one_first { (one, other) } else { (other, one) }
}
