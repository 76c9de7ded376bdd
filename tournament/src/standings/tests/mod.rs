mod archived;
mod orders;
mod published;

use rookery_game::{Ending, GameResult};

use super::{Ruling, Tally, rank};
use crate::{EntrantId, event::Counted};

/// All that compute something.
const ALL: [&str; 16] = [
    "direct-encounter",
    "sonneborn-berger",
    "r-mobility",
    "wins",
    "black-wins",
    "double-wins",
    "pair-wins",
    "average-moves-won",
    "average-moves-lost",
    "koya",
    "fewest-crashes",
    "buchholz",
    "buchholz-cut-1",
    "buchholz-cut-2",
    "buchholz-median-1",
    "buchholz-median-2",
];

type Played = ((EntrantId, EntrantId), Counted);

const fn game(first: u32, second: u32, half_points: u32) -> Option<Played> {
    let result = match half_points {
        2 => GameResult::FirstWins,
        1 => GameResult::Draw,
        _ => GameResult::SecondWins,
    };
    let counted =
        Counted { result, ending: Ending::Ruling, fault: None, r_mobility: None, plies: None, prediction: None };
    Some(((EntrantId(first), EntrantId(second)), counted))
}

/// Half points of the first in each game.
fn table(games: &[(u32, u32, u32)], criteria: &[&str]) -> Vec<(u32, String)> {
    let mut tally = Tally::default();
    tally.resize(4);
    games.iter().for_each(|&(a, b, points)| tally.add(&[game(a, b, points), None], 1));
    let criteria: Vec<_> = criteria.iter().map(|&c| c.to_owned()).collect();
    let standings = rank(&["A", "B", "C", "D"], &tally, &criteria, &[]);
    standings.lines.into_iter().filter(|l| l.games > 0).map(|l| (l.place, l.engine)).collect()
}

#[track_caller]
fn check(games: &[(u32, u32, u32)], criteria: &[&str], expected: &[(u32, &str)]) {
    let expected: Vec<_> = expected.iter().map(|&(place, engine)| (place, engine.to_owned())).collect();
    assert_eq!(table(games, criteria), expected, "{games:?}");
}

#[test]
fn direct_encounter_of_three_is_a_table_of_their_own() {
    let direct = &["direct-encounter"];
    // All have two points in their games against each other: it does not split, and the place is shared.
    check(&[(1, 2, 2), (1, 2, 1), (2, 3, 2), (2, 3, 1), (3, 1, 2), (3, 1, 1)], direct, &[(1, "A"), (1, "B"), (1, "C")]);
    // 3, 2 and 1 among themselves; D made them level.
    let level = [(1, 2, 1), (1, 2, 1), (1, 3, 2), (1, 3, 2), (2, 3, 1), (2, 3, 1), (2, 4, 2), (3, 4, 2), (3, 4, 2)];
    check(&level, direct, &[(1, "A"), (2, "B"), (3, "C"), (4, "D")]);
    // 2.5, 2.5 and 1: A and B get a fresh table, and A beat B.
    let fresh = [(1, 2, 2), (1, 2, 1), (1, 3, 1), (1, 3, 1), (2, 3, 2), (2, 3, 2), (3, 4, 2), (3, 4, 1)];
    check(&fresh, direct, &[(1, "A"), (2, "B"), (3, "C"), (4, "D")]);
    // 2.5, 2.5 and 1: the last falls out, then A and B alone are level and go to the next criterion.
    let games = [(1, 2, 2), (1, 2, 0), (1, 3, 2), (1, 3, 1), (2, 3, 2), (2, 3, 1), (3, 4, 2), (3, 4, 1)];
    check(&games, direct, &[(1, "A"), (1, "B"), (3, "C"), (4, "D")]);
}

#[test]
fn places_are_shared_as_in_competitions() {
    check(&[(1, 2, 1), (3, 4, 1)], &["shared"], &[(1, "A"), (1, "B"), (1, "C"), (1, "D")]);
    check(&[(1, 2, 1), (1, 3, 2), (2, 3, 2)], &[], &[(1, "A"), (1, "B"), (3, "C")]);
    check(&[(1, 2, 2), (3, 4, 0), (1, 4, 0), (2, 3, 2)], &["wins"], &[(1, "D"), (2, "A"), (2, "B"), (4, "C")]);
}

#[test]
fn taking_away_is_the_opposite_of_adding() {
    let mut tally = Tally::default();
    tally.resize(3);
    let pairs = [[game(1, 2, 2), game(2, 1, 0)], [game(3, 1, 1), game(1, 3, 0)], [game(2, 3, 2), None]];
    pairs.iter().for_each(|pair| tally.add(pair, 1));
    let names = ["A", "B", "C"];
    let criteria: Vec<_> = ALL.iter().map(|&c| c.to_owned()).collect();
    let before = rank(&names, &tally, &criteria, &[]);
    assert_eq!(before.lines[0].pairs, [0, 1, 0, 0, 1]);
    let more = [game(1, 2, 0), game(2, 1, 2)];
    tally.add(&more, 1);
    assert_ne!(rank(&names, &tally, &criteria, &[]), before);
    tally.add(&more, -1);
    assert_eq!(rank(&names, &tally, &criteria, &[]), before);
}

