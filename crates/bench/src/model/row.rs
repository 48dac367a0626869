//! The rows of a run beside scikit-learn.

use crate::evidence::{Record, fields, number, optional};

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Whose software.
    pub who: String,
    /// What was measured.
    pub operation: String,
    /// Number of observations.
    pub n: usize,
    /// How long it took.
    pub seconds: f64,
    /// A result worth comparing, where there is one.
    pub value: Option<f64>,
}

impl Record for Row {
    const HEAD: &'static str = "who,operation,n,seconds,value";

    fn to_line(&self) -> String {
        let Self { who, operation, n, seconds, value } = self;
        format!("{who},{operation},{n},{seconds:?},{}", number(*value))
    }

    fn parse(line: &str) -> anyhow::Result<Self> {
        let [who, operation, n, seconds, value] = fields(line)?;
        let (n, seconds, value) = (n.parse()?, seconds.parse()?, optional(value)?);
        Ok(Self { who: who.into(), operation: operation.into(), n, seconds, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_back_to_the_last_bit() {
        for (seconds, value) in [(0.1 + 0.2, Some(-1.0 / 3.0)), (1e-7, None)] {
            let row = Row { who: "fathom".into(), operation: "fit".into(), n: 30, seconds, value };
            assert_eq!(Row::parse(&row.to_line()).expect("just written"), row);
        }
        assert!(Row::parse("fathom,fit,thirty,1,2").is_err());
    }
}
