use rookery_game::{
    GameKind,
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
