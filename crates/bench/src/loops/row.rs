//! One line of `raw.csv`: a step of a loop.

use crate::record::record;

record! {
    /// A step, t = 0 being the initial design.
    pub struct Row {
        /// What is minimised.
        pub problem: String,
        /// The model's kernel.
        pub kernel: String,
        /// The contender.
        pub method: String,
        /// Of the design, the fits and the searches.
        pub seed: u64,
        /// The iteration.
        pub t: usize,
        /// Iterations of the whole loop.
        pub iterations: usize,
        /// What the point evaluates to; the least of the design at t = 0; nothing where the method was stuck.
        pub value: Option<f64>,
        /// Clock seconds of the fit and the suggestion.
        pub seconds: f64,
        /// Boxes bounded, where the suggestion is certified.
        pub nodes: Option<u64>,
        /// The gap of the suggestion's certificate, in outputs scaled to [0, 1].
        pub gap: Option<f64>,
        /// `design`, `optimal`, `node_limit`, `local`, `stuck`, or how the suggestion came about instead.
        pub status: String,
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(problem: &str, method: &str, seed: u64, t: usize, value: f64) -> Self {
        Self {
            problem: problem.into(),
            kernel: "matern32".into(),
            method: method.into(),
            seed,
            t,
            iterations: 2,
            value: Some(value),
            seconds: 0.5,
            nodes: (method == "certified" && t > 0).then_some(9),
            gap: None,
            status: match (t, method) {
                (0, _) => "design",
                (_, "certified") => "optimal",
                _ => "local",
            }
            .into(),
        }
    }
}
