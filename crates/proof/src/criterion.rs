//! Acquisition functions: what makes a point worth trying, always to be minimised. Their names and their parameters.
//!
//! `docs/reference/proof.md` has the formula of each. Every other part of the project reads and writes criteria through this
//! module.

use crate::domain::{at_least_zero, number};
use crate::fault::{Fault, fault};
use crate::name::names;
use std::fmt::{self, Display, Formatter};

names! {
    /// The names of the criteria, without their parameters.
    CriterionName: "acquisition function" {
        /// Lower confidence bound.
        Lcb = "lcb",
        /// Posterior mean.
        Mean = "mean",
        /// Negative posterior deviation.
        Deviation = "deviation",
        /// Generalised lower confidence bound.
        Glcb = "glcb",
        /// Expected improvement.
        Ei = "ei",
        /// Logarithm of the expected improvement.
        LogEi = "log_ei",
        /// Probability of improvement.
        Pi = "pi",
    }
}

impl CriterionName {
    /// Whether it is an improvement over a best value.
    pub fn is_improvement(self) -> bool {
        match self {
            Self::Ei | Self::LogEi | Self::Pi => true,
            Self::Lcb | Self::Mean | Self::Deviation | Self::Glcb => false,
        }
    }

    /// Whether it is a confidence bound, with a κ.
    pub fn is_confidence_bound(self) -> bool {
        match self {
            Self::Lcb | Self::Glcb => true,
            Self::Mean | Self::Deviation | Self::Ei | Self::LogEi | Self::Pi => false,
        }
    }

    /// Whether it prices an imprecise prior mean.
    pub fn is_imprecise(self) -> bool {
        match self {
            Self::Glcb => true,
            Self::Lcb | Self::Mean | Self::Deviation | Self::Ei | Self::LogEi | Self::Pi => false,
        }
    }
}

/// The parameters that some criteria have; those of others are passed over.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CriterionFields {
    /// κ = β^½ of the confidence bounds.
    pub kappa: Option<f64>,
    /// What improvements are over.
    pub best: Option<f64>,
    /// ρ of the generalised confidence bound; 1 if it is not given.
    pub rho: Option<f64>,
    /// c, its degree of imprecision; 1 if it is not given.
    pub imprecision: Option<f64>,
}

/// What makes a point worth trying, always to be minimised. `best` is the smallest output observed so far, in general.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Lower confidence bound μ − κσ.
    Lcb {
        /// κ = β^½ ≥ 0.
        kappa: f64,
    },
    /// The posterior mean μ alone: pure exploitation.
    Mean,
    /// The negative posterior deviation −σ: pure exploration.
    Deviation,
    /// Generalised LCB (Rodemann and Augustin, 2024), which also rewards points where the choice of the prior mean
    /// still matters: μ − κσ − ρ·(width of the mean under an imprecise prior mean).
    Glcb {
        /// κ ≥ 0, the weight of σ.
        kappa: f64,
        /// ρ ≥ 0, the weight of the imprecision.
        rho: f64,
        /// c ≥ 0, the degree of imprecision of the prior mean.
        imprecision: f64,
    },
    /// The negative expected improvement over `best`.
    Ei {
        /// The value to improve on.
        best: f64,
    },
    /// The negative logarithm of the expected improvement: the same optima, without vanishing gradients (Ament et al., 2023).
    LogEi {
        /// The value to improve on.
        best: f64,
    },
    /// The negative probability of improvement.
    Pi {
        /// The value to improve on.
        best: f64,
    },
}

