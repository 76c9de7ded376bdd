//! Records and lines of the journal on their way to the archive. A game's record comes before the store, all else after.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use rookery_tournament::{GameId, fact::Location};

use super::{
    Core, Effect, Ticket,
    keys::{self, Parsed},
    limits,
    stored::StoredResult,
    writes::{Write, back_off_ns},
};
use crate::{
    archive::ArchiveError,
    journal::{self, ForResult, Lead, Line, Settled},
    store::{KeyValue, Op, Revision, Txn},
};

/// A line that waits for the archive.
struct Item {
    bytes: Bytes,
    what: What,
}

enum What {
    /// A game's record: its result is put once it is there.
    Game(Box<Game>),
    /// A line of the journal, and the number of the answers that wait for it.
    Line(u64),
    /// Games whose fate is known.
    Settled,
}

/// A game whose record goes to the archive.
pub(super) struct Game {
    pub(super) uid: String,
    pub(super) game: GameId,
    pub(super) attempt: Revision,
    /// Without its place in the archive.
    pub(super) stored: StoredResult,
}

/// Answers that are given once the archive has what they are about.
struct Held {
    until_ns: u64,
    answers: Vec<Effect>,
}

/// All that is not in the archive yet.
#[derive(Default)]
pub(super) struct Outgoing {
    waiting: VecDeque<Item>,
    /// Of records.
    bytes: usize,
    /// Of lines of the journal.
    lines: usize,
    sent: Option<(Ticket, Vec<Item>)>,
    tries: u32,
    retry_ns: u64,
    /// Workers whose results found no room; they say them again after a reconnect.
    pub(super) turned_away: BTreeSet<String>,
    held: BTreeMap<u64, Held>,
    numbers: u64,
    settled: Vec<Settled>,
    settle_ns: u64,
}

impl Outgoing {
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= limits::ARCHIVE_WAITING_BYTES
    }

    /// Whether so much waits that results may soon have to stay with their workers.
    pub(super) const fn lags(&self) -> bool {
        self.bytes > limits::ARCHIVE_WAITING_BYTES / 4
    }

    fn push(&mut self, item: Item) {
        match item.what {
            What::Game(_) => self.bytes += item.bytes.len(),
            What::Line(_) | What::Settled => self.lines += item.bytes.len(),
        }
        self.waiting.push_back(item);
    }

    fn arrived(&mut self, item: &Item) {
        let of = match item.what {
            What::Game(_) => &mut self.bytes,
            What::Line(_) | What::Settled => &mut self.lines,
        };
        *of = of.saturating_sub(item.bytes.len());
    }

    pub(super) fn wake_at(&self) -> Option<u64> {
        let waits = self.sent.is_none() && !self.waiting.is_empty();
        let settles = self.sent.is_none() && !self.settled.is_empty();
        let held = self.held.values().map(|held| held.until_ns).min();
        let retry = waits.then_some(self.retry_ns);
        let settle = settles.then_some(self.settle_ns.max(self.retry_ns));
        [retry, settle, held].into_iter().flatten().min()
    }
}

impl Core {
    /// A checked game goes to the archive, then to the store.
    pub(super) fn archive_game(&mut self, record: &[u8], game: Game) {
        let Some(lead) = &self.lead else { return };
        let result = ForResult { store: lead.store_id.clone(), event: game.uid.clone(), result: game.stored.clone() };
        let bytes = journal::game(record, &result);
        self.outgoing.push(Item { bytes, what: What::Game(Box::new(game)) });
    }

    /// A leadership begins: all that the store has but results, leases and checkpoints, so that what was on record and
    /// not yet in the archive when the leader before ended is there, and before any record that rests on it.
    pub(super) fn journal_lead(&mut self, told: &[KeyValue]) {
        let Some(lead) = &self.lead else { return };
        let (store, since) = (lead.store_id.clone(), lead.since);
        let line = Line::Lead(Lead { store: store.clone(), since, at_unix_ms: self.now.unix_ms });
        self.outgoing.push(Item { bytes: journal::write(&line), what: What::Line(0) });
        for kv in told {
            let line = Line::Put { store: store.clone(), key: kv.key.clone(), value: kv.value.clone() };
            self.outgoing.push(Item { bytes: journal::write(&line), what: What::Line(0) });
        }
    }

