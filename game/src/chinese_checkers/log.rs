//! Logs of games in JSON lines, with the public names: `ccp_game_start`, `ccp_move`, `ccp_game_end`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ChineseCheckers, PathFault, Position, Rules, pack,
    rules::{MAX_PLY, Profile},
};
use crate::{
    Board, Ending, Form, GameRecord, GameResult, Outcome, Seat,
    board::{MAX_PLIES, StartError, clean},
    prediction::{self, Tally},
};

/// Bytes of a line; the longest that is ever written has 400.
const MAX_LINE: usize = 64 << 10;
/// Mistakes of one log that are told; a file that is no log has one in each line.
const MAX_ERRORS: usize = 1_000;
/// Games of one log that are open at once; logs are written game by game.
const MAX_OPEN: usize = 4_096;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
enum Line {
    #[serde(rename = "ccp_game_start", alias = "game_start")]
    Start(Start),
    #[serde(rename = "ccp_move", alias = "move")]
    Move(Move),
    #[serde(rename = "ccp_game_end", alias = "game_end")]
    End(End),
    /// What others write besides.
    #[serde(other, skip_serializing)]
    Other,
}

/// The first line of a game.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the public names")]
pub struct Start {
    /// A number or a text, the same on all lines of the game.
    pub game_id: Value,
    pub position_id: Value,
    pub ruleset: String,
    pub rule_profile: String,
    pub initial_cells: String,
    pub initial_player: u64,
    pub initial_ply: u64,
    pub p0: String,
    pub p1: String,
    pub max_plies: u64,
}

/// A move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the public names")]
pub struct Move {
    pub game_id: Value,
    /// Absolute, before the move.
    pub ply: u64,
    pub player: u64,
    pub engine: String,
    pub from: u64,
    pub to: u64,
    /// The witness path; empty where it is not known.
    pub path: Vec<u64>,
    /// Empty where it is not written.
    pub cells_after: String,
    /// The string of conditional moves that came with it; not written where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub conditional: String,
    /// It is a reply of such a string, played by the referee; written where it is so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub auto: bool,
}

/// The last line of a game.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the public names")]
pub struct End {
    pub game_id: Value,
    pub draw: bool,
    pub winner: Option<u64>,
    pub reason: String,
    /// Absolute.
    pub plies: u64,
    pub detail: Value,
    /// Points of predictions, player 0's and player 1's; not written where they are not scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictions: Option<[u32; 2]>,
    /// The player who won the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction_winner: Option<u64>,
}

/// A game of a log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Game {
    /// How it begins.
    pub start: Start,
    /// Its moves in order.
    pub moves: Vec<Move>,
    /// How it ended; `None` where it was broken off.
    pub end: Option<End>,
    /// The line of its start, from 1.
    pub line: usize,
}

/// What is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct LogError {
    /// From 1.
    pub line: usize,
    /// What.
    pub why: String,
}

/// Why a game of a log does not replay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It cannot have started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// More moves than a game has.
    #[error("{moves} moves, at most {MAX_PLIES} expected")]
    TooLong {
        /// How many.
        moves: usize,
    },
    /// A move is not legal.
    #[error("move {number}, {from}-{to}: {why}")]
    Move {
        /// From 1.
        number: usize,
        /// As the log has it.
        from: u64,
        /// As the log has it.
        to: u64,
        /// Why.
        why: String,
    },
}

/// What is done with a path that is not legal though its ends are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPolicy {
    /// The move is not legal.
    Strict,
    /// Its ends count, as other referees do.
    Lenient,
}

/// A game that was played through under some rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replayed {
    /// How the rules ended it; `None` where they let it go on after its last move.
    pub ending: Option<(GameResult, Ending)>,
    /// The absolute ply at which they did, or at which the moves end.
    pub ply: u32,
    /// Moves of the log that come after that end.
    pub after_end: usize,
    /// Moves whose path was not legal, and whose ends were taken.
    pub by_ends: usize,
}

/// The ending in the words of public logs.
#[must_use]
pub fn reason(ending: Ending) -> String {
    match ending {
        Ending::Goal => "all_pieces_in_goal".to_owned(),
        Ending::Crash | Ending::Stall => "protocol_error".to_owned(),
        other => other.as_str().replace('-', "_"),
    }
}

