//! Alpha-beta by iterative deepening.

use std::time::Instant;

use rookery_game::{
    GameResult, Seat,
    chinese_checkers::{Position, Rules, judge},
};

use super::evaluate::{WIN, evaluate, gain};

/// Plies that are ever searched.
const MAX_DEPTH: u32 = 64;
/// Nodes between two looks at the clock and at the input.
const LOOK: u64 = 512;

/// A move by its ends.
pub(crate) type Ends = (u8, u8);

/// What a search may use. Without any limit it goes on until it is stopped.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Limits {
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    pub(crate) until: Option<Instant>,
}

/// How it plays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// The most that chance adds to a move at the root, in hundredths of a step and a half.
    pub(crate) noise: u32,
    /// Decides chance: the same seed plays the same in the same position.
    pub(crate) seed: u64,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    /// The best moves of both sides; empty where there is no legal one.
    pub(crate) line: Vec<Ends>,
    /// From the view of the side to move.
    pub(crate) score: i32,
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
}

/// A search of one position.
pub(crate) struct Search<'a> {
    pub(crate) limits: Limits,
    pub(crate) settings: Settings,
    /// Positions of the game before this one, as far as they are known.
    pub(crate) history: &'a [Position],
    /// Whether to end now; asked every few hundred nodes.
    pub(crate) stop: &'a mut dyn FnMut() -> bool,
    /// Told of each depth that is through.
    pub(crate) report: &'a mut dyn FnMut(&Found),
    pub(crate) nodes: u64,
    pub(crate) stopped: bool,
}

impl Search<'_> {
    /// Searches as long as it may. There is always an answer where there is a legal move.
    pub(crate) fn run(&mut self, position: &Position) -> Found {
        let moves = ordered(position);
        let mut best = Found { line: moves.first().map(|(_, mv)| vec![*mv]).unwrap_or_default(), ..Found::default() };
        // What chance adds, and the move.
        let mut roots: Vec<(i32, Ends)> =
            moves.iter().zip(0_u64..).map(|((_, mv), n)| (self.noise(position, n), *mv)).collect();
        let deepest = self.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        for depth in 1..=deepest {
            let Some((line, score)) = self.root(position, &roots, depth) else { break };
            best = Found { line, score, depth, nodes: self.nodes };
            (self.report)(&best);
            if self.stopped || best.score.abs() > WIN - MAX_DEPTH as i32 {
                break;
            }
            // The best move is looked at first in the next round.
            if let Some(at) = best.line.first().and_then(|mv| roots.iter().position(|(_, root)| root == mv)) {
                roots[..=at].rotate_right(1);
            }
        }
        best.nodes = self.nodes;
        best
    }

    fn root(&mut self, position: &Position, roots: &[(i32, Ends)], depth: u32) -> Option<(Vec<Ends>, i32)> {
        let mut best: Option<(Vec<Ends>, i32)> = None;
        for &(noise, mv) in roots {
            let after = position.after(mv.0, mv.1);
            let mut line = Vec::new();
            let alpha = best.as_ref().map_or(-WIN, |(_, score)| *score);
            let score = if self.history.contains(&after) {
                // It has been there: nothing is won by going back.
                -1_000
            } else {
                -self.look(&after, depth - 1, 1, -WIN, -(alpha - noise), &mut line)
            };
            if self.stopped && best.is_some() {
                break;
            }
            let score = score.saturating_add(noise);
            if best.as_ref().is_none_or(|(_, known)| score > *known) {
                line.insert(0, mv);
                best = Some((line, score));
            }
            // The first depth is always looked through: an answer must not depend on luck with the clock.
            if self.stopped && depth > 1 {
                return None;
            }
        }
        best
    }

    /// Negamax with a fail-soft window.
    fn look(
        &mut self,
        position: &Position,
        depth: u32,
        height: u32,
        mut alpha: i32,
        beta: i32,
        line: &mut Vec<Ends>,
    ) -> i32 {
        line.clear();
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK) || self.limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.look_around();
        }
        let rules = Rules { max_ply: u32::MAX, ..Rules::default() };
        if let Some((result, _)) = judge(position, rules, 0, 1) {
            let won = WIN - height as i32;
            return match result {
                GameResult::Draw => 0,
                GameResult::FirstWins if position.to_move() == Seat::First => won,
                GameResult::SecondWins if position.to_move() == Seat::Second => won,
                _ => -won,
            };
        }
        if depth == 0 || self.stopped {
            return evaluate(position);
        }
        let mut best = -WIN;
        let mut below = Vec::new();
        for (_, mv) in ordered(position) {
            let after = position.after(mv.0, mv.1);
            let score = -self.look(&after, depth - 1, height + 1, -beta, -alpha, &mut below);
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    line.clear();
                    line.push(mv);
                    line.extend_from_slice(&below);
                }
            }
            if alpha >= beta || self.stopped {
                break;
            }
        }
        best
    }

    fn look_around(&mut self) {
        let out_of_time = self.limits.until.is_some_and(|until| Instant::now() >= until);
        let out_of_nodes = self.limits.nodes.is_some_and(|most| self.nodes >= most);
        self.stopped = self.stopped || out_of_time || out_of_nodes || (self.stop)();
    }

    /// What chance adds to a root move.
    fn noise(&self, position: &Position, number: u64) -> i32 {
        let value = mix(mix(self.settings.seed ^ position.key()).wrapping_add(number));
        i32::try_from(value % (u64::from(self.settings.noise) + 1)).unwrap_or(0)
    }
}