impl Criterion {
    /// The criterion of that name with its parameters.
    pub fn named(name: CriterionName, fields: CriterionFields) -> Result<Self, Fault> {
        let kappa = || match fields.kappa {
            Some(kappa) => Ok(kappa),
            None => fault("kappa", "it is missing: the confidence bounds need it"),
        };
        let best = || match fields.best {
            Some(best) => Ok(best),
            None => fault("best", "it is missing: an improvement is over something"),
        };
        Ok(match name {
            CriterionName::Lcb => Self::Lcb { kappa: kappa()? },
            CriterionName::Mean => Self::Mean,
            CriterionName::Deviation => Self::Deviation,
            CriterionName::Glcb => {
                let (rho, imprecision) = (fields.rho.unwrap_or(1.0), fields.imprecision.unwrap_or(1.0));
                Self::Glcb { kappa: kappa()?, rho, imprecision }
            }
            CriterionName::Ei => Self::Ei { best: best()? },
            CriterionName::LogEi => Self::LogEi { best: best()? },
            CriterionName::Pi => Self::Pi { best: best()? },
        })
    }

    /// Its name.
    pub fn name(self) -> CriterionName {
        match self {
            Self::Lcb { .. } => CriterionName::Lcb,
            Self::Mean => CriterionName::Mean,
            Self::Deviation => CriterionName::Deviation,
            Self::Glcb { .. } => CriterionName::Glcb,
            Self::Ei { .. } => CriterionName::Ei,
            Self::LogEi { .. } => CriterionName::LogEi,
            Self::Pi { .. } => CriterionName::Pi,
        }
    }

    /// The parameters that it has.
    pub fn fields(self) -> CriterionFields {
        let none = CriterionFields::default();
        match self {
            Self::Mean | Self::Deviation => none,
            Self::Lcb { kappa } => CriterionFields { kappa: Some(kappa), ..none },
            Self::Glcb { kappa, rho, imprecision } => {
                CriterionFields { kappa: Some(kappa), rho: Some(rho), imprecision: Some(imprecision), ..none }
            }
            Self::Ei { best } | Self::LogEi { best } | Self::Pi { best } => {
                CriterionFields { best: Some(best), ..none }
            }
        }
    }

    /// Names the first parameter that is out of its domain.
    pub(crate) fn check(self) -> Result<(), Fault> {
        let CriterionFields { kappa, best, rho, imprecision } = self.fields();
        kappa.map_or(Ok(()), |kappa| at_least_zero("kappa", kappa))?;
        rho.map_or(Ok(()), |rho| at_least_zero("rho", rho))?;
        imprecision.map_or(Ok(()), |imprecision| at_least_zero("imprecision", imprecision))?;
        best.map_or(Ok(()), |best| number("best", best))
    }
}

impl From<Criterion> for CriterionName {
    fn from(criterion: Criterion) -> Self {
        criterion.name()
    }
}

/// For people to read.
impl Display for Criterion {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lcb { kappa } => write!(f, "lower confidence bound, mean − {kappa} · deviation"),
            Self::Mean => write!(f, "posterior mean"),
            Self::Deviation => write!(f, "negative posterior deviation"),
            Self::Glcb { kappa, rho, imprecision } => {
                write!(f, "generalised lower confidence bound, κ = {kappa}, ρ = {rho}, imprecision {imprecision}")
            }
            Self::Ei { best } => write!(f, "negative expected improvement over {best}"),
            Self::LogEi { best } => write!(f, "negative logarithm of the expected improvement over {best}"),
            Self::Pi { best } => write!(f, "negative probability of improvement over {best}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_criterion_is_its_name_with_its_parameters() {
        let fields = CriterionFields { kappa: Some(2.0), best: Some(-0.5), rho: Some(0.7), imprecision: Some(0.4) };
        for name in CriterionName::ALL {
            let criterion = Criterion::named(*name, fields).unwrap();
            assert_eq!((criterion.name(), criterion.check()), (*name, Ok(())));
            assert_eq!(Criterion::named(*name, criterion.fields()), Ok(criterion));
            assert_eq!(criterion.fields().best.is_some(), name.is_improvement());
            assert_eq!(criterion.fields().kappa.is_some(), name.is_confidence_bound());
            assert_eq!(criterion.fields().rho.is_some(), name.is_imprecise());
        }
    }
}
