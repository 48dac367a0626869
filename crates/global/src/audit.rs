//! How good is someone else's point?

use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::search::{Limits, Progress, Stop, minimise};

/// A point beside the certified optimum.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    /// The acquisition function at the point.
    pub value: f64,
    /// The certified optimum.
    pub certificate: Certificate,
}

impl Audit {
    /// Searches the whole region and evaluates `x`, which must be a point of it.
    pub fn new(
        problem: &Problem<'_>,
        x: &[f64],
        limits: &Limits,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Self> {
        let region = problem.region();
        if x.len() != region.dim() {
            return Err(Error::WrongStart { expected: region.dim(), found: x.len() });
        }
        for (side, value) in x.iter().copied().enumerate() {
            let (lower, upper) = (region.lower()[side], region.upper()[side]);
            // NaN must land in the error, so the comparison asks for what is good.
            if !(lower <= value && value <= upper) {
                return Err(Error::StartOutside { side, value, lower, upper });
            }
            if region.integer()[side] && value != value.round() {
                return Err(Error::NoInteger { side, lower: value, upper: value });
            }
        }
        if let Some(row) = region.rows().iter().position(|row| !row.holds(x)) {
            return Err(Error::InfeasibleStart { row, violation: region.rows()[row].violation(x) });
        }
        let value = problem.acquisition().clone().value(x);
        Ok(Self { value, certificate: minimise(problem, limits, stop, report)? })
    }

    /// Proven: the point is at least this far above the optimum. 0 where it is as good as what was found.
    pub fn at_least(&self) -> f64 {
        (self.value - self.certificate.value).max(0.0)
    }

    /// Proven: the point is at most this far above the optimum; `None` where nothing is proven yet.
    pub fn at_most(&self) -> Option<f64> {
        self.certificate.lower_bound.map(|bound| self.value - bound)
    }
}