/// All legal moves, those that gain most first.
fn ordered(position: &Position) -> Vec<(i32, Ends)> {
    let mut moves: Vec<(i32, Ends)> =
        position.moves().map(|(from, to)| (-gain(position.to_move(), from, to), (from, to))).collect();
    moves.sort_unstable();
    moves
}

/// One step of `SplitMix64`.
pub(crate) const fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// The answer to a position without a clock.
pub(crate) fn answer(position: &Position, history: &[Position], limits: Limits, settings: Settings) -> Found {
    let (stop, report) = (&mut || false, &mut |_: &Found| ());
    Search { limits, settings, history, stop, report, nodes: 0, stopped: false }.run(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(noise: u32, seed: u64) -> Settings {
        Settings { noise, seed }
    }

    #[test]
    fn it_takes_a_win_in_one() {
        let cells = "........................................................111111111.....1................................0........000000000";
        let position = Position::read(cells, Seat::First).unwrap();
        let found = answer(&position, &[], Limits { depth: Some(2), ..Limits::default() }, settings(0, 0));
        assert_eq!((found.line[0], found.score > 20_000), ((103, 111), true), "{found:?}");
    }

    #[test]
    fn limits_are_kept_and_seeds_decide() {
        let limits = Limits { nodes: Some(2_000), ..Limits::default() };
        let found = answer(&Position::START, &[], limits, settings(0, 1));
        assert!(found.nodes <= 2_000 && found.depth >= 2, "{found:?}");
        let moves: std::collections::BTreeSet<Ends> =
            (0..40).map(|seed| answer(&Position::START, &[], limits, settings(200, seed)).line[0]).collect();
        assert!(moves.len() > 3, "{moves:?}");
        let again = |seed| answer(&Position::START, &[], limits, settings(200, seed)).line;
        assert_eq!(again(7), again(7));
        // One node is enough for an answer.
        assert_eq!(answer(&Position::START, &[], Limits { nodes: Some(1), ..limits }, settings(0, 0)).line.len(), 1);
    }

    #[test]
    fn a_game_against_itself_ends_by_a_win() {
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let mut position = Position::START;
        let mut history = vec![position];
        for ply in 1..400 {
            let (from, to) = answer(&position, &history, limits, settings(20, 5)).line[0];
            position.check(from, to).unwrap();
            position = position.after(from, to);
            history.push(position);
            if let Some((result, _)) = judge(&position, Rules { max_ply: 400, ..Rules::default() }, ply, 1) {
                assert_ne!(result, GameResult::Draw, "ply {ply}: {}", position.cells());
                return;
            }
        }
        panic!("no end: {}", position.cells());
    }
}
