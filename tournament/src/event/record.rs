//! What is on record of each game, small: a million of them are held.

use std::collections::BTreeMap;

use rookery_game::{Ending, GameResult, Seat};

use crate::ResultEntry;

/// A result on record. Who played follows from the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Recorded {
    take: u32,
    result: GameResult,
    ending: Ending,
    fault: Option<Seat>,
    r_mobility: Option<i16>,
    plies: u32,
    prediction: Option<Seat>,
}

/// What facts say of a game; only of those that facts name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// The take that counts or is due.
    take: u32,
    /// It was voided and is not due again.
    closed: bool,
    /// A person's result for it.
    ruled: Option<GameResult>,
}

/// A game that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) result: GameResult,
    pub(crate) ending: Ending,
    pub(crate) fault: Option<Seat>,
    pub(crate) r_mobility: Option<i16>,
    /// `None` where no game was played.
    pub(crate) plies: Option<u32>,
    /// Who won the prediction.
    pub(crate) prediction: Option<Seat>,
}

impl Counted {
    /// Whether the engine at `seat` crashed or never answered.
    pub(crate) fn crashed(&self, seat: Seat) -> bool {
        self.fault == Some(seat) && matches!(self.ending, Ending::Crash | Ending::Stall)
    }
}

/// All takes of all games, by the game's place in starting order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record {
    /// Of takes that count.
    games: BTreeMap<u64, Recorded>,
    /// Of takes that do not: they were voided, or are not due yet.
    others: BTreeMap<(u64, u32), Recorded>,
    marks: BTreeMap<u64, Mark>,
}

impl Record {
    fn mark(&self, order: u64) -> Mark {
        self.marks.get(&order).copied().unwrap_or(Mark { take: 1, closed: false, ruled: None })
    }

    /// The take that counts or is due.
    pub(crate) fn take(&self, order: u64) -> u32 {
        self.mark(order).take
    }

    /// Whether the game was voided and is not due again.
    pub(crate) fn is_closed(&self, order: u64) -> bool {
        self.mark(order).closed
    }

    /// Whether a person ruled on it.
    pub(crate) fn is_ruled(&self, order: u64) -> bool {
        self.mark(order).ruled.is_some()
    }

    /// Whether this take counts nowhere, by a fact about it or about one behind it.
    pub(crate) fn is_voided(&self, order: u64, take: u32) -> bool {
        let mark = self.mark(order);
        take < mark.take || (take == mark.take && mark.closed)
    }

    /// A person's result for this take, where it counts.
    pub(crate) fn ruling(&self, order: u64, take: u32) -> Option<GameResult> {
        self.marks.get(&order).filter(|mark| mark.take == take)?.ruled
    }

    /// The result that counts: a person's, else the one on record.
    pub(crate) fn counted(&self, order: u64) -> Option<Counted> {
        let recorded = self.games.get(&order).map(|r| Counted {
            result: r.result,
            ending: r.ending,
            fault: r.fault,
            r_mobility: r.r_mobility,
            plies: Some(r.plies),
            prediction: r.prediction,
        });
        match self.marks.get(&order).and_then(|m| m.ruled) {
            None => recorded,
            Some(result) => Some(Counted {
                result,
                ending: Ending::Ruling,
                fault: None,
                r_mobility: recorded.filter(|r| r.result == result).and_then(|r| r.r_mobility),
                plies: recorded.and_then(|r| r.plies),
                // A ruling is on the game; what was foreseen in it was.
                prediction: recorded.and_then(|r| r.prediction),
            }),
        }
    }

    /// Places, in starting order, of takes on record that count, from `from` to before `to`.
    pub(crate) fn orders(&self, from: u64, to: u64) -> impl Iterator<Item = u64> + '_ {
        self.games.range(from..to.max(from)).map(|(&order, _)| order)
    }

    /// Takes on record that count nowhere.
    pub(crate) fn voided(&self) -> u64 {
        self.others.len() as u64
    }

    pub(crate) fn put(&mut self, order: u64, entry: &ResultEntry) {
        let recorded = Recorded {
            take: entry.game.take,
            result: entry.result,
            ending: entry.ending,
            fault: entry.fault,
            r_mobility: entry.r_mobility.and_then(|g| i16::try_from(g).ok()),
            plies: entry.plies,
            prediction: entry.prediction,
        };
        // The first one stays: a game is recorded once.
        let mark = self.mark(order);
        if recorded.take == mark.take && !mark.closed {
            self.games.entry(order).or_insert(recorded);
        } else {
            self.others.entry((order, recorded.take)).or_insert(recorded);
        }
    }

    /// This take and all before it count nowhere; whether the next is due.
    pub(crate) fn void(&mut self, order: u64, take: u32, replay: bool) {
        let mark = self.mark(order);
        if take < mark.take {
            return;
        }
        let mark = if replay {
            Mark { take: take.saturating_add(1), closed: false, ruled: None }
        } else {
            Mark { take, closed: true, ruled: None }
        };
        self.set(order, mark);
    }

    /// A person's result for this take; what was voided counts again.
    pub(crate) fn rule(&mut self, order: u64, take: u32, result: GameResult) {
        if take >= self.mark(order).take {
            self.set(order, Mark { take, closed: false, ruled: Some(result) });
        }
    }

    fn set(&mut self, order: u64, mark: Mark) {
        self.marks.insert(order, mark);
        if let Some(recorded) = self.games.remove(&order) {
            self.others.insert((order, recorded.take), recorded);
        }
        if !mark.closed
            && let Some(recorded) = self.others.remove(&(order, mark.take))
        {
            self.games.insert(order, recorded);
        }
    }
}
