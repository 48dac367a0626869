//! Sequential least squares programming (Kraft, 1988).

use super::Settings;
use super::drive::{Constrained, drive};
use super::objective::Objective;
use super::outcome::Rest;

pub(super) fn run(objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    let solver = basin::Slsqp::new().with_absolute_accuracy_tolerance(settings.tolerance);
    let state = basin::SelectedFirstOrderState::new(start.to_vec());
    let executor = basin::Executor::new(Constrained::new(objective), solver, state).max_iter(settings.iterations);
    drive(executor, objective, start)
}
