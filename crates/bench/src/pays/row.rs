//! One line of `raw.csv`: a step of a loop, beside the certified minimum of its acquisition function.

use crate::record::record;

record! {
    /// A step, t = 0 being the initial design.
    pub struct Row {
        /// What is minimised.
        pub function: String,
        /// Of the LCB μ − β^½ σ.
        pub beta: f64,
        /// The contender.
        pub method: String,
        /// Of the design, the fits and the searches.
        pub seed: u64,
        /// The iteration.
        pub t: usize,
        /// Iterations of the whole loop.
        pub iterations: usize,
        /// What the point evaluates to; the least of the design at t = 0; nothing once the loop is stuck.
        pub value: Option<f64>,
        /// By how much the step's acquisition value is above the certified point's; below 0 where it is lower.
        pub at_least: Option<f64>,
        /// By how much it is above the proven bound.
        pub at_most: Option<f64>,
        /// Whether the gap of that was closed: `optimal` or `node_limit`.
        pub status: String,
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(method: &str, seed: u64, t: usize, value: f64, at_least: f64) -> Self {
        Self {
            function: "bumpy".into(),
            beta: 4.0,
            method: method.into(),
            seed,
            t,
            iterations: 2,
            value: Some(value),
            at_least: (t > 0).then_some(at_least),
            at_most: (t > 0).then_some(at_least + 1e-3),
            status: if t > 0 { "optimal" } else { "design" }.into(),
        }
    }
}
