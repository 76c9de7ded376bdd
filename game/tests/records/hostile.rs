//! No byte panics a parser or holds it.

use proptest::prelude::*;
use rookery_game::{
    GameKind, Outcome, Score, board,
    opening::{Book, BookOptions},
    pgn::{self, PgnOptions},
    record::Note,
};

use super::common::record;

/// Pieces of which files are made, whole and broken.
const PIECES: &[&str] = &[
    "[Event \"x\"]\n",
    "[FEN \"",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/1RR1K3 w C -",
    "\"]\n",
    "[",
    "]",
    "\"",
    "\\",
    "{",
    "}",
    "(",
    ")",
    ";",
    "%",
    "$1",
    "*",
    "1-0",
    "1/2-1/2",
    "\n",
    "\r\n",
    " ",
    "1.",
    "1...",
    "e4",
    "e5",
    "Nf3",
    "Nc6",
    "O-O",
    "0-0-0",
    "e2e4",
    "a8(Q)",
    "--",
    "Z0",
    "e.p.",
    "{book}",
    "{+0.35/18 0.5s}",
    "{[%clk 0:0",
    "{[%eval #",
    "{d=1, wv=",
    "pv=e4 e5",
    ", ",
    "0.35",
    "M5",
    "-1",
    "99999999999999999999",
    "hmvc 1; ",
    "fmvn ",
    "id \"a;b\"; ",
    "bm e4;",
    "\u{feff}",
    "\0",
    "é",
    "½-½",
    "PK\x03\x04",
    "[Variant \"chess960\"]\n",
    "[%",
    "/",
    "8/8/8/8/8/8/8/8 w - - 0 1",
];

