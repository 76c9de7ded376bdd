use rookery_game::{
    GameKind, board,
    opening::{Book, BookError, BookOptions, BookWarning, EntryFault},
};

use super::common::{parse, shared, starts};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn lines_become_six_clean_fields() {
    // (line, position, name)
    for (text, position, name) in [
        ("7k/5K2/6P1/8/1pP5/1P6/8/8 b - c3", "7k/5K2/6P1/8/1pP5/1P6/8/8 b - c3 0 1", ""),
        (
            "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - hmvc 1; fmvn 3;",
            "rnbqkb1r/pppp1ppp/5n2/4p3/4P3/3P4/PPP2PPP/RNBQKBNR w KQkq - 1 3",
            "",
        ),
        (
            "rnbqkb1r/pppppp1p/5np1/8/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - fmvn 3; hmvc 0; id \"x; y\";",
            "rnbqkb1r/pppppp1p/5np1/8/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 0 3",
            "x; y",
        ),
        (
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3; c0 \"five fields; and\"; id \"n\";",
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
            "n",
        ),
        (
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2;",
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2",
            "",
        ),
        (
            "rnbqkbnr/pppp1ppp/4p3/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 2 bm d5; ce 30;",
            "rnbqkbnr/pppp1ppp/4p3/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq d3 0 2",
            "",
        ),
        (
            "  rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR\tw KQkq - bm c4; pv c2c4 e7e6; # a comment\r",
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 1",
            "",
        ),
        // Move number 0 is 1; counters out of range start anew.
        (
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 0",
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 1",
            "",
        ),
        (
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - -1 3",
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
            "",
        ),
        (
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 99999999999999999999",
            "rnbqkb1r/ppp1pppp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 1 1",
            "",
        ),
        // A right without its rook, a square that no pawn passed.
        ("4k3/8/8/8/8/8/8/4K2R w KQ e6 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", ""),
    ] {
        let (book, _) = parse("b.epd", text.as_bytes(), GameKind::Chess).unwrap_or_else(|e| panic!("{text}: {e}"));
        let opening = book.get(0).expect("one opening");
        assert_eq!((opening.start.position.as_str(), opening.name.as_str()), (position, name), "{text}");
        assert!(opening.start.moves.is_empty());
        assert_eq!(book.len(), 1);
    }
}

#[test]
fn castling_rights_of_chess960() {
    for (text, position) in [
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w KQkq - 2 9",
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w KQkq - 1 9",
        ),
        // X-FEN cannot say which rook: the file stays.
        ("4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1", "4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1"),
        (START, START),
    ] {
        let (book, _) = parse("b.epd", text.as_bytes(), GameKind::Chess960).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(starts(&book), [(position.to_owned(), String::new())]);
    }
    let error = parse("b.epd", b"2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", GameKind::Chess)
        .expect_err("not chess");
    assert!(error.to_string().contains("chess960"), "{error}");
}

#[test]
fn all_broken_lines_are_named() {
    let text = format!(
        "# a comment\n{START}\n\nrnbqkbnr/pppppppp w\n{START} x 1\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1Z w - -\n\
         7k/5KQ1/8/8/8/8/8/8 b - - 0 1\n7k/5K2/6Q1/8/8/8/8/8 b - - 0 1\n8/8/8/8/8/8/8/K1k5 w - - 0 1\n\
         7k/8/8/8/8/8/8/K6R w - - 0 1\n{START}\n7k/7P/8/8/8/8/8/K7 b - - 100 90\n8/8/8/8/8/8/8/8 w - - 0 1\n"
    );
    let errors = parse("b.epd", text.as_bytes(), GameKind::Chess).expect_err("broken");
    let lines: Vec<u32> = errors
        .errors
        .iter()
        .map(|error| match error {
            BookError::Entry { line, .. } => *line,
            other => panic!("{other}"),
        })
        .collect();
    // Line 10: the side not to move is in check.
    assert_eq!(lines, [4, 6, 7, 8, 9, 10, 12, 13], "{errors}");
    let shown = errors.to_string();
    for word in [
        "b.epd:4: ",
        "found 2 of the four",
        "checkmate",
        "stalemate",
        "insufficient material",
        "fifty moves",
        "the side not to move is in check",
    ] {
        assert!(shown.contains(word), "no `{word}` in\n{shown}");
    }
    let options = BookOptions { skip_broken: true, ..BookOptions::default() };
    let (book, warnings) =
        Book::parse("b.epd", text.into_bytes(), GameKind::Chess, &options).expect("the rest is a book");
    assert_eq!((0..book.len()).map(|i| book.get(i).expect("in it").line).collect::<Vec<_>>(), [2, 5, 11]);
    assert!(matches!(&warnings[..], [BookWarning::Skipped(errors)] if errors.count() == 8), "{warnings:?}");
}

