//! A write as comparisons and operations, from what is known at the moment it leaves.

use rookery_tournament::{LoggedFact, fact::Fact, format::Want};

use super::{
    Core,
    kept::Kept,
    keys, limits,
    state::{EventState, Pair},
    stored::{Checkpoint, Lease, cut, encode},
    writes::{Built, FactWrite, Proof, Write},
};
use crate::store::{Compare, Op, Revision};

fn as_known(key: String, revision: Revision) -> Compare {
    if revision == 0 { Compare::Absent(key) } else { Compare::Modified(key, revision) }
}

fn delete_checkpoints(uid: &str, pair: &rookery_tournament::PairId, game: u8) -> Op {
    let (from, to) = keys::checkpoints(uid, pair, game);
    Op::DeleteRange(from, to)
}

impl Core {
    /// `None`: it makes no sense any more.
    pub(super) fn build(&mut self, write: &mut Write) -> Option<Built> {
        match write {
            Write::HandOut { uid, pair } => {
                let (uid, pair) = (uid.clone(), *pair);
                self.build_hand_out(&uid, pair)
            }
            Write::Record { uid, game, attempt, stored } => {
                let state = self.events.get(uid.as_str())?;
                let pair = state.pairs.get(&game.pair)?;
                if pair.revision != *attempt || state.results.contains_key(game) {
                    return None;
                }
                let last = match &pair.hand {
                    Some(hand) => state.others_recorded(hand, game),
                    None if state.scoring.contains(game) => state.all_recorded_but(game),
                    None => return None,
                };
                let (lease, result) = (keys::lease(uid, &game.pair), keys::result(uid, game));
                let value = encode(stored);
                let mut ops = vec![Op::Put(result.clone(), value.clone())];
                if last {
                    // Also what was kept of a game that a fact ended.
                    let (from, to) = keys::all_checkpoints(uid, &game.pair);
                    ops.extend([Op::DeleteRange(from, to), Op::Delete(lease.clone())]);
                } else {
                    ops.push(delete_checkpoints(uid, &game.pair, game.game));
                }
                let compare = vec![Compare::Modified(lease, *attempt), Compare::Absent(result.clone())];
                Some(Built { compare, ops, proof: Proof::Put(result, value) })
            }
            Write::TakeBack { uid, pair, attempt, broken, error, .. } => {
                let by = (self.since(), self.writes.next_nonce());
                let state = self.events.get_mut(uid.as_str())?;
                if state.pairs.get(pair)?.revision != *attempt {
                    return None;
                }
                let mut ops = Vec::new();
                keep_last(state, uid, pair, &mut ops)?;
                let known = state.pairs.get(pair)?;
                let value = encode(&taken_back(known, *broken, error, by, self.now.unix_ms));
                let key = keys::lease(uid, pair);
                ops.push(Op::Put(key.clone(), value.clone()));
                Some(Built {
                    compare: vec![Compare::Modified(key.clone(), *attempt)],
                    ops,
                    proof: Proof::Put(key, value),
                })
            }
            Write::Drop { uid, pair, revision, .. } => {
                let known = self.events.get(uid.as_str())?.pairs.get(pair)?;
                if known.revision != *revision || *revision == 0 {
                    return None;
                }
                let key = keys::lease(uid, pair);
                let (from, to) = keys::all_checkpoints(uid, pair);
                Some(Built {
                    compare: vec![Compare::Modified(key.clone(), *revision)],
                    ops: vec![Op::Delete(key.clone()), Op::DeleteRange(from, to)],
                    proof: Proof::Gone(key),
                })
            }
            Write::Checkpoint { uid, game, attempt, built } => {
                let (write, checkpoint) = self.build_checkpoint(uid, game, *attempt)?;
                *built = Some(Box::new(checkpoint));
                Some(write)
            }
            Write::Fact(fact) => self.build_fact(fact),
            Write::Create(create) => {
                let meta = keys::meta(&create.meta.uid);
                let value = encode(&create.meta);
                let mut built = Built {
                    compare: vec![Compare::Absent(meta.clone())],
                    ops: vec![Op::Put(meta.clone(), value.clone())],
                    proof: Proof::Put(meta, value),
                };
                for fact in &create.facts {
                    let key = keys::log(&create.meta.uid, fact.seq);
                    built.compare.push(Compare::Absent(key.clone()));
                    built.ops.push(Op::Put(key, encode(fact)));
                }
                Some(built)
            }
            Write::Season(season) => self.build_season(season),
            Write::List(list) => Some(self.build_list(list)),
            Write::Fleet { worker, entry, .. } => {
                let key = keys::fleet(worker);
                let value = encode(entry);
                let ops = vec![Op::Put(key.clone(), value.clone())];
                // A copy of an earlier word that arrives late must not undo this one.
                let revision = self.fleet_revisions.get(worker.as_str()).copied().unwrap_or(0);
                let compare = vec![as_known(key.clone(), revision)];
                Some(Built { compare, ops, proof: Proof::Put(key, value) })
            }
        }
    }

