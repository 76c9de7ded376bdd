//! A row of a position schedule: one JSON object a line, with the public names of its keys.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    geometry::{distance_to_goal, each, goal, home},
    position::Position,
    rules::{Rules, judge},
    text,
};
use crate::{Ending, Seat};

/// The `type` of a row.
pub const TYPE: &str = "ccerl_position";
/// The `schema` of a row.
pub const SCHEMA: &str = "ccerl.position.v1";
/// Bytes of a row; one with a history of two hundred plies has 4 KiB.
pub const MAX_ROW: usize = 64 << 10;
/// Characters of an id; it stands in records as the opening's name.
pub const MAX_ID: usize = 120;

/// What is known of a position beside its cells.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the public names")]
pub struct Features {
    pub legal_count: Option<u32>,
    pub p0_goal_count: u32,
    pub p0_goal_distance: i32,
    pub p0_home_count: u32,
    pub p1_goal_count: u32,
    pub p1_goal_distance: i32,
    pub p1_home_count: u32,
    pub distance_delta: i32,
    pub goal_delta: i32,
    pub home_delta: i32,
}

/// One row, as the public schedules write it. Keys that are not known here are passed over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// [`TYPE`].
    #[serde(rename = "type")]
    pub kind: String,
    /// [`SCHEMA`].
    pub schema: String,
    /// The schedule's name.
    pub suite: String,
    /// The ruleset that it was made under; informative, the event's own decides.
    pub ruleset: String,
    /// The profile that it was made under; informative, the event's own decides.
    pub rule_profile: String,
    /// Unique in its file.
    pub id: String,
    /// 121 characters.
    pub cells: String,
    /// Who moves, 0 or 1.
    pub player: u64,
    /// Absolute.
    pub ply: u64,
    /// The public key, `0x` and hexadecimal digits; empty where unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// `initial`, `shallow`, `normal`, `early_midgame`.
    pub phase: String,
    /// Where it comes from.
    pub source: Value,
    /// What is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Features>,
    /// How many legal moves, where `features` does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_count: Option<u32>,
    /// Moves from the clean start, as `[from, to]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<(u8, u8)>>,
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowFault {
    /// Not a JSON object with these keys.
    #[error("not a row: {why}")]
    NotARow {
        /// What the reader says.
        why: String,
    },
    /// A key has another value than such rows have.
    #[error("`{key}` is `{found}`, expected `{expected}`")]
    Key {
        /// Which key.
        key: &'static str,
        /// What it has, cut.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The position.
    #[error("{why}")]
    Position {
        /// What is wrong and what was expected.
        why: String,
    },
    /// The rules have ended the game there.
    #[error("the game is already over: {ending}")]
    Over {
        /// How.
        ending: Ending,
    },
    /// The history does not lead there.
    #[error("its history does not lead to its cells: {why}")]
    History {
        /// Where and why.
        why: String,
    },
    /// Another row has this id.
    #[error("id `{id}` stands at line {line} already")]
    Twice {
        /// The id.
        id: String,
        /// From 1.
        line: u32,
    },
}

impl Row {
    /// Reads one line and checks all that it says: ten pieces a side, hash and number of legal moves where they are
    /// given, that its history leads there, that the game goes on there.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn read(line: &[u8], rules: Rules) -> Result<(Self, Position), RowFault> {
        if line.len() > MAX_ROW {
            return Err(RowFault::NotARow { why: format!("longer than {MAX_ROW} bytes") });
        }
        let row: Self = serde_json::from_slice(line)
            .map_err(|error| RowFault::NotARow { why: crate::board::clean_to(&error.to_string(), 200) })?;
        let position = row.check(rules)?;
        Ok((row, position))
    }

    fn check(&self, rules: Rules) -> Result<Position, RowFault> {
        let expect = |key: &'static str, found: &str, expected: &str| {
            let fault = || {
                let (found, expected) = (crate::board::clean(found), expected.to_owned());
                RowFault::Key { key, found, expected }
            };
            if found == expected { Ok(()) } else { Err(fault()) }
        };
        expect("type", &self.kind, TYPE)?;
        expect("schema", &self.schema, SCHEMA)?;
        let id_fits = !self.id.is_empty() && self.id.len() <= MAX_ID && !self.id.chars().any(char::is_control);
        if !id_fits {
            expect("id", &self.id, "a name of at most 120 bytes")?;
        }
        let (position, ply) =
            text::read_start(&self.start()).map_err(|error| RowFault::Position { why: why(&error) })?;
        if !self.hash.is_empty() {
            let digits = self.hash.strip_prefix("0x").unwrap_or(&self.hash);
            if u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 16) != Some(position.key()) {
                expect("hash", &self.hash, &hash(&position))?;
            }
        }
        let known = self.features.as_ref().and_then(|features| features.legal_count);
        for legal in [self.legal_count, known].into_iter().flatten() {
            expect("legal_count", &legal.to_string(), &position.legal_count().to_string())?;
        }
        if let Some(history) = &self.history {
            check_history(history, &position, ply)?;
        }
        match judge(&position, rules, ply, 1) {
            Some((_, ending)) => Err(RowFault::Over { ending }),
            None => Ok(position),
        }
    }

    /// The position as the board reads it.
    #[must_use]
    pub fn start(&self) -> String {
        format!("cells {} player {} ply {}", self.cells.replace(char::is_whitespace, "?"), self.player, self.ply)
    }

    /// A row of a position, all that follows from it filled in.
    #[must_use]
    pub fn of(position: &Position, ply: u32, history: Vec<(u8, u8)>) -> Self {
        let rules = super::Profile::default();
        Self {
            kind: TYPE.to_owned(),
            schema: SCHEMA.to_owned(),
            ruleset: rules.ruleset().to_owned(),
            rule_profile: rules.full_name().to_owned(),
            cells: position.cells(),
            player: position.to_move().index() as u64,
            ply: ply.into(),
            hash: hash(position),
            phase: match ply {
                0 => "initial",
                1..=6 => "shallow",
                7..=14 => "normal",
                _ => "early_midgame",
            }
            .to_owned(),
            features: Some(features(position)),
            history: (!history.is_empty()).then_some(history),
            ..Self::default()
        }
    }
}

