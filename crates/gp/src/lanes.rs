//! Loops over contiguous slices, compiled for the widest vector lanes that the processor has.
//!
//! This is plain Rust without intrinsics: [`widest`] picks an instruction set once at run time, and the loops inside it are
//! written so that the compiler can vectorise them (independent accumulators, no calls). The loops use no fused multiply-add,
//! so their results are the same bits on every processor.
//!
//! The compiler does not inline a large closure into the code for an instruction set; such a closure runs with the lanes that
//! every processor has. The macro [`widest!`](crate::widest) takes its variables by name, and its block is always inlined.

use std::hint::black_box;
use std::sync::LazyLock;

/// Work for [`widest`]: a closure, or what [`widest!`](crate::widest) makes.
pub use pulp::NullaryFnOnce as Work;

static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);

/// Runs `work`, compiled for the best instruction set available. Every function that `work` calls must be `#[inline(always)]`.
#[inline]
pub fn widest<R>(work: impl Work<Output = R>) -> R {
    ARCH.dispatch(work)
}

/// Runs a block of any size, compiled for the best instruction set available:
///
/// ```
/// use fathom_gp::lanes::axpy;
/// let (x, mut y) = ([1.0, 2.0], [3.0, 4.0]);
/// fathom_gp::widest!(<'a> (x: &'a [f64] = &x, y: &'a mut [f64] = &mut y) { axpy(2.0, x, y) });
/// assert_eq!(y, [5.0, 8.0]);
/// ```
///
/// Every function that the block calls must be `#[inline(always)]`.
#[macro_export]
macro_rules! widest {
    (<$life:lifetime> ($($name:ident: $type:ty = $value:expr),* $(,)?) $(-> $out:ty)? $body:block) => {{
        struct WidestWork<$life> { $($name: $type),* }
        impl<$life> $crate::lanes::Work for WidestWork<$life> {
            type Output = $crate::widest!(@out $($out)?);
            #[inline(always)]
            fn call(self) -> Self::Output {
                let Self { $($name),* } = self;
                $body
            }
        }
        $crate::lanes::widest(WidestWork { $($name: $value),* })
    }};
    (@out) => { () };
    (@out $out:ty) => { $out };
}

/// The number of terms that a loop takes at once; the remaining terms at the end of a slice are taken one by one.
pub const LANES: usize = 8;

/// The inner product of two slices, for use inside [`widest`].
///
/// # Panics
/// Panics if the lengths differ.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    assert!(a.len() == b.len(), "an inner product needs slices of equal length");
    let (a_chunks, a_tail) = a.as_chunks::<LANES>();
    let (b_chunks, b_tail) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let tail: f64 = a_tail.iter().zip(b_tail).map(|(x, y)| x * y).sum();
    fold(sums) + tail
}

/// The rows of a matrix that [`combine`] takes at once: as many sums as the processor holds.
pub const STRIP: usize = 2 * LANES;

/// The sums of `W` rows of a matrix times a vector, for use inside [`widest`]; `columns` has the rows' entries column by column. Nothing is
/// added across lanes. Every [`LANES`] columns are summed up before they meet the rest, so rounding is no larger than in [`dot`].
#[inline(always)]
pub fn combine<const W: usize>(columns: &[[f64; W]], v: &[f64]) -> [f64; W] {
    let (groups, rest) = columns.as_chunks::<LANES>();
    let (v, v_rest) = v.as_chunks::<LANES>();
    let mut total = [0.0; W];
    for (columns, v) in groups.iter().zip(v) {
        add(&mut total, &together(columns, v));
    }
    add(&mut total, &together(rest, v_rest));
    total
}

/// The sum of a few columns, each times its factor.
#[inline(always)]
fn together<const W: usize>(columns: &[[f64; W]], v: &[f64]) -> [f64; W] {
    let mut sums = [0.0; W];
    for (column, x) in columns.iter().zip(v) {
        for lane in 0..W {
            sums[lane] += column[lane] * x;
        }
    }
    sums
}

#[inline(always)]
fn add<const W: usize>(total: &mut [f64; W], sums: &[f64; W]) {
    for lane in 0..W {
        total[lane] += sums[lane];
    }
}

/// The sum of a slice, for use inside [`widest`].
#[inline(always)]
pub fn sum(a: &[f64]) -> f64 {
    let (chunks, tail) = a.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for x in chunks {
        for lane in 0..LANES {
            sums[lane] += x[lane];
        }
    }
    fold(sums) + tail.iter().sum::<f64>()
}

