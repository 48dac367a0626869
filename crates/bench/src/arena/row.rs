//! A study of a rival on a problem, as `arena/play.py` writes it down.

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

/// A regret below this share of a problem's scale is no better than any other.
const FLOOR: f64 = 1e-8;

/// A line of the raw data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub rival: String,
    pub version: String,
    pub problem: String,
    pub family: String,
    pub inputs: usize,
    pub seed: u64,
    pub budget: usize,
    pub optimum: f64,
    pub scale: f64, // the median of values at random points, less the optimum
    pub evaluations: usize,
    pub bests: String, // after how many evaluations there was a better point, and its value: `1:3.5 4:2.25`
    pub claims: String, // after how many, the best value, what was claimed to be left at most, the range of values so far
    #[serde(default)]
    pub recommended: Option<f64>, // the true value at the point that the rival recommends at the end, if it does
    pub cpu_seconds: f64, // of all suggestions
    pub cpu_late: f64,  // of one, the median over the second half
    pub cpu_longest: f64,
    pub error: String, // what ended the study before its budget
}

/// What a rival said could still be gained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Claim {
    pub after: usize,
    pub best: f64,
    pub gain: f64,
    pub range: f64,
}

impl Row {
    /// The name of the part that it is.
    pub fn part(rival: &str, problem: &str, seed: u64) -> String {
        format!("{rival} on {problem}, seed {seed}")
    }

    /// The evaluations after which there was a better point, with its value.
    pub fn bests(&self) -> anyhow::Result<Vec<(usize, f64)>> {
        let pair = |word: &str| -> Option<(usize, f64)> {
            let (after, value) = word.split_once(':')?;
            Some((after.parse().ok()?, value.parse().ok()?))
        };
        let read = |word: &str| pair(word).with_context(|| format!("`{word}` in `bests` of {}", self.problem));
        self.bests.split_whitespace().map(read).collect()
    }

    pub fn claims(&self) -> anyhow::Result<Vec<Claim>> {
        let claim = |word: &str| -> Option<Claim> {
            let (after, numbers) = word.split_once(':')?;
            let numbers: Vec<f64> = numbers.split(':').map(str::parse).collect::<Result<_, _>>().ok()?;
            let [best, gain, range] = numbers[..] else { return None };
            Some(Claim { after: after.parse().ok()?, best, gain, range })
        };
        let read = |word: &str| claim(word).with_context(|| format!("`{word}` in `claims` of {}", self.problem));
        self.claims.split_whitespace().map(read).collect()
    }

    /// A value's regret as a share of the problem's scale, the floor included.
    pub fn regret(&self, value: f64) -> f64 {
        ((value - self.optimum) / self.scale).max(FLOOR)
    }

    /// Whether a value is below the optimum by more than rounding.
    pub fn is_below_optimum(&self, value: f64) -> bool {
        value < self.optimum - 1e-9 * (self.scale + self.optimum.abs())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A study on a problem with minimum 0 and scale 1.
    pub fn row(rival: &str, problem: &str, bests: &str) -> Row {
        Row {
            rival: rival.into(),
            version: "package 1.0".into(),
            problem: problem.into(),
            family: "bbob".into(),
            inputs: 2,
            seed: 1,
            budget: 60,
            optimum: 0.0,
            scale: 1.0,
            evaluations: 60,
            bests: bests.into(),
            claims: String::new(),
            recommended: None,
            cpu_seconds: 6.0,
            cpu_late: 0.1,
            cpu_longest: 1.0,
            error: String::new(),
        }
    }

    #[test]
    fn cells_are_read_or_named() {
        let mut study = row("a", "p", "1:3.5 4:-2e-3");
        study.claims = "20:0.5:0.25:8".into();
        assert_eq!(study.bests().expect("pairs"), [(1, 3.5), (4, -2e-3)]);
        assert_eq!(study.claims().expect("claims"), [Claim { after: 20, best: 0.5, gain: 0.25, range: 8.0 }]);
        for broken in ["3.5", "1:x", "1:2:3"] {
            study.bests = broken.into();
            assert!(study.bests().expect_err("no pair").to_string().contains(broken));
        }
        study.claims = "20:0.5:0.25".into();
        assert!(study.claims().is_err());
    }

    #[test]
    fn a_regret_has_a_floor_and_a_value_below_the_optimum_is_seen() {
        let study = Row { optimum: 10.0, scale: 2.0, ..row("a", "p", "") };
        assert_eq!((study.regret(11.0), study.regret(10.0)), (0.5, FLOOR));
        assert!(study.is_below_optimum(9.999) && !study.is_below_optimum(10.0 - 1e-12));
    }
}