/// How many openings each published book has.
#[test]
fn published_books() {
    for (name, kind, count, last_line) in [
        ("2moves_v2.pgn.zip", GameKind::Chess, 12_092, 120_911),
        ("8mvs_+90_+99.epd.zip", GameKind::Chess, 8_533, 8_533),
        ("noob_2moves.epd.zip", GameKind::Chess, 7_314, 7_314),
        ("FRC_openings.epd.zip", GameKind::Chess960, 960, 960),
        ("8moves_v3.pgn.zip", GameKind::Chess, 34_700, 416_389),
        ("3moves_FRC.epd.zip", GameKind::Chess960, 126_113, 126_113),
        ("UHO_4060_v4.epd.zip", GameKind::Chess, 241_670, 241_670),
    ] {
        let Some(bytes) = shared(&format!("books/{name}")) else { return };
        let (book, warnings) = parse(name, &bytes, kind).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(book.len(), count, "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        assert_eq!(book.get(count - 1).map(|opening| opening.line), Some(last_line), "{name}");
        assert_eq!(book.get(count), None);
        // Some of them, from the first to the last: what a book gives can be played.
        for index in (0..count).step_by(count / 97).chain([count - 1]) {
            let opening = book.get(index).unwrap_or_else(|| panic!("{name}: no opening {index}"));
            board::start(kind, &opening.start).unwrap_or_else(|error| panic!("{name}:{}: {error}", opening.line));
        }
    }
}

#[test]
fn pgn_books() {
    let text = "\u{feff}% a line to skip, even with [Event \"no\"] 1. h4\r\n\
        [Event \"comments\"]\r\n[Result \"*\"]\r\n\r\n\
        {before the first move} 1.e4 $1 {a brace { inside} 1... e5 (1... c5 2. Nf3 (2. c3 d5 (2... Nf6)) 2... d6)\r\n\
        ; rest of line comment 2. h4 h5\r\n\
        2. Nf3! Nc6?! 3.Bb5 {[%clk 0:00:10]\r\n[%eval 0.3]} $10 $146 3...a6 *\r\n\r\n\
        [Event \"zero castling\"]\r\n[Result \"1/2-1/2\"]\r\n\r\n\
        1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.\r\n0-0\r\nNf6 5.d3\r\n0-0 1/2-1/2\r\n\
        [Event \"glued\"]\r\n[Result \"1-0\"]\r\n1. d4 d5 2. c4 dxc4 3. e4 b5 1-0\r\n\
        [Event \"no moves\"]\r\n[Result \"*\"]\r\n\r\n*\r\n\
        [Event \"no moves, next header glued\"]\r\n[Result \"*\"]\r\n*\r\n\
        [Event \"e.p. and promotion\"]\r\n[SetUp \"1\"]\r\n[FEN \"4k3/P6p/8/5pP1/8/8/7P/4K3 w - f6 0 10\"]\r\n[Result \"*\"]\r\n\r\n\
        10. gxf6 e.p. Kd7 11. a8Q h5 12. Qd5+ Ke8 *\r\n\r\n\
        [Event \"black first\"]\r\n[FEN \"r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 7\"]\r\n\r\n7... Qb6 *\r\n\
        [Event \"no result word\"]\r\n\r\n1. c4 c5 2. Nf3 Nf6 3. Nc3";
    let (book, warnings) = parse("b.pgn", text.as_bytes(), GameKind::Chess).unwrap_or_else(|errors| panic!("{errors}"));
    let expected = [
        ("", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"),
        ("", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 d2d3 e8g8"),
        ("", "d2d4 d7d5 c2c4 d5c4 e2e4 b7b5"),
        ("4k3/P6p/8/5pP1/8/8/7P/4K3 w - f6 0 10", "g5f6 e8d7 a7a8q h7h5 a8d5 d7e8"),
        ("r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 3 7", "d8b6"),
        ("", "c2c4 c7c5 g1f3 g8f6 b1c3"),
    ];
    assert_eq!(starts(&book), expected.map(|(position, moves)| (position.to_owned(), moves.to_owned())));
    assert_eq!(warnings, [BookWarning::EmptyGames { file: "b.pgn".to_owned(), count: 2 }]);
    let lines: Vec<u32> = (0..book.len()).map(|index| book.get(index).expect("in it").line).collect();
    assert_eq!(lines, [2, 10, 17, 27, 34, 38]);
}

#[test]
fn broken_tags_hide_no_game() {
    let text = r#"[Event "Open \"Spring\" Cup"]
[Site "A \\ B"]
[White "Eng[+]ne A"] [Black "Team [] five]"]
[Result "*"]

1. d4 Nf6 *

[Event "ends with a backslash \\"]
[Site "unescaped "inner" quotes"]
[Result "*"]

1. e4 c5 *

[Event "broken tag \"]
[Site "?"

1. c4 e5 *

[Event "a comment that is never closed"]

1. a3 {oops a6 *

[Event "last good game"]

1. Nf3 d5 *
"#;
    let games: Vec<_> = rookery_game::pgn::games(text.as_bytes()).collect();
    let shown: Vec<(&str, usize)> =
        games.iter().map(|game| (game.tag("Event").unwrap_or("none"), game.plies.len())).collect();
    assert_eq!(
        shown,
        [
            ("Open \"Spring\" Cup", 2),
            ("ends with a backslash \\", 2),
            ("broken tag \\", 2),
            ("a comment that is never closed", 1),
            ("last good game", 2)
        ]
    );
    assert_eq!(games[0].tag("Site"), Some("A \\ B"));
    assert_eq!(games[0].tag("White"), Some("Eng[+]ne A"));
    assert_eq!(games[0].tag("Black"), Some("Team [] five]"));
    assert_eq!(games[1].tag("Site"), Some("unescaped \"inner\" quotes"));
    assert!(games.iter().all(|game| game.problem.is_none()));
    let (book, _) = parse("b.pgn", text.as_bytes(), GameKind::Chess).expect("five games");
    assert_eq!(book.len(), 5);
}

#[test]
fn broken_games_are_named_by_their_line() {
    let text = "[Event \"a\"]\n\n1. e4 e5\n2. Nf6 *\n\n[Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n\
        [Event \"c\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n\
        [Event \"e\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *\n[Event \"f\"]\n\n1. e4 -- 2. d4 *\n[Event \"g\"]\n\n1. e4 *\n";
    let errors = parse("b.pgn", text.as_bytes(), GameKind::Chess).expect_err("broken");
    let found: Vec<(u32, bool)> = errors
        .errors
        .iter()
        .map(|error| match error {
            BookError::Entry { line, fault, .. } => (*line, matches!(fault, EntryFault::Over { .. })),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(found, [(4, false), (6, false), (11, false), (18, true), (22, true), (25, false)], "{errors}");
    assert!(errors.to_string().contains("b.pgn:4: move 2. `Nf6` is an illegal move"), "{errors}");
    // With a limit before the mate the game is an opening.
    let options = BookOptions { skip_broken: true, max_plies: Some(3), ..BookOptions::default() };
    let (book, _) = Book::parse("b.pgn", text.as_bytes().to_vec(), GameKind::Chess, &options).expect("some are left");
    let moves: Vec<String> = starts(&book).into_iter().map(|(_, moves)| moves).collect();
    assert_eq!(moves, ["f2f3 e7e5 g2g4", "g1f3 g8f6 f3g1", "e2e4"]);
}

#[test]
fn games_of_chess960() {
    let text =
        "[Variant \"fischerandom\"]\n[FEN \"nrbkqrbn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQRBN w KQkq - 0 1\"]\n\n1. Bh3 *\n";
    // f1 is the king's rook, g1 a bishop: there is no bishop to h3.
    assert!(parse("b.pgn", text.as_bytes(), GameKind::Chess960).is_err());
    let castle = "[Event \"x\"]\n[FEN \"4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1\"]\n\n1. O-O Kd7 *\n\n\
        [Event \"shredder\"]\n[FEN \"4k3/8/8/8/8/8/8/1R2K1R1 w B - 0 1\"]\n\n1. O-O-O+ Ke7 *\n";
    let (book, _) = parse("b.pgn", castle.as_bytes(), GameKind::Chess960).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(
        starts(&book),
        [
            ("4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 1".to_owned(), "e1g1 e8d7".to_owned()),
            ("4k3/8/8/8/8/8/8/1R2K1R1 w Q - 0 1".to_owned(), "e1b1 e8e7".to_owned()),
        ]
    );
    // A game of chess, played as Chess960: king takes rook, and the start position said.
    let (book, _) = parse("b.pgn", b"1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. O-O *", GameKind::Chess960).expect("a game");
    assert_eq!(starts(&book), [(START.to_owned(), "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1".to_owned())]);
}

/// A Polyglot entry.
fn entry(position: &shakmaty::Chess, code: u16, weight: u16) -> Vec<u8> {
    use shakmaty::{EnPassantMode, Position, zobrist::Zobrist64};
    let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0;
    [&key.to_be_bytes()[..], &code.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
}

fn after(moves: &str) -> shakmaty::Chess {
    use shakmaty::{Chess, Position, uci::UciMove};
    moves.split_whitespace().fold(Chess::default(), |chess, text| {
        let uci: UciMove = text.parse().expect("a move");
        let mv = uci.to_move(&chess).expect("a legal move");
        chess.play(mv).expect("legal")
    })
}

#[test]
fn polyglot_books() {
    let code = |from: u16, to: u16| from << 6 | to;
    let (e2e4, d2d4, g1f3, e7e5, d7d5) = (code(12, 28), code(11, 27), code(6, 21), code(52, 36), code(51, 35));
    let (g8f6, f1c4, f8c5, castle) = (code(62, 45), code(5, 26), code(61, 34), code(4, 7));
    let start = after("");
    let bytes: Vec<u8> = [
        entry(&start, d2d4, 10),
        entry(&start, e2e4, 30),
        entry(&start, code(8, 16), 0),   // weight 0: not played
        entry(&start, code(12, 60), 99), // not a legal move
        entry(&after("e2e4"), e7e5, 5),
        entry(&after("e2e4 e7e5"), g1f3, 1),
        entry(&after("e2e4 e7e5 g1f3"), g8f6, 1),
        entry(&after("e2e4 e7e5 g1f3 g8f6"), f1c4, 1),
        entry(&after("e2e4 e7e5 g1f3 g8f6 f1c4"), f8c5, 1),
        entry(&after("e2e4 e7e5 g1f3 g8f6 f1c4 f8c5"), castle, 1),
        entry(&after("d2d4"), d7d5, 5),
        entry(&after("d2d4"), e7e5, 5),
    ]
    .concat();
    for (limit, kind, expected) in [
        (None, GameKind::Chess, vec!["d2d4 d7d5", "d2d4 e7e5", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1"]),
        (None, GameKind::Chess960, vec!["d2d4 d7d5", "d2d4 e7e5", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1"]),
        (Some(2), GameKind::Chess, vec!["e2e4 e7e5", "d2d4 d7d5", "d2d4 e7e5"]),
        (Some(1), GameKind::Chess, vec!["e2e4", "d2d4"]),
    ] {
        let options = BookOptions { max_plies: limit, ..BookOptions::default() };
        let (book, warnings) = Book::parse("b.bin", bytes.clone(), kind, &options).expect("a book");
        assert!(warnings.is_empty());
        let mut moves: Vec<String> = starts(&book).into_iter().map(|(_, moves)| moves).collect();
        if limit.is_none() {
            moves.sort();
        }
        assert_eq!(moves, expected, "{limit:?}");
    }
    // Out of order, the same; a transposition and a way back are not gone twice.
    let chunks: Vec<&[u8]> = bytes.chunks(16).rev().collect();
    let (turned, _) = parse("b.bin", &chunks.concat(), GameKind::Chess).expect("a book");
    assert_eq!(starts(&turned), starts(&parse("b.bin", &bytes, GameKind::Chess).expect("a book").0));
    let (b1c3, b8c6, c3b1, c6b8) = (code(1, 18), code(57, 42), code(18, 1), code(42, 57));
    let loops: Vec<u8> = [
        entry(&start, g1f3, 2),
        entry(&start, b1c3, 1),
        entry(&after("g1f3"), b8c6, 1),
        entry(&after("b1c3"), b8c6, 1),
        entry(&after("g1f3 b8c6"), b1c3, 1),
        entry(&after("b1c3 b8c6"), g1f3, 2),
        entry(&after("b1c3 b8c6"), c3b1, 1),
        entry(&after("b1c3 b8c6 c3b1"), c6b8, 1),
    ]
    .concat();
    let (book, _) = parse("b.bin", &loops, GameKind::Chess).expect("a book");
    let moves: Vec<String> = starts(&book).into_iter().map(|(_, moves)| moves).collect();
    assert_eq!(moves, ["g1f3 b8c6 b1c3", "b1c3 b8c6 c3b1"]);
    assert!(parse("b.bin", &bytes[..100], GameKind::Chess).expect_err("cut").to_string().contains("16 bytes"));
}

#[test]
fn what_is_no_book() {
    for (name, bytes, word) in [
        ("b.epd", b"".as_slice(), "no opening in it"),
        ("b.epd", b"\n# nothing\n\n", "no opening in it"),
        ("b.pgn", b"[Event \"x\"]\n\n*\n", "no opening in it"),
        ("b.epd", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0", "not text"),
        ("b.epd", b"\xff\xfer\0n\0b\0", "UTF-16"),
        ("b.zip", b"PK\x03\x04 and nothing more", "not a book"),
        ("b.bin", b"too short", "16 bytes"),
    ] {
        let errors = parse(name, bytes, GameKind::Chess).expect_err(word).to_string();
        assert!(errors.contains(word) && errors.starts_with(name), "{errors}");
    }
    assert!(matches!(
        parse("b.epd", START.as_bytes(), GameKind::Shogi).expect_err("chess only").errors[..],
        [BookError::Kind { .. }]
    ));
}

#[test]
fn zip_archives() {
    use std::io::Write;
    let pack = |members: &[(&str, &[u8])]| {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a member");
            writer.write_all(bytes).expect("written");
        }
        writer.finish().expect("an archive").into_inner()
    };
    let line = START.as_bytes();
    let (book, _) =
        parse("b.zip", &pack(&[("dir/b.epd", line), ("README.md", b"x")]), GameKind::Chess).expect("a book");
    assert_eq!(book.len(), 1);
    let two = parse("b.zip", &pack(&[("a.epd", line), ("b.epd", line)]), GameKind::Chess).expect_err("two books");
    assert!(two.to_string().contains("2 books"), "{two}");
    let broken = parse("b.zip", &pack(&[("a.epd", b"x")]), GameKind::Chess).expect_err("no position");
    assert!(broken.to_string().starts_with("b.zip/a.epd:1: "), "{broken}");
}

#[test]
fn own_books() {
    let own = Book::own();
    assert!((48..=96).contains(&own.len()), "{}", own.len());
    let mut seen = std::collections::BTreeSet::new();
    for index in 0..own.len() {
        let opening = own.get(index).expect("in it");
        let board = board::start(GameKind::Chess, &opening.start).unwrap_or_else(|e| panic!("{}: {e}", opening.name));
        assert!(!opening.name.is_empty());
        assert!(
            (4..=8).contains(&opening.start.moves.len()) && opening.start.moves.len().is_multiple_of(2),
            "{}",
            opening.name
        );
        assert!(seen.insert(format!("{:?}", board.notation())), "{} is there twice", opening.name);
    }
    let fischer = Book::chess960();
    assert_eq!(fischer.len(), 960);
    let all: std::collections::BTreeSet<String> = starts(&fischer).into_iter().map(|(position, _)| position).collect();
    assert_eq!(all.len(), 960);
    for index in 0..960 {
        board::start(GameKind::Chess960, &fischer.get(index).expect("in it").start).expect("playable");
    }
    for (number, rank) in
        [(0, "BBQNNRKR"), (518, "RNBQKBNR"), (534, "RNBKQBNR"), (959, "RKRNNQBB"), (1, "BQNBNRKR"), (16, "BBNQNRKR")]
    {
        let position = fischer.get(number).expect("in it").start.position;
        assert_eq!(position.split(' ').next().and_then(|men| men.rsplit('/').next()), Some(rank), "{number}");
    }
    let double = Book::double_chess960();
    assert_eq!(double.len(), 921_600);
    assert_eq!(
        double.get(518 * 960 + 959).map(|opening| opening.start.position).as_deref(),
        Some("rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    );
    board::start(GameKind::Chess960, &double.get(921_599).expect("in it").start).expect("playable");
    assert_eq!(Book::start().get(0).map(|opening| opening.start), Some(rookery_game::setup::Start::default()));
}

#[test]
fn shared_cases() {
    for (file, openings, warnings) in [
        ("b_black_first.epd", 4, 1),
        ("b_black_first.pgn", 3, 0),
        ("b_eight.epd", 8, 0),
        ("b_ep_no_counters.epd", 2, 0),
        ("b_movetext.pgn", 5, 1),
        ("b_opcodes.epd", 6, 0),
        ("b_tags.pgn", 4, 0),
    ] {
        let Some(bytes) = shared(&format!("cases/{file}")) else { return };
        let (book, said) = parse(file, &bytes, GameKind::Chess).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!((book.len(), said.len()), (openings, warnings), "{file}: {said:?}");
        for index in 0..book.len() {
            board::start(GameKind::Chess, &book.get(index).expect("in it").start).expect("playable");
        }
    }
}
