//! The rows of a run.

use super::MISS;
use crate::evidence::{Record, fields};

/// One line of `raw.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The local method.
    pub method: String,
    /// The problem.
    pub instance: String,
    /// Its family, `prior` or `bo`.
    pub family: String,
    /// Inputs.
    pub d: usize,
    /// Where the method ended.
    pub value: f64,
    /// The best value known.
    pub best: f64,
    /// Proven: no value is below this.
    pub lower_bound: f64,
    /// CPU seconds of the method.
    pub seconds: f64,
}

impl Row {
    /// Whether the method ended above the minimum: its value, in floating point, against the proven bound.
    pub fn is_missed(&self) -> bool {
        self.value > self.lower_bound + MISS
    }

    /// By how much at least.
    pub fn miss(&self) -> f64 {
        self.value - self.best
    }
}

impl Record for Row {
    const HEAD: &'static str = "method,instance,family,d,value,best,lower_bound,seconds";

    fn to_line(&self) -> String {
        let Self { method, instance, family, d, value, best, lower_bound, seconds } = self;
        format!("{method},{instance},{family},{d},{value:?},{best:?},{lower_bound:?},{seconds:?}")
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [method, instance, family, d, value, best, lower_bound, seconds] = fields(line)?;
        Ok(Self {
            method: method.into(),
            instance: instance.into(),
            family: family.into(),
            d: d.parse()?,
            value: value.parse()?,
            best: best.parse()?,
            lower_bound: lower_bound.parse()?,
            seconds: seconds.parse()?,
        })
    }
}

#[cfg(test)]
impl Row {
    /// A solve to write tests with.
    pub fn example(method: &str, instance: &str, value: f64) -> Self {
        Self {
            method: method.into(),
            instance: instance.into(),
            family: "prior".into(),
            d: 2,
            value,
            best: -1.0,
            lower_bound: -1.0001,
            seconds: 1e-3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit_and_know_a_miss() {
        let row = Row::example("slsqp", "a", -1.0 / 3.0);
        assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        assert!(Row::parse("slsqp,a,prior").is_err());
        assert!(row.is_missed() && Row::example("slsqp", "a", -0.25).miss() == 0.75);
        assert!(!Row::example("slsqp", "a", -0.9992).is_missed());
    }
}
