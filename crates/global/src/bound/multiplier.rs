//! A multiplier g that replaces the weights of the posterior mean, and its energy relative to the exact weights
//! (docs/method.md, Theorem 1 and Lemma 2.3; rounding by Lemma 10.4).

use super::evidence::MultiplierId;
use crate::problem::{Piece, Tables};
use crate::rounding;
use fathom_gp::lanes::{dot, sum};
use fathom_gp::widest;

/// A multiplier g, and the energy of its difference from the weights.
#[derive(Debug, Clone)]
pub(crate) struct Multiplier {
    pub g: Vec<f64>,
    /// An upper bound of (g − a)ᵀK̂(g − a) for the exact weights a.
    pub energy: f64,
    /// The multiplier's place in the proof; kept up to date only if a proof is recorded.
    pub id: MultiplierId,
    /// The piece whose weights g replaces.
    pub piece: usize,
}

impl Multiplier {
    pub fn zero(n: usize) -> Self {
        Self { g: vec![0.0; n], energy: f64::INFINITY, id: MultiplierId::Known(0), piece: 0 }
    }

    pub fn copy_from(&mut self, other: &Self) {
        self.g.copy_from_slice(&other.g);
        self.energy = other.energy;
        self.id = other.id;
        self.piece = other.piece;
    }
}

/// Computes energies in memory of its own.
#[derive(Debug)]
pub(crate) struct Energy {
    difference: Vec<f64>,
    product: Vec<f64>,
    sizes: Vec<f64>,
}

impl Energy {
    pub fn new(tables: &Tables) -> Self {
        let zeros = vec![0.0; tables.width()];
        Self { difference: zeros.clone(), product: zeros.clone(), sizes: zeros }
    }

    /// (g − a)ᵀK̂(g − a), rounded so that it is never below the truth.
    pub fn of(&mut self, tables: &Tables, piece: &Piece, g: &[f64]) -> f64 {
        let n = tables.size();
        for ((t, g), a) in self.difference.iter_mut().zip(g).zip(&piece.weights) {
            *t = g - a;
        }
        tables.covariance.multiply(&self.difference, &mut self.product);
        let (energy, total) = widest!(<'a> (energy: &'a mut Energy = self) -> (f64, f64) {
            let Energy { difference, product, sizes } = energy;
            for (size, difference) in sizes.iter_mut().zip(&*difference) {
                *size = difference.abs();
            }
            (dot(difference, product), sum(sizes))
        });
        // The exact a adds at most 2|tᵀρ| + ρᵀK̂⁻¹ρ to the energy for ã with residual ρ, t = g − ã.
        let entry = rounding::form_entry(n as f64, tables.largest_entry(), tables.covariance_error);
        let rounding = entry * total * total + 2.0 * piece.residual * total + piece.residual_energy;
        (energy.max(0.0) + rounding) * piece.reach
    }
}
