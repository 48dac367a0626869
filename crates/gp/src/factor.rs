//! The Cholesky factor of a covariance matrix, in a form that grows by one row in O(n²).
//!
//! `K = L Lᵀ` with L stored row after row (row i has i + 1 entries), so that appending an observation appends a row,
//! forward substitution is a dot product along each row, and backward substitution an update along each row.
//!
//! If a matrix is not positive definite, a small multiple of its mean diagonal is added to the diagonal, in fixed steps. The
//! factor records the step; if the largest step does not help, the error says so.

use crate::error::{Error, Result, same_length};
use crate::lanes::{axpy, dot};
use crate::spectrum::square;
use crate::widest;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::reborrow::ReborrowMut as _;
use faer::{Mat, MatMut, Par, Spec};

/// The jitters that are tried in turn, relative to the mean of the diagonal: 0, then steps of a factor ten.
pub const JITTER_STEPS: [f64; 8] = [0.0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6];

/// The factor of a positive definite matrix, and the jitter that made the matrix positive definite.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    size: usize,
    rows: Vec<f64>,
    jitter: f64,
}

impl Factor {
    /// Factors the symmetric matrix whose lower triangle is given.
    pub fn new(matrix: &Mat<f64>) -> Result<Self> {
        let size = square(matrix)?;
        Self::with_jitter_scale(matrix, (0..size).map(|i| matrix[(i, i)].abs()).sum::<f64>() / size as f64)
    }

    /// Works as [`new`](Self::new), with jitter relative to `scale` instead of the mean diagonal.
    pub(crate) fn with_jitter_scale(matrix: &Mat<f64>, scale: f64) -> Result<Self> {
        let size = square(matrix)?;
        let mut work = Mat::zeros(size, size);
        let jitter = cholesky_with_jitter(matrix, scale, work.as_mut(), &mut scratch(size))?;
        let rows = (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))).map(|(i, j)| work[(i, j)]).collect();
        Ok(Self { size, rows, jitter })
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The jitter that was added to the diagonal; 0 if none was needed.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// Row `i` of L, with the diagonal entry last.
    pub fn row(&self, i: usize) -> &[f64] {
        row(&self.rows, i)
    }

    /// Adds the row and column of one more point in O(n²): `cross` are the point's covariances with the others, `diagonal` is
    /// its variance with noise. On error the factor is unchanged.
    pub fn append(&mut self, cross: &[f64], diagonal: f64) -> Result<()> {
        same_length("the new row", self.size, cross.len())?;
        let mut added = cross.to_vec();
        self.solve_lower(&mut added);
        let square = diagonal + self.jitter - added.iter().map(|v| v * v).sum::<f64>();
        if !is_above_rounding(square, diagonal, self.size + 1) {
            return Err(Error::NotPositiveDefinite { pivot: self.size, size: self.size + 1, jitter: self.jitter });
        }
        self.rows.extend_from_slice(&added);
        self.rows.push(square.sqrt());
        self.size += 1;
        Ok(())
    }

    /// `b ← L⁻¹ b`.
    ///
    /// # Panics
    /// Panics if `b` does not have [`size`](Self::size) entries.
    pub fn solve_lower(&self, b: &mut [f64]) {
        self.assert_length(b);
        widest!(<'a> (factor: &'a Factor = self, b: &'a mut [f64] = b) {
            for i in 0..factor.size {
                let (row, diagonal) = split(row(&factor.rows, i));
                let (known, rest) = b.split_at_mut(i);
                rest[0] = (rest[0] - dot(row, known)) / diagonal;
            }
        });
    }

    /// `b ← L⁻ᵀ b`.
    ///
    /// # Panics
    /// Panics if `b` does not have [`size`](Self::size) entries.
    pub fn solve_upper(&self, b: &mut [f64]) {
        self.assert_length(b);
        widest!(<'a> (factor: &'a Factor = self, b: &'a mut [f64] = b) {
            for i in (0..factor.size).rev() {
                let (row, diagonal) = split(row(&factor.rows, i));
                let (rest, known) = b.split_at_mut(i);
                known[0] /= diagonal;
                axpy(-known[0], row, rest);
            }
        });
    }

    /// `b ← K⁻¹ b`.
    ///
    /// # Panics
    /// Panics if `b` does not have [`size`](Self::size) entries.
    pub fn solve(&self, b: &mut [f64]) {
        self.solve_lower(b);
        self.solve_upper(b);
    }

    /// `L b`.
    ///
    /// # Panics
    /// Panics if `b` does not have [`size`](Self::size) entries.
    pub fn multiply_lower(&self, b: &[f64]) -> Vec<f64> {
        self.assert_length(b);
        (0..self.size).map(|i| dot(self.row(i), &b[..=i])).collect()
    }

    fn assert_length(&self, b: &[f64]) {
        assert!(b.len() == self.size, "the vector must have one entry for each row of the factor");
    }

    /// log det K.
    pub fn log_determinant(&self) -> f64 {
        2.0 * (0..self.size).map(|i| split(self.row(i)).1.ln()).sum::<f64>()
    }

    /// The whole of K⁻¹, column by column, in O(n³). Large blocks make this far faster than n solves.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.size;
        let mut inverse = Mat::zeros(n, n);
        let lower = self.to_lower();
        llt::inverse::inverse(inverse.as_mut(), lower.as_ref(), Par::Seq, MemStack::new(&mut scratch(n)));
        // Only the lower triangle is filled in.
        (0..n * n).map(|at| inverse[((at / n).max(at % n), (at / n).min(at % n))]).collect()
    }

    /// L as a dense matrix.
    pub fn to_lower(&self) -> Mat<f64> {
        Mat::from_fn(self.size, self.size, |i, j| if j <= i { self.row(i)[j] } else { 0.0 })
    }
}

