//! Small dense linear algebra.

/// The inverse of a symmetric positive definite matrix, row by row; `None` where it is not.
pub(super) fn inverse(mut a: Vec<f64>, n: usize) -> Option<Vec<f64>> {
    // Cholesky: the lower triangle of `a` becomes L.
    for column in 0..n {
        for row in column..n {
            let (upper, lower) = a.split_at(row * n);
            let own = &lower[..column];
            let dot: f64 = if row == column {
                own.iter().map(|v| v * v).sum()
            } else {
                own.iter().zip(&upper[column * n..column * n + column]).map(|(x, y)| x * y).sum()
            };
            let value = a[row * n + column] - dot;
            a[row * n + column] = if row == column {
                if value.is_nan() || value <= 0.0 {
                    return None;
                }
                value.sqrt()
            } else {
                value / a[column * n + column]
            };
        }
    }
    // The rows of M, the transposed inverse of L: then the inverse is M Mᵀ.
    let mut m = vec![0.0; n * n];
    for column in 0..n {
        m[column * n + column] = 1.0 / a[column * n + column];
        for row in column + 1..n {
            let dot: f64 = a[row * n + column..row * n + row]
                .iter()
                .zip(&m[column * n + column..column * n + row])
                .map(|(x, y)| x * y)
                .sum();
            m[column * n + row] = -dot / a[row * n + row];
        }
    }
    let mut inverse = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..=row {
            let dot: f64 = m[row * n + row..(row + 1) * n]
                .iter()
                .zip(&m[column * n + row..(column + 1) * n])
                .map(|(x, y)| x * y)
                .sum();
            inverse[row * n + column] = dot;
            inverse[column * n + row] = dot;
        }
    }
    Some(inverse)
}

/// The product of two square matrices, row by row.
pub(super) fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    for row in 0..n {
        for (at, &factor) in a[row * n..(row + 1) * n].iter().enumerate() {
            if factor != 0.0 {
                for (value, other) in out[row * n..(row + 1) * n].iter_mut().zip(&b[at * n..(at + 1) * n]) {
                    *value += factor * other;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let a = vec![4.0, 1.0, -1.0, 1.0, 3.0, 0.5, -1.0, 0.5, 2.0];
        let inverse = inverse(a.clone(), 3).unwrap();
        for (at, value) in product(&a, &inverse, 3).into_iter().enumerate() {
            assert!((value - f64::from(u8::from(at % 4 == 0))).abs() < 1e-12, "{at}: {value}");
        }
        assert_eq!(super::inverse(vec![1.0, 2.0, 2.0, 1.0], 2), None);
    }
}