/// The sum of all lanes, pairwise, for use inside [`widest`].
#[inline(always)]
pub fn fold(sums: [f64; LANES]) -> f64 {
    let mut halves = [0.0; LANES / 2];
    for lane in 0..LANES / 2 {
        halves[lane] = sums[lane] + sums[lane + LANES / 2];
    }
    // If the compiler saw how the rest is added up, it would arrange the lanes to suit that, and shuffle every block.
    let [a, b, c, d] = black_box(halves);
    (a + c) + (b + d)
}

/// `y += factor * x`, for use inside [`widest`].
///
/// # Panics
/// Panics if the lengths differ.
#[inline(always)]
pub fn axpy(factor: f64, x: &[f64], y: &mut [f64]) {
    assert!(x.len() == y.len(), "adding a multiple needs slices of equal length");
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

/// The larger of `value` and `least`. NaN stays NaN; `f64::max` would return `least`.
#[inline(always)]
pub(crate) fn at_least(value: f64, least: f64) -> f64 {
    if value < least { least } else { value }
}

/// `exp(x)` for `x <= 709`, within one unit in the last place; below −708 the result is 0 instead of a subnormal.
///
/// `x = n ln 2 + r` with `|r| <= ln 2 / 2`, then `1 + r + r² q(r)` with `q` the degree-9 Chebyshev interpolant of
/// `(exp(r) − 1 − r) / r²` (relative truncation error 1.6e-17), scaled by `2^n` in the exponent bits. The function has no
/// branches, so a loop around it vectorises.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    const LOWEST: f64 = -708.0;
    /// Adding this leaves the nearest integer in the low mantissa bits.
    const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 * 2^52
    const LN2_HIGH: f64 = 0.693_145_751_953_125; // few enough bits that n * LN2_HIGH is exact
    const LN2_LOW: f64 = 1.428_606_820_309_417_2e-6;
    const Q: [f64; 10] = [
        0.5,
        0.166_666_666_666_666_69,
        0.041_666_666_666_624_13,
        0.008_333_333_333_330_062,
        0.001_388_888_891_721_371_7,
        0.000_198_412_698_630_536_18,
        2.480_152_129_595_437_6e-5,
        2.755_726_845_999_706_4e-6,
        2.762_008_844_540_974_6e-7,
        2.510_038_549_551_032e-8,
    ];
    let clamped = if x > LOWEST { x } else { LOWEST };
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (clamped - n * LN2_HIGH) - n * LN2_LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    // Estrin's scheme has four short chains instead of a long one.
    let low = (Q[0] + r * Q[1]) + r2 * (Q[2] + r * Q[3]);
    let high = (Q[4] + r * Q[5]) + r2 * (Q[6] + r * Q[7]);
    let q = low + r4 * (high + r4 * (Q[8] + r * Q[9]));
    let mantissa = 1.0 + (r + r2 * q);
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if x >= LOWEST {
        mantissa * scale
    } else if x < LOWEST {
        0.0
    } else {
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array::from_fn;

    #[test]
    fn exp_is_within_one_unit_in_the_last_place() {
        let mut worst = 0.0_f64;
        for i in 0..2_000_000 {
            let x = -708.0 + f64::from(i) * 3.54e-4 + 1e-7 * f64::from(i % 97);
            let exact = fathom_functions::exp(x);
            let ulp = exact.next_up() - exact;
            worst = worst.max((exp(x) - exact).abs() / ulp);
        }
        assert!(worst <= 1.0, "{worst} units in the last place");
    }

    #[test]
    fn exp_keeps_its_special_values() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-709.0), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn the_vectorised_loop_gives_the_same_bits_as_single_calls() {
        let x: Vec<f64> = (0..1003).map(|i| -f64::from(i) * 0.37).collect();
        let mut y = x.clone();
        widest(|| y.iter_mut().for_each(|v| *v = exp(*v)));
        assert!(x.iter().zip(&y).all(|(x, y)| exp(*x).to_bits() == y.to_bits()));
    }

    #[test]
    fn rows_times_a_vector_are_the_inner_products_with_it() {
        for count in [0, 1, 7, 8, 9, 30] {
            let columns: Vec<[f64; 16]> =
                (0..count).map(|i| from_fn(|row| ((7 * i + row) % 13) as f64 - 5.0)).collect();
            let v: Vec<f64> = (0..count).map(|i| (i * i % 7) as f64).collect();
            let row = |row: usize| columns.iter().map(|column| column[row]).collect::<Vec<f64>>();
            let expected: [f64; 16] = from_fn(|i| dot(&row(i), &v));
            assert_eq!(combine(&columns, &v), expected, "{count} columns");
        }
    }

    #[test]
    fn dot_products_match_their_definition_at_every_length() {
        for n in 0..40 {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) - 3.0).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i * i % 7)).collect();
            let two: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert_eq!((dot(&a, &b), sum(&a)), (two, a.iter().sum()));
        }
    }
}
