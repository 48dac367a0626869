//! The simplex of Nelder and Mead (1965), with trial points moved into the box.
//!
//! The first simplex is SciPy's: one vertex per side, 5 % along the side, or 0.00025 if the start is 0. A vertex that
//! would leave the box is mirrored.

use super::Settings;
use fathom_global::Region;
use fathom_global::local::{Objective, Penalised, Rest, drive};

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    let solver = basin::NelderMead::new()
        .with_absolute_simplex_size_tolerance(settings.tolerance)
        .with_relative_simplex_size_tolerance(None)
        .with_absolute_simplex_cost_tolerance(settings.tolerance)
        .with_relative_simplex_cost_tolerance(None)
        .projected();
    let state = basin::SimplexProgress::from_simplex(simplex(objective.region, start));
    let seen = Penalised { objective, penalty: settings.penalty };
    drive(basin::Executor::new(seen, solver, state).max_iter(settings.iterations), objective, start)
}

fn simplex(region: &Region, start: &[f64]) -> Vec<Vec<f64>> {
    let mut vertices = vec![start.to_vec(); start.len() + 1];
    for j in 0..start.len() {
        let (lower, upper) = (region.lower()[j], region.upper()[j]);
        let moved = if start[j] == 0.0 { 0.000_25 } else { 1.05 * start[j] };
        let mirrored = if moved > upper { 2.0 * upper - moved } else { moved };
        vertices[j + 1][j] = mirrored.clamp(lower, upper);
    }
    vertices
}
