//! The paper's partition of a kernel's curve k(t) by curvature: ε_k is half the largest value of k''; where |k''| ≤ ε_k the
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

use crate::bisection::root;
use crate::error::{Result, non_negative, ordered, positive};
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
    pub(crate) fn segments(self, dim: usize) -> usize {
        match self {
            Self::NearLinear => dim,
            Self::Nonlinear | Self::Tail => 2 * dim,
        }
    }
}

/// One section of a partition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// What it is.
    pub stretch: Stretch,
}

/// The paper's partition of a kernel's curve by curvature.
#[derive(Debug, Clone, PartialEq)]
pub struct Partition {
    /// ε_k, for a kernel of unit variance.
    pub threshold: f64,
    /// Consecutive sections that cover the range.
    pub sections: Vec<Section>,
}

impl Partition {
    /// The partition of `kernel` over `range` by the paper's ε_k. For stationary kernels ε_k comes from the whole curve,
    /// r ≥ 0; for dot-product kernels, whose curvature is unbounded, from the range.
    pub fn new(kernel: Kernel, range: (f64, f64)) -> Result<Self> {
        Self::with_threshold(kernel, range, None)
    }

    /// The partition by another ε_k > 0, for a kernel of unit variance; `None` is the paper's.
    pub fn with_threshold(kernel: Kernel, range: (f64, f64), threshold: Option<f64>) -> Result<Self> {
        let kernel = checked(kernel, range)?;
        let threshold = threshold.map(|threshold| positive("the threshold of the curvature", threshold)).transpose()?;
        let (threshold, sections) = match kernel.argument() {
            Argument::SquaredDistance => stationary_sections(kernel, threshold),
            Argument::InnerProduct => dot_product_sections(kernel, range, threshold),
        };
        let within = |Section { from, to, stretch }| Section { from: from.max(range.0), to: to.min(range.1), stretch };
        let sections = sections.into_iter().map(within).filter(|section| section.from < section.to).collect();
        Ok(Self { threshold, sections })
    }
}

/// The kernel, validated, with a range on which its curve is defined.
pub(crate) fn checked(kernel: Kernel, range: (f64, f64)) -> Result<Kernel> {
    let kernel = kernel.validated()?;
    ordered("the kernel's range", range)?;
    if kernel.argument() == Argument::SquaredDistance {
        non_negative("the start of a range of distances", range.0)?;
    }
    Ok(kernel)
}

/// Sections between consecutive cuts.
fn sections(cuts: &[f64], stretches: &[Stretch]) -> Vec<Section> {
    let section = |(ends, stretch): (&[f64], &Stretch)| Section { from: ends[0], to: ends[1], stretch: *stretch };
    cuts.windows(2).zip(stretches).map(section).collect()
}

/// ε_k and the sections over [0, ∞). A stretch that the threshold leaves no room for is missing.
fn stationary_sections(kernel: Kernel, threshold: Option<f64>) -> (f64, Vec<Section>) {
    let curvature = |r: f64| kernel.curve(r).second;
    let peak = kernel.curvature_peak().expect("stationary kernels have one");
    let threshold = threshold.unwrap_or_else(|| 0.5 * curvature(peak));
    let (mut cuts, mut stretches) = (vec![0.0], Vec::new());
    let mut add = |to: f64, stretch: Stretch| {
        cuts.push(to);
        stretches.push(stretch);
    };
    if let Some(inflection) = kernel.inflection()
        && curvature(0.0) < -threshold
    {
        add(root(|r| curvature(r) + threshold, 0.0, inflection), Stretch::Nonlinear);
    }
    if curvature(peak) > threshold {
        if let Some(inflection) = kernel.inflection() {
            add(root(|r| curvature(r) - threshold, inflection, peak), Stretch::NearLinear);
        }
        let mut beyond = 2.0 * peak.max(1.0);
        while curvature(beyond) > threshold {
            beyond *= 2.0;
        }
        add(root(|r| threshold - curvature(r), peak, beyond), Stretch::Nonlinear);
    }
    add(f64::INFINITY, Stretch::Tail);
    (threshold, sections(&cuts, &stretches))
}

/// ε_k and the sections over the range: |k''| grows with the distance from −offset.
fn dot_product_sections(kernel: Kernel, (low, high): (f64, f64), threshold: Option<f64>) -> (f64, Vec<Section>) {
    let curvature = |p: f64| kernel.curve(p).second.abs();
    let largest = curvature(low).max(curvature(high));
    if largest == 0.0 {
        return (0.0, sections(&[low, high], &[Stretch::Tail])); // a straight line
    }
    let threshold = threshold.unwrap_or(0.5 * largest);
    if threshold >= largest {
        return (threshold, sections(&[low, high], &[Stretch::NearLinear]));
    }
    let centre = -kernel.shape().expect("dot-product kernels have an offset");
    let reach = (low - centre).abs().max((high - centre).abs());
    // |k''| is constant for degree 2, else increasing from 0 at the centre.
    if curvature(centre) > threshold {
        return (threshold, sections(&[low, high], &[Stretch::Nonlinear]));
    }
    let radius = root(|d| curvature(centre + d) - threshold, 0.0, reach);
    let stretches = [Stretch::Nonlinear, Stretch::NearLinear, Stretch::Nonlinear];
    (threshold, sections(&[low, centre - radius, centre + radius, high], &stretches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_threshold_leaves_fewer_nonlinear_stretches() {
        let stretches = |kernel, threshold| -> Vec<Stretch> {
            let partition = Partition::with_threshold(kernel, (0.0, 10.0), Some(threshold)).unwrap();
            assert_eq!(partition.threshold, threshold);
            assert!(partition.sections.windows(2).all(|pair| pair[0].to == pair[1].from));
            partition.sections.iter().map(|section| section.stretch).collect()
        };
        use Stretch::{NearLinear, Nonlinear, Tail};
        // At 0 the curvature of Matérn 3/2 is −3; its largest is 3 e⁻² = 0.406.
        assert_eq!(stretches(Kernel::Matern32, 0.1), [Nonlinear, NearLinear, Nonlinear, Tail]);
        assert_eq!(stretches(Kernel::Matern32, 0.5), [Nonlinear, Tail]);
        assert_eq!(stretches(Kernel::Matern32, 3.5), [Tail]);
        assert_eq!(stretches(Kernel::Matern12, 0.1), [Nonlinear, Tail]);
        let cubic = Kernel::Polynomial { degree: 3, offset: 1.0 };
        assert_eq!(stretches(cubic, 12.0), [NearLinear, Nonlinear]);
        assert_eq!(stretches(cubic, 100.0), [NearLinear]);
        for bad in [0.0, -1.0, f64::NAN] {
            assert!(Partition::with_threshold(Kernel::Rbf, (0.0, 1.0), Some(bad)).is_err());
        }
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
            let cuts: Vec<String> = partition.sections.iter().map(|section| printed(section.to)).collect();
            assert_eq!(cuts[..3], [r1, r2, r3]);
        }
    }
}
