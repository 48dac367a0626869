//! Maps from the user's units to the model's and back: inputs to the unit cube, outputs to [0, 1] (the paper) or standardised.
//!
//! Each input and the output has an affine map, `unit = (value − origin) / width`, so every quantity can be mapped back.

use crate::dataset::Dataset;
use crate::error::{Error, Result, ordered, same_length};
use crate::points::Points;
use crate::term::Term;
use fathom_proof::Criterion;

/// `unit = (value − origin) / width`, with `width > 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// The value that maps to 0.
    pub origin: f64,
    /// The length that maps to 1.
    pub width: f64,
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Self = Self { origin: 0.0, width: 1.0 };

    /// The map with this origin and width. A zero or subnormal width would map values to infinity; such a quantity is only
    /// shifted. A width that overflows is refused.
    fn new(name: &'static str, origin: f64, width: f64) -> Result<Self> {
        if !width.is_finite() {
            let requirement = "finite: the values are too far apart for floating point, choose a smaller unit";
            return Err(Error::OutOfDomain { name, value: width, requirement });
        }
        Ok(Self { origin, width: if width.is_normal() { width } else { 1.0 } })
    }

    /// Maps a value in the user's units to the unit scale.
    pub fn to_unit(self, value: f64) -> f64 {
        (value - self.origin) / self.width
    }

    /// Maps a value on the unit scale to the user's units.
    pub fn from_unit(self, unit: f64) -> f64 {
        self.origin + self.width * unit
    }
}

/// How outputs are scaled for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputScaling {
    /// The smallest observation becomes 0, the largest becomes 1, as in the paper.
    #[default]
    UnitInterval,
    /// Outputs get mean 0 and standard deviation 1 (of the population, with n in the denominator).
    Standardise,
    /// Outputs stay in the user's units.
    None,
}

/// The affine maps of every input and of the output.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    inputs: Vec<Affine>,
    output: Affine,
}

impl Scaling {
    /// Maps inputs from the box `bounds` to the unit cube, and outputs by the data. An input whose bounds coincide and constant
    /// outputs are only shifted.
    pub fn new(data: &Dataset, bounds: &[(f64, f64)], outputs: OutputScaling) -> Result<Self> {
        same_length("the list of bounds", data.dim(), bounds.len())?;
        let input = |bound: &(f64, f64)| {
            ordered("an input", *bound)?;
            Affine::new("the width of an input", bound.0, bound.1 - bound.0)
        };
        let inputs = bounds.iter().map(input).collect::<Result<_>>()?;
        Ok(Self { inputs, output: output_map(data.y(), outputs)? })
    }

    /// Works as [`new`](Self::new) with the smallest box around the data, as the paper scales its samples.
    pub fn of_data(data: &Dataset, outputs: OutputScaling) -> Result<Self> {
        let range = |j| {
            let column = data.x().column(j).iter().copied();
            (column.clone().fold(f64::INFINITY, f64::min), column.fold(f64::NEG_INFINITY, f64::max))
        };
        Self::new(data, &(0..data.dim()).map(range).collect::<Vec<_>>(), outputs)
    }

    /// The map of each input.
    pub fn inputs(&self) -> &[Affine] {
        &self.inputs
    }

    /// The map of the output.
    pub fn output(&self) -> Affine {
        self.output
    }

    /// The observations in the model's units; an error if a number overflows.
    pub fn dataset(&self, data: &Dataset) -> Result<Dataset> {
        self.check_length("each input row", data.dim())?;
        data.map(|j, v| self.inputs[j].to_unit(v), |y| self.output.to_unit(y))
    }

    /// The points in the model's units; an error if a number overflows.
    pub fn points(&self, points: &Points) -> Result<Points> {
        self.check_length("each input row", points.dim())?;
        points.map(|j, v| self.inputs[j].to_unit(v))
    }

    /// A point in the model's units.
    pub fn point(&self, x: &[f64]) -> Result<Vec<f64>> {
        self.check_length("the point", x.len())?;
        Ok(self.inputs.iter().zip(x).map(|(map, x)| map.to_unit(*x)).collect())
    }

    /// A point back in the user's units.
    pub fn point_back(&self, unit: &[f64]) -> Result<Vec<f64>> {
        self.check_length("the point", unit.len())?;
        Ok(self.inputs.iter().zip(unit).map(|(map, u)| map.from_unit(*u)).collect())
    }

    fn check_length(&self, what: &'static str, found: usize) -> Result<()> {
        same_length(what, self.inputs.len(), found)
    }

