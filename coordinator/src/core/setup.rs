//! What a game is made of: who sits where, from which opening, with which rules.

use rookery_game::{
    GameSetup,
    opening::{self, Opening},
    setup::{EngineSetup, Restart, Side, Start},
};
use rookery_proto::v1;
use rookery_tournament::{
    EntrantId, PairId,
    format::DueGame,
    spec::{EngineSpec, OpeningsSpec},
};

use super::{
    Core,
    kept::Kept,
    state::{BookState, EventState},
};
use crate::wire;

impl EventState {
    /// An entrant's engine as the spec has it, and the digest that its roster froze.
    pub(super) fn engine(&self, entrant: EntrantId) -> Option<(&EngineSpec, &str)> {
        let entry = self.roster.get((entrant.0 as usize).checked_sub(1)?)?;
        let engine = self.event.spec().engines.iter().find(|engine| engine.setup.name == entry.engine)?;
        Some((engine, &entry.digest))
    }

    /// The index of a game's opening, and the opening; `None` without a book, or before it is loaded. Those of the book
    /// for level matches are counted behind the event's own.
    pub(super) fn opening(&self, game: &DueGame) -> Option<(u64, Opening)> {
        let BookState::Ready(book) = &self.book else { return None };
        if let Some(at) = game.level_opening {
            let BookState::Ready(level) = &self.level_book else { return None };
            // Its openings are counted behind the event's own, so that no two of a record look alike.
            return Some((book.len() as u64 + at, level.get(usize::try_from(at).ok()?)?));
        }
        if book.is_empty() {
            return None;
        }
        let index = self.opening_index(game.opening, book.len() as u64);
        Some((index, book.get(usize::try_from(index).ok()?)?))
    }

    /// What the spec says of the book from which a game's opening is.
    pub(super) fn openings_of(&self, game: &DueGame) -> &OpeningsSpec {
        let own = &self.event.spec().event.openings;
        own.when_level.as_deref().filter(|_| game.level_opening.is_some()).unwrap_or(own)
    }

    /// The place in a book of `n` openings of the one with this number in starting order.
    pub(super) fn opening_index(&self, number: u64, n: u64) -> u64 {
        let order = &self.opening_order;
        let known = number.checked_rem(order.len() as u64).and_then(|at| order.get(usize::try_from(at).ok()?));
        let random = self.event.spec().event.openings.random;
        known.copied().unwrap_or_else(|| opening::index(self.seed, &self.meta.book, random, self.offset, number, n))
    }

    fn side(&self, entrant: EntrantId, game: &DueGame) -> Option<Side> {
        let (engine, digest) = self.engine(entrant)?;
        let event = &self.event.spec().event;
        let mut setup: EngineSetup = engine.setup.clone();
        if !digest.is_empty() {
            digest.clone_into(&mut setup.digest);
        }
        if setup.restart == Restart::Never {
            setup.restart = event.restart;
        }
        if let Some(name) = &engine.seed_option {
            setup.options.push((name.clone(), game_seed(self.seed, game).to_string()));
        }
        Some(Side {
            engine: setup,
            time_control: engine.time_control.clone().unwrap_or_else(|| event.time_control.clone()),
            margin: event.margin,
            ponder: event.ponder,
        })
    }

    /// All that is needed to play a game; `None` while the book is not there, or where the roster does not know a side.
    pub(super) fn setup(&self, game: &DueGame) -> Option<GameSetup> {
        if !self.has_books() {
            return None;
        }
        let event = &self.event.spec().event;
        let mut start = Start::default();
        let mut tags = std::collections::BTreeMap::new();
        let opening = self.opening(game);
        if game.level_opening.is_some() && opening.is_none() {
            return None;
        }
        if let Some((_, opening)) = opening {
            start = opening.start;
            if let Some(plies) = self.openings_of(game).plies {
                start.moves.truncate(plies as usize);
            }
            if !opening.name.is_empty() {
                tags.insert("Opening".to_owned(), opening.name);
            }
        }
        tags.insert("Event".to_owned(), event.title.clone());
        tags.insert("Round".to_owned(), game.round.clone());
        if !event.official {
            tags.insert("Official".to_owned(), "no".to_owned());
        }
        if let Some(class) = event.resources {
            tags.insert("Resources".to_owned(), class.as_str().to_owned());
        }
        if !event.site.is_empty() {
            tags.insert("Site".to_owned(), event.site.clone());
        }
        Some(GameSetup {
            kind: event.game,
            start,
            rules: event.rules,
            sides: [self.side(game.first, game)?, self.side(game.second, game)?],
            adjudication: event.adjudicate.clone(),
            limits: event.limits,
            tags,
            keep_transcript: event.transcripts,
            killed: event.killed,
            predictions: event.predictions.clone(),
        })
    }
}

/// A seed of its own for each game, that fits the 32 bits of most engines' options (splitmix64 over its id).
fn game_seed(seed: u64, game: &DueGame) -> u64 {
    let PairId { stage, round, a, b, number } = game.id.pair;
    let parts = [
        u64::from(stage),
        u64::from(round),
        u64::from(a.0),
        u64::from(b.0),
        u64::from(number),
        u64::from(game.id.game),
    ];
    let mut state = seed;
    for part in parts {
        state = state.wrapping_add(part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    state >> 33
}

impl Core {
    /// The order to play what a pair's hand holds.
    pub(super) fn play(&self, uid: &str, pair: PairId) -> Option<v1::Play> {
        let state = self.events.get(uid)?;
        let hand = state.pairs.get(&pair)?.hand.as_ref()?;
        let mut games = Vec::new();
        for game in &hand.games {
            let setup = state.setup(game)?;
            games.push(v1::GameOrder {
                id: Some(wire::game_id(uid, &game.id)),
                setup: Some(wire::setup(&setup)),
                resume: state.kept.get(&game.id).and_then(Kept::resume_point),
            });
        }
        let needs = self.needs(state, pair)?;
        Some(v1::Play {
            attempt: hand.attempt,
            event: state.name().to_owned(),
            games,
            needs: Some(needs.message()),
            ask_between: hand.ask_between,
            every_ply: state.rule().stores() && state.rule().every_ply,
        })
    }
}
