//! The eigenvalues of a symmetric matrix, and repairs of a matrix that should be positive definite but is not.
//!
//! The piecewise-linear kernel is not a covariance function: K̃_XX can have negative eigenvalues, and then K̃⁻¹ does not
//! have the meaning that Eq. (3) needs. Every repair below changes eigenvalues only, so a repair is a map of the spectrum.

use crate::error::{Error, Result, all_finite, non_negative, positive};
use faer::{Mat, Side};

/// A symmetric matrix as V diag(λ) Vᵀ.
#[derive(Debug, Clone)]
pub struct Spectrum {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

/// A way to make the eigenvalues of K̃_XX + σ_ε² I positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Repair {
    /// The matrix stays as it is, with its negative eigenvalues.
    None,
    /// The published repair: if the smallest eigenvalue is below `floor`, all eigenvalues are shifted until the smallest is
    /// `floor`.
    Shift {
        /// The smallest eigenvalue allowed; 1e-6 in the published code.
        floor: f64,
    },
    /// Eigenvalues below `floor` are raised to `floor`; the others are kept.
    Clip {
        /// The smallest eigenvalue allowed.
        floor: f64,
    },
    /// `amount` is added to every eigenvalue. If the amount is at least ‖K_XX − K̃_XX‖₂ (N ε_M always suffices), the result is
    /// at least the true K̂ in the order of symmetric matrices, hence positive definite.
    Regularise {
        /// The amount; ≥ 0.
        amount: f64,
    },
}

/// By how much a matrix fails to be positive definite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Indefiniteness {
    /// The smallest eigenvalue.
    pub smallest: f64,
    /// The number of eigenvalues that are not positive.
    pub count: usize,
    /// The sum of the negative eigenvalues' sizes, divided by the sum of all sizes.
    pub share: f64,
}

impl Repair {
    /// The number that the repair adds to the diagonal of a matrix with this smallest eigenvalue; `None` if the repair changes
    /// the matrix in another way.
    pub fn shift(self, smallest: f64) -> Option<f64> {
        match self {
            Self::None => Some(0.0),
            Self::Shift { floor } => Some((floor - smallest).max(0.0)),
            Self::Regularise { amount } => Some(amount),
            Self::Clip { .. } => None,
        }
    }
}

impl Spectrum {
    /// The spectrum of the symmetric matrix whose lower triangle is given.
    pub fn new(matrix: &Mat<f64>) -> Result<Self> {
        let size = square(matrix)?;
        for j in 0..size {
            if let Some(value) = (j..size).map(|i| matrix[(i, j)]).find(|v| !v.is_finite()) {
                return Err(Error::NotFinite { what: "matrix column", index: j, value });
            }
        }
        let decomposed = matrix.self_adjoint_eigen(Side::Lower).map_err(|_| Error::NoSpectrum { size })?;
        let values: Vec<f64> = decomposed.S().column_vector().iter().copied().collect();
        // A matrix of finite entries can still overflow in the decomposition.
        all_finite("eigenvalue", &values).map_err(|_| Error::NoSpectrum { size })?;
        Ok(Self { values, vectors: decomposed.U().to_owned() })
    }

    /// The eigenvalues, smallest first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// ‖·‖₂, the largest size of an eigenvalue.
    pub fn norm(&self) -> f64 {
        self.values.iter().map(|v| v.abs()).fold(0.0, f64::max)
    }

    /// How far the matrix is from positive definite; `None` if it is positive definite.
    pub fn indefiniteness(&self) -> Option<Indefiniteness> {
        let smallest = self.values[0];
        if smallest > 0.0 {
            return None;
        }
        let negative: f64 = self.values.iter().map(|v| (-v).max(0.0)).sum();
        let all: f64 = self.values.iter().map(|v| v.abs()).sum();
        let count = self.values.iter().filter(|v| **v <= 0.0).count();
        Some(Indefiniteness { smallest, count, share: if all > 0.0 { negative / all } else { 0.0 } })
    }

    /// The spectrum of the repaired matrix.
    pub fn repaired(mut self, repair: Repair) -> Result<Self> {
        match repair {
            Repair::None => {}
            Repair::Shift { floor } => {
                let shift = (positive("the eigenvalue floor", floor)? - self.values[0]).max(0.0);
                self.values.iter_mut().for_each(|v| *v += shift);
            }
            Repair::Clip { floor } => {
                positive("the eigenvalue floor", floor)?;
                self.values.iter_mut().for_each(|v| *v = v.max(floor));
            }
            Repair::Regularise { amount } => {
                non_negative("the regularisation", amount)?;
                self.values.iter_mut().for_each(|v| *v += amount);
            }
        }
        Ok(self)
    }

