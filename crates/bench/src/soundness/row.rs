//! The rows of a check.

use crate::evidence::{Record, fields, number, optional};

/// What a run's README says of its rows.
pub(super) const LEGEND: &str = "\
Random problems, 20 random boxes each; in each box the certified lower bound against the lowest value that samples,
corners, observations and descents found. `raw.csv` has a row a problem, and the same seed draws the same problems:
`fathom-bench soundness --help` and the module `soundness` of the bench crate say how. `tables.md` is made from it alone.

* `problem`, `seed`: its number, and the seed of the run
* `kernel`, `alpha`, `criterion`, `kappa`, `d`, `n`, `noise`, `lengthscale`, `variance`, `clustered`: what was drawn;
  `sum of` a kernel has one of it for each input
* `boxes`, `bounded`: boxes searched, and those with a finite bound
* `above`: boxes whose bound is above the lowest value as we evaluate it, rounding of that value not considered
* `violations`: boxes where it is above by more than `allowed`, what rounding can do to a value; must be 0
* `excess`: the largest of bound − lowest over the boxes; negative where all is well
* `slack`: the median of lowest − bound
* `seconds`, `status`: `checked`, or why the problem could not be set up
";

/// One line of `raw.csv`: a problem and its boxes.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its number, from 0.
    pub problem: u64,
    /// Of the run.
    pub seed: u64,
    /// As problem files call it, or `sum of` one for each input.
    pub kernel: String,
    /// α of `rq`.
    pub alpha: Option<f64>,
    /// `lcb`, `mean`, `deviation` or `ei`.
    pub criterion: String,
    /// κ of `lcb`.
    pub kappa: Option<f64>,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// σ_ε².
    pub noise: f64,
    /// About which those of the inputs lie.
    pub lengthscale: f64,
    /// σ_f².
    pub variance: f64,
    /// Whether half the observations crowd around one.
    pub is_clustered: bool,
    /// Boxes searched.
    pub boxes: u64,
    /// Boxes with a finite bound.
    pub bounded: u64,
    /// Boxes with a bound above a value that was found.
    pub above: u64,
    /// Boxes where rounding does not explain that.
    pub violations: u64,
    /// The largest bound − lowest.
    pub excess: Option<f64>,
    /// What rounding explains.
    pub allowed: Option<f64>,
    /// The median lowest − bound.
    pub slack: Option<f64>,
    /// Seconds taken.
    pub seconds: f64,
    /// `checked`, or why not.
    pub status: String,
}

impl Record for Row {
    const HEAD: &'static str = "problem,seed,kernel,alpha,criterion,kappa,d,n,noise,lengthscale,variance,clustered,\
                                boxes,bounded,above,violations,excess,allowed,slack,seconds,status";

    fn to_line(&self) -> String {
        let Self { problem, seed, kernel, criterion, d, n, noise, lengthscale, variance, .. } = self;
        let Self { is_clustered, boxes, bounded, above, violations, seconds, .. } = self;
        let (alpha, kappa, excess) = (number(self.alpha), number(self.kappa), number(self.excess));
        let (allowed, slack) = (number(self.allowed), number(self.slack));
        let status = self.status.replace([',', '\n'], ";");
        format!(
            "{problem},{seed},{kernel},{alpha},{criterion},{kappa},{d},{n},{noise:?},{lengthscale:?},{variance:?},\
             {is_clustered},{boxes},{bounded},{above},{violations},{excess},{allowed},{slack},{seconds:?},{status}"
        )
    }

    #[rustfmt::skip]
    fn parse(line: &str) -> anyhow::Result<Self> {
        let [
            problem, seed, kernel, alpha, criterion, kappa, d, n, noise, lengthscale, variance, clustered,
            boxes, bounded, above, violations, excess, allowed, slack, seconds, status,
        ] = fields(line)?;
        Ok(Self {
            problem: problem.parse()?,
            seed: seed.parse()?,
            kernel: kernel.into(),
            alpha: optional(alpha)?,
            criterion: criterion.into(),
            kappa: optional(kappa)?,
            d: d.parse()?,
            n: n.parse()?,
            noise: noise.parse()?,
            lengthscale: lengthscale.parse()?,
            variance: variance.parse()?,
            is_clustered: clustered.parse()?,
            boxes: boxes.parse()?,
            bounded: bounded.parse()?,
            above: above.parse()?,
            violations: violations.parse()?,
            excess: optional(excess)?,
            allowed: optional(allowed)?,
            slack: optional(slack)?,
            seconds: seconds.parse()?,
            status: status.into(),
        })
    }
}

#[cfg(test)]
impl Row {
    /// A problem to write tests with.
    pub fn example(kernel: &str, d: usize, violations: u64) -> Self {
        Self {
            problem: 7,
            seed: 1,
            kernel: kernel.into(),
            alpha: None,
            criterion: "mean".into(),
            kappa: None,
            d,
            n: 30,
            noise: 1e-10 / 3.0,
            lengthscale: 0.1 + 0.2,
            variance: 1.0,
            is_clustered: true,
            boxes: 20,
            bounded: 19,
            above: violations,
            violations,
            excess: Some(if violations > 0 { 0.5 } else { -1e-9 }),
            allowed: Some(1e-12),
            slack: Some(1e-3),
            seconds: 0.25,
            status: "checked".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let full = Row { alpha: Some(1.0 / 3.0), kappa: Some(2.5), ..Row::example("rq", 3, 0) };
        let failed = Row { excess: None, allowed: None, slack: None, status: "singular".into(), ..full.clone() };
        for row in [full, failed] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert_eq!(Row::HEAD.split(',').count(), 21);
        assert!(Row::parse("1,2,rbf").is_err());
    }
}
