//! The constants that cover rounding, each with its row in the table of docs/method.md, chapter 10, which derives it. Rows 5, 17
//! and 30 belong to one formula each and stand there: `problem::chords`, `problem` and `bound::moving`.
//!
//! ε is `f64::EPSILON`. Constants are larger than rounding needs, so that a checker with rounding of its own finds what is claimed.

const EPS: f64 = f64::EPSILON;

/// Row 1: of the half-widths of a scaled box, relative to the largest end and the half-width.
pub(crate) const SCALED_BOX: f64 = 4.0 * EPS;

/// Row 8: of all sums that contain the prior mean, relative to the mean.
pub(crate) const MEAN: f64 = 8.0 * EPS;

/// Row 9: rounds a root or a product upwards.
pub(crate) const UP: f64 = 1.0 + 8.0 * EPS;

/// Row 10: of the charge for k(x, x), in units of ε, beside [`power_units`].
pub(crate) const PRIOR_UNITS: f64 = 1024.0;

/// Row 11: of the largest k(x, x) of stationary kernels, in units of ε.
pub(crate) const LARGEST_PRIOR_UNITS: f64 = 64.0;

/// Row 12: of k(x, x) of stationary kernels that is subtracted, in units of ε.
pub(crate) const SUBTRACTED_PRIOR_UNITS: f64 = 8.0;

/// Row 15: of the outputs less the prior mean, relative to their size.
pub(crate) const CENTRED: f64 = 2.0 * EPS;

/// Row 16: rounds the bound of kᵀK̃⁻¹k / k(x, x) upwards.
pub(crate) const REACH_UP: f64 = 1.0 + 1e-12;

/// Row 48: of the largest |φ| of a polyline, relative to all that enters.
pub(crate) const POLYLINE_CROSS: f64 = 1e-12;

/// Row 48: of an inner product's range on a box or of |z|², relative to the sizes of its terms.
pub(crate) fn product_range(inputs: usize) -> f64 {
    (2.0 * inputs as f64 + 8.0) * EPS
}

/// Row 18: widens the distance of the generalised LCB's prior means, for a checker's own, and adds this share of the unit.
pub(crate) const WIDTH_UP: f64 = 1.0 + 1e-9;
pub(crate) const WIDTH: f64 = 1e-12;

/// Row 21: of a minorant that is made one for another energy.
pub(crate) const SWAP: f64 = 8.0 * EPS;

/// Row 22: of k(c, c), relative; and roots and their sums, upwards and downwards.
pub(crate) const CENTRAL_PRIOR: f64 = 8.0 * EPS;
pub(crate) const ROOT_UP: f64 = 1.0 + 1e-15;
pub(crate) const ROOT_DOWN: f64 = 1.0 - 1e-15;

/// Row 23: rounds a squared distance in the kernel's space upwards.
pub(crate) const DISTANCE_UP: f64 = 1.0 + 1e-14;

/// Row 24: rounds a sum of squares downwards.
pub(crate) const SQUARES_DOWN: f64 = 1.0 - 1e-13;

/// Row 26: rounds norms of the expansion upwards.
pub(crate) const NORM_UP: f64 = 1.0 + 1e-12;

/// Row 28: of a checker's own solve, relative to the condition of K̂.
pub(crate) const SOLVE: f64 = 4.0 * EPS;

/// Row 31: how many times the energy's rounding a moving multiplier pays, and the rounding of its other sums.
pub(crate) const MOVING_TIMES: f64 = 8.0;
pub(crate) const MOVING: f64 = 256.0 * EPS;

/// Row 33: rounds a dominated diagonal upwards.
pub(crate) const DIAGONAL_UP: f64 = 1.0 + 1e-12;

/// Row 34: of a crossing in the cube; of a cut, as a share of the side and relative to its ends.
pub(crate) const CROSSING: f64 = 2e-9;
pub(crate) const CUT_SHARE: f64 = 1e-9;
pub(crate) const CUT: f64 = 8.0 * EPS;

/// Row 35: of what a level curve asks for, relative to all that enters.
pub(crate) const NEED: f64 = 16.0 * EPS;

/// Row 36: of a point of a level curve, and of a quantile, relative.
pub(crate) const CURVE_POINT: f64 = 1e-13;

/// Row 38: of an improvement criterion's value; of a lift that is added and subtracted again.
pub(crate) const IMPROVEMENT: f64 = 1e-11;
pub(crate) const LIFT: f64 = 32.0 * EPS;

/// Row 39: of a tilted multiplier, relative to the sizes of its entries; and products, upwards and downwards.
pub(crate) const TILT: f64 = 16.0 * EPS;
pub(crate) const TILT_UP: f64 = 1.0 + 1e-14;
pub(crate) const TILT_DOWN: f64 = 1.0 - 1e-14;

