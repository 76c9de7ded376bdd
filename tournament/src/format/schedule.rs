//! The schedule: all pairs of an event in starting order, enumerated lazily.
//!
//! It is a list of blocks that only ever grows at its end. So the place of a pair, its name and its opening number never
//! change, whoever joins and however many pairs are added.

use std::collections::BTreeMap;

use super::berger;
use crate::{
    EntrantId, PairId,
    spec::{Distinct, EventSpec, Per, Play},
};

/// Games of one event at most: what a store of etcd's size holds. A block that would exceed it is not added.
pub const MAX_GAMES: u64 = 2_000_000;
/// Cycles at most: four digits of a [`PairId`].
pub const MAX_CYCLES: u32 = 9_999;
/// Pairs of one meeting at most: six digits of a [`PairId`].
pub const MAX_PAIRS: u32 = 999_999;
/// Entrants at most: five digits of a [`PairId`].
pub const MAX_ENTRANTS: u32 = 99_999;

/// Who meets whom in one cycle of a block.
#[derive(Debug, Clone)]
pub enum Layout {
    /// Two entrants; each pair is a round of its own.
    Duel(EntrantId, EntrantId),
    /// Each against each, by Berger's tables.
    Berger {
        /// Entrants in the order of the table.
        order: Vec<EntrantId>,
        /// Their positions in it.
        positions: BTreeMap<EntrantId, u32>,
    },
    /// Each host against each guest, guest by guest.
    Grid {
        /// Who meets all guests.
        hosts: Vec<EntrantId>,
        /// Who meets all hosts; each is a round.
        guests: Vec<EntrantId>,
    },
}

impl Layout {
    /// Each against each, in this order. Entrants that are named twice are taken once.
    #[must_use]
    pub fn berger(order: &[EntrantId]) -> Self {
        let mut positions = BTreeMap::new();
        let mut kept = Vec::with_capacity(order.len());
        for &entrant in order {
            positions.entry(entrant).or_insert_with(|| {
                kept.push(entrant);
                (kept.len() - 1) as u32
            });
        }
        Self::Berger { order: kept, positions }
    }

    const fn is_duel(&self) -> bool {
        matches!(self, Self::Duel(..))
    }

    fn rounds(&self) -> u32 {
        match self {
            Self::Duel(..) => 1,
            Self::Berger { order, .. } => berger::rounds(order.len() as u32),
            Self::Grid { guests, .. } => guests.len() as u32,
        }
    }

    fn boards(&self) -> u32 {
        match self {
            Self::Duel(..) => 1,
            Self::Berger { order, .. } => berger::boards(order.len() as u32),
            Self::Grid { hosts, .. } => hosts.len() as u32,
        }
    }

    /// Who meets on a board of a round of an odd cycle, the one with `First` first.
    fn at(&self, round: u32, board: u32) -> (EntrantId, EntrantId) {
        match self {
            Self::Duel(a, b) => (*a, *b),
            Self::Berger { order, .. } => {
                let meeting = berger::at(order.len() as u32, round, board);
                (order[meeting.first as usize], order[meeting.second as usize])
            }
            Self::Grid { hosts, guests } => {
                let (host, guest) = (hosts[board as usize], guests[round as usize]);
                // Neither side of the grid has `First` everywhere, should a meeting have one game alone.
                if (round + board).is_multiple_of(2) { (host, guest) } else { (guest, host) }
            }
        }
    }

    /// Where two meet; their order does not matter.
    fn find(&self, a: EntrantId, b: EntrantId) -> Option<(u32, u32)> {
        match self {
            Self::Duel(one, other) => ((a, b) == (*one, *other) || (b, a) == (*one, *other)).then_some((0, 0)),
            Self::Berger { order, positions } => {
                let (one, other) = (*positions.get(&a)?, *positions.get(&b)?);
                (one != other).then(|| {
                    let meeting = berger::find(order.len() as u32, one, other);
                    (meeting.round, meeting.board)
                })
            }
            Self::Grid { hosts, guests } => {
                let place = |host, guest| {
                    let board = hosts.iter().position(|&e| e == host)?;
                    let round = guests.iter().position(|&e| e == guest)?;
                    Some((round as u32, board as u32))
                };
                place(a, b).or_else(|| place(b, a))
            }
        }
    }
}

