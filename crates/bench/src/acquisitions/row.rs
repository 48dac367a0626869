//! One line of `raw.csv`: a problem under one acquisition function.

use crate::evidence::{Record, fields, number, optional};

/// What one acquisition function took on one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The problem.
    pub instance: String,
    /// Its family, `prior` or `bo`.
    pub family: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// As the problem's file calls it.
    pub kernel: String,
    /// As problem files call it.
    pub acquisition: String,
    /// The gap asked for.
    pub gap: f64,
    /// Seconds allowed.
    pub time_limit: f64,
    /// Solves.
    pub repetitions: usize,
    /// The median solve.
    pub seconds: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Best value.
    pub value: f64,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not.
    pub status: String,
    /// Seconds of checking the proof.
    pub verification: Option<f64>,
    /// `accepted`, or why not.
    pub verdict: String,
}

impl Record for Row {
    const HEAD: &'static str = "instance,family,d,n,kernel,acquisition,gap,time_limit,repetitions,seconds,nodes,value,\
                                lower_bound,status,verification,verdict";

    fn to_line(&self) -> String {
        let Self { instance, family, d, n, kernel, acquisition, gap, time_limit, repetitions, seconds, .. } = self;
        let Self { nodes, value, status, verdict, .. } = self;
        let (lower_bound, verification) = (number(self.lower_bound), number(self.verification));
        let verdict = verdict.replace([',', '\n'], ";");
        format!(
            "{instance},{family},{d},{n},{kernel},{acquisition},{gap:?},{time_limit:?},{repetitions},{seconds:?},\
             {nodes},{value:?},{lower_bound},{status},{verification},{verdict}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [instance, family, d, n, kernel, acquisition, gap, limit, repetitions, seconds, rest @ ..] =
            fields::<16>(line)?;
        let [nodes, value, lower_bound, status, verification, verdict] = rest;
        Ok(Self {
            instance: instance.into(),
            family: family.into(),
            d: d.parse()?,
            n: n.parse()?,
            kernel: kernel.into(),
            acquisition: acquisition.into(),
            gap: gap.parse()?,
            time_limit: limit.parse()?,
            repetitions: repetitions.parse()?,
            seconds: seconds.parse()?,
            nodes: nodes.parse()?,
            value: value.parse()?,
            lower_bound: optional(lower_bound)?,
            status: status.into(),
            verification: optional(verification)?,
            verdict: verdict.into(),
        })
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(instance: &str, acquisition: &str, seconds: f64, nodes: u64) -> Self {
        Self {
            instance: instance.into(),
            family: "prior".into(),
            d: 2,
            n: 20,
            kernel: "rbf".into(),
            acquisition: acquisition.into(),
            gap: 1e-3,
            time_limit: 20.0,
            repetitions: 3,
            seconds,
            nodes,
            value: -1.0 / 3.0,
            lower_bound: Some(-0.34),
            status: "optimal".into(),
            verification: Some(0.1 + 0.2),
            verdict: "accepted".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let bare = Row { lower_bound: None, verification: None, ..Row::example("b", "pi", 1e-3, 1) };
        for row in [Row::example("a", "ei", 0.1 + 0.2, 7), bare] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("a,prior,2").is_err());
    }
}
