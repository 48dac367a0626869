//! The piecewise-linear kernel of the paper's Section 4.1, with a proven error.
//!
//! k̃ interpolates the curve k(t) (t = r, the scaled distance, or t = p, the inner product) at breakpoints
//! R_0 < … < R_M. The paper places them by curvature (`partition`); how far k̃ is from k is proven segment by segment
//! (`error_range`).

use crate::bisection::bracket;
use crate::error::{Error, Result, all_finite, positive};
use crate::error_range::ErrorRange;
use crate::kernel::Kernel;
use crate::partition::{Partition, Section, checked};

/// ∫ √(|k''|/8ε) over the range: a chord of length h is off by h²|k''|/8, so this many segments have error ε each.
fn expected_segments(kernel: Kernel, (low, high): (f64, f64), error: f64) -> f64 {
    // The curve's features lie within a few units of its start, however long the range: panels grow with the distance.
    const PANELS: u32 = 4096;
    let distance = |i: u32| ((high - low).ln_1p() * f64::from(i) / f64::from(PANELS)).exp_m1();
    let panel = |i: u32| {
        let (a, b) = (distance(i), distance(i + 1));
        (b - a) * (kernel.curve(low + 0.5 * (a + b)).second.abs() / 8.0).sqrt()
    };
    (0..PANELS).map(panel).sum::<f64>() / error.sqrt()
}

/// The largest `to` ≤ `end` for which the chord over [from, to] is off by at most `error`; `from` where none is.
///
/// Every curve is concave before its inflection and convex after. As `to` grows, the part of k above the chord grows
/// until the chord touches the curve at `to` and shrinks from there; the part below is zero until then and grows from
/// there. So the chords that fit are those up to some first end, and possibly again those in an interval further on.
fn longest_segment(kernel: Kernel, from: f64, end: f64, error: f64) -> f64 {
    let chord = |to: f64| ErrorRange::of_chord(kernel, from, to);
    let last = |fits: &dyn Fn(ErrorRange) -> bool, end: f64| {
        if fits(chord(end)) { end } else { bracket(|to| if fits(chord(to)) { -1.0 } else { 1.0 }, from, end).0 }
    };
    // Only where the part above is small enough at the far end can there be a second interval.
    if chord(end).upper <= error {
        let to = last(&|range| -range.lower <= error, end);
        if to > from && chord(to).largest() <= error {
            return to;
        }
    }
    let touch = match kernel.inflection() {
        Some(inflection) if inflection < end => {
            let start = kernel.curve(from).value;
            let lag = |to: f64| {
                let curve = kernel.curve(to);
                curve.first * (to - from) - (curve.value - start)
            };
            bracket(lag, inflection.max(from), end).1
        }
        _ => end,
    };
    last(&|range| range.largest() <= error, touch)
}

/// How breakpoints follow the curvature; by default as in the paper.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Curvature {
    /// ε_k > 0, for a kernel of unit variance: |k''| ≤ ε_k counts as near-linear. `None` is half of the largest k''.
    pub threshold: Option<f64>,
    /// M, the segments over the range, in the paper's proportions. `None` is D on a near-linear stretch and 2D on others.
    pub segments: Option<usize>,
}

/// `total` segments in the proportions of `shares`, at least one each: largest remainders first.
fn shared_out(total: usize, shares: &[usize]) -> Result<Vec<usize>> {
    if !(shares.len()..=PwlKernel::MOST_SEGMENTS).contains(&total) {
        let requirement =
            "at least one for each stretch of the kernel's curve (4 are always enough), at most a million";
        return Err(Error::OutOfDomain { name: "the number of segments", value: total as f64, requirement });
    }
    // One segment each, and the others by their shares.
    let (whole, left) = (shares.iter().sum::<usize>(), total - shares.len());
    let mut counts: Vec<usize> = shares.iter().map(|share| 1 + left * share / whole).collect();
    let mut by_remainder: Vec<usize> = (0..shares.len()).collect();
    by_remainder.sort_by_key(|at| std::cmp::Reverse(left * shares[*at] % whole));
    let missing = total - counts.iter().sum::<usize>();
    by_remainder.iter().take(missing).for_each(|at| counts[*at] += 1);
    Ok(counts)
}

