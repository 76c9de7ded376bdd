//! The normal distribution.

/// Its cumulative distribution function. Error below 1e-12.
///
/// The Mills ratio as a continued fraction for the tails, a power series (Marsaglia 2004) between them.
pub(crate) fn cdf(z: f64) -> f64 {
    if z.is_nan() {
        return f64::NAN;
    }
    if z.abs() > 38.0 {
        return if z > 0.0 { 1.0 } else { 0.0 };
    }
    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z.abs() < 5.0 {
        let (mut term, mut sum, mut n) = (z, z, 1.0);
        while f64::abs(term) > 1e-17 {
            n += 2.0;
            term *= z * z / n;
            sum += term;
        }
        return (0.5 + density * sum).clamp(0.0, 1.0);
    }
    let x = z.abs();
    let tail = density / (1..=60).rev().fold(x, |fraction, k| x + f64::from(k) / fraction);
    if z > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::cdf;

    #[test]
    fn known_values() {
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (3.0, 0.998_650_101_968_37),
            (-6.0, 9.865_876_450_377e-10),
        ] {
            assert!((cdf(z) - p).abs() < 1e-12, "{z}: {} for {p}", cdf(z));
        }
        assert_eq!((cdf(40.0), cdf(-1e300)), (1.0, 0.0));
    }
}
