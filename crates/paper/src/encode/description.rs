//! What an exported program says about itself.

use super::Program;
use fathom_gp::{Criterion, NegativeVariance, PwlPosterior};

/// The feasibility tolerance to solve with.
const TOLERANCE: f64 = 1e-9;

impl Program<'_> {
    /// The same program with a description of it as comments, with which its files begin.
    #[must_use]
    pub fn described(mut self, name: &str) -> Self {
        for line in self.description(name) {
            self.model.add_comment(&line);
        }
        self
    }

    fn description(&self, name: &str) -> Vec<String> {
        let (exact, pwl) = (self.approximate.exact(), self.approximate.pwl());
        let mut lines = vec![format!("Problem: {name}")];
        lines.push(match self.objective {
            Some((criterion, _)) => format!("Objective: {criterion}, under the piecewise-linear kernel"),
            None => "Objective: posterior mean, under the piecewise-linear kernel (the sub-problem, without (5c))"
                .to_string(),
        });
        if let Some(group) = self.kernels.group() {
            let of = pwl.kernels().len();
            lines.push(format!("Group {} of {of} alone: its kernel, and no prior mean", group + 1));
        }
        lines.push(format!("N = {} observations, D = {} inputs", exact.y().len(), exact.x().dim()));
        for (_, term) in self.kernels.terms(self.approximate) {
            let inputs: Vec<String> = term.term.inputs().iter().map(|j| format!("x_{}", j + 1)).collect();
            let (kernel, segments) = (term.term.kernel().stated(), term.kernel.segments());
            lines.push(format!("Kernel of {}: {kernel}; M = {segments} segments", inputs.join(", ")));
        }
        lines.push(format!("eps_M = {:e}: no piecewise-linear covariance is further from the true one", pwl.error()));
        lines.push(format!("Repair: {}", repair(self.approximate)));
        if let Some((Criterion::Lcb { .. } | Criterion::Deviation | Criterion::Glcb { .. }, negative)) = self.objective
        {
            lines.push(match negative {
                NegativeVariance::Clamped => "Where the variance is negative, sigma is 0".to_string(),
                NegativeVariance::Excluded => {
                    "Points where the variance is negative are infeasible, as published".to_string()
                }
            });
        }
        lines.push(format!(
            "Solve with a feasibility tolerance of {TOLERANCE:e} (SCIP: numerics/feastol; Gurobi: FeasibilityTol and IntFeasTol): \
             r^2 near 0 turns 1e-6 into 1e-3, and the answer can be below the true minimum"
        ));
        lines
    }
}

fn repair(approximate: &PwlPosterior) -> String {
    match approximate.shift() {
        Some(0.0) => "none, the covariance matrix is as it was".to_string(),
        Some(shift) => format!("{shift:e} was added to the diagonal of the covariance matrix"),
        None => "eigenvalues of the covariance matrix were raised".to_string(),
    }
}