/// Meetings that were added to the schedule at once.
#[derive(Debug, Clone)]
struct Block {
    layout: Layout,
    cycles: u32,
    /// Pairs of each meeting in each cycle; their numbers are `from + 1 ..= from + pairs`.
    from: u32,
    pairs: u32,
    /// All of the event that come before this block.
    pairs_before: u64,
    rounds_before: u64,
    encounters_before: u64,
    /// Pairs that each of its encounters had before this block.
    ordinals_before: u64,
}

impl Block {
    fn cycle_pairs(&self) -> u64 {
        u64::from(self.layout.rounds()) * u64::from(self.layout.boards()) * u64::from(self.pairs)
    }

    fn total_pairs(&self) -> u64 {
        self.cycle_pairs().saturating_mul(u64::from(self.cycles))
    }

    fn cycle_rounds(&self) -> u64 {
        if self.layout.is_duel() { u64::from(self.pairs) } else { u64::from(self.layout.rounds()) }
    }
}

/// One pair and all that follows from its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its place in starting order, from 0.
    pub index: u64,
    /// Its name.
    pub pair: PairId,
    /// Its opening number, from 0.
    pub opening: u64,
    /// The round in the event, from 0; rounds of return games not counted.
    round: u64,
    /// Where it stands within its round, from 0.
    in_round: u64,
    /// Rounds before its cycle, and in its cycle.
    rounds_before_cycle: u64,
    cycle_rounds: u64,
    /// Pairs before its cycle, and in its cycle.
    pairs_before_cycle: u64,
    cycle_pairs: u64,
}

/// All pairs of an event in starting order.
///
/// Opening numbers, from 0:
/// - one per pair: the pair's place in starting order. Where an opening may come again in the event but not within an
///   encounter, pairs are counted encounter by encounter, so that those of one encounter are consecutive and a book is
///   large enough when it has as many openings as an encounter has pairs;
/// - one per round: rounds in starting order (times the pairs of a meeting, which differ among themselves);
/// - one per encounter: encounters in starting order.
#[derive(Debug, Clone)]
pub struct Schedule {
    blocks: Vec<Block>,
    play: Play,
    games_per_pair: u8,
    per: Per,
    distinct: Distinct,
    /// Pairs of an encounter when the event was opened: the opening numbers that lie between two encounters.
    stride: u64,
}

impl Schedule {
    /// An empty one.
    #[must_use]
    pub const fn new(spec: &EventSpec) -> Self {
        Self {
            blocks: Vec::new(),
            play: spec.play,
            games_per_pair: if spec.games_per_pair == 1 { 1 } else { 2 },
            per: spec.openings.per,
            distinct: spec.openings.distinct,
            stride: 0,
        }
    }

    /// 1 or 2.
    #[must_use]
    pub const fn games_per_pair(&self) -> u8 {
        self.games_per_pair
    }

    /// Whether the second game of a pair comes a cycle later.
    #[must_use]
    pub const fn by_cycles(&self) -> bool {
        matches!(self.play, Play::Cycles) && self.games_per_pair == 2
    }

    /// Adds new encounters: `cycles` times the layout, `pairs` pairs each time.
    pub fn push(&mut self, layout: Layout, cycles: u32, pairs: u32) {
        if self.stride == 0 {
            self.stride = u64::from(cycles) * u64::from(pairs);
        }
        let encounters_before = self.blocks.iter().map(|b| b.encounters_before + encounters(b)).max().unwrap_or(0);
        self.append(layout, cycles, 0, pairs, encounters_before, 0);
    }

    /// Adds pairs to all encounters that are there, so that each meeting has `pairs` of them.
    pub fn widen(&mut self, pairs: u32) {
        // Of each encounter's blocks the last says how many pairs it has.
        let mut last: BTreeMap<u64, Block> = BTreeMap::new();
        for block in &self.blocks {
            last.insert(block.encounters_before, block.clone());
        }
        for block in last.into_values() {
            let from = block.from + block.pairs;
            if pairs > from {
                let ordinals = block.ordinals_before + u64::from(block.cycles) * u64::from(block.pairs);
                self.append(block.layout, block.cycles, from, pairs - from, block.encounters_before, ordinals);
            }
        }
    }

    fn append(
        &mut self,
        layout: Layout,
        cycles: u32,
        from: u32,
        pairs: u32,
        encounters_before: u64,
        ordinals_before: u64,
    ) {
        let pairs = pairs.min(MAX_PAIRS.saturating_sub(from));
        let rounds_before = self.blocks.last().map_or(0, |b| b.rounds_before + b.cycle_rounds() * u64::from(b.cycles));
        let block = Block {
            layout,
            cycles: cycles.min(MAX_CYCLES),
            from,
            pairs,
            pairs_before: self.pairs(),
            rounds_before,
            encounters_before,
            ordinals_before,
        };
        let games =
            (block.pairs_before.saturating_add(block.total_pairs())).saturating_mul(u64::from(self.games_per_pair));
        if block.total_pairs() > 0 && games <= MAX_GAMES {
            self.blocks.push(block);
        }
    }

