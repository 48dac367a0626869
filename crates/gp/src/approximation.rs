//! The posterior under the piecewise-linear kernel, Eq. (3) of the paper:
//!
//! ```text
//! μ̃(x) = m + k̃(x)ᵀ ã,   ã = K̃⁻¹(y − m)        σ̃²(x) = k̃(x, x) − k̃(x)ᵀ K̃⁻¹ k̃(x)
//! ```
//!
//! with K̃ = K̃_XX + σ_ε² I plus the jitter of the true posterior, if any. K̃ is repaired if it is not positive definite. σ̃²
//! can be negative, because k̃ is not a covariance function.
//!
//! k̃ is made for a box of inputs. Its error is proven only for pairs of points in that box, so the covariance keeps the box,
//! and data outside the box are refused.

use crate::covariance::Covariance;
use crate::cross_row::CrossRow;
use crate::error::{BoxSide, Error, Result, ordered, same_length};
use crate::kernel::Argument;
use crate::lanes::{dot, widest};
use crate::points::Points;
use crate::posterior::{Model, Posterior};
use crate::pwl::{Curvature, PwlKernel};
use crate::spectrum::{Indefiniteness, Repair, Spectrum};
use crate::term::Term;
use faer::Mat;

/// A covariance whose kernels are replaced by piecewise-linear kernels over a box of inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct PwlCovariance {
    covariance: Covariance,
    kernels: Vec<PwlKernel>,
    bounds: Vec<(f64, f64)>,
}

/// The shortest range of a term's distances or inner products, relative to the size of the numbers in it. A shorter range is
/// widened: a box may be flat in every input of a group, and a segment needs a length.
const SHORTEST_RANGE: f64 = 1e-9;

impl PwlCovariance {
    /// The paper's breakpoints for every term, over the distances or inner products that the box `bounds` allows.
    ///
    /// Sides of the box may have no width. If that leaves a term without a range, its kernel is made for a range of relative
    /// length 1e-9.
    pub fn paper(covariance: Covariance, bounds: &[(f64, f64)]) -> Result<Self> {
        Self::by_curvature(covariance, bounds, Curvature::default())
    }

    /// Breakpoints by curvature for every term, with a threshold or a number of segments of one's own; the box as for
    /// [`paper`](Self::paper).
    pub fn by_curvature(covariance: Covariance, bounds: &[(f64, f64)], rule: Curvature) -> Result<Self> {
        let own = |term: &Term, range| PwlKernel::by_curvature(term.kernel(), term.inputs().len(), range, rule);
        Self::build(covariance, bounds, own)
    }

    /// Breakpoints for a total error of at most `error`, divided among the terms by their variance; the box as for
    /// [`paper`](Self::paper).
    pub fn with_error(covariance: Covariance, bounds: &[(f64, f64)], error: f64) -> Result<Self> {
        let total: f64 = covariance.terms().iter().map(Term::variance).sum();
        Self::build(covariance, bounds, |term, range| PwlKernel::with_error(term.kernel(), range, error / total))
    }

    /// Breakpoints for an error of each term of at most this part of the term's largest prior variance in the box, so that
    /// [`error`](Self::error) is at most the same part of [`largest_variance`](Self::largest_variance); the box as for
    /// [`paper`](Self::paper).
    ///
    /// The variance of a dot-product kernel grows with its inputs, so its σ_f² alone says nothing of its size.
    pub fn with_relative_error(covariance: Covariance, bounds: &[(f64, f64)], part: f64) -> Result<Self> {
        Self::build(covariance, bounds, |term, range| {
            let largest = term.largest_variance(bounds) / term.variance();
            // A kernel that is 0 in the whole box has no size.
            let size = if largest == 0.0 { 1.0 } else { largest };
            PwlKernel::with_error(term.kernel(), range, part * size)
        })
    }

    fn build(
        covariance: Covariance,
        bounds: &[(f64, f64)],
        kernel: impl Fn(&Term, (f64, f64)) -> Result<PwlKernel>,
    ) -> Result<Self> {
        same_length("the list of bounds", covariance.dim(), bounds.len())?;
        for bound in bounds {
            ordered("a side of the box", *bound)?;
        }
        let widened = |(low, high): (f64, f64)| (low, high.max(low + SHORTEST_RANGE * low.abs().max(1.0)));
        let build = |term: &Term| kernel(term, widened(term.curve_range(bounds)?));
        let kernels = covariance.terms().iter().map(build).collect::<Result<_>>()?;
        Ok(Self { covariance, kernels, bounds: bounds.to_vec() })
    }

    /// The covariance that is approximated.
    pub fn covariance(&self) -> &Covariance {
        &self.covariance
    }

    /// The piecewise-linear kernel of each term.
    pub fn kernels(&self) -> &[PwlKernel] {
        &self.kernels
    }

