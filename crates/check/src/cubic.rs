//! A sum of cubes of linear forms, Σ θ_i (ũ_iᵀx̃)³ on a cube, from one pass of ordinary arithmetic (docs/method.md, Lemmas 3.6
//! and 11.2).

use crate::interval::Interval;

/// Σ θ Ũ⊗Ũ⊗Ũ in ordinary arithmetic, with one bound of the change that rounding and the widths of the terms may cause in the
/// sum of absolute values. Δ = Ũᵀx̃, and τ is the last variable, in units of tb.
pub(crate) struct Cubic {
    tensor: Vec<Vec<Vec<f64>>>,
    count: f64,
    /// Ordinary arithmetic computes `spread` and `sizes`, so `rest` doubles both.
    spread: f64,
    sizes: f64,
}

impl Cubic {
    pub fn new(dim: usize) -> Self {
        Self { tensor: vec![vec![vec![0.0; dim + 1]; dim + 1]; dim + 1], count: 0.0, spread: 0.0, sizes: 0.0 }
    }

    pub fn add(&mut self, third: Interval, u: &[Interval], tb: Interval) {
        let all: Vec<Interval> = u.iter().copied().chain([tb]).collect();
        let balls: Option<Vec<(f64, f64)>> = all.iter().map(|u| u.ball()).collect();
        let (Some((third_middle, third_radius)), Some(balls)) = (third.ball(), balls) else {
            self.spread = f64::INFINITY;
            return;
        };
        let size: f64 = all.iter().map(|u| u.size()).sum();
        let width: f64 = balls.iter().map(|(_, radius)| radius).sum();
        self.spread += third_radius * size.powi(3) + 3.0 * third.size() * size * size * width;
        self.sizes += third.size() * size.powi(3);
        self.count += 1.0;
        for j in 0..balls.len() {
            for k in 0..=j {
                let two = third_middle * balls[j].0 * balls[k].0;
                for l in 0..=k {
                    self.tensor[j][k][l] += two * balls[l].0;
                }
            }
        }
    }

    /// A bound of all terms with a power of τ, plus a bound of the rounding of all terms.
    pub fn rest(&self) -> Interval {
        let last = self.tensor.len() - 1;
        // Each of n sums and a few products is within half a unit; this bound is itself rounded, so it is doubled.
        let rounding = (self.count + 16.0) * f64::EPSILON * self.sizes;
        let total = Interval::point(2.0 * (rounding + self.spread) + f64::MIN_POSITIVE);
        (0..=last).fold(total, |total, k| (0..=k).fold(total, |total, l| total + self.term(last, k, l).abs()))
    }

    /// The coefficient of x_j x_k x_l for j ≥ k ≥ l, with all orders of the factors added.
    pub fn term(&self, j: usize, k: usize, l: usize) -> Interval {
        let orders = [6.0, 3.0, 1.0][usize::from(j == k) + usize::from(k == l)];
        Interval::point(self.tensor[j][k][l]) * orders
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_of_cubes_is_within_the_rest_of_its_terms(
            forms in prop::collection::vec((-1.0..1.0_f64, [-1.0..1.0_f64, -1.0..1.0, 0.0..0.1]), 1..20),
            width in 0.0..1e-3_f64,
            x in [-1.0..=1.0_f64, -1.0..=1.0],
            tau in -1.0..=1.0_f64,
        ) {
            let mut cubic = Cubic::new(2);
            let mut exact = 0.0;
            for (theta, [a, b, tb]) in &forms {
                let wide = |v: &f64| Interval::between(v - width, v + 0.5 * width);
                cubic.add(wide(theta), &[wide(a), wide(b)], Interval::point(*tb));
                exact += theta * (a * x[0] + b * x[1] + tb * tau).powi(3);
            }
            let mut terms = 0.0;
            for j in 0..2 {
                for k in 0..=j {
                    for l in 0..=k {
                        terms += cubic.term(j, k, l).guess() * x[j] * x[k] * x[l];
                    }
                }
            }
            prop_assert!((exact - terms).abs() <= cubic.rest().high() + 1e-14, "{exact} {terms} {:?}", cubic.rest());
        }
    }

    #[test]
    fn one_unknown_term_makes_the_rest_unknown() {
        let mut cubic = Cubic::new(1);
        cubic.add(Interval::ONE, &[Interval::ONE], Interval::ZERO);
        assert!(cubic.rest().high() < 1e-14);
        cubic.add(Interval::ONE, &[Interval::ALL], Interval::ZERO);
        assert_eq!(cubic.rest(), Interval::ALL);
        let mut cubic = Cubic::new(1);
        cubic.add(Interval::point(1e300), &[Interval::point(1e10)], Interval::ZERO);
        assert_eq!(cubic.rest(), Interval::ALL);
    }

    #[test]
    fn rounding_and_width_cost_what_their_formulas_say() {
        // Terms of size 1e16 make the units of rounding visible: (n + 16) ε times the sum of sizes, twice.
        let mut cubic = Cubic::new(1);
        for (count, sign) in [(1.0, 1.0), (2.0, -1.0), (3.0, 1.0)] {
            cubic.add(Interval::point(sign * 1e16), &[Interval::point(0.5)], Interval::ZERO);
            let expected = 2.0 * (count + 16.0) * f64::EPSILON * count * 1e16 / 8.0;
            // The ball of a point has a radius of one unit.
            let radius = 2.0 * count * (5e-324 * 0.125 + 3.0 * 1e16 * 0.25 * 2e-323);
            assert!((cubic.rest().high() - expected - radius).abs() < 1e-9 * expected, "{:?} {expected}", cubic.rest());
        }
        // θ in [1, 1.75] and u in [1, 1.25] cost ⅜·1.25³ + 3·1.75·1.25²·⅛, twice.
        let mut cubic = Cubic::new(1);
        cubic.add(Interval::between(1.0, 1.75), &[Interval::between(1.0, 1.25)], Interval::ZERO);
        let expected = 2.0 * (0.375 * 1.25_f64.powi(3) + 3.0 * 1.75 * 1.25 * 1.25 * 0.125);
        assert!((cubic.rest().high() - expected).abs() < 1e-12, "{:?} {expected}", cubic.rest());
        cubic.add(Interval::between(1.0, 1.75), &[Interval::between(1.0, 1.25)], Interval::ZERO);
        assert!((cubic.rest().high() - 2.0 * expected).abs() < 1e-12, "{:?} {expected}", cubic.rest());
        // Underflow is covered even if there are no terms.
        assert!(Cubic::new(1).rest().low() > 0.0);
    }
}
