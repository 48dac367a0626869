//! Constrained optimisation by linear approximations (Powell, 1994), in the version of PRIMA that SciPy has too.
//!
//! The first radius is 1, SciPy's, whatever the box; points outside the box are evaluated on the way. Iterations are
//! evaluations.

use super::Settings;
use fathom_global::local::{Constrained, Objective, Rest, drive};

/// SciPy's `rhobeg`.
const FIRST_RADIUS: f64 = 1.0;

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    let solver = basin::Cobyla::new()
        .with_initial_radius(FIRST_RADIUS)
        // Powell's method has the final radius below the first one.
        .with_final_radius(settings.tolerance.min(0.5 * FIRST_RADIUS));
    let state = basin::SelectedState::new(start.to_vec());
    let executor = basin::Executor::new(Constrained::new(objective), solver, state)
        .max_iter(u64::MAX)
        .max_cost_evals(settings.iterations);
    drive(executor, objective, start)
}