    /// The box of inputs in which the error is proven.
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// ε_M: an upper bound of |k(x, x') − k̃(x, x')| in the box.
    pub fn error(&self) -> f64 {
        self.terms().map(|(term, kernel)| term.variance() * kernel.error()).sum()
    }

    /// An upper bound of |k(x, x) − k̃(x, x)| in the box. Stationary terms add nothing, because their k̃ equals k at distance
    /// 0.
    pub fn own_error(&self) -> f64 {
        let moves = |term: &Term| term.kernel().argument() == Argument::InnerProduct;
        self.terms().filter(|(term, _)| moves(term)).map(|(term, kernel)| term.variance() * kernel.error()).sum()
    }

    /// The largest prior variance k(x, x) in the box.
    pub fn largest_variance(&self) -> f64 {
        self.covariance.terms().iter().map(|term| term.largest_variance(&self.bounds)).sum()
    }

    fn terms(&self) -> impl Iterator<Item = (&Term, &PwlKernel)> {
        self.covariance.terms().iter().zip(&self.kernels)
    }

    /// The lower triangle of K̃_XX with `noise` added to the diagonal.
    pub fn gram(&self, points: &Points, noise: f64) -> Result<Mat<f64>> {
        self.covariance.check(points)?;
        Ok(self.covariance.gram_with(points, noise, |term, u, phi| fill(&self.kernels[term], u, phi)))
    }

    /// k̃(x, x_i) for every point. Beyond the box k̃ keeps the values at the ends of its range.
    pub fn cross(&self, points: &Points, x: &[f64]) -> Result<Vec<f64>> {
        self.covariance.check(points)?;
        points.check(x)?;
        let mut row = CrossRow::new(&self.covariance, points.len());
        row.values_with(&self.covariance, points, x, |term, u, phi| fill(&self.kernels[term], u, phi));
        Ok(row.covariances)
    }

    /// k̃(x, x) for one term or for all terms; `x` must have the right length.
    pub(crate) fn prior_variance_at(&self, x: &[f64], group: Option<usize>) -> f64 {
        let own = |(term, kernel): (&Term, &PwlKernel)| term.variance() * kernel.value(term.own_argument(x));
        match group {
            None => self.terms().map(own).sum(),
            Some(group) => self.terms().nth(group).map_or(0.0, own),
        }
    }

    /// Adds the gradient of k̃(x, x), for one term or for all terms, to `gradient`. Only inner products have one.
    pub(crate) fn add_prior_gradient(&self, x: &[f64], group: Option<usize>, gradient: &mut [f64]) {
        for (index, (term, kernel)) in self.terms().enumerate() {
            let counts = group.is_none_or(|group| group == index);
            if counts && term.kernel().argument() == Argument::InnerProduct {
                let slope = term.variance() * kernel.value_and_slope(term.own_argument(x)).1;
                term.weights().for_each(|(j, weight)| gradient[j] += 2.0 * slope * weight * x[j]);
            }
        }
    }

    /// k̃(x, x).
    pub fn prior_variance(&self, x: &[f64]) -> Result<f64> {
        Ok(self.cross(&Points::from_rows(&[x])?, x)?[0])
    }

    /// Returns an error that names the first input of `points` outside the box.
    fn check_inside(&self, points: &Points) -> Result<()> {
        for (row, point) in points.rows().enumerate() {
            for (input, (value, (lower, upper))) in point.into_iter().zip(&self.bounds).enumerate() {
                let (side, bound) = match value {
                    v if v < *lower => (BoxSide::Lower, *lower),
                    v if v > *upper => (BoxSide::Upper, *upper),
                    _ => continue,
                };
                return Err(Error::OutsideBox { row, input, value, side, bound });
            }
        }
        Ok(())
    }
}

/// Writes k̃ at each kernel argument u (squared distance or inner product) to `phi`.
fn fill(kernel: &PwlKernel, u: &[f64], phi: &mut [f64]) {
    for (phi, u) in phi.iter_mut().zip(u) {
        *phi = kernel.value(match kernel.kernel().argument() {
            Argument::SquaredDistance => u.sqrt(),
            Argument::InnerProduct => *u,
        });
    }
}

/// The posterior of Eq. (3), together with the posterior that it approximates.
#[derive(Debug, Clone)]
pub struct PwlPosterior {
    exact: Posterior,
    pwl: PwlCovariance,
    spectrum: Spectrum,
    inverse: Mat<f64>,
    weights: Vec<f64>,
    indefiniteness: Option<Indefiniteness>,
    shift: Option<f64>,
}

