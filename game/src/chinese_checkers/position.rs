//! Pieces in their holes and who moves: what can be reached, and by which path.

use super::{
    geometry::{ALL, HOLES, Holes, STAR, bit, each, goal, home},
    lattice::{self, Grid, PLACES, Words, lowest, to_holes},
};
use crate::Seat;

/// Ids of the longest witness path: a chain has at most 19 hops, as each goes over another piece.
pub const MAX_PATH: usize = 20;

/// A position: pieces and the side to move, nothing else. Two positions are the same one for the rule of repetition
/// exactly if they are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pieces: [Holes; 2],
    to_move: Seat,
    /// The pieces of both, for hops; it follows from `pieces`.
    taken: Words,
}

/// Why a path is not a move. The words are those of the public test vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each says itself what it is")]
pub enum PathFault {
    #[error("no hole has this id")]
    BadCellId,
    #[error("it does not begin with a piece of the side to move")]
    NotOwnPiece,
    #[error("it ends where it begins")]
    NullMove,
    #[error("the hole at its end is taken")]
    TargetOccupied,
    #[error("it lands in a hole twice")]
    Revisit,
    #[error("a step cannot be part of a chain")]
    StepInChain,
    #[error("two holes of it are no hop apart")]
    NotAHop,
    #[error("it lands in a hole that is taken")]
    LandingOccupied,
    #[error("it hops over an empty hole")]
    MidpointEmpty,
    #[error("a piece in its goal stays there")]
    GoalLock,
    #[error("no chain of hops leads there")]
    Unreachable,
    #[error("no chain has so many hops")]
    TooLong,
}

/// A witness path: the source, each landing, the end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Path {
    ids: [u8; MAX_PATH],
    len: u8,
}

impl Path {
    /// Its ids.
    #[must_use]
    pub fn ids(&self) -> &[u8] {
        &self.ids[..usize::from(self.len)]
    }

    const fn one(from: u8) -> Self {
        let mut ids = [0; MAX_PATH];
        ids[0] = from;
        Self { ids, len: 1 }
    }

    fn push(&mut self, id: u8) {
        if let Some(place) = self.ids.get_mut(usize::from(self.len)) {
            *place = id;
            self.len += 1;
        }
    }
}

impl std::fmt::Debug for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

impl Position {
    /// Ten against ten at home, `First` to move.
    pub const START: Self = Self::of([home(Seat::First), home(Seat::Second)], Seat::First);

    const fn of(pieces: [Holes; 2], to_move: Seat) -> Self {
        Self { pieces, to_move, taken: lattice::words(pieces[0] | pieces[1]) }
    }

    /// A position; `None` where two pieces are in one hole or one is off the board.
    #[must_use]
    pub const fn new(pieces: [Holes; 2], to_move: Seat) -> Option<Self> {
        let sound = pieces[0] & pieces[1] == 0 && (pieces[0] | pieces[1]) & !ALL == 0;
        if sound { Some(Self::of(pieces, to_move)) } else { None }
    }

    /// Reads 121 characters `.`, `0`, `1`, hole by hole. `None` for any other text.
    #[must_use]
    pub fn read(cells: &str, to_move: Seat) -> Option<Self> {
        if cells.len() != HOLES {
            return None;
        }
        let mut pieces = [0; 2];
        for (id, cell) in (0_u8..).zip(cells.bytes()) {
            match cell {
                b'.' => {}
                b'0' => pieces[0] |= bit(id),
                b'1' => pieces[1] |= bit(id),
                _ => return None,
            }
        }
        Some(Self::of(pieces, to_move))
    }

    /// The 121 characters of [`Self::read`].
    #[must_use]
    pub fn cells(&self) -> String {
        (0..HOLES as u8)
            .map(|id| match bit(id) {
                hole if self.pieces[0] & hole != 0 => '0',
                hole if self.pieces[1] & hole != 0 => '1',
                _ => '.',
            })
            .collect()
    }

    /// The holes of a player's pieces.
    #[must_use]
    pub const fn pieces(&self, seat: Seat) -> Holes {
        self.pieces[seat.index()]
    }

