//! Where bytes from outside come in, and what must hold of whatever comes out. The fuzz target calls it, and so does an
//! ordinary property test of the crate.

use rookery_game::{
    Board, Form, GameKind, Seat, board,
    chinese_checkers::{
        ChineseCheckers, Position, Rules,
        log::{self, PathPolicy},
        schedule::Row,
    },
    opening::{Book, BookOptions},
    prediction::{self, Predictions},
};

/// One of the entries, by the first byte.
pub(crate) fn any(bytes: &[u8]) {
    let Some((which, rest)) = bytes.split_first() else { return };
    match which % 5 {
        0 => position(rest),
        1 => moves(rest),
        2 => row(rest),
        3 => logs(rest),
        _ => schedule(rest),
    }
}

/// What follows `position`: a position that is read is written and read again as itself, and has sound moves.
pub(crate) fn position(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(game) = ChineseCheckers::new(&text, Rules::default()) else { return };
    let board::Notation::Cells(written) = game.notation() else { panic!("{text}") };
    let again = ChineseCheckers::new(&written, Rules::default()).expect("what was written is read");
    assert_eq!(again.position(), game.position());
    sound(game.position());
}

/// Moves of a game from the clean start, one a word: what is legal is played and written, and read again as the same move.
pub(crate) fn moves(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut game = ChineseCheckers::new("", Rules::default()).expect("the clean start");
    for word in text.split_ascii_whitespace().take(300) {
        let Ok(mv) = game.parse(word, Form::Cells) else { continue };
        let written = game.write(mv, Form::Cells);
        assert_eq!(game.parse(&written, Form::Cells).as_ref(), Ok(&mv), "{word} {written}");
        game.play(mv);
    }
    sound(game.position());
    let line = text.split_ascii_whitespace();
    let (string, _) = prediction::checked(&Predictions::default(), &game, game.to_move().other(), 1, line);
    assert!(string.len() <= prediction::MAX_STRING);
}

/// A row of a schedule: one that is taken is written, and taken again.
pub(crate) fn row(bytes: &[u8]) {
    let Ok((row, position)) = Row::read(bytes, Rules::default()) else { return };
    sound(&position);
    let line = serde_json::to_vec(&row).expect("text and numbers");
    let (again, same) = Row::read(&line, Rules::default()).expect("what was written is read");
    assert_eq!((again.id, same), (row.id, position));
}

/// A whole schedule.
pub(crate) fn schedule(bytes: &[u8]) {
    let book = Book::parse("rows", bytes.to_vec(), GameKind::ChineseCheckers, &BookOptions::default());
    if let Ok((book, _)) = book {
        (0..book.len()).for_each(|row| assert!(book.get(row).is_some()));
    }
}

/// A log: its games replay, or say why not.
pub(crate) fn logs(bytes: &[u8]) {
    for game in log::read(&String::from_utf8_lossy(bytes)).unwrap_or_default() {
        let strict = game.replay(game.rules(), PathPolicy::Strict);
        if let Ok(found) = &strict {
            assert_eq!((found.by_ends, game.replay(game.rules(), PathPolicy::Lenient)), (0, strict));
        }
    }
}

/// Every move of a position is legal by its ends and by its path, keeps the pieces, and stays in the goal.
fn sound(position: &Position) {
    let seat: Seat = position.to_move();
    let mut count = 0;
    for (from, to) in position.moves() {
        count += 1;
        let path = position.path(from, to).expect("a legal move has a path");
        assert_eq!((position.check(from, to), position.check_path(path.ids())), (Ok(()), Ok(())));
        let after = position.after(from, to);
        assert_eq!(after.pieces(seat).count_ones(), position.pieces(seat).count_ones());
        assert_eq!(after.pieces(seat.other()), position.pieces(seat.other()));
    }
    assert_eq!(position.legal_count(), count);
}
