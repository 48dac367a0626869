//! The kernels in interval arithmetic: φ of a squared distance and its slope, or a power of an inner product (docs/method.md,
//! Lemma 3.2).

use crate::chords::Chords;
use crate::interval::Interval;
use crate::polyline::Polyline;
use fathom_proof::StatedKernel;

/// A kernel of unit variance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kernel {
    Matern12,
    Matern32,
    Matern52,
    Matern72,
    Rbf,
    Rq(f64),
    /// (u + offset)^degree of an inner product u; the others are functions of a squared distance.
    Power {
        degree: u32,
        offset: f64,
    },
    /// Piecewise linear in the distance.
    Chords(Chords),
    /// Piecewise linear in the inner product.
    Polyline(Polyline),
}

impl From<&StatedKernel> for Kernel {
    fn from(stated: &StatedKernel) -> Self {
        match stated {
            StatedKernel::Matern12 => Self::Matern12,
            StatedKernel::Matern32 => Self::Matern32,
            StatedKernel::Matern52 => Self::Matern52,
            StatedKernel::Matern72 => Self::Matern72,
            StatedKernel::Rbf => Self::Rbf,
            StatedKernel::Rq { alpha } => Self::Rq(*alpha),
            StatedKernel::Linear { offset } => Self::Power { degree: 1, offset: *offset },
            StatedKernel::Polynomial { degree, offset } => Self::Power { degree: *degree, offset: *offset },
            StatedKernel::PiecewiseLinear { knots } => Self::Chords(Chords::new(knots)),
            StatedKernel::PiecewiseLinearProduct { knots } => Self::Polyline(Polyline::new(knots)),
        }
    }
}

impl Kernel {
    /// Whether it is a function of a distance.
    pub fn is_stationary(&self) -> bool {
        !matches!(self, Self::Power { .. } | Self::Polyline(_))
    }

    /// φ of the kernel's argument.
    pub fn value(&self, argument: Interval) -> Interval {
        match self {
            Self::Chords(chords) => chords.value(argument),
            Self::Polyline(polyline) => polyline.value(argument),
            Self::Power { degree, offset } => (argument + Interval::point(*offset)).power(*degree),
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Matern72 | Self::Rbf | Self::Rq(_) => {
                // φ falls with s, so the ends of the interval give its own.
                let s = argument.positive_part();
                self.jet(s.lower()).0.hull(self.jet(s.upper()).0)
            }
        }
    }

    /// φ(s) and φ'(s) at a squared distance.
    pub fn jet(&self, s: Interval) -> (Interval, Interval) {
        let (one, root) = (Interval::ONE, s.sqrt());
        let sqrt_of = |v: f64| Interval::point(v).sqrt();
        match self {
            Self::Matern12 => {
                let e = (-root).exp();
                (e, -(e * 0.5) / root)
            }
            Self::Matern32 => {
                let t = sqrt_of(3.0) * root;
                let e = (-t).exp();
                ((one + t) * e, e * -1.5)
            }
            Self::Matern52 => {
                let t = sqrt_of(5.0) * root;
                let e = (-t).exp();
                let slope = (one + t) * e * Interval::point(-5.0) / Interval::point(6.0);
                ((one + t + t.square() / Interval::point(3.0)) * e, slope)
            }
            Self::Matern72 => {
                let t = sqrt_of(7.0) * root;
                let e = (-t).exp();
                let rest = Interval::point(2.0) / Interval::point(5.0) + t / Interval::point(15.0);
                let slope = (one + t + t.square() / Interval::point(3.0)) * e;
                (e + t * e * (one + t * rest), slope * Interval::point(-7.0) / Interval::point(10.0))
            }
            Self::Rbf => {
                let e = (s * -0.5).exp();
                (e, e * -0.5)
            }
            Self::Rq(alpha) => {
                let q = s * 0.5 / Interval::point(*alpha);
                let value = (q.ln_1p() * -*alpha).exp();
                (value, -(value * 0.5) / (one + q))
            }
            // None of them has derivatives of all orders in s.
            Self::Power { .. } | Self::Chords(_) | Self::Polyline(_) => (Interval::ALL, Interval::ALL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMOOTH: [Kernel; 6] =
        [Kernel::Matern12, Kernel::Matern32, Kernel::Matern52, Kernel::Matern72, Kernel::Rbf, Kernel::Rq(0.7)];

    /// By other formulas, in ordinary arithmetic.
    fn plain(kernel: &Kernel, s: f64) -> f64 {
        let r = s.sqrt();
        match kernel {
            Kernel::Matern12 => 1.0 / r.exp(),
            Kernel::Matern32 => (1.0 + 3_f64.sqrt() * r) / (3_f64.sqrt() * r).exp(),
            Kernel::Matern52 => (1.0 + 5_f64.sqrt() * r + 5.0 * s / 3.0) / (5_f64.sqrt() * r).exp(),
            Kernel::Matern72 => {
                let a = (7.0 * s).sqrt();
                (15.0 + 15.0 * a + 6.0 * a.powi(2) + a.powi(3)) / (15.0 * a.exp())
            }
            Kernel::Rbf => 1.0 / (s / 2.0).exp(),
            Kernel::Rq(alpha) => (1.0 + s / (2.0 * alpha)).powf(-alpha),
            Kernel::Power { degree, offset } => (s + offset).powi(*degree as i32),
            Kernel::Chords(_) | Kernel::Polyline(_) => f64::NAN,
        }
    }

    #[test]
    fn values_and_slopes_are_those_of_the_formulas() {
        for kernel in &SMOOTH {
            for s in [1e-4, 0.3, 1.0, 2.5, 40.0] {
                let (value, slope) = kernel.jet(Interval::point(s));
                let exact = plain(kernel, s);
                assert!(
                    (value.low() - exact).abs() <= 1e-13 && (value.high() - exact).abs() <= 1e-13,
                    "{kernel:?} {s}"
                );
                let step = 1e-4 * s;
                let rate = (plain(kernel, s + step) - plain(kernel, s - step)) / (2.0 * step);
                assert!((slope.low() - rate).abs() <= 1e-5 * rate.abs() + 1e-12, "{kernel:?} {s}: {slope:?} {rate}");
                assert!(slope.high() - slope.low() <= 1e-12 * slope.size());
                // Over an interval: from the value at its far end to that at its near end.
                let wide = kernel.value(Interval::between(s, 2.0 * s));
                assert!((wide.high() - exact).abs() < 1e-13 && (wide.low() - plain(kernel, 2.0 * s)).abs() < 1e-13);
            }
            assert!(kernel.is_stationary());
            let (one, _) = kernel.jet(Interval::ZERO);
            assert!(one.low() <= 1.0 && one.high() >= 1.0 && one.high() - one.low() < 1e-14);
            assert_eq!(kernel.value(Interval::ALL), Interval::ALL);
            // What rounding made negative is a distance of 0.
            assert!(kernel.value(Interval::between(-1e-20, 0.0)).high() <= 1.0 + 1e-15);
        }
        let power = Kernel::Power { degree: 3, offset: 0.5 };
        let value = power.value(Interval::between(-2.0, 1.0));
        assert!(value.low() <= -3.375 && value.high() >= 3.375 && !power.is_stationary());
        assert_eq!(power.jet(Interval::ONE).0, Interval::ALL);
    }
}
