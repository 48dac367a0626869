//! One line of `raw.csv`: a model under a piecewise-linear kernel.

use crate::record::record;

record! {
    /// Real errors and their bounds.
    pub struct Row {
        /// The kernel.
        pub kernel: String,
        /// σ_ε².
        pub noise: f64,
        /// The error ε_M asked for; nothing for the paper's breakpoints.
        pub asked: Option<f64>,
        /// M.
        pub segments: usize,
        /// ε_M, proven.
        pub epsilon: f64,
        /// The least eigenvalue of K̃ before any repair.
        pub smallest: f64,
        /// The real error of the mean.
        pub mean: f64,
        /// Its a-posteriori bound.
        pub mean_a_posteriori: f64,
        /// Its bound by norms.
        pub mean_norms: f64,
        /// Its bound as printed.
        pub mean_printed: f64,
        /// The real error of the deviation.
        pub deviation: f64,
        /// Its a-posteriori bound.
        pub deviation_a_posteriori: f64,
        /// Its bound by norms.
        pub deviation_norms: f64,
        /// Its bound as printed.
        pub deviation_printed: f64,
    }
}
