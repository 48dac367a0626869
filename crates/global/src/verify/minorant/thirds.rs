//! The terms of third order of a polynomial on the cube [−1, 1]^D.

use crate::interval::Interval;

/// Σ c_jkl x_j x_k x_l over j ≥ k ≥ l.
pub(super) struct Thirds(Vec<Vec<Vec<Interval>>>);

impl Thirds {
    pub fn zero(dim: usize) -> Self {
        Self((0..dim).map(|j| (0..=j).map(|k| vec![Interval::ZERO; k + 1]).collect()).collect())
    }

    /// Adds `value` x_j x_k x_l, in any order.
    pub fn add(&mut self, mut place: [usize; 3], value: Interval) {
        place.sort_unstable();
        let term = &mut self.0[place[2]][place[1]][place[0]];
        *term = *term + value;
    }

    /// Adds x³ ≈ ¾x and x²y ≈ ½y to the linear terms, and returns how far from that, and xyz from 0, they can be in all.
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
                    error = error + Interval::point(term.size()) * (1.0 - share);
                }
            }
        }
        error
    }
}