fn hash(position: &Position) -> String {
    format!("0x{:016x}", position.key())
}

fn why(error: &crate::board::StartError) -> String {
    match error {
        crate::board::StartError::Position { why, .. } => why.clone(),
        other => other.to_string(),
    }
}

fn check_history(history: &[(u8, u8)], position: &Position, ply: u32) -> Result<(), RowFault> {
    let fault = |why: String| RowFault::History { why };
    if history.len() != ply as usize {
        return Err(fault(format!("{} moves, and its ply is {ply}", history.len())));
    }
    let mut at = Position::START;
    for (&(from, to), number) in history.iter().zip(1..) {
        at.check(from, to).map_err(|error| fault(format!("move {number}: {error}")))?;
        at = at.after(from, to);
    }
    if at == *position { Ok(()) } else { Err(fault("another position".to_owned())) }
}

/// What the public rows tell of a position: the steps that all pieces are away from their goal, pieces in it and at home.
#[must_use]
pub fn features(position: &Position) -> Features {
    let side = |seat: Seat| {
        let own = position.pieces(seat);
        let distance: i32 = each(own).map(|hole| distance_to_goal(seat, hole)).sum();
        ((own & goal(seat)).count_ones(), distance, (own & home(seat)).count_ones())
    };
    let [(goal_0, distance_0, home_0), (goal_1, distance_1, home_1)] = Seat::BOTH.map(side);
    let less = |a: u32, b: u32| i32::try_from(a).unwrap_or(i32::MAX) - i32::try_from(b).unwrap_or(i32::MAX);
    Features {
        legal_count: Some(position.legal_count()),
        p0_goal_count: goal_0,
        p0_goal_distance: distance_0,
        p0_home_count: home_0,
        p1_goal_count: goal_1,
        p1_goal_distance: distance_1,
        p1_home_count: home_1,
        distance_delta: distance_0 - distance_1,
        goal_delta: less(goal_0, goal_1),
        home_delta: less(home_0, home_1),
    }
}

/// Whether a slot of a schedule, from 0, holds a clean start: a fifth of all, as evenly as can be, so that the first rows
/// of a file are balanced too.
#[must_use]
pub const fn is_clean_slot(slot: usize, clean_before: usize) -> bool {
    // Less than a fifth of the rows so far, rounded.
    clean_before < ((slot + 1) * 2 + 5) / 10
}
