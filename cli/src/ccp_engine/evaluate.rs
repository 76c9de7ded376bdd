//! How far both sides have come.

use rookery_game::{
    Seat,
    chinese_checkers::{
        Position,
        geometry::{HOLES, Holes, distance_to_tip, off_axis},
    },
};

/// A win; nearer ones are worth more.
pub(super) const WIN: i32 = 30_000;

/// What a piece has still to do, by seat and hole: the way to the far tip, weighing more for those that lag behind, and a
/// little for straying from the middle, where the ladders are.
static WAY: [[i32; HOLES]; 2] = way();

const fn way() -> [[i32; HOLES]; 2] {
    let mut way = [[0; HOLES]; 2];
    let mut hole = 0;
    while hole < HOLES {
        let mut seat = 0;
        while seat < 2 {
            let distance = distance_to_tip(Seat::BOTH[seat], hole as u8);
            way[seat][hole] = 10 * distance + distance * distance / 2 + off_axis(hole as u8);
            seat += 1;
        }
        hole += 1;
    }
    way
}

/// What a move gains for its side.
pub(super) fn gain(seat: Seat, from: u8, to: u8) -> i32 {
    let way = &WAY[seat.index()];
    way[usize::from(from)] - way[usize::from(to)]
}

fn left(seat: Seat, mut pieces: Holes) -> i32 {
    let mut sum = 0;
    while pieces != 0 {
        sum += WAY[seat.index()][pieces.trailing_zeros() as usize];
        pieces &= pieces - 1;
    }
    sum
}

/// The position from the view of the side to move.
pub(super) fn evaluate(position: &Position) -> i32 {
    let own = position.to_move();
    left(own.other(), position.pieces(own.other())) - left(own, position.pieces(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_is_better() {
        assert_eq!(evaluate(&Position::START), 0);
        assert!(gain(Seat::First, 3, 14) > 0 && gain(Seat::Second, 3, 14) < 0);
        // After a step forward the other side is behind.
        assert!(evaluate(&Position::START.after(3, 14)) < 0);
    }
}
