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
        /// Whether the one that is lower in the order has `First`, in each cycle; else by the table, and exchanged from
        /// cycle to cycle.
        lower_first: bool,
    },
    /// These against each other, the one with `First` first; one round.
    List {
        /// In the order to play them.
        meetings: Vec<(EntrantId, EntrantId)>,
        /// Where two meet, the lower number first.
        positions: BTreeMap<(EntrantId, EntrantId), u32>,
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
        Self::Berger { order: kept, positions, lower_first: false }
    }

    /// The same, but that the lower one of two has `First` (TCEC FRC).
    #[must_use]
    pub fn lower_first(order: &[EntrantId]) -> Self {
        match Self::berger(order) {
            Self::Berger { order, positions, .. } => Self::Berger { order, positions, lower_first: true },
            other => other,
        }
    }

    const fn exchanges(&self) -> bool {
        !matches!(self, Self::Berger { lower_first: true, .. })
    }

    /// These meetings. Two that would meet twice, or one against itself, are left out.
    #[must_use]
    pub fn list(meetings: &[(EntrantId, EntrantId)]) -> Self {
        let mut positions = BTreeMap::new();
        let mut kept = Vec::with_capacity(meetings.len());
        for &(a, b) in meetings {
            let key = (a.min(b), a.max(b));
            if a != b && !positions.contains_key(&key) {
                positions.insert(key, kept.len() as u32);
                kept.push((a, b));
            }
        }
        Self::List { meetings: kept, positions }
    }

    const fn is_duel(&self) -> bool {
        matches!(self, Self::Duel(..))
    }

    fn rounds(&self) -> u32 {
        match self {
            Self::Duel(..) | Self::List { .. } => 1,
            Self::Berger { order, .. } => berger::rounds(order.len() as u32),
            Self::Grid { guests, .. } => guests.len() as u32,
        }
    }

    fn boards(&self) -> u32 {
        match self {
            Self::Duel(..) => 1,
            Self::Berger { order, .. } => berger::boards(order.len() as u32),
            Self::List { meetings, .. } => meetings.len() as u32,
            Self::Grid { hosts, .. } => hosts.len() as u32,
        }
    }

    /// Who meets on a board of a round of an odd cycle, the one with `First` first.
    fn at(&self, round: u32, board: u32) -> (EntrantId, EntrantId) {
        match self {
            Self::Duel(a, b) => (*a, *b),
            Self::Berger { order, lower_first, .. } => {
                let meeting = berger::at(order.len() as u32, round, board);
                let (first, second) = (meeting.first.max(meeting.second), meeting.first.min(meeting.second));
                let (first, second) = if *lower_first { (first, second) } else { (meeting.first, meeting.second) };
                (order[first as usize], order[second as usize])
            }
            Self::List { meetings, .. } => meetings[board as usize],
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
            Self::Berger { order, positions, .. } => {
                let (one, other) = (*positions.get(&a)?, *positions.get(&b)?);
                (one != other).then(|| {
                    let meeting = berger::find(order.len() as u32, one, other);
                    (meeting.round, meeting.board)
                })
            }
            Self::List { positions, .. } => positions.get(&(a.min(b), a.max(b))).map(|&board| (0, board)),
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

/// Meetings that a draw gave, for [`Schedule::draw`].
#[derive(Debug, Clone)]
pub struct Batch {
    /// The stage and round of their pairs' names. No two of these meet twice in one round of a stage.
    pub stage: u8,
    /// From 1.
    pub round: u16,
    /// The round's number for people; games are counted within all batches of the same number.
    pub label: u64,
    /// Who meets whom.
    pub layout: Layout,
    /// Pairs of each meeting.
    pub pairs: u32,
    /// The number before their first; 0 but for pairs that are added to a meeting of the same round and stage.
    pub from: u32,
    /// Whether a meeting stops once it is decided.
    pub decides: bool,
    /// The first opening number, and how many pairs of the same label come before; `None`: what is next. Given where the
    /// order of draws depends on the order in which results come in.
    pub at: Option<(u64, u64)>,
    /// Openings in the book for level matches, pair by pair, where they were drawn; they take none of the event's own.
    pub openings: Vec<u64>,
}

/// What a drawn block has of its own.
#[derive(Debug, Clone, Copy)]
struct Drawn {
    label: u64,
    /// Games of the same label before it.
    games_before: u64,
    opening: u64,
    decides: bool,
    /// Its last games that are not played, as it was decided before.
    given_back: u64,
}

/// Meetings that were added to the schedule at once.
#[derive(Debug, Clone)]
struct Block {
    stage: u8,
    /// The round in the names of its first cycle's pairs.
    round: u16,
    drawn: Option<Drawn>,
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
    /// Openings in the book for level matches, pair by pair.
    openings: Vec<u64>,
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
    /// Its opening in the book for level matches, where one was drawn for it.
    pub level_opening: Option<u64>,
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
    /// The first pair of the same two in this cycle and block, in starting order, and how many there are.
    pub(crate) meeting: u64,
    pub(crate) meeting_pairs: u64,
    /// Whether the meeting stops once it is decided.
    pub(crate) decides: bool,
    /// The round's number for people and the games of the round before the block, where a draw gave it.
    label: Option<(u64, u64)>,
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
    /// The next opening number for what is drawn.
    next_opening: u64,
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
            next_opening: 0,
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
        for block in self.blocks.iter().filter(|block| block.drawn.is_none()) {
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

    /// Adds what was drawn. Its opening numbers, one per pair, per round or per encounter as the spec says, go on from
    /// the last ones that were used.
    pub fn draw(&mut self, batch: Batch) {
        let Batch { stage, round, label, layout, pairs, from, decides, at, openings } = batch;
        let meetings = u64::from(layout.rounds()) * u64::from(layout.boards());
        let pairs = pairs.min(MAX_PAIRS);
        let width = match self.per {
            _ if !openings.is_empty() => 0,
            Per::Pair => meetings * u64::from(pairs),
            Per::Round => u64::from(layout.rounds()) * u64::from(pairs),
            Per::Encounter => meetings,
        };
        let last = self.blocks.last();
        let same = |b: &&Block| b.drawn.is_some_and(|drawn| drawn.label == label);
        let games_before = self.blocks.iter().rev().find(same).map_or(0, |block| {
            let (before, back) = block.drawn.map_or((0, 0), |drawn| (drawn.games_before, drawn.given_back));
            before + block.total_pairs() * u64::from(self.games_per_pair) - back
        });
        let per_pair = u64::from(self.games_per_pair);
        let (opening, games_before) =
            at.map_or((self.next_opening, games_before), |(opening, pairs)| (opening, pairs * per_pair));
        let block = Block {
            stage,
            round,
            drawn: Some(Drawn { label, games_before, opening, decides, given_back: 0 }),
            layout,
            cycles: 1,
            from,
            pairs,
            pairs_before: self.pairs(),
            rounds_before: last.map_or(0, |b| b.rounds_before + b.cycle_rounds() * u64::from(b.cycles)),
            encounters_before: self.blocks.iter().map(|b| b.encounters_before + encounters(b)).max().unwrap_or(0),
            ordinals_before: 0,
            openings,
        };
        let games =
            (block.pairs_before.saturating_add(block.total_pairs())).saturating_mul(u64::from(self.games_per_pair));
        if block.total_pairs() > 0 && games <= MAX_GAMES {
            self.next_opening = self.next_opening.max(opening + width);
            self.blocks.push(block);
        }
    }

    /// The next opening number for what is drawn.
    #[must_use]
    pub const fn next_opening(&self) -> u64 {
        self.next_opening
    }

    /// What lies behind a pair, by which its meeting was decided, was never needed: its opening numbers are free again
    /// where nothing was drawn after them.
    pub fn give_back(&mut self, place: &Place) {
        let last = place.meeting + place.meeting_pairs == self.pairs();
        if last && place.decides && matches!(self.per, Per::Pair) {
            let unused = place.meeting + place.meeting_pairs - 1 - place.index;
            if place.opening + 1 + unused == self.next_opening {
                self.next_opening = place.opening + 1;
            }
            let games = unused * u64::from(self.games_per_pair);
            if let Some(drawn) = self.blocks.last_mut().and_then(|block| block.drawn.as_mut()) {
                drawn.given_back = games;
            }
        }
    }

    /// The pair of two with this number in a round of a stage, whoever of them is named first.
    #[must_use]
    pub fn meeting(&self, stage: u8, round: u16, number: u32, one: EntrantId, other: EntrantId) -> Option<Place> {
        let pair = |a, b| PairId { stage, round, a, b, number };
        self.find(&pair(one, other)).or_else(|| self.find(&pair(other, one)))
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
            stage: 0,
            round: 1,
            drawn: None,
            layout,
            cycles: cycles.min(MAX_CYCLES),
            from,
            pairs,
            pairs_before: self.pairs(),
            rounds_before,
            encounters_before,
            ordinals_before,
            openings: Vec::new(),
        };
        let games =
            (block.pairs_before.saturating_add(block.total_pairs())).saturating_mul(u64::from(self.games_per_pair));
        if block.total_pairs() > 0 && games <= MAX_GAMES {
            self.blocks.push(block);
            self.next_opening = self.next_opening.max(self.pairs());
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
        for block in self.blocks.iter().filter(|block| block.stage == pair.stage) {
            let Some(cycle) = u32::from(pair.round).checked_sub(u32::from(block.round)) else { continue };
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
            if place.pair == *pair {
                return Some(place);
            }
        }
        None
    }

    fn place(&self, block: &Block, index: u64, cycle: u32, round: u32, board: u32, number: u32) -> Place {
        let (one, other) = block.layout.at(round, board);
        let (a, b) = if cycle.is_multiple_of(2) || !block.layout.exchanges() { (one, other) } else { (other, one) };
        let cycle_rounds = block.cycle_rounds();
        let rounds_before_cycle = block.rounds_before + u64::from(cycle) * cycle_rounds;
        let (in_cycle, in_round) = if block.layout.is_duel() {
            (u64::from(number), 0)
        } else {
            (u64::from(round), u64::from(board) * u64::from(block.pairs) + u64::from(number))
        };
        let ordinal = block.ordinals_before + u64::from(cycle) * u64::from(block.pairs) + u64::from(number);
        let absolute_round = rounds_before_cycle + in_cycle;
        let meeting = u64::from(round) * u64::from(block.layout.boards()) + u64::from(board);
        let encounter = block.encounters_before + meeting;
        let opening = match (self.per, self.distinct) {
            (Per::Pair, Distinct::Encounter) => encounter * self.stride + ordinal,
            (Per::Pair, _) => index,
            (Per::Round, _) if block.layout.is_duel() => absolute_round,
            (Per::Round, _) => absolute_round * u64::from(block.pairs) + u64::from(number),
            (Per::Encounter, _) => encounter,
        };
        let drawn = block.drawn.map(|drawn| {
            drawn.opening
                + match self.per {
                    Per::Pair => meeting * u64::from(block.pairs) + u64::from(number),
                    Per::Round => u64::from(round) * u64::from(block.pairs) + u64::from(number),
                    Per::Encounter => meeting,
                }
        });
        Place {
            index,
            pair: PairId {
                stage: block.stage,
                round: block.round.saturating_add(cycle as u16),
                a,
                b,
                number: block.from + number + 1,
            },
            opening: drawn.unwrap_or(opening),
            level_opening: block.openings.get((index - block.pairs_before) as usize).copied(),
            round: absolute_round,
            in_round,
            rounds_before_cycle,
            cycle_rounds,
            pairs_before_cycle: block.pairs_before + u64::from(cycle) * block.cycle_pairs(),
            cycle_pairs: block.cycle_pairs(),
            meeting: index - u64::from(number),
            meeting_pairs: u64::from(block.pairs),
            decides: block.drawn.is_some_and(|drawn| drawn.decides),
            label: block.drawn.map(|drawn| (drawn.label, drawn.games_before)),
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
        if let Some((round, before)) = place.label {
            let first = place.pairs_before_cycle * u64::from(self.games_per_pair);
            return format!("{round}.{}", before + self.order(place, game) - first + 1);
        }
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
        if let Some(found) = self.in_drawn_round(round, game) {
            return Some(found);
        }
        let (round, game) = (round.checked_sub(1)?, game.checked_sub(1)?);
        // By cycles each cycle has its rounds twice: first games, then return games.
        let turns = if self.by_cycles() { 2 } else { 1 };
        let at = self.blocks.partition_point(|b| b.rounds_before * turns <= round).checked_sub(1)?;
        let block = &self.blocks[at];
        if block.drawn.is_some() {
            return None;
        }
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

    /// The last drawn game of this name: a match that was decided early leaves its last numbers to the next.
    fn in_drawn_round(&self, round: u64, game: u64) -> Option<(Place, u8)> {
        let per_pair = u64::from(self.games_per_pair);
        self.blocks.iter().rev().find_map(|block| {
            let drawn = block.drawn.filter(|drawn| drawn.label == round)?;
            let inside = game.checked_sub(drawn.games_before + 1)?;
            let is_there = inside < block.total_pairs() * per_pair;
            if is_there { self.game_at(block.pairs_before * per_pair + inside) } else { None }
        })
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
            (Per::Pair, Distinct::Event) if self.blocks.iter().any(|b| b.drawn.is_some()) => self.next_opening,
            (Per::Pair, Distinct::Event) => self.pairs(),
            (Per::Round, _) if self.blocks.iter().any(|b| b.drawn.is_some()) => self.next_opening,
            (Per::Round, _) => of_rounds(),
            (Per::Encounter, Distinct::Encounter) => self.pairs().min(1),
            (Per::Encounter, Distinct::Event) => encounters,
        }
    }
}

fn encounters(block: &Block) -> u64 {
    u64::from(block.layout.rounds()) * u64::from(block.layout.boards())
}