    /// What a transaction that happened put beside results, for the journal. Of specs those that are new: each fact
    /// rewrites its event's to count it.
    pub(super) fn journal_lines<'a>(&self, txn: &Txn, writes: impl Iterator<Item = &'a Write>) -> Vec<Bytes> {
        let Some(lead) = &self.lead else { return Vec::new() };
        let mut specs = BTreeSet::new();
        for write in writes {
            match write {
                Write::Create(create) => specs.insert(keys::meta(&create.meta.uid)),
                Write::Season(season) if season.meta.is_some() => specs.insert(keys::season(&season.uid)),
                _ => false,
            };
        }
        let wanted = |key: &str| match keys::parse(key) {
            Parsed::Log(..) | Parsed::SeasonLog(..) | Parsed::List(_) | Parsed::Import(..) | Parsed::Fleet(_) => true,
            Parsed::Meta(_) | Parsed::Season(_) => specs.contains(key),
            _ => false,
        };
        let puts = txn.ops.iter().filter_map(|op| match op {
            Op::Put(key, value) if wanted(key) => Some((key.clone(), value.clone())),
            _ => None,
        });
        let store = &lead.store_id;
        puts.map(|(key, value)| journal::write(&Line::Put { store: store.clone(), key, value })).collect()
    }

    /// Sends lines to the archive. Answers among the effects from `from` on wait for them, so that what an operator was
    /// told outlives the store; not while the archive is away, as people must be able to act then.
    pub(super) fn journal(&mut self, lines: Vec<Bytes>, from: usize) {
        let Some(last) = lines.len().checked_sub(1) else { return };
        let size: usize = lines.iter().map(Bytes::len).sum();
        if self.outgoing.lines + size > limits::JOURNAL_WAITING_BYTES {
            let text = "facts found no room on their way to the archive; the next leader writes them";
            self.alarm("journal", text.to_owned());
            return;
        }
        let mut number = 0;
        if self.outgoing.tries == 0 {
            let (answers, others) =
                self.out.split_off(from).into_iter().partition(|e| matches!(e, Effect::Answer { .. }));
            self.out.extend::<Vec<Effect>>(others);
            let answers: Vec<Effect> = answers;
            if !answers.is_empty() {
                self.outgoing.numbers += 1;
                number = self.outgoing.numbers;
                let until_ns = self.now.mono_ns + limits::ANSWER_MS * 1_000_000;
                self.outgoing.held.insert(number, Held { until_ns, answers });
            }
        }
        for (n, bytes) in lines.into_iter().enumerate() {
            self.outgoing.push(Item { bytes, what: What::Line(if n == last { number } else { 0 }) });
        }
    }

    /// It is known what became of a game's record.
    pub(super) fn journal_settled(&mut self, uid: &str, game: GameId, attempt: Revision, recorded: bool) {
        if self.outgoing.settled.is_empty() {
            self.outgoing.settle_ns = self.now.mono_ns + self.config.settle_ms * 1_000_000;
        }
        self.outgoing.settled.push(Settled { event: uid.to_owned(), game, attempt, recorded });
    }

    /// Gives answers that wait for the archive: all of them, or those that have waited long enough.
    pub(super) fn release_answers(&mut self, all: bool) {
        let now = self.now.mono_ns;
        let due = |held: &Held| all || held.until_ns <= now;
        let numbers: Vec<u64> = self.outgoing.held.iter().filter(|(_, held)| due(held)).map(|(n, _)| *n).collect();
        for number in numbers {
            self.out.extend(self.outgoing.held.remove(&number).map(|held| held.answers).unwrap_or_default());
        }
    }

    /// Sends a batch: at once where none is on its way; what comes meanwhile gathers.
    pub(super) fn flush_archive(&mut self) {
        self.release_answers(false);
        let now = self.now.mono_ns;
        let outgoing = &mut self.outgoing;
        if outgoing.sent.is_some() || outgoing.retry_ns > now {
            return;
        }
        // That records are on record rides along with others, or goes after a while alone.
        let rides = !outgoing.waiting.is_empty() || outgoing.settle_ns <= now;
        if !outgoing.settled.is_empty() && rides {
            let Some(lead) = &self.lead else { return };
            let games = std::mem::take(&mut outgoing.settled);
            let line = Line::Settled { store: lead.store_id.clone(), games };
            outgoing.push(Item { bytes: journal::write(&line), what: What::Settled });
        }
        if outgoing.waiting.is_empty() {
            return;
        }
        let (mut items, mut bytes) = (Vec::new(), 0);
        while let Some(item) = outgoing.waiting.pop_front() {
            bytes += item.bytes.len();
            items.push(item);
            let next = outgoing.waiting.front().map_or(0, |item| item.bytes.len());
            if items.len() >= limits::ARCHIVE_RECORDS || bytes + next > limits::ARCHIVE_BYTES {
                break;
            }
        }
        let records = items.iter().map(|item| item.bytes.clone()).collect();
        let ticket = self.ticket();
        self.outgoing.sent = Some((ticket, items));
        self.out.push(Effect::Archive { ticket, records });
    }

    /// Workers whose results could not be taken connect anew, and say them again.
    pub(super) fn hear_again(&mut self) {
        for worker in std::mem::take(&mut self.outgoing.turned_away) {
            self.close_worker(&worker);
        }
    }

    pub(super) fn archived(&mut self, ticket: Ticket, outcome: Result<Vec<Location>, ArchiveError>) {
        let Some((sent, items)) = self.outgoing.sent.take() else { return };
        if sent != ticket {
            self.outgoing.sent = Some((sent, items));
            return;
        }
        match outcome {
            Ok(locations) if locations.len() == items.len() => {
                self.outgoing.tries = 0;
                self.outgoing.retry_ns = 0;
                self.alarms.remove("archive");
                for (item, location) in items.into_iter().zip(locations) {
                    self.outgoing.arrived(&item);
                    match item.what {
                        What::Game(game) => {
                            let Game { uid, game, attempt, mut stored } = *game;
                            stored.entry.location = location;
                            self.write(Write::Record { uid, game, attempt, stored: Box::new(stored) });
                        }
                        What::Line(number) => {
                            let held = self.outgoing.held.remove(&number);
                            self.out.extend(held.map(|held| held.answers).unwrap_or_default());
                        }
                        What::Settled => {}
                    }
                }
                self.decide_again();
                self.hear_again();
            }
            outcome => {
                let why = match outcome {
                    Ok(locations) => format!("{} places for {} records", locations.len(), items.len()),
                    Err(error) => error.to_string(),
                };
                self.alarm("archive", format!("{why}; results stay with their workers until it is back"));
                self.outgoing.retry_ns = self.now.mono_ns + back_off_ns(self.outgoing.tries);
                self.outgoing.tries += 1;
                for item in items.into_iter().rev() {
                    self.outgoing.waiting.push_front(item);
                }
                self.release_answers(true);
            }
        }
    }
}
