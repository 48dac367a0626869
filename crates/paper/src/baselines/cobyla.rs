//! Constrained optimisation by linear approximations (Powell, 1994), in the version of PRIMA, which SciPy has too.
//!
//! The first radius is SciPy's, 1, whatever the box, so the method also evaluates points outside the box. Iterations
//! are evaluations.

use super::Settings;
use fathom_global::local::{Constrained, Objective, Rest, drive};

/// SciPy's `rhobeg`.
const FIRST_RADIUS: f64 = 1.0;

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    let solver = basin::Cobyla::new()
        .with_initial_radius(FIRST_RADIUS)
        // The final radius of Powell's method must be below the first.
        .with_final_radius(settings.tolerance.min(0.5 * FIRST_RADIUS));
    let state = basin::SelectedState::new(start.to_vec());
    let executor = basin::Executor::new(Constrained::new(objective), solver, state)
        .max_iter(u64::MAX)
        .max_cost_evals(settings.iterations);
    drive(executor, objective, start)
}
