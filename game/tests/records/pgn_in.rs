use rookery_game::{
    Ending, GameKind, GameResult, Outcome, Ply, Score,
    pgn::{self, PgnOptions},
};

use super::common::{record, shared_path};

fn only(text: &str) -> pgn::Game {
    let mut games = pgn::games(text.as_bytes());
    let game = games.next().expect("a game");
    assert_eq!(games.next(), None);
    game
}

#[test]
fn what_is_written_is_read() {
    let outcome = Outcome::new(GameResult::FirstWins, Ending::ResignAdjudication);
    let mut record = record(GameKind::Chess, "", "e2e4 e7e5 g1f3 b8c6 f1c4 g8f6 e1g1", 2, Some(outcome));
    let scores = [Score::Cp(0), Score::Cp(-7), Score::Cp(12_345), Score::Mate(3), Score::Mate(-2)];
    for (ply, score) in record.plies.iter_mut().skip(2).zip(scores) {
        *ply = Ply {
            mv: ply.mv.clone(),
            book: false,
            score: Some(score),
            depth: 18,
            selective_depth: 24,
            nodes: 12_345,
            tablebase_hits: 3,
            time_ns: 1_512_000_000,
            clock_ns: Some(3_723_488_000_000),
            lag_ns: 4_000_000,
            pv: ply.mv.clone(),
            auto: ply.book,
            foreseen: Some(ply.mv.len() == 4),
            conditional: "e7e5 g1f3".to_owned(),
            offer: true,
        };
    }
    record.notes.push(rookery_game::record::Note { ply: 4, text: "restarted, with 9 s left".to_owned() });
    let game = only(&pgn::write(&record, &PgnOptions { pv: true, ..PgnOptions::default() }));
    assert_eq!(game.problem, None);
    assert_eq!(game.plies, record.plies);
    assert_eq!(game.result, Some(GameResult::FirstWins));
    assert_eq!((game.kind, game.position.as_str(), game.line), (GameKind::Chess, "", 1));
    let notes: Vec<(u32, &str)> = game.notes.iter().map(|note| (note.ply, note.text.as_str())).collect();
    assert_eq!(notes, [(4, "restarted, with 9 s left"), (7, "White wins by adjudication")]);
}

#[test]
fn what_comments_say() {
    let ply = |score, depth, time_ms: u64, clock_ms: Option<u64>| Ply {
        mv: "e7e5".to_owned(),
        score,
        depth,
        time_ns: time_ms * 1_000_000,
        clock_ns: clock_ms.map(|ms| ms * 1_000_000),
        ..Ply::default()
    };
    // Black's move: White's view is turned round.
    for (comment, expected, note) in [
        ("+0.35/18 0.512s", ply(Some(Score::Cp(35)), 18, 512, None), ""),
        ("-0.35/18 512ms", ply(Some(Score::Cp(-35)), 18, 512, None), ""),
        ("+M5/20 1.2s, White mates", ply(Some(Score::Mate(3)), 20, 1200, None), "White mates"),
        ("-M4/20 1s", ply(Some(Score::Mate(-2)), 20, 1000, None), ""),
        ("0.35", ply(Some(Score::Cp(-35)), 0, 0, None), ""),
        ("-M12", ply(Some(Score::Mate(6)), 0, 0, None), ""),
        ("0.512s", ply(None, 0, 512, None), ""),
        ("[%clk 0:01:30.5] [%eval 0.3]", ply(Some(Score::Cp(-30)), 0, 0, Some(90_500)), ""),
        ("[%eval #-3,22] forced", ply(Some(Score::Mate(3)), 22, 0, None), "forced"),
        (
            "d=29, mt=62808, tl=1740192, wv=0.64, h=10.2, mb=+0+0,",
            ply(Some(Score::Cp(-64)), 29, 62_808, Some(1_740_192)),
            "",
        ),
        ("d=1, wv=-", ply(None, 1, 0, None), ""),
        ("a word, and = another", ply(None, 0, 0, None), "a word, and = another"),
        ("+99999999999999999999/1 1e9s", ply(None, 0, 0, None), "+99999999999999999999/1 1e9s"),
        ("[%clk 99:99", ply(None, 0, 0, None), "[%clk 99:99"),
    ] {
        let game = only(&format!("1. e4 e5 {{{comment}}} *"));
        assert_eq!(game.plies[1], expected, "{comment}");
        let notes: Vec<&str> = game.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes.join("|"), note, "{comment}");
    }
    let game =
        only("1. e4 {book, mb=+0,} e5 {d=2, pv=e5 Nf3 Nc6 Qh9 a3, n=77} 2. Ke2 {+0.1/3 1s, pv=\"e1e2, g8f6\"} *");
    assert!(game.plies[0].book && !game.plies[1].book);
    assert_eq!((game.plies[1].pv.as_str(), game.plies[1].nodes), ("e7e5 g1f3 b8c6", 77));
}

