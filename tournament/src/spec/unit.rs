//! Durations, sizes, scores and shares as people write them: always with a unit. What is printed reads back exactly.

use std::time::Duration;

/// Longest duration that means something in a spec.
const LONGEST: u128 = 366 * 86_400 * 1_000_000_000;

/// Splits `12.5 ms` into whole part, decimals and unit.
fn number_and_unit(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let sound = !whole.is_empty() && digits(whole) && digits(decimals) && !number.ends_with('.');
    sound.then_some((whole, decimals, unit))
}

/// `whole.decimals × scale`, exactly; `None` if it is no whole number or too large.
fn scaled(whole: &str, decimals: &str, scale: u128) -> Option<u128> {
    let decimals = decimals.trim_end_matches('0');
    let power = 10_u128.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    let all: u128 = format!("{whole}{decimals}").parse().ok()?;
    let product = all.checked_mul(scale)?;
    (product % power == 0).then_some(product / power)
}

/// Units of time in nanoseconds, largest first.
const TIMES: [(&str, u128); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// `90m`, `500 ms`, `1h30m`, `1.5s`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let expected =
        || "durations have a unit, `ms`, `s`, `m`, `h` or `d`: `\"500ms\"`, `\"90m\"`, `\"1h30m\"`".to_owned();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(expected());
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(expected)?;
        let after = rest[unit_at..].trim_start();
        let unit_end = after.find(|c: char| !c.is_alphabetic() && c != 'µ').unwrap_or(after.len());
        let unit = match &after[..unit_end] {
            "µs" | "μs" => "us",
            "min" => "m",
            unit => unit,
        };
        let (whole, decimals, _) = number_and_unit(&rest[..unit_at]).ok_or_else(expected)?;
        let scale = TIMES.iter().find(|(name, _)| *name == unit).map(|(_, ns)| *ns).ok_or_else(expected)?;
        let part = scaled(whole, decimals, scale).ok_or("finer than a nanosecond, or too long".to_owned())?;
        total = total.saturating_add(part);
        rest = after[unit_end..].trim_start();
    }
    if total > LONGEST {
        return Err("at most 366 days".to_owned());
    }
    let nanos = u64::try_from(total).map_err(|_| "too long".to_owned())?;
    Ok(Duration::from_nanos(nanos))
}

/// The shortest text that [`duration`] reads as the same.
pub(super) fn duration_text(duration: Duration) -> String {
    let mut left = duration.as_nanos();
    if left == 0 {
        return "0s".to_owned();
    }
    let mut text = String::new();
    for (unit, ns) in &TIMES[1..] {
        if left >= *ns {
            text.push_str(&format!("{}{unit}", left / ns));
            left %= ns;
        }
    }
    text
}

/// Units of memory in bytes, largest first, those that divide by 1,024 before those that do not.
const SIZES: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

/// `1 GiB`, `256 MiB`, `1.5GB`.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let expected = "sizes have a unit, `KiB`, `MiB`, `GiB`, `MB` or `GB`: `\"512 MiB\"`";
    let (whole, decimals, unit) = number_and_unit(text).ok_or(expected)?;
    let scale = SIZES.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)).map(|(_, b)| *b).ok_or(expected)?;
    let bytes = scaled(whole, decimals, u128::from(scale)).ok_or("not a whole number of bytes, or too large")?;
    u64::try_from(bytes).ok().filter(|&b| b <= 1 << 50).ok_or_else(|| "at most 1,024 TiB".to_owned())
}

/// A text that [`size`] reads as the same.
pub(super) fn size_text(bytes: u64) -> String {
    let (unit, scale) = SIZES[..4].iter().find(|(_, b)| bytes >= *b && bytes.is_multiple_of(*b)).unwrap_or(&SIZES[8]);
    format!("{} {unit}", bytes / scale)
}

/// `10 cp`, `0.1 pawns`: whole centipawns.
pub(super) fn score(text: &str) -> Result<u32, String> {
    let expected = "scores have a unit, `cp` or `pawns`: `\"10 cp\"`, `\"0.1 pawns\"`";
    let (whole, decimals, unit) = number_and_unit(text).ok_or(expected)?;
    let scale = match unit {
        "cp" => 1,
        "pawns" | "pawn" => 100,
        _ => return Err(expected.to_owned()),
    };
    let cp = scaled(whole, decimals, scale).ok_or("not a whole number of centipawns")?;
    u32::try_from(cp).ok().filter(|&cp| cp <= 100_000).ok_or_else(|| "at most 1,000 pawns".to_owned())
}

/// `5%`, `0.5 %`: a share from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let expected = || "shares are percentages: `\"5%\"`".to_owned();
    let (whole, decimals, unit) = number_and_unit(text).ok_or_else(expected)?;
    if unit != "%" || whole.len() + decimals.len() > 30 {
        return Err(expected());
    }
    // By its decimals, not by a division: so that the text of a share reads back as the same share.
    let share: f64 = format!("{whole}{decimals}e-{}", decimals.len() + 2).parse().map_err(|_| expected())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("from 0% to 100%".to_owned()) }
}

/// The shortest text that [`share`] reads as the same.
pub(super) fn share_text(share: f64) -> String {
    let text = format!("{share}");
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let decimals = format!("{decimals:0<2}");
    let whole = format!("{whole}{}", &decimals[..2]);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let rest = decimals[2..].trim_end_matches('0');
    if rest.is_empty() { format!("{whole}%") } else { format!("{whole}.{rest}%") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_units_alone() {
        let ms = |text: &str| duration(text).map(|d| d.as_millis());
        assert_eq!(ms("90m"), Ok(5_400_000));
        assert_eq!(ms("500 ms"), Ok(500));
        assert_eq!(ms("3s"), Ok(3_000));
        assert_eq!(ms("1h30m"), Ok(5_400_000));
        assert_eq!(ms("1.5s"), Ok(1_500));
        assert_eq!(ms("0s"), Ok(0));
        for bad in ["", "5", "5x", "s", "-1s", "1.s", "1..5s", "1,5s", "99999999999999999999h", "1e3s", "367d", "0.1ns"]
        {
            assert!(ms(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_and_scores_and_shares_have_units() {
        assert_eq!(size("1 GiB"), Ok(1 << 30));
        assert_eq!(size("1.5MB"), Ok(1_500_000));
        assert_eq!(score("10 cp"), Ok(10));
        assert_eq!(score("0.1 pawns"), Ok(10));
        assert_eq!(share("5%"), Ok(0.05));
        assert_eq!(share("0.5 %"), Ok(0.005));
        for bad in ["", "1", "1 GX", "-1 GiB", "0.1 B", "9999999 TiB"] {
            assert!(size(bad).is_err(), "{bad}");
        }
        for bad in ["10", "0.001 pawns", "-3 cp", "cp", "99999999 cp"] {
            assert!(score(bad).is_err(), "{bad}");
        }
        for bad in ["5", "101%", "%", "-1%", "5 cp"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_printed_reads_back(nanos in 0_u64..31_000_000_000_000_000, bytes in 0_u64..(1 << 50), part in 0_u32..=100_000) {
            let time = Duration::from_nanos(nanos);
            proptest::prop_assert_eq!(duration(&duration_text(time)), Ok(time));
            proptest::prop_assert_eq!(size(&size_text(bytes)), Ok(bytes));
            let some = f64::from(part) / 100_000.0;
            proptest::prop_assert_eq!(share(&share_text(some)), Ok(some));
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            let _ = (duration(&text), size(&text), score(&text), share(&text));
        }
    }
}