/// A finished game as lines. What is not a game of Chinese checkers, or does not replay, has none.
#[must_use]
pub fn write(record: &GameRecord) -> String {
    let rules = record.setup.rules.chinese_checkers;
    let Ok(mut game) = ChineseCheckers::new(&record.setup.start.position, rules) else { return String::new() };
    let names = Seat::BOTH.map(|seat| record.setup.side(seat).engine.name.clone());
    let id = Value::from(record.name.as_str());
    let mut lines = vec![Line::Start(Start {
        game_id: id.clone(),
        position_id: record.setup.tags.get("Opening").map_or(Value::Null, |id| id.as_str().into()),
        ruleset: rules.profile.ruleset().to_owned(),
        rule_profile: rules.profile.full_name().to_owned(),
        initial_cells: game.position().cells(),
        initial_player: game.to_move().index() as u64,
        initial_ply: game.absolute_ply().into(),
        p0: names[0].clone(),
        p1: names[1].clone(),
        max_plies: rules.max_ply.into(),
    })];
    for ply in &record.plies {
        let Ok(mv) = game.parse(&ply.mv, Form::Cells) else { return String::new() };
        let ((from, to), mover, number) = (ChineseCheckers::ends(mv), game.to_move(), game.absolute_ply());
        let path = game.position().path(from, to).map(|path| path.ids().iter().map(|&id| id.into()).collect());
        game.play(mv);
        lines.push(Line::Move(Move {
            game_id: id.clone(),
            ply: number.into(),
            player: mover.index() as u64,
            engine: names[mover.index()].clone(),
            from: from.into(),
            to: to.into(),
            path: path.unwrap_or_default(),
            cells_after: game.position().cells(),
            conditional: ply.conditional.clone(),
            auto: ply.auto,
        }));
    }
    let tally = prediction::count(&record.setup, &record.plies);
    lines.extend(record.outcome.as_ref().map(|outcome| Line::End(end(id, outcome, game.absolute_ply(), tally))));
    let mut text = String::new();
    for line in lines {
        // Texts and numbers: nothing that JSON refuses.
        text.push_str(&serde_json::to_string(&line).unwrap_or_default());
        text.push('\n');
    }
    text
}

fn end(game_id: Value, outcome: &Outcome, ply: u32, predictions: Option<Tally>) -> End {
    End {
        game_id,
        draw: outcome.result == GameResult::Draw,
        winner: match outcome.result {
            GameResult::FirstWins => Some(0),
            GameResult::SecondWins => Some(1),
            GameResult::Draw => None,
        },
        reason: reason(outcome.ending),
        plies: ply.into(),
        detail: if outcome.detail.is_empty() { Value::Null } else { outcome.detail.as_str().into() },
        predictions: predictions.map(|tally| tally.points),
        prediction_winner: predictions.map(|tally| tally.winner().index() as u64),
    }
}

/// Reads a log, whoever wrote it; lines of other types are passed over.
///
/// # Errors
/// Every line that cannot be read, and each game that has lines and no start, with the first of them; a thousand at most.
pub fn read(text: &str) -> Result<Vec<Game>, Vec<LogError>> {
    let (mut games, mut errors): (Vec<Game>, Vec<LogError>) = Default::default();
    let mut open: BTreeMap<String, usize> = BTreeMap::new();
    // Games whose start is not there: each is named once, however many lines it has.
    let mut unknown: BTreeSet<String> = BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut wrong = |why: String| {
            if errors.len() < MAX_ERRORS {
                errors.push(LogError { line: number, why });
            }
        };
        let mut not_begun = |what: &str, id: &Value| {
            let id = clean(&id.to_string());
            (unknown.len() < MAX_ERRORS && unknown.insert(id.clone()))
                .then(|| format!("{what} of game {id}, which has not begun"))
        };
        if line.len() > MAX_LINE {
            wrong(format!("longer than {MAX_LINE} bytes"));
            continue;
        }
        let read = match serde_json::from_str::<Line>(line) {
            Ok(line) => line,
            Err(error) => {
                wrong(clean(&error.to_string()));
                continue;
            }
        };
        match read {
            Line::Start(start) => {
                let id = start.game_id.to_string();
                if open.len() >= MAX_OPEN && !open.contains_key(&id) {
                    open.clear();
                }
                open.insert(id, games.len());
                games.push(Game { start, line: number, ..Game::default() });
            }
            Line::Move(mv) => match open.get(&mv.game_id.to_string()).and_then(|&at| games.get_mut(at)) {
                Some(game) => game.moves.push(mv),
                None => not_begun("a move", &mv.game_id).into_iter().for_each(&mut wrong),
            },
            Line::End(end) => match open.remove(&end.game_id.to_string()).and_then(|at| games.get_mut(at)) {
                Some(game) => game.end = Some(end),
                None => not_begun("the end", &end.game_id).into_iter().for_each(&mut wrong),
            },
            Line::Other => {}
        }
    }
    if errors.is_empty() { Ok(games) } else { Err(errors) }
}

