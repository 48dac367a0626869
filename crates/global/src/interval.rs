//! Intervals with outward rounding: every result contains every value that the exact operation could give.

mod chords;
mod cubic;
mod kernel;
mod normal;
mod polynomial;

pub(crate) use chords::Chords;
pub(crate) use cubic::Cubic;
pub(crate) use kernel::Kernel;
pub(crate) use normal::{cdf, log_h};
pub(crate) use polynomial::{Polynomial, enclose, expand, interpolate};

use std::ops::{Add, Div, Mul, Neg, Sub};

/// All numbers from `low` to `high`. Invalid operations give everything, or NaN ends, which no comparison accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub low: f64,
    pub high: f64,
}

impl Interval {
    pub const ZERO: Self = Self { low: 0.0, high: 0.0 };
    pub const ONE: Self = Self { low: 1.0, high: 1.0 };
    const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// `value` give or take `error`.
    pub fn around(value: f64, error: f64) -> Self {
        Self { low: (value - error).next_down(), high: (value + error).next_up() }
    }

    /// One unit outwards on each side, which covers an operation rounded to nearest.
    fn rounded(low: f64, high: f64) -> Self {
        Self { low: low.next_down(), high: high.next_up() }
    }

    /// The largest size of a member.
    pub fn size(self) -> f64 {
        if self.low.is_nan() || self.high.is_nan() { f64::NAN } else { self.low.abs().max(self.high.abs()) }
    }

    pub fn middle(self) -> f64 {
        0.5 * self.low + 0.5 * self.high
    }

    /// Half the width, rounded up.
    pub fn radius(self) -> f64 {
        (self.high - self.middle()).max(self.middle() - self.low).next_up()
    }

    pub fn abs(self) -> Self {
        let straddles = self.low <= 0.0 && self.high >= 0.0;
        Self { low: if straddles { 0.0 } else { self.low.abs().min(self.high.abs()) }, high: self.size() }
    }

    pub fn square(self) -> Self {
        let Self { low, high } = self.abs();
        Self { low: (low * low).next_down().max(0.0), high: (high * high).next_up() }
    }

    pub fn power(self, exponent: u32) -> Self {
        (0..exponent).fold(Self::ONE, |product, _| product * self)
    }

    pub fn sqrt(self) -> Self {
        let Self { low, high } = self.positive_part();
        Self { low: low.sqrt().next_down().max(0.0), high: high.sqrt().next_up() }
    }

    pub fn exp(self) -> Self {
        Self { low: core_math::exp(self.low).next_down().max(0.0), high: core_math::exp(self.high).next_up() }
    }

    pub fn ln(self) -> Self {
        Self::rounded(core_math::log(self.low.max(0.0)), core_math::log(self.high))
    }

    pub fn ln_1p(self) -> Self {
        Self::rounded(core_math::log1p(self.low), core_math::log1p(self.high))
    }

    /// The larger of each member and 0; anything from 0 up where nothing is known.
    pub fn positive_part(self) -> Self {
        // `max` would take the 0 for a NaN.
        Self { low: self.low.max(0.0), high: if self.high.is_nan() { f64::INFINITY } else { self.high.max(0.0) } }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::rounded(self.low - other.high, self.high - other.low)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let products = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        if products.iter().any(|p| p.is_nan()) {
            return Self::ALL;
        }
        let low = products.iter().copied().fold(f64::INFINITY, f64::min);
        Self::rounded(low, products.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    }
}

impl Mul<f64> for Interval {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        self * Self::point(factor)
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if other.low > 0.0 || other.high < 0.0 {
            self * Self::rounded(1.0 / other.high, 1.0 / other.low)
        } else {
            Self::ALL
        }
    }
}

impl std::iter::Sum for Interval {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

/// An enclosure of the inner product of two vectors of numbers, from one pass of ordinary arithmetic: the rounding of
/// n products and n/4 sums in each of four lanes is at most n/4 + 4 units of 2⁻⁵³ of the sum of sizes.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> Interval {
    let (mut sum, mut sizes) = ([0.0; 4], [0.0; 4]);
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for (lane, (a, b)) in a.iter().zip(b).enumerate() {
            sum[lane] += a * b;
            sizes[lane] += (a * b).abs();
        }
    }
    let error = (a.len() as f64 / 4.0 + 8.0) * f64::EPSILON * sizes.iter().sum::<f64>();
    Interval::around(sum.iter().sum(), error + f64::MIN_POSITIVE)
}