impl PwlPosterior {
    /// The approximation of `posterior` by `pwl`, with the same data, noise, jitter and prior mean. `pwl` must be made
    /// from the covariance of the posterior, for a box that contains all of its data.
    pub fn new(posterior: &Posterior, pwl: PwlCovariance, repair: Repair) -> Result<Self> {
        let Model { covariance, noise, mean } = posterior.model();
        if *covariance != pwl.covariance {
            return Err(Error::DifferentCovariance);
        }
        pwl.check_inside(posterior.x())?;
        let spectrum = Spectrum::new(&pwl.gram(posterior.x(), noise + posterior.factor().jitter())?)?;
        let indefiniteness = spectrum.indefiniteness();
        let shift = repair.shift(spectrum.values()[0]);
        let spectrum = spectrum.repaired(repair)?;
        let inverse = spectrum.inverse()?;
        let centred: Vec<f64> = posterior.y().iter().map(|y| y - mean).collect();
        let weights = multiply(&inverse, &centred);
        Ok(Self { exact: posterior.clone(), pwl, spectrum, inverse, weights, indefiniteness, shift })
    }

    /// The number that the repair added to the diagonal of K̃; `None` if the repair changed the matrix in another way.
    pub fn shift(&self) -> Option<f64> {
        self.shift
    }

    /// The posterior that is approximated.
    pub fn exact(&self) -> &Posterior {
        &self.exact
    }

    /// The piecewise-linear covariance.
    pub fn pwl(&self) -> &PwlCovariance {
        &self.pwl
    }

    /// ã = K̃⁻¹(y − m).
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// K̃⁻¹ after the repair.
    pub fn inverse(&self) -> &Mat<f64> {
        &self.inverse
    }

    /// The spectrum of K̃ after the repair.
    pub fn spectrum(&self) -> &Spectrum {
        &self.spectrum
    }

    /// How far K̃ was from positive definite before the repair; `None` if K̃ was positive definite.
    pub fn indefiniteness(&self) -> Option<Indefiniteness> {
        self.indefiniteness
    }

    /// μ̃(x) and σ̃²(x), which can be negative. What is proven about both holds for x in the box.
    pub fn predict(&self, x: &[f64]) -> Result<(f64, f64)> {
        let cross = self.pwl.cross(self.exact.x(), x)?;
        let solved = multiply(&self.inverse, &cross);
        let (linear, explained) = widest(|| (dot(&cross, &self.weights), dot(&cross, &solved)));
        Ok((self.exact.model().mean + linear, self.pwl.prior_variance(x)? - explained))
    }
}