    /// The value of an acquisition function back in the user's units; `criterion` was evaluated in the model's units.
    ///
    /// A bound of outputs maps as outputs do, a deviation or an expected improvement by the width alone; the logarithm of an
    /// expected improvement is shifted, and a probability does not change. [`gradient_back`](Self::gradient_back) maps the
    /// gradient of the first two.
    pub fn acquisition_back(&self, criterion: Criterion, value: f64) -> f64 {
        match criterion {
            Criterion::Lcb { .. } | Criterion::Mean | Criterion::Glcb { .. } => self.mean_back(value),
            Criterion::Deviation | Criterion::Ei { .. } => self.deviation_back(value),
            Criterion::LogEi { .. } => value - self.output.width.ln(),
            Criterion::Pi { .. } => value,
        }
    }

    /// An output or posterior mean back in the user's units; for acquisition values see
    /// [`acquisition_back`](Self::acquisition_back).
    pub fn mean_back(&self, mean: f64) -> f64 {
        self.output.from_unit(mean)
    }

    /// A standard deviation, or a difference of outputs, back in the user's units.
    pub fn deviation_back(&self, deviation: f64) -> f64 {
        self.output.width * deviation
    }

    /// A variance or covariance back in the user's units.
    pub fn variance_back(&self, variance: f64) -> f64 {
        self.output.width * self.output.width * variance
    }

    /// The gradient of an output in the inputs, back in the user's units.
    pub fn gradient_back(&self, gradient: &[f64]) -> Result<Vec<f64>> {
        self.check_length("the gradient", gradient.len())?;
        Ok(self.inputs.iter().zip(gradient).map(|(map, g)| self.output.width * g / map.width).collect())
    }

    /// The lengthscales of a term, one for each of [`Term::inputs`], back in the user's units.
    pub fn lengthscales_back(&self, term: &Term) -> Result<Vec<f64>> {
        let back = |(input, l): (&usize, &f64)| {
            let unknown = Error::UnknownInput { group: 0, input: *input, dim: self.inputs.len() };
            Ok(self.inputs.get(*input).ok_or(unknown)?.width * l)
        };
        term.inputs().iter().zip(term.lengthscales()).map(back).collect()
    }
}

