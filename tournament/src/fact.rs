//! What is on record of an event: facts in its log, and results.

use rookery_game::{Ending, GameResult, Seat};
use serde::{Deserialize, Serialize};

use crate::{EntrantId, GameId, PairId};

/// A fact of an event's log. What was drawn or decided is on record and never derived again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fact {
    /// The event began.
    Opened {
        /// Names of the entrants, in order; entrant 1 is the first.
        roster: Vec<RosterEntry>,
        /// The digest of the book, `sha256:…`; empty without one.
        book: String,
        /// How many openings it has.
        book_openings: u64,
        /// Everything random of this event comes from it.
        seed: u64,
        /// Added to every opening number.
        opening_offset: u64,
        /// The digest of the spec as applied.
        spec: String,
        /// The version of the rules that this program plays by.
        rules_version: u32,
        /// The digest of the book for what is played after a level match; empty where that goes on in the event's own.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        level_book: String,
        /// How many openings that has.
        #[serde(default, skip_serializing_if = "is_none")]
        level_openings: u64,
    },
    /// A draw: a shuffle, a Swiss round, a bracket.
    Drawn {
        /// Which stage it is for.
        stage: u8,
        /// Which round it is for, from 1.
        round: u16,
        /// The entrants in the order that was drawn; what it means is the format's. Where it is a list of meetings, two
        /// follow each other, the one with `First` in the first game first, and [`EntrantId::NOBODY`] is a bye.
        order: Vec<EntrantId>,
        /// Openings that were drawn for its pairs, as they are numbered from 0 in the book for level matches; empty where
        /// they follow from the pairs' places.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        openings: Vec<u64>,
    },
    /// The meeting of two was decided with this game; its games behind it are surplus.
    Decided {
        /// The pair of that game.
        pair: PairId,
        /// The game, 1 or 2.
        game: u8,
        /// One line: `4.5 - 0.5, 3 games left`.
        why: String,
    },
    /// Opponents were chosen by the ratings of a list, once, when the event was made. Who plays is the roster.
    Chosen {
        /// The list.
        list: String,
        /// What it said of who plays, those that it knows.
        engines: Vec<Listed>,
    },
    /// An entrant joined.
    Joined {
        /// Who; its number follows from the order.
        entry: RosterEntry,
        /// What it is, JSON of [`crate::spec::EngineSpec`]; empty where the spec has it already.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        spec: String,
    },
    /// The programs of entrants of which no digest was known when they came are these from now on.
    Froze {
        /// Who, and the digest of its program, `sha256:…`.
        engines: Vec<(EntrantId, String)>,
    },
    /// An entrant left.
    Withdrawn {
        /// Who.
        entrant: EntrantId,
        /// Whether its games still count.
        keep_games: bool,
    },
    /// The spec changed in what is free.
    Amended {
        /// The digest of the new spec.
        spec: String,
        /// The new spec, JSON of [`crate::spec::Spec`].
        json: String,
    },
    /// A person's result for a game.
    Ruled {
        /// Which game.
        game: GameId,
        /// Who gets the points.
        result: GameResult,
    },
    /// These takes count nowhere, and nothing is due in their place.
    Voided {
        /// Which games.
        games: Vec<GameId>,
    },
    /// These takes count nowhere; the next ones are due.
    Replay {
        /// Which games.
        games: Vec<GameId>,
    },
    /// These pairs wait for a person.
    SetAside {
        /// Which pairs.
        pairs: Vec<PairId>,
        /// The last error.
        error: String,
    },
    /// These pairs were set aside and are due again.
    Retried {
        /// Which pairs.
        pairs: Vec<PairId>,
    },
    /// An engine reached a limit of crashes: its pairs that are not finished wait for a person, or the whole event does.
    EngineSetAside {
        /// Whose.
        engine: EntrantId,
        /// The game, in starting order, with which the limit was reached; counting starts anew behind it.
        at: GameId,
        /// Whether nothing of the event is handed out.
        event: bool,
        /// One line: `3 crashes in a row`.
        error: String,
    },
    /// An engine that was set aside plays on.
    EngineRetried {
        /// Who.
        engine: EntrantId,
        /// Its last game on record, in starting order: crashes up to it are forgiven. `None`: those up to
        /// [`Fact::EngineSetAside`] alone.
        after: Option<GameId>,
    },
    /// Nothing more is handed out.
    Paused,
    /// The pause is over.
    Resumed,
    /// The event, or one encounter of it, was decided: by its stop rule or by a person. What lies beyond is surplus.
    Stopped {
        /// `None`: the event. `Some`: these two alone.
        encounter: Option<(EntrantId, EntrantId)>,
        /// The last pair, in starting order, that counts; `None`: all that is on record.
        at: Option<PairId>,
        /// One line: `SPRT accepted H1, llr 2.95`.
        why: String,
    },
    /// A person's order of entrants that the tie-breaks leave level; a later one about the same entrants takes its place.
    Ranked {
        /// Best first.
        order: Vec<EntrantId>,
    },
    /// A gate between events passed.
    Gated,
    /// A ladder that was begun elsewhere goes on here: what its state file says of it.
    Imported {
        /// The digest of the file, `sha256:…`.
        state: String,
        /// Draws, results and decisions in the order in which they would have been put on record one by one.
        facts: Vec<Fact>,
        /// Openings of the book in the order in which they are played; empty: as the spec says.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        order: Vec<u64>,
        /// Names of the openings that were played, pair by pair.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        openings: Vec<OpeningName>,
    },
}

