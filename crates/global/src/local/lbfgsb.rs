//! Limited-memory BFGS in a box (Zhu, Byrd, Lu and Nocedal, 1997), with the settings SciPy derives from `tol`.

use super::Settings;
use super::drive::{Penalised, drive};
use super::objective::Objective;
use super::outcome::Rest;

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    let solver = basin::Lbfgsb::new()
        .with_absolute_projected_gradient_tolerance(settings.tolerance)
        .with_relative_cost_reduction_tolerance(settings.tolerance);
    let state = basin::FirstOrderState::new(start.to_vec());
    let seen = Penalised { objective, penalty: settings.penalty };
    drive(basin::Executor::new(seen, solver, state).max_iter(settings.iterations), objective, start)
}
