//! The default gap at which a value counts as optimal.

use fathom_gp::{Criterion, Posterior, Term};

/// The absolute gap of log EI, which has no unit; for functions in the unit of the outputs, times the prior deviation.
const ABSOLUTE: f64 = 1e-4;

/// The gap relative to |value|, since a large value is not known to a ten-thousandth of the deviation.
const RELATIVE: f64 = 1e-6;

/// The absolute and the relative gap of expected improvement and probability of improvement, which can be arbitrarily small.
const OF_IMPROVEMENT: (f64, f64) = (1e-6, 1e-2);

/// An absolute gap and a gap relative to |value|; the larger allowance counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The gap in the function's units, ≥ 0.
    pub absolute: f64,
    /// The gap relative to |value|, ≥ 0.
    pub relative: f64,
}

impl Gap {
    /// The default gap for a criterion under a posterior.
    pub fn default_for(posterior: &Posterior, criterion: Criterion) -> Self {
        let variance: f64 = posterior.model().covariance.terms().iter().map(Term::variance).sum();
        let (absolute, relative) = match criterion {
            Criterion::Ei { .. } => (OF_IMPROVEMENT.0 * variance.sqrt(), OF_IMPROVEMENT.1),
            Criterion::Pi { .. } => OF_IMPROVEMENT,
            Criterion::LogEi { .. } => (ABSOLUTE, RELATIVE),
            Criterion::Lcb { .. } | Criterion::Mean | Criterion::Deviation | Criterion::Glcb { .. } => {
                (ABSOLUTE * variance.sqrt(), RELATIVE)
            }
        };
        Self { absolute, relative }
    }

    /// The requested gaps, which count alone, or `default` if there is none.
    pub fn asked(absolute: Option<f64>, relative: Option<f64>, default: impl FnOnce() -> Self) -> Self {
        match (absolute, relative) {
            (None, None) => default(),
            (absolute, relative) => Self { absolute: absolute.unwrap_or(0.0), relative: relative.unwrap_or(0.0) },
        }
    }
}
