//! What varies, and where it is measured.

use fathom_gp::Kernel;

/// All five, as raw files and plots call them.
pub(super) const KERNELS: [(Kernel, &str, &str); 5] = [
    (Kernel::Matern12, "matern12", "Matérn 1/2"),
    (Kernel::Matern32, "matern32", "Matérn 3/2"),
    (Kernel::Matern52, "matern52", "Matérn 5/2"),
    (Kernel::Rbf, "rbf", "RBF"),
    (Kernel::RationalQuadratic { alpha: 1.0 }, "rq", "RQ, α = 1"),
];

/// What varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// D.
    Inputs,
    /// N.
    Observations,
    /// l, the same for all inputs.
    Lengthscale,
    /// The absolute gap.
    Gap,
    /// σ_ε².
    Noise,
    /// The kernel, by its place in the list of all.
    Kernel,
}

impl Axis {
    pub(super) const ALL: [Self; 6] =
        [Self::Inputs, Self::Observations, Self::Lengthscale, Self::Gap, Self::Noise, Self::Kernel];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Inputs => "inputs",
            Self::Observations => "observations",
            Self::Lengthscale => "lengthscale",
            Self::Gap => "gap",
            Self::Noise => "noise",
            Self::Kernel => "kernel",
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Inputs => "inputs D, N = min(10 D, 30)",
            Self::Observations => "observations N, D = 2",
            Self::Lengthscale => "lengthscale, D = 3, N = 30",
            Self::Gap => "absolute gap, D = 3, N = 30",
            Self::Noise => "noise variance, D = 3, N = 30",
            Self::Kernel => "kernel, D = 3, N = 30",
        }
    }

    /// Where it is measured; `quick` leaves out what takes long.
    pub(super) fn values(self, quick: bool) -> Vec<f64> {
        let (all, short): (&[f64], usize) = match self {
            Self::Inputs => (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 4),
            Self::Observations => (&[10.0, 30.0, 100.0, 300.0, 500.0, 1000.0], 3),
            Self::Lengthscale => (&[2.0, 1.0, 0.5, 0.2, 0.1, 0.05], 4),
            Self::Gap => (&[1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6], 6),
            Self::Noise => (&[1e-10, 1e-8, 1e-6, 1e-4, 1e-2], 5),
            Self::Kernel => (&[0.0, 1.0, 2.0, 3.0, 4.0], 5),
        };
        all[..if quick { short } else { all.len() }].to_vec()
    }

    pub(super) fn is_logarithmic(self) -> bool {
        match self {
            Self::Inputs | Self::Kernel => false,
            Self::Observations | Self::Lengthscale | Self::Gap | Self::Noise => true,
        }
    }

    /// What plots count in: kuva's logarithmic axes end at 1e-10, where the noise begins.
    pub(super) fn unit(self) -> f64 {
        if self == Self::Noise { 1e-6 } else { 1.0 }
    }

    /// A place on it, for people.
    pub(super) fn tick(self, at: f64) -> String {
        match self {
            Self::Kernel if (at - at.round()).abs() < 1e-9 && at >= 0.0 => {
                KERNELS.get(at.round() as usize).map_or(String::new(), |kernel| kernel.2.into())
            }
            Self::Kernel => String::new(),
            Self::Gap | Self::Noise => format!("{at:.0e}").replace('-', "−"),
            Self::Inputs | Self::Observations | Self::Lengthscale => format!("{}", (at * 1e6).round() / 1e6),
        }
    }
}
