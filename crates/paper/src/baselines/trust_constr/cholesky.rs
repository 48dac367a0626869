//! A small dense Cholesky factor of a matrix whose diagonal is first scaled to 1. Slacks of very different sizes make
//! rows of very different sizes; the scaling makes that harmless.

/// LLᵀ = SAS, S diagonal.
pub(super) struct Cholesky {
    lower: Vec<f64>,
    scale: Vec<f64>,
    dim: usize,
}

impl Cholesky {
    /// The factor of `matrix`, by rows, unless it is not positive definite.
    pub fn new(mut matrix: Vec<f64>, dim: usize) -> Option<Self> {
        let scale: Vec<f64> = (0..dim).map(|j| matrix[j * dim + j].sqrt().recip()).collect();
        if !scale.iter().all(|s| s.is_finite() && *s > 0.0) {
            return None;
        }
        for j in 0..dim {
            for k in 0..=j {
                let inner: f64 = (0..k).map(|i| matrix[j * dim + i] * matrix[k * dim + i]).sum();
                let rest = matrix[j * dim + k] * scale[j] * scale[k] - inner;
                matrix[j * dim + k] = match j == k {
                    false => rest / matrix[k * dim + k],
                    true if rest > 1e-15 => rest.sqrt(),
                    true => return None,
                };
            }
        }
        Some(Self { lower: matrix, scale, dim })
    }

    /// Turns b into A⁻¹b.
    pub fn solve(&self, b: &mut [f64]) {
        let (dim, lower) = (self.dim, &self.lower);
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
        for j in 0..dim {
            let known: f64 = (0..j).map(|k| lower[j * dim + k] * b[k]).sum();
            b[j] = (b[j] - known) / lower[j * dim + j];
        }
        for j in (0..dim).rev() {
            let known: f64 = (j + 1..dim).map(|k| lower[k * dim + j] * b[k]).sum();
            b[j] = (b[j] - known) / lower[j * dim + j];
        }
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_badly_scaled_system_is_solved() {
        let matrix = vec![4e12, 2e6, 0.0, 2e6, 3.0, 1e-6, 0.0, 1e-6, 5e-12];
        let (x, mut b) = ([1e-6, -2.0, 3e6], [0.0; 3]);
        for j in 0..3 {
            b[j] = (0..3).map(|k| matrix[j * 3 + k] * x[k]).sum();
        }
        Cholesky::new(matrix, 3).unwrap().solve(&mut b);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-12 * x.abs()), "{b:?}");
    }

    #[test]
    fn an_indefinite_matrix_has_no_factor() {
        assert!(Cholesky::new(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::new(vec![0.0], 1).is_none());
    }
}
