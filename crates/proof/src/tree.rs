//! The tree of boxes: how each box was narrowed, and how the box ended. Split boxes name the records of their halves, so the
//! leaves tile the region by construction.

use crate::evidence::Evidence;

/// How a box was narrowed and how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// The steps that narrowed the box.
    pub steps: Vec<Step>,
    /// How the box ended.
    pub end: End,
}

/// The end of a box.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum End {
    /// The bound of a box that contains this box is enough.
    #[default]
    Inherited,
    /// The box's own bound is enough.
    Closed(Evidence),
    /// No point of the box satisfies a row.
    Empty {
        /// The row.
        row: usize,
    },
    /// The box is split into two halves.
    Split {
        /// A bound of this box, which its parts may inherit.
        floor: Evidence,
        /// The side that is split.
        coordinate: usize,
        /// The position of the split. On a whole-number side, the lower half ends here and the upper half begins one above.
        position: f64,
        /// The records of the lower and the upper half.
        halves: [usize; 2],
    },
}

/// How a box became smaller. `M` names a multiplier, as in [`Evidence`].
#[derive(Debug, Clone, PartialEq)]
pub enum Step<M = usize> {
    /// The function is proven to reach the claim everywhere outside the smaller box.
    Narrowed {
        /// The evidence for that.
        evidence: Evidence<M>,
        /// The lower ends of the smaller box.
        lower: Vec<f64>,
        /// The upper ends of the smaller box.
        upper: Vec<f64>,
    },
    /// Each part that was cut off violates a row.
    Rows(Vec<Cut>),
}

impl<M> Step<M> {
    /// The same step with other names for multipliers.
    pub fn renamed<N>(self, rename: impl FnOnce(M) -> N) -> Step<N> {
        match self {
            Self::Narrowed { evidence, lower, upper } => {
                Step::Narrowed { evidence: evidence.renamed(rename), lower, upper }
            }
            Self::Rows(cuts) => Step::Rows(cuts),
        }
    }
}

/// A row that cuts a side to the range from `lower` to `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The row.
    pub row: usize,
    /// The side.
    pub coordinate: usize,
    /// The new lower end of the side.
    pub lower: f64,
    /// The new upper end of the side.
    pub upper: f64,
}

impl Record {
    /// All evidence for this box.
    pub(crate) fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        let end = match &self.end {
            End::Inherited | End::Empty { .. } => None,
            End::Closed(evidence) | End::Split { floor: evidence, .. } => Some(evidence),
        };
        let narrowed = self.steps.iter().filter_map(|step| match step {
            Step::Narrowed { evidence, .. } => Some(evidence),
            Step::Rows(_) => None,
        });
        narrowed.chain(end)
    }
}
