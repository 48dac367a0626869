//! Intervals with outward rounding: every result contains every value that the exact operation could give.
//!
//! The whole line means that nothing is known. Overflow, an infinite number, NaN, a division by an interval that contains zero,
//! and a logarithm of an interval that is not positive all give the whole line, and no comparison with the whole line
//! holds. The ends of any other interval are finite.

mod matrix;
mod vector;

pub(crate) use matrix::{cholesky, is_positive_definite, solve};
pub(crate) use vector::{absolute_sum, dot};

use std::ops::{Add, Div, Mul, Neg, Sub};

/// All numbers from `low` to `high`, both finite; or the whole line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    pub const ZERO: Self = Self { low: 0.0, high: 0.0 };
    pub const ONE: Self = Self { low: 1.0, high: 1.0 };
    /// From −1 to 1.
    pub const UNIT: Self = Self { low: -1.0, high: 1.0 };
    /// The whole line: nothing is known.
    pub const ALL: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// The interval from `low` to `high`. This is the only way to make an interval; ends that are not finite or out of order
    /// give the whole line.
    pub fn between(low: f64, high: f64) -> Self {
        if low.is_finite() && high.is_finite() && low <= high { Self { low, high } } else { Self::ALL }
    }

    /// The interval widened by one unit on each side, which covers an operation rounded to nearest.
    fn rounded(low: f64, high: f64) -> Self {
        Self::between(low.next_down(), high.next_up())
    }

    /// The number itself.
    pub fn point(value: f64) -> Self {
        Self::between(value, value)
    }

    /// `value` ± `error`.
    pub fn around(value: f64, error: f64) -> Self {
        Self::rounded(value - error, value + error)
    }

    /// All numbers from −s to s, with s the largest size of a member.
    pub fn give_or_take(self) -> Self {
        let size = self.size();
        Self::between(-size, size)
    }

    /// The lower end; −∞ if nothing is known.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The upper end; ∞ if nothing is known.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Whether this is not the whole line.
    pub fn is_known(self) -> bool {
        self.low.is_finite()
    }

    /// The upper end as an interval.
    pub fn upper(self) -> Self {
        Self::point(self.high)
    }

    /// The lower end as an interval.
    pub fn lower(self) -> Self {
        Self::point(self.low)
    }

    /// The smallest interval that contains both intervals.
    pub fn hull(self, other: Self) -> Self {
        Self::between(least(self.low, other.low), most(self.high, other.high))
    }

    /// All maxima of a member of `self` and a member of `other`.
    pub fn max(self, other: Self) -> Self {
        match self.is_known() && other.is_known() {
            true => Self::between(most(self.low, other.low), most(self.high, other.high)),
            false => Self::ALL,
        }
    }

    /// All minima of a member of `self` and a member of `other`.
    pub fn min(self, other: Self) -> Self {
        match self.is_known() && other.is_known() {
            true => Self::between(least(self.low, other.low), least(self.high, other.high)),
            false => Self::ALL,
        }
    }

    /// The largest size of a member; ∞ if nothing is known.
    pub fn size(self) -> f64 {
        most(self.low.abs(), self.high.abs())
    }

    /// A number near the middle, for guesses; 0 if nothing is known.
    pub fn guess(self) -> f64 {
        self.ball().map_or(0.0, |(middle, _)| middle)
    }

    /// A number, and a bound of every member's distance from it; none if nothing is known.
    pub fn ball(self) -> Option<(f64, f64)> {
        let middle = 0.5 * self.low + 0.5 * self.high;
        self.is_known().then(|| (middle, most(self.high - middle, middle - self.low).next_up()))
    }

    pub fn abs(self) -> Self {
        let straddles = self.low <= 0.0 && self.high >= 0.0;
        Self::between(if straddles { 0.0 } else { least(self.low.abs(), self.high.abs()) }, self.size())
    }

    pub fn square(self) -> Self {
        let Self { low, high } = self.abs();
        Self::between(at_least_zero((low * low).next_down()), (high * high).next_up())
    }

    pub fn power(self, exponent: u32) -> Self {
        (0..exponent).fold(Self::ONE, |product, _| product * self)
    }

    /// max(x, 0) for each member x.
    pub fn positive_part(self) -> Self {
        self.max(Self::ZERO)
    }

    /// The square root of the positive part.
    pub fn sqrt(self) -> Self {
        let Self { low, high } = self.positive_part();
        Self::between(at_least_zero(low.sqrt().next_down()), high.sqrt().next_up())
    }

    pub fn exp(self) -> Self {
        match self.is_known() {
            true => Self::between(
                at_least_zero(fathom_functions::exp(self.low).next_down()),
                fathom_functions::exp(self.high).next_up(),
            ),
            false => Self::ALL,
        }
    }

    pub fn ln(self) -> Self {
        match self.low > 0.0 && self.is_known() {
            true => Self::rounded(fathom_functions::ln(self.low), fathom_functions::ln(self.high)),
            false => Self::ALL,
        }
    }

    /// ln(1 + x) of the positive part.
    pub fn ln_1p(self) -> Self {
        let Self { low, high } = self.positive_part();
        match low.is_finite() {
            true => Self::between(
                at_least_zero(fathom_functions::ln_1p(low).next_down()),
                fathom_functions::ln_1p(high).next_up(),
            ),
            false => Self::ALL,
        }
    }

    /// The largest size of a member of any interval.
    pub fn largest(sets: impl IntoIterator<Item = Self>) -> Self {
        sets.into_iter().fold(Self::ZERO, |largest, set| largest.max(set.abs().upper()))
    }
}