    /// f(A) for the matrix A: the eigenvectors stay, `f` maps the eigenvalues.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Mat<f64> {
        let n = self.values.len();
        let scaled = Mat::from_fn(n, n, |i, j| self.vectors[(i, j)] * f(self.values[j]));
        &scaled * self.vectors.transpose()
    }

    /// `A⁻¹`, or an error that names the eigenvalue that cannot be told from 0.
    pub fn inverse(&self) -> Result<Mat<f64>> {
        let nearest = self.values.iter().copied().min_by(|a, b| a.abs().total_cmp(&b.abs())).expect("at least one row");
        if nearest.abs() <= self.rounding() {
            return Err(self.singular(nearest));
        }
        Ok(self.map(f64::recip))
    }

    /// The smallest eigenvalue if it is known to be at least `floor` in spite of rounding; else an error.
    pub fn least_at_least(&self, floor: f64) -> Result<f64> {
        let least = (self.values[0] - self.rounding()).max(floor);
        if least > 0.0 { Ok(least) } else { Err(self.singular(self.values[0])) }
    }

    /// A bound of the rounding of an eigenvalue: n ε times the norm.
    fn rounding(&self) -> f64 {
        self.values.len() as f64 * f64::EPSILON * self.norm()
    }

    fn singular(&self, eigenvalue: f64) -> Error {
        Error::Singular { size: self.values.len(), eigenvalue, norm: self.norm() }
    }
}

/// The size of a square matrix of at least one row.
pub(crate) fn square(matrix: &Mat<f64>) -> Result<usize> {
    match (matrix.nrows(), matrix.ncols()) {
        (0, 0) => Err(Error::Empty { what: "the matrix" }),
        (rows, columns) if rows != columns => Err(Error::NotSquare { rows, columns }),
        (size, _) => Ok(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indefinite() -> Mat<f64> {
        // The eigenvalues are 3, 1 and −1.
        Mat::from_fn(3, 3, |i, j| [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]][i][j])
    }

    #[test]
    fn indefiniteness_is_detected_and_measured() {
        let spectrum = Spectrum::new(&indefinite()).unwrap();
        let found = spectrum.indefiniteness().unwrap();
        assert!((found.smallest + 1.0).abs() < 1e-14 && found.count == 1 && (found.share - 0.2).abs() < 1e-14);
        assert!(Spectrum::new(&Mat::identity(3, 3)).unwrap().indefiniteness().is_none());
        assert!((spectrum.norm() - 3.0).abs() < 1e-14);
    }

    #[test]
    fn each_repair_does_what_it_says() {
        let spectrum = Spectrum::new(&indefinite()).unwrap();
        let after = |repair| spectrum.clone().repaired(repair).unwrap().values().to_vec();
        let close = |a: Vec<f64>, b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13);
        assert!(close(after(Repair::None), [-1.0, 1.0, 3.0]));
        assert!(close(after(Repair::Shift { floor: 1e-6 }), [1e-6, 2.000001, 4.000001]));
        assert!(close(after(Repair::Clip { floor: 1e-6 }), [1e-6, 1.0, 3.0]));
        assert!(close(after(Repair::Regularise { amount: 2.0 }), [1.0, 3.0, 5.0]));
        assert!(spectrum.repaired(Repair::Shift { floor: 0.0 }).is_err());
    }

    #[test]
    fn a_positive_definite_matrix_is_not_shifted() {
        let spectrum = Spectrum::new(&Mat::identity(3, 3)).unwrap();
        assert_eq!(spectrum.clone().repaired(Repair::Shift { floor: 1e-6 }).unwrap().values(), spectrum.values());
    }

    #[test]
    fn the_inverse_is_right_and_a_singular_matrix_has_none() {
        let matrix = indefinite();
        let product = &matrix * Spectrum::new(&matrix).unwrap().inverse().unwrap();
        assert!((0..3).all(|i| (0..3).all(|j| (product[(i, j)] - f64::from(i == j)).abs() < 1e-14)));
        assert!(matches!(Spectrum::new(&Mat::zeros(2, 2)).unwrap().inverse(), Err(Error::Singular { size: 2, .. })));
        let tiny = Mat::from_fn(2, 2, |i, j| if i == j { [1e8, 1e-9][i] } else { 0.0 });
        assert!(matches!(Spectrum::new(&tiny).unwrap().inverse(), Err(Error::Singular { .. })));
        let small = Mat::from_fn(2, 2, |i, j| if i == j { 1e-200 } else { 0.0 });
        assert!(Spectrum::new(&small).unwrap().inverse().is_ok(), "small is not singular");
    }

    #[test]
    fn matrices_without_a_spectrum_are_refused() {
        assert!(Spectrum::new(&Mat::from_fn(2, 2, |_, _| f64::NAN)).is_err());
        assert_eq!(Spectrum::new(&Mat::zeros(2, 3)).unwrap_err(), Error::NotSquare { rows: 2, columns: 3 });
        assert!(matches!(Spectrum::new(&Mat::zeros(0, 0)), Err(Error::Empty { .. })));
    }
}
