//! The rows of a run.

use super::Variant;
use crate::evidence::{Record, fields, number, optional};
use anyhow::Context as _;

/// One line of `raw.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Under which constraint.
    pub variant: Variant,
    /// The problem.
    pub instance: String,
    /// Inputs.
    pub d: usize,
    /// As the problem's file calls it.
    pub kernel: String,
    /// CPU seconds.
    pub seconds: f64,
    /// Boxes bounded.
    pub nodes: u64,
    /// Best value.
    pub value: Option<f64>,
    /// Proven lower bound.
    pub lower_bound: Option<f64>,
    /// `optimal`, or why not.
    pub status: String,
    /// Whether the proof was accepted.
    pub accepted: bool,
    /// The absolute gap asked for.
    pub gap: f64,
}

impl Record for Row {
    const HEAD: &'static str = "variant,instance,d,kernel,seconds,nodes,value,lower_bound,status,accepted,gap";

    fn to_line(&self) -> String {
        let Self { variant, instance, d, kernel, seconds, nodes, status, accepted, gap, .. } = self;
        let (variant, value, lower) = (variant.name(), number(self.value), number(self.lower_bound));
        format!("{variant},{instance},{d},{kernel},{seconds:?},{nodes},{value},{lower},{status},{accepted},{gap:?}")
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [variant, instance, d, kernel, seconds, nodes, value, lower, status, accepted, gap] = fields(line)?;
        let known = Variant::ALL.into_iter().find(|known| known.name() == variant);
        Ok(Self {
            variant: known.with_context(|| format!("{variant}: which constraint is that?"))?,
            instance: instance.into(),
            d: d.parse()?,
            kernel: kernel.into(),
            seconds: seconds.parse()?,
            nodes: nodes.parse()?,
            value: optional(value)?,
            lower_bound: optional(lower)?,
            status: status.into(),
            accepted: accepted.parse()?,
            gap: gap.parse()?,
        })
    }
}

#[cfg(test)]
impl Row {
    /// A solve to write tests with.
    pub fn example(variant: Variant, instance: &str, seconds: f64, nodes: u64) -> Self {
        Self {
            variant,
            instance: instance.into(),
            d: 2,
            kernel: "rbf".into(),
            seconds,
            nodes,
            value: Some(-1.0),
            lower_bound: Some(-1.0005),
            status: "optimal".into(),
            accepted: true,
            gap: 1e-3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        let full = Row::example(Variant::Ring, "a", 0.1 + 0.2, 7);
        let bare = Row { value: None, lower_bound: None, accepted: false, ..full.clone() };
        for row in [full, bare] {
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        let line = Row::example(Variant::Ring, "a", 1.0, 7).to_line();
        assert!(Row::parse(&line.replace("ring", "torus")).is_err());
    }
}
