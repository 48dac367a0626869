//! Every bound that the search finds for one box, before it is compared with a value or with another bound. Tests of
//! soundness need these bounds: once a bound is clamped to the best known value, no test sees that it is too high.

use super::{Node, Verdict};
use crate::bound::{Lower, Offer, ScaledBox};
use crate::problem::Problem;
use fathom_proof::Reason;

/// One bound of a box.
#[derive(Debug, Clone)]
pub struct BoxBound {
    /// `multiplier`, `tilted`, `moving` or `expansion`.
    pub kind: &'static str,
    /// No point of the box that satisfies the rows has a smaller value of the piece.
    pub bound: f64,
    /// Whether rows take part in the bound.
    pub uses_rows: bool,
    offer: Offer,
    scaled: ScaledBox,
    lengthscales: Vec<f64>,
    is_pointwise: bool,
}

/// The bounds of one box and what is left of the box.
#[derive(Debug, Clone)]
pub struct BoxReport {
    /// Every bound that was found, on the box that it was found for.
    pub bounds: Vec<BoxBound>,
    /// The lower ends of what is left of the box: everything else is at or above the cutoff, or violates a row.
    pub lower: Vec<f64>,
    /// The upper ends of what is left.
    pub upper: Vec<f64>,
    /// Whether the whole box is at or above the cutoff.
    pub is_pruned: bool,
    /// Whether the whole box violates a row.
    pub is_empty: bool,
}

impl BoxBound {
    /// The minorant at a point that satisfies the rows; `None` outside the box, or if the minorant is not one of the piece itself.
    pub fn at(&self, x: &[f64]) -> Option<f64> {
        if !self.contains(x) || !self.is_pointwise {
            return None;
        }
        let minorant = &self.offer.minorant;
        let part = |(j, x): (usize, &f64)| {
            let u = (x / self.lengthscales[j] - self.scaled.centre[j]) / self.scaled.half[j];
            minorant.slope[j] * u - 0.5 * minorant.shift[j] * u * u
        };
        Some(minorant.constant + x.iter().enumerate().map(part).sum::<f64>())
    }

    /// Whether the point lies in the box of this bound.
    pub fn contains(&self, x: &[f64]) -> bool {
        let Offer { lower, upper, .. } = &self.offer;
        x.iter().zip(lower.iter().zip(upper)).all(|(x, (low, high))| low <= x && x <= high)
    }
}

/// Bounds a box for one piece of the function as the search would, towards `cutoff`, starting from the piece's own weights.
pub fn bounds_of_box(problem: &Problem<'_>, piece: usize, lower: &[f64], upper: &[f64], cutoff: f64) -> BoxReport {
    let mut node = Node::new(problem, false);
    node.start(problem, piece);
    node.lower.copy_from_slice(lower);
    node.upper.copy_from_slice(upper);
    node.best.offers = Some(Vec::new());
    let verdict = node.run(problem, Lower::UNKNOWN, cutoff, &|| false);
    let bound = |offer: Offer| BoxBound {
        kind: match offer.reason {
            Reason::Multiplier(..) => "multiplier",
            Reason::Tilted(..) => "tilted",
            Reason::Moving(..) => "moving",
            Reason::Taylor { .. } => "expansion",
        },
        bound: offer.bound,
        uses_rows: offer.minorant.duals.iter().any(|dual| *dual != 0.0),
        scaled: ScaledBox::new(problem.objective(), &offer.lower, &offer.upper),
        lengthscales: problem.objective().lengthscales.clone(),
        is_pointwise: problem.improvement.is_none(),
        offer,
    };
    let offers = node.best.offers.take().unwrap_or_default();
    BoxReport {
        // NaN is never taken for a bound.
        bounds: offers.into_iter().filter(|offer| !offer.bound.is_nan()).map(bound).collect(),
        lower: node.lower.clone(),
        upper: node.upper.clone(),
        is_pruned: verdict == Verdict::Pruned,
        is_empty: matches!(verdict, Verdict::Empty { .. }),
    }
}
