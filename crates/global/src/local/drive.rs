//! The objective in the form that `basin`'s solvers need, and the loop that drives the solvers.

use super::objective::{Halted, Objective};
use super::outcome::{Ending, Rest};
use crate::region::Row;
use basin::{
    BoxBounds, ConstraintDescription, ConstraintSet, ConstraintSolveError, CountsMirror, DenseMatrix, ExecutionLimit,
    Executor, NoLinearConstraints, NonlinearBlock, NonlinearBlocks, Solver, State, StepOutcome, Termination,
};

/// f + λ Σ v_i over the box alone, for methods that do not know rows.
pub struct Penalised<'o, 'a> {
    /// f.
    pub objective: &'o Objective<'a>,
    /// λ.
    pub penalty: f64,
}

impl basin::CostFunction for Penalised<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Halted;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Halted> {
        let violation: f64 = self.objective.region.rows().iter().map(|row| row.violation(x)).sum();
        Ok(self.objective.value(x)? + self.penalty * violation)
    }
}

impl basin::Gradient for Penalised<'_, '_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Halted> {
        self.cost_and_gradient(x).map(|(_, gradient)| gradient)
    }

    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Halted> {
        let mut gradient = vec![0.0; x.len()];
        let mut cost = self.objective.value_and_gradient(x, &mut gradient)?;
        for row in self.objective.region.rows() {
            let (value, violation) = (row.value(x), row.violation(x));
            if violation > 0.0 {
                cost += self.penalty * violation;
                let slope = if value > row.upper() { self.penalty } else { -self.penalty };
                row.add_gradient(x, slope, &mut gradient);
            }
        }
        Ok((cost, gradient))
    }
}

impl basin::Constraints for Penalised<'_, '_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        let region = self.objective.region;
        ConstraintSet::new().with_bounds(BoxBounds::new(Some(&region.lower), Some(&region.upper)))
    }
}

/// One side of a row as `scale (c(x) − bound)`, at most 0 or exactly 0. The scale has the side's sign and makes the row's
/// range over the box about 1, so that a method's tolerance means the same for every row.
#[derive(Clone, Copy)]
struct Side<'r> {
    row: &'r Row,
    scale: f64,
    bound: f64,
}

impl Side<'_> {
    fn value(&self, x: &[f64]) -> f64 {
        self.scale * (self.row.value(x) - self.bound)
    }
}

/// f over the box and its rows, for methods that know both.
pub struct Constrained<'o, 'a> {
    objective: &'o Objective<'a>,
    equalities: Vec<Side<'a>>,
    inequalities: Vec<Side<'a>>,
}

impl<'o, 'a> Constrained<'o, 'a> {
    /// The rows of the objective's region, each scaled to its range.
    pub fn new(objective: &'o Objective<'a>) -> Self {
        let (mut equalities, mut inequalities) = (Vec::new(), Vec::new());
        let region = objective.region;
        for row in region.rows() {
            let scale = row.weight(region.lower(), region.upper());
            if row.is_equality() {
                equalities.push(Side { row, scale, bound: row.upper() });
                continue;
            }
            let sides = [Side { row, scale, bound: row.upper() }, Side { row, scale: -scale, bound: row.lower() }];
            inequalities.extend(sides.into_iter().filter(|side| side.bound.is_finite()));
        }
        Self { objective, equalities, inequalities }
    }
}

impl basin::CostFunction for Constrained<'_, '_> {
    type Param = Vec<f64>;
    type Output = f64;
    type Error = Halted;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Halted> {
        self.objective.value(x)
    }
}

impl basin::Gradient for Constrained<'_, '_> {
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Halted> {
        self.cost_and_gradient(x).map(|(_, gradient)| gradient)
    }

    fn cost_and_gradient(&self, x: &Vec<f64>) -> Result<(f64, Vec<f64>), Halted> {
        let mut gradient = vec![0.0; x.len()];
        let cost = self.objective.value_and_gradient(x, &mut gradient)?;
        Ok((cost, gradient))
    }
}

