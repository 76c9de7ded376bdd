//! The most likely ratings: Newton's method on a concave likelihood, its steps by conjugate gradients.
//!
//! Both models are one likelihood. With `f(x) = 1 / (1 + e^-x)`, a game between `i` as first and `j` as second has
//! `ln f(x)` where it was won, `ln f(y)` where lost, and `ln f(x) + ln f(y) + ln(e^2D - 1)` where drawn, with
//! `x = r_i - r_j + A - D` and `y = r_j - r_i - A - D` (Rao and Kupper 1967, with an advantage; what BayesElo calls `elo`). With `D = 0`
//! and half a win and half a loss for a draw it is the logistic model whose maximum gives everyone the expected score (Ordo).
//! All is in natural units: Elo times the scale of the model.

/// Games of `i` as first against `j`: `a ln f(x) + c ln f(y)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    pub(super) i: u32,
    pub(super) j: u32,
    pub(super) a: f64,
    pub(super) c: f64,
}

/// What is known beforehand: `r_i - r_j` (or `r_i`) is normal around `mean`, with a weight of one over the variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    pub(super) i: u32,
    pub(super) j: Option<u32>,
    pub(super) mean: f64,
    pub(super) weight: f64,
}

/// What is to be fitted.
#[derive(Debug, Clone, Default)]
pub(super) struct Problem {
    pub(super) terms: Vec<Term>,
    /// Drawn games, for the part of the draw parameter; 0 in the logistic model.
    pub(super) draws: f64,
    pub(super) priors: Vec<Prior>,
    /// Ratings that stay as they are.
    pub(super) fixed: Vec<bool>,
    pub(super) fit_advantage: bool,
    pub(super) fit_draw: bool,
}

/// Where the fit begins, and what it comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Point {
    pub(super) ratings: Vec<f64>,
    pub(super) advantage: f64,
    pub(super) draw: f64,
}

/// Newton steps at most: from anywhere within a few hundred Elo it takes five.
const STEPS: u32 = 100;
/// A step below this is the last: 2e-6 Elo, and as steps shrink quadratically the error is far smaller.
const SMALL: f64 = 1e-8;
/// No step is longer than this in any variable, 870 Elo: far out the likelihood is nearly straight.
const LONG: f64 = 5.0;
/// Nothing lies further out than this, 17,000 Elo: a likelihood without a maximum ends here.
const FAR: f64 = 100.0;

