//! erfc x = 1 − erf x is computed for |x| < 3 by the series
//!
//! ```text
//! erf x = 2x/√π Σ (−x²)ⁿ/(n! (2n + 1)),
//! ```
//!
//! for x ≥ 3 by the continued fraction
//!
//! ```text
//! erfc x = e^(−x²)/(√π d₁),    dₙ = x + (n/2)/dₙ₊₁,
//! ```
//!
//! and erfc(−x) = 2 − erfc x.

use crate::exp::mantissa_and_exponent;
use crate::fixed::{RECIPROCAL, fixed, high_product, nearest_long};

/// The least x for which the continued fraction is used.
const TAIL: f64 = 3.0;

/// Beyond this x, erfc x is less than half the least float.
const END: f64 = 28.0;

/// 2/√π with 112 bits after the point, to nearest.
const TWO_BY_ROOT_PI: u128 = 0x1_20dd_7504_29b6_d11a_e3a9_14fe_d7fe;

/// 1/√π with 64 bits after the point, to nearest.
const ONE_BY_ROOT_PI: u128 = 0x906e_ba82_14db_688d;

/// The number of levels of the continued fraction. At x = 3 the relative error of d₁ is 2⁻⁶³; it is less for larger x.
const LEVELS: u128 = 40;

/// erfc x.
pub fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        x
    } else if x >= TAIL {
        tail(x)
    } else if x <= -TAIL {
        2.0 - tail(-x)
    } else {
        const ONE: u128 = 1 << 122;
        let size = erf(x.abs());
        nearest_long(if x < 0.0 { ONE + size } else { ONE - size }, -122)
    }
}

/// erf x for 0 ≤ x < 3 with 122 bits after the point; the error is at most 2⁻⁸⁸, and erfc 3 > 2⁻¹⁶.
///
/// Each level of Horner's scheme loses less than four units of 2⁻¹⁰⁸, and the loss of level n counts x²ⁿ/n! times in the
/// result: together less than e⁹ < 2¹³ times. With this number of levels, the omitted terms are less than x²ⁿ/n! ≤ 2⁻⁹².
fn erf(x: f64) -> u128 {
    // x has 124 bits after the point, the square 120, and the sum 112; the size of the sum is less than e⁹/(2n + 1).
    let x = fixed(x, 124);
    let square = high_product(x, x);
    let levels = 24 + 5 * (1 + (square >> 120) as usize);
    let sum = (0..levels).rev().fold(0_i128, |sum, n| {
        // `ratio` is x²/(n + 1) with 124 bits.
        let ratio = high_product(square, RECIPROCAL[n + 1]) << 4;
        let product = (high_product(ratio, sum.unsigned_abs()) << 4) as i128;
        (RECIPROCAL[2 * n + 1] >> 16) as i128 - if sum < 0 { -product } else { product }
    });
    high_product(high_product(sum.unsigned_abs() << 15, x), TWO_BY_ROOT_PI << 15)
}

/// erfc x for x ≥ 3, with a relative error of at most 2⁻⁵⁶ before rounding.
///
/// x² is exact, so e^(−x²) is known to 2⁻⁶⁰. A level loses one unit of 2⁻⁵⁸, and an error of dₙ₊₁ enters dₙ multiplied by
/// fₙ = (n/2)/dₙ₊₁². From dₙ₊₁ dₙ₊₂ = x dₙ₊₂ + (n + 1)/2 ≥ 9 + (n + 1)/2 follows fₙ fₙ₊₁ ≤ (20.5/29.5)² < 1/2, and
/// fₙ ≤ 20/9. So all losses together are less than (1 + 20/9)/(1 − 1/2) < 7 units of 2⁻⁵⁸, which is 2⁻⁵⁶·⁷ of d₁ > 3. The
/// continued fraction itself lies between successive convergents. The last division loses 2⁻⁶¹.
fn tail(x: f64) -> f64 {
    if x > END {
        return 0.0;
    }
    let x = fixed(x, 58);
    let d = (1..=LEVELS).rev().fold(x, |d, n| x + (n << 115) / d);
    let (power, exponent) = mantissa_and_exponent(-(((x * x) << 1) as i128));
    nearest_long(high_product(power, ONE_BY_ROOT_PI << 64) / d, exponent + 58)
}
