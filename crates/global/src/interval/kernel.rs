//! The kernels in interval arithmetic: φ of a squared distance and its slope, or a power of an inner product.

use super::{Chords, Interval};

/// A kernel of unit variance, as the file names it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kernel {
    Matern12,
    Matern32,
    Matern52,
    Rbf,
    Rq(f64),
    /// (u + offset)^degree of an inner product u; the others are functions of a squared distance.
    Power {
        degree: u32,
        offset: f64,
    },
    /// Piecewise linear in the distance.
    Chords(Chords),
}

impl Kernel {
    /// The kernel of that name in a proof file; its shape is α of `rq`, the offset of `linear` and `polynomial`.
    pub fn named(name: &str, shape: Option<f64>, degree: Option<u32>, knots: &[(f64, f64)]) -> Option<Self> {
        let offset = shape.filter(|offset| *offset >= 0.0 && offset.is_finite());
        match (name, shape) {
            ("matern12", _) => Some(Self::Matern12),
            ("matern32", _) => Some(Self::Matern32),
            ("matern52", _) => Some(Self::Matern52),
            ("rbf", _) => Some(Self::Rbf),
            ("rq", Some(alpha)) if alpha > 0.0 && alpha.is_finite() => Some(Self::Rq(alpha)),
            ("piecewise_linear", _) => Chords::new(knots).map(Self::Chords),
            ("linear", _) => offset.map(|offset| Self::Power { degree: 1, offset }),
            ("polynomial", _) => {
                let degree = degree.filter(|degree| (1..=64).contains(degree))?;
                offset.map(|offset| Self::Power { degree, offset })
            }
            _ => None,
        }
    }

    /// φ of the kernel's argument.
    pub fn value(&self, argument: Interval) -> Interval {
        match self {
            Self::Chords(chords) => chords.value(argument),
            Self::Power { degree, offset } => (argument + Interval::point(*offset)).power(*degree),
            Self::Matern12 | Self::Matern32 | Self::Matern52 | Self::Rbf | Self::Rq(_) => self.jet(argument).0,
        }
    }

    /// φ(s) and φ'(s), s being a squared distance. φ falls and φ' rises with s, so the ends of the interval give theirs.
    pub fn jet(&self, s: Interval) -> (Interval, Interval) {
        let near = self.jet_at(s.low.max(0.0));
        let far = if s.low == s.high { near } else { self.jet_at(s.high) };
        let value = Interval { low: far.0.low, high: near.0.high };
        (value, Interval { low: near.1.low, high: far.1.high })
    }

    fn jet_at(&self, s: f64) -> (Interval, Interval) {
        let s = Interval::point(s);
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
            Self::Rbf => {
                let e = (s * -0.5).exp();
                (e, e * -0.5)
            }
            Self::Rq(alpha) => {
                let q = s * 0.5 / Interval::point(*alpha);
                let value = (q.ln_1p() * -*alpha).exp();
                (value, -(value * 0.5) / (one + q))
            }
            Self::Power { .. } | Self::Chords(_) => unreachable!("neither has derivatives of all orders in s"),
        }
    }
}