/// Games that are the same in their start and all their moves, as groups of their places; who played does not count.
#[must_use]
pub fn identical(games: &[Game]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, game) in games.iter().enumerate() {
        let moves: Vec<(u64, u64)> = game.moves.iter().map(|mv| (mv.from, mv.to)).collect();
        groups.entry((&game.start.initial_cells, game.start.initial_player, moves)).or_default().push(place);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    groups
}

impl Game {
    /// The rules that it was played under, as far as its start says.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let profile = Profile::named(&self.start.rule_profile).unwrap_or_default();
        let max_ply = u32::try_from(self.start.max_plies).unwrap_or(u32::MAX);
        Rules { profile, max_ply: if max_ply == 0 { MAX_PLY } else { max_ply } }
    }

    /// Plays it through until its moves end, and looks when `rules` would have ended it.
    ///
    /// # Errors
    /// When a move is not legal, or does not lead to the cells that it names.
    pub fn replay(&self, rules: Rules, policy: PathPolicy) -> Result<Replayed, ReplayError> {
        let Start { initial_cells, initial_player, initial_ply, .. } = &self.start;
        if self.moves.len() > MAX_PLIES {
            return Err(ReplayError::TooLong { moves: self.moves.len() });
        }
        let position = format!("cells {} player {initial_player} ply {initial_ply}", initial_cells.trim_ascii());
        let mut game = ChineseCheckers::new(&position, rules)?;
        let mut by_ends = 0;
        for (done, mv) in self.moves.iter().enumerate() {
            if let Some(ending) = game.ending {
                let after_end = self.moves.len() - done;
                return Ok(Replayed { ending: Some(ending), ply: game.absolute_ply(), after_end, by_ends });
            }
            let fault = |why: String| ReplayError::Move { number: done + 1, from: mv.from, to: mv.to, why };
            if mv.player != game.to_move().index() as u64 {
                return Err(fault(format!("player {} is to move", game.to_move().index())));
            }
            let ends = ends(game.position(), mv, policy, &mut by_ends).map_err(|why| fault(why.to_string()))?;
            game.play(pack(ends));
            if !mv.cells_after.is_empty() && mv.cells_after != game.position().cells() {
                return Err(fault("it does not lead to the cells that it names".to_owned()));
            }
        }
        Ok(Replayed { ending: game.ending, ply: game.absolute_ply(), after_end: 0, by_ends })
    }
}

