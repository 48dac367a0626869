//! Kernels of unit variance: their names, their own fields, and what these may be.
//!
//! `docs/reference/proof.md` has the formula of each. Every other part of the project reads and writes kernels through this
//! module.

use crate::domain::{LARGEST, SMALLEST, at_least_zero, count, number};
use crate::fault::{Fault, fault};
use crate::name::names;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// Most knots of a piecewise-linear kernel.
pub const MOST_KNOTS: usize = 100_000;

/// The highest degree of a polynomial kernel.
pub const MOST_DEGREES: u32 = 64;

names! {
    /// The kernels of problem files and proofs.
    KernelName: "kernel" {
        /// Matérn 1/2.
        Matern12 = "matern12",
        /// Matérn 3/2.
        Matern32 = "matern32",
        /// Matérn 5/2.
        Matern52 = "matern52",
        /// Matérn 7/2.
        Matern72 = "matern72",
        /// Squared exponential.
        Rbf = "rbf",
        /// Rational quadratic.
        Rq = "rq",
        /// Σ x_j x'_j / l_j² + `offset`.
        Linear = "linear",
        /// The same to the power `degree`.
        Polynomial = "polynomial",
        /// Piecewise linear in the distance or, by its `argument`, in the inner product, by its `knots`; only in `terms`.
        PiecewiseLinear = "piecewise_linear",
    }
}

/// What bounds of a kernel rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelFamily {
    /// A completely monotone function of the squared distance.
    Monotone,
    /// A power of an inner product.
    DotProduct,
    /// Piecewise linear: no model has it, only the proofs of a program that approximates a model.
    PiecewiseLinear,
}

impl KernelName {
    /// What its bounds rest on.
    pub fn family(self) -> KernelFamily {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf | Self::Rq => {
                KernelFamily::Monotone
            }
            Self::Linear | Self::Polynomial => KernelFamily::DotProduct,
            Self::PiecewiseLinear => KernelFamily::PiecewiseLinear,
        }
    }

    /// Whether models have it.
    pub fn is_of_models(self) -> bool {
        self.family() != KernelFamily::PiecewiseLinear
    }
}

/// What a piecewise-linear kernel is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KnotArgument {
    /// The scaled distance.
    #[default]
    Distance,
    /// The scaled inner product.
    InnerProduct,
}

/// Arguments and values of a piecewise-linear kernel.
pub type Knots = (KnotArgument, Vec<(f64, f64)>);

/// The fields that some kernels have; those of others are passed over.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KernelFields {
    /// α of the rational quadratic kernel; 1 if it is not given.
    pub alpha: Option<f64>,
    /// The offset of the dot-product kernels; 1 if it is not given.
    pub offset: Option<f64>,
    /// The degree of the polynomial kernel; 2 if it is not given.
    pub degree: Option<u32>,
    /// The knots of the piecewise-linear kernel.
    pub knots: Option<Knots>,
}

/// A kernel of unit variance.
#[derive(Debug, Clone, PartialEq)]
pub enum StatedKernel {
    /// Matérn 1/2.
    Matern12,
    /// Matérn 3/2.
    Matern32,
    /// Matérn 5/2.
    Matern52,
    /// Matérn 7/2.
    Matern72,
    /// Squared exponential.
    Rbf,
    /// Rational quadratic.
    Rq {
        /// α.
        alpha: f64,
    },
    /// Σ x_j x'_j / l_j² + offset.
    Linear {
        /// The offset.
        offset: f64,
    },
    /// The same to a power.
    Polynomial {
        /// The power.
        degree: u32,
        /// The offset.
        offset: f64,
    },
    /// Piecewise linear in the scaled distance; the last segment goes on.
    PiecewiseLinear {
        /// Distances and values, from distance 0 and value 1.
        knots: Vec<(f64, f64)>,
    },
    /// Piecewise linear in the scaled inner product; the first and the last segment go on.
    PiecewiseLinearProduct {
        /// Inner products and values.
        knots: Vec<(f64, f64)>,
    },
}

