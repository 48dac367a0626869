//! The terms of third order of a polynomial on the cube [−1, 1]^D, and their economisation (docs/method.md, Lemma 3.7).

use super::quadratic::Quadratic;

/// Σ c_jkl x_j x_k x_l over j ≥ k ≥ l.
#[derive(Debug, Clone)]
pub(crate) struct Cubic {
    dim: usize,
    terms: Vec<f64>,
}

/// The place of the term of j ≥ k ≥ l.
fn place(j: usize, k: usize, l: usize) -> usize {
    j * (j + 1) * (j + 2) / 6 + k * (k + 1) / 2 + l
}

impl Cubic {
    pub fn zero(dim: usize) -> Self {
        Self { dim, terms: vec![0.0; place(dim, 0, 0)] }
    }

    pub fn reset(&mut self) {
        self.terms.fill(0.0);
    }

    /// Adds `value` x_j x_k x_l.
    pub fn add(&mut self, [j, k, l]: [usize; 3], value: f64) {
        let (high, low) = (j.max(k), j.min(k));
        let (most, rest) = (high.max(l), high.min(l));
        self.terms[place(most, low.max(rest), low.min(rest))] += value;
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
        let mut error = 0.0;
        let mut terms = self.terms.iter();
        for j in 0..self.dim {
            for k in 0..=j {
                for (l, term) in (0..=k).zip(&mut terms) {
                    let (share, left) = match (j == k, k == l) {
                        (true, true) => (0.75, j),
                        (true, false) => (0.5, l),
                        (false, true) => (0.5, j),
                        (false, false) => (0.0, j),
                    };
                    quadratic.linear[left] += share * term;
                    error += (1.0 - share) * term.abs();
                }
            }
        }
        error
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
