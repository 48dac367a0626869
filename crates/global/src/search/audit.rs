//! An audit says how good someone else's point is.
//!
//! It compares the point's value with the best known value and with the search's lower bound. Both values are evaluated
//! in floating point, without an enclosure, so neither difference is a proof. Only the bound is proven, by the search;
//! no proof file covers an audit.

use super::minimise;
use crate::certificate::Certificate;
use crate::error::{Error, Result};
use crate::limits::{Limits, Progress, Stop};
use crate::problem::{Evaluate, Problem};
use crate::region::Region;
use serde::Serialize;
use std::fmt;

/// A point beside the certified optimum.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    /// The acquisition function at the point, as evaluated in floating point.
    pub value: f64,
    /// Why the point is not in the region; empty if it is.
    pub violations: Vec<Violation>,
    /// A point that is outside by at most this much, in the units of what it breaks, counts as one of the region.
    pub tolerance: f64,
    /// The certified optimum.
    pub certificate: Certificate,
}

/// One reason why a point is not in a region. Sides and rows are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Violation {
    /// A coordinate lies outside its side.
    Side {
        /// The side.
        side: usize,
        /// How far outside.
        by: f64,
    },
    /// A coordinate should be a whole number.
    Whole {
        /// The side.
        side: usize,
        /// The distance from the nearest whole number.
        by: f64,
    },
    /// A coordinate should be one of the numbers of a list.
    Listed {
        /// The side.
        side: usize,
        /// The distance from the nearest of them.
        by: f64,
    },
    /// A row does not hold.
    Row {
        /// The row.
        row: usize,
        /// How far outside its sides the row's function is.
        by: f64,
    },
}

impl Violation {
    /// How far outside.
    pub fn by(self) -> f64 {
        match self {
            Self::Side { by, .. } | Self::Whole { by, .. } | Self::Listed { by, .. } | Self::Row { by, .. } => by,
        }
    }

    /// The sentence about it, with the name of each side and the text of each row. Rows are counted from 1 there.
    pub fn sentence(self, side: impl Fn(usize) -> String, row: impl Fn(usize) -> Option<String>) -> String {
        let by = size(self.by());
        match self {
            Self::Side { side: j, .. } => format!("{} is {by} outside the box", side(j)),
            Self::Whole { side: j, .. } => format!("{} is {by} from a whole number", side(j)),
            Self::Listed { side: j, .. } => format!("{} is {by} from a number of its list", side(j)),
            Self::Row { row: index, .. } => {
                let text = row(index).map(|text| format!(" ({text})")).unwrap_or_default();
                format!("constraint {}{text} is violated by {by}", index + 1)
            }
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(|side| format!("x{side}"), |_| None))
    }
}

/// A size in six digits, however small.
fn size(by: f64) -> String {
    let digits: f64 = format!("{by:.5e}").parse().unwrap_or(by);
    if (1e-4..1e6).contains(&digits) { digits.to_string() } else { format!("{digits:e}") }
}

impl Audit {
    /// Searches the whole region and compares `x` with the optimum.
    pub fn new(
        problem: &Problem<'_>,
        x: &[f64],
        limits: &Limits,
        stop: &Stop,
        report: impl FnMut(Progress),
    ) -> Result<Self> {
        check(problem.region(), x)?;
        Self::against(problem, minimise(problem, limits, stop, report)?, x)
    }

    /// Compares `x` with `certificate`, which must be one of this problem.
    pub fn against(problem: &Problem<'_>, certificate: Certificate, x: &[f64]) -> Result<Self> {
        check(problem.region(), x)?;
        let violations = violations(problem.region(), x);
        Ok(Self { value: problem.evaluator().clone().value(x), violations, tolerance: 0.0, certificate })
    }

    /// With a tolerance for points that another program calls feasible.
    #[must_use]
    pub fn within(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// Whether the point belongs to the region, up to the tolerance. The optimum is that of the region; a point outside may be
    /// lower, however little it is outside.
    pub fn is_feasible(&self) -> bool {
        self.violations.iter().all(|violation| violation.by() <= self.tolerance)
    }

    /// How far a point of the region lies above the best known point, and so at least above the minimum; 0 if the point
    /// is as good. This is a difference of two values in floating point, not a proof.
    pub fn at_least(&self) -> f64 {
        (self.value - self.certificate.value).max(0.0)
    }

    /// How far a point of the region lies above the minimum at most; `None` if no bound is known yet. This is the
    /// point's value in floating point less the search's bound, and as good as that value.
    pub fn at_most(&self) -> Option<f64> {
        self.certificate.lower_bound.map(|bound| self.value - bound)
    }
}

/// Refuses an `x` that is not a point.
fn check(region: &Region, x: &[f64]) -> Result<()> {
    if x.len() != region.dim() {
        return Err(Error::WrongStart { expected: region.dim(), found: x.len() });
    }
    match x.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(side) => {
            let (lower, upper) = (region.lower()[side], region.upper()[side]);
            Err(Error::StartOutside { side, value: x[side], lower, upper })
        }
    }
}

fn violations(region: &Region, x: &[f64]) -> Vec<Violation> {
    let sides = (0..x.len()).filter_map(|side| {
        let by = (region.lower()[side] - x[side]).max(x[side] - region.upper()[side]);
        (by > 0.0).then_some(Violation::Side { side, by })
    });
    let off = |side: usize| (x[side] - region.nearest(side, x[side])).abs();
    let whole = (0..x.len()).filter(|side| off(*side) != 0.0);
    let whole = whole.map(|side| match region.values(side) {
        Some(_) => Violation::Listed { side, by: off(side) },
        None => Violation::Whole { side, by: off(side) },
    });
    let rows = region.rows().iter().enumerate().filter(|(_, row)| !row.holds(x));
    sides.chain(whole).chain(rows.map(|(row, held)| Violation::Row { row, by: held.violation(x) })).collect()
}