/// k̃: a piecewise-linear interpolant of a kernel of unit variance, and a proof of how far it is from it.
#[derive(Debug, Clone, PartialEq)]
pub struct PwlKernel {
    kernel: Kernel,
    breakpoints: Vec<f64>,
    values: Vec<f64>,
    errors: Vec<ErrorRange>,
}

impl PwlKernel {
    /// The paper's breakpoints for a kernel of `dim` inputs over `range` (see
    /// [`Term::curve_range`](crate::Term::curve_range)).
    pub fn paper(kernel: Kernel, dim: usize, range: (f64, f64)) -> Result<Self> {
        Self::by_curvature(kernel, dim, range, Curvature::default())
    }

    /// Breakpoints by curvature, with a threshold or a number of segments other than the paper's.
    pub fn by_curvature(kernel: Kernel, dim: usize, range: (f64, f64), rule: Curvature) -> Result<Self> {
        positive("the number of inputs", dim as f64)?;
        let partition = Partition::with_threshold(kernel, range, rule.threshold)?;
        let shares: Vec<usize> = partition.sections.iter().map(|section| section.stretch.segments(dim)).collect();
        let counts = match rule.segments {
            _ if partition.threshold == 0.0 => vec![1],
            None => shares,
            Some(segments) => shared_out(segments, &shares)?,
        };
        let mut breakpoints = vec![range.0];
        for (Section { from, to, .. }, segments) in partition.sections.iter().zip(counts) {
            let step = (to - from) / segments as f64;
            breakpoints.extend((1..segments).map(|i| from + step * i as f64));
            breakpoints.push(*to);
        }
        Self::through(kernel, breakpoints)
    }

    /// Breakpoints that bring the proven error to at most `error`, a positive number: from the left, each segment is as
    /// long as the error allows. Their number is near the least among interpolants, ∫ √(|k''|/8ε).
    ///
    /// ```
    /// use fathom_gp::{Kernel, PwlKernel};
    /// let coarse = PwlKernel::with_error(Kernel::Matern32, (0.0, 5.0), 1e-2)?;
    /// let fine = PwlKernel::with_error(Kernel::Matern32, (0.0, 5.0), 1e-4)?;
    /// assert!(coarse.error() <= 1e-2 && fine.error() <= 1e-4);
    /// assert_eq!((coarse.segments(), fine.segments()), (8, 71)); // about √100 times as many for a hundredth of the error
    /// # Ok::<(), fathom_gp::Error>(())
    /// ```
    pub fn with_error(kernel: Kernel, range: (f64, f64), error: f64) -> Result<Self> {
        let kernel = checked(kernel, range)?;
        positive("the requested error", error)?;
        let too_small = || {
            let requirement = "larger: rounding alone exceeds it, or it needs over a million segments";
            Error::OutOfDomain { name: "the requested error", value: error, requirement }
        };
        let expected = expected_segments(kernel, range, error);
        if expected.is_nan() || expected > Self::MOST_SEGMENTS as f64 {
            return Err(too_small());
        }
        let mut breakpoints = vec![range.0];
        let mut from = range.0;
        while from < range.1 {
            let to = longest_segment(kernel, from, range.1, error);
            if to <= from || breakpoints.len() > Self::MOST_SEGMENTS {
                return Err(too_small());
            }
            breakpoints.push(to);
            from = to;
        }
        Self::through(kernel, breakpoints)
    }

    const MOST_SEGMENTS: usize = 1_000_000;

    /// The interpolant at breakpoints that do not decrease; equal ones count once.
    fn through(kernel: Kernel, mut breakpoints: Vec<f64>) -> Result<Self> {
        all_finite("breakpoint", &breakpoints)?;
        breakpoints.dedup();
        if breakpoints.len() < 2 {
            let (name, requirement) = ("the length of the kernel's range", "positive");
            return Err(Error::OutOfDomain { name, value: 0.0, requirement });
        }
        let values: Vec<f64> = breakpoints.iter().map(|t| kernel.curve(*t).value).collect();
        all_finite("the kernel at breakpoint", &values)?;
        let errors: Vec<ErrorRange> =
            breakpoints.windows(2).map(|ends| ErrorRange::of_chord(kernel, ends[0], ends[1])).collect();
        all_finite("the error of segment", &errors.iter().map(|range| range.largest()).collect::<Vec<_>>())?;
        Ok(Self { kernel, breakpoints, values, errors })
    }

