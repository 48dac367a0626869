//! The gap at which a value counts as optimal, if nobody says how large it may be.

use fathom_gp::{Criterion, Posterior, Term};

/// Of functions in the unit of the outputs: this times the prior deviation. Of log EI, which has no unit: this.
const ABSOLUTE: f64 = 1e-4;

/// Of large values, relative to them: they are not known to a ten-thousandth of the deviation.
const RELATIVE: f64 = 1e-6;

/// Of expected improvement and probability of improvement, which get as small as they like: absolute, and relative.
const OF_IMPROVEMENT: (f64, f64) = (1e-6, 1e-2);

/// An absolute gap and one relative to |value|; the larger allowance counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// In the function's units, ≥ 0.
    pub absolute: f64,
    /// Relative to |value|, ≥ 0.
    pub relative: f64,
}

impl Gap {
    /// The gap for a criterion under a posterior.
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

    /// What is asked for, which counts alone, or else `default`.
    pub fn asked(absolute: Option<f64>, relative: Option<f64>, default: impl FnOnce() -> Self) -> Self {
        match (absolute, relative) {
            (None, None) => default(),
            (absolute, relative) => Self { absolute: absolute.unwrap_or(0.0), relative: relative.unwrap_or(0.0) },
        }
    }
}
