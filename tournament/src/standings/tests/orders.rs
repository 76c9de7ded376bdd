//! An order is total and transitive, and does not depend on the order in which results come.

use std::cmp::Ordering;

use proptest::prelude::*;
use rookery_game::{Ending, GameResult, Seat};

use super::ALL;
use crate::{
    EntrantId,
    event::Counted,
    standings::{Standings, Tally, rank},
};

const NAMES: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];

type Pair = [Option<((EntrantId, EntrantId), Counted)>; 2];

fn counted() -> impl Strategy<Value = Counted> {
    let result =
        prop_oneof![1 => Just(GameResult::FirstWins), 1 => Just(GameResult::SecondWins), 3 => Just(GameResult::Draw)];
    let ending = prop_oneof![1 => Just((Ending::Crash, Some(Seat::First))), 4 => Just((Ending::Checkmate, None))];
    (result, ending, prop::option::of(-6i16..6), prop::option::of(0u32..4)).prop_map(
        |(result, (ending, fault), r_mobility, plies)| Counted {
            result,
            ending,
            fault,
            r_mobility,
            plies,
            prediction: None,
        },
    )
}

fn pairs() -> impl Strategy<Value = Vec<Pair>> {
    let pair = (1u32..8, 1u32..7, counted(), prop::option::of(counted())).prop_map(|(a, b, one, other)| {
        let b = if b >= a { b + 1 } else { b };
        let (a, b) = (EntrantId(a), EntrantId(b));
        [Some(((a, b), one)), other.map(|other| ((b, a), other))]
    });
    prop::collection::vec(pair, 0..24)
}

fn criteria() -> impl Strategy<Value = Vec<String>> {
    let names = prop::sample::subsequence(ALL.to_vec(), 0..5).prop_shuffle();
    let last = prop_oneof![Just(None), Just(Some("seeds")), Just(Some("shared")), Just(Some("ruling"))];
    (names, last).prop_map(|(names, last)| names.into_iter().chain(last).map(str::to_owned).collect())
}

fn table(pairs: &[Pair], criteria: &[String]) -> Standings {
    let mut tally = Tally::default();
    tally.resize(NAMES.len());
    pairs.iter().for_each(|pair| tally.add(pair, 1));
    rank(&NAMES, &tally, criteria, &[])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn total_and_the_same_for_results_in_any_order(
        (pairs, shuffled) in pairs().prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle())),
        criteria in criteria(),
    ) {
        let standings = table(&pairs, &criteria);
        prop_assert_eq!(&standings, &table(&shuffled, &criteria));
        // Everyone stands in it once, places rise as in competitions, points fall.
        let mut seen: Vec<_> = standings.lines.iter().filter_map(|line| line.entrant).collect();
        seen.sort_unstable();
        prop_assert_eq!(seen, (1..=7).map(EntrantId).collect::<Vec<_>>());
        for (at, line) in standings.lines.iter().enumerate() {
            let above = at.checked_sub(1).map(|above| &standings.lines[above]);
            let shares = above.is_some_and(|above| above.place == line.place);
            prop_assert!(shares || line.place as usize == at + 1);
            prop_assert!(above.is_none_or(|above| above.half_points >= line.half_points));
            prop_assert!(!shares || above.is_some_and(|above| above.half_points == line.half_points));
            if criteria.last().is_some_and(|last| last == "seeds") {
                prop_assert!(!shares);
            }
        }
        // Who shares a place is undecided where a person is asked, and nobody else.
        let mut groups: Vec<Vec<EntrantId>> = standings
            .lines
            .chunk_by(|a, b| a.place == b.place)
            .map(|lines| lines.iter().filter_map(|line| line.entrant).collect())
            .collect();
        groups.retain(|group| group.len() > 1 && criteria.last().is_some_and(|last| last == "ruling"));
        prop_assert_eq!(groups, standings.undecided);
    }

    /// Each criterion alone orders those with equal points as one that compares: of any three, the order of two is that
    /// of the table. (A comparison of two by two is transitive where the table that was made from it is the same for all.)
    #[test]
    fn a_line_moves_with_its_own_results_alone(pairs in pairs(), criterion in prop::sample::select(ALL.to_vec())) {
        let criteria = [criterion.to_owned()];
        let standings = table(&pairs, &criteria);
        // Names exchanged: the same table with the names exchanged.
        let mirror = |id: EntrantId| EntrantId(8 - id.0);
        let mirrored: Vec<Pair> = pairs
            .iter()
            .map(|pair| pair.map(|game| game.map(|((a, b), counted)| ((mirror(a), mirror(b)), counted))))
            .collect();
        let other = table(&mirrored, &criteria);
        let place = |table: &Standings, id: EntrantId| {
            table.lines.iter().find(|line| line.entrant == Some(id)).map(|line| line.place)
        };
        for id in (1..=7).map(EntrantId) {
            prop_assert_eq!(place(&standings, id), place(&other, mirror(id)), "{:?}", id);
        }
        // What is said of any two agrees with their places.
        for one in &standings.lines {
            for two in &standings.lines {
                let why = standings.why(&one.engine, &two.engine).unwrap_or_default();
                let said = match one.place.cmp(&two.place) {
                    Ordering::Less => format!("{} above {}: ", one.engine, two.engine),
                    Ordering::Greater => format!("{} above {}: ", two.engine, one.engine),
                    Ordering::Equal if one.engine == two.engine => continue,
                    Ordering::Equal => format!("share place {}: level on points", one.place),
                };
                prop_assert!(why.contains(&said), "{}", why);
            }
        }
    }
}
