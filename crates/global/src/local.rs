//! Local methods: a good point of a region, without a proof.
//!
//! | method | implementation | rows | derivatives |
//! |---|---|---|---|
//! | [`LbfgsB`](Method::LbfgsB) | `basin` | penalty | gradient |
//! | [`NelderMead`](Method::NelderMead) | `basin` | penalty | none |
//! | [`Cobyla`](Method::Cobyla) | `basin`, after PRIMA | native | none |
//! | [`Slsqp`](Method::Slsqp) | `basin`, after Kraft | native | gradient |
//! | [`TrustConstr`](Method::TrustConstr) | `trust_constr`, a primal-dual barrier in a trust region | native | gradient |
//! | [`MultiStart`](Method::MultiStart) | L-BFGS-B, or SLSQP under rows, from many points | native | gradient |
//!
//! All but the last start where they are told, by default at the origin moved into the box, and the defaults of
//! [`Settings`] are those of the paper's Appendix B. The penalty is the one of its Section 5.3: the function minimised
//! is f(x) + λ Σ v_i(x), v_i the amount by which row i is violated. For λ above the rows' multipliers its minimum is
//! the constrained one, but it has a kink there, at which L-BFGS-B may stop early.
//!
//! Integer sides are continuous to every method. The point it ends at is rounded, and where that breaks a row the
//! outcome says that it is not feasible.

mod cobyla;
mod drive;
mod lbfgsb;
mod multistart;
mod nelder_mead;
mod objective;
mod outcome;
mod settle;
mod slsqp;
mod trust_constr;

pub use multistart::MultiStart;
pub use outcome::{Ending, Outcome};
pub(crate) use settle::{reach, settle};

use crate::error::{Error, Result};
use crate::evaluator::Evaluate;
use crate::region::Region;
use crate::search::Stop;
use objective::{Objective, Watch};
use outcome::Rest;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// How to look for a good point.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// Many starts, the best of their ends.
    MultiStart(MultiStart),
    /// Limited-memory BFGS in a box (Zhu et al., 1997).
    LbfgsB,
    /// The simplex of Nelder and Mead (1965), projected into the box.
    NelderMead,
    /// Linear models on a simplex (Powell, 1994).
    Cobyla,
    /// Sequential least squares (Kraft, 1988).
    Slsqp,
    /// An interior point method in a trust region (after Byrd, Hribar and Nocedal, 1999).
    TrustConstr,
}

impl Method {
    /// Every method, with its default settings.
    pub const ALL: [Self; 6] = [
        Self::MultiStart(MultiStart::DEFAULT),
        Self::LbfgsB,
        Self::NelderMead,
        Self::Cobyla,
        Self::Slsqp,
        Self::TrustConstr,
    ];

    /// What it is called, here and in SciPy.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MultiStart(_) => "multistart",
            Self::LbfgsB => "l-bfgs-b",
            Self::NelderMead => "nelder-mead",
            Self::Cobyla => "cobyla",
            Self::Slsqp => "slsqp",
            Self::TrustConstr => "trust-constr",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|method| method.name() == name);
        known.ok_or_else(|| Error::UnknownMethod { name: name.to_owned() })
    }
}

/// Where a method starts and when it ends. The defaults are those of the paper's Appendix B.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The start, a point of the box at which every row holds; `None` is the origin moved into the box, rows or not.
    /// [`MultiStart`] samples its own and takes this one as a further start where it is given.
    pub start: Option<Vec<f64>>,
    /// Below this a method's own measure of progress counts as none, > 0; 1e-6 as in the paper. For each method what
    /// SciPy makes of `tol`: relative decrease and projected gradient (L-BFGS-B), size of the simplex in x and f
    /// (Nelder–Mead), final radius (COBYLA), accuracy (SLSQP), violation of the optimality conditions (trust-constr).
    pub tolerance: f64,
    /// Most iterations, per start; 1000 as in the paper. COBYLA's are evaluations.
    pub iterations: u64,
    /// λ, the price of a row's violation where the method does not know rows, > 0. The paper tries 10, 100 and 1000;
    /// acquisition values are of order 1, so the middle one is above the multipliers as a rule.
    pub penalty: f64,
    /// Seed of [`MultiStart`].
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
    fn validated(&self) -> Result<()> {
        for (name, value) in [("the tolerance", self.tolerance), ("the penalty", self.penalty)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::BadLimit { name, value, requirement: "finite and positive" });
            }
        }
        Ok(())
    }

    /// The start the caller asked for, if it is one.
    fn checked_start(&self, region: &Region) -> Result<Option<Vec<f64>>> {
        let Some(start) = &self.start else { return Ok(None) };
        if start.len() != region.dim() {
            return Err(Error::WrongStart { expected: region.dim(), found: start.len() });
        }
        for (side, value) in start.iter().copied().enumerate() {
            let (lower, upper) = (region.lower()[side], region.upper()[side]);
            // NaN must land in the error, so the comparison asks for what is good.
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
/// let (region, method) = (Region::new(&[(0.0, 1.0)])?, "slsqp".parse()?);
/// let found = local::minimise(&mut acquisition, &region, &method, &local::Settings::default(), &Stop::new(false))?;
/// assert!(found.feasible && found.ending == local::Ending::Converged);
/// # Ok::<(), fathom_global::Error>(())
/// ```
pub fn minimise(
    acquisition: &mut dyn Evaluate,
    region: &Region,
    method: &Method,
    settings: &Settings,
    stop: &Stop,
) -> Result<Outcome> {
    let inputs = acquisition.dim();
    if region.dim() != inputs {
        return Err(Error::WrongDimension { expected: inputs, found: region.dim() });
    }
    settings.validated()?;
    let start = settings.checked_start(region)?;
    let objective = Objective::new(acquisition, region, Watch::new(stop, settings.time));
    if let Method::MultiStart(multistart) = method {
        return multistart.run(&objective, start, settings);
    }
    let start = start.unwrap_or_else(|| origin(region));
    let rest = descend(method, &objective, &start, settings);
    Ok(objective.outcome(rest))
}

/// Zero, moved into the box.
fn origin(region: &Region) -> Vec<f64> {
    region.lower().iter().zip(region.upper()).map(|(lower, upper)| 0_f64.clamp(*lower, *upper)).collect()
}

/// One descent of a method that has one.
fn descend(method: &Method, objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    if settings.iterations == 0 {
        return Rest { x: start.to_vec(), iterations: 0, ending: Ending::IterationLimit };
    }
    if objective.region.lower() == objective.region.upper() {
        return Rest { x: start.to_vec(), iterations: 0, ending: Ending::Converged };
    }
    match method {
        Method::MultiStart(_) => multistart::descend(objective, start, settings),
        Method::LbfgsB => lbfgsb::run(objective, start, settings),
        Method::NelderMead => nelder_mead::run(objective, start, settings),
        Method::Cobyla => cobyla::run(objective, start, settings),
        Method::Slsqp => slsqp::run(objective, start, settings),
        Method::TrustConstr => trust_constr::run(objective, start, settings),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_by_its_name() {
        for method in Method::ALL {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert_eq!("newton".parse::<Method>(), Err(Error::UnknownMethod { name: "newton".into() }));
    }
}
