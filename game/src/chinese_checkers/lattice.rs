//! Hops in parallel.
//!
//! A hop goes two holes along an axis, so that a chain stays among the holes whose coordinates have the same parities:
//! four classes of 37, 28, 28 and 28 holes. Within its class a hop is a step. Hole (q, r) is bit 8 ⌊r/2⌋ + ⌊q/2⌋ + 32 of
//! its class's word: rows have at most seven holes with a bit between them that no hole has, so that nothing wraps, and
//! bits are in the order of ids.
//!
//! The moving piece need not be lifted: its own hole is never between two holes of its class, and landing in it again
//! reaches nothing new.

use super::geometry::{AXIAL, HOLES, Holes, bit, goal};
use crate::Seat;

/// Holes of each class: its word's bits.
pub(super) type Words = [u64; 4];

/// Bits from a hole to the next of its class to the east, south-east and south-west.
const STRIDES: [u32; 3] = [1, 8, 7];

/// Where a hole is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) class: u8,
    bit: u8,
}

impl Place {
    /// Its bit in its class's word.
    #[inline]
    pub(super) const fn set(self) -> u64 {
        1 << self.bit
    }
}

/// The place of each hole.
pub(super) static PLACES: [Place; HOLES] = places();
/// The hole of each place.
static HOLE: [[u8; 64]; 4] = holes();
/// The goals of both seats.
static GOALS: [Words; 2] = [words(goal(Seat::First)), words(goal(Seat::Second))];

const fn place((q, r): (i32, i32)) -> Place {
    let class = (q & 1) + 2 * (r & 1);
    Place { class: class as u8, bit: (8 * (r >> 1) + (q >> 1) + 32) as u8 }
}

const fn places() -> [Place; HOLES] {
    let mut places = [Place { class: 0, bit: 0 }; HOLES];
    let mut id = 0;
    while id < HOLES {
        places[id] = place(AXIAL[id]);
        id += 1;
    }
    places
}

const fn holes() -> [[u8; 64]; 4] {
    let mut holes = [[0; 64]; 4];
    let mut id = 0;
    while id < HOLES {
        let Place { class, bit } = place(AXIAL[id]);
        holes[class as usize][bit as usize] = id as u8;
        id += 1;
    }
    holes
}

/// A set of holes as words.
pub(super) const fn words(holes: Holes) -> Words {
    let mut words = [0; 4];
    let mut id = 0;
    while id < HOLES {
        if holes & 1 << id != 0 {
            let place = place(AXIAL[id]);
            words[place.class as usize] |= place.set();
        }
        id += 1;
    }
    words
}

/// The hole of the lowest bit of a class's word, which is its smallest id.
pub(super) fn lowest(class: u8, word: u64) -> Option<u8> {
    HOLE.get(usize::from(class))?.get(word.trailing_zeros() as usize).copied()
}

/// The holes of a class's word.
#[inline]
pub(super) fn to_holes(class: u8, mut word: u64) -> Holes {
    let mut holes = 0;
    while let Some(hole) = lowest(class, word) {
        holes |= bit(hole);
        word &= word - 1;
    }
    holes
}

/// One class on a board: where its holes are empty, and where hops go over a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// Bits of holes from which the hole between is taken, to the east, south-east, south-west.
    over: [u64; 3],
    empty: u64,
    goal: u64,
}

/// Holes of each class.
const ALL: Words = words(super::geometry::ALL);

impl Grid {
    /// The class with all pieces `taken`; `goal` is that of `mover`.
    #[inline]
    pub(super) fn new(class: u8, taken: &Words, mover: Seat) -> Self {
        let [a, b, c, d] = *taken;
        // The hole between has the other parity of q, of r, of both; it has the same bit where the coordinate is even,
        // and else the next one's, by the rounding.
        let over = match class {
            0 => [b, c, d << 1],
            1 => [a >> 1, d, c],
            2 => [d, a >> 8, b >> 7],
            _ => [c >> 1, b >> 8, a >> 8],
        };
        let at = usize::from(class & 3);
        Self { over, empty: ALL[at] & !taken[at], goal: GOALS[mover.index()][at] }
    }

