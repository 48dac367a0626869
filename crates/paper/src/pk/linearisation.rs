//! Algorithm 1's kernel approximation: k̃ over the region and the data, and the posterior under k̃.

use super::settings::{Breakpoints, Treatment};
use crate::error::Result;
use fathom_global::Region;
use fathom_gp::{NegativeVariance, Posterior, PwlCovariance, PwlPosterior, Repair};

impl Treatment {
    /// What becomes of points with σ̃² < 0.
    pub fn negative(self) -> NegativeVariance {
        match self {
            Self::KeepAll => NegativeVariance::Clamped,
            Self::Published => NegativeVariance::Excluded,
        }
    }
}

/// The smallest eigenvalue in the published code.
const PUBLISHED_FLOOR: f64 = 1e-6;

/// The posterior under the piecewise-linear kernel, made for the smallest box that holds `region` and all data.
pub fn linearise(
    posterior: &Posterior,
    region: &Region,
    breakpoints: Breakpoints,
    treatment: Treatment,
) -> Result<PwlPosterior> {
    let (data, covariance) = (posterior.x(), posterior.model().covariance.clone());
    if region.dim() != data.dim() {
        return Err(fathom_global::Error::WrongDimension { expected: data.dim(), found: region.dim() }.into());
    }
    let hull = |j: usize| {
        let ends = (region.lower()[j], region.upper()[j]);
        data.column(j).iter().fold(ends, |(low, high), x| (low.min(*x), high.max(*x)))
    };
    let bounds: Vec<(f64, f64)> = (0..region.dim()).map(hull).collect();
    let pwl = match breakpoints {
        Breakpoints::Paper => PwlCovariance::paper(covariance, &bounds)?,
        Breakpoints::Curvature(rule) => PwlCovariance::by_curvature(covariance, &bounds, rule)?,
        Breakpoints::Error(part) => PwlCovariance::with_relative_error(covariance, &bounds, part)?,
    };
    let repair = match treatment {
        // An exact kernel, of one segment, has no error and needs no shift.
        Treatment::KeepAll if pwl.error() > 0.0 => Repair::Shift { floor: pwl.error() },
        Treatment::KeepAll => Repair::None,
        Treatment::Published => Repair::Shift { floor: PUBLISHED_FLOOR },
    };
    Ok(PwlPosterior::new(posterior, pwl, repair)?)
}
