//! What may end a game before its rules do.

use serde::{Deserialize, Serialize};
use shakmaty::Position;

use crate::{Board, Ending, GameResult, Outcome, Ply, Score, Seat};

/// The spec's draw rule: so many plies in a row within a score, not before a full-move number. Both sides' plies count,
/// each by the score that its own engine gave for it; a book ply, a missing score and a mate score start the count
/// afresh, captures and pawns' moves do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DrawRule {
    /// The full-move number, as the start position counts it, of the first ply that may end the game. Plies before it
    /// count towards `plies`, as in the field's other programs.
    pub from_move: u32,
    /// Plies in a row, both sides together.
    pub plies: u32,
    /// Centipawns either way, inclusive.
    pub within: u32,
}

/// The spec's resign rule. Each engine has a count of its own; a better score, a missing one and a book ply start it
/// afresh. A mate counts as beyond any number of centipawns, for the side that is mated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ResignRule {
    /// Moves of the losing side in a row.
    pub moves: u32,
    /// Centipawns, inclusive: at least so many below zero.
    pub beyond: u32,
    /// Whether the winner's own scores must agree as often.
    #[serde(default)]
    pub two_sided: bool,
}

/// Adjudication by endgame tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TablebaseRule {
    /// Largest number of men, kings included.
    pub men: u32,
    /// Whether a win that the fifty-move rule would spoil is a draw.
    pub fifty_moves: bool,
    /// Draws alone are adjudicated.
    #[serde(default)]
    pub draws_only: bool,
}

/// TCEC's draw rule (§10.2). A book ply, a missing score, a mate score and a piece too many start the count afresh;
/// captures and pawns' moves do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TcecDrawRule {
    /// Pieces that are not pawns, kings included.
    pub pieces: u32,
    /// Plies in a row.
    pub plies: u32,
    /// Centipawns either way, inclusive.
    pub within: u32,
}

/// TCEC's win rule of earlier seasons: both engines' scores, ply after ply, see the same side winning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TcecWinRule {
    /// Plies in a row, by both engines.
    pub plies: u32,
    /// Centipawns, inclusive.
    pub beyond: u32,
}

/// All rules; what is `None` is off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Adjudication {
    /// The spec's draw rule.
    pub draw: Option<DrawRule>,
    /// The spec's resign rule. Each engine has a count of its own; a better score, a missing one and a book ply start it
    /// afresh. A mate counts as beyond any number of centipawns, for the side that is mated.
    pub resign: Option<ResignRule>,
    /// TCEC's draw rule.
    pub tcec_draw: Option<TcecDrawRule>,
    /// TCEC's win rule.
    pub tcec_win: Option<TcecWinRule>,
    /// Endgame tables.
    pub tablebases: Option<TablebaseRule>,
    /// A draw when this full-move number is complete.
    pub max_moves: Option<u32>,
    /// A flag against a side that cannot mate is a draw.
    pub flag_draw_without_material: bool,
}

/// Endgame tables, as the table asks them. The worker implements it with shakmaty-syzygy, tests with a map.
pub trait Tablebase: Send + Sync {
    /// The result of a chess position (no castling rights, at most `rule.men` men) with best play under `rule`;
    /// `None` where no table answers for sure.
    fn probe(&self, position: &shakmaty::Chess, rule: &TablebaseRule) -> Option<GameResult>;
}

/// The counters of one game. Rebuilt from the plies on a restart by telling it all of them again.
#[derive(Debug, Clone)]
pub struct Adjudicator {
    rules: Adjudication,
    /// Plies in a row within the draw rule's score.
    draw: u32,
    /// Moves in a row in which a side's own score said that it is lost, by [`Seat::index`].
    lost: [u32; 2],
    /// The same, that it is won.
    won: [u32; 2],
    /// Plies in a row for TCEC's draw rule.
    tcec_draw: u32,
    /// Plies in a row that see the same side winning, for TCEC's win rule.
    tcec_win: Option<(Seat, u32)>,
}

impl Adjudicator {
    /// Counters at zero.
    #[must_use]
    pub const fn new(rules: Adjudication) -> Self {
        Self { rules, draw: 0, lost: [0; 2], won: [0; 2], tcec_draw: 0, tcec_win: None }
    }

    /// Takes the ply that led to `board` into account, book plies too, and says whether the game ends by a rule.
    /// Order: tables, TCEC draw, TCEC win, draw, resign, maximum length. The game's own rules come before, by
    /// [`Board::ending`].
    pub fn after(&mut self, board: &dyn Board, ply: &Ply, tables: Option<&dyn Tablebase>) -> Option<Outcome> {
        if ply.auto {
            // Nobody thought: it counts for no score, and breaks none off.
            return self.tables(board, tables).or_else(|| self.max_moves(board));
        }
        let mover = board.to_move().other();
        let score = if ply.book { None } else { ply.score };
        // Every counter moves at every ply, whatever rule fires.
        let tcec_draw = self.tcec_draw(board, score);
        let tcec_win = self.tcec_win(mover, score);
        let draw = self.draw(board, mover, score);
        let resign = self.resign(mover, score);
        self.tables(board, tables).or(tcec_draw).or(tcec_win).or(draw).or(resign).or_else(|| self.max_moves(board))
    }

    /// Whether tables may end the game in this position, as far as the rules say: men and castling rights.
    #[must_use]
    pub fn tables_apply(&self, board: &dyn Board) -> bool {
        let Some(rule) = &self.rules.tablebases else { return false };
        men(board).is_some_and(|(men, castling)| men <= rule.men && !castling)
    }