    /// Holes that one hop leads to, taken or not.
    #[inline]
    const fn leap(&self, from: u64) -> u64 {
        let [e, se, sw] = self.over;
        let [x, y, z] = STRIDES;
        (from & e) << x | (from >> x) & e | (from & se) << y | (from >> y) & se | (from & sw) << z | (from >> z) & sw
    }

    /// Empty holes that one hop leads to from holes of a chain; a piece in its goal stays there.
    #[inline]
    pub(super) const fn hop(&self, from: u64) -> u64 {
        let inside = from & self.goal;
        let landed = self.leap(from & !self.goal);
        let landed = if inside == 0 { landed } else { landed | self.leap(inside) & self.goal };
        landed & self.empty
    }

    /// Holes of `among` from which one hop leads to `ends`, empty or not.
    pub(super) const fn leads(&self, among: u64, ends: u64) -> u64 {
        (self.leap(ends & self.goal) | self.leap(ends & !self.goal) & !self.goal) & among
    }

    /// As [`Self::reach`], from a hole of the goal: the chain stays there.
    #[inline]
    pub(super) const fn reach_inside(&self, from: u64) -> u64 {
        let allowed = self.empty & self.goal;
        let mut reached = 0;
        let mut last = from;
        loop {
            last = self.leap(last) & allowed & !reached;
            if last == 0 {
                return reached;
            }
            reached |= last;
        }
    }

    /// Empty holes that a chain reaches from one hole.
    #[inline]
    pub(super) const fn reach(&self, from: u64) -> u64 {
        let mut reached = 0;
        let mut last = from;
        loop {
            last = self.hop(last) & !reached;
            if last == 0 {
                return reached;
            }
            reached |= last;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::geometry::{STAR, each},
        *,
    };

    #[test]
    fn classes_have_their_holes() {
        assert_eq!(ALL.map(u64::count_ones), [37, 28, 28, 28]);
        for id in 0..HOLES as u8 {
            let place = PLACES[usize::from(id)];
            assert_eq!(lowest(place.class, place.set()), Some(id));
            assert_eq!(to_holes(place.class, place.set()), bit(id));
            let later = |other: u8| {
                PLACES[usize::from(other)].class == place.class && PLACES[usize::from(other)].set() < place.set()
            };
            assert!(!(id + 1..HOLES as u8).any(later), "bits are in the order of ids");
        }
        for class in 0..4 {
            assert_eq!(words(to_holes(class, ALL[usize::from(class)])), {
                let mut one = [0; 4];
                one[usize::from(class)] = ALL[usize::from(class)];
                one
            });
        }
    }

    /// With one piece on the board a hop is there exactly where the star has one over it.
    #[test]
    fn hops_are_those_of_the_star() {
        for over in 0..HOLES as u8 {
            let taken = words(bit(over));
            for from in 0..HOLES as u8 {
                let place = PLACES[usize::from(from)];
                for mover in Seat::BOTH {
                    let grid = Grid::new(place.class, &taken, mover);
                    let inside = goal(mover) & bit(from) != 0;
                    let ends = STAR[usize::from(from)].hops().iter().filter(|hop| hop.over == over);
                    let ends = ends.fold(0, |ends, hop| ends | bit(hop.to));
                    let allowed = if inside { ends & goal(mover) } else { ends };
                    assert_eq!(
                        to_holes(place.class, grid.hop(place.set())),
                        allowed & !bit(over),
                        "{from} over {over}"
                    );
                    for to in each(ends) {
                        let back = grid.leads(place.set(), PLACES[usize::from(to)].set()) != 0;
                        assert_eq!(back, allowed & bit(to) != 0, "{from} over {over} to {to}");
                    }
                }
            }
        }
    }
}
