//! One line of `raw.csv`: a problem, solved one way.

use crate::record::record;

record! {
    /// What one contender found on one problem.
    pub struct Row {
        /// The contender.
        pub method: String,
        /// The kernel.
        pub kernel: String,
        /// Inputs.
        pub d: usize,
        /// Observations.
        pub n: usize,
        /// Which of the problems drawn.
        pub replication: u64,
        /// With which it was drawn.
        pub seed: u64,
        /// As drawn.
        pub lengthscale: f64,
        /// σ_f² as drawn.
        pub variance: f64,
        /// The absolute gap asked for, or the relative one where that is larger.
        pub gap: f64,
        /// Boxes bounded.
        pub nodes: u64,
        /// `optimal` where the gap asked for was closed, `local` where nothing is claimed.
        pub status: String,
        /// The true LCB at the point.
        pub value: f64,
        /// A lower bound of the true LCB that the contender itself proves, if it does. Runs up to 2026-11-16 have PK-MIQP's
        /// estimate here too, which no table reads.
        pub lower_bound: Option<f64>,
        /// By the clock, the median solve.
        pub seconds: f64,
        /// Of the processor, that solve's.
        pub cpu_seconds: f64,
        /// Of this program.
        pub version: String,
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(method: &str, d: usize, replication: u64, value: f64) -> Self {
        Self {
            method: method.into(),
            kernel: "matern32".into(),
            d,
            n: 10 * d,
            replication,
            seed: replication,
            lengthscale: 0.5,
            variance: 1.0,
            gap: 1e-3,
            nodes: 7,
            status: if method == "certified" { "optimal" } else { "local" }.into(),
            value,
            lower_bound: (method == "certified").then_some(value - 1e-3),
            seconds: 0.25,
            cpu_seconds: 0.25,
            version: "0.1.0".into(),
        }
    }
}
