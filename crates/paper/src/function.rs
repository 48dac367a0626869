//! Test functions, to be minimised: the benchmarks of the paper's Section 5.3 (Appendix B.2).

use crate::error::{Error, Result};
use std::f64::consts::{E, PI};
use std::str::FromStr;

/// A test function for the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are known by their names")]
pub enum Function {
    Bumpy,
    Multimodal,
    Ackley,
    Branin,
    Rosenbrock,
    Hartmann3,
    Michalewicz5,
    Ks224,
}

impl Function {
    /// All test functions.
    pub const ALL: [Self; 8] = [
        Self::Bumpy,
        Self::Multimodal,
        Self::Ackley,
        Self::Branin,
        Self::Rosenbrock,
        Self::Hartmann3,
        Self::Michalewicz5,
        Self::Ks224,
    ];

    /// The name of the function.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bumpy => "bumpy",
            Self::Multimodal => "multimodal",
            Self::Ackley => "ackley",
            Self::Branin => "branin",
            Self::Rosenbrock => "rosenbrock",
            Self::Hartmann3 => "hartmann3",
            Self::Michalewicz5 => "michalewicz5",
            Self::Ks224 => "ks224",
        }
    }

    /// The names of all functions.
    pub fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|function| function.name()).collect()
    }

    /// The domain.
    pub fn bounds(self) -> Vec<(f64, f64)> {
        match self {
            Self::Bumpy => vec![(-10.0, 10.0)],
            Self::Multimodal => vec![(-2.7, 7.5)],
            Self::Ackley => vec![(-32.0, 16.0); 2],
            Self::Branin => vec![(-5.0, 10.0), (0.0, 15.0)],
            Self::Rosenbrock => vec![(-2.0, 2.0), (-1.0, 3.0)],
            Self::Hartmann3 => vec![(0.0, 1.0); 3],
            Self::Michalewicz5 => vec![(0.0, PI); 5],
            Self::Ks224 => vec![(0.0, 6.0); 2],
        }
    }

    /// The constraints, in `x1`, `x2`, ….
    pub fn constraints(self) -> &'static [&'static str] {
        match self {
            Self::Ks224 => &["0 <= x1 + 3*x2 <= 18", "0 <= x1 + x2 <= 8"],
            Self::Bumpy
            | Self::Multimodal
            | Self::Ackley
            | Self::Branin
            | Self::Rosenbrock
            | Self::Hartmann3
            | Self::Michalewicz5 => &[],
        }
    }

    /// The names of the inputs: `x1`, `x2`, ….
    pub fn parameters(self) -> Vec<String> {
        (1..=self.bounds().len()).map(|j| format!("x{j}")).collect()
    }

    /// The smallest value in the domain.
    pub fn minimum(self) -> f64 {
        match self {
            Self::Bumpy => -16.532_194_7,
            Self::Multimodal => -1.899_599_3,
            Self::Ackley | Self::Rosenbrock => 0.0,
            Self::Branin => 0.397_887_4,
            Self::Hartmann3 => -3.862_779_8,
            Self::Michalewicz5 => -4.687_658_2,
            Self::Ks224 => -304.0,
        }
    }

    /// The points of the domain with the smallest value.
    pub fn minimisers(self) -> Vec<Vec<f64>> {
        match self {
            Self::Bumpy => [-6.841_285_1, -0.558_099_8, 5.725_085_5].map(|x| vec![x]).to_vec(),
            Self::Multimodal => vec![vec![5.145_735_3]],
            Self::Ackley => vec![vec![0.0, 0.0]],
            Self::Branin => vec![vec![-PI, 12.275], vec![PI, 2.275], vec![3.0 * PI, 2.475]],
            Self::Rosenbrock => vec![vec![1.0, 1.0]],
            Self::Hartmann3 => vec![vec![0.114_614, 0.555_649, 0.852_547]],
            Self::Michalewicz5 => vec![vec![2.202_906, 0.5 * PI, 1.284_992, 1.923_058, 1.720_470]],
            Self::Ks224 => vec![vec![4.0, 4.0]],
        }
    }

    /// The value at `x`.
    ///
    /// # Panics
    /// If `x` has another length than [`bounds`](Self::bounds).
    pub fn value(self, x: &[f64]) -> f64 {
        assert!(x.len() == self.bounds().len(), "the point must have one entry for each input of the function");
        match self {
            Self::Bumpy => -(1..=6).map(f64::from).map(|i| i * ((i + 1.0) * x[0] + i).sin()).sum::<f64>(),
            Self::Multimodal => x[0].sin() + (10.0 / 3.0 * x[0]).sin(),
            Self::Ackley => {
                let (norm, waves) =
                    (0.5 * (x[0] * x[0] + x[1] * x[1]), (2.0 * PI * x[0]).cos() + (2.0 * PI * x[1]).cos());
                -20.0 * (-0.2 * norm.sqrt()).exp() - (0.5 * waves).exp() + 20.0 + E
            }
            Self::Branin => {
                let valley = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
                valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 10.0
            }
            Self::Rosenbrock => (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2),
            Self::Hartmann3 => hartmann(x),
            Self::Michalewicz5 => {
                let wave = |(i, x): (usize, &f64)| x.sin() * ((i + 1) as f64 * x * x / PI).sin().powi(20);
                -x.iter().enumerate().map(wave).sum::<f64>()
            }
            Self::Ks224 => 2.0 * x[0] * x[0] + x[1] * x[1] - 48.0 * x[0] - 40.0 * x[1],
        }
    }

    /// A study file for the function.
    pub fn study_file(self) -> String {
        let mut text = format!("name = \"{}\"\n", self.name());
        if !self.constraints().is_empty() {
            let quoted: Vec<String> = self.constraints().iter().map(|text| format!("\"{text}\"")).collect();
            text += &format!("constraints = [{}]\n", quoted.join(", "));
        }
        text += "\n[parameters]\n";
        for (name, (low, high)) in self.parameters().iter().zip(self.bounds()) {
            text += &format!("{name} = {{ type = \"float\", low = {low:?}, high = {high:?} }}\n");
        }
        text + &format!("\n[evaluate]\nfunction = \"{}\"\n", self.name())
    }
}

fn hartmann(x: &[f64]) -> f64 {
    const ALPHA: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
    const A: [[f64; 3]; 4] = [[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]];
    const P: [[f64; 3]; 4] =
        [[0.3689, 0.1170, 0.2673], [0.4699, 0.4387, 0.7470], [0.1091, 0.8732, 0.5547], [0.0381, 0.5743, 0.8828]];
    let hill = |i: usize| ALPHA[i] * (-(0..3).map(|j| A[i][j] * (x[j] - P[i][j]).powi(2)).sum::<f64>()).exp();
    -(0..4).map(hill).sum::<f64>()
}

impl FromStr for Function {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|function| function.name() == name);
        known.ok_or_else(|| Error::UnknownFunction { name: name.to_owned(), known: Self::names() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_lie_at_their_known_points() {
        for function in Function::ALL {
            for x in function.minimisers() {
                let (value, minimum) = (function.value(&x), function.minimum());
                assert!(
                    (value - minimum).abs() < 1e-6 * minimum.abs().max(1.0),
                    "{} at {x:?}: {value}",
                    function.name()
                );
                assert!(x.iter().zip(function.bounds()).all(|(x, (low, high))| (low..=high).contains(x)));
            }
        }
        let best = (0..2_000_001).map(|i| Function::Bumpy.value(&[-10.0 + f64::from(i) * 1e-5])).fold(0.0, f64::min);
        assert!((best - Function::Bumpy.minimum()).abs() < 1e-4, "{best}");
    }
}
