use super::*;
use crate::spec::SprtModel::{Bayesian, Logistic, Normalized};

fn sprt(model: SprtModel, elo0: f64, elo1: f64) -> Sprt {
    Sprt { elo0, elo1, alpha: 0.05, beta: 0.05, model, trinomial: false }
}

const fn games(games: [u64; 3]) -> Counts {
    Counts { games, pairs: [0; 5] }
}

const fn pairs(pairs: [u64; 5]) -> Counts {
    Counts { games: [0; 3], pairs }
}

#[track_caller]
fn check(model: SprtModel, elo0: f64, elo1: f64, counts: Counts, expected: f64, within: f64) {
    let llr = sprt(model, elo0, elo1).llr(&counts);
    assert!((llr - expected).abs() < within, "{model:?} ({elo0}, {elo1}) {counts:?}: {llr}, expected {expected}");
}

#[test]
fn values_of_other_programs() {
    const FOUR: f64 = 0.5e-4 + 1e-9;
    const TWO: f64 = 0.5e-2 + 1e-9;
    check(Normalized, 0.0, 2.0, games([36027, 68692, 36433]), 0.9233, FOUR);
    check(Normalized, -1.75, 0.25, games([10650, 20431, 10871]), 2.2975, FOUR);
    check(Logistic, 0.5, 2.5, games([21184, 40708, 21404]), -1.5719, FOUR);
    check(Logistic, 0.0, 2.0, games([57030, 106_593, 57433]), -2.5930, FOUR);
    check(Bayesian, 0.0, 2.0, games([68526, 128_429, 68965]), -1.2622, FOUR);
    check(Bayesian, 0.5, 2.5, games([21484, 41111, 21629]), -1.1306, FOUR);
    check(Bayesian, 0.5, 2.5, games([22569, 44137, 22976]), 0.9758, FOUR);
    check(Normalized, 0.0, 10.0, games([0, 0, 4250]), 120.55, TWO);
    check(Normalized, 0.0, 2.0, pairs([365, 16618, 36229, 16974, 390]), 2.2504, FOUR);
    check(Normalized, -1.75, 0.25, pairs([127, 4883, 10712, 5150, 104]), 3.0102, FOUR);
    check(Normalized, 0.0, 5.0, pairs([0, 0, 0, 0, 5550]), 111.80, TWO);
    check(Normalized, 0.5, 2.5, pairs([39, 8843, 26675, 9240, 44]), 2.9417, FOUR);
    check(Logistic, 0.5, 2.5, pairs([223, 9863, 21279, 10037, 246]), -3.0741, FOUR);
    check(Logistic, 0.0, 2.0, pairs([871, 26175, 55983, 26678, 821]), -4.9787, FOUR);
    check(Normalized, 0.0, 4.0, pairs([13, 37, 50, 25, 3]), -0.54912, 1e-5);
    check(Logistic, 0.0, 2.7158, pairs([13, 37, 50, 25, 3]), -0.53773, 1e-5);
    check(Logistic, 0.0, 4.0, pairs([13, 37, 50, 25, 3]), -0.8022, FOUR);
}

#[test]
fn reversed_counts_do_not_give_the_negated_value() {
    check(Normalized, 0.0, 2.0, games([36433, 68692, 36027]), -5.6006, 0.5e-4);
    check(Normalized, 0.0, 2.0, pairs([390, 16974, 36229, 16618, 365]), -6.9276, 0.5e-4);
}

#[test]
fn the_draw_parameter() {
    assert!((bayesian::draw_elo(&[68526, 128_429, 68965]) - 183.04).abs() < 0.005);
    assert!((bayesian::draw_elo(&[22569, 44137, 22976]) - 187.24).abs() < 0.005);
}

#[test]
fn bounds_of_wald() {
    let (low, high) = sprt(Normalized, 0.0, 2.0).bounds();
    assert!((low + 2.9444).abs() < 1e-4 && (high - 2.9444).abs() < 1e-4);
}

#[test]
fn the_line_for_people() {
    let line = sprt(Normalized, 0.0, 2.0).line(&pairs([365, 16618, 36229, 16974, 390]));
    assert_eq!(line, "SPRT llr 2.25 (-2.94, 2.94)");
    assert_eq!(sprt(Normalized, 0.0, 2.0).line(&Counts::default()), "SPRT llr 0.00 (-2.94, 2.94)");
}

/// With bounds far away a one-sided score still reaches a bound, and never turns back on its way.
#[test]
fn one_sided_scores_reach_a_bound() {
    for model in [Normalized, Logistic, Bayesian] {
        for winning in [true, false] {
            let test = sprt(model, -200.0, 200.0);
            let mut counts = Counts::default();
            let mut before = 0.0;
            let mut decided = None;
            for _ in 0..500 {
                counts.add(if winning { [2, 2] } else { [0, 0] }, 2);
                let llr = test.llr(&counts);
                assert!(if winning { llr > before } else { llr < before }, "{model:?} {counts:?}: {before} then {llr}");
                before = llr;
                decided = decided.or_else(|| test.decide(&counts));
            }
            assert_eq!(decided.map(|d| d.accepted_h1), Some(winning), "{model:?}");
        }
    }
}

mod any_counts {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finite(
            pairs in prop::array::uniform5(prop_oneof![Just(0u64), 0u64..10, 0u64..2_000_000]),
            games in prop::array::uniform3(prop_oneof![Just(0u64), 0u64..10, 0u64..2_000_000]),
            elo0 in -500.0..500.0,
            width in 0.01..500.0,
            trinomial in any::<bool>(),
        ) {
            for model in [Normalized, Logistic, Bayesian] {
                let test = Sprt { trinomial, ..sprt(model, elo0, elo0 + width) };
                let counts = Counts { games, pairs };
                for counts in [counts, super::games(games), super::pairs(pairs)] {
                    let observed = match model {
                        Normalized if !trinomial && counts.pairs.iter().any(|&n| n > 0) =>
                            gsprt::normalized(&counts.pairs, 2.0, elo0, elo0 + width),
                        Normalized => gsprt::normalized(&counts.games, 1.0, elo0, elo0 + width),
                        _ => test.llr(&counts),
                    };
                    prop_assert!(observed.is_finite(), "{model:?} {counts:?} {elo0} {width}: {observed}");
                }
            }
        }
    }
}
