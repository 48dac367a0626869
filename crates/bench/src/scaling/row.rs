//! The rows of a study.

use super::axis::Axis;
use crate::evidence::{Record, count, fields, number, optional};
use anyhow::Context as _;

/// One line of `raw.csv`: a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What varies.
    pub axis: Axis,
    /// Its value.
    pub at: f64,
    /// `matern12`, `matern32`, `matern52`, `rbf` or `rq`.
    pub kernel: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// The same for all inputs.
    pub lengthscale: f64,
    /// σ_ε².
    pub noise: f64,
    /// The absolute gap asked for.
    pub gap: f64,
    /// From 0; each draws its own problem.
    pub repetition: usize,
    /// Of the draw.
    pub seed: u64,
    /// Seconds allowed.
    pub time_limit: f64,
    /// Seconds taken.
    pub seconds: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Best value.
    pub value: Option<f64>,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not.
    pub status: String,
}

impl Record for Row {
    const HEAD: &'static str =
        "axis,at,kernel,d,n,lengthscale,noise,gap,repetition,seed,time_limit,seconds,nodes,value,lower_bound,status";

    fn to_line(&self) -> String {
        let Self { kernel, d, n, lengthscale, repetition, seed, time_limit, seconds, status, .. } = self;
        let (axis, at, noise, gap) = (self.axis.name(), self.at, self.noise, self.gap);
        let (nodes, value, lower) = (count(Some(self.nodes)), number(self.value), number(self.lower_bound));
        format!(
            "{axis},{at:?},{kernel},{d},{n},{lengthscale:?},{noise:?},{gap:?},{repetition},{seed},{time_limit:?},\
             {seconds:?},{nodes},{value},{lower},{status}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [
            axis,
            at,
            kernel,
            d,
            n,
            lengthscale,
            noise,
            gap,
            repetition,
            seed,
            limit,
            seconds,
            nodes,
            value,
            lower,
            status,
        ] = fields(line)?;
        let axis = Axis::ALL.into_iter().find(|known| known.name() == axis);
        Ok(Self {
            axis: axis.with_context(|| format!("{line}: no such axis"))?,
            at: at.parse()?,
            kernel: kernel.into(),
            d: d.parse()?,
            n: n.parse()?,
            lengthscale: lengthscale.parse()?,
            noise: noise.parse()?,
            gap: gap.parse()?,
            repetition: repetition.parse()?,
            seed: seed.parse()?,
            time_limit: limit.parse()?,
            seconds: seconds.parse()?,
            nodes: nodes.parse()?,
            value: optional(value)?,
            lower_bound: optional(lower)?,
            status: status.into(),
        })
    }
}

#[cfg(test)]
impl Row {
    /// A solve to write tests with.
    pub fn example(axis: Axis, at: f64, kernel: &str, seconds: f64) -> Self {
        Self {
            axis,
            at,
            kernel: kernel.into(),
            d: 3,
            n: 30,
            lengthscale: 1.0 / 3.0,
            noise: 1e-10,
            gap: 1e-3,
            repetition: 2,
            seed: 7,
            time_limit: 60.0,
            seconds,
            nodes: 12,
            value: Some(-0.1 - 0.2),
            lower_bound: None,
            status: "optimal".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        for axis in Axis::ALL {
            let row = Row::example(axis, 0.3, "rq", 0.1 + 0.2);
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("inputs,1").is_err());
        assert!(Row::parse(&Row::example(Axis::Gap, 0.1, "rbf", 1.0).to_line().replace("gap", "gasp")).is_err());
    }
}
