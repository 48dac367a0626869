//! Local methods: a good point of a region, without a proof.
//!
//! They are L-BFGS-B for a box and SLSQP for rows, both of `basin`. A method starts at a given point, by default at the
//! origin moved into the box. A method that does not know rows minimises f(x) + λ Σ v_i(x), where v_i is the violation
//! of row i. For λ above the rows' multipliers the minimum is the constrained one, but the function has a kink there,
//! at which L-BFGS-B may stop early.
//!
//! Other methods use the same [`Objective`] and [`drive`].
//!
//! Integer sides are continuous to every method but [`wide`()]. The final point is rounded, and if that breaks a row, the outcome says
//! that the point is not feasible.

mod descent;
mod drive;
mod lbfgsb;
mod objective;
mod outcome;
mod settle;
mod slsqp;
mod wide;

pub(crate) use descent::Descent;
pub use drive::{Cause, Constrained, Penalised, drive};
pub use objective::{Halted, Objective, Watch};
pub use outcome::{Ending, Outcome, Rest};
pub(crate) use settle::reach;
pub use settle::settle;
pub use wide::{arrive, wide};

use crate::error::{Error, Result};
use crate::limits::Stop;
use crate::problem::Evaluate;
use crate::region::Region;
use std::time::Duration;

/// How to look for a good point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Limited-memory BFGS in a box (Zhu et al., 1997).
    LbfgsB,
    /// Sequential least squares (Kraft, 1988).
    Slsqp,
}

impl Method {
    /// The method that suits a region: L-BFGS-B knows boxes alone.
    pub fn for_region(region: &Region) -> Self {
        if region.rows().is_empty() { Self::LbfgsB } else { Self::Slsqp }
    }

    /// One descent.
    pub fn descend(self, objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
        match self {
            Self::LbfgsB => lbfgsb::run(objective, start, settings),
            Self::Slsqp => slsqp::run(objective, start, settings),
        }
    }
}

/// The start of a method and the conditions of its end. The defaults are those of the paper's Appendix B.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The start, a point of the box at which every row holds; `None` is the origin moved into the box, whether the
    /// rows hold there or not. `MultiStart` samples its own starts and adds this one if it is given.
    pub start: Option<Vec<f64>>,
    /// A method stops if its own measure of progress is below this, > 0; 1e-6 as in the paper. The measure is that of
    /// SciPy's `tol`: relative decrease and projected gradient (L-BFGS-B), size of the simplex in x and f
    /// (Nelder–Mead), final radius (COBYLA), accuracy (SLSQP), violation of the optimality conditions (trust-constr).
    pub tolerance: f64,
    /// Most iterations, per start; 1000 as in the paper. For COBYLA these are evaluations.
    pub iterations: u64,
    /// λ > 0, the penalty of a row's violation if the method does not know rows. The paper tries 10, 100 and 1000;
    /// acquisition values are of order 1, so 100 is usually above the multipliers.
    pub penalty: f64,
    /// Seed of `MultiStart`.
    pub seed: u64,
    /// Wall-clock limit.
    pub time: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { start: None, tolerance: 1e-6, iterations: 1000, penalty: 100.0, seed: 0, time: None }
    }
}

impl Settings {
    /// The start that the caller asked for, if it is valid; settings and region must suit a function of `inputs` inputs.
    pub fn checked(&self, inputs: usize, region: &Region) -> Result<Option<Vec<f64>>> {
        if region.dim() != inputs {
            return Err(Error::WrongDimension { expected: inputs, found: region.dim() });
        }
        self.validated()?;
        self.checked_start(region)
    }

    /// The end of a descent that cannot begin: without iterations, or in a region of one point.
    pub fn rest_at(&self, region: &Region, start: &[f64]) -> Option<Rest> {
        let rest = |ending| Some(Rest { x: start.to_vec(), iterations: 0, ending });
        match () {
            () if self.iterations == 0 => rest(Ending::IterationLimit),
            () if region.lower() == region.upper() => rest(Ending::Converged),
            () => None,
        }
    }

    fn validated(&self) -> Result<()> {
        for (name, value) in [("the tolerance", self.tolerance), ("the penalty", self.penalty)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::BadLimit { name, value, requirement: "finite and positive" });
            }
        }
        Ok(())
    }

    /// The start that the caller asked for, if it is valid.
    fn checked_start(&self, region: &Region) -> Result<Option<Vec<f64>>> {
        let Some(start) = &self.start else { return Ok(None) };
        if start.len() != region.dim() {
            return Err(Error::WrongStart { expected: region.dim(), found: start.len() });
        }
        for (side, value) in start.iter().copied().enumerate() {
            let (lower, upper) = (region.lower()[side], region.upper()[side]);
            // NaN must be an error, so the comparison asks for the good case.
            if !(lower <= value && value <= upper) {
                return Err(Error::StartOutside { side, value, lower, upper });
            }
        }
        match region.rows().iter().position(|row| !row.holds(start)) {
            Some(row) => Err(Error::InfeasibleStart { row, violation: region.rows()[row].violation(start) }),
            None => Ok(Some(start.clone())),
        }
    }
}

/// The point that `method` finds, as evaluated by us.
///
/// ```
/// use fathom_global::{Region, Stop, local};
/// use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model};
///
/// let data = Dataset::new(&[[0.1], [0.4], [0.8]], &[0.3, -0.2, 0.5])?;
/// let model = Model::new(Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.3)?, 1e-6)?;
/// let posterior = model.condition(&data)?;
/// let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 })?;
///
/// let (region, method) = (Region::new(&[(0.0, 1.0)])?, local::Method::Slsqp);
/// let found = local::minimise(&mut acquisition, &region, method, &local::Settings::default(), &Stop::new(false))?;
/// assert!(found.feasible && found.ending == local::Ending::Converged);
/// # Ok::<(), fathom_global::Error>(())
/// ```
pub fn minimise(
    acquisition: &mut dyn Evaluate,
    region: &Region,
    method: Method,
    settings: &Settings,
    stop: &Stop,
) -> Result<Outcome> {
    let start = settings.checked(acquisition.dim(), region)?.unwrap_or_else(|| origin(region));
    let objective = Objective::new(acquisition, region, Watch::new(stop, settings.time));
    let rest = settings.rest_at(region, &start).unwrap_or_else(|| method.descend(&objective, &start, settings));
    Ok(objective.outcome(rest))
}

/// The origin, moved into the box.
pub fn origin(region: &Region) -> Vec<f64> {
    region.lower().iter().zip(region.upper()).map(|(lower, upper)| 0_f64.clamp(*lower, *upper)).collect()
}
