//! The terms of third order of a polynomial on the cube [−1, 1]^D, and their economisation (docs/method.md, Lemma 3.7).

use crate::interval::Interval;

/// Σ c_jkl x_j x_k x_l over j ≥ k ≥ l.
pub(super) struct ThirdOrder(Vec<Vec<Vec<Interval>>>);

impl ThirdOrder {
    pub fn zero(dim: usize) -> Self {
        Self((0..dim).map(|j| (0..=j).map(|k| vec![Interval::ZERO; k + 1]).collect()).collect())
    }

    /// Adds `value` x_j x_k x_l for indices in any order.
    pub fn add(&mut self, mut place: [usize; 3], value: Interval) {
        place.sort_unstable();
        let term = &mut self.0[place[2]][place[1]][place[0]];
        *term = *term + value;
    }

    /// Adds x³ ≈ ¾x, x²y ≈ ½y and xyz ≈ 0 to the linear terms, and returns a bound of the total error.
    pub fn economise(&self, linear: &mut [Interval]) -> Interval {
        let mut error = Interval::ZERO;
        for (j, rows) in self.0.iter().enumerate() {
            for (k, row) in rows.iter().enumerate() {
                for (l, term) in row.iter().enumerate() {
                    let (share, left) = match (j == k, k == l) {
                        (true, true) => (0.75, j),
                        (true, false) => (0.5, l),
                        (false, true) => (0.5, j),
                        (false, false) => (0.0, j),
                    };
                    linear[left] = linear[left] + *term * share;
                    error = error + term.abs().upper() * (1.0 - share);
                }
            }
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn economised_terms_are_within_their_error(
            terms in prop::collection::vec(([0_usize..3, 0_usize..3, 0_usize..3], -1.0..1.0_f64), 1..12),
            x in [-1.0..=1.0_f64, -1.0..=1.0, -1.0..=1.0],
        ) {
            let (mut third_order, mut exact) = (ThirdOrder::zero(3), 0.0);
            for (place, value) in &terms {
                third_order.add(*place, Interval::point(*value));
                exact += value * place.iter().map(|j| x[*j]).product::<f64>();
            }
            let mut linear = [Interval::ZERO; 3];
            let error = third_order.economise(&mut linear).high();
            let kept: f64 = (0..3).map(|j| linear[j].guess() * x[j]).sum();
            prop_assert!((exact - kept).abs() <= error + 1e-12, "{exact} {kept} {error}");
        }
    }

    #[test]
    fn a_cube_costs_a_quarter_a_square_a_half_and_other_terms_all() {
        for (place, share, cost) in [
            ([0, 0, 0], [0.75, 0.0, 0.0], 0.25),
            ([0, 1, 0], [0.0, 0.5, 0.0], 0.5),
            ([1, 1, 2], [0.0, 0.0, 0.5], 0.5),
            ([2, 1, 0], [0.0; 3], 1.0),
        ] {
            let (mut third_order, mut linear) = (ThirdOrder::zero(3), [Interval::ZERO; 3]);
            third_order.add(place, Interval::point(-2.0));
            let error = third_order.economise(&mut linear);
            assert!((error.high() - 2.0 * cost).abs() < 1e-12, "{place:?}");
            assert!((0..3).all(|j| (linear[j].guess() + 2.0 * share[j]).abs() < 1e-12), "{place:?}");
        }
    }
}
