//! Chinese checkers for two on the star of 121 holes, by the ruleset CCERL-2P10.
//!
//! [`Position`] is the board without a history: holes as bits, a search over hops. [`judge`] knows how a game ends.
//! [`ChineseCheckers`] is both with a history, behind [`Board`].

pub mod geometry;
mod lattice;
pub mod log;
mod position;
mod rules;
pub mod schedule;
mod text;

use std::time::Duration;

pub use position::{MAX_PATH, Path, PathFault, Position};
pub use rules::{MAX_PLY, Profile, Rules, judge};

use crate::{
    Board, Ending, Form, GameKind, GameResult, IllegalMove, Move, Notation, Outcome, Seat,
    board::{Declaration, StartError, clean},
};

/// A game with its history.
#[derive(Debug, Clone)]
pub struct ChineseCheckers {
    rules: Rules,
    position: Position,
    /// Plies before the start position.
    before: u32,
    /// Every position since the start, the present one last.
    history: Vec<Position>,
    ending: Option<(GameResult, Ending)>,
}

impl ChineseCheckers {
    /// A game at a start position: `cells CELLS player 0 ply 4`, `CELLS 0 4`, or an empty text for the clean start.
    ///
    /// # Errors
    /// When the text is not a position with ten pieces a side.
    pub fn new(position: &str, rules: Rules) -> Result<Self, StartError> {
        let (position, ply) = text::read_start(position)?;
        Ok(Self::at(position, ply, rules))
    }

    /// A game at any position, whatever its pieces, with so many plies before it.
    #[must_use]
    pub fn at(position: Position, ply: u32, rules: Rules) -> Self {
        let ending = judge(&position, rules, ply, 1);
        Self { rules, position, before: ply, history: vec![position], ending }
    }

    /// The position now.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// The ply that is to be made now, as the start position counts.
    #[must_use]
    pub fn absolute_ply(&self) -> u32 {
        self.before.saturating_add(self.ply())
    }

    /// The ends of a move that this board gave.
    #[must_use]
    pub const fn ends(mv: Move) -> (u8, u8) {
        (mv.0 as u8, (mv.0 >> 8) as u8)
    }

    /// How often the present position has stood on the board since the start, now included.
    fn occurrences(&self) -> usize {
        self.history.iter().rev().step_by(2).filter(|before| **before == self.position).count()
    }
}

fn pack((from, to): (u8, u8)) -> Move {
    Move(u64::from(from) | u64::from(to) << 8)
}

impl Board for ChineseCheckers {
    fn kind(&self) -> GameKind {
        GameKind::ChineseCheckers
    }

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn ply(&self) -> u32 {
        u32::try_from(self.history.len() - 1).unwrap_or(u32::MAX)
    }

    fn move_number(&self) -> u32 {
        self.absolute_ply() / 2 + 1
    }

    fn parse(&self, text: &str, form: Form) -> Result<Move, IllegalMove> {
        match form {
            Form::Cells => text::read_move(&self.position, text).map(pack),
            _ => Err(IllegalMove::NotAMove { text: clean(text) }),
        }
    }

    fn write(&self, mv: Move, _form: Form) -> String {
        let (from, to) = Self::ends(mv);
        self.position.path(from, to).map_or_else(String::new, |path| text::write_path(&path))
    }

    fn play(&mut self, mv: Move) {
        let (from, to) = Self::ends(mv);
        if self.position.check(from, to).is_err() {
            return;
        }
        self.position = self.position.after(from, to);
        self.history.push(self.position);
        self.ending = judge(&self.position, self.rules, self.absolute_ply(), self.occurrences());
    }

    fn ending(&self) -> Option<Outcome> {
        self.ending.map(|(result, ending)| Outcome::new(result, ending))
    }

    fn declare(&self, _what: Declaration, _left: Duration) -> Outcome {
        Outcome::fault(self.to_move(), Ending::Declaration, "Chinese checkers knows no declaration")
    }

    fn can_win(&self, _seat: Seat) -> bool {
        true
    }

    fn legal_count(&self) -> u32 {
        self.position.legal_count()
    }

    fn in_check(&self) -> bool {
        false
    }

    fn notation(&self) -> Notation {
        Notation::Cells(text::write_start(&self.position, self.absolute_ply()))
    }

    fn fork(&self) -> Box<dyn Board> {
        Box::new(self.clone())
    }

    fn as_chess(&self) -> Option<&shakmaty::Chess> {
        None
    }
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
