//! The piecewise-linear kernel of the paper's Section 4.1, with a proven error.
//!
//! k̃ interpolates the curve k(t) (t = r, the scaled distance, or t = p, the inner product) at breakpoints
//! R_0 < … < R_M. The paper places them by curvature: ε_k is half the largest value of k''; where |k''| ≤ ε_k the
//! curve is near-linear. For a stationary kernel over [0, r_max] that gives
//!
//! ```text
//! [0, r_1] nonlinear, 2D segments     [r_1, r_2] near-linear, D segments
//! [r_2, r_3] nonlinear, 2D segments   [r_3, r_max] tail, 2D segments       |k''(r_i)| = ε_k
//! ```
//!
//! cut short where r_max falls before r_1, r_2 or r_3. Matérn 1/2 is convex throughout and has only [0, r_3] and the
//! tail. A dot-product kernel lives on an interval of inner products and has one near-linear stretch around the zero
//! of its curvature; a linear kernel is one segment. (The largest k'' is meant with its sign: at r = 0 the curvature
//! of Matérn 3/2 and RBF is larger in size but negative, and Table 1's ε_k ignores it.)
//!
//! **Error.** On a segment the difference e = k − k̃ is concave where k is and convex where k is, and every kernel has
//! at most one inflection. So the segment is cut there, and on each piece the extremes of e lie at its ends or where
//! e' changes sign; the sign change is bracketed to the last bit and e is bounded over the bracket by its tangent.

use crate::error::{Error, Result, ordered, positive};
use crate::kernel::{Argument, Kernel};

/// What a stretch of the kernel's curve is, in the paper's partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stretch {
    /// |k''| > ε_k.
    Nonlinear,
    /// |k''| ≤ ε_k, between two nonlinear stretches.
    NearLinear,
    /// |k''| ≤ ε_k from the last nonlinear stretch on.
    Tail,
}

impl Stretch {
    /// Segments for a kernel of `dim` inputs: D on the near-linear stretch, 2D elsewhere.
    fn segments(self, dim: usize) -> usize {
        match self {
            Self::NearLinear => dim,
            Self::Nonlinear | Self::Tail => 2 * dim,
        }
    }
}

/// The paper's partition of a kernel's curve by curvature.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// ε_k, for a kernel of unit variance.
    pub threshold: f64,
    /// Consecutive stretches as (from, to, what).
    pub stretches: Vec<(f64, f64, Stretch)>,
}

impl Partition {
    /// The partition of `kernel` over `range`. For stationary kernels ε_k comes from the whole curve, r ≥ 0; for
    /// dot-product kernels, whose curvature is unbounded, from the range.
    pub fn new(kernel: Kernel, range: (f64, f64)) -> Result<Self> {
        ordered("the kernel's range", range)?;
        let (threshold, cuts) = match kernel.argument() {
            Argument::SquaredDistance => stationary_cuts(kernel),
            Argument::InnerProduct => dot_product_cuts(kernel, range),
        };
        let mut stretches = Vec::new();
        for (from, to, stretch) in cuts {
            let (from, to) = (from.max(range.0), to.min(range.1));
            if from < to {
                stretches.push((from, to, stretch));
            }
        }
        Ok(Self { threshold, stretches })
    }
}

type Cuts = Vec<(f64, f64, Stretch)>;

/// ε_k and the stretches over [0, ∞).
fn stationary_cuts(kernel: Kernel) -> (f64, Cuts) {
    let curvature = |r: f64| kernel.curve(r).second;
    let peak = kernel.curvature_peak().expect("stationary kernels have one");
    let threshold = 0.5 * curvature(peak);
    let mut beyond = 2.0 * peak.max(1.0);
    while curvature(beyond) > threshold {
        beyond *= 2.0;
    }
    let r3 = root(|r| threshold - curvature(r), peak, beyond);
    let cuts = match kernel.inflection() {
        None => vec![(0.0, r3, Stretch::Nonlinear), (r3, f64::INFINITY, Stretch::Tail)],
        Some(inflection) => {
            let r1 = root(|r| curvature(r) + threshold, 0.0, inflection);
            let r2 = root(|r| curvature(r) - threshold, inflection, peak);
            vec![
                (0.0, r1, Stretch::Nonlinear),
                (r1, r2, Stretch::NearLinear),
                (r2, r3, Stretch::Nonlinear),
                (r3, f64::INFINITY, Stretch::Tail),
            ]
        }
    };
    (threshold, cuts)
}