fn ends(position: &Position, mv: &Move, policy: PathPolicy, by_ends: &mut usize) -> Result<(u8, u8), PathFault> {
    let id = |id: u64| u8::try_from(id).map_err(|_| PathFault::BadCellId);
    let (from, to) = (id(mv.from)?, id(mv.to)?);
    position.check(from, to)?;
    if !mv.path.is_empty() {
        let path: Result<Vec<u8>, PathFault> = mv.path.iter().map(|&hole| id(hole)).collect();
        let checked = path.and_then(|path| {
            position.check_path(&path)?;
            let joined = path.first() == Some(&from) && path.last() == Some(&to);
            if joined { Ok(()) } else { Err(PathFault::NotAHop) }
        });
        match (checked, policy) {
            (Ok(()), _) => {}
            (Err(_), PathPolicy::Lenient) => *by_ends += 1,
            (Err(fault), PathPolicy::Strict) => return Err(fault),
        }
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::GameKind;

    fn record() -> GameRecord {
        let moves = "3-14 111-102 14-15 102-111";
        let mut record = crate::record::test_record(GameKind::ChineseCheckers, "", moves, 0, None);
        record.name = "0/1/1".to_owned();
        record.setup.rules.chinese_checkers.max_ply = 4;
        record.setup.tags.insert("Opening".to_owned(), "row 7".to_owned());
        record.outcome = Some(Outcome::new(GameResult::Draw, Ending::MaxPly));
        record
    }

    #[test]
    fn what_is_written_is_read_and_replays() {
        let text = write(&record());
        let first: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(first["type"], "ccp_game_start");
        assert_eq!((&first["position_id"], &first["rule_profile"]), (&"row 7".into(), &"CCZ-121-Strict-LG-v2".into()));
        let second: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
        assert_eq!(second["path"], serde_json::json!([3, 14]));
        let games = read(&format!("\n{text}{text}")).unwrap();
        assert_eq!((games.len(), games[0].moves.len(), games[0].line, games[1].line), (2, 4, 2, 8));
        assert_eq!(identical(&games), [vec![0, 1]]);
        let end = games[0].end.as_ref().unwrap();
        assert_eq!((end.reason.as_str(), end.draw, end.winner, end.plies), ("max_ply", true, None, 4));
        let found = games[0].replay(games[0].rules(), PathPolicy::Strict).unwrap();
        assert_eq!((found.ending, found.ply), (Some((GameResult::Draw, Ending::MaxPly)), 4));
        let longer = games[0].replay(Rules { max_ply: 9, ..games[0].rules() }, PathPolicy::Strict).unwrap();
        assert_eq!((longer.ending, longer.ply), (None, 4));
        let shorter = games[0].replay(Rules { max_ply: 2, ..games[0].rules() }, PathPolicy::Strict).unwrap();
        assert_eq!((shorter.ply, shorter.after_end), (2, 2));
    }

    #[test]
    fn predictions_are_told_where_they_are_scored() {
        let plain = write(&record());
        assert!(!plain.contains("predict") && !plain.contains("auto") && !plain.contains("conditional"), "{plain}");
        let mut record = record();
        record.setup.predictions =
            Some(crate::prediction::Predictions { from: 1, mandatory: false, ..Default::default() });
        record.plies[0].conditional = "111-102 14-15".to_owned();
        record.plies[2].auto = true;
        let text = write(&record);
        let games = read(&text).unwrap();
        assert_eq!((games[0].moves[0].conditional.as_str(), games[0].moves[2].auto), ("111-102 14-15", true));
        let end = games[0].end.as_ref().unwrap();
        assert_eq!((end.predictions, end.prediction_winner), (Some([1, 0]), Some(0)));
        // A string goes on after the event's own last ply only as far as its rules let it.
        record.setup.predictions.as_mut().unwrap().mandatory = true;
        record.setup.predictions.as_mut().unwrap().on_missing = crate::prediction::OnMissing::ForfeitPrediction;
        record.plies[1].conditional = "14-15 102-111".to_owned();
        let end = read(&write(&record)).unwrap()[0].end.clone().unwrap();
        assert_eq!((end.predictions, end.prediction_winner), (Some([1, 1]), Some(1)), "nothing is due after the end");
    }

    #[test]
    fn a_bad_path_is_legal_by_its_ends_for_the_lenient_alone() {
        let mut game = read(&write(&record())).unwrap().remove(0);
        game.moves[0].path = vec![3, 9, 14];
        let rules = game.rules();
        let error = game.replay(rules, PathPolicy::Strict).unwrap_err();
        assert!(error.to_string().starts_with("move 1, 3-14: "), "{error}");
        assert_eq!(game.replay(rules, PathPolicy::Lenient).unwrap().by_ends, 1);
        // What is wrong at its ends is wrong for all.
        game.moves[0].to = 40;
        assert!(game.replay(rules, PathPolicy::Lenient).is_err());
        game.moves[0] = Move { cells_after: "x".to_owned(), ..read(&write(&record())).unwrap()[0].moves[0].clone() };
        assert!(game.replay(rules, PathPolicy::Lenient).unwrap_err().to_string().contains("cells that it names"));
    }

    #[test]
    fn profiles_end_a_game_differently() {
        let Some(file) = crate::testing::shared("vectors/chinese-checkers/games.json") else { return };
        let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let case = file["games"].as_array().unwrap().iter().find(|game| game["v1"]["reason"].is_null()).unwrap();
        let mut game = Game::default();
        game.start.initial_cells = Position::START.cells();
        for (mv, ply) in case["moves"].as_array().unwrap().iter().zip(0..) {
            let [from, to] = [0, 1].map(|at| mv[at].as_u64().unwrap());
            game.moves.push(Move { from, to, ply, player: ply % 2, ..Move::default() });
        }
        let strict = game.replay(Rules::default(), PathPolicy::Strict).unwrap();
        let v1 = game.replay(Rules { profile: Profile::StrictV1, ..Rules::default() }, PathPolicy::Strict).unwrap();
        assert_eq!(strict.ending.unwrap().1, Ending::AntiBlockGoalFull);
        assert_eq!((v1.ending, v1.ply), (None, strict.ply));
    }

    #[test]
    fn lines_that_mean_nothing_are_named() {
        let errors = read("{\"type\":\"ccp_move\",\"game_id\":1}\nx\n{\"type\":\"note\"}\n{\"type\":\"ccp_game_end\"}")
            .unwrap_err();
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [1, 2, 4]);
    }

    proptest! {
        #[test]
        fn mutated_logs_are_answered(at in any::<prop::sample::Index>(), with in "[0-9a-z\",:{}\\[\\]-]{0,6}", length in 0..6_usize) {
            let mut text = write(&record());
            let at = at.index(text.len());
            let to = (at + length).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(to) {
                text.replace_range(at..to, &with);
            }
            for game in read(&text).unwrap_or_default() {
                let _ = game.replay(game.rules(), PathPolicy::Lenient);
            }
        }
    }
}
