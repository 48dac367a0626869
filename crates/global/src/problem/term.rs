//! One kernel of the covariance over its group of inputs: ϑ φ of a squared distance or an inner product, and the error of its
//! values (docs/method.md, Lemmas 3.2 and 10.2, rows 2 to 4 of the table of rounding).

use super::chords::Chords;
use super::polyline::Polyline;
use crate::rounding;
use fathom_gp::{Argument, Kernel, PwlKernel, Term};

/// A term of the covariance: σ² φ of a squared distance or an inner product.
#[derive(Debug, Clone)]
pub(crate) struct KernelTerm {
    pub inputs: Vec<usize>,
    pub curve: Curve,
    /// σ².
    pub variance: f64,
    /// z_ij = x_ij / l_j of its inputs, by columns.
    pub columns: Vec<Vec<f64>>,
    /// A bound of the error of every kernel value, rounding of the inputs included, relative to the largest term of its
    /// formula.
    pub error: f64,
    /// The largest term of the formula, for observations.
    pub size: f64,
    /// An approximate bound of the second derivatives of σ² φ in z.
    pub bend: f64,
    /// No |φ| between a point of the region and an observation is larger, if φ is piecewise linear.
    pub cross: f64,
}

/// φ, by the property on which its bounds rest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Curve {
    /// Completely monotone in a squared distance.
    Monotone(Kernel),
    /// (u + offset)^degree of an inner product.
    Power { degree: u32, offset: f64 },
    /// Piecewise linear in a distance.
    Chords(Chords),
    /// Piecewise linear in an inner product.
    Polyline(Polyline),
}

impl From<Kernel> for Curve {
    fn from(kernel: Kernel) -> Self {
        match kernel.power() {
            None => Self::Monotone(kernel),
            Some((degree, offset)) => Self::Power { degree, offset },
        }
    }
}

impl From<&PwlKernel> for Curve {
    fn from(kernel: &PwlKernel) -> Self {
        match kernel.kernel().argument() {
            Argument::SquaredDistance => Self::Chords(kernel.into()),
            Argument::InnerProduct => Self::Polyline(kernel.into()),
        }
    }
}

impl Curve {
    /// φ of the kernel's argument.
    pub fn value(&self, argument: f64) -> f64 {
        match self {
            Self::Monotone(kernel) => kernel.value(argument),
            Self::Power { degree, offset } => (argument + offset).powi(degree.cast_signed()),
            Self::Chords(chords) => chords.value(argument),
            Self::Polyline(polyline) => polyline.value(argument),
        }
    }
}

impl KernelTerm {
    /// `columns` are all inputs' z, `sides` are the region's, and `largest` is the largest |z| among both.
    pub fn new(term: &Term, curve: Curve, columns: &[Vec<f64>], sides: &[(f64, f64)], largest: f64) -> Self {
        let inputs = term.inputs().to_vec();
        let dim = inputs.len() as f64;
        let own: Vec<Vec<f64>> = inputs.iter().map(|input| columns[*input].clone()).collect();
        let variance = term.variance();
        let mut cross = 1.0;
        let (error, size, bend) = match &curve {
            Curve::Monotone(_) | Curve::Chords(_) => (rounding::stationary_error(dim, largest), 1.0, 3.0),
            Curve::Power { degree, offset } => {
                let (degree, offset) = (*degree, *offset);
                let square = |i: usize| own.iter().map(|column| column[i] * column[i]).sum::<f64>();
                let most = (0..own[0].len()).map(square).fold(0.0, f64::max);
                let square = dim * largest * largest;
                let bend = square * f64::from(degree * degree) * (offset + square).powi(degree.cast_signed() - 2);
                (rounding::power_error(dim, degree), (offset + most).powi(degree.cast_signed()), bend)
            }
            Curve::Polyline(polyline) => {
                let spans: Vec<(f64, f64)> = own.iter().map(|column| span(column)).collect();
                let own_sides: Vec<(f64, f64)> = inputs.iter().map(|input| sides[*input]).collect();
                let size = |(least, most): (f64, f64)| polyline.size(least, most, dim * largest * largest);
                let (least, most) = products(&spans, &own_sides);
                let among = size(products(&spans, &spans));
                cross = polyline.largest(least, most) + rounding::POLYLINE_CROSS * size((least, most)).max(among);
                // A polyline has no second derivatives; no bound that needs them serves it.
                (rounding::power_error(dim, 1), among, 0.0)
            }
        };
        Self { inputs, curve, variance, columns: own, error, size, bend: variance * bend, cross }
    }

    /// Whether k(x, x) does not depend on x.
    pub fn is_stationary(&self) -> bool {
        !matches!(self.curve, Curve::Power { .. } | Curve::Polyline(_))
    }
}

/// The least and the largest number of a column.
fn span(column: &[f64]) -> (f64, f64) {
    column.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (low.min(*z), high.max(*z)))
}

/// The range of the inner products of two points from two boxes.
fn products(first: &[(f64, f64)], second: &[(f64, f64)]) -> (f64, f64) {
    first.iter().zip(second).fold((0.0, 0.0), |(least, most), ((a, b), (c, d))| {
        let corners = [a * c, a * d, b * c, b * d];
        (
            least + corners.iter().copied().fold(f64::INFINITY, f64::min),
            most + corners.into_iter().fold(f64::NEG_INFINITY, f64::max),
        )
    })
}