/// One game: who, who, half points of the first, plies, twice G for the first.
const fn long(first: u32, second: u32, half_points: u32, plies: u32, held: Option<i16>) -> Option<Played> {
    match game(first, second, half_points) {
        Some((seats, counted)) => Some((seats, Counted { plies: Some(plies), r_mobility: held, ..counted })),
        None => None,
    }
}

/// A and B have the same points; each criterion alone puts them into this order, or shares.
#[test]
fn each_criterion_alone() {
    #[track_caller]
    fn check(criterion: &str, pairs: &[[Option<Played>; 2]], expected: &[(u32, &str, &str)]) {
        let mut tally = Tally::default();
        tally.resize(4);
        pairs.iter().for_each(|pair| tally.add(pair, 1));
        let standings = rank(&["A", "B", "C", "D"], &tally, &[criterion.to_owned()], &[]);
        let two = standings.lines.iter().filter(|line| matches!(line.engine.as_str(), "A" | "B"));
        let found: Vec<_> = two.map(|l| (l.place, l.engine.as_str(), l.tie_breaks[0].as_str())).collect();
        assert_eq!(found, expected, "{criterion}");
    }
    let one = |game| [game, None];
    // Won against the stronger: D beat C.
    let berger = [one(game(1, 3, 2)), one(game(2, 4, 2)), one(game(4, 3, 2)), one(game(4, 3, 2))];
    check("sonneborn-berger", &berger, &[(2, "B", "2.00"), (3, "A", "0.00")]);
    check("buchholz", &berger, &[(2, "B", "2.0"), (3, "A", "0.0")]);
    // B drew twice, A won and lost.
    let wins = [one(game(1, 3, 2)), one(game(1, 4, 0)), one(game(2, 3, 1)), one(game(2, 4, 1))];
    check("wins", &wins, &[(2, "A", "1"), (3, "B", "0")]);
    check("koya", &wins, &[(2, "B", "0.5"), (3, "A", "0.0")]);
    let second = [one(game(1, 3, 2)), one(game(4, 2, 0))];
    check("black-wins", &second, &[(1, "B", "1"), (2, "A", "0")]);
    let double = [[game(1, 3, 2), game(3, 1, 0)], [game(2, 3, 2), None], [game(4, 2, 0), None]];
    check("double-wins", &double, &[(1, "A", "1"), (2, "B", "0")]);
    let pair = [[game(1, 3, 2), game(3, 1, 1)], [game(2, 3, 2), None], [game(4, 2, 1), None]];
    check("pair-wins", &pair, &[(1, "A", "1"), (2, "B", "0")]);
    // 41 moves in the one, 40 and 42 in the other: the same average.
    let even = [
        one(long(1, 3, 2, 81, None)),
        one(long(1, 3, 2, 82, None)),
        one(long(2, 4, 2, 79, None)),
        one(long(2, 4, 2, 84, None)),
    ];
    check("average-moves-won", &even, &[(1, "A", "41.000"), (1, "B", "41.000")]);
    let quick = [one(long(1, 3, 2, 81, None)), one(long(2, 4, 2, 80, None))];
    check("average-moves-won", &quick, &[(1, "B", "40.000"), (2, "A", "41.000")]);
    let none_won =
        [one(long(1, 3, 2, 200, None)), one(long(1, 4, 0, 10, None)), one(game(2, 3, 1)), one(game(2, 4, 1))];
    check("average-moves-won", &none_won, &[(2, "A", "100.000"), (3, "B", "none")]);
    check("average-moves-lost", &none_won, &[(2, "B", "none"), (3, "A", "5.000")]);
    let slow = [one(long(1, 3, 0, 81, None)), one(long(2, 4, 0, 83, None))];
    check("average-moves-lost", &slow, &[(3, "B", "42.000"), (4, "A", "41.000")]);
    let crash = |seats, who| {
        let counted = Counted { fault: Some(who), ending: Ending::Crash, ..game(1, 2, 0).unwrap().1 };
        [Some((seats, counted)), None]
    };
    let first = rookery_game::Seat::First;
    let crashes = [crash((EntrantId(1), EntrantId(3)), first), one(game(2, 4, 0))];
    check("fewest-crashes", &crashes, &[(3, "B", "0"), (4, "A", "1")]);
    // G2 held by A, G2.5 by B.
    let pressed = [one(long(1, 3, 1, 80, Some(4))), one(long(4, 2, 1, 80, Some(-5)))];
    check("r-mobility", &pressed, &[(1, "A", "0.531250"), (2, "B", "0.515625")]);
    check("seeds", &wins, &[(2, "A", "1"), (3, "B", "2")]);
}