    fn tables(&self, board: &dyn Board, tables: Option<&dyn Tablebase>) -> Option<Outcome> {
        let rule = self.rules.tablebases.as_ref()?;
        if !self.tables_apply(board) {
            return None;
        }
        let result = tables?.probe(board.as_chess()?, rule)?;
        (result == GameResult::Draw || !rule.draws_only).then(|| Outcome::new(result, Ending::TablebaseAdjudication))
    }

    fn tcec_draw(&mut self, board: &dyn Board, score: Option<Score>) -> Option<Outcome> {
        let rule = self.rules.tcec_draw?;
        let position = board.as_chess()?;
        let pieces = (position.board().occupied() & !position.board().pawns()).count();
        let counts = u32::try_from(pieces).is_ok_and(|pieces| pieces <= rule.pieces) && within(score, rule.within);
        self.tcec_draw = if counts { self.tcec_draw.saturating_add(1) } else { 0 };
        reached(self.tcec_draw, rule.plies).then(|| Outcome::new(GameResult::Draw, Ending::TcecDraw))
    }

    fn tcec_win(&mut self, mover: Seat, score: Option<Score>) -> Option<Outcome> {
        let rule = self.rules.tcec_win?;
        let winner = if winning(score, rule.beyond) {
            Some(mover)
        } else if losing(score, rule.beyond) {
            Some(mover.other())
        } else {
            None
        };
        self.tcec_win = winner.map(|winner| match self.tcec_win {
            Some((before, count)) if before == winner => (winner, count.saturating_add(1)),
            _ => (winner, 1),
        });
        let (winner, count) = self.tcec_win?;
        reached(count, rule.plies).then(|| Outcome::new(GameResult::win(winner), Ending::TcecWin))
    }

    fn draw(&mut self, board: &dyn Board, mover: Seat, score: Option<Score>) -> Option<Outcome> {
        let rule = self.rules.draw?;
        self.draw = if within(score, rule.within) { self.draw.saturating_add(1) } else { 0 };
        let number = move_played(board, mover);
        (number >= rule.from_move && reached(self.draw, rule.plies))
            .then(|| Outcome::new(GameResult::Draw, Ending::DrawAdjudication))
    }

    fn resign(&mut self, mover: Seat, score: Option<Score>) -> Option<Outcome> {
        let rule = self.rules.resign?;
        let count = |counter: u32, counts: bool| if counts { counter.saturating_add(1) } else { 0 };
        let at = mover.index();
        self.lost[at] = count(self.lost[at], losing(score, rule.beyond));
        self.won[at] = count(self.won[at], winning(score, rule.beyond));
        Seat::BOTH.into_iter().find_map(|loser| {
            let winner = loser.other();
            let lost = reached(self.lost[loser.index()], rule.moves);
            let agreed = !rule.two_sided || reached(self.won[winner.index()], rule.moves);
            (lost && agreed).then(|| Outcome::new(GameResult::win(winner), Ending::ResignAdjudication))
        })
    }

    fn max_moves(&self, board: &dyn Board) -> Option<Outcome> {
        let max = self.rules.max_moves?;
        (board.move_number() > max).then(|| Outcome::new(GameResult::Draw, Ending::MaxMoves))
    }
}

/// The full-move number of the ply that led to `board`.
fn move_played(board: &dyn Board, mover: Seat) -> u32 {
    match mover {
        Seat::First => board.move_number(),
        Seat::Second => board.move_number().saturating_sub(1),
    }
}

/// A rule of no plies at all would end games before anybody has said anything: it needs one.
fn reached(count: u32, needed: u32) -> bool {
    count >= needed.max(1)
}

/// Whether a score is there and within `limit` centipawns of zero, inclusive. A mate score never is.
fn within(score: Option<Score>, limit: u32) -> bool {
    matches!(score, Some(Score::Cp(cp)) if cp.unsigned_abs() <= limit)
}

/// Whether the engine sees itself winning by `limit` centipawns or more, or mating.
fn winning(score: Option<Score>, limit: u32) -> bool {
    match score {
        Some(Score::Cp(cp)) => cp >= 0 && cp.unsigned_abs() >= limit,
        Some(Score::Mate(moves)) => moves > 0,
        None => false,
    }
}

/// Whether the engine sees itself losing by `limit` centipawns or more, or mated. A mate that it gives itself is none.
fn losing(score: Option<Score>, limit: u32) -> bool {
    match score {
        Some(Score::Cp(cp)) => cp <= 0 && cp.unsigned_abs() >= limit,
        Some(Score::Mate(moves)) => moves <= 0,
        None => false,
    }
}

/// The outcome when the flag of `seat` fell on `board`: a loss, or, where the rules ask for it, a draw if the other
/// side could not win by any sequence of legal moves (FIDE 6.9). The fault is the engine's either way.
#[must_use]
pub fn flag_outcome(board: &dyn Board, seat: Seat, rules: &Adjudication) -> Outcome {
    let mut outcome = Outcome::fault(seat, Ending::TimeLoss, "");
    if rules.flag_draw_without_material && !board.can_win(seat.other()) {
        outcome.result = GameResult::Draw;
        outcome.detail = "the other side cannot win".to_owned();
    }
    outcome
}

/// The men on a chess board, kings included, and whether a side may still castle; `None` of any other game.
#[must_use]
pub fn men(board: &dyn Board) -> Option<(u32, bool)> {
    let position = board.as_chess()?;
    let men = u32::try_from(position.board().occupied().count()).unwrap_or(u32::MAX);
    Some((men, !position.castles().is_empty()))
}

#[cfg(test)]
mod tests;