    /// The kernel that is approximated.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// R_0 < … < R_M.
    pub fn breakpoints(&self) -> &[f64] {
        &self.breakpoints
    }

    /// k̃(R_0), …, k̃(R_M), equal to the kernel there.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// M, the number of segments.
    pub fn segments(&self) -> usize {
        self.errors.len()
    }

    /// The proven bounds of k − k̃ on each segment.
    pub fn error_ranges(&self) -> &[ErrorRange] {
        &self.errors
    }

    /// ε_M: no |k(t) − k̃(t)| in the range is larger.
    pub fn error(&self) -> f64 {
        self.errors.iter().map(|range| range.largest()).fold(0.0, f64::max)
    }

    /// k̃(t). An argument outside the range takes the value at its nearer end.
    pub fn value(&self, t: f64) -> f64 {
        self.value_and_slope(t).0
    }

    /// k̃(t) and its slope, that of the segment to the right at a breakpoint.
    pub fn value_and_slope(&self, t: f64) -> (f64, f64) {
        let last = self.breakpoints.len() - 1;
        let t = t.clamp(self.breakpoints[0], self.breakpoints[last]);
        let segment = self.breakpoints[1..last].partition_point(|r| *r <= t);
        let (from, to) = (self.breakpoints[segment], self.breakpoints[segment + 1]);
        let (start, end) = (self.values[segment], self.values[segment + 1]);
        let share = (t - from) / (to - from);
        (start * (1.0 - share) + end * share, (end - start) / (to - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_proof::KernelFields;

    const STATIONARY: [Kernel; 7] = [
        Kernel::Matern12,
        Kernel::Matern32,
        Kernel::Matern52,
        Kernel::Matern72,
        Kernel::Rbf,
        Kernel::RationalQuadratic { alpha: 0.3 },
        Kernel::RationalQuadratic { alpha: 5.0 },
    ];
    const DOT_PRODUCT: [Kernel; 4] = [
        Kernel::Linear { offset: 1.0 },
        Kernel::Polynomial { degree: 2, offset: 0.5 },
        Kernel::Polynomial { degree: 3, offset: 0.0 },
        Kernel::Polynomial { degree: 5, offset: 1.0 },
    ];

    fn all() -> impl Iterator<Item = (Kernel, (f64, f64))> {
        let stationary = STATIONARY.into_iter().flat_map(|k| [0.2, 0.6, 1.3, 3.0, 25.0].map(|r| (k, (0.0, r))));
        let dot = DOT_PRODUCT.into_iter().flat_map(|k| [(-2.0, 3.0), (0.5, 4.0), (-3.0, -1.0)].map(|r| (k, r)));
        stationary.chain(dot)
    }

    #[test]
    fn segments_are_counted_as_in_the_paper_and_short_ranges_cut_short() {
        for dim in 1..=5 {
            let count = |r_max| PwlKernel::paper(Kernel::Matern32, dim, (0.0, r_max)).unwrap().segments();
            assert_eq!([0.3, 0.6, 1.0, 5.0].map(count), [2 * dim, 3 * dim, 5 * dim, 7 * dim]);
            let none = |r_max| PwlKernel::paper(Kernel::Matern12, dim, (0.0, r_max)).unwrap().segments();
            assert_eq!([0.5, 5.0].map(none), [2 * dim, 4 * dim]);
        }
        let linear = PwlKernel::paper(Kernel::Linear { offset: 0.0 }, 4, (-2.0, 3.0)).unwrap();
        assert_eq!(linear.segments(), 1);
    }

    #[test]
    fn proven_errors_enclose_the_sampled_ones_tightly() {
        for (kernel, range) in all() {
            for dim in [1, 3] {
                let pwl = PwlKernel::paper(kernel, dim, range).unwrap();
                for (ends, error) in pwl.breakpoints().windows(2).zip(pwl.error_ranges()) {
                    let samples = 4000;
                    let (mut low, mut high, mut scale) = (0.0_f64, 0.0_f64, 0.0_f64);
                    for i in 0..=samples {
                        let t = ends[0] + (ends[1] - ends[0]) * f64::from(i) / f64::from(samples);
                        let exact = kernel.curve(t).value;
                        let difference = exact - pwl.value(t);
                        (low, high, scale) = (low.min(difference), high.max(difference), scale.max(exact.abs()));
                    }
                    assert!(error.lower <= low && error.upper >= high, "{kernel:?} {ends:?}");
                    let slack = 1e-6 * (high - low) + 1e-13 * scale;
                    assert!(error.lower >= low - slack && error.upper <= high + slack, "{kernel:?} {ends:?}");
                }
            }
        }
    }

    #[test]
    fn a_requested_error_is_kept_and_no_segment_could_be_longer() {
        for (kernel, range) in all() {
            for error in [1e-1, 1e-3, 1e-5] {
                let pwl = PwlKernel::with_error(kernel, range, error).unwrap();
                assert!(pwl.error() <= error, "{kernel:?} {range:?}");
                // Every segment but the last is as long as it can be: growing it by a millionth exceeds the error.
                for ends in pwl.breakpoints().windows(2).take(pwl.segments() - 1) {
                    let longer = ends[0] + (ends[1] - ends[0]) * (1.0 + 1e-6);
                    assert!(ErrorRange::of_chord(kernel, ends[0], longer).largest() > error, "{kernel:?} {ends:?}");
                }
            }
        }
    }

    #[test]
    fn the_interpolant_meets_the_kernel_at_breakpoints_and_stays_within_its_range() {
        for (kernel, range) in all() {
            let pwl = PwlKernel::paper(kernel, 2, range).unwrap();
            for (t, value) in pwl.breakpoints().iter().zip(pwl.values()) {
                assert!((pwl.value(*t) - kernel.curve(*t).value).abs() <= 1e-15 * value.abs(), "{kernel:?} at {t}");
            }
            assert_eq!(pwl.value(range.1 + 1.0), *pwl.values().last().unwrap());
            assert_eq!(pwl.value(range.0 - 1.0), pwl.values()[0]);
        }
    }

    #[test]
    fn impossible_requests_are_refused() {
        for error in [0.0, -1.0, f64::NAN, 1e-18] {
            assert!(PwlKernel::with_error(Kernel::Rbf, (0.0, 3.0), error).is_err());
        }
        assert!(PwlKernel::paper(Kernel::Rbf, 1, (0.0, 0.0)).is_err());
        assert!(PwlKernel::paper(Kernel::Rbf, 1, (2.0, 1.0)).is_err());
        assert!(PwlKernel::paper(Kernel::Rbf, 1, (0.0, f64::NAN)).is_err());
        assert!(PwlKernel::paper(Kernel::Rbf, 0, (0.0, 1.0)).is_err());
        assert!(PwlKernel::paper(Kernel::Rbf, 1, (0.0, f64::INFINITY)).is_err());
        let huge = Kernel::Polynomial { degree: 64, offset: 0.0 };
        assert!(PwlKernel::paper(huge, 1, (0.0, 1e6)).is_err(), "the kernel overflows");
        assert!(Partition::new(Kernel::RationalQuadratic { alpha: f64::NAN }, (0.0, 1.0)).is_err());
    }

    #[test]
    fn distances_start_at_zero_or_later() {
        assert!(PwlKernel::paper(Kernel::Rbf, 1, (-1.0, 2.0)).is_err());
        assert!(PwlKernel::with_error(Kernel::Matern12, (-1e-9, 2.0), 1e-2).is_err());
        assert!(Partition::new(Kernel::Matern32, (-0.5, 2.0)).is_err());
        assert!(PwlKernel::with_error(Kernel::Matern12, (0.5, 2.0), 1e-2).is_ok());
        assert!(PwlKernel::paper(Kernel::Linear { offset: 0.0 }, 1, (-1.0, 2.0)).is_ok());
    }

    #[test]
    fn a_million_segments_are_refused_without_placing_them() {
        let start = std::time::Instant::now();
        assert!(PwlKernel::with_error(Kernel::Matern32, (0.0, 5.0), 1e-14).is_err());
        assert!(PwlKernel::with_error(Kernel::Matern32, (0.0, 1e9), 1e-14).is_err());
        assert!(start.elapsed().as_secs() < 5);
    }

    #[test]
    fn the_number_of_segments_is_near_its_integral() {
        for (kernel, range) in all() {
            for error in [1e-2, 1e-3, 1e-5] {
                let (found, least) =
                    (PwlKernel::with_error(kernel, range, error).unwrap(), expected_segments(kernel, range, error));
                let excess = (found.segments() as f64 - least).abs();
                assert!(excess <= 0.1 * least + 3.0, "{kernel:?} {range:?}: {} for {least}", found.segments());
            }
        }
    }

    #[test]
    fn every_segment_is_the_longest_that_brute_force_finds() {
        for (kernel, range) in [
            (Kernel::Matern32, (0.0, 5.0)),
            (Kernel::Rbf, (0.0, 4.0)),
            (Kernel::RationalQuadratic { alpha: 5.0 }, (0.0, 6.0)),
            (Kernel::Polynomial { degree: 3, offset: 0.2 }, (-1.0, 1.5)),
        ] {
            for error in [0.15, 0.05, 0.02, 0.008] {
                let pwl = PwlKernel::with_error(kernel, range, error).unwrap();
                let step = (range.1 - range.0) / 3000.0;
                for ends in pwl.breakpoints().windows(2) {
                    let candidates = (1..=3000).map(|i| ends[0] + step * f64::from(i)).filter(|to| *to <= range.1);
                    let longest = candidates.filter(|to| {
                        // The chord's error on a grid, no proof involved.
                        let (start, end) = (kernel.curve(ends[0]).value, kernel.curve(*to).value);
                        (0..=200).all(|i| {
                            let share = f64::from(i) / 200.0;
                            let exact = kernel.curve(ends[0] + (to - ends[0]) * share).value;
                            (exact - (start + (end - start) * share)).abs() <= error
                        })
                    });
                    let longest = longest.fold(ends[0], f64::max);
                    assert!(longest <= ends[1] + 2.0 * step, "{kernel:?} {error}: {longest} beyond {ends:?}");
                }
            }
        }
    }

    #[derive(serde::Deserialize)]
    struct Case {
        kernel: String,
        parameter: f64,
        degree: u32,
        t: f64,
        value: f64,
    }

    #[test]
    fn proven_errors_enclose_sixty_digit_values_where_the_kernel_is_tiny() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("../tests/reference/kernels.json")).unwrap();
        assert!(cases.len() >= 60);
        for Case { kernel, parameter, degree, t, value } in cases {
            let (own, degree) = (Some(parameter), Some(degree));
            let fields = KernelFields { alpha: own, offset: own, degree, knots: None };
            let kernel = Kernel::named(kernel.parse().unwrap(), fields).unwrap();
            // So short that the chord is exact to rounding: only the pad stands between the two.
            for reach in [1e-12, 1e-9] {
                let pwl = PwlKernel::through(kernel, vec![t * (1.0 - reach), t * (1.0 + reach)]).unwrap();
                let (difference, range) = (value - pwl.value(t), pwl.error_ranges()[0]);
                assert!(
                    range.lower <= difference && difference <= range.upper,
                    "{kernel:?} at {t}: {difference:e} outside {range:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_a_number_stays_so() {
        assert!(PwlKernel::paper(Kernel::Matern12, 1, (0.0, 2.0)).unwrap().value(f64::NAN).is_nan());
    }

    #[test]
    fn equal_breakpoints_count_once() {
        let pwl = PwlKernel::through(Kernel::Rbf, vec![0.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!((pwl.segments(), pwl.breakpoints()), (1, [0.0, 1.0].as_slice()));
        assert!(PwlKernel::through(Kernel::Rbf, vec![1.0, 1.0]).is_err());
        assert!(PwlKernel::through(Kernel::Rbf, vec![0.0, f64::NAN]).is_err());
    }
}