    fn build_hand_out(&mut self, uid: &str, pair: rookery_tournament::PairId) -> Option<Built> {
        let by = (self.since(), self.writes.next_nonce());
        let state = self.events.get(uid)?;
        let known = state.pairs.get(&pair)?;
        let hand = known.hand.as_ref().filter(|hand| hand.attempt == 0)?;
        let worker = self.workers.get(&hand.worker)?;
        let there = worker.session.is_some() && worker.boot == hand.boot;
        let unwanted = |game: &rookery_tournament::format::DueGame| {
            state.results.contains_key(&game.id) || matches!(state.event.wants(&game.id), Want::No(_))
        };
        if !there || hand.asked_back || hand.games.iter().any(unwanted) {
            return None;
        }
        let mut lease = Lease {
            from: Vec::new(),
            worker: hand.worker.clone(),
            boot: hand.boot.clone(),
            class: hand.class,
            games: hand.games.iter().map(|game| game.id).collect(),
            ask_between: hand.ask_between,
            handed_out_ms: self.now.unix_ms,
            nth: known.nth.saturating_add(1),
            broken: known.broken,
            last_error: known.last_error.clone(),
            by,
        };
        let mut compare = Vec::new();
        let mut ops = Vec::new();
        for game in &hand.games {
            compare.push(Compare::Absent(keys::result(uid, &game.id)));
            match state.kept.get(&game.id).and_then(|kept| Some((kept.next, kept.restart(&game.id)?))) {
                Some((seq, checkpoint)) => {
                    lease.from.push((game.id.game, seq));
                    ops.push(Op::Put(keys::checkpoint(uid, &pair, game.id.game, seq), encode(&checkpoint)));
                }
                None => ops.push(delete_checkpoints(uid, &pair, game.id.game)),
            }
        }
        let (key, value) = (keys::lease(uid, &pair), encode(&lease));
        compare.push(as_known(key.clone(), known.revision));
        ops.push(Op::Put(key.clone(), value.clone()));
        Some(Built { compare, ops, proof: Proof::Put(key, value) })
    }

    fn build_checkpoint(
        &mut self,
        uid: &str,
        game: &rookery_tournament::GameId,
        attempt: Revision,
    ) -> Option<(Built, (u32, Checkpoint))> {
        let state = self.events.get(uid)?;
        let known = state.pairs.get(&game.pair).filter(|known| known.revision == attempt)?;
        let hand = known.hand.as_ref()?;
        let running = hand.running.get(game)?;
        if state.results.contains_key(game) {
            return None;
        }
        let none = Kept::default();
        let kept = state.kept.get(game).unwrap_or(&none);
        let checkpoint = kept.progress(running, game, &hand.worker)?;
        let value = encode(&checkpoint);
        let key = keys::checkpoint(uid, &game.pair, game.game, kept.next);
        let compare = vec![
            Compare::Modified(keys::lease(uid, &game.pair), attempt),
            Compare::Absent(keys::result(uid, game)),
            Compare::Absent(key.clone()),
        ];
        let seq = kept.next;
        let ns = (value.len() + key.len()) as u64 * (1_000_000_000 / limits::CHECKPOINT_BYTES_PER_SECOND);
        self.checkpoints_ns = self.checkpoints_ns.max(self.now.mono_ns) + ns;
        let built = Built { compare, ops: vec![Op::Put(key.clone(), value.clone())], proof: Proof::Put(key, value) };
        Some((built, (seq, checkpoint)))
    }

    fn build_fact(&mut self, write: &mut FactWrite) -> Option<Built> {
        let by = (self.since(), self.writes.next_nonce());
        let state = self.events.get_mut(&write.uid)?;
        let logged = LoggedFact {
            seq: state.meta.facts + 1,
            at_unix_ms: self.now.unix_ms,
            by: write.change.by.clone(),
            reason: write.change.reason.clone(),
            request_id: write.change.request_id.clone(),
            fact: write.fact.clone(),
        };
        let mut meta = state.meta.clone();
        meta.facts = logged.seq;
        if matches!(write.fact, Fact::Stopped { encounter: None, .. }) {
            meta.phase = "stopped".to_owned();
        }
        let (log, value, meta_key) = (keys::log(&write.uid, logged.seq), encode(&logged), keys::meta(&write.uid));
        let mut built = Built {
            compare: vec![Compare::Absent(log.clone()), Compare::Modified(meta_key.clone(), state.meta_revision)],
            ops: vec![Op::Put(log.clone(), value.clone()), Op::Put(meta_key, encode(&meta))],
            proof: Proof::Put(log, value),
        };
        write.logged = Some(logged);
        write.take_back.retain(|pair| in_hand(state, pair));
        for pair in &write.take_back {
            let _in_hand = keep_last(state, &write.uid, pair, &mut built.ops);
            let Some(known) = state.pairs.get(pair) else { continue };
            let key = keys::lease(&write.uid, pair);
            built.compare.push(Compare::Modified(key.clone(), known.revision));
            built.ops.push(Op::Put(key, encode(&taken_back(known, false, "", by, self.now.unix_ms))));
        }
        Some(built)
    }
}

/// Adds what is stored of an attempt's games with its end.
fn keep_last(state: &mut EventState, uid: &str, pair: &rookery_tournament::PairId, ops: &mut Vec<Op>) -> Option<()> {
    let last = state.last_of(state.pairs.get(pair)?.hand.as_ref()?);
    for (game, seq, checkpoint) in &last {
        ops.push(Op::Put(keys::checkpoint(uid, pair, game.game, *seq), encode(checkpoint)));
    }
    state.pairs.get_mut(pair)?.hand.as_mut()?.last = last;
    Some(())
}

fn in_hand(state: &EventState, pair: &rookery_tournament::PairId) -> bool {
    state.pairs.get(pair).and_then(|known| known.hand.as_ref()).is_some_and(|hand| hand.attempt > 0)
}

/// The lease of a pair that is in nobody's hands.
fn taken_back(known: &Pair, broken: bool, error: &str, by: (Revision, u64), now_ms: u64) -> Lease {
    Lease {
        handed_out_ms: known.hand.as_ref().map_or(now_ms, |hand| hand.handed_ms),
        nth: known.nth,
        broken: known.broken + u32::from(broken),
        last_error: if error.is_empty() { known.last_error.clone() } else { cut(error, limits::ERROR_BYTES) },
        by,
        ..Lease::default()
    }
}
