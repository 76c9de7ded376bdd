use std::fs;

use proptest::prelude::*;

use super::*;

fn games(wins: u32, draws: u32, losses: u32) -> Counts {
    Counts { wins, draws, losses, pairs: [0; 5] }
}

/// Any games that make these pairs.
fn pairs(pairs: [u32; 5]) -> Counts {
    let [ll, ld, dd, wd, ww] = pairs;
    Counts { wins: wd + 2 * ww, draws: ld + 2 * dd + wd, losses: 2 * ll + ld, pairs }
}

#[track_caller]
fn near(value: Option<f64>, expected: f64, within: f64) {
    assert!(value.is_some_and(|v| (v - expected).abs() <= within), "{value:?}, expected {expected}");
}

#[test]
fn values_of_other_programs() {
    let summary = summary(&games(136, 111, 96));
    near(summary.elo.finite(), 40.70, 0.005);
    near(summary.elo_error, 30.43, 0.005);
    near(summary.normalized_elo, 49.77, 0.01);
    near(summary.los, 0.9960, 0.00005);
    let summary = super::summary(&pairs([34, 54, 63, 64, 75]));
    near(summary.elo.finite(), 55.58, 0.005);
    near(summary.elo_error, 27.65, 0.005);
    near(summary.normalized_elo, 57.94, 0.005);
    near(summary.pair_ratio, 139.0 / 88.0, 1e-12);
    let summary = super::summary(&pairs([13, 37, 50, 25, 3]));
    near(summary.elo.finite(), -43.6578, 0.00005);
    near(summary.normalized_elo, -63.97, 0.005);
}

#[test]
fn what_cannot_be_said_is_not_said() {
    let nothing = summary(&Counts::default());
    assert_eq!(nothing.elo, Elo::Unknown);
    assert_eq!((nothing.elo_error, nothing.los, nothing.normalized_elo), (None, None, None));
    assert_eq!((nothing.draw_ratio, nothing.pair_ratio), (None, None));
    let draws = summary(&games(0, 10, 0));
    assert_eq!((draws.elo.to_string().as_str(), draws.los, draws.elo_error), ("0.00", None, None));
    let won = summary(&games(10, 0, 0));
    assert_eq!((won.elo.to_string().as_str(), won.elo.finite(), won.elo_error), ("inf", None, None));
    assert_eq!(summary(&games(0, 0, 3)).elo.to_string(), "-inf");
    assert_eq!(nothing.elo.to_string(), "n/a");
}

#[test]
fn cases_that_users_reported() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/cases/stats.jsonl");
    let Ok(text) = fs::read_to_string(path) else {
        println!("SKIP: no cases at {path}");
        return;
    };
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let count = |value: &serde_json::Value| value.as_u64().unwrap() as u32;
        let counts = match case["penta"].as_array() {
            Some(penta) => pairs(std::array::from_fn(|at| count(&penta[at]))),
            None => games(count(&case["w"]), count(&case["d"]), count(&case["l"])),
        };
        let summary = summary(&counts);
        match (&case["elo"], case["elo"].as_f64()) {
            (_, Some(elo)) => near(summary.elo.finite(), elo, 0.005),
            (serde_json::Value::String(elo), _) => assert_eq!(summary.elo.to_string(), *elo, "{line}"),
            _ => assert_eq!(summary.elo, Elo::Unknown, "{line}"),
        }
        if let Some(points) = case["points"].as_f64() {
            assert_eq!(f64::from(counts.half_points()) / 2.0, points, "{line}");
            match case["los"].as_f64() {
                Some(los) => near(summary.los, los, 0.00005),
                None => assert_eq!(summary.los, None, "{line}"),
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_is_ever_nan(
        wdl in prop::array::uniform3(prop_oneof![Just(0u32), 0u32..4, 0u32..1_000_000]),
        penta in prop::array::uniform5(prop_oneof![Just(0u32), 0u32..4, 0u32..100_000]),
    ) {
        for counts in [games(wdl[0], wdl[1], wdl[2]), pairs(penta)] {
            let s = summary(&counts);
            let numbers = [s.elo.finite(), s.elo_error, s.los, s.normalized_elo, s.draw_ratio, s.pair_ratio];
            prop_assert!(numbers.iter().flatten().all(|n| n.is_finite()), "{counts:?} {s:?}");
            prop_assert!(s.elo_error.is_none_or(|e| e > 0.0) && s.los.is_none_or(|l| (0.0..=1.0).contains(&l)));
            // Seen from the other side everything is mirrored.
            let mirrored = summary(&counts.reversed());
            if let (Some(los), Some(other)) = (s.los, mirrored.los) {
                prop_assert!((los + other - 1.0).abs() < 1e-9);
            }
            prop_assert_eq!(s.elo_error.is_some(), mirrored.elo_error.is_some());
        }
    }
}
