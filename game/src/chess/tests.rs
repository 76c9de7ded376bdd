//! Rules as tables, and random games.

use proptest::prelude::*;

use super::*;
use crate::{board, setup::Start};

fn at(kind: GameKind, position: &str) -> ChessBoard {
    ChessBoard::new(kind, position).unwrap_or_else(|error| panic!("{error}"))
}

fn play(board: &mut ChessBoard, moves: &str) {
    for text in moves.split_whitespace() {
        assert_eq!(board.ending(), None, "over before {text}");
        let mv = board.parse(text, board::protocol_form(board.kind())).unwrap();
        board.play(mv);
    }
}

/// Plays all moves, of which only the last may end the game, and compares the ending.
fn check(position: &str, moves: &str, expected: Option<(GameResult, Ending)>) {
    let mut board = at(GameKind::Chess, position);
    play(&mut board, moves);
    assert_eq!(board.ending().map(|outcome| (outcome.result, outcome.ending)), expected, "{position} {moves}");
}

#[test]
fn endings() {
    use Ending::{Checkmate, FiftyMoves, InsufficientMaterial, Repetition, Stalemate};
    use GameResult::{Draw, FirstWins, SecondWins};
    check("", "", None);
    check("", "f2f3 e7e5 g2g4 d8h4", Some((SecondWins, Checkmate)));
    // Mate and stalemate on the hundredth half-move come before the fifty moves.
    check("7k/8/R5K1/8/8/8/8/8 w - - 99 120", "a6a8", Some((FirstWins, Checkmate)));
    check("7k/8/R5K1/8/8/8/8/8 w - - 99 120", "a6a5", Some((Draw, FiftyMoves)));
    check("7k/8/R5K1/8/8/8/8/8 w - - 98 120", "a6a5", None);
    check("k7/2Q5/8/8/8/8/8/K7 w - - 99 120", "c7b6", Some((Draw, Stalemate)));
    check("8/8/4k3/8/8/3QK3/8/8 w - - 99 80", "d3d4", Some((Draw, FiftyMoves)));
    check("8/8/8/8/8/5k2/7p/5B1K b - - 0 1", "f3g3", None);
    // The en passant capture is the only move: no stalemate.
    check("7k/5K2/6P1/8/1pP5/1P6/8/8 b - c3 0 1", "b4c3", None);
    // A pinned pawn cannot capture en passant, so the position counts from its first occurrence.
    let pinned = "4r2k/3p4/8/4P3/8/8/8/R3K3 b - - 0 1";
    check(pinned, "d7d5 a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1 g8h8", Some((Draw, Repetition)));
    // Where it can, the first occurrence is another position.
    let free = "7k/3p4/8/4P3/8/8/8/R3K3 b - - 0 1";
    check(free, "d7d5 a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1 g8h8", None);
    check(free, "d7d5 a1b1 h8g8 b1a1 g8h8 a1b1 h8g8 b1a1 g8h8 a1b1", Some((Draw, Repetition)));
    // A castling right that is lost makes another position.
    let castling = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1";
    check(castling, "h1g1 e8d8 g1h1 d8e8 h1g1 e8d8 g1h1 d8e8", None);
    check(castling, "h1g1 e8d8 g1h1 d8e8 h1g1 e8d8 g1h1 d8e8 h1g1", Some((Draw, Repetition)));
    check("", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1", None);
    check("", "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8", Some((Draw, Repetition)));
    // Material.
    check("2b5/8/4k3/8/8/3BK3/5p2/8 w - - 0 1", "e3f2", Some((Draw, InsufficientMaterial)));
    check("5b2/8/4k3/8/8/3BK3/5p2/8 w - - 0 1", "e3f2", None);
    check("4B3/8/2B1k3/8/8/4K3/5p2/8 w - - 0 1", "e3f2", Some((Draw, InsufficientMaterial)));
    check("8/8/4k3/8/8/3NK3/5p2/8 w - - 0 1", "e3f2", Some((Draw, InsufficientMaterial)));
    check("8/8/4k3/8/8/3BK3/5p2/8 w - - 0 1", "e3f2", Some((Draw, InsufficientMaterial)));
    check("8/8/4k3/8/8/4K3/5p2/8 w - - 0 1", "e3f2", Some((Draw, InsufficientMaterial)));
    check("5n2/8/4k3/8/8/3NK3/5p2/8 w - - 0 1", "e3f2", None);
    check("8/8/4k3/8/8/2NNK3/5p2/8 w - - 0 1", "e3f2", None);
    check("8/8/4k3/8/8/2BNK3/5p2/8 w - - 0 1", "e3f2", None);
}

#[test]
fn positions() {
    fn check(kind: GameKind, text: &str, expected: &str) {
        let found = match ChessBoard::new(kind, text) {
            Ok(board) => match board.notation() {
                Notation::Fen(fen) => fen,
                other => panic!("{other:?}"),
            },
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{text}: {found}");
    }
    use GameKind::{Chess, Chess960, Shogi};
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    check(Chess, "", start);
    check(Chess960, "  ", start);
    check(Chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR   w HAha -", start);
    check(Chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", start);
    check(Chess, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7", "w KQkq - 7 1");
    // The en passant square is kept where a capture is legal, and only there.
    check(Chess, "7k/5K2/6P1/8/1pP5/1P6/8/8 b - c3", "b - c3 0 1");
    check(Chess, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "b KQkq - 0 1");
    // X-FEN, Shredder-FEN, and where X-FEN needs the file: the inner rook castles.
    check(Chess960, "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1", "w KQkq - 0 1");
    check(Chess960, "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", "w KQkq - 0 1");
    check(Chess960, "4k3/8/8/8/8/8/8/1R2KR1R w F - 0 1", "w F - 0 1");
    check(Chess960, "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBga - 0 1", "w KQkq - 0 1");
    for (text, why) in [
        ("hello", "1 of at least 4 fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1 9", "7 fields"),
        ("8/8/8/8/8/8/8 w - -", "7 ranks"),
        ("9/8/8/8/8/8/8/8 w - -", "`9` on rank 8"),
        ("8/8/8/8/8/ppp/8/8 w - -", "rank 3 has 3 squares"),
        ("8/8/8/8/8/8/8/8 x - -", "side to move `x`"),
        ("8/8/8/8/8/8/8/8 w - -", "no men"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "half-move clock `-1`"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 999999", "full-move number `999999`"),
        ("4k3/8/8/8/8/8/8/4K3 w KQ - 0 1", "a Chess960 position?"),
        ("nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1", "a Chess960 position?"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "the side that does not move is in check"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "a king is missing"),
        ("QQQQk3/QQQQQQQQ/8/8/8/8/8/4K3 b - - 0 1", "more men"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "first or last rank"),
    ] {
        check(Chess, text, why);
    }
    check(Chess, &"8/".repeat(1000), "longer than");
    check(Shogi, "", "no board for Shogi");
}

#[test]
fn moves_in_every_form() {
    use Form::{Csa, San, Uci, Uci960};
    const CASTLE: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    const FRC: &str = "1r3kr1/5pp1/8/8/8/8/8/1R3KR1 w GBgb - 0 1";
    const PROMOTE: &str = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";
    const KNIGHTS: &str = "4k3/8/8/4p3/8/5N2/8/1N2K3 w - - 0 1";
    fn check(kind: GameKind, position: &str, form: Form, text: &str, expected: &str) {
        let board = at(kind, position);
        let found = match board.parse(text, form) {
            Ok(mv) => board.write(mv, San),
            Err(IllegalMove::Illegal { .. }) => "illegal".to_owned(),
            Err(IllegalMove::NotAMove { .. } | IllegalMove::Because { .. }) => "no move".to_owned(),
        };
        assert_eq!(found, expected, "{kind:?} {position} {form:?} {text:?}");
    }
    let (chess, frc) = (GameKind::Chess, GameKind::Chess960);
    for (kind, position, form, text, expected) in [
        (chess, "", Uci, "e2e4", "e4"),
        (chess, "", Uci, " e2e4\r", "e4"),
        (chess, "", Uci, "e2e5", "illegal"),
        (chess, "", Uci, "a1a1", "illegal"),
        (chess, "", Uci, "e7e5", "illegal"),
        (chess, "", Uci, "e2e4q", "illegal"),
        (chess, "", Uci, "(none)", "no move"),
        (chess, "", Uci, "0000", "no move"),
        (chess, "", Uci, "", "no move"),
        (chess, "", Uci, "NULL", "no move"),
        (chess, "", Uci, "Ng1-f3", "no move"),
        (chess, "", Uci, "E2E4", "no move"),
        (chess, "", Uci, "e2e4e5", "no move"),
        (chess, "", Uci, "e2é", "no move"),
        (chess, "", Uci, "P@e4", "no move"),
        (chess, "", Csa, "e2e4", "no move"),
        (chess, CASTLE, Uci, "e1g1", "O-O"),
        (chess, CASTLE, Uci, "e1c1", "O-O-O"),
        (chess, CASTLE, Uci, "e1h1", "O-O"),
        (chess, CASTLE, Uci, "e1b1", "illegal"),
        (chess, CASTLE, Uci960, "e1h1", "O-O"),
        (chess, CASTLE, Uci960, "e1g1", "illegal"),
        (frc, CASTLE, Uci960, "e1a1", "O-O-O"),
        (frc, CASTLE, Uci960, "e1c1", "illegal"),
        (frc, CASTLE, Uci, "e1c1", "illegal"),
        (frc, FRC, Uci960, "f1g1", "O-O"),
        (frc, FRC, Uci960, "f1b1", "O-O-O"),
        (frc, FRC, Uci960, "f1e1", "Ke1"),
        (frc, FRC, Uci960, "f1c1", "illegal"),
        (chess, PROMOTE, Uci, "e7e8q", "e8=Q+"),
        (chess, PROMOTE, Uci, "e7d8N", "exd8=N"),
        (chess, PROMOTE, Uci, "e7e8", "illegal"),
        (chess, PROMOTE, Uci, "e7e8k", "no move"),
        (chess, PROMOTE, Uci, "e7e8=q", "no move"),
        (chess, PROMOTE, San, "exd8=Q#", "exd8=Q+"),
        (chess, PROMOTE, San, "ed8Q", "exd8=Q+"),
        (chess, PROMOTE, San, "exd8(R)", "exd8=R+"),
        (chess, PROMOTE, San, "e7e8q", "e8=Q+"),
        (chess, PROMOTE, San, "e8", "illegal"),
        (chess, CASTLE, San, "O-O+", "O-O"),
        (chess, CASTLE, San, "0-0-0!?", "O-O-O"),
        (frc, FRC, San, "O-O", "O-O"),
        (chess, KNIGHTS, San, "Nd2", "illegal"),
        (chess, KNIGHTS, San, "Nbd2", "Nbd2"),
        (chess, KNIGHTS, San, "Nb1-d2", "Nbd2"),
        (chess, KNIGHTS, San, "Ne5", "Nxe5"),
        (chess, KNIGHTS, San, "Nf3:e5", "Nxe5"),
        (chess, "", San, "e2-e4", "e4"),
        (chess, "", San, "Pe4", "e4"),
        (chess, "", San, "--", "no move"),
        (chess, "", San, "Z0", "no move"),
        (chess, "", San, "", "no move"),
        (chess, "", San, "*", "no move"),
        (chess, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", San, "exd6 e.p.", "exd6"),
    ] {
        check(kind, position, form, text, expected);
    }
}

#[test]
fn castling_with_two_different_back_ranks() {
    // White has king f1 and rooks b1, g1; Black has king c8 and rooks a8, g8.
    let mut board = at(GameKind::Chess960, "r1k3r1/3p1pp1/8/8/8/8/8/1R3KR1 w GBga - 0 1");
    play(&mut board, "f1b1 c8g8");
    assert_eq!(board.notation(), Notation::Fen("r4rk1/3p1pp1/8/8/8/8/8/2KR2R1 w - - 2 2".to_owned()));
    let mut board = at(GameKind::Chess960, "r1k3r1/3p1pp1/8/8/8/8/8/1R3KR1 w GBga - 0 1");
    play(&mut board, "f1g1 c8a8");
    assert_eq!(board.notation(), Notation::Fen("2kr2r1/3p1pp1/8/8/8/8/8/1R3RK1 w - - 2 2".to_owned()));
}

#[test]
fn a_start_plays_its_opening() {
    let start = |position: &str, moves: &str| {
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        board::start(GameKind::Chess, &Start { position: position.to_owned(), moves })
    };
    let board = start("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 3 7", "f8b4").unwrap();
    assert_eq!((board.to_move(), board.ply(), board.move_number()), (Seat::First, 1, 8));
    let error = |position, moves| start(position, moves).map(|_| ()).unwrap_err();
    assert_eq!(
        error("", "e2e4 e2e4"),
        StartError::Move { ply: 2, source: IllegalMove::Illegal { text: "e2e4".to_owned() } }
    );
    assert_eq!(error("", "f2f3 e7e5 g2g4 d8h4"), StartError::Over { plies: 4, ending: Ending::Checkmate });
    assert_eq!(
        error("4k3/8/8/8/8/8/8/4K3 w - - 0 1", ""),
        StartError::Over { plies: 0, ending: Ending::InsufficientMaterial }
    );
    let long = Start { position: String::new(), moves: vec!["a2a3".to_owned(); board::MAX_PLIES + 1] };
    assert!(matches!(board::start(GameKind::Chess, &long), Err(StartError::TooLong { .. })));
}

#[test]
fn who_can_still_win() {
    for (position, first, second) in [
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1", true, false),
        ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", false, false),
        ("4k3/7p/8/8/8/8/8/4K1N1 w - - 0 1", true, true),
        ("4k2q/8/8/8/8/8/8/4K1N1 w - - 0 1", false, true),
        ("4k1n1/8/8/8/8/8/8/4K1N1 w - - 0 1", true, true),
        ("4k3/8/8/8/8/8/8/4KNN1 w - - 0 1", true, false),
    ] {
        let board = at(GameKind::Chess, position);
        assert_eq!((board.can_win(Seat::First), board.can_win(Seat::Second)), (first, second), "{position}");
    }
}

fn perft(board: &ChessBoard, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    board
        .legal
        .iter()
        .map(|mv| {
            let mut next = board.clone();
            next.play(pack(*mv));
            perft(&next, depth - 1)
        })
        .sum()
}

#[test]
fn perft_of_known_positions() {
    for (kind, position, depth, nodes) in [
        (GameKind::Chess, "", 3, 8_902),
        (GameKind::Chess, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2_039),
        (GameKind::Chess960, "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 3, 12_189),
        (GameKind::Chess960, "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 3, 18_002),
        (GameKind::Chess960, "b1q1rrkb/pppppppp/3nn3/8/P7/1PPP4/4PPPP/BQNNRKRB w GE - 1 9", 3, 10_471),
    ] {
        assert_eq!(perft(&at(kind, position), depth), nodes, "{position}");
    }
}

/// Positions in which a random game may start, with castling of every kind.
const STARTS: [(GameKind, &str); 5] = [
    (GameKind::Chess, ""),
    (GameKind::Chess960, "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"),
    (GameKind::Chess960, "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBga - 0 1"),
    (GameKind::Chess960, "1r2kr1r/8/8/8/8/8/8/1R2KR1R w FBfb - 0 1"),
    (GameKind::Chess, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// In any game every legal move reads back from every form, the position from its text, and a fork goes on alike.
    #[test]
    fn random_games_round_trip(start in 0..STARTS.len(), choices in prop::collection::vec(any::<prop::sample::Index>(), 1..90)) {
        let (kind, position) = STARTS[start];
        let mut board = at(kind, position);
        let mut fork = board.fork();
        for (ply, choice) in choices.iter().enumerate() {
            if board.ending().is_some() {
                break;
            }
            let packed: Vec<Move> = board.legal.iter().map(|mv| pack(*mv)).collect();
            for mv in &packed {
                for form in [Form::Uci, Form::Uci960, Form::San] {
                    prop_assert_eq!(board.parse(&board.write(*mv, form), form), Ok(*mv));
                }
            }
            let Notation::Fen(fen) = board.notation() else { unreachable!() };
            let again = at(kind, &fen);
            prop_assert_eq!(&again.position, &board.position);
            prop_assert_eq!(again.legal.len(), board.legal.len());
            let mv = *choice.get(&packed);
            board.play(mv);
            fork.play(mv);
            prop_assert_eq!(fork.notation(), board.notation());
            prop_assert_eq!(fork.ending(), board.ending());
            prop_assert_eq!(board.ply() as usize, ply + 1);
        }
    }

    /// Repetition against the plain definition: equal positions counted over the whole game.
    #[test]
    fn repetition_is_counted_as_defined(choices in prop::collection::vec(0_usize..3, 1..60)) {
        let mut board = at(GameKind::Chess, "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1");
        let mut seen = vec![board.position.clone()];
        for choice in choices {
            if board.legal.is_empty() {
                break;
            }
            let mv = pack(board.legal[choice.min(board.legal.len() - 1)]);
            board.play(mv);
            seen.push(board.position.clone());
            prop_assert_eq!(board.occurrences(), seen.iter().filter(|position| **position == board.position).count());
        }
    }

    /// No text panics, and none that is refused is anything but cut and clean.
    #[test]
    fn hostile_text(text in any::<String>(), form in 0_usize..6) {
        let form = [Form::Uci, Form::Uci960, Form::San, Form::Usi, Form::Csa, Form::Cells][form];
        if let Err(IllegalMove::NotAMove { text } | IllegalMove::Illegal { text }) = at(GameKind::Chess, "").parse(&text, form) {
            prop_assert!(text.chars().count() <= 64 && !text.chars().any(char::is_control));
        }
        let _ = ChessBoard::new(GameKind::Chess960, &text);
    }

    /// Any men on any squares: what is taken as a position can be played, written and read.
    #[test]
    fn scattered_men(
        men in prop::collection::btree_map(0..64_usize, prop::sample::select(&b"pnbrqPNBRQQRN"[..]), 0..30),
        kings in (0..64_usize, 0..64_usize),
        tail in "[wb] (-|K|Q|k|q|KQkq|[A-H][a-h]) (-|[a-h][36]) [0-9]{1,3} [0-9]{1,4}",
    ) {
        let mut squares = [b' '; 64];
        men.into_iter().for_each(|(square, man)| squares[square] = man);
        squares[kings.0] = b'K';
        squares[kings.1] = b'k';
        let ranks: Vec<String> = squares.chunks(8).map(|rank| String::from_utf8_lossy(rank).replace(' ', "1")).collect();
        if let Ok(mut board) = ChessBoard::new(GameKind::Chess960, &format!("{} {tail}", ranks.join("/"))) {
            let packed: Vec<Move> = board.legal.iter().map(|mv| pack(*mv)).collect();
            for mv in &packed {
                for form in [Form::Uci960, Form::San] {
                    prop_assert_eq!(board.parse(&board.write(*mv, form), form), Ok(*mv));
                }
            }
            let Notation::Fen(fen) = board.notation() else { unreachable!() };
            prop_assert_eq!(&at(GameKind::Chess960, &fen).position, &board.position);
            if let Some(mv) = packed.first() {
                board.play(*mv);
                let _ = (board.ending(), board.can_win(Seat::First), board.in_check());
            }
        }
    }

    /// Texts that look like moves and positions.
    #[test]
    fn near_misses(mv in "[a-hO0NBRQKPx=+#@1-9-]{0,9}", fen in "[1-8pnbrqkPNBRQK/]{0,40} [wb] [KQkqA-Ha-h-]{0,5} ([a-h][1-8]|-)( [0-9]{0,6}){0,3}") {
        for (kind, position) in STARTS {
            let board = at(kind, position);
            for form in [Form::Uci, Form::Uci960, Form::San] {
                if let Ok(mv) = board.parse(&mv, form) {
                    prop_assert!(board.find(mv).is_some());
                }
            }
        }
        let _ = ChessBoard::new(GameKind::Chess960, &fen);
    }
}

/// The shared table of rule cases, where it is there; its essence is in `endings`.
#[test]
fn shared_rule_cases() {
    let Some(path) = crate::testing::shared("cases/rules.jsonl") else { return };
    let table = std::fs::read_to_string(path).unwrap();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let mut board = at(GameKind::Chess, case["fen"].as_str().unwrap());
        let moves: Vec<&str> = case["moves"].as_str().unwrap().split_whitespace().collect();
        let plies = case["plies"].as_u64().map_or(moves.len(), |plies| usize::try_from(plies).unwrap());
        play(&mut board, &moves[..plies].join(" "));
        let found = board.ending().map(|outcome| (outcome.result.as_str(), outcome.ending));
        let expected = case["reason"].as_str().map(|reason| {
            let ending = match reason {
                "checkmate" => Ending::Checkmate,
                "stalemate" => Ending::Stalemate,
                "threefold" => Ending::Repetition,
                "fifty-move" => Ending::FiftyMoves,
                "insufficient" => Ending::InsufficientMaterial,
                other => panic!("{other}"),
            };
            (case["result"].as_str().unwrap(), ending)
        });
        assert_eq!(found, expected, "{}", case["id"]);
    }
}
