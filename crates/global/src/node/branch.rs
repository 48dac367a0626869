//! Where to split a box that stays open, and where in the box a good point may be.

use super::Node;
use crate::problem::Problem;

impl Node {
    /// The coordinate to branch on: a wide one that contributes much to the looseness of the bound.
    pub fn branching_coordinate(&mut self, problem: &Problem<'_>) -> usize {
        let (tables, dim, multiplier) = (problem.objective(), problem.dim(), &self.best.multiplier);
        let kappa = problem.pieces[multiplier.piece].kappa;
        let rho = (kappa * kappa + multiplier.energy).sqrt();
        let looseness = self.relaxation.looseness(tables, &multiplier.g, rho);
        let half = self.relaxation.half();
        let (width, loose): (f64, f64) = (half[..dim].iter().sum(), looseness[..dim].iter().sum());
        let score = |j: usize| {
            let share = if loose > 0.0 { looseness[j] / loose } else { 0.0 };
            if self.upper[j] > self.lower[j] { 0.3 * half[j] / width + 0.7 * share } else { -1.0 }
        };
        (0..dim).fold(0, |best, j| if score(j) > score(best) { j } else { best })
    }

    /// The low point in the user's coordinates, inside the box.
    pub fn low_point_in_box(&self, problem: &Problem<'_>, x: &mut [f64]) {
        for (j, x) in x.iter_mut().enumerate() {
            let (low, high) = (self.lower[j], self.upper[j]);
            let middle = 0.5 * (low + high);
            let reach = self.relaxation.half()[j] * problem.objective().lengthscales[j];
            *x = (middle + self.best.low_point[j] * reach).clamp(low, high);
        }
    }
}