fn output_map(y: &[f64], outputs: OutputScaling) -> Result<Affine> {
    let (n, name) = (y.len() as f64, "the width of the outputs");
    match outputs {
        OutputScaling::None => Ok(Affine::IDENTITY),
        OutputScaling::UnitInterval => {
            let lowest = y.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            Affine::new(name, lowest, highest - lowest)
        }
        OutputScaling::Standardise => {
            // A running mean of equal numbers is exact, so constant outputs get width 0 exactly.
            let mean = y.iter().zip(1_u32..).fold(0.0, |mean, (y, i)| mean + (y - mean) / f64::from(i));
            let variance = |unit: f64| y.iter().map(|y| (y - mean) / unit).map(|d| d * d).sum::<f64>() / n;
            // If squares could overflow or underflow, deviations are divided by the largest.
            let largest = y.iter().map(|y| (y - mean).abs()).fold(0.0, f64::max);
            let unit = if (1e-100..1e100).contains(&largest) || largest == 0.0 { 1.0 } else { largest };
            Affine::new(name, mean, unit * variance(unit).sqrt())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    fn data() -> Dataset {
        Dataset::new(&[[1.0, -3.0], [2.0, 5.0], [4.0, 1.0]], &[10.0, 40.0, 20.0]).unwrap()
    }

    #[test]
    fn outputs_and_inputs_reach_the_unit_interval_and_come_back() {
        let data = data();
        let scaling = Scaling::of_data(&data, OutputScaling::UnitInterval).unwrap();
        let unit = scaling.dataset(&data).unwrap();
        assert_eq!(unit.y(), [0.0, 1.0, 1.0 / 3.0]);
        assert_eq!(unit.x().column(1), [0.0, 1.0, 0.5]);
        for (unit_row, row) in unit.x().rows().zip(data.x().rows()) {
            assert_eq!(scaling.point(&row).unwrap(), unit_row);
            assert!(scaling.point_back(&unit_row).unwrap().iter().zip(&row).all(|(a, b)| (a - b).abs() < 1e-14));
        }
        assert_eq!(scaling.mean_back(0.5), 25.0);
        assert_eq!(scaling.deviation_back(0.5), 15.0);
        assert_eq!(scaling.variance_back(0.25), 225.0);
        assert_eq!(scaling.gradient_back(&[1.0, 1.0]).unwrap(), [10.0, 30.0 / 8.0]);
        let term = Term::new(Kernel::Rbf, vec![1, 0], 1.0, &[0.5, 0.25]).unwrap();
        assert_eq!(scaling.lengthscales_back(&term).unwrap(), [4.0, 0.75], "in the order of the term's inputs");
        let stranger = Term::new(Kernel::Rbf, vec![2], 1.0, &[0.5]).unwrap();
        assert!(scaling.lengthscales_back(&stranger).is_err());
    }

    #[test]
    fn standardised_outputs_have_mean_zero_and_deviation_one() {
        let data = data();
        let scaling = Scaling::of_data(&data, OutputScaling::Standardise).unwrap();
        let unit = scaling.dataset(&data).unwrap();
        let mean = unit.y().iter().sum::<f64>() / 3.0;
        let variance = unit.y().iter().map(|y| y * y).sum::<f64>() / 3.0;
        assert!(mean.abs() < 1e-15 && (variance - 1.0).abs() < 1e-14);
    }

    #[test]
    fn outputs_whose_squares_overflow_or_vanish_are_standardised_too() {
        for size in [1e160, -1e160, 1e300, 1e-170] {
            let data = Dataset::new(&[[0.0], [1.0], [2.0]], &[0.0, 0.5 * size, size]).unwrap();
            let unit = Scaling::of_data(&data, OutputScaling::Standardise).unwrap().dataset(&data).unwrap();
            let deviation = (unit.y().iter().map(|y| y * y).sum::<f64>() / 3.0).sqrt();
            assert!((deviation - 1.0).abs() < 1e-14, "{size}: {:?}", unit.y());
        }
    }

    #[test]
    fn one_point_and_constant_outputs_are_only_shifted() {
        let one = Dataset::new(&[[7.0]], &[3.0]).unwrap();
        let flat = Dataset::new(&[[0.0], [1.0], [2.0]], &[0.1, 0.1, 0.1]).unwrap();
        for outputs in [OutputScaling::UnitInterval, OutputScaling::Standardise] {
            let scaling = Scaling::of_data(&one, outputs).unwrap();
            assert_eq!(scaling.dataset(&one), Dataset::new(&[[0.0]], &[0.0]));
            let scaling = Scaling::of_data(&flat, outputs).unwrap();
            assert_eq!(scaling.dataset(&flat).unwrap().y(), [0.0; 3]);
            assert_eq!(scaling.mean_back(0.0), 0.1);
        }
    }

    #[test]
    fn spans_that_overflow_are_refused() {
        let data = data();
        let wide = Scaling::new(&data, &[(-1e308, 1e308), (0.0, 1.0)], OutputScaling::None);
        assert!(matches!(wide, Err(Error::OutOfDomain { name: "the width of an input", .. })));
        let apart = Dataset::new(&[[0.0], [1.0]], &[-1e308, 1e308]).unwrap();
        for outputs in [OutputScaling::UnitInterval, OutputScaling::Standardise] {
            assert!(matches!(
                Scaling::of_data(&apart, outputs),
                Err(Error::OutOfDomain { name: "the width of the outputs", .. })
            ));
        }
        let narrow = Scaling::new(&data, &[(0.0, 1e-307), (0.0, 1.0)], OutputScaling::None).unwrap();
        let far = Dataset::new(&[[1e10, 0.0]], &[0.0]).unwrap();
        assert!(matches!(narrow.dataset(&far), Err(Error::NotFinite { .. })));
        assert!(matches!(narrow.points(far.x()), Err(Error::NotFinite { .. })));
    }

    #[test]
    fn lengths_that_disagree_are_refused() {
        let scaling = Scaling::of_data(&data(), OutputScaling::None).unwrap();
        for wrong in [vec![0.5], vec![0.5; 3]] {
            assert!(scaling.point(&wrong).is_err() && scaling.point_back(&wrong).is_err());
            assert!(scaling.gradient_back(&wrong).is_err());
            let rows = Dataset::new(&[wrong], &[1.0]).unwrap();
            assert!(scaling.dataset(&rows).is_err() && scaling.points(rows.x()).is_err());
        }
    }

    #[test]
    fn crossed_or_missing_bounds_are_refused() {
        let data = data();
        let crossed = Scaling::new(&data, &[(0.0, 1.0), (2.0, 1.0)], OutputScaling::None);
        assert_eq!(crossed, Err(Error::CrossedBounds { name: "an input", lower: 2.0, upper: 1.0 }));
        assert!(Scaling::new(&data, &[(0.0, 1.0)], OutputScaling::None).is_err());
        assert!(Scaling::new(&data, &[(0.0, f64::NAN), (0.0, 1.0)], OutputScaling::None).is_err());
    }
}
