//! From what was found to the keys of a store. Pure.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use rookery_tournament::{Event, Fact, GameId, LoggedFact, format::Want};

use super::{
    Built, Report,
    scan::{Found, FromStore},
};
use crate::{
    core::{
        keys::{self, Parsed},
        stored::{Meta, SeasonMeta, decode, encode},
    },
    journal::StoredResult,
};

/// The keys, and what is to be said of them.
#[derive(Debug, Default)]
pub(super) struct Anew {
    pub(super) keys: BTreeMap<String, Bytes>,
    pub(super) report: Report,
    /// Files that events need, by digest, and for what.
    pub(super) files: BTreeMap<String, String>,
}

/// One event, as it is found.
#[derive(Default)]
struct OneEvent {
    meta: Option<Meta>,
    log: BTreeMap<u64, LoggedFact>,
    /// With whether it is known to have been on record.
    games: BTreeMap<GameId, (StoredResult, bool)>,
}

/// Puts together what the stores of a chain left; of two values the later store's counts.
pub(super) fn build(found: &Found, chain: &[String], now_unix_ms: u64) -> Anew {
    let mut anew = Anew::default();
    anew.report.from = chain.to_vec();
    anew.report.missing.clone_from(&found.unread);
    let mut events: BTreeMap<String, OneEvent> = BTreeMap::new();
    let mut seasons: BTreeMap<String, (Option<SeasonMeta>, BTreeMap<u64, Bytes>)> = BTreeMap::new();
    for store in chain.iter().filter_map(|id| found.stores.get(id)) {
        take_puts(store, &mut events, &mut seasons, &mut anew);
        for ((uid, game), result) in &store.games {
            let recorded = store.recorded.get(&(uid.clone(), *game)) == Some(&result.attempt);
            // What an earlier store had on record is not undone by a record of which nothing is known.
            let games = &mut events.entry(uid.clone()).or_default().games;
            if recorded || games.get(game).is_none_or(|(_, recorded)| !recorded) {
                games.insert(*game, (result.clone(), recorded));
            }
        }
    }
    for (uid, event) in events {
        add_event(&uid, event, now_unix_ms, &mut anew);
    }
    for (uid, (meta, log)) in seasons {
        let Some(meta) = meta else {
            anew.report.missing.push(format!("season {uid}: its spec is not in the archive, it is left out"));
            continue;
        };
        let facts = log.len();
        gaps(&format!("season {}", meta.name), log.keys().copied(), &mut anew.report.missing);
        let last = log.keys().next_back().copied().unwrap_or(0);
        anew.keys.extend(log.into_iter().map(|(seq, fact)| (keys::season_log(&uid, seq), fact)));
        anew.report.seasons.push(Built { name: meta.name.clone(), uid: uid.clone(), games: 0, facts });
        let books = meta.books.values().chain(meta.level_books.values());
        for (digest, _) in books.filter(|(digest, _)| digest.starts_with("sha256:")) {
            anew.files.entry(digest.clone()).or_insert_with(|| format!("season {}", meta.name));
        }
        anew.keys.insert(keys::season(&uid), encode(&SeasonMeta { facts: last, ..meta }));
    }
    anew
}

fn take_puts(
    store: &FromStore,
    events: &mut BTreeMap<String, OneEvent>,
    seasons: &mut BTreeMap<String, (Option<SeasonMeta>, BTreeMap<u64, Bytes>)>,
    anew: &mut Anew,
) {
    for (key, value) in &store.puts {
        let read = match keys::parse(key) {
            Parsed::Meta(uid) => decode::<Meta>(value).map(|meta| events.entry(uid).or_default().meta = Some(meta)),
            Parsed::Log(uid, seq) => decode::<LoggedFact>(value).map(|fact| {
                events.entry(uid).or_default().log.insert(seq, fact);
            }),
            Parsed::Season(uid) => decode::<SeasonMeta>(value).map(|meta| {
                seasons.entry(uid).or_default().0 = Some(meta);
            }),
            Parsed::SeasonLog(uid, seq) => {
                seasons.entry(uid).or_default().1.insert(seq, value.clone());
                Some(())
            }
            Parsed::List(_) => {
                anew.keys.insert(key.clone(), value.clone());
                Some(())
            }
            Parsed::Import(list, digest) => {
                anew.keys.insert(key.clone(), value.clone());
                anew.files.entry(digest).or_insert_with(|| format!("list {list}"));
                Some(())
            }
            Parsed::Fleet(_) => {
                anew.report.workers += usize::from(anew.keys.insert(key.clone(), value.clone()).is_none());
                Some(())
            }
            _ => None,
        };
        if read.is_none() {
            anew.report.missing.push(format!("the value of {key} does not read"));
        }
    }
}