/// Row 42: of a row's range, relative to the sum of the sizes of its terms. A row of 20 inputs has 230 terms at most, whose sum
/// is off by no more than 230 · 2⁻⁵² of their sizes.
pub(crate) const ROW_RANGE: f64 = 1e-13;

/// Row 43: of a discriminant; of quotients and roots, as a share of the side and relative to its ends.
pub(crate) const DISCRIMINANT: f64 = 8.0 * EPS;
pub(crate) const PROPAGATED_SHARE: f64 = 1e-9;
pub(crate) const PROPAGATED: f64 = 1e-12;

/// Row 46: the guard that every claim keeps from what was reached, relative to the unit and the bound; the share of the gap that
/// is left for a checker's own rounding; and the same share of the remaining gap if a search is cut short.
pub(crate) const GUARD: f64 = 1e-10;
pub(crate) const CHECKERS_SHARE: f64 = 0.02;
pub(crate) const CHECKERS_SHARE_OF_THE_REST: f64 = 1e-3;

/// Row 2: the relative error of a stationary kernel's values. Rounding of z = x / l and of differences moves a distance by at most
/// 2√D ε max|z|; no kernel curve is steeper than 1; the kernel formula is good to a few units in the last place.
pub(crate) fn stationary_error(inputs: f64, largest: f64) -> f64 {
    (24.0 + 10.0 * inputs.sqrt() * largest) * EPS
}

/// Row 3: the error of a power of an inner product, relative to the power of its terms' sizes.
pub(crate) fn power_error(inputs: f64, degree: u32) -> f64 {
    (24.0 + f64::from(degree) * (8.0 + 4.0 * inputs)) * EPS
}

/// Rows 7 and 29: of a weighted sum of polynomials over `n` observations, relative to the sizes of its terms.
pub(crate) fn polynomials(n: f64, kernel_error: f64) -> f64 {
    64.0 * (n + 64.0) * EPS + 4.0 * kernel_error
}

/// Row 10: what a power of that degree adds to [`PRIOR_UNITS`].
pub(crate) fn power_units(degree: u32) -> f64 {
    64.0 * f64::from(degree * degree)
}

/// Row 12: of a power that is subtracted, in units of ε of its size.
pub(crate) fn subtracted_power_units(degree: u32) -> f64 {
    f64::from(64 * (degree * degree + 1))
}

/// Row 14: of a sum of `n` products of weights and outputs, relative to their sizes.
pub(crate) fn weighted_outputs(n: f64) -> f64 {
    (n + 8.0) * EPS
}

/// Row 15: of an entry of a residual. Sums in eight lanes (four in the checker) are shorter by that factor.
pub(crate) fn residual_entry(n: f64, largest: f64, kernel_error: f64) -> f64 {
    (n / 4.0 + 12.0) * EPS * largest + kernel_error
}

/// Row 15: of the diagonal in a residual, in units of ε. A diagonal that exceeds four entries of K is not covered by
/// [`residual_entry`].
pub(crate) fn diagonal_units(n: f64, noise: f64, largest: f64) -> f64 {
    if noise > 4.0 * largest { (n / 16.0 + 5.0).max(8.0) } else { 8.0 }
}

/// Row 18: of a sum of `n` numbers, relative to their sizes.
pub(crate) fn plain_sum(n: f64) -> f64 {
    n * EPS
}

/// Rows 20 and 31: of an entry of a quadratic form with K̂.
pub(crate) fn form_entry(n: f64, largest: f64, kernel_error: f64) -> f64 {
    (2.0 * n + 16.0) * EPS * largest + kernel_error
}

/// Rows 22 and 29: of an entry of a product with K̂.
pub(crate) fn product_entry(n: f64, largest: f64, kernel_error: f64) -> f64 {
    (n + 16.0) * EPS * largest + kernel_error
}

/// Row 27: of an entry of M̄, relative to its row's and its column's share.
pub(crate) fn expansion_entry(n: f64, kernel_error: f64) -> f64 {
    (n / 4.0 + 32.0) * EPS + 4.0 * kernel_error
}

/// Row 33: of Jacobi's rotations, relative to the largest sum of a row; it grows with the number of inputs.
pub(crate) fn rotations(inputs: usize) -> f64 {
    if inputs > 12 { 2e-12 } else { 1e-12 }
}

/// Row 40: of a constraint's quadratic on a box, in units of ε of its size: 120 terms are covered, longer rows pay in proportion.
pub(crate) fn constraint_units(terms: usize) -> f64 {
    64.0_f64.max(0.6 * terms as f64)
}
