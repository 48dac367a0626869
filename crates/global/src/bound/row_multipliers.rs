//! The rows in the bound; projected ascent finds their multipliers ν, and any ν is valid (docs/method.md, Lemma 8.1).

use super::constraint::{Constraint, ConstraintOnBox};
use super::quadratic::Quadratic;
use super::separable::Separable;
use crate::region::{Region, Vector};

/// The most steps of ascent.
const STEPS: usize = 6;

/// The rows on one box, in the coordinates of the cube, and their multipliers.
#[derive(Debug, Clone)]
pub(crate) struct RowMultipliers {
    rows: Vec<ConstraintOnBox>,
    /// The λ that the ascent begins with.
    pub multipliers: Vec<f64>,
    trial: Vec<f64>,
    sum: Quadratic,
    separable: Separable,
    /// The unit of the objective.
    unit: f64,
}

impl RowMultipliers {
    /// The rows of `region`, for an objective that is measured in `unit`.
    pub fn new(region: &Region, unit: f64) -> Self {
        let dim = region.dim();
        let row = |_| ConstraintOnBox::new(dim);
        let count = region.rows().len();
        Self {
            rows: (0..count).map(row).collect(),
            multipliers: vec![0.0; count],
            trial: vec![0.0; count],
            sum: Quadratic::zero(dim),
            separable: Separable::zero(),
            unit,
        }
    }

    /// Moves to the box with this centre and these half-widths, in the user's coordinates.
    pub fn place(&mut self, region: &Region, centre: &Vector, half: &Vector) {
        for (on_box, row) in self.rows.iter_mut().zip(region.rows()) {
            row.place(centre, half, on_box);
        }
    }

    /// Writes the minorant of `objective` for the best multipliers found, and these multipliers, to `out`.
    pub fn minorant(&mut self, objective: &Quadratic, cutoff: f64, out: &mut Separable) {
        if self.rows.is_empty() {
            objective.minorant(out);
            return;
        }
        out.value = f64::NEG_INFINITY;
        self.trial.copy_from_slice(&self.multipliers);
        for _ in 0..=STEPS {
            self.add_up(objective);
            self.sum.minorant(&mut self.separable);
            let gained = self.separable.value - out.value;
            if gained > 0.0 {
                out.clone_from(&self.separable);
                out.duals.clone_from(&self.trial);
            }
            // A bound far below the cutoff that hardly rises will not reach the cutoff.
            if gained < 0.02 * (cutoff - out.value) {
                return;
            }
            if out.value >= cutoff || !cutoff.is_finite() || !self.climb(cutoff) {
                return;
            }
        }
    }

    /// Computes objective + Σ λ (R − side), less what rounding may add.
    fn add_up(&mut self, objective: &Quadratic) {
        self.sum.copy_from(objective);
        let d = objective.dim;
        for (row, lambda) in self.rows.iter().zip(&self.trial).filter(|(_, lambda)| **lambda != 0.0) {
            let side = if *lambda > 0.0 { row.upper } else { row.lower };
            let rounding = row.units * f64::EPSILON * lambda.abs() * row.size;
            self.sum.constant += lambda * (row.function.constant - side) - rounding;
            self.sum.uncertainty += rounding;
            for j in 0..d {
                self.sum.linear[j] += lambda * row.function.linear[j];
                for k in 0..d {
                    self.sum.matrix[j][k] += lambda * row.function.matrix[j][k];
                }
            }
        }
    }

    /// Takes one step from the last minimum; false if no row asks for a step.
    fn climb(&mut self, cutoff: f64) -> bool {
        let x = &self.separable.at;
        let slope = |row: &ConstraintOnBox, lambda: f64| {
            let value = row.function.at(x);
            let pull = if value > row.upper || lambda > 0.0 {
                value - row.upper
            } else if value < row.lower || lambda < 0.0 {
                value - row.lower
            } else {
                0.0
            };
            // The unit is the row's own change over the box.
            pull / row.function.swing()
        };
        let square: f64 = self.rows.iter().zip(&self.trial).map(|(row, lambda)| slope(row, *lambda).powi(2)).sum();
        if !(square > 1e-18) {
            return false;
        }
        // The step aims a little above the cutoff, so that rounding does not leave the bound just below it.
        let step = (1.01 * (cutoff - self.separable.value) + 1e-9 * (self.unit + cutoff.abs())) / square;
        for (row, lambda) in self.rows.iter().zip(&mut self.trial) {
            let (before, change) = (*lambda, step * slope(row, *lambda) / row.function.swing());
            *lambda += change;
            // A multiplier does not change sides in one step; the next step may take the other side.
            if before * *lambda < 0.0 || (*lambda > 0.0 && row.upper == f64::INFINITY) {
                *lambda = 0.0;
            }
            if *lambda < 0.0 && row.lower == f64::NEG_INFINITY {
                *lambda = 0.0;
            }
        }
        true
    }
}