/// ε_k and the stretches over the range: |k''| grows with the distance from −offset.
fn dot_product_cuts(kernel: Kernel, (low, high): (f64, f64)) -> (f64, Cuts) {
    let curvature = |p: f64| kernel.curve(p).second.abs();
    let threshold = 0.5 * curvature(low).max(curvature(high));
    if threshold == 0.0 {
        return (threshold, vec![(low, high, Stretch::Tail)]); // a straight line
    }
    let centre = -kernel.shape().expect("dot-product kernels have an offset");
    let reach = (low - centre).abs().max((high - centre).abs());
    // |k''| is constant for degree 2, else increasing from 0 at the centre.
    if curvature(centre) > threshold {
        return (threshold, vec![(low, high, Stretch::Nonlinear)]);
    }
    let radius = root(|d| curvature(centre + d) - threshold, 0.0, reach);
    let cuts = vec![
        (low, centre - radius, Stretch::Nonlinear),
        (centre - radius, centre + radius, Stretch::NearLinear),
        (centre + radius, high, Stretch::Nonlinear),
    ];
    (threshold, cuts)
}

/// The zero of an increasing function between `low` and `high`, bisected to the last bit.
fn root(increasing: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    bracket(increasing, low, high).1
}

/// Neighbouring numbers between which an increasing function turns from negative to not negative.
fn bracket(increasing: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> (f64, f64) {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (low, high);
        }
        if increasing(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Proven bounds of k − k̃ over one segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRange {
    /// No k − k̃ on the segment is below this; ≤ 0.
    pub lower: f64,
    /// No k − k̃ on the segment is above this; ≥ 0.
    pub upper: f64,
}

impl ErrorRange {
    /// The largest possible |k − k̃|.
    pub fn largest(self) -> f64 {
        self.upper.max(-self.lower)
    }

    /// Bounds of the curve minus its chord over [from, to].
    fn of_chord(kernel: Kernel, from: f64, to: f64) -> Self {
        let (start, end) = (kernel.curve(from), kernel.curve(to));
        let slope = (end.value - start.value) / (to - from);
        let error = |t: f64| kernel.curve(t).value - (start.value + slope * (t - from));
        let inflection = kernel.inflection().filter(|t| *t > from && *t < to);
        let mut steepest = start.first.abs().max(end.first.abs());
        let mut range = Self { lower: 0.0, upper: 0.0 };
        let cuts = [Some(from), inflection, Some(to)];
        let cuts: Vec<f64> = cuts.into_iter().flatten().collect();
        for piece in cuts.windows(2) {
            let (a, b) = (piece[0], piece[1]);
            steepest = steepest.max(kernel.curve(b).first.abs());
            let convex = kernel.curve(0.5 * (a + b)).second >= 0.0;
            // e' is increasing on a convex piece; −e' on a concave one. Either way e has its extreme in the bracket.
            let sign = if convex { 1.0 } else { -1.0 };
            let (left, right) = bracket(|t| sign * (kernel.curve(t).first - slope), a, b);
            let tangent = error(left) + (kernel.curve(left).first - slope) * (right - left);
            for e in [error(a), error(b), error(left), error(right), tangent] {
                range = Self { lower: range.lower.min(e), upper: range.upper.max(e) };
            }
        }
        // Rounding: k and the chord to a few units in the last place, e' to as many of the slope over the segment.
        let magnitude = start.value.abs().max(end.value.abs());
        let pad = 32.0 * f64::EPSILON * (magnitude + steepest * (to - from));
        Self { lower: range.lower - pad, upper: range.upper + pad }
    }
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
        let kernel = kernel.validated()?;
        positive("the number of inputs", dim as f64)?;
        let partition = Partition::new(kernel, range)?;
        let mut breakpoints = vec![range.0];
        for (from, to, stretch) in partition.stretches {
            let straight = partition.threshold == 0.0;
            let segments = if straight { 1 } else { stretch.segments(dim) };
            let step = (to - from) / segments as f64;
            breakpoints.extend((1..segments).map(|i| from + step * i as f64));
            breakpoints.push(to);
        }
        Self::through(kernel, breakpoints)
    }

    /// As few breakpoints as bring the proven error to at most `error`, a positive number: from the left, each
    /// segment is as long as the error allows.
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
        let kernel = kernel.validated()?;
        positive("the requested error", error)?;
        ordered("the kernel's range", range)?;
        let fits = |from: f64, to: f64| ErrorRange::of_chord(kernel, from, to).largest() <= error;
        let mut breakpoints = vec![range.0];
        let mut from = range.0;
        while from < range.1 {
            let to = if fits(from, range.1) {
                range.1
            } else {
                bracket(|to| if fits(from, to) { -1.0 } else { 1.0 }, from, range.1).0
            };
            if to <= from || breakpoints.len() > Self::MOST_SEGMENTS {
                let requirement = "larger: rounding alone exceeds it, or it needs over a million segments";
                return Err(Error::OutOfDomain { name: "the requested error", value: error, requirement });
            }
            breakpoints.push(to);
            from = to;
        }
        Self::through(kernel, breakpoints)
    }

    const MOST_SEGMENTS: usize = 1_000_000;

    /// The interpolant at increasing breakpoints.
    fn through(kernel: Kernel, breakpoints: Vec<f64>) -> Result<Self> {
        if breakpoints.len() < 2 {
            let (name, requirement) = ("the kernel's range", "of positive length");
            return Err(Error::OutOfDomain { name, value: breakpoints[0], requirement });
        }
        let values = breakpoints.iter().map(|t| kernel.curve(*t).value).collect();
        let errors = breakpoints.windows(2).map(|ends| ErrorRange::of_chord(kernel, ends[0], ends[1])).collect();
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
        let last = self.breakpoints.len() - 1;
        let t = t.clamp(self.breakpoints[0], self.breakpoints[last]);
        let segment = self.breakpoints[1..last].partition_point(|r| *r <= t);
        let (from, to) = (self.breakpoints[segment], self.breakpoints[segment + 1]);
        let share = (t - from) / (to - from);
        self.values[segment] * (1.0 - share) + self.values[segment + 1] * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIONARY: [Kernel; 6] = [
        Kernel::Matern12,
        Kernel::Matern32,
        Kernel::Matern52,
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
    fn table_1_is_reproduced_but_for_one_last_digit() {
        // The exact r_3 of RBF is 2.521248…, so its fourth decimal is 2; the paper prints 2.5213.
        let printed = |x: f64| format!("{x:.4}");
        for (kernel, epsilon, r1, r2, r3) in [
            (Kernel::Matern32, 1.5 * (-2.0_f64).exp(), "0.4866", "0.7113", "2.1237"),
            (Kernel::Rbf, (-1.5_f64).exp(), "0.8280", "1.2099", "2.5212"),
        ] {
            let partition = Partition::new(kernel, (0.0, 10.0)).unwrap();
            assert!((partition.threshold - epsilon).abs() < 1e-15);
            let cuts: Vec<String> = partition.stretches.iter().map(|(_, to, _)| printed(*to)).collect();
            assert_eq!(cuts[..3], [r1, r2, r3]);
        }
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
    }
}
