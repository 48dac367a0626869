//! Whether a symmetric matrix is positive definite (docs/method.md, Lemma 11.1; Rump 2006), and guesses by its Cholesky factor.

/// Whether a symmetric matrix minus the diagonal `margin` is positive definite. Cholesky's method must succeed on the matrix
/// minus a bound of its rounding: n + 2 units of the trace (Rump 2006), here doubled, with the margin counted in the trace.
pub(crate) fn is_positive_definite(matrix: &[Vec<f64>], margin: impl Fn(usize) -> f64) -> bool {
    let n = matrix.len();
    let trace: f64 = (0..n).map(|i| matrix[i][i].abs() + margin(i).abs()).sum();
    let rounding = (2.0 * n as f64 + 8.0) * f64::EPSILON * trace + f64::MIN_POSITIVE;
    let diagonal = |i: usize| matrix[i][i] - (margin(i) + rounding);
    factorised(matrix, diagonal).iter().enumerate().all(|(i, row)| row[i] > 0.0)
}

/// A lower triangular factor in ordinary arithmetic; its later entries are not finite if a pivot is not positive.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    factorised(matrix, |i| matrix[i][i])
}

/// The factor of a matrix with another diagonal.
fn factorised(matrix: &[Vec<f64>], diagonal: impl Fn(usize) -> f64) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, row) in matrix.iter().enumerate() {
        let mut next = vec![0.0; i + 1];
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| next[k] * if i == j { next[k] } else { factor[j][k] }).sum();
            next[j] = if i == j { (diagonal(i) - known).sqrt() } else { (row[j] - known) / factor[j][j] };
        }
        factor.push(next);
    }
    factor
}

/// A guess of the solution of the system with that factor; zero if ordinary arithmetic finds no solution, because any guess is
/// valid.
pub(crate) fn solve(factor: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    let n = v.len();
    let mut x = v.to_vec();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i][i];
    }
    for i in (0..n).rev() {
        x[i] /= factor[i][i];
        let (rest, done) = x.split_at_mut(i);
        for (k, value) in rest.iter_mut().enumerate() {
            *value -= factor[i][k] * done[0];
        }
    }
    if x.iter().all(|value| value.is_finite()) { x } else { vec![0.0; n] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(q: [f64; 3]) -> Vec<Vec<f64>> {
        let unit = |j: usize, k: usize| f64::from(u8::from(j == k));
        let entry = |j: usize, k: usize| unit(j, k) + 9.0 * q[j] * q[k];
        (0..3).map(|j| (0..3).map(|k| entry(j, k)).collect()).collect()
    }

    #[test]
    fn a_matrix_is_positive_definite_up_to_its_least_eigenvalue_and_no_further() {
        // 1 + q qᵀ·9 with |q| = 1 has eigenvalues 1, 1 and 10, however small a pivot is.
        for q in [[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [0.48, 0.6, 0.64]] {
            let matrix = matrix(q);
            assert!(is_positive_definite(&matrix, |_| 1.0 - 1e-12));
            assert!(!is_positive_definite(&matrix, |_| 1.0) && !is_positive_definite(&matrix, |_| f64::INFINITY));
            assert!(!is_positive_definite(&matrix, |_| 1.0 - 1e-16), "the margin of rounding is missing");
            assert!(!is_positive_definite(&matrix, |_| f64::NAN));
        }
        assert!(!is_positive_definite(&[vec![f64::NAN]], |_| 0.0) && !is_positive_definite(&[vec![0.0]], |_| 0.0));
        assert!(!is_positive_definite(&[vec![f64::INFINITY]], |_| 0.0));
    }

    #[test]
    fn the_rounding_of_large_matrices_is_covered() {
        // The matrix of ones has a diagonal that is too small by less than rounding can show.
        let n = 200;
        let singular: Vec<Vec<f64>> = vec![vec![1.0; n]; n];
        assert!(!is_positive_definite(&singular, |_| -1e-14));
        assert!(is_positive_definite(&singular, |_| -1e-10));
        // The margin is 408 units of a trace of 200.
        assert!(!is_positive_definite(&singular, |_| -1.2e-11) && is_positive_definite(&singular, |_| -2.5e-11));
        // The margin counts as a part of the trace, so 10 units of 2 are needed.
        let one = |units: f64| vec![vec![1.0 + units * f64::EPSILON]];
        assert!(!is_positive_definite(&one(16.0), |_| 1.0) && is_positive_definite(&one(40.0), |_| 1.0));
    }

    #[test]
    fn a_guess_solves_the_system_or_is_zero() {
        let matrix = matrix([0.48, 0.6, 0.64]);
        let x = solve(&cholesky(&matrix), &[1.0, 2.0, 3.0]);
        for (i, row) in matrix.iter().enumerate() {
            let sum: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((sum - (i as f64 + 1.0)).abs() < 1e-13);
        }
        assert_eq!(solve(&cholesky(&[vec![-1.0]]), &[1.0]), [0.0]);
    }
}
