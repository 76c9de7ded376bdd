//! What became of a game, told in order of time.

use rookery_game::{GameRecord, record::Interrupted};
use rookery_tournament::{Fact, GameId};

use super::state::EventState;
use crate::store::Revision;

/// What is known of a game without its record. The record, and attempts that ended, complete it.
#[derive(Debug, Clone, Default)]
pub struct Story {
    /// Facts and results of all takes, each with the time of the fact, of a result that of the one behind it.
    told: Vec<(u64, String)>,
    /// Where the result of the take that was asked about stands there, and the attempt that gave it.
    result: Option<(usize, Revision)>,
    /// What was decided when it was broken off.
    decided: Vec<String>,
    /// How often its pair broke, and the last error.
    broken: u32,
    last_error: String,
    /// What it waits for, or who plays it.
    now: Vec<String>,
}

impl Story {
    /// Lines for people. `attempts`: those that ended without a result, oldest first; `record`: of the take asked about.
    #[must_use]
    pub fn lines(&self, attempts: &[Interrupted], record: Option<&GameRecord>) -> Vec<String> {
        let notes = record.iter().flat_map(|record| &record.notes).map(|note| &note.text);
        let news = notes.filter(|text| !self.decided.iter().any(|line| line.contains(text.as_str())));
        let mut decided: Vec<&String> = news.chain(&self.decided).collect();
        let last = attempts.last();
        let mut attempts = attempts.iter().peekable();
        let mut lines = Vec::new();
        for (at, (time, text)) in self.told.iter().enumerate() {
            let result = self.result.filter(|(place, _)| *place == at);
            while let Some(attempt) = attempts.next_if(|attempt| result.is_some() || attempt.at_unix_ms <= *time) {
                lines.push(ended(attempt));
            }
            let Some((_, id)) = result else {
                lines.push(text.clone());
                continue;
            };
            lines.extend(decided.drain(..).cloned());
            lines.push(format!("{text}, {}", attempt_words(record.map_or(0, |record| record.nth), id)));
            let detail = record.and_then(|record| record.outcome.as_ref()).map(|outcome| &outcome.detail);
            lines.extend(detail.filter(|d| !d.is_empty() && !lines.iter().any(|line| line.contains(*d))).cloned());
        }
        lines.extend(attempts.map(ended));
        lines.extend(decided.into_iter().cloned());
        if self.broken > 0 {
            lines.push(format!("{} at its pair broke", count(self.broken, "attempt")));
        }
        let told = |attempt: &Interrupted| self.last_error.ends_with(&attempt.why);
        if !self.last_error.is_empty() && !last.is_some_and(told) {
            lines.push(format!("last error: {}", self.last_error));
        }
        lines.extend(self.now.iter().cloned());
        lines
    }
}

impl EventState {
    /// What is on record of a game; of all its takes, where there are several. `now`: what it waits for, or who plays it.
    pub(super) fn story(&self, game: &GameId, now: Vec<String>) -> Story {
        let last = self.event.order(game).and_then(|order| self.event.game_at(order)).map_or(1, |due| due.id.take);
        let mut story = Story { now, ..Story::default() };
        let mut take = 1;
        for logged in &self.facts {
            let about: Vec<&Fact> = logged.fact.each().filter(|fact| touches(fact, game)).collect();
            for fact in about {
                // What was on record when this was said; of a stop it is known of games that count alone.
                let upto = match fact {
                    Fact::Ruled { game, .. } => game.take,
                    Fact::Voided { games } | Fact::Replay { games } => take_in(games, game).unwrap_or(0),
                    Fact::SetAside { .. } | Fact::Retried { .. } => 0,
                    _ if self.event.result(game).is_some() => last,
                    _ => 0,
                };
                self.tell_results(&mut story, game, take..=upto, last, logged.at_unix_ms);
                take = take.max(upto + 1);
                let reason = if logged.reason.is_empty() { String::new() } else { format!(": {}", logged.reason) };
                let (by, at) = (&logged.by, moment(logged.at_unix_ms));
                let word = self.fact_word(fact, game, last);
                story.told.push((logged.at_unix_ms, format!("{word} by {by} at {at}{reason}")));
            }
        }
        self.tell_results(&mut story, game, take..=last, last, u64::MAX);
        story.decided = self.decided_of(game);
        if let Some(known) = self.pairs.get(&game.pair) {
            (story.broken, story.last_error) = (known.broken, known.last_error.clone());
        }
        story
    }

    /// The results of some takes; that of the one asked about is completed by its record.
    fn tell_results(
        &self,
        story: &mut Story,
        game: &GameId,
        takes: std::ops::RangeInclusive<u32>,
        last: u32,
        at_unix_ms: u64,
    ) {
        for take in takes {
            let Some(stored) = self.results.get(&GameId { take, ..*game }) else { continue };
            let entry = &stored.entry;
            let fault =
                entry.fault.map(|seat| if seat == rookery_game::Seat::First { entry.first } else { entry.second });
            let fault = fault.map_or_else(String::new, |whose| format!(", {} at fault", self.engine_name(whose)));
            let (result, ending, plies) = (entry.result.as_str(), ending(entry.ending), count(entry.plies, "ply"));
            let of = take_word(take, last);
            let mut text = format!("{of}on record: {result} by {ending}{fault}, {plies}, worker {}", entry.worker);
            if take == game.take {
                story.result = Some((story.told.len(), stored.attempt));
            } else {
                text = format!("{text}, {}", attempt_words(0, stored.attempt));
            }
            story.told.push((at_unix_ms, text));
        }
    }