    /// Who moves.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The same pieces with the other side to move.
    #[must_use]
    pub const fn turned(&self) -> Self {
        Self { to_move: self.to_move.other(), ..*self }
    }

    const fn occupied(&self) -> Holes {
        self.pieces[0] | self.pieces[1]
    }

    /// Where a piece of the side to move that stands in or has landed in `hole` may land next.
    const fn allowed(&self, hole: u8) -> Holes {
        let goal = goal(self.to_move);
        if goal & bit(hole) != 0 { goal } else { ALL }
    }

    /// The hops of the class that a hole belongs to.
    #[inline]
    fn grid(&self, class: u8) -> Grid {
        Grid::new(class, &self.taken, self.to_move)
    }

    /// Where the piece in `from` may step.
    #[inline]
    fn steps(&self, from: u8) -> Holes {
        STAR[usize::from(from)].steps & self.allowed(from) & !self.occupied()
    }

    /// Where the piece in `from` may go, by a step or a chain; nothing where no piece of the side to move is there.
    ///
    /// The goal's lock depends on the hole alone in which a piece is, so the ends of all paths are those of a plain
    /// search; that a path does not land twice in a hole changes none of them.
    #[must_use]
    pub fn targets(&self, from: u8) -> Holes {
        if usize::from(from) >= HOLES || self.pieces(self.to_move) & bit(from) == 0 {
            return 0;
        }
        let place = PLACES[usize::from(from)];
        to_holes(place.class, self.grid(place.class).reach(place.set())) | self.steps(from)
    }

    /// All legal moves as (from, to), by ascending ids.
    pub fn moves(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        each(self.pieces(self.to_move)).flat_map(|from| each(self.targets(from)).map(move |to| (from, to)))
    }

    /// How many legal moves there are; a move is a pair of (from, to), whatever the ways between.
    #[must_use]
    pub fn legal_count(&self) -> u32 {
        let grids = [0, 1, 2, 3].map(|class| self.grid(class));
        let (own, goal, empty) = (self.pieces(self.to_move), goal(self.to_move), ALL & !self.occupied());
        let mut count = 0;
        // Steps and hops never lead to the same hole: they are of different classes.
        for from in each(own & !goal) {
            let place = PLACES[usize::from(from)];
            let hops = grids[usize::from(place.class & 3)].reach(place.set());
            count += hops.count_ones() + (STAR[usize::from(from)].steps & empty).count_ones();
        }
        for from in each(own & goal) {
            let place = PLACES[usize::from(from)];
            let hops = grids[usize::from(place.class & 3)].reach_inside(place.set());
            count += hops.count_ones() + (STAR[usize::from(from)].steps & empty & goal).count_ones();
        }
        count
    }

    /// Whether there is a legal move at all.
    #[must_use]
    pub fn can_move(&self) -> bool {
        each(self.pieces(self.to_move)).any(|from| self.steps(from) != 0 || self.targets(from) != 0)
    }

    /// Moves a piece and passes the turn. The move must be legal: what is not is not looked at here.
    #[must_use]
    pub const fn after(mut self, from: u8, to: u8) -> Self {
        let own = &mut self.pieces[self.to_move.index()];
        *own = (*own & !bit(from)) | bit(to);
        let (left, taken) = (PLACES[from as usize], PLACES[to as usize]);
        self.taken[left.class as usize] &= !left.set();
        self.taken[taken.class as usize] |= taken.set();
        self.to_move = self.to_move.other();
        self
    }

    /// Whether (from, to) is legal.
    ///
    /// # Errors
    /// Why it is not.
    pub fn check(&self, from: u8, to: u8) -> Result<(), PathFault> {
        if usize::from(from.max(to)) >= HOLES {
            return Err(PathFault::BadCellId);
        }
        if self.pieces(self.to_move) & bit(from) == 0 {
            return Err(PathFault::NotOwnPiece);
        }
        if from == to {
            return Err(PathFault::NullMove);
        }
        if self.occupied() & bit(to) != 0 {
            return Err(PathFault::TargetOccupied);
        }
        if self.allowed(from) & bit(to) == 0 {
            return Err(PathFault::GoalLock);
        }
        let (start, end) = (PLACES[usize::from(from)], PLACES[usize::from(to)]);
        let hops = start.class == end.class && self.grid(start.class).reach(start.set()) & end.set() != 0;
        if hops || self.steps(from) & bit(to) != 0 { Ok(()) } else { Err(PathFault::Unreachable) }
    }