impl basin::Constraints for Constrained<'_, '_> {
    type Set = ConstraintSet<BoxBounds<Vec<f64>>, NoLinearConstraints, NonlinearBlocks<NonlinearBlock, NonlinearBlock>>;

    fn constraints(&self) -> <Self::Set as ConstraintDescription>::Borrowed<'_> {
        let region = self.objective.region;
        ConstraintSet::new()
            .with_bounds(BoxBounds::new(Some(&region.lower), Some(&region.upper)))
            .with_nonlinear_equalities(self.equalities.len())
            .with_nonlinear_inequalities(self.inequalities.len())
    }
}

impl basin::NonlinearEqualityValues for Constrained<'_, '_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Halted;

    fn nonlinear_equalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Halted>> {
        Ok(self.equalities.iter().map(|side| side.value(x)).collect())
    }
}

impl basin::NonlinearInequalityValues for Constrained<'_, '_> {
    type Param = Vec<f64>;
    type Values = Vec<f64>;
    type Error = Halted;

    fn nonlinear_inequalities(&self, x: &Vec<f64>) -> Result<Vec<f64>, ConstraintSolveError<Halted>> {
        Ok(self.inequalities.iter().map(|side| side.value(x)).collect())
    }
}

impl basin::ConstraintJacobian for Constrained<'_, '_> {
    type Param = Vec<f64>;
    type Jacobian = DenseMatrix<f64>;
    type Error = Halted;

    fn constraint_jacobian(&self, x: &Vec<f64>) -> Result<DenseMatrix<f64>, ConstraintSolveError<Halted>> {
        let sides: Vec<_> = self.equalities.iter().chain(&self.inequalities).collect();
        let mut entries = vec![0.0; sides.len() * x.len()];
        for (side, gradient) in sides.iter().zip(entries.chunks_mut(x.len())) {
            side.row.add_gradient(x, side.scale, gradient);
        }
        Ok(DenseMatrix::from_row_slice(sides.len(), x.len(), &entries))
    }
}

/// A solver's error that may say that the solver was halted.
pub trait Cause {
    /// The reason; `None` if the solver refused the problem.
    fn halted(self) -> Option<Halted>;
}

impl Cause for ConstraintSolveError<Halted> {
    fn halted(self) -> Option<Halted> {
        match self {
            Self::Evaluation(halted) => Some(halted),
            // The box and the shapes of the rows were checked before; the rest is for future variants.
            Self::InvalidConstraints(_) | _ => None,
        }
    }
}

/// Runs a solver to its end.
pub fn drive<P, S, So>(executor: Executor<P, S, So>, objective: &Objective<'_>, start: &[f64]) -> Rest
where
    S: State<Param = Vec<f64>, Float = f64> + CountsMirror,
    So: Solver<P, S>,
    So::Error: Cause,
{
    objective.begin();
    let mut iterations = 0;
    let run = || -> Result<Rest, So::Error> {
        let mut stepper = executor.into_stepper()?;
        loop {
            let outcome = stepper.step()?;
            iterations = stepper.iter();
            if let StepOutcome::Stopped(report) = outcome {
                let x = stepper.into_state().param().clone();
                return Ok(Rest { x, iterations, ending: ending(&report.termination) });
            }
        }
    };
    match run() {
        Ok(rest) => rest,
        Err(error) => match error.halted() {
            Some(halted) => objective.cut_short(halted, start, iterations),
            None => Rest { x: start.to_vec(), iterations, ending: Ending::Stalled },
        },
    }
}

fn ending(termination: &Termination) -> Ending {
    match termination {
        Termination::Converged(_) | Termination::Target { .. } => Ending::Converged,
        Termination::Limit(limits) if limits.iter().all(|limit| matches!(limit, ExecutionLimit::Time { .. })) => {
            Ending::TimeLimit
        }
        Termination::Limit(_) => Ending::IterationLimit,
        Termination::Cancelled | Termination::Application(_) => Ending::Interrupted,
        // The last arm is for future variants.
        Termination::Stalled(_) | Termination::Failed(_) | _ => Ending::Stalled,
    }
}
