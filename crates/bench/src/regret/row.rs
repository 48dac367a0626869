//! One line of `raw.csv`: a round of a loop.

use crate::record::record;

record! {
    /// A round.
    pub struct Row {
        /// Inputs.
        pub d: usize,
        /// Who chose the point.
        pub method: String,
        /// Of the sample and its noise.
        pub seed: u64,
        /// The round, from 1.
        pub t: usize,
        /// Rounds of the whole loop.
        pub rounds: usize,
        /// f(x_t) less the certified minimum of f.
        pub regret: f64,
        /// Its sum so far, R_t.
        pub cumulative: f64,
        /// β_t.
        pub beta: f64,
        /// I_t, gained by the points so far.
        pub information: f64,
        /// ε_M of the kernel that x_t was found with; 0 for the true one.
        pub epsilon: f64,
        /// The bound of R_t.
        pub bound: f64,
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(method: &str, seed: u64, t: usize, cumulative: f64) -> Self {
        Self {
            d: 1,
            method: method.into(),
            seed,
            t,
            rounds: 2,
            regret: 0.5,
            cumulative,
            beta: 4.0,
            information: 1.0,
            epsilon: 0.0,
            bound: 100.0,
        }
    }
}
