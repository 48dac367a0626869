//! One kernel of a model's covariance, over its own group of inputs: σ² φ(u), with u the squared scaled distance or the
//! scaled inner product of the inputs in the group.

use crate::error::{Error, Result, positive};
use crate::kernel::{Argument, Kernel};
use crate::lanes::dot;
use crate::points::Points;
use crate::widest;
use std::ops::Range;

/// One kernel with its hyperparameters over a group of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    inputs: Vec<usize>,
    kernel: Kernel,
    variance: f64,
    lengthscales: Vec<f64>,
    /// Which of the lengthscales that a fit may move each input has, numbered in the order of the inputs.
    shares: Vec<usize>,
}

impl Term {
    /// A kernel of variance `variance` over `inputs`, with one lengthscale for all of them or one for each (ARD).
    pub fn new(kernel: Kernel, inputs: Vec<usize>, variance: f64, lengthscales: &[f64]) -> Result<Self> {
        let kernel = kernel.validated()?;
        positive("the kernel variance", variance)?;
        if inputs.is_empty() {
            return Err(Error::Empty { what: "a group of inputs" });
        }
        for l in lengthscales {
            positive("a lengthscale", *l)?;
        }
        let (lengthscales, shares) = match lengthscales {
            [one] => (vec![*one; inputs.len()], vec![0; inputs.len()]),
            many if many.len() == inputs.len() => (many.to_vec(), (0..inputs.len()).collect()),
            many => {
                return Err(Error::WrongLength {
                    what: "the list of lengthscales",
                    expected: inputs.len(),
                    found: many.len(),
                });
            }
        };
        Ok(Self { inputs, kernel, variance, lengthscales, shares })
    }

    /// With one lengthscale per input, so that fitting treats them as ARD.
    #[must_use]
    pub fn with_ard(mut self) -> Self {
        self.shares = (0..self.inputs.len()).collect();
        self
    }

    /// With one lengthscale for each of the `groups`, which list neighbouring inputs by their number: a fit moves the lengthscales
    /// of a group as one. The coordinates of a categorical input are such a group.
    ///
    /// # Panics
    /// Where the groups do not add up to the inputs.
    #[must_use]
    pub fn with_shared(mut self, groups: &[usize]) -> Self {
        assert!(groups.iter().sum::<usize>() == self.inputs.len(), "each input must be in one group");
        self.shares = groups.iter().enumerate().flat_map(|(group, size)| std::iter::repeat_n(group, *size)).collect();
        let firsts = self.free_lengthscales();
        self.set_lengthscales(firsts.into_iter());
        self
    }

    /// The inputs this term depends on.
    pub fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// σ_f² of this term.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// One lengthscale per input of the group, equal where the term is isotropic.
    pub fn lengthscales(&self) -> &[f64] {
        &self.lengthscales
    }

