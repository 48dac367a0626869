//! The tree of boxes: how each box was narrowed, and how it ended. Split boxes point to their halves, so the leaves tile the
//! region by construction.

use crate::evidence::Evidence;

/// How a box was narrowed and how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// How it was narrowed, step by step.
    pub steps: Vec<Step>,
    /// How it ended.
    pub end: End,
}

/// The end of a box.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum End {
    /// A bound of a box around it is enough.
    #[default]
    Inherited,
    /// Its own bound is.
    Closed(Evidence),
    /// No point of it satisfies a row.
    Empty {
        /// The row.
        row: usize,
    },
    /// Its halves are looked at.
    Split {
        /// A bound of this box, which serves those of its parts that need no other.
        floor: Evidence,
        /// Which side is split.
        coordinate: usize,
        /// Where. A whole side ends here below and begins one further above.
        position: f64,
        /// The records of the lower and the upper half.
        halves: [usize; 2],
    },
}

/// How a box became smaller. `M` names a multiplier, as in [`Evidence`].
#[derive(Debug, Clone, PartialEq)]
pub enum Step<M = usize> {
    /// Everything outside the smaller box was proven too high.
    Narrowed {
        /// By what.
        evidence: Evidence<M>,
        /// Lower ends of the smaller box.
        lower: Vec<f64>,
        /// Its upper ends.
        upper: Vec<f64>,
    },
    /// What was cut off violates rows.
    Rows(Vec<Cut>),
}

impl<M> Step<M> {
    /// With other names for multipliers.
    pub fn renamed<N>(self, rename: impl FnOnce(M) -> N) -> Step<N> {
        match self {
            Self::Narrowed { evidence, lower, upper } => {
                Step::Narrowed { evidence: evidence.renamed(rename), lower, upper }
            }
            Self::Rows(cuts) => Step::Rows(cuts),
        }
    }
}

/// A row that leaves of one side only what lies between `lower` and `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The row.
    pub row: usize,
    /// The side.
    pub coordinate: usize,
    /// Its new lower end.
    pub lower: f64,
    /// Its new upper end.
    pub upper: f64,
}

impl Record {
    /// Everything that is offered as a bound of this box.
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
