//! A second referee, written from the ruleset's text alone and nothing of the first: holes are points of the plane in
//! sets, moves are found by walking every path. Slow and plain.

use std::collections::{BTreeMap, BTreeSet};

type Point = (i32, i32);

/// Player 0 or 1.
pub(super) struct Naive {
    pieces: [BTreeSet<Point>; 2],
    player: usize,
    ply: u32,
    max_ply: u32,
    version: u32,
    stood: Vec<([BTreeSet<Point>; 2], usize)>,
}

/// The holes in the order of their ids: row by row, left to right.
pub(super) fn holes() -> Vec<Point> {
    let mut holes = Vec::new();
    for r in -8..=8 {
        for q in -8..=8_i32 {
            let axes = [q, r, -q - r];
            // Two large triangles, one on the other, make the star.
            if axes.iter().all(|a| *a >= -4) || axes.iter().all(|a| *a <= 4) {
                holes.push((q, r));
            }
        }
    }
    holes
}

fn in_goal(player: usize, (_, r): Point) -> bool {
    if player == 0 { r >= 5 } else { r <= -5 }
}

fn in_home(player: usize, point: Point) -> bool {
    in_goal(1 - player, point)
}

impl Naive {
    pub(super) fn new(cells: &str, player: usize, ply: u32, max_ply: u32, version: u32) -> Self {
        let mut pieces = [BTreeSet::new(), BTreeSet::new()];
        for (point, cell) in holes().into_iter().zip(cells.chars()) {
            match cell {
                '0' => pieces[0].insert(point),
                '1' => pieces[1].insert(point),
                _ => true,
            };
        }
        let stood = vec![(pieces.clone(), player)];
        Self { pieces, player, ply, max_ply, version, stood }
    }

    fn full(&self, point: Point) -> bool {
        self.pieces.iter().any(|pieces| pieces.contains(&point))
    }

    /// Every legal witness path of the player to move, by its ends. Ids as in the ruleset.
    pub(super) fn paths(&self) -> BTreeMap<(usize, usize), Vec<Vec<usize>>> {
        let holes = holes();
        let id = |point: &Point| holes.iter().position(|hole| hole == point).unwrap();
        let mut all: BTreeMap<(usize, usize), Vec<Vec<usize>>> = BTreeMap::new();
        for &from in &self.pieces[self.player] {
            let mut found = Vec::new();
            for (dq, dr) in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)] {
                let next = (from.0 + dq, from.1 + dr);
                let leaves = in_goal(self.player, from) && !in_goal(self.player, next);
                if holes.contains(&next) && !self.full(next) && !leaves {
                    found.push(vec![from, next]);
                }
            }
            self.hop_on(&holes, vec![from], &mut found);
            for path in found {
                let ids: Vec<usize> = path.iter().map(id).collect();
                all.entry((ids[0], ids[ids.len() - 1])).or_default().push(ids);
            }
        }
        all
    }

    fn hop_on(&self, holes: &[Point], path: Vec<Point>, found: &mut Vec<Vec<Point>>) {
        let at = path[path.len() - 1];
        for (dq, dr) in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)] {
            let over = (at.0 + dq, at.1 + dr);
            let next = (at.0 + 2 * dq, at.1 + 2 * dr);
            // The piece that moves has left its hole.
            let jumps = over != path[0] && self.full(over);
            let free = holes.contains(&next) && !self.full(next) && !path.contains(&next);
            let leaves = in_goal(self.player, at) && !in_goal(self.player, next);
            if jumps && free && !leaves {
                let mut longer = path.clone();
                longer.push(next);
                found.push(longer.clone());
                self.hop_on(holes, longer, found);
            }
        }
    }

    pub(super) fn play(&mut self, (from, to): (usize, usize)) {
        let holes = holes();
        assert!(self.pieces[self.player].remove(&holes[from]));
        assert!(self.pieces[self.player].insert(holes[to]));
        self.player = 1 - self.player;
        self.ply += 1;
        self.stood.push((self.pieces.clone(), self.player));
    }

    fn complete(&self, player: usize) -> bool {
        holes().iter().filter(|hole| in_goal(player, **hole)).all(|hole| self.pieces[player].contains(hole))
    }

    /// The reason in the ruleset's words, and the winner where there is one.
    pub(super) fn ending(&self) -> Option<(&'static str, Option<usize>)> {
        let (zero, one) = (self.complete(0), self.complete(1));
        if zero && one {
            return Some(("equal_turn_goal_draw", None));
        }
        if zero {
            let replies = self.player == 1
                && self.paths().keys().any(|&ends| {
                    let mut after = Self { pieces: self.pieces.clone(), stood: Vec::new(), ..*self };
                    after.play(ends);
                    after.complete(1)
                });
            return Some(if replies { ("equal_turn_goal_draw", None) } else { ("all_pieces_in_goal", Some(0)) });
        }
        if one {
            return Some(("all_pieces_in_goal", Some(1)));
        }
        for player in [0, 1] {
            let goal: Vec<Point> = holes().into_iter().filter(|hole| in_goal(player, *hole)).collect();
            let full = goal.iter().all(|hole| self.full(*hole));
            let own = goal.iter().any(|hole| self.pieces[player].contains(hole));
            let blocker = goal.iter().any(|hole| self.pieces[1 - player].contains(hole));
            let vacated = !self.pieces[player].iter().any(|piece| in_home(player, *piece));
            if full && own && blocker && (self.version == 2 || vacated) {
                return Some(("anti_block_goal_full", Some(player)));
            }
        }
        let now = (&self.pieces, self.player);
        if self.stood.iter().filter(|(pieces, player)| (pieces, *player) == now).count() >= 3 {
            return Some(("repetition", None));
        }
        if self.ply >= self.max_ply {
            return Some(("max_ply", None));
        }
        if self.paths().is_empty() {
            return Some(("no_legal_moves", Some(1 - self.player)));
        }
        None
    }
}