pub(super) fn f(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The gradient, and the negative Hessian in parts.
struct Local {
    /// `h1 + h2` of each term.
    sum: Vec<f64>,
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    /// Between ratings and advantage, between ratings and draw.
    with_advantage: Vec<f64>,
    with_draw: Vec<f64>,
    advantage: f64,
    draw: f64,
    both: f64,
}

impl Problem {
    fn is_free(&self, player: u32) -> bool {
        !self.fixed.get(player as usize).copied().unwrap_or(false)
    }

    fn local(&self, at: &Point) -> Local {
        let n = at.ratings.len();
        let mut local = Local {
            sum: Vec::with_capacity(self.terms.len()),
            gradient: vec![0.0; n + 2],
            diagonal: vec![0.0; n + 2],
            with_advantage: vec![0.0; n],
            with_draw: vec![0.0; n],
            advantage: 0.0,
            draw: 0.0,
            both: 0.0,
        };
        let parameters = self.fit_advantage || self.fit_draw;
        let level = at.draw == 0.0 && !self.fit_draw;
        for term in &self.terms {
            let (i, j) = (term.i as usize, term.j as usize);
            let ahead = at.ratings[i] - at.ratings[j] + at.advantage;
            let fx = f(ahead - at.draw);
            let fy = if level { 1.0 - fx } else { f(-ahead - at.draw) };
            let (g1, g2) = (term.a * (1.0 - fx), term.c * (1.0 - fy));
            let (h1, h2) = (g1 * fx, g2 * fy);
            let (g, h) = (g1 - g2, h1 + h2);
            local.sum.push(h);
            local.gradient[i] += g;
            local.gradient[j] -= g;
            local.diagonal[i] += h;
            local.diagonal[j] += h;
            if parameters {
                local.gradient[n] += g;
                local.gradient[n + 1] -= g1 + g2;
                local.with_advantage[i] += h;
                local.with_advantage[j] -= h;
                local.with_draw[i] -= h1 - h2;
                local.with_draw[j] += h1 - h2;
                local.advantage += h;
                local.both -= h1 - h2;
            }
        }
        local.draw = local.advantage;
        if self.fit_draw {
            let open = -(-2.0 * at.draw).exp_m1();
            local.gradient[n + 1] += self.draws * 2.0 / open;
            local.draw += self.draws * 4.0 * (1.0 - open) / (open * open);
        }
        for prior in &self.priors {
            let (i, j) = (prior.i as usize, prior.j.map(|j| j as usize));
            let off = at.ratings[i] - j.map_or(0.0, |j| at.ratings[j]) - prior.mean;
            local.gradient[i] -= prior.weight * off;
            local.diagonal[i] += prior.weight;
            if let Some(j) = j {
                local.gradient[j] += prior.weight * off;
                local.diagonal[j] += prior.weight;
            }
        }
        (local.diagonal[n], local.diagonal[n + 1]) = (local.advantage, local.draw);
        self.mask(&mut local.gradient);
        local
    }

    /// What is not fitted does not move.
    fn mask(&self, vector: &mut [f64]) {
        let n = vector.len() - 2;
        for (value, _) in vector.iter_mut().zip(&self.fixed).filter(|(_, fixed)| **fixed) {
            *value = 0.0;
        }
        if !self.fit_advantage {
            vector[n] = 0.0;
        }
        if !self.fit_draw {
            vector[n + 1] = 0.0;
        }
    }

    /// The negative Hessian times a vector.
    fn times(&self, local: &Local, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let n = v.len() - 2;
        for (term, h) in self.terms.iter().zip(&local.sum) {
            let (i, j) = (term.i as usize, term.j as usize);
            let flow = h * (v[i] - v[j]);
            out[i] += flow;
            out[j] -= flow;
        }
        for prior in &self.priors {
            let (i, j) = (prior.i as usize, prior.j.map(|j| j as usize));
            let flow = prior.weight * (v[i] - j.map_or(0.0, |j| v[j]));
            out[i] += flow;
            if let Some(j) = j {
                out[j] -= flow;
            }
        }
        if self.fit_advantage || self.fit_draw {
            let (a, d) = (v[n], v[n + 1]);
            let (mut to_a, mut to_d) = (local.advantage * a + local.both * d, local.both * a + local.draw * d);
            for player in 0..n {
                out[player] += local.with_advantage[player] * a + local.with_draw[player] * d;
                to_a += local.with_advantage[player] * v[player];
                to_d += local.with_draw[player] * v[player];
            }
            (out[n], out[n + 1]) = (to_a, to_d);
        }
        self.mask(out);
    }

    /// The Newton step, by conjugate gradients with the diagonal as preconditioner. Where all ratings may shift together the
    /// matrix is singular, but the gradient has no part in that direction.
    fn step(&self, local: &Local) -> Vec<f64> {
        let n = local.gradient.len();
        let most = 4 * n + 50;
        let scaled = |r: &[f64]| -> Vec<f64> {
            r.iter().zip(&local.diagonal).map(|(r, d)| if *d > 0.0 { r / d } else { 0.0 }).collect()
        };
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let mut x = vec![0.0; n];
        let mut r = local.gradient.clone();
        let mut z = scaled(&r);
        let mut p = z.clone();
        let mut rz = dot(&r, &z);
        // Relative to the gradient, but no further than rounding lets it: a step below 1e-11 is none.
        let enough = (rz * 1e-10).max(1e-22 * local.diagonal.iter().sum::<f64>());
        let mut hp = vec![0.0; n];
        for _ in 0..most {
            if rz.is_nan() || rz <= enough || rz == 0.0 {
                break;
            }
            self.times(local, &p, &mut hp);
            let curve = dot(&p, &hp);
            if curve.is_nan() || curve <= 0.0 {
                break;
            }
            let alpha = rz / curve;
            for at in 0..n {
                x[at] += alpha * p[at];
                r[at] -= alpha * hp[at];
            }
            z = scaled(&r);
            let next = dot(&r, &z);
            let beta = next / rz;
            rz = next;
            for at in 0..n {
                p[at] = z[at] + beta * p[at];
            }
        }
        x
    }

    /// Climbs from `at` to the maximum; whether it was reached.
    pub(super) fn climb(&self, at: &mut Point) -> bool {
        let n = at.ratings.len();
        let mut local = self.local(at);
        for _ in 0..STEPS {
            let mut step = self.step(&local);
            let longest = step.iter().fold(0.0, |longest: f64, s| longest.max(s.abs()));
            if longest.is_nan() {
                return false;
            }
            if longest > LONG {
                step.iter_mut().for_each(|s| *s *= LONG / longest);
            }
            let slope = |local: &Local| -> f64 { local.gradient.iter().zip(&step).map(|(g, s)| g * s).sum() };
            let uphill = slope(&local);
            // The likelihood is concave: too long a step shows by a slope that turned.
            let mut share = 1.0;
            loop {
                let mut there = at.clone();
                for (rating, s) in there.ratings.iter_mut().zip(&step) {
                    *rating += share * s;
                }
                there.advantage += share * step[n];
                // With fitted draws D stays above zero: the likelihood there falls without end.
                there.draw = (there.draw + share * step[n + 1]).max(if self.fit_draw { at.draw / 4.0 } else { 0.0 });
                let next = self.local(&there);
                if slope(&next) >= -0.9 * uphill || share < 1e-3 {
                    (*at, local) = (there, next);
                    break;
                }
                share /= 2.0;
            }
            if longest < SMALL {
                return true;
            }
            let far = |value: &f64| value.abs() > FAR;
            if at.ratings.iter().any(far) || far(&at.advantage) || far(&at.draw) {
                return false;
            }
        }
        false
    }

    /// The logarithm of the likelihood, without what is known beforehand.
    pub(super) fn log_likelihood(&self, at: &Point) -> f64 {
        let ln_f = |x: f64| if x > 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() };
        let draws = if self.draws > 0.0 { self.draws * (2.0 * at.draw).exp_m1().ln() } else { 0.0 };
        let terms = self.terms.iter().map(|term| {
            let ahead = at.ratings[term.i as usize] - at.ratings[term.j as usize] + at.advantage;
            term.a * ln_f(ahead - at.draw) + term.c * ln_f(-ahead - at.draw)
        });
        draws + terms.sum::<f64>()
    }

    /// The negative Hessian of the ratings, dense, row by row; `weights` in place of the terms' own where given.
    pub(super) fn dense(&self, at: &Point) -> Vec<f64> {
        let n = at.ratings.len();
        let local = self.local(at);
        let mut h = vec![0.0; n * n];
        let mut edge = |i: usize, j: usize, w: f64| {
            h[i * n + i] += w;
            h[j * n + j] += w;
            h[i * n + j] -= w;
            h[j * n + i] -= w;
        };
        for (term, w) in self.terms.iter().zip(&local.sum) {
            edge(term.i as usize, term.j as usize, *w);
        }
        for prior in &self.priors {
            if let Some(j) = prior.j {
                edge(prior.i as usize, j as usize, prior.weight);
            }
        }
        for prior in self.priors.iter().filter(|prior| prior.j.is_none()) {
            h[prior.i as usize * (n + 1)] += prior.weight;
        }
        h
    }

    /// The diagonal of the same.
    pub(super) fn diagonal(&self, at: &Point) -> Vec<f64> {
        let mut diagonal = self.local(at).diagonal;
        diagonal.truncate(at.ratings.len());
        diagonal
    }

    /// Players that are fitted.
    pub(super) fn free(&self, players: usize) -> Vec<usize> {
        (0..players).filter(|&player| self.is_free(player as u32)).collect()
    }
}