    fn decided_of(&self, game: &GameId) -> Vec<String> {
        let here = self.decisions.get(game).map_or(&[][..], Vec::as_slice);
        let notes = self.kept.get(game).into_iter().flat_map(|kept| &kept.notes).map(|note| &note.text);
        // What another leader decided stands in the game's notes alone.
        let before = notes.filter(|text| !here.contains(text)).cloned();
        let rule = self.event.spec().event.interruption.name();
        before.chain(here.iter().map(|line| format!("interruption, rule `{rule}`: {line}"))).collect()
    }

    fn fact_word(&self, fact: &Fact, game: &GameId, last: u32) -> String {
        let of = |games: &[GameId]| take_in(games, game).map_or_else(String::new, |take| take_word(take, last));
        match fact {
            Fact::Ruled { game, result } => format!("{}ruled {}", take_word(game.take, last), result.as_str()),
            Fact::Imported { .. } => "played elsewhere: the ladder's state was imported".to_owned(),
            Fact::Voided { games } => format!("{}voided", of(games)),
            Fact::Replay { games } => format!("{}to be replayed", of(games)),
            Fact::SetAside { error, .. } => format!("set aside ({error})"),
            Fact::Retried { .. } => "due again".to_owned(),
            Fact::Stopped { why, .. } => format!("event stopped ({why})"),
            Fact::Withdrawn { entrant, keep_games } => {
                let games = if *keep_games { "its games count" } else { "its games do not count" };
                format!("{} withdrawn ({games})", self.engine_name(*entrant))
            }
            _ => String::new(),
        }
    }
}

/// Whether a fact is about a game, whichever take.
fn touches(fact: &Fact, game: &GameId) -> bool {
    match fact {
        Fact::Ruled { game: of, .. } => (of.pair, of.game) == (game.pair, game.game),
        Fact::Imported { facts, .. } => facts.iter().any(|fact| touches(fact, game)),
        Fact::Voided { games } | Fact::Replay { games } => take_in(games, game).is_some(),
        Fact::SetAside { pairs, .. } | Fact::Retried { pairs } => pairs.contains(&game.pair),
        Fact::Stopped { encounter: None, .. } => true,
        Fact::Withdrawn { entrant, .. } => [game.pair.a, game.pair.b].contains(entrant),
        Fact::Stopped { encounter: Some((a, b)), .. } => {
            (game.pair.a, game.pair.b) == (*a, *b) || (game.pair.a, game.pair.b) == (*b, *a)
        }
        _ => false,
    }
}

/// The newest take of a game among others.
fn take_in(games: &[GameId], game: &GameId) -> Option<u32> {
    let of = games.iter().filter(|other| (other.pair, other.game) == (game.pair, game.game));
    of.map(|other| other.take).max()
}

fn take_word(take: u32, last: u32) -> String {
    if last > 1 { format!("take {take} ") } else { String::new() }
}

/// `first attempt (id 7) with worker w1 ended at 2026-12-01T18:00:00Z: host fault at ply 12: …`.
fn ended(attempt: &Interrupted) -> String {
    let Interrupted { attempt: id, nth, worker, why, at_unix_ms, .. } = attempt;
    format!("{} with worker {worker} ended at {}: {why}", attempt_words(*nth, *id), moment(*at_unix_ms))
}

/// An attempt at a game, for people: `second attempt (id 2313)`, where `nth` is known and not 0. Ids rise and say nothing
/// else.
#[must_use]
pub fn attempt_words(nth: u32, id: Revision) -> String {
    const WORDS: [&str; 10] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];
    let word = match (nth, nth % 10, nth % 100) {
        (0, ..) => return format!("attempt (id {id})"),
        (1..=10, ..) => WORDS.get(nth as usize - 1).map_or_else(String::new, |word| (*word).to_owned()),
        (_, 1, tens) if tens != 11 => format!("{nth}st"),
        (_, 2, tens) if tens != 12 => format!("{nth}nd"),
        (_, 3, tens) if tens != 13 => format!("{nth}rd"),
        _ => format!("{nth}th"),
    };
    format!("{word} attempt (id {id})")
}

/// `1 ply`, `2 plies`.
fn count(n: u32, what: &str) -> String {
    match what.strip_suffix('y') {
        _ if n == 1 => format!("1 {what}"),
        Some(stem) => format!("{n} {stem}ies"),
        None => format!("{n} {what}s"),
    }
}

fn moment(unix_ms: u64) -> String {
    let at = i64::try_from(unix_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    at.map_or_else(String::new, |at| format!("{at:.0}"))
}

/// An ending as the wire names it, in words: `time loss`.
fn ending(ending: rookery_game::Ending) -> String {
    let name = crate::wire::ending(ending).as_str_name().strip_prefix("ENDING_").unwrap_or_default();
    name.to_ascii_lowercase().replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_in_words() {
        for (nth, text) in [
            (0, "attempt (id 9)"),
            (1, "first attempt (id 9)"),
            (10, "tenth attempt (id 9)"),
            (11, "11th attempt (id 9)"),
            (12, "12th attempt (id 9)"),
            (21, "21st attempt (id 9)"),
            (32, "32nd attempt (id 9)"),
            (103, "103rd attempt (id 9)"),
            (113, "113th attempt (id 9)"),
        ] {
            assert_eq!(attempt_words(nth, 9), text);
        }
        assert_eq!([count(1, "ply"), count(2, "ply"), count(2, "attempt")], ["1 ply", "2 plies", "2 attempts"]);
    }
}
