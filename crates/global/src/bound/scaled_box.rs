//! A box as centre c and half-widths h in scaled inputs, rounded so that it contains the original box (docs/method.md,
//! Lemma 3.1), and how far k(x, ·) moves on the box (Lemma 6.4).

use crate::problem::{Curve, KernelTerm, Tables};
use crate::region::{MOST_INPUTS, Vector};
use crate::rounding;

/// A box in scaled coordinates: centre and half-widths, rounded so that it contains the original box.
#[derive(Debug, Clone)]
pub(crate) struct ScaledBox {
    pub centre: Vector,
    pub half: Vector,
}

impl ScaledBox {
    pub fn new(tables: &Tables, lower: &[f64], upper: &[f64]) -> Self {
        let mut scaled = Self { centre: [0.0; MOST_INPUTS], half: [0.0; MOST_INPUTS] };
        for j in 0..tables.dim() {
            let (low, high, l) = (lower[j], upper[j], tables.lengthscales[j]);
            scaled.centre[j] = 0.5 * (low + high) / l;
            let reach = 0.5 * (high - low) / l;
            let rounding = rounding::SCALED_BOX * (low.abs().max(high.abs()) / l + reach);
            scaled.half[j] = reach + rounding + f64::MIN_POSITIVE;
        }
        scaled
    }

    /// An upper bound of ‖k(x, ·) − k(c, ·)‖ for x in the box and its centre c. For (z·z' + c)^m the bound is |z − c|
    /// times the largest slope of x ↦ k(x, ·), whose square is at most m² (c + |z|²)^(m−1).
    pub fn largest_distance(&self, tables: &Tables) -> f64 {
        let square = |term: &KernelTerm| {
            let radius: f64 = term.inputs.iter().map(|input| self.half[*input] * self.half[*input]).sum();
            match term.curve {
                // This leaves room for the errors of a checker's own kernel values.
                Curve::Monotone(_) | Curve::Chords(_) => {
                    2.0 * term.variance * (1.0 - term.curve.value(radius) + term.error)
                }
                // No bound of the deviation serves a polyline.
                Curve::Polyline(_) => f64::INFINITY,
                Curve::Power { degree, offset } => {
                    let most = term.inputs.iter().map(|input| (self.centre[*input].abs() + self.half[*input]).powi(2));
                    let slope =
                        f64::from(degree * degree) * (offset + most.sum::<f64>()).powi(degree.cast_signed() - 1);
                    term.variance * slope * radius * (1.0 + term.error)
                }
            }
        };
        (tables.terms.iter().map(square).sum::<f64>() * rounding::DISTANCE_UP).sqrt()
    }
}
