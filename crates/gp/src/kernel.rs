//! Kernels, each written once as a function φ of one scalar argument `u`.
//!
//! | kernels | argument | φ(u) |
//! |---|---|---|
//! | Matérn 1/2 | u = s | exp(−√s) |
//! | Matérn 3/2 | u = s | (1 + √(3s)) exp(−√(3s)) |
//! | Matérn 5/2 | u = s | (1 + √(5s) + 5s/3) exp(−√(5s)) |
//! | Matérn 7/2 | u = s | (1 + √(7s) + 14s/5 + 7s√(7s)/15) exp(−√(7s)) |
//! | RBF | u = s | exp(−s/2) |
//! | rational quadratic | u = s | (1 + s/2α)^(−α) |
//! | linear | u = p | p + c |
//! | polynomial | u = p | (p + c)^m |
//!
//! `s = Σ ((x_j − x'_j)/l_j)²` is the squared scaled distance, `p = Σ x_j x'_j / l_j²` the scaled inner product.
//! Gram matrices, gradients in x and in the hyperparameters and the curve k(r) of the paper all follow from φ and its
//! first two derivatives. As functions of s the stationary kernels are completely monotone (φ' ≤ 0, φ'' ≥ 0).

use crate::error::{Error, Result, non_negative, positive};
use crate::lanes::{at_least, exp, widest};
use fathom_proof::{Fault, KernelFields, KernelName, StatedKernel};

const SQRT_3: f64 = 1.732_050_807_568_877_2;
const SQRT_5: f64 = 2.236_067_977_499_79;
const SQRT_7: f64 = 2.645_751_311_064_590_7;

/// A kernel of unit variance and unit lengthscale. Closed, because every kernel needs its own proofs downstream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kernel {
    /// exp(−r): continuous, nowhere differentiable sample paths.
    Matern12,
    /// Once differentiable sample paths; the paper's choice.
    Matern32,
    /// Twice differentiable sample paths.
    Matern52,
    /// Three times differentiable sample paths.
    Matern72,
    /// Squared exponential: infinitely smooth.
    Rbf,
    /// A mixture of RBF kernels over lengthscales; tends to RBF as α grows.
    RationalQuadratic {
        /// α > 0, the spread of the mixture.
        alpha: f64,
    },
    /// Bayesian linear regression.
    Linear {
        /// c ≥ 0, the prior variance of the intercept.
        offset: f64,
    },
    /// Bayesian regression on all monomials up to `degree`.
    Polynomial {
        /// m ≥ 1.
        degree: u32,
        /// c ≥ 0.
        offset: f64,
    },
}

/// What a kernel is a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// s = Σ ((x_j − x'_j)/l_j)².
    SquaredDistance,
    /// p = Σ x_j x'_j / l_j².
    InnerProduct,
}

/// A function's value and first two derivatives at one argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// φ(u).
    pub value: f64,
    /// φ'(u).
    pub first: f64,
    /// φ''(u).
    pub second: f64,
}

/// Distances below this are treated as this when a slope would otherwise be infinite (Matérn at s = 0); the slope is
/// then a huge finite number, so its product with a zero difference is zero and not NaN.
const LEAST_DISTANCE: f64 = 1e-100;

/// Beyond these s/2α over- or underflows for arguments of ordinary size.
const LEAST_ALPHA: f64 = 1e-12;
const MOST_ALPHA: f64 = 1e12;

const MOST_DEGREE: u32 = 64;

#[inline(always)]
fn matern12(s: f64) -> Jet {
    let r = at_least(s.sqrt(), LEAST_DISTANCE);
    let e = exp(-r);
    Jet { value: e, first: -0.5 * e / r, second: 0.25 * e * (1.0 + r) / (r * r * r) }
}

#[inline(always)]
fn matern32(s: f64) -> Jet {
    let t = SQRT_3 * s.sqrt();
    let e = exp(-t);
    Jet { value: (1.0 + t) * e, first: -1.5 * e, second: 2.25 * e / at_least(t, LEAST_DISTANCE) }
}

#[inline(always)]
fn matern52(s: f64) -> Jet {
    let t = SQRT_5 * s.sqrt();
    let e = exp(-t);
    Jet { value: (1.0 + t + t * t / 3.0) * e, first: -5.0 / 6.0 * (1.0 + t) * e, second: 25.0 / 12.0 * e }
}