    /// Pairs in all.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.blocks.last().map_or(0, |b| b.pairs_before + b.total_pairs())
    }

    /// Games in all.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.pairs() * u64::from(self.games_per_pair)
    }

    /// The pair at a place in starting order.
    #[must_use]
    pub fn at(&self, index: u64) -> Option<Place> {
        let at = self.blocks.partition_point(|b| b.pairs_before <= index).checked_sub(1)?;
        let block = &self.blocks[at];
        let inside = index - block.pairs_before;
        if inside >= block.total_pairs() {
            return None;
        }
        let (cycle, rest) = (inside / block.cycle_pairs(), inside % block.cycle_pairs());
        let (meeting, number) = (rest / u64::from(block.pairs), rest % u64::from(block.pairs));
        let boards = u64::from(block.layout.boards());
        let (round, board) = (meeting / boards, meeting % boards);
        Some(self.place(block, index, cycle as u32, round as u32, board as u32, number as u32))
    }

    /// Where a pair stands in starting order; `None` where the schedule has no such pair.
    #[must_use]
    pub fn find(&self, pair: &PairId) -> Option<Place> {
        if pair.stage != 0 {
            return None;
        }
        let cycle = u32::from(pair.round).checked_sub(1)?;
        for block in &self.blocks {
            if cycle >= block.cycles || pair.number <= block.from || pair.number > block.from + block.pairs {
                continue;
            }
            let Some((round, board)) = block.layout.find(pair.a, pair.b) else { continue };
            let number = pair.number - block.from - 1;
            let meeting = u64::from(round) * u64::from(block.layout.boards()) + u64::from(board);
            let index = block.pairs_before
                + u64::from(cycle) * block.cycle_pairs()
                + meeting * u64::from(block.pairs)
                + u64::from(number);
            let place = self.place(block, index, cycle, round, board, number);
            // The same two the other way round are not this pair.
            return (place.pair == *pair).then_some(place);
        }
        None
    }

    fn place(&self, block: &Block, index: u64, cycle: u32, round: u32, board: u32, number: u32) -> Place {
        let (one, other) = block.layout.at(round, board);
        let (a, b) = if cycle.is_multiple_of(2) { (one, other) } else { (other, one) };
        let cycle_rounds = block.cycle_rounds();
        let rounds_before_cycle = block.rounds_before + u64::from(cycle) * cycle_rounds;
        let (in_cycle, in_round) = if block.layout.is_duel() {
            (u64::from(number), 0)
        } else {
            (u64::from(round), u64::from(board) * u64::from(block.pairs) + u64::from(number))
        };
        let encounter =
            block.encounters_before + u64::from(round) * u64::from(block.layout.boards()) + u64::from(board);
        let ordinal = block.ordinals_before + u64::from(cycle) * u64::from(block.pairs) + u64::from(number);
        let absolute_round = rounds_before_cycle + in_cycle;
        let opening = match (self.per, self.distinct) {
            (Per::Pair, Distinct::Encounter) => encounter * self.stride + ordinal,
            (Per::Pair, _) => index,
            (Per::Round, _) if block.layout.is_duel() => absolute_round,
            (Per::Round, _) => absolute_round * u64::from(block.pairs) + u64::from(number),
            (Per::Encounter, _) => encounter,
        };
        Place {
            index,
            pair: PairId { stage: 0, round: (cycle + 1) as u16, a, b, number: block.from + number + 1 },
            opening,
            round: absolute_round,
            in_round,
            rounds_before_cycle,
            cycle_rounds,
            pairs_before_cycle: block.pairs_before + u64::from(cycle) * block.cycle_pairs(),
            cycle_pairs: block.cycle_pairs(),
        }
    }

    /// A game's place in starting order, from 0: the games of a pair follow each other, or the second comes after all
    /// first games of its cycle.
    #[must_use]
    pub fn order(&self, place: &Place, game: u8) -> u64 {
        let second = u64::from(game.saturating_sub(1).min(self.games_per_pair - 1));
        if self.by_cycles() {
            let in_cycle = place.index - place.pairs_before_cycle;
            place.pairs_before_cycle * 2 + second * place.cycle_pairs + in_cycle
        } else {
            place.index * u64::from(self.games_per_pair) + second
        }
    }

    /// The pair and the number of the game at a place in starting order.
    #[must_use]
    pub fn game_at(&self, order: u64) -> Option<(Place, u8)> {
        let per_pair = u64::from(self.games_per_pair);
        let place = self.at(order / per_pair)?;
        if !self.by_cycles() {
            return Some((place, (order % per_pair) as u8 + 1));
        }
        // `order / 2` lies in the right cycle, but not at the right pair.
        let in_cycle = order - place.pairs_before_cycle * 2;
        let (half, offset) = (in_cycle / place.cycle_pairs, in_cycle % place.cycle_pairs);
        Some((self.at(place.pairs_before_cycle + offset)?, half as u8 + 1))
    }

    /// Who sits at `First` and at `Second`. With two games a pair they exchange seats; with one, `First` goes by turns
    /// through the pairs of a meeting.
    #[must_use]
    pub const fn seats(&self, place: &Place, game: u8) -> (EntrantId, EntrantId) {
        let pair = &place.pair;
        let exchanged = if self.games_per_pair == 2 { game == 2 } else { pair.number.is_multiple_of(2) };
        if exchanged { (pair.b, pair.a) } else { (pair.a, pair.b) }
    }

    /// `ROUND.GAME` for people and the PGN, both from 1: the game counts within its round.
    #[must_use]
    pub fn round_text(&self, place: &Place, game: u8) -> String {
        if self.by_cycles() {
            let return_rounds = if game == 2 { place.cycle_rounds } else { 0 };
            let round = place.rounds_before_cycle + place.round + return_rounds;
            format!("{}.{}", round + 1, place.in_round + 1)
        } else {
            let game = place.in_round * u64::from(self.games_per_pair) + u64::from(game);
            format!("{}.{}", place.round + 1, game)
        }
    }

    /// The game that [`Self::round_text`] names so; both numbers count from 1.
    #[must_use]
    pub fn in_round(&self, round: u64, game: u64) -> Option<(Place, u8)> {
        let (round, game) = (round.checked_sub(1)?, game.checked_sub(1)?);
        // By cycles each cycle has its rounds twice: first games, then return games.
        let turns = if self.by_cycles() { 2 } else { 1 };
        let at = self.blocks.partition_point(|b| b.rounds_before * turns <= round).checked_sub(1)?;
        let block = &self.blocks[at];
        let rounds = block.cycle_rounds();
        let inside = round - block.rounds_before * turns;
        let (cycle, rest) = (inside / (rounds * turns), inside % (rounds * turns));
        let in_cycle = rest % rounds;
        let (in_round, number) = if self.by_cycles() {
            (game, (rest / rounds) as u8 + 1)
        } else {
            let per_pair = u64::from(self.games_per_pair);
            (game / per_pair, (game % per_pair) as u8 + 1)
        };
        let width = if block.layout.is_duel() { 1 } else { u64::from(block.layout.boards()) * u64::from(block.pairs) };
        if cycle >= u64::from(block.cycles) || in_round >= width {
            return None;
        }
        let index = block.pairs_before + cycle * block.cycle_pairs() + in_cycle * width + in_round;
        Some((self.at(index)?, number))
    }

    /// How many openings a book must have, so that `distinct` holds.
    #[must_use]
    pub fn openings_needed(&self) -> u64 {
        let encounters = self.blocks.iter().map(|b| b.encounters_before + encounters(b)).max().unwrap_or(0);
        let of_an_encounter =
            self.blocks.iter().map(|b| b.ordinals_before + u64::from(b.cycles) * u64::from(b.pairs)).max().unwrap_or(0);
        let of_rounds = || {
            let last = self.pairs().checked_sub(1).and_then(|index| self.at(index));
            last.map_or(0, |place| place.opening + 1)
        };
        match (self.per, self.distinct) {
            (_, Distinct::No) => self.pairs().min(1),
            (Per::Pair, Distinct::Encounter) => of_an_encounter,
            (Per::Pair, Distinct::Event) => self.pairs(),
            (Per::Round, _) => of_rounds(),
            (Per::Encounter, Distinct::Encounter) => self.pairs().min(1),
            (Per::Encounter, Distinct::Event) => encounters,
        }
    }
}

fn encounters(block: &Block) -> u64 {
    u64::from(block.layout.rounds()) * u64::from(block.layout.boards())
}
