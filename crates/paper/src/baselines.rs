//! The local methods that the paper compares with: a good point of a region, without a proof.
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
//! All but the last start at a given point, by default at the origin moved into the box. The defaults of [`Settings`]
//! are those of the paper's Appendix B, and the penalty is that of its Section 5.3.
//!
//! Integer sides are continuous to every method. The final point is rounded, and if that breaks a row, the outcome says
//! that the point is not feasible.

mod cobyla;
mod multistart;
mod nelder_mead;
mod trust_constr;

pub use fathom_global::local::{Ending, Outcome, Settings};
pub use multistart::MultiStart;

use crate::error::{Error, Result};
use fathom_global::local::{self, Objective, Rest, Watch, origin};
use fathom_global::{Evaluate, Region, Stop};
use std::fmt;
use std::str::FromStr;

/// How to look for a good point.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// Descents from many starts, of which the best counts.
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
    /// A method that does not know rows, with this λ in place of [`Settings::penalty`]. The paper tries three and reports the
    /// best.
    Penalised(Rowless, f64),
}

/// A method that does not know rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rowless {
    /// [`Method::LbfgsB`].
    LbfgsB,
    /// [`Method::NelderMead`].
    NelderMead,
}

impl From<Rowless> for Method {
    fn from(method: Rowless) -> Self {
        match method {
            Rowless::LbfgsB => Self::LbfgsB,
            Rowless::NelderMead => Self::NelderMead,
        }
    }
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

    /// The name of the method, here and in SciPy.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MultiStart(_) => "multistart",
            Self::LbfgsB => "l-bfgs-b",
            Self::NelderMead => "nelder-mead",
            Self::Cobyla => "cobyla",
            Self::Slsqp => "slsqp",
            Self::TrustConstr => "trust-constr",
            Self::Penalised(method, _) => Self::from(*method).name(),
        }
    }

    /// The method with a λ of its own; `None` if it knows rows, and so needs none.
    pub fn with_penalty(&self, penalty: f64) -> Option<Self> {
        match self {
            Self::LbfgsB | Self::Penalised(Rowless::LbfgsB, _) => Some(Self::Penalised(Rowless::LbfgsB, penalty)),
            Self::NelderMead | Self::Penalised(Rowless::NelderMead, _) => {
                Some(Self::Penalised(Rowless::NelderMead, penalty))
            }
            Self::MultiStart(_) | Self::Cobyla | Self::Slsqp | Self::TrustConstr => None,
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

/// The point that `method` finds, as evaluated by us.
///
/// ```
/// use fathom_global::{Region, Stop};
/// use fathom_gp::{Acquisition, Covariance, Criterion, Dataset, Kernel, Model};
/// use fathom_paper::baselines;
///
/// let data = Dataset::new(&[[0.1], [0.4], [0.8]], &[0.3, -0.2, 0.5])?;
/// let model = Model::new(Covariance::isotropic(Kernel::Matern52, 1, 1.0, 0.3)?, 1e-6)?;
/// let posterior = model.condition(&data)?;
/// let mut acquisition = Acquisition::new(&posterior, Criterion::Lcb { kappa: 2.0 })?;
///
/// let (region, method) = (Region::new(&[(0.0, 1.0)])?, "slsqp".parse()?);
/// let settings = baselines::Settings::default();
/// let found = baselines::minimise(&mut acquisition, &region, &method, &settings, &Stop::new(false))?;
/// assert!(found.feasible && found.ending == baselines::Ending::Converged);
/// # Ok::<(), fathom_paper::Error>(())
/// ```
pub fn minimise(
    acquisition: &mut dyn Evaluate,
    region: &Region,
    method: &Method,
    settings: &Settings,
    stop: &Stop,
) -> Result<Outcome> {
    if let Method::Penalised(rowless, penalty) = *method {
        let settings = Settings { penalty, ..settings.clone() };
        return minimise(acquisition, region, &rowless.into(), &settings, stop);
    }
    let start = settings.checked(acquisition.dim(), region)?;
    let objective = Objective::new(acquisition, region, Watch::new(stop, settings.time));
    if let Method::MultiStart(multistart) = method {
        return multistart.run(&objective, start, settings);
    }
    let start = start.unwrap_or_else(|| origin(region));
    let rest = descend(method, &objective, &start, settings);
    Ok(objective.outcome(rest))
}

/// Runs one descent of a method that descends once.
fn descend(method: &Method, objective: &Objective<'_>, start: &[f64], settings: &Settings) -> Rest {
    if let Some(rest) = settings.rest_at(objective.region, start) {
        return rest;
    }
    match method {
        Method::MultiStart(_) => local::Method::for_region(objective.region).descend(objective, start, settings),
        Method::LbfgsB | Method::Penalised(Rowless::LbfgsB, _) => {
            local::Method::LbfgsB.descend(objective, start, settings)
        }
        Method::NelderMead | Method::Penalised(Rowless::NelderMead, _) => nelder_mead::run(objective, start, settings),
        Method::Cobyla => cobyla::run(objective, start, settings),
        Method::Slsqp => local::Method::Slsqp.descend(objective, start, settings),
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

    #[test]
    fn a_penalty_is_for_methods_that_do_not_know_rows_and_leaves_the_name() {
        let with = |method: &Method| method.with_penalty(10.0).filter(|other| other.name() == method.name());
        let penalised: Vec<&str> =
            Method::ALL.iter().filter(|method| with(method).is_some()).map(Method::name).collect();
        assert_eq!(penalised, ["l-bfgs-b", "nelder-mead"]);
    }
}
