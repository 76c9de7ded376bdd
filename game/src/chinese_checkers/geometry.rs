//! The star of 121 holes: ids, neighbours, hops, triangles.
//!
//! Holes are numbered row by row from the top, left to right. In axial coordinates row `r` runs from -8 to 8 and `q`
//! along it; three axes, six directions.

use crate::Seat;

/// Holes of the board.
pub const HOLES: usize = 121;

/// Pieces of each player.
pub const PIECES: u32 = 10;

/// A set of holes: bit `n` is hole `n`.
pub type Holes = u128;

/// All holes.
pub const ALL: Holes = (1 << HOLES) - 1;

/// Holes of each row, top to bottom.
const ROWS: [usize; 17] = [1, 2, 3, 4, 13, 12, 11, 10, 9, 10, 11, 12, 13, 4, 3, 2, 1];

/// E, SE, SW, W, NW, NE as steps of (q, r).
const DIRECTIONS: [(i32, i32); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

/// No hole in this direction.
const NONE: u8 = u8::MAX;

/// A hop over one hole into the one behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) over: u8,
    pub(super) to: u8,
}

/// What can be reached from one hole, were the board to allow it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hole {
    /// Holes one step away.
    pub(super) steps: Holes,
    /// Hops; the first `hop_count` count.
    hops: [Hop; 6],
    hop_count: usize,
}

impl Hole {
    pub(super) fn hops(&self) -> &[Hop] {
        &self.hops[..self.hop_count]
    }
}

/// Axial coordinates (q, r) of each hole.
pub(super) const AXIAL: [(i32, i32); HOLES] = axial();
/// The hole one step away in each direction.
const NEIGHBOURS: [[u8; 6]; HOLES] = neighbours();
pub(super) static STAR: [Hole; HOLES] = star();

const fn axial() -> [(i32, i32); HOLES] {
    let mut holes = [(0, 0); HOLES];
    let (mut id, mut row) = (0, 0);
    while row < ROWS.len() {
        let mut column = 0;
        while column < ROWS[row] {
            let r = row as i32 - 8;
            // Twice the offset from the vertical axis.
            let offset = 2 * column as i32 - (ROWS[row] as i32 - 1);
            holes[id] = ((offset - r) / 2, r);
            id += 1;
            column += 1;
        }
        row += 1;
    }
    holes
}

const fn hole_at(q: i32, r: i32) -> u8 {
    let mut id = 0;
    while id < HOLES {
        if AXIAL[id].0 == q && AXIAL[id].1 == r {
            return id as u8;
        }
        id += 1;
    }
    NONE
}

const fn neighbours() -> [[u8; 6]; HOLES] {
    let mut all = [[NONE; 6]; HOLES];
    let mut id = 0;
    while id < HOLES {
        let mut direction = 0;
        while direction < 6 {
            let (dq, dr) = DIRECTIONS[direction];
            all[id][direction] = hole_at(AXIAL[id].0 + dq, AXIAL[id].1 + dr);
            direction += 1;
        }
        id += 1;
    }
    all
}

const fn star() -> [Hole; HOLES] {
    let mut star = [Hole { steps: 0, hops: [Hop { over: 0, to: 0 }; 6], hop_count: 0 }; HOLES];
    let mut id = 0;
    while id < HOLES {
        let mut direction = 0;
        while direction < 6 {
            let over = NEIGHBOURS[id][direction];
            if over != NONE {
                star[id].steps |= 1 << over;
                let to = NEIGHBOURS[over as usize][direction];
                if to != NONE {
                    star[id].hops[star[id].hop_count] = Hop { over, to };
                    star[id].hop_count += 1;
                }
            }
            direction += 1;
        }
        id += 1;
    }
    star
}

/// The triangle at the top, ids 0 to 9: where `First` starts and `Second` wants to go.
const TOP: Holes = (1 << 10) - 1;
/// The triangle at the bottom, ids 111 to 120.
const BOTTOM: Holes = TOP << 111;

