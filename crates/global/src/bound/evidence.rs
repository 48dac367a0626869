//! What one node contributes to the proof.

use fathom_proof::{Evidence, Step};

/// The place of a multiplier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MultiplierId {
    /// In the proof's table.
    Known(usize),
    /// Among the multipliers that the current node has added.
    Fresh(usize),
}

impl MultiplierId {
    /// The multiplier's place in a table in which the fresh multipliers begin at `base`.
    pub fn place(self, base: usize) -> usize {
        match self {
            Self::Known(index) => index,
            Self::Fresh(index) => base + index,
        }
    }
}

/// What is written down about a node while it is bounded.
#[derive(Debug, Default)]
pub(crate) struct NodeRecord {
    pub steps: Vec<Step<MultiplierId>>,
    pub fresh: Vec<Vec<f64>>,
}

impl NodeRecord {
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

/// Evidence of a node; its multipliers may not have a place in the table yet.
pub(crate) type FreshEvidence = Evidence<MultiplierId>;