#[inline(always)]
fn matern72(s: f64) -> Jet {
    let t = SQRT_7 * s.sqrt();
    let e = exp(-t);
    Jet {
        // t e first: t³ alone overflows where e is 0.
        value: e + t * e * (1.0 + t * (0.4 + t / 15.0)),
        first: -0.7 * (1.0 + t + t * t / 3.0) * e,
        second: 49.0 / 60.0 * (1.0 + t) * e,
    }
}

#[inline(always)]
fn rbf(s: f64) -> Jet {
    let e = exp(-0.5 * s);
    Jet { value: e, first: -0.5 * e, second: 0.25 * e }
}

#[inline(always)]
fn rational_quadratic(alpha: f64, s: f64) -> Jet {
    let q = 0.5 * s / alpha;
    let value = exp(-alpha * q.ln_1p());
    let first = -0.5 * value / (1.0 + q);
    Jet { value, first, second: -0.5 * first * (1.0 + 1.0 / alpha) / (1.0 + q) }
}

#[inline(always)]
fn polynomial(degree: u32, offset: f64, p: f64) -> Jet {
    let m = f64::from(degree);
    let base = p + offset;
    // base^(m-2) etc. by integer powers, so that a zero or negative base is exact.
    let power = |k: u32| if degree >= k { base.powi((degree - k).cast_signed()) } else { 0.0 };
    Jet { value: power(0), first: m * power(1), second: m * (m - 1.0) * power(2) }
}

/// Hands the kernel's jet function to one expression, so that a loop there gets a vectorised copy for each kernel.
macro_rules! with_jet {
    ($kernel:expr, $jet:ident => $work:expr) => {
        match $kernel {
            Kernel::Matern12 => with_jet!(@ $jet = matern12, $work),
            Kernel::Matern32 => with_jet!(@ $jet = matern32, $work),
            Kernel::Matern52 => with_jet!(@ $jet = matern52, $work),
            Kernel::Matern72 => with_jet!(@ $jet = matern72, $work),
            Kernel::Rbf => with_jet!(@ $jet = rbf, $work),
            Kernel::RationalQuadratic { alpha } => with_jet!(@ $jet = |u| rational_quadratic(alpha, u), $work),
            Kernel::Linear { offset } => with_jet!(@ $jet = |u| polynomial(1, offset, u), $work),
            Kernel::Polynomial { degree, offset } => with_jet!(@ $jet = |u| polynomial(degree, offset, u), $work),
        }
    };
    (@ $jet:ident = $function:expr, $work:expr) => {{
        let $jet = $function;
        $work
    }};
}

