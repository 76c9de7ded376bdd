//! The 960 start positions of Chess960, and the 921,600 with two back ranks.

/// How many back ranks there are.
pub(crate) const RANKS: usize = 960;

/// The back rank with Scharnagl's number `number` (0 to 959; 518 is that of chess), in capitals.
pub(crate) fn back_rank(number: usize) -> String {
    /// Where the two knights go among the five squares that are left.
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    let mut rank = [' '; 8];
    let number = number % RANKS;
    let (number, light) = (number / 4, number % 4);
    let (number, dark) = (number / 4, number % 4);
    let (knights, queen) = (number / 6, number % 6);
    rank[light * 2 + 1] = 'B';
    rank[dark * 2] = 'B';
    put(&mut rank, queen, 'Q');
    let (first, second) = KNIGHTS[knights];
    // The later one first, so that the places of the earlier ones still count free squares.
    put(&mut rank, second, 'N');
    put(&mut rank, first, 'N');
    for piece in ['R', 'K', 'R'] {
        put(&mut rank, 0, piece);
    }
    rank.iter().collect()
}

fn put(rank: &mut [char; 8], place: usize, piece: char) {
    if let Some(square) = rank.iter_mut().filter(|square| **square == ' ').nth(place) {
        *square = piece;
    }
}

/// The start position with these two back ranks.
pub(crate) fn fen(white: usize, black: usize) -> String {
    format!("{}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", back_rank(black).to_lowercase(), back_rank(white))
}