/// Where a player's pieces start.
#[must_use]
pub const fn home(seat: Seat) -> Holes {
    match seat {
        Seat::First => TOP,
        Seat::Second => BOTTOM,
    }
}

/// Where a player's pieces want to go, and stay once they are there.
#[must_use]
pub const fn goal(seat: Seat) -> Holes {
    home(seat.other())
}

/// The set of one hole.
#[must_use]
pub const fn bit(hole: u8) -> Holes {
    1 << hole
}

/// The holes of a set, smallest id first.
pub fn each(mut holes: Holes) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let hole = (holes != 0).then(|| holes.trailing_zeros() as u8)?;
        holes &= holes - 1;
        Some(hole)
    })
}

/// Steps between two holes on an empty board: half the sum of the three axes' differences.
const fn distance(a: u8, b: u8) -> i32 {
    let (dq, dr) = (AXIAL[a as usize].0 - AXIAL[b as usize].0, AXIAL[a as usize].1 - AXIAL[b as usize].1);
    (dq.abs() + dr.abs() + (dq + dr).abs()) / 2
}

/// Steps from a hole to a player's far tip.
#[must_use]
pub const fn distance_to_tip(seat: Seat, hole: u8) -> i32 {
    distance(
        hole,
        match seat {
            Seat::First => HOLES as u8 - 1,
            Seat::Second => 0,
        },
    )
}

/// Steps from a hole to the nearest hole of a player's goal.
#[must_use]
pub fn distance_to_goal(seat: Seat, hole: u8) -> i32 {
    each(goal(seat)).map(|end| distance(hole, end)).min().unwrap_or(0)
}

/// How far a hole is from the line between the two tips, in half steps.
#[must_use]
pub const fn off_axis(hole: u8) -> i32 {
    let (q, r) = AXIAL[hole as usize];
    (2 * q + r).abs()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn numbers(value: &Value) -> Vec<i64> {
        value.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect()
    }

    #[test]
    fn the_star_has_its_counts() {
        let steps: u32 = STAR.iter().map(|hole| hole.steps.count_ones()).sum();
        let hops: usize = STAR.iter().map(|hole| hole.hops().len()).sum();
        assert_eq!((steps, hops), (2 * 312, 534));
        assert_eq!((AXIAL[0], AXIAL[60], AXIAL[120]), ((4, -8), (0, 0), (-4, 8)));
        assert_eq!(home(Seat::First).count_ones() + home(Seat::Second).count_ones(), 2 * PIECES);
        assert_eq!((distance_to_tip(Seat::First, 0), distance_to_tip(Seat::Second, 0)), (16, 0));
        assert_eq!(each(bit(3) | bit(120)).collect::<Vec<_>>(), [3, 120]);
        assert_eq!((off_axis(0), off_axis(1), off_axis(2), off_axis(10)), (0, 1, 1, 12));
    }

    #[test]
    fn the_star_is_the_published_one() {
        let Some(file) = crate::testing::shared("vectors/chinese-checkers/geometry.json") else { return };
        let geometry: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let cells = geometry["cells"].as_array().unwrap();
        assert_eq!(cells.len(), HOLES);
        for (id, cell) in cells.iter().enumerate() {
            let (q, r) = AXIAL[id];
            assert_eq!((cell["q"].as_i64(), cell["r"].as_i64()), (Some(q.into()), Some(r.into())), "{id}");
            let steps = numbers(&cell["neighbours"]);
            let found: Vec<i64> = NEIGHBOURS[id].iter().map(|&n| if n == NONE { -1 } else { n.into() }).collect();
            assert_eq!(steps, found, "{id}");
            let mut landings = numbers(&cell["landings"]);
            landings.retain(|&n| n >= 0);
            assert_eq!(landings, STAR[id].hops().iter().map(|hop| i64::from(hop.to)).collect::<Vec<_>>(), "{id}");
            let set = bit(id as u8);
            assert_eq!(cell["p0_home"].as_bool(), Some(home(Seat::First) & set != 0), "{id}");
            assert_eq!(cell["p0_goal"].as_bool(), Some(goal(Seat::First) & set != 0), "{id}");
        }
    }
}
