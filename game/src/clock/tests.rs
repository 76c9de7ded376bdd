//! Time controls as a table, clocks as short games.

use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);

fn control(text: &str) -> TimeControl {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn clock(text: &str) -> Clock {
    Clock::new(control(text), Duration::ZERO, Counting::default())
}

#[test]
fn texts_that_mean_something() {
    for (text, canonical, pgn) in [
        ("10+0.1", "10+0.1", "10+0.1"),
        (" 10+0.1 ", "10+0.1", "10+0.1"),
        ("8+0.08", "8+0.08", "8+0.08"),
        ("60+0.6", "60+0.6", "60+0.6"),
        ("180+2", "3m+2s", "180+2"),
        ("0.1+0.001", "0.1+0.001", "0.1+0.001"),
        ("2.0019+0", "2.002", "2.002"),
        ("2.0014", "2.001", "2.001"),
        ("0:30", "30", "30"),
        ("1:00", "1m", "60"),
        ("1:00:00", "1h", "3600"),
        ("1:30.5", "90.5", "90.5"),
        ("40/1:30+1", "40/90+1", "40/90+1"),
        ("all/12.5+0.125", "12.5+0.125", "12.5+0.125"),
        ("40/10", "40/10", "40/10"),
        ("40/15m", "40/15m", "40/900"),
        ("30m+3s", "30m+3s", "1800+3"),
        ("10s+100ms", "10+0.1", "10+0.1"),
        ("1.5m+500ms", "90+0.5", "90+0.5"),
        ("40/90m+30s, 30m+30s", "40/90m+30s, 30m+30s", "40/5400+30:1800+30"),
        ("40/90m+30m+30s", "40/90m+30s, 30m+30s", "40/5400+30:1800+30"),
        ("20/30m, 20/20m+15m+10s", "20/30m, 20/20m+10s, 15m+10s", "20/1800:20/1200+10:900+10"),
        ("40/60, 0+1", "40/1m, 0s+1s", "40/60:0+1"),
        ("movetime=1s", "movetime=1s", "1/move"),
        ("movetime=1.5", "movetime=1500ms", "1.5/move"),
        ("nodes=20000", "nodes=20000", "-"),
        ("depth=12", "depth=12", "-"),
        ("nodes=20000, depth=6", "nodes=20000, depth=6", "-"),
        ("10+0.1, nodes=20000", "10+0.1, nodes=20000", "10+0.1"),
        ("depth=6, 10+0.1, movetime=2s", "10+0.1, movetime=2s, depth=6", "10+0.1"),
        ("inf", "inf", "-"),
        ("infinite", "inf", "-"),
    ] {
        let found = control(text);
        assert_eq!((found.to_string().as_str(), found.pgn().as_str()), (canonical, pgn), "{text}");
        assert_eq!(control(canonical), found, "{text}");
    }
}

#[test]
fn texts_that_mean_nothing() {
    for (text, why) in [
        ("", "empty"),
        ("   ", "empty"),
        ("10+0.1s", "units on some parts only"),
        ("10s+0.1", "units on some parts only"),
        ("40/90m+30s, 30+30", "units on some parts only"),
        ("1:30+1s", "units on some parts only"),
        ("40/10/20", "two `/`"),
        ("40/", "a time is missing"),
        ("/10", "expected a whole number from 1"),
        ("0/10", "expected a whole number from 1"),
        ("-1/10", "expected a whole number from 1"),
        ("1e3/10", "expected a whole number from 1"),
        ("40/10+0.1:20+0.2", "`0.1:20` is not a time"),
        ("40/5400+30:1800+30", "`30:1800` is not a time"),
        ("10,5+0,1", "decimals are written with a point"),
        ("10+", "a time is missing"),
        ("+1", "a time is missing"),
        ("10+0.1+1", "three parts"),
        ("30m+30m+30s", "three parts"),
        ("10+1+1+1", "too many `+`"),
        ("0", "gives no time"),
        ("0+1", "gives no time"),
        ("40/60, 0", "gives no time"),
        ("10, 5+0", "is never reached"),
        ("10, , 5", "an empty stage"),
        ("10,", "a comma without a blank"),
        (", 10", "an empty stage"),
        ("0.0001", "less than a millisecond"),
        ("10+0.0001", "less than a millisecond"),
        ("1e3", "`1e3` is not a time"),
        ("-10", "`-10` is not a time"),
        ("10 + 0.1", "`10 ` is not a time"),
        ("10.", "`10.` is not a time"),
        (".5", "`.5` is not a time"),
        ("1.2.3", "`1.2.3` is not a time"),
        ("10M", "`10M` is not a time"),
        ("10 min", "`10 min` is not a time"),
        ("1:60", "`1:60` is not a time"),
        ("1:5", "`1:5` is not a time"),
        ("1:60:00", "`1:60:00` is not a time"),
        ("1:00:00:00", "is not a time"),
        ("9999h", "more than 500 hours"),
        ("99999999999999999999", "is not a time"),
        ("node=1000", "unknown key `node`"),
        ("tc=10", "unknown key `tc`"),
        ("nodes=0", "from 1"),
        ("nodes=-1", "from 1"),
        ("nodes=1k", "from 1"),
        ("nodes=", "from 1"),
        ("depth=5000", "from 1 to 1000"),
        ("depth=1, depth=2", "given twice"),
        ("movetime=0", "of no time"),
        ("movetime=", "a time is missing"),
        ("inf, depth=3", "stands alone"),
        ("10+0.1, inf", "stands alone"),
        ("ten", "`ten` is not a time"),
    ] {
        match text.parse::<TimeControl>() {
            Ok(found) => panic!("{text}: read as {found}"),
            Err(error) => {
                assert!(error.why.contains(why), "{text}: {error}");
                assert!(error.to_string().contains(text.trim()), "{text}: {error}");
            }
        }
    }
    assert!("40/1, ".repeat(200).parse::<TimeControl>().unwrap_err().why.contains("longer than"));
    let stages = vec!["1/1"; 17].join(", ");
    assert!(stages.parse::<TimeControl>().unwrap_err().why.contains("more than 16 stages"));
}

/// The shared table of texts, where it is there; its essence is in the tables above.
#[test]
fn shared_texts() {
    let Some(path) = crate::testing::shared("cases/tc_strings.jsonl") else { return };
    let table = std::fs::read_to_string(path).unwrap();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["tc"].as_str().unwrap();
        let found = text.parse::<TimeControl>();
        match &case["expect"] {
            serde_json::Value::String(word) if word.starts_with("accept as 1 h") => {
                assert_eq!(found.unwrap().stages[0].base.as_secs(), 3600, "{text}");
            }
            serde_json::Value::String(_) => assert!(found.is_err(), "{text}"),
            expected if expected["infinite"] == true => assert_eq!(found.unwrap(), TimeControl::default()),
            expected => {
                let stage = found.unwrap().stages[0];
                assert_eq!(stage.base.as_millis() as u64, expected["base_ms"], "{text}");
                assert_eq!(stage.increment.as_millis() as u64, expected["inc_ms"], "{text}");
                assert_eq!(stage.moves.map(u64::from), expected["moves"].as_u64(), "{text}");
            }
        }
    }
}

fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![
        0..100_u64,
        0..100_000_u64,
        (0..2_000_u64).prop_map(|m| m * 60_000),
        (0..500_u64).prop_map(|h| h * 3_600_000)
    ]
    .prop_map(Duration::from_millis)
}

prop_compose! {
    fn any_control()(
        stages in prop::collection::vec((1..200_u32, any_time(), any_time()), 0..4),
        last_open in any::<bool>(),
        move_time in prop::option::of(any_time()),
        nodes in prop::option::of(1..u64::MAX / 2),
        depth in prop::option::of(1..1_000_u32),
    ) -> TimeControl {
        let count = stages.len();
        let stages = stages
            .into_iter()
            .enumerate()
            .map(|(index, (moves, base, increment))| Stage {
                moves: (!last_open || index + 1 < count).then_some(moves),
                base: base.max(MS),
                increment,
            })
            .collect();
        TimeControl { stages, move_time: move_time.map(|time| time.max(MS)), nodes, depth }
    }
}

proptest! {
    #[test]
    fn written_and_read_again(control in any_control()) {
        let text = control.to_string();
        prop_assert_eq!(text.parse::<TimeControl>(), Ok(control.clone()));
        let json = serde_json::to_string(&control).unwrap();
        prop_assert_eq!(serde_json::from_str::<TimeControl>(&json).unwrap(), control);
    }

    #[test]
    fn hostile_text(text in any::<String>()) {
        let _ = text.parse::<TimeControl>();
    }

    #[test]
    fn near_misses(text in "[0-9./+:,= hms]{0,24}|(nodes|depth|movetime|inf)?=?[0-9.]{0,22}") {
        if let Ok(control) = text.parse::<TimeControl>() {
            prop_assert_eq!(control.to_string().parse::<TimeControl>(), Ok(control));
        }
    }

    /// Whatever is played, the clock never gains more than its control gives, a resumed clock goes on as the one that
    /// was stopped, and the deadline is the very border between in time and late.
    #[test]
    fn a_clock_keeps_its_books(
        control in any_control(),
        margin in prop_oneof![Just(Duration::ZERO), any_time()],
        whole_seconds in any::<bool>(),
        zero_loses in any::<bool>(),
        shares in prop::collection::vec(0..=1_000_u32, 1..60),
    ) {
        let counting = Counting { whole_seconds, least: Duration::ZERO, zero_loses };
        let mut clock = Clock::new(control.clone(), margin, counting);
        for (moves, share) in (0_u32..).zip(shares) {
            let resumed = Clock::resume(control.clone(), margin, counting, clock.left(), moves);
            prop_assert_eq!(&resumed, &clock);
            let budget = clock.budget();
            prop_assert_eq!(budget.left, clock.left());
            prop_assert!(budget.left_ms().is_none_or(|left| left >= 1));
            let Some(deadline) = budget.deadline else {
                prop_assert_eq!(clock.charge(Duration::from_secs(u64::MAX)), Ok(()));
                continue;
            };
            let late = deadline + Duration::from_nanos(1);
            prop_assert!(clock.clone().charge(late).is_err());
            // Where zero loses, nothing at all may be left to use.
            if zero_loses && clock.clone().charge(deadline).is_err() {
                prop_assert_eq!(deadline, Duration::ZERO);
                break;
            }
            let used = (deadline / 1_000).saturating_mul(share);
            let before = clock.left();
            prop_assert_eq!(clock.charge(used), Ok(()));
            if let (Some(before), Some(after)) = (before, clock.left()) {
                let gift = budget.increment + control.stages.iter().map(|stage| stage.base).max().unwrap_or_default();
                prop_assert!(after <= before + gift);
            }
        }
    }
}