fn multiply(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    let n = vector.len();
    (0..n).map(|i| (0..n).map(|j| matrix[(i, j)] * vector[j]).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, Kernel};

    fn additive() -> Covariance {
        let first = Term::new(Kernel::Matern32, vec![2, 0], 0.7, &[0.4, 0.9]).unwrap();
        let second = Term::new(Kernel::Polynomial { degree: 2, offset: 0.3 }, vec![1], 0.2, &[1.3]).unwrap();
        Covariance::new(3, vec![first, second]).unwrap()
    }

    fn posterior(x: &[[f64; 3]]) -> Posterior {
        let y: Vec<f64> = (0..x.len()).map(|i| i as f64).collect();
        Model::new(additive(), 1e-2).unwrap().condition(&Dataset::new(x, &y).unwrap()).unwrap()
    }

    #[test]
    fn data_outside_the_box_are_refused_by_row_and_input() {
        let pwl = PwlCovariance::paper(additive(), &[(0.0, 1.0), (-1.0, 1.0), (0.0, 2.0)]).unwrap();
        let run = |x: &[[f64; 3]]| PwlPosterior::new(&posterior(x), pwl.clone(), Repair::None).map(|_| ());
        assert_eq!(run(&[[0.0, -1.0, 0.0], [1.0, 1.0, 2.0]]), Ok(()));
        let above = Error::OutsideBox { row: 1, input: 2, value: 2.5, side: BoxSide::Upper, bound: 2.0 };
        assert_eq!(run(&[[0.0, 0.0, 0.0], [0.5, 0.5, 2.5]]), Err(above.clone()));
        let below = Error::OutsideBox { row: 0, input: 1, value: -1.1, side: BoxSide::Lower, bound: -1.0 };
        assert_eq!(run(&[[0.0, -1.1, 0.0]]), Err(below));
        assert!(above.to_string().contains("row 1") && above.to_string().contains("upper bound 2"), "{above}");
    }

    #[test]
    fn a_covariance_other_than_the_posteriors_is_refused() {
        let other = Covariance::isotropic(Kernel::Rbf, 3, 1.0, 0.5).unwrap();
        let pwl = PwlCovariance::paper(other, &[(0.0, 1.0); 3]).unwrap();
        let mixed = PwlPosterior::new(&posterior(&[[0.5; 3]]), pwl, Repair::None);
        assert_eq!(mixed.map(|_| ()), Err(Error::DifferentCovariance));
    }

    #[test]
    fn invalid_boxes_are_refused() {
        let build = |bounds: &[(f64, f64)]| PwlCovariance::with_error(additive(), bounds, 1e-3);
        assert!(matches!(build(&[(0.0, 1.0); 2]), Err(Error::WrongLength { expected: 3, found: 2, .. })));
        assert!(matches!(build(&[(0.0, 1.0); 4]), Err(Error::WrongLength { expected: 3, found: 4, .. })));
        assert!(matches!(build(&[(0.0, 1.0), (1.0, 0.0), (0.0, 1.0)]), Err(Error::CrossedBounds { .. })));
        assert!(matches!(build(&[(0.0, 1.0), (0.0, f64::NAN), (0.0, 1.0)]), Err(Error::NotFinite { .. })));
        assert!(build(&[(0.0, 1.0), (0.0, 1.0), (-1e308, 1e308)]).is_err(), "the range of distances overflows");
    }

    #[test]
    fn an_error_as_a_part_of_the_prior_variance_is_reached_however_large_a_dot_product_is() {
        let cube = Kernel::Polynomial { degree: 3, offset: 0.5 };
        let term = |kernel, input, scale| Term::new(kernel, vec![input], 0.7, &[scale]).unwrap();
        let terms = vec![term(cube, 0, 1e-2), term(Kernel::Matern32, 1, 0.3)];
        let covariance = Covariance::new(2, terms).unwrap();
        let bounds = [(-1.0, 2.0), (0.0, 1.0)];
        assert!(PwlCovariance::with_error(covariance.clone(), &bounds, 1e-4).is_err(), "σ_f² is not its size");
        for part in [1e-2, 1e-6] {
            let pwl = PwlCovariance::with_relative_error(covariance.clone(), &bounds, part).unwrap();
            assert!(pwl.error() <= part * pwl.largest_variance(), "{} for {part}", pwl.error());
            assert!(pwl.kernels()[1].error() <= part);
        }
        let empty = Covariance::isotropic(Kernel::Linear { offset: 0.0 }, 1, 1.0, 1.0).unwrap();
        assert!(PwlCovariance::with_relative_error(empty, &[(0.0, 0.0)], 1e-3).is_ok(), "0 in the whole box");
    }

    #[test]
    fn sides_without_width_are_allowed_and_a_flat_group_gets_a_tiny_range() {
        for bounds in [
            [(0.0, 0.0), (0.0, 1.0), (0.0, 1.0)],
            [(0.3, 0.3), (0.5, 0.5), (0.7, 0.7)],
            [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
            [(30.0, 30.0), (-30.0, -30.0), (30.0, 30.0)],
        ] {
            for pwl in [
                PwlCovariance::paper(additive(), &bounds).unwrap(),
                PwlCovariance::with_error(additive(), &bounds, 1e-2).unwrap(),
            ] {
                let x = bounds.map(|(lower, _)| lower);
                let exact = additive().prior_variance(&x);
                assert!((pwl.prior_variance(&x).unwrap() - exact).abs() <= pwl.error(), "{bounds:?}");
                let approximate = PwlPosterior::new(&posterior(&[x]), pwl, Repair::None).unwrap();
                assert!(approximate.predict(&x).unwrap().0.is_finite(), "{bounds:?}");
            }
        }
    }

    #[test]
    fn the_largest_variance_is_that_of_a_corner() {
        let pwl = PwlCovariance::paper(additive(), &[(0.0, 1.0), (-2.0, 1.0), (0.0, 2.0)]).unwrap();
        assert!((pwl.largest_variance() - additive().prior_variance(&[0.0, -2.0, 0.0])).abs() < 1e-14);
        assert!(pwl.own_error() > 0.0 && pwl.own_error() < pwl.error());
        let stationary = Covariance::isotropic(Kernel::Rbf, 3, 1.5, 0.5).unwrap();
        let pwl = PwlCovariance::paper(stationary, &[(0.0, 1.0); 3]).unwrap();
        assert_eq!((pwl.largest_variance(), pwl.own_error()), (1.5, 0.0));
    }

    #[test]
    fn points_of_the_wrong_length_are_refused() {
        let pwl = PwlCovariance::paper(additive(), &[(0.0, 1.0); 3]).unwrap();
        let two = Points::from_rows(&[[0.5, 0.5]]).unwrap();
        assert!(pwl.gram(&two, 0.0).is_err() && pwl.cross(&two, &[0.5, 0.5]).is_err());
        assert!(pwl.prior_variance(&[0.5; 2]).is_err() && pwl.prior_variance(&[f64::NAN; 3]).is_err());
        let approximate = PwlPosterior::new(&posterior(&[[0.5; 3]]), pwl, Repair::None).unwrap();
        for x in [vec![0.5; 2], vec![0.5; 4], vec![0.5, 0.5, f64::NAN]] {
            assert!(approximate.predict(&x).is_err());
        }
    }
}
