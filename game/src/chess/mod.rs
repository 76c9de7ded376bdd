//! Chess and Chess960 on shakmaty.

mod fen;
mod key;
mod text;

use std::time::Duration;

use shakmaty::{CastlingMode, Chess, Color, MoveList, Position, Role, Square, uci::UciMove};

use crate::{
    Board, Ending, Form, GameKind, GameResult, IllegalMove, Move, Notation, Outcome, Seat,
    board::{Declaration, StartError, clean},
};
use key::Key;
use text::Found;

/// Half-moves without a capture or a pawn's move that end the game (FIDE 9.3).
const FIFTY_MOVES: u32 = 100;

/// A game of chess or Chess960 with its history.
///
/// Moves are generated once a ply and kept: reading, playing and counting moves look there.
#[derive(Debug, Clone)]
pub struct ChessBoard {
    kind: GameKind,
    position: Chess,
    ply: u32,
    legal: MoveList,
    /// Positions since the last capture or pawn's move, the present one last.
    keys: Vec<Key>,
    ending: Option<(GameResult, Ending)>,
}

impl ChessBoard {
    /// A board at a start position: FEN of 4 to 6 fields, or an empty text for the game's own start.
    ///
    /// # Errors
    /// When the text is not a position, or `kind` is not a kind of chess.
    pub fn new(kind: GameKind, position: &str) -> Result<Self, StartError> {
        if !matches!(kind, GameKind::Chess | GameKind::Chess960) {
            return Err(StartError::Unsupported { kind });
        }
        let position = match (position.trim_ascii(), kind) {
            ("", GameKind::Chess) => Chess::new(),
            ("", _) => fen::read(kind, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")?,
            (text, _) => fen::read(kind, text)?,
        };
        let legal = position.legal_moves();
        let keys = vec![Key::of(&position)];
        let mut board = Self { kind, position, ply: 0, legal, keys, ending: None };
        board.ending = board.judge();
        Ok(board)
    }

    /// The ending by the rules. Mate and stalemate come first: they end the game at once, so the hundredth half-move
    /// may still mate (FIDE 5.1.1, 5.2.1, 9.3).
    fn judge(&self) -> Option<(GameResult, Ending)> {
        if self.legal.is_empty() {
            return Some(if self.position.is_check() {
                (GameResult::win(self.to_move().other()), Ending::Checkmate)
            } else {
                (GameResult::Draw, Ending::Stalemate)
            });
        }
        let ending = if self.occurrences() >= 3 {
            Ending::Repetition
        } else if self.position.halfmoves() >= FIFTY_MOVES {
            Ending::FiftyMoves
        } else if self.position.is_insufficient_material() {
            Ending::InsufficientMaterial
        } else {
            return None;
        };
        Some((GameResult::Draw, ending))
    }

    /// How often the present position has stood on the board, now included.
    fn occurrences(&self) -> usize {
        let Some((now, before)) = self.keys.split_last() else { return 0 };
        1 + before.iter().rev().skip(1).step_by(2).filter(|key| *key == now).count()
    }

    /// The mode in which coordinates are read and written. In Chess960 it is always king takes rook: the king's
    /// destination could as well be a step of the king.
    const fn mode(&self, form: Form) -> CastlingMode {
        match (self.kind, form) {
            (GameKind::Chess, Form::Uci) => CastlingMode::Standard,
            _ => CastlingMode::Chess960,
        }
    }

    fn find(&self, mv: Move) -> Option<shakmaty::Move> {
        self.legal.iter().copied().find(|legal| pack(*legal) == mv)
    }
}

/// From, to and promotion; castling as king takes rook, so that no two legal moves look alike.
fn pack(mv: shakmaty::Move) -> Move {
    let (from, to) = match mv {
        shakmaty::Move::Castle { king, rook } => (king, rook),
        other => (other.from().unwrap_or(Square::A1), other.to()),
    };
    let promotion = mv.promotion().map_or(0, |role: Role| u64::from(u8::from(role)));
    Move(u64::from(u8::from(from)) | u64::from(u8::from(to)) << 8 | promotion << 16)
}

const fn color(seat: Seat) -> Color {
    match seat {
        Seat::First => Color::White,
        Seat::Second => Color::Black,
    }
}

impl Board for ChessBoard {
    fn kind(&self) -> GameKind {
        self.kind
    }

    fn to_move(&self) -> Seat {
        match self.position.turn() {
            Color::White => Seat::First,
            Color::Black => Seat::Second,
        }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn move_number(&self) -> u32 {
        self.position.fullmoves().get()
    }

    fn parse(&self, text: &str, form: Form) -> Result<Move, IllegalMove> {
        let found = match form {
            Form::Uci | Form::Uci960 => text::read_uci(&self.position, &self.legal, self.mode(form), text),
            Form::San => text::read_san(&self.position, text),
            Form::Usi | Form::Csa | Form::Cells => Found::NotAMove,
        };
        match found {
            Found::Legal(mv) => Ok(pack(mv)),
            Found::Illegal => Err(IllegalMove::Illegal { text: clean(text) }),
            Found::NotAMove => Err(IllegalMove::NotAMove { text: clean(text) }),
        }
    }

    fn write(&self, mv: Move, form: Form) -> String {
        let Some(mv) = self.find(mv) else { return String::new() };
        match form {
            Form::San => text::write_san(&self.position, mv),
            _ => UciMove::from_move(mv, self.mode(form)).to_string(),
        }
    }

    fn play(&mut self, mv: Move) {
        let Some(mv) = self.find(mv) else { return };
        self.position.play_unchecked(mv);
        self.ply += 1;
        if self.position.halfmoves() == 0 {
            self.keys.clear();
        }
        self.keys.push(Key::of(&self.position));
        self.legal = self.position.legal_moves();
        self.ending = self.judge();
    }

    fn ending(&self) -> Option<Outcome> {
        self.ending.map(|(result, ending)| Outcome::new(result, ending))
    }

    fn declare(&self, _what: Declaration, _left: Duration) -> Outcome {
        Outcome::fault(self.to_move(), Ending::Declaration, "chess knows no declaration")
    }

    fn can_win(&self, seat: Seat) -> bool {
        !self.position.has_insufficient_material(color(seat))
    }

    fn legal_count(&self) -> u32 {
        u32::try_from(self.legal.len()).unwrap_or(u32::MAX)
    }

    fn in_check(&self) -> bool {
        self.position.is_check()
    }

    fn notation(&self) -> Notation {
        Notation::Fen(fen::write(&self.position))
    }

    fn fork(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }

    fn as_chess(&self) -> Option<&Chess> {
        Some(&self.position)
    }
}

#[cfg(test)]
mod tests;