    /// Input index and 1/l² of each input in the group.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.inputs.iter().copied().zip(self.lengthscales.iter().map(|l| 1.0 / (l * l)))
    }

    /// Writes the kernel's argument between `x` and points `start..` to `u`.
    pub(crate) fn arguments(&self, points: &Points, start: usize, x: &[f64], u: &mut [f64]) {
        widest!(<'a> (
            term: &'a Term = self,
            points: &'a Points = points,
            start: usize = start,
            x: &'a [f64] = x,
            u: &'a mut [f64] = u,
        ) {
            u.fill(0.0);
            for (j, weight) in term.weights() {
                let (column, x) = (&points.column(j)[start..], x[j]);
                match term.kernel.argument() {
                    Argument::SquaredDistance => {
                        for (u, v) in u.iter_mut().zip(column) {
                            *u += weight * (x - v) * (x - v);
                        }
                    }
                    Argument::InnerProduct => {
                        for (u, v) in u.iter_mut().zip(column) {
                            *u += weight * x * v;
                        }
                    }
                }
            }
        });
    }

    /// The kernel's argument between `x` and itself.
    pub(crate) fn own_argument(&self, x: &[f64]) -> f64 {
        match self.kernel.argument() {
            Argument::SquaredDistance => 0.0,
            Argument::InnerProduct => self.weights().map(|(j, weight)| weight * x[j] * x[j]).sum(),
        }
    }

    /// Adds `Σ_i factors_i ∂u_i/∂x` to `gradient`, with `u_i` the argument between `x` and point i.
    pub(crate) fn add_argument_gradient(&self, points: &Points, x: &[f64], factors: &[f64], gradient: &mut [f64]) {
        widest!(<'a> (
            term: &'a Term = self,
            points: &'a Points = points,
            x: &'a [f64] = x,
            factors: &'a [f64] = factors,
            gradient: &'a mut [f64] = gradient,
        ) {
            for (j, weight) in term.weights() {
                let column = points.column(j);
                gradient[j] += match term.kernel.argument() {
                    Argument::SquaredDistance => {
                        2.0 * weight * factors.iter().zip(column).map(|(f, v)| f * (x[j] - v)).sum::<f64>()
                    }
                    Argument::InnerProduct => weight * dot(factors, column),
                };
            }
        });
    }

    /// The interval that the argument of [`Kernel::curve`] runs through when both points lie in the box `bounds`:
    /// [0, r_max] of distances, or the inner products.
    pub fn curve_range(&self, bounds: &[(f64, f64)]) -> Result<(f64, f64)> {
        if let Some(input) = self.inputs.iter().find(|input| **input >= bounds.len()) {
            let (expected, found) = (input + 1, bounds.len());
            return Err(Error::WrongLength { what: "the list of bounds", expected, found });
        }
        Ok(match self.kernel.argument() {
            Argument::SquaredDistance => {
                let width = |(j, weight): (usize, f64)| weight * (bounds[j].1 - bounds[j].0).powi(2);
                (0.0, self.weights().map(width).sum::<f64>().sqrt())
            }
            Argument::InnerProduct => self.weights().fold((0.0, 0.0), |(low, high), (j, weight)| {
                let (a, b) = bounds[j];
                let least = if a <= 0.0 && b >= 0.0 { a * b } else { (a * a).min(b * b) };
                (low + weight * least, high + weight * (a * a).max(b * b))
            }),
        })
    }

    /// The largest σ_f² φ(u(x, x)) for x in the box `bounds`, one for each input. Dot-product kernels grow with
    /// u = Σ x_j²/l_j² ≥ 0, their offset being none below 0.
    pub(crate) fn largest_variance(&self, bounds: &[(f64, f64)]) -> f64 {
        let largest = match self.kernel.argument() {
            Argument::SquaredDistance => 0.0,
            Argument::InnerProduct => {
                self.weights().map(|(j, weight)| weight * (bounds[j].0.powi(2)).max(bounds[j].1.powi(2))).sum()
            }
        };
        self.variance * self.kernel.value(largest)
    }

    /// The lengthscales that a fit may move: all under ARD, one if the term is isotropic.
    pub(crate) fn free_lengthscales(&self) -> Vec<f64> {
        self.sharing().map(|positions| self.lengthscales[positions.start]).collect()
    }

    /// The places, among the term's inputs, of those that share each free lengthscale.
    pub(crate) fn sharing(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.shares.chunk_by(|a, b| a == b).map(move |chunk| {
            start += chunk.len();
            start - chunk.len()..start
        })
    }

    /// Replaces the free lengthscales by the next ones.
    fn set_lengthscales(&mut self, mut next: impl Iterator<Item = f64>) {
        let places: Vec<Range<usize>> = self.sharing().collect();
        for place in places {
            self.lengthscales[place].fill(next.next().expect("one for each free lengthscale"));
        }
    }

    /// The kernel's own parameter where a fit may move it; an offset of exactly 0 stays 0.
    pub(crate) fn free_shape(&self) -> Option<f64> {
        self.kernel.shape().filter(|shape| *shape > 0.0)
    }

    /// Replaces the hyperparameters by the next ones, in the order of [`Covariance::parameters`](crate::Covariance::parameters).
    pub(crate) fn set_parameters(&mut self, mut next: impl FnMut() -> f64) {
        self.variance = next();
        self.set_lengthscales(std::iter::repeat_with(&mut next));
        if self.free_shape().is_some() {
            self.kernel = self.kernel.with_shape(next());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_ranges_enclose_every_pair_in_the_box() {
        let bounds = [(-1.0, 2.0), (0.5, 1.0)];
        for kernel in [Kernel::Rbf, Kernel::Linear { offset: 1.0 }] {
            let term = Term::new(kernel, vec![0, 1], 1.0, &[0.5, 2.0]).unwrap();
            let (low, high) = term.curve_range(&bounds).unwrap();
            assert!(term.curve_range(&bounds[..1]).is_err());
            let corners = |j: usize| [bounds[j].0, bounds[j].1];
            let mut reached = (f64::INFINITY, f64::NEG_INFINITY);
            for (a, b) in corners(0).into_iter().flat_map(|a| corners(0).map(|b| (a, b))) {
                for (c, d) in corners(1).into_iter().flat_map(|c| corners(1).map(|d| (c, d))) {
                    let t = match kernel.argument() {
                        Argument::SquaredDistance => (((a - b) / 0.5_f64).powi(2) + ((c - d) / 2.0).powi(2)).sqrt(),
                        Argument::InnerProduct => a * b / 0.25 + c * d / 4.0,
                    };
                    reached = (reached.0.min(t), reached.1.max(t));
                }
            }
            assert!((reached.0 - low).abs() < 1e-12 && (reached.1 - high).abs() < 1e-12, "{kernel:?}");
        }
    }
}
