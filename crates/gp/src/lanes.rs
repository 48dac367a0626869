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
    fold(black_box(sums)) + tail
}

/// The number of rows that [`multiply`] takes at once.
const ROWS: usize = 4;

/// The inner products of `v` with the rows of a matrix, which stand one after the other, for use inside [`widest`]. Rows that meet
/// `v` at once share its loads.
///
/// # Panics
/// Panics if `v` does not fill whole blocks of [`LANES`], or if there is not one row as long as `v` for each entry of `out`.
#[inline(always)]
pub fn multiply(rows: &[f64], v: &[f64], out: &mut [f64]) {
    let (width, (blocks, rest)) = (v.len(), v.as_chunks::<LANES>());
    assert!(rest.is_empty(), "the vector must fill whole blocks");
    assert!(rows.len() == width * out.len(), "there must be one row as long as the vector for each product");
    let (rows, _) = rows.as_chunks::<LANES>();
    let (fours, others) = out.as_chunks_mut::<ROWS>();
    let (four_rows, other_rows) = rows.split_at(ROWS * blocks.len() * fours.len());
    for (out, rows) in fours.iter_mut().zip(four_rows.chunks_exact((ROWS * blocks.len()).max(1))) {
        let (first, rows) = rows.split_at(blocks.len());
        let (second, rows) = rows.split_at(blocks.len());
        let (third, fourth) = rows.split_at(blocks.len());
        let (mut s, mut t, mut u, mut w) = ([0.0; LANES], [0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for ((((x, a), b), c), d) in blocks.iter().zip(first).zip(second).zip(third).zip(fourth) {
            add_products(a, x, &mut s);
            add_products(b, x, &mut t);
            add_products(c, x, &mut u);
            add_products(d, x, &mut w);
        }
        // If the compiler saw how the sums are added up, it would arrange the lanes to suit that, and shuffle every block.
        *out = black_box([s, t, u, w]).map(fold);
    }
    for (out, row) in others.iter_mut().zip(other_rows.chunks_exact(blocks.len().max(1))) {
        let mut sums = [0.0; LANES];
        for (x, a) in blocks.iter().zip(row) {
            add_products(a, x, &mut sums);
        }
        *out = fold(sums);
    }
}

/// Adds the products of two blocks to `sums`, lane by lane.
#[inline(always)]
fn add_products(a: &[f64; LANES], b: &[f64; LANES], sums: &mut [f64; LANES]) {
    for lane in 0..LANES {
        sums[lane] += a[lane] * b[lane];
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
    fold(black_box(sums)) + tail.iter().sum::<f64>()
}

/// The sum of all lanes, pairwise.
#[inline(always)]
fn fold(sums: [f64; LANES]) -> f64 {
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
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
    fn a_matrix_times_a_vector_is_the_inner_products_of_its_rows() {
        for (rows, width) in [(0, 8), (1, 8), (3, 16), (4, 24), (7, 8), (8, 16), (21, 40)] {
            let matrix: Vec<f64> = (0..rows * width).map(|i| (i % 13) as f64 - 5.0).collect();
            let v: Vec<f64> = (0..width).map(|i| (i * i % 7) as f64).collect();
            let mut out = vec![f64::NAN; rows];
            multiply(&matrix, &v, &mut out);
            let expected: Vec<f64> = matrix.chunks_exact(width).map(|row| dot(row, &v)).collect();
            assert_eq!(out, expected, "{rows} rows of {width}");
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
