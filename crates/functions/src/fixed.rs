//! Fixed-point numbers: a whole number `a` with p bits after the point stands for a/2ᵖ.

/// ⌊(2¹²⁸ − 1)/n⌋: 1/n with 128 bits after the point, less than 2 units too small. The entry n = 0 is not used.
pub const RECIPROCAL: [u128; 144] = {
    let mut table = [0; 144];
    let mut n = 1;
    while n < table.len() {
        table[n] = u128::MAX / n as u128;
        n += 1;
    }
    table
};

/// ⌊a b/2¹²⁸⌋: the numbers of bits after the point add up, minus 128.
pub const fn high_product(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (left, right) = ((a >> 64) * (b & LOW), (a & LOW) * (b >> 64));
    let carried = (((a & LOW) * (b & LOW)) >> 64) + (left & LOW) + (right & LOW);
    (a >> 64) * (b >> 64) + (left >> 64) + (right >> 64) + (carried >> 64)
}

/// A positive finite number as m 2ᵉ with m < 2⁵³, exactly.
pub fn parts(x: f64) -> (u64, i32) {
    let fraction = x.to_bits() & ((1 << 52) - 1);
    match (x.to_bits() >> 52) & 0x7ff {
        0 => (fraction, -1074),
        biased => (fraction | (1 << 52), biased as i32 - 1075),
    }
}

/// |x| with `point` bits after the point, rounded down. The result must fit.
pub fn fixed(x: f64, point: i32) -> u128 {
    let (mantissa, exponent) = parts(x.abs());
    let mantissa = u128::from(mantissa);
    match exponent + point {
        left @ 0.. => mantissa << left,
        right @ -127.. => mantissa >> -right,
        _ => 0,
    }
}

/// The float nearest to m 2ᵉ, for −1300 ≤ e ≤ 1000; below the normal floats the number is rounded twice.
pub fn nearest(mantissa: u64, exponent: i32) -> f64 {
    // 2ᵉ alone need not be a float, so the scaling takes two steps, of which the first is exact.
    let half = exponent / 2;
    mantissa as f64 * power_of_two(half) * power_of_two(exponent - half)
}

/// The float nearest to m 2ᵉ for a longer m, which is cut to 64 bits first: that loses at most 2⁻⁶³ of m.
pub fn nearest_long(mantissa: u128, exponent: i32) -> f64 {
    let cut = 64_u32.saturating_sub(mantissa.leading_zeros());
    nearest((mantissa >> cut) as u64, exponent + cut as i32)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