impl Fact {
    /// Itself, and what it brings with it ([`Fact::Imported`]), in order.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = &Self> {
        let inner: &[Self] = if let Self::Imported { facts, .. } = self { facts } else { &[] };
        std::iter::once(self).chain(inner)
    }
}

/// How an opening is named in a ladder's state file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningName {
    /// Its number in the book.
    #[serde(default)]
    pub id: String,
    /// What identifies it beyond that.
    #[serde(default)]
    pub hash: String,
}

/// One entrant of a roster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RosterEntry {
    /// The engine's name.
    pub engine: String,
    /// The frozen digest of its program; empty where none was known.
    #[serde(default)]
    pub digest: String,
}

/// A fact with who and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedFact {
    /// Its number in the log, from 1.
    pub seq: u64,
    /// Milliseconds since 1970.
    pub at_unix_ms: u64,
    /// A person's or a program's name; `rookery` where the program itself decided.
    pub by: String,
    /// Why; may be empty.
    pub reason: String,
    /// The client's request id; empty where the program itself decided.
    pub request_id: String,
    /// What.
    pub fact: Fact,
}

impl LoggedFact {
    /// Whether it was put on record for this request of a client.
    #[must_use]
    pub fn is_of(&self, request_id: &str) -> bool {
        !request_id.is_empty() && self.request_id == request_id
    }
}

/// An engine's rating in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Listed {
    /// Its name.
    pub engine: String,
    /// Hundredths of Elo.
    pub centi_elo: i64,
}

/// Where the record of a game is in the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// The segment's name.
    #[serde(rename = "s")]
    pub segment: String,
    /// Bytes from its start.
    #[serde(rename = "o")]
    pub offset: u64,
    /// Bytes.
    #[serde(rename = "l")]
    pub length: u64,
    /// The first 16 hexadecimal digits of the record's SHA-256.
    #[serde(rename = "h")]
    pub digest: String,
}

/// A result on record: what standings need of a game. Names are short, as a million of them are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultEntry {
    /// Which game.
    #[serde(rename = "g")]
    pub game: GameId,
    /// Who sat at `First`.
    #[serde(rename = "f")]
    pub first: EntrantId,
    /// Who sat at `Second`.
    #[serde(rename = "b")]
    pub second: EntrantId,
    /// Who gets the points.
    #[serde(rename = "r")]
    pub result: GameResult,
    /// Why it ended.
    #[serde(rename = "e")]
    pub ending: Ending,
    /// Whose fault it was.
    #[serde(rename = "x", default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Seat>,
    /// Plies, opening included.
    #[serde(rename = "p")]
    pub plies: u32,
    /// The index of the opening in the book.
    #[serde(rename = "op")]
    pub opening: u64,
    /// r-mobility: twice G, positive where `First` holds it, `None` where it was not computed.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    pub r_mobility: Option<i32>,
    /// Who won the prediction, where predictions are scored and somebody moved.
    #[serde(rename = "ps", default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Seat>,
    /// How often it was restarted.
    #[serde(rename = "rs", default, skip_serializing_if = "is_zero")]
    pub restarts: u32,
    /// The worker that finished it.
    #[serde(rename = "w", default)]
    pub worker: String,
    /// Where its record is.
    #[serde(rename = "at")]
    pub location: Location,
}

const fn is_none(value: &u64) -> bool {
    *value == 0
}

const fn is_zero(value: &u32) -> bool {
    *value == 0
}
