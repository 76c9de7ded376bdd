//! Several books as one: the openings of all of them, each once.

use std::collections::BTreeSet;

use super::Book;
use crate::{
    GameKind,
    board::{Form, at, protocol_form},
    pgn,
};

/// Openings of one such book at most: more than the books of a season have, and far less than all double Chess960 starts.
pub const MAX_TOGETHER: usize = 300_000;

/// Moves of a line.
const MOVES_A_LINE: usize = 16;

/// The openings of these books in their order as the text of a PGN book, each once: the same position with the same moves
/// is the same opening, whatever its name. The same books give the same text.
///
/// # Errors
/// One line, where they have more than [`MAX_TOGETHER`], or where the game has no PGN.
pub fn together(books: &[&Book], kind: GameKind) -> Result<String, String> {
    if !matches!(kind, GameKind::Chess | GameKind::Chess960) {
        return Err("only books of chess are put together".to_owned());
    }
    let all: usize = books.iter().map(|book| book.len()).sum();
    if all > MAX_TOGETHER {
        return Err(format!("the books have {all} openings together; at most {MAX_TOGETHER}"));
    }
    let mut known: BTreeSet<(String, Vec<String>)> = BTreeSet::new();
    let mut text = String::new();
    for book in books {
        for opening in (0..book.len()).filter_map(|index| book.get(index)) {
            let start = opening.start;
            if !known.insert((start.position.clone(), start.moves.clone())) {
                continue;
            }
            let board = at(kind, &start.position);
            let mut board = board.map_err(|error| format!("an opening of line {}: {error}", opening.line))?;
            pgn::put_tag(&mut text, "Event", &format!("Opening {}", known.len()));
            if !start.position.is_empty() {
                pgn::put_tag(&mut text, "SetUp", "1");
                pgn::put_tag(&mut text, "FEN", &start.position);
            }
            if kind == GameKind::Chess960 {
                pgn::put_tag(&mut text, "Variant", "fischerandom");
            }
            if !opening.name.is_empty() {
                pgn::put_tag(&mut text, "Opening", &opening.name);
            }
            pgn::put_tag(&mut text, "Result", "*");
            text.push('\n');
            for (number, mv) in start.moves.iter().enumerate() {
                let mv = board
                    .parse(mv, protocol_form(kind))
                    .map_err(|error| format!("an opening of line {}: {error}", opening.line))?;
                text.push_str(&board.write(mv, Form::San));
                text.push(if number % MOVES_A_LINE == MOVES_A_LINE - 1 { '\n' } else { ' ' });
                board.play(mv);
            }
            text.push_str("*\n\n");
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::{BookOptions, Opening};

    fn read(name: &str, text: &str, kind: GameKind) -> Book {
        Book::parse(name, text.as_bytes().to_vec(), kind, &BookOptions::default()).unwrap().0
    }

    fn openings(book: &Book) -> Vec<Opening> {
        (0..book.len()).filter_map(|index| book.get(index)).collect()
    }

    #[test]
    fn each_opening_of_all_books_once() {
        let pgn = read(
            "a.pgn",
            "[Event \"a\"]\n\n1. e4 e5 *\n\n[Event \"b\"]\n[Opening \"Réti \\\"x\\\"\"]\n\n1. Nf3 *\n",
            GameKind::Chess,
        );
        let epd = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n4k3/8/8/8/8/8/4P3/4K2R b K - id \"ending\";\n";
        let epd = read("b.epd", epd, GameKind::Chess);
        let text = together(&[&pgn, &epd, &pgn, &Book::own()], GameKind::Chess).unwrap();
        let all = read("together.pgn", &text, GameKind::Chess);
        let (own, found) = (openings(&Book::own()), openings(&all));
        let wanted = [openings(&pgn), openings(&epd), own].concat();
        // A position is not the moves that lead to it; an opening of the own book may be the same as one of the others.
        assert!(found.len() >= 4 + Book::own().len() - 2 && found.len() <= wanted.len(), "{}", found.len());
        for opening in &wanted {
            let same: Vec<&Opening> = found.iter().filter(|other| other.start == opening.start).collect();
            assert_eq!(same.len(), 1, "{opening:?}");
            assert_eq!(same[0].name, opening.name);
        }
        assert_eq!(found[0].start, wanted[0].start, "in the order of the books");
    }

    #[test]
    fn castling_of_chess960_and_long_lines_come_back() {
        let text =
            "[FEN \"rkr5/pppppppp/8/8/8/8/PPPPPPPP/RKR5 w CAca - 0 1\"]\n[Variant \"fischerandom\"]\n\n1. O-O O-O *\n";
        let book = read("a.pgn", text, GameKind::Chess960);
        let again = read("t.pgn", &together(&[&book], GameKind::Chess960).unwrap(), GameKind::Chess960);
        assert_eq!(openings(&again)[0].start, openings(&book)[0].start);
        assert_eq!(openings(&again)[0].start.moves.len(), 2);
        let fischer = Book::chess960();
        let again = read("t.pgn", &together(&[&fischer], GameKind::Chess960).unwrap(), GameKind::Chess960);
        assert_eq!(again.len(), 960);
        assert_eq!(again.get(17).unwrap().start, fischer.get(17).unwrap().start);
    }

    #[test]
    fn too_many_and_other_games_are_refused() {
        assert!(together(&[&Book::double_chess960()], GameKind::Chess960).unwrap_err().contains("921600 openings"));
        assert!(together(&[], GameKind::ChineseCheckers).is_err());
    }
}
