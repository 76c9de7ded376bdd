//! The generalised test: under each hypothesis the most likely distribution of scores is computed exactly (Van den Bergh,
//! "A practical introduction to the GSPRT" and "Normalized Elo").

/// What a count of zero is taken for, so that every likelihood is there.
const ZERO: f64 = 1e-3;
/// Iterations of the distribution with a given t-value.
const ROUNDS: usize = 10;
/// Change of a probability at which that iteration has converged.
const CONVERGED: f64 = 1e-9;
/// Halvings and Newton steps of one root at most.
const STEPS: usize = 100;

/// Scores from 0 to 1 with their shares of the regularised counts.
pub(super) fn regularized<const N: usize>(counts: &[u64; N]) -> [(f64, f64); N] {
    let total = total(counts);
    std::array::from_fn(|at| (at as f64 / (N - 1) as f64, regular(counts[at]) / total))
}

fn regular(count: u64) -> f64 {
    if count == 0 { ZERO } else { count as f64 }
}

fn total<const N: usize>(counts: &[u64; N]) -> f64 {
    counts.iter().map(|&count| regular(count)).sum()
}

/// The log-likelihood ratio of two mean scores.
pub(super) fn logistic<const N: usize>(counts: &[u64; N], score0: f64, score1: f64) -> f64 {
    if counts.iter().all(|&n| n == 0) {
        return 0.0;
    }
    let observed = regularized(counts);
    ratio(counts, &observed, &with_mean(&observed, score0), &with_mean(&observed, score1))
}

/// The log-likelihood ratio of two normalised Elo differences; a unit has so many games.
pub(super) fn normalized<const N: usize>(counts: &[u64; N], games: f64, elo0: f64, elo1: f64) -> f64 {
    if counts.iter().all(|&n| n == 0) {
        return 0.0;
    }
    let observed = regularized(counts);
    let t = |elo: f64| elo / crate::statistics::NORMALIZED_ELO_PER_SIGMA * games.sqrt();
    ratio(counts, &observed, &with_t_value(&observed, t(elo0)), &with_t_value(&observed, t(elo1)))
}

fn ratio<const N: usize>(counts: &[u64; N], observed: &[(f64, f64); N], p0: &[f64; N], p1: &[f64; N]) -> f64 {
    let each = observed.iter().zip(p0.iter().zip(p1)).map(|((_, p), (p0, p1))| p * (p1 / p0).ln());
    total(counts) * each.sum::<f64>()
}

/// The most likely distribution with this mean.
fn with_mean<const N: usize>(observed: &[(f64, f64); N], mean: f64) -> [f64; N] {
    let shifted = observed.map(|(score, p)| (score - mean, p));
    tilt(&shifted)
}

/// The most likely distribution with this t-value, `(mean - 1/2) / sigma`, by iteration from the uniform one.
fn with_t_value<const N: usize>(observed: &[(f64, f64); N], t: f64) -> [f64; N] {
    let mut likely = [1.0 / N as f64; N];
    for _ in 0..ROUNDS {
        let mean: f64 = observed.iter().zip(likely).map(|((score, _), p)| p * score).sum();
        let variance: f64 = observed.iter().zip(likely).map(|((score, _), p)| p * (score - mean).powi(2)).sum();
        let sigma = variance.sqrt();
        if sigma <= 0.0 {
            break;
        }
        let shifted =
            observed.map(|(score, p)| (score - 0.5 - t * sigma * (1.0 + ((mean - score) / sigma).powi(2)) / 2.0, p));
        let next = tilt(&shifted);
        let change = next.iter().zip(likely).map(|(new, old)| (new - old).abs()).fold(0.0, f64::max);
        likely = next;
        if change < CONVERGED {
            break;
        }
    }
    likely
}

/// `p_i / (1 + x a_i)` with the x at which `Σ p_i a_i / (1 + x a_i) = 0`.
fn tilt<const N: usize>(shifted: &[(f64, f64); N]) -> [f64; N] {
    let x = root(shifted);
    let tilted = shifted.map(|(a, p)| p / (1.0 + x * a));
    // With the exact root the sum is 1.
    let sum: f64 = tilted.iter().sum();
    tilted.map(|p| p / sum)
}

/// The root of that falling function between its poles; 0 where all values have one sign and there is none.
fn root<const N: usize>(shifted: &[(f64, f64); N]) -> f64 {
    let least = shifted.iter().map(|(a, _)| *a).fold(f64::INFINITY, f64::min);
    let most = shifted.iter().map(|(a, _)| *a).fold(f64::NEG_INFINITY, f64::max);
    if least >= 0.0 || most <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    let mut x = 0.0;
    for _ in 0..STEPS {
        let (mut value, mut slope) = (0.0, 0.0);
        for (a, p) in shifted {
            let term = a / (1.0 + x * a);
            value += p * term;
            slope -= p * term * term;
        }
        if value > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - x).abs() <= 1e-14 * x.abs().max(1e-3) {
            return next;
        }
        x = next;
    }
    x
}
