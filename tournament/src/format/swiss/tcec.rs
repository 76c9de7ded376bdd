//! The TCEC Swiss system: the first that is not paired meets the next one below that it has not met, whose colours go
//! with its own, and that leaves all others an opponent.

use super::{Paired, Player};
use crate::format::matching::Matching;

/// Colours of single games go together: nobody has three more of one colour than of the other.
fn colours_fit(one: &Player, other: &Player) -> bool {
    let fits = |a: i32, b: i32| !(a <= -2 && b < 0 || a >= 2 && b > 0);
    let (a, b) = (one.balance(), other.balance());
    fits(a, b) && fits(b, a)
}

/// A round, players best first. Both colours in each meeting: `double`. `None`: there is no pairing without a repeat.
pub(super) fn pair(players: &[Player], round: u16, double: bool) -> Option<Paired> {
    attempt(players, round, double, true).or_else(|| attempt(players, round, double, false))
}

fn attempt(players: &[Player], round: u16, double: bool, with_colours: bool) -> Option<Paired> {
    if players.len().is_multiple_of(2) {
        return boards(players, round, double, with_colours).map(|boards| Paired { boards, bye: None });
    }
    // The lowest one without a bye; who had one only where nobody else can.
    let rank = |had_bye: bool| (0..players.len()).rev().filter(move |&at| players[at].had_bye == had_bye);
    rank(false).chain(rank(true)).find_map(|at| {
        let mut others = players.to_vec();
        let bye = Some(others.remove(at).id);
        boards(&others, round, double, with_colours).map(|boards| Paired { boards, bye })
    })
}

fn boards(
    players: &[Player],
    round: u16,
    double: bool,
    with_colours: bool,
) -> Option<Vec<(crate::EntrantId, crate::EntrantId)>> {
    let may = |a: usize, b: usize| {
        players[a].may_meet(&players[b]) && (!with_colours || colours_fit(&players[a], &players[b]))
    };
    let mut matching = Matching::perfect(players.len(), may)?;
    let mut boards = Vec::new();
    for one in 0..players.len() {
        if matching.is_free(one) {
            // One fits, as all can be matched.
            let other = (one + 1..players.len()).find(|&other| matching.fix(one, other))?;
            boards.push(colours(&players[one], &players[other], round, double));
        }
    }
    Some(boards)
}

/// Who has `First`: the higher of the two is `one`.
fn colours(one: &Player, other: &Player, round: u16, double: bool) -> (crate::EntrantId, crate::EntrantId) {
    let one_first = if double {
        false
    } else if one.balance() != other.balance() {
        one.balance() < other.balance()
    } else if one.points != other.points {
        one.points < other.points
    } else {
        matches!(round % 4, 2 | 3)
    };
    if one_first { (one.id, other.id) } else { (other.id, one.id) }
}