#[test]
fn moves_as_files_have_them() {
    for (moves, expected) in [
        ("1.e2e4 e7-e5 2.Ng1-f3 Nb8c6 3.Bf1-b5 Ng8xf6", "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6"),
        ("1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. h3 o-o", "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6 h2h3 e8g8"),
        ("1 e4 d5 2 ed5 Qd5 3.Nc3! Qxd5-a5?? 4.d4+-", "e2e4 d7d5 e4d5 d8d5 b1c3 d5a5 d2d4"),
        ("1. e4 { } ; x\n e5 $14 2. Nf3 +/= Nc6 2... a6", "e2e4 e7e5 g1f3 b8c6"),
    ] {
        let game = only(&format!("{moves} *"));
        let found: Vec<&str> = game.plies.iter().map(|ply| ply.mv.as_str()).collect();
        assert_eq!(found.join(" "), expected, "{moves}: {:?}", game.problem);
    }
    let fen = "[FEN \"4k3/P6p/8/5pP1/8/8/7P/4K3 w - f6 0 10\"]\n\n";
    for (word, expected) in [
        ("a8=Q", "a7a8q"),
        ("a8Q+", "a7a8q"),
        ("a8(N)", "a7a8n"),
        ("a8/R", "a7a8r"),
        ("a7a8b", "a7a8b"),
        ("a7-a8=Q+!", "a7a8q"),
        ("gxf6e.p.", "g5f6"),
        ("g5xf6", "g5f6"),
        ("gf", ""),
        ("a8", ""),
        ("--", ""),
    ] {
        let game = only(&format!("{fen}10. {word} *"));
        assert_eq!(game.plies.first().map_or("", |ply| ply.mv.as_str()), expected, "{word}");
        assert_eq!(game.problem.is_some(), expected.is_empty(), "{word}");
    }
}

#[test]
fn a_bad_game_does_not_hide_the_next() {
    let text = "[Event \"a\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Qxf7 Nc6 0-1\n\n[Event \"b\"]\n[Variant \"Losers\"]\n\n1. e4 *\n\
        1. d4 d5 1/2-1/2\n1. c4 *";
    let games: Vec<_> = pgn::games(text.as_bytes()).collect();
    let shown: Vec<(u32, usize, Option<GameResult>, bool)> =
        games.iter().map(|game| (game.line, game.plies.len(), game.result, game.problem.is_some())).collect();
    assert_eq!(
        shown,
        [
            (1, 2, Some(GameResult::SecondWins), true),
            (6, 0, None, true),
            (10, 2, Some(GameResult::Draw), false),
            (11, 1, None, false)
        ]
    );
    assert_eq!(
        games[0].problem.as_ref().map(ToString::to_string).as_deref(),
        Some("line 4: move 2. `Qxf7` is an illegal move")
    );
}

#[test]
fn headers_alone() {
    let text = "[Event \"a\"]\n[White \"x\"]\n\n{[Event \"inside\"]} 1. e4 *\n\n[Event \"b\"]\n[White \"y\"]\n\n1. e4 e5 1-0\n";
    let found: Vec<(u32, Option<String>, &[u8])> =
        pgn::headers(text.as_bytes()).map(|raw| (raw.line, raw.tag("White"), raw.movetext)).collect();
    assert_eq!(
        found,
        [
            (1, Some("x".to_owned()), b"{[Event \"inside\"]} 1. e4 *".as_slice()),
            (6, Some("y".to_owned()), b"1. e4 e5 1-0".as_slice())
        ]
    );
}

/// The archive's own figures: plies by the tag, results by the table, scores on every move that is not book.
#[test]
fn games_of_tcec() {
    let Some(folder) = shared_path("vectors/tcec") else { return };
    let mut games = 0;
    for (kind, scored) in [("pgn_original", true), ("pgn_compact", false)] {
        for entry in std::fs::read_dir(folder.join(kind)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let text = std::fs::read(&path).expect("a file");
            for game in pgn::games(&text) {
                let place = format!("{}:{}", path.display(), game.line);
                assert_eq!(game.problem, None, "{place}");
                assert_eq!(game.tag("PlyCount").map(str::to_owned), Some(game.plies.len().to_string()), "{place}");
                assert!(game.result.is_some(), "{place}");
                assert_eq!(game.kind == GameKind::Chess960, game.tag("FEN").is_some(), "{place}");
                if scored {
                    let bare = game.plies.iter().filter(|ply| !ply.book && ply.score.is_none()).count();
                    assert!(bare * 20 <= game.plies.len(), "{place}: {bare} moves without a score");
                    assert!(game.plies.iter().all(|ply| ply.book || ply.clock_ns.is_some()), "{place}");
                }
                games += 1;
            }
        }
    }
    assert!(games > 100, "{games}");
}