impl StatedKernel {
    /// The kernel of that name with its fields.
    pub fn named(name: KernelName, fields: KernelFields) -> Result<Self, Fault> {
        let KernelFields { alpha, offset, degree, knots } = fields;
        let offset = offset.unwrap_or(1.0);
        if knots.is_some() && name.family() != KernelFamily::PiecewiseLinear {
            return fault("knots", "only a piecewise-linear kernel has them");
        }
        Ok(match name {
            KernelName::Matern12 => Self::Matern12,
            KernelName::Matern32 => Self::Matern32,
            KernelName::Matern52 => Self::Matern52,
            KernelName::Matern72 => Self::Matern72,
            KernelName::Rbf => Self::Rbf,
            KernelName::Rq => Self::Rq { alpha: alpha.unwrap_or(1.0) },
            KernelName::Linear => Self::Linear { offset },
            KernelName::Polynomial => Self::Polynomial { degree: degree.unwrap_or(2), offset },
            KernelName::PiecewiseLinear => match knots {
                Some((KnotArgument::Distance, knots)) => Self::PiecewiseLinear { knots },
                Some((KnotArgument::InnerProduct, knots)) => Self::PiecewiseLinearProduct { knots },
                None => {
                    let reason = "they are missing: a piecewise-linear kernel belongs to `terms`, with its knots";
                    return fault("knots", reason);
                }
            },
        })
    }

    /// Its name.
    pub fn name(&self) -> KernelName {
        match self {
            Self::Matern12 => KernelName::Matern12,
            Self::Matern32 => KernelName::Matern32,
            Self::Matern52 => KernelName::Matern52,
            Self::Matern72 => KernelName::Matern72,
            Self::Rbf => KernelName::Rbf,
            Self::Rq { .. } => KernelName::Rq,
            Self::Linear { .. } => KernelName::Linear,
            Self::Polynomial { .. } => KernelName::Polynomial,
            Self::PiecewiseLinear { .. } | Self::PiecewiseLinearProduct { .. } => KernelName::PiecewiseLinear,
        }
    }

    /// Its name and the fields that it has.
    pub fn into_fields(self) -> (KernelName, KernelFields) {
        let (name, none) = (self.name(), KernelFields::default());
        let fields = match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => none,
            Self::Rq { alpha } => KernelFields { alpha: Some(alpha), ..none },
            Self::Linear { offset } => KernelFields { offset: Some(offset), ..none },
            Self::Polynomial { degree, offset } => KernelFields { degree: Some(degree), offset: Some(offset), ..none },
            Self::PiecewiseLinear { knots } => KernelFields { knots: Some((KnotArgument::Distance, knots)), ..none },
            Self::PiecewiseLinearProduct { knots } => {
                KernelFields { knots: Some((KnotArgument::InnerProduct, knots)), ..none }
            }
        };
        (name, fields)
    }

    /// Names the first field that is out of its domain.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => Ok(()),
            Self::Rq { alpha } => match *alpha >= SMALLEST && *alpha <= LARGEST {
                true => Ok(()),
                false => {
                    fault("kernel", format!("α of `rq` is {alpha}, not a number from {SMALLEST:e} to {LARGEST:e}"))
                }
            },
            Self::Linear { offset } => at_least_zero("offset", *offset),
            Self::Polynomial { degree, offset } => {
                at_least_zero("offset", *offset)?;
                match (1..=MOST_DEGREES).contains(degree) {
                    true => Ok(()),
                    false => fault("degree", format!("it is {degree}, not a number from 1 to {MOST_DEGREES}")),
                }
            }
            Self::PiecewiseLinear { knots } => check_distances(knots),
            Self::PiecewiseLinearProduct { knots } => check_products(knots),
        }
    }
}

fn check_numbers(knots: &[(f64, f64)]) -> Result<(), Fault> {
    count("knots", knots.len(), 2, MOST_KNOTS, "knots")?;
    knots.iter().flat_map(|(argument, value)| [argument, value]).try_for_each(|value| number("knots", *value))
}

