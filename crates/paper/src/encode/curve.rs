//! K = σ_f² k̃(t) for one argument t of a term's kernel: a distance r or an inner product p, to an observation or, for the
//! prior variance of a dot-product kernel, of x with itself.

use crate::error::Result;
use fathom_global::Region;
use fathom_gp::{Argument, PwlKernel, Term};
use fathom_miqp::{Expression, Kind, Model, Variable};

/// A term of the covariance with its piecewise-linear kernel.
#[derive(Debug, Clone, Copy)]
pub(super) struct PwlTerm<'a> {
    pub term: &'a Term,
    pub kernel: &'a PwlKernel,
}

/// The variables t and K, and the interval in which K lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Curve {
    argument: Variable,
    pub covariance: Variable,
    pub range: (f64, f64),
}

impl<'a> PwlTerm<'a> {
    pub fn is_dot_product(self) -> bool {
        self.term.kernel().argument() == Argument::InnerProduct
    }

    /// The inputs of the term with 1/l², each with the coordinate of an observation.
    fn sides(self, point: &[f64]) -> impl Iterator<Item = (usize, f64, f64)> + use<'a, '_> {
        let weights = self.term.lengthscales().iter().map(|l| 1.0 / (l * l));
        self.term.inputs().iter().zip(weights).map(|(j, weight)| (*j, weight, point[*j]))
    }

    /// t between `x` and an observation.
    pub fn argument(self, x: &[f64], point: &[f64]) -> f64 {
        match self.term.kernel().argument() {
            Argument::SquaredDistance => {
                self.sides(point).map(|(j, weight, centre)| weight * (x[j] - centre).powi(2)).sum::<f64>().sqrt()
            }
            Argument::InnerProduct => self.sides(point).map(|(j, weight, centre)| weight * x[j] * centre).sum(),
        }
    }

    /// σ_f² k̃(t).
    pub fn covariance(self, argument: f64) -> f64 {
        self.term.variance() * self.kernel.value(argument)
    }

    /// Adds t and K for an observation, with (5d) and (5e).
    pub fn add(self, model: &mut Model, label: &str, x: &[Variable], point: &[f64], region: &Region) -> Result<Curve> {
        match self.term.kernel().argument() {
            Argument::SquaredDistance => {
                let curve = self.add_curve(model, "r", label, self.distances(point, region))?;
                let r = curve.argument;
                let mut left = Expression::default();
                let mut constant = 0.0;
                for (j, weight, centre) in self.sides(point) {
                    left += weight * (x[j] * x[j]) - 2.0 * weight * centre * x[j];
                    constant += weight * centre * centre;
                }
                model.add_row(&format!("distance_{label}"), (left - r * r).equal_to(-constant))?;
                Ok(curve)
            }
            Argument::InnerProduct => {
                let curve = self.add_curve(model, "p", label, self.products(point, region))?;
                let left = Expression::linear(self.sides(point).map(|(j, weight, centre)| (x[j], weight * centre)));
                model.add_row(&format!("product_{label}"), (left - curve.argument).equal_to(0.0))?;
                Ok(curve)
            }
        }
    }

    /// Adds p and K of x with itself, the prior variance of a dot-product kernel.
    pub fn add_own(self, model: &mut Model, label: &str, x: &[Variable], region: &Region) -> Result<Curve> {
        let curve = self.add_curve(model, "p", label, self.squares(region))?;
        let mut left = Expression::default();
        for (j, weight, _) in self.sides(region.lower()) {
            left += weight * (x[j] * x[j]);
        }
        model.add_row(&format!("product_{label}"), (left - curve.argument).equal_to(0.0))?;
        Ok(curve)
    }

    /// Adds t in the interval `reach`, K, and the function between them.
    fn add_curve(self, model: &mut Model, name: &str, label: &str, reach: (f64, f64)) -> Result<Curve> {
        let breakpoints = self.kernel.breakpoints();
        let last = breakpoints.len() - 1;
        // The kernel is made for the whole box, so only rounding can reach beyond it.
        let [low, high] = [reach.0, reach.1].map(|t| t.clamp(breakpoints[0], breakpoints[last]));
        // Segments that end before the interval or begin after it are out of reach.
        let from = breakpoints[1..last].partition_point(|t| *t <= low);
        let to = breakpoints.partition_point(|t| *t < high).clamp(from + 1, last);
        let scaled = self.kernel.values().iter().map(|k| self.term.variance() * k);
        let curve: Vec<(f64, f64)> = breakpoints.iter().copied().zip(scaled).take(to + 1).skip(from).collect();

        let inner = curve.iter().filter(|(t, _)| *t > low && *t < high).map(|(_, k)| *k);
        let ends = [low, high].map(|t| self.covariance(t));
        let range = inner.chain(ends).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), k| (a.min(k), b.max(k)));

        let argument = model.add_variable(&format!("{name}_{label}"), Kind::Continuous, low, high)?;
        let covariance = model.add_variable(&format!("K_{label}"), Kind::Continuous, range.0, range.1)?;
        model.add_pwl(label, argument, covariance, &curve)?;
        Ok(Curve { argument, covariance, range })
    }

    /// The scaled distances from `point` to the nearest and the furthest point of the region's box.
    fn distances(self, point: &[f64], region: &Region) -> (f64, f64) {
        let (mut near, mut far) = (0.0, 0.0);
        for (j, weight, centre) in self.sides(point) {
            let (below, above) = (region.lower()[j] - centre, region.upper()[j] - centre);
            let outside = below.max(-above).max(0.0);
            near += weight * outside.powi(2);
            far += weight * below.abs().max(above.abs()).powi(2);
        }
        (near.sqrt(), far.sqrt())
    }

    /// The least and the largest inner product of `point` with a point of the region's box.
    fn products(self, point: &[f64], region: &Region) -> (f64, f64) {
        self.sides(point).fold((0.0, 0.0), |(low, high), (j, weight, centre)| {
            let ends = [region.lower()[j], region.upper()[j]].map(|x| weight * centre * x);
            (low + ends[0].min(ends[1]), high + ends[0].max(ends[1]))
        })
    }

    /// The least and the largest inner product of a point of the region's box with itself.
    fn squares(self, region: &Region) -> (f64, f64) {
        self.sides(region.lower()).fold((0.0, 0.0), |(low, high), (j, weight, lower)| {
            let upper = region.upper()[j];
            let nearest = lower.max(-upper).max(0.0);
            (low + weight * nearest.powi(2), high + weight * lower.abs().max(upper.abs()).powi(2))
        })
    }
}
