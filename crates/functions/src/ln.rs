//! ln x = e ln 2 + ln(1 + f) with 1 + f between about 1/√2 and √2. With t = f/(2 + f),
//!
//! ```text
//! ln(1 + f) = 2t (1 + t²/3 + t⁴/5 + …).
//! ```
//!
//! 116 bits after the point are enough even near x = 1: the result is 0, or its size is at least 2⁻⁵⁵.

use crate::fixed::{RECIPROCAL, fixed, high_product, nearest_long, parts};

/// The number of bits after the point of f, t and the result.
const POINT: u32 = 116;

/// ln 2, rounded to nearest.
const LN_2: i128 = 0xb_1721_7f7d_1cf7_9abc_9e3b_3980_3f2f;

/// An approximation of √2 with 127 bits after the point.
const ROOT_2: u128 = 0xb504_f333 << 96;

/// The number of terms of the series: t² ≤ 1/25, and 25⁻¹⁵/31 < 2⁻⁷⁴.
const TERMS: usize = 15;

/// ln x; −∞ at 0, NaN below 0.
pub fn ln(x: f64) -> f64 {
    if !(x > 0.0) {
        return if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    }
    if x == f64::INFINITY {
        return x;
    }
    let (mantissa, exponent) = parts(x);
    let shift = mantissa.leading_zeros();
    logarithm(u128::from(mantissa << shift) << 64, exponent + 63 - shift as i32)
}

/// ln(1 + x) for x ≥ 0; NaN below 0.
pub fn ln_1p(x: f64) -> f64 {
    if !(x >= 0.0) {
        return f64::NAN;
    }
    if x < 2_f64.powi(-54) {
        // x is too large by less than x²/2 ≤ 2⁻⁵⁵ x.
        return x;
    }
    if x < 0.5 {
        // x is a whole number of units, because its last bit is at least 2⁻¹⁰⁶.
        return rounded(of_one_plus(fixed(x, POINT as i32) as i128));
    }
    if x >= 2_f64.powi(60) {
        // ln x is too small by less than 1/x ≤ 2⁻⁶⁰, and ln x > 41.
        return ln(x);
    }
    // The sum is exact, because the last bit of x is at least 2⁻⁵³.
    let sum = (1 << 54) + fixed(x, 54);
    let shift = sum.leading_zeros();
    logarithm(sum << shift, 127 - 54 - shift as i32)
}

/// ln(m/2¹²⁷ 2ᵉ) for m ≥ 2¹²⁷. If e = 0, m must have no bits below 2¹¹, so that f is exact.
fn logarithm(m: u128, exponent: i32) -> f64 {
    let halved = u32::from(m > ROOT_2);
    let f = (m >> (127 - POINT + halved)) as i128 - (1 << POINT);
    rounded(i128::from(exponent + halved as i32) * LN_2 + of_one_plus(f))
}

/// ln(1 + f) for −0.3 < f ≤ 0.5.
///
/// The relative error is at most 2⁻⁵⁹: 2 + f is cut to 62 bits after the point; t loses one unit of 2⁻¹¹⁶ and is at least
/// 2⁻⁵⁶ (or 0); the series loses 2⁻⁷⁴ and units of 2⁻¹²⁷; and the result loses one more unit of 2⁻¹¹⁶. If a multiple of ln 2 is
/// added, at most 2¹¹ times with half a unit each, the sum is at least 0.34 and these errors are less than 2⁻⁶⁰ of it.
fn of_one_plus(f: i128) -> i128 {
    let (above, below) = (f.unsigned_abs(), (((2 << POINT) + f) >> (POINT - 62)) as u128);
    // The quotient takes two steps, because 2⁶² `above` may need more than 128 bits.
    let t = ((above / below) << 62) + ((above % below) << 62) / below;
    let t = t << (128 - POINT);
    let square = high_product(t, t);
    let series = (0..TERMS).rev().fold(0, |sum, k| high_product(sum, square) + (RECIPROCAL[2 * k + 1] >> 1));
    // `size` is twice the product, which has 127 bits after the point.
    let size = (high_product(t, series) >> (127 - POINT - 1)) as i128;
    if f < 0 { -size } else { size }
}

fn rounded(value: i128) -> f64 {
    let size = nearest_long(value.unsigned_abs(), -(POINT as i32));
    if value < 0 { -size } else { size }
}
