//! One line of `raw.csv`: a problem, solved one way.

use super::Plan;
use crate::case::Case;
use crate::evidence::{Record, fields, number, optional};
use fathom_global::Certificate;

/// What one way took on one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The problem.
    pub instance: String,
    /// Inputs.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// As the problem's file calls it.
    pub kernel: String,
    /// `true`, `sum`, `kept`, `published`, or a solver.
    pub way: String,
    /// The gap asked for.
    pub gap: f64,
    /// Seconds allowed.
    pub time_limit: f64,
    /// The median solve.
    pub seconds: f64,
    /// Nodes.
    pub nodes: u64,
    /// Best value of the function that was minimised.
    pub value: Option<f64>,
    /// Its lower bound, by proof or by the solver's word.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not.
    pub status: String,
    /// The true function at that point, where another was minimised.
    pub true_value: Option<f64>,
    /// `accepted`, or why not; a solver's name and version, or its error.
    pub verdict: String,
}

impl Row {
    pub(super) fn new(
        plan: &Plan,
        case: &Case,
        found: &Certificate,
        seconds: f64,
        verdict: &str,
        true_value: Option<f64>,
    ) -> Self {
        let failed = Self::failed(plan, case, seconds, verdict);
        let value = Some(found.value).filter(|value| value.is_finite());
        let (nodes, lower_bound, status) = (found.nodes, found.lower_bound, found.status.name().into());
        Self { nodes, value, lower_bound, status, true_value, ..failed }
    }

    /// Of a way that ended without an answer.
    pub(super) fn failed(plan: &Plan, case: &Case, seconds: f64, verdict: &str) -> Self {
        Self {
            instance: case.instance.name.clone(),
            d: case.instance.dim(),
            n: case.instance.count(),
            kernel: case.kernel.clone(),
            way: String::new(),
            gap: plan.gap,
            time_limit: plan.time_limit.as_secs_f64(),
            seconds,
            nodes: 0,
            value: None,
            lower_bound: None,
            status: "failed".into(),
            true_value: None,
            verdict: verdict.replace([',', '\n'], ";"),
        }
    }
}

impl Record for Row {
    const HEAD: &'static str =
        "instance,d,n,kernel,way,gap,time_limit,seconds,nodes,value,lower_bound,status,true_value,verdict";

    fn to_line(&self) -> String {
        let Self { instance, d, n, kernel, way, gap, time_limit, seconds, nodes, status, verdict, .. } = self;
        let [value, lower_bound, true_value] = [self.value, self.lower_bound, self.true_value].map(number);
        format!(
            "{instance},{d},{n},{kernel},{way},{gap:?},{time_limit:?},{seconds:?},{nodes},{value},{lower_bound},\
             {status},{true_value},{verdict}"
        )
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [instance, d, n, kernel, way, gap, time_limit, seconds, nodes, rest @ ..] = fields::<14>(line)?;
        let [value, lower_bound, status, true_value, verdict] = rest;
        Ok(Self {
            instance: instance.into(),
            d: d.parse()?,
            n: n.parse()?,
            kernel: kernel.into(),
            way: way.into(),
            gap: gap.parse()?,
            time_limit: time_limit.parse()?,
            seconds: seconds.parse()?,
            nodes: nodes.parse()?,
            value: optional(value)?,
            lower_bound: optional(lower_bound)?,
            status: status.into(),
            true_value: optional(true_value)?,
            verdict: verdict.into(),
        })
    }
}

#[cfg(test)]
impl Row {
    /// A row to write tests with.
    pub fn example(instance: &str, way: &str, seconds: f64, value: f64) -> Self {
        Self {
            instance: instance.into(),
            d: 2,
            n: 20,
            kernel: "rbf".into(),
            way: way.into(),
            gap: 1e-3,
            time_limit: 20.0,
            seconds,
            nodes: 17,
            value: Some(value),
            lower_bound: Some(value - 1e-3),
            status: "optimal".into(),
            true_value: None,
            verdict: "accepted".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let bare = Row { value: None, lower_bound: None, ..Row::example("b", "scip", 1e-3, 0.0) };
        for row in [Row { true_value: Some(-0.1), ..Row::example("a", "kept", 0.1 + 0.2, -1.0 / 3.0) }, bare] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("a,2").is_err());
    }
}