    /// Whether a whole path is legal: a step, or hops that each land in an empty hole where the piece has not been.
    ///
    /// # Errors
    /// What is wrong with it; the first fault along the way.
    pub fn check_path(&self, path: &[u8]) -> Result<(), PathFault> {
        let (Some(&from), Some(&to)) = (path.first(), path.last()) else { return Err(PathFault::NullMove) };
        if path.len() > MAX_PATH {
            return Err(PathFault::TooLong);
        }
        if path.iter().any(|&id| usize::from(id) >= HOLES) {
            return Err(PathFault::BadCellId);
        }
        if self.pieces(self.to_move) & bit(from) == 0 {
            return Err(PathFault::NotOwnPiece);
        }
        if path.len() == 1 || from == to {
            return Err(PathFault::NullMove);
        }
        let occupied = self.occupied() & !bit(from);
        let mut visited = bit(from);
        for leg in path.windows(2) {
            let (at, next) = (leg[0], leg[1]);
            let landing = bit(next);
            let step = STAR[usize::from(at)].steps & landing != 0;
            let hop = STAR[usize::from(at)].hops().iter().find(|hop| hop.to == next);
            match hop {
                _ if visited & landing != 0 => return Err(PathFault::Revisit),
                _ if step && path.len() > 2 => return Err(PathFault::StepInChain),
                None if !step => return Err(PathFault::NotAHop),
                _ if occupied & landing != 0 => return Err(PathFault::LandingOccupied),
                Some(hop) if occupied & bit(hop.over) == 0 => return Err(PathFault::MidpointEmpty),
                _ if self.allowed(at) & landing == 0 => return Err(PathFault::GoalLock),
                _ => visited |= landing,
            }
        }
        Ok(())
    }

    /// The canonical witness path of a move: fewest hops, then the smallest ids. `None` where the move is not legal.
    #[must_use]
    pub fn path(&self, from: u8, to: u8) -> Option<Path> {
        self.check(from, to).ok()?;
        let mut path = Path::one(from);
        let step = STAR[usize::from(from)].steps & bit(to) != 0;
        if step {
            path.push(to);
            return Some(path);
        }
        let (start, end) = (PLACES[usize::from(from)], PLACES[usize::from(to)]);
        let grid = self.grid(start.class);
        // Holes by the number of hops that they are away.
        let mut levels = [0; MAX_PATH];
        levels[0] = start.set();
        let mut reached = start.set();
        let mut last = 0;
        while levels[last] & end.set() == 0 {
            let next = grid.hop(levels[last]) & !reached;
            // `check` found the hole, so the search meets it before it runs dry.
            if next == 0 || last + 1 >= MAX_PATH {
                return None;
            }
            last += 1;
            levels[last] = next;
            reached |= next;
        }
        // What leads to the end in as few hops, from the end backwards.
        levels[last] = end.set();
        for level in (1..last).rev() {
            levels[level] = grid.leads(levels[level], levels[level + 1]);
        }
        let mut at = start.set();
        for level in &levels[1..=last] {
            let next = grid.hop(at) & level;
            path.push(lowest(start.class, next)?);
            at = next & next.wrapping_neg();
        }
        Some(path)
    }

    /// The public 64-bit key, by which rows and logs name a position. It is an index, not the position: the rule of
    /// repetition compares positions.
    #[must_use]
    pub fn key(&self) -> u64 {
        const SEED: u64 = 0x6c6f_6e67_686f_7073;
        let mut key = SEED;
        for seat in Seat::BOTH {
            for hole in each(self.pieces(seat)) {
                let place = (u64::from(hole) + 1).wrapping_mul(0x0100_0000_01b3);
                key ^= mix(place ^ (seat.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            }
        }
        key ^ mix((self.to_move.index() as u64).wrapping_add(0xd1b5_4a32_d192_ed03))
    }
}

/// One step of `SplitMix64` (Steele, Lea, Flood 2014).
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
