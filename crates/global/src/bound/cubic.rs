//! The terms of third order of a polynomial on the cube [−1, 1]^D, and their economisation (docs/method.md, Lemma 3.7).

use super::quadratic::Quadratic;

/// Σ c_jk x_j² x_k + Σ c_jkl x_j x_k x_l, the second sum over j > k > l.
#[derive(Debug, Clone)]
pub(crate) struct Cubic {
    dim: usize,
    /// c_jk, row by row.
    squares: Vec<f64>,
    /// c_jkl.
    products: Vec<f64>,
}

/// The place of the product of j > k > l.
fn place(j: usize, k: usize, l: usize) -> usize {
    j * (j - 1) * (j - 2) / 6 + k * (k - 1) / 2 + l
}

impl Cubic {
    pub fn zero(dim: usize) -> Self {
        let products = if dim < 3 { 0 } else { dim * (dim - 1) * (dim - 2) / 6 };
        Self { dim, squares: vec![0.0; dim * dim], products: vec![0.0; products] }
    }

    pub fn reset(&mut self) {
        self.squares.fill(0.0);
        self.products.fill(0.0);
    }

    /// Adds `value` x_j² x_k.
    #[inline(always)]
    pub fn add_square(&mut self, j: usize, k: usize, value: f64) {
        self.squares[j * self.dim + k] += value;
    }

    /// Adds `value` x_j x_k x_l.
    #[inline(always)]
    pub fn add(&mut self, [j, k, l]: [usize; 3], value: f64) {
        if j == k {
            self.add_square(j, l, value);
        } else if k == l {
            self.add_square(k, j, value);
        } else if j == l {
            self.add_square(j, k, value);
        } else {
            let (high, low) = (j.max(k), j.min(k));
            let (most, rest) = (high.max(l), high.min(l));
            self.products[place(most, low.max(rest), low.min(rest))] += value;
        }
    }

    /// Adds x_j times the second order of `quadratic`.
    pub fn add_times(&mut self, j: usize, quadratic: &Quadratic) {
        for k in 0..self.dim {
            for l in 0..=k {
                let share = if k == l { 0.5 } else { 1.0 };
                self.add([j, k, l], share * quadratic.matrix[k][l]);
            }
        }
    }

    /// Adds x³ ≈ ¾x, x²y ≈ ½y and xyz ≈ 0 to `quadratic`, and returns the sum of their errors, at most ¼, ½ and 1 per term.
    pub fn economise(&self, quadratic: &mut Quadratic) -> f64 {
        let (mut halves, mut quarters) = (0.0, 0.0);
        for (j, row) in self.squares.chunks_exact(self.dim).enumerate() {
            for (linear, square) in quadratic.linear.iter_mut().zip(row) {
                *linear += 0.5 * square;
                halves += square.abs();
            }
            quadratic.linear[j] += 0.25 * row[j];
            quarters += row[j].abs();
        }
        0.5 * halves - 0.25 * quarters + self.products.iter().map(|product| product.abs()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::MOST_INPUTS;

    /// Every product of three coordinates, in every order, has its place and lies within the error of its approximation.
    #[test]
    fn a_term_is_the_same_in_every_order_and_within_its_error() {
        let dim = 3;
        for (j, k, l) in (0..27).map(|i| (i % 3, i / 3 % 3, i / 9)) {
            let mut cubic = Cubic::zero(dim);
            cubic.add([j, k, l], -2.0);
            let mut stand = Quadratic::zero(dim);
            let error = cubic.economise(&mut stand);
            let mut most = 0.0_f64;
            for i in 0..9_usize.pow(3) {
                let mut x = [0.0; MOST_INPUTS];
                for (at, x) in x[..dim].iter_mut().enumerate() {
                    *x = f64::from(u8::try_from(i / 9_usize.pow(at.try_into().unwrap()) % 9).unwrap()) / 4.0 - 1.0;
                }
                most = most.max((-2.0 * x[j] * x[k] * x[l] - stand.at(&x)).abs());
            }
            assert!(most <= error && error <= most * (1.0 + 1e-12), "x{j} x{k} x{l}: {most}, {error}");
        }
    }
}