/// The smaller of two numbers that are not NaN.
fn least(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two numbers that are not NaN.
fn most(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// max(value, 0), but NaN stays NaN.
fn at_least_zero(value: f64) -> f64 {
    if value < 0.0 { 0.0 } else { value }
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
        if !(self.is_known() && other.is_known()) {
            return Self::ALL;
        }
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        Self::spanned(ends)
    }
}

impl Interval {
    /// The interval from the least to the largest of four rounded results, none of which is NaN.
    fn spanned([a, b, c, d]: [f64; 4]) -> Self {
        Self::rounded(least(least(a, b), least(c, d)), most(most(a, b), most(c, d)))
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
        let is_apart_from_zero = other.low > 0.0 || other.high < 0.0;
        if !(self.is_known() && other.is_known() && is_apart_from_zero) {
            return Self::ALL;
        }
        let ends = [self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high];
        Self::spanned(ends)
    }
}

impl std::iter::Sum for Interval {
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STRANGE: [f64; 12] = [
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        1e-200,
        1.0,
        -1e200,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NAN,
    ];

    fn is_sound(set: Interval) -> bool {
        set == Interval::ALL || (set.low.is_finite() && set.high.is_finite() && set.low <= set.high)
    }

    #[test]
    fn no_operation_on_strange_numbers_makes_a_half_known_interval() {
        let sets: Vec<Interval> = STRANGE
            .iter()
            .flat_map(|a| STRANGE.map(|b| Interval::between(*a, b)))
            .chain(STRANGE.iter().flat_map(|a| STRANGE.map(|b| Interval::around(*a, b))))
            .collect();
        for a in &sets {
            let unary = [-*a, a.abs(), a.square(), a.sqrt(), a.exp(), a.ln(), a.ln_1p(), a.positive_part(), a.power(3)];
            assert!(unary.into_iter().all(is_sound), "{a:?}: {unary:?}");
            assert!([a.upper(), a.lower(), a.give_or_take()].into_iter().all(is_sound), "{a:?}");
            for b in &sets {
                let binary = [*a + *b, *a - *b, *a * *b, *a / *b, a.hull(*b), a.max(*b), a.min(*b)];
                assert!(binary.into_iter().all(is_sound), "{a:?} {b:?}: {binary:?}");
                if !a.is_known() {
                    assert!(binary.into_iter().all(|set| set == Interval::ALL), "{a:?} {b:?}: {binary:?}");
                }
            }
        }
    }

    #[test]
    fn operations_on_the_whole_line_give_the_whole_line() {
        let all = Interval::ALL;
        for set in
            [all.sqrt(), all.positive_part(), all.abs(), all.square(), all.exp(), all.ln(), all.ln_1p(), all.power(2)]
        {
            assert_eq!(set, all);
        }
        assert_eq!(Interval::largest([Interval::ONE, all, Interval::ONE]), all);
        assert_eq!((all.ball(), all.size(), all.guess()), (None, f64::INFINITY, 0.0));
        assert!(!(all.low() >= -f64::MAX) && !(all.high() <= f64::MAX));
        for (a, b) in [(1.0, 0.0), (f64::NAN, 0.0), (0.0, f64::NAN), (f64::INFINITY, f64::INFINITY)] {
            assert_eq!(Interval::between(a, b), all);
        }
        assert_eq!(Interval::point(f64::MAX) * 2.0, all);
        assert_eq!(Interval::ONE / Interval::UNIT, all);
        for end in [Interval::between(0.0, 1.0), Interval::between(-1.0, 0.0), Interval::ZERO] {
            assert_eq!((Interval::ZERO / end, Interval::ONE / end), (all, all));
        }
        assert_eq!(Interval::around(0.0, f64::NAN), all);
    }

    fn interval() -> impl Strategy<Value = Interval> {
        (-1e3..1e3, 0.0..10.0).prop_map(|(low, width): (f64, f64)| Interval::between(low, low + width))
    }

    fn contains(set: Interval, value: f64) -> bool {
        set.low <= value && value <= set.high
    }

    /// Whether the set contains the value and is hardly wider than the exact result.
    fn fits(set: Interval, value: f64) -> bool {
        contains(set, value) && set.is_known()
    }

    proptest! {
        #[test]
        fn results_contain_the_results_of_members(a in interval(), b in interval(), s in 0.0..=1.0_f64, t in 0.0..=1.0_f64) {
            let within = |set: Interval, s: f64| {
                let x = set.low + s * (set.high - set.low);
                if x < set.low { set.low } else if x > set.high { set.high } else { x }
            };
            let (x, y) = (within(a, s), within(b, t));
            prop_assert!(fits(a + b, x + y) && fits(a - b, x - y) && fits(a * b, x * y));
            prop_assert!(fits(-a, -x) && fits(a.square(), x * x) && fits(a.abs(), x.abs()) && fits(a.power(3), x * x * x));
            prop_assert!(fits(a.hull(b), x) && fits(a.hull(b), y));
            let (low, high) = if x < y { (x, y) } else { (y, x) };
            prop_assert!(fits(a.max(b), high) && fits(a.min(b), low));
            let (middle, radius) = a.ball().unwrap();
            prop_assert!((x - middle).abs() <= radius && radius <= 0.5 * (a.high - a.low) + 1e-12);
            let positive = if x > 0.0 { x } else { 0.0 };
            prop_assert!(fits(a.give_or_take(), -x) && fits(a.positive_part(), positive));
            if b.low > 0.0 || b.high < 0.0 { prop_assert!(fits(a / b, x / y)); } else { prop_assert_eq!(a / b, Interval::ALL); }
            if a.low > 0.0 {
                prop_assert!(fits(a.sqrt(), x.sqrt()) && fits(a.ln_1p(), x.ln_1p()));
                prop_assert!(fits((-a).exp(), (-x).exp()) && fits(a.ln(), x.ln()));
            } else {
                prop_assert_eq!(a.ln(), Interval::ALL);
            }
        }

        #[test]
        fn results_of_numbers_are_a_few_units_wide(x in 1e-3..1e3_f64, y in 1e-3..1e3_f64) {
            let (a, b) = (Interval::point(x), Interval::point(y));
            let results = [a + b, a - b, a * b, a / b, a.sqrt(), a.ln_1p(), (-a).exp(), a.ln(), a.square()];
            for set in results {
                prop_assert!(set.high - set.low <= 4.0 * f64::EPSILON * set.size() + 1e-300, "{set:?}");
            }
        }
    }
}