fn soup() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn read_all(bytes: &[u8]) -> Result<(), TestCaseError> {
    let mut last = 0;
    for raw in pgn::headers(bytes) {
        prop_assert!(raw.offset >= last && raw.offset < bytes.len());
        prop_assert!(!raw.header.is_empty() || !raw.movetext.is_empty());
        last = raw.offset;
        let _ = (raw.tags(), raw.tag("FEN"));
    }
    for game in pgn::games(bytes) {
        let start = rookery_game::setup::Start {
            position: game.position.clone(),
            moves: game.plies.iter().map(|ply| ply.mv.clone()).collect(),
        };
        // What was read are legal moves of a legal position; only the rules may have ended the game.
        if game.problem.is_none() {
            match board::start(game.kind, &start) {
                Ok(_) | Err(board::StartError::Over { .. }) => {}
                Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
            }
        }
        let _ = format!("{:?}", game.problem.map(|problem| problem.to_string()));
    }
    for (name, kind) in [
        ("b.epd", GameKind::Chess),
        ("b.pgn", GameKind::Chess960),
        ("b.bin", GameKind::Chess),
        ("b.zip", GameKind::Chess960),
        ("b", GameKind::Chess),
    ] {
        for options in
            [BookOptions::default(), BookOptions { skip_broken: true, max_plies: Some(2), ..BookOptions::default() }]
        {
            match Book::parse(name, bytes.to_vec(), kind, &options) {
                Ok((book, warnings)) => {
                    prop_assert!(!book.is_empty());
                    for index in 0..book.len() {
                        let opening = book.get(index).ok_or_else(|| TestCaseError::fail("an opening is missing"))?;
                        if let Err(error) = board::start(kind, &opening.start) {
                            return Err(TestCaseError::fail(format!("{name}: {error}: {opening:?}")));
                        }
                    }
                    let _ = warnings.iter().map(ToString::to_string).collect::<Vec<_>>();
                }
                Err(errors) => prop_assert!(!errors.to_string().is_empty()),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soup_is_read(bytes in soup()) {
        read_all(&bytes)?;
    }

    #[test]
    fn bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read_all(&bytes)?;
    }

    /// A good file with a few bytes overwritten.
    #[test]
    fn damaged_files_are_read(places in prop::collection::vec((0_usize..400, any::<u8>()), 0..8)) {
        let mut bytes = b"[Event \"a \\\"b\\\"\"]\n[FEN \"4k3/8/8/8/8/8/8/1RR1K3 w C - 0 1\"]\n[Variant \"fischerandom\"]\n\n\
            {note} 1. O-O-O {+0.35/18 0.512s, n=5, pv=\"e1c1 e8e7\" [%clk 0:00:01]} (1. Kf2 {x (}) Ke7 2. Rd8 1-0\n\n\
            [Event \"b\"]\n\n1. e4 e5 ; x\n% y\n2. Nf3 {0.35} 1/2-1/2\n".to_vec();
        for (place, byte) in places {
            let at = place % bytes.len();
            bytes[at] = byte;
        }
        read_all(&bytes)?;
    }

    /// A good archive with a few bytes overwritten.
    #[test]
    fn damaged_archives_are_read(places in prop::collection::vec((0_usize..400, any::<u8>()), 0..6)) {
        use std::io::Write;
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        writer.start_file("b.epd", zip::write::SimpleFileOptions::default()).expect("a member");
        writer.write_all(&b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n".repeat(9)).expect("written");
        let mut bytes = writer.finish().expect("an archive").into_inner();
        for (place, byte) in places {
            let at = place % bytes.len();
            bytes[at] = byte;
        }
        let _ = Book::parse("b.zip", bytes, GameKind::Chess, &BookOptions::default());
    }

    /// Whatever a record holds, its PGN is one game, with its moves, and its names on one line each.
    #[test]
    fn any_record_is_one_game(
        name in "\\PC{0,40}|[\\[\\]{}\"\\\\;%()\n\r\t \u{85}]{0,20}",
        note in "[\\[\\]{}\"\\\\;%()\n Evnt*10-]{0,60}",
        cp in any::<i32>(),
        mate in any::<i32>(),
        numbers in any::<[u64; 4]>(),
        ended: bool,
    ) {
        let outcome = ended.then(|| Outcome::fault(rookery_game::Seat::First, rookery_game::Ending::Crash, note.clone()));
        let mut record = record(GameKind::Chess, "", "e2e4 e7e5 g1f3 b8c6", 1, outcome);
        for engine in &mut record.engines {
            engine.name = name.clone();
            engine.id_author = note.clone();
            engine.options = vec![(note.clone(), name.clone())];
        }
        record.event = name.clone();
        record.setup.tags.insert("Opening".to_owned(), note.clone());
        record.setup.tags.insert(note.clone(), name.clone());
        record.started_unix_ms = numbers[0];
        record.ended_unix_ms = numbers[1];
        record.notes = (0..5).map(|ply| Note { ply, text: note.clone() }).collect();
        for (ply, score) in record.plies.iter_mut().skip(1).zip([Score::Cp(cp), Score::Mate(mate), Score::Cp(0)]) {
            ply.score = Some(score);
            ply.time_ns = numbers[2];
            ply.clock_ns = Some(numbers[3]);
            ply.nodes = numbers[0];
            ply.pv = note.clone();
        }
        for options in [PgnOptions::default(), PgnOptions { pv: true, ..PgnOptions::default() }, PgnOptions::minimal()] {
            let text = pgn::write(&record, &options);
            let games: Vec<_> = pgn::games(text.as_bytes()).collect();
            prop_assert_eq!(games.len(), 1, "{}", text);
            let game = &games[0];
            prop_assert_eq!(&game.problem, &None, "{}", text);
            let moves: Vec<&str> = game.plies.iter().map(|ply| ply.mv.as_str()).collect();
            prop_assert_eq!(moves, ["e2e4", "e7e5", "g1f3", "b8c6"], "{}", text);
            let shown = game.tag("White").unwrap_or("none");
            let clean = name.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ");
            prop_assert_eq!(shown, if clean.trim().is_empty() { "One" } else { clean.trim() }, "{}", text);
            prop_assert_eq!(game.result, record.outcome.as_ref().map(|outcome| outcome.result));
            if options.comments {
                prop_assert_eq!(game.plies[3].score, Some(Score::Cp(0)));
            }
        }
    }
}

/// Texts that would take quadratic time if a reader looked ahead without end; in time in their length they are nothing.
#[test]
fn no_text_holds_the_reader() {
    const SIZE: usize = 96 << 10;
    for piece in [
        "{",
        "{\n[Event \"",
        "(",
        "[a]",
        "[a \"b\"]",
        "[a \"b\" ",
        "[a \"",
        "[",
        "\"",
        "\\",
        ";\n",
        "%\n",
        "* ",
        "{}",
        "e4 ",
        "[Event \"\"]",
        "[Event \"\"]\n*\n",
        "1. Nf3 Nf6 2. Ng1 Ng8 ",
        "[%clk ",
        "{[%clk 0}",
        ",",
        "x=1,",
        " ",
        "\n",
        "8/8 w - - id \"",
        "a;",
    ] {
        for lead in ["", "1. e4 {"] {
            let text = format!("{lead}{}", piece.repeat(SIZE / piece.len()));
            let begun = std::time::Instant::now();
            let games = pgn::games(text.as_bytes()).count();
            for name in ["b.pgn", "b.epd"] {
                let _ = Book::parse(name, text.clone().into_bytes(), GameKind::Chess, &BookOptions::default());
            }
            let taken = begun.elapsed();
            assert!(taken.as_secs() < 5, "{lead}{piece}…: {games} games in {taken:?}");
        }
    }
}