impl Kernel {
    /// The kernel with its parameters checked.
    pub fn validated(self) -> Result<Self> {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => {}
            Self::RationalQuadratic { alpha } => {
                if !(LEAST_ALPHA..=MOST_ALPHA).contains(&alpha) {
                    let requirement = "between 1e-12 and 1e12; a larger one is the RBF kernel to rounding";
                    return Err(Error::OutOfDomain { name: "rational quadratic alpha", value: alpha, requirement });
                }
            }
            Self::Linear { offset } => {
                non_negative("linear offset", offset)?;
            }
            Self::Polynomial { degree, offset } => {
                let value = positive("polynomial degree", f64::from(degree))?;
                if degree > MOST_DEGREE {
                    let requirement = "at most 64: higher powers leave the range of floating point";
                    return Err(Error::OutOfDomain { name: "polynomial degree", value, requirement });
                }
                non_negative("polynomial offset", offset)?;
            }
        }
        Ok(self)
    }

    /// The kernel of that name with its own parameters, checked.
    pub fn named(name: KernelName, fields: KernelFields) -> Result<Self> {
        let refused = |Fault { reason, .. }| Error::UnsupportedKernel { name, reason };
        match Self::from_stated(&StatedKernel::named(name, fields).map_err(refused)?) {
            Some(kernel) => kernel.validated(),
            None => Err(Error::UnsupportedKernel { name, reason: "no model has it".into() }),
        }
    }

    /// The kernel that a problem states; `None` for the piecewise-linear one, which approximates another.
    pub fn from_stated(stated: &StatedKernel) -> Option<Self> {
        match *stated {
            StatedKernel::Matern12 => Some(Self::Matern12),
            StatedKernel::Matern32 => Some(Self::Matern32),
            StatedKernel::Matern52 => Some(Self::Matern52),
            StatedKernel::Matern72 => Some(Self::Matern72),
            StatedKernel::Rbf => Some(Self::Rbf),
            StatedKernel::Rq { alpha } => Some(Self::RationalQuadratic { alpha }),
            StatedKernel::Linear { offset } => Some(Self::Linear { offset }),
            StatedKernel::Polynomial { degree, offset } => Some(Self::Polynomial { degree, offset }),
            StatedKernel::PiecewiseLinear { .. } | StatedKernel::PiecewiseLinearProduct { .. } => None,
        }
    }

    /// As a problem states it.
    pub fn stated(self) -> StatedKernel {
        match self {
            Self::Matern12 => StatedKernel::Matern12,
            Self::Matern32 => StatedKernel::Matern32,
            Self::Matern52 => StatedKernel::Matern52,
            Self::Matern72 => StatedKernel::Matern72,
            Self::Rbf => StatedKernel::Rbf,
            Self::RationalQuadratic { alpha } => StatedKernel::Rq { alpha },
            Self::Linear { offset } => StatedKernel::Linear { offset },
            Self::Polynomial { degree, offset } => StatedKernel::Polynomial { degree, offset },
        }
    }

    /// The name used in files and on the command line.
    pub fn name(self) -> KernelName {
        self.stated().name()
    }

    /// What the kernel is a function of.
    pub fn argument(self) -> Argument {
        if self.power().is_some() { Argument::InnerProduct } else { Argument::SquaredDistance }
    }

    /// Degree and offset of a power of the inner product; all other kernels are completely monotone in s.
    pub fn power(self) -> Option<(u32, f64)> {
        match self {
            Self::Matern12
            | Self::Matern32
            | Self::Matern52
            | Self::Matern72
            | Self::Rbf
            | Self::RationalQuadratic { .. } => None,
            Self::Linear { offset } => Some((1, offset)),
            Self::Polynomial { degree, offset } => Some((degree, offset)),
        }
    }

    /// φ, φ', φ'' at `u`. Where a Matérn derivative is infinite (s = 0) a huge finite number stands for it.
    pub fn jet(self, u: f64) -> Jet {
        with_jet!(self, jet => jet(u))
    }

    /// φ(u).
    pub fn value(self, u: f64) -> f64 {
        self.jet(u).value
    }

    /// Writes φ(u_i) to `values`.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn values(self, u: &[f64], values: &mut [f64]) {
        assert!(u.len() == values.len(), "one value for each argument");
        with_jet!(self, jet => widest(|| for (value, u) in values.iter_mut().zip(u) {
            *value = jet(*u).value;
        }));
    }

    /// Writes φ(u_i) to `values` and φ'(u_i) to `slopes`.
    ///
    /// # Panics
    /// Where the lengths differ.
    pub fn values_and_slopes(self, u: &[f64], values: &mut [f64], slopes: &mut [f64]) {
        assert!(u.len() == values.len() && u.len() == slopes.len(), "one value and one slope for each argument");
        with_jet!(self, jet => widest(|| for ((value, slope), u) in values.iter_mut().zip(slopes.iter_mut()).zip(u) {
            let jet = jet(*u);
            *value = jet.value;
            *slope = jet.first;
        }));
    }

    /// The kernel's own parameter, where it has one that can be learned: α of the rational quadratic, the offset of
    /// the dot-product kernels.
    pub fn shape(self) -> Option<f64> {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => None,
            Self::RationalQuadratic { alpha } => Some(alpha),
            Self::Linear { offset } | Self::Polynomial { offset, .. } => Some(offset),
        }
    }

    /// The same kernel with its own parameter replaced; kernels without one are returned unchanged.
    #[must_use]
    pub fn with_shape(self, shape: f64) -> Self {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => self,
            Self::RationalQuadratic { .. } => Self::RationalQuadratic { alpha: shape },
            Self::Linear { .. } => Self::Linear { offset: shape },
            Self::Polynomial { degree, .. } => Self::Polynomial { degree, offset: shape },
        }
    }

    /// ∂φ(u)/∂shape; zero for kernels without a parameter of their own.
    pub fn shape_slope(self, u: f64) -> f64 {
        match self {
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf => 0.0,
            Self::RationalQuadratic { alpha } => {
                let q = 0.5 * u / alpha;
                self.value(u) * (q / (1.0 + q) - q.ln_1p())
            }
            // φ depends on p + c alone.
            Self::Linear { .. } | Self::Polynomial { .. } => self.jet(u).first,
        }
    }

    /// The kernel as a curve over the argument the paper draws it over: k(r) = φ(r²) of the scaled distance, or φ(p)
    /// of the inner product, with derivatives in r or p.
    pub fn curve(self, t: f64) -> Jet {
        match self.argument() {
            Argument::InnerProduct => self.jet(t),
            Argument::SquaredDistance => {
                let phi = self.jet(t * t);
                if self == Self::Matern12 {
                    // k = exp(−r) is its own second derivative; the general form cancels near 0.
                    return Jet { value: phi.value, first: -phi.value, second: phi.value };
                }
                let second = 2.0 * phi.first + 4.0 * t * t * phi.second;
                Jet { value: phi.value, first: 2.0 * t * phi.first, second }
            }
        }
    }

    /// Where [`curve`](Self::curve) turns from concave to convex (stationary kernels, odd polynomials), if it does.
    pub fn inflection(self) -> Option<f64> {
        match self {
            Self::Matern12 | Self::Linear { .. } => None,
            Self::Matern32 => Some(1.0 / SQRT_3),
            Self::Matern52 => Some(0.5 * (1.0 + SQRT_5) / SQRT_5),
            // k'' is a positive multiple of t³ − 3t − 3 at t = √7 r, whose one zero is 2 cosh(arcosh(3/2)/3).
            Self::Matern72 => Some(2.103_803_402_735_536_6 / SQRT_7),
            Self::Rbf => Some(1.0),
            Self::RationalQuadratic { alpha } => Some((2.0 * alpha / (2.0 * alpha + 1.0)).sqrt()),
            Self::Polynomial { degree, offset } => (degree >= 3 && degree % 2 == 1).then_some(-offset),
        }
    }

    /// An upper bound of the relative rounding error of the curve and its slope at `t`. A kernel e^(−E) carries the error of
    /// its exponent, so its relative error is (8 + 4E)ε; a power of degree m has (8 + 2m)ε.
    pub(crate) fn relative_error(self, t: f64) -> f64 {
        let units = match self {
            Self::Matern12 => 8.0 + 4.0 * t,
            Self::Matern32 => 8.0 + 4.0 * SQRT_3 * t,
            Self::Matern52 => 8.0 + 4.0 * SQRT_5 * t,
            Self::Matern72 => 8.0 + 4.0 * SQRT_7 * t,
            Self::Rbf => 8.0 + 2.0 * t * t,
            Self::RationalQuadratic { alpha } => 8.0 + 4.0 * alpha * (0.5 * t * t / alpha).ln_1p(),
            Self::Linear { .. } => 8.0,
            Self::Polynomial { degree, .. } => 8.0 + 2.0 * f64::from(degree),
        };
        units * f64::EPSILON
    }

    /// Where k''(r) of a stationary kernel is largest; `None` for dot-product kernels, whose curvature has no peak.
    pub fn curvature_peak(self) -> Option<f64> {
        match self {
            Self::Matern12 => Some(0.0),
            Self::Matern32 => Some(2.0 / SQRT_3),
            Self::Matern52 => Some(3.0 / SQRT_5),
            Self::Matern72 => Some(3.791_287_847_477_92 / SQRT_7), // (3 + √21)/2
            Self::Rbf => Some(SQRT_3),
            Self::RationalQuadratic { alpha } => Some((6.0 * alpha / (2.0 * alpha + 1.0)).sqrt()),
            Self::Linear { .. } | Self::Polynomial { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) const ALL: [Kernel; 9] = [
        Kernel::Matern12,
        Kernel::Matern32,
        Kernel::Matern52,
        Kernel::Matern72,
        Kernel::Rbf,
        Kernel::RationalQuadratic { alpha: 0.7 },
        Kernel::Linear { offset: 0.3 },
        Kernel::Polynomial { degree: 2, offset: 0.5 },
        Kernel::Polynomial { degree: 3, offset: 0.0 },
    ];

    /// Richardson-extrapolated central difference.
    fn difference(f: impl Fn(f64) -> f64, x: f64) -> f64 {
        let h = 1e-3 * x.abs().max(0.1);
        let central = |h: f64| (f(x + h) - f(x - h)) / (2.0 * h);
        (4.0 * central(h / 2.0) - central(h)) / 3.0
    }

    fn close(a: f64, b: f64, tolerance: f64) -> bool {
        (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
    }

    #[test]
    fn derivatives_agree_with_finite_differences() {
        for kernel in ALL {
            for u in [0.05, 0.3, 1.0, 2.7, 9.0, 40.0] {
                let jet = kernel.jet(u);
                assert!(close(jet.first, difference(|u| kernel.jet(u).value, u), 1e-8), "{kernel:?} first at {u}");
                assert!(close(jet.second, difference(|u| kernel.jet(u).first, u), 1e-8), "{kernel:?} second at {u}");
                let curve = kernel.curve(u);
                assert!(close(curve.first, difference(|t| kernel.curve(t).value, u), 1e-8), "{kernel:?} k' at {u}");
                assert!(close(curve.second, difference(|t| kernel.curve(t).first, u), 1e-8), "{kernel:?} k'' at {u}");
                if let Some(shape) = kernel.shape().filter(|s| *s > 0.0) {
                    let numeric = difference(|c| kernel.with_shape(c).value(u), shape);
                    assert!(close(kernel.shape_slope(u), numeric, 1e-8), "{kernel:?} shape slope at {u}");
                }
            }
        }
    }

    #[test]
    fn the_curve_bends_where_it_says() {
        for kernel in ALL {
            if let Some(r) = kernel.inflection() {
                assert!(kernel.curve(r).second.abs() < 1e-12, "{kernel:?}");
                assert!(kernel.curve(r - 0.1).second < 0.0 && kernel.curve(r + 0.1).second > 0.0, "{kernel:?}");
            }
            if let Some(peak) = kernel.curvature_peak() {
                let top = kernel.curve(peak).second;
                for i in 0..2000 {
                    assert!(kernel.curve(f64::from(i) * 0.005).second <= top * (1.0 + 1e-12), "{kernel:?}");
                }
            }
        }
    }

    #[test]
    fn slices_give_the_same_bits_as_single_values_and_nothing_is_nan_at_zero() {
        let u: Vec<f64> = (0..203).map(|i| f64::from(i) * 0.11).collect();
        for kernel in ALL {
            let (mut values, mut slopes) = (vec![0.0; u.len()], vec![0.0; u.len()]);
            kernel.values_and_slopes(&u, &mut values, &mut slopes);
            for (i, u) in u.iter().enumerate() {
                let jet = kernel.jet(*u);
                assert_eq!((values[i].to_bits(), slopes[i].to_bits()), (jet.value.to_bits(), jet.first.to_bits()));
            }
            let mut again = vec![0.0; u.len()];
            kernel.values(&u, &mut again);
            assert_eq!(values, again);
            let zero = kernel.jet(0.0);
            assert!(zero.value.is_finite() && zero.first.is_finite() && (0.0 * zero.second) == 0.0, "{kernel:?}");
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        for kernel in ALL {
            let (mut values, mut slopes) = ([0.0; 9], [0.0; 9]);
            kernel.values_and_slopes(&[f64::NAN; 9], &mut values, &mut slopes);
            let jet = kernel.jet(f64::NAN);
            assert!(values.iter().all(|v| v.is_nan()) && jet.value.is_nan(), "{kernel:?}");
            // The slope of a linear kernel does not depend on its argument.
            let straight = matches!(kernel, Kernel::Linear { .. });
            assert!(slopes.iter().all(|v| v.is_nan() != straight) && jet.first.is_nan() != straight, "{kernel:?}");
        }
    }

    #[test]
    fn parameters_outside_their_domain_are_refused() {
        for alpha in [0.0, -1.0, 1e-13, 1e13, f64::INFINITY, f64::NAN] {
            assert!(Kernel::RationalQuadratic { alpha }.validated().is_err(), "{alpha}");
        }
        assert!(Kernel::Polynomial { degree: 64, offset: 1.0 }.validated().is_ok());
        assert!(Kernel::Polynomial { degree: 65, offset: 1.0 }.validated().is_err());
        assert!(Kernel::Linear { offset: -1.0 }.validated().is_err());
        assert!(Kernel::Polynomial { degree: 0, offset: 1.0 }.validated().is_err());
        assert!(Kernel::Polynomial { degree: 2, offset: f64::NAN }.validated().is_err());
    }
}