#[inline(always)]
fn row(rows: &[f64], i: usize) -> &[f64] {
    let start = i * (i + 1) / 2;
    &rows[start..=start + i]
}

/// A row's entries left of the diagonal, and the diagonal entry.
#[inline(always)]
fn split(row: &[f64]) -> (&[f64], f64) {
    let (last, left) = row.split_last().expect("every row has a diagonal entry");
    (left, *last)
}

/// Whether a pivot is larger than its rounding error; NaN is not. A pivot is the diagonal entry minus one square for each
/// earlier row, so a pivot below the rounding error of that difference has no meaning.
fn is_above_rounding(pivot: f64, diagonal: f64, size: usize) -> bool {
    pivot > size as f64 * f64::EPSILON * diagonal.abs() && pivot.is_finite()
}

/// The scratch memory for a factorisation of size `n` and its inverse.
pub(crate) fn scratch(n: usize) -> MemBuffer {
    let factor = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Spec::default());
    MemBuffer::new(factor.or(llt::inverse::inverse_scratch::<f64>(n, Par::Seq)))
}

/// Writes the factor of `matrix` (lower triangle) to the lower triangle of `out`, with the smallest jitter among the steps
/// relative to `scale` that suffices, and returns the jitter.
pub(crate) fn cholesky_with_jitter(
    matrix: &Mat<f64>,
    scale: f64,
    mut out: MatMut<'_, f64>,
    memory: &mut MemBuffer,
) -> Result<f64> {
    let size = matrix.nrows();
    let mut failure = Error::Empty { what: "the list of jitter steps" };
    for step in JITTER_STEPS {
        let jitter = step * scale;
        for j in 0..size {
            out.rb_mut().col_mut(j).subrows_mut(j, size - j).copy_from(matrix.col(j).subrows(j, size - j));
            out[(j, j)] += jitter;
        }
        let regularization = llt::factor::LltRegularization::default();
        let stack = MemStack::new(memory);
        match llt::factor::cholesky_in_place(out.rb_mut(), regularization, Par::Seq, stack, Spec::default()) {
            Ok(_) => {
                let is_good = |i: &usize| is_above_rounding(out[(*i, *i)].powi(2), matrix[(*i, *i)], size);
                match (0..size).find(|i| !is_good(i)) {
                    None => return Ok(jitter),
                    Some(pivot) => failure = Error::NotPositiveDefinite { pivot, size, jitter },
                }
            }
            Err(llt::factor::LltError::NonPositivePivot { index }) => {
                failure = Error::NotPositiveDefinite { pivot: index, size, jitter };
            }
        }
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| (-0.3 * (i as f64 - j as f64).abs()).exp() + if i == j { 0.1 } else { 0.0 })
    }

    #[test]
    fn a_factor_reproduces_its_matrix_and_solves() {
        for n in [1, 2, 7, 40] {
            let k = matrix(n);
            let factor = Factor::new(&k).unwrap();
            assert_eq!(factor.jitter(), 0.0);
            let l = factor.to_lower();
            let back = &l * l.transpose();
            let b: Vec<f64> = (0..n).map(|i| (i as f64).sin() + 0.5).collect();
            let mut x = b.clone();
            factor.solve(&mut x);
            for i in 0..n {
                assert!((0..n).all(|j| (back[(i, j)] - k[(i, j)]).abs() < 1e-14));
                let row: f64 = (0..n).map(|j| k[(i, j)] * x[j]).sum();
                assert!((row - b[i]).abs() < 1e-12);
            }
            let inverse = factor.inverse();
            for (i, x) in x.iter().enumerate() {
                let row: f64 = (0..n).map(|j| inverse[i * n + j] * b[j]).sum();
                assert!((row - x).abs() < 1e-11);
            }
            let mut half = b.clone();
            factor.solve_lower(&mut half);
            assert!(factor.multiply_lower(&half).iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }

    #[test]
    fn appending_rows_gives_the_factor_of_the_whole_matrix() {
        let whole = matrix(30);
        let mut grown = Factor::new(&whole.submatrix(0, 0, 1, 1).to_owned()).unwrap();
        for n in 1..30 {
            let cross: Vec<f64> = (0..n).map(|j| whole[(n, j)]).collect();
            grown.append(&cross, whole[(n, n)]).unwrap();
        }
        let at_once = Factor::new(&whole).unwrap();
        assert!(grown.rows.iter().zip(&at_once.rows).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn the_factor_of_a_singular_matrix_records_its_jitter() {
        let ones = Mat::from_fn(5, 5, |_, _| 2.0);
        let factor = Factor::new(&ones).unwrap();
        assert!(factor.jitter() > 0.0 && factor.jitter() <= 2e-6, "{}", factor.jitter());
    }

    #[test]
    fn an_indefinite_matrix_is_an_error_that_names_the_pivot() {
        let k = Mat::from_fn(3, 3, |i, j| if i == j { if i == 2 { -1.0 } else { 1.0 } } else { 0.0 });
        assert!(matches!(Factor::new(&k), Err(Error::NotPositiveDefinite { pivot: 2, size: 3, .. })));
        let nan = Mat::from_fn(3, 3, |i, j| if i == j { f64::NAN } else { 0.0 });
        assert!(Factor::new(&nan).is_err());
    }

    #[test]
    fn appending_a_copy_of_a_point_without_noise_is_refused_and_changes_nothing() {
        let mut factor = Factor::new(&Mat::from_fn(1, 1, |_, _| 1.0)).unwrap();
        let before = factor.clone();
        assert!(factor.append(&[1.0], 1.0).is_err());
        assert!(factor.append(&[f64::NAN], 1.0).is_err());
        assert!(matches!(factor.append(&[0.1, 0.2], 1.0), Err(Error::WrongLength { expected: 1, found: 2, .. })));
        assert!(matches!(factor.append(&[], 1.0), Err(Error::WrongLength { expected: 1, found: 0, .. })));
        assert_eq!(factor, before);
    }

    #[test]
    fn a_matrix_that_is_empty_or_not_square_is_refused() {
        assert!(matches!(Factor::new(&Mat::zeros(0, 0)), Err(Error::Empty { .. })));
        assert_eq!(Factor::new(&Mat::zeros(2, 3)), Err(Error::NotSquare { rows: 2, columns: 3 }));
    }

    #[test]
    #[should_panic(expected = "one entry for each row of the factor")]
    fn solving_for_a_vector_of_the_wrong_length_names_the_right_length() {
        Factor::new(&matrix(3)).unwrap().solve(&mut [1.0; 4]);
    }
}
