//! What a search writes down so that others can check it: a tree of boxes, each step with its reason.
//!
//! A record is kept of every box that was bounded: how it was narrowed, and how it ended. Split boxes point to their
//! halves, so the leaves tile the region by construction, once for each face of the function. A multiplier is any vector g
//! of N numbers.

mod file;
mod statement;

pub use file::FileError;
pub use statement::{StatedAcquisition, StatedFace, StatedNegative, StatedRow, StatedTerm, Statement};

use crate::propagation::Cut;

/// A proof that can be written to a file and read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// What is claimed.
    pub statement: Statement,
    pub(crate) multipliers: Vec<Vec<f64>>,
    /// First those of the whole region, one for each face.
    pub(crate) records: Vec<Record>,
}

/// How a box was narrowed and how it ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Record {
    pub steps: Vec<Step>,
    pub end: End,
}

/// The end of a box.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum End {
    /// A bound of a box around it is enough.
    #[default]
    Inherited,
    /// Its own bound is.
    Closed(Evidence),
    /// No point of it satisfies this row.
    Empty { row: usize },
    /// Its halves are looked at; a bound of its own serves those that need no other.
    Split { floor: Evidence, coordinate: usize, position: f64, halves: [usize; 2] },
}

/// Where a multiplier is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MultiplierId {
    /// In the proof's table.
    Known(usize),
    /// Among those the current node has added.
    Fresh(usize),
}

/// The degree of the polynomials in s that bound the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Two,
    Three,
}

/// Why a quadratic lies below the acquisition function on a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reason {
    /// The relaxation in s for a multiplier, by polynomials of this order.
    Multiplier(Order, MultiplierId),
    /// The relaxation for a multiplier g = a − τK̂⁻¹k(c), c the centre, with this τ.
    Tilted(Order, MultiplierId, f64),
    /// The relaxation for a multiplier that moves with x, by polynomials of this order, with this w.
    Moving(Order, f64),
    /// The second-order expansion at the centre, with this S0 and κ.
    Taylor { guess: f64, kappa: f64 },
}

/// A quadratic and the separable minorant taken of it, in the coordinates of the cube that the box is scaled to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Evidence {
    pub reason: Reason,
    /// δ.
    pub shift: Vec<f64>,
    /// x̂.
    pub at: Vec<f64>,
    /// λ, one for each row of the region.
    pub duals: Vec<f64>,
}

/// How a box became smaller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Everything outside the smaller box was proven too high.
    Narrowed { evidence: Evidence, lower: Vec<f64>, upper: Vec<f64> },
    /// What was cut off violates rows.
    Rows(Vec<Cut>),
}

/// What one node contributes to the proof.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub steps: Vec<Step>,
    pub fresh: Vec<Vec<f64>>,
}

impl Trail {
    pub fn clear(&mut self) {
        self.steps.clear();
        self.fresh.clear();
    }

    /// Keeps a copy of a multiplier.
    pub fn add(&mut self, g: &[f64]) -> MultiplierId {
        self.fresh.push(g.to_vec());
        MultiplierId::Fresh(self.fresh.len() - 1)
    }
}

impl Step {
    /// With every fresh multiplier's place in the table, which begins at `base`.
    pub fn settled(self, base: usize) -> Self {
        match self {
            Self::Narrowed { evidence, lower, upper } => {
                Self::Narrowed { evidence: evidence.settled(base), lower, upper }
            }
            Self::Rows(_) => self,
        }
    }
}

impl Evidence {
    /// With every fresh multiplier's place in the table, which begins at `base`.
    pub fn settled(mut self, base: usize) -> Self {
        if let Reason::Multiplier(_, id) | Reason::Tilted(_, id, _) = &mut self.reason {
            *id = id.settled(base);
        }
        self
    }
}

impl MultiplierId {
    pub fn settled(self, base: usize) -> Self {
        match self {
            Self::Known(_) => self,
            Self::Fresh(index) => Self::Known(base + index),
        }
    }
}
