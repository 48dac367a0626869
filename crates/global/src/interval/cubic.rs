//! A sum of cubes of linear forms, Σ θ_i (ũ_iᵀx̃)³ on a cube, from one pass of ordinary arithmetic.

use super::Interval;

/// Σ θ Ũ⊗Ũ⊗Ũ in ordinary arithmetic, with one bound for what rounding and the widths of the terms may change in the
/// sum of its sizes. Δ = Ũᵀx̃, where τ is the last variable, in units of tb.
pub(crate) struct Cubic {
    tensor: Vec<Vec<Vec<f64>>>,
    count: f64,
    spread: f64,
    sizes: f64,
}

impl Cubic {
    pub fn new(dim: usize) -> Self {
        Self { tensor: vec![vec![vec![0.0; dim + 1]; dim + 1]; dim + 1], count: 0.0, spread: 0.0, sizes: 0.0 }
    }

    pub fn add(&mut self, third: Interval, u: &[Interval], tb: Interval) {
        let all: Vec<Interval> = u.iter().copied().chain([tb]).collect();
        let middle: Vec<f64> = all.iter().map(|u| u.middle()).collect();
        let reach: f64 = all.iter().map(|u| u.size()).sum();
        let width: f64 = all.iter().map(|u| u.radius()).sum();
        self.spread += third.radius() * reach.powi(3) + 3.0 * third.size() * reach * reach * width;
        self.sizes += third.size() * reach.powi(3);
        self.count += 1.0;
        for j in 0..all.len() {
            for k in 0..=j {
                let two = third.middle() * middle[j] * middle[k];
                for l in 0..=k {
                    self.tensor[j][k][l] += two * middle[l];
                }
            }
        }
    }

    /// A bound of what comes with powers of τ, and of what rounding may do to all terms.
    pub fn rest(&self) -> Interval {
        let last = self.tensor.len() - 1;
        // n sums and a few products, each within half a unit; doubled for the rounding of this bound itself.
        let rounding = (self.count + 16.0) * f64::EPSILON * self.sizes;
        let total = Interval::point(2.0 * (rounding + self.spread) + f64::MIN_POSITIVE);
        (0..=last).fold(total, |total, k| (0..=k).fold(total, |total, l| total + self.term(last, k, l).abs()))
    }

    /// The coefficient of x_j x_k x_l, j ≥ k ≥ l, whatever their order.
    pub fn term(&self, j: usize, k: usize, l: usize) -> Interval {
        let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
        Interval::point(self.tensor[j][k][l]) * orders
    }
}