/// Names facts that are not there, but for the last ones, of which nothing is known.
fn gaps(of: &str, there: impl Iterator<Item = u64>, missing: &mut Vec<String>) -> bool {
    let mut next = 1;
    let mut any = false;
    for seq in there {
        if seq > next {
            any = true;
            missing.push(format!("{of}: facts {next} to {} of its log are not in the archive", seq - 1));
        }
        next = seq + 1;
    }
    any
}

fn add_event(uid: &str, event: OneEvent, now_unix_ms: u64, anew: &mut Anew) {
    let OneEvent { meta, mut log, games } = event;
    let Some(mut meta) = meta else {
        let text = format!("event {uid}: its spec is not in the archive, it and {} games are left out", games.len());
        anew.report.missing.push(text);
        return;
    };
    let name = format!("event {}", meta.name);
    if gaps(&name, log.keys().copied(), &mut anew.report.missing) {
        let seq = log.keys().next_back().map_or(1, |last| last + 1);
        log.insert(seq, paused(seq, now_unix_ms));
        anew.report.decided.push(format!("{name}: it is paused, as facts are missing; `rookery resume` goes on"));
    }
    let mut folded = Event::new(meta.spec.clone());
    log.values().for_each(|fact| folded.fold_fact(fact));
    let mut kept: BTreeSet<GameId> = BTreeSet::new();
    for (game, (result, recorded)) in &games {
        if *recorded {
            folded.fold_result(&result.entry);
            kept.insert(*game);
        }
    }
    for (game, (result, recorded)) in &games {
        if *recorded {
            continue;
        }
        let attempt = result.attempt;
        let why = match (folded.game(game), folded.wants(game)) {
            (None, _) => Some("it is no game of this event".to_owned()),
            (Some(due), _) if due.id != *game => Some(format!("take {} is due", due.id.take)),
            (Some(_), Want::No(why)) => Some(why),
            (Some(_), Want::Yes | Want::Ahead) => None,
        };
        match why {
            None => {
                let text = format!(
                    "{name}: game {game} counts: its record by attempt {attempt} is there, not whether it was on record"
                );
                anew.report.decided.push(text);
                folded.fold_result(&result.entry);
                kept.insert(*game);
            }
            Some(why) => {
                let text = format!("{name}: the record of game {game} by attempt {attempt} counts nowhere: {why}");
                anew.report.decided.push(text);
            }
        }
    }
    let stopped = |fact: &LoggedFact| matches!(fact.fact, Fact::Stopped { encounter: None, .. });
    if log.values().any(stopped) {
        "stopped".clone_into(&mut meta.phase);
    }
    meta.facts = log.keys().next_back().copied().unwrap_or(0);
    let (count, facts) = (kept.len(), log.len());
    for (game, (result, _)) in games {
        if kept.contains(&game) {
            anew.keys.insert(keys::result(uid, &game), encode(&result));
        }
    }
    anew.keys.extend(log.iter().map(|(seq, fact)| (keys::log(uid, *seq), encode(fact))));
    for digest in [&meta.book, &meta.level_book].into_iter().filter(|digest| digest.starts_with("sha256:")) {
        anew.files.entry(digest.clone()).or_insert_with(|| name.clone());
    }
    anew.report.events.push(Built { name: meta.name.clone(), uid: uid.to_owned(), games: count, facts });
    anew.keys.insert(keys::meta(uid), encode(&meta));
}

fn paused(seq: u64, at_unix_ms: u64) -> LoggedFact {
    LoggedFact {
        seq,
        at_unix_ms,
        by: "rookery recover".to_owned(),
        reason: "facts are missing in the archive".to_owned(),
        request_id: String::new(),
        fact: Fact::Paused,
    }
}
