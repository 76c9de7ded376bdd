//! CCP, the protocol of Chinese checkers. It has the shape of UCI; here is what it writes differently.
//!
//! As it is published it has no word for a new game and sends positions without the moves that led there. An engine may
//! declare additions, words on its `protocol` line: `newgame` (it is told when another game begins) and `moves`
//! (positions come as a start and all moves since, so that it sees repetitions) and `conditional` (where the event scores
//! predictions it is told `conditional on`, and writes `conditional c1 r1 c2 r2 …` before its `bestmove`). They are offered
//! to no other.

use rookery_game::{
    Board, Form, GameKind, Notation, Ply,
    board::{self, StartError},
    setup::Start,
};

use super::uci::words::Words;

/// What an engine declared beyond the published protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Additions {
    pub(crate) new_game: bool,
    pub(crate) moves: bool,
    pub(crate) conditional: bool,
}

impl Additions {
    /// Takes what follows the word `protocol`. Words that mean nothing here are passed over.
    pub(crate) fn declare(&mut self, words: Words<'_>) {
        for word in words {
            match word {
                b"newgame" => self.new_game = true,
                b"moves" => self.moves = true,
                b"conditional" => self.conditional = true,
                _ => {}
            }
        }
    }
}

/// The position of a running game, as CCP tells it.
pub(crate) struct Telling {
    board: Box<dyn Board>,
    /// `position cells … player … ply …` of the start.
    start: String,
}

impl std::fmt::Debug for Telling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telling").field("board", &self.board.notation()).finish_non_exhaustive()
    }
}

impl Telling {
    /// A game at its start, the opening's moves not played.
    pub(crate) fn new(start: &Start) -> Result<Self, StartError> {
        let board = board::at(GameKind::ChineseCheckers, &start.position)?;
        let start = position(board.as_ref());
        Ok(Self { board, start })
    }

    /// Plays `plies` and writes the position: as it stands, or as the start and `all` moves.
    pub(crate) fn go_on(&mut self, plies: &[Ply], all: &[Ply], additions: Additions) -> String {
        for ply in plies {
            // The table found them legal.
            if let Ok(mv) = self.board.parse(&ply.mv, Form::Cells) {
                self.board.play(mv);
            }
        }
        if !additions.moves {
            return position(self.board.as_ref());
        }
        let mut text = self.start.clone();
        for (at, ply) in all.iter().enumerate() {
            text.push_str(if at == 0 { " moves " } else { " " });
            text.push_str(&ply.mv);
        }
        text
    }
}

fn position(board: &dyn Board) -> String {
    match board.notation() {
        Notation::Cells(text) | Notation::Fen(text) | Notation::Sfen(text) => format!("position {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ply(mv: &str) -> Ply {
        Ply { mv: mv.to_owned(), ..Ply::default() }
    }

    #[test]
    fn positions_with_and_without_moves() {
        let plies = [ply("3-14"), ply("111-102")];
        let mut bare = Telling::new(&Start::default()).unwrap();
        let first = bare.go_on(&plies[..1], &plies[..1], Additions::default());
        assert!(first.starts_with("position cells 000.000000....0.") && first.ends_with(" player 1 ply 1"), "{first}");
        let second = bare.go_on(&plies[1..], &plies, Additions::default());
        assert!(second.ends_with(" player 0 ply 2") && !second.contains("moves"), "{second}");
        let moves = Additions { moves: true, ..Additions::default() };
        let told = Telling::new(&Start::default()).unwrap().go_on(&plies, &plies, moves);
        assert!(told.ends_with(" player 0 ply 0 moves 3-14 111-102"), "{told}");
        assert!(Telling::new(&Start { position: "x".to_owned(), moves: Vec::new() }).is_err());
    }

    #[test]
    fn additions_are_words() {
        let mut additions = Additions::default();
        additions.declare(Words::new(b" ccp 1 newgame later\tmoves "));
        assert_eq!(additions, Additions { new_game: true, moves: true, conditional: false });
    }
}
