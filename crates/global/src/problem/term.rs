//! One kernel of the covariance over its group of inputs: ϑ φ of a squared distance or an inner product, and the error of its
//! values (docs/method.md, Lemmas 3.2 and 10.2, rows 2 to 4 of the table of rounding).

use super::chords::Chords;
use crate::rounding;
use fathom_gp::{Kernel, Term};

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
}

impl From<Kernel> for Curve {
    fn from(kernel: Kernel) -> Self {
        match kernel.power() {
            None => Self::Monotone(kernel),
            Some((degree, offset)) => Self::Power { degree, offset },
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
        }
    }
}

impl KernelTerm {
    /// `columns` are all inputs' z, and `largest` is the largest |z| among them and in the region.
    pub fn new(term: &Term, curve: Curve, columns: &[Vec<f64>], largest: f64) -> Self {
        let inputs = term.inputs().to_vec();
        let dim = inputs.len() as f64;
        let own: Vec<Vec<f64>> = inputs.iter().map(|input| columns[*input].clone()).collect();
        let variance = term.variance();
        let (error, size, bend) = match curve {
            Curve::Monotone(_) | Curve::Chords(_) => (rounding::stationary_error(dim, largest), 1.0, 3.0),
            Curve::Power { degree, offset } => {
                let square = |i: usize| own.iter().map(|column| column[i] * column[i]).sum::<f64>();
                let most = (0..own[0].len()).map(square).fold(0.0, f64::max);
                let square = dim * largest * largest;
                let bend = square * f64::from(degree * degree) * (offset + square).powi(degree.cast_signed() - 2);
                (rounding::power_error(dim, degree), (offset + most).powi(degree.cast_signed()), bend)
            }
        };
        Self { inputs, curve, variance, columns: own, error, size, bend: variance * bend }
    }

    /// Whether k(x, x) does not depend on x.
    pub fn is_stationary(&self) -> bool {
        !matches!(self.curve, Curve::Power { .. })
    }
}