/// Knots of an inner product have any sign, and so have their values.
fn check_products(knots: &[(f64, f64)]) -> Result<(), Fault> {
    check_numbers(knots)?;
    match knots.windows(2).all(|pair| pair[0].0 < pair[1].0) {
        true => Ok(()),
        false => fault("knots", "their inner products must rise"),
    }
}

fn check_distances(knots: &[(f64, f64)]) -> Result<(), Fault> {
    check_numbers(knots)?;
    if knots[0] != (0.0, 1.0) {
        return fault("knots", "the first is not [0, 1]");
    }
    let falls = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1;
    if !knots.windows(2).all(falls) {
        return fault("knots", "their distances must rise and their values must not");
    }
    match knots.iter().all(|(_, value)| *value >= -1.0) {
        true => Ok(()),
        false => fault("knots", "a value is below −1, which no covariance of unit variance is"),
    }
}

/// For people to read.
impl Display for StatedKernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matern12 => write!(f, "Matérn 1/2"),
            Self::Matern32 => write!(f, "Matérn 3/2"),
            Self::Matern52 => write!(f, "Matérn 5/2"),
            Self::Matern72 => write!(f, "Matérn 7/2"),
            Self::Rbf => write!(f, "RBF"),
            Self::Rq { alpha } => write!(f, "rational quadratic, α = {alpha}"),
            Self::Linear { offset } => write!(f, "linear, offset {offset}"),
            Self::Polynomial { degree, offset } => write!(f, "polynomial of degree {degree}, offset {offset}"),
            Self::PiecewiseLinear { knots } => write!(f, "piecewise linear, {} knots", knots.len()),
            Self::PiecewiseLinearProduct { knots } => {
                write!(f, "piecewise linear in the inner product, {} knots", knots.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_its_name_with_its_fields() {
        for name in KernelName::ALL {
            for argument in [KnotArgument::Distance, KnotArgument::InnerProduct] {
                let knots = (*name == KernelName::PiecewiseLinear).then(|| (argument, vec![(0.0, 1.0), (2.0, 0.0)]));
                let fields = KernelFields { alpha: Some(0.7), offset: Some(0.3), degree: Some(3), knots };
                let kernel = StatedKernel::named(*name, fields).unwrap();
                assert_eq!((kernel.name(), kernel.check()), (*name, Ok(())));
                let (same, fields) = kernel.clone().into_fields();
                assert_eq!(StatedKernel::named(same, fields), Ok(kernel));
            }
        }
    }

    #[test]
    fn knots_of_inner_products_have_any_sign_and_rise() {
        let check = |knots: &[(f64, f64)]| StatedKernel::PiecewiseLinearProduct { knots: knots.to_vec() }.check();
        assert_eq!(check(&[(-3.0, -27.0), (0.0, 0.0), (2.0, 8.0)]), Ok(()));
        assert_eq!(check(&[(-3.0, 9.0), (0.0, 0.0), (2.0, 4.0)]), Ok(()));
        let strange: [&[(f64, f64)]; 6] = [
            &[(0.0, 1.0)],
            &[(0.0, 1.0), (0.0, 2.0)],
            &[(0.0, 1.0), (-1.0, 2.0)],
            &[(0.0, f64::NAN), (1.0, 2.0)],
            &[(0.0, 1.0), (f64::INFINITY, 2.0)],
            &[(0.0, 1.0), (1.0, 1e101)],
        ];
        for knots in strange {
            assert_eq!(check(knots).unwrap_err().field, "knots", "{knots:?}");
        }
    }

    #[test]
    fn knots_belong_to_the_piecewise_linear_kernel_and_to_no_other() {
        let own = (KnotArgument::Distance, vec![(0.0, 1.0), (2.0, 0.0)]);
        let knots = || KernelFields { knots: Some(own.clone()), ..KernelFields::default() };
        for name in KernelName::ALL.iter().copied().filter(|name| name.is_of_models()) {
            assert!(StatedKernel::named(name, KernelFields::default()).is_ok(), "{name}");
            assert_eq!(StatedKernel::named(name, knots()).unwrap_err().field, "knots");
        }
        assert!(StatedKernel::named(KernelName::PiecewiseLinear, KernelFields::default()).is_err());
    }
}