/// Whether a symmetric matrix less a diagonal, `margin`, is positive definite: Cholesky's method goes through for it less what
/// rounding may do to it, n + 2 units of the trace (Rump 2006), here twice as many and for the margin, too.
pub(crate) fn is_positive_definite(matrix: &[Vec<f64>], margin: impl Fn(usize) -> f64) -> bool {
    let n = matrix.len();
    let trace: f64 = (0..n).map(|i| matrix[i][i].abs() + margin(i).abs()).sum();
    let rounding = (2.0 * n as f64 + 8.0) * f64::EPSILON * trace + f64::MIN_POSITIVE;
    let mut lowered = matrix.to_vec();
    for (i, row) in lowered.iter_mut().enumerate() {
        row[i] -= margin(i) + rounding;
    }
    cholesky(&lowered).iter().enumerate().all(|(i, row)| row[i] > 0.0)
}

/// A lower triangular factor, in ordinary arithmetic; not a number from where there is none.
pub(crate) fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (i, row) in matrix.iter().enumerate() {
        let mut next = vec![0.0; i + 1];
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| next[k] * if i == j { next[k] } else { factor[j][k] }).sum();
            next[j] = if i == j { (row[i] - known).sqrt() } else { (row[j] - known) / factor[j][j] };
        }
        factor.push(next);
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_matrix_is_positive_definite_up_to_its_least_eigenvalue_and_no_further() {
        // 1 + q qᵀ·9 with |q| = 1: eigenvalues 1, 1 and 10, however small a pivot is.
        for q in [[0.6, 0.8, 0.0], [1.0, 0.0, 0.0], [0.48, 0.6, 0.64]] {
            let unit = |j: usize, k: usize| f64::from(u8::from(j == k));
            let entry = |j: usize, k: usize| unit(j, k) + 9.0 * q[j] * q[k];
            let matrix: Vec<Vec<f64>> = (0..3).map(|j| (0..3).map(|k| entry(j, k)).collect()).collect();
            assert!(is_positive_definite(&matrix, |_| 1.0 - 1e-12));
            assert!(!is_positive_definite(&matrix, |_| 1.0) && !is_positive_definite(&matrix, |_| f64::INFINITY));
            assert!(!is_positive_definite(&matrix, |_| f64::NAN));
        }
        assert!(!is_positive_definite(&[vec![f64::NAN]], |_| 0.0) && !is_positive_definite(&[vec![0.0]], |_| 0.0));
    }

    #[test]
    fn of_what_is_not_known_nothing_is_known_after_a_root_either() {
        let unknown = Interval { low: f64::NAN, high: f64::NAN };
        for set in [unknown.sqrt(), unknown.positive_part()] {
            assert!(set.low <= 0.0 && set.high == f64::INFINITY, "{set:?}");
        }
    }

    fn interval() -> impl Strategy<Value = Interval> {
        (-1e3..1e3, 0.0..10.0).prop_map(|(low, width): (f64, f64)| Interval { low, high: low + width })
    }

    fn contains(set: Interval, value: f64) -> bool {
        set.low <= value && value <= set.high
    }

    proptest! {
        #[test]
        fn results_contain_the_results_of_members(a in interval(), b in interval(), s in 0.0..=1.0_f64, t in 0.0..=1.0_f64) {
            let x = (a.low + s * (a.high - a.low)).clamp(a.low, a.high);
            let y = (b.low + t * (b.high - b.low)).clamp(b.low, b.high);
            prop_assert!(contains(a + b, x + y) && contains(a - b, x - y) && contains(a * b, x * y));
            prop_assert!(contains(-a, -x) && contains(a.square(), x * x));
            if b.low > 0.0 || b.high < 0.0 { prop_assert!(contains(a / b, x / y)); }
            if a.low >= 0.0 {
                prop_assert!(contains(a.sqrt(), x.sqrt()) && contains(a.ln_1p(), x.ln_1p()));
                prop_assert!(contains((-a).exp(), (-x).exp()) && contains(a.ln(), x.ln()));
            }
        }
    }
}