#[test]
fn buchholz_leaves_whole_opponents_out() {
    // A met B, C and D, who have 2, 1 and 0.5 points in the end; twice each.
    let games = [(1, 2, 1), (2, 1, 1), (1, 3, 2), (3, 1, 0), (1, 4, 1), (4, 1, 2), (2, 3, 0), (2, 4, 2), (2, 5, 2)];
    let mut tally = Tally::default();
    tally.resize(5);
    games.iter().for_each(|&(a, b, points)| tally.add(&[game(a, b, points), None], 1));
    let names = ["buchholz", "buchholz-cut-1", "buchholz-cut-2", "buchholz-median-1", "buchholz-median-2"];
    let criteria = names.map(str::to_owned);
    let standings = rank(&["A", "B", "C", "D", "E"], &tally, &criteria, &[]);
    let points: Vec<_> = standings.lines.iter().map(|l| (l.engine.as_str(), l.half_points)).collect();
    assert_eq!(points, [("A", 7), ("B", 6), ("D", 3), ("C", 2), ("E", 0)]);
    // 2 × (3 + 1 + 1.5), without C, without C and D, without C and B, without C, D and B, which leaves nobody.
    assert_eq!(standings.lines[0].tie_breaks, ["11.0", "9.0", "6.0", "3.0", "0.0"]);
}

#[test]
fn the_table_says_why() {
    let mut tally = Tally::default();
    tally.resize(5);
    // A, B and C drew with each other and beat D, C more often; E lost all.
    let games = [
        (1, 2, 1),
        (2, 3, 1),
        (3, 1, 1),
        (1, 4, 2),
        (2, 4, 2),
        (3, 4, 2),
        (4, 5, 2),
        (1, 5, 2),
        (2, 5, 2),
        (3, 5, 1),
        (3, 5, 1),
    ];
    games.iter().for_each(|&(a, b, points)| tally.add(&[game(a, b, points), None], 1));
    let criteria = ["direct-encounter", "wins", "ruling"].map(str::to_owned);
    let names = ["A", "B", "C", "D", "E"];
    let open = rank(&names, &tally, &criteria, &[]);
    let level = "level on points 3.0, direct-encounter 1.0, wins 2";
    assert_eq!(open.undecided, [vec![EntrantId(1), EntrantId(2)]]);
    assert_eq!(
        open.whys(),
        [
            String::new(),
            format!("A and B share place 1: {level}"),
            "B above C: wins 2 to 1; level on points 3.0, direct-encounter 1.0".to_owned(),
            "C above D: points 3.0 to 1.0".to_owned(),
            "D above E: direct-encounter 1.0 to 0.0; level on points 1.0".to_owned(),
        ]
    );
    let ruling = |order: &[u32], by: &str| Ruling {
        order: order.iter().map(|&n| EntrantId(n)).collect(),
        by: by.to_owned(),
        reason: "coin".to_owned(),
    };
    let ruled = rank(&names, &tally, &criteria, &[ruling(&[1, 2], "ann"), ruling(&[2, 1], "bob")]);
    assert_eq!(ruled.undecided, Vec::<Vec<EntrantId>>::new());
    assert_eq!(ruled.why("A", "B"), Some(format!("B above A: ruling by bob: coin; {level}")));
    assert_eq!(ruled.why("A", "E").unwrap(), "A above E: points 3.0 to 1.0");
    assert_eq!(ruled.why("A", "X"), None);
    // A ruling says nothing against points.
    let vain = rank(&names, &tally, &criteria, &[ruling(&[5, 1], "ann")]);
    assert_eq!(vain.lines, open.lines);
    // Of three that are level, who is named stands above who is not.
    let shared = rank(&["A", "B", "C"], &Tally::default(), &["shared".to_owned()], &[ruling(&[3, 1], "ann")]);
    let places: Vec<_> = shared.lines.iter().map(|l| (l.place, l.engine.as_str())).collect();
    assert_eq!(places, [(1, "C"), (2, "A"), (3, "B")]);
}

#[test]
fn what_is_less_than_shown_says_so() {
    let mut tally = Tally::default();
    tally.resize(4);
    for pair in [[long(1, 3, 1, 9, Some(60)), None], [long(2, 4, 1, 9, Some(61)), None]] {
        tally.add(&pair, 1);
    }
    let standings = rank(&["A", "B", "C", "D"], &tally, &["r-mobility".to_owned()], &[]);
    let why = "A above B: r-mobility 0.500000 to 0.500000, by less than is shown; level on points 0.5";
    assert_eq!(standings.whys()[1], why);
}
