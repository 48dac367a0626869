//! eˣ = 2^(k/64) eʳ with 0 ≤ r < ln(2)/64 + tiny: a table gives the power, a series of seven terms gives eʳ.

use crate::fixed::{fixed, high_product, nearest};

/// The number of bits after the point of an argument.
const POINT: u32 = 117;

/// ln 2, rounded to nearest.
const LN_2: i128 = 0x16_2e42_fefa_39ef_3579_3c76_7300_7e5f;

/// ln(2)/64.
const STEP: i128 = LN_2 >> 6;

/// 64/ln 2 with 56 bits after the point, rounded down.
const STEPS_PER_UNIT: i64 = 0x5c55_1d94_ae0b_f85d;

/// 2^(j/64) with 63 bits after the point, from the plain series; each is less than 1 unit too small.
const POWERS: [u64; 64] = {
    let mut table = [0; 64];
    let mut j = 0;
    while j < table.len() {
        // r has 128 bits after the point; terms and sum have 126.
        let r = ((LN_2 as u128) << 5) * j as u128;
        let (mut sum, mut term, mut n) = (0, 1 << 126, 1);
        while term > 0 {
            sum += term;
            term = high_product(term, r) / n;
            n += 1;
        }
        table[j] = (sum >> 63) as u64;
        j += 1;
    }
    table
};

/// eˣ; 0 if eˣ underflows, ∞ if eˣ overflows.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < -746.0 {
        return 0.0;
    }
    if x > 710.0 {
        return f64::INFINITY;
    }
    let size = fixed(x, POINT as i32) as i128;
    let (mantissa, exponent) = mantissa_and_exponent(if x < 0.0 { -size } else { size });
    nearest((mantissa >> 63) as u64, exponent + 63)
}

/// eˣ = m 2ᵉ for x with 117 bits after the point, −2¹⁰ < x < 2¹⁰; 2¹²⁵ − 2⁶⁶ < m < 2¹²⁷.
///
/// The relative error is at most 2⁻⁶⁰: r is known to 2⁻⁷⁰ + 2⁻¹⁰⁰ (k < 2¹⁷ steps with an error of half a unit each, and one
/// unit cut off); the series ends with an error of r⁸/8! < 2⁻⁶⁷; Horner's scheme loses two units of 2⁻⁶² at each level, and
/// each level multiplies the earlier losses by r < 2⁻⁶; and the power is known to 2⁻⁶³. `exp` cuts off one more unit of 2⁻⁶².
pub fn mantissa_and_exponent(x: i128) -> (u128, i32) {
    let leading = (x >> 64) as i64;
    let mut k = ((i128::from(leading) * i128::from(STEPS_PER_UNIT)) >> (56 + POINT - 64)) as i64;
    let mut r = x - i128::from(k) * STEP;
    // The quotient was computed from the leading bits, to 2⁻⁴⁰, so it may be one too large.
    if r < 0 {
        k -= 1;
        r += STEP;
    }
    // r now has 70 bits after the point, the sum has 62.
    let r = (r >> (POINT - 70)) as u64;
    const ONE: u64 = 1 << 62;
    let level = |sum: u64, n: u64| ONE + ((u128::from(r) * u128::from(sum)) >> 70) as u64 / n;
    let sum = level(level(level(level(level(level(level(ONE, 7), 6), 5), 4), 3), 2), 1);
    let power = POWERS[(k & 63) as usize];
    (u128::from(sum) * u128::from(power), (k >> 6) as i32 - 125)
}
