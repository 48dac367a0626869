//! β_t, the weight of exploration in the lower confidence bound μ − β_t^½ σ at iteration t.

use crate::error::{Error, Result, non_negative, positive};
use std::f64::consts::PI;

/// A schedule of β_t over iterations t = 1, 2, ….
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Beta {
    /// 0.2 D log 2t, the paper's choice, after Kandasamy et al. (2015).
    #[default]
    Paper,
    /// The β_t under which Theorem 4.4's regret bound holds with probability 1 − δ.
    Theorem(SmoothnessAssumption),
    /// The same value at every iteration.
    Constant(f64),
    /// One value for each iteration; later iterations use the last value.
    Schedule(Vec<f64>),
}

/// The assumption of Theorem 4.4 on sample paths over [0, r]^d: Pr{sup |∂f/∂x_j| > L} ≤ a exp(−(L/b)²).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothnessAssumption {
    /// δ in (0, 1), the probability with which the bound may fail.
    pub delta: f64,
    /// a > 0.
    pub a: f64,
    /// b > 0.
    pub b: f64,
    /// r > 0, the side of the domain.
    pub side: f64,
}

impl Beta {
    /// β_t for a problem of `dim` inputs at iteration `t` ≥ 1; never negative.
    ///
    /// ```
    /// let beta = fathom_gp::Beta::Paper.at(10, 2)?;
    /// assert_eq!(beta, 0.2 * 2.0 * 20.0_f64.ln());
    /// # Ok::<(), fathom_gp::Error>(())
    /// ```
    pub fn at(&self, t: usize, dim: usize) -> Result<f64> {
        let iteration = positive("the iteration", t as f64)?;
        let d = positive("the number of inputs", dim as f64)?;
        match self {
            Self::Paper => Ok(0.2 * d * (2.0 * iteration).ln()),
            Self::Constant(beta) => non_negative("beta", *beta),
            Self::Schedule(values) => {
                let held = values.get(t - 1).or(values.last()).ok_or(Error::Empty { what: "the beta schedule" })?;
                non_negative("beta", *held)
            }
            Self::Theorem(assumption) => assumption.beta(iteration, d),
        }
    }
}

impl SmoothnessAssumption {
    fn beta(self, t: f64, d: f64) -> Result<f64> {
        let Self { delta, a, b, side } = self;
        positive("a", a)?;
        positive("b", b)?;
        positive("the side of the domain", side)?;
        if !(delta > 0.0 && delta < 1.0) {
            return Err(Error::OutOfDomain { name: "delta", value: delta, requirement: "between 0 and 1" });
        }
        let tail = (4.0 * d * a / delta).ln();
        if tail <= 0.0 {
            return Err(Error::OutOfDomain { name: "4 d a / delta", value: tail.exp(), requirement: "above 1" });
        }
        let grid = 2.0 * d * (t * t * d * b * side * tail.sqrt()).ln();
        Ok((2.0 * (2.0 * t * t * PI * PI / (3.0 * delta)).ln() + grid).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_holds_its_last_value_and_bad_values_are_refused() {
        let schedule = Beta::Schedule(vec![3.0, 2.0]);
        assert_eq!([1, 2, 9].map(|t| schedule.at(t, 4).unwrap()), [3.0, 2.0, 2.0]);
        assert!(Beta::Schedule(Vec::new()).at(1, 1).is_err());
        assert!(Beta::Constant(-1.0).at(1, 1).is_err());
        assert!(Beta::Paper.at(0, 1).is_err());
    }

    #[test]
    fn the_theorems_beta_agrees_with_its_formula() {
        let assumption = SmoothnessAssumption { delta: 0.1, a: 1.5, b: 2.0, side: 1.0 };
        let by_hand = 2.0 * (2.0 * 25.0 * PI * PI / 0.3).ln()
            + 2.0 * 3.0 * (25.0 * 3.0 * 2.0 * (4.0 * 3.0 * 1.5 / 0.1_f64).ln().sqrt()).ln();
        assert!((Beta::Theorem(assumption).at(5, 3).unwrap() - by_hand).abs() < 1e-12);
        for delta in [0.0, 1.0, -0.5, f64::NAN] {
            assert!(Beta::Theorem(SmoothnessAssumption { delta, ..assumption }).at(5, 3).is_err());
        }
    }
}