#[test]
fn moves_to_go_and_new_stages() {
    let mut clock = clock("40/10+0.1");
    for period in 0..3 {
        for made in 0..40 {
            assert_eq!(clock.budget().moves_to_go, Some(40 - made), "period {period}");
            clock.charge(100 * MS).unwrap();
        }
        assert_eq!(clock.left(), Some(Duration::from_secs(10 * (period + 2))));
    }
    let mut clock = self::clock("2/60, 1/30, 10+1");
    let mut seen = Vec::new();
    for _ in 0..5 {
        seen.push((clock.budget().moves_to_go, clock.left().unwrap().as_secs(), clock.budget().increment.as_secs()));
        clock.charge(Duration::from_secs(5)).unwrap();
    }
    assert_eq!(seen, [(Some(2), 60, 0), (Some(1), 55, 0), (Some(1), 80, 0), (None, 85, 1), (None, 81, 1)]);
}

#[test]
fn late_is_judged_before_anything_is_added() {
    let mut clock = clock("1/1+5");
    assert_eq!(clock.budget().deadline, Some(Duration::from_secs(1)));
    assert_eq!(clock.charge(Duration::from_millis(1_001)), Err(Flag { late: MS }));
    assert_eq!(clock.left(), Some(Duration::ZERO));
    let mut clock = self::clock("1+0");
    clock.charge(Duration::from_secs(1)).unwrap();
    assert_eq!((clock.left(), clock.budget().left_ms()), (Some(Duration::ZERO), Some(1)));
    assert_eq!(clock.charge(Duration::from_nanos(1)), Err(Flag { late: Duration::from_nanos(1) }));
}

#[test]
fn a_forgiven_overstep_leaves_no_debt() {
    let mut clock = Clock::new(control("1+0.05"), 200 * MS, Counting::default());
    clock.charge(1_150 * MS).unwrap();
    assert_eq!(clock.left(), Some(50 * MS));
    assert_eq!(clock.budget().deadline, Some(250 * MS));
    assert_eq!(clock.charge(251 * MS), Err(Flag { late: 201 * MS }));
}

#[test]
fn other_limits() {
    let mut fixed = Clock::new(control("movetime=1s"), 50 * MS, Counting::default());
    assert_eq!((fixed.left(), fixed.budget().deadline), (None, Some(1_050 * MS)));
    fixed.charge(1_050 * MS).unwrap();
    assert!(fixed.charge(1_051 * MS).is_err());
    for text in ["nodes=1000", "depth=5", "inf"] {
        assert_eq!(clock(text).budget().deadline, None);
        assert_eq!(clock(text).budget().left_ms(), None);
    }
    let mut both = clock("3+0, movetime=1s");
    assert_eq!(both.budget().deadline, Some(Duration::from_secs(1)));
    both.charge(Duration::from_secs(1)).unwrap();
    both.charge(Duration::from_secs(1)).unwrap();
    both.charge(Duration::from_millis(500)).unwrap();
    assert_eq!(both.budget().deadline, Some(Duration::from_millis(500)));
    let mut given = clock("1+0");
    given.give(Duration::from_secs(2));
    assert_eq!(given.left(), Some(Duration::from_secs(3)));
}

#[test]
fn whole_seconds_with_a_least() {
    let csa = Counting { whole_seconds: true, least: Duration::from_secs(1), zero_loses: false };
    let mut clock = Clock::new(control("10+0"), Duration::ZERO, csa);
    clock.charge(200 * MS).unwrap();
    assert_eq!(clock.left(), Some(Duration::from_secs(9)));
    clock.charge(2_999 * MS).unwrap();
    assert_eq!(clock.left(), Some(Duration::from_secs(7)));
    assert_eq!(clock.budget().deadline, Some(Duration::from_secs(8) - Duration::from_nanos(1)));
    clock.charge(7_999 * MS).unwrap();
    assert_eq!(clock.charge(MS), Err(Flag { late: Duration::from_secs(1) }));
    let strict = Counting { zero_loses: true, ..csa };
    let mut clock = Clock::new(control("1+0"), Duration::ZERO, strict);
    assert!(clock.charge(200 * MS).is_err());
}
